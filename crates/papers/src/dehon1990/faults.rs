//! The effect of faults on Transit's fat trees: routers on which connections depend, found by
//! looking at all ways and by trying again and again, and the traffic that survives many random
//! faults.
//!
//! DeHon says that single faults are survived (sections 2.1.2, 3.3.4 and 5.2.2) and that a stack
//! can be taken out while the network runs (3.5.4); he has no numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::dehon1990::side_by_side::{KeyedStudy, side_by_side};
use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::Error;
use crosswave_base::random;
use crosswave_base::statistics::Tally;
use crosswave_chips::routing::transit::{Stage, TransitForm};
use crosswave_event::EventEngine;
use crosswave_network::Fabric;
use crosswave_network::faults::{FaultEntry, Faults, Placed, Window};
use crosswave_network::traffic::{
    DeliverySets, Destinations, Message, Offer, Pattern, PatternConfig, Replay, SteadyConfig,
    Strategy, TrafficConfig, Workload,
};
use crosswave_network::transit::config::TransitConfig;
use crosswave_network::transit::{Dependents, Dispersion, ROUTERS, UpStage};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;
use crosswave_probe::message::NEVER;
use crosswave_run::config::{Config, EngineKind, NetworkConfig};
use crosswave_run::simulation::Simulation;

/// Words of a message.
const WORDS: u32 = 4;
/// The longest back-off, as an exponent of two.
const BACKOFF: u32 = 6;
/// Cycles after which a message that has not come through is given up.
const CYCLES_MAX: u64 = 10_000;
/// Seed of all runs.
const SEED: u64 = 1;
/// Processors that send in a tree without a router.
const SENDERS: u32 = 64;
/// Routers that are removed, one after the other, in one of the studies that go side by side.
const ROUTERS_A_STUDY: u32 = 16;
/// Stream of the pairs that are tried.
const STREAM_PAIRS: u64 = u64::from_be_bytes(*b"fltpairs");

/// A tree that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tree {
    /// Its part in the names of quantities.
    pub name: &'static str,
    /// Leaves, layers and cap.
    pub form: TransitForm,
    /// The stage up of UT64x2.
    pub up_stage: UpStage,
    /// The spreading of wires.
    pub dispersion: Dispersion,
}

impl Tree {
    /// Processors.
    pub fn nodes(self) -> u32 {
        self.form.nodes()
    }

    /// Without extra clocks on its wires.
    fn network(self) -> TransitConfig {
        let mut config = TransitConfig::new(self.form);
        config.link_delay_cycles = Some(vec![0; self.form.layers as usize]);
        config.up_stage = self.up_stage;
        config.dispersion = self.dispersion;
        config
    }

    /// The configuration of a run that is given up after some cycles.
    fn config(self, traffic: TrafficConfig) -> Config {
        let mut config = Config::new(NetworkConfig::Transit(self.network()), traffic);
        config.retry.strategy = Strategy::Backoff { limit: BACKOFF };
        config.run.engine = EngineKind::Event;
        config.run.seed = SEED;
        config.run.threads = 1;
        config.run.cycles_max = Some(CYCLES_MAX);
        config
    }

    /// The configuration in which every processor sends one message.
    fn everyone_sends(self) -> Config {
        self.config(TrafficConfig::Pattern(PatternConfig {
            pattern: Pattern::Random {
                messages: self.nodes(),
                destinations: Destinations::Others,
            },
            words: WORDS,
            repeat: 1,
        }))
    }
}

/// Single points of failure of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Critical {
    /// The tree.
    pub tree: Tree,
    /// Its routers.
    pub routers: u64,
    /// Those without which some pair of processors cannot connect, as the wiring says.
    pub by_wiring: u64,
    /// Those without which some message did not come through, however often it was tried.
    pub by_retry: u64,
    /// Those of them by the wiring that are of a stage up.
    pub in_stage_up: u64,
    /// The most processors that one router cuts off, as the wiring says.
    pub nodes_cut_off: u64,
    /// The same by retry.
    pub nodes_cut_off_by_retry: u64,
}

/// Routers of a tree on which connections depend, as its wiring says.
///
/// # Panics
/// When the tree is none that a configuration may have.
pub fn critical_by_wiring(tree: Tree) -> BTreeMap<u32, Dependents> {
    let network = tree.network().network(tree.everyone_sends().retry.strategy);
    network.critical_routers(&network.fabric())
}

/// Removes each router of a tree in turn.
///
/// # Errors
/// Those of [`side_by_side`], and when the configuration is wrong.
pub fn critical(tree: Tree, store: &mut Store, watch: &mut dyn Watch) -> Result<Critical, Error> {
    let config = tree.everyone_sends();
    let simulation = Simulation::new(&config)?;
    let routers = simulation.fabric().arrays[ROUTERS].instances as u32;
    watch.begins(&format!("ways of all pairs of {} processors", tree.nodes()));
    let by_wiring = critical_by_wiring(tree);
    let study = |first: u32| KeyedStudy {
        title: format!(
            "{} processors without router {} of {routers}",
            tree.nodes(),
            first + 1
        ),
        key: json!({ "without one router": config, "from": first }),
        job: first..routers.min(first + ROUTERS_A_STUDY),
    };
    let studies = (0..routers).step_by(ROUTERS_A_STUDY as usize).map(study);
    let studies: Vec<KeyedStudy<Range<u32>>> = studies.collect();
    let run = |(): &mut (), routers: &Range<u32>| -> Vec<Cut> {
        let routers = routers.clone();
        let cut = routers.map(|router| cut_off(&simulation, router, by_wiring.get(&router)));
        cut.collect()
    };
    let found = side_by_side(&studies, 0, store, watch, || (), run)?;
    let cut: Vec<Cut> = found.into_iter().flatten().collect();
    let nodes = by_wiring.values().map(|found| found.nodes.len() as u64);
    let network = tree.network().network(config.retry.strategy);
    let is_up = |router| matches!(network.place(router).stage, Stage::Up(_));
    Ok(Critical {
        tree,
        routers: u64::from(routers),
        by_wiring: by_wiring.len() as u64,
        by_retry: cut.iter().filter(|cut| cut.some).count() as u64,
        nodes_cut_off: nodes.max().unwrap_or(0),
        nodes_cut_off_by_retry: cut.iter().map(|cut| cut.nodes).max().unwrap_or(0),
        in_stage_up: by_wiring.keys().filter(|&&router| is_up(router)).count() as u64,
    })
}

/// A fabric without a router.
fn without(simulation: &Simulation, router: u32) -> Fabric {
    let name = simulation.fabric().instance_name(ROUTERS, router as usize);
    let faults = Faults {
        routers: vec![FaultEntry::always(name)],
        ..Faults::default()
    };
    with(simulation, &faults)
}

/// The fabric of a simulation without faults, with some that fit it.
fn with(simulation: &Simulation, faults: &Faults) -> Fabric {
    let mut fabric = simulation.fabric().clone();
    let placed = Placed::new(faults, simulation.network(), &fabric);
    placed.expect("they fit the network").apply(&mut fabric);
    fabric
}

/// The connections lost without a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Cut {
    /// Some message did not come through.
    some: bool,
    /// Processors that could send to nobody who was tried.
    nodes: u64,
}

/// Tries connections without a router: those of processors to one in another half of the tree, and
/// again to another one; and a pair that depends on the router as the wiring says. Of large trees
/// only some processors send, and those that depend on the router.
fn cut_off(simulation: &Simulation, router: u32, dependents: Option<&Dependents>) -> Cut {
    let nodes = simulation.network().nodes();
    let mut sources = match nodes <= SENDERS {
        true => (0..nodes).collect(),
        false => {
            let all = (0..nodes).collect();
            random::choose(all, SENDERS, u64::from(router), STREAM_PAIRS)
        }
    };
    sources.extend(dependents.into_iter().flat_map(|found| &found.nodes));
    sources.sort_unstable();
    sources.dedup();
    let fabric = without(simulation, router);
    let lost_to = |near: u32, far: u32| -> BTreeSet<u32> {
        let to = |&source: &u32| match source < nodes / 2 {
            true => (source, far),
            false => (source, near),
        };
        lost(simulation, &fabric, sources.iter().map(to))
    };
    let quarter = nodes / 4;
    let first = lost_to(0, nodes - 1);
    let second = lost_to(quarter, nodes - 1 - quarter);
    let example = dependents.map(|found| found.example);
    let alone = lost(simulation, &fabric, example.into_iter());
    Cut {
        some: !(first.is_empty() && second.is_empty() && alone.is_empty()),
        nodes: first.intersection(&second).count() as u64,
    }
}

/// The sources of messages that did not come through.
fn lost(
    simulation: &Simulation,
    fabric: &Fabric,
    pairs: impl Iterator<Item = (u32, u32)>,
) -> BTreeSet<u32> {
    let messages = pairs.map(|(source, destination)| Message {
        source,
        destination,
        words: WORDS,
        offered: Offer::At(1),
    });
    let workload = Workload {
        nodes: simulation.network().nodes(),
        order: Replay::InOrder,
        messages: messages.collect(),
        sets: DeliverySets::default(),
    };
    if workload.messages.is_empty() {
        return BTreeSet::new();
    }
    let mut engine = EventEngine::new(fabric.clone(), SEED, 1);
    let outcome = simulation.run_on(&mut engine, &workload, &mut ());
    let lost = outcome.messages.iter();
    let lost = lost.filter(|message| !message.came_through());
    lost.map(|message| message.source).collect()
}

/// Routers of a tree that are off, drawn anew in each replicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Off {
    /// The tree.
    pub tree: Tree,
    /// Number of routers that are off.
    pub routers: u32,
    /// True when the routers that lead to them know.
    pub masked: bool,
}

/// The traffic that survives in a tree with routers that are off: means over replicates, with
/// their standard errors.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Survived {
    /// The fraction of messages that came through.
    pub delivered_fraction: (f64, f64),
    /// Attempts of those that did.
    pub attempts: (f64, f64),
    /// Their cycles from offer to acknowledgement.
    pub latency_cycles: (f64, f64),
}

/// Every processor sends a message to a random one, some routers being off.
///
/// # Errors
/// Those of [`side_by_side`].
pub fn survived(
    all: &[Off],
    replicates: u32,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Vec<Survived>, Error> {
    let study = |&off: &Off| KeyedStudy {
        title: format!(
            "{} processors, {} routers off",
            off.tree.nodes(),
            off.routers
        ),
        key: json!({
            "routers off": off.routers, "masked": off.masked, "replicates": replicates,
            "config": off.tree.everyone_sends(),
        }),
        job: off,
    };
    let studies: Vec<KeyedStudy<Off>> = all.iter().map(study).collect();
    let run = |(): &mut (), off: &Off| survived_of(*off, replicates);
    side_by_side(&studies, 0, store, watch, || (), run)
}

fn survived_of(off: Off, replicates: u32) -> Survived {
    let simulation = Simulation::new(&off.tree.everyone_sends());
    let simulation = simulation.expect("a tree of the tables");
    let (mut delivered, mut attempts, mut latency) = (Vec::new(), Vec::new(), Vec::new());
    for replicate in 0..replicates {
        let faults = Faults {
            random_routers: off.routers,
            seed: u64::from(replicate),
            masked: off.masked,
            ..Faults::default()
        };
        let fabric = with(&simulation, &faults);
        let run = simulation.replicate(replicate).expect("no trace");
        let mut engine = EventEngine::new(fabric, run.seed, 1);
        let outcome = simulation.run_on(&mut engine, &run.workload, &mut ());
        let done = outcome.messages.iter();
        let done = done.filter(|message| message.came_through());
        let (mut of_attempts, mut of_latency) = (Tally::default(), Tally::default());
        for message in done {
            of_attempts.add(u64::from(message.attempts));
            of_latency.add(message.latency_cycles());
        }
        delivered.push(of_attempts.count() as f64 / outcome.messages.len() as f64);
        attempts.push(of_attempts.mean());
        latency.push(of_latency.mean());
    }
    Survived {
        delivered_fraction: mean(&delivered),
        attempts: mean(&attempts),
        latency_cycles: mean(&latency),
    }
}

/// The mean of some values, and its standard error.
pub(super) fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0) / count).sqrt())
}

/// The traffic while a stack was taken out and put back.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Serviced {
    /// Messages that were offered, and that were delivered in the end.
    pub messages: (u64, u64),
    /// Throughput before, without, and after, in words per node and cycle.
    pub throughput_fraction: [f64; 3],
    /// Mean clocks from offer to acknowledgement of messages offered before, without it, and
    /// after.
    pub latency_cycles: [f64; 3],
}

/// Takes a stack out of a tree under steady load, and puts it back (section 3.5.4): each of three
/// phases, with it, without it and with it again, has so many cycles.
///
/// # Errors
/// When the configuration is wrong, or results cannot be kept.
pub fn serviced(
    tree: Tree,
    stack: &str,
    load: Decimal,
    phase_cycles: u64,
    store: &mut Store,
) -> Result<Serviced, Error> {
    let phase = |number: u64| number * phase_cycles + 1..(number + 1) * phase_cycles + 1;
    let mut config = tree.config(TrafficConfig::Steady(SteadyConfig {
        load,
        words: WORDS.into(),
        burst_messages: 1,
        cycles: 3 * phase_cycles,
        warmup_cycles: Some(0),
        destinations: Destinations::Others,
    }));
    config.run.cycles_max = None;
    let window = Window {
        from: phase(1).start,
        to: Some(phase(1).end),
    };
    config.faults.stacks = vec![FaultEntry {
        window,
        ..FaultEntry::always(stack)
    }];
    store.kept(&json!({ "serviced": config }), || {
        let outcome = Simulation::new(&config)?.run_all()?.remove(0);
        let of = |number: u64| {
            let offered = outcome.messages.iter();
            let offered = offered.filter(|message| phase(number).contains(&message.offered_cycle));
            let mut latency = Tally::default();
            offered.for_each(|message| latency.add(message.latency_cycles()));
            let delivered = outcome.messages.iter();
            let delivered = delivered.filter(|m| phase(number).contains(&m.delivered_cycle));
            let words = delivered.count() as f64 * f64::from(WORDS);
            let throughput = words / f64::from(tree.nodes()) / phase_cycles as f64;
            (throughput, latency.mean())
        };
        let phases = [of(0), of(1), of(2)];
        let done = outcome.messages.iter();
        let done = done.filter(|message| message.delivered_cycle != NEVER);
        Ok(Serviced {
            messages: (outcome.messages.len() as u64, done.count() as u64),
            throughput_fraction: phases.map(|(throughput, _)| throughput),
            latency_cycles: phases.map(|(_, latency)| latency),
        })
    })
}
