//! RN1: its model, its netlist and its Verilog in Icarus show the same in every
//! cycle; and what a source, a destination and the routers between them see.
//!
//! `CROSSWAVE_SOAK_CASES=2000 cargo test --release --test suite quick::rn1::` compares more cases.
//! Needs Icarus Verilog.

mod chains;
mod heights;

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use crosswave_chips::rn1::{PORTS_A_SIDE, Rn1, State, choose};
use crosswave_chips::rn1_protocol::{
    RN1_DATA, RN1_STATE_ANSWER, RN1_STATE_BLOCKED, RN1_STATE_FORWARD, RN1_STATE_IDLE,
    RN1_STATE_REVERSE, RN1_STATE_SWALLOW, RN1_STATE_TO_FORWARD, RN1_STATE_TO_REVERSE,
};
use crosswave_chips::{LinkWord, Model};

use crate::support::chips::{self, Lanes, icarus};
use crate::support::rn1::{self as chip, Chip, ChipOutputs, Configuration, Row};
use crate::support::rn1_neighbours::{Case, Kind, case};

const DATA: LinkWord = RN1_DATA as LinkWord;

/// Cycles of a random case.
const CYCLES: usize = 400;
/// Chips that the netlist is evaluated for at a time.
const LANES: usize = 64;
fn cases() -> u64 {
    let soak = std::env::var("CROSSWAVE_SOAK_CASES").ok();
    soak.and_then(|cases| cases.parse().ok()).unwrap_or(64)
}

fn random_case<M>(seed: u64) -> Case
where
    M: Model<State = State, Word = LinkWord>,
{
    let kind = [Kind::Proper, Kind::Proper, Kind::Faulty, Kind::Noise][seed as usize % 4];
    case::<M>(seed, kind, CYCLES)
}

/// The first difference, with the case and the cycle.
fn assert_same(who: &str, seed: u64, cycle: usize, case: &Case, found: &ChipOutputs) {
    assert_eq!(
        *found, case.shown[cycle],
        "{who} (left) and the model (right), seed {seed}, cycle {cycle}, {:?}",
        case.configuration
    );
}

#[test]
fn netlist_and_model_are_the_same_in_every_cycle() {
    netlist_is_as_the_model::<Rn1>(cases());
}

#[test]
fn verilog_and_model_are_the_same_in_every_cycle() {
    verilog_is_as_the_model::<Rn1>(cases());
}

/// Compares the netlist of RN1, or of one with heights, with its model.
fn netlist_is_as_the_model<M>(cases: u64)
where
    M: Model<State = State, Word = LinkWord>,
{
    let seeds: Vec<u64> = (0..cases).collect();
    for seeds in seeds.chunks(LANES) {
        let cases: Vec<Case> = seeds.iter().map(|&seed| random_case::<M>(seed)).collect();
        let mut lanes = Lanes::new(M::CHIP);
        for cycle in 0..CYCLES {
            for (lane, (case, &seed)) in cases.iter().zip(seeds).enumerate() {
                if cycle > 0 {
                    let found = chip::shown(&lanes.shown(lane));
                    assert_same("the netlist", seed, cycle, case, &found);
                }
            }
            let rows: Vec<chips::Row> = cases.iter().map(|case| case.inputs(cycle)).collect();
            lanes.step(&rows.iter().collect::<Vec<_>>());
        }
    }
}

/// Compares its Verilog with its model.
fn verilog_is_as_the_model<M>(cases: u64)
where
    M: Model<State = State, Word = LinkWord>,
{
    let sources = M::CHIP.sources.iter();
    let sources: Vec<&str> = sources
        .map(|(name, _)| name.trim_end_matches(".v"))
        .collect();
    let seeds: Vec<u64> = (0..cases).map(|seed| 1_000_000 + seed).collect();
    for seeds in seeds.chunks(LANES) {
        let cases: Vec<Case> = seeds.iter().map(|&seed| random_case::<M>(seed)).collect();
        let all = cases
            .iter()
            .flat_map(|case| (0..CYCLES).map(|cycle| case.inputs(cycle)));
        let rows: Vec<chips::Row> = all.collect();
        let place = tempfile::tempdir().expect("a temporary folder");
        let shown = icarus(M::CHIP, &sources, &rows, place.path());
        for ((case, seed), shown) in cases.iter().zip(seeds).zip(shown.chunks(CYCLES)) {
            // Before its first edge a chip drives X.
            for (cycle, found) in shown.iter().enumerate().skip(1) {
                let found = found.as_ref();
                let found = found.unwrap_or_else(|| panic!("X, seed {seed}, cycle {cycle}"));
                assert_same("the Verilog", *seed, cycle, case, &chip::shown(found));
            }
        }
    }
}

/// The random cases have what they are for.
#[test]
fn random_cases_reach_every_step_of_the_state_machine() {
    let mut steps = BTreeMap::new();
    let mut delays = BTreeSet::new();
    for seed in 0..64 {
        let case = random_case::<Rn1>(seed);
        if seed % 4 == 3 {
            continue;
        }
        for pair in case.shown.windows(2) {
            for input in 0..PORTS_A_SIDE {
                let step = (pair[0].states[input], pair[1].states[input]);
                *steps.entry(step).or_insert(0) += 1;
                if u64::from(step.0) == RN1_STATE_TO_REVERSE {
                    delays
                        .insert(case.configuration.out_delay[usize::from(pair[0].outputs[input])]);
                }
            }
        }
    }
    let stays = [
        RN1_STATE_IDLE,
        RN1_STATE_SWALLOW,
        RN1_STATE_FORWARD,
        RN1_STATE_BLOCKED,
        RN1_STATE_TO_REVERSE,
        RN1_STATE_REVERSE,
        RN1_STATE_TO_FORWARD,
    ];
    let goes = [
        (RN1_STATE_IDLE, RN1_STATE_SWALLOW),
        (RN1_STATE_IDLE, RN1_STATE_FORWARD),
        (RN1_STATE_IDLE, RN1_STATE_BLOCKED),
        (RN1_STATE_SWALLOW, RN1_STATE_IDLE),
        (RN1_STATE_SWALLOW, RN1_STATE_FORWARD),
        (RN1_STATE_SWALLOW, RN1_STATE_BLOCKED),
        (RN1_STATE_SWALLOW, RN1_STATE_ANSWER),
        (RN1_STATE_FORWARD, RN1_STATE_IDLE),
        (RN1_STATE_FORWARD, RN1_STATE_TO_REVERSE),
        (RN1_STATE_BLOCKED, RN1_STATE_IDLE),
        (RN1_STATE_BLOCKED, RN1_STATE_ANSWER),
        (RN1_STATE_TO_REVERSE, RN1_STATE_REVERSE),
        (RN1_STATE_REVERSE, RN1_STATE_IDLE),
        (RN1_STATE_REVERSE, RN1_STATE_TO_FORWARD),
        (RN1_STATE_TO_FORWARD, RN1_STATE_FORWARD),
        (RN1_STATE_ANSWER, RN1_STATE_IDLE),
    ];
    let all = stays.map(|state| (state, state)).into_iter().chain(goes);
    let expected: BTreeSet<(u8, u8)> = all.map(|(a, b)| (a as u8, b as u8)).collect();
    assert_eq!(steps.keys().copied().collect::<BTreeSet<_>>(), expected);
    for (step, times) in steps {
        assert!(times >= 10, "{step:?} {times} times only");
    }
    assert_eq!(delays.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 5, 31]);
}

/// Winners when inputs ask at once, over all settings of `random_order`: in how many of the 4096
/// each of `wants` gets the one output that is free.
fn wins(wants: u8, two_crossbars: bool) -> Vec<u32> {
    let mut wins = [0; PORTS_A_SIDE];
    for order in 0..1 << 12 {
        let [even, odd] = choose(wants, 1, two_crossbars, order, false);
        assert_eq!(odd, 0, "the odd output is not free");
        if even != 0 {
            assert!(even.is_power_of_two() && even & wants != 0);
            wins[even.trailing_zeros() as usize] += 1;
        }
    }
    let asking = (0..PORTS_A_SIDE).filter(|input| wants >> input & 1 != 0);
    asking.map(|input| wins[input]).collect()
}

#[test]
fn winners_are_chosen_fairly() {
    let mut spread = BTreeMap::new();
    for wants in 1..=255u8 {
        let wins = wins(wants, false);
        assert_eq!(wins.iter().sum::<u32>(), 1 << 12);
        let count = wants.count_ones();
        if count == 2 || count == 8 {
            assert!(
                wins.iter().all(|&wins| wins * count == 1 << 12),
                "{wants:08b}"
            );
        }
        let range = spread.entry(count).or_insert((u32::MAX, 0));
        range.0 = range.0.min(wins.iter().copied().min().unwrap());
        range.1 = range.1.max(wins.iter().copied().max().unwrap());
    }
    // hdl/rn1.md has these numbers, as shares of 4096.
    let found: Vec<(u32, u32)> = spread.into_values().collect();
    assert_eq!(found, SPREAD);
    for wants in 1..16 {
        let wins = wins(wants, true);
        assert_eq!(wins.iter().sum::<u32>(), 1 << 12, "{wants:04b}");
    }
}

/// Fewest and most wins of an input, when 1, 2, … of them ask.
const SPREAD: [(u32, u32); 8] = [
    (4096, 4096),
    (2048, 2048),
    (1312, 1472),
    (968, 1152),
    (780, 960),
    (656, 736),
    (576, 640),
    (512, 512),
];

#[test]
fn two_of_three_take_both_outputs_of_a_direction() {
    for random in 0..=u16::MAX {
        if random % 7 != 0 {
            continue;
        }
        let mut chip = Chip::new(&Configuration {
            in_enable: 0xff,
            out_enable: 0xff,
            ..Configuration::default()
        });
        let mut row = Row {
            random,
            ..Row::default()
        };
        // Direction 2, with outputs 4 and 5.
        for input in [1, 4, 6] {
            row.words[input] = DATA | 0x80 | input as LinkWord;
        }
        chip.step(&row);
        let shown = chip.shown();
        let states = [1, 4, 6].map(|input| u64::from(shown.states[input]));
        let connected = states.iter().filter(|&&state| state == RN1_STATE_FORWARD);
        assert_eq!(connected.count(), 2);
        assert!(states.contains(&RN1_STATE_BLOCKED));
        for input in [1usize, 4, 6] {
            let output = usize::from(shown.outputs[input]);
            if u64::from(shown.states[input]) == RN1_STATE_FORWARD {
                assert_eq!(output / 2, 2);
                assert_eq!(shown.words[PORTS_A_SIDE + output], row.words[input]);
            } else {
                assert_eq!(output, 4, "blocked: twice the direction");
            }
        }
    }
}

#[test]
fn of_two_free_outputs_either_is_taken_and_of_one_that_one() {
    for (enable, prefer_odd, expected) in [
        (0b11, false, 0),
        (0b11, true, 1),
        (0b01, true, 0),
        (0b10, false, 1),
    ] {
        let mut chip = Chip::new(&Configuration {
            in_enable: 0xff,
            out_enable: enable,
            ..Configuration::default()
        });
        let mut row = Row {
            random: u16::from(prefer_odd),
            ..Row::default()
        };
        row.words[3] = DATA;
        chip.step(&row);
        let shown = chip.shown();
        assert_eq!(
            (shown.states[3], shown.outputs[3]),
            (RN1_STATE_FORWARD as u8, expected)
        );
    }
}

#[test]
fn two_crossbars_do_not_meet() {
    let mut chip = Chip::new(&Configuration {
        two_crossbars: true,
        in_enable: 0xff,
        out_enable: 0xff,
        ..Configuration::default()
    });
    let mut row = Row::default();
    for input in 0..PORTS_A_SIDE {
        row.words[input] = DATA | 0x40;
    }
    chip.step(&row);
    let shown = chip.shown();
    for half in [0..4, 4..8] {
        let odd = u8::from(half.start == 4);
        let connected: Vec<usize> = half
            .filter(|&input| u64::from(shown.states[input]) == RN1_STATE_FORWARD)
            .collect();
        assert_eq!(connected.len(), 1);
        assert_eq!(shown.outputs[connected[0]], 2 + odd);
    }
}

#[test]
fn ports_that_are_not_enabled_are_not_used() {
    let mut chip = Chip::new(&Configuration {
        in_enable: 0b0000_0110,
        out_enable: 0b1111_1100,
        ..Configuration::default()
    });
    let mut row = Row::default();
    // Input 0 is not enabled; the outputs of direction 0, which input 1 wants,
    // are not either.
    row.words[0] = DATA | 0x40;
    row.words[1] = DATA;
    row.words[2] = DATA | 0x40;
    chip.step(&row);
    let states = chip.shown().states.map(u64::from);
    assert_eq!(
        states[..3],
        [RN1_STATE_IDLE, RN1_STATE_BLOCKED, RN1_STATE_FORWARD]
    );
}
