//! One interface of RN1 that talks to itself: each of its two ways into the network
//! leads through a row of model routers to one of the two ways out.

use crosswave::chip::LinkWord;
use crosswave::chip::rn1_interface::{CHIP, Rn1Interface};

use crate::support::chips::{Row, Unit, inputs, outputs};
use crate::support::rn1::{Chain, Configuration};
use crate::support::rn1_neighbours::Dice;

/// Input and output at a stage, the same again every four stages: directions 3, 0, 2
/// and 1.
pub const PORTS: [(usize, usize); 4] = [(2, 6), (7, 1), (0, 4), (5, 3)];
/// The byte that has these directions, two bits each.
pub const ROUTE: u64 = 0b11_00_10_01;

/// A row of routers: the extra clocks of the wires behind all routers but the last,
/// those that swallow, and the one that has no output free.
pub fn chain(delays: &[u8], swallows: u64, blocks: Option<usize>) -> Chain {
    let mut all = vec![0];
    all.extend(delays);
    all.push(0);
    let stages = delays.len() + 1;
    let ports: Vec<(usize, usize)> = (0..stages).map(|stage| PORTS[stage % 4]).collect();
    Chain::new(&all, &ports, |stage, configuration: &mut Configuration| {
        if swallows >> stage & 1 != 0 {
            configuration.swallow = 0xff;
        }
        configuration.out_enable = match blocks == Some(stage) {
            true => 0,
            false => 1 << PORTS[stage % 4].1,
        };
    })
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

/// How an interface is driven in a random case.
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
        ("stages", stages),
        ("swallows", swallows),
        ("turns", turns),
        ("reply_words", dice.below(6)),
        ("reply_delay", [0, 0, 1, 2, 7][dice.below(5) as usize]),
        ("close_drop", dice.below(2)),
    ]);
    let node = options[1];
    if kind != Kind::Proper && dice.below(3) == 0 {
        set(&mut options, "stages", dice.below(16));
        set(&mut options, "swallows", dice.below(1 << 16));
    }
    let mut chains: Vec<Chain> = (0..2)
        .map(|_| {
            let delays: Vec<u8> = (1..stages)
                .map(|_| [0, 0, 1, 2, 3][dice.below(5) as usize])
                .collect();
            let blocks = (dice.below(3) == 0).then(|| dice.below(stages) as usize);
            chain(&delays, swallows, blocks)
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
        let again = unit.step(&inputs_now);
        if !again {
            assert_rests(&mut unit, &inputs_now);
        }
        rows.push(inputs_now.clone());
        shown.push(now);
    }
    Case { rows, shown }
}

/// A model that says that it rests drives nothing, shows nothing but the stages of its
/// last message, and stays so.
fn assert_rests(unit: &mut Unit<Rn1Interface>, row: &Row) {
    let before = (format!("{:?}", unit.state), unit.shown());
    for ((_, port), &value) in outputs(&CHIP).zip(&before.1) {
        assert!(
            value == 0 || port.name == "tx_stage",
            "{} at rest",
            port.name
        );
    }
    let mut row = row.clone();
    for name in ["t0_backward", "t1_backward", "r0_forward", "r1_forward"] {
        set(&mut row, name, 0);
    }
    assert!(!unit.step(&row));
    assert_eq!((format!("{:?}", unit.state), unit.shown()), before);
}
