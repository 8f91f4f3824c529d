//! The exported Verilog in Icarus Verilog and Verilator: it compiles without a
//! warning, delivers every message, and both simulators and the register-level
//! models agree on every port of every chip in every cycle.

mod support;

use std::path::Path;

use crosswave::chip::{Direction, Role, network_interface as ni};
use crosswave::event::EventEngine;
use crosswave::experiment::config::{Config, EngineKind};
use crosswave::experiment::host::End;
use crosswave::experiment::{export, run};
use crosswave::network::Fabric;
use crosswave::network::fat_tree::NODES;
use crosswave::probe::engine::Engine;
use support::{Summary, Waveform};

/// What is appended to a network: traffic, retry and router options.
const CASES: [&str; 7] = [
    "[traffic]\npattern = \"pair\"\nsource = 1\ndestination = 0\nwords = 3\n",
    "[traffic]\npattern = \"random\"\nwords = 4\nrepeat = 5\n[run]\nseed = 7\n",
    "[traffic]\npattern = \"hot-spot\"\ndestination = 1\nwords = 2\nrepeat = 3\n\
     [router]\nwinner = \"fixed\"\n",
    "[traffic]\npattern = \"random\"\nrepeat = 4\n[retry]\nstrategy = \"rounds\"\n",
    "[traffic]\npattern = \"hot-spot\"\ndestination = 0\nwords = 9\nrepeat = 3\n\
     [retry]\nstrategy = \"backoff\"\nbackoff_limit = 4\n",
    "[traffic]\npattern = \"random\"\nwords = 30\nrepeat = 3\n[router]\nrelease = \"tail\"\n",
    "[traffic]\ntrace = \"gap.csv\"\n[run]\nseed = 9223372036854775807\n",
];

const TRACE: &str = "t_ns,source,destination,bytes\n\
    0,0,1,5\n0,1,0,2\n40,0,1,3\n900000,1,0,1\n900000,0,1,0\n90000000,1,0,700\n";

fn parse(nodes: u32, delay: u32, case: &str, folder: &Path) -> Config {
    let text = format!(
        "[network]\nkind = \"fat-tree\"\nnodes = {nodes}\nlink_delay_cycles = {delay}\n{case}"
    );
    Config::parse(&text, "test", folder, &[]).unwrap_or_else(|report| panic!("{report}"))
}

/// Builds one network in Icarus and, when asked, in Verilator, and runs the cases.
fn network(nodes: u32, delay: u32, with_verilator: bool, cases: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path();
    std::fs::write(place.join("gap.csv"), TRACE).expect("a trace");
    let dir = place.join("verilog");
    let first = parse(nodes, delay, cases[0], place);
    export::write(&first, "test", &dir).unwrap_or_else(|report| panic!("{report}"));

    assert_eq!(support::lint_verilator(&dir, "fat_tree"), "");
    assert_eq!(support::lint_verilator(&dir, "testbench"), "");
    let icarus = support::build_icarus(&dir);
    assert_eq!(icarus.diagnostics, "");
    let mut models = vec![(icarus, "icarus.vcd")];
    if with_verilator {
        models.push((support::build_verilator(&dir), "verilator.vcd"));
    }

    for &case in cases {
        let config = parse(nodes, delay, case, place);
        let fabric = run::network(&config).fabric();
        let expected = engine_summary(&config);
        let options = support::plusargs(&config, &place.join("messages.csv"));
        let mut waves: Vec<Waveform> = Vec::new();
        for (model, name) in &models {
            let path = place.join(name);
            let mut options = options.clone();
            options.push(format!("+vcd={}", path.display()));
            let summary = support::run(model, &options);
            assert_eq!(summary, expected, "{name}: {case}");
            let mut wave = support::read_vcd(&path, &fabric);
            assert_eq!(wave.end, 10 * (summary.cycles + 1), "{name}: {case}");
            // Cycle 0 is X, which Verilator does not have.
            wave.times.retain(|(time, _)| *time >= 10);
            waves.push(wave);
        }
        assert!(
            waves.iter().all(|wave| wave.times == waves[0].times),
            "{case}"
        );
        let wave = &waves[0];
        replay(&fabric, config.run.seed, wave, case);
    }
}

/// The same run in the event engine, with the host of the engines.
fn engine_summary(config: &Config) -> Summary {
    let mut config = config.clone();
    config.run.engine = EngineKind::Event;
    let seed = config.run.seed;
    let network = run::network(&config);
    let workload = run::workload(&config, seed).unwrap_or_else(|report| panic!("{report}"));
    let outcome = run::replicate(
        &config,
        &network,
        &network.fabric(),
        &workload,
        seed,
        &mut (),
    )
    .unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(outcome.end, End::Finished);
    Summary {
        cycles: outcome.last_cycle,
        delivered: outcome.messages.len() as u64,
        collisions: outcome.collisions.total(),
    }
}

/// Drives the register-level models with the host pins of a waveform and
/// compares all other ports.
fn replay(fabric: &Fabric, seed: u64, wave: &Waveform, case: &str) {
    let mut engine = EventEngine::new(fabric.clone(), seed, 1);
    let mut quiet_from = 0;
    for (time, values) in &wave.times {
        if time % 10 != 0 {
            continue;
        }
        let cycle = time / 10;
        let at = |id: support::PortId| {
            let place = wave.ports.binary_search(&id).expect("a port");
            values[place]
        };
        if at((NODES, 0, 0)) == Some(1) {
            assert_eq!(engine.cycle() + 1, cycle, "{case}: no edge is left out");
            engine.step();
        } else {
            engine.skip_to(cycle);
        }
        for &(array, instance, port) in &wave.ports {
            let table = &fabric.arrays[array].chip.ports[port];
            if matches!(table.role, Role::Host) && table.direction == Direction::Input {
                let value = at((array, instance, port)).expect("a known pin");
                engine.drive(array, port, &[(instance as u32, value)]);
                if port == ni::PORT_TX_REQUEST && value != 0 {
                    quiet_from = cycle + fabric.rest_cycles + 1;
                }
            }
        }
        engine.hold_random(cycle >= quiet_from);
        for &(array, instance, port) in &wave.ports {
            let table = &fabric.arrays[array].chip.ports[port];
            if !matches!(table.role, Role::Clock) {
                assert_eq!(
                    at((array, instance, port)),
                    Some(engine.value(array, port, instance)),
                    "{case}cycle {cycle}, {}.{}",
                    fabric.instance_name(array, instance),
                    table.name,
                );
            }
        }
    }
}

#[test]
fn two_nodes() {
    network(2, 0, true, &CASES);
}

#[test]
fn two_nodes_and_delays() {
    network(2, 2, true, &CASES);
}

#[test]
fn four_nodes() {
    network(4, 0, true, &CASES);
}

#[test]
fn four_nodes_and_delays() {
    network(4, 2, true, &CASES);
}

/// More than one group of 64 instances.
#[test]
fn sixty_four_nodes_in_icarus() {
    network(64, 1, false, &CASES[1..2]);
}

/// The scripts in the directory do what its README says.
#[test]
fn script_runs_in_icarus() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = parse(4, 0, CASES[1], folder.path());
    export::write(&config, "test", folder.path()).unwrap_or_else(|report| panic!("{report}"));
    let output = std::process::Command::new(folder.path().join("run-icarus.sh"))
        .arg("+cycles_max=9")
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        text.lines().last(),
        Some("cycles=9 delivered=1 collisions=0")
    );
}

#[test]
fn a_directory_that_cannot_be_made_is_an_io_error() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let config = parse(2, 0, CASES[0], Path::new("."));
    let report = export::write(&config, "test", &file.path().join("verilog")).unwrap_err();
    assert_eq!(report.class, crosswave::diagnostic::Class::Io);
    assert!(report.origin.ends_with("verilog"), "{report}");
}
