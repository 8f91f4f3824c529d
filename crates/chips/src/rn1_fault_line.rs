//! `rn1_fault_line`: a wire of RN1 that can be stuck at a word, with one extra clock.

use super::delay_line::{FAR, NEAR};
use super::rn1::{input_link, output_link};
use super::rn1_protocol::RN1_WORDS;
use super::{
    Chip, LinkWord, Model, Port, RandomPins, Role, input, join, pins, port_indices, sources,
};

const PORTS: [Port; 10] = join(&[
    &[
        input("clock", 1, Role::Clock, "rising edge"),
        input("reset", 1, Role::Reset, "synchronous, active high"),
        input(
            "word_forward",
            9,
            Role::Option,
            "what goes on while the wire is stuck forward",
        ),
        input(
            "word_backward",
            9,
            Role::Option,
            "what goes back while the wire is stuck backward",
        ),
        input(
            "stuck_forward",
            1,
            Role::Host,
            "the wire is stuck in the direction of connections",
        ),
        input(
            "stuck_backward",
            1,
            Role::Host,
            "the wire is stuck in the other direction",
        ),
    ],
    &input_link!(NEAR, "near"),
    &output_link!(FAR, "far"),
]);

/// The table of the chip; near is the side of the sender.
pub static CHIP: Chip = Chip {
    name: "rn1_fault_line",
    ports: &PORTS,
    links: &["near", "far"],
    words: &RN1_WORDS,
    sources: sources!["rn1_fault_line.v"],
};

port_indices! { PORTS;
    pub PORT_WORD_FORWARD = "word_forward";
    pub PORT_WORD_BACKWARD = "word_backward";
    pub PORT_STUCK_FORWARD = "stuck_forward";
    pub PORT_STUCK_BACKWARD = "stuck_backward";
}

pins! {
    /// Pins of one chip.
    pub struct Pins {
        word_forward: u16 = PORT_WORD_FORWARD,
        word_backward: u16 = PORT_WORD_BACKWARD,
        stuck_forward: bool = PORT_STUCK_FORWARD,
        stuck_backward: bool = PORT_STUCK_BACKWARD,
    }
}

/// The model: what comes in on one side goes out on the other a clock later, unless the wire is
/// stuck.
#[derive(Debug)]
pub struct Rn1FaultLine;

impl Model for Rn1FaultLine {
    type State = ();
    type Pins = Pins;
    type Word = LinkWord;
    type Words = [LinkWord; 2];
    const ANSWERS_FOR_WORDS: bool = true;
    const CHIP: &'static Chip = &CHIP;

    fn step(_: &mut (), pins: &Pins, _: &impl RandomPins, words: &mut [LinkWord]) -> bool {
        let [forward, backward] = [words[NEAR], words[FAR]];
        let passes = |stuck: bool, word: u16, arrives: LinkWord| if stuck { word } else { arrives };
        words[FAR] = passes(pins.stuck_forward, pins.word_forward, forward);
        words[NEAR] = passes(pins.stuck_backward, pins.word_backward, backward);
        false
    }

    fn output(_: &(), _: usize) -> u64 {
        0
    }
}
