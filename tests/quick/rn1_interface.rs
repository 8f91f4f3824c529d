//! The network interface of RN1 and the extra clock of its links: model, netlist and
//! Verilog in Icarus show the same in every cycle; and what becomes of messages.
//!
//! `CROSSWAVE_SOAK_CASES=2000 cargo test --release --test suite quick::rn1_interface::` compares more
//! cases. Needs Icarus Verilog.

mod loops;
mod messages;

use std::collections::BTreeSet;

use crosswave_chips::rn1_delay_line::{self, Rn1DelayLine};
use crosswave_chips::rn1_interface::{CHIP, Rn1Interface};
use loops::{Case, Kind, case, get, set};

use crate::support::chips::{Lanes, Row, Unit, icarus, outputs};
use crate::support::rn1_neighbours::Dice;

/// Cycles of a random case.
const CYCLES: usize = 400;
/// Chips that the netlist is evaluated for at a time.
const LANES: usize = 64;
const SOURCES: [&str; 5] = [
    "rn1_interface",
    "rn1_interface_sender",
    "rn1_interface_receiver",
    "rn1_interface_checks",
    "rn1_checksum",
];

fn cases() -> u64 {
    let soak = std::env::var("CROSSWAVE_SOAK_CASES").ok();
    soak.and_then(|cases| cases.parse().ok()).unwrap_or(64)
}

fn random_case(seed: u64) -> Case {
    let kind = [Kind::Proper, Kind::Faulty, Kind::Faulty, Kind::Noise][seed as usize % 4];
    case(seed, kind, CYCLES)
}

/// The first difference, with the case and the cycle.
fn assert_same(who: &str, seed: u64, cycle: usize, case: &Case, found: &Row) {
    if *found == case.shown[cycle] {
        return;
    }
    let ports = outputs(&CHIP).zip(found).zip(&case.shown[cycle]);
    let differ = ports.filter(|((_, found), expected)| found != expected);
    let differ: Vec<String> = differ
        .map(|(((_, port), found), expected)| format!("{} {found:x} {expected:x}", port.name))
        .collect();
    panic!("{who}, then the model; seed {seed}, cycle {cycle}: {differ:?}");
}

#[test]
fn netlist_and_model_are_the_same_in_every_cycle() {
    let seeds: Vec<u64> = (0..cases()).collect();
    for seeds in seeds.chunks(LANES) {
        let cases: Vec<Case> = seeds.iter().map(|&seed| random_case(seed)).collect();
        let mut lanes = Lanes::new(&CHIP);
        for cycle in 0..CYCLES {
            for (lane, (case, &seed)) in cases.iter().zip(seeds).enumerate() {
                if cycle > 0 {
                    assert_same("the netlist", seed, cycle, case, &lanes.shown(lane));
                }
            }
            let rows: Vec<&Row> = cases.iter().map(|case| &case.rows[cycle]).collect();
            lanes.step(&rows);
        }
    }
}

#[test]
fn verilog_and_model_are_the_same_in_every_cycle() {
    let seeds: Vec<u64> = (0..cases()).map(|seed| 1_000_000 + seed).collect();
    for seeds in seeds.chunks(LANES) {
        let cases: Vec<Case> = seeds.iter().map(|&seed| random_case(seed)).collect();
        let rows: Vec<Row> = cases.iter().flat_map(|case| case.rows.clone()).collect();
        let place = tempfile::tempdir().expect("a temporary folder");
        let shown = icarus(&CHIP, &SOURCES, &rows, place.path());
        for ((case, &seed), shown) in cases.iter().zip(seeds).zip(shown.chunks(CYCLES)) {
            // Before its first edge a chip drives X.
            for (cycle, found) in shown.iter().enumerate().skip(1) {
                let found = found.as_ref();
                let found = found.unwrap_or_else(|| panic!("X, seed {seed}, cycle {cycle}"));
                assert_same("the Verilog", seed, cycle, case, found);
            }
        }
    }
}

/// Whatever came before: on wires at rest the receivers are free again, and the sender is
/// either free or makes its next attempt.
#[test]
fn nothing_hangs_when_the_wires_rest() {
    for seed in 0..64 {
        let case = case(seed, Kind::Noise, CYCLES);
        let mut unit = Unit::<Rn1Interface>::new();
        case.rows.iter().for_each(|row| {
            unit.step(row);
        });
        let mut row = case.rows[CYCLES - 1].clone();
        for name in [
            "reset",
            "t0_backward",
            "t1_backward",
            "r0_forward",
            "r1_forward",
        ] {
            set(&mut row, name, 0);
        }
        set(&mut row, "tx_request", 0);
        // The longest wait is 4095 clocks, and attempts are shorter than 50.
        let mut launches = 0;
        for _ in 0..4200 {
            unit.step(&row);
            launches += get(&unit.shown(), "tx_launch");
        }
        let shown = unit.shown();
        assert_eq!(
            ["r0_state", "r1_state"].map(|name| get(&shown, name)),
            [0, 0]
        );
        assert!(get(&shown, "tx_state") == 0 || launches > 0, "seed {seed}");
    }
}

/// The extra clock of a link, with any words and a reset now and then.
#[test]
fn a_delay_line_is_the_same_in_every_way() {
    let dice = &mut Dice::new(1);
    let rows = (0..CYCLES).map(|cycle| {
        let reset = cycle == 0 || dice.below(50) == 0;
        let mut word = || u64::from(dice.word());
        vec![u64::from(reset), word(), word()]
    });
    let rows: Vec<Row> = rows.collect();
    let place = tempfile::tempdir().expect("a temporary folder");
    let verilog = icarus(
        &rn1_delay_line::CHIP,
        &["rn1_delay_line"],
        &rows,
        place.path(),
    );
    let mut lanes = Lanes::new(&rn1_delay_line::CHIP);
    let mut unit = Unit::<Rn1DelayLine>::new();
    let mut expected = vec![0, 0];
    for (cycle, row) in rows.iter().enumerate() {
        if cycle > 0 {
            let found = [
                Some(unit.shown()),
                Some(lanes.shown(0)),
                verilog[cycle].clone(),
            ];
            assert_eq!(
                found,
                [0; 3].map(|_| Some(expected.clone())),
                "cycle {cycle}"
            );
        }
        // The next outputs: backward at the far side, and forward at the near side.
        expected = match row[0] {
            0 => vec![row[2], row[1]],
            _ => vec![0, 0],
        };
        unit.step(row);
        lanes.step(&[row]);
    }
}

/// The random cases have what they are for.
#[test]
fn random_cases_reach_everything() {
    let mut states: [BTreeSet<u64>; 2] = Default::default();
    let mut pulses: [Vec<(&str, usize)>; 2] = Default::default();
    for seed in 0..64 {
        let case = random_case(seed);
        let proper = usize::from(seed % 4 != 0);
        for shown in &case.shown {
            states[0].insert(get(shown, "tx_state"));
            states[1].insert(get(shown, "r0_state"));
        }
        let names = [
            "tx_launch",
            "tx_blocked",
            "tx_reply",
            "tx_done",
            "tx_error",
            "rx0_open",
            "rx1_open",
            "rx0_done",
            "rx1_done",
            "rx0_error",
            "rx1_error",
        ];
        for name in names {
            let times = case.shown.iter().filter(|row| get(row, name) != 0).count();
            match pulses[proper].iter_mut().find(|(is, _)| *is == name) {
                Some((_, sum)) => *sum += times,
                None => pulses[proper].push((name, times)),
            }
        }
    }
    assert_eq!(states[0], (0..9).collect());
    assert_eq!(states[1], (0..6).collect());
    for (name, times) in &pulses[1] {
        assert!(*times >= 10, "{name} {times} times only");
    }
}
