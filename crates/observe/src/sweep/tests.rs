use std::path::Path;

use super::grid::{self, SweepPoint};
use super::measures::Measured;
use super::table::Table;
use super::values::Vary;
use super::{StopRule, figure, kept, take_in};
use crate::points::Store;
use crate::points::enough::Enough;
use crate::points::runner::IdleProcessors;
use crate::points::watch::Watch;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::mean_and_half_width_95;
use crosswave_run::config::Config;
use crosswave_run::result::RunResult;
use crosswave_run::simulation::Simulation;

mod pictures;
mod steady;

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

fn points(varied: &[Vary], text: &str) -> Vec<SweepPoint> {
    let count = grid::count(varied).expect("a small grid");
    let point = |index| {
        let values = grid::values(varied, index);
        let settings = varied.iter().zip(&values);
        let settings: Vec<String> = settings.map(|(vary, &at)| vary.setting(at)).collect();
        let config = Config::parse(text, "sweep", Path::new("."), &settings);
        SweepPoint {
            index,
            settings,
            values,
            config: config.unwrap_or_else(|error| panic!("{error}")),
            program: "this one".into(),
        }
    };
    (0..count).map(point).collect()
}

fn run(
    point: &SweepPoint,
    wanted: &StopRule,
    store: &Store,
    watch: &mut dyn Watch,
) -> Result<Measured, Error> {
    super::run(point, wanted, store, &IdleProcessors::default(), watch)
}

fn wanted(measures: &[&str], least: usize, most: usize, half_width_fraction: f64) -> StopRule {
    StopRule {
        measures: measures.iter().map(|&measure| measure.to_owned()).collect(),
        replicates: Enough {
            least,
            most,
            step: 1,
        },
        half_width_fraction,
    }
}

/// Means of a sweep's point are those of runs of its replicates.
#[test]
fn means_are_those_of_runs() {
    let varied = [vary("network.nodes=16,64")];
    let points = points(&varied, TEXT);
    let exactly = wanted(&["rounds"], 7, 7, 0.0);
    for point in &points {
        let store = Store::default();
        let measured = run(point, &exactly, &store, &mut ()).expect("it runs");
        let mut config = point.config.clone();
        config.run.replicates = 7;
        let outcomes = Simulation::new(&config).and_then(|all| all.run_all());
        let outcomes = outcomes.unwrap_or_else(|error| panic!("{error}"));
        let all = RunResult::new(&config, &outcomes, 0.0);
        let rounds = all.rounds.expect("there are rounds");
        let (mean, half) = measured.mean("rounds", 7).expect("it is measured");
        assert!((mean - rounds.mean).abs() < 1e-12);
        let t = crosswave_base::statistics::student_t_95(7);
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
        assert_eq!(kept(point, &exactly, &store).expect("kept"), Some(measured));
        let more = wanted(&["rounds"], 8, 8, 0.0);
        assert_eq!(kept(point, &more, &store).expect("kept"), None);
    }
}

#[test]
fn replicates_are_added_until_all_means_are_sure() {
    let varied = [vary("network.nodes=16")];
    let point = &points(&varied, TEXT)[0];
    let both = ["rounds", "latency_cycles.mean"];
    let wish = wanted(&both, 5, 2000, 0.03);
    let store = Store::default();
    let measured = run(point, &wish, &store, &mut ()).expect("it runs");
    let is_sure = |count: usize| {
        both.iter().all(|measure| {
            let (mean, half) = measured.mean(measure, count).expect("measured");
            half.is_some_and(|half| half <= 0.03 * mean)
        })
    };
    assert!(is_sure(measured.len()) && (10..2000).contains(&measured.len()));
    // One at a time gives as many, whatever was there before.
    let few = wanted(&both, 3, 3, 0.03);
    let store = Store::default();
    run(point, &few, &store, &mut ()).expect("it runs");
    let again = run(point, &wish, &store, &mut ()).expect("it runs");
    assert_eq!(again, measured);
    // More replicates in the store give the same.
    let many = wanted(&both, 1500, 1500, 0.03);
    run(point, &many, &store, &mut ()).expect("it runs");
    assert_eq!(kept(point, &wish, &store).expect("kept"), Some(measured));
}

/// Columns follow from the configuration: a point at which nobody sends has those of one at which
/// all do, and measures of nothing are empty.
#[test]
fn columns_do_not_depend_on_what_happens() {
    let kinds = [
        ("fat-tree", "nodes=16"),
        ("bidelta", "nodes=16"),
        (
            "binary-fat-tree",
            "nodes=16\n[router]\nqueue_packets=2\n[run]\nengine='event'",
        ),
        ("m-port-n-tree", "ports=4\nlevels=2"),
        ("fat-pyramid", "levels=2"),
    ];
    for (kind, rest) in kinds {
        let text = format!(
            "[traffic]\npattern='steady'\nload=0.1\nwords=2\ncycles=40\n\
             [network]\nkind='{kind}'\n{rest}\n"
        );
        let varied = [vary("traffic.load=0.0001,0.2")];
        let points = points(&varied, &text);
        let wish = wanted(
            &["messages.offered", "steady.latency_cycles.mean"],
            2,
            2,
            0.1,
        );
        let store = Store::default();
        let of_point = |point| run(point, &wish, &store, &mut ()).expect("it runs");
        let found: Vec<Measured> = points.iter().map(of_point).collect();
        let names: Vec<&[String]> = found.iter().map(Measured::names).collect();
        assert_eq!(names[0], names[1], "{kind}");
        let [none, some] = ["messages.offered", "steady.latency_cycles.mean"]
            .map(|measure| [0, 1].map(|point: usize| found[point].mean(measure, 2)));
        assert_eq!(none[0], Some((0.0, Some(0.0))), "{kind}: nobody sends");
        assert!(none[1].expect("it is counted").0 > 0.0, "{kind}");
        assert!(some[0].is_none() && some[1].is_some(), "{kind}");
        // Every column has a number at one point at least, but for replies that nobody asked for.
        let empty = |name: &&String| found.iter().all(|found| found.mean(name, 2).is_none());
        let empty: Vec<&String> = names[0].iter().filter(empty).collect();
        assert!(
            empty
                .iter()
                .all(|name| *name == "rounds" || *name == "cycles_to_finish"),
            "{kind}: {empty:?}"
        );
    }
}

#[test]
fn a_measure_that_is_none_is_told() {
    let point = &points(&[vary("network.nodes=16")], TEXT)[0];
    let wish = wanted(&["latency_cycles.meen"], 2, 2, 0.1);
    let error = run(point, &wish, &Store::default(), &mut ()).expect_err("no such number");
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
    let store = Store::default();
    let rows: Vec<(&SweepPoint, Measured)> = points
        .iter()
        .map(|point| (point, run(point, &wish, &store, &mut ()).expect("it runs")))
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
    let svg = figure::svg(&table, "words", "latency_cycles.mean", &[]).expect("a picture");
    // One for the point, one beside the name.
    assert_eq!(svg.matches("<circle").count(), 2);
    assert_eq!(
        figure::svg(&table, "words", "steady.throughput_fraction", &[]),
        Err(figure::Undrawn::Measure)
    );
}

/// The number `x` of some replicates, the last so many of which have not delivered all messages.
fn measured(values: &[f64], unfinished: usize) -> Measured {
    let rows: Vec<[f64; 1]> = values.iter().map(|&value| [value]).collect();
    let finished: Vec<bool> = (0..values.len())
        .map(|at| at + unfinished < values.len())
        .collect();
    let json = serde_json::json!({ "names": ["x"], "finished": finished, "rows": rows, "slices": vec![(); rows.len()] });
    serde_json::from_value(json).expect("numbers of replicates")
}

/// Numbers of replicates by hand, those that one has not left out.
fn by_hand(names: &[&str], rows: &[&[Option<f64>]]) -> Measured {
    let finished = vec![true; rows.len()];
    let json = serde_json::json!({ "names": names, "finished": finished, "rows": rows, "slices": vec![(); rows.len()] });
    serde_json::from_value(json).expect("numbers of replicates")
}

/// All means are to be sure: the worst of them says how many replicates are missing, and one value says
/// nothing of a spread.
#[test]
fn the_widest_interval_says_how_many_replicates_there_are_to_be() {
    // x is 10 without a spread; y is 1 to 5, mean 3 with half an interval of 1.9633, which is 1.6361
    // times 0.4 of the mean. So 5 * 1.6361^2 = 13.4 replicates are to be had next.
    let both = |y: f64| [Some(10.0), Some(y)];
    let rows = [1.0, 2.0, 3.0, 4.0, 5.0].map(both);
    let rows: Vec<&[Option<f64>]> = rows.iter().map(|row| &row[..]).collect();
    let all = by_hand(&["x", "y"], &rows);
    let config = points(&[vary("network.nodes=16")], TEXT)[0].config.clone();
    let target =
        |measures: &[&str], fraction| wanted(measures, 5, 100, fraction).target(&config, &all);
    assert_eq!(target(&["x", "y"], 0.4), 14);
    assert_eq!(target(&["y", "x"], 0.4), 14);
    assert_eq!(target(&["x"], 0.4), 5);
    // 0.7 of the mean is more than half of the interval.
    assert_eq!(target(&["x", "y"], 0.7), 5);
    // One value has no spread: 1.5^2 times as many are taken.
    let one = by_hand(&["z"], &[&[Some(1.0)], &[], &[], &[]]);
    assert_eq!(wanted(&["z"], 4, 100, 0.5).target(&config, &one), 9);
}

/// Replicates that are kept beyond those that are wanted are cut off, in a run and without one.
#[test]
fn more_replicates_that_are_kept_are_cut_off() {
    let point = &points(&[vary("network.nodes=16")], TEXT)[0];
    let store = Store::default();
    let few = wanted(&["rounds"], 4, 4, 0.0);
    let many = wanted(&["rounds"], 9, 9, 0.0);
    let all = run(point, &many, &store, &mut ()).expect("it runs");
    let mut first = all.clone();
    first.truncate(4);
    assert_eq!((all.len(), first.len()), (9, 4));
    assert_eq!(
        kept(point, &few, &store).expect("kept"),
        Some(first.clone())
    );
    assert_eq!(run(point, &few, &store, &mut ()).expect("it runs"), first);
    let alone = run(point, &few, &Store::default(), &mut ());
    assert_eq!(alone.expect("it runs"), first);
    // One replicate more than a store has is taken in, and as many or fewer are not.
    let other = Store::default();
    let eight = wanted(&["rounds"], 8, 8, 0.0);
    run(point, &eight, &other, &mut ()).expect("it runs");
    take_in(point, &store, &other).expect("stores in memory");
    let nine = kept(point, &many, &other).expect("kept");
    assert_eq!(nine, Some(all.clone()));
    take_in(point, &other, &store).expect("stores in memory");
    assert_eq!(kept(point, &many, &store).expect("kept"), Some(all));
}

/// Rows of a table: counts and cells by hand, in CSV. A measure that only the second point has stands
/// behind the one that it stands behind there.
#[test]
fn tables_have_every_cell_in_its_place() {
    let varied = [vary("traffic.words=4,8")];
    let points = points(&varied, TEXT);
    let first = by_hand(&["a", "c"], &[&[Some(1.0), Some(7.0)], &[Some(3.0), None]]);
    let second = by_hand(&["a", "b", "c"], &[&[Some(5.0), Some(6.0), Some(8.0)]]);
    let rows = points.iter().zip([first, second]).collect();
    let table = Table::new(&varied, rows);
    assert_eq!(table.measures(), ["a", "b", "c"]);
    let csv = String::from_utf8(table.csv()).expect("text");
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 3);
    // Two values 2 apart have a standard error of 1, and Student's t of one degree is 12.706.
    let half: f64 = lines[1][4].parse().expect("a number");
    assert!((half - 12.706).abs() < 1e-3);
    assert_eq!(lines[1][..4], ["4", "2", "0", "2"]);
    assert_eq!(lines[1][5..], ["", "", "7", ""]);
    assert_eq!(lines[2], ["8", "1", "0", "5", "", "6", "", "8", ""]);
    // Columns and JSON say the same, a table of unfinished replicates included.
    let late = [measured(&[2.0, 4.0, 6.0], 2), measured(&[1.0], 1)];
    let table = Table::new(&varied, points.iter().zip(late).collect());
    let columns = table.columns();
    let counts = |name: &str| {
        let column = columns.iter().find(|column| column.name == name);
        format!("{:?}", column.expect("a column").cells)
    };
    assert_eq!(counts("replicates"), "Counts([Some(3), Some(1)])");
    assert_eq!(
        counts("replicates_unfinished"),
        "Counts([Some(2), Some(1)])"
    );
    let json = table.json();
    assert_eq!(json[0]["replicates"], 3);
    assert_eq!(json[0]["replicates_unfinished"], 2);
    assert_eq!(json[0]["measures"]["x"]["mean"], 4.0);
    assert_eq!(
        json[1]["measures"]["x"]["half_width_95"],
        serde_json::Value::Null
    );
}

/// The most values of a key, and the most points of a grid.
#[test]
fn grids_end_at_their_limits() {
    let count = |text: &str| text.parse::<Vary>().map(|vary| vary.values.len());
    assert_eq!(count("a.b=1..9999:1,0"), Ok(10_000));
    assert!(count("a.b=1..10000:1,0").is_err_and(|said| said.contains("more than 10000")));
    assert!(count("a.b=1..10001:1").is_err_and(|said| said.contains("more than 10000")));
    // A range of one value.
    assert_eq!(vary("a.b=5..5:1").values, ["5"]);
    let of = |first: &str| grid::count(&[vary(first), vary("b=1..100:1"), vary("c=1..10:1")]);
    assert_eq!(of("a=1..100:1"), Some(100_000));
    assert_eq!(of("a=1..101:1"), None);
}
