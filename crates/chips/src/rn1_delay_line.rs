//! `rn1_delay_line`: one extra clock on a link of RN1, both directions.

use super::delay_line::{FAR, NEAR, cross};
use super::rn1::{input_link, output_link};
use super::rn1_protocol::RN1_WORDS;
use super::{Chip, LinkWord, Model, Port, RandomPins, Role, input, join, sources};

const PORTS: [Port; 6] = join(&[
    &[
        input("clock", 1, Role::Clock, "rising edge"),
        input("reset", 1, Role::Reset, "synchronous, active high"),
    ],
    &input_link!(NEAR, "near"),
    &output_link!(FAR, "far"),
]);

/// The table of the chip; near is the side of the sender.
pub static CHIP: Chip = Chip {
    name: "rn1_delay_line",
    ports: &PORTS,
    links: &["near", "far"],
    words: &RN1_WORDS,
    sources: sources!["rn1_delay_line.v"],
};

/// The model: what comes in on one side goes out on the other a clock later.
#[derive(Debug)]
pub struct Rn1DelayLine;

impl Model for Rn1DelayLine {
    type State = ();
    type Pins = ();
    type Word = LinkWord;
    type Words = [LinkWord; 2];
    const ANSWERS_FOR_WORDS: bool = true;
    const CHIP: &'static Chip = &CHIP;

    fn step(_: &mut (), _: &(), _: &impl RandomPins, words: &mut [LinkWord]) -> bool {
        cross(words);
        false
    }

    fn output(_: &(), _: usize) -> u64 {
        0
    }
}
