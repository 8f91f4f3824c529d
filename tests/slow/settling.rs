//! Networks of routers with outputs that depend on inputs in the same cycle: all forms of the gate engine
//! against the reference and against Icarus Verilog and Verilator, circles that settle, and one that does not.

use std::fs;
use std::path::Path;

use crosswave_gate::{GateEngine, ReferenceEngine};
use crosswave_run::own_chips;
use serde_json::Value;

use super::components::{delivered, faults, result, same_in};
use crate::program::{failure, root, shell, success, workplace, write};
use crate::support::Case;
use crate::support::lockstep::{backends, same};

const NETWORK: &str = "[network]\nkind='mesh'\ncomponent='COMPONENT'\nsize=[4, 3]\nlocal='local'\n\
                       axes=[['west','east'],['north','south']]\n[endpoint]\nstall=0.3\n\
                       [traffic]\npattern='steady'\nload=0.2\nwords=1\ncycles=300\n";

/// A router, by its parameters `PASSES` and `ANY_TURN`.
type Router = [u32; 2];

/// Ready looks at what comes; it looks through to the next router as well; the same with circles that no
/// flit closes.
const ROUTERS: [Router; 4] = [[0, 0], [1, 0], [0, 1], [1, 1]];

/// Writes a router with its component file and network.
fn write_network(folder: &Path, [passes, any_turn]: Router, change: impl Fn(String) -> String) {
    let designs = root("tests/designs");
    let read = |name: &str| fs::read_to_string(designs.join(name)).expect("it is there");
    write(folder, "mealy_router.v", &change(read("mealy_router.v")));
    let parameters = format!("PASSES = {passes}, ANY_TURN = {any_turn}");
    let component = read("mealy_router.toml").replace("PASSES = 0, ANY_TURN = 0", &parameters);
    assert!(component.contains(&parameters));
    write(folder, "mealy_router.toml", &component);
    write(
        folder,
        "two.toml",
        &NETWORK.replace("COMPONENT", "mealy_router.toml"),
    );
}

/// The result of a run, without its speed, and its messages.
fn told(folder: &Path, arguments: &[&str]) -> (Value, String) {
    let mut found = result(folder, &[arguments, &["--messages", "m.csv"]].concat());
    found["performance"] = Value::Null;
    found["config"] = Value::Null;
    let messages = fs::read_to_string(folder.join("m.csv")).expect("written");
    (found, messages)
}

/// All forms of the gate engine give what the reference gives at every port, with more than so many messages.
pub(super) fn same_on_all_engines(case: &Case, messages: usize, what: &str) {
    let netlists = own_chips::netlists(&case.config, &mut |_, _| {}).expect("a netlist");
    let seed = case.config.run.seed;
    let reference = ReferenceEngine::new(case.fabric.clone(), |name| netlists.module(name), seed);
    let expected = case.record(&mut reference.expect("it is a network"));
    assert!(expected.0.messages.len() > messages);
    for (threads, backend) in backends() {
        let netlist = |name: &str| netlists.plain(name);
        let engine = GateEngine::new(case.fabric.clone(), netlist, seed, threads, backend);
        let mut engine = engine.expect("it is a network");
        engine.work_together();
        let what = format!("{what}: reference against {backend}, {threads} threads");
        same(&expected, &case.record(&mut engine), &what);
    }
}

#[test]
fn every_engine_gives_the_same_at_all_ports() {
    for router @ [passes, any_turn] in ROUTERS {
        let work = workplace();
        let folder = work.path();
        write_network(folder, router, |text| text);
        let line = format!(
            "yosys -q -p 'read_verilog mealy_router.v; chparam -set PASSES {passes} -set ANY_TURN {any_turn} \
             mealy_router; synth -flatten -top mealy_router; write_json r.json'"
        );
        let ran = shell(folder, &line);
        assert!(ran.status.success(), "{ran:?}");
        let component = fs::read_to_string(folder.join("mealy_router.toml")).expect("written");
        let lines = component
            .lines()
            .filter(|line| !line.starts_with("parameters"));
        let component: Vec<&str> = lines
            .map(|line| match line.starts_with("sources") {
                true => "netlist = 'r.json'",
                false => line,
            })
            .collect();
        write(folder, "mealy_router.toml", &component.join("\n"));
        let path = folder.join("mealy_router.toml");
        let text = NETWORK
            .replace("COMPONENT", &path.display().to_string())
            .replace("cycles=300", "cycles=120");
        let case = Case::new(&text);
        same_on_all_engines(&case, 100, &format!("{router:?}"));
    }
}

#[test]
fn exported_networks_settle_as_icarus_and_verilator_do() {
    for (router, simulators) in [
        ([0, 0], &["icarus"][..]),
        ([1, 0], &["icarus"]),
        ([1, 1], &["icarus", "verilator"]),
    ] {
        let work = workplace();
        let folder = work.path();
        write_network(folder, router, |text| text);
        for simulator in simulators {
            same_in(folder, "two.toml", simulator);
        }
    }
}

/// Flits move where both sides agree, so that a `ready` that waits for `valid` changes no message.
#[test]
fn a_ready_that_looks_at_valid_changes_no_message() {
    let work = workplace();
    let folder = work.path();
    let messages = ["", " && valid"].map(|looks| {
        let router = fs::read_to_string(root("examples/routers/mesh_router.sv"));
        let router = router.expect("it is there");
        let from = "assign ready = !count[2]";
        assert!(router.contains(from));
        write(
            folder,
            "mesh_router.sv",
            &router.replace(from, &format!("{from}{looks}")),
        );
        let component = root("examples/routers/mesh_router.toml");
        fs::copy(component, folder.join("mesh_router.toml")).expect("a copy");
        let text = NETWORK.replace("COMPONENT", "mesh_router.toml");
        write(folder, "two.toml", &text.replace("words=1", "words=4"));
        told(folder, &[]).1
    });
    assert!(messages[0].lines().count() > 100);
    assert!(messages[0] == messages[1]);
}

/// A circle in the netlist that no flit closes changes nothing, and is named.
#[test]
fn circles_that_nothing_closes_settle() {
    for passes in [0, 1] {
        let runs = [0, 1].map(|any_turn| {
            let work = workplace();
            let folder = work.path();
            write_network(folder, [passes, any_turn], |text| text);
            let alone = told(folder, &["--set", "run.threads=1"]);
            assert!(alone == told(folder, &["--set", "run.threads=3"]));
            // The first of several replicates is the one alone.
            let together = told(folder, &["--set", "run.replicates=3"]).1;
            assert!(together.starts_with(&alone.1) && together.len() > 2 * alone.1.len());
            // A run is taken up in its middle.
            let checkpoints = [
                "run",
                "two.toml",
                "--checkpoints",
                "c.bin",
                "--checkpoint-every",
                "50",
            ];
            success(
                folder,
                &[&checkpoints[..], &["--vcd", "whole.vcd"]].concat(),
            );
            success(
                folder,
                &[
                    "replay",
                    "two.toml",
                    "--checkpoints",
                    "c.bin",
                    "--from",
                    "120",
                    "--to",
                    "200",
                    "--vcd",
                    "part.vcd",
                ],
            );
            let same = ["diff", "whole.vcd", "part.vcd", "--window", "120..199"];
            success(folder, &same);
            alone
        });
        assert!(delivered(&runs[0].0) > 300 && faults(&runs[0].0) == 0);
        assert!(runs[0] == runs[1], "{passes}");
    }
}

#[test]
fn what_does_not_settle_is_told_with_its_cycle() {
    let work = workplace();
    let folder = work.path();
    // Valid waits for ready, and ready for that there is no flit.
    write_network(folder, [0, 1], |text| {
        let changed = text
            .replace(
                "assign out_valid[o] = valid;",
                "assign out_valid[o] = valid && out_ready[o];",
            )
            .replace(
                "assign in_ready[i] = |",
                "assign in_ready[i] = !in_valid[i] || |",
            );
        assert_ne!(changed, text);
        changed
    });
    for more in [
        &["run", "two.toml", "--json", "r.json"][..],
        &["export", "two.toml", "--verilog", "out"],
    ] {
        let said = failure(folder, more, 3);
        for part in [
            "warning: network: routers: outputs depend on each other in a circle within one cycle: router_",
            ": outputs do not settle: after 121 passes these still change: ",
            "_out_valid\n",
            "let one of these outputs come from a register",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    assert!(!folder.join("r.json").exists());
    let said = failure(folder, &["run", "two.toml", "--engine", "gpu"], 2);
    assert!(said.contains("run.engine"), "{said}");
}

/// A harmless circle in ready is not blamed for one in data, and a flit that passes a router at once is told.
#[test]
fn the_outputs_that_change_are_named() {
    let work = workplace();
    let folder = work.path();
    // The highest bit of data comes back from each neighbour, and from the one in the east as its opposite.
    write_network(folder, [1, 1], |text| {
        let changed = text.replace(
            "assign out[20*o +: 20] = flit;",
            "assign out[20*o +: 20] = o == 1 ? {~in[39], flit[18:0]} : o == 2 ? {in[59], flit[18:0]} : flit;",
        );
        assert_ne!(changed, text);
        changed
    });
    let said = failure(folder, &["run", "two.toml"], 3);
    let (_, changing) = said.split_once("these still change: ").expect("a fault");
    let (changing, _) = changing.split_once('\n').expect("help");
    assert!(changing.contains("out_data[19]"), "{said}");
    assert!(
        !changing.contains("ready") && !changing.contains("valid"),
        "{said}"
    );
    assert!(
        said.contains("flits pass it within a cycle, by west_out_data"),
        "{said}"
    );
}
