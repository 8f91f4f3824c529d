use std::path::Path;

use super::grid::{self, Point};
use super::measures::Measured;
use super::table::Table;
use super::values::Vary;
use super::{Wanted, figure, kept, run};
use crate::config::Config;
use crate::points::Store;
use crate::points::enough::Enough;
use crate::run::result::RunResult;
use crate::run::simulation::Simulation;
use crate::statistics::mean_and_half_width_95;

fn vary(text: &str) -> Vary {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn values_are_lists_and_ranges() {
    let values = |text: &str| vary(text).values.join(" ");
    assert_eq!(
        values("traffic.load=0.1..1.0:0.1"),
        "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0"
    );
    assert_eq!(values("a.b = 8..64*2"), "8 16 32 64");
    assert_eq!(values("a.b=1..10:4, 12"), "1 5 9 12");
    assert_eq!(values("a.b=0.05..0.4*2"), "0.05 0.1 0.2 0.4");
    assert_eq!(values("a.b=-1.5..1:0.75"), "-1.5 -0.75 0.0 0.75");
    assert_eq!(values("a.b=[1, 2],\"x, y\",z"), "[1, 2] \"x, y\" z");
    assert_eq!(values("a.b=\"..\""), "\"..\"");
    let far = values("a.b=0.00000000000000001..999999999999999999*99999999999999999");
    assert_eq!(
        far,
        "0.00000000000000001 0.99999999999999999 99999999999999998.00000000000000001"
    );
    let words = vary("retry.strategy='rounds',\"backoff\",immediate");
    let shown: Vec<&str> = (0..3).map(|at| words.shown(at)).collect();
    assert_eq!(shown, ["rounds", "backoff", "immediate"]);
    assert!(!words.is_numeric() && vary("a.b=1_000,2e3").is_numeric());
}

#[test]
fn values_that_are_none_are_told() {
    for (text, said) in [
        ("traffic.load", "no '='"),
        ("a.b=", "empty value"),
        ("a.b=1,,2", "empty value"),
        ("a.b=1..2", "without a step"),
        ("a.b=1..x:2", "no number"),
        ("a.b=2..1:1", "below its beginning"),
        ("a.b=1..2:0", "step is not above 0"),
        ("a.b=1..8*1", "whole number from 2"),
        ("a.b=0..8*2", "whole number from 2"),
        ("a.b=0..1000000000:1", "more than 10000 values"),
        ("a.b=1..2:1234567890123456789", "no number"),
        ("a.b=1,2,1", "the value 1 twice"),
        ("run.threads=1,2", "does not change"),
        ("run.replicates=1,2", "--replicates"),
        ("wave.lanes=true", "does not change"),
    ] {
        let error = text.parse::<Vary>().expect_err(text);
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn the_last_key_changes_fastest() {
    let varied = [vary("a=1,2"), vary("b=x,y,z")];
    assert_eq!(grid::count(&varied), Some(6));
    let points: Vec<Vec<usize>> = (0..6).map(|at| grid::values(&varied, at)).collect();
    assert_eq!(
        points,
        [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]].map(|point| point.to_vec())
    );
    let many = [vary("a=1..10000:1"), vary("b=1..10000:1")];
    assert_eq!(grid::count(&many), None);
}

const TEXT: &str = "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nwords=12\n\
                    [retry]\nstrategy='rounds'\n";

fn points(varied: &[Vary], text: &str) -> Vec<Point> {
    let count = grid::count(varied).expect("a small grid");
    let point = |index| {
        let values = grid::values(varied, index);
        let settings = varied.iter().zip(&values);
        let settings: Vec<String> = settings.map(|(vary, &at)| vary.setting(at)).collect();
        let config = Config::parse(text, "sweep", Path::new("."), &settings);
        Point {
            index,
            settings,
            values,
            config: config.unwrap_or_else(|error| panic!("{error}")),
        }
    };
    (0..count).map(point).collect()
}

fn wanted(measures: &[&str], least: usize, most: usize, half_width_fraction: f64) -> Wanted {
    Wanted {
        measures: measures.iter().map(|&measure| measure.to_owned()).collect(),
        replicates: Enough {
            least,
            most,
            step: 1,
        },
        half_width_fraction,
    }
}

/// What a sweep says of a point is what runs of its replicates say.
#[test]
fn means_are_those_of_runs() {
    let varied = [vary("network.nodes=16,64")];
    let points = points(&varied, TEXT);
    let exactly = wanted(&["rounds"], 7, 7, 0.0);
    for point in &points {
        let mut store = Store::default();
        let measured = run(point, &exactly, &mut store, &mut ()).expect("it runs");
        let mut config = point.config.clone();
        config.run.replicates = 7;
        let outcomes = Simulation::new(&config).and_then(|all| all.run_all());
        let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
        let all = RunResult::new(&config, &outcomes, 0.0);
        let rounds = all.rounds.expect("there are rounds");
        let (mean, half) = measured.mean("rounds", 7).expect("it is measured");
        assert!((mean - rounds.mean).abs() < 1e-12);
        let t = crate::statistics::student_t_95(7);
        assert!((half.expect("of seven") - t * rounds.stderr).abs() < 1e-12);
        let attempts: Vec<f64> = outcomes
            .iter()
            .map(|outcome| outcome.messages.iter().map(|m| f64::from(m.attempts)).sum())
            .collect();
        let attempts = mean_and_half_width_95(&attempts);
        assert_eq!(measured.mean("messages.attempts", 7), attempts);
        let names = measured.names();
        assert!(
            names
                .iter()
                .any(|name| name == "collisions.turning_by_level.0")
        );
        assert!(names.iter().any(|name| name == "latency_cycles.p99"));
        assert!(!names.iter().any(|name| {
            ["config", "histogram", "stderr", "performance"]
                .iter()
                .any(|no| name.contains(no))
        }));
        assert_eq!(
            kept(point, &exactly, &mut store).expect("kept"),
            Some(measured)
        );
        let more = wanted(&["rounds"], 8, 8, 0.0);
        assert_eq!(kept(point, &more, &mut store).expect("kept"), None);
    }
}

#[test]
fn replicates_are_added_until_all_means_are_sure() {
    let varied = [vary("network.nodes=16")];
    let point = &points(&varied, TEXT)[0];
    let both = ["rounds", "latency_cycles.mean"];
    let wish = wanted(&both, 5, 2000, 0.03);
    let mut store = Store::default();
    let measured = run(point, &wish, &mut store, &mut ()).expect("it runs");
    let is_sure = |count: usize| {
        both.iter().all(|measure| {
            let (mean, half) = measured.mean(measure, count).expect("measured");
            half.is_some_and(|half| half <= 0.03 * mean)
        })
    };
    assert!(is_sure(measured.len()) && (10..2000).contains(&measured.len()));
    // One at a time gives as many, whatever was there before.
    let few = wanted(&both, 3, 3, 0.03);
    let mut store = Store::default();
    run(point, &few, &mut store, &mut ()).expect("it runs");
    let again = run(point, &wish, &mut store, &mut ()).expect("it runs");
    assert_eq!(again, measured);
    // What is kept of more replicates gives the same.
    let many = wanted(&both, 1500, 1500, 0.03);
    run(point, &many, &mut store, &mut ()).expect("it runs");
    assert_eq!(
        kept(point, &wish, &mut store).expect("kept"),
        Some(measured)
    );
}

#[test]
fn a_measure_that_is_none_is_told() {
    let point = &points(&[vary("network.nodes=16")], TEXT)[0];
    let wish = wanted(&["latency_cycles.meen"], 2, 2, 0.1);
    let error = run(point, &wish, &mut Store::default(), &mut ()).expect_err("no such number");
    let text = error.to_string();
    assert!(text.contains("measure latency_cycles.meen"), "{text}");
    assert!(
        text.contains("rounds") && text.contains("messages.attempts"),
        "{text}"
    );
}

#[test]
fn points_that_do_not_end_are_counted_and_not_drawn() {
    let varied = [vary("traffic.words=4,400"), vary("run.cycles_max=1000")];
    let points = points(&varied, TEXT);
    let wish = wanted(&["latency_cycles.mean"], 3, 3, 0.1);
    let mut store = Store::default();
    let rows: Vec<(&Point, Measured)> = points
        .iter()
        .map(|point| {
            (
                point,
                run(point, &wish, &mut store, &mut ()).expect("it runs"),
            )
        })
        .collect();
    assert_eq!(rows[0].1.unfinished(), 0);
    assert_eq!(rows[1].1.unfinished(), 3);
    let table = Table::new(&varied, rows);
    let csv = String::from_utf8(table.csv()).expect("text");
    let columns: Vec<&str> = csv.lines().next().expect("a heading").split(',').collect();
    assert_eq!(
        columns[..5],
        [
            "traffic.words",
            "run.cycles_max",
            "replicates",
            "replicates_unfinished",
            "cycles"
        ]
    );
    let second: Vec<&str> = csv.lines().nth(2).expect("two rows").split(',').collect();
    assert_eq!(second[..4], ["400", "1000", "3", "3"]);
    let svg = figure::svg(&table, "words", "latency_cycles.mean").expect("a picture");
    // One for the point, one beside the name.
    assert_eq!(svg.matches("<circle").count(), 2);
    assert_eq!(
        figure::svg(&table, "words", "steady.throughput_fraction"),
        None
    );
}
