//! Known values: what a result says of outcomes that are written down here.

use super::*;
use crate::host::End;
use crate::simulation::Simulation;
use crosswave_network::Topology;
use crosswave_network::fat_tree::config::FatTreeConfig;
use crosswave_network::traffic::Strategy;
use crosswave_probe::message::{ConnectionRecord, MessageRecord, NEVER};

fn config(text: &str) -> Config {
    let config = Config::parse(text, "test", std::path::Path::new("."), &[]);
    config.unwrap_or_else(|error| panic!("{error}"))
}

/// A message from node 0 that was offered in cycle 1.
fn message(attempts: u32, sent: u64, acknowledged: u64) -> MessageRecord {
    MessageRecord {
        attempts,
        offered_cycle: 1,
        sent_cycle: sent,
        delivered_cycle: acknowledged,
        acknowledged_cycle: acknowledged,
        ..MessageRecord::new(0, 1, 4)
    }
}

fn outcome(end: End, last_cycle: u64, messages: Vec<MessageRecord>) -> Outcome {
    Outcome {
        end,
        last_cycle,
        evaluated_cycles: last_cycle - 10,
        messages,
        connections: Vec::new(),
        rejections: FatTreeConfig::new(16).tree(Strategy::Rounds).rejections(),
        rounds: last_cycle / 10,
        first_loss: None,
        faulty: Vec::new(),
        longest_queues: Vec::new(),
    }
}

fn counts(cycles: &[u64]) -> Counts {
    cycles.iter().copied().collect()
}

fn latency(cycles: &[u64]) -> Option<Latency> {
    Latency::of(&counts(cycles), Span::MESSAGE)
}

fn percentile(cycles: &[u64], percent: u64) -> u64 {
    counts(cycles).percentile(100 * percent).expect("some")
}

#[test]
fn percentiles_are_of_the_nearest_rank() {
    let ten: Vec<u64> = (1..=10).map(|rank| 10 * rank).collect();
    let found = latency(&ten).expect("ten");
    assert_eq!((found.p50, found.p90, found.p99), (50, 90, 100));
    assert_eq!((found.min, found.mean, found.max), (10, 55.0, 100));
    let eleven: Vec<u64> = (1..=11).collect();
    assert_eq!(percentile(&eleven, 50), 6);
    assert_eq!(percentile(&eleven, 90), 10);
    assert_eq!(percentile(&eleven, 99), 11);
    let hundred: Vec<u64> = (1..=100).collect();
    for percent in [1, 50, 90, 99, 100] {
        assert_eq!(percentile(&hundred, percent), percent);
    }
    assert_eq!(percentile(&[7], 1), 7);
    let many: Vec<u64> = (1..=10_000).collect();
    let found = latency(&many).expect("many");
    assert_eq!((found.p999, found.p9999), (9_990, 9_999));
    let half: Vec<u64> = (1..=5_000).collect();
    assert_eq!(latency(&half).expect("many").p9999, 5_000);
    assert_eq!(latency(&[]), None);
}

fn bins(latencies: &[u64]) -> Vec<(u64, u64, u64)> {
    let latency = latency(latencies).expect("latencies");
    let bins = latency.histogram.iter();
    bins.map(|bin| (bin.from, bin.to, bin.messages)).collect()
}

#[test]
fn bins_are_of_one_width_and_at_most_twelve() {
    assert_eq!(bins(&[5, 5, 5]), [(5, 5, 3)]);
    // Twelve values are as many bins of one; with thirteen they are of two.
    let twelve: Vec<u64> = (0..12).collect();
    let ones: Vec<_> = (0..12).map(|at| (at, at, 1)).collect();
    assert_eq!(bins(&twelve), ones);
    let thirteen: Vec<u64> = (0..13).collect();
    let mut twos: Vec<_> = (0..6).map(|at| (2 * at, 2 * at + 1, 2)).collect();
    twos.push((12, 13, 1));
    assert_eq!(bins(&thirteen), twos);
    // 100 to 231 in twelve bins of eleven, most of them empty.
    let mut found: Vec<_> = (0..12)
        .map(|at| (100 + 11 * at, 110 + 11 * at, 0))
        .collect();
    (found[0].2, found[1].2, found[11].2) = (2, 1, 1);
    assert_eq!(bins(&[100, 110, 111, 231]), found);
}

/// Bins are 1 wide up to 7; 8 to 15 has four of two, 16 to 31 four of four, and so on.
#[test]
fn growing_bins_are_four_to_each_power_of_two() {
    let found = latency(&[0, 1, 7, 8, 9, 10, 31, 28, 27, 64, 79, 80, 1 << 40]).expect("some");
    let bins = found.distribution.iter();
    let bins: Vec<(u64, u64, u64)> = bins.map(|bin| (bin.from, bin.to, bin.messages)).collect();
    let large = 1 << 40;
    let expected = [
        (0, 0, 1),
        (1, 1, 1),
        (7, 7, 1),
        (8, 9, 2),
        (10, 11, 1),
        (24, 27, 1),
        (28, 31, 2),
        (64, 79, 2),
        (80, 95, 1),
        (large, large + large / 4 - 1, 1),
    ];
    assert_eq!(bins, expected);
    let shares = found.distribution.iter().map(|bin| bin.cumulative_fraction);
    let expected = [1, 2, 3, 5, 6, 7, 9, 11, 12, 13].map(|count| f64::from(count) / 13.0);
    assert_eq!(shares.collect::<Vec<f64>>(), expected);
}

#[test]
fn counts_are_added_up() {
    let mut all = counts(&[3, 3, 70_000]);
    all.add_all(&counts(&[500, 3, 70_000]));
    assert_eq!(
        all.iter().collect::<Vec<_>>(),
        [(3, 3), (500, 1), (70_000, 2)]
    );
    assert_eq!(
        [1, 3, 4, 6, 7].map(|rank| all.ranked(rank)),
        [Some(3), Some(3), Some(500), Some(70_000), None]
    );
    // Squares about 3 of 1, 3 and 5 add up to 8.
    assert_eq!(counts(&[1, 3, 5]).variance(), 4.0);
}

#[test]
fn standard_errors_are_those_of_a_sample() {
    let of = |values: &[u64]| OverReplicates::of(values.iter().copied());
    // The squares about 2.5 add up to 5; 5 / 3 / 4 is the variance of the mean.
    let four = of(&[4, 1, 3, 2]).expect("four");
    assert!((four.stderr - (5.0_f64 / 12.0).sqrt()).abs() < 1e-15);
    assert_eq!((four.mean, four.min, four.max), (2.5, 1, 4));
    let two = of(&[10, 20]).expect("two");
    assert!((two.stderr - 5.0).abs() < 1e-15);
    assert_eq!(of(&[9]).expect("one").stderr, 0.0);
    assert_eq!(of(&[]), None);
}

#[test]
fn all_replicates_are_added_up() {
    let config = config(
        "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\n\
         [retry]\nstrategy='rounds'\n[run]\nreplicates=3",
    );
    let mut outcomes = [
        outcome(
            End::Finished,
            40,
            vec![message(2, 2, 11), message(1, 3, 40)],
        ),
        outcome(End::OutOfCycles, 60, vec![message(5, 2, NEVER)]),
        outcome(End::Finished, 50, vec![message(3, 2, 50)]),
    ];
    for (at, outcome) in (1..).zip(&mut outcomes) {
        let rows = [
            ("turning_by_level", 0, at),
            ("downward_by_level", 3, 10 * at),
        ];
        for (name, place, count) in rows
            .into_iter()
            .chain([("refused_by_receiver", 0, 100 * at)])
        {
            let rows = &mut outcome.rejections.rows;
            let row = rows.iter_mut().find(|row| row.name == name);
            row.expect("a row of fat trees").counts[place] = count;
        }
    }
    let result = RunResult::new(&config, &outcomes, 2.0);
    assert!(!result.finished);
    assert_eq!((result.replicates_run, result.replicates_finished), (3, 2));
    assert_eq!((result.cycles, result.evaluated_cycles), (150, 120));
    let Messages {
        offered,
        delivered,
        attempts,
    } = result.messages;
    assert_eq!((offered, delivered, attempts), (4, 3, 11));
    let rejections = serde_json::to_value(&result.rejections).expect("JSON");
    let expected = serde_json::json!({"collisions": {
        "total": 6 + 60 + 600,
        "turning_by_level": [6, 0, 0, 0],
        "downward_by_level": [0, 0, 0, 60],
        "refused_by_receiver": 600,
    }});
    assert_eq!(rejections, expected);
    let latency = result.latency_cycles.expect("delivered");
    assert_eq!((latency.min, latency.p50, latency.max), (10, 39, 49));
    let rounds = result.rounds.expect("rounds");
    assert_eq!((rounds.mean, rounds.min, rounds.max), (4.5, 4, 5));
    let finish = result.cycles_to_finish.expect("two finished");
    assert_eq!((finish.mean, finish.stderr), (45.0, 5.0));
    assert_eq!(result.performance.wall_seconds, 2.0);
    assert_eq!(result.performance.cycles_per_second, 60.0);
}

/// The clocks of a connection begin with the attempt that succeeded, here the third.
#[test]
fn connections_count_from_their_last_attempt() {
    let config = config("[network]\nkind='bidelta'\nnodes=16\n[traffic]\npattern='random'");
    let mut outcome = outcome(
        End::Finished,
        90,
        vec![message(3, 2, 90), message(1, 4, 20), message(2, 5, NEVER)],
    );
    outcome.rejections = config.topology().rejections();
    outcome.connections = vec![
        ConnectionRecord {
            stages: 2,
            launched_cycle: 60,
            opened_cycle: 65,
            reply_cycle: 80,
            wrong: true,
        },
        ConnectionRecord {
            stages: 2,
            launched_cycle: 4,
            opened_cycle: 9,
            ..ConnectionRecord::NEW
        },
        ConnectionRecord {
            launched_cycle: 70,
            ..ConnectionRecord::NEW
        },
    ];
    let result = RunResult::new(&config, &[outcome], 1.0);
    let connections = result.connections.expect("a bidelta network");
    let range = |cycles: Option<Latency>| cycles.map(|cycles| (cycles.min, cycles.max));
    assert_eq!(range(connections.open_cycles), Some((5, 5)));
    assert_eq!(range(connections.reply_cycles), Some((20, 20)));
    assert_eq!(range(connections.close_cycles), Some((16, 30)));
    assert_eq!(connections.wrong, 1);
}

/// In a real run, where attempts are blocked: the first word arrives as many clocks after
/// the last launch as the way has.
#[test]
fn the_first_word_takes_the_clocks_of_the_way() {
    let config = config(
        "[network]\nkind='bidelta'\nnodes=16\n[traffic]\npattern='random'\nwords=9\nrepeat=4\n\
         [run]\nengine='event'",
    );
    let outcomes = Simulation::new(&config)
        .unwrap()
        .run_all()
        .expect("no trace");
    let again = outcomes[0].messages.iter().filter(|m| m.attempts > 1);
    assert!(again.count() > 5);
    let result = RunResult::new(&config, &outcomes, 1.0);
    let open = result.connections.expect("connections").open_cycles;
    let open = open.expect("opened");
    // Two stages of one stack: a clock each, one to loop back, and one into the receiver.
    assert_eq!((open.min, open.max), (4, 4));
}

/// Sums of batches, added in their order, are the sums of all replicates.
#[test]
fn sums_of_batches_are_those_of_all() {
    let patterns = "pattern='random'\nwords=3\n[retry]\nstrategy='rounds'\n";
    let steady = "pattern='steady'\nload=0.2\nlengths=[1,4]\ncycles=400\n";
    for traffic in [patterns, steady] {
        let config = config(&format!(
            "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\n{traffic}[run]\nreplicates=7\nengine='event'\n"
        ));
        let mut outcomes = Simulation::new(&config).unwrap().run_all().unwrap();
        outcomes[2].end = End::OutOfCycles;
        outcomes[4].end = End::Stalled;
        let all = RunResult::new(&config, &outcomes, 1.0);
        for size in [1, 3, 7] {
            let mut sums = RunSums::new(&config);
            for (place, batch) in outcomes.chunks(size).enumerate() {
                let mut next = sums.beside(&config, (place * size) as u32);
                batch.iter().for_each(|outcome| next.add(outcome));
                sums.add_all(next);
            }
            assert_eq!(
                sums.failed_packets().replicate().map(|found| found.0),
                Some(4)
            );
            assert_eq!(sums.result(&config, 1.0), all, "batches of {size}");
        }
    }
}
