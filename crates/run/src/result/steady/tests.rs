use std::path::Path;

use super::*;
use crate::replicate::Replicate;
use crate::result::RunResult;
use crate::simulation::Simulation;
use crosswave_probe::message::{MessageRecord, NEVER};

fn config(text: &str) -> Config {
    Config::parse(text, "test", Path::new("."), &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// A fat tree; `more` are lines of `[traffic]` and the tables after it.
fn tree(nodes: u32, load: &str, words: u32, cycles: u64, more: &str) -> Config {
    config(&format!(
        "[network]\nkind = 'fat-tree'\nnodes = {nodes}\n[traffic]\npattern = 'steady'\n\
         load = {load}\nwords = {words}\ncycles = {cycles}\n{more}"
    ))
}

fn steady(config: &Config) -> Steady {
    let outcomes = Simulation::new(config).unwrap().run_all().unwrap();
    let result = RunResult::new(config, &outcomes, 0.0);
    result.steady.expect("steady traffic that came to its end")
}

/// The results of outcomes that are given.
fn steady_of(config: &Config, outcomes: &[Outcome]) -> Option<Steady> {
    RunResult::new(config, outcomes, 0.0).steady
}

fn message(source: u32, offered: u64, sent: u64, ended: u64, attempts: u32) -> MessageRecord {
    MessageRecord {
        attempts,
        offered_cycle: offered,
        sent_cycle: sent,
        delivered_cycle: if ended == NEVER { NEVER } else { ended - 2 },
        acknowledged_cycle: ended,
        ..MessageRecord::new(source, 1 - source, 3)
    }
}

fn outcome(end: End, messages: Vec<MessageRecord>) -> Outcome {
    Outcome {
        end,
        last_cycle: 30,
        evaluated_cycles: 30,
        messages,
        connections: Vec::new(),
        rejections: Default::default(),
        rounds: 0,
        first_loss: None,
        faulty: Vec::new(),
        longest_queues: Vec::new(),
    }
}

/// Nodes that never send count in no mean: two of these four are their own transpose.
#[test]
fn means_are_those_of_nodes_that_send() {
    let lines = "warmup_cycles = 10\ndestinations = 'transpose'";
    let config = tree(4, "0.5", 3, 20, lines);
    let second = MessageRecord {
        source: 2,
        destination: 1,
        ..message(1, 12, 13, 19, 1)
    };
    let messages = vec![message(1, 11, 12, 19, 1), second];
    let found = steady_of(&config, &[outcome(End::Finished, messages)]).unwrap();
    assert_eq!(found.offered_load_fraction, 6.0 / 20.0);
    assert_eq!(found.throughput_fraction, 6.0 / 20.0);
    assert_eq!(found.fairness.jain_index, Some(1.0));
    assert_eq!(found.fairness.throughput_min_fraction, 0.3);
}

/// Two nodes, messages of three words, a window of cycles 11 to 20: by hand.
#[test]
fn figures_of_known_records() {
    let config = tree(2, "0.5", 3, 20, "warmup_cycles = 10");
    let first = outcome(
        End::Finished,
        vec![
            message(0, 10, 11, 13, 1), // neither offered nor, but delivered in 11
            message(0, 11, 12, 22, 1), // delivered in 20
            message(1, 12, 15, 23, 3), // delivered in 21
            message(1, 21, 25, 30, 1), // offered after the window
        ],
    );
    let second = outcome(
        End::Finished,
        vec![
            message(1, 1, 2, 12, 1), // delivered in 10
            message(0, 20, 21, 30, 2),
        ],
    );
    let found = steady_of(&config, &[first.clone(), second.clone()]).unwrap();
    assert_eq!(found.window_cycles, (11, 20));
    assert_eq!(
        (found.replicates, found.messages, found.undelivered),
        (2, 3, 0)
    );
    // 3 messages of 3 words offered, 2 delivered, in 2 * 2 * 10 slots.
    assert_eq!(found.offered_load_fraction, 9.0 / 40.0);
    assert_eq!(found.throughput_fraction, 6.0 / 40.0);
    // 6 of 20 slots, and none: half their difference. So few messages do not show a steady state.
    let spread = found.spread.unwrap();
    assert!((spread.throughput - 0.15).abs() < 1e-12);
    assert_eq!(found.stationarity.verdict, Verdict::TooShort);
    assert_eq!(
        (
            found.throughput_stderr,
            found.latency_mean_stderr,
            found.stderr_rule
        ),
        (None, None, None)
    );
    let latency = found.latency_cycles.unwrap();
    assert_eq!((latency.min, latency.p50, latency.max), (10, 11, 11));
    assert_eq!(latency.mean, 32.0 / 3.0);
    // Means 11 and 10.
    assert!((spread.latency_mean.unwrap() - 0.5).abs() < 1e-12);
    let network = found.network_latency_cycles.unwrap();
    assert_eq!((network.min, network.max), (8, 10));
    assert_eq!(found.attempts_per_message, Some(2.0));
    let fairness = found.fairness;
    assert_eq!(fairness.jain_index, Some(0.5));
    assert_eq!(fairness.throughput_min_fraction, 0.0);
    assert_eq!(fairness.throughput_max_fraction, 6.0 / 20.0);

    let alone = steady_of(&config, &[first]).unwrap();
    assert_eq!((alone.throughput_stderr, alone.spread), (None, None));
    let lost = outcome(End::OutOfCycles, vec![message(0, 15, NEVER, NEVER, 0)]);
    let found = steady_of(&config, &[second, lost.clone()]).unwrap();
    assert_eq!((found.messages, found.undelivered), (2, 1));
    assert!(found.latency_cycles.is_none() && found.latency_percentiles.is_none());
    assert!(found.latency_by_routers.is_empty() && found.spread.unwrap().latency_mean.is_none());
    assert!(found.network_latency_cycles.is_none() && found.attempts_per_message.is_none());
    assert_eq!(found.fairness.jain_index, None);
    let early = Outcome {
        last_cycle: 19,
        end: End::Interrupted,
        ..lost
    };
    assert!(steady_of(&config, &[early]).is_none());
}

#[test]
fn other_traffic_is_not_steady() {
    let config = config("[network]\nkind='fat-tree'\nnodes=2\n[traffic]\npattern='random'\n");
    assert!(
        steady_of(
            &config,
            &Simulation::new(&config).unwrap().run_all().unwrap()
        )
        .is_none()
    );
}

/// Two nodes share nothing but a router, and their messages do not meet: a message takes
/// 1 clock to the wire, 2 + w + 1 past the router, and 2 back.
#[test]
fn latency_of_two_nodes_is_that_of_the_clocks() {
    for words in [1u32, 7] {
        for engine in ["gate", "event"] {
            let more = format!("[run]\nengine = '{engine}'\nreplicates = 3\n");
            let found = steady(&tree(2, "0.001", words, 50_000, &more));
            let clocks = 1 + 2 + u64::from(words) + 1 + 2;
            let network = found.network_latency_cycles.unwrap();
            assert_eq!((network.min, network.max), (clocks - 1, clocks - 1));
            let latency = found.latency_cycles.unwrap();
            assert_eq!((latency.min, latency.p50), (clocks, clocks));
            assert_eq!(found.attempts_per_message, Some(1.0));
        }
    }
}

/// Mean wait of a queue with one server, a fixed service time, and offers of such a probability in
/// each cycle (Geo/D/1, which is M/D/1 in whole cycles).
fn wait(p: f64, service: f64) -> f64 {
    p * service * (service - 1.0) / (2.0 * (1.0 - p * service))
}

/// Asserts that a mean latency is this one within four standard errors, in a steady state.
fn is_mean(found: &Steady, expected: f64, error_max: f64) {
    assert_eq!(found.stationarity.verdict, Verdict::Stationary, "{found:?}");
    let mean = found.latency_cycles.as_ref().unwrap().mean;
    let error = found.latency_mean_stderr.unwrap();
    assert!(
        (mean - expected).abs() < 4.0 * error && error < error_max,
        "{mean} ± {error} for {expected}"
    );
}

/// A sender of two nodes is a queue with one server: a message is offered in cycle c,
/// acknowledged in c + 14, and the next one is offered to the interface in c + 15.
#[test]
fn waits_of_two_nodes_are_those_of_a_queue() {
    for (load, cycles) in [
        (5, 50_000),
        (10, 50_000),
        (20, 50_000),
        (30, 100_000),
        (40, 400_000),
    ] {
        let more = "[run]\nreplicates = 8\nengine = 'event'\n";
        let found = steady(&tree(2, &format!("0.{load:02}"), 8, cycles, more));
        let p = f64::from(load) / 800.0;
        is_mean(&found, 14.0 + wait(p, 15.0), 0.02 * (14.0 + wait(p, 15.0)));
        assert_eq!(found.stderr_rule.unwrap().of, "replicates");
    }
}

/// With services S that differ the wait is p E[S (S - 1)] / (2 (1 - p E[S])) (Geo/G/1): messages of
/// two and of fourteen words, a quarter of them long, are served for nine and for twenty-one cycles.
#[test]
fn waits_of_two_lengths_are_those_of_a_queue() {
    for load in [1, 2, 3] {
        let config = config(&format!(
            "[network]\nkind = 'fat-tree'\nnodes = 2\n[traffic]\npattern = 'steady'\nload = 0.{load}\n\
             lengths = [2, 14]\nlength_weights = [3, 1]\ncycles = 200000\n\
             [run]\nreplicates = 8\nengine = 'event'\n"
        ));
        let found = steady(&config);
        let p = f64::from(load) / 10.0 / 5.0;
        let (service, square) = (12.0, (3.0 * 9.0 * 8.0 + 21.0 * 20.0) / 4.0);
        let mean = service - 1.0 + p * square / (2.0 * (1.0 - p * service));
        is_mean(&found, mean, 0.02 * mean);
        let error = found.throughput_stderr.unwrap();
        let throughput = found.throughput_fraction;
        assert!(
            (throughput - f64::from(load) / 10.0).abs() < 4.0 * error,
            "{throughput}"
        );
    }
}

/// Messages in bursts are served one after another as those of any other queue: each latency is that
/// of Lindley's recursion over the offers and lengths of its node.
#[test]
fn latencies_of_bursts_are_those_of_the_recursion() {
    for engine in ["gate", "event"] {
        let config = config(&format!(
            "[network]\nkind = 'fat-tree'\nnodes = 2\n[traffic]\npattern = 'steady'\nload = 0.2\n\
             lengths = [1, 4, 9]\nburst_messages = 6\ncycles = 20000\n[run]\nengine = '{engine}'\n"
        ));
        let outcomes = Simulation::new(&config).unwrap().run_all().unwrap();
        let messages = &outcomes[0].messages;
        let mut free_at = [0; 2];
        for message in messages {
            let free_at = &mut free_at[message.source as usize];
            let start = message.offered_cycle.max(*free_at);
            let service = u64::from(message.words) + 7;
            assert_eq!(message.acknowledged_cycle, start + service - 1);
            *free_at = start + service;
        }
        let at_once = messages
            .iter()
            .filter(|one| one.latency_cycles() < u64::from(one.words) + 7);
        assert!(messages.len() > 1500 && at_once.count() < messages.len() / 2);
    }
}

/// A few bursts have a load of their own, and say nothing about a steady state.
#[test]
fn long_bursts_are_too_short_to_tell() {
    let explained = |messages: u32, cycles: u64| {
        let more = format!("burst_messages = {messages}\n[run]\nengine = 'event'\n");
        let found = steady(&tree(64, "0.05", 8, cycles, &more));
        assert_eq!(found.stationarity.verdict, Verdict::TooShort);
        assert!(!found.stationarity.above_saturation && found.throughput_stderr.is_none());
        found.stationarity.explanation
    };
    let long = explained(1000, 20_000);
    assert!(
        long.contains("a burst takes 8000 cycles on average"),
        "{long}"
    );
    assert!(long.contains("such as traffic.cycles = 320000"), "{long}");
    let few = explained(60, 20_000);
    assert!(few.contains("too few bursts: about "), "{few}");
}

/// Packets of two nodes pass an interface, a router and an interface, each of which takes eight
/// cycles for eight words. Such stations in a row make packets wait at the first one alone, so that
/// the mean is that of a queue and the ten cycles of the way.
#[test]
fn waits_of_a_tandem_are_those_of_its_first_station() {
    for load in [1, 3, 5, 7] {
        let config = config(&format!(
            "[network]\nkind = 'binary-fat-tree'\nnodes = 2\n[traffic]\npattern = 'steady'\n\
             load = 0.{load}\nwords = 8\ncycles = 50000\n[router]\nqueue_packets = 'unlimited'\n\
             [run]\nengine = 'event'\nreplicates = 8\n"
        ));
        let found = steady(&config);
        let mean = 10.0 + wait(f64::from(load) / 80.0, 8.0);
        is_mean(&found, mean, 0.02 * mean);
    }
}

/// One replicate has errors by means of batches: the spread of the means of many runs is of that
/// size.
#[test]
fn errors_of_one_run_are_those_of_many() {
    let run = |seed: u32| {
        let more = format!("[run]\nengine = 'event'\nseed = {seed}\n");
        steady(&tree(2, "0.2", 8, 40_000, &more))
    };
    let found: Vec<Steady> = (1..=60).map(run).collect();
    let known = || found.iter().filter(|found| found.stderr_rule.is_some());
    assert!(known().count() >= 55);
    assert!(known().all(|found| found.stderr_rule.unwrap().of == "batches"));
    let mean = |of: &dyn Fn(&Steady) -> f64| known().map(of).sum::<f64>() / known().count() as f64;
    let latency = |found: &Steady| found.latency_cycles.as_ref().unwrap().mean;
    let middle = mean(&latency);
    let spread = mean(&|found| (latency(found) - middle).powi(2)).sqrt();
    let told = mean(&|found| found.latency_mean_stderr.unwrap().powi(2)).sqrt();
    assert!(
        (0.75..1.3).contains(&(told / spread)),
        "{told} for {spread}"
    );
    let middle = mean(&|found| found.throughput_fraction);
    let spread = mean(&|found| (found.throughput_fraction - middle).powi(2)).sqrt();
    let told = mean(&|found| found.throughput_stderr.unwrap().powi(2)).sqrt();
    assert!(
        (0.75..1.3).contains(&(told / spread)),
        "{told} for {spread}"
    );
}

/// Intervals of percentiles hold those of a run that is much longer, in about 95 of 100 cases.
#[test]
fn intervals_of_percentiles_hold_the_true_ones() {
    let run = |seed: u32, cycles| {
        let more = format!("[run]\nengine = 'event'\nreplicates = 4\nseed = {seed}\n");
        steady(&tree(2, "0.2", 8, cycles, &more))
            .latency_percentiles
            .unwrap()
    };
    let long = run(1, 4_000_000);
    let (mut held, mut all) = (0, 0);
    for seed in 100..150 {
        for (found, known) in run(seed, 20_000).iter().zip(&long).take(3) {
            let (Some(low), Some(high)) = (found.low_95, found.high_95) else {
                continue;
            };
            all += 1;
            held += u32::from((low..=high).contains(&known.cycles));
        }
    }
    assert!(
        all >= 130 && f64::from(held) / f64::from(all) > 0.9,
        "{held} of {all}"
    );
}

/// A warm-up that is given is taken, and one that is found is at least a fifth and at most a half.
#[test]
fn warm_ups_are_given_or_found() {
    let more = "warmup_cycles = 300\n[run]\nreplicates = 4\n";
    let given = steady(&tree(16, "0.05", 8, 3_000, more));
    assert_eq!(
        (given.window_cycles, given.warmup_rule),
        ((301, 3_000), "given")
    );
    let found = steady(&tree(16, "0.05", 8, 3_000, "[run]\nreplicates = 4\n"));
    assert_eq!(found.warmup_rule, "found (MSER)");
    let (from, to) = found.window_cycles;
    assert!(
        [601, 901, 1_201, 1_501].contains(&from) && to == 3_000,
        "{from}"
    );
    // The same window, given, gives the same numbers.
    let more = format!("warmup_cycles = {}\n[run]\nreplicates = 4\n", from - 1);
    let again = steady(&tree(16, "0.05", 8, 3_000, &more));
    assert_eq!(again.latency_cycles, found.latency_cycles);
    assert_eq!(again.latency_by_routers, found.latency_by_routers);
    assert_eq!(again.fairness, found.fairness);
    assert_eq!(
        (
            again.messages,
            again.throughput_fraction,
            again.attempts_per_message
        ),
        (
            found.messages,
            found.throughput_fraction,
            found.attempts_per_message
        )
    );
    let rows = &found.latency_by_routers;
    assert_eq!(
        rows.iter().map(|row| row.messages).sum::<u64>(),
        found.messages
    );
    assert_eq!(
        rows.iter().map(|row| row.routers).collect::<Vec<_>>(),
        [1, 3, 5, 7]
    );
}

/// Above saturation, and below it for too short a time, the window is not stationary; a run of few
/// messages is too short to tell.
#[test]
fn windows_that_are_not_steady_are_told() {
    let verdict = |load: &str, cycles| {
        let found = steady(&tree(64, load, 8, cycles, "[run]\nreplicates = 4\n"));
        assert_eq!(
            found.throughput_stderr.is_some(),
            found.stationarity.verdict == Verdict::Stationary
        );
        found.stationarity
    };
    let above = verdict("0.15", 20_000);
    assert!(above.verdict == Verdict::NotStationary && above.above_saturation);
    assert!(
        above.explanation.contains("lower traffic.load"),
        "{above:?}"
    );
    let filling = verdict("0.112", 5_000);
    assert!(filling.verdict != Verdict::Stationary, "{filling:?}");
    let below = verdict("0.05", 20_000);
    assert_eq!(below.verdict, Verdict::Stationary, "{below:?}");
    let few = verdict("0.0005", 20_000);
    assert!(few.explanation.starts_with("too few messages"), "{few:?}");
    let slow = steady(&tree(2, "0.5", 8, 5_000, "[run]\nreplicates = 4\n")).stationarity;
    assert!(slow.verdict != Verdict::Stationary, "{slow:?}");
}

/// The same figures and messages on both engines, with any number of threads, and
/// together or one by one.
#[test]
fn engines_and_threads_agree() {
    for strategy in ["immediate", "rounds", "backoff"] {
        let run = |engine: &str, threads: u32| {
            let more = format!(
                "[retry]\nstrategy = '{strategy}'\n[run]\nengine = '{engine}'\n\
                 threads = {threads}\nreplicates = 3\n"
            );
            Simulation::new(&tree(16, "0.2", 4, 400, &more))
                .unwrap()
                .run_all()
                .unwrap()
        };
        let first = run("gate", 1);
        assert!(first.iter().all(|outcome| outcome.end == End::Finished));
        assert!(first[0].messages.len() > 200 && first[0].rejections.total() > 0);
        assert_eq!(first, run("gate", 3), "{strategy}");
        assert_eq!(first, run("event", 1), "{strategy}");
        assert_eq!(first, run("event", 2), "{strategy}");
    }
    let bidelta = |engine: &str| {
        let config = config(&format!(
            "[network]\nkind = 'bidelta'\nnodes = 16\n[traffic]\npattern = 'steady'\n\
             load = 0.1\nwords = 4\ncycles = 2000\n[run]\nengine = '{engine}'\nreplicates = 2\n"
        ));
        let outcomes = Simulation::new(&config).unwrap().run_all().unwrap();
        let steady = steady_of(&config, &outcomes).unwrap();
        (outcomes, steady)
    };
    let (outcomes, steady) = bidelta("gate");
    assert_eq!((outcomes, steady.clone()), bidelta("event"));
    assert_eq!(steady.undelivered, 0);
    assert!((steady.throughput_fraction - 0.1).abs() < 0.01);
}

/// Below saturation all that is offered is delivered; above it, less. What is offered is
/// delivered in the end, with every strategy, and each message once.
#[test]
fn throughput_follows_the_load_up_to_saturation() {
    for strategy in ["immediate", "rounds", "backoff"] {
        let run = |load: &str| {
            let more = format!("[retry]\nstrategy = '{strategy}'\n[run]\nreplicates = 8\n");
            let config = tree(16, load, 8, 5_000, &more);
            let outcomes = Simulation::new(&config).unwrap().run_all().unwrap();
            for outcome in &outcomes {
                assert_eq!(outcome.end, End::Finished, "{strategy}");
                let attempts = outcome.messages.iter().map(|m| u64::from(m.attempts));
                let expected = outcome.messages.len() as u64 + outcome.rejections.total();
                assert_eq!(attempts.sum::<u64>(), expected);
                for m in &outcome.messages {
                    assert!(m.offered_cycle < m.sent_cycle && m.sent_cycle < m.delivered_cycle);
                    assert!(m.delivered_cycle < m.acknowledged_cycle);
                }
            }
            let steady = steady_of(&config, &outcomes).unwrap();
            assert_eq!(steady.undelivered, 0);
            steady
        };
        let below = run("0.05");
        let error = below.spread.unwrap().throughput;
        // Deliveries in the window less offers in it are the contents of the queues at its begin
        // less those at its end.
        let (offered, found) = (below.offered_load_fraction, below.throughput_fraction);
        assert!(
            (found - 0.05).abs() < 4.0 * error,
            "{strategy}: {found} ± {error}"
        );
        assert!((found - offered).abs() < 4.0 * error, "{strategy}: {found}");
        let above = run("0.9");
        assert!(
            above.throughput_fraction < 0.6 && (above.offered_load_fraction - 0.9).abs() < 0.02,
            "{strategy}: {above:?}"
        );
        assert!(above.latency_cycles.unwrap().mean > 5.0 * below.latency_cycles.unwrap().mean);
    }
}

/// A run that is given up at the end of the window knows throughput, and no latency.
/// Messages that never left their queues are offered, and those after the end are not.
#[test]
fn a_run_that_is_given_up_counts_what_waits() {
    let config = tree(
        4,
        "0.9",
        2,
        400,
        "warmup_cycles = 0\n[run]\ncycles_max = 400\n",
    );
    let outcomes = Simulation::new(&config).unwrap().run_all().unwrap();
    let found = steady_of(&config, &outcomes).unwrap();
    let workload = Replicate::new(&config, 0).unwrap().workload;
    assert_eq!(found.messages, workload.messages.len() as u64);
    assert!(found.undelivered > found.messages / 4 && found.undelivered < found.messages);
    assert!(found.latency_cycles.is_none() && found.throughput_fraction > 0.1);
}

#[test]
fn a_run_without_messages_ends_at_once() {
    for engine in ["gate", "event"] {
        let more = format!("[run]\nengine = '{engine}'\nreplicates = 2\n");
        let found = steady(&tree(4, "0.000001", 1000, 5, &more));
        assert_eq!((found.messages, found.throughput_fraction), (0, 0.0));
        assert!(found.latency_cycles.is_none() && found.attempts_per_message.is_none());
    }
}
