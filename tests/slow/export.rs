//! The exported Verilog in Icarus Verilog and Verilator: it compiles without a
//! warning, delivers every message, and both simulators and the register-level
//! models agree on every port of every chip in every cycle; and its host says of every
//! message what the program's host says.

use std::path::Path;
use std::process::Command;

use crosswave_chips::{PinDirection, Role, network_interface as ni};
use crosswave_event::EventEngine;
use crosswave_network::Fabric;
use crosswave_network::fat_tree::NODES;
use crosswave_observe::export;
use crosswave_probe::engine::Engine;
use crosswave_probe::message::{MessageRecord, NEVER};
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::host::{End, Outcome};
use crosswave_run::simulation::Simulation;

use crate::program::shell;
use crate::support;
use crate::support::lockstep::{Peer, against_peer};
use crate::support::{Model, Summary, Waveform};

/// Text that is appended to a network: traffic, retry and router options.
const CASES: [&str; 7] = [
    "[traffic]\npattern = \"pair\"\nsource = 1\ndestination = 0\nwords = 3\n",
    "[traffic]\npattern = \"random\"\nwords = 4\nrepeat = 5\n[run]\nseed = 7\n",
    "[traffic]\npattern = \"hot-spot\"\ndestination = 1\nwords = 2\nrepeat = 3\n\
     [router]\nwinner = \"fixed\"\n",
    "[traffic]\npattern = \"random\"\nrepeat = 4\n[retry]\nstrategy = \"rounds\"\n",
    "[traffic]\npattern = \"hot-spot\"\ndestination = 0\nwords = 9\nrepeat = 3\n\
     [retry]\nstrategy = \"backoff\"\nbackoff_limit = 4\n",
    "[traffic]\npattern = \"random\"\nwords = 30\nrepeat = 3\n[router]\nrelease = \"early-acknowledge\"\n",
    "[traffic]\ntrace = \"gap.csv\"\n[run]\nseed = 9223372036854775807\n",
];

const TRACE: &str = "t_ns,source,destination,bytes\n\
    0,0,1,5\n0,1,0,2\n40,0,1,3\n900000,1,0,1\n900000,0,1,0\n90000000,1,0,700\n";

fn parse(nodes: u32, delay: u32, case: &str, folder: &Path) -> Config {
    let text = format!(
        "[network]\nkind = \"fat-tree\"\nnodes = {nodes}\nlink_delay_cycles = {delay}\n{case}"
    );
    Config::parse(&text, "test", folder, &[]).unwrap_or_else(|error| panic!("{error}"))
}

/// Builds one network in Icarus and, when asked, in Verilator, and runs the cases.
fn network(nodes: u32, delay: u32, with_verilator: bool, cases: &[&str]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path();
    std::fs::write(place.join("gap.csv"), TRACE).expect("a trace");
    let dir = place.join("verilog");
    let first = parse(nodes, delay, cases[0], place);
    export::write(&first, "test", &dir).unwrap_or_else(|error| panic!("{error}"));

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
        let fabric = config.topology().fabric();
        let outcome = engine_outcome(&config);
        assert_eq!(outcome.end, End::Finished);
        let expected = Summary {
            cycles: outcome.last_cycle,
            delivered: outcome.messages.len() as u64,
            collisions: outcome.rejections.total(),
        };
        let options = support::plusargs(&config, &place.join("messages.csv"));
        let mut waves: Vec<Waveform> = Vec::new();
        for (model, name) in &models {
            let (path, messages) = (place.join(name), place.join("outcomes.csv"));
            let mut options = options.clone();
            options.push(format!("+vcd={}", path.display()));
            options.push(format!("+outcomes={}", messages.display()));
            let summary = support::run(model, &options);
            assert_eq!(summary, expected, "{name}: {case}");
            let found = std::fs::read_to_string(&messages).expect("outcomes");
            assert_eq!(found, outcomes(&outcome), "{name}: {case}");
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
        if nodes < 64 {
            same_when_given_up(&models[0].0, &config, expected.cycles, place);
        }
    }
}

/// The same run in the event engine, with the host of the engines.
fn engine_outcome(config: &Config) -> Outcome {
    let mut config = config.clone();
    config.run.engine = EngineKind::Event;
    config.run.replicates = 1;
    let outcomes = Simulation::new(&config)
        .expect("a legal configuration")
        .run_all();
    outcomes.unwrap_or_else(|error| panic!("{error}")).remove(0)
}

/// The outcomes of the messages, as the test bench writes them: source by source.
fn outcomes(outcome: &Outcome) -> String {
    let mut messages: Vec<&MessageRecord> = outcome.messages.iter().collect();
    messages.sort_by_key(|message| message.source);
    let cycle = |cycle: u64| match cycle {
        NEVER => String::new(),
        cycle => cycle.to_string(),
    };
    let mut text = String::from(
        "source,destination,offered_cycle,sent_cycle,attempts,delivered_cycle,\
         acknowledged_cycle\n",
    );
    for message in messages {
        let fields = [
            message.source.to_string(),
            message.destination.to_string(),
            cycle(message.offered_cycle),
            cycle(message.sent_cycle),
            message.attempts.to_string(),
            cycle(message.delivered_cycle),
            cycle(message.acknowledged_cycle),
        ];
        text += &format!("{}\n", fields.join(","));
    }
    text
}

/// Runs that are given up in the middle: what became of every message until then.
fn same_when_given_up(model: &Model, config: &Config, last: u64, place: &Path) {
    let mut config = config.clone();
    for most in [last - 1, last - last / 5, last / 2, 12] {
        config.run.cycles_max = Some(most);
        let path = place.join("outcomes.csv");
        let mut options = support::plusargs(&config, &place.join("messages.csv"));
        options.push(format!("+outcomes={}", path.display()));
        let summary = support::run(model, &options);
        let expected = engine_outcome(&config);
        assert_eq!(summary.cycles, expected.last_cycle);
        let found = std::fs::read_to_string(&path).expect("outcomes");
        let traffic = &config.traffic;
        assert_eq!(found, outcomes(&expected), "up to {most}: {traffic:?}");
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
            if matches!(table.role, Role::Host) && table.direction == PinDirection::Input {
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

/// Far messages, whose answers are overtaken by those of near ones.
#[test]
fn sixteen_nodes_in_icarus() {
    network(16, 1, false, &CASES[1..6]);
}

/// Routers whose outputs are free behind the tail are another chip.
const BY_TAIL: [&str; 4] = [
    "[traffic]\npattern = \"random\"\nwords = 1\nrepeat = 9\n[router]\nrelease = \"tail\"\n",
    "[traffic]\npattern = \"hot-spot\"\ndestination = 0\nwords = 2\nrepeat = 3\n\
     [router]\nrelease = \"tail\"\nwinner = \"fixed\"\n",
    "[traffic]\npattern = \"random\"\nwords = 3\nrepeat = 4\n[router]\nrelease = \"tail\"\n\
     [retry]\nstrategy = \"rounds\"\n",
    "[traffic]\npattern = \"random\"\nwords = 30\nrepeat = 3\n[router]\nrelease = \"tail\"\n\
     [retry]\nstrategy = \"backoff\"\nbackoff_limit = 4\n",
];

#[test]
fn freed_by_the_tail() {
    network(4, 1, true, &BY_TAIL);
}

#[test]
fn sixteen_nodes_freed_by_the_tail_in_icarus() {
    network(16, 0, false, &BY_TAIL);
}

/// More than one group of 64 instances.
#[test]
fn sixty_four_nodes_in_icarus() {
    network(64, 1, false, &CASES[1..2]);
}

/// The test bench drives what the host drove when messages wait for others.
#[test]
fn messages_that_wait_are_replayed_in_icarus() {
    let trace = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/sum16.csv");
    let text = |options: &str| {
        format!(
            "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\ntrace={:?}\n{options}",
            trace.display().to_string()
        )
    };
    let strategies = ["immediate", "rounds", "backoff"];
    for name in strategies {
        // The strategy is a constant of the test bench.
        let text = text(&format!("[retry]\nstrategy='{name}'\n"));
        against_peer(Peer::Icarus, &[text]);
    }
}

/// Runs a script of an exported directory from the folder that it lies in.
fn script(folder: &Path, script: &Path, options: &[&str], crosswave: Option<&str>) -> String {
    let mut command = Command::new(script);
    command
        .args(options)
        .current_dir(folder)
        .env("CFLAGS", "-O0");
    match crosswave {
        Some(program) => command.env("CROSSWAVE", program),
        None => command.env_remove("CROSSWAVE"),
    };
    support::finished_text(&mut command)
}

/// Names of folders that shells, compilers and simulators take for something else.
const ODD_NAMES: [&str; 5] = [
    "plain",
    "$HOME and `more` \"quoted\" isn't (it)",
    "gr\u{fc}n \u{20ac} \\n",
    "line\nfeed\n",
    "-y",
];

/// The scripts in the directory do what its README says, whatever it is called and from
/// wherever they are run; and what they say at the end compares with this program.
#[test]
fn scripts_run_in_a_folder_of_any_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let config = parse(4, 0, CASES[1], folder);
    let ports: usize = {
        let arrays = config.topology().fabric().arrays;
        arrays
            .iter()
            .map(|a| a.instances * a.chip.ports.len())
            .sum()
    };
    let same = format!("{ports} signals are the same\n");
    for name in ODD_NAMES {
        export::write(&config, "test", &folder.join(name)).unwrap_or_else(|e| panic!("{e}"));
        let run = folder.join(name).join("run-icarus.sh");
        let options = ["+vcd=here it's.vcd", "+outcomes=o.csv"];
        let text = script(folder, &run, &options, None);
        let (_, command) = text.rsplit_once("\ncompare: ").expect("a command");
        let output = shell(folder, command);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {said}");
        let compared = String::from_utf8_lossy(&output.stdout);
        assert_eq!(compared, format!("{same}20 messages are the same\n"));
        // From within the folder, by a relative name.
        let inside = script(&folder.join(name), Path::new("./run-icarus.sh"), &[], None);
        assert!(
            inside.ends_with("write a waveform: +vcd=FILE\n"),
            "{inside}"
        );
    }
    // A run that is given up.
    let options = ["+cycles_max=9", "+vcd=here.vcd"];
    let run = folder.join("plain").join("run-icarus.sh");
    let text = script(
        folder,
        &run,
        &options,
        Some(env!("CARGO_BIN_EXE_crosswave")),
    );
    let expected = format!("cycles=9 delivered=1 collisions=0\n{same}");
    assert!(text.ends_with(&expected), "{text}");
    // Icarus would write to another file.
    let output = Command::new(&run).arg("+vcd=gr\u{fc}n.vcd").output();
    let output = output.expect("a shell");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("printable ASCII"), "{said}");
}

/// Verilator's waveform is the same, and that of Icarus as Verilator's.
#[test]
fn waveforms_of_the_scripts_are_one() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let config = parse(2, 0, CASES[1], folder);
    for name in ["plain", ODD_NAMES[2], ODD_NAMES[3]] {
        export::write(&config, "test", &folder.join(name)).unwrap_or_else(|e| panic!("{e}"));
        let run = folder.join(name).join("run-verilator.sh");
        let program = Some(env!("CARGO_BIN_EXE_crosswave"));
        let text = script(folder, &run, &["+vcd=gr\u{fc}n.vcd"], program);
        assert!(text.contains(" signals are the same, and "), "{text}");
    }
    let run = folder.join("plain").join("run-icarus.sh");
    script(folder, &run, &["+vcd=icarus.vcd"], None);
    let diff = "crosswave diff icarus.vcd gr\u{fc}n.vcd --common --window 1..";
    let output = shell(folder, diff);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let arrays = config.topology().fabric().arrays;
    let ports: usize = arrays
        .iter()
        .map(|a| a.instances * a.chip.ports.len())
        .sum();
    let printed = String::from_utf8_lossy(&output.stdout);
    let expected = format!("{ports} signals are the same, and ");
    assert!(printed.starts_with(&expected), "{printed}");
}

/// Runs a script with [`crosswave`](script) set, and gives its exit code and all that it says.
fn compared(folder: &Path, run: &Path, options: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(run);
    command.args(options).current_dir(folder);
    command.env("CROSSWAVE", env!("CARGO_BIN_EXE_crosswave"));
    let output = command.output().expect("a shell");
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

/// Files of any name are compared, and what cannot be compared is refused.
#[test]
fn scripts_compare_what_they_can() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let compare = |name: &str, options: &[&str]| {
        let run = folder.join(name).join("run-icarus.sh");
        compared(folder, &run, options)
    };
    let refused = |name: &str, option: &str| {
        let (code, said) = compare(name, &["+vcd=a.vcd", option]);
        assert_eq!(code, Some(2), "{name} {option}: {said}");
        let help = format!("to compare with crosswave, leave {option} out: ");
        assert!(said.contains(&help), "{name} {option}: {said}");
    };
    // Random messages with seed 7.
    let drawn = parse(4, 0, CASES[1], folder);
    export::write(&drawn, "test", &folder.join("drawn")).unwrap_or_else(|e| panic!("{e}"));
    for options in [["+vcd=-a.vcd", "+outcomes=-o"], ["+vcd=a.vcd", "+seed=7"]] {
        let (code, said) = compare("drawn", &options);
        assert_eq!(code, Some(0), "{options:?}: {said}");
        assert!(said.contains(" signals are the same\n"), "{said}");
    }
    refused("drawn", "+seed=8");
    // Messages that no seed changes.
    let listed = parse(4, 0, CASES[0], folder);
    export::write(&listed, "test", &folder.join("listed")).unwrap_or_else(|e| panic!("{e}"));
    let (code, said) = compare("listed", &["+vcd=a.vcd", "+seed=8"]);
    assert_eq!(code, Some(0), "{said}");
    // Messages that wait for others.
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let text = std::fs::read_to_string(examples.join("sum16.toml")).expect("an example");
    let sum = Config::parse(&text, "test", &examples, &[]).unwrap_or_else(|e| panic!("{e}"));
    export::write(&sum, "test", &folder.join("replayed")).unwrap_or_else(|e| panic!("{e}"));
    refused("replayed", "+outcomes=o.csv");
    refused("replayed", "+seed=8");
}

/// The waveform of a network of RN1 has the connections of its nodes besides the ports, which
/// no test bench dumps.
#[test]
fn ports_of_networks_of_connections_are_compared() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    for kind in ["bidelta", "butterfly"] {
        let text = format!(
            "[network]\nkind='{kind}'\nnodes=16\n[traffic]\npattern='pair'\nsource=1\n\
             destination=6\nwords=2\n"
        );
        let config = Config::parse(&text, "test", folder, &[]);
        let config = config.unwrap_or_else(|error| panic!("{error}"));
        export::write(&config, "test", &folder.join(kind)).unwrap_or_else(|e| panic!("{e}"));
        let arrays = config.topology().fabric().arrays;
        let ports = arrays.iter().map(|a| a.instances * a.chip.ports.len());
        let ports: usize = ports.sum();
        let run = folder.join(kind).join("run-icarus.sh");
        let (code, said) = compared(folder, &run, &["+vcd=a.vcd"]);
        assert_eq!(code, Some(0), "{said}");
        assert!(
            said.contains(&format!("{ports} signals are the same\n")),
            "{said}"
        );
    }
}

#[test]
fn a_directory_that_cannot_be_made_is_an_io_error() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let config = parse(2, 0, CASES[0], Path::new("."));
    let error = export::write(&config, "test", &file.path().join("verilog")).unwrap_err();
    assert_eq!(error.class, crosswave_base::diagnostic::Class::Io);
    assert!(error.origin.ends_with("verilog"), "{error}");
}
