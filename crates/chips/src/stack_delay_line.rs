//! `stack_delay_line`: one extra clock on a link of a fat stack or pyramid, both directions.

use super::delay_line::cross;
pub use super::delay_line::{FAR, NEAR};
use super::stack::stack_link;
use super::{Chip, LinkWord, Model, Port, RandomPins, Role, input, join, sources};

const PORTS: [Port; 18] = join(&[
    &[
        input("clock", 1, Role::Clock, "rising edge"),
        input("reset", 1, Role::Reset, "synchronous, active high"),
    ],
    &stack_link!(NEAR, "near"),
    &stack_link!(FAR, "far"),
]);

/// The table of the chip.
pub static CHIP: Chip = Chip {
    name: "stack_delay_line",
    ports: &PORTS,
    links: &["near", "far"],
    words: &[],
    sources: sources!["stack_delay_line.v"],
};

/// The model: flits and credits that come in on one side go out on the other a clock later.
#[derive(Debug)]
pub struct StackDelayLine;

impl Model for StackDelayLine {
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
