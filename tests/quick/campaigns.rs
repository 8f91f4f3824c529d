//! `faults`.

use serde_json::Value;

use crate::program::{failure, read, success, workplace, write};

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
