//! The same of records of attempts and messages, and of the commands that show networks and files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::{check, crosswave, json, paths};
use crate::program::success;

/// A file in a folder.
fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// The paths of some documents.
fn fields<'d>(documents: impl IntoIterator<Item = &'d Value>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for document in documents {
        paths("", document, &mut found);
    }
    found
}

/// Networks whose messages are followed: circuits, whose answers come after their tails; circuits of
/// RN1; packets, some of which are lost; packets of flits.
const FOLLOWED: [&str; 4] = [
    "[network]\nkind='fat-tree'\nnodes=16\ncapacities=[1, 1, 2, 2]\n[router]\nrelease='tail'\n\
     [traffic]\npattern='random'\nrepeat=6\nwords=1\n",
    "[network]\nkind='bidelta'\nnodes=64\n[interface]\nreply_words=3\n\
     [traffic]\npattern='random'\nwords=6\n",
    "[network]\nkind='binary-fat-tree'\nnodes=16\n[traffic]\npattern='random'\nwords=3\n",
    "[network]\nkind='fat-pyramid'\nlevels=2\n[traffic]\npattern='random'\nwords=6\n",
];

/// The records of a configuration.
fn records(configuration: &str) -> Vec<Value> {
    let events = "--engine event -q --events -".split(' ');
    let arguments: Vec<&str> = ["run", configuration].into_iter().chain(events).collect();
    let output = crosswave(&arguments);
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    lines.collect()
}

/// A message that a router rejected or lost, after which an output was free and still waited for an
/// answer, where there is one.
fn collided(records: &[Value]) -> Option<String> {
    let is_freed = |record: &&Value| {
        let rivals = record["collision"]["rivals"].as_array();
        rivals.is_some_and(|rivals| rivals.iter().any(|rival| rival["freed_cycle"].is_u64()))
    };
    let mut freed = records.iter().filter(is_freed);
    let mut collided = records
        .iter()
        .filter(|record| record["collision"].is_object());
    let chosen = freed.next().or(collided.next())?;
    Some(chosen["message"].to_string())
}

#[test]
fn fields_of_records_are_those_of_the_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut attempts, mut messages) = (Vec::new(), Vec::new());
    let (mut traces, mut slowest) = (Vec::new(), Vec::new());
    for (at, text) in FOLLOWED.iter().enumerate() {
        let configuration = file(&folder, &format!("{at}.toml"), text);
        let records = records(&configuration);
        let trace =
            |of: &[&str]| json(&[&["trace", &configuration], of, &["--json", "-"]].concat());
        let message = collided(&records).unwrap_or("0".to_owned());
        traces.push(trace(&[&message]));
        slowest.push(trace(&["--slowest", "3"]));
        for record in records {
            match record["record"].as_str() {
                Some("attempt") => attempts.push(record),
                _ => messages.push(record),
            }
        }
    }
    check("run --events (lines of attempts)", &fields(&attempts), &[]);
    check("run --events (lines of messages)", &fields(&messages), &[]);
    check("trace --json", &fields(&traces), &[]);
    check("trace --slowest --json", &fields(&slowest), &[]);
}

#[cfg(feature = "parquet")]
#[test]
fn columns_of_attempts_are_those_of_the_table() {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    let folder = tempfile::tempdir().expect("a temporary folder");
    let configuration = file(&folder, "case.toml", FOLLOWED[0]);
    let table = folder.path().join("attempts.parquet");
    let name = table.display().to_string();
    crosswave(&["run", &configuration, "-q", "--events", &name]);
    let reader = SerializedFileReader::new(fs::File::open(&table).expect("a file"));
    let reader = reader.expect("a table");
    let schema = reader.metadata().file_metadata().schema();
    let columns = schema.get_fields().iter();
    let columns = columns.map(|column| column.name().to_owned()).collect();
    check("run --events (parquet)", &columns, &[]);
}

#[test]
fn fields_of_lock_step_are_those_of_the_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nrepeat=4\n[run]\nreplicates=2\n";
    let one = file(&folder, "one.toml", text);
    let other = file(
        &folder,
        "other.toml",
        &format!("{text}[router]\nwinner='fixed'\n"),
    );
    let output = crosswave(&["compare", &one, &other, "-q", "--json", "-"]);
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    check("compare --json", &fields([&found]), &[]);
}

#[test]
fn fields_of_networks_are_those_of_the_table() {
    let loads = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/loads");
    let loads = fs::read_dir(loads).expect("a folder");
    let loads = loads.map(|entry| entry.expect("an entry").path().display().to_string());
    let mut networks: Vec<Vec<String>> = loads.map(|name| vec![name]).collect();
    // Long links between stages, and faults.
    networks.push(vec!["examples/hybrid768.toml".to_owned()]);
    networks.push(vec!["examples/routers/mesh64.toml".to_owned()]);
    let faults = "examples/bidelta64.toml --set faults.random_wires=2".split(' ');
    networks.push(faults.map(str::to_owned).collect());
    if cfg!(feature = "gpu") {
        let with_network = ["examples/fft64.toml", "--gpu"];
        networks.push(with_network.map(str::to_owned).to_vec());
        networks.push(vec!["--gpu".to_owned()]);
    }
    let documents: Vec<Value> = networks
        .iter()
        .map(|network| {
            let network = network.iter().map(String::as_str);
            let arguments: Vec<&str> = ["info", "--json", "-"].into_iter().chain(network).collect();
            json(&arguments)
        })
        .collect();
    // Adapters are in programs with the GPU engine.
    let adapters = ["name", "kind", "driver", "buffer_bytes_max"];
    let adapters = adapters.map(|field| format!("adapters[].{field}"));
    let adapters = adapters.into_iter().chain(["gpu_engine_bytes".to_owned()]);
    let adapters: Vec<String> = adapters.collect();
    let unseen: Vec<&str> = match cfg!(feature = "gpu") {
        true => Vec::new(),
        false => adapters.iter().map(String::as_str).collect(),
    };
    check("info --json", &fields(&documents), &unseen);

    let routers = [
        "examples/routers/mesh_router.toml",
        "examples/routers/credit_router.toml",
        "tests/designs/parameter_router.toml",
    ];
    let routers = routers.map(|file| {
        let rtl = ["--rtl", "icarus", "--cycles", "20"];
        json(&[&["component", "check", file, "--json", "-"], &rtl[..]].concat())
    });
    let difference = ["cycle", "port", "netlist", "sources"];
    let difference = difference.map(|field| format!("rtl.first_difference.{field}"));
    // The reason is that of modules that are not alike.
    let mut unseen = vec!["parameters.reason"];
    unseen.extend(difference.iter().map(String::as_str));
    check("component check --json", &fields(&routers), &unseen);
    let prove = ["component", "prove", "--json", "-"];
    let proofs = [
        "examples/routers/butterfly_switch.toml",
        "--property",
        "resend",
        "--destination-bits",
        "2",
    ];
    let proofs = json(&[&prove[..], &proofs].concat());
    // Nothing fails, so that there is no cycle and no waveform, and a list of values is empty.
    let unseen = ["cycle", "values[].port", "values[].value", "waveform"];
    let unseen = unseen.map(|field| format!("properties[].{field}"));
    let unseen: Vec<&str> = unseen.iter().map(String::as_str).collect();
    check("component prove --json", &fields(&[proofs]), &unseen);
    let route = json(&["route", "examples/fft64.toml", "0", "5", "--json", "-"]);
    check("route --json", &fields([&route]), &[]);
    let signals = json(&["signals", "examples/fft64.toml", "--json", "-"]);
    check("signals --json", &fields([&signals]), &[]);
}

/// A waveform with a signal of bits and an event.
const WAVEFORM: &str = "$timescale 1 ns $end\n$scope module top $end\n\
                        $var wire 1 ! clock $end\n$var wire 2 \" state $end\n$var event 1 # done $end\n\
                        $var wire 1 $ first $end\n$upscope $end\n$enddefinitions $end\n\
                        #0\n0!\nb00 \"\n0$\n#5\n1!\n#10\n0!\nb01 \"\n1#\n#20\n";

/// Another one, with another scope outside, a wider signal, and one under another name.
const OTHER: &str = "$timescale 1 ns $end\n$scope module bench $end\n$scope module top $end\n\
                     $var wire 1 ! clock $end\n$var wire 3 \" state $end\n$var event 1 # done $end\n\
                     $var wire 1 $ second $end\n$upscope $end\n$upscope $end\n$enddefinitions $end\n\
                     #0\n0!\nb000 \"\n0$\n#5\n1!\n#10\n0!\nb001 \"\n1#\n#20\n";

#[test]
fn fields_of_comparisons_are_those_of_the_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let configuration = file(&folder, "case.toml", FOLLOWED[0]);
    let runs = ["1", "2"].map(|seed| {
        let path = |name: &str| folder.path().join(name).display().to_string();
        let (waveform, table) = (path(&format!("{seed}.vcd")), path(&format!("{seed}.csv")));
        let seed = format!("run.seed={seed}");
        let files = ["--vcd", &waveform, "--messages", &table];
        let arguments = [&["run", &configuration, "-q", "--set", &seed], &files[..]].concat();
        success(folder.path(), &arguments);
        [waveform, table]
    });
    let [[waveform, table], [other_waveform, other_table]] = &runs;
    let by_hand = [
        file(&folder, "one.vcd", WAVEFORM),
        file(&folder, "other.vcd", OTHER),
    ];
    let diff = |left: &str, right: &str| json(&["diff", left, right, "--json", "-"]);
    let waveforms = [
        diff(waveform, other_waveform),
        diff(&by_hand[0], &by_hand[1]),
    ];
    check("diff --json (waveforms)", &fields(&waveforms), &[]);
    let tables = diff(table, other_table);
    check("diff --json (tables)", &fields([&tables]), &[]);
}

#[test]
fn fields_of_shown_waveforms_are_those_of_the_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let waveform = file(&folder, "one.vcd", WAVEFORM);
    let show = |options: &str| {
        let options: Vec<&str> = options.split_whitespace().collect();
        json(&[&["show", &waveform, "--json", "-"], &options[..]].concat())
    };
    check("show --json", &fields([&show("")]), &[]);
    let cursors = show("--cursor 0 --cursor 1");
    check("show --cursor --json", &fields([&cursors]), &[]);
    check("show --list --json", &fields([&show("--list")]), &[]);
}

#[test]
fn fields_of_activity_are_those_of_the_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let waveform = file(&folder, "one.vcd", WAVEFORM);
    let found = json(&["activity", &waveform, "--states", "**", "--json", "-"]);
    check("activity --json", &fields([&found]), &[]);
}

#[test]
fn fields_of_netlists_are_those_of_the_table() {
    let arguments = "netlist examples/systolic/systolic.json --reset rst --cycles 3 --four-state";
    let more = ["--trigger", "fall(systolic.rst)", "--json", "-"];
    let arguments: Vec<&str> = arguments.split(' ').chain(more).collect();
    check("netlist --json", &fields([&json(&arguments)]), &[]);
}
