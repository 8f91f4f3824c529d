//! `rn1_height`: RN1 whose inputs can take the first byte of a connection as a height.
//!
//! Source: DeHon 1990, footnote 1 of section 2.2.4. `hdl/rn1_height.md` gives the byte and what
//! becomes of it.
//!
//! The model is that of RN1 behind a translation of first bytes. Its registers are RN1's.

use serde::{Deserialize, Serialize};

use super::ports::{chip, model_types};
use super::rn1::{self, PORTS_A_SIDE, Rn1};
use super::rn1_protocol::{RN1_DATA, RN1_DIRECTION_LSB, RN1_WORDS};
use super::switch::{Crossing, Switch};
use super::{ChipPins, LinkWord, Model, Port, RandomPins};

/// The direction that leads further up, and the levels that a stage up passes by it.
pub const FURTHER: u8 = 3;
/// Most levels that a height can say.
pub const HEIGHT_MAX: u8 = (1 << RN1_DIRECTION_LSB) - 1;

/// The option ports of RN1 up to `swallow`.
const FIRST_OPTIONS: [Port; rn1::PORT_SWALLOW + 1 - rn1::PORT_TWO_CROSSBARS] =
    rn1::ports(rn1::PORT_TWO_CROSSBARS);
/// The ports behind them: further options, random ones and links.
const MIDDLE: [Port; rn1::PORT_STATE - rn1::PORT_SWALLOW - 1] = rn1::ports(rn1::PORT_SWALLOW + 1);
/// The ports that show states.
const STATES: [Port; rn1::PORTS_COUNT - rn1::PORT_STATE] = rn1::ports(rn1::PORT_STATE);

chip! {
    name: rn1_height,
    links: [
        "i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "o0", "o1", "o2", "o3", "o4", "o5", "o6",
        "o7",
    ],
    words: &RN1_WORDS,
    sources: [
        "rn1_height.v", "rn1_height_input.v", "rn1_height_direction.v", "rn1_height_output.v",
        "rn1_input.v", "rn1_checksum.v", "rn1_direction.v", "rn1_gather.v",
    ],
    ports {
        FIRST_OPTIONS;
        option("to_height", 8, "inputs at which the first byte is a height")
            => pub PORT_TO_HEIGHT;
        MIDDLE;
        STATES => PORT_STATE;
    }
}

/// Configuration pins of one chip.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pins {
    to_height: u8,
    rn1: rn1::Pins,
}

/// The index in the table of RN1 of a port other than `to_height`.
fn of_rn1(port: usize) -> usize {
    port - usize::from(port > PORT_TO_HEIGHT)
}

impl ChipPins for Pins {
    fn set(&mut self, port: usize, value: u64) {
        match port {
            PORT_TO_HEIGHT => self.to_height = value as u8,
            _ => self.rn1.set(of_rn1(port), value),
        }
    }

    fn get(&self, port: usize) -> u64 {
        match port {
            PORT_TO_HEIGHT => self.to_height.into(),
            _ => self.rn1.get(of_rn1(port)),
        }
    }
}

/// The crossbar of RN1.
#[derive(Debug)]
pub struct HeightCrossbar;

impl Switch for HeightCrossbar {
    fn inputs(&self) -> usize {
        rn1::Crossbar.inputs()
    }

    fn state_port(&self, input: usize) -> usize {
        PORT_STATE + 2 * input
    }

    fn crossing(&self, input: usize, state: u64, shown: &dyn Fn(usize) -> u64) -> Crossing {
        let of_rn1 = |port: usize| shown(port - rn1::PORT_STATE + PORT_STATE);
        rn1::Crossbar.crossing(input, state, &of_rn1)
    }

    fn head_clocks(&self) -> u64 {
        rn1::Crossbar.head_clocks()
    }
}

/// The byte that RN1 takes, and passes on, in place of a height: the direction in its top two
/// bits, and below them the height that is left.
///
/// ```
/// use crosswave_chips::rn1_height::translated;
/// // Across to levels 1 and 3, and up, with nothing left and with four levels.
/// assert_eq!([0, 2, 3, 7].map(translated), [0x00, 0x80, 0xc0, 0xc4]);
/// // The top two bits do not count.
/// assert_eq!(translated(0xc7), 0xc4);
/// ```
pub fn translated(byte: u8) -> u8 {
    let height = byte & HEIGHT_MAX;
    height.min(FURTHER) << RN1_DIRECTION_LSB | height.saturating_sub(FURTHER)
}

/// The model.
#[derive(Debug)]
pub struct Rn1Height;

impl Model for Rn1Height {
    model_types!(rn1::State, Pins, [LinkWord; 2 * PORTS_A_SIDE]);
    const STEP_REPORTS_OUTPUT_CHANGE: bool = true;

    fn step(
        state: &mut rn1::State,
        pins: &Pins,
        random: &impl RandomPins,
        words: &mut [LinkWord],
    ) -> bool {
        const DATA: LinkWord = RN1_DATA as LinkWord;
        let heights = match pins.to_height {
            0 => 0,
            to_height => to_height & state.waiting(),
        };
        for (index, word) in words[..PORTS_A_SIDE].iter_mut().enumerate() {
            if heights >> index & 1 != 0 && *word & DATA != 0 {
                *word = DATA | LinkWord::from(translated(*word as u8));
            }
        }
        let again = Rn1::step(state, &pins.rn1, random, words);
        // A height counts in no checksum, and inputs that still wait have none.
        state.clear_checksums(heights);
        again
    }

    fn output(state: &rn1::State, port: usize) -> u64 {
        Rn1::output(state, of_rn1(port))
    }
}
