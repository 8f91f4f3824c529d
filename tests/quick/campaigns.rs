//! `faults`.

use serde_json::Value;

use crate::program::{crosswave, failure, read, shell, success, workplace, write};

const TREE: &str =
    "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nrepeat=3\nwords=3\n";

/// A network of packets whose queues are too long for the netlists.
const PACKETS: &str = "[network]\nkind='binary-fat-tree'\nnodes=16\n[router]\nqueue_packets=16\n\
                       [traffic]\npattern='random'\n";

#[test]
fn the_table_and_the_json_say_the_same() {
    let work = workplace();
    let folder = work.path();
    write(folder, "t.toml", TREE);
    let arguments = [
        "faults",
        "t.toml",
        "--router",
        "router_0_2",
        "--faults",
        "stuck-at,late-links,flips",
        "--flips",
        "30",
        "--sample",
        "300",
        "--list",
        "2",
    ];
    let text = success(folder, &arguments);
    success(folder, &[&arguments[..], &["--json", "f.json"]].concat());
    let report: Value = serde_json::from_str(&read(folder, "f.json")).expect("JSON");
    assert_eq!(report["router"], "router_0_2");
    let faults = report["faults"].as_array().expect("a list");
    let counts = report["counts"].as_array().expect("a list");
    let kinds: Vec<&str> = counts.iter().filter_map(|of| of["kind"].as_str()).collect();
    assert_eq!(kinds, ["stuck-at", "late-link", "flip"]);
    for counts in counts {
        let of_kind: Vec<&Value> = faults
            .iter()
            .filter(|fault| fault["kind"] == counts["kind"])
            .collect();
        assert_eq!(counts["classes"], of_kind.len());
        let sum = |counts: &dyn Fn(&Value) -> bool| -> u64 {
            let counted = of_kind.iter().filter(|fault| counts(fault));
            counted
                .filter_map(|fault| fault["equivalent"].as_u64())
                .sum()
        };
        assert_eq!(counts["faults"], sum(&|_| true));
        assert_eq!(counts["seen"], sum(&|fault| !fault["cycle"].is_null()));
        for (field, effect) in [("harmless", "none"), ("wrong", "wrong"), ("hang", "hang")] {
            assert_eq!(
                counts[field],
                sum(&|fault| fault["effect"] == effect),
                "{field}"
            );
        }
        for reason in ["redundant", "pins", "not-excited"] {
            let field = reason.replace('-', "_");
            assert_eq!(
                counts[&field],
                sum(&|fault| fault["unseen"] == reason),
                "{field}"
            );
        }
    }
    let coverage = counts[0]["fault_coverage_percent"]
        .as_f64()
        .expect("a number");
    let said = format!("{:.2} %", (100.0 * coverage).floor() / 100.0);
    assert!(text.contains("router_0_2 (fat_tree_router)"), "{text}");
    assert!(text.contains(&said), "{said}: {text}");
    assert!(text.contains("more; --list shows more"), "{text}");
    // Some of each: what shows is found out, and what does not.
    let has = |effect: &str| faults.iter().any(|fault| fault["effect"] == effect);
    assert!(has("retried") && has("hang"), "{text}");
    let proved = |fault: &Value| fault["unseen"] == "pins" || fault["unseen"] == "redundant";
    assert!(faults.iter().any(proved), "{text}");
}

#[test]
fn too_little_coverage_and_what_cannot_be_broken_are_told() {
    let work = workplace();
    let folder = work.path();
    write(folder, "t.toml", TREE);
    let least = ["faults", "t.toml", "--alone", "--list", "0", "--at-least"];
    success(folder, &[&least[..], &["10"]].concat());
    let of = |arguments: &[&str], code: i32, words: &[&str]| {
        let said = failure(folder, arguments, code);
        for word in words {
            assert!(said.contains(word), "{word}: {said}");
        }
    };
    let all = [&least[..], &["100"]].concat();
    of(&all, 1, &["expected at least 100 %", "run.replicates"]);
    let router = ["faults", "t.toml", "--router", "router_9_9"];
    of(
        &router,
        2,
        &["--router", "no chip router_9_9", "router_0_0"],
    );
    let model = ["--set", "network.kind=m-port-n-tree-packets"];
    let model = [&["faults", "t.toml"], &model[..]].concat();
    of(&model, 2, &["t.toml"]);
    let flips = ["faults", "t.toml", "--faults", "flips", "--flips", "0"];
    of(&flips, 2, &["--flips"]);
    let least = [&flips[..4], &["--at-least", "10"]].concat();
    of(&least, 2, &["--at-least", "stuck-at"]);
    of(
        &["faults", "t.toml", "--hang-cycle", "5"],
        2,
        &["--hang-cycle", "ends in cycle"],
    );
    let short = ["faults", "t.toml", "--set", "run.cycles_max=9"];
    of(&short, 1, &["does not deliver", "run.cycles_max"]);
    write(folder, "p.toml", PACKETS);
    of(&["faults", "p.toml"], 2, &["model without a netlist"]);
    of(
        &["faults", "t.toml", "--faults", "open"],
        2,
        &["stuck-at", "late-links"],
    );
}

/// Tests that `--tests` writes pass in other simulators, and fail with a router that has a fault.
///
/// Needs Icarus Verilog and Verilator.
#[test]
fn written_tests_pass_and_fail_where_they_should() {
    let work = workplace();
    let folder = work.path();
    write(folder, "t.toml", TREE);
    let arguments = ["faults", "t.toml", "--alone", "--set", "run.replicates=3"];
    let writes = |name| [&arguments[..], &["--tests", name]].concat();
    let said = crosswave(folder, &writes("tests"));
    assert!(said.status.success());
    insta::assert_snapshot!(String::from_utf8_lossy(&said.stderr), @r"tests: 2 tests detect in 233 cycles what the runs detect");
    insta::assert_snapshot!(read(folder, "tests/README.txt"), @r"
    Tests of fat_tree_router, written by crosswave 0.1.0 from runs of t.toml.

    What router_0_0 took and showed in these runs is driven and compared again. The tests detect all of the
    1480 faults that the runs detect.

    tests.txt          the tests: vectors and last cycle of each
    test_0.hex, ...    a line for each cycle: inputs, then outputs, in the order of test_router.py
    test_bench.v       drives and compares
    run-icarus.sh      runs the tests in Icarus Verilog
    run-verilator.sh   runs the tests in Verilator
    test_router.py, Makefile   the same for cocotb
    *.v, *.vh          the router as it was

    ROUTER=FILE.v ./run-icarus.sh tests another version of the router: a module of the same name and ports.
    A test ends with PASS, or with FAIL and the first cycle that differs. The exit code is 1 if one fails.

    test        replicate  seed                  last_cycle  faults that no test before it detects
    test_0.hex  0          1                     165         1420
    test_1.hex  1          11296843356799565136  68          60
    ");
    let run = |line: &str| {
        let output = shell(folder, line);
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
        )
    };
    let count = read(folder, "tests/tests.txt").lines().count();
    for script in ["run-icarus.sh", "run-verilator.sh"] {
        let (code, said) = run(&format!("tests/{script}"));
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(said.matches("PASS").count(), count);
    }
    let source = read(folder, "tests/fat_tree_input.v");
    let sources = ["arbiter", "crossbar", "grants", "router"];
    let others: String = sources
        .map(|name| read(folder, &format!("tests/fat_tree_{name}.v")))
        .concat();
    for (from, to) in [
        ("| (drain & in_valid_q)", "| drain"),
        ("collision | rejected;", "rejected;"),
        ("in_ack       <= ack;", "in_ack       <= 1'b0;"),
        (
            "in_data_q    <= in_data;",
            "in_data_q    <= in_data & 8'hfe;",
        ),
    ] {
        assert!(source.contains(from), "{from}");
        write(folder, "broken.v", &(source.replace(from, to) + &others));
        let (code, said) = run("ROUTER=$PWD/broken.v tests/run-icarus.sh");
        assert!(
            code == Some(1) && said.contains("FAIL cycle"),
            "{from}: {said}"
        );
    }
    // The same files at another number of threads, over those of before.
    let vectors = read(folder, "tests/test_0.hex");
    success(
        folder,
        &[&writes("tests")[..], &["--set", "run.threads=3"]].concat(),
    );
    assert!(vectors == read(folder, "tests/test_0.hex"));
    write(folder, "tests/tests.txt", "mine");
    let refused = failure(folder, &writes("tests"), 2);
    assert!(refused.contains("tests.txt"), "{refused}");
}
