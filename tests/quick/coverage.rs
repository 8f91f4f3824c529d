//! `run --coverage` and `coverage`.

use std::collections::BTreeMap;
use std::path::Path;

use crosswave_run::config::Config;
use crosswave_run::coverage::CoverageReport;
use crosswave_run::simulation::Simulation;
use serde_json::Value;

use crate::program::{failure, read, root, success, workplace, write};

const TREE: &str = "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nwords=3\n";

/// Traffic that goes on beyond the cycles in which all is watched, and past windows with and without an
/// alarm.
const LONG: &str = "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='steady'\nload=0.005\n\
                    words=2\ncycles=4000\n[run]\nreplicates=3\n";

const RUN: [&str; 6] = ["run", "t.toml", "--engine", "gate", "--quiet", "--coverage"];

fn run(folder: &Path, text: &str, file: &str, more: &[&str]) {
    write(folder, "t.toml", text);
    success(folder, &[&RUN[..], &[file], more].concat());
}

fn report(folder: &Path, file: &str) -> Value {
    serde_json::from_str(&read(folder, file)).expect("JSON")
}

/// The nets of all chips, by chip and name, with whether each rose and fell.
fn nets(report: &Value) -> BTreeMap<(String, String), [bool; 2]> {
    let chips = report["chips"].as_array().expect("a list");
    let nets = chips.iter().flat_map(|chip| {
        let name = chip["chip"].as_str().expect("a name");
        let nets = chip["nets"].as_array().expect("a list");
        nets.iter().map(move |net| {
            let key = (
                name.to_owned(),
                net["net"].as_str().expect("a name").to_owned(),
            );
            (key, ["rose", "fell"].map(|of| net[of] == true))
        })
    });
    nets.collect()
}

/// Threads, and replicates one by one, change nothing.
#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let work = workplace();
    let folder = work.path();
    run(folder, LONG, "c1.json", &["--set", "run.threads=1"]);
    let first = read(folder, "c1.json");
    for threads in [2, 5] {
        let threads = format!("run.threads={threads}");
        run(folder, LONG, "c.json", &["--set", &threads]);
        assert!(read(folder, "c.json") == first, "{threads}");
    }
    // The sum of runs of a replicate each.
    let config = Config::parse(LONG, "t.toml", folder, &["run.engine=gate".to_owned()]);
    let config = config.unwrap_or_else(|error| panic!("{error}"));
    let mut files = vec!["coverage".to_owned()];
    for index in 0..3 {
        let simulation = Simulation::new(&config).and_then(Simulation::with_coverage);
        let simulation = simulation.unwrap_or_else(|error| panic!("{error}"));
        let replicate = simulation.replicate(index).expect("no trace");
        simulation
            .run_one(&replicate, &mut ())
            .expect("a sound network");
        let report = CoverageReport::of(&simulation, 1, 0, || false).expect("no loop");
        let file = format!("r{index}.json");
        write(
            folder,
            &file,
            &serde_json::to_string(&report).expect("JSON"),
        );
        files.push(file);
    }
    files.extend(["--json", "sum.json"].map(str::to_owned));
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    success(folder, &files);
    let all = nets(&report(folder, "c1.json"));
    assert_eq!(nets(&report(folder, "sum.json")), all);
    assert_eq!(report(folder, "sum.json")["replicates"], 3);
    // One replicate does not show all that three do.
    assert_ne!(nets(&report(folder, "r0.json")), all);
}

/// Shorter runs, which end in all kinds of windows, show nothing that longer ones do not.
#[test]
fn longer_runs_show_more() {
    let work = workplace();
    let folder = work.path();
    let mut before: Option<BTreeMap<_, [bool; 2]>> = None;
    let mut grown = 0;
    for cycles in [20, 63, 64, 65, 127, 130, 300, 700, 1100, 2500, 3500] {
        let text = format!("{TREE}repeat=200\n[run]\ncycles_max={cycles}\n");
        write(folder, "t.toml", &text);
        let arguments = [&RUN[..], &["c.json"]].concat();
        // Messages are on their way when the cycles are over.
        let _ = crate::program::crosswave(folder, &arguments);
        let found = nets(&report(folder, "c.json"));
        if let Some(before) = before {
            for (net, changes) in &before {
                for (was, is) in changes.iter().zip(&found[net]) {
                    assert!(!was || *is, "{net:?} by cycle {cycles}");
                }
            }
            grown += u32::from(before != found);
        }
        before = Some(found);
    }
    assert!(grown >= 5, "{grown}");
}

#[test]
fn reports_are_shown_and_written_by_lines() {
    let work = workplace();
    let folder = work.path();
    run(folder, TREE, "c.json", &[]);
    let shown = success(
        folder,
        &["coverage", "c.json", "--list", "3", "--lcov", "c.info"],
    );
    for part in [
        "fat_tree_router",
        "registers",
        "nets may toggle and did not",
        "held by a_in_data[7]",
        "more; --list",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let lines = read(folder, "c.info");
    // Each file once, and sums that are those of its lines.
    for file in lines
        .split("end_of_record\n")
        .filter(|file| !file.is_empty())
    {
        assert!(file.starts_with("TN:toggles\nSF:hdl/"), "{file}");
        let values = |key: &str| -> Vec<&str> {
            file.lines()
                .filter_map(|line| line.strip_prefix(key))
                .collect()
        };
        let number = |key: &str| values(key)[0].parse::<usize>().expect("a number");
        let hit = |key: &str| {
            let hit = values(key).into_iter().filter(|line| !line.ends_with(",0"));
            hit.count()
        };
        assert_eq!(
            (number("BRF:"), number("BRH:")),
            (values("BRDA:").len(), hit("BRDA:"))
        );
        assert_eq!(
            (number("LF:"), number("LH:")),
            (values("DA:").len(), hit("DA:"))
        );
    }
    assert!(lines.contains("SF:hdl/fat_tree_router.v\n") && lines.contains(",0\n"));
    // A run writes the same by itself.
    run(folder, TREE, "own.info", &[]);
    assert_eq!(read(folder, "own.info"), lines);
}

/// A net that inputs held in a short run changes in a longer one only if one of them does.
#[test]
fn what_holds_a_net_is_told() {
    let work = workplace();
    let folder = work.path();
    let tree = "[network]\nkind='m-port-n-tree'\nports=4\nlevels=2\n[traffic]\npattern='steady'\n";
    run(
        folder,
        &format!("{tree}load=0.02\nwords=1\ncycles=40\n"),
        "s.json",
        &[],
    );
    run(
        folder,
        &format!("{tree}load=0.1\nwords=9\ncycles=6000\n"),
        "l.json",
        &[],
    );
    let long = nets(&report(folder, "l.json"));
    let short = report(folder, "s.json");
    let mut freed = 0;
    for chip in short["chips"].as_array().expect("a list") {
        let name = chip["chip"].as_str().expect("a name");
        let changed = |net: &Value| {
            let net = net.as_str().expect("a name");
            long[&(name.to_owned(), net.to_owned())] != [false; 2]
        };
        for net in chip["nets"].as_array().expect("a list") {
            if net["reason"].is_null() || net["reason"] == "open" || !changed(&net["net"]) {
                continue;
            }
            assert_eq!(net["reason"], "inputs", "{net}");
            let mut inputs = net["inputs"].as_array().expect("a list").iter();
            assert!(inputs.any(changed), "{name}: {net}");
            freed += 1;
        }
    }
    assert!(freed > 50, "{freed}");
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let work = workplace();
    let folder = work.path();
    write(folder, "t.toml", TREE);
    let refused = |arguments: &[&str], code: i32, parts: &[&str]| {
        let said = failure(folder, arguments, code);
        for part in parts {
            assert!(said.contains(part), "{part}: {said}");
        }
    };
    let event = ["run", "t.toml", "--engine", "event", "--coverage", "c.json"];
    refused(
        &event,
        2,
        &["--coverage", "gate engine only", "--engine gate"],
    );
    let kept = [&RUN[..], &["c.json", "--checkpoints", "k"]].concat();
    refused(&kept, 2, &["--coverage", "checkpoints"]);
    let named = [&RUN[..], &["c.vcd"]].concat();
    refused(&named, 2, &["--coverage", ".vcd"]);
    assert!(!folder.join("c.json").exists());
    refused(&["coverage", "none.json"], 4, &["none.json"]);
    write(folder, "bad.json", "{\"replicates\": 1,\n \"chips\": 3}\n");
    refused(
        &["coverage", "bad.json"],
        3,
        &["bad.json", "line 2", "run --coverage"],
    );
    run(folder, TREE, "c.json", &[]);
    refused(
        &["coverage", "c.json", "--at-least", "100"],
        1,
        &[
            "chip fat_tree_router",
            "chip network_interface",
            "expected at least 100 %",
        ],
    );
    success(folder, &["coverage", "c.json", "--at-least", "10"]);
    let one = success(folder, &["coverage", "c.json", "--chip", "fat_tree_router"]);
    assert!(!one.contains("network_interface"), "{one}");
    refused(
        &["coverage", "c.json", "--chip", "router"],
        2,
        &["no chip router", "fat_tree_router, network_interface"],
    );
    // Sums that are wrong are made again, and numbers that are too large do no harm.
    let text = read(folder, "c.json");
    let mut wrong: Value = serde_json::from_str(&text).expect("JSON");
    wrong["chips"][0]["counts"] = Value::Array(Vec::new());
    wrong["replicates"] = u64::MAX.into();
    write(folder, "wrong.json", &wrong.to_string());
    success(
        folder,
        &["coverage", "wrong.json", "c.json", "--json", "right.json"],
    );
    assert_eq!(
        report(folder, "right.json")["chips"],
        report(folder, "c.json")["chips"]
    );
    let other = read(folder, "c.json").replace("\"net\": \"level[0]\"", "\"net\": \"level[9]\"");
    let other = other.replace("\"net\":\"level[0]\"", "\"net\":\"level[9]\"");
    write(folder, "other.json", &other);
    refused(
        &["coverage", "c.json", "other.json"],
        3,
        &["other.json", "one version of a chip"],
    );
}

/// Inputs with which a net of a router has a value that it never had give it that value, in the netlist of the router
/// by itself, whatever its other inputs are.
#[test]
fn ways_to_what_never_happened_lead_there() {
    let work = workplace();
    let folder = work.path();
    run(folder, TREE, "c.json", &["--coverage-reach", "10"]);
    let report = report(folder, "c.json");
    let chips = report["chips"].as_array().expect("a list");
    let router = chips.iter().find(|chip| chip["chip"] == "fat_tree_router");
    let router = router.expect("the chip");
    assert_eq!(router["reach_cycles"], 10);
    let netlist = root("hdl/netlists/fat_tree_router.json");
    let text = std::fs::read_to_string(&netlist).expect("a netlist");
    let ports: Value = serde_json::from_str(&text).expect("JSON");
    let ports = &ports["modules"]["fat_tree_router"]["ports"];
    let nets = router["nets"].as_array().expect("a list");
    let outputs: Vec<&Value> = nets
        .iter()
        .filter(|net| net["kind"] == "output" && net["reach"].is_object())
        .collect();
    assert!(outputs.len() > 9, "{}", outputs.len());
    let mut arguments: Vec<String> = ["netlist", netlist.to_str().expect("UTF-8")]
        .map(str::to_owned)
        .to_vec();
    let mut cycles = 0;
    for (number, net) in outputs.iter().enumerate() {
        let inputs = net["reach"]["inputs"].as_array().expect("a list");
        let last = net["reach"]["cycle"].as_u64().expect("a cycle");
        cycles = cycles.max(last + 1);
        let mut table = String::from("cycle");
        let mut names = Vec::new();
        for (name, port) in ports.as_object().expect("ports") {
            if port["direction"] == "input" && name != "clock" {
                table += &format!(",{name}");
                names.push((name, port["bits"].as_array().expect("bits").len()));
            }
        }
        table.push('\n');
        for cycle in 0..=last {
            table += &cycle.to_string();
            for &(name, width) in &names {
                let mut value = 0u64;
                for bit in 0..width {
                    let of_bit = match width {
                        1 => name.clone(),
                        _ => format!("{name}[{bit}]"),
                    };
                    let mut ways = inputs.iter();
                    let way = ways.find(|input| {
                        let at = input["cycle"].as_u64().expect("a cycle");
                        input["input"] == of_bit.as_str() && (at == cycle || at == 0)
                    });
                    let is_high = match way {
                        Some(input) => input["value"] == true,
                        None if name == "reset" => cycle == 0,
                        // Inputs are at rest then.
                        None if cycle == 0 => false,
                        // Anything.
                        None => (number as u64 + 3 * cycle + 7 * bit as u64) % 3 == 1,
                    };
                    value |= u64::from(is_high) << bit;
                }
                table += &format!(",{value}");
            }
            table.push('\n');
        }
        let file = format!("s{number}.csv");
        write(folder, &file, &table);
        arguments.extend(["--stimulus".to_owned(), file]);
    }
    let cycles = cycles.to_string();
    arguments.extend(["--cycles", &cycles, "--vcd", "out.vcd", "--quiet"].map(str::to_owned));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    success(folder, &arguments);
    for (number, net) in outputs.iter().enumerate() {
        let file = match outputs.len() {
            1 => "out.vcd".to_owned(),
            _ => format!("out.{number}.vcd"),
        };
        let wave = crosswave_wave::read_file(&folder.join(file)).expect("a waveform");
        let name = net["net"].as_str().expect("a name");
        let (port, bit) = match name.split_once('[') {
            Some((port, bit)) => (port, bit.trim_end_matches(']').parse().expect("a bit")),
            None => (name, 0),
        };
        let signal = wave
            .find(&format!("fat_tree_router.{port}"))
            .expect("an output");
        let cycle = net["reach"]["cycle"].as_u64().expect("a cycle");
        let value = wave
            .value_at(signal, 10 * cycle)
            .and_then(|value| value.bit(bit));
        let expected = match net["reach"]["value"] == true {
            true => crosswave_wave::Bit::One,
            false => crosswave_wave::Bit::Zero,
        };
        assert_eq!(value, Some(expected), "{net}");
    }
    let shown = success(folder, &["coverage", "c.json", "--list", "60"]);
    let lines = shown
        .lines()
        .filter(|line| line.contains("; 1 in cycle ") || line.contains("; 0 in cycle "));
    assert!(lines.count() > 10, "{shown}");
}

/// Counts of a path: passed, waited, rejected.
type PathCounts = BTreeMap<(String, Option<String>), [u64; 3]>;

/// The paths through the routers of a chip in a report.
fn paths(report: &Value, chip: &str) -> PathCounts {
    let chips = report["chips"].as_array().expect("a list");
    let found = chips.iter().find(|found| found["chip"] == chip);
    let paths = found.expect("the chip")["paths"]
        .as_array()
        .expect("a list");
    let of_path = |path: &Value| {
        let name = |of: &str| path[of].as_str().map(str::to_owned);
        let count = |of: &str| path[of].as_u64().expect("a number");
        let key = (name("input").expect("a name"), name("output"));
        (key, ["passed", "waited", "rejected"].map(count))
    };
    paths.iter().map(of_path).collect()
}

/// The same by the lines of `run --events`; a packet takes so many cycles through a router without a wait.
fn paths_of_lines(text: &str, packet_cycles: Option<u64>) -> PathCounts {
    let mut counts = PathCounts::new();
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        if record["record"] != "attempt" {
            continue;
        }
        let name = |of: &Value| of.as_str().map(str::to_owned);
        let hops = record["hops"].as_array().expect("hops");
        for hop in hops.iter().filter(|hop| !hop["output"].is_null()) {
            let key = (name(&hop["input"]).expect("a name"), name(&hop["output"]));
            let cycle = |of: &str| hop[of].as_u64().expect("a cycle");
            let passing = cycle("left_cycle") - cycle("arrived_cycle");
            let counts = counts.entry(key).or_default();
            counts[0] += 1;
            counts[1] += u64::from(packet_cycles.is_some_and(|cycles| passing > cycles));
        }
        let collision = &record["collision"];
        for output in collision["wanted"].as_array().into_iter().flatten() {
            let key = (name(&collision["input"]).expect("a name"), name(output));
            counts.entry(key).or_default()[2] += 1;
        }
    }
    counts
}

/// Circuits that are rejected, and packets that wait.
#[test]
fn paths_are_those_of_the_messages() {
    let work = workplace();
    let folder = work.path();
    let circuits = "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='steady'\nload=0.3\nwords=2\n\
                    cycles=600\n[run]\nreplicates=2\n";
    let packets = "[network]\nkind='binary-fat-tree'\nnodes=16\n[router]\nqueue_packets=4\n[traffic]\npattern='steady'\n\
                   load=0.3\nwords=1\ncycles=400\n";
    for (text, chip, packet_cycles) in [
        (circuits, "fat_tree_router", None),
        (packets, "packet_switch_q8", Some(1)),
    ] {
        let more = ["--coverage-paths", "--events", "events.jsonl"];
        run(folder, text, "c.json", &more);
        let chips = report(folder, "c.json");
        let found = paths(&chips, chip);
        let expected = paths_of_lines(&read(folder, "events.jsonl"), packet_cycles);
        assert!(expected.len() > 4, "{expected:?}");
        for (path, counts) in &found {
            let none = [0; 3];
            assert_eq!(
                counts,
                expected.get(path).unwrap_or(&none),
                "{chip} {path:?}"
            );
        }
        assert!(expected.keys().all(|path| found.contains_key(path)));
        let of = |kind: usize| found.values().map(|counts| counts[kind]).sum::<u64>();
        assert!(of(0) > 0 && of(if packet_cycles.is_some() { 1 } else { 2 }) > 0);
        // Merged with itself, every count is twice as large.
        success(
            folder,
            &["coverage", "c.json", "c.json", "--json", "both.json"],
        );
        let both = paths(&report(folder, "both.json"), chip);
        let twice = found
            .into_iter()
            .map(|(path, counts)| (path, counts.map(|count| 2 * count)));
        assert_eq!(both, twice.collect());
    }
}

#[test]
fn lcov_has_no_paths() {
    let work = workplace();
    write(work.path(), "t.toml", TREE);
    let line = [&RUN[..], &["c.info", "--coverage-paths"]].concat();
    let said = failure(work.path(), &line, 2);
    assert!(
        said.contains("--coverage-paths: LCOV has no paths"),
        "{said}"
    );
}
