//! The program as its users meet it: exit codes, messages, files, JSON.

use std::fs;
use std::path::Path;
#[cfg(feature = "gpu")]
use std::process::Command;

use serde_json::Value;

use crate::program::{
    crosswave, failure, files, read, root, success, workplace, write, write_chips,
};
use crate::support;

#[test]
fn wrong_configurations_are_explained() {
    let work = workplace();
    let folder = work.path();
    write(
        folder,
        "wrong.toml",
        "[network]\nkind = \"fat-tree\"\nnodes = 100\n[traffic]\npatern = \"random\"\nwords = 0\n",
    );
    write(
        folder,
        "outside.toml",
        "[network]\nkind = \"fat-tree\"\nnodes = 64\n[traffic]\ntrace = \"outside.csv\"\n",
    );
    write(
        folder,
        "outside.csv",
        "t_ns,source,destination,bytes\n0,1,2,8\n10,64,3,8\n",
    );
    insta::assert_snapshot!(
        "wrong_configuration",
        failure(folder, &["run", "wrong.toml"], 2)
    );
    insta::assert_snapshot!(
        "impossible_size",
        failure(
            folder,
            &["run", "small.toml", "--set", "network.nodes=100"],
            2
        )
    );
    insta::assert_snapshot!(
        "trace_node_outside",
        failure(folder, &["run", "outside.toml"], 3)
    );
    insta::assert_snapshot!(
        "no_configuration",
        failure(folder, &["run", "none.toml"], 4)
    );
    insta::assert_snapshot!(
        "unknown_option",
        failure(folder, &["run", "small.toml", "--vdc", "x"], 2)
    );
    insta::assert_snapshot!(
        "cycles_max",
        failure(
            folder,
            &["run", "small.toml", "--quiet", "--set", "run.cycles_max=10"],
            1
        )
    );
    assert_eq!(
        files(folder),
        ["outside.csv", "outside.toml", "small.toml", "wrong.toml"]
    );
}

/// A trace that is not there is told at the key that names it, by every command.
#[test]
fn a_missing_trace_is_told_at_its_key() {
    let work = workplace();
    let folder = work.path();
    let text = "[network]\nkind = \"fat-tree\"\nnodes = 64\n[traffic]\ntrace = \"none.csv\"\n";
    write(folder, "traced.toml", text);
    insta::assert_snapshot!("no_trace", failure(folder, &["run", "traced.toml"], 4));
    for command in [
        &["info", "traced.toml"][..],
        &["export", "traced.toml", "--verilog", "out"],
    ] {
        let said = failure(folder, command, 4);
        assert!(said.contains("--> traced.toml:5:9"), "{command:?}: {said}");
    }
    let set = ["run", "traced.toml", "--set", "traffic.trace=there.csv"];
    let said = failure(folder, &set, 4);
    assert!(
        said.contains("traced.toml: --set traffic.trace=there.csv"),
        "{said}"
    );
    let said = failure(
        folder,
        &["info", "traced.toml", "--set", "traffic.trace=."],
        4,
    );
    assert!(said.contains("it is a folder"), "{said}");
    assert_eq!(files(folder), ["small.toml", "traced.toml"]);
}

/// `info` checks all that `run --vcd` refuses or warns of.
#[test]
fn info_checks_what_a_run_would() {
    let work = workplace();
    let folder = work.path();
    let scopes = "wave.scopes=['**.nod_1']";
    let asked = failure(folder, &["info", "small.toml", "--set", scopes], 2);
    let arguments = ["run", "small.toml", "--vcd", "x.vcd", "--set", scopes];
    assert_eq!(asked, failure(folder, &arguments, 2));
    let said = |arguments: &[&str]| {
        let output = crosswave(folder, &[&["info", "small.toml"], arguments].concat());
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    assert_eq!(said(&["--set", "wave.window_cycles=[1, 1_000_000]"]), "");
    let warned = said(&[
        "--set",
        "wave.window_cycles=[101, 200]",
        "--set",
        "run.cycles_max=100",
    ]);
    assert!(
        warned.starts_with("warning: wave.window_cycles: the window begins at cycle 101, and a"),
        "{warned}"
    );
    let warned = said(&["--set", "network.nodes=1_048_576"]);
    assert!(
        warned.starts_with("warning: [wave]: the network has") && warned.contains("67108864"),
        "{warned}"
    );
    assert_eq!(files(folder), ["small.toml"]);
}

/// A recorded run lasts as long as it lasts: here ten times ten million cycles.
#[test]
fn a_timed_trace_runs_to_its_end() {
    let work = workplace();
    let folder = work.path();
    let trace = "t_ns,source,destination,bytes\n0,0,1,8\n1000000000,1,0,8\n";
    write(folder, "t.csv", trace);
    let text = "[network]\nkind = \"fat-tree\"\nnodes = 2\n[traffic]\ntrace = \"t.csv\"\n";
    write(folder, "traced.toml", text);
    let text = success(folder, &["run", "traced.toml", "--json", "-"]);
    let json: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(json["messages"]["delivered"], 2);
    assert_eq!(json["cycles"].as_u64(), Some(100_000_001 + 14));
    // The last offer, 10^7, and 16 times two messages of 8 words and 20 clocks.
    assert_eq!(
        json["config"]["run"]["cycles_max"].as_u64(),
        Some(100_000_001 + 10_000_000 + 16 * 2 * (8 + 20))
    );
}

/// The engine that is asked for runs, also over that of the configuration.
#[test]
fn the_engine_is_the_one_asked_for() {
    let work = workplace();
    for (set, option, expected) in [
        ("run.engine=gate", "event", "event"),
        ("run.engine=event", "gate", "gate"),
    ] {
        let arguments = [
            "run",
            "small.toml",
            "--set",
            set,
            "--engine",
            option,
            "--json",
            "-",
        ];
        let text = success(work.path(), &arguments);
        let json: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["engine"], expected);
        assert_eq!(json["config"]["run"]["engine"], expected);
    }
}

/// All replicates count, alone or in batches: the failure of an early one, the messages of all of
/// them, and all their collisions.
#[test]
fn every_replicate_counts() {
    let work = workplace();
    let folder = work.path();
    for (engine, replicates) in [("event", 6), ("gate", 80)] {
        let replicates = format!("run.replicates={replicates}");
        let run = |more: &[&str]| {
            let arguments = ["run", "small.toml", "--engine", engine, "--set"];
            let rest = ["--collisions", "c.csv", "--json", "j.json", "-q"];
            let arguments = [&arguments[..], &[&replicates], &rest, more].concat();
            let output = crosswave(folder, &arguments);
            let text = fs::read_to_string(folder.join("j.json")).expect("written");
            let json: Value = serde_json::from_str(&text).expect("JSON");
            (output.status.code(), json)
        };
        let number = |json: &Value, path: &str| json.pointer(path).and_then(Value::as_u64);
        let (code, all) = run(&[]);
        assert_eq!(code, Some(0));
        let count = number(&all, "/replicates_run").expect("a number");
        assert_eq!(number(&all, "/messages/offered"), Some(64 * count));
        assert_eq!(number(&all, "/messages/delivered"), Some(64 * count));
        let collisions = number(&all, "/collisions/total").expect("a number");
        let attempts = number(&all, "/messages/attempts").expect("a number");
        assert_eq!(attempts, 64 * count + collisions);
        // The routers' own count, added up over all replicates.
        let csv = fs::read_to_string(folder.join("c.csv")).expect("written");
        let counts = csv.lines().skip(1).filter_map(|line| {
            let count = line.rsplit(',').next()?;
            count.parse::<u64>().ok()
        });
        assert_eq!(counts.sum::<u64>(), collisions);

        // One cycle less than the slowest takes: it fails the run, whatever its place is.
        // For most seeds it is not in the last batch.
        for seed in ["run.seed=1", "run.seed=2", "run.seed=3", "run.seed=4"] {
            let (_, all) = run(&["--set", seed]);
            let most = number(&all, "/cycles_to_finish/max").expect("a number");
            let less = format!("run.cycles_max={}", most - 1);
            let (code, some) = run(&["--set", seed, "--set", &less]);
            assert_eq!(code, Some(1), "{engine}, {seed}");
            assert_eq!(some["finished"], false);
            assert_eq!(number(&some, "/replicates_run"), Some(count));
            let finished = number(&some, "/replicates_finished").expect("a number");
            assert!((1..count).contains(&finished), "{engine}, {seed}");
        }
    }
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let work = workplace();
    let folder = work.path();
    insta::assert_snapshot!(
        "no_folder",
        failure(folder, &["run", "small.toml", "--vcd", "none/x.vcd"], 4)
    );
    let others = [
        "--json",
        "--messages",
        "--collisions",
        "--events",
        "--checkpoints",
    ];
    for option in others {
        failure(folder, &["run", "small.toml", option, "none/x"], 4);
    }
    assert_eq!(files(folder), ["small.toml"]);

    // A run that fails later leaves what it has simulated under its name, whole.
    failure(
        folder,
        &[
            "run",
            "small.toml",
            "-q",
            "--vcd",
            "x.vcd",
            "--set",
            "run.cycles_max=10",
        ],
        1,
    );
    assert_eq!(files(folder), ["small.toml", "x.vcd"]);
    let text = fs::read_to_string(folder.join("x.vcd")).expect("written");
    assert!(
        text.ends_with('\n') && text.contains("#100\n"),
        "the last cycle is there"
    );

    // An old file stays when the new one cannot be written.
    write(folder, "old.vcd", "old");
    failure(
        folder,
        &[
            "run",
            "small.toml",
            "--vcd",
            "old.vcd",
            "--set",
            "wave.scopes=['nothing']",
        ],
        2,
    );
    assert_eq!(
        fs::read_to_string(folder.join("old.vcd")).expect("kept"),
        "old"
    );
    assert_eq!(files(folder), ["old.vcd", "small.toml", "x.vcd"]);
}

#[test]
fn an_output_is_neither_an_input_nor_another_output() {
    let work = workplace();
    let folder = work.path();
    let trace = "t_ns,source,destination,bytes\n0,1,2,8\n";
    write(folder, "t.csv", trace);
    write(
        folder,
        "traced.toml",
        "[network]\nkind = \"fat-tree\"\nnodes = 64\n[traffic]\ntrace = \"t.csv\"\n",
    );
    let before = fs::read(folder.join("traced.toml")).expect("readable");
    for option in ["--vcd", "--messages", "--collisions", "--json"] {
        for (path, what) in [
            ("./traced.toml", "the configuration"),
            ("./t.csv", "the trace"),
        ] {
            let said = failure(folder, &["run", "traced.toml", option, path], 2);
            let expected = format!("error: command line: {option}: {path} is what {what}");
            assert!(said.starts_with(&expected), "{said}");
        }
    }
    let outputs = ["--vcd", "same", "--json", "./same"];
    let said = failure(folder, &[&["run", "traced.toml"], &outputs[..]].concat(), 2);
    assert!(
        said.contains("--json: ./same is the file of --vcd as well"),
        "{said}"
    );
    assert_eq!(files(folder), ["small.toml", "t.csv", "traced.toml"]);
    assert_eq!(
        fs::read(folder.join("traced.toml")).expect("readable"),
        before
    );
    assert_eq!(
        fs::read_to_string(folder.join("t.csv")).expect("readable"),
        trace
    );
}

#[test]
fn an_empty_window_is_told() {
    let work = workplace();
    let window = |from: u64, code: i32| {
        let set = format!("wave.window_cycles=[{from}, 1_000_000]");
        let arguments = ["run", "small.toml", "-q", "--vcd", "x.vcd", "--set", &set];
        let output = crosswave(work.path(), &arguments);
        assert_eq!(output.status.code(), Some(code));
        String::from_utf8(output.stderr).expect("UTF-8")
    };
    let said = window(900_000, 1);
    assert!(
        said.starts_with("error: run: wave.window_cycles: the window begins at cycle 900000"),
        "{said}"
    );
    assert!(!work.path().join("x.vcd").exists());
    assert_eq!(window(1, 0), "");
}

/// Results on standard output have no table after them.
#[cfg(target_os = "linux")]
#[test]
fn standard_output_is_for_one() {
    let work = workplace();
    let folder = work.path();
    for option in ["--vcd", "--messages", "--collisions", "--json"] {
        success(folder, &["run", "small.toml", "-q", option, "file"]);
        let file = fs::read_to_string(folder.join("file")).expect("written");
        let piped = success(folder, &["run", "small.toml", option, "/dev/stdout"]);
        let untimed = |text: &str| text.split("\"performance\"").next().map(str::len);
        assert_eq!(untimed(&file), untimed(&piped), "{option}");
        assert!(!piped.contains('│'), "{option}");
    }
}

#[test]
fn scopes_that_match_nothing_have_a_place() {
    let work = workplace();
    let folder = work.path();
    let text = fs::read_to_string(folder.join("small.toml")).expect("readable");
    let wave = "[wave]\nscopes = ['**.node_0', '**.nod_1', 'a..b']\n";
    write(folder, "wave.toml", &format!("{text}{wave}"));
    insta::assert_snapshot!(
        "scopes_without_match",
        failure(folder, &["run", "wave.toml", "--vcd", "x.vcd"], 2)
    );
    let set = "wave.scopes=['nothing']";
    let said = failure(
        folder,
        &["run", "wave.toml", "--vcd", "x.vcd", "--set", set],
        2,
    );
    assert!(
        said.starts_with("error: wave.toml: --set wave.scopes=['nothing']: pattern `nothing`"),
        "{said}"
    );
    assert_eq!(files(folder), ["small.toml", "wave.toml"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_reported() {
    let work = workplace();
    let folder = work.path();
    insta::assert_snapshot!(
        "full_device",
        failure(folder, &["run", "small.toml", "--vcd", "/dev/full"], 4)
    );
    for option in ["--json", "--messages", "--collisions"] {
        failure(folder, &["run", "small.toml", option, "/dev/full"], 4);
    }
    // A device stays the device that it is.
    assert!(!Path::new("/dev/full").is_file());
    assert_eq!(files(folder), ["small.toml"]);
}

#[test]
fn a_drawing_does_not_replace_its_waveform() {
    let work = workplace();
    for (name, reason) in [
        ("w", "is what the waveform is read from"),
        ("w.vcd", "--svg: ./w.vcd ends in .vcd"),
    ] {
        write(work.path(), name, "kept");
        let same = format!("./{name}");
        let said = failure(work.path(), &["show", name, "--svg", &same], 2);
        assert!(said.contains(reason), "{said}");
        assert_eq!(read(work.path(), name), "kept");
    }
}

#[test]
fn files_of_other_kinds_are_named_where_a_configuration_or_a_trace_is_expected() {
    let work = workplace();
    let folder = work.path();
    success(folder, &["run", "small.toml", "-q", "--vcd", "w.vcd"]);
    success(folder, &["run", "small.toml", "-q", "--fst", "w.fst"]);
    success(folder, &["run", "small.toml", "-q", "--vcd", "w.vcd.gz"]);
    write(
        folder,
        "m.v",
        "// a module\nmodule m(input a);\nendmodule\n",
    );
    let traced = "[network]\nkind = \"fat-tree\"\nnodes = 64\n[traffic]\ntrace = \"w.vcd.gz\"\n";
    write(folder, "traced.toml", traced);
    for (file, code, found) in [
        (
            "w.vcd",
            2,
            "found a waveform (VCD), expected a configuration (TOML)",
        ),
        (
            "w.fst",
            2,
            "found a waveform (FST), expected a configuration (TOML)",
        ),
        (
            "m.v",
            2,
            "found Verilog source, expected a configuration (TOML)",
        ),
        (
            "w.vcd.gz",
            2,
            "found a file compressed with gzip, expected a configuration",
        ),
        (
            "traced.toml",
            3,
            "found a file compressed with gzip, expected a trace (CSV)",
        ),
    ] {
        for command in ["run", "signals"] {
            if command == "signals" && code == 3 {
                continue;
            }
            let said = failure(folder, &[command, file], code);
            assert!(said.contains(found), "{command} {file}: {said}");
            assert!(said.lines().count() < 4, "{said}");
        }
        let sweep = ["sweep", file, "--vary", "run.seed=1,2", "--out", "out"];
        assert!(failure(folder, &sweep, code).contains(found), "{file}");
    }
}

#[test]
fn every_command_has_an_example() {
    let work = workplace();
    for command in ["run", "export", "info", "show", "headers", "completions"] {
        let help = success(work.path(), &[command, "--help"]);
        let example = format!("Example:\n  crosswave {command}");
        assert!(help.contains(&example), "{help}");
    }
    let help = success(work.path(), &["--help"]);
    for code in [
        "0 fine",
        "1 a check failed",
        "2 usage",
        "3 bad design",
        "4 reading",
    ] {
        assert!(
            help.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .contains(code),
            "{code}"
        );
    }
    let script = success(work.path(), &["completions", "bash"]);
    assert!(
        script.contains("-F _clap_complete_crosswave crosswave"),
        "{script}"
    );
}

/// A shell that asks for completions gets keys of `--set` and their values, papers, and the scopes
/// of a waveform that the line names.
#[test]
fn completions_know_keys_papers_and_scopes() {
    let work = workplace();
    success(
        work.path(),
        &["run", "small.toml", "--vcd", "small.vcd", "-q"],
    );
    let complete = |words: &str| {
        let last = words.split(' ').count() - 1;
        let asked =
            format!("CROSSWAVE_COMPLETE=zsh _CLAP_COMPLETE_INDEX={last} crosswave -- {words}");
        let output = crate::program::shell(work.path(), &asked);
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    // In bash, as the script that is printed asks.
    let line = "eval \"$(crosswave completions bash)\"; COMP_TYPE=9; \
                COMP_WORDS=(crosswave run small.toml --set traffic.pattern=hot); COMP_CWORD=4; \
                _clap_complete_crosswave crosswave traffic.pattern=hot; echo \"${COMPREPLY[@]}\"; \
                [[ $COMP_WORDBREAKS == *=* ]] || echo whole words";
    let asked = format!(
        "bash --norc -i -c '{}' 2> /dev/null",
        line.replace('\'', "'\\''")
    );
    let output = crate::program::shell(work.path(), &asked);
    let answered = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(answered.contains("traffic.pattern=hot-spot"), "{answered}");
    assert!(answered.contains("whole words"), "{answered}");
    let keys = complete("crosswave run small.toml --set traffic.lo");
    assert!(keys.contains("traffic.load="), "{keys}");
    let values = complete("crosswave run small.toml --set traffic.pattern=hot");
    assert!(values.contains("traffic.pattern=hot-spot"), "{values}");
    let papers = complete("crosswave check deh");
    assert!(papers.contains("dehon1990"), "{papers}");
    let scopes = complete("crosswave show small.vcd --scope testbench.network.node_1");
    assert!(scopes.contains("testbench.network.node_1"), "{scopes}");
}

/// Examples in the help of commands run with nothing but a configuration that `init` writes.
#[test]
fn examples_of_the_help_run() {
    let work = workplace();
    let folder = work.path();
    success(folder, &["init", "fat-tree", "--out", "mine.toml"]);
    success(folder, &["init", "m-port-n-tree", "--out", "tree.toml"]);
    write_chips(folder);
    for name in ["mine.toml", "tree.toml"] {
        let text = read(folder, name).replace("cycles = 20000", "cycles = 2000");
        write(folder, name, &text);
    }
    let mut run = 0;
    for command in [
        "run",
        "info",
        "route",
        "trace",
        "view",
        "signals",
        "show",
        "export",
        "oblivious",
        "keys",
        "fields",
        "completions",
        "man",
        "headers",
    ] {
        let help = success(folder, &[command, "--help"]);
        let examples = help.split("Example:\n").nth(1).expect("an example");
        for line in examples.replace("\\\n", " ").lines().map(str::trim) {
            // Files that only the user has, and what takes another tool.
            let is_other = ["lfts.txt", "run-icarus", "man crosswave", "~/"]
                .iter()
                .any(|part| line.contains(part));
            if !is_other && !line.is_empty() {
                let output = crate::program::shell(folder, line);
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{line}: {said}");
                run += 1;
            }
        }
    }
    assert!(run >= 18, "{run} examples");
}

#[test]
fn a_configuration_of_init_runs_and_is_not_replaced() {
    let work = workplace();
    success(work.path(), &["init", "fat-tree", "--out", "mine.toml"]);
    success(
        work.path(),
        &["run", "mine.toml", "--set", "traffic.cycles=500"],
    );
    let message = failure(work.path(), &["init", "bidelta", "--out", "mine.toml"], 2);
    assert!(message.contains("mine.toml exists already"), "{message}");
}

fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().expect("an object");
    object.keys().map(String::as_str).collect()
}

#[test]
fn the_json_has_its_keys() {
    let work = workplace();
    let set = "retry.strategy=rounds";
    let text = success(
        work.path(),
        &["run", "small.toml", "--set", set, "--json", "-"],
    );
    let json: Value = serde_json::from_str(&text).expect("JSON and nothing else");
    let expected = [
        "crosswave",
        "config",
        "engine",
        "cycles",
        "messages",
        "latency_cycles",
        "rounds",
        "cycles_to_finish",
        "performance",
    ];
    for key in expected {
        assert!(!json[key].is_null(), "{key} is missing");
    }
    assert_eq!(
        keys(&json["messages"]),
        ["offered", "delivered", "attempts"]
    );
    assert_eq!(
        keys(&json["latency_cycles"]),
        [
            "from",
            "to",
            "min",
            "mean",
            "p50",
            "p90",
            "p99",
            "p999",
            "p9999",
            "max",
            "histogram",
            "distribution"
        ]
    );
    assert_eq!(json["latency_cycles"]["from"], "offer");
    let bins = json["latency_cycles"]["distribution"].as_array();
    let last = bins.and_then(|bins| bins.last()).expect("bins");
    assert_eq!(
        keys(last),
        ["from", "to", "messages", "cumulative_fraction"]
    );
    assert_eq!(last["cumulative_fraction"], 1.0);
    let rows = json["latency_by_routers"].as_array().expect("rows");
    let messages = rows.iter().filter_map(|row| row["messages"].as_u64());
    assert_eq!(Some(messages.sum()), json["messages"]["delivered"].as_u64());
    let bins = json["latency_cycles"]["histogram"].as_array();
    let bins = bins.expect("a list");
    assert_eq!(keys(&bins[0]), ["from", "to", "messages"]);
    assert_eq!(bins[0]["from"], json["latency_cycles"]["min"]);
    assert!(bins.len() > 1 && bins.len() <= 12, "{bins:?}");
    for pair in bins.windows(2) {
        assert_eq!(
            pair[0]["to"].as_u64().map(|to| to + 1),
            pair[1]["from"].as_u64()
        );
    }
    let messages = bins.iter().filter_map(|bin| bin["messages"].as_u64());
    assert_eq!(messages.sum::<u64>(), 64);
    assert_eq!(
        keys(&json["cycles_to_finish"]),
        ["mean", "stderr", "min", "max"]
    );
    assert_eq!(
        keys(&json["performance"]),
        ["wall_seconds", "cycles_per_second"]
    );
    assert_eq!(json["messages"]["offered"], 64);
    assert_eq!(json["messages"]["delivered"], 64);
}

/// A replicate that is given up did not finish at the cycle in which it was.
#[test]
fn only_finished_replicates_have_a_finish() {
    let work = workplace();
    let run = |cycles_max: u64| {
        let set = format!("run.cycles_max={cycles_max}");
        let arguments = ["run", "small.toml", "--set", "run.replicates=3"];
        let table = crosswave(work.path(), &[&arguments[..], &["--set", &set]].concat());
        let json = ["--set", &set, "--json", "-"];
        let output = crosswave(work.path(), &[&arguments[..], &json].concat());
        assert_eq!(table.status.code(), output.status.code());
        let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (json, String::from_utf8(table.stdout).expect("UTF-8"))
    };
    let (all, table) = run(10_000_000);
    assert_eq!(all["finished"], true);
    assert_eq!(all["replicates_finished"], 3);
    assert!(table.contains("3; the counts are their sums"), "{table}");

    let last = all["cycles_to_finish"]["max"].as_u64().expect("a cycle");
    let (some, table) = run(last - 1);
    assert_eq!(some["finished"], false);
    assert_eq!(some["replicates_run"], 3);
    assert_eq!(some["replicates_finished"], 2);
    assert_eq!(
        some["cycles_to_finish"]["min"],
        all["cycles_to_finish"]["min"]
    );
    assert!(some["cycles_to_finish"]["max"].as_u64() < Some(last - 1));
    assert!(table.contains("3 of 3 run, 2 finished"), "{table}");

    let (none, table) = run(10);
    assert_eq!(none["replicates_run"], 3);
    assert_eq!(none["replicates_finished"], 0);
    assert!(none["cycles_to_finish"].is_null());
    assert!(table.contains("3 of 3 run, 0 finished"), "{table}");
    assert!(!table.contains("cycles to finish"), "{table}");
}

#[test]
fn results_depend_on_neither_engine_nor_threads() {
    let work = workplace();
    let folder = work.path();
    let mut seen: Vec<(String, String, String, Vec<u8>)> = Vec::new();
    for engine in ["gate", "event"] {
        for threads in 1..=3 {
            let threads = format!("run.threads={threads}");
            let text = success(
                folder,
                &[
                    "run",
                    "small.toml",
                    "--engine",
                    engine,
                    "--set",
                    &threads,
                    "--set",
                    "run.replicates=3",
                    "--json",
                    "-",
                    "--messages",
                    "m.csv",
                    "--collisions",
                    "c.csv",
                    "--vcd",
                    "w.vcd",
                ],
            );
            let mut json: Value = serde_json::from_str(&text).expect("JSON");
            let object = json.as_object_mut().expect("an object");
            object.remove("performance");
            object.remove("engine");
            let run = json["config"]["run"].as_object_mut().expect("an object");
            run.remove("engine");
            run.remove("threads");
            let messages = fs::read_to_string(folder.join("m.csv")).expect("written");
            let collisions = fs::read_to_string(folder.join("c.csv")).expect("written");
            let waveform = fs::read(folder.join("w.vcd")).expect("written");
            seen.push((json.to_string(), messages, collisions, waveform));
        }
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    assert_eq!(
        seen[0].1.lines().next(),
        Some(
            "id,source,destination,offered_cycle,sent_cycle,attempts,delivered_cycle,\
             acknowledged_cycle,replicate,latency_cycles"
        )
    );
    // Three replicates of 64 messages.
    assert_eq!(seen[0].1.lines().count(), 1 + 3 * 64);
}

/// The collisions of all replicates add up to those of the JSON.
#[test]
fn collisions_are_told_by_level_and_scenario() {
    let work = workplace();
    let folder = work.path();
    let replicates = ["--set", "run.replicates=3", "--json", "-"];
    let run = ["run", "small.toml", "--collisions", "c.csv"];
    let text = success(folder, &[&run[..], &replicates].concat());
    let json: Value = serde_json::from_str(&text).expect("JSON");
    let file = fs::read_to_string(folder.join("c.csv")).expect("written");
    let mut lines = file.lines();
    assert_eq!(lines.next(), Some("level,scenario,winner,collisions"));
    let mut by_level = [0; 6];
    for line in lines {
        let fields: Vec<&str> = line.split(',').collect();
        let [level, scenario, winner, collisions] = fields[..] else {
            panic!("{line}");
        };
        assert!(
            ["above", "side", "both", "upward"].contains(&scenario),
            "{line}"
        );
        assert!(["head", "circuit"].contains(&winner), "{line}");
        let level: usize = level.parse().expect("a level");
        by_level[level] += collisions.parse::<u64>().expect("a count");
    }
    for (level, found) in by_level.iter().enumerate() {
        let counts = &json["collisions"];
        let of = |kind: &str| counts[kind][level].as_u64().expect("a count");
        let expected = of("turning_by_level") + of("downward_by_level");
        assert_eq!(*found, expected, "level {level}");
    }
    assert!(by_level.iter().sum::<u64>() > 0);

    write(
        folder,
        "bidelta.toml",
        "[network]\nkind = \"bidelta\"\nnodes = 64\n[traffic]\npattern = \"random\"\n",
    );
    let said = failure(folder, &["run", "bidelta.toml", "--collisions", "b.csv"], 2);
    assert!(
        said.contains("--collisions: the network is no fat tree"),
        "{said}"
    );
    assert_eq!(files(folder), ["bidelta.toml", "c.csv", "small.toml"]);
}

/// With a waveform replicate 0 runs alone, without one in the lanes of an
/// engine that it shares.
#[test]
fn results_do_not_depend_on_what_is_recorded() {
    let work = workplace();
    let folder = work.path();
    let results: Vec<(Value, String)> = [&["--vcd", "w.vcd"][..], &[]]
        .iter()
        .map(|options| {
            let run = ["run", "small.toml", "--engine", "gate"];
            let outputs = ["--json", "-", "--messages", "m.csv"];
            let set = ["--set", "run.replicates=20"];
            let text = success(folder, &[&run, &set[..], &outputs, options].concat());
            let mut json: Value = serde_json::from_str(&text).expect("JSON");
            json["performance"].take();
            (
                json,
                fs::read_to_string(folder.join("m.csv")).expect("written"),
            )
        })
        .collect();
    assert!(results[0] == results[1]);
}

#[test]
fn ten_idle_seconds_cost_nothing() {
    let work = workplace();
    let folder = work.path();
    write(
        folder,
        "gap.toml",
        "[network]\nkind = \"fat-tree\"\nnodes = 64\n[traffic]\ntrace = \"gap.csv\"\n\
         [run]\ncycles_max = 2_000_000_000\n",
    );
    write(
        folder,
        "gap.csv",
        "t_ns,source,destination,bytes\n0,0,63,4\n10000000000,63,0,4\n",
    );
    let waveforms = ["gate", "event"].map(|engine| {
        let start = std::time::Instant::now();
        let text = success(
            folder,
            &[
                "run", "gap.toml", "--engine", engine, "--vcd", "gap.vcd", "--json", "-",
            ],
        );
        assert!(
            start.elapsed().as_secs() < 20,
            "{engine}: {:?}",
            start.elapsed()
        );
        let json: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["messages"]["delivered"], 2);
        assert!(json["cycles"].as_u64() > Some(1_000_000_000));
        fs::read(folder.join("gap.vcd")).expect("written")
    });
    assert!(waveforms[0] == waveforms[1], "the engines differ");
}

/// The pictures in the pages are those of `docs/make.sh`, which makes them again where that takes
/// seconds.
#[test]
fn pictures_are_what_the_program_draws() {
    let mut command = std::process::Command::new(root("docs/make.sh"));
    command.env("CROSSWAVE", env!("CARGO_BIN_EXE_crosswave"));
    support::finish(command.arg("--check"));
}

/// Examples that take seconds; the README and its pages run them.
const LARGE: [&str; 2] = ["serviced3072.toml", "steady64.toml"];
/// Examples in which packets are lost.
const LOSING: [&str; 1] = ["packet-conflict.toml"];

#[test]
fn every_example_runs() {
    let work = workplace();
    for folder in ["examples", "examples/scenarios"] {
        for name in files(&root(folder)) {
            if !name.ends_with(".toml") {
                continue;
            }
            let path = root(folder).join(&name);
            let text = fs::read_to_string(&path).expect("readable");
            assert!(text.starts_with("# "), "{name} does not say what it is for");
            let path = path.to_str().expect("UTF-8");
            success(work.path(), &["info", path]);
            if LARGE.contains(&&*name) {
                continue;
            }
            let run = ["run", path, "--engine", "event", "--json", "-"];
            match LOSING.contains(&&*name) {
                true => drop(failure(work.path(), &run, 1)),
                false => drop(success(work.path(), &run)),
            }
        }
    }
}

/// `signals` before a run lists the signals that the waveform has afterwards.
#[test]
fn signals_are_told_before_the_run() {
    let work = workplace();
    let folder = work.path();
    let scopes = "wave.scopes=[\"**.router_0_*\", \"**.node_3\"]";
    let said = success(
        folder,
        &["signals", "small.toml", "--set", scopes, "--json", "-"],
    );
    let json: Value = serde_json::from_str(&said).expect("JSON");
    let groups = json["groups"].as_array().expect("a list");
    assert_eq!(groups[0]["first"], "testbench.network.router_0_0");
    assert_eq!(groups[1]["last"], "testbench.network.node_3");
    assert_eq!((&groups[1]["scopes"], groups.len()), (&Value::from(1), 2));
    let state = |signal: &&Value| signal["name"] == "a_state";
    let signals = groups[0]["signals"].as_array().expect("a list");
    let state = signals.iter().find(state).expect("routers have states");
    assert_eq!(state["width"], 4);
    assert!(
        state["values"]
            .as_array()
            .is_some_and(|all| all.contains(&"DRAIN".into()))
    );
    for size in json["bytes"].as_array().expect("a list") {
        let name = format!("w.{}", size["format"].as_str().expect("a format"));
        success(
            folder,
            &[
                "run",
                "small.toml",
                "--set",
                scopes,
                "--wave",
                &name,
                "--quiet",
            ],
        );
        let bytes = fs::metadata(folder.join(&name)).expect("written").len() as f64;
        let expected = size["bytes"].as_u64().expect("a number") as f64;
        assert!(
            (0.7..1.4).contains(&(expected / bytes)),
            "{name}: {expected} for {bytes}"
        );
    }
    success(
        folder,
        &[
            "run",
            "small.toml",
            "--set",
            scopes,
            "--vcd",
            "w.vcd",
            "--quiet",
        ],
    );
    let dump = fs::read_to_string(folder.join("w.vcd")).expect("written");
    // Names of states stand beside signals, as strings, and are no signals.
    let declared = dump
        .lines()
        .filter(|line| line.starts_with("$var") && !line.contains(" string "));
    assert_eq!(json["signals"].as_u64(), Some(declared.count() as u64));
    let table = success(folder, &["signals", "small.toml", "--set", scopes]);
    assert!(
        table.contains("testbench.network.node_3") && table.contains("DRAIN"),
        "{table}"
    );
}

/// Slips in words of the top level: of commands, and of tables and keys of a configuration.
#[test]
fn what_may_have_been_meant_is_said() {
    let place = workplace();
    let folder = place.path();
    for (word, meant) in [
        ("rn", "'run'"),
        ("wvae", "'show'"),
        ("simulate", "'run'"),
        ("chek", "'check'"),
        ("infp", "'info'"),
    ] {
        let said = failure(folder, &[word], 2);
        assert!(said.contains(meant), "{word}: {said}");
    }
    let said = failure(folder, &["schedule", "gahter"], 2);
    assert!(said.contains("'gather'"), "{said}");
    let small = fs::read_to_string(folder.join("small.toml")).expect("it is there");
    for (slip, meant) in [
        ("[wvae]\nscopes = [\"*\"]\n", "did you mean [wave]?"),
        ("[rn]\nseed = 1\n", "did you mean [run]?"),
        ("[rnu]\nseed = 1\n", "did you mean [run]?"),
        ("[run]\nsede = 1\n", "did you mean `seed` in [run]?"),
    ] {
        write(folder, "c.toml", &format!("{small}{slip}"));
        let said = failure(folder, &["info", "c.toml"], 2);
        assert!(said.contains(meant), "{slip}: {said}");
    }
    write(folder, "c.toml", &format!("wvae = 1\n{small}"));
    let said = failure(folder, &["info", "c.toml"], 2);
    assert!(said.contains("did you mean [wave]?"), "{said}");
    write(folder, "c.toml", &format!("sede = 1\n{small}"));
    let said = failure(folder, &["info", "c.toml"], 2);
    assert!(said.contains("did you mean `seed` in [run]?"), "{said}");
    let said = failure(folder, &["info", "small.toml", "--set", "rn.seed=3"], 2);
    assert!(said.contains("did you mean [run]?"), "{said}");
}

/// Without a driver there is no adapter, and no file of what was to be computed.
#[cfg(feature = "gpu")]
#[test]
fn a_missing_adapter_is_told_with_a_package() {
    let work = workplace();
    let folder = work.path();
    let mut command = Command::new(env!("CARGO_BIN_EXE_crosswave"));
    let arguments = ["run", "small.toml", "--engine", "gpu", "--vcd", "out.vcd"];
    let drivers = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].map(|name| (name, "/dev/null"));
    let command = command.args(arguments).current_dir(folder).envs(drivers);
    let found = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&found.stderr);
    assert_eq!(found.status.code(), Some(2), "{said}");
    assert!(said.contains("no adapter"), "{said}");
    assert!(said.contains("mesa-vulkan-drivers"), "{said}");
    assert_eq!(files(folder), ["small.toml"]);
}
