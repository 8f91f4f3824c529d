use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::testing::{for_all, random_module};
use crate::{Evaluation, lower_flops};

/// All values of the inputs of a module, each as the nets that are 1.
fn all_inputs(module: &Module) -> (Vec<NetId>, u64) {
    let ports = module.ports_of(PortDirection::Input);
    let ports = ports.filter(|port| port.name != "clk");
    let nets = ports.flat_map(|port| port.bits.iter().filter_map(|bit| bit.net()));
    let nets: Vec<NetId> = nets.collect();
    let number = 1 << nets.len();
    (nets, number)
}

/// For each net the first cycle in which it can be 0 and 1, among so many, by trying all inputs in all states.
fn tried(module: &Module, initial: &[bool], cycles: usize) -> BTreeMap<(NetId, bool), usize> {
    let evaluation = Evaluation::new(module).expect("a module without loops");
    let flops: Vec<NetId> = module.flops().map(|(_, flop)| flop.q).collect();
    let (inputs, number) = all_inputs(module);
    let mut states = BTreeSet::from([initial.to_vec()]);
    let mut first = BTreeMap::new();
    for cycle in 0..cycles {
        let mut next = BTreeSet::new();
        for state in &states {
            for values in 0..number {
                let mut nets = vec![false; module.nets.len()];
                for (at, net) in inputs.iter().enumerate() {
                    nets[net.index()] = values >> at & 1 == 1;
                }
                for (net, &value) in flops.iter().zip(state) {
                    nets[net.index()] = value;
                }
                evaluation.settle(&mut nets);
                for (net, &value) in (0..).map(NetId).zip(&nets) {
                    first.entry((net, value)).or_insert(cycle);
                }
                evaluation.edge(&mut nets);
                next.insert(flops.iter().map(|net| nets[net.index()]).collect());
            }
        }
        states = next;
    }
    first
}

#[test]
fn the_first_cycle_is_found_and_the_way_leads_there() {
    const CYCLES: usize = 5;
    for_all(150, |mut choices| {
        let module = random_module(&mut choices);
        let Ok(module) = lower_flops(module, "clk") else {
            return;
        };
        let initial: Vec<bool> = module.flops().map(|_| choices.flag()).collect();
        let driven = module.cells.iter().flat_map(|cell| {
            let mut outputs = Vec::new();
            cell.kind
                .visit_outputs(|_, _, bit| outputs.extend(bit.net()));
            outputs
        });
        let wanted: Vec<(NetId, bool)> =
            driven.flat_map(|net| [(net, false), (net, true)]).collect();
        let expected = tried(&module, &initial, CYCLES);
        let found = reach(
            &module,
            &initial,
            |_| InputCourse::Free,
            &wanted,
            CYCLES,
            || false,
        );
        let evaluation = Evaluation::new(&module).expect("a module without loops");
        let (inputs, number) = all_inputs(&module);
        for (way, &(net, value)) in found.iter().zip(&wanted) {
            let cycle = way.as_ref().map(|way| way.cycle);
            assert_eq!(
                cycle,
                expected.get(&(net, value)).copied(),
                "{net:?} {value}"
            );
            let Some(way) = way else { continue };
            // Whatever the other inputs are.
            for _ in 0..4 {
                let mut nets = vec![false; module.nets.len()];
                for ((_, flop), &value) in module.flops().zip(&initial) {
                    nets[flop.q.index()] = value;
                }
                for cycle in 0..=way.cycle {
                    let others = choices.below(number as usize);
                    for (at, input) in inputs.iter().enumerate() {
                        nets[input.index()] = others >> at & 1 == 1;
                    }
                    for input in way.inputs.iter().filter(|input| input.cycle == cycle) {
                        nets[input.net.index()] = input.value;
                    }
                    evaluation.settle(&mut nets);
                    if cycle < way.cycle {
                        evaluation.edge(&mut nets);
                    }
                }
                assert_eq!(nets[net.index()], value, "{way:?}");
            }
        }
    });
}

#[test]
fn held_inputs_keep_their_values() {
    let text = "module m\n input clk\n input a\n input b\n output y\n gate g AND a b -> y\nend\n";
    let design = crate::text::parse(text, "t").expect("a design");
    let module = &design.modules[0];
    let net = |name: &str| {
        module.port(name).expect("a port").bits[0]
            .net()
            .expect("a net")
    };
    let held = |of: bool| {
        let b = net("b");
        move |other: NetId| match other == b {
            true => InputCourse::Held(of),
            false => InputCourse::Free,
        }
    };
    let wanted = [(net("y"), true)];
    let free = reach(module, &[], held(true), &wanted, 3, || false);
    let way = free[0].as_ref().expect("a way");
    let expected = ["a", "b"].map(|name| ReachInput {
        cycle: 0,
        net: net(name),
        value: true,
    });
    assert_eq!((way.cycle, &way.inputs[..]), (0, &expected[..]));
    assert_eq!(
        reach(module, &[], held(false), &wanted, 3, || false),
        [None]
    );
}

#[test]
fn steady_inputs_have_one_value() {
    let text = "module m\n input clk\n input a\n output y\n flop f a -> b posedge clk\n \
                gate g XOR a b -> y\nend\n";
    let design = crate::text::parse(text, "t").expect("a design");
    let module = &design.modules[0];
    let y = module.port("y").expect("a port").bits[0]
        .net()
        .expect("a net");
    let found = |course| {
        reach(
            module,
            &[false],
            |_| course,
            &[(y, true), (y, false)],
            4,
            || false,
        )
    };
    let cycles = |ways: &[Option<Reach>]| -> Vec<Option<usize>> {
        ways.iter()
            .map(|way| way.as_ref().map(|way| way.cycle))
            .collect()
    };
    assert_eq!(cycles(&found(InputCourse::Free)), [Some(0), Some(0)]);
    // From cycle 1 on both inputs of the gate are the same.
    let module_after = reach(
        module,
        &[true],
        |_| InputCourse::Steady,
        &[(y, true)],
        4,
        || false,
    );
    let way = module_after[0].as_ref().expect("a way");
    assert_eq!(
        (way.cycle, way.inputs[0].value, way.inputs[0].cycle),
        (0, false, 0)
    );
    let late = reach(
        module,
        &[true],
        |_| InputCourse::Held(true),
        &[(y, true)],
        4,
        || false,
    );
    assert_eq!(late, [None]);
}
