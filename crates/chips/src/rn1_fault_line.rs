//! `rn1_fault_line`: a wire of RN1 that can be stuck at a word, with one extra clock.

use super::delay_lines::{FAR, NEAR};
use super::ports::{chip, model_types};
use super::rn1::{input_link, output_link};
use super::rn1_protocol::RN1_WORDS;
use super::{LinkWord, Model, RandomPins};

chip! {
    name: rn1_fault_line,
    links: ["near", "far"],
    words: &RN1_WORDS,
    sources: ["rn1_fault_line.v"],
    ports {
        option("word_forward", 9, "what goes on while the wire is stuck forward")
            => pub PORT_WORD_FORWARD, word_forward: u16;
        option("word_backward", 9, "what goes back while the wire is stuck backward")
            => pub PORT_WORD_BACKWARD, word_backward: u16;
        host_input("stuck_forward", 1, "the wire is stuck in the direction of connections")
            => pub PORT_STUCK_FORWARD, stuck_forward: bool;
        host_input("stuck_backward", 1, "the wire is stuck in the other direction")
            => pub PORT_STUCK_BACKWARD, stuck_backward: bool;
        input_link!(NEAR, "near");
        output_link!(FAR, "far");
    }
    /// Pins of one chip.
    pub struct Pins;
}

/// The model: what comes in on one side goes out on the other a clock later, unless the wire is
/// stuck.
#[derive(Debug)]
pub struct Rn1FaultLine;

impl Model for Rn1FaultLine {
    model_types!((), Pins, [LinkWord; 2]);
    const STEP_REPORTS_OUTPUT_CHANGE: bool = true;

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
