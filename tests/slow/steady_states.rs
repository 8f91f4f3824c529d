//! Verdicts on steady states where the answer is known: each is right in at least 95 of 100 seeds.
//!
//! `docs/how-to/loads.md` has the counts, which `--nocapture` prints. Saturation is found in all kinds of
//! networks.

use std::path::Path;

use crosswave_network::registry::KINDS;
use crosswave_observe::points::Store;
use crosswave_observe::points::runner::IdleProcessors;
use crosswave_observe::sweep::grid::SweepPoint;
use crosswave_observe::sweep::{self, StopRule, saturation};
use crosswave_run::config::Config;
use crosswave_run::result::RunResult;
use crosswave_run::result::steady::Verdict;
use crosswave_run::simulation::Simulation;

/// Runs with seeds 1 to 100, by their verdicts in the order of the enum.
fn verdicts(nodes: u32, load: &str, cycles: u64, replicates: u32) -> [u32; 3] {
    let mut found = [0; 3];
    for seed in 1..=100 {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes={nodes}\n\
             [traffic]\npattern='steady'\nload={load}\nwords=8\ncycles={cycles}\n\
             [run]\nseed={seed}\nreplicates={replicates}\n"
        );
        let config = Config::parse(&text, "test", Path::new("."), &[]);
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        let outcomes = Simulation::new(&config).and_then(|all| all.run_all());
        let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
        let result = RunResult::new(&config, &outcomes, 0.0);
        let steady = result.steady.expect("the window came to its end");
        found[steady.stationarity.verdict as usize] += 1;
    }
    println!("{nodes} nodes, load {load}, {cycles} cycles, {replicates} replicates: {found:?}");
    found
}

/// The interfaces of two nodes are queues with one server: eight words take it fifteen cycles, so
/// that at load 0.3 it is busy for 56 of 100 cycles. The tree of 64 nodes saturates at 0.118 to 0.12.
#[test]
fn steady_states_are_told() {
    for (nodes, load, cycles, replicates) in [
        (2, "0.3", 20_000, 4),
        (64, "0.05", 20_000, 4),
        (64, "0.05", 20_000, 1),
        (64, "0.09", 200_000, 1),
    ] {
        let found = verdicts(nodes, load, cycles, replicates);
        assert!(found[Verdict::Stationary as usize] >= 95, "{found:?}");
    }
}

#[test]
fn saturated_networks_are_told() {
    for (nodes, load, replicates) in [(2, "0.6", 4), (64, "0.125", 4), (64, "0.15", 1)] {
        let found = verdicts(nodes, load, 20_000, replicates);
        assert!(found[Verdict::NotStationary as usize] >= 95, "{found:?}");
    }
}

/// 102 messages of one replicate, and queues that are busy for three of four cycles, which take about a
/// hundred cycles to settle.
#[test]
fn runs_that_are_too_short_are_told() {
    for (nodes, load, cycles, replicates) in [(64, "0.002", 20_000, 1), (2, "0.4", 1_500, 4)] {
        let found = verdicts(nodes, load, cycles, replicates);
        assert!(found[Verdict::TooShort as usize] >= 95, "{found:?}");
    }
}

/// Small networks of all kinds, as lines of their configurations.
const NETWORKS: [(&str, &str); 10] = [
    ("fat-tree", "nodes=16"),
    ("bidelta", "nodes=16"),
    ("butterfly", "nodes=16"),
    ("transit", "nodes=64"),
    (
        "binary-fat-tree",
        "nodes=16\ncapacities='constant'\n[router]\nqueue_packets='unlimited'\n[run]\nengine='event'",
    ),
    ("m-port-n-tree", "ports=4\nlevels=3"),
    (
        "m-port-n-tree-packets",
        "ports=4\nlevels=3\n[run]\nengine='event'",
    ),
    ("butterfly-fat-tree", "levels=2"),
    ("fat-stack", "levels=2"),
    ("fat-pyramid", "levels=2"),
];

/// Saturation of a kind encloses a load: runs well below it are not above saturation, and a load
/// well above it is not delivered. Latency without load is less than that below saturation.
#[test]
fn all_kinds_saturate() {
    let known: Vec<&str> = NETWORKS.iter().map(|(kind, _)| *kind).collect();
    // Those of a designer's own routers need files.
    let built_in = KINDS.iter().filter(|kind| !kind.samples.is_empty());
    let built_in: Vec<&str> = built_in.map(|kind| kind.name).collect();
    assert_eq!(built_in, known);
    for (kind, lines) in NETWORKS {
        let text = format!(
            "[traffic]\npattern='steady'\nload=0.1\nwords=4\ncycles=3000\n\
             [network]\nkind='{kind}'\n{lines}\n"
        );
        let parse = |settings: &[String]| {
            let config = Config::parse(&text, kind, Path::new("."), settings);
            config.unwrap_or_else(|error| panic!("{error}"))
        };
        let point = SweepPoint {
            index: 0,
            settings: Vec::new(),
            values: Vec::new(),
            config: parse(&[]),
            program: String::new(),
        };
        let exactly = StopRule::exactly(4);
        let (store, idle) = (Store::default(), IdleProcessors::default());
        let mut measure = |point: &SweepPoint| sweep::run(point, &exactly, &store, &idle, &mut ());
        let found =
            saturation::find(&point, &mut measure).unwrap_or_else(|error| panic!("{error}"));
        let low = found.low_load_fraction;
        let steady = |load: f64| {
            let settings = [
                format!("traffic.load={load:.6}"),
                "run.replicates=4".to_owned(),
                "run.cycles_max=3000".to_owned(),
            ];
            let config = parse(&settings);
            let outcomes = Simulation::new(&config).and_then(|all| all.run_all());
            let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
            let result = RunResult::new(&config, &outcomes, 0.0);
            result.steady.expect("the window came to its end")
        };
        println!(
            "{kind}: {low} to {:?}, {:?}",
            found.high_load_fraction, found.zero_load_latency_cycles
        );
        let below = steady(0.7 * low);
        assert!(!below.stationarity.above_saturation, "{kind}: {below:?}");
        assert!(
            (below.throughput_fraction - 0.7 * low).abs() < 0.05 * low,
            "{kind}: {below:?}"
        );
        let alone = found.zero_load_latency_cycles.expect("messages");
        assert!(alone > 4.0, "{kind}: {alone}");
        if let Some(high) = found.high_load_fraction {
            assert!(high / low < 1.08, "{kind}: {low} to {high}");
            // More than that may be carried where short paths are free, yet not all.
            let above = 1.4 * high;
            if above > 1.0 {
                continue;
            }
            let carried = steady(above).throughput_fraction;
            assert!(carried < 0.96 * above, "{kind}: {carried} of {above}");
        }
    }
}
