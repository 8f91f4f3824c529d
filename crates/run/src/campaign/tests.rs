use std::path::Path;

use super::*;
use crate::config::Config;
use crosswave_gate::ReferenceEngine;
use crosswave_netlist::faults::FaultSite;
use crosswave_netlist::{Bit, Cell, CellKind, Evaluation, Function, Gate, Module, PortDirection};
use network::MessageEffect;
use recorded::PortChange;

fn simulation(text: &str) -> Simulation {
    let config = Config::parse(text, "test", Path::new("."), &[]).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(&config)
        .expect("it is built")
        .without_rest()
}

/// A tree of one router.
const ONE_ROUTER: &str = "[network]\nkind='fat-tree'\nnodes=2\n[traffic]\npattern='random'\nrepeat=6\n\
                          words=3\n[retry]\nstrategy='backoff'\n[run]\nengine='gate'\nseed=3\n";

/// The module of the router with a site that is stuck as long as the reset does not act, made without masks.
fn mutant(router: &RouterUnderTest, fault: GateFault) -> Module {
    let FaultEffect::StuckAt(value) = fault.effect else {
        panic!("a stuck-at fault");
    };
    let mut module = router.target.module.clone();
    let reset = module.port("reset").expect("an input").bits[0];
    let net = router.target.net(fault.site).expect("a net");
    let mut gate = |name: &str, function, inputs: &[Bit]| {
        let output = module.add_net(name);
        module.cells.push(Cell {
            name: name.into(),
            src: "".into(),
            kind: CellKind::Gate(Gate {
                function,
                inputs: inputs.into(),
                output,
            }),
        });
        Bit::Net(output)
    };
    let good = Bit::Net(net);
    let stuck = match value {
        true => gate("mutant", Function::OrNot, &[good, reset]),
        false => gate("mutant", Function::And, &[good, reset]),
    };
    let own = module.cells.len() - 1;
    let replaced = |bit| if bit == good { stuck } else { bit };
    match fault.site {
        FaultSite::Net(_) => {
            for cell in &mut module.cells[..own] {
                cell.kind.map_inputs(replaced);
            }
            let outputs = module.ports.iter_mut();
            let outputs = outputs.filter(|port| port.direction == PortDirection::Output);
            for bit in outputs.flat_map(|port| &mut port.bits) {
                *bit = replaced(*bit);
            }
        }
        FaultSite::Pin { cell, input } => {
            let mut at = 0;
            module.cells[cell as usize].kind.map_inputs(|bit| {
                at += 1;
                if at == input + 1 { stuck } else { bit }
            });
        }
        FaultSite::Output { port, bit } => module.ports[port as usize].bits[bit as usize] = stuck,
        FaultSite::Link(_) => panic!("no site of a stuck-at fault"),
    }
    module
}

/// The first cycle in which outputs of two runs differ, from a cycle on.
fn differ(good: &[PortChange], bad: &[PortChange], from: u64, ports: usize) -> Option<u64> {
    let ends = [good, bad].map(|changes| changes.last().map_or(0, |change| change.cycle));
    (from..=ends[0].max(ends[1])).find(|&cycle| {
        let [good, bad] = [good, bad].map(|changes| {
            let mut values = vec![0; ports];
            let until = changes.iter().take_while(|change| change.cycle <= cycle);
            until.for_each(|change| values[change.port] = change.value);
            values
        });
        good != bad
    })
}

/// Places, cycles and effects are those that the slow evaluator finds with a netlist that has the fault in it.
#[test]
fn findings_are_those_of_mutants_net_by_net() {
    let simulation = simulation(ONE_ROUTER);
    let options = CampaignOptions {
        stuck: true,
        effects: true,
        sample: Some(400),
        ..CampaignOptions::default()
    };
    let router = RouterUnderTest::new(simulation.config(), simulation.fabric(), (0, 0));
    let router = router.expect("a router");
    let recorded = record(&simulation, &router, 0).expect("it is run");
    let findings = found(&simulation, &options, &router, &recorded);
    let cycles_max = CYCLES_RATIO * recorded.last_cycle + CYCLES_MORE;
    let (mut seen, mut unseen, mut early) = (0, 0, 0);
    for finding in &findings {
        let fault = finding.timed.fault;
        let mutant = mutant(&router, fault);
        let netlist = |name: &str| match name == router.chip.name {
            true => Ok(&mutant),
            false => crosswave_chips::netlists::module(name),
        };
        let fabric = simulation.fabric().clone();
        let seed = recorded.replicate.seed;
        let mut engine = ReferenceEngine::new(fabric, netlist, seed).expect("sound");
        let mut ports = PortRecorder::new(simulation.fabric(), (0, 0));
        let engine: &mut dyn Engine = &mut engine;
        let workloads = [&recorded.replicate.workload];
        let one = crosswave_network::copies::Copies::ONE;
        let outcomes = simulation.run_workloads_on(engine, one, &workloads, cycles_max, &mut ports);
        let outcome = outcomes.into_iter().next().expect("one");
        let of_mutant = ports
            .recorded(recorded.replicate.clone(), outcome)
            .expect("few");
        let differs = |from| {
            let ports = router.chip.ports.len();
            differ(&recorded.outputs, &of_mutant.outputs, from, ports)
        };
        // A mask acts from the first edge after the reset on, and a mutant in the cycle before.
        if differs(1) == Some(1) {
            early += 1;
            continue;
        }
        let cycle = finding.seen.map(|(_, seen)| seen.cycle);
        let within = |cycle: &u64| *cycle <= recorded.last_cycle;
        assert_eq!(cycle, differs(2).filter(within), "{fault:?}");
        match finding.effect {
            Some(effect) => {
                let expected = MessageEffect::of(&recorded.outcome, &of_mutant.outcome);
                assert_eq!(effect, expected, "{fault:?}");
                seen += 1;
            }
            None => {
                assert_eq!(of_mutant.outcome, recorded.outcome, "{fault:?}");
                unseen += 1;
            }
        }
    }
    assert!(
        seen > 60 && unseen > 100 && early < 40,
        "{seen} {unseen} {early}"
    );
}

/// Findings of a campaign of one replicate.
fn found(
    simulation: &Simulation,
    options: &CampaignOptions,
    router: &RouterUnderTest,
    recorded: &Recorded,
) -> Vec<Finding> {
    let mut findings = faults(simulation, router, options, recorded.last_cycle);
    let on = &mut |_, _, _| true;
    look_alone(simulation, router, (0, recorded), &mut findings, on).expect("sound");
    let cycles_max = CYCLES_RATIO * recorded.last_cycle + CYCLES_MORE;
    let of = (0, recorded, cycles_max);
    look_in_network(simulation, router, of, &mut findings, on).expect("sound");
    explain(
        simulation,
        router,
        std::slice::from_ref(recorded),
        &mut findings,
        on,
    )
    .expect("sound");
    findings
}

/// Proofs hold: what is proved to be unable to show does not, with other traffic either.
#[test]
fn what_is_proved_does_not_show_with_other_traffic() {
    let text = "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nrepeat=4\nwords=3\n\
                [run]\nengine='gate'\n";
    let simulation = simulation(text);
    let options = CampaignOptions {
        stuck: true,
        router: Some("router_0_1".to_owned()),
        ..CampaignOptions::default()
    };
    let router = place(&simulation, options.router.as_deref()).expect("it is there");
    let router = RouterUnderTest::new(simulation.config(), simulation.fabric(), router);
    let router = router.expect("a router");
    let first = record(&simulation, &router, 0).expect("it is run");
    let findings = found(&simulation, &options, &router, &first);
    let proved =
        |finding: &&Finding| matches!(finding.unseen, Some(Unseen::Redundant | Unseen::Pins));
    let proved: Vec<TimedFault> = findings
        .iter()
        .filter(proved)
        .map(|one| one.timed)
        .collect();
    assert!(proved.len() > 50, "{}", proved.len());
    for index in 1..4 {
        let other = record(&simulation, &router, index).expect("it is run");
        for proved in proved.chunks(FAULTS_TOGETHER) {
            let seen = router
                .seen_alone(proved, &other, Backend::best())
                .expect("sound");
            let shown = proved.iter().zip(seen).find(|(_, seen)| seen.is_some());
            assert_eq!(shown, None);
        }
    }
}

/// The same report at any number of threads, with the interpreter's lanes and with machine code.
#[test]
fn reports_do_not_depend_on_threads() {
    let of = |threads: u32| {
        let text = format!("{ONE_ROUTER}threads={threads}\nreplicates=2\n");
        let options = CampaignOptions {
            stuck: true,
            late: true,
            flips: 40,
            effects: true,
            sample: Some(200),
            ..CampaignOptions::default()
        };
        let report = run(&simulation(&text), &options, &mut |_, _, _| true);
        report.unwrap_or_else(|error| panic!("{error}"))
    };
    let one = of(1);
    assert_eq!(one.report, of(3).report);
    assert_eq!(one.report.counts.len(), 3);
    for counts in &one.report.counts {
        let effects = [
            counts.harmless,
            counts.delayed,
            counts.retried,
            counts.wrong,
            counts.lost,
            counts.deceived,
            counts.hang,
            counts.unsettled,
        ];
        assert_eq!(effects.iter().flatten().sum::<u64>(), counts.seen);
        let unseen = counts.redundant + counts.pins + counts.not_excited + counts.not_propagated;
        assert_eq!(counts.seen + unseen, counts.faults);
    }
}

/// Tests of a router detect each fault that the runs do, in a netlist that has it, and nothing in one that has none.
#[test]
fn tests_detect_what_the_runs_detect() {
    let text = format!("{ONE_ROUTER}replicates=5\n").replace("repeat=6", "repeat=1");
    let simulation = simulation(&text);
    let options = CampaignOptions {
        stuck: true,
        late: true,
        chooses_tests: true,
        sample: Some(300),
        ..CampaignOptions::default()
    };
    let campaign = run(&simulation, &options, &mut |_, _, _| true);
    let Campaign { report, tests } = campaign.unwrap_or_else(|error| panic!("{error}"));
    let tests = tests.expect("they were asked for");
    let seen: u64 = report.counts.iter().map(|counts| counts.seen).sum();
    assert_eq!(
        tests.tests.iter().map(|test| test.faults).sum::<u64>(),
        seen
    );
    assert!((1..=5).contains(&tests.tests.len()));
    let router = RouterUnderTest::new(simulation.config(), simulation.fabric(), (0, 0));
    let router = router.expect("a router");
    let names = |ports: &[usize]| ports.iter().map(|&at| router.chip.ports[at].name).collect();
    let (inputs, outputs): (Vec<&str>, Vec<&str>) = (names(&tests.inputs), names(&tests.outputs));
    let passes = |module: &Module| {
        let evaluation = Evaluation::new(module).expect("no loop");
        let port = |name: &&str| module.port(name).expect("a port");
        tests.tests.iter().all(|test| {
            let mut nets = evaluation.initial();
            let taken = test.values(&test.inputs, &tests.inputs);
            let shown = test.values(&test.outputs, &tests.outputs);
            taken
                .iter()
                .zip(shown)
                .enumerate()
                .all(|(cycle, (taken, shown))| {
                    Evaluation::drive(port(&"reset"), &mut nets, u64::from(cycle == 0));
                    for (name, value) in inputs.iter().zip(taken) {
                        Evaluation::drive(port(name), &mut nets, *value);
                    }
                    evaluation.settle(&mut nets);
                    let mut values = outputs
                        .iter()
                        .map(|name| Evaluation::port(port(name), &nets))
                        .zip(shown);
                    let is_same = cycle == 0 || values.all(|(value, expected)| value == expected);
                    evaluation.edge(&mut nets);
                    is_same
                })
        })
    };
    assert!(passes(&router.target.module));
    let recorded = record(&simulation, &router, 0).expect("it is run");
    let sampled = faults(&simulation, &router, &options, recorded.last_cycle);
    let mut detected = 0;
    for (finding, row) in sampled.iter().zip(&report.faults) {
        let is_stuck = matches!(finding.timed.fault.effect, FaultEffect::StuckAt(_));
        if is_stuck && row.cycle.is_some() {
            assert!(
                !passes(&mutant(&router, finding.timed.fault)),
                "{}",
                row.fault
            );
            detected += 1;
        }
    }
    assert!(detected > 50, "{detected}");
}
