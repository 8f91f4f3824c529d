//! Bidelta networks of RN1, the same in every engine: every port of every chip in every
//! cycle.
//!
//! As `tests/slow/lockstep.rs`, which has fat trees: the event engine, the gate engine and the
//! reference evaluator record the same bytes, and Icarus Verilog and Verilator the
//! same values when they replay a run on the exported Verilog.
//! `CROSSWAVE_SOAK_CASES` is the number of random configurations.

use std::ops::Range;

use crosswave_gate::Backend;
use crosswave_network::bidelta::{NODES, ROUTERS};
use crosswave_network::shuffle::shuffled;
use crosswave_observe::export;
use crosswave_run::config::Config;
use crosswave_run::host::{End, Outcome};
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;
use proptest::prelude::*;

use crate::support;
use crate::support::Case;
use crate::support::lockstep::{
    Peer, against_peer, broken_netlists, every_engine, in_every_engine, random_cases, same,
};

/// One of everything that a configuration can choose.
#[derive(Debug, Clone, Copy)]
struct Choice<'a> {
    nodes: u32,
    delay: &'a str,
    interface: &'a str,
    traffic: &'a str,
    retry: &'a str,
    seed: u64,
    cycles_max: u64,
}

impl Choice<'_> {
    fn text(&self) -> String {
        let Choice {
            nodes,
            delay,
            interface,
            traffic,
            retry,
            seed,
            cycles_max,
        } = self;
        format!(
            "[network]\nkind='bidelta'\nnodes={nodes}\nlink_delay_cycles={delay}\n\
             [interface]\n{interface}\n[traffic]\n{traffic}\n[retry]\n{retry}\n\
             [run]\nseed={seed}\ncycles_max={cycles_max}\n"
        )
    }
}

const INTERFACES: [&str; 8] = [
    "turns=1",
    "turns=0",
    "turns=2\nclose='end'\nreply_words=3",
    "turns=3\nclose='drop'\nreply_delay_cycles=2",
    "turns=1\nclose='end'\nreply_words=5\nreply_delay_cycles=1",
    "turns=2\nclose='drop'\nreply_delay_cycles=7",
    "turns=3\nclose='end'\nreply_words=2",
    "turns=0\nclose='end'",
];

const STRATEGIES: [&str; 5] = [
    "strategy='immediate'",
    "strategy='random'",
    "strategy='backoff'",
    "strategy='random'\nbackoff_limit=3",
    "strategy='backoff'\nbackoff_limit=2",
];

/// A delay for all links, one for each stage but the last, and that of the geometry.
fn delays(n: u32) -> Vec<String> {
    let mixed: Vec<String> = (0..n.ilog2() / 2 - 1)
        .map(|stage| [2, 0, 5, 1][stage as usize % 4].to_string())
        .collect();
    let mut all = ["0", "1", "'geometry'", "3"].map(str::to_owned).to_vec();
    all.push(format!("[{}]", mixed.join(",")));
    all
}

/// Traffic of every kind for `n` nodes. The trace has gaps in which all is at rest.
fn patterns(n: u32) -> Vec<String> {
    let (half, last) = (n / 2, n - 1);
    let trace = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/traces/hpcc16_randomaccess_p2p.csv"
    );
    vec![
        format!("pattern='random'\nmessages={}\nrepeat=2", n.min(80)),
        format!("pattern='hot-spot'\ndestination={half}\nmessages=6"),
        format!("pattern='pairs'\npairs=[[0,{last}],[{last},0],[{half},1],[0,1],[2,{last}]]"),
        format!("trace='{trace}'\nlimit=24\nclock_mhz=10\nbytes_scale=0.01"),
        format!(
            "pattern='cyclic-shift'\nshift={half}\nmessages={}",
            n.min(100)
        ),
    ]
}

/// Configurations of `n` nodes. In ten that follow each other every value of every choice
/// occurs, and values are paired otherwise each time.
fn choices(n: u32, indices: Range<usize>, cycles_max: u64) -> Vec<String> {
    let (delays, patterns) = (delays(n), patterns(n));
    let text = |index: usize| {
        let round = index / 5;
        let pattern = &patterns[index % 5];
        let words = [1, 6, 2, 17][(index + round) % 4];
        let traffic = match pattern.starts_with("trace") {
            true => pattern.clone(),
            false => format!("{pattern}\nwords={words}"),
        };
        Choice {
            nodes: n,
            delay: &delays[(2 * index + round) % 5],
            interface: INTERFACES[3 * index % 8],
            traffic: &traffic,
            retry: STRATEGIES[(index + 2 * round) % 5],
            seed: 100 + index as u64,
            cycles_max,
        }
        .text()
    };
    indices.map(text).collect()
}

/// Asserts that nothing that arrived was wrong; the engines may agree and be wrong.
fn nothing_is_wrong(outcome: &Outcome, text: &str) {
    assert!(outcome.connections.iter().all(|c| !c.wrong), "{text}");
    assert!(outcome.end != End::Interrupted);
}

/// Configurations of `n` nodes in every engine; gives the attempts that were blocked and
/// the cycles that were skipped. The reference evaluator takes some of 16 nodes.
fn size(n: u32, indices: Range<usize>, cycles_max: u64) -> (u64, u64) {
    let (mut blocked, mut skipped) = (0, 0);
    let texts = choices(n, indices.clone(), cycles_max);
    for (index, text) in indices.zip(texts) {
        let (outcome, _) = in_every_engine(&text, n == 16 && index % 4 != 0);
        nothing_is_wrong(&outcome, &text);
        blocked += outcome.rejections.total();
        skipped += outcome.last_cycle - outcome.evaluated_cycles;
    }
    (blocked, skipped)
}

#[test]
fn sixteen_nodes_are_the_same_in_every_engine() {
    let (blocked, skipped) = size(16, 0..10, 600);
    assert!(blocked > 40, "{blocked} attempts were blocked");
    assert!(skipped > 40, "{skipped} cycles were skipped");
}

#[test]
fn sixty_four_nodes_are_the_same_in_every_engine() {
    let (blocked, _) = size(64, 5..10, 250);
    assert!(blocked > 40, "{blocked} attempts were blocked");
}

/// Four stages in one stack.
#[test]
fn two_hundred_and_fifty_six_nodes_are_the_same_in_every_engine() {
    size(256, 0..3, 100);
}

/// Two stacks: bytes are swallowed between them, and the wires there are long.
#[test]
fn two_stacks_are_the_same_in_every_engine() {
    size(1024, 1..3, 50);
}

fn any_configuration() -> impl Strategy<Value = String> {
    (
        prop::sample::select(vec![16u32, 16, 16, 64]),
        prop::collection::vec(0u32..=31, 2),
        0u32..4,
        (0u32..=15, 1u32..=9, 0u32..=9, any::<bool>()),
        (0usize..5, 1u32..=40, 1u32..=3),
        (0usize..3, 1u32..=12),
        0u64..1 << 40,
    )
        .prop_map(|(nodes, long, wires, interface, traffic, retry, seed)| {
            let list: Vec<u32> = long[..nodes.ilog2() as usize / 2 - 1].to_vec();
            let delay = match wires {
                0 => "'geometry'".to_owned(),
                1 => "0".to_owned(),
                2 => (list[0] % 4).to_string(),
                _ => format!("{list:?}"),
            };
            let (turns, reply_words, reply_delay, end) = interface;
            let interface = format!(
                "turns={turns}\nreply_words={reply_words}\n\
                 reply_delay_cycles={reply_delay}\nclose='{}'",
                if end { "end" } else { "drop" },
            );
            let (pattern, words, repeat) = traffic;
            let all = patterns(nodes);
            let pattern = all[pattern].replace("\nrepeat=2", "");
            let traffic = match &pattern {
                trace if trace.starts_with("trace") => trace.clone(),
                pairs if pairs.contains("'pairs'") => format!("{pairs}\nwords={words}"),
                other => format!("{other}\nwords={words}\nrepeat={repeat}"),
            };
            let retry = match retry {
                (0, _) => "strategy='immediate'".to_owned(),
                (1, limit) => format!("strategy='random'\nbackoff_limit={limit}"),
                (_, limit) => format!("strategy='backoff'\nbackoff_limit={limit}"),
            };
            Choice {
                nodes,
                delay: &delay,
                interface: &interface,
                traffic: &traffic,
                retry: &retry,
                seed,
                cycles_max: 600,
            }
            .text()
        })
}

#[test]
fn random_configurations_are_the_same_in_every_engine() {
    random_cases(4, any_configuration(), |text| {
        let (outcome, _) = in_every_engine(text, text.contains("nodes=16\n"));
        nothing_is_wrong(&outcome, text);
    });
}

/// Numbers of chips mean nothing, though links then lead anywhere.
#[test]
fn numbers_at_random_are_the_same_in_every_engine() {
    let mut rows = choices(64, 1..3, 100);
    rows.extend(choices(256, 5..6, 40));
    for text in rows {
        let mut case = Case::new(&text);
        let in_order = case.fabric;
        let costs = |case: &Case| case.gate(1, Backend::best()).costs();
        for array in [ROUTERS, NODES] {
            case.fabric = shuffled(&in_order, array);
            assert_ne!(case.fabric.peers, in_order.peers);
            let scattered = costs(&case).iter().any(|cost| cost.links.scattered > 0);
            assert!(scattered, "links lead anywhere");
            if array == ROUTERS {
                every_engine(&case, &text, false);
            } else {
                let event = case.record(&mut case.event(1));
                let gate = case.record(&mut case.gate(1, Backend::best()));
                same(&event, &gate, &text);
            }
        }
    }
}

/// Replicates of the configured seed and of others.
fn replicates(config: &Config, count: u32) -> Vec<Replicate> {
    (0..count)
        .map(|index| Replicate::new(config, index).unwrap_or_else(|e| panic!("{e}")))
        .collect()
}

#[test]
fn replicates_together_leave_behind_what_each_leaves_alone() {
    for (n, indices, count) in [(16, 0..6, 9), (64, 6..9, 5), (1024, 2..3, 2)] {
        for text in choices(n, indices, 300) {
            let alone = support::config(&format!("{text}engine='event'\n"));
            let all = replicates(&alone, count);
            let alone = Simulation::new(&alone).expect("a legal configuration");
            let expected: Vec<Outcome> = all
                .iter()
                .map(|replicate| {
                    let outcome = alone.run_one(replicate, &mut ());
                    outcome.unwrap_or_else(|e| panic!("{e}"))
                })
                .collect();
            for threads in [1, 2] {
                let config = support::config(&format!("{text}engine='gate'\nthreads={threads}\n"));
                let found = Simulation::new(&config)
                    .expect("a legal configuration")
                    .run(&all, &mut ());
                let found = found.unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(found.len(), expected.len());
                for (found, expected) in found.iter().zip(&expected) {
                    assert_eq!(found, expected, "{threads} threads:\n{text}");
                }
            }
        }
    }
}

/// Configurations of one network and one kind of interface, so that one compiled model
/// serves them.
fn run_time_choices(n: u32, delay: &str, interface: &str, cycles_max: u64) -> Vec<String> {
    let text = |(index, traffic): (usize, String)| {
        Choice {
            nodes: n,
            delay,
            interface,
            traffic: &traffic,
            retry: STRATEGIES[1],
            seed: 7 + index as u64,
            cycles_max,
        }
        .text()
    };
    patterns(n).into_iter().enumerate().map(text).collect()
}

#[test]
fn icarus_records_the_same_variables_and_values() {
    for (delay, interface) in [("0", 0), ("'geometry'", 2), ("1", 3), ("[3]", 7)] {
        let texts = run_time_choices(16, delay, INTERFACES[interface], 300);
        against_peer(Peer::Icarus, &texts);
    }
}

#[test]
fn icarus_records_the_same_at_64_nodes() {
    let texts = run_time_choices(64, "[1,0]", INTERFACES[4], 150);
    against_peer(Peer::Icarus, &texts[..2]);
}

#[test]
fn verilator_records_the_same_values() {
    let texts = run_time_choices(16, "[1]", INTERFACES[2], 300);
    against_peer(Peer::Verilator, &texts);
}

#[test]
fn verilator_has_nothing_to_say_about_the_exported_verilog() {
    for (n, delay) in [(16, "0"), (64, "[0,2]")] {
        let place = tempfile::tempdir().expect("a temporary folder");
        let text = &run_time_choices(n, delay, INTERFACES[0], 20)[1];
        let config = support::config(text);
        export::write(&config, "lockstep", place.path()).unwrap_or_else(|e| panic!("{e}"));
        for top in ["bidelta", "testbench"] {
            assert_eq!(support::lint_verilator(place.path(), top), "", "{top} {n}");
        }
    }
}

/// A netlist of RN1 with one gate exchanged is told apart from the model.
#[test]
fn a_broken_netlist_is_caught() {
    let case = Case::new(
        &Choice {
            nodes: 64,
            delay: "[1,0]",
            interface: "turns=2\nclose='end'\nreply_words=3",
            traffic: "pattern='random'\nwords=9\nrepeat=3",
            retry: STRATEGIES[1],
            seed: 5,
            cycles_max: 200,
        }
        .text(),
    );
    let (mutants, caught) = broken_netlists(&case, "rn1", 600);
    assert!(mutants >= 6, "{mutants} mutants");
    assert!(
        caught * 10 >= mutants * 7,
        "{caught} of {mutants} mutants were caught"
    );
}
