//! The switches of m-port n-trees alone: models against netlists and Verilog, the choice of a winner,
//! and the four-port router.

use std::collections::VecDeque;

use crosswave_base::random;
use crosswave_chips::fat_tree_router::{self, FatTreeRouter};
use crosswave_chips::mport_switch::mport_switch_4::{self, MportSwitch4};
use crosswave_chips::mport_switch::mport_switch_8::{self, MportSwitch8};
use crosswave_chips::mport_switch::mport_switch_16::MportSwitch16;
use crosswave_chips::mport_switch::mport_switch_32::MportSwitch32;
use crosswave_chips::mport_tail_switch::mport_tail_switch_4::{self, MportTailSwitch4};
use crosswave_chips::mport_tail_switch::mport_tail_switch_8::MportTailSwitch8;
use crosswave_chips::mport_tail_switch::mport_tail_switch_16::MportTailSwitch16;
use crosswave_chips::mport_tail_switch::mport_tail_switch_32::MportTailSwitch32;
use crosswave_chips::{Chip, Role};

use crate::support::chips::{Row, Unit, inputs, outputs};
use crate::support::lockstep::soak_cases;
use crate::support::routers;

const SOURCES: [&str; 5] = [
    "mport_switch",
    "mport_input",
    "mport_output",
    "mport_arbiter",
    "fat_tree_input",
];

#[test]
fn netlists_and_models_are_the_same_in_every_cycle() {
    let cases = |usual: u64| soak_cases().map_or(usual, u64::from);
    // Circuits and rejections have to occur.
    let (mut held, mut drained) = (0, 0);
    routers::model_is_netlist::<MportSwitch4>(cases(128), |found, _| {
        let states = found[found.len() - 4..].iter();
        states.for_each(|&state| match state {
            0 => {}
            16.. => drained += 1,
            _ => held += 1,
        });
    });
    assert!(held > 1000 && drained > 1000, "{held} {drained}");
    routers::model_is_netlist::<MportSwitch8>(cases(64), |_, _| {});
    routers::model_is_netlist::<MportSwitch16>(cases(64), |_, _| {});
    routers::model_is_netlist::<MportSwitch32>(cases(64), |_, _| {});
}

#[test]
fn verilog_and_models_are_the_same_in_every_cycle() {
    let sources = |top: &'static str| [&[top], &SOURCES[..]].concat();
    routers::model_is_verilog::<MportSwitch4>(&sources("mport_switch_4"));
    routers::model_is_verilog::<MportSwitch8>(&sources("mport_switch_8"));
}

const TAIL_SOURCES: [&str; 6] = [
    "mport_tail_switch",
    "mport_tail_input",
    "mport_tail_output",
    "mport_arbiter",
    "fat_tree_tail_input",
    "fat_tree_tail_output",
];

/// The same of switches whose outputs are free behind the tail.
#[test]
fn netlists_and_models_that_free_by_the_tail_are_the_same_in_every_cycle() {
    let cases = |usual: u64| soak_cases().map_or(usual, u64::from);
    let output = |name: &str| {
        let at = outputs(&mport_tail_switch_4::CHIP).position(|(_, port)| port.name == name);
        at.expect("a port")
    };
    let (ack, state) = (output("p0_in_ack"), output("p0_state"));
    // Answers that come when the input is idle, or has a younger circuit.
    let (mut idle, mut younger) = (0, 0);
    routers::model_is_netlist::<MportTailSwitch4>(cases(128), |found, _| {
        idle += u64::from(found[ack] == 1 && found[state] == 0);
        younger += u64::from(found[ack] == 1 && found[state] != 0);
    });
    assert!(idle > 0 && younger > 0, "{idle} {younger}");
    routers::model_is_netlist::<MportTailSwitch8>(cases(64), |_, _| {});
    routers::model_is_netlist::<MportTailSwitch16>(cases(64), |_, _| {});
    routers::model_is_netlist::<MportTailSwitch32>(cases(64), |_, _| {});
}

#[test]
fn verilog_and_models_that_free_by_the_tail_are_the_same_in_every_cycle() {
    let sources = |top: &'static str| [&[top], &TAIL_SOURCES[..]].concat();
    routers::model_is_verilog::<MportTailSwitch4>(&sources("mport_tail_switch_4"));
    routers::model_is_verilog::<MportTailSwitch8>(&sources("mport_tail_switch_8"));
}

/// Inputs that are not named are 0.
fn row(chip: &'static Chip, values: &[(&str, u64)]) -> Row {
    let named: Vec<&str> = inputs(chip).map(|(_, port)| port.name).collect();
    let known = |(name, _): &&(&str, u64)| named.contains(name);
    assert!(values.iter().all(|value| known(&value)), "{values:?}");
    let value = |name: &&str| {
        let found = values.iter().find(|(of, _)| of == name);
        found.map_or(0, |(_, value)| *value)
    };
    named.iter().map(value).collect()
}

/// The outputs that are granted to inputs 0 to 7, all of which want output `wanted`, by order.
fn winner(order: u64, wanted: u64, asking: &[usize], fixed: bool) -> usize {
    let chip = &mport_switch_8::CHIP;
    let mut unit = Unit::<MportSwitch8>::new();
    let names: Vec<(String, String)> = (0..8)
        .map(|port| (format!("p{port}_in_valid"), format!("p{port}_in_data")))
        .collect();
    for data in [wanted, 0x55] {
        let mut values = vec![("random_order", order), ("winner_fixed", u64::from(fixed))];
        for &port in asking {
            values.push((&names[port].0, 1));
            values.push((&names[port].1, data));
        }
        unit.step(&row(chip, &values));
    }
    let shown = unit.shown();
    let states = &shown[shown.len() - 8..];
    let held = |&input: &usize| states[input] == 1 << wanted;
    let holders: Vec<usize> = (0..8).filter(held).collect();
    assert_eq!(holders.len(), 1, "{states:?}");
    let rejected = (0..8).filter(|&input| states[input] == 1 << 8).count();
    assert_eq!(rejected, asking.len() - 1);
    holders[0]
}

/// Each of two inputs wins in half of the orders; each of more inputs wins in some.
#[test]
fn winners_are_drawn_evenly() {
    for a in 0..8 {
        for b in (0..a).filter(|&b| b != 5 && a != 5) {
            let wins = (0..8).filter(|&order| winner(order, 5, &[a, b], false) == a);
            assert_eq!(wins.count(), 4, "{a} and {b}");
        }
    }
    let all = [0, 1, 2, 3, 4, 6, 7];
    for input in all {
        assert!((0..8).any(|order| winner(order, 5, &all, false) == input));
    }
    // The fixed order: from above first, then the lower port.
    assert_eq!(winner(3, 1, &[0, 2, 3, 5, 6], true), 5);
    assert_eq!(winner(3, 1, &[0, 2, 3], true), 0);
}

/// A head that names no other port of the switch is rejected.
#[test]
fn ports_that_are_not_there_are_rejected() {
    let chip = &mport_switch_4::CHIP;
    for data in [0, 4, 5, 16, 128, 255] {
        let mut unit = Unit::<MportSwitch4>::new();
        for word in [data, 9] {
            unit.step(&row(chip, &[("p0_in_valid", 1), ("p0_in_data", word)]));
        }
        let collision = outputs(chip).position(|(_, port)| port.name == "p0_in_collision");
        assert_eq!(unit.shown()[collision.expect("a port")], 1, "{data}");
    }
}

/// The words and answers that a chip drives on its links in a cycle, in the order of its ports.
fn driven(chip: &'static Chip, shown: &Row) -> Vec<u64> {
    let ports = outputs(chip).zip(shown);
    let links = ports.filter(|((_, port), _)| matches!(port.role, Role::Link { .. }));
    links.map(|(_, value)| *value).collect()
}

/// The four-port router below the root is the switch with four ports, but that it finds its way
/// itself. One reads levels and addresses, and is told by a pin which way up it takes; the other is
/// told in a header, in front of the words that the first one passes on. With the fixed order both
/// give the same outputs to the same messages, and the same answers, in the same cycles.
#[test]
fn the_four_port_router_is_the_switch_with_four_ports() {
    const LEVEL: u64 = 3;
    const CYCLES: u64 = 400;
    let end = |name: &str, end: &str| format!("{name}_{end}");
    let pins = ["a", "b", "c", "d", "p0", "p1", "p2", "p3"]
        .map(|name| ["in_valid", "in_data", "out_ack", "out_collision"].map(|of| end(name, of)));
    let (mut words_passed, mut rejected) = (0, 0);
    for seed in 0..200 {
        let mut rolled = 0;
        let mut below = |end: u64| {
            rolled += 1;
            random::word(random::key(seed, 7, rolled), 0) % end
        };
        let mut router = Unit::<FatTreeRouter>::new();
        let mut switch = Unit::<MportSwitch4>::new();
        // Words that are still to go into each input, of the router and of the switch.
        let mut words: [[VecDeque<u64>; 2]; 4] = Default::default();
        let mut silence = [0u64; 4];
        let early = below(2);
        // The ways up of a and of b, so that they do not meet there: the router gives both a way.
        let up = [2 + seed % 2, 3 - seed % 2];
        let mut went_up = [false; 2];
        // For each output: true when its message was answered, and when a word is on it.
        let (mut answered, mut passes) = ([false; 4], [false; 4]);
        for _ in 0..CYCLES {
            let shown = switch.shown();
            let states = &shown[shown.len() - 4..];
            let goes_up = std::mem::take(&mut went_up);
            for input in 0..4 {
                let [to_router, to_switch] = &mut words[input];
                if states[input] != 0 || !to_switch.is_empty() || silence[input] > 0 {
                    silence[input] = silence[input].saturating_sub(1);
                    continue;
                }
                silence[input] = 4 + below(30);
                let climbs = input < 2 && below(2) == 0;
                let bit = below(2);
                let (first, port) = match input {
                    0 | 1 if climbs => (LEVEL + 1, up[input]),
                    0 | 1 => (LEVEL, 1 - input as u64),
                    _ => (bit << LEVEL, bit),
                };
                to_router.push_back(first);
                to_router.extend((0..1 + below(6)).map(|_| below(256)));
                // The word in which the router finds its way is used up where it turns.
                let is_used_up = input < 2 && !climbs;
                to_switch.push_back(port);
                to_switch.extend(to_router.iter().skip(usize::from(is_used_up)));
                if input < 2 {
                    went_up[input] = climbs;
                }
            }
            let options = vec![("winner_fixed", 1), ("early_acknowledge", early)];
            let mut values = [options.clone(), options];
            // A head is decided upon a clock after it was on the wire.
            let b_has_choice = goes_up[1] && !goes_up[0];
            let prefers_d = if b_has_choice { up[1] == 3 } else { up[0] == 3 };
            values[0].push(("level", LEVEL));
            values[0].push(("random_up", u64::from(prefers_d)));
            for port in 0..4 {
                // Each message is answered once, and acknowledged behind its tail unless that frees.
                let is_held = states.contains(&(1 << port));
                answered[port] &= is_held;
                let kind = below(2);
                let may = kind == 1 || early == 1 || !passes[port];
                let answers = is_held && !answered[port] && may && below(6) == 0;
                answered[port] |= answers;
                for which in 0..2 {
                    let pins = &pins[4 * which + port];
                    if let Some(word) = words[port][which].pop_front() {
                        values[which].push((&pins[0], 1));
                        values[which].push((&pins[1], word));
                    }
                    if answers {
                        values[which].push((&pins[2 + kind as usize], 1));
                    }
                }
            }
            router.step(&row(&fat_tree_router::CHIP, &values[0]));
            switch.step(&row(&mport_switch_4::CHIP, &values[1]));
            let found = driven(&fat_tree_router::CHIP, &router.shown());
            let expected = driven(&mport_switch_4::CHIP, &switch.shown());
            assert_eq!(found, expected, "seed {seed}: {values:?}");
            for (port, passes) in passes.iter_mut().enumerate() {
                let valid = outputs(&mport_switch_4::CHIP)
                    .position(|(_, of)| of.name == format!("p{port}_out_valid"));
                *passes = switch.shown()[valid.expect("a port")] != 0;
            }
            words_passed += found.iter().filter(|&&value| value > 1).count();
            let collisions = outputs(&mport_switch_4::CHIP).zip(switch.shown());
            let collisions = collisions.filter(|((_, port), _)| port.name.ends_with("collision"));
            rejected += collisions.map(|(_, value)| value).sum::<u64>();
        }
    }
    assert!(
        words_passed > 10_000 && rejected > 1000,
        "{words_passed} {rejected}"
    );
}
