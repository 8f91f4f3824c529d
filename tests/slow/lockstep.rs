//! The same in every engine: every port of every chip in every cycle.
//!
//! The event engine, the gate engine (native code and interpreter, 1 to 7 threads) and the
//! reference evaluator record the same bytes; Icarus Verilog and Verilator,
//! running the exported Verilog, record the same variables with the same
//! values. A deliberately broken netlist is told apart.
//!
//! `CROSSWAVE_SOAK_CASES=2000 cargo test --release --test suite slow::lockstep::` runs that
//! many random configurations instead of a few, and Verilator up to n = 64.

use crosswave_chips::network_interface::{PORT_TX_DESTINATION, PORT_TX_REQUEST};
use crosswave_gate::Backend;
use crosswave_network::fat_tree::{NODES, ROUTERS};
use crosswave_network::shuffle::{rewired, shuffled};
use crosswave_probe::engine::Engine;
use proptest::prelude::*;

use crate::support::Case;
use crate::support::lockstep::{
    Peer, against_peer, broken_netlists, every_engine, in_every_engine, random_cases, same,
    soak_cases,
};

/// Cycles that are recorded and compared.
const CYCLES: u64 = 4_000;

/// Traffic of every kind for `n` nodes.
fn patterns(n: u32) -> Vec<String> {
    let half = n / 2;
    let mut all = vec![
        format!("pattern='random'\nmessages={n}\nrepeat=2"),
        format!("pattern='pair'\nsource=0\ndestination={}", n - 1),
        format!("pattern='pairs'\npairs=[[0,{}],[{},0]]", n - 1, n - 1),
        format!("pattern='hot-spot'\ndestination={half}"),
        "pattern='bit-reversal'".to_owned(),
        format!("pattern='cyclic-shift'\nshift={half}"),
    ];
    if n.ilog2().is_multiple_of(2) {
        all.push("pattern='transpose'".to_owned());
    }
    all
}

fn configuration(n: u32, delay: u32, traffic: &str, rest: &str, seed: u64) -> String {
    format!(
        "[network]\nkind='fat-tree'\nnodes={n}\nlink_delay_cycles={delay}\n\
         [traffic]\n{traffic}\n{rest}\n[run]\nseed={seed}\ncycles_max={CYCLES}\n"
    )
}

const STRATEGIES: [&str; 6] = [
    "[retry]\nstrategy='immediate'",
    "[retry]\nstrategy='rounds'",
    "[retry]\nstrategy='backoff'",
    "[retry]\nstrategy='immediate'\n[router]\nrelease='early-acknowledge'",
    "[retry]\nstrategy='rounds'\n[router]\nrelease='early-acknowledge'\nwinner='fixed'",
    "[retry]\nstrategy='backoff'\nbackoff_limit=4\n[router]\nwinner='fixed'",
];

/// The same with routers whose outputs are free behind the tail, which are another chip.
const BY_TAIL: [&str; 2] = [
    "[retry]\nstrategy='immediate'\n[router]\nrelease='tail'",
    "[retry]\nstrategy='rounds'\n[router]\nrelease='tail'\nwinner='fixed'",
];

#[test]
fn chips_rest_before_and_after_a_message() {
    for backend in [Backend::best(), Backend::Interpreter] {
        let case = Case::new(
            "[network]\nkind='fat-tree'\nnodes=2048\n\
             [traffic]\npattern='pair'\nsource=0\ndestination=2047\nwords=4\n",
        );
        let mut engine = case.gate(1, backend);
        let mut resting = |cycles: u64, request: u64| {
            engine.drive(NODES, PORT_TX_DESTINATION, &[(0, 2047)]);
            engine.drive(NODES, PORT_TX_REQUEST, &[(0, request)]);
            for _ in 0..cycles {
                engine.step();
            }
            engine.resting()
        };
        let (before, groups) = resting(4, 0);
        // The destination's pins are not 0, but the interface rests.
        assert_eq!(before, groups, "{backend}");
        let (during, _) = resting(8, 1);
        assert!(during < groups, "{backend}: {during} of {groups}");
        // A few levels up, the rest of the tree still rests.
        assert!(during > groups / 2, "{backend}: {during} of {groups}");
        let (after, _) = resting(100, 0);
        assert_eq!(after, groups, "{backend}");
    }
}

/// Lane words of 1, 2, 4 and 8 words.
#[test]
fn links_without_order_are_the_same_in_every_engine() {
    for (nodes, cycles, routers_width) in [(32, 150, 2), (64, 150, 4), (512, 60, 8)] {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes={nodes}\n\
             [traffic]\npattern='random'\nmessages={nodes}\nwords=3\n\
             [run]\ncycles_max={cycles}\n"
        );
        let mut case = Case::new(&text);
        let tree = case.fabric;
        for fabric in [&tree, &rewired(&tree)] {
            case.fabric = shuffled(fabric, ROUTERS);
            let costs = case.gate(1, Backend::best()).costs();
            let (routers, interfaces) = (&costs[ROUTERS], &costs[NODES]);
            assert_eq!(routers.width, routers_width, "{nodes}");
            assert!(routers.links.scattered > 0, "{nodes}: they are scattered");
            if nodes == 64 {
                assert_eq!(interfaces.width, 1);
                assert!(interfaces.links.scattered > 0, "a word of interfaces, too");
            }
            every_engine(&case, &text, false);
        }
    }
}

/// Long wires are numbered so that links still move in whole words.
#[test]
fn trees_with_long_wires_have_order() {
    for nodes in [16, 64, 256, 1024] {
        for delay in [1, 3] {
            let case = Case::new(&configuration(nodes, delay, "pattern='random'", "", 1));
            for cost in case.gate(1, Backend::best()).costs() {
                assert_eq!(cost.links.scattered, 0, "{nodes}, {delay}: {cost:?}");
            }
        }
    }
}

/// Large enough for threads to have several groups each, cut by their weight.
#[test]
fn many_groups_are_the_same_on_any_number_of_threads() {
    let text = "[network]\nkind='fat-tree'\nnodes=1024\n\
                [traffic]\npattern='random'\nmessages=1024\nwords=3\n\
                [run]\ncycles_max=60\n";
    let case = Case::new(text);
    let event = case.record(&mut case.event(1));
    for threads in [1, 2, 3, 7] {
        let gate = case.record(&mut case.gate(threads, Backend::best()));
        let what = format!("event against gate, {threads} threads:\n{text}");
        same(&event, &gate, &what);
    }
}

/// All messages arrive in a tree that is joined otherwise.
#[test]
fn a_rewired_tree_carries_its_messages() {
    let mut case = Case::new(&configuration(
        64,
        1,
        "pattern='random'\nmessages=64\nwords=3",
        STRATEGIES[0],
        1,
    ));
    let tree = case.fabric;
    case.fabric = rewired(&tree);
    assert_ne!(case.fabric.peers, tree.peers);
    let (outcome, _) = case.record(&mut case.event(1));
    assert!(outcome.last_cycle < CYCLES, "all are acknowledged");
}

#[test]
fn every_pattern_and_strategy_is_the_same_in_every_engine() {
    for (index, n) in [2, 4, 8, 16, 32, 64].into_iter().enumerate() {
        for (at, pattern) in patterns(n).into_iter().enumerate() {
            for (number, strategy) in STRATEGIES.iter().chain(&BY_TAIL).enumerate() {
                let words = [1, 2, 7, 64][(at + number + index) % 4];
                let delay = [0, 0, 1, 3][(at + 2 * number) % 4];
                let traffic = format!("{pattern}\nwords={words}");
                let seed = (100 * index + 10 * at + number) as u64;
                let text = configuration(n, delay, &traffic, strategy, seed);
                in_every_engine(&text, n <= 8 && words < 64);
            }
        }
    }
}

/// A random configuration.
fn any_configuration() -> impl Strategy_<Value = String> {
    let strategy = prop::sample::select([&STRATEGIES[..], &BY_TAIL].concat());
    (
        1u32..=6,
        0u32..3,
        any::<u32>(),
        1u32..=64,
        strategy,
        1u32..4,
        0u64..1 << 40,
    )
        .prop_map(|(levels, delay, pattern, words, strategy, repeat, seed)| {
            let n = 1 << levels;
            let all = patterns(n);
            let pattern = all[pattern as usize % all.len()].replace("\nrepeat=2", "");
            let repeat = if pattern.contains("pairs'") {
                1
            } else {
                repeat
            };
            let traffic = format!("{pattern}\nwords={words}\nrepeat={repeat}");
            configuration(n, delay, &traffic, strategy, seed)
        })
}

use proptest::strategy::Strategy as Strategy_;

#[test]
fn random_configurations_are_the_same_in_every_engine() {
    random_cases(24, any_configuration(), |text| {
        let small = text.contains("nodes=2\n") || text.contains("nodes=4\n");
        in_every_engine(text, small);
    });
}

/// Configurations of one network that differ in all that can be set at run time.
fn run_time_choices(strategies: &[&str], n: u32, delay: u32, every: usize) -> Vec<String> {
    let mut all = Vec::new();
    for (at, pattern) in patterns(n).into_iter().enumerate() {
        for (number, strategy) in strategies.iter().enumerate() {
            let words = [1, 3, 64][(at + number) % 3];
            let traffic = format!("{pattern}\nwords={words}");
            all.push(configuration(
                n,
                delay,
                &traffic,
                strategy,
                (7 * at + number) as u64,
            ));
        }
    }
    all.into_iter().step_by(every).collect()
}

#[test]
fn icarus_records_the_same_variables_and_values() {
    for (n, delay, every) in [(2, 0, 1), (4, 2, 1), (8, 0, 2), (16, 1, 5), (32, 0, 11)] {
        let texts = run_time_choices(&STRATEGIES, n, delay, every);
        against_peer(Peer::Icarus, &texts);
    }
    for (n, delay, every) in [(4, 2, 1), (16, 0, 3)] {
        let texts = run_time_choices(&BY_TAIL, n, delay, every);
        against_peer(Peer::Icarus, &texts);
    }
}

#[test]
fn icarus_records_the_same_at_64_nodes() {
    let texts = [
        configuration(
            64,
            0,
            "pattern='random'\nmessages=64\nwords=5",
            STRATEGIES[0],
            3,
        ),
        configuration(
            64,
            0,
            "pattern='hot-spot'\nmessages=12\ndestination=9\nwords=2",
            STRATEGIES[1],
            4,
        ),
    ];
    against_peer(Peer::Icarus, &texts);
}

#[test]
fn verilator_records_the_same_values() {
    for (n, delay) in [(4, 1), (16, 0)] {
        let texts = run_time_choices(&STRATEGIES, n, delay, 2);
        against_peer(Peer::Verilator, &texts);
    }
    let texts = run_time_choices(&BY_TAIL, 4, 1, 2);
    against_peer(Peer::Verilator, &texts);
    if soak_cases().is_some() {
        let texts = run_time_choices(&STRATEGIES, 64, 0, 6);
        against_peer(Peer::Verilator, &texts);
    }
}

/// The comparison itself: netlists with one gate exchanged have to be told
/// apart from the model, at a named cycle and port.
#[test]
fn a_broken_netlist_is_caught() {
    let case = Case::new(&configuration(
        16,
        0,
        "pattern='random'\nmessages=16\nwords=9\nrepeat=12",
        STRATEGIES[0],
        5,
    ));
    let (mutants, caught) = broken_netlists(&case, "fat_tree_router", 6);
    // Some gates matter only in situations that this traffic does not reach
    // (early acknowledgements, fixed winners, levels above 3).
    assert!(mutants >= 50, "{mutants} mutants");
    assert!(
        caught * 10 >= mutants * 8,
        "{caught} of {mutants} mutants were caught"
    );
}
