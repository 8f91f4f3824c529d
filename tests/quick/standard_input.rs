//! Configurations that come from standard input, as `-`.

#![cfg(unix)]

use std::fs;

use serde_json::Value;

use crate::program::{read, shell, workplace, write};

const TREE: &str = "[network]\nkind = \"m-port-n-tree\"\nports = 4\nlevels = 2\n\
                    [traffic]\npattern = \"random\"\n";

/// The JSON of a run without what the time tells.
fn untimed(bytes: &[u8]) -> Value {
    let mut value: Value = serde_json::from_slice(bytes).expect("JSON alone");
    value["performance"] = Value::Null;
    value
}

#[test]
fn every_command_takes_a_configuration_from_standard_input() {
    let place = workplace();
    let folder = place.path();
    let small = read(folder, "small.toml").replace("64", "16");
    write(folder, "small.toml", &small);
    write(folder, "tree.toml", TREE);
    for (command, file) in [
        ("info FILE", "small.toml"),
        ("signals FILE", "small.toml"),
        ("route FILE 0 9", "small.toml"),
        ("trace FILE 3", "small.toml"),
        ("trace FILE 3 --json -", "small.toml"),
        ("view FILE --html -", "small.toml"),
        ("run FILE --messages -", "small.toml"),
        ("run FILE --engine event --vcd -", "small.toml"),
        ("oblivious FILE", "tree.toml"),
        (
            "run FILE -q --checkpoints c.checkpoints --checkpoint-every 20",
            "small.toml",
        ),
        (
            "replay FILE --checkpoints c.checkpoints --from 30 --to 40 --vcd -",
            "small.toml",
        ),
    ] {
        let by_name = shell(
            folder,
            &format!("crosswave {}", command.replace("FILE", file)),
        );
        let said = String::from_utf8_lossy(&by_name.stderr);
        assert!(by_name.status.success(), "{command}: {said}");
        let command = command.replace("FILE", "-");
        for line in [
            format!("crosswave {command} < {file}"),
            format!("cat {file} | crosswave {command}"),
        ] {
            let output = shell(folder, &line);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line}: {said}");
            assert!(output.stdout == by_name.stdout, "{line}");
        }
    }
    let json = |line: &str| untimed(&shell(folder, line).stdout);
    assert_eq!(
        json("crosswave run - --json - < small.toml"),
        json("crosswave run small.toml --json -")
    );
    let export = "cat small.toml | crosswave export - --verilog out";
    assert!(shell(folder, export).status.success());
    assert!(folder.join("out/run-icarus.sh").is_file());
    let sweep =
        "cat small.toml | crosswave sweep - --vary traffic.words=2,4 --replicates 1 --out o";
    assert!(shell(folder, sweep).status.success());
    assert!(read(folder, "o/latency_cycles.mean.svg").contains("fat tree, "));
}

/// There is no folder that it lies in.
#[test]
fn files_of_such_a_configuration_are_in_the_current_folder() {
    let place = workplace();
    let folder = place.path();
    fs::create_dir(folder.join("below")).expect("a folder");
    let traced = "[network]\nkind = \"fat-tree\"\nnodes = 16\n[traffic]\ntrace = \"t.csv\"\n";
    write(folder, "below/c.toml", traced);
    let trace = |count: usize| {
        let rows = (0..count).map(|at| format!("{},1,2,3\n", 1000 * at));
        format!(
            "t_ns,source,destination,bytes\n{}",
            rows.collect::<String>()
        )
    };
    write(folder, "below/t.csv", &trace(1));
    let offered = |line: &str| {
        let output = shell(folder, line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.success() {
            true => Ok(untimed(&output.stdout)["messages"]["offered"].clone()),
            false => Err(said),
        }
    };
    assert_eq!(offered("crosswave run below/c.toml --json -"), Ok(1.into()));
    let said = offered("crosswave run - --json - < below/c.toml").expect_err("no trace here");
    assert!(said.contains("--> standard input:5:9"), "{said}");
    assert!(said.contains("t.csv cannot be read"), "{said}");
    write(folder, "t.csv", &trace(2));
    assert_eq!(
        offered("crosswave run - --json - < below/c.toml"),
        Ok(2.into())
    );
}

#[test]
fn what_standard_input_is_read_from_is_not_replaced() {
    let place = workplace();
    let folder = place.path();
    let before = read(folder, "small.toml");
    let output = shell(
        folder,
        "crosswave info - --structure small.toml < small.toml",
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(read(folder, "small.toml"), before);
}
