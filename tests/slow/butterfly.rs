//! Butterflies of RN1, the same in every engine and in other simulators: every port of every
//! chip in every cycle; and what becomes of messages, as a plain host sees it.

use crosswave_observe::export;
use crosswave_run::host::End;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

use crate::support;
use crate::support::lockstep::{Peer, against_peer, in_every_engine};
use crate::support::plain_host;

fn text(nodes: u32, interface: &str, traffic: &str, strategy: &str, cycles_max: u64) -> String {
    format!(
        "[network]\nkind='butterfly'\nnodes={nodes}\n[interface]\n{interface}\n\
         [traffic]\n{traffic}\n[retry]\nstrategy='{strategy}'\n\
         [run]\nseed=5\ncycles_max={cycles_max}\n"
    )
}

const INTERFACES: [&str; 3] = [
    "turns=1",
    "turns=0\nclose='end'",
    "turns=2\nclose='end'\nreply_words=3\nreply_delay_cycles=2",
];

const STRATEGIES: [&str; 3] = ["immediate", "random", "backoff"];

fn traffics(nodes: u32) -> [String; 3] {
    let last = nodes - 1;
    [
        "pattern='random'\nrepeat=2\nwords=6".to_owned(),
        format!("pattern='hot-spot'\ndestination={last}\nmessages=6\nwords=2"),
        format!("pattern='pairs'\npairs=[[0,{last}],[{last},0],[1,{last}]]\nwords=9"),
    ]
}

/// Every interface, traffic and strategy occurs.
fn choices(nodes: u32, cycles_max: u64) -> Vec<String> {
    let traffics = traffics(nodes);
    let text = |index: usize| {
        text(
            nodes,
            INTERFACES[index],
            &traffics[index],
            STRATEGIES[(index + nodes as usize / 64) % 3],
            cycles_max,
        )
    };
    (0..3).map(text).collect()
}

#[test]
fn every_engine_is_the_same() {
    let mut blocked = 0;
    for (nodes, cycles_max) in [(16, 400), (64, 200), (256, 60)] {
        for text in choices(nodes, cycles_max) {
            let (outcome, _) = in_every_engine(&text, nodes == 16);
            assert!(outcome.connections.iter().all(|c| !c.wrong), "{text}");
            blocked += outcome.rejections.total();
        }
    }
    assert!(blocked > 100, "{blocked} attempts were blocked");
}

#[test]
fn icarus_records_the_same() {
    for text in choices(16, 200) {
        against_peer(Peer::Icarus, &[text]);
    }
}

#[test]
fn verilator_records_the_same_and_has_nothing_to_say() {
    let text = &choices(16, 200)[2];
    against_peer(Peer::Verilator, std::slice::from_ref(text));
    let place = tempfile::tempdir().expect("a temporary folder");
    let config = support::config(text);
    export::write(&config, "lockstep", place.path()).unwrap_or_else(|e| panic!("{e}"));
    for top in ["butterfly", "testbench"] {
        assert_eq!(support::lint_verilator(place.path(), top), "", "{top}");
    }
}

/// A message alone takes a clock for each stage, one into the receiver, its words and the
/// silence behind them; and all that are offered are delivered.
#[test]
fn messages_are_delivered_in_time() {
    for nodes in [16u32, 64, 256] {
        let stages = u64::from(nodes.ilog2() / 2);
        for index in 0..3 {
            let text = &choices(nodes, 100_000)[index];
            let config = support::config(text);
            let expected = plain_host::run(&config);
            assert_eq!(expected.end, End::Finished, "{text}");
            let simulation = Simulation::new(&config).expect("a legal configuration");
            let outcome = simulation.run_all().unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(outcome[0].messages, expected.messages, "{text}");
            assert_eq!(outcome[0].connections, expected.connections, "{text}");
        }
        let alone = format!(
            "pattern='pair'\nsource=0\ndestination={}\nwords=5",
            nodes - 1
        );
        let config = support::config(&text(nodes, "turns=0", &alone, "immediate", 1000));
        let replicate = Replicate::new(&config, 0).unwrap_or_else(|e| panic!("{e}"));
        let outcome = Simulation::new(&config)
            .expect("a legal configuration")
            .run_one(&replicate, &mut ());
        let outcome = outcome.unwrap_or_else(|e| panic!("{e}"));
        let message = outcome.messages[0];
        assert_eq!(message.attempts, 1);
        assert_eq!(
            message.delivered_cycle - message.sent_cycle,
            stages + 1 + 5 + 1
        );
    }
}
