//! The GPU engine against the gate engine: every port of every chip in every cycle, on whatever
//! adapter there is, such as Mesa's, which runs on the processor.

use crosswave_chips::netlists::NetlistSet;
use crosswave_gate::Backend;
use crosswave_network::registry::KINDS;
use crosswave_network::shuffle::shuffled;
use crosswave_network::topology::ROUTERS;
use crosswave_probe::engine::Engine;
use crosswave_probe::save::{Loader, Saver};
use crosswave_run::gpu;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

use crate::support::lockstep::{Recording, same, soak_cases};
use crate::support::{Case, config};

impl Case {
    fn gpu(&self) -> Box<dyn Engine> {
        let fabric = self.fabric.clone().into();
        gpu::engine(fabric, &NetlistSet::default(), &[self.config.run.seed])
            .unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A case on the gate engine and on a GPU.
fn on_both(case: &Case, text: &str) -> Recording {
    let gate = case.record(&mut case.gate(1, Backend::best()));
    let mut engine = case.gpu();
    let recording = case.record(&mut *engine);
    assert_eq!(engine.fault(), None, "{text}");
    same(&gate, &recording, &format!("gate against GPU:\n{text}"));
    gate
}

#[test]
fn every_kind_of_network_is_the_same() {
    let mut kinds = 0;
    for kind in KINDS {
        // Drivers that run on the processor take seconds to compile a large chip.
        let samples = match soak_cases() {
            Some(_) => kind.samples.len(),
            None => 1,
        };
        for text in kind.samples.iter().take(samples) {
            let case = Case::new(text);
            if case
                .fabric
                .arrays
                .iter()
                .all(|array| array.chip.has_netlist())
            {
                on_both(&case, text);
                kinds += 1;
            }
        }
    }
    assert!(kinds >= 8, "{kinds} samples");
}

#[test]
fn fat_trees_of_all_sizes_and_rules_are_the_same() {
    let rules = [
        "",
        "[retry]\nstrategy='rounds'\n[router]\nrelease='early-acknowledge'",
        "[retry]\nstrategy='backoff'\n[router]\nwinner='fixed'",
        "[router]\nrelease='tail'",
    ];
    for (number, nodes) in [2, 4, 8, 16, 64, 128, 1024, 4096].into_iter().enumerate() {
        let (rule, delay) = (rules[number % rules.len()], number % 3);
        let cycles = if nodes < 1000 { 400 } else { 60 };
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes={nodes}\nlink_delay_cycles={delay}\n{rule}\n\
             [traffic]\npattern='random'\nwords=3\nrepeat=2\n[run]\ncycles_max={cycles}\n"
        );
        let (outcome, _) = on_both(&Case::new(&text), &text);
        assert!(
            outcome.messages.iter().any(|message| message.attempts > 0),
            "{text}"
        );
    }
}

/// Links whose neighbours are scattered over many words.
#[test]
fn links_without_order_are_the_same() {
    let text = "[network]\nkind='fat-tree'\nnodes=256\n\
                [traffic]\npattern='random'\nmessages=256\nwords=3\n[run]\ncycles_max=100\n";
    let mut case = Case::new(text);
    case.fabric = shuffled(&case.fabric, ROUTERS);
    on_both(&case, text);
}

/// The device drives the pins of 64 cycles, and the host is told afterwards. A run that is given up in the
/// middle leaves every port as the gate engine has it.
#[test]
fn bursts_are_the_same() {
    let circuits = |nodes: u32, rest: &str| {
        format!("[network]\nkind='fat-tree'\nnodes={nodes}\n{rest}\n[run]\ncycles_max=")
    };
    let random = "[traffic]\npattern='random'\nwords=8\nrepeat=12";
    let rounds = "[retry]\nstrategy='rounds'\n[traffic]\npattern='random'\nwords=200\nrepeat=3";
    let steady =
        "[retry]\nstrategy='backoff'\n[traffic]\npattern='steady'\nload=0.2\ncycles=300\nwords=8";
    let ports = "[network]\nkind='m-port-n-tree'\nports=4\nlevels=3\n[traffic]\npattern='random'\n\
                 words=8\nrepeat=12\n[run]\ncycles_max=";
    let texts = [
        circuits(16, random),
        circuits(64, rounds),
        circuits(128, steady),
        ports.to_owned(),
    ];
    for text in texts {
        for cycles in ["100000", "333"] {
            let text = format!("{text}{cycles}\n");
            let case = Case::new(&text);
            let mut gate = case.gate(1, Backend::best());
            let mut engine = case.gpu();
            let outcome = case.run_on(&mut gate, &mut ());
            assert_eq!(case.run_on(&mut *engine, &mut ()), outcome, "{text}");
            if cycles == "100000" {
                // Only a burst goes past the end, unless a round has to end with single cycles.
                let rounds = text.contains("rounds");
                assert_eq!(engine.cycle() > gate.cycle(), !rounds, "{text}");
                continue;
            }
            assert_eq!(engine.cycle(), gate.cycle(), "{text}");
            for (array, of) in case.fabric.arrays.iter().enumerate() {
                for (port, instance) in (0..of.chip.ports.len())
                    .flat_map(|port| (0..of.instances).map(move |instance| (port, instance)))
                {
                    let name = of.chip.ports[port].name;
                    let values = [&gate as &dyn Engine, &*engine]
                        .map(|engine| engine.value(array, port, instance));
                    assert_eq!(
                        values[0], values[1],
                        "{name} of {instance} in {of:?}:\n{text}"
                    );
                }
            }
        }
    }
}

/// An engine goes on from what another one has saved.
#[test]
fn a_saved_engine_goes_on() {
    let text = "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\nwords=8\nrepeat=4\n\
                [run]\ncycles_max=100\n";
    let case = Case::new(text);
    let mut engine = case.gpu();
    case.run_on(&mut *engine, &mut ());
    let mut saver = Saver::new();
    engine.save(&mut saver);
    let bytes = saver.finish();
    let mut other = case.gpu();
    other
        .load(&mut Loader::new(&bytes))
        .expect("it is of this network");
    for _ in 0..20 {
        assert_eq!(other.cycle(), engine.cycle());
        for (array, of) in case.fabric.arrays.iter().enumerate() {
            for port in 0..of.chip.ports.len() {
                for instance in 0..of.instances {
                    let values =
                        [&engine, &other].map(|engine| engine.value(array, port, instance));
                    assert_eq!(values[0], values[1], "port {port} of {instance} in {of:?}");
                }
            }
        }
        engine.step();
        other.step();
    }
}

/// Replicates share an engine, each in a copy of the network.
#[test]
fn replicates_together_are_each_alone() {
    let text = "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nwords=8\n\
                [run]\nengine='gpu'\nreplicates=3\n";
    let simulation = Simulation::new(&config(text)).expect("a legal configuration");
    let replicates: Vec<Replicate> = (0..3)
        .map(|index| simulation.replicate(index).unwrap())
        .collect();
    let together = simulation
        .run(&replicates, &mut ())
        .unwrap_or_else(|error| panic!("{error}"));
    let on_gate = Simulation::new(&config(&text.replace("gpu", "gate"))).expect("legal");
    let alone = replicates
        .iter()
        .map(|one| on_gate.run_one(one, &mut ()).unwrap());
    assert_eq!(together, alone.collect::<Vec<_>>());
}
