use super::*;
use crate::redundant::RedundancyProver;
use crate::{Evaluation, text};

/// A flip-flop with an enable, one that is plain, a gate that others read twice, a part that is redundant
/// (`r` is `a`), and an inverter behind an output.
const TEXT: &str = "module m\n input clk\n input rst\n input a\n input b\n input e\n output q\n output x\n \
    output y\n output z\n gate g1 ANDNOT a rst -> d\n flop f d -> q posedge clk enable e high\n \
    gate g2 NAND q b -> n\n gate g3 XOR n a -> x\n gate g4 MUX n b p -> y\n gate g5 NOT y -> z0\n \
    gate g6 ANDNOT z0 rst -> z1\n flop h z1 -> p posedge clk\n gate g7 AND a b -> ab\n \
    gate g8 OR ab a -> r\n gate g9 AOI3 r p q -> z\nend\n";

fn target() -> FaultTarget {
    let design = text::parse(TEXT, "test").expect("sound");
    FaultTarget::new(&design.modules[0], ["clk", "rst"]).expect("one clock")
}

/// The module with a net or pin stuck from its beginning on, made without masks.
fn mutant(target: &FaultTarget, fault: GateFault) -> Module {
    let FaultEffect::StuckAt(value) = fault.effect else {
        panic!("a stuck-at fault");
    };
    let stuck = Bit::from(value);
    let mut module = target.module.clone();
    match fault.site {
        FaultSite::Net(net) => {
            let replaced = |bit| if bit == Bit::Net(net) { stuck } else { bit };
            for cell in &mut module.cells {
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
        FaultSite::Output { port, bit } => {
            module.ports[port as usize].bits[bit as usize] = stuck;
        }
        FaultSite::Link(_) => panic!("no site of a stuck-at fault"),
    }
    module
}

/// The outputs of a module from the second cycle after the reset on, with inputs drawn from a number. In the
/// first one the flip-flops have these values and these masks are set.
fn shown(module: &Module, first: &[(&str, bool)], cycles: &[(usize, &str, bool)]) -> Vec<u64> {
    let evaluation = Evaluation::new(module).expect("sound");
    let mut nets = vec![false; module.nets.len()];
    let set = |nets: &mut Vec<bool>, name: &str, value: bool| {
        let mut flops = module.flops();
        if let Some((_, flop)) = flops.find(|(cell, _)| cell.name == name) {
            nets[flop.q.index()] = value;
        }
    };
    for (name, value) in first {
        set(&mut nets, name, *value);
    }
    let mut shown = Vec::new();
    for cycle in 0..200_u64 {
        for (at, name, value) in cycles {
            if *at as u64 == cycle {
                set(&mut nets, name, *value);
            }
        }
        let drawn = (cycle + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        for (bit, name) in ["a", "b", "e"].iter().enumerate() {
            let port = module.port(name).expect("an input");
            Evaluation::drive(port, &mut nets, drawn >> (3 * bit) & 1);
        }
        evaluation.settle(&mut nets);
        if cycle > 0 {
            let outputs = module.ports_of(PortDirection::Output);
            let all = outputs.fold(0, |all, port| 2 * all + Evaluation::port(port, &nets));
            shown.push(all);
        }
        evaluation.edge(&mut nets);
    }
    shown
}

#[test]
fn a_mask_does_what_a_constant_does() {
    let target = target();
    let faults = target.stuck().faults;
    assert!(faults.len() > 40, "{}", faults.len());
    let good = shown(&target.module, &[], &[]);
    let all = with_faults(&target, &faults, |_| Vec::new());
    assert_eq!(shown(&all, &[], &[]), good, "no mask is set");
    for (number, &fault) in faults.iter().enumerate() {
        let with_mask = shown(&all, &[(&mask(number), true)], &[]);
        let mutant = mutant(&target, fault);
        assert_eq!(with_mask, shown(&mutant, &[], &[]), "{fault:?}");
    }
}

#[test]
fn equivalent_faults_do_the_same() {
    let target = target();
    let stuck = target.stuck();
    let of = |fault| shown(&mutant(&target, fault), &[], &[]);
    let mut merged = 0;
    for (number, (&fault, &class)) in stuck.faults.iter().zip(&stuck.class).enumerate() {
        assert!(class as usize <= number);
        merged += usize::from(class as usize != number);
        assert_eq!(of(fault), of(stuck.faults[class as usize]), "{fault:?}");
    }
    // A NAND, two inverters and an AOI3 make some of them equivalent.
    assert!(merged > 8, "{merged}");
}

#[test]
fn clock_and_reset_have_no_faults() {
    let target = target();
    for fault in target.stuck().faults {
        let net = target.net(fault.site).expect("a net");
        let name = target.module.net_name(net);
        assert!(!["clk", "rst"].contains(&name), "{fault:?}");
        // An AOI3 has a pin C, too.
        let is_clock = |pin: String| ["f.C", "h.C"].contains(&pin.as_str());
        assert!(!target.pin(fault.site).is_some_and(is_clock));
    }
}

/// A fault is redundant when no inputs and no state make a difference; the module has few enough of both
/// to try them all.
#[test]
fn redundant_faults_are_those_that_nothing_shows() {
    let target = target();
    let known = vec![None; target.module.nets.len()];
    let prover = RedundancyProver::new(&target, &known, |_| true);
    let mut redundant = 0;
    for fault in target.stuck().faults {
        let mutant = mutant(&target, fault);
        let [good, bad] = [&target.module, &mutant].map(every_case);
        assert_eq!(prover.is_redundant(fault), good == bad, "{fault:?}");
        redundant += usize::from(good == bad);
    }
    assert!(redundant >= 2, "ab can be stuck at 0, {redundant}");
}

/// The outputs, and what the flip-flops take, for all inputs and states.
fn every_case(module: &Module) -> Vec<Vec<bool>> {
    let evaluation = Evaluation::new(module).expect("sound");
    let free: Vec<NetId> = ["a", "b", "e", "rst", "q", "p"]
        .iter()
        .map(|name| {
            let mut nets = (0..).zip(&module.nets);
            NetId(
                nets.find(|(_, net)| net.name == *name)
                    .expect("it is there")
                    .0,
            )
        })
        .collect();
    let cases = (0..1_usize << free.len()).map(|case| {
        let mut nets = vec![false; module.nets.len()];
        for (bit, net) in free.iter().enumerate() {
            nets[net.index()] = case >> bit & 1 != 0;
        }
        evaluation.settle(&mut nets);
        let outputs = module.ports_of(PortDirection::Output);
        let data = module.flops().map(|(_, flop)| flop.data);
        let seen = outputs
            .flat_map(|port| port.bits.iter().copied())
            .chain(data);
        seen.map(|bit| bit.net().map_or(bit == Bit::One, |net| nets[net.index()]))
            .collect()
    });
    cases.collect()
}

#[test]
fn a_flip_inverts_one_flip_flop_in_one_cycle() {
    let target = target();
    let flops = target.flip_flops();
    assert_eq!(flops.len(), 2);
    for (site, name) in flops.into_iter().zip(["f", "h"]) {
        let fault = GateFault {
            site,
            effect: FaultEffect::Flip,
        };
        let module = with_faults(&target, &[fault], |_| Vec::new());
        let mask = mask(0);
        let flipped = shown(&module, &[], &[(6, &mask, true), (7, &mask, false)]);
        // The same by hand: what the flip-flop would hold in cycle 7 is found, and inverted there.
        let would = (0..2).map(|value| shown(&target.module, &[], &[(7, name, value != 0)]));
        let good = shown(&target.module, &[], &[]);
        let other: Vec<Vec<u64>> = would.filter(|shown| *shown != good).collect();
        assert_eq!(other, [flipped], "{name}");
    }
}

/// A flip-flop that others read beside, which flips while the pin of its data is stuck elsewhere.
#[test]
fn a_pin_that_may_be_stuck_lets_its_flip_flop_flip() {
    let text = "module m\n input clk\n input rst\n input a\n input b\n input e\n output q\n output x\n \
        gate g1 ANDNOT a rst -> d\n flop f d -> q posedge clk\n gate g2 AND d b -> x\nend\n";
    let design = text::parse(text, "test").expect("sound");
    let target = FaultTarget::new(&design.modules[0], ["clk", "rst"]).expect("one clock");
    let mut faults = target.stuck().faults;
    let pin = |fault: &GateFault| target.pin(fault.site).is_some_and(|pin| pin == "f.D");
    assert_eq!(faults.iter().filter(|fault| pin(fault)).count(), 2);
    faults.push(GateFault {
        site: target.flip_flops()[0],
        effect: FaultEffect::Flip,
    });
    let module = with_faults(&target, &faults, |_| Vec::new());
    let mask = mask(faults.len() - 1);
    let flipped = shown(&module, &[], &[(6, &mask, true), (7, &mask, false)]);
    assert_ne!(flipped, shown(&target.module, &[], &[]));
}

#[test]
fn late_outputs_show_what_they_showed_before() {
    let target = target();
    let fault = GateFault {
        site: FaultSite::Link(3),
        effect: FaultEffect::Late,
    };
    let ports = target.module.ports.iter().enumerate();
    let outputs = ports.filter(|(_, port)| port.direction == PortDirection::Output);
    let outputs: Vec<usize> = outputs.map(|(at, _)| at).collect();
    let module = with_faults(&target, &[fault], |link| {
        assert_eq!(link, 3);
        outputs.clone()
    });
    let good = shown(&target.module, &[], &[]);
    assert_eq!(shown(&module, &[], &[]), good);
    let late = shown(&module, &[(&mask(0), true)], &[]);
    assert_eq!(late[1..], good[..good.len() - 1]);
}
