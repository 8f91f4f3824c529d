//! No invalid access and no leak: the gate engine under valgrind.
//!
//! A run of each backend and lane width is a test of its own, which also runs
//! without valgrind; another test runs this program under valgrind for them.
//! Valgrind knows no AVX-512, so that native code is that for AVX2 there.

use std::process::Command;

use crosswave_chips::netlists;
use crosswave_gate::{Backend, GateEngine};
use crosswave_run::host::End;
use crosswave_run::simulation::Simulation;

use crate::support::{self, process};

/// Nodes for lane words of 64, 128, 256 and 512 lanes.
const NODES: [u32; 4] = [16, 32, 64, 128];

fn runs_to_its_end(backend: Backend, threads: usize) {
    for nodes in NODES {
        let config = support::config(&format!(
            "[network]\nkind='fat-tree'\nnodes={nodes}\n[traffic]\npattern='random'\nwords=2\n"
        ));
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let replicate = simulation.replicate(0).unwrap_or_else(|e| panic!("{e}"));
        let fabric = simulation.fabric().clone();
        let mut engine = GateEngine::new(fabric, netlists::plain, 1, threads, backend)
            .unwrap_or_else(|e| panic!("{e}"));
        engine.work_together();
        let outcome = simulation.run_on(&mut engine, &replicate.workload, &mut ());
        assert_eq!(outcome.end, End::Finished, "n = {nodes}");
    }
}

#[test]
fn interpreter_runs() {
    runs_to_its_end(Backend::Interpreter, 1);
}

#[test]
fn native_code_runs() {
    runs_to_its_end(Backend::best(), 2);
}

#[test]
fn valgrind_finds_nothing() {
    let program = std::env::current_exe().expect("the program knows its path");
    let output = Command::new("valgrind")
        .args(["--quiet", "--error-exitcode=9", "--leak-check=full"])
        .args([
            "--errors-for-leak-kinds=definite",
            "--smc-check=all-non-file",
        ])
        .arg(program)
        .args(process::only(
            module_path!(),
            &["interpreter_runs", "native_code_runs"],
        ))
        .arg("--test-threads=1")
        .output()
        .expect("valgrind is installed");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
    let tests = String::from_utf8_lossy(&output.stdout);
    assert!(tests.contains("2 passed"), "{tests}");
}
