//! Fat trees whose channels do not double at every level: the router with a single
//! port up, and networks of it, on every engine and in other tools.
//!
//! `CROSSWAVE_SOAK_CASES=2000 cargo test --release --test suite slow::lean_trees::` compares more
//! cases. Needs Icarus Verilog and Verilator.

use crosswave_chips::fat_tree_router::{CHIP, FatTreeRouter};
use crosswave_gate::Backend;
use crosswave_network::fat_tree::ROUTERS;
use crosswave_observe::export;
use crosswave_run::config::Config;
use crosswave_run::host::{End, Outcome};
use proptest::prelude::*;

use crate::support;
use crate::support::Case;
use crate::support::chips::{inputs, outputs};
use crate::support::lockstep::{
    Peer, against_peer, every_engine, in_every_engine, random_cases, soak_cases,
};
use crate::support::routers;

#[test]
fn the_routers_netlist_and_model_are_the_same_in_every_cycle() {
    let output = |name: &str| outputs(&CHIP).position(|(_, port)| port.name == name);
    let [a_state, b_state, b_collision] = ["a_state", "b_state", "b_in_collision"].map(output);
    let [a_state, b_state, b_collision] = [a_state, b_state, b_collision].map(Option::unwrap);
    let single = inputs(&CHIP).position(|(_, port)| port.name == "upstream_single");
    let single = single.expect("the option");
    let (mut blocked, mut up_by_d) = (0, [0, 0]);
    let cases = soak_cases().map_or(128, u64::from);
    routers::model_is_netlist::<FatTreeRouter>(cases, |found, row| {
        let single = row[single];
        up_by_d[single as usize] += (found[a_state] | found[b_state]) >> 2 & 1;
        blocked += found[b_collision] & found[a_state] >> 1 & single;
    });
    assert!(blocked > 0 && up_by_d[0] > 0, "{blocked} {up_by_d:?}");
    assert_eq!(up_by_d[1], 0, "d leads nowhere");
}

#[test]
fn the_routers_verilog_and_model_are_the_same_in_every_cycle() {
    routers::model_is_verilog::<FatTreeRouter>(&[
        "fat_tree_router",
        "fat_tree_input",
        "fat_tree_grants",
        "fat_tree_arbiter",
        "fat_tree_crossbar",
    ]);
}

/// A tree, its traffic, and what else is to be said.
fn configuration(nodes: u32, capacities: &str, delay: u32, rest: &str) -> String {
    format!(
        "[network]\nkind='fat-tree'\nnodes={nodes}\ncapacities={capacities}\n\
         link_delay_cycles={delay}\n{rest}"
    )
}

const STRATEGIES: [&str; 6] = [
    "[retry]\nstrategy='immediate'\n",
    "[retry]\nstrategy='rounds'\n",
    "[retry]\nstrategy='backoff'\nbackoff_limit=6\n",
    "[retry]\nstrategy='immediate'\n[router]\nrelease='early-acknowledge'\n",
    "[retry]\nstrategy='rounds'\n[router]\nrelease='early-acknowledge'\nwinner='fixed'\n",
    "[retry]\nstrategy='backoff'\nbackoff_limit=6\n[router]\nrelease='early-acknowledge'\n",
];

/// The same with routers whose outputs are free behind the tail, which are another chip.
const BY_TAIL: [&str; 3] = [
    "[retry]\nstrategy='immediate'\n[router]\nrelease='tail'\n",
    "[retry]\nstrategy='rounds'\n[router]\nrelease='tail'\nwinner='fixed'\n",
    "[retry]\nstrategy='backoff'\nbackoff_limit=6\n[router]\nrelease='tail'\n",
];

/// Every message was delivered, and every attempt but the last of each collided.
fn assert_delivered(outcome: &Outcome, text: &str) {
    assert_eq!(outcome.end, End::Finished, "{text}");
    let attempts = outcome.messages.iter().map(|message| message.attempts);
    let messages = outcome.messages.len() as u64;
    let failed = attempts.map(u64::from).sum::<u64>() - messages;
    assert_eq!(outcome.rejections.total(), failed, "{text}");
    assert_eq!(outcome.rejections.of("refused_by_receiver"), [0], "{text}");
}

#[test]
fn every_strategy_delivers_and_is_the_same_in_every_engine() {
    let trees = [
        (4, "1", 1),
        (8, "[1, 2, 2]", 0),
        (16, "'every-second-level'", 3),
        (32, "2", 0),
        (64, "[1, 1, 2, 4, 4, 8]", 1),
    ];
    for (tree, (nodes, capacities, delay)) in trees.into_iter().enumerate() {
        let mut upward = 0;
        for (at, strategy) in STRATEGIES.iter().chain(&BY_TAIL).enumerate() {
            let traffic = format!(
                "[traffic]\npattern='random'\nmessages={nodes}\nwords={}\n\
                 {strategy}[run]\nseed={}\n",
                [1, 7][at % 2],
                10 * tree + at
            );
            let text = configuration(nodes, capacities, delay, &traffic);
            let (outcome, _) = in_every_engine(&text, nodes <= 8);
            assert_delivered(&outcome, &text);
            upward += outcome.rejections.of("upward_by_level").iter().sum::<u64>();
        }
        assert!(upward > 0, "{capacities}: nobody is blocked on the way up");
    }
}

/// Lane words of eight words; links move in whole words.
#[test]
fn large_lean_trees_are_the_same_in_every_engine() {
    for (capacities, delay) in [("1", 0), ("64", 1), ("'every-second-level'", 2)] {
        let rest = "[traffic]\npattern='random'\nmessages=1024\nwords=3\n[run]\ncycles_max=80\n";
        let text = configuration(1024, capacities, delay, rest);
        let case = Case::new(&text);
        for cost in case.gate(1, Backend::best()).costs() {
            assert_eq!(cost.links.scattered, 0, "{capacities}: {cost:?}");
        }
        every_engine(&case, &text, false);
    }
}

/// A collision on the way up happens where the capacity stays the same.
#[test]
fn only_levels_with_a_single_port_up_block() {
    for (capacities, blocking) in [
        ("'doubling'", [false; 6]),
        (
            "'every-second-level'",
            [false, true, false, true, false, false],
        ),
        ("4", [false, false, true, true, true, false]),
        ("1", [true, true, true, true, true, false]),
    ] {
        for winner in ["random", "fixed"] {
            let rest = format!(
                "[traffic]\npattern='random'\nmessages=64\nwords=4\nrepeat=6\n\
                 [router]\nwinner='{winner}'\n"
            );
            let text = configuration(64, capacities, 0, &rest);
            let case = Case::new(&text);
            let outcome = case.run_on(&mut case.event(1), &mut ());
            assert_delivered(&outcome, &text);
            let upward = outcome
                .rejections
                .of("upward_by_level")
                .iter()
                .map(|&count| count > 0);
            assert_eq!(upward.collect::<Vec<_>>(), blocking, "{text}");
        }
    }
}

/// The numbers of routers by level, and the names that they have.
#[test]
fn routers_are_named_by_level_and_number() {
    let case = Case::new(&configuration(
        16,
        "[1, 2, 2, 4]",
        0,
        "[traffic]\npattern='random'\n",
    ));
    let routers = case.fabric.arrays[ROUTERS].instances;
    let mut names: Vec<String> = (0..routers)
        .map(|instance| case.fabric.instance_name(ROUTERS, instance))
        .collect();
    names.sort();
    let levels = [(0, 8), (1, 8), (2, 4), (3, 4)];
    let numbers = levels.map(|(level, routers)| (0..routers).map(move |i| (level, i)));
    let expected = numbers.into_iter().flatten();
    let expected: Vec<String> = expected
        .map(|(level, number)| format!("router_{level}_{number}"))
        .collect();
    assert_eq!(names, expected);
}

/// Any tree, traffic and strategy.
fn any_configuration() -> impl Strategy<Value = String> {
    (
        1u32..=6,
        any::<u32>(),
        0u32..3,
        0u32..4,
        prop::sample::select([&STRATEGIES[..], &BY_TAIL].concat()),
        1u32..20,
        0u64..1 << 40,
    )
        .prop_map(|(levels, doubles, delay, pattern, strategy, words, seed)| {
            let nodes = 1 << levels;
            let doublings = |level: u32| (doubles & ((1u32 << level) - 1)).count_ones();
            let capacities: Vec<u32> = (0..levels).map(|level| 1 << doublings(level)).collect();
            let pattern = match pattern {
                0 => format!("'random'\nmessages={nodes}\nrepeat=2"),
                1 => "'bit-reversal'".to_owned(),
                2 => format!("'cyclic-shift'\nshift={}", nodes / 2),
                _ => format!("'hot-spot'\ndestination={}", nodes / 2),
            };
            let rest = format!(
                "[traffic]\npattern={pattern}\nwords={words}\n{strategy}\
                 [run]\nseed={seed}\ncycles_max=4000\n"
            );
            configuration(nodes, &format!("{capacities:?}"), delay, &rest)
        })
}

#[test]
fn random_configurations_are_the_same_in_every_engine() {
    random_cases(8, any_configuration(), |text| {
        in_every_engine(text, text.contains("nodes=4\n"));
    });
}

/// Configurations of one network.
fn run_time_choices(strategies: &[&str], nodes: u32, capacities: &str, delay: u32) -> Vec<String> {
    let choices = strategies.iter().enumerate();
    let text = |(at, strategy): (usize, &&str)| {
        let rest = format!(
            "[traffic]\npattern='random'\nmessages={nodes}\nwords={}\nrepeat=2\n\
             {strategy}[run]\nseed={at}\n",
            [1, 3][at % 2]
        );
        configuration(nodes, capacities, delay, &rest)
    };
    choices.map(text).collect()
}

#[test]
fn icarus_records_the_same_variables_and_values() {
    for (nodes, capacities, delay) in [(4, "1", 2), (8, "'every-second-level'", 0), (16, "2", 1)] {
        for strategies in [&STRATEGIES[..], &BY_TAIL] {
            let texts = run_time_choices(strategies, nodes, capacities, delay);
            against_peer(Peer::Icarus, &texts);
        }
    }
}

#[test]
fn verilator_records_the_same_values() {
    let texts = run_time_choices(&STRATEGIES, 8, "[1, 1, 2]", 1);
    against_peer(Peer::Verilator, &texts);
}

#[test]
fn verilator_has_nothing_to_say() {
    let texts = run_time_choices(&STRATEGIES, 8, "[1, 2, 2]", 0);
    let folder = tempfile::tempdir().expect("a folder");
    let config: Config = support::config(&texts[0]);
    export::write(&config, "test", folder.path()).unwrap_or_else(|error| panic!("{error}"));
    for module in ["fat_tree", "testbench"] {
        assert_eq!(support::lint_verilator(folder.path(), module), "");
    }
}
