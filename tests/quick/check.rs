//! `crosswave check` of formulas: the table, the JSON and the exit codes. Tables with what is simulated
//! are those of reports (`slow::report`).

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use crate::program::root;

fn check(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .arg("check")
        .args(arguments)
        .output()
        .expect("the program starts")
}

/// Standard output of a check that holds.
fn holding(arguments: &[&str]) -> String {
    let output = check(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

#[test]
fn no_name_is_every_paper() {
    let names = [
        "chen2004",
        "dehon1990",
        "dimakopoulos1994",
        "strumpen2005",
        "yuan2007",
    ];
    let formulas = holding(&[&names[..], &["--formulas"]].concat());
    assert_eq!(holding(&["--formulas"]), formulas);
    let each = names.map(|name| holding(&[name, "--formulas"]));
    assert_eq!(formulas, each.concat());
    assert_eq!(holding(&["dehon1990", "dehon1990", "--formulas"]), each[1]);
}

#[test]
fn json_of_every_quantity() {
    let text = holding(&["dehon1990", "--formulas", "--json", "-"]);
    let document: Value = serde_json::from_str(&text).expect("JSON alone");
    let paper = &document["papers"][0];
    assert_eq!(paper["paper"], "dehon1990");
    assert_eq!(paper["holds"], true);
    let quantities = paper["quantities"].as_array().expect("a list");
    let counts = ["reproduced", "undecided", "differs", "not_reproduced"];
    let counted = counts.map(|name| paper[name].as_u64().expect("a count"));
    assert_eq!(counted.iter().sum::<u64>(), quantities.len() as u64);
    let fields = [
        "id",
        "name",
        "source",
        "printed",
        "claimed",
        "analytic",
        "enumerated",
        "simulated",
        "stderr",
        "tolerance",
        "verdict",
        "reason",
        "expected",
    ];
    let mut ids = Vec::new();
    for quantity in quantities {
        let object = quantity.as_object().expect("an object");
        assert!(object.keys().eq(fields.iter()), "{quantity}");
        let is_reproduced = quantity["verdict"] == "reproduced";
        assert_eq!(quantity["reason"] == "", is_reproduced, "{quantity}");
        ids.push(quantity["id"].as_str().expect("a name"));
    }
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "names are used once");
}

#[test]
fn json_in_a_file_beside_the_table() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("check.json");
    let table = holding(&["--formulas", "--json", path.to_str().expect("UTF-8")]);
    assert_eq!(table, holding(&["--formulas"]));
    let written = std::fs::read_to_string(path).expect("the file");
    assert_eq!(written, holding(&["--formulas", "--json", "-"]));
}

#[test]
fn an_unknown_paper_is_a_usage_error() {
    let output = check(&["dehon1909"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    insta::assert_snapshot!("unknown_paper", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn chips_that_cannot_be_checked_are_usage_errors() {
    let twice = ["--chip", "rn1=a.v", "--chip", "rn1=b.v"];
    for (arguments, expected) in [
        (&["--chip", "rm1=a.v"][..], "did you mean rn1?"),
        (&twice[..], "found rn1 twice"),
        (&["--formulas", "--chip", "rn1=a.v"], "cannot be used with"),
    ] {
        let output = check(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn an_unknown_figure_is_a_usage_error_and_makes_no_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("figures");
    let output = Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .args(["figure", "dehon1991-4.19", "--out"])
        .arg(&out)
        .output()
        .expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(!out.exists());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("did you mean dehon1990-4.19?"), "{said}");
}

/// Each text that a mutant of a paper changes is in its file once, and each mutant names quantities.
#[test]
fn mutants_of_papers_find_what_they_change() {
    let text = |path: &str| fs::read_to_string(root(path)).expect("a file of the project");
    let mutants: toml::Table = text("crates/papers/mutants.toml").parse().expect("TOML");
    let mutants = mutants["mutant"].as_array().expect("a list");
    for mutant in mutants {
        let of = |name: &str| mutant[name].as_str().expect("a text");
        let name = of("name");
        let places = text(of("file")).matches(of("find")).count();
        assert_eq!(places, 1, "{name}");
        assert_ne!(of("find"), of("replace"), "{name}");
        let flips = mutant["flips"].as_array().expect("a list");
        assert!(!flips.is_empty(), "{name} flips no verdict");
    }
    for paper in crosswave_papers::registry::PAPERS {
        let is_of_paper = |mutant: &&toml::Value| mutant["paper"].as_str() == Some(paper.name);
        assert!(
            mutants.iter().filter(is_of_paper).count() >= 4,
            "{}",
            paper.name
        );
    }
}
