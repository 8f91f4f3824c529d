//! Own routers whose component files say more than those of the examples: kinds of flits as codes, and
//! signals that are the opposite of a port.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::program::{crosswave, read, root, write};

/// Codes of kinds of flits, in a file that the router includes.
const CODES: &str = "`define FLIT_TYPE_HEADER 2'b00\n`define FLIT_TYPE_PAYLOAD 2'b01 // between\n\
                     `define FLIT_TYPE_LAST 2'b10\n`define FLIT_TYPE_SINGLE 2'b11\n";

/// The router of the example, with a code of two bits in the place of both flags of a flit.
fn router_with_codes() -> String {
    let text = read(&root("examples/routers"), "mesh_router.sv");
    let is_head = "(flit[33:32] == `FLIT_TYPE_HEADER || flit[33:32] == `FLIT_TYPE_SINGLE)";
    let is_tail = "(chosen[33:32] == `FLIT_TYPE_LAST || chosen[33:32] == `FLIT_TYPE_SINGLE)";
    let changes = [
        (
            "`default_nettype none\n",
            "`include \"codes.vh\"\n`default_nettype none\n",
        ),
        (
            "present[i] && flit[33] &&",
            &format!("present[i] && {is_head} &&"),
        ),
        ("owner <= chosen[32] ?", &format!("owner <= {is_tail} ?")),
    ];
    changed(text, &changes)
}

fn changed(text: String, changes: &[(&str, &str)]) -> String {
    changes.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    })
}

/// Runs the program with netlists that are kept; gives standard output and error.
fn told(folder: &Path, code: i32, arguments: &[&str]) -> (String, String) {
    let ran = crosswave(folder, arguments);
    let [out, error] =
        [ran.stdout, ran.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert_eq!(ran.status.code(), Some(code), "{arguments:?}: {error}");
    (out, error)
}

const NETWORK: &str = "[network]\nkind = 'mesh'\ncomponent = 'r.toml'\nsize = [2, 2]\nlocal = 'local'\n\
                       axes = [['west', 'east'], ['north', 'south']]\n[endpoint]\nstall = 0.3\n\
                       [traffic]\npattern = 'steady'\nload = 0.3\nwords = 3\ncycles = 200\n";

/// The messages offered and delivered, and the faults of a run.
fn counts(folder: &Path, code: i32, more: &[&str]) -> [u64; 3] {
    let (out, _) = told(
        folder,
        code,
        &[&["run", "n.toml", "-q", "--json", "-"], more].concat(),
    );
    let found: Value = serde_json::from_str(&out).expect("JSON");
    let messages = &found["messages"];
    let counts = [
        &messages["offered"],
        &messages["delivered"],
        &found["faults"]["total"],
    ];
    counts.map(|count| count.as_u64().unwrap_or_else(|| panic!("{found}")))
}

#[test]
fn kinds_of_flits_as_codes_and_opposites_of_ports() {
    let work = tempfile::tempdir().expect("a folder");
    let folder = work.path();
    write(folder, "codes.vh", CODES);
    write(folder, "r.sv", &router_with_codes());
    // The constants of the sources tell the codes.
    let guess = "component guess r.sv --top mesh_router --output r.toml";
    told(folder, 0, &guess.split(' ').collect::<Vec<_>>());
    let file = read(folder, "r.toml");
    let kinds = "type = { bits = \"[33:32]\", head = 0, body = 1, tail = 2, single = 3 }";
    assert!(file.contains(kinds), "{file}");
    // Ready and valid of inputs act at 0.
    let router = changed(
        router_with_codes(),
        &[
            ("valid(valid_in[i])", "valid(!valid_in[i])"),
            ("assign ready = !count[2];", "assign ready = count[2];"),
            ("valid && ready;", "valid && !ready;"),
        ],
    );
    write(folder, "r.sv", &router);
    let file = changed(
        file,
        &[
            ("\"valid_in[{i}]\"", "\"~valid_in[{i}]\""),
            ("\"ready_in[{i}]\"", "\"~ready_in[{i}]\""),
        ],
    );
    write(folder, "r.toml", &file);
    let (said, _) = told(folder, 0, &["component", "check", "r.toml"]);
    let kinds = "head 0, body 1, tail 2, single 3, in [33:32]";
    assert!(said.contains(kinds), "{said}");
    write(folder, "n.toml", NETWORK);
    for words in ["1", "2", "5"] {
        let words = format!("traffic.words={words}");
        let [offered, delivered, faults] = counts(folder, 0, &["--set", &words]);
        assert!(offered > 20, "{words}: {offered}");
        assert_eq!((delivered, faults), (offered, 0), "{words}");
    }
    // A message is followed by its heads and tails.
    let (trace, _) = told(folder, 0, &["trace", "n.toml", "5", "--json", "-"]);
    let trace: Value = serde_json::from_str(&trace).expect("JSON");
    let hops = trace["attempts"][0]["hops"].as_array().expect("hops");
    assert!(!hops.is_empty(), "{trace}");
    for hop in hops {
        let [left, freed] = ["left_cycle", "freed_cycle"].map(|key| hop[key].as_u64());
        assert!(
            left.zip(freed)
                .is_some_and(|(left, freed)| left + 3 <= freed),
            "{trace}"
        );
    }
    // The exported Verilog shows the same in Icarus Verilog.
    told(folder, 0, &["export", "n.toml", "--verilog", "out"]);
    let ran = Command::new("sh")
        .args(["out/run-icarus.sh", "+vcd=w.vcd"])
        .current_dir(folder)
        .env("CROSSWAVE", env!("CARGO_BIN_EXE_crosswave"))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
    assert!(
        ran.status.success() && said.contains("signals are the same"),
        "{said}"
    );
    // Codes that the router does not have are noticed.
    let swapped = changed(file, &[("body = 1, tail = 2", "body = 2, tail = 1")]);
    write(folder, "r.toml", &swapped);
    let [offered, delivered, _] = counts(folder, 1, &["--set", "checks.deadlock_cycles=200"]);
    assert!(delivered < offered, "{delivered} of {offered}");
}

/// Heads that leave by an output are the flits on its links, which are counted on the wires, over those of a packet.
#[test]
fn paths_through_routers_add_up_to_the_flits_on_links() {
    let place = crate::program::workplace();
    let folder = place.path();
    let mesh = root("examples/routers/mesh64.toml");
    let mut line = vec![
        "run",
        mesh.to_str().expect("UTF-8"),
        "-q",
        "--engine",
        "gate",
    ];
    line.extend(["--set", "traffic.cycles=500", "--set", "run.replicates=2"]);
    line.extend([
        "--coverage",
        "c.json",
        "--coverage-paths",
        "--links",
        "l.csv",
    ]);
    told(folder, 0, &line);
    let report: Value = serde_json::from_str(&read(folder, "c.json")).expect("JSON");
    let chips = report["chips"].as_array().expect("a list");
    let router = chips.iter().find(|chip| chip["chip"] == "mesh_router_chip");
    let mut heads = BTreeMap::new();
    for path in router.expect("the router")["paths"]
        .as_array()
        .expect("paths")
    {
        let output = path["output"].as_str().expect("a name").to_owned();
        *heads.entry(output).or_insert(0) += path["passed"].as_u64().expect("a number");
    }
    let mut flits = BTreeMap::new();
    for row in read(folder, "l.csv").lines().skip(1) {
        let cells: Vec<&str> = row.split(',').collect();
        if cells[1] != "net" {
            *flits.entry(cells[1].to_owned()).or_insert(0) +=
                cells[3].parse::<u64>().expect("a number");
        }
    }
    assert_eq!(heads.len(), 5);
    let packets = heads.into_iter().map(|(output, heads)| (output, 4 * heads));
    assert_eq!(packets.collect::<BTreeMap<_, _>>(), flits);
}
