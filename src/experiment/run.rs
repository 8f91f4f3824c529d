//! From a validated configuration to the outcome of its replicates.

use crate::chip::{netlists, protocol, rn1_protocol};
use crate::diagnostic::Report;
use crate::event::EventEngine;
use crate::experiment::batch::Batch;
use crate::experiment::config::{Close, Config, EngineKind, LinkDelays, NetworkKind, Winner};
use crate::experiment::host::{Host, Observer, Outcome};
use crate::gate::{Backend, GateEngine};
use crate::network::bidelta::{Bidelta, Interface, Wires};
use crate::network::fat_tree::FatTree;
use crate::network::{Fabric, Network};
use crate::probe::engine::Engine;
use crate::probe::message::NEVER;
use crate::random;
use crate::traffic::{self, Strategy, TrafficConfig, Workload};

/// Stream from which the seeds of replicates are drawn.
const STREAM_REPLICATE: u64 = 0x7265_706c;

/// The seed of replicate `index`; replicate 0 has the seed of the run itself.
pub fn replicate_seed(seed: u64, index: u32) -> u64 {
    match index {
        0 => seed,
        index => random::word(random::key(seed, STREAM_REPLICATE, 0), u64::from(index)),
    }
}

/// The network that a configuration describes.
///
/// # Panics
/// When the configuration is not one of [`Config::parse`].
pub fn network(config: &Config) -> Network {
    let delays = &config.network.link_delay_cycles;
    match config.network.kind {
        NetworkKind::FatTree => {
            let router = config.router.expect("fat trees have routers");
            let (strategy, backoff_limit) = match config.retry.strategy {
                Strategy::Immediate => (protocol::STRATEGY_IMMEDIATE, 0),
                Strategy::Rounds => (protocol::STRATEGY_ROUNDS, 0),
                Strategy::Backoff { limit } => (protocol::STRATEGY_BACKOFF, u64::from(limit)),
                Strategy::Random { .. } => panic!("not a strategy of fat trees"),
            };
            Network::FatTree(FatTree {
                nodes: config.network.nodes,
                capacities: match &config.network.capacities {
                    Some(capacities) => capacities.clone(),
                    None => FatTree::doubling(config.network.nodes.ilog2()),
                },
                link_delay_cycles: match delays {
                    LinkDelays::Given(delays) => delays.clone(),
                    LinkDelays::Geometry => panic!("fat trees have no geometry"),
                },
                winner_fixed: router.winner == Winner::Fixed,
                release: router.release,
                strategy,
                backoff_limit,
            })
        }
        NetworkKind::Bidelta => {
            let interface = config.interface.expect("bidelta networks have interfaces");
            let (strategy, backoff_limit) = match config.retry.strategy {
                Strategy::Immediate => (rn1_protocol::RN1_STRATEGY_IMMEDIATE, 0),
                Strategy::Random { limit } => (rn1_protocol::RN1_STRATEGY_RANDOM, u64::from(limit)),
                Strategy::Backoff { limit } => {
                    (rn1_protocol::RN1_STRATEGY_BACKOFF, u64::from(limit))
                }
                Strategy::Rounds => panic!("not a strategy of bidelta networks"),
            };
            Network::Bidelta(Bidelta {
                stages: config.network.nodes.ilog2() / 2,
                wires: match delays {
                    LinkDelays::Given(delays) => Wires::Given(delays.clone()),
                    LinkDelays::Geometry => Wires::Geometry,
                },
                interface: Interface {
                    strategy,
                    backoff_limit,
                    turns: u64::from(interface.turns),
                    reply_words: u64::from(interface.reply_words),
                    reply_delay: u64::from(interface.reply_delay_cycles),
                    close_drop: interface.close == Close::Drop,
                },
            })
        }
    }
}

/// Cycles that a run has in any case when none are configured.
const CYCLES_MAX_LEAST: u64 = 10_000_000;
/// How often all messages could be sent one after another before a run is given up.
const CYCLES_MAX_RATIO: u64 = 16;

/// The cycle after which a run of `workload` is given up: `run.cycles_max`, or without it
///
/// ```text
/// last offer + 10^7 + 16 · (clocks of all messages if they were sent one after another)
/// ```
///
/// where a message takes its words, its replies, and for each way the clocks in which the
/// network comes to rest. Networks send many messages at a time, and retry and back-off
/// cost far less than that. It is the same for all replicates of a run: their workloads
/// are alike in number and lengths of messages, and for steady traffic those to be
/// expected count.
pub fn cycles_max(config: &Config, fabric: &Fabric, workload: &Workload) -> u64 {
    if let Some(cycles) = config.run.cycles_max {
        return cycles;
    }
    let (last_offer, messages, words) = match &config.traffic {
        TrafficConfig::Steady(steady) => {
            let messages = steady.expected_messages(config.network.nodes);
            let words = messages * u64::from(steady.words);
            (steady.cycles, messages, words)
        }
        TrafficConfig::Pattern(_) | TrafficConfig::Trace(_) => {
            let messages = &workload.messages;
            let words = messages.iter().map(|message| u64::from(message.words));
            (workload.last_offer(), messages.len() as u64, words.sum())
        }
    };
    let way = fabric.rest_cycles;
    let replies = config.interface.map_or(0, |interface| {
        let reply = u64::from(interface.reply_words) + u64::from(interface.reply_delay_cycles);
        u64::from(interface.turns) * (reply + way)
    });
    let one_after_another = words + messages * (way + replies);
    last_offer + CYCLES_MAX_LEAST + CYCLES_MAX_RATIO * one_after_another
}

/// An engine of the configured kind at cycle 0.
pub fn engine(config: &Config, fabric: &Fabric, seed: u64) -> Result<Box<dyn Engine>, Report> {
    Ok(match config.run.engine {
        EngineKind::Event => Box::new(event_engine(config, fabric, seed)),
        EngineKind::Gate => Box::new(gate_engine(config, fabric, seed)?),
    })
}

fn event_engine(config: &Config, fabric: &Fabric, seed: u64) -> EventEngine {
    EventEngine::new(fabric.clone(), seed, config.run.threads as usize)
}

fn gate_engine(config: &Config, fabric: &Fabric, seed: u64) -> Result<GateEngine, Report> {
    let threads = config.run.threads as usize;
    GateEngine::new(
        fabric.clone(),
        netlists::module,
        seed,
        threads,
        Backend::best(),
    )
}

/// Chips in lanes up to which more replicates share an engine: 32 lane words of
/// 512. Their bits, and what their hosts know, fit a core's own cache.
const TOGETHER_CHIPS: usize = 32 * 512;

/// Most replicates that share an engine: four lane words of each group of 64
/// chips. Beyond, there is little left to share.
const TOGETHER_MAX: usize = 32;

/// Most messages of replicates that share an engine; one replicate may have more.
const TOGETHER_MESSAGES: usize = 1 << 22;

/// How many replicates are to share an engine. Those of the gate engine do, in
/// copies of the network, as long as there are few enough chips (`benches/replicas.rs`
/// measures it); the event engine gains nothing by it.
pub fn together(config: &Config, fabric: &Fabric) -> usize {
    let instances = fabric.arrays.iter().map(|array| array.instances);
    sharing(config.run.engine, &instances.collect::<Vec<_>>())
}

/// The same for arrays of so many chips.
pub(super) fn sharing(engine: EngineKind, instances: &[usize]) -> usize {
    if engine == EngineKind::Event {
        return 1;
    }
    let lanes = instances.iter().map(|count| count.next_multiple_of(64));
    let fitting = (TOGETHER_CHIPS / lanes.sum::<usize>()).clamp(1, TOGETHER_MAX);
    1 << fitting.ilog2()
}

/// How many of `together` replicates of so many messages each share an engine.
pub(super) fn at_a_time(together: u64, messages: u64) -> u64 {
    (TOGETHER_MESSAGES as u64 / messages.max(1)).clamp(1, together)
}

/// A replicate that is to be run.
#[derive(Debug, Clone)]
pub struct Replicate {
    /// Its seed.
    pub seed: u64,
    /// Its messages.
    pub workload: Workload,
}

impl Replicate {
    /// Replicate `index` of a run.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn new(config: &Config, index: u32) -> Result<Replicate, Report> {
        let seed = replicate_seed(config.run.seed, index);
        let workload = workload(config, seed)?;
        Ok(Replicate { seed, workload })
    }

    /// The next replicates of a run to share an engine, from `first` on: at least
    /// one, and at most `most`.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn next(config: &Config, first: u32, most: usize) -> Result<Vec<Replicate>, Report> {
        let mut found = vec![Replicate::new(config, first)?];
        let mut messages = found[0].workload.messages.len();
        for index in (first + 1..config.run.replicates).take(most.saturating_sub(1)) {
            // Replicates differ little in the number of their messages.
            if messages + messages / found.len() > TOGETHER_MESSAGES {
                break;
            }
            let next = Replicate::new(config, index)?;
            messages += next.workload.messages.len();
            found.push(next);
        }
        Ok(found)
    }
}

/// Runs replicates together, each in a copy of the network on one gate engine.
/// Their outcomes are those of [`replicate`].
///
/// # Errors
/// When a netlist cannot be compiled.
///
/// # Panics
/// When the configured engine is not the gate engine, or there are none.
pub fn batch(
    config: &Config,
    network: &Network,
    fabric: &Fabric,
    replicates: &[Replicate],
    observer: &mut impl Observer<dyn Engine>,
) -> Result<Vec<Outcome>, Report> {
    assert_eq!(config.run.engine, EngineKind::Gate, "copies are lanes");
    let fabric = fabric.replicated(replicates.len().next_power_of_two());
    let mut seeds: Vec<u64> = replicates.iter().map(|replicate| replicate.seed).collect();
    seeds.resize(fabric.copies.count(), 0);
    let mut engine = GateEngine::of_copies(
        fabric.clone(),
        netlists::module,
        &seeds,
        config.run.threads as usize,
        Backend::best(),
    )?;
    let by_rounds = config.retry.strategy == Strategy::Rounds;
    let host = |replicate| Host::new(network, replicate, fabric.rest_cycles, by_rounds);
    let workloads = replicates.iter().map(|replicate| &replicate.workload);
    let mut batch = Batch::new(workloads.map(host).collect(), fabric.copies);
    let engine: &mut dyn Engine = &mut engine;
    let cycles_max = cycles_max(config, &fabric, &replicates[0].workload);
    Ok(batch.run(engine, cycles_max, observer))
}

/// Runs all replicates of a configuration to their ends, unobserved.
///
/// # Errors
/// When the trace cannot be read, or a netlist cannot be compiled.
pub fn all(config: &Config) -> Result<Vec<Outcome>, Report> {
    let network = network(config);
    let fabric = network.fabric();
    let together = together(config, &fabric);
    let mut one_by_one = OneByOne::new(config, &network, &fabric);
    let mut outcomes = Vec::new();
    while outcomes.len() < config.run.replicates as usize {
        let next = Replicate::next(config, outcomes.len() as u32, together)?;
        outcomes.extend(one_by_one.batch(&next, &mut ())?);
    }
    Ok(outcomes)
}

/// Runs one replicate: its workload, on a new engine of the configured kind.
///
/// # Errors
/// When a netlist cannot be compiled.
pub fn replicate(
    config: &Config,
    network: &Network,
    fabric: &Fabric,
    workload: &Workload,
    seed: u64,
    observer: &mut impl Observer<dyn Engine>,
) -> Result<Outcome, Report> {
    OneByOne::new(config, network, fabric).replicate(workload, seed, observer)
}

/// Runs replicates one after another. What depends on the network only is made for the
/// first: a gate engine is kept, with its wiring and its memory.
pub struct OneByOne<'a> {
    config: &'a Config,
    network: &'a Network,
    fabric: &'a Fabric,
    kept: Option<GateEngine>,
}

impl<'a> OneByOne<'a> {
    /// For the replicates of a configuration; nothing is made yet.
    pub fn new(config: &'a Config, network: &'a Network, fabric: &'a Fabric) -> Self {
        OneByOne {
            config,
            network,
            fabric,
            kept: None,
        }
    }

    /// Runs one: its outcome is that of [`replicate`].
    ///
    /// # Errors
    /// When a netlist cannot be compiled.
    pub fn replicate(
        &mut self,
        workload: &Workload,
        seed: u64,
        observer: &mut impl Observer<dyn Engine>,
    ) -> Result<Outcome, Report> {
        let run = &self.config.run;
        let by_rounds = self.config.retry.strategy == Strategy::Rounds;
        let host = Host::new(self.network, workload, self.fabric.rest_cycles, by_rounds);
        let mut event;
        let engine: &mut dyn Engine = match run.engine {
            EngineKind::Event => {
                event = event_engine(self.config, self.fabric, seed);
                &mut event
            }
            EngineKind::Gate => {
                let made = match self.kept.take() {
                    Some(mut engine) => {
                        engine.restart(&[seed]);
                        engine
                    }
                    None => gate_engine(self.config, self.fabric, seed)?,
                };
                self.kept.insert(made)
            }
        };
        let cycles_max = cycles_max(self.config, self.fabric, workload);
        Ok(host.run(engine, cycles_max, observer))
    }

    /// Runs replicates together, or one alone.
    ///
    /// # Errors
    /// When a netlist cannot be compiled.
    ///
    /// # Panics
    /// When there are none, or several and the engine is not the gate engine.
    pub fn batch(
        &mut self,
        replicates: &[Replicate],
        observer: &mut impl Observer<dyn Engine>,
    ) -> Result<Vec<Outcome>, Report> {
        match replicates {
            [Replicate { seed, workload }] => Ok(vec![self.replicate(workload, *seed, observer)?]),
            several => batch(self.config, self.network, self.fabric, several, observer),
        }
    }
}

/// The workload of a replicate.
pub fn workload(config: &Config, seed: u64) -> Result<Workload, Report> {
    traffic::build(&config.traffic, config.network.nodes, seed)
}

/// The last cycle that a run would have had that was interrupted, if it had gone on as it
/// began.
pub fn expected_end(outcome: &Outcome, workload: &Workload) -> u64 {
    let delivered = |cycle: u64| cycle != NEVER;
    let messages = outcome.messages.iter();
    let done = messages
        .filter(|message| delivered(message.acknowledged_cycle))
        .count() as u128;
    let all = outcome.messages.len() as u128;
    let by_messages = match (u128::from(outcome.last_cycle) * all).checked_div(done) {
        Some(cycles) => u64::try_from(cycles).unwrap_or(u64::MAX),
        None => outcome.last_cycle,
    };
    // No message is sent before it is offered, and a node sends a word in a cycle.
    let mut words = vec![0_u64; workload.nodes as usize];
    for message in &workload.messages {
        words[message.source as usize] += u64::from(message.words);
    }
    let words = words.into_iter().max().unwrap_or(0);
    by_messages.max(words).max(workload.last_offer())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::host::End;

    /// The same on both engines, which have to agree on everything.
    fn outcome(text: &str) -> Outcome {
        let event = outcome_on(&format!(
            "{text}\n[run]\nengine='event'\ncycles_max=100000\n"
        ));
        for threads in [1, 3] {
            let gate = outcome_on(&format!(
                "{text}\n[run]\nengine='gate'\ncycles_max=100000\nthreads={threads}\n"
            ));
            assert_eq!(event, gate, "{text}");
        }
        event
    }

    fn outcome_on(text: &str) -> Outcome {
        let config = Config::parse(text, "test", std::path::Path::new("."), &[])
            .unwrap_or_else(|e| panic!("{e}"));
        let network = network(&config);
        let fabric = network.fabric();
        let workload = workload(&config, config.run.seed).unwrap();
        replicate(
            &config,
            &network,
            &fabric,
            &workload,
            config.run.seed,
            &mut (),
        )
        .unwrap()
    }

    #[test]
    fn one_message_takes_two_clocks_a_router_and_one_back() {
        for words in [1u64, 2, 64] {
            let outcome = outcome(&format!(
                "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='pair'\nsource=0\ndestination=15\nwords={words}\n"
            ));
            assert_eq!(outcome.end, End::Finished);
            let m = outcome.messages[0];
            let routers = 7;
            assert_eq!((m.offered_cycle, m.sent_cycle, m.attempts), (1, 2, 1));
            assert_eq!(m.delivered_cycle, 2 + 2 * routers + words + 1);
            assert_eq!(m.acknowledged_cycle, m.delivered_cycle + routers + 1);
        }
    }

    #[test]
    fn one_by_one_is_each_alone() {
        for engine in ["gate", "event"] {
            let text = format!(
                "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nwords=2\n[run]\nengine='{engine}'\nreplicates=3\n"
            );
            let config = Config::parse(&text, "test", std::path::Path::new("."), &[])
                .unwrap_or_else(|e| panic!("{e}"));
            let network = network(&config);
            let fabric = network.fabric();
            let mut one_by_one = OneByOne::new(&config, &network, &fabric);
            let mut outcomes = Vec::new();
            for index in 0..3 {
                let Replicate { seed, workload } = Replicate::new(&config, index).unwrap();
                let found = one_by_one.replicate(&workload, seed, &mut ()).unwrap();
                let alone =
                    replicate(&config, &network, &fabric, &workload, seed, &mut ()).unwrap();
                assert_eq!(found, alone, "{engine} {index}");
                outcomes.push(found);
            }
            assert_ne!(outcomes[0], outcomes[1]);
        }
    }

    #[test]
    fn random_traffic_is_delivered_under_every_rule() {
        for nodes in [2, 4, 16, 64, 1024] {
            for strategy in ["immediate", "rounds", "backoff"] {
                for release in ["acknowledge", "early-acknowledge", "tail"] {
                    for delay in [0, 3] {
                        let outcome = outcome(&format!(
                            "[network]\nkind='fat-tree'\nnodes={nodes}\nlink_delay_cycles={delay}\n[router]\nrelease='{release}'\n[traffic]\npattern='random'\nmessages={nodes}\nwords=5\n[retry]\nstrategy='{strategy}'"
                        ));
                        assert_eq!(
                            outcome.end,
                            End::Finished,
                            "{nodes} {strategy} {release} {delay}"
                        );
                        assert_eq!(outcome.collisions.refused, 0);
                        let attempts: u64 =
                            outcome.messages.iter().map(|m| u64::from(m.attempts)).sum();
                        assert_eq!(
                            attempts,
                            u64::from(nodes as u32) + outcome.collisions.total()
                        );
                        assert!(
                            outcome
                                .messages
                                .iter()
                                .all(|m| m.delivered_cycle != crate::probe::message::NEVER)
                        );
                    }
                }
            }
        }
    }
}
