//! The Verilog of `hdl/`: generated headers, lint, netlists, pages and proofs.
//!
//! Needs Yosys, Icarus Verilog and Verilator. A missing tool fails the test that
//! needs it and says which.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crosswave_base::file;
use crosswave_chips::{self as chip, CHIPS, Chip};
use crosswave_netlist::PortDirection;
use crosswave_netlist::yosys;

fn hdl() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("hdl")
}

fn read(name: &str) -> String {
    let path = hdl().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a command in `hdl/`.
fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(hdl())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; install it to run this test"))
}

/// The text that a command printed, on both streams.
fn printed(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

fn assert_succeeds(program: &str, arguments: &[&str]) {
    let output = run(program, arguments);
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}\n{}",
        output.status,
        printed(&output)
    );
}

fn assert_silent(program: &str, arguments: &[&str]) {
    assert_succeeds(program, arguments);
    assert_eq!(
        printed(&run(program, arguments)),
        "",
        "{program} {arguments:?}"
    );
}

/// The source files of a chip, top module first.
fn sources(chip: &Chip) -> impl Iterator<Item = &'static str> {
    chip.sources.iter().map(|(name, _)| *name)
}

#[test]
fn headers_come_from_the_tables() {
    let headers = chip::verilog::headers();
    for (name, text) in &headers {
        assert_eq!(&read(&format!("include/{name}")), text, "include/{name}");
    }
    let folder = file::Folder::new("the headers", &hdl().join("include")).expect("a manifest");
    let names = headers.iter().map(|(name, _)| name.as_str());
    folder
        .claim_names(names)
        .expect("the manifest is that of the headers; crosswave headers hdl/include writes it");
    let mut expected: BTreeSet<String> = headers.into_iter().map(|(name, _)| name).collect();
    expected.insert(file::folder::MANIFEST.to_owned());
    let found: BTreeSet<String> = fs::read_dir(hdl().join("include"))
        .expect("hdl/include is a directory")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    assert_eq!(found, expected, "files of hdl/include");
}

#[test]
fn verilator_has_nothing_to_say() {
    for chip in CHIPS {
        let mut arguments = vec![
            "--lint-only",
            "-Wall",
            "-Iinclude",
            "--top-module",
            chip.name,
        ];
        arguments.extend(sources(chip));
        assert_silent("verilator", &arguments);
    }
}

#[test]
fn icarus_has_nothing_to_say() {
    for chip in CHIPS {
        let mut arguments = vec!["-Wall", "-g2005", "-tnull", "-Iinclude", "-s", chip.name];
        arguments.extend(sources(chip));
        assert_silent("iverilog", &arguments);
    }
}

/// RN1's options in a scan chain: no chip of its own.
#[test]
fn the_scan_chain_holds_what_was_shifted_in() {
    let module = "rn1_scan";
    assert_silent(
        "verilator",
        &["--lint-only", "-Wall", "--top-module", module, "rn1_scan.v"],
    );
    assert_silent(
        "iverilog",
        &["-Wall", "-g2005", "-tnull", "-s", module, "rn1_scan.v"],
    );
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("bench");
    let program = program.to_str().expect("UTF-8");
    let bench = "../tests/designs/rn1_scan_bench.v";
    assert_silent("iverilog", &["-g2005", "-o", program, bench, "rn1_scan.v"]);
    let output = run("vvp", &[program]);
    assert_eq!(printed(&output), "the options stand at the outputs\n");
}

#[test]
fn netlists_are_what_the_sources_give() {
    assert_succeeds("./synthesise.sh", &["--check"]);
}

/// The check of netlists finds wires that are exchanged between modules, and a module that is
/// missing.
#[test]
fn netlists_with_other_wires_are_not_equivalent() {
    const CHIP: &str = "mport_switch_4";
    type Edit = fn(&mut serde_json::Value);
    let edits: [(&str, Edit); 3] = [
        ("nothing", |_| {}),
        ("wires exchanged", |cells| {
            let grants =
                ["0", "1"].map(|input| format!("/switch.inputs[{input}].unit/connections/grant"));
            let first = cells.pointer(&grants[0]).unwrap().clone();
            let second = cells.pointer_mut(&grants[1]).unwrap();
            let second = std::mem::replace(second, first);
            *cells.pointer_mut(&grants[0]).unwrap() = second;
        }),
        ("a module missing", |cells| {
            let cells = cells.as_object_mut().unwrap();
            assert!(cells.remove("switch.inputs[0].unit").is_some());
        }),
    ];
    for (what, edit) in edits {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["", "include", "netlists"] {
            let to = dir.path().join(folder);
            fs::create_dir_all(&to).unwrap();
            for file in fs::read_dir(hdl().join(folder)).unwrap() {
                let file = file.unwrap();
                if file.file_type().unwrap().is_file() {
                    fs::copy(file.path(), to.join(file.file_name())).unwrap();
                }
            }
        }
        let list = dir.path().join("include/chips.list");
        let chips = fs::read_to_string(&list).unwrap();
        let own = chips.lines().find(|line| line.starts_with(CHIP)).unwrap();
        fs::write(&list, format!("{own}\n")).unwrap();
        let netlist = dir.path().join(format!("netlists/{CHIP}.json"));
        let text = fs::read_to_string(&netlist).unwrap();
        let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
        edit(&mut json["modules"][CHIP]["cells"]);
        let text = serde_json::to_string_pretty(&json).unwrap();
        fs::write(&netlist, text).unwrap();
        let output = Command::new(dir.path().join("synthesise.sh"))
            .arg("--check")
            .output()
            .unwrap();
        let printed = printed(&output);
        let is_equivalent = printed.contains(&format!("equivalent: {CHIP}"));
        assert_eq!(is_equivalent, what == "nothing", "{what}: {printed}");
    }
}

#[test]
fn netlists_have_the_ports_of_the_tables() {
    for chip in CHIPS {
        let name = format!("netlists/{}.json", chip.name);
        let design = yosys::read(&read(&name), &name)
            .unwrap_or_else(|error| panic!("{name} does not read: {error:?}"));
        let module = design.module(chip.name).expect("the module of the chip");
        let found: BTreeSet<_> = module
            .ports
            .iter()
            .map(|port| {
                let input = port.direction == PortDirection::Input;
                (port.name.to_string(), input, port.bits.len())
            })
            .collect();
        let expected: BTreeSet<_> = chip
            .ports
            .iter()
            .map(|port| {
                let input = port.direction == chip::PinDirection::Input;
                (port.name.to_owned(), input, usize::from(port.width))
            })
            .collect();
        assert_eq!(found, expected, "ports of {name}");
    }
}

/// Gives the name and the width of a port as the page of a chip writes them.
type GeneralName = fn(&Chip, &chip::Port) -> (String, String);

/// The page of a chip, and how it writes ports: switches of several sizes have one page, with a
/// row for all ports of a kind.
fn general_names(chip: &'static str) -> (&'static str, GeneralName) {
    if chip.starts_with("mport_switch_") || chip.starts_with("mport_tail_switch_") {
        let page = match chip.starts_with("mport_tail") {
            true => "mport_tail_switch",
            false => "mport_switch",
        };
        return (page, |chip, port| {
            let m = chip.links.len() as u8;
            let name = of_any_link(chip, port, "pK");
            let width = match &name[..] {
                "random_order" if 1 << port.width == m => "lg m".to_owned(),
                "pK_state" if port.width == m + 1 => "m + 1".to_owned(),
                _ => port.width.to_string(),
            };
            (name, width)
        });
    }
    if chip.starts_with("mport_packet_switch_") {
        return ("mport_packet_switch", |chip, port| {
            let name = of_any_link(chip, port, "pK");
            let width = match &name[..] {
                "lost" if usize::from(port.width) == chip.links.len() => "m".to_owned(),
                _ => port.width.to_string(),
            };
            (name, width)
        });
    }
    if chip.starts_with("stack_switch_") {
        return ("stack_switch", |chip, port| {
            let name = of_any_link(chip, port, "P");
            let width = match &name[..] {
                "lost" | "P_owner" if usize::from(port.width) == chip.links.len() => "m".to_owned(),
                _ => port.width.to_string(),
            };
            (name, width)
        });
    }
    (chip, |_, port| {
        (port.name.to_owned(), port.width.to_string())
    })
}

/// The name of a port, with `any` in place of that of its link port.
fn of_any_link(chip: &Chip, port: &chip::Port, any: &str) -> String {
    match port.name.split_once('_') {
        Some((link, rest)) if chip.links.contains(&link) => format!("{any}_{rest}"),
        _ => port.name.to_owned(),
    }
}

#[test]
fn pages_have_the_ports_of_the_tables() {
    for chip in CHIPS {
        let (page, general) = general_names(chip.name);
        let mut expected: Vec<String> = Vec::new();
        for port in chip.ports {
            let direction = match port.direction {
                chip::PinDirection::Input => "input",
                chip::PinDirection::Output => "output",
            };
            let ((name, width), doc) = (general(chip, port), port.doc);
            let row = format!("| `{name}` | {direction} | {width} | {doc} |");
            if !expected.contains(&row) {
                expected.push(row);
            }
        }
        let page = read(&format!("{page}.md"));
        let found: Vec<&str> = page
            .lines()
            .skip_while(|line| !line.starts_with("| Port |"))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect();
        assert_eq!(found, expected, "port table of hdl/{}.md", chip.name);
    }
}

#[test]
fn pages_have_the_diagrams_of_the_simulation() {
    for (page, diagrams) in [
        ("fat_tree_router.md", &["pass", "turn"][..]),
        ("fat_tree_tail_router.md", &["behind"]),
        ("network_interface.md", &["sender", "receiver"]),
        ("delay_line.md", &["delay"]),
        ("rn1.md", &["connection", "blocked"]),
        ("rn1_height.md", &["height"]),
        ("rn1_delay_line.md", &["rn1_delay"]),
        ("rn1_fault_line.md", &["rn1_fault"]),
        ("rn1_interface.md", &["reply", "retry"]),
        ("bft_node.md", &["packets"]),
        ("packet_switch_q8.md", &["queue_fills"]),
        ("packet_interface.md", &["packet_ends"]),
        ("mport_packet_switch.md", &["routed_packets"]),
        ("mport_switch.md", &["meet"]),
        ("mport_tail_switch.md", &["behind_head"]),
        ("mport_interface.md", &["routed"]),
        ("stack_switch.md", &["stack_meet"]),
        ("stack_interface.md", &["stack_ends"]),
        ("stack_delay_line.md", &["stack_delay"]),
    ] {
        let text = read(page);
        for diagram in diagrams {
            let output = run("proof/diagrams.sh", &[diagram]);
            assert!(output.status.success(), "{diagram}: {}", printed(&output));
            let fresh = printed(&output);
            assert!(
                text.contains(&fresh),
                "hdl/{page} does not hold the diagram `{diagram}`, which is now\n{fresh}"
            );
        }
    }
}

/// Proves the chips of a name. Of the broken ones every fifth is looked at, unless many cases
/// are asked for, as by `soak.sh`: each takes seconds.
fn prove(name: &str) {
    let every = match std::env::var_os("CROSSWAVE_SOAK_CASES") {
        Some(_) => "1",
        None => "5",
    };
    let output = Command::new("proof/prove.sh")
        .arg(name)
        .env("CROSSWAVE_MUTANTS_EVERY", every)
        .current_dir(hdl())
        .output()
        .unwrap_or_else(|error| panic!("prove.sh: {error}"));
    assert!(output.status.success(), "{name}: {}", printed(&output));
}

// Several tests, so that two processors share them.

#[test]
fn every_proof_of_the_router_holds_and_broken_chips_are_refuted() {
    prove("fat_tree_router");
}

#[test]
fn every_proof_of_the_tail_router_holds_and_broken_chips_are_refuted() {
    prove("fat_tree_tail_router");
}

#[test]
fn every_proof_of_the_packet_node_holds_and_broken_chips_are_refuted() {
    prove("bft_node");
}

#[test]
fn every_proof_of_the_packet_switches_holds_and_broken_chips_are_refuted() {
    prove("packet_switch");
}

#[test]
fn every_proof_of_the_mport_switch_holds_and_broken_chips_are_refuted() {
    prove("mport_switch");
}

#[test]
fn every_proof_of_the_stack_switch_holds_and_broken_chips_are_refuted() {
    prove("stack_switch");
}

#[test]
fn every_proof_of_rn1_holds_and_broken_chips_are_refuted() {
    prove("rn1");
}
