//! `crosswave report`, stopped and taken up again; and the tables of `crosswave check` with the points
//! that it keeps.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crosswave_base::file::folder::MANIFEST;
use serde_json::Value;

use crate::program::root;

fn crosswave(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crosswave"));
    command.args(arguments);
    command
}

fn succeeds(arguments: &[&str]) -> Output {
    let output = crosswave(arguments).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    output
}

/// Names and contents of the files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files = paths.filter(|path| path.is_file());
    files
        .map(|path| {
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, fs::read(path).expect("a file"))
        })
        .collect()
}

/// The table of a check with the points that a report kept, which finds what is on the report's page.
/// The points are at hand, so that each paper is simulated once.
fn table_of_points(paper: &str, report: &Path, checked: &Value) -> String {
    let points = report.join("points");
    let (json, page) = (report.join("again.json"), report.join("differences.md"));
    let [points, at, to] = [&points, &json, &page].map(|path| path.to_str().expect("UTF-8"));
    let check = ["check", paper, "--keep", points, "--json", at];
    let output = succeeds(&[&check[..], &["--differences", to]].concat());
    let section = |path: &Path| {
        let text = fs::read_to_string(path).expect("a page");
        let mut sections = text.split("\n## ");
        let own = sections.find(|section| section.starts_with(paper));
        own.expect("a section of each paper").trim_end().to_owned()
    };
    assert_eq!(
        section(&page),
        section(&root("docs/papers/differences.md")),
        "crosswave check --differences docs/papers/differences.md makes it"
    );
    let document = fs::read_to_string(&json).expect("the file");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(
        &document["papers"][0], checked,
        "the check is that of the page"
    );
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// Checks a paper with a router that never lets the message of input b up through port d. What
/// is computed of circuits says something else then, and all else what it said before.
fn check_with_your_own_router(file: &Path, program: &str) {
    let source = root("hdl/fat_tree_grants.v");
    let source = fs::read_to_string(source).expect("it is there");
    let changed = source.replace("b_up & d_free & ~a_to_d & ~b_to_c;", "1'b0;");
    assert_ne!(changed, source);
    fs::write(file, &changed).expect("a file");
    let chip = format!("fat_tree_router={}", file.display());
    let arguments = ["check", "dimakopoulos1994", "--chip", &chip];
    let output = crosswave(&arguments).output().expect("the program starts");
    assert_eq!(output.status.code(), Some(1), "attempts collide");
    let table = String::from_utf8(output.stdout).expect("output is UTF-8");
    let rows = |text: &str, of_circuits: bool| {
        let rows = text.lines().filter(|line| line.starts_with('│'));
        let rows = rows.filter(|line| line.contains("circuits_") == of_circuits);
        let cells = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        rows.map(cells).collect::<Vec<String>>()
    };
    assert_eq!(rows(&table, false), rows(program, false));
    assert_ne!(rows(&table, true), rows(program, true));
}

/// Starts a report, and interrupts it when some points are finished.
fn interrupted(out: &Path) -> Output {
    let arguments = ["report", "strumpen2005", "--quick", "--out"];
    let mut command = crosswave(&arguments);
    command
        .arg(out)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let began = Instant::now();
    let points = out.join("points");
    let finished = || fs::read_dir(&points).map_or(0, Iterator::count);
    while finished() < 12 {
        assert!(began.elapsed() < Duration::from_secs(300), "no points");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &pid]).status();
    assert!(kill.expect("kill").success());
    child.wait_with_output().expect("it ends")
}

#[test]
fn a_report_is_stopped_taken_up_again_and_checked() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("report");
    let stopped = interrupted(&out);
    let said = String::from_utf8_lossy(&stopped.stderr);
    assert_eq!(stopped.status.code(), Some(1), "{said}");
    assert!(
        said.contains("points that are finished are kept in"),
        "{said}"
    );
    assert!(
        said.contains("the same command goes on from there"),
        "{said}"
    );
    assert!(
        !out.join("index.html").exists(),
        "no page that is not whole"
    );

    let path = out.to_str().expect("UTF-8");
    let arguments = ["report", "strumpen2005", "--quick", "--out", path];
    succeeds(&arguments);
    let made = files(&out);
    // Everything is at hand now.
    succeeds(&arguments);
    assert_eq!(files(&out), made, "the same bytes");

    assert!(made.contains_key(MANIFEST));
    let names = made.keys().map(String::as_str);
    let names: Vec<&str> = names.filter(|name| *name != MANIFEST).collect();
    insta::assert_snapshot!("files", names.join("\n"));
    let checked: Value = serde_json::from_slice(&made["check.json"]).expect("JSON");
    let mut text = String::new();
    for quantity in checked["quantities"].as_array().expect("a list") {
        let of = |name: &str| match &quantity[name] {
            Value::Null => "-".to_owned(),
            Value::String(text) => text.clone(),
            Value::Number(number) => match number.as_f64() {
                Some(real) if number.is_f64() => format!("{real:.4}"),
                _ => number.to_string(),
            },
            other => panic!("{name}: {other}"),
        };
        let fields = [
            "id",
            "printed",
            "claimed",
            "analytic",
            "enumerated",
            "simulated",
            "stderr",
            "verdict",
        ]
        .map(of);
        let _ = writeln!(text, "{}", fields.join(" | "));
    }
    insta::assert_snapshot!("quantities", text);
    let page = String::from_utf8(made["index.html"].clone()).expect("UTF-8");
    for part in [
        "<title>",
        "Figure 7",
        "steady state",
        "crosswave run points/",
        "leaner trees",
        "What the paper says, and what came out",
        "factor of two",
    ] {
        assert!(page.contains(part), "{part}");
    }
    // Pictures carry the name of their language, which is all that is like an address.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "<script", " src="] {
        assert!(!page.contains(outside), "{outside}");
    }

    table_of_points("strumpen2005", &out, &checked);

    // A point is a configuration that runs.
    let entries = fs::read_dir(out.join("points")).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut runs: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "toml"))
        .filter(|path| !fs::read_to_string(path).expect("a file").contains("shift"))
        .collect();
    runs.sort();
    let run = &runs[0];
    let output = succeeds(&["run", run.to_str().expect("UTF-8"), "--json", "-"]);
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let kept = fs::read_to_string(run.with_extension("json")).expect("its samples");
    let kept: Value = serde_json::from_str(&kept).expect("JSON");
    let samples = kept["result"].as_array().expect("a list");
    assert_eq!(result["replicates_finished"], samples.len());
    let attempts: u64 = samples
        .iter()
        .map(|sample| sample[3].as_u64().expect("a count"))
        .sum();
    assert_eq!(result["messages"]["attempts"], attempts);
}

/// The page of DeHon's paper has every table and figure, its pictures need nothing else, and made
/// again from what was kept it is the same bytes.
#[test]
fn a_report_of_fat_trees_is_made_again_from_what_is_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("report");
    let path = out.to_str().expect("UTF-8");
    let arguments = ["report", "dehon1990", "--quick", "--out", path];
    succeeds(&arguments);
    let made = files(&out);
    succeeds(&arguments);
    assert_eq!(files(&out), made, "the same bytes");
    for number in [1, 2, 3, 4, 6, 7] {
        for letter in ["a", "b"] {
            assert!(made.contains_key(&format!("dehon1990-4.{number}{letter}.svg")));
        }
    }
    for number in 8..=19 {
        // Those of single trees have the simple model beside the recursion.
        let letters: &[&str] = match number {
            11 | 18 | 19 => &[""],
            _ => &["a", "b"],
        };
        for letter in letters {
            assert!(made.contains_key(&format!("dehon1990-4.{number}{letter}.svg")));
        }
        assert!(made.contains_key(&format!("dehon1990-4.{number}.csv")));
    }
    let page = String::from_utf8(made["index.html"].clone()).expect("UTF-8");
    let begins = page.find("What the paper says, and what came out");
    let tables = page.find("What is compared");
    assert!(begins < tables, "claims come first");
    for part in [
        "Table 2.1",
        "Table 3.6",
        "Table 4.1",
        "Tables 4.5 and 4.7",
        "Table 4.9",
        "Figure 4.11",
        "Figure 4.18",
        "hollow cubes",
        "2 (k + 1)",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "<script", " src="] {
        assert!(!page.contains(outside), "{outside}");
    }
    let checked: Value = serde_json::from_slice(&made["check.json"]).expect("JSON");
    assert_eq!(checked["holds"], true);
    insta::assert_snapshot!("dehon1990", table_of_points("dehon1990", &out, &checked));
}

/// The page on fat stacks has its networks, and says what does not come out.
#[test]
fn a_report_of_fat_stacks_has_its_networks_and_what_does_not_come_out() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("report");
    let path = out.to_str().expect("UTF-8");
    succeeds(&["report", "chen2004", "--quick", "--out", path]);
    let made = files(&out);
    for file in [
        "networksa.svg",
        "networksd.svg",
        "networks.csv",
        "overheadb.svg",
        "loada.svg",
        "load.csv",
    ] {
        assert!(made.contains_key(&format!("chen2004-{file}")), "{file}");
    }
    let page = String::from_utf8(made["index.html"].clone()).expect("UTF-8");
    for text in ["Universality (section 4)", "differs", "general fat stack"] {
        assert!(page.contains(text), "{text}");
    }
    let checked: Value = serde_json::from_slice(&made["check.json"]).expect("JSON");
    assert_eq!(checked["holds"], true);
    insta::assert_snapshot!("chen2004", table_of_points("chen2004", &out, &checked));
}

/// The page on oblivious routing has its figures, and rows that do not come out are shown as such.
#[test]
fn a_report_of_oblivious_routing_has_its_figures_and_what_does_not_come_out() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("report");
    let path = out.to_str().expect("UTF-8");
    succeeds(&["report", "yuan2007", "--quick", "--out", path]);
    let made = files(&out);
    for name in ["11", "12", "13", "14", "15", "paths"] {
        for end in ["svg", "csv"] {
            let file = format!("yuan2007-{name}.{end}");
            assert!(made.contains_key(&file), "{file}");
        }
    }
    for file in ["clocksa.svg", "clocksb.svg", "clocks.csv"] {
        assert!(made.contains_key(&format!("yuan2007-{file}")), "{file}");
    }
    let page = String::from_utf8(made["index.html"].clone()).expect("UTF-8");
    for text in [
        "The 2D mesh on FT(32, 2) and FT(8, 3)",
        "differs",
        "Several paths for each pair",
        "Failed links and switches",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let checked: Value = serde_json::from_slice(&made["check.json"]).expect("JSON");
    assert_eq!(checked["holds"], true);
    insta::assert_snapshot!("yuan2007", table_of_points("yuan2007", &out, &checked));
}

/// The page of Dimakopoulos and Dimopoulos begins with what became of its claims, and has its
/// figures.
#[test]
fn a_report_of_collective_communications_has_its_claims_and_figures() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("report");
    let path = out.to_str().expect("UTF-8");
    succeeds(&["report", "dimakopoulos1994", "--quick", "--out", path]);
    let made = files(&out);
    for name in ["dimakopoulos1994-steps", "dimakopoulos1994-circuits"] {
        for file in [
            format!("{name}a.svg"),
            format!("{name}b.svg"),
            format!("{name}.csv"),
        ] {
            assert!(made.contains_key(&file), "{file}");
        }
    }
    let page = String::from_utf8(made["index.html"].clone()).expect("UTF-8");
    for claim in [
        "The conjecture",
        "Queues of flooding",
        "XOR steps on circuits",
    ] {
        assert!(page.contains(claim), "{claim}");
    }
    let checked: Value = serde_json::from_slice(&made["check.json"]).expect("JSON");
    assert_eq!(checked["holds"], true);
    let table = table_of_points("dimakopoulos1994", &out, &checked);
    insta::assert_snapshot!("dimakopoulos1994", table);
    check_with_your_own_router(&folder.path().join("fat_tree_grants.v"), &table);
}

#[test]
fn an_unknown_paper_is_a_usage_error_and_makes_no_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("report");
    let output = crosswave(&["report", "strumpen2050", "--out"])
        .arg(&out)
        .output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(!out.exists());
    insta::assert_snapshot!("unknown_paper", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_folder_that_cannot_be_made_is_reported() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("file");
    fs::write(&out, "").expect("a folder");
    let output = crosswave(&["report", "strumpen2005", "--quick", "--out"])
        .arg(&out)
        .output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(4));
}
