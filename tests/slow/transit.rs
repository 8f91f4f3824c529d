//! Transit's fat trees, the same in every engine and in other simulators: every port of every
//! chip in every cycle; and what becomes of messages, as a plain host sees it.
//! `CROSSWAVE_SOAK_CASES=1 cargo test --release --test suite slow::transit` lets Icarus run the
//! hybrid tree as well, and Verilator a tree by heights, and sends a message between all pairs of
//! 4,096 processors and a million of 786,432.

use crosswave_network::traffic::{DeliverySets, Message, Offer, Replay, Workload};
use crosswave_observe::export;
use crosswave_probe::message::NEVER;
use crosswave_run::config::EngineKind;
use crosswave_run::host::End;
use crosswave_run::simulation::Simulation;

use crate::support;
use crate::support::lockstep::{Peer, against_peer, in_every_engine, soak_cases};
use crate::support::plain_host;

/// A run: keys of the network beside its kind, the interface's, traffic, strategy and cycles.
fn text(network: &str, interface: &str, traffic: &str, strategy: &str, cycles_max: u64) -> String {
    format!(
        "[network]\nkind='transit'\n{network}\n[interface]\n{interface}\n\
         [traffic]\n{traffic}\n[retry]\nstrategy='{strategy}'\n\
         [run]\nseed=5\ncycles_max={cycles_max}\n"
    )
}

/// One UT64x2, in every wiring.
const SMALL: [&str; 4] = [
    "nodes=64",
    "nodes=64\nup_stage='two-crossbars'",
    "nodes=64\ndispersion='none'",
    "nodes=64\nup_stage='two-crossbars'\ndispersion='random'\nwiring_seed=3",
];

const INTERFACES: [&str; 4] = [
    "turns=1",
    "turns=0\nclose='end'",
    "turns=2\nclose='end'\nreply_words=3\nreply_delay_cycles=2",
    "turns=3\nclose='drop'\nreply_words=2",
];

const STRATEGIES: [&str; 3] = ["immediate", "random", "backoff"];

/// Runs of small trees in which everything occurs.
fn small(cycles_max: u64) -> Vec<String> {
    let traffics = [
        "pattern='random'\nrepeat=2\nwords=6",
        "pattern='hot-spot'\ndestination=63\nmessages=20\nwords=2",
        "pattern='pairs'\npairs=[[0,63],[63,0],[1,2],[5,21],[6,7]]\nwords=9",
        "pattern='random'\nmessages=40\nwords=3",
    ];
    let of = |at: usize| {
        let strategy = STRATEGIES[at % 3];
        text(
            SMALL[at],
            INTERFACES[at],
            traffics[at],
            strategy,
            cycles_max,
        )
    };
    (0..4).map(of).collect()
}

/// A run of the smallest tree whose routes climb by heights.
fn by_height(cycles_max: u64) -> String {
    let traffic = "pattern='random'\nrepeat=2\nwords=3";
    text(
        "nodes=64\nup_stage='two-crossbars'\nclimb='height'",
        INTERFACES[2],
        traffic,
        "backoff",
        cycles_max,
    )
}

/// A run of the smallest hybrid tree, with wires as long as they are.
fn hybrid(cycles_max: u64) -> String {
    let traffic = "pattern='random'\nmessages=300\nwords=2";
    text(
        "nodes=768\nleaf='B12'",
        INTERFACES[1],
        traffic,
        "immediate",
        cycles_max,
    )
}

#[test]
fn every_engine_is_the_same() {
    let mut blocked = 0;
    for text in small(250).into_iter().chain([by_height(150)]) {
        let (outcome, _) = in_every_engine(&text, true);
        assert!(outcome.connections.iter().all(|c| !c.wrong), "{text}");
        blocked += outcome.rejections.total();
    }
    assert!(blocked > 50, "{blocked} attempts were blocked");
}

#[test]
fn every_engine_is_the_same_on_a_hybrid_tree() {
    let (outcome, _) = in_every_engine(&hybrid(40), true);
    let done = outcome
        .messages
        .iter()
        .filter(|m| m.acknowledged_cycle != NEVER);
    assert!(done.count() > 20);
}

/// Larger trees, in both engines and on several threads: the same messages to the cycle.
#[test]
fn engines_and_threads_agree_on_larger_trees() {
    let traffic = "pattern='random'\nwords=4";
    for network in ["nodes=4096", "nodes=3072\nleaf='B12'", "nodes=16384"] {
        let mut found = Vec::new();
        for (engine, threads) in [
            (EngineKind::Gate, 1),
            (EngineKind::Gate, 3),
            (EngineKind::Event, 1),
            (EngineKind::Event, 2),
        ] {
            let mut config =
                support::config(&text(network, INTERFACES[0], traffic, "backoff", 260));
            (config.run.engine, config.run.threads) = (engine, threads);
            let outcomes = Simulation::new(&config).expect("legal").run_all();
            let outcome = outcomes.unwrap_or_else(|e| panic!("{e}")).remove(0);
            assert!(outcome.connections.iter().all(|c| !c.wrong), "{network}");
            found.push((outcome.messages, outcome.connections));
        }
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{network}");
        let done = found[0].0.iter().filter(|m| m.acknowledged_cycle != NEVER);
        assert!(done.count() > 500, "{network}");
    }
}

#[test]
fn icarus_records_the_same() {
    for text in small(200).into_iter().chain([by_height(100)]) {
        against_peer(Peer::Icarus, &[text]);
    }
    // Minutes in Icarus, which takes one chip after the other.
    if soak_cases().is_some() {
        against_peer(Peer::Icarus, &[hybrid(24)]);
    }
}

#[test]
fn verilator_records_the_same() {
    against_peer(Peer::Verilator, std::slice::from_ref(&small(200)[2]));
    if soak_cases().is_some() {
        against_peer(Peer::Verilator, std::slice::from_ref(&by_height(100)));
    }
}

#[test]
fn verilator_has_nothing_to_say_about_the_exported_verilog() {
    for text in [&small(200)[2], &by_height(100)] {
        let place = tempfile::tempdir().expect("a temporary folder");
        let config = support::config(text);
        export::write(&config, "lockstep", place.path()).unwrap_or_else(|e| panic!("{e}"));
        for top in ["transit", "testbench"] {
            assert_eq!(support::lint_verilator(place.path(), top), "", "{top}");
        }
    }
}

/// Heights change what routers read and nothing else: every message takes the same cycles, in both
/// engines, over wires of all kinds, through a cap, out of clusters and around routers that are
/// off.
#[test]
fn a_climb_by_height_takes_the_same_cycles() {
    for (at, network) in [
        "nodes=64",
        "nodes=64\nup_stage='two-crossbars'\ndispersion='random'",
        "nodes=4096",
        "nodes=3072\nleaf='B12'",
        "nodes=3072\nleaf='B12'\nlink_delay_cycles=[1,4]",
        "nodes=64\n[faults]\nrouters=['down_0_2_0_5', 'down_0_3_0_2@40..']",
    ]
    .into_iter()
    .enumerate()
    {
        let run = |climb: &str, engine| {
            let network = format!("climb='{climb}'\n{network}");
            let traffic = "pattern='random'\nmessages=64\nrepeat=3\nwords=4";
            let text = text(
                &network,
                INTERFACES[at % 4],
                traffic,
                STRATEGIES[at % 3],
                100_000,
            );
            let mut config = support::config(&text);
            config.run.engine = engine;
            let outcomes = Simulation::new(&config).expect("legal").run_all();
            outcomes.unwrap_or_else(|e| panic!("{e}")).remove(0)
        };
        let directions = run("directions", EngineKind::Event);
        assert!(
            directions
                .messages
                .iter()
                .all(|m| m.delivered_cycle != NEVER)
        );
        assert!(directions.connections.iter().all(|c| !c.wrong));
        for engine in [EngineKind::Event, EngineKind::Gate] {
            let heights = run("height", engine);
            assert_eq!(heights.messages, directions.messages, "{network}");
            assert_eq!(heights.connections, directions.connections, "{network}");
            assert_eq!(heights.rejections, directions.rejections, "{network}");
        }
    }
}

/// Every processor sends a message to every other one, one after the other, and all arrive where
/// they are to.
fn every_pair_arrives(network: &str) {
    let text = text(
        network,
        "turns=0\nclose='end'",
        "pattern='random'",
        "random",
        1_000_000_000,
    );
    let mut config = support::config(&text);
    config.run.engine = EngineKind::Event;
    let simulation = Simulation::new(&config).expect("legal");
    let nodes = simulation.network().nodes();
    let message = |shift: u32, source: u32| Message {
        source,
        destination: (source + shift) % nodes,
        words: 1,
        offered: match shift {
            1 => Offer::At(1),
            _ => Offer::AfterPrevious,
        },
    };
    let of_shift = |shift| (0..nodes).map(move |source| message(shift, source));
    arrive(
        &simulation,
        Workload {
            nodes,
            order: Replay::InOrder,
            messages: (1..nodes).flat_map(of_shift).collect(),
            sets: DeliverySets::default(),
        },
    );
}

fn arrive(simulation: &Simulation, workload: Workload) {
    let mut engine = simulation.engine(1).unwrap_or_else(|e| panic!("{e}"));
    let outcome = simulation.run_on(&mut *engine, &workload, &mut ());
    assert_eq!(outcome.end, End::Finished);
    assert!(outcome.messages.iter().all(|m| m.delivered_cycle != NEVER));
    assert!(
        outcome
            .connections
            .iter()
            .all(|connection| !connection.wrong)
    );
}

/// All pairs of small trees; in a soak all of 4,096 processors, and a million drawn ones of
/// 786,432.
#[test]
fn every_route_arrives() {
    for network in [
        "nodes=64",
        "nodes=64\nup_stage='two-crossbars'",
        "nodes=64\nclimb='height'",
        "nodes=768\nleaf='B12'",
    ] {
        every_pair_arrives(network);
    }
    if soak_cases().is_some() {
        every_pair_arrives("nodes=4096");
        let text = text(
            "nodes=786432\nleaf='B192'",
            "turns=0\nclose='end'",
            "pattern='random'\nrepeat=2",
            "random",
            1_000_000_000,
        );
        let mut config = support::config(&text);
        config.run.engine = EngineKind::Event;
        let simulation = Simulation::new(&config).expect("legal");
        let workload = simulation.replicate(0).expect("no trace").workload;
        assert!(workload.messages.len() > 1_000_000);
        arrive(&simulation, workload);
    }
}

/// Wires of given clocks: every message takes what the plain host says.
#[test]
fn messages_are_delivered_in_time() {
    let trees = [
        "nodes=64\nlink_delay_cycles=0",
        "nodes=4096\nlink_delay_cycles=3",
        "nodes=768\nleaf='B12'\nlink_delay_cycles=2",
        "nodes=3072\nleaf='B12'\nlink_delay_cycles=[1,4]",
        "nodes=3072\nleaf='B48'\nlink_delay_cycles=0",
    ];
    for (at, network) in trees.into_iter().enumerate() {
        let traffic = "pattern='random'\nmessages=60\nrepeat=2\nwords=5";
        let text = text(
            network,
            INTERFACES[at % 4],
            traffic,
            STRATEGIES[at % 3],
            100_000,
        );
        let config = support::config(&text);
        let expected = plain_host::run(&config);
        assert_eq!(expected.end, End::Finished, "{text}");
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let outcome = simulation.run_all().unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(outcome[0].messages, expected.messages, "{text}");
        assert_eq!(outcome[0].connections, expected.connections, "{text}");
    }
}

/// Messages take one of several routes where wires have their real lengths, and the host finds out
/// afterwards which: every delivery is matched with its message, and no earlier than the fewest
/// cycles of the route.
#[test]
fn deliveries_over_drawn_ways_are_matched() {
    for (at, network) in [
        "nodes=4096",
        "nodes=768\nleaf='B12'",
        "nodes=12288\nleaf='B192'",
    ]
    .into_iter()
    .enumerate()
    {
        let traffic = "pattern='random'\nmessages=200\nrepeat=2\nwords=5";
        let text = text(network, INTERFACES[at + 1], traffic, "backoff", 100_000);
        let config = support::config(&text);
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let outcome = simulation
            .run_all()
            .unwrap_or_else(|e| panic!("{e}"))
            .remove(0);
        let mut ways = std::collections::BTreeSet::new();
        for (message, connection) in outcome.messages.iter().zip(&outcome.connections) {
            assert_ne!(message.delivered_cycle, NEVER, "{text}");
            assert_ne!(connection.opened_cycle, NEVER, "{text}");
            let route = simulation
                .network()
                .route(message.source, message.destination);
            let opened = connection.opened_cycle - connection.launched_cycle;
            let least = route.bytes.len() as u64 + u64::from(route.stages);
            assert!(opened >= least, "{text}");
            assert_eq!(message.delivered_cycle - connection.opened_cycle, 5 + 1);
            ways.insert(opened - least);
        }
        assert!(ways.len() > 2, "wires differ: {ways:?}");
    }
}
