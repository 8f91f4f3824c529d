//! The host against one that is obviously right (`support::plain_host`): engines share the
//! host, so comparing them with each other says nothing of it. `tests/slow/export.rs` compares it
//! with the host in Verilog.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crosswave_base::random;
use crosswave_network::traffic::{Offer, Workload};
use crosswave_probe::message::NEVER;
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::host::{End, Outcome};
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;
use proptest::prelude::*;
use proptest::strategy::Strategy;

use crate::support;
use crate::support::lockstep::random_cases;
use crate::support::plain_host::{self, Seen};

fn outcome(config: &Config, engine: EngineKind, replicate: &Replicate) -> Outcome {
    let mut config = config.clone();
    config.run.engine = engine;
    let outcome = Simulation::new(&config)
        .expect("a legal configuration")
        .run_one(replicate, &mut ());
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

/// Compares a run in both engines with the plain host, and gives what that saw.
fn compare(text: &str) -> Seen {
    let config = support::config(text);
    let replicate = Simulation::new(&config)
        .expect("a legal configuration")
        .replicate(0);
    let replicate = replicate.unwrap_or_else(|error| panic!("{error}"));
    compare_replicate(text, &config, &replicate)
}

/// The same with messages of its own.
fn compare_replicate(text: &str, config: &Config, replicate: &Replicate) -> Seen {
    let expected = plain_host::run_workload(
        &Simulation::new(config).expect("a legal configuration"),
        &replicate.workload,
    );
    for engine in [EngineKind::Event, EngineKind::Gate] {
        let found = outcome(config, engine, replicate);
        let found = Seen {
            end: found.end,
            last_cycle: found.last_cycle,
            evaluated_cycles: found.evaluated_cycles,
            messages: found.messages,
            connections: found.connections,
            collisions: found.rejections.total(),
            rounds: found.rounds,
        };
        for (id, (found, expected)) in found.messages.iter().zip(&expected.messages).enumerate() {
            assert_eq!(found, expected, "message {id}, {engine:?}:\n{text}");
        }
        assert!(
            found == expected,
            "{engine:?}:\n{text}\n{found:?}\n{expected:?}"
        );
    }
    expected
}

/// Traffic of n nodes: bursts, queues behind busy senders, and long silences.
fn any_traffic(nodes: u32) -> impl Strategy<Value = String> {
    let words = prop_oneof![1..4u32, 1..40u32];
    (0..5usize, 1..4u32, words, 0..nodes).prop_map(move |(which, repeat, words, node)| {
        let pattern = match which {
            0 => format!("pattern='random'\nrepeat={repeat}"),
            1 => format!("pattern='hot-spot'\ndestination={node}\nrepeat={repeat}"),
            2 => "pattern='steady'\nload=0.2\ncycles=150".into(),
            // A message of some node every few hundred cycles.
            3 => "pattern='steady'\nload=0.001\ncycles=2000".into(),
            _ => format!("pattern='bit-reversal'\nrepeat={repeat}"),
        };
        format!("[traffic]\n{pattern}\nwords={words}\n")
    })
}

/// Most runs come to their end, some are given up in the middle.
fn any_run() -> impl Strategy<Value = String> {
    let most = prop_oneof![3 => Just(None), 1 => (5..400u64).prop_map(Some)];
    (any::<u32>(), most).prop_map(|(seed, most)| {
        let most = most.map_or(String::new(), |most| format!("cycles_max={most}\n"));
        // Steady traffic is offered to its end.
        format!("[run]\nseed={seed}\n{most}")
    })
}

fn any_fat_tree() -> impl Strategy<Value = String> {
    let sizes = prop_oneof![Just(2u32), Just(4), Just(8), Just(16), Just(32)];
    sizes.prop_flat_map(|nodes| {
        let options = (0..3u32, 0..3usize, 0..2usize, 0..3usize, 0..3usize);
        (options, any_traffic(nodes), any_run()).prop_map(
            move |((delay, capacities, winner, release, retry), traffic, run)| {
                let capacities = ["doubling", "every-second-level", "doubling"][capacities];
                let winner = ["random", "fixed"][winner];
                let release = ["acknowledge", "early-acknowledge", "tail"][release];
                let retry = [
                    "strategy='immediate'",
                    "strategy='rounds'",
                    "strategy='backoff'\nbackoff_limit=5",
                ][retry];
                let run = fitting(&traffic, &run);
                format!(
                    "[network]\nkind='fat-tree'\nnodes={nodes}\nlink_delay_cycles={delay}\n\
                     capacities='{capacities}'\n[router]\nwinner='{winner}'\n\
                     release='{release}'\n{traffic}[retry]\n{retry}\n{run}"
                )
            },
        )
    })
}

fn any_bidelta() -> impl Strategy<Value = String> {
    prop_oneof![6 => Just(16u32), 2 => Just(64), 1 => Just(256)].prop_flat_map(|nodes| {
        let options = (0..3u32, 0..3u32, 1..5u32, 0..4u32, 0..2usize, 0..3usize);
        (options, any_traffic(nodes), any_run()).prop_map(
            move |((delay, turns, reply, wait, close, retry), traffic, run)| {
                let close = ["drop", "end"][close];
                let retry = [
                    "strategy='immediate'",
                    "strategy='random'\nbackoff_limit=4",
                    "strategy='backoff'\nbackoff_limit=5",
                ][retry];
                let run = fitting(&traffic, &run);
                format!(
                    "[network]\nkind='bidelta'\nnodes={nodes}\nlink_delay_cycles={delay}\n\
                     [interface]\nturns={turns}\nreply_words={reply}\n\
                     reply_delay_cycles={wait}\nclose='{close}'\n\
                     {traffic}[retry]\n{retry}\n{run}"
                )
            },
        )
    })
}

fn any_mport_tree() -> impl Strategy<Value = String> {
    let sizes = prop_oneof![Just((4u32, 1u32)), Just((4, 2)), Just((6, 2)), Just((4, 3))];
    sizes.prop_flat_map(|(ports, levels)| {
        let nodes = 2 * (ports / 2).pow(levels);
        let options = (0..2usize, 0..3usize, 0..3usize);
        (options, any_traffic(nodes), any_run()).prop_map(
            move |((winner, release, retry), traffic, run)| {
                let winner = ["random", "fixed"][winner];
                let release = ["acknowledge", "early-acknowledge", "tail"][release];
                let retry = [
                    "strategy='immediate'",
                    "strategy='rounds'",
                    "strategy='backoff'\nbackoff_limit=5",
                ][retry];
                // The bits of an address are reversed only where all of them are used.
                let traffic = match nodes.is_power_of_two() {
                    true => traffic,
                    false => traffic.replace("pattern='bit-reversal'", "pattern='random'"),
                };
                let run = fitting(&traffic, &run);
                format!(
                    "[network]\nkind='m-port-n-tree'\nports={ports}\nlevels={levels}\n\
                     [router]\nwinner='{winner}'\nrelease='{release}'\n\
                     {traffic}[retry]\n{retry}\n{run}"
                )
            },
        )
    })
}

/// Steady traffic is not given up while it is offered.
fn fitting(traffic: &str, run: &str) -> String {
    match traffic.contains("steady") {
        true => run
            .lines()
            .take(2)
            .map(|line| format!("{line}\n"))
            .collect(),
        false => run.to_owned(),
    }
}

#[test]
fn random_fat_trees() {
    random_cases(48, any_fat_tree(), |text| drop(compare(text)));
}

#[test]
fn random_bidelta_networks() {
    random_cases(24, any_bidelta(), |text| drop(compare(text)));
}

#[test]
fn random_mport_trees() {
    random_cases(32, any_mport_tree(), |text| drop(compare(text)));
}

/// Lets some messages of a workload wait for the delivery of one to three earlier ones.
fn with_waits(workload: &mut Workload, seed: u64) {
    let draw = |id: usize, what: u64, below: u64| {
        random::word(random::key(seed, what, 0), id as u64) % below
    };
    for id in 1..workload.messages.len() {
        if draw(id, 0, 3) == 0 {
            continue;
        }
        // Those just before it are still on their way.
        let members = 1..=1 + draw(id, 1, 3);
        let members = members.map(|k| id as u64 - 1 - draw(id, 1 + k, 8.min(id as u64)));
        let members: Vec<u32> = members.map(|before| before as u32).collect();
        let not_before = 1 + draw(id, 9, 2) * draw(id, 10, 400);
        let set = workload.sets.push(&members);
        workload.messages[id].offered = Offer::After { set, not_before };
    }
}

fn any_butterfly() -> impl Strategy<Value = String> {
    (any_traffic(16), any_run(), 0..3u32).prop_map(|(traffic, run, turns)| {
        let run = fitting(&traffic, &run);
        format!("[network]\nkind='butterfly'\nnodes=16\n[interface]\nturns={turns}\n{traffic}{run}")
    })
}

/// Replicates together leave behind what each leaves alone.
#[test]
fn waiting_messages_are_the_same_in_replicates_together() {
    for kind in ["fat-tree", "bidelta", "butterfly"] {
        let text = format!(
            "[network]\nkind='{kind}'\nnodes=16\n[traffic]\npattern='random'\nrepeat=6\nwords=5\n"
        );
        let config = support::config(&text);
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let replicates = (0..5).map(|index| {
            let mut replicate = simulation.replicate(index).expect("no trace");
            with_waits(&mut replicate.workload, 7 + u64::from(index));
            replicate
        });
        let replicates: Vec<Replicate> = replicates.collect();
        let alone = replicates
            .iter()
            .map(|one| simulation.run_one(one, &mut ()));
        let alone: Result<Vec<Outcome>, _> = alone.collect();
        let together = simulation.run(&replicates, &mut ());
        assert!(
            together.expect("the netlists compile") == alone.expect("the netlists compile"),
            "{kind}"
        );
    }
}

/// A replicate that loses messages ends before others do, and what its copy of the network still does
/// changes nothing.
#[test]
fn replicates_that_lose_messages_are_the_same_together() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/routers");
    let own = format!(
        "[network]\nkind='custom'\ncomponent='{0}/circuit_switch.toml'\nlocal=['left', 'right']\n\
         routers='{0}/butterfly64-routers.csv'\nlinks='{0}/butterfly64-links.csv'\n[traffic]\n\
         pattern='steady'\nload=0.05\ncycles=832\nwords=4\nburst_messages=15\ndestinations='others'\n\
         warmup_cycles=60\n[run]\nengine='gate'\nseed=709787061154\ncycles_max=3000\n",
        examples.display()
    );
    let queues = "[network]\nkind='m-port-n-tree-packets'\nports=4\nlevels=3\n[router]\nqueue_packets=1\n[traffic]\n\
                  pattern='random'\nrepeat=40\n[run]\nengine='gate'\n";
    for text in [&own, queues] {
        let config = support::config(text);
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let replicates = (0..4).map(|index| simulation.replicate(index).expect("no trace"));
        let replicates: Vec<Replicate> = replicates.collect();
        let alone = replicates
            .iter()
            .map(|one| simulation.run_one(one, &mut ()));
        let alone: Result<Vec<Outcome>, _> = alone.collect();
        let alone = alone.expect("the netlists compile");
        let together = simulation.run(&replicates, &mut ());
        assert!(together.expect("the netlists compile") == alone, "{text}");
        let ends: Vec<(End, u64)> = alone.iter().map(|one| (one.end, one.last_cycle)).collect();
        assert!(
            ends.iter().any(|(end, _)| *end != End::Finished)
                && ends.iter().any(|of| *of != ends[0]),
            "{ends:?}"
        );
    }
}

#[test]
fn messages_wait_for_deliveries() {
    let networks = prop_oneof![3 => any_fat_tree(), 1 => any_bidelta(), 1 => any_butterfly()];
    let met = AtomicUsize::new(0);
    random_cases(48, networks, |text| {
        let config = support::config(text);
        let replicate = Simulation::new(&config)
            .expect("a legal configuration")
            .replicate(0);
        let mut replicate = replicate.unwrap_or_else(|error| panic!("{error}"));
        with_waits(&mut replicate.workload, config.run.seed);
        let seen = compare_replicate(text, &config, &replicate);
        let (workload, messages) = (&replicate.workload, &seen.messages);
        for (of, message) in workload.messages.iter().zip(messages) {
            if let Offer::After { set, .. } = of.offered
                && message.sent_cycle != NEVER
            {
                let before = workload.sets.of(set).iter();
                let before = before.map(|&id| messages[id as usize].delivered_cycle);
                let last = before.max().expect("a set has members");
                assert!(last < message.offered_cycle && message.offered_cycle < message.sent_cycle);
                met.fetch_add(1, Ordering::Relaxed);
            }
        }
    });
    let met = met.into_inner();
    assert!(met > 500, "{met} messages waited");
}

/// The random cases have to meet retries, silences, and runs that are given up between an answer
/// and its tail.
#[test]
fn what_is_hard_is_met() {
    let tree = "[network]\nkind='fat-tree'\nnodes=16\n";
    let tails =
        "[router]\nrelease='early-acknowledge'\n[traffic]\npattern='random'\nwords=30\nrepeat=3\n";
    let all = compare(&format!("{tree}{tails}"));
    let early = |seen: &Seen| {
        let messages = seen.messages.iter();
        let early = messages.filter(|m| m.acknowledged_cycle < m.delivered_cycle);
        early.count()
    };
    assert!(early(&all) > 10 && all.collisions > 10);
    for less in 1..20 {
        let most = all.last_cycle - 3 * less;
        let cut = compare(&format!("{tree}{tails}[run]\ncycles_max={most}\n"));
        assert_eq!((cut.end, cut.last_cycle), (End::OutOfCycles, most));
    }

    // Silences: most edges are not evaluated.
    let rare = "[traffic]\npattern='steady'\nload=0.0002\nwords=2\ncycles=30000\n";
    for kind in ["fat-tree", "bidelta"] {
        let seen = compare(&format!(
            "[network]\nkind='{kind}'\nnodes=16\n{}{rare}",
            match kind {
                "bidelta" => "link_delay_cycles=0\n",
                _ => "",
            }
        ));
        assert!(seen.messages.len() > 30);
        assert!(2 * seen.evaluated_cycles < seen.last_cycle, "{kind}");
    }
}
