//! Networks with faults, before and during a run, the same in every engine and in other
//! simulators: every port of every chip in every cycle.

use crosswave_probe::message::NEVER;
use crosswave_run::config::EngineKind;
use crosswave_run::host::{End, Outcome};
use crosswave_run::simulation::Simulation;

use crate::support;
use crate::support::lockstep::{Peer, against_peer, in_every_engine};

/// Runs with every kind of fault. Wires of the tree have no clocks to be stuck in for a while;
/// those of the bidelta network have one.
fn texts(cycles_max: u64) -> [String; 3] {
    let tree = "[network]\nkind='transit'\nnodes=64\n[interface]\nturns=1\nreply_words=2\n\
                [faults]\nrouters=['up_0_0_3', 'down_0_2_0_5@40..90']\n\
                ports=['up_0_0_9.o3@30..', 'node_7.t1', 'down_0_3_0_1.i2']\n\
                wires=['down_0_3_0_4.o1']\nstuck=['node_9.t0=0x155', 'down_0_1_0_2.i3=0x0ff']\n\
                random_routers=2\nrandom_wires=3\nfault_seed=4\n";
    let bare = "[network]\nkind='transit'\nnodes=64\nup_stage='two-crossbars'\n\
                [faults]\nstacks=['unit_0_0_0@0..60']\nmasked=false\n";
    let bidelta = "[network]\nkind='bidelta'\nnodes=64\nlink_delay_cycles=1\n\
                   [interface]\nturns=2\nclose='end'\n\
                   [faults]\nrouters=['rn1_1_3@50..']\nwires=['rn1_0_1.o2@20..70']\n\
                   stuck=['rn1_0_3.o4=0x1c3@25..60', 'rn1_1_2.i1=0x1aa@30..55', \
                          'rn1_2_2.o1=0x001']\n";
    let of = |network: &str, strategy: &str| {
        format!(
            "{network}[traffic]\npattern='random'\nrepeat=3\nwords=4\n\
             [retry]\nstrategy='{strategy}'\n[run]\nseed=5\ncycles_max={cycles_max}\n"
        )
    };
    [
        of(tree, "immediate"),
        of(bare, "random"),
        of(bidelta, "backoff"),
    ]
}

#[test]
fn every_engine_is_the_same() {
    for text in texts(200) {
        let (outcome, _) = in_every_engine(&text, true);
        let done = outcome
            .messages
            .iter()
            .filter(|message| message.acknowledged_cycle != NEVER);
        assert!(done.count() > 20, "{text}");
    }
}

#[test]
fn icarus_records_the_same() {
    // The tree with all kinds of faults, and the network with clocks on its wires.
    let [tree, _, bidelta] = texts(100);
    for text in [tree, bidelta] {
        against_peer(Peer::Icarus, &[text]);
    }
}

#[test]
fn verilator_records_the_same() {
    // The smallest network: its C++ is compiled.
    let [_, _, bidelta] = texts(120);
    let text = bidelta
        .replace("nodes=64", "nodes=16")
        .replace("rn1_2_2.o1", "rn1_1_0.o1");
    against_peer(Peer::Verilator, &[text]);
}

/// The outcome of a tree of 64 nodes with faults, in which everyone sends to everyone's neighbour
/// and on.
fn outcome(faults: &str) -> Outcome {
    let text = format!(
        "[network]\nkind='transit'\nnodes=64\n[faults]\n{faults}\n\
         [traffic]\npattern='cyclic-shift'\nshift=21\nrepeat=4\nwords=4\n\
         [retry]\nstrategy='backoff'\nbackoff_limit=5\n\
         [run]\nengine='event'\ncycles_max=4000\n"
    );
    let simulation = Simulation::new(&support::config(&text)).expect("a legal configuration");
    let outcomes = simulation.run_all();
    outcomes.unwrap_or_else(|e| panic!("{e}")).remove(0)
}

fn undelivered(outcome: &Outcome) -> Vec<u32> {
    let messages = outcome.messages.iter();
    let lost = messages.filter(|message| message.delivered_cycle == NEVER);
    lost.map(|message| message.source).collect()
}

/// Masked or not, retry finds a way past routers that are off as long as there is one, and
/// needs more attempts where nobody says that they are off.
#[test]
fn retry_goes_round_what_is_off() {
    let attempts = |outcome: &Outcome| -> u32 {
        assert_eq!(outcome.end, End::Finished);
        assert!(
            outcome
                .connections
                .iter()
                .all(|connection| !connection.wrong)
        );
        outcome
            .messages
            .iter()
            .map(|message| message.attempts)
            .sum()
    };
    let off = "routers=['down_0_3_0_1','down_0_3_0_5','down_0_2_0_4']";
    let intact = attempts(&outcome(""));
    let masked = attempts(&outcome(off));
    let bare = attempts(&outcome(&format!("{off}\nmasked=false")));
    assert!(intact < masked && masked < bare, "{intact} {masked} {bare}");
}

/// The router to which both wires of four nodes lead cuts these off, and nobody else, until it is
/// back.
#[test]
fn nodes_are_cut_off_while_their_router_is_off() {
    let gone = outcome("routers=['up_0_0_2']");
    assert_eq!(gone.end, End::OutOfCycles);
    let sources: std::collections::BTreeSet<u32> = undelivered(&gone).into_iter().collect();
    assert_eq!(sources.into_iter().collect::<Vec<_>>(), [8, 9, 10, 11]);
    let back = outcome("routers=['up_0_0_2@1..700']");
    assert_eq!(back.end, End::Finished);
    let late = back
        .messages
        .iter()
        .filter(|message| message.sent_cycle >= 700);
    assert!(late.count() >= 4);
}

/// Replicates that run together in copies of the network, of which some have no host but wires
/// that are stuck all the same, are those that run one by one.
#[test]
fn replicates_run_together() {
    let networks = [
        "kind='butterfly'\nnodes=16\n[faults]\nstuck=['rn1_1_0.o0=0x155']",
        "kind='bidelta'\nnodes=64\nlink_delay_cycles=1\n[faults]\n\
         stacks=[]\nrouters=['rn1_1_3@50..400']\nstuck=['rn1_0_3.o4=0x1c3@25..60']",
    ];
    for network in networks {
        let text = format!(
            "[network]\n{network}\n[traffic]\npattern='random'\nrepeat=2\n\
             [retry]\nstrategy='backoff'\nbackoff_limit=5\n[run]\nreplicates=3\ncycles_max=600\n"
        );
        let run = |engine: EngineKind| {
            let mut config = support::config(&text);
            config.run.engine = engine;
            let simulation = Simulation::new(&config).expect("a legal configuration");
            let together = simulation.together();
            let outcomes = simulation.run_all();
            (together, outcomes.unwrap_or_else(|e| panic!("{e}")))
        };
        let ((together, gate), (_, event)) = (run(EngineKind::Gate), run(EngineKind::Event));
        assert!(together > 2, "{together} replicates share an engine");
        assert_eq!(gate.len(), 3);
        for (gate, event) in gate.iter().zip(&event) {
            assert_eq!(gate.messages, event.messages, "{text}");
            assert_eq!(gate.connections, event.connections, "{text}");
        }
    }
}
