//! The chips of fat stacks and pyramids alone: models against netlists and Verilog.

use std::collections::VecDeque;

use crosswave_base::random;
use crosswave_chips::stack::{CREDIT, DEPTH, LAST};
use crosswave_chips::stack_interface::{self, StackInterface};
use crosswave_chips::stack_switch::stack_switch_8::{self, StackSwitch8};
use crosswave_chips::stack_switch::stack_switch_10::StackSwitch10;
use crosswave_chips::{Chip, Model, Port, Role, VALID};

use crate::support::chips::{Row, Unit, inputs, outputs};
use crate::support::lockstep::soak_cases;
use crate::support::routers::{self, CHIP_CYCLES};

const SWITCH: [&str; 3] = ["stack_switch", "stack_input", "stack_output"];
const INTERFACE: [&str; 3] = ["stack_interface", "stack_sender", "stack_receiver"];

/// Numbers drawn for one case.
struct Drawn {
    seed: u64,
    rolled: u64,
}

impl Drawn {
    fn below(&mut self, end: u64) -> u64 {
        self.rolled += 1;
        random::word(random::key(self.seed, 0, self.rolled), 0) % end
    }

    fn one_of(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// The far end of a link of the chip.
#[derive(Default)]
struct Neighbour {
    /// Flits that are still to go into the chip.
    flits: VecDeque<u16>,
    /// Flits that went in or are on the wire, and whose credit has not come back.
    unpaid: u8,
    /// Flits that came out of the chip and whose credit is still to go back.
    owed: u8,
}

impl Neighbour {
    /// The word that it drives, given what the chip drives: flits with credits, and credits back
    /// after a while, often at once.
    fn drives(&mut self, shown: u16, drawn: &mut Drawn) -> u16 {
        self.owed += u8::from(shown & VALID != 0);
        self.unpaid -= u8::from(shown & CREDIT != 0);
        let mut word = 0;
        if self.unpaid < DEPTH
            && !drawn.one_of(8)
            && let Some(flit) = self.flits.pop_front()
        {
            self.unpaid += 1;
            word = VALID | flit;
        }
        if self.owed > 0 && !drawn.one_of(3) {
            self.owed -= 1;
            word |= CREDIT;
        }
        word
    }
}

/// The word that a neighbour drives that keeps nothing of the protocol.
fn anything(ports: u64, drawn: &mut Drawn) -> u16 {
    let data = drawn.below(ports + 3) as u16;
    let marks = [(VALID, 2), (LAST, 3), (CREDIT, 2)];
    let set = marks
        .into_iter()
        .filter(|&(_, one_in)| drawn.one_of(one_in));
    set.fold(data, |word, (mark, _)| word | mark)
}

/// A packet as it comes to a switch: mostly for one of its ports, and mostly with a body.
fn packet_at_switch(ports: u64, drawn: &mut Drawn) -> Vec<u16> {
    let port = match drawn.below(8) {
        0 => ports + drawn.below(256 - ports),
        // Few outputs, so that several packets want one.
        1..4 => drawn.below(2),
        _ => drawn.below(ports),
    };
    let more = drawn.below(10).saturating_sub(1);
    let mut flits: Vec<u16> = (0..more).map(|_| drawn.below(256) as u16).collect();
    flits.insert(0, port as u16);
    *flits.last_mut().expect("a flit") |= LAST;
    flits
}

/// A packet as it comes to an interface: mostly as it has to be.
fn packet_at_interface(drawn: &mut Drawn) -> Vec<u16> {
    let id = drawn.below(1 << 24);
    let number = (0..3).map(|byte| (id >> (8 * byte)) as u8);
    let count = drawn.below(6) + 254 * u64::from(drawn.one_of(20));
    let body = (0..count).map(|at| (id + at) as u8);
    let mut flits: Vec<u16> = number.chain(body).map(u16::from).collect();
    match drawn.below(6) {
        0 => flits.truncate(1 + drawn.below(3) as usize),
        1 => {
            let at = drawn.below(flits.len() as u64) as usize;
            flits[at] ^= 1 << drawn.below(8);
        }
        _ => {}
    }
    *flits.last_mut().expect("a flit") |= LAST;
    flits
}

/// The host's side of an interface.
#[derive(Default)]
struct Asked {
    values: Vec<(usize, u64)>,
}

impl Asked {
    /// Offers a packet until it has gone, or changes its mind in every cycle.
    fn step(&mut self, is_done: bool, is_steady: bool, drawn: &mut Drawn) {
        if is_done {
            self.values.clear();
        }
        if is_steady && (!self.values.is_empty() || drawn.one_of(3)) {
            return;
        }
        let hops = match drawn.below(4) {
            0 => drawn.below(16),
            _ => drawn.below(4),
        };
        let half = |drawn: &mut Drawn| drawn.below(1 << 32) << 32 | drawn.below(1 << 32);
        self.values = vec![
            (
                stack_interface::PORT_TX_REQUEST,
                u64::from(!drawn.one_of(9)),
            ),
            (stack_interface::PORT_TX_ID, drawn.below(1 << 24)),
            (stack_interface::PORT_TX_WORDS, drawn.below(7)),
            (stack_interface::PORT_TX_HOPS, hops),
            (stack_interface::PORT_TX_ROUTE_LOW, half(drawn)),
            (stack_interface::PORT_TX_ROUTE_HIGH, half(drawn)),
        ];
    }

    fn value(&self, port: usize) -> u64 {
        let found = self.values.iter().find(|(of, _)| *of == port);
        found.map_or(0, |(_, value)| *value)
    }
}

/// The inputs of a chip in every cycle. Neighbours know what the model drives: in three cases of
/// four they keep to their credits, in the others to nothing.
fn rows<M: Model<Word = u16>>(seed: u64) -> Vec<Row> {
    let drawn = &mut Drawn { seed, rolled: 0 };
    let ports = M::LINKS as u64;
    let keeps = seed % 4 != 3;
    let mut unit = Unit::<M>::new();
    let mut neighbours: Vec<Neighbour> = (0..ports).map(|_| Neighbour::default()).collect();
    let mut asked = Asked::default();
    let mut rows = Vec::new();
    for cycle in 0..CHIP_CYCLES {
        let reset = cycle == 0 || cycle == 200;
        if reset {
            neighbours.fill_with(Neighbour::default);
        }
        let is_interface = M::LINKS == 1;
        if is_interface {
            let is_done = M::output(&unit.state, stack_interface::PORT_TX_DONE) != 0;
            asked.step(is_done, keeps, drawn);
        }
        let mut words = vec![0; M::LINKS];
        for (link, neighbour) in neighbours.iter_mut().enumerate() {
            if neighbour.flits.is_empty() && drawn.one_of(3) {
                neighbour.flits.extend(match is_interface {
                    true => packet_at_interface(drawn),
                    false => packet_at_switch(ports, drawn),
                });
            }
            words[link] = match (reset, keeps) {
                (true, _) => 0,
                (_, true) => neighbour.drives(unit.driven[link], drawn),
                (_, false) => anything(ports, drawn),
            };
        }
        let value = |(index, port): (usize, &'static Port)| match port.role {
            Role::Reset => u64::from(reset),
            Role::Link { link, lsb } => u64::from(words[link]) >> lsb & ((1 << port.width) - 1),
            _ => asked.value(index),
        };
        let row: Row = inputs(M::CHIP).map(value).collect();
        unit.step(&row);
        rows.push(row);
    }
    rows
}

fn cases(usual: u64) -> u64 {
    soak_cases().map_or(usual, u64::from)
}

/// The values of the outputs whose names have an end.
fn ending<'a>(
    chip: &'static Chip,
    shown: &'a Row,
    end: &'a str,
) -> impl Iterator<Item = u64> + use<'a> {
    let ports = outputs(chip).zip(shown);
    ports.filter_map(move |((_, port), &value)| port.name.ends_with(end).then_some(value))
}

#[test]
fn netlists_and_models_of_switches_are_the_same_in_every_cycle() {
    // Every state, losses, full buffers and links without credits have to occur.
    let mut states = [0; 4];
    let (mut lost, mut full, mut dry) = (0, 0, 0);
    routers::model_is_netlist_of::<StackSwitch8>(cases(128), rows::<StackSwitch8>, |found, _| {
        let chip = &stack_switch_8::CHIP;
        ending(chip, found, "_state").for_each(|state| states[state as usize] += 1);
        lost += found[0].count_ones();
        let depth = u64::from(DEPTH);
        full += ending(chip, found, "_fill")
            .filter(|&fill| fill == depth)
            .count();
        dry += ending(chip, found, "_credits")
            .filter(|&left| left == 0)
            .count();
    });
    assert!(states.iter().all(|&seen| seen > 5000), "{states:?}");
    assert!(
        lost > 5000 && full > 5000 && dry > 5000,
        "{lost} {full} {dry}"
    );
    routers::model_is_netlist_of::<StackSwitch10>(cases(64), rows::<StackSwitch10>, |_, _| {});
}

#[test]
fn the_netlist_and_the_model_of_an_interface_are_the_same_in_every_cycle() {
    let chip = &stack_interface::CHIP;
    let (mut sent, mut right, mut wrong) = (0, 0, 0);
    let cases = cases(256);
    routers::model_is_netlist_of::<StackInterface>(cases, rows::<StackInterface>, |found, _| {
        sent += ending(chip, found, "tx_done").sum::<u64>();
        let is_wrong = ending(chip, found, "rx_wrong").sum::<u64>();
        wrong += is_wrong;
        right += ending(chip, found, "rx_valid").sum::<u64>() - is_wrong;
    });
    assert!(
        sent > 1000 && right > 1000 && wrong > 1000,
        "{sent} {right} {wrong}"
    );
}

#[test]
fn verilog_and_models_are_the_same_in_every_cycle() {
    let switch = |top: &'static str| [&[top], &SWITCH[..]].concat();
    routers::model_is_verilog_of::<StackSwitch8>(&switch("stack_switch_8"), rows::<StackSwitch8>);
    let sources = switch("stack_switch_10");
    routers::model_is_verilog_of::<StackSwitch10>(&sources, rows::<StackSwitch10>);
    routers::model_is_verilog_of::<StackInterface>(&INTERFACE, rows::<StackInterface>);
}

/// Left alone from any state, a chip comes to rest, and a model that says so stays as it is.
fn rests<M: Model<Word = u16>>() {
    const CLOCKS: usize = 64;
    let shown = |unit: &Unit<M>| (format!("{:?}", unit.state), unit.shown());
    for seed in 0..64 {
        let mut unit = Unit::<M>::new();
        for (cycle, row) in rows::<M>(seed).iter().enumerate() {
            unit.step(row);
            if cycle % 10 != 0 {
                continue;
            }
            let silent = inputs(M::CHIP).zip(row);
            let silent: Row = silent
                .map(|((_, port), &value)| match port.role {
                    Role::Link { .. } | Role::Reset => 0,
                    _ => value,
                })
                .collect();
            let (state, driven) = (unit.state.clone(), unit.driven.clone());
            let clocks = (0..CLOCKS).take_while(|_| unit.step(&silent)).count();
            assert!(clocks < CLOCKS, "seed {seed}, cycle {cycle}");
            let before = shown(&unit);
            assert!(!unit.step(&silent), "seed {seed}, cycle {cycle}");
            assert_eq!(shown(&unit), before);
            (unit.state, unit.driven) = (state, driven);
        }
    }
}

#[test]
fn chips_at_rest_stay_at_rest() {
    rests::<StackSwitch8>();
    rests::<StackInterface>();
}

/// Outcome of a row of flits at input 0, cycle by cycle: its state, and 1 when it lost a packet.
fn alone(flits: &[u16]) -> Vec<(u64, u64)> {
    let chip = &stack_switch_8::CHIP;
    let mut unit = Unit::<StackSwitch8>::new();
    let mut seen = Vec::new();
    for &flit in flits.iter().chain(&[0; 4]) {
        let value = |(_, port): (usize, &Port)| match port.role {
            Role::Link { link: 0, lsb } => u64::from(flit) >> lsb & ((1 << port.width) - 1),
            _ => 0,
        };
        unit.step(&inputs(chip).map(value).collect());
        let shown = unit.shown();
        let state = ending(chip, &shown, "d0_state").next();
        seen.push((state.expect("a port"), shown[0]));
    }
    seen
}

#[test]
fn packets_without_an_output_or_a_body_are_lost() {
    let (idle, holding, discarding) = ((0, 0), (2, 0), (3, 0));
    let (at_rest, lost) = (idle, (0, 1));
    let last = |data: u16| VALID | LAST | data;
    assert_eq!(alone(&[last(1)]), [idle, lost, at_rest, at_rest, at_rest]);
    assert_eq!(alone(&[last(200)]), [idle, lost, at_rest, at_rest, at_rest]);
    for port in [8, 255] {
        let found = alone(&[VALID | port, VALID | 1, last(2)]);
        let expected = [
            idle, discarding, discarding, lost, at_rest, at_rest, at_rest,
        ];
        assert_eq!(found, expected, "{port}");
    }
    // An output of its own link is as good as any other.
    let found = alone(&[VALID, last(2)]);
    let expected = [idle, holding, idle, at_rest, at_rest, at_rest];
    assert_eq!(found, expected);
}
