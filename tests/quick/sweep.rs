//! `crosswave sweep`: one process, several parts, stopped or taken up again give the same files.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{failure, files, read, success, workplace, write};

const KEYS: [&str; 5] = [
    "small.toml",
    "--vary",
    "network.nodes=16,64",
    "--vary",
    "traffic.words=2..10:4",
];

fn sweep<'a>(out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let base = ["--replicates", "3..6", "--half-width", "0.02", "--out", out];
    [&["sweep"], &KEYS[..], &base, more].concat()
}

/// Rows of a table, by their columns.
fn table(folder: &Path, name: &str) -> Vec<Vec<(String, String)>> {
    let mut reader = csv::Reader::from_path(folder.join(name)).expect("a table");
    let heading = reader.headers().expect("a heading").clone();
    reader
        .records()
        .map(|record| {
            let record = record.expect("a row");
            let cells = heading.iter().zip(record.iter());
            cells
                .map(|(name, cell)| (name.to_owned(), cell.to_owned()))
                .collect()
        })
        .collect()
}

fn cell<'a>(row: &'a [(String, String)], name: &str) -> &'a str {
    let found = row.iter().find(|(column, _)| column == name);
    &found.unwrap_or_else(|| panic!("no column {name}")).1
}

#[test]
fn a_sweep_is_the_same_in_one_go_and_in_parts() {
    let place = workplace();
    let folder = place.path();
    let said = success(folder, &sweep("whole", &["--json", "whole.json"]));
    assert!(said.contains("6 points"), "{said}");
    assert!(said.contains("sweep.csv, ") && said.contains("latency_cycles.mean.svg"));
    let csv = read(folder, "whole/sweep.csv");
    let rows = table(folder, "whole/sweep.csv");
    let keys: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| (cell(row, "network.nodes"), cell(row, "traffic.words")))
        .collect();
    let expected = [
        ("16", "2"),
        ("16", "6"),
        ("16", "10"),
        ("64", "2"),
        ("64", "6"),
        ("64", "10"),
    ];
    assert_eq!(keys, expected);
    // The numbers are those of runs.
    let json: Value = serde_json::from_str(&read(folder, "whole.json")).expect("JSON");
    for (row, point) in rows.iter().zip(json["points"].as_array().expect("points")) {
        let replicates = cell(row, "replicates");
        let settings = [
            format!("network.nodes={}", cell(row, "network.nodes")),
            format!("traffic.words={}", cell(row, "traffic.words")),
            format!("run.replicates={replicates}"),
        ];
        let mut run = vec!["run", "small.toml", "-q", "--json", "-"];
        run.extend(settings.iter().flat_map(|setting| ["--set", setting]));
        let run: Value = serde_json::from_str(&success(folder, &run)).expect("JSON");
        let attempts: f64 = cell(row, "messages.attempts").parse().expect("a number");
        let replicates: f64 = replicates.parse().expect("a number");
        let all = run["messages"]["attempts"].as_f64().expect("a number");
        assert!((attempts * replicates - all).abs() < 1e-6, "{row:?}");
        let last = &run["cycles_to_finish"];
        let cycles = &point["measures"]["cycles_to_finish"];
        let mean = cycles["mean"].as_f64().expect("a number");
        assert!((mean - last["mean"].as_f64().expect("a number")).abs() < 1e-9);
        assert!(cycles["half_width_95"].as_f64() >= last["stderr"].as_f64());
    }
    // Once more, nothing is left to do, and nothing changes.
    let before = files(&folder.join("whole/points"));
    success(folder, &sweep("whole", &["--set", "run.threads=2"]));
    assert_eq!(files(&folder.join("whole/points")), before);
    assert_eq!(read(folder, "whole/sweep.csv"), csv);
    // In parts, each with a folder of its own.
    for (part, out) in [("1/3", "a"), ("2/3", "b"), ("3/3", "c")] {
        let said = success(folder, &sweep(out, &["--shard", part]));
        assert!(said.contains("2 of 6 points, is done"), "{said}");
        assert_eq!(files(&folder.join(out)), ["points"]);
    }
    let said = failure(folder, &sweep("some", &["--merge", "a", "--merge", "c"]), 1);
    assert!(
        said.contains("2 of 6 points are not kept with as many replicates"),
        "{said}"
    );
    assert!(
        said.contains("traffic.words=6") && said.contains("point 2"),
        "{said}"
    );
    assert!(!folder.join("some/sweep.csv").exists());
    success(
        folder,
        &sweep("all", &["--merge", "a", "--merge", "b", "--merge", "c"]),
    );
    assert_eq!(read(folder, "all/sweep.csv"), csv);
    let picture = "latency_cycles.mean.svg";
    let whole = read(folder, &format!("whole/{picture}"));
    assert_eq!(read(folder, &format!("all/{picture}")), whole);
    assert!(whole.contains("network.nodes") && whole.contains("10 words"));
    // Parts that share a folder: the same command without a part finds all points there.
    success(folder, &sweep("a", &["--shard", "2/2"]));
    success(folder, &sweep("a", &[]));
    assert_eq!(read(folder, "a/sweep.csv"), csv);
}

#[test]
fn steady_traffic_shows_throughput_and_latency() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "steady.toml",
        "[network]\nkind='fat-tree'\nnodes=16\n\
         [traffic]\npattern='steady'\nload=0.1\nwords=3\ncycles=600\n",
    );
    let run = [
        "sweep",
        "steady.toml",
        "--out",
        "load",
        "--vary",
        "traffic.load=0.02..0.06:0.02",
    ];
    success(folder, &[&run[..], &["--replicates", "4"]].concat());
    let mut found = files(&folder.join("load"));
    let is_table = |name: &String| name == "sweep.parquet";
    assert_eq!(found.iter().any(is_table), cfg!(feature = "parquet"));
    found.retain(|name| !is_table(name));
    assert_eq!(
        found,
        [
            "crosswave.manifest",
            "points",
            "steady.latency_cycles.mean.svg",
            "steady.throughput_fraction.svg",
            "sweep.csv"
        ]
    );
    let rows = table(folder, "load/sweep.csv");
    let throughput = |row: &Vec<(String, String)>| -> f64 {
        cell(row, "steady.throughput_fraction")
            .parse()
            .expect("a number")
    };
    assert!(
        rows.windows(2)
            .all(|pair| throughput(&pair[0]) < throughput(&pair[1]))
    );
    // A replicate alone has no interval.
    success(folder, &[&run[..], &["--replicates", "1"]].concat());
    let rows = table(folder, "load/sweep.csv");
    assert!(
        rows.iter()
            .all(|row| cell(row, "cycles_half_width_95").is_empty())
    );
}

/// No picture of an earlier sweep stays when nothing can be drawn.
#[test]
fn a_picture_is_of_its_table() {
    let place = workplace();
    let folder = place.path();
    let run = [
        "sweep",
        "small.toml",
        "--out",
        "o",
        "--replicates",
        "1",
        "--vary",
    ];
    success(folder, &[&run[..], &["traffic.words=2,4"]].concat());
    let picture = "latency_cycles.mean.svg".to_owned();
    assert!(files(&folder.join("o")).contains(&picture));
    success(
        folder,
        &[&run[..], &["retry.strategy=immediate,backoff"]].concat(),
    );
    assert!(!files(&folder.join("o")).contains(&picture));
    assert!(!read(folder, "o/crosswave.manifest").contains(&picture));
}

#[test]
fn a_trace_is_known_by_what_is_in_it() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "traced.toml",
        "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\ntrace='t.csv'\n",
    );
    let run = [
        "sweep",
        "traced.toml",
        "--out",
        "out",
        "--vary",
        "traffic.limit=2,3",
    ];
    let run = [&run[..], &["--replicates", "1"]].concat();
    write(
        folder,
        "t.csv",
        "t_ns,source,destination,bytes\n0,0,5,16\n1,3,9,16\n",
    );
    success(folder, &run);
    let first = read(folder, "out/sweep.csv");
    write(
        folder,
        "t.csv",
        "t_ns,source,destination,bytes\n0,0,5,16\n1,3,9,16\n2,3,8,16\n",
    );
    success(folder, &run);
    assert_ne!(read(folder, "out/sweep.csv"), first);
}

#[test]
fn mistakes_are_told() {
    let place = workplace();
    let folder = place.path();
    let mut told = String::new();
    let mut fails = |arguments: &[&str], code| {
        let said = failure(
            folder,
            &[&["sweep", "small.toml"], arguments].concat(),
            code,
        );
        told += &format!("{}\n{said}\n", arguments.join(" "));
    };
    fails(&["--out", "o"], 2);
    fails(&["--out", "o", "--vary", "network.nodes=16..64"], 2);
    fails(&["--out", "o", "--vary", "network.nodes=16,24"], 2);
    fails(&["--out", "o", "--vary", "network.node=16"], 2);
    fails(
        &[
            "--out",
            "o",
            "--vary",
            "traffic.words=2",
            "--vary",
            "traffic.words=3",
        ],
        2,
    );
    let two = ["--out", "o", "--vary", "traffic.words=2,3"];
    fails(&[&two[..], &["--replicates", "9..2"]].concat(), 2);
    fails(&[&two[..], &["--half-width", "2"]].concat(), 2);
    fails(&[&two[..], &["--shard", "3/2"]].concat(), 2);
    fails(&[&two[..], &["--merge", "nowhere"]].concat(), 2);
    fails(
        &[&two[..], &["--measure", "latency_cycles.p98"]].concat(),
        2,
    );
    let measure = ["--measure", "latency_cycles.max"];
    fails(&[&two[..], &measure, &measure].concat(), 2);
    let unfinished = [&two[..], &["--set", "run.cycles_max=20"]].concat();
    fails(&[&unfinished[..], &["--shard", "2/2"]].concat(), 1);
    fails(&unfinished, 1);
    fs::remove_file(folder.join("o/crosswave.manifest")).expect("it is there");
    // Only a program with the feature `parquet` has written it.
    let _ = fs::remove_file(folder.join("o/sweep.parquet"));
    fails(&two, 2);
    insta::assert_snapshot!(told);
}

/// Networks of different kinds side by side: a row and a curve for each.
#[test]
fn configurations_are_compared() {
    let place = workplace();
    let folder = place.path();
    let steady = "[traffic]\npattern = \"steady\"\nload = 0.02\nwords = 4\ncycles = 1000\n";
    let network = |network: &str| format!("[network]\n{network}\n{steady}");
    write(
        folder,
        "fat-tree.toml",
        &network("kind = \"fat-tree\"\nnodes = 16"),
    );
    write(
        folder,
        "64.toml",
        &network("kind = \"butterfly\"\nnodes = 16"),
    );
    fs::create_dir(folder.join("other")).expect("writable");
    let mport = network("kind = \"m-port-n-tree\"\nports = 4\nlevels = 3");
    write(folder, "other/fat-tree.toml", &mport);
    let all = ["sweep", "fat-tree.toml", "64.toml", "other/fat-tree.toml"];
    let keys = ["--vary", "traffic.load=0.02,0.04", "--replicates", "2"];
    let run = |out: &[&str], code: i32| {
        let arguments = [
            &all[..],
            &keys,
            &["--set", "run.engine=event", "--out"],
            out,
        ]
        .concat();
        match code {
            0 => success(folder, &arguments),
            _ => failure(folder, &arguments, code),
        }
    };
    let printed = run(&["whole", "--json", "whole.json"], 0);
    assert!(printed.contains("6 points"), "{printed}");
    assert!(
        printed.contains("configuration") && printed.contains("fat-tree-2"),
        "{printed}"
    );
    let rows = table(folder, "whole/sweep.csv");
    let names: Vec<&str> = rows.iter().map(|row| cell(row, "configuration")).collect();
    let expected = [
        "fat-tree",
        "fat-tree",
        "64",
        "64",
        "fat-tree-2",
        "fat-tree-2",
    ];
    assert_eq!(names, expected);
    let json: Value = serde_json::from_str(&read(folder, "whole.json")).expect("JSON");
    assert_eq!(json["vary"][0][0], "configuration");
    assert_eq!(json["points"][2]["values"]["configuration"], "64");
    // A curve for each, named in the legend, under a title of what they share.
    let svg = read(folder, "whole/steady.latency_cycles.mean.svg");
    for text in [
        "\nfat-tree\n",
        "\n64\n",
        "\nfat-tree-2\n",
        "\n16 nodes, steady, 4 words, 1000 cycles\n",
    ] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    // Each point is a run of its configuration.
    let one = [
        "run",
        "64.toml",
        "--set",
        "traffic.load=0.04",
        "--set",
        "run.replicates=2",
        "-q",
    ];
    let one = success(
        folder,
        &[&one[..], &["--set", "run.engine=event", "--json", "-"]].concat(),
    );
    let one: Value = serde_json::from_str(&one).expect("JSON");
    let attempts: f64 = cell(&rows[3], "messages.attempts")
        .parse()
        .expect("a number");
    assert_eq!(one["messages"]["attempts"].as_f64(), Some(attempts * 2.0));
    // In parts, and taken together, the same.
    run(&["part-1", "--shard", "1/2"], 0);
    run(&["part-2", "--shard", "2/2"], 0);
    run(&["both", "--merge", "part-1", "--merge", "part-2"], 0);
    for name in ["sweep.csv", "steady.latency_cycles.mean.svg"] {
        assert_eq!(
            read(folder, &format!("both/{name}")),
            read(folder, &format!("whole/{name}"))
        );
    }
    // Saturation is that of each.
    let saturation = [&all[..3], &["--saturation", "traffic.load"]].concat();
    let more = [
        "--replicates",
        "2",
        "--set",
        "run.engine=event",
        "--out",
        "sat",
    ];
    let printed = success(folder, &[&saturation[..], &more].concat());
    assert!(
        printed.contains("saturation at configuration=fat-tree: between load "),
        "{printed}"
    );
    assert!(
        printed.contains("saturation at configuration=64: between load "),
        "{printed}"
    );
    let rows = table(folder, "sat/saturation.csv");
    assert_eq!(cell(&rows[1], "configuration"), "64");
    let twice = failure(
        folder,
        &["sweep", "64.toml", "64.toml", "--out", "twice"],
        2,
    );
    assert!(twice.contains("64.toml is given twice"), "{twice}");
}

/// Variants of a configuration, of which one takes keys away.
#[test]
fn variants_are_compared() {
    let place = workplace();
    let folder = place.path();
    let text = read(folder, "small.toml");
    write(
        folder,
        "small.toml",
        &format!("{text}[router]\nwinner = \"random\"\n"),
    );
    let variants = [
        "fixed: router.winner=fixed",
        "butterfly: network.kind=butterfly !router.winner",
    ];
    let sweep = ["sweep", "small.toml", "--out", "v", "--replicates", "2"];
    let sweep = [
        &sweep[..],
        &["--variant", variants[0], "--variant", variants[1]],
    ]
    .concat();
    let printed = success(folder, &sweep);
    assert!(printed.contains("2 points"), "{printed}");
    let rows = table(folder, "v/sweep.csv");
    let names: Vec<&str> = rows.iter().map(|row| cell(row, "configuration")).collect();
    assert_eq!(names, ["fixed", "butterfly"]);
    let wrong = failure(
        folder,
        &["sweep", "small.toml", "--variant", "a b=1", "--out", "w"],
        2,
    );
    assert!(wrong.contains("found no ':' after a name"), "{wrong}");
    let twice = ["--variant", "a: run.seed=1", "--variant", "a: run.seed=2"];
    let twice = failure(
        folder,
        &[&["sweep", "small.toml", "--out", "w"], &twice[..]].concat(),
        2,
    );
    assert!(twice.contains("a is given twice"), "{twice}");
}
