//! A tiny sample of everything that is kept, simulated anew by this program.
//!
//! Its bytes are in the version of kept results
//! ([`store`](crosswave_observe::points::store)). When models,
//! engines, hosts, traffic, studies or the numbering of chips (by which random bits are
//! keyed) come to give other results, the sample mostly does too, and results of the
//! program before the change are no longer found. It is a sample: a change that none of
//! its few hundred messages meets is not seen.
//!
//! Every run goes through the register-level models, which takes milliseconds. Gates take most of
//! a second, since the netlists of each network are compiled: they are sampled once for each kind of
//! network and set of chips. Results of many kinds are told apart by all of it ([`version`]), those of
//! runs of one configuration by what can concern them ([`of_runs`]): the netlists of all chips, all
//! that goes through models, and on the gate engine the gates of its kind of network, whose
//! netlists the run itself compiles as well.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use sha2::{Digest, Sha256};

use crate::chen2004::experiment;
use crate::dehon1990::{local_routing, routing};
use crate::strumpen2005::enumerate;
use crate::strumpen2005::enumerate::Symmetry;
use crate::strumpen2005::enumerate::fat_tree;
use crate::strumpen2005::pairs;
use crosswave_analytic::balls::{self, chain::ModelI};
use crosswave_analytic::destinations::{self, Survivor};
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_chips::netlists;
use crosswave_network::Topology;
use crosswave_network::description::NetworkKind;
use crosswave_network::registry::KINDS;
use crosswave_observe::points::store::hexadecimal;
use crosswave_run::collisions::{CollisionObserver, Scenarios};
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::host::Outcome;
use crosswave_run::result::MessagesWriter;
use crosswave_run::simulation::Simulation;

/// The name of a sample, and its bytes.
type Part = (String, Vec<u8>);

/// Configurations, of which each runs through models, and through gates where it brings other chips
/// than those of its kind before it: the samples of all kinds.
fn runs() -> impl Iterator<Item = &'static str> {
    KINDS.iter().flat_map(|kind| kind.samples).copied()
}

/// Two replicates of each run, so that the seeds of replicates are sampled too.
const REPLICATES: u32 = 2;
/// Cycles in which each run ends by far.
const CYCLES_MAX: u64 = 20_000;
/// The seed of what is no run.
const SEED: u64 = 1;

/// The version of this program, by its results: in it are the netlists of all chips, and
/// what the program makes of the sample.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| version_of(netlists::packed(), &parts()))
}

/// The version of this program, by the results of runs of such a configuration: in it are the
/// netlists of all chips, and what the program makes of that part of the sample that can concern
/// them.
pub fn of_runs(config: &Config) -> String {
    static VERSIONS: Mutex<BTreeMap<Option<&str>, String>> = Mutex::new(BTreeMap::new());
    let gates_of = match config.run.engine {
        // Kinds whose routers are a designer's own have no samples: another one stands for them.
        EngineKind::Gate | EngineKind::Gpu => [config.network.kind(), KINDS[0]]
            .into_iter()
            .find(|kind| !kind.samples.is_empty()),
        EngineKind::Event => None,
    };
    let mut versions = VERSIONS.lock().expect("the sample is made without a panic");
    let version = versions.entry(gates_of.map(|kind| kind.name));
    let version = version.or_insert_with(|| {
        let mut parts = through_models().to_vec();
        parts.extend(gates_of.into_iter().flat_map(through_gates));
        version_of(netlists::packed(), &parts)
    });
    version.clone()
}

/// The version of a program with such netlists, by their names, that makes this of the
/// reference.
fn version_of<'a>(
    netlists: impl Iterator<Item = (&'a str, &'a [u8])>,
    reference: &[Part],
) -> String {
    let reference = reference
        .iter()
        .map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    format!(
        "{}, netlists {}, reference {}",
        env!("CARGO_PKG_VERSION"),
        digest(netlists),
        digest(reference)
    )
}

/// A hash of names and contents.
fn digest<'a>(parts: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut hash = Sha256::new();
    for (name, content) in parts {
        for text in [name.as_bytes(), content] {
            // With its length before it, no text can pass for a part of its neighbour.
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
    }
    hexadecimal(&hash.finalize(), 8)
}

/// The whole sample.
fn parts() -> Vec<Part> {
    let mut parts = through_models().to_vec();
    parts.extend(KINDS.iter().flat_map(|kind| through_gates(kind)));
    parts
}

/// Samples that need no gates: every run on the event engine, and studies.
fn through_models() -> &'static [Part] {
    static PARTS: OnceLock<Vec<Part>> = OnceLock::new();
    PARTS.get_or_init(|| {
        let run = |text: &str| run(text, EngineKind::Event, &config(text));
        let mut parts: Vec<Part> = runs().map(run).collect();
        let traced = runs()
            .map(config)
            .find(|config| config.topology().collisions().is_ok());
        let traced = traced.expect("collisions of fat trees are traced");
        parts.push(("places of collisions".into(), places(&traced)));
        parts.push(("enumerations, measured pairs".into(), studies()));
        parts.push(("plays and chains of models".into(), models()));
        parts.push(("first attempts".into(), first_attempts()));
        let flows = format!("{:?}", experiment::sample());
        parts.push(("flows".into(), flows.into_bytes()));
        parts
    })
}

/// The runs of a kind of network on the gate engine that bring chips which those before them have
/// not.
fn through_gates(kind: &NetworkKind) -> Vec<Part> {
    let mut known: Vec<String> = Vec::new();
    let mut parts = Vec::new();
    for text in kind.samples {
        let config = config(text);
        if config.run.engine != EngineKind::Gate {
            continue;
        }
        let mut chips = chips(&config);
        chips.retain(|chip| !known.contains(chip));
        if !chips.is_empty() {
            known.extend(chips);
            parts.push(run(text, EngineKind::Gate, &config));
        }
    }
    parts
}

/// The names of the chips of a network.
fn chips(config: &Config) -> Vec<String> {
    let chips = config.topology().chips().into_iter();
    let chips = chips.filter(|(_, instances)| *instances > 0);
    chips.map(|(chip, _)| chip.name.to_owned()).collect()
}

/// The fate of the messages of a run on an engine.
fn run(text: &str, engine: EngineKind, config: &Config) -> Part {
    let mut config = config.clone();
    config.run.engine = engine;
    let outcomes = Simulation::new(&config)
        .expect("the sample is legal")
        .run_all()
        .expect("the sample has no trace");
    let network = config.topology();
    let bytes = outcomes
        .iter()
        .flat_map(|outcome| bytes(&*network, outcome));
    (format!("{} engine: {text}", engine.name()), bytes.collect())
}

fn config(text: &str) -> Config {
    let config = Config::parse(text, "reference", Path::new("."), &[]);
    let mut config = config.unwrap_or_else(|error| panic!("{error}"));
    config.run.replicates = REPLICATES;
    config.run.cycles_max = Some(CYCLES_MAX);
    config
}

/// The fate of the messages of a replicate.
fn bytes(network: &dyn Topology, outcome: &Outcome) -> Vec<u8> {
    let Outcome {
        end,
        last_cycle,
        rejections,
        rounds,
        ..
    } = outcome;
    let mut bytes = format!("{end:?} {last_cycle} {rejections:?} {rounds}\n").into_bytes();
    let mut writer = MessagesWriter::new(network, &mut bytes);
    let written = writer.replicate(0, outcome);
    let written = written.and_then(|()| writer.finish());
    written.expect("memory takes all bytes");
    bytes
}

/// The places where messages of the first replicate collided.
fn places(config: &Config) -> Vec<u8> {
    let mut config = config.clone();
    config.run.engine = EngineKind::Event;
    let simulation = Simulation::new(&config).expect("the sample is legal");
    let collisions = simulation.network().collisions();
    let collisions = collisions.expect("circuits stand until their answers have passed");
    let mut all = Scenarios::new(collisions);
    let replicate = simulation.replicate(0).expect("no trace");
    let mut observer = CollisionObserver::new(collisions, simulation.fabric());
    simulation
        .run_one(&replicate, &mut observer)
        .expect("the netlists compile");
    all.add(observer.found());
    let mut bytes = Vec::new();
    all.write(&mut bytes).expect("memory takes all bytes");
    bytes
}

/// Exact probabilities of the smallest trees, and a few pairs of messages.
fn studies() -> Vec<u8> {
    let mut text = String::new();
    let pair = enumerate::pair_collision(&fat_tree(2), Symmetry::Tree);
    let rounds = enumerate::mean_rounds(&fat_tree(2), 2, Symmetry::Tree);
    let _ = writeln!(text, "{pair} {rounds}");
    for block in enumerate::block_collisions(&fat_tree(2), Symmetry::Tree) {
        let _ = writeln!(text, "{}", block.probability);
    }
    let blocks = pairs::measure(&fat_tree(3), 4, SEED, &mut ()).expect("nobody interrupts it");
    for block in blocks {
        let _ = writeln!(text, "{} {:?}", block.collisions, block.collisions_by_level);
    }
    text.into_bytes()
}

/// Models I and II.
fn models() -> Vec<u8> {
    let mut text = String::new();
    for seed in 0..4 {
        let _ = writeln!(text, "{}", balls::play(9, 20, seed));
        for survivor in Survivor::ALL {
            let rounds = destinations::play(16, 9, 20, survivor, seed);
            let _ = writeln!(text, "{rounds}");
        }
    }
    let mean = ModelI::new(9, 20).mean_rounds(20);
    let _ = writeln!(text, "{mean:?}");
    text.into_bytes()
}

/// First attempts in a bidelta network and in a fat tree.
fn first_attempts() -> Vec<u8> {
    let bidelta = routing::BideltaRouting::new(2).of_replicates(1.0, REPLICATES);
    let tree = UnitTrees {
        stack_stages: 1,
        leaf_stages: None,
    };
    let tree = local_routing::LocalRouting::new(tree, false).of_replicates(1.0, REPLICATES.into());
    format!("{bidelta:?} {tree:?}").into_bytes()
}

#[cfg(test)]
mod tests;
