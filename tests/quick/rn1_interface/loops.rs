//! One interface of RN1 that talks to itself: each of its two ways into the network
//! leads through a row of model routers to one of the two ways out.

use crosswave_chips::LinkWord;
use crosswave_chips::rn1_interface::{CHIP, Rn1Interface};

use crate::support::chips::{Row, Unit, inputs, outputs};
use crate::support::rn1::{Chain, Configuration};
use crate::support::rn1_neighbours::Dice;

/// Input and output of a router behind 0 to 3 rotations: directions 3, 0, 2 and 1.
pub const PORTS: [(usize, usize); 4] = [(2, 6), (7, 1), (0, 4), (5, 3)];
/// The byte that has these directions, two bits each.
pub const ROUTE: u64 = 0b11_00_10_01;

/// A wire behind a router: its extra clocks, and by how many steps of two bits it rotates.
pub type Wire = (u8, usize);

/// By how many steps the wires rotate in all, 0 to 3.
pub fn rotation(wires: &[Wire]) -> usize {
    wires.iter().map(|&(_, steps)| steps).sum::<usize>() % 4
}

/// A row of routers: the wires behind all routers but the last, the extra clocks of that behind
/// the last, those that swallow, and the one that has no output free.
pub fn chain(wires: &[Wire], last: u8, swallows: u64, blocks: Option<usize>) -> Chain {
    let mut all = vec![0];
    all.extend(wires.iter().map(|&(delay, _)| delay));
    all.push(last);
    let stages = 0..=wires.len();
    let ports: Vec<(usize, usize)> = stages.map(|s| PORTS[rotation(&wires[..s])]).collect();
    let configure = |stage: usize, configuration: &mut Configuration| {
        if swallows >> stage & 1 != 0 {
            configuration.swallow = 0xff;
        }
        configuration.out_enable = match blocks == Some(stage) {
            true => 0,
            false => 1 << ports[stage].1,
        };
    };
    let mut chain = Chain::new(&all, &ports, configure);
    for (steps, (_, of_wire)) in chain.steps[1..].iter_mut().zip(wires) {
        *steps = *of_wire;
    }
    chain
}

/// Named values of a row; what is not named is 0.
pub fn row(named: &[(&str, u64)]) -> Row {
    let mut row: Row = inputs(&CHIP).map(|_| 0).collect();
    for &(name, value) in named {
        set(&mut row, name, value);
    }
    row
}

pub fn set(row: &mut Row, name: &str, value: u64) {
    let place = inputs(&CHIP).position(|(_, port)| port.name == name);
    row[place.unwrap_or_else(|| panic!("no input {name}"))] = value;
}

pub fn get(row: &Row, name: &str) -> u64 {
    let place = outputs(&CHIP).position(|(_, port)| port.name == name);
    row[place.unwrap_or_else(|| panic!("no output {name}"))]
}

/// The inputs of an interface in a random case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// All keep the protocol.
    Proper,
    /// All keep it but for a wrong word now and then.
    Faulty,
    /// Any words.
    Noise,
}

/// The inputs of each cycle and what the model shows in it. The first is a reset.
pub struct Case {
    pub rows: Vec<Row>,
    pub shown: Vec<Row>,
}

pub fn case(seed: u64, kind: Kind, cycles: usize) -> Case {
    let dice = &mut Dice::new(seed);
    let stages = 1 + dice.below(5);
    let swallows = match stages {
        5 => 1 << 4,
        _ => dice.below(1 << stages) & !1 & 0b1110,
    };
    let turns = [0, 1, 1, 2, 3, 4][dice.below(6) as usize];
    let mut options = row(&[
        ("node", dice.below(1 << 20)),
        ("strategy", dice.below(4)),
        ("backoff_limit", [0, 1, 3, 5, 12][dice.below(5) as usize]),
        ("tx_enable", [0, 1, 2, 3, 3, 3][dice.below(6) as usize]),
        ("turns", turns),
        ("reply_words", dice.below(6)),
        ("reply_delay", [0, 0, 1, 2, 7][dice.below(5) as usize]),
        ("close_drop", dice.below(2)),
    ]);
    let node = options[1];
    // Any rotations, or those of networks without shortcuts.
    let same = dice.below(2) == 0;
    let steps: Vec<usize> = (1..stages)
        .map(|_| match same {
            true => 1,
            false => dice.below(4) as usize,
        })
        .collect();
    let last = [0, 0, 1, 2][dice.below(4) as usize];
    set(&mut options, "rx_delay", u64::from(last));
    let rotation = steps.iter().sum::<usize>() as u64 % 4;
    set(&mut options, "rotation", rotation);
    set(&mut options, "tx_stages", stages);
    set(&mut options, "tx_swallows", swallows);
    if kind != Kind::Proper && dice.below(3) == 0 {
        set(&mut options, "rotation", dice.below(4));
        set(&mut options, "tx_stages", dice.below(16));
        set(&mut options, "tx_swallows", dice.below(1 << 16));
    }
    let mut chains: Vec<Chain> = (0..2)
        .map(|_| {
            let delay = |steps: &usize| ([0, 0, 1, 2, 3][dice.below(5) as usize], *steps);
            let wires: Vec<Wire> = steps.iter().map(delay).collect();
            let blocks = (dice.below(3) == 0).then(|| dice.below(stages) as usize);
            chain(&wires, last, swallows, blocks)
        })
        .collect();
    let (mut rows, mut shown) = (Vec::new(), Vec::new());
    let mut unit = Unit::<Rn1Interface>::new();
    let mut requested = false;
    let mut inputs_now = options.clone();
    for cycle in 0..cycles {
        let now = unit.shown();
        let reset = cycle == 0 || kind != Kind::Proper && dice.below(200) == 0;
        set(&mut inputs_now, "reset", u64::from(reset));
        set(&mut inputs_now, "random_wait", dice.below(1 << 12));
        set(&mut inputs_now, "random_port", dice.below(2));
        let withdraws = get(&now, "tx_done") != 0 || kind == Kind::Noise && dice.below(50) == 0;
        if requested && withdraws {
            requested = false;
        } else if !requested && dice.below(8) == 0 {
            requested = true;
            let bytes = u64::from(swallows.count_ones());
            let own = kind != Kind::Noise && dice.below(8) != 0;
            let destination = if own { node } else { dice.below(1 << 20) };
            set(&mut inputs_now, "tx_destination", destination);
            set(&mut inputs_now, "tx_words", dice.below(6));
            set(&mut inputs_now, "tx_route", ROUTE * 0x0101_0101);
            set(&mut inputs_now, "tx_route_bytes", bytes);
        }
        set(&mut inputs_now, "tx_request", u64::from(requested));
        for (way, chain) in chains.iter_mut().enumerate() {
            let (back, on) = chain.step(unit.driven[way], unit.driven[2 + way]);
            for (name, word) in [
                (format!("t{way}_backward"), back),
                (format!("r{way}_forward"), on),
            ] {
                let word: LinkWord = match kind {
                    Kind::Noise => dice.word(),
                    Kind::Faulty if dice.below(100) == 0 => dice.word(),
                    _ => word,
                };
                set(
                    &mut inputs_now,
                    &name,
                    if cycle == 0 { 0 } else { u64::from(word) },
                );
            }
        }
        unit.step(&inputs_now);
        rows.push(inputs_now.clone());
        shown.push(now);
    }
    Case { rows, shown }
}
