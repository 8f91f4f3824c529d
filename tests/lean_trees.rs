//! Fat trees whose channels do not double at every level: the router with a single
//! port up, and networks of it, on every engine and in other tools.
//!
//! `CROSSWAVE_SOAK_CASES=2000 cargo test --release --test lean_trees` compares more
//! cases. Needs Icarus Verilog and Verilator.

#[allow(dead_code)]
#[path = "support/chips.rs"]
mod chips;
mod support;

use chips::{Lanes, Row, Unit, icarus, inputs, outputs};
use crosswave::chip::fat_tree_router::{CHIP, FatTreeRouter};
use crosswave::chip::{Port, Role};
use crosswave::experiment::config::Config;
use crosswave::experiment::export;
use crosswave::experiment::host::{End, Outcome};
use crosswave::gate::Backend;
use crosswave::network::fat_tree::ROUTERS;
use crosswave::random;
use proptest::prelude::*;

use support::Case;
use support::lockstep::{
    ALL, VERILATOR, against_peer, every_engine, in_every_engine, random_cases, soak_cases,
};

/// Cycles of a random case of the chip.
const CHIP_CYCLES: usize = 300;
/// Chips that the netlist is evaluated for at a time.
const LANES: usize = 64;

/// The inputs of one router in every cycle: options that stand still, neighbours that
/// send messages of a few words, most of them known to this level, and stop when they
/// are rejected, and answers in one clock of eight.
fn rows(seed: u64) -> Vec<Row> {
    let mut rolled = 0;
    let mut below = |end: u64| {
        rolled += 1;
        random::word(random::key(seed, 0, rolled), 0) % end
    };
    let level = [0, 1, 3, 7, 8, 16][below(6) as usize];
    let options = [level, below(2), below(2), below(2)];
    let noise = below(4) == 0;
    // Words still to be sent by each port's sender, the silence in front of it included.
    let mut left = [0; 4];
    let row = |cycle: usize| -> Row {
        let mut words = [0; 4];
        for left in &mut left {
            *left = match *left {
                0 => below(12) * below(2),
                left => left - 1,
            };
        }
        for (word, left) in words.iter_mut().zip(left) {
            let data = match below(4) {
                0 => below(256),
                1 => level,
                _ => below(21),
            };
            *word = if left > 0 { 256 | data } else { 0 };
        }
        let mut option = options.into_iter();
        let value = |(_, port): (usize, &'static Port)| match port.role {
            Role::Reset => u64::from(cycle == 0 || cycle == 200),
            Role::Option => option.next().expect("four options"),
            Role::Link { link, .. } if port.name.ends_with("valid") => words[link] >> 8,
            Role::Link { link, .. } if port.width == 8 => words[link] & 0xff,
            Role::Link { .. } if noise => below(2),
            Role::Link { .. } => u64::from(below(8) == 0),
            _ => below(2),
        };
        inputs(&CHIP).map(value).collect()
    };
    (0..CHIP_CYCLES).map(row).collect()
}

/// What the model shows in each cycle.
fn shown(rows: &[Row]) -> Vec<Row> {
    let mut model = Unit::<FatTreeRouter>::new();
    let show = |row| {
        let shown = model.shown();
        model.step(row);
        shown
    };
    rows.iter().map(show).collect()
}

/// The ports whose values differ, with both.
fn difference(found: &Row, expected: &Row) -> Vec<String> {
    let ports = outputs(&CHIP).zip(found.iter().zip(expected));
    let differ = ports.filter(|(_, (found, expected))| found != expected);
    differ
        .map(|((_, port), (found, expected))| format!("{} {found:x} {expected:x}", port.name))
        .collect()
}

#[test]
fn the_routers_netlist_and_model_are_the_same_in_every_cycle() {
    let seeds: Vec<u64> = (0..soak_cases().map_or(128, u64::from)).collect();
    let output = |name: &str| outputs(&CHIP).position(|(_, port)| port.name == name);
    let [a_state, b_state, b_collision] = ["a_state", "b_state", "b_in_collision"].map(output);
    let [a_state, b_state, b_collision] = [a_state, b_state, b_collision].map(Option::unwrap);
    let single = inputs(&CHIP).position(|(_, port)| port.name == "upstream_single");
    let single = single.expect("the option");
    let (mut blocked, mut up_by_d) = (0, [0, 0]);
    for seeds in seeds.chunks(LANES) {
        let rows: Vec<Vec<Row>> = seeds.iter().map(|&seed| rows(seed)).collect();
        let expected: Vec<Vec<Row>> = rows.iter().map(|rows| shown(rows)).collect();
        let mut lanes = Lanes::new(&CHIP);
        for cycle in 0..CHIP_CYCLES {
            for (lane, seed) in seeds.iter().enumerate().filter(|_| cycle > 0) {
                let (found, expected) = (lanes.shown(lane), &expected[lane][cycle]);
                let differ = difference(&found, expected);
                assert!(
                    differ.is_empty(),
                    "seed {seed}, cycle {cycle}: netlist, model {differ:?}"
                );
                let single = rows[lane][cycle][single] as usize;
                up_by_d[single] += (found[a_state] | found[b_state]) >> 2 & 1;
                blocked += found[b_collision] & found[a_state] >> 1 & single as u64;
            }
            let rows: Vec<&Row> = rows.iter().map(|rows| &rows[cycle]).collect();
            lanes.step(&rows);
        }
    }
    assert!(blocked > 0 && up_by_d[0] > 0, "{blocked} {up_by_d:?}");
    assert_eq!(up_by_d[1], 0, "d leads nowhere");
}

#[test]
fn the_routers_verilog_and_model_are_the_same_in_every_cycle() {
    let folder = tempfile::tempdir().expect("a folder");
    let sources = ["fat_tree_router", "fat_tree_input", "fat_tree_arbiter"];
    let seeds = 0..16;
    let rows: Vec<Row> = seeds.flat_map(rows).collect();
    let found = icarus(&CHIP, &sources, &rows, folder.path());
    for (case, rows) in rows.chunks(CHIP_CYCLES).enumerate() {
        for (cycle, expected) in shown(rows).iter().enumerate().skip(1) {
            let found = found[case * CHIP_CYCLES + cycle].as_ref().expect("no X");
            let differ = difference(found, expected);
            assert!(differ.is_empty(), "seed {case}, cycle {cycle}: {differ:?}");
        }
    }
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
    assert_eq!(outcome.collisions.total(), failed, "{text}");
    assert_eq!(outcome.collisions.refused, 0, "{text}");
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
        for (at, strategy) in STRATEGIES.iter().enumerate() {
            let traffic = format!(
                "[traffic]\npattern='random'\nmessages={nodes}\nwords={}\n\
                 {strategy}[run]\nseed={}\n",
                [1, 7][at % 2],
                10 * tree + at
            );
            let text = configuration(nodes, capacities, delay, &traffic);
            let (outcome, _) = in_every_engine(&text, nodes <= 8);
            assert_delivered(&outcome, &text);
            upward += outcome.collisions.upward.iter().sum::<u64>();
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
            let upward = outcome.collisions.upward.iter().map(|&count| count > 0);
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
        prop::sample::select(STRATEGIES.to_vec()),
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
fn run_time_choices(nodes: u32, capacities: &str, delay: u32) -> Vec<String> {
    let choices = STRATEGIES.iter().enumerate();
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
        let texts = run_time_choices(nodes, capacities, delay);
        against_peer(support::build_icarus, ALL, &texts);
    }
}

#[test]
fn verilator_records_the_same_values() {
    let texts = run_time_choices(8, "[1, 1, 2]", 1);
    against_peer(support::build_verilator, VERILATOR, &texts);
}

#[test]
fn verilator_has_nothing_to_say() {
    let texts = run_time_choices(8, "[1, 2, 2]", 0);
    let folder = tempfile::tempdir().expect("a folder");
    let config: Config = support::config(&texts[0]);
    export::write(&config, "test", folder.path()).unwrap_or_else(|report| panic!("{report}"));
    for module in ["fat_tree", "testbench"] {
        assert_eq!(support::lint_verilator(folder.path(), module), "");
    }
}
