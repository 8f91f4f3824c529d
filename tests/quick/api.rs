//! Items that the root of the library promises to other programs. Each of them is used here by
//! its path and with its type, so that a change of one does not compile, and is a change of the
//! version. What is not used here is not promised.

use std::path::{Path, PathBuf};

use crosswave::{
    Bidelta, BinaryFatTree, Butterfly, ButterflyFatTree, Choice, Close, Config, Error, FatPyramid,
    FatStack, FatTree, Faults, Latencies, Leaf, Message, MportPacketTree, MportTree, Network,
    PortKind, Queue, Recording, Release, Results, Retry, Simulation, Traffic, Transit, Winner,
};

/// Networks of every kind, with every method.
#[test]
fn networks_are_promised() {
    let _: fn(u32) -> FatTree = FatTree::new;
    let _: fn(u32) -> Bidelta = Bidelta::new;
    let _: fn(u32) -> Butterfly = Butterfly::new;
    let _: fn(u32) -> Transit = Transit::new;
    let _: fn(u32) -> BinaryFatTree = BinaryFatTree::new;
    let _: fn(u32, u32) -> MportTree = MportTree::new;
    let _: fn(u32, u32) -> MportPacketTree = MportPacketTree::new;
    let _: fn(u32) -> ButterflyFatTree = ButterflyFatTree::new;
    let _: fn(u32) -> FatStack = FatStack::new;
    let _: fn(u32) -> FatPyramid = FatPyramid::new;
    let _: fn(FatTree) -> FatTree = FatTree::capacities_at_every_second_level;
    let _: fn(FatTree, u32) -> FatTree = FatTree::capacity_max;
    let _: fn(FatTree, [u32; 4]) -> FatTree = FatTree::capacities;
    let _: fn(FatTree, u32) -> FatTree = FatTree::link_delay_cycles;
    let _: fn(FatTree, Vec<u32>) -> FatTree = FatTree::link_delay_cycles_by_level;
    let _: fn(FatTree, Winner) -> FatTree = FatTree::winner;
    let _: fn(FatTree, Release) -> FatTree = FatTree::release;
    macro_rules! of_rn1 {
        ($($kind:ident)*) => {
            $(
                let _: fn($kind, u32) -> $kind = $kind::turns;
                let _: fn($kind, u32) -> $kind = $kind::reply_words;
                let _: fn($kind, u32) -> $kind = $kind::reply_delay_cycles;
                let _: fn($kind, Close) -> $kind = $kind::close;
            )*
        };
    }
    of_rn1!(Bidelta Butterfly Transit);
    let _: fn(Bidelta, u32) -> Bidelta = Bidelta::link_delay_cycles;
    let _: fn(Bidelta, [u32; 2]) -> Bidelta = Bidelta::link_delay_cycles_by_stage;
    let _: fn(Bidelta, u32) -> Bidelta = Bidelta::loop_back_cycles;
    let _: fn(Transit, Leaf) -> Transit = Transit::leaf;
    let _: fn(Transit) -> Transit = Transit::up_stage_of_two_crossbars;
    let _: fn(Transit) -> Transit = Transit::no_dispersion;
    let _: fn(Transit, u64) -> Transit = Transit::random_dispersion;
    let _: fn(Transit, u32) -> Transit = Transit::link_delay_cycles;
    let _: fn(Transit, [u32; 2]) -> Transit = Transit::link_delay_cycles_by_layer;
    let _: fn(Transit, u32) -> Transit = Transit::clock_ps;
    let _: fn(Transit, u32) -> Transit = Transit::permittivity_percent;
    let _: fn(BinaryFatTree) -> BinaryFatTree = BinaryFatTree::capacities_of_one;
    let _: fn(BinaryFatTree, [u32; 3]) -> BinaryFatTree = BinaryFatTree::capacities;
    let _: fn(BinaryFatTree, Queue) -> BinaryFatTree = BinaryFatTree::queue_packets;
    let _: fn(BinaryFatTree) -> BinaryFatTree = BinaryFatTree::half_duplex;
    macro_rules! of_mport_trees {
        ($($kind:ident)*) => {
            $(
                let _: fn($kind, &str) -> $kind = $kind::routing;
                let _: fn($kind, u32) -> $kind = $kind::paths;
                let _: fn($kind, Choice) -> $kind = $kind::choice;
                let _: fn($kind, u32) -> $kind = $kind::routing_seed;
                let _: fn($kind, &[&str]) -> $kind = $kind::failed;
                let _: fn($kind) -> $kind = $kind::reroute_in_turn;
                let _: fn($kind, PathBuf) -> $kind = $kind::tables;
            )*
        };
    }
    of_mport_trees!(MportTree MportPacketTree);
    let _: fn(MportTree, Winner) -> MportTree = MportTree::winner;
    let _: fn(MportTree, Release) -> MportTree = MportTree::release;
    let _: fn(MportPacketTree, Queue) -> MportPacketTree = MportPacketTree::queue_packets;
    macro_rules! of_the_frame {
        ($($kind:ident)*) => {
            $(
                let _: fn($kind) -> $kind = $kind::capacities_that_double;
                let _: fn($kind) -> $kind = $kind::capacities_of_one;
                let _: fn($kind, u32) -> $kind = $kind::routing_seed;
                let _: fn($kind, u32) -> $kind = $kind::link_delay_cycles;
                let _: fn($kind, u32) -> $kind = $kind::cells_per_cycle;
            )*
        };
    }
    of_the_frame!(ButterflyFatTree FatStack FatPyramid);
    let _: fn(FatStack) -> FatStack = FatStack::ring_capacity_as_upward;
    let _: fn(FatStack) -> FatStack = FatStack::linked_processors;
    let _: fn(FatPyramid) -> FatPyramid = FatPyramid::ring_capacity_as_upward;
    let _: fn(FatPyramid) -> FatPyramid = FatPyramid::linked_processors;
    let _: fn(FatStack) -> FatStack = FatStack::general;
    let _: fn(FatStack, u32) -> FatStack = FatStack::ring;
}

/// The values that methods take.
#[test]
fn values_are_promised() {
    let _ = [Winner::Random, Winner::Fixed];
    let _ = [
        Release::Acknowledge,
        Release::EarlyAcknowledge,
        Release::Tail,
    ];
    let _ = [Close::Drop, Close::End];
    let _ = [Choice::RoundRobin, Choice::Random];
    let _ = [Queue::Packets(0), Queue::Unlimited];
    let _ = [Leaf::Ut64x2, Leaf::B12, Leaf::B48, Leaf::B192];
    let _ = [
        PortKind::State,
        PortKind::Link,
        PortKind::Host,
        PortKind::Option,
        PortKind::Clock,
    ];
    let _ = [
        Retry::None,
        Retry::Immediate,
        Retry::Rounds,
        Retry::Random { limit: 6 },
        Retry::Backoff { limit: 10 },
    ];
}

#[test]
fn traffic_is_promised() {
    let _: fn() -> Traffic = Traffic::random;
    let _: fn(u32, u32) -> Traffic = Traffic::pair;
    let _: fn(Vec<(u32, u32)>) -> Traffic = Traffic::pairs;
    let _: fn(u32) -> Traffic = Traffic::hot_spot;
    let _: fn() -> Traffic = Traffic::transpose;
    let _: fn() -> Traffic = Traffic::bit_reversal;
    let _: fn(u32) -> Traffic = Traffic::cyclic_shift;
    let _: fn(f64, u64) -> Traffic = Traffic::steady;
    let _: fn(PathBuf) -> Traffic = Traffic::trace;
    let _: fn(Traffic, u32) -> Traffic = Traffic::sources;
    let _: fn(Traffic, u32) -> Traffic = Traffic::words;
    let _: fn(Traffic, u32) -> Traffic = Traffic::repeat;
    let _: fn(Traffic, u32) -> Traffic = Traffic::random_sources;
    let _: fn(Traffic) -> Traffic = Traffic::to_all;
    let _: fn(Traffic) -> Traffic = Traffic::to_near;
    let _: fn(Traffic, [u32; 2]) -> Traffic = Traffic::to_levels;
    let _: fn(Traffic, u64) -> Traffic = Traffic::warmup_cycles;
    let _: fn(Traffic) -> Traffic = Traffic::in_order;
    let _: fn(Traffic, f64) -> Traffic = Traffic::clock_mhz;
    let _: fn(Traffic, f64) -> Traffic = Traffic::time_scale;
    let _: fn(Traffic, f64) -> Traffic = Traffic::bytes_scale;
    let _: fn(Traffic, u32) -> Traffic = Traffic::bytes_per_word;
    let _: fn(Traffic, u64) -> Traffic = Traffic::limit;
}

#[test]
fn configurations_are_promised() {
    let _: fn(Network, Traffic) -> Config = Config::new;
    let _: fn(FatTree, Traffic) -> Config = Config::new;
    let _: fn(PathBuf) -> Result<Config, Error> = Config::read;
    let _: fn(String, String) -> Config = Config::parse;
    let _: fn(Config, u64) -> Config = Config::seed;
    let _: fn(Config, u32) -> Config = Config::replicates;
    let _: fn(Config, u64) -> Config = Config::cycles_max;
    let _: fn(Config, u32) -> Config = Config::threads;
    let _: fn(Config) -> Config = Config::event_engine;
    let _: fn(Config, Retry) -> Config = Config::retry;
    let _: fn(Config, Faults) -> Config = Config::faults;
    let _: fn(&Config) -> Result<(), Error> = Config::check;
    let _: fn(&Config) -> Result<String, Error> = Config::to_toml;
    let _: fn() -> Faults = Faults::new;
    let _: fn(Faults, &[&str]) -> Faults = Faults::routers;
    let _: fn(Faults, &[&str]) -> Faults = Faults::stacks;
    let _: fn(Faults, &[&str]) -> Faults = Faults::ports;
    let _: fn(Faults, &[&str]) -> Faults = Faults::wires;
    let _: fn(Faults, &[&str]) -> Faults = Faults::stuck;
    let _: fn(Faults, u32) -> Faults = Faults::random_routers;
    let _: fn(Faults, u32) -> Faults = Faults::random_wires;
    let _: fn(Faults, u64) -> Faults = Faults::seed;
    let _: fn(Faults) -> Faults = Faults::unmasked;
}

#[test]
fn recordings_are_promised() {
    let _: fn(PathBuf) -> Recording = Recording::fst;
    let _: fn(PathBuf) -> Recording = Recording::vcd;
    let _: fn(PathBuf) -> Result<Recording, Error> = Recording::of_name;
    let _: fn(Recording, [&'static str; 2]) -> Recording = Recording::scopes;
    let _: fn(Recording, Vec<String>) -> Recording = Recording::scopes;
    let _: fn(Recording, [PortKind; 1]) -> Recording = Recording::kinds;
    let _: fn(Recording, [u32; 1]) -> Recording = Recording::levels;
    let _: fn(Recording, [(u32, u32); 1]) -> Recording = Recording::routes;
    let _: fn(Recording, [u32; 1]) -> Recording = Recording::messages;
    let _: fn(Recording, u64, u64) -> Recording = Recording::window_cycles;
    let _: fn(Recording) -> Recording = Recording::random_pins;
    let _: fn(Recording, [&'static str; 1]) -> Recording = Recording::nets;
    let _: fn(Recording) -> Recording = Recording::lanes;
    let _: fn(Recording, &str) -> Recording = Recording::trigger;
    let _: fn(Recording, u64) -> Recording = Recording::before_cycles;
    let _: fn(Recording, u64) -> Recording = Recording::after_cycles;
    let _: fn(Recording, u64) -> Recording = Recording::triggers;
    let _: fn(Recording) -> Recording = Recording::viewer_files;
}

#[test]
fn runs_and_results_are_promised() {
    let _: fn(&Config) -> Result<Simulation, Error> = Simulation::new;
    let _: fn(Simulation, Recording) -> Simulation = Simulation::recording;
    let _: fn(&Simulation) -> u32 = Simulation::nodes;
    let _: fn(&Simulation) -> Result<Results, Error> = Simulation::run;
    let _: fn(&Results) -> bool = Results::is_finished;
    let _: fn(&Results) -> &[Message] = Results::messages;
    let _: fn(&Results) -> Latencies = Results::latency_cycles;
    let _: fn(&Results) -> u64 = Results::cycles;
    let _: fn(&Results) -> String = Results::to_json;
    let _: fn(&Message) -> u32 = Message::replicate;
    let _: fn(&Message) -> u32 = Message::id;
    let _: fn(&Message) -> u32 = Message::source;
    let _: fn(&Message) -> Option<u32> = Message::destination;
    let _: fn(&Message) -> u32 = Message::words;
    let _: fn(&Message) -> u32 = Message::attempts;
    let _: fn(&Message) -> Option<u64> = Message::offered_cycle;
    let _: fn(&Message) -> Option<u64> = Message::sent_cycle;
    let _: fn(&Message) -> Option<u64> = Message::delivered_cycle;
    let _: fn(&Message) -> Option<u64> = Message::acknowledged_cycle;
    let _: fn(&Message) -> Option<u64> = Message::latency_cycles;
    let _: fn(&Latencies, u32) -> Option<u64> = Latencies::percentile;
    let _: fn(&Latencies) -> Option<f64> = Latencies::mean;
    let _: fn(&Latencies) -> &[u64] = Latencies::as_slice;
    fn is_an_error<E: std::error::Error + Send + Sync + 'static>() {}
    is_an_error::<Error>();
    let _: fn(&Error) -> u8 = Error::exit_code;
    fn prints<T: std::fmt::Display>() {}
    prints::<Message>();
}

/// A run in a program is the run of the command: the same sums, message by message the same
/// latencies, and the percentiles of the table.
#[test]
fn a_run_is_that_of_the_command() {
    let text = "[network]\nkind = 'fat-tree'\nnodes = 64\n[traffic]\npattern = 'transpose'\n\
                words = 8\n[run]\nseed = 7\nreplicates = 3\n";
    let read = Config::parse(text, "text");
    let typed = Config::new(FatTree::new(64), Traffic::transpose().words(8));
    let typed = typed.seed(7).replicates(3);
    assert_eq!(read.to_toml(), typed.to_toml());
    let results = Simulation::new(&typed).and_then(|simulation| simulation.run());
    let results = results.unwrap_or_else(|error| panic!("{error}"));
    let inner = crosswave_run::config::Config::parse(text, "text", Path::new(""), &[]);
    let inner = inner.unwrap_or_else(|error| panic!("{error}"));
    let simulation = crosswave_run::simulation::Simulation::new(&inner).expect("it is checked");
    let outcomes = simulation.run_all().expect("the netlists compile");
    let expected = crosswave_run::result::RunResult::new(&inner, &outcomes, 0.0);
    assert!(results.is_finished());
    assert_eq!(results.cycles(), expected.cycles);
    assert_eq!(results.messages().len() as u64, expected.messages.offered);
    let (latencies, latency) = (results.latency_cycles(), expected.latency_cycles);
    let latency = latency.expect("messages were delivered");
    let percentiles = [0, 50, 90, 99, 100].map(|percent| latencies.percentile(percent));
    let expected = [
        latency.min,
        latency.p50,
        latency.p90,
        latency.p99,
        latency.max,
    ];
    assert_eq!(percentiles, expected.map(Some));
    assert_eq!(latencies.mean(), Some(latency.mean));
    let first = &results.messages()[0];
    let record = outcomes[0].messages[0];
    assert_eq!(first.latency_cycles(), Some(record.latency_cycles()));
    let shown = format!(
        "{} -> {}: {} cycles",
        record.source,
        record.destination,
        record.latency_cycles()
    );
    assert_eq!(first.to_string(), shown);
}
