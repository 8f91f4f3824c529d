//! Points of steady traffic: verdicts in tables and pictures, lengthening, and saturation, where the
//! answers are known.

use super::*;
use crate::sweep::figure::{Saturated, title};
use crate::sweep::lengthen::settle;
use crate::sweep::saturation::{Saturation, find, tripled};
use crosswave_base::diagnostic::Error;
use crosswave_network::traffic::TrafficConfig;
use crosswave_run::result::steady::Verdict;

/// Two nodes, whose interfaces are queues with one server: fifteen cycles for eight words.
const QUEUES: &str = "[network]\nkind='fat-tree'\nnodes=2\n\
                      [traffic]\npattern='steady'\nload=0.2\nwords=8\ncycles=20000\n\
                      [run]\nengine='event'\n";

fn search(text: &str) -> Saturation {
    let point = &points(&[], text)[0];
    let store = Store::default();
    let mut measure = |point: &SweepPoint| run(point, &StopRule::exactly(4), &store, &mut ());
    find(point, &mut measure).unwrap_or_else(|error| panic!("{error}"))
}

/// A queue takes eight words in fifteen cycles at most.
#[test]
fn queues_saturate_when_their_server_is_busy() {
    let found = search(QUEUES);
    let most = 8.0 / 15.0;
    let (low, high) = (
        found.low_load_fraction,
        found.high_load_fraction.expect("an end"),
    );
    assert!(low <= most && most <= high, "{low} to {high}");
    assert!((high - low) / high <= 0.03, "{low} to {high}");
    // Without load a message takes the 14 cycles of the way.
    let alone = found.zero_load_latency_cycles.expect("messages");
    assert!((14.0..14.02).contains(&alone), "{alone}");
    assert!(found.tries.iter().all(|one| one.cycles >= 20_000));
    let (middle, half) = found.load_with_half_width().expect("an interval");
    assert!((middle - half - low).abs() < 1e-12 && (middle + half - high).abs() < 1e-12);
    // The same again, and from a configuration with another load.
    assert_eq!(search(QUEUES), found);
    assert_eq!(search(&QUEUES.replace("load=0.2", "load=0.9")), found);
}

/// Each station of a tandem takes a word per cycle: nearly all that a node can offer is followed.
#[test]
fn a_tandem_follows_nearly_all_loads() {
    let text = "[network]\nkind='binary-fat-tree'\nnodes=2\n[router]\nqueue_packets='unlimited'\n\
                [traffic]\npattern='steady'\nload=0.2\nwords=8\ncycles=20000\n\
                [run]\nengine='event'\n";
    let found = search(text);
    assert!(found.low_load_fraction > 0.95, "{found:?}");
    assert!(
        found
            .zero_load_latency_cycles
            .is_some_and(|cycles| (10.0..10.02).contains(&cycles))
    );
}

#[test]
fn the_load_of_three_times_the_latency_is_interpolated() {
    let points = [(0.1, Some(20.0)), (0.2, Some(60.0)), (0.3, None)];
    assert!((tripled(10.0, points).expect("between two") - 0.125).abs() < 1e-12);
    assert_eq!(tripled(10.0, [(0.1, Some(20.0)), (0.2, None)]), None);
    assert_eq!(tripled(10.0, [(0.1, Some(20.0))]), None);
}

fn settled(text: &str, times: u64) -> (u64, Verdict) {
    let point = &points(&[], text)[0];
    let store = Store::default();
    let mut measure = |point: &SweepPoint| -> Result<Option<Measured>, Error> {
        run(point, &StopRule::exactly(4), &store, &mut ()).map(Some)
    };
    let settled = settle(point, times, &mut measure).unwrap_or_else(|error| panic!("{error}"));
    let (point, measured) = settled.expect("it is measured");
    let TrafficConfig::Steady(traffic) = &point.config.traffic else {
        panic!("the traffic is another one");
    };
    let found = measured.stationarity(&point.config, measured.len());
    (traffic.cycles, found.expect("a verdict").verdict)
}

/// A queue that is busy for 84 of 100 cycles is stationary only after a while; one that is offered
/// too much never is, which two lengths tell; and one that is idle mostly is at once.
#[test]
fn points_are_lengthened_until_they_are_stationary() {
    let text = |load: &str, cycles| {
        let text = QUEUES.replace("load=0.2", &format!("load={load}"));
        text.replace("cycles=20000", &format!("cycles={cycles}"))
    };
    assert_eq!(
        settled(&text("0.2", 20_000), 64),
        (20_000, Verdict::Stationary)
    );
    let (cycles, verdict) = settled(&text("0.45", 1_000), 256);
    assert!(
        cycles > 2_000 && verdict == Verdict::Stationary,
        "{cycles} {verdict:?}"
    );
    let (cycles, verdict) = settled(&text("0.45", 1_000), 2);
    assert!(
        cycles == 2_000 && verdict != Verdict::Stationary,
        "{cycles} {verdict:?}"
    );
    assert_eq!(
        settled(&text("0.7", 5_000), 64),
        (10_000, Verdict::NotStationary)
    );
    assert_eq!(
        settled(&text("0.7", 5_000), 1),
        (5_000, Verdict::NotStationary)
    );
}

/// A point above saturation has a mean and no interval, in all forms, is a ring, and is not given more
/// replicates than the fewest. Saturation is marked at its place.
#[test]
fn points_that_are_not_stationary_are_told() {
    let varied = [vary("traffic.load=0.1,0.2,0.7")];
    let points = points(&varied, QUEUES);
    let measure = "steady.latency_cycles.mean".to_owned();
    let wish = wanted(&[&measure], 4, 32, 0.0001);
    let store = Store::default();
    let rows = points.iter().map(|point| {
        let measured = run(point, &wish, &store, &mut ());
        (point, measured.unwrap_or_else(|error| panic!("{error}")))
    });
    let table = Table::new(&varied, rows.collect()).led_by(std::slice::from_ref(&measure));
    let counts: Vec<usize> = table
        .rows()
        .iter()
        .map(|(_, measured)| measured.len())
        .collect();
    assert_eq!(counts, [32, 32, 4]);
    let half = |row| table.mean(row, &measure).expect("a mean").half_width_95;
    assert!(half(0).is_some() && half(1).is_some() && half(2).is_none());
    let csv = String::from_utf8(table.csv()).expect("text");
    let cells = |row| -> Vec<&str> { csv.lines().nth(row).expect("a row").split(',').collect() };
    let heading = [
        "traffic.load",
        "replicates",
        "replicates_unfinished",
        "stationarity",
        &measure,
    ];
    assert_eq!(cells(0)[..5], heading);
    assert_eq!(cells(1)[..4], ["0.1", "32", "0", "stationary"]);
    assert_eq!(cells(3)[..4], ["0.7", "4", "0", "not stationary"]);
    assert!(!cells(1)[5].is_empty() && cells(3)[5].is_empty());
    let json = table.json();
    assert_eq!(json[2]["stationarity"]["verdict"], "not stationary");
    assert_eq!(json[2]["stationarity"]["above_saturation"], true);
    assert!(json[2]["measures"][&measure]["half_width_95"].is_null());
    let columns = table.columns();
    assert!(columns.iter().any(|column| column.name == "stationarity"));
    // With the cycles of each point.
    let rows = points
        .iter()
        .zip(table.rows())
        .map(|(point, (_, measured))| (point, measured.clone()));
    let lengths = Table::new(&varied, rows.collect()).with_cycles();
    let csv = String::from_utf8(lengths.csv()).expect("text");
    assert!(
        csv.starts_with("traffic.load,traffic.cycles,replicates,"),
        "{csv}"
    );
    assert_eq!(lengths.json()[0]["traffic.cycles"], 20_000);

    let saturated = Saturated {
        values: vec![0],
        found: Saturation {
            low_load_fraction: 0.5,
            high_load_fraction: Some(0.54),
            throughput_fraction: 0.53,
            zero_load_latency_cycles: Some(14.0),
            tries: Vec::new(),
        },
        tripled_load_fraction: None,
    };
    let title = title(&points, &varied, false);
    assert_eq!(title, "fat tree, 2 nodes, steady, 8 words, 20000 cycles");
    let plain = figure::svg(&table, &title, &measure, &[]).expect("a picture");
    let marked = figure::svg(&table, &title, &measure, &[saturated]).expect("a picture");
    assert!(!plain.contains("saturation") && marked.contains("saturation"));
    assert!(marked.contains("zero load") && marked.contains("mean latency, cycles"));
    // A ring has a white middle.
    assert_eq!(plain.matches("fill=\"#FFFFFF\" stroke=\"none\"").count(), 3);
    assert!(plain.contains("not known to be stationary"));
}

/// Bursts make queues longer, and change nothing of what a server can do; those that no run could have
/// enough of are refused.
#[test]
fn bursts_saturate_as_single_messages() {
    let found = search(&QUEUES.replace("words=8", "words=8\nburst_messages=4"));
    let high = found.high_load_fraction.expect("an end");
    let most = 8.0 / 15.0;
    assert!(found.low_load_fraction <= most && most <= high, "{found:?}");
    // A message waits for those before it in its burst, seven cycles each: 21 on average.
    let alone = found.zero_load_latency_cycles.expect("messages");
    assert!((33.0..37.0).contains(&alone), "{alone}");
    let long = QUEUES.replace("words=8", "words=8\nburst_messages=1000000");
    let point = &points(&[], &long)[0];
    let error = find(point, &mut |_| panic!("nothing is run")).unwrap_err();
    let said = error.to_string();
    assert!(
        said.contains("bursts take 8000000 cycles on average"),
        "{said}"
    );
}
