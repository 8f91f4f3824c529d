//! `delay_line`: one extra clock on a link, both directions.

use super::{Chip, LinkWord, Model, Port, RandomPins, Role, input, join, link_ports, sources};

/// Link port towards the leaves.
pub const NEAR: usize = 0;
/// Link port towards the root.
pub const FAR: usize = 1;

const PORTS: [Port; 18] = join(&[
    &[
        input("clock", 1, Role::Clock, "rising edge"),
        input("reset", 1, Role::Reset, "synchronous, active high"),
    ],
    &link_ports!(NEAR, "near"),
    &link_ports!(FAR, "far"),
]);

/// The table of the chip.
pub static CHIP: Chip = Chip {
    name: "delay_line",
    ports: &PORTS,
    links: &["near", "far"],
    words: &[],
    sources: sources!["delay_line.v"],
};

/// One clock edge: the words change sides.
pub(super) fn cross(words: &mut [LinkWord]) {
    words.swap(NEAR, FAR);
}

/// The model: what comes in on one side goes out on the other a clock later.
#[derive(Debug)]
pub struct DelayLine;

impl Model for DelayLine {
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
