//! Output of the program on a terminal: whatever stands in files, names of files and arguments, no
//! control sequence of theirs comes out, nothing that hides or turns text, and no argument at full
//! length.

#![cfg(unix)]

use std::path::Path;

use crate::program::{crosswave, read, success, workplace, write, write_chips};

/// Sets the clipboard (OSC 52) and the title (OSC 0), erases the screen (CSI in seven and in eight
/// bits), turns text, and hides in it. No blank is in it, so that it is a name in a VCD.
const HOSTILE: &str =
    "\u{1b}]52;c;eHh4\u{7}\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}2J\u{7f}\u{202e}\u{200b}";

/// The part of it that remains wherever it is shown.
const REMAINS: &str = "]52;c;e";

/// A string of JSON and of TOML with it.
fn quoted() -> String {
    let escaped = HOSTILE.chars().map(|c| match c {
        ' '..='~' => c.to_string(),
        c => format!("\\u{:04x}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// The first character that must not reach a terminal; the list is Unicode's, not the program's.
fn hostile(text: &str) -> Option<char> {
    text.chars().find(|c| {
        matches!(c, '\0'..='\t' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    })
}

/// The output of the program in a folder, which is harmless.
fn said(folder: &Path, arguments: &[&str]) -> String {
    let output = crosswave(folder, arguments);
    let bytes = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(bytes).expect("what is said is UTF-8");
    assert_eq!(hostile(&said), None, "{arguments:?}: {said:?}");
    assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    said
}

/// Runs the program in a folder: all that it says is harmless, and the name is among it.
fn assert_harmless(folder: &Path, arguments: &[&str]) {
    let said = said(folder, arguments);
    assert!(
        said.contains(REMAINS),
        "{arguments:?} does not say it: {said}"
    );
}

#[test]
fn arguments_and_names_of_files_are_shown_escaped() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "w.vcd",
        "$var wire 1 ! a $end $enddefinitions $end #0 1! #10 0!\n",
    );
    let tree = "[network]\nkind = \"m-port-n-tree\"\nports = 4\nlevels = 2\n";
    write(folder, "tree.toml", tree);
    write(folder, "t.json", &netlist("t", "a"));
    let value = |key: &str| format!("{key}={HOSTILE}");
    let (set, kind, vary) = (
        value("run.seed"),
        value("network.kind"),
        value("network.nodes"),
    );
    let (option, dotted) = (format!("--{HOSTILE}"), format!("{HOSTILE}.x=1"));
    for arguments in [
        &[HOSTILE][..],
        &["run", HOSTILE],
        &["run", "small.toml", &option],
        &["run", "small.toml", HOSTILE],
        &["run", "small.toml", "--engine", HOSTILE],
        &["run", "small.toml", "--set", HOSTILE],
        &["run", "small.toml", "--set", &dotted],
        &["run", "small.toml", "--set", &set],
        &["run", "small.toml", "--set", &kind],
        &["run", "small.toml", "--vcd", "a.vcd", "--trigger", HOSTILE],
        &["run", "small.toml", "--json", &format!("none/{HOSTILE}")],
        &["trace", "small.toml", HOSTILE],
        &["sweep", "small.toml", "--out", "o", "--vary", &vary],
        &[
            "sweep",
            "small.toml",
            "--out",
            "o",
            "--vary",
            "run.seed=1,2",
            "--merge",
            HOSTILE,
        ],
        &["show", HOSTILE],
        &["show", "w.vcd", "--scope", HOSTILE],
        &["show", "w.vcd", "--window", HOSTILE],
        &["show", "w.vcd", "--svg", "-", "--title", HOSTILE],
        &["diff", HOSTILE, "w.vcd"],
        &["netlist", "t.json", "--top", HOSTILE],
        &["netlist", "t.json", "--reset", HOSTILE],
        &["netlist", "t.json", "--array", HOSTILE],
        &["check", HOSTILE],
        &["figure", HOSTILE, "--out", "o"],
        &["report", HOSTILE, "--out", "o"],
        &["schedule", HOSTILE],
        &["schedule", "check", HOSTILE, "--nodes", "8"],
        &["oblivious", "tree.toml", "--failed", HOSTILE],
        &[
            "replay",
            "small.toml",
            "--checkpoints",
            HOSTILE,
            "--from",
            "1",
            "--to",
            "2",
            "--vcd",
            "a.vcd",
        ],
        &["headers", &format!("small.toml/{HOSTILE}")],
    ] {
        assert_harmless(folder, arguments);
    }
}

#[test]
fn configurations_and_traces_are_shown_escaped() {
    let place = workplace();
    let folder = place.path();
    let small = read(folder, "small.toml");
    let name = quoted();
    // Control characters are not allowed in TOML, the others are.
    let raw = HOSTILE.replace(|c: char| c.is_ascii_control(), "");
    for text in [
        format!("{small}[{name}]\na = 1\n"),
        format!("{name} = 1\n{small}"),
        format!("{small}{name} = 1\n"),
        format!("{small}pattern = {name}\n"),
        small.replace("\"random\"", &name),
        small.replace("64", &name),
        format!("{small}nodez = 1 # ]52;c;eHh4 {raw}\n"),
        format!("{small}# {HOSTILE}\n"),
        format!("{small}words = \"{HOSTILE}\"\n"),
        format!("{small}[wave]\nscopes = [{name}]\n"),
        format!("{small}[wave]\ntrigger = {name}\n"),
        small.replace(
            "pattern = \"random\"\nwords = 4",
            &format!("trace = {name}"),
        ),
    ] {
        write(folder, "c.toml", &text);
        assert_harmless(folder, &["run", "c.toml", "--vcd", "a.vcd"]);
    }
    let traced = small.replace("pattern = \"random\"\nwords = 4", "trace = \"t.csv\"");
    write(folder, "c.toml", &traced);
    for text in [
        format!("{HOSTILE},source,destination,bytes\n0,1,2,3\n"),
        format!("t_ns,source,destination,bytes\n0,{HOSTILE},2,3\n"),
        format!("t_ns,source,destination,bytes,{HOSTILE}\n0,1,2,3,4\n"),
    ] {
        write(folder, "t.csv", &text);
        assert_harmless(folder, &["run", "c.toml"]);
    }
    let tree = "[network]\nkind = \"m-port-n-tree\"\nports = 4\nlevels = 2\n";
    write(folder, "tree.toml", &format!("{tree}routing = {name}\n"));
    assert_harmless(folder, &["oblivious", "tree.toml"]);
    // In a folder of that name, whatever is wrong.
    std::fs::create_dir(folder.join(HOSTILE)).expect("a folder");
    write(folder, &format!("{HOSTILE}/c.toml"), "[network]\n");
    assert_harmless(folder, &["run", &format!("{HOSTILE}/c.toml")]);
}

#[test]
fn waveforms_are_shown_escaped() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let wave = |scope: &str, signal: &str, value: &str| {
        format!(
            "$timescale 1ns $end $scope module {scope} $end $var wire 1 ! {signal} $end $var string \
             1 \" s $end $upscope $end $enddefinitions $end #0 1! sx \" #10 0! s{value} \" #20 1! #30\n"
        )
    };
    write(folder, "w.vcd", &wave(HOSTILE, HOSTILE, HOSTILE));
    write(folder, "v.vcd", &wave("t", "a", HOSTILE));
    write(folder, "plain.vcd", &wave("t", "a", "y"));
    for arguments in [
        &["show", "w.vcd", "--period", "10"][..],
        &["show", "v.vcd", "--period", "10"],
        &["show", "v.vcd", "--period", "10", "--ascii"],
        &["show", "w.vcd", "--list"],
        &["show", "w.vcd", "--list", "--json", "-"],
        &["show", "w.vcd", "--period", "10", "--cursor", "1"],
        &[
            "show", "w.vcd", "--period", "10", "--cursor", "1", "--json", "-",
        ],
        &["show", "w.vcd", "--period", "10", "--json", "-"],
        &["show", "w.vcd", "--period", "10", "--svg", "-"],
        &["show", "w.vcd", "--scope", "nothing"],
        &["diff", "w.vcd", "plain.vcd"],
        &["diff", "plain.vcd", "v.vcd"],
        &["diff", "plain.vcd", "v.vcd", "--json", "-"],
    ] {
        assert_harmless(folder, arguments);
    }
    for damaged in [
        format!("$scope module t $end ${HOSTILE} $end\n"),
        format!("$var wire {HOSTILE} ! a $end\n"),
        format!("$enddefinitions $end #{HOSTILE}\n"),
        format!("$var wire 1 ! a $end $enddefinitions $end #0 b1 {HOSTILE}\n"),
    ] {
        write(folder, "d.vcd", &damaged);
        said(folder, &["show", "d.vcd"]);
    }
    let table = |column: &str, cell: &str| format!("message,{column}\n1,{cell}\n{cell},2\n");
    write(folder, "a.csv", &table(HOSTILE, HOSTILE));
    write(folder, "b.csv", &table(HOSTILE, "x"));
    write(folder, "c.csv", &table("other", "x"));
    write(
        folder,
        "d.csv",
        &format!("{HOSTILE}\n1\n{HOSTILE},1\n1,1,1\n"),
    );
    for (one, other) in [("a", "b"), ("a", "c"), ("b", "a"), ("d", "c")] {
        let [one, other] = [one, other].map(|name| format!("{name}.csv"));
        let arguments = ["diff", &one, &other];
        if one != "d.csv" {
            assert_harmless(folder, &arguments);
            assert_harmless(folder, &[&arguments[..], &["--json", "-"]].concat());
        }
    }
}

/// A netlist of one flip-flop, in a module and at an input of these names, as strings of JSON.
fn netlist(module: &str, input: &str) -> String {
    let quote = |name: &str| match name.starts_with('"') {
        true => name.to_owned(),
        false => format!("\"{name}\""),
    };
    let (module, input) = (quote(module), quote(input));
    format!(
        "{{\"modules\": {{{module}: {{\"attributes\": {{}}, \"ports\": {{\
         \"clk\": {{\"direction\": \"input\", \"bits\": [2]}}, \
         {input}: {{\"direction\": \"input\", \"bits\": [3]}}, \
         \"q\": {{\"direction\": \"output\", \"bits\": [4]}}}}, \
         \"cells\": {{{input}: {{\"type\": \"$_DFF_P_\", \"parameters\": {{}}, \
         \"connections\": {{\"C\": [2], \"D\": [3], \"Q\": [4]}}}}}}, \"netnames\": {{}}}}}}}}"
    )
}

#[test]
fn netlists_and_stimuli_are_shown_escaped() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let name = quoted();
    write(folder, "n.json", &netlist(&name, &name));
    write(folder, "plain.json", &netlist("t", "a"));
    write(
        folder,
        "cell.json",
        &netlist("t", "a").replace("\"$_DFF_P_\"", &name),
    );
    write(
        folder,
        "port.json",
        &netlist("t", "a").replace("\"Q\"", &name),
    );
    write(folder, "header.csv", &format!("cycle,{HOSTILE}\n0,1\n"));
    write(folder, "value.csv", &format!("cycle,a\n0,{HOSTILE}\n"));
    write(folder, "cycle.csv", &format!("cycle,a\n{HOSTILE},1\n"));
    write(
        folder,
        "scope.vcd",
        &format!(
            "$scope module {HOSTILE} $end $var wire 1 ! {HOSTILE} $end $upscope $end $enddefinitions $end #0 1! #5\n"
        ),
    );
    for arguments in [
        &["netlist", "n.json", "--cycles", "3"][..],
        &["netlist", "n.json", "--cycles", "3", "--four-state"],
        &["netlist", "n.json", "--cycles", "3", "--json", "-"],
        &["netlist", "n.json", "--cycles", "3", "--reset", "b"],
        &["netlist", "n.json", "--cycles", "3", "--top", "b"],
        &["netlist", "cell.json", "--cycles", "3"],
        &["netlist", "port.json", "--cycles", "3"],
        &["netlist", "plain.json", "--stimulus", "header.csv"],
        &["netlist", "plain.json", "--stimulus", "value.csv"],
        &["netlist", "plain.json", "--stimulus", "cycle.csv"],
    ] {
        assert_harmless(folder, arguments);
    }
    let arguments = [
        "netlist",
        "plain.json",
        "--stimulus",
        "scope.vcd",
        "--period",
        "5",
    ];
    said(folder, &arguments);
}

#[test]
fn schedules_and_tables_are_shown_escaped() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    for text in [
        format!("{HOSTILE},source,destination\n1,0,1\n"),
        format!("step,source,destination\n{HOSTILE},0,1\n"),
        format!("step,source,destination\n1,{HOSTILE},1\n"),
        format!("step,source,destination\n1,0,{HOSTILE}\n"),
        format!("step,source,destination,message\n1,0,1,{HOSTILE}\n"),
    ] {
        write(folder, "s.csv", &text);
        assert_harmless(folder, &["schedule", "check", "s.csv", "--nodes", "8"]);
    }
    let tree = "[network]\nkind = \"m-port-n-tree\"\nports = 2\nlevels = 1\n";
    write(folder, "tree.toml", tree);
    for text in [
        format!("{HOSTILE},destination,ports\n0,1,1\n"),
        format!("source,destination,ports\n{HOSTILE},1,1\n"),
        format!("source,destination,ports\n0,1,{HOSTILE}\n"),
    ] {
        write(folder, "r.csv", &text);
        assert_harmless(folder, &["oblivious", "tree.toml", "--tables", "r.csv"]);
    }
    subnet(folder, HOSTILE);
    let arguments = [
        "oblivious",
        "tree.toml",
        "--tables",
        "lfts.txt",
        "--wiring",
        "net.txt",
    ];
    let with = |more: &[&'static str]| [&arguments[..], more].concat();
    assert_harmless(folder, &with(&["--write-nodes", "-"]));
    let tables = read(folder, "lfts.txt");
    write(folder, "lfts.txt", &tables.replace("007", "070"));
    assert_harmless(folder, &arguments);
    write(folder, "lfts.txt", &tables.replace("Unicast", HOSTILE));
    assert_harmless(folder, &arguments);
    write(folder, HOSTILE, &tables);
    assert_harmless(
        folder,
        &[
            "oblivious",
            "tree.toml",
            "--tables",
            HOSTILE,
            "--wiring",
            "net.txt",
        ],
    );
    let wiring = read(folder, "net.txt");
    write(folder, "lfts.txt", &tables);
    write(folder, "net.txt", &wiring.replace("[9]", HOSTILE));
    assert_harmless(folder, &arguments);
}

/// A subnet of a switch and two hosts, one of them of this name: `net.txt` and `lfts.txt`.
fn subnet(folder: &Path, name: &str) {
    let wiring = format!(
        "Switch 36 \"S-00a1\" # \"{name}\" base port 0 lid 9 lmc 0\n\
         [7] \"H-00b1\"[1](b2) # \"one\" lid 4 4xQDR\n[9] \"H-00c1\"[1](c2) # \"{name}\" lid 2 4xQDR\n\n\
         Ca 1 \"H-00b1\" # \"one\"\n[1](b2) \"S-00a1\"[7] # lid 4 lmc 0 \"{name}\" lid 9 4xQDR\n\n\
         Ca 1 \"H-00c1\" # \"{name}\"\n[1](c2) \"S-00a1\"[9] # lid 2 lmc 0 \"{name}\" lid 9 4xQDR\n"
    );
    let tables = "Unicast lids [0x0-0x9] of switch Lid 9 guid 0x00000000000000a1 (leaf):\n  Lid  \
        Out   Destination\n0x0002 009 : (Channel Adapter portguid 0xc2: 'two')\n0x0004 007 : \
        (Channel Adapter portguid 0xb2: 'one')\n2 valid lids dumped\n";
    write(folder, "net.txt", &wiring);
    write(folder, "lfts.txt", tables);
}

/// A spreadsheet computes a cell that begins so, whatever it does.
#[test]
fn cells_of_tables_are_no_formulas() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path();
    let tree = "[network]\nkind = \"m-port-n-tree\"\nports = 2\nlevels = 1\n";
    write(folder, "tree.toml", tree);
    for (name, cell) in [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1+cmd", "'+1+cmd"),
        ("-1+cmd", "'-1+cmd"),
        ("@SUM(1)", "'@SUM(1)"),
        ("-1", "-1"),
        ("rack-1 = row 2", "rack-1 = row 2"),
    ] {
        subnet(folder, name);
        let inputs = [
            "oblivious",
            "tree.toml",
            "--tables",
            "lfts.txt",
            "--wiring",
            "net.txt",
        ];
        success(
            folder,
            &[&inputs[..], &["--write-nodes", "nodes.csv"]].concat(),
        );
        let mut nodes = csv::Reader::from_path(folder.join("nodes.csv")).expect("a table");
        let row = nodes.records().next().expect("two nodes").expect("cells");
        assert_eq!(row.get(5), Some(cell), "{row:?}");
    }
    let pattern = "[network]\nkind = \"fat-tree\"\nnodes = 16\n[traffic]\npattern = \"random\"\n";
    write(folder, "small.toml", pattern);
    for name in ["=cmd.csv", "-1.csv"] {
        write(folder, name, "t_ns,source,destination,bytes\n0,1,2,3\n");
    }
    write(
        folder,
        "traced.toml",
        "[network]\nkind = \"fat-tree\"\nnodes = 16\n[traffic]\ntrace = \"-1.csv\"\n",
    );
    let vary = "traffic.trace=\"=cmd.csv\",\"-1.csv\"";
    success(
        folder,
        &[
            "sweep",
            "traced.toml",
            "--vary",
            vary,
            "--out",
            "o",
            "--replicates",
            "1",
        ],
    );
    let table = read(folder, "o/sweep.csv");
    let first: Vec<&str> = table
        .lines()
        .filter_map(|line| line.split(',').next())
        .collect();
    assert_eq!(first, ["traffic.trace", "'=cmd.csv", "'-1.csv"], "{table}");
}

/// XML has no way to write most control characters.
#[test]
fn pictures_are_well_formed_whatever_they_are_called() {
    let place = workplace();
    let folder = place.path();
    let name = format!("{HOSTILE}&<\"'>\u{fffe}");
    std::fs::rename(
        folder.join("small.toml"),
        folder.join(format!("{name}.toml")),
    )
    .expect("renamed");
    success(
        folder,
        &[
            "sweep",
            &format!("{name}.toml"),
            "--vary",
            "traffic.words=2,4",
            "--out",
            "o",
            "--replicates",
            "1",
        ],
    );
    let svg = read(folder, "o/latency_cycles.mean.svg");
    assert!(
        svg.contains("fat tree, ") && !svg.contains(REMAINS),
        "{svg}"
    );
    let allowed = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
    assert_eq!(svg.chars().find(|&c| !allowed(c)), None);
    assert_eq!(hostile(&svg), None);
    assert!(!svg.contains("&<"), "{svg}");
}

/// Names of files need not be Unicode; JSON is.
#[test]
fn names_that_are_no_unicode_stand_in_json() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;
    let place = workplace();
    let folder = place.path();
    let latin = |end: &str| [b"caf\xe9".as_slice(), end.as_bytes()].concat();
    let path = |end: &str| folder.join(OsStr::from_bytes(&latin(end)));
    std::fs::write(path(".csv"), "step,source,destination\n1,0,1\n").expect("written");
    std::fs::write(path(".toml"), read(folder, "small.toml")).expect("written");
    std::fs::write(path(".json"), netlist("t", "a")).expect("written");
    let inside = folder.join(OsStr::from_bytes(b"ordn\xe9"));
    std::fs::create_dir(&inside).expect("a folder");
    let traced =
        read(folder, "small.toml").replace("pattern = \"random\"\nwords = 4", "trace = \"t.csv\"");
    std::fs::write(inside.join("c.toml"), traced).expect("written");
    std::fs::write(
        inside.join("t.csv"),
        "t_ns,source,destination,bytes\n0,1,2,3\n",
    )
    .expect("written");
    let json = |before: &[&str], path: &Path, after: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crosswave"));
        command
            .args(before)
            .arg(path)
            .args(after)
            .args(["--json", "-"]);
        let output = command.current_dir(folder).output().expect("the program");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{before:?}: {said}");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON alone")
    };
    let found = json(&["schedule", "check"], &path(".csv"), &["--nodes", "8"]);
    assert!(
        found["schedule"]
            .as_str()
            .is_some_and(|name| name.ends_with("caf\u{fffd}.csv"))
    );
    write_chips(folder);
    std::fs::rename(folder.join("hdl"), path("-headers")).expect("one file system");
    let found = json(&["headers"], &path("-headers"), &[]);
    assert!(
        found["folder"]
            .as_str()
            .is_some_and(|name| name.ends_with("caf\u{fffd}-headers"))
    );
    let set = ["--set", "network.nodes=16", "--verilog"];
    json(
        &["export", "small.toml", set[0], set[1], set[2]],
        &path("-export"),
        &[],
    );
    json(&["run"], &path(".toml"), &[]);
    json(&["run"], &inside.join("c.toml"), &[]);
    json(&["info"], &inside.join("c.toml"), &[]);
    json(&["netlist"], &path(".json"), &["--cycles", "2"]);
    let vary = ["--vary", "traffic.words=2,4", "--replicates", "1", "--out"];
    json(
        &[&["sweep", "small.toml"], &vary[..]].concat(),
        &path("-sweep"),
        &[],
    );
}

/// A user who pastes a file for a name is told so in a few lines, with the begin and the end of it.
#[test]
fn long_arguments_are_shortened() {
    let place = workplace();
    let folder = place.path();
    let long = format!("{}end", "x".repeat(100_000));
    let words = format!("{}end", "ab ".repeat(33_000));
    for long in [&long, &words] {
        let option = format!("--{long}");
        let valued = format!("--engine={long}");
        for arguments in [
            &[long.as_str()][..],
            &["run", "small.toml", &option],
            &["run", "small.toml", &valued],
            &["run", "small.toml", long],
            &["trace", "small.toml", long],
            &["sweep", "small.toml", "--out", "o", "--vary", long],
            &[
                "sweep",
                "small.toml",
                "--out",
                "o",
                "--vary",
                "a=1",
                "--shard",
                long,
            ],
            &["schedule", long],
            &["run", "small.toml", "--set", long],
        ] {
            let output = crosswave(folder, arguments);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{:?}",
                &arguments[..arguments.len() - 1]
            );
            let said = String::from_utf8(output.stderr).expect("UTF-8");
            assert!(
                said.len() < 8_000,
                "{} bytes: {}",
                said.len(),
                &said[..2_000]
            );
            assert!(said.contains("end"), "{said}");
        }
    }
}
