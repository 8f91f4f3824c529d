//! Targets of the program's outputs, files that it never replaces, and limits of its inputs.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::program::{failure, files, read, root, shell, success, workplace, write, write_chips};

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a line of shell, which has to succeed.
fn succeeds(folder: &Path, line: &str) {
    let output = shell(folder, line);
    assert!(output.status.success(), "{line}: {}", said(&output));
}

/// Runs a line of shell, which has to end with the code, and gives what is said.
fn fails(folder: &Path, line: &str, code: i32) -> String {
    let output = shell(folder, line);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(code), "{line}: {said}");
    said
}

const RUN_OUTPUTS: [&str; 4] = ["--vcd", "--messages", "--collisions", "--json"];

#[test]
fn standard_output_goes_on_where_others_stopped() {
    let work = workplace();
    let folder = work.path();
    for option in RUN_OUTPUTS {
        succeeds(
            folder,
            &format!("crosswave run small.toml --engine event -q {option} one"),
        );
        let one = read(folder, "one");
        let untimed = |text: &str| text.split("\"performance\"").next().map(str::to_owned);
        for name in [
            "/dev/stdout",
            "/dev/fd/1",
            "/proc/self/fd/1",
            "-",
            "all",
            "./all",
        ] {
            let run = format!("crosswave run small.toml --engine event {option} {name}");
            write(folder, "all", "before\n");
            succeeds(folder, &format!("{run} >> all"));
            let all = read(folder, "all");
            let after = all.strip_prefix("before\n").expect("what was there stays");
            assert!(untimed(after) == untimed(&one), "{run}");

            let lines = format!("for i in 1 2; do {run} || exit; echo after $i; done > all");
            succeeds(folder, &lines);
            let all = read(folder, "all");
            let (first, second) = all.split_once("after 1\n").expect("two runs");
            let second = second.strip_suffix("after 2\n").expect("two runs");
            assert!(untimed(first) == untimed(&one), "{run}");
            assert!(untimed(second) == untimed(&one), "{run}");
        }
        fs::remove_file(folder.join("one")).expect("it was written");
    }
    assert_eq!(files(folder), ["all", "small.toml"]);
}

#[test]
fn other_descriptors_are_not_replaced_either() {
    let work = workplace();
    let folder = work.path();
    for (name, redirection) in [
        ("/dev/fd/3", "3>> log"),
        ("/dev/stderr", "2>> log"),
        ("log", "2>> log"),
    ] {
        write(folder, "log", "before\n");
        succeeds(
            folder,
            &format!("crosswave run small.toml --messages {name} {redirection}"),
        );
        let log = read(folder, "log");
        assert!(log.starts_with("before\nid,source,"), "{name}: {log}");
        assert_eq!(log.lines().count(), 66, "{name}: {log}");
    }
}

#[test]
fn two_outputs_to_one_place_are_refused() {
    let work = workplace();
    let folder = work.path();
    let netlist = root("examples/systolic/systolic.json");
    let netlist = netlist.display();
    write(folder, "kept", "");
    for (line, other) in [
        ("run small.toml --vcd out --json - > out", "--vcd"),
        ("run small.toml --vcd - --json - > out", "--vcd"),
        (
            "run small.toml --messages /dev/stdout --collisions /dev/fd/1 > out",
            "--messages",
        ),
        (
            "run small.toml --messages ./out --json /proc/self/fd/1 >> out",
            "--messages",
        ),
        (
            "run small.toml --vcd kept --json /dev/fd/3 3>> kept",
            "--vcd",
        ),
    ] {
        let said = fails(folder, &format!("crosswave {line}"), 2);
        assert!(
            said.contains(&format!("{other} is written to as well"))
                || said.contains(&format!("is the file of {other} as well")),
            "{line}: {said}"
        );
    }
    let line = format!("crosswave netlist {netlist} --cycles 4 --vcd - --json - > out");
    fails(folder, &line, 2);
    assert_eq!(read(folder, "out"), "");
    // Nothing is lost where nothing is kept.
    succeeds(
        folder,
        "crosswave run small.toml --vcd /dev/null --messages /dev/null",
    );
    assert_eq!(files(folder), ["kept", "out", "small.toml"]);
}

#[test]
fn standard_output_is_no_input() {
    let work = workplace();
    let folder = work.path();
    let before = read(folder, "small.toml");
    for options in [
        "",
        "--json -",
        "--messages small.toml",
        "-q --vcd /dev/stdout",
    ] {
        let line = format!("crosswave run small.toml {options} >> small.toml");
        let said = fails(folder, &line, 2);
        assert!(
            said.contains("is what the configuration is read from"),
            "{said}"
        );
    }
    assert_eq!(read(folder, "small.toml"), before);
}

#[test]
fn an_output_keeps_permissions_and_a_read_only_file() {
    let work = workplace();
    let folder = work.path();
    let path = folder.join("out");
    let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode));
    for kept in [0o600, 0o644, 0o755, 0o662] {
        write(folder, "out", "old");
        mode(kept).expect("the user's own file");
        success(folder, &["run", "small.toml", "-q", "--messages", "out"]);
        let found = fs::metadata(&path).expect("written").permissions().mode();
        assert_eq!(found & 0o7777, kept, "{kept:o}");
        assert!(read(folder, "out").starts_with("id,"));
    }
    write(folder, "out", "old");
    mode(0o444).expect("the user's own file");
    for option in RUN_OUTPUTS {
        // The run would end with code 1, so the file is found before it.
        let run = [
            "run",
            "small.toml",
            "--set",
            "run.cycles_max=1",
            option,
            "out",
        ];
        let said = failure(folder, &run, 4);
        assert!(
            said.contains("the file that is there is read-only"),
            "{said}"
        );
    }
    assert_eq!(read(folder, "out"), "old");
    assert_eq!(files(folder), ["out", "small.toml"]);
}

#[test]
fn a_name_promises_what_is_written() {
    let work = workplace();
    let folder = work.path();
    for (option, name, format) in [
        ("--vcd", "a.fst", "VCD"),
        ("--vcd", "a.gz", "VCD"),
        ("--fst", "a.vcd", "FST"),
        ("--fst", "a.vcd.gz", "FST"),
        ("--fst", "a.json", "FST"),
        ("--vcd", "a.FST", "VCD"),
        ("--vcd", "a.ghw", "VCD"),
        ("--json", "a.csv", "JSON"),
        ("--json", "a.json.zst", "JSON"),
        ("--messages", "a.xlsx", "CSV"),
        ("--collisions", "a.json", "CSV"),
    ] {
        let said = failure(folder, &["run", "small.toml", option, name], 2);
        let expected = format!("and {format} is the only format that is written here");
        assert!(said.contains(option) && said.contains(&expected), "{said}");
        assert!(said.contains("help: name a file that ends in ."), "{said}");
    }
    let waveform = root("traces/scenarios/immediate-retry.vcd");
    let waveform = waveform.to_str().expect("UTF-8");
    let said = failure(folder, &["show", waveform, "--svg", "a.png"], 2);
    assert!(said.contains("SVG is the only format"), "{said}");
    let netlist = root("examples/systolic/systolic.json");
    let netlist = netlist.to_str().expect("UTF-8");
    let said = failure(
        folder,
        &["netlist", netlist, "--cycles", "4", "--vcd", "a.fst"],
        2,
    );
    assert!(said.contains("VCD is the only format"), "{said}");
    // Names that promise nothing are the user's own business.
    for name in ["a", "a.VCD", "a.vcd", "a.txt", "a.dump"] {
        success(folder, &["run", "small.toml", "-q", "--vcd", name]);
    }
    success(folder, &["run", "small.toml", "-q", "--fst", "a.dump"]);
}

/// As other programs, whose standard output is a pipe that nobody reads any more.
#[test]
fn a_closed_pipe_ends_the_command_quietly() {
    let work = workplace();
    write(work.path(), "out.vcd", "");
    for arguments in [
        &["run", "small.toml", "--json", "-"][..],
        &["run", "small.toml", "-q", "--vcd", "/dev/stdout"],
        &["run", "small.toml", "-q", "--messages", "-"],
        &["run", "small.toml"],
        &["info", "small.toml"],
        &["run", "--help"],
        &["--version"],
    ] {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        // A program that another test is just starting can hold the reading
        // end for a moment; the pipe is closed when writing to it fails.
        while std::io::Write::write_all(&mut writer, b"?").is_ok() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        let output = Command::new(env!("CARGO_BIN_EXE_crosswave"))
            .args(arguments)
            .current_dir(work.path())
            .stdout(writer)
            .output()
            .expect("the program starts");
        const SIGPIPE: i32 = 13;
        assert_eq!(output.status.signal(), Some(SIGPIPE), "{arguments:?}");
        assert_eq!(said(&output), "", "{arguments:?}");
    }
    assert_eq!(files(work.path()), ["out.vcd", "small.toml"]);
}

#[test]
fn every_command_has_its_json_in_a_file_or_on_standard_output() {
    let work = workplace();
    let folder = work.path();
    let netlist = root("examples/systolic/systolic.json");
    let netlist = netlist.to_str().expect("UTF-8");
    write_chips(folder);
    for command in [
        &["run", "small.toml"][..],
        &["info", "small.toml"],
        &["netlist", netlist, "--cycles", "4"],
        &["check", "--formulas"],
        &["export", "small.toml", "--verilog", "verilog"],
        &["headers", "hdl"],
    ] {
        let printed = success(folder, &[command, &["--json", "-"]].concat());
        let printed: Value = serde_json::from_str(&printed).expect("JSON and nothing else");
        success(folder, &[command, &["--json", "out.json"]].concat());
        let written: Value = serde_json::from_str(&read(folder, "out.json")).expect("JSON");
        let keys = |value: &Value| -> Vec<String> {
            let object = value.as_object().expect("an object");
            object.keys().cloned().collect()
        };
        assert_eq!(keys(&printed), keys(&written), "{command:?}");
        failure(folder, &[command, &["--json", "none/out.json"]].concat(), 4);
    }
    let config = read(folder, "small.toml");
    failure(folder, &["info", "small.toml", "--json", "small.toml"], 2);
    failure(
        folder,
        &[
            "export",
            "small.toml",
            "--verilog",
            "verilog",
            "--json",
            "small.toml",
        ],
        2,
    );
    assert_eq!(read(folder, "small.toml"), config);
}

/// A folder of outputs that others use as well.
fn assert_keeps_what_is_not_its_own(folder: &Path, out: &str, command: &[&str], own: &str) {
    let at = |name: &str| format!("{out}/{name}");
    fs::create_dir_all(folder.join(out)).expect("a folder");
    write(folder, &at(own), "of someone else");
    write(folder, &at("another"), "of someone else");
    let before = files(&folder.join(out));
    let refused = failure(folder, command, 2);
    let expected = format!("error: {out}: {own}: crosswave did not write it");
    assert!(refused.contains(&expected), "{refused}");
    assert_eq!(files(&folder.join(out)), before, "nothing is written");
    assert_eq!(read(folder, &at(own)), "of someone else");

    fs::remove_file(folder.join(at(own))).expect("it is there");
    success(folder, command);
    let written = read(folder, &at(own));
    let manifest = read(folder, &at("crosswave.manifest"));
    let all = files(&folder.join(out));
    assert!(manifest.contains(&format!("  {own}\n")), "{manifest}");
    assert!(!manifest.contains("another"), "{manifest}");
    // Again, over its own files.
    success(folder, command);
    assert_eq!(files(&folder.join(out)), all);

    write(folder, &at(own), "changed by someone");
    let refused = failure(folder, command, 2);
    assert!(
        refused.contains("it was changed after crosswave wrote it"),
        "{refused}"
    );
    assert_eq!(read(folder, &at(own)), "changed by someone");
    fs::remove_file(folder.join(at(own))).expect("it is there");
    std::os::unix::fs::symlink("another", folder.join(at(own))).expect("a link");
    failure(folder, command, 2);
    assert_eq!(read(folder, &at("another")), "of someone else");
    fs::remove_file(folder.join(at(own))).expect("it is there");
    // A file with the wanted bytes needs no manifest.
    write(folder, &at(own), &written);
    fs::remove_file(folder.join(at("crosswave.manifest"))).expect("it is there");
    success(folder, command);
    write(folder, &at("crosswave.manifest"), "what is this");
    failure(folder, command, 3);
}

#[test]
fn folders_keep_what_the_program_did_not_write() {
    let work = workplace();
    let folder = work.path();
    let export = ["export", "small.toml", "--verilog", "verilog"];
    assert_keeps_what_is_not_its_own(folder, "verilog", &export, "testbench.v");
    for (out, own) in [("hdl", "rn1.core"), ("hdl/include", "protocol.vh")] {
        let work = workplace();
        write_chips(work.path());
        assert_keeps_what_is_not_its_own(work.path(), out, &["headers", "hdl"], own);
    }
}

/// Sources get their port lists again, whatever stood there; one that has no place for it, or is
/// missing, is named, and nothing is written.
#[test]
fn headers_write_port_lists_between_their_lines() {
    let work = workplace();
    let folder = work.path();
    write_chips(folder);
    let whole = read(folder, "hdl/delay_line.v");
    let (before, rest) = whole.split_once("    input ").expect("ports");
    let after = rest.split_once("\n);\n").expect("their end").1;
    write(
        folder,
        "hdl/delay_line.v",
        &format!("{before}    input wire old\n);\n{after}"),
    );
    success(folder, &["headers", "hdl"]);
    assert_eq!(read(folder, "hdl/delay_line.v"), whole);
    assert!(read(folder, "hdl/rn1.core").starts_with("CAPI=2:\n"));

    let without = whole.replace("    // Ports: written by", "    // Ports:");
    write(folder, "hdl/delay_line.v", &without);
    write(
        folder,
        "hdl/rn1.v",
        &read(folder, "hdl/rn1.v").replace("// rising edge", "// edge"),
    );
    let changed = read(folder, "hdl/rn1.v");
    let said = failure(folder, &["headers", "hdl"], 3);
    assert_eq!(
        said,
        "error: hdl/delay_line.v: module delay_line: found no line `// Ports: written by `crosswave \
         headers hdl` from the tables in crates/chips.`, expected it before the ports\n  help: put the \
         line `// Ports: written by `crosswave headers hdl` from the tables in crates/chips.` after \
         `module delay_line (`, and a line `);` after it; the ports come between the two\n"
    );
    assert_eq!(read(folder, "hdl/rn1.v"), changed);
    fs::remove_file(folder.join("hdl/delay_line.v")).expect("it is there");
    let said = failure(folder, &["headers", "hdl"], 4);
    assert!(said.contains("hdl/delay_line.v"), "{said}");
}

/// Figures and reports take long, so only what is refused before they begin is tried.
#[test]
fn figures_and_reports_keep_what_the_program_did_not_write() {
    let work = workplace();
    let folder = work.path();
    fs::create_dir(folder.join("out")).expect("a folder");
    for name in [
        "strumpen2005-4a.svg",
        "turning.svg",
        "turning.csv",
        "index.html",
        "check.json",
    ] {
        write(folder, &format!("out/{name}"), "of someone else");
    }
    for (command, names) in [
        (
            &["figure", "turning"][..],
            &["turning.svg", "turning.csv"][..],
        ),
        (&["figure", "strumpen2005-4"], &["strumpen2005-4a.svg"]),
        (
            &["report", "strumpen2005", "--quick"],
            &["index.html", "check.json"],
        ),
    ] {
        let refused = failure(folder, &[command, &["--out", "out"]].concat(), 2);
        for name in names {
            let expected = format!("error: out: {name}: crosswave did not write it");
            assert!(refused.contains(&expected), "{refused}");
        }
    }
}

#[test]
fn an_export_replaces_neither_its_configuration_nor_its_trace() {
    let work = workplace();
    let folder = work.path();
    let trace = "t_ns,source,destination,bytes\n0,1,2,8\n";
    write(folder, "messages.csv", trace);
    let config =
        "[network]\nkind = \"fat-tree\"\nnodes = 64\n[traffic]\ntrace = \"messages.csv\"\n";
    write(folder, "README.txt", config);
    let export = ["export", "README.txt", "--verilog", "."];
    let said = failure(folder, &export, 2);
    assert!(said.contains("is read from"), "{said}");
    assert_eq!(read(folder, "messages.csv"), trace);
    assert_eq!(read(folder, "README.txt"), config);
    assert_eq!(files(folder), ["README.txt", "messages.csv", "small.toml"]);
}

#[test]
fn endless_and_odd_inputs_are_refused() {
    let work = workplace();
    let folder = work.path();
    for (trace, name) in [("/dev/zero", "zero.toml"), (".", "folder.toml")] {
        let text =
            format!("[network]\nkind = \"fat-tree\"\nnodes = 64\n[traffic]\ntrace = \"{trace}\"\n");
        write(folder, name, &text);
    }
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero.csv")).expect("a link");
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero.vcd")).expect("a link");
    let netlist = root("examples/systolic/systolic.json");
    let netlist = netlist.to_str().expect("UTF-8");
    for command in [
        &["run", "/dev/zero"][..],
        &["info", "/dev/zero"],
        &["export", "/dev/zero", "--verilog", "out"],
        &["run", "zero.toml"],
        &["show", "/dev/zero"],
        &["netlist", "/dev/zero"],
        &["netlist", netlist, "--stimulus", "zero.csv"],
        &["netlist", netlist, "--stimulus", "zero.vcd"],
    ] {
        let said = failure(folder, command, 4);
        assert!(
            said.contains("it is a device, expected a file or a pipe"),
            "{said}"
        );
    }
    for command in [
        &["run", "."][..],
        &["run", "folder.toml"],
        &["show", "."],
        &["netlist", "."],
    ] {
        let said = failure(folder, command, 4);
        assert!(said.contains("it is a folder, expected a file"), "{said}");
    }
    // A pipe is read up to the limit.
    let said = fails(folder, "yes '# x' | crosswave run /dev/stdin", 4);
    assert!(said.contains("it goes on after 67108864 bytes"), "{said}");
    succeeds(folder, "cat small.toml | crosswave run /dev/stdin");
    let large = fs::File::create(folder.join("large.toml")).expect("a file");
    large.set_len((64 << 20) + 1).expect("a sparse file");
    let said = failure(folder, &["run", "large.toml"], 4);
    assert!(
        said.contains("it has 67108865 bytes, and 67108864 are the most"),
        "{said}"
    );
}

#[test]
fn runs_side_by_side_have_files_of_their_own_or_none() {
    let work = workplace();
    let folder = work.path();
    let netlist = root("examples/systolic/systolic.json");
    let netlist = netlist.to_str().expect("UTF-8");
    let netlist = ["netlist", netlist, "--cycles", "4", "--lanes", "2", "--vcd"];
    for name in ["-", "/dev/stdout", "/dev/null"] {
        let said = failure(folder, &[&netlist[..], &[name]].concat(), 2);
        assert!(said.contains("each of 2 runs has a waveform"), "{said}");
    }
    assert!(!Path::new("/dev/null.0").exists());
    success(folder, &[&netlist[..], &["w.vcd"]].concat());
    assert_eq!(files(folder), ["small.toml", "w.0.vcd", "w.1.vcd"]);
}

/// Columns of messages follow from the kind of network, not from the first replicate, which may
/// have no message.
#[test]
fn columns_of_messages_follow_from_the_network() {
    let folder = &tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let columns = [("bidelta", 15), ("fat-tree", 10), ("transit", 15)];
    for (kind, columns) in columns {
        let nodes = if kind == "transit" { 64 } else { 16 };
        let text = format!(
            "[network]\nkind = \"{kind}\"\nnodes = {nodes}\n[traffic]\npattern = \"steady\"\n\
             load = 0.001\ncycles = 20\n[run]\nseed = 3\nreplicates = 4\n"
        );
        write(folder, "rare.toml", &text);
        let outputs = ["--messages", "rare.csv", "--json", "rare.json"];
        success(
            folder,
            &[&["run", "rare.toml", "-q"], &outputs[..]].concat(),
        );
        let table = read(folder, "rare.csv");
        let rows: Vec<Vec<&str>> = table
            .lines()
            .map(|line| line.split(',').collect())
            .collect();
        assert!(
            rows.iter().all(|row| row.len() == columns),
            "{kind}: {table}"
        );
        assert_eq!(rows[0][columns - 2..], ["replicate", "latency_cycles"]);
        assert_eq!(rows[0].contains(&"reply_cycle"), columns == 15, "{kind}");
        let result: serde_json::Value =
            serde_json::from_str(&read(folder, "rare.json")).expect("JSON");
        let offered = result["messages"]["offered"].as_u64();
        assert_eq!(offered, Some(rows.len() as u64 - 1), "{kind}");
        if kind == "bidelta" {
            // Those of a later replicate are there, and none of the first.
            assert!(rows.len() > 1 && rows.iter().all(|row| row[columns - 2] != "0"));
        }
    }
    // Nobody sends at all.
    write(
        folder,
        "none.toml",
        "[network]\nkind = \"bidelta\"\nnodes = 16\n[traffic]\npattern = \"steady\"\n\
         load = 0.000001\ncycles = 2\n",
    );
    success(
        folder,
        &["run", "none.toml", "-q", "--messages", "none.csv"],
    );
    let table = read(folder, "none.csv");
    assert_eq!(table.lines().count(), 1, "{table}");
    assert_eq!(table.trim_end().split(',').count(), 15, "{table}");
}
