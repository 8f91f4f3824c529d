//! No output of a command replaces what the command reads, or another output, whatever they are
//! called: every case is refused with exit code 2, and all files are what they were.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crosswave_base::random;

use crate::program::{crosswave, failure, files, success, write};
use crate::support::lockstep::soak_cases;

/// An m-port tree with a routing table and a trace, both read by their names in the configuration.
const TABLES: &str = "[network]\nkind = 'm-port-n-tree'\nports = 4\nlevels = 2\n\
    tables = 'table.csv'\n[traffic]\ntrace = 'trace.csv'\n";

/// A folder with the configuration `tree.toml` and what it reads.
fn workplace() -> tempfile::TempDir {
    let work = tempfile::tempdir().expect("a folder");
    let folder = work.path();
    let plain = TABLES.replace("tables = 'table.csv'", "routing = 'd-mod-k'");
    write(folder, "plain.toml", &plain);
    write(
        folder,
        "trace.csv",
        "t_ns,source,destination,bytes\n0,0,7,9\n50000,1,6,9\n",
    );
    let made = ["oblivious", "plain.toml", "--write-tables", "table.csv"];
    success(folder, &made);
    write(folder, "tree.toml", TABLES);
    work
}

/// The content of every file of a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = files(folder).into_iter();
    let content = |name: String| {
        let bytes = fs::read(folder.join(&name)).expect("a file");
        (name, bytes)
    };
    names
        .filter(|name| folder.join(name).is_file())
        .map(content)
        .collect()
}

/// Runs a command that has to be refused, for the reason that is given, and to leave all files.
fn refused(folder: &Path, line: &str, reason: &str) {
    let before = contents(folder);
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let said = failure(folder, &arguments, 2);
    assert!(said.contains(reason), "{line}: {said}");
    assert!(contents(folder) == before, "{line}: a file is another one");
}

#[test]
fn no_command_replaces_what_it_reads() {
    let work = workplace();
    let folder = work.path();
    let set = "--window 0..9";
    let run = "run tree.toml --checkpoints c.checkpoints -q";
    success(folder, &run.split(' ').collect::<Vec<&str>>());
    let mut count = 0;
    for (input, what) in [
        ("tree.toml", "the configuration"),
        ("table.csv", "the routing table"),
        ("trace.csv", "the trace"),
    ] {
        // A name of its own that leads to the input.
        let link = folder.join("link");
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(input, &link).expect("a link");
        for command in [
            "run tree.toml --messages".to_owned(),
            "run tree.toml --events".into(),
            "run tree.toml --json".into(),
            "run tree.toml --checkpoints".into(),
            "run tree.toml --collisions".into(),
            "run tree.toml --vcd".into(),
            "info tree.toml --json".into(),
            "info tree.toml --structure".into(),
            "route tree.toml 0 7 --json".into(),
            "signals tree.toml --json".into(),
            "trace tree.toml 0 --json".into(),
            "trace tree.toml 0 --svg".into(),
            format!("view tree.toml {set} --html"),
            "sweep tree.toml --vary run.seed=1,2 --replicates 1 --out swept --json".into(),
            "export tree.toml --verilog exported --json".into(),
            "oblivious tree.toml --json".into(),
            "oblivious tree.toml --witness".into(),
            "oblivious tree.toml --write-tables".into(),
            "replay tree.toml --checkpoints c.checkpoints --from 1 --to 9 --vcd".into(),
        ] {
            // The network alone is read by these.
            let is_network = ["route", "oblivious"]
                .iter()
                .any(|of| command.starts_with(of));
            if is_network && what == "the trace" || command.contains("--collisions") {
                continue;
            }
            for name in [input, "link"] {
                let line = format!("{command} {name}");
                let before = contents(folder);
                let arguments: Vec<&str> = line.split_whitespace().collect();
                let said = failure(folder, &arguments, 2);
                // An ending that promises another format is told before, or after.
                let reason = format!("is what {what} is read from");
                let ending = "is the only format that is written here";
                assert!(
                    said.contains(&reason) || said.contains(ending),
                    "{line}: {said}"
                );
                assert!(contents(folder) == before, "{line}: a file is another one");
                count += usize::from(said.contains(&reason));
            }
        }
    }
    assert!(count > 60, "{count} cases came to the comparison");
}

#[test]
fn inputs_that_options_name_are_kept() {
    let work = workplace();
    let folder = work.path();
    let run = "run tree.toml -q --checkpoints c.checkpoints --vcd w.vcd --messages m.csv";
    success(folder, &run.split(' ').collect::<Vec<&str>>());
    fs::copy(
        crate::program::root("tests/netlist_data/stages.json"),
        folder.join("n.json"),
    )
    .expect("a netlist");
    write(folder, "s.csv", "cycle,drain,a,b\n1,0,0x4,0xf\n");
    let made = "schedule broadcast --nodes 8 --out schedule.csv";
    success(folder, &made.split(' ').collect::<Vec<&str>>());
    for (line, what) in [
        (
            "replay tree.toml --checkpoints c.checkpoints --from 1 --to 9 --wave c.checkpoints --wave-format vcd",
            "the file of checkpoints",
        ),
        ("show w.vcd --window 0..9 --svg w.vcd", "the waveform"),
        ("show w.vcd --window 0..9 --json ./w.vcd", "the waveform"),
        ("diff w.vcd w.vcd --json w.vcd", "the waveform"),
        ("diff m.csv m.csv --json ./m.csv", "the table of messages"),
        ("netlist n.json --cycles 3 --json n.json", "the netlist"),
        (
            "netlist n.json --stimulus s.csv --vcd s.csv",
            "the stimulus",
        ),
        (
            "schedule check schedule.csv --nodes 8 --json schedule.csv",
            "the schedule",
        ),
        (
            "oblivious plain.toml --tables table.csv --witness table.csv",
            "the routing table",
        ),
    ] {
        let before = contents(folder);
        let said = failure(folder, &line.split(' ').collect::<Vec<&str>>(), 2);
        let reason = format!("is what {what} is read from");
        let ending = "is the only format that is written here";
        assert!(
            said.contains(&reason) || said.contains(ending),
            "{line}: {said}"
        );
        assert!(contents(folder) == before, "{line}: a file is another one");
    }
}

#[test]
fn windows_of_triggers_are_outputs_before_the_run() {
    let work = workplace();
    let folder = work.path();
    let with_input = |name: &str| fs::copy(folder.join("tree.toml"), folder.join(name));
    let run = |file: &str, more: &str| {
        format!("run {file} -q --trigger launched --set wave.triggers=2 {more}")
    };
    with_input("z.1.vcd").expect("a configuration");
    let read = "is what the configuration is read from";
    refused(folder, &run("z.1.vcd", "--vcd z.vcd"), read);
    std::os::unix::fs::symlink("trace.csv", folder.join("y.0.vcd")).expect("a link");
    let read = "is what the trace is read from";
    refused(folder, &run("tree.toml", "--vcd y.vcd"), read);
    let twice = "is the file of --wave as well";
    refused(
        folder,
        &run("tree.toml", "--wave out --wave-format vcd --messages out.1"),
        twice,
    );
    refused(
        folder,
        &run(
            "tree.toml",
            "--wave w --wave-format vcd --viewer-files --json w.1",
        ),
        twice,
    );
    let device = "/dev/null is no regular file, and each of 2 moments";
    refused(folder, &run("tree.toml", "--vcd /dev/null"), device);
    // One that cannot be written is found before the run, which leaves nothing.
    fs::create_dir(folder.join("x.1.vcd")).expect("a folder");
    let before = contents(folder);
    let line = run("tree.toml", "--vcd x.vcd --messages m.csv");
    let said = failure(folder, &line.split(' ').collect::<Vec<&str>>(), 4);
    assert!(said.contains("x.1.vcd"), "{said}");
    assert!(contents(folder) == before, "files are others");
    // One moment has the name itself.
    let one = "run tree.toml -q --trigger launched --vcd x.vcd";
    success(folder, &one.split(' ').collect::<Vec<&str>>());
}

#[test]
fn two_outputs_of_a_folder_are_not_one_file() {
    let work = workplace();
    let folder = work.path();
    let succeeds = |line: &str| {
        success(folder, &line.split(' ').collect::<Vec<&str>>());
    };
    let said_of = |line: &str| failure(folder, &line.split(' ').collect::<Vec<&str>>(), 2);
    succeeds("export plain.toml --verilog ex --json result.json");
    let all = |name: &str| contents(&folder.join(name));
    let before = all("ex");
    for name in ["README.txt", "crosswave.manifest", "../ex/run-icarus.sh"] {
        let said = said_of(&format!("export plain.toml --verilog ex --json ex/{name}"));
        assert!(said.contains("is the file of --json as well"), "{said}");
        assert!(all("ex") == before);
    }
    // Names that the folder does not use are free.
    succeeds("export plain.toml --verilog ex --json ex/own.json");
    let said = said_of("export plain.toml --verilog new --json new");
    assert!(said.contains("is the file of --json as well"), "{said}");
    assert!(!folder.join("new").exists());
    fs::create_dir(folder.join("fg")).expect("a folder");
    let said = said_of("figure turning --out fg --json fg/crosswave.manifest");
    assert!(said.contains("is the file of --json as well"), "{said}");
    fs::create_dir(folder.join("rep")).expect("a folder");
    let said = said_of("report dimakopoulos1994 --quick --out rep --json rep/check.json");
    assert!(said.contains("is the file of --json as well"), "{said}");
    assert_eq!(files(&folder.join("rep")), [""; 0]);
    let sweep = "sweep plain.toml --vary run.seed=1,2 --replicates 1 --out sw";
    succeeds(sweep);
    let points = files(&folder.join("sw/points"));
    let kept = contents(&folder.join("sw/points"));
    assert!(!points.is_empty());
    for merged in ["", " --merge sw"] {
        let out = if merged.is_empty() { "sw" } else { "other" };
        let line = format!(
            "sweep plain.toml --vary run.seed=1,2 --replicates 1 --out {out}{merged} --json sw/points/{}",
            points[0]
        );
        let said = said_of(&line);
        assert!(
            said.contains("is what a kept result is read from"),
            "{said}"
        );
        assert!(contents(&folder.join("sw/points")) == kept);
    }
}

#[test]
fn standard_input_is_an_input_as_well() {
    let work = workplace();
    let folder = work.path();
    success(folder, &["run", "tree.toml", "-q", "--vcd", "w.vcd"]);
    let before = contents(folder);
    let line = "crosswave show - --window 0..9 --svg w.vcd < w.vcd";
    let output = crate::program::shell(folder, line);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert!(contents(folder) == before, "{line}");
    let output = crosswave(
        folder,
        &["show", "w.vcd", "--window", "0..9", "--svg", "w.svg"],
    );
    assert!(output.status.success());
}

/// Names that a case draws from: inputs, links to them, names that outputs derive, and others.
const NAMES: [&str; 14] = [
    "tree.toml",
    "table.csv",
    "./trace.csv",
    "link",
    "w",
    "w.0",
    "w.1",
    "./w.1.gtkw",
    "a",
    "ex/../a",
    "ex/README.txt",
    "ex/crosswave.manifest",
    "-",
    "/dev/null",
];

/// Commands, with `@` for each name that is drawn.
const DRAWN: [&str; 9] = [
    "run tree.toml -q --messages @ --json @",
    "run tree.toml -q --wave @ --wave-format vcd --checkpoints @",
    "run tree.toml -q --trigger launched --set wave.triggers=2 --wave @ --wave-format vcd --json @",
    "run tree.toml -q --trigger launched --set wave.triggers=2 --viewer-files --wave @ --wave-format vcd --messages @",
    "info tree.toml --structure @ --json @",
    "oblivious tree.toml --witness @ --write-tables @",
    "export plain.toml --verilog ex --json @",
    "signals tree.toml --json @",
    "netlist n.json --stimulus s.csv --stimulus s.csv --wave @ --wave-format vcd --json @",
];

/// Whatever outputs are called, inputs stay what they are, and a command that succeeds has written
/// every output that it was asked for.
#[test]
fn no_name_of_an_output_changes_an_input() {
    let work = workplace();
    let folder = work.path();
    let netlist = crate::program::root("tests/netlist_data/stages.json");
    fs::copy(netlist, folder.join("n.json")).expect("a netlist");
    write(folder, "s.csv", "cycle,drain,a,b\n1,0,0x4,0xf\n");
    std::os::unix::fs::symlink("trace.csv", folder.join("link")).expect("a link");
    let inputs = [
        "tree.toml",
        "plain.toml",
        "table.csv",
        "trace.csv",
        "n.json",
        "s.csv",
    ];
    let before = inputs.map(|name| fs::read(folder.join(name)).expect("an input"));
    fs::create_dir(folder.join("ex")).expect("a folder");
    let (mut refused, mut done) = (0, 0);
    for case in 0..u64::from(soak_cases().unwrap_or(48)) {
        let draw = |at: u64, end: usize| {
            (random::word(random::key(0xc1a1, case, at), 0) % end as u64) as usize
        };
        let mut line = DRAWN[draw(0, DRAWN.len())].to_owned();
        let mut named = Vec::new();
        while line.contains('@') {
            let name = NAMES[draw(1 + named.len() as u64, NAMES.len())];
            line = line.replacen('@', name, 1);
            named.push(name);
        }
        // The trace is no input of what reads the network alone: its witness is a trace.
        let is_free = line.starts_with("oblivious");
        if is_free
            && named
                .iter()
                .any(|name| name.contains("trace") || *name == "link")
        {
            continue;
        }
        let output = crosswave(folder, &line.split(' ').collect::<Vec<&str>>());
        let said = String::from_utf8_lossy(&output.stderr);
        let after = inputs.map(|name| fs::read(folder.join(name)).expect("an input"));
        assert!(
            after == before,
            "case {case}: {line}: an input is another one"
        );
        match output.status.code() {
            Some(0) => {
                done += 1;
                let is_there = |name: &&&str| **name == "-" || folder.join(name).exists();
                let windows = line.contains("triggers=2") || line.contains("--stimulus");
                let expected = named.iter().skip(usize::from(windows));
                let missing: Vec<_> = expected.filter(|name| !is_there(name)).collect();
                assert!(
                    missing.is_empty(),
                    "case {case}: {line}: {missing:?}: {said}"
                );
            }
            Some(2..=4) => refused += 1,
            code => panic!("case {case}: {line}: {code:?}: {said}"),
        }
        // Outputs of a case that succeeded are no inputs of the next one.
        for name in files(folder) {
            let path = folder.join(&name);
            let kept = inputs.contains(&name.as_str()) || name == "link" || path.is_dir();
            if !kept {
                fs::remove_file(path).expect("a file");
            }
        }
    }
    assert!(refused > 5 && done > 5, "{refused} refused, {done} done");
}
