//! Properties of routers: bugs in the routers of the examples are found by monitors in a run and named, and
//! are refuted by proofs; the routers themselves are clean.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::program::{crosswave, read, root, workplace, write};

/// The bugs, by router.
fn routers() -> Vec<toml::Table> {
    let text = fs::read_to_string(root("tests/designs/seeded_bugs.toml")).expect("it is there");
    let table: toml::Table = text.parse().expect("TOML");
    let routers = table["router"].as_array().expect("a list").iter();
    routers
        .map(|router| router.as_table().expect("a table").clone())
        .collect()
}

fn text<'t>(table: &'t toml::Table, key: &str) -> &'t str {
    table[key].as_str().expect("a text")
}

/// Copies the examples of routers into a folder, with a change of one.
fn copied(folder: &Path, source: &str, from: &str, to: &str) {
    for entry in fs::read_dir(root("examples/routers")).expect("it is there") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a file").to_str().expect("UTF-8");
        let mut content = fs::read_to_string(&path).expect("text");
        if name == source {
            assert!(from.is_empty() || content.contains(from), "{name}: {from}");
            content = content.replace(from, to);
        }
        write(folder, name, &content);
    }
}

/// The exit code of a run with monitors, and the properties that were broken.
fn broken(folder: &Path, network: &str, is_busy: bool) -> (Option<i32>, Vec<String>) {
    let mut arguments = vec!["run", network, "--quiet", "--json", "result.json"];
    arguments.extend(["--set", "checks.monitors=true"]);
    arguments.extend(["--set", "checks.deadlock_cycles=500"]);
    if is_busy {
        arguments.extend(["--set", "traffic.load=0.3", "--set", "endpoint.stall=0.3"]);
    }
    let output = crosswave(folder, &arguments);
    let result: Value = serde_json::from_str(&read(folder, "result.json")).expect("JSON");
    let found = result["monitors"]["broken"]
        .as_array()
        .expect("a list")
        .iter();
    let mut names: Vec<String> = found
        .map(|found| found["property"].as_str().expect("a name").to_owned())
        .collect();
    names.sort();
    names.dedup();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if let Some(name) = names.first() {
        assert!(said.contains(" broke "), "{name}: {said}");
    }
    (output.status.code(), names)
}

/// Runs the networks of the examples with some of the bugs, each of which is to be found and named.
fn find_bugs(is_taken: impl Fn(usize) -> bool) {
    for router in routers() {
        let bugs = router["bugs"].as_array().expect("a list");
        assert!(bugs.len() >= 10, "{router:?}");
        for (_, bug) in bugs.iter().enumerate().filter(|(at, _)| is_taken(*at)) {
            let bug = bug.as_table().expect("a table");
            let folder = workplace();
            let (from, to) = (text(bug, "from"), text(bug, "to"));
            copied(folder.path(), text(&router, "source"), from, to);
            let is_busy = bug.contains_key("is_busy");
            let (code, names) = broken(folder.path(), text(&router, "network"), is_busy);
            assert_eq!(code, Some(1), "{bug:?}");
            let expected = bug["found"].as_array().expect("a list").iter();
            let is_named = expected
                .filter_map(toml::Value::as_str)
                .any(|name| names.iter().any(|found| found == name));
            assert!(is_named, "{bug:?}: found {names:?}");
        }
    }
}

#[test]
fn monitors_name_seeded_bugs() {
    find_bugs(|at| at == 0);
}

#[test]
#[ignore = "it takes minutes: cargo test --test suite monitors_name_all -- --ignored"]
fn monitors_name_all_seeded_bugs() {
    find_bugs(|at| at > 0);
}

#[test]
fn examples_keep_their_properties() {
    for network in [
        "mesh64.toml",
        "credit64.toml",
        "circuit64.toml",
        "butterfly64.toml",
    ] {
        for is_busy in [false, true] {
            let folder = workplace();
            copied(folder.path(), "", "", "");
            let (code, names) = broken(folder.path(), network, is_busy);
            assert_eq!((code, names), (Some(0), Vec::new()), "{network} {is_busy}");
        }
    }
}

/// The verdicts of proofs of a component, by place and property.
fn verdicts(folder: &Path, component: &str, more: &[&str]) -> (Option<i32>, Vec<(String, String)>) {
    let arguments = [
        &["component", "prove", component, "--json", "proofs.json"],
        more,
    ]
    .concat();
    let output = crosswave(folder, &arguments);
    let result: Value = serde_json::from_str(&read(folder, "proofs.json")).expect("JSON");
    let properties = result["properties"].as_array().expect("a list").iter();
    let verdicts = properties.map(|found| {
        let text = |key: &str| found[key].as_str().expect("a text").to_owned();
        (
            format!("{} {}", text("place"), text("property")),
            text("verdict"),
        )
    });
    (output.status.code(), verdicts.collect())
}

/// All properties of a component are proved, and they are so many.
fn proved(component: &str, more: &[&str], count: usize) {
    let folder = workplace();
    copied(folder.path(), "", "", "");
    let (code, verdicts) = verdicts(folder.path(), component, more);
    assert_eq!((code, verdicts.len()), (Some(0), count), "{verdicts:?}");
    let mut verdicts = verdicts.iter();
    assert!(verdicts.all(|(_, verdict)| verdict == "proved"));
}

#[test]
fn the_deflecting_switch_is_proved() {
    proved("butterfly_switch.toml", &[], 11);
}

#[test]
#[ignore = "it takes a minute: cargo test --test suite the_circuit_switch_is_proved -- --ignored"]
fn the_circuit_switch_is_proved() {
    proved("circuit_switch.toml", &[], 33);
}

#[test]
fn handshakes_of_the_mesh_router_are_proved() {
    proved("mesh_router.toml", &["--property", "stable"], 10);
}

#[test]
fn refuted_properties_have_a_waveform() {
    for (router, number) in [(0, 1), (1, 0), (2, 5)] {
        let routers = routers();
        let router = &routers[router];
        let bug = router["bugs"].as_array().expect("a list")[number].clone();
        let bug = bug.as_table().expect("a table");
        let property = bug["found"].as_array().expect("a list")[0]
            .as_str()
            .expect("a name");
        let folder = workplace();
        let (from, to) = (text(bug, "from"), text(bug, "to"));
        copied(folder.path(), text(router, "source"), from, to);
        let more = ["--property", property, "--output", "proofs"];
        let (code, verdicts) = verdicts(folder.path(), text(router, "component"), &more);
        assert_eq!(code, Some(1), "{bug:?}");
        let failed = verdicts.iter().find(|(_, verdict)| verdict == "fails");
        let (title, _) = failed.unwrap_or_else(|| panic!("{bug:?}: {verdicts:?}"));
        let name = format!("proofs/{}.vcd", title.replace(['.', ' '], "_"));
        let drawn = crosswave(folder.path(), &["show", &name, "--list"]);
        let listed = String::from_utf8_lossy(&drawn.stdout).into_owned();
        let broken = format!("broken_{}", property.replace('-', "_"));
        assert!(listed.contains(&broken), "{listed}");
    }
}
