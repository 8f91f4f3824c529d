//! Chips of a designer's own, as netlists, in the networks of this program. Those that Yosys makes
//! of Verilog are in `slow::own_chips`.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::program::{crosswave, failure, files, root, success, workplace, write};

const ROUTER: &str = "fat_tree_router";

/// The netlist of the router of this program.
fn router() -> Value {
    let text = fs::read_to_string(root("hdl/netlists/fat_tree_router.json")).expect("it is there");
    serde_json::from_str(&text).expect("JSON")
}

fn module(netlist: &mut Value) -> &mut Value {
    &mut netlist["modules"][ROUTER]
}

fn save(folder: &Path, name: &str, netlist: &Value) {
    write(folder, name, &netlist.to_string());
}

/// The router in which the first gate of a type is of another one.
fn with_gate(from: &str, to: &str, number: usize) -> Value {
    let mut netlist = router();
    let cells = module(&mut netlist)["cells"]
        .as_object_mut()
        .expect("cells");
    let mut gates = cells.values_mut().filter(|cell| cell["type"] == from);
    gates.nth(number).expect("such a gate")["type"] = to.into();
    netlist
}

#[test]
fn the_same_netlist_gives_the_same_run() {
    let work = workplace();
    let folder = work.path();
    save(folder, "mine.json", &router());
    let result = |more: &[&str]| -> Value {
        let mut arguments = vec!["run", "small.toml", "--json", "-", "--vcd", "w.vcd"];
        arguments.extend(more);
        let mut result: Value = serde_json::from_str(&success(folder, &arguments)).expect("JSON");
        let object = result.as_object_mut().expect("an object");
        object.remove("performance");
        result
    };
    let before = result(&[]);
    let wave = fs::read(folder.join("w.vcd")).expect("written");
    let mut own = result(&["--chip", "fat_tree_router=mine.json"]);
    assert_eq!(fs::read(folder.join("w.vcd")).expect("written"), wave);
    let config = own["config"].as_object_mut().expect("an object");
    assert_eq!(config.remove("chips"), Some(json!({ROUTER: "mine.json"})));
    assert_eq!(own, before);
    // The key of a configuration in another folder names the file from there.
    fs::create_dir(folder.join("sub")).expect("a folder");
    let text = fs::read_to_string(folder.join("small.toml")).expect("it is there");
    let text = format!("{text}[chips]\nfat_tree_router = \"../mine.json\"\n");
    write(folder, "sub/own.toml", &text);
    let said = success(folder, &["run", "sub/own.toml"]);
    assert!(said.contains("your own chip"), "{said}");
    assert!(said.contains("fat_tree_router from mine.json"), "{said}");
    let (one, other) = ("small.toml", "sub/own.toml");
    let said = success(folder, &["compare", one, other]);
    assert!(
        said.contains("all outputs of all chips are the same"),
        "{said}"
    );
}

/// Outputs that the chip does not have are told in one warning, parts of them by their bits.
#[test]
fn outputs_beside_those_of_the_chip_are_told() {
    let work = workplace();
    let folder = work.path();
    let mut netlist = router();
    let ports = module(&mut netlist)["ports"]
        .as_object_mut()
        .expect("ports");
    let output = ports.iter().find(|(_, port)| port["direction"] == "output");
    let (name, bits) = output
        .map(|(name, port)| (name.clone(), port["bits"].clone()))
        .expect("one");
    let bit = &bits[0];
    let mut wide = bits.as_array().expect("bits").clone();
    wide.extend([bit.clone(), bit.clone()]);
    let high = wide.len() - 1;
    ports.insert(
        "wide".to_owned(),
        json!({ "direction": "output", "bits": wide }),
    );
    ports.insert(
        "spy".to_owned(),
        json!({ "direction": "output", "bits": [bit] }),
    );
    save(folder, "mine.json", &netlist);
    let own = match high - 2 {
        0 => "wide[0]".to_owned(),
        low => format!("wide[{low}:0]"),
    };
    let file = format!(
        "[component]\ntop = '{ROUTER}'\nnetlist = 'mine.json'\nclock = 'clock'\n\
         reset = {{ port = 'reset' }}\n[ports]\n{name} = '{own}'\n"
    );
    write(folder, "mine.toml", &file);
    let ran = crosswave(
        folder,
        &["run", "small.toml", "--chip", "fat_tree_router=mine.toml"],
    );
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    for part in [&name, "spy", &format!("wide[{high}:{}]", high - 1)] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(
        said.contains("the chip does not have the outputs"),
        "{said}"
    );
}

#[test]
fn a_changed_gate_is_found() {
    let work = workplace();
    let folder = work.path();
    save(folder, "bug.json", &with_gate("$_MUX_", "$_AND_", 0));
    let said = failure(
        folder,
        &["run", "small.toml", "--chip", "fat_tree_router=bug.json"],
        3,
    );
    assert!(said.contains("bug.json"), "{said}");
    // A gate that decides little is found in the cycle in which it does.
    let mut found = 0;
    for number in 0..6 {
        save(folder, "bug.json", &with_gate("$_AND_", "$_OR_", number));
        let arguments = [
            "compare",
            "small.toml",
            "--chip",
            "fat_tree_router=bug.json",
            "--set",
            "run.cycles_max=3000",
            "--json",
            "c.json",
            "--vcd",
            "around.vcd",
            "--around",
            "5",
        ];
        let ran = crosswave(folder, &arguments);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        let compared: Value = match fs::read_to_string(folder.join("c.json")) {
            Ok(text) => serde_json::from_str(&text).expect("JSON"),
            Err(_) => panic!("{said}"),
        };
        fs::remove_file(folder.join("c.json")).expect("removed");
        let Some(cycle) = compared["differs_cycle"].as_u64() else {
            assert_eq!(ran.status.code(), Some(0), "{said}");
            continue;
        };
        assert_eq!(ran.status.code(), Some(1), "{said}");
        found += 1;
        let ports = compared["ports"].as_array().expect("a list");
        assert!(!ports.is_empty());
        // Both waveforms, against each other: nothing differs before that cycle, and something in it.
        let difference = [
            "diff",
            "around.0.vcd",
            "around.1.vcd",
            "--json",
            "-",
            "--common",
        ];
        let diff = crosswave(folder, &difference);
        assert_eq!(diff.status.code(), Some(1));
        let diff: Value = serde_json::from_slice(&diff.stdout).expect("JSON");
        let times = diff["differences"].as_array().expect("a list");
        let first = times
            .iter()
            .map(|row| row["cycle"].as_u64().expect("a cycle"))
            .min();
        assert_eq!(first, Some(cycle), "{diff}");
        for name in ["around.0.vcd", "around.1.vcd"] {
            fs::remove_file(folder.join(name)).expect("removed");
        }
    }
    assert!(found >= 3, "{found} of 6 gates matter");
}

#[test]
fn differences_of_ports_are_told_together() {
    let work = workplace();
    let folder = work.path();
    let mut netlist = router();
    let ports = module(&mut netlist)["ports"]
        .as_object_mut()
        .expect("ports");
    let data = ports.remove("a_in_data").expect("a port");
    ports.insert("a_data".into(), data);
    // Bits that nothing reads.
    let wide = ports["b_in_data"]["bits"].as_array_mut().expect("bits");
    wide.push(1_000_000.into());
    ports.remove("c_state").expect("a port");
    save(folder, "ports.json", &netlist);
    let said = failure(
        folder,
        &["info", "small.toml", "--chip", "fat_tree_router=ports.json"],
        3,
    );
    for part in [
        "port a_in_data: it is missing",
        "port b_in_data: found 9 bits, expected 8",
        "port c_state: it is missing",
        "port a_data: found an input that the chip fat_tree_router does not have",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // An output that is not in the table is left out.
    let mut netlist = router();
    let ports = module(&mut netlist)["ports"]
        .as_object_mut()
        .expect("ports");
    let shown = ports["a_state"].clone();
    ports.insert("debug".into(), shown);
    save(folder, "more.json", &netlist);
    let ran = crosswave(
        folder,
        &[
            "compare",
            "small.toml",
            "--chip",
            "fat_tree_router=more.json",
        ],
    );
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(0), "{said}");
    assert!(
        said.contains("the chip does not have the outputs debug"),
        "{said}"
    );
}

#[test]
fn mistakes_are_told() {
    let work = workplace();
    let folder = work.path();
    save(folder, "mine.json", &router());
    let refused = |arguments: &[&str], code: i32, part: &str| {
        let said = failure(folder, &[&["run", "small.toml"], arguments].concat(), code);
        assert!(said.contains(part), "{part}: {said}");
    };
    refused(
        &["--chip", "fat_tree_router"],
        2,
        "found no '='; expected CHIP=FILE",
    );
    refused(
        &["--chip", "rn1=mine.json"],
        2,
        "--chip rn1: a network of kind \"fat-tree\" has no chip",
    );
    refused(
        &["--chip", "fat_tree_rooter=mine.json"],
        2,
        "did you mean `fat_tree_router` in [chips]?",
    );
    refused(
        &["--chip", "fat_tree_router=none.json"],
        4,
        "--chip fat_tree_router: none.json cannot be read",
    );
    fs::create_dir(folder.join("deeper")).expect("a new folder");
    fs::copy(folder.join("small.toml"), folder.join("deeper/small.toml")).expect("a file");
    let missing = ["--chip", "fat_tree_router=none.json"];
    let several = ["--vary", "run.seed=1,2", "--out", "seeds"];
    for command in [&["run"][..], &[&["sweep"][..], &several].concat()] {
        let arguments = [command, &["deeper/small.toml"], &missing].concat();
        let said = failure(folder, &arguments, 4);
        for part in [
            "--chip fat_tree_router: none.json cannot be read",
            "name the file by its path from the current folder",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    let event = ["--chip", "fat_tree_router=mine.json", "--engine", "event"];
    refused(&event, 2, "the event engine runs models in Rust");
    refused(
        &["--chip", "fat_tree_router=mine.json,a.v"],
        2,
        "found several files, and a netlist or a component file among them",
    );
    refused(
        &["--set", "chips.fat_tree_router=3"],
        2,
        "expected a file, or a list of 1 to 64 files",
    );
    write(folder, "text.json", "[chips]");
    refused(
        &["--chip", "fat_tree_router=text.json"],
        3,
        "text.json: line 1, column 2: not valid JSON",
    );
    let said = failure(folder, &["compare", "small.toml"], 2);
    assert!(said.contains("there is nothing to compare with"), "{said}");
    let said = failure(
        folder,
        &[
            "export",
            "small.toml",
            "--chip",
            "fat_tree_router=mine.json",
            "--verilog",
            "out",
        ],
        2,
    );
    assert!(said.contains("fat_tree_router is your own"), "{said}");
    // Other chips, in another number.
    let text = fs::read_to_string(folder.join("small.toml")).expect("it is there");
    write(
        folder,
        "large.toml",
        &text.replace("nodes = 64", "nodes = 256"),
    );
    let said = failure(folder, &["compare", "small.toml", "large.toml"], 2);
    assert!(
        said.contains("the first has 192 fat_tree_router, 64 network_interface"),
        "{said}"
    );
}

#[test]
fn kept_results_are_those_of_the_chip() {
    let work = workplace();
    let folder = work.path();
    let sweep = |replicates: &str| {
        let chip = "fat_tree_router=mine.json";
        let arguments = [
            "sweep",
            "small.toml",
            "--chip",
            chip,
            "--vary",
            "traffic.words=2,4",
            "--out",
            "out",
            "--replicates",
            replicates,
            "--set",
            "run.cycles_max=5000",
        ];
        crosswave(folder, &arguments);
        files(&folder.join("out/points"))
    };
    save(folder, "mine.json", &router());
    let first = sweep("2");
    assert_eq!(first.len(), sweep("2").len());
    save(folder, "mine.json", &with_gate("$_AND_", "$_OR_", 0));
    assert!(sweep("2").len() > first.len());
    // A checkpoint belongs to the chip with which it was written.
    save(folder, "mine.json", &router());
    let chip = ["--chip", "fat_tree_router=mine.json"];
    let run = [
        "run",
        "small.toml",
        "--checkpoints",
        "c",
        "--checkpoint-every",
        "50",
    ];
    success(folder, &[&run[..], &chip].concat());
    let replay = [
        "replay",
        "small.toml",
        "--checkpoints",
        "c",
        "--from",
        "60",
        "--to",
        "80",
        "--vcd",
        "r.vcd",
    ];
    success(folder, &[&replay[..], &chip].concat());
    let said = failure(folder, &replay, 3);
    assert!(said.contains("[chips]"), "{said}");
    save(folder, "mine.json", &with_gate("$_AND_", "$_OR_", 0));
    let said = failure(folder, &[&replay[..], &chip].concat(), 3);
    assert!(said.contains("fat_tree_router"), "{said}");
}
