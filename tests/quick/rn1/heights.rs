//! RN1 with heights: its model, its netlist and its Verilog; without the option it is RN1, and with
//! it a first byte counts down.

use crosswave_chips::LinkWord;
use crosswave_chips::rn1::{PORTS_A_SIDE, Rn1};
use crosswave_chips::rn1_height::{FURTHER, HEIGHT_MAX, Rn1Height, translated};
use crosswave_chips::rn1_protocol::{RN1_STATE_FORWARD, RN1_TURN, checksum, status};

use super::{CYCLES, DATA, cases, netlist_is_as_the_model, random_case, verilog_is_as_the_model};
use crate::support::rn1::{Configuration, ModelChip, Row};

#[test]
fn netlist_with_heights_and_model_are_the_same_in_every_cycle() {
    netlist_is_as_the_model::<Rn1Height>(cases() / 2);
}

#[test]
fn verilog_with_heights_and_model_are_the_same_in_every_cycle() {
    verilog_is_as_the_model::<Rn1Height>(cases() / 2);
}

#[test]
fn without_the_option_it_is_rn1() {
    for seed in 0..8 {
        let case = random_case::<Rn1>(seed);
        let mut chip = ModelChip::<Rn1Height>::new(&Configuration {
            to_height: Some(0),
            ..case.configuration
        });
        for cycle in 0..CYCLES {
            assert_eq!(chip.shown(), case.shown[cycle], "seed {seed}, {cycle}");
            chip.step(&case.rows[cycle]);
        }
    }
}

/// A third of the height, rounded down, are stages that it passes; the rest is the direction in
/// which it leaves the last one.
#[test]
fn a_height_passes_a_stage_for_every_three_levels() {
    for height in 0..=HEIGHT_MAX {
        let (mut byte, mut passed) = (translated(height), 0);
        while byte >> 6 == FURTHER {
            (byte, passed) = (translated(byte), passed + 1);
        }
        assert_eq!((passed, byte), (height / 3, (height % 3) << 6), "{height}");
    }
}

/// Every byte at an input that takes heights, beside one that does not: the direction and the word
/// that goes on, and the checksums of both.
#[test]
fn a_height_counts_down_and_in_no_checksum() {
    const HEIGHT: usize = 2;
    const PLAIN: usize = 5;
    for (byte, swallows) in (0..=u8::MAX).flat_map(|byte| [(byte, false), (byte, true)]) {
        let mut chip = ModelChip::<Rn1Height>::new(&Configuration {
            swallow: if swallows { 0xff } else { 0 },
            to_height: Some(1 << HEIGHT),
            in_enable: 0xff,
            out_enable: 0xff,
            ..Configuration::default()
        });
        let mut clock = |words: [LinkWord; 2]| {
            let mut row = Row::default();
            [row.words[HEIGHT], row.words[PLAIN]] = words;
            chip.step(&row);
            chip.shown()
        };
        // A byte that is swallowed is not looked at.
        if swallows {
            clock([DATA | 0xff; 2]);
        }
        let first = DATA | LinkWord::from(byte);
        let shown = clock([first; 2]);
        let direction = (byte & HEIGHT_MAX).min(FURTHER);
        for (input, direction, passes) in [
            (HEIGHT, direction, DATA | LinkWord::from(translated(byte))),
            (PLAIN, byte >> 6, first),
        ] {
            let output = shown.outputs[input];
            assert_eq!(u64::from(shown.states[input]), RN1_STATE_FORWARD);
            assert_eq!(output / 2, direction, "{byte:#x} at {input}");
            assert_eq!(shown.words[PORTS_A_SIDE + usize::from(output)], passes);
        }
        // A byte behind the first is none, whatever it is.
        let shown = clock([DATA | 7; 2]);
        let at_outputs = [HEIGHT, PLAIN].map(|input| usize::from(shown.outputs[input]));
        for output in at_outputs {
            assert_eq!(shown.words[PORTS_A_SIDE + output], DATA | 7);
        }
        let words = clock([RN1_TURN as LinkWord; 2]).words;
        for (input, output) in [HEIGHT, PLAIN].into_iter().zip(at_outputs) {
            let status = status(true, true, output as u8) as LinkWord;
            assert_eq!(words[input], status);
        }
        let words = clock([0; 2]).words;
        let sum = |first: u8| DATA | LinkWord::from(checksum(first, 7));
        assert_eq!(words[HEIGHT], sum(0));
        assert_eq!(words[PLAIN], sum(checksum(0, byte)));
    }
}
