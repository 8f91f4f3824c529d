//! `rn1`: the crossbar of DeHon's fat trees and bidelta networks.
//!
//! Source: DeHon 1990, section 1.3 (crossbars, swallow, blocking, turning) and
//! section 3.6.2 (long wires). `hdl/rn1.md` gives protocol, states and timing.
//!
//! The model holds the same registers as `hdl/rn1.v`. Per clock edge it looks at
//! the inputs that are not at rest, first at what each of them asks for, then at
//! what it passes on.

use serde::{Deserialize, Serialize};

use super::ports::{chip, model_types};
use super::rn1_protocol::{
    RN1_DATA, RN1_DIRECTION_LSB, RN1_DROP, RN1_REST, RN1_STATE_ANSWER, RN1_STATE_BLOCKED,
    RN1_STATE_FORWARD, RN1_STATE_IDLE, RN1_STATE_REVERSE, RN1_STATE_SWALLOW, RN1_STATE_TO_FORWARD,
    RN1_STATE_TO_REVERSE, RN1_STATES, RN1_TURN, RN1_WORDS, checksum, status,
};
use super::switch::{Crossing, Switch};
use super::{LinkWord, Model, Port, RandomKind, RandomPins};
use crosswave_probe::signal::StateName;

/// Inputs, and outputs, of the chip. Link port `i` is input `i`, and link port
/// `PORTS_A_SIDE + o` is output `o`.
pub const PORTS_A_SIDE: usize = 8;
/// Most extra clocks of a wire.
pub const DELAY_MAX: u32 = 31;

/// Stream of the first bit of `random_output`.
pub const STREAM_OUTPUT: u64 = 0x300;
/// Stream of the first bit of `random_order`.
pub const STREAM_ORDER: u64 = 0x310;

/// The file with its options in a scan chain, and its text. No network of the engines has it.
pub const SCAN_CHAIN: (&str, &str) = ("rn1_scan.v", include_str!("../hdl/rn1_scan.v"));

/// Names of the outputs, for the ports that show which one an input holds.
const OUTPUTS: &[StateName] = &{
    const NAMES: [&str; PORTS_A_SIDE] = ["o0", "o1", "o2", "o3", "o4", "o5", "o6", "o7"];
    let mut names = [StateName { value: 0, name: "" }; PORTS_A_SIDE];
    let mut at = 0;
    while at < PORTS_A_SIDE {
        names[at] = StateName {
            value: at as u64,
            name: NAMES[at],
        };
        at += 1;
    }
    names
};

/// The two ports of a link port at which connections come in.
macro_rules! input_link {
    ($link:expr, $name:literal) => {
        $crate::ports::link_ports! { $link, $name:
            Input("_forward", 9, 0, "control bit and byte that arrive");
            Output("_backward", 9, 0, "control bit and byte that go back");
        }
    };
}

/// The two ports of a link port at which connections go out.
macro_rules! output_link {
    ($link:expr, $name:literal) => {
        $crate::ports::link_ports! { $link, $name:
            Output("_forward", 9, 0, "control bit and byte that go on");
            Input("_backward", 9, 0, "control bit and byte that come back");
        }
    };
}

pub(super) use {input_link, output_link};

chip! {
    name: rn1,
    links: [
        "i0", "i1", "i2", "i3", "i4", "i5", "i6", "i7", "o0", "o1", "o2", "o3", "o4", "o5", "o6",
        "o7",
    ],
    words: &RN1_WORDS,
    sources: ["rn1.v", "rn1_input.v", "rn1_checksum.v", "rn1_direction.v", "rn1_gather.v"],
    ports {
        option("two_crossbars", 1, "0: two outputs for each direction; 1: two crossbars")
            => pub PORT_TWO_CROSSBARS, two_crossbars: bool;
        option("swallow", 8, "inputs that drop the first byte") => pub PORT_SWALLOW, swallow: u8;
        option("in_enable", 8, "inputs in use") => pub PORT_IN_ENABLE, in_enable: u8;
        option("out_enable", 8, "outputs in use") => pub PORT_OUT_ENABLE, out_enable: u8;
        option("in_delay", 40, "extra cycles of the wire at input i, bits 5 i to 5 i + 4")
            => pub PORT_IN_DELAY, in_delay: u64;
        option("out_delay", 40, "extra cycles of the wire at output o, bits 5 o to 5 o + 4")
            => pub PORT_OUT_DELAY, out_delay: u64;
        random(
            "random_output", 4, STREAM_OUTPUT,
            "for each direction: 0 prefers the even output, 1 the odd one",
        );
        random("random_order", 12, STREAM_ORDER, "order of inputs that ask at once");
        input_link!(0, "i0");
        input_link!(1, "i1");
        input_link!(2, "i2");
        input_link!(3, "i3");
        input_link!(4, "i4");
        input_link!(5, "i5");
        input_link!(6, "i6");
        input_link!(7, "i7");
        output_link!(8, "o0");
        output_link!(9, "o1");
        output_link!(10, "o2");
        output_link!(11, "o3");
        output_link!(12, "o4");
        output_link!(13, "o5");
        output_link!(14, "o6");
        output_link!(15, "o7");
        state("i0_state", 3, RN1_STATES, "state of the input") => pub(super) PORT_STATE;
        state("i0_output", 3, OUTPUTS, "output it holds; BLOCKED: twice the direction");
        state("i1_state", 3, RN1_STATES, "state of the input");
        state("i1_output", 3, OUTPUTS, "output it holds; BLOCKED: twice the direction");
        state("i2_state", 3, RN1_STATES, "state of the input");
        state("i2_output", 3, OUTPUTS, "output it holds; BLOCKED: twice the direction");
        state("i3_state", 3, RN1_STATES, "state of the input");
        state("i3_output", 3, OUTPUTS, "output it holds; BLOCKED: twice the direction");
        state("i4_state", 3, RN1_STATES, "state of the input");
        state("i4_output", 3, OUTPUTS, "output it holds; BLOCKED: twice the direction");
        state("i5_state", 3, RN1_STATES, "state of the input");
        state("i5_output", 3, OUTPUTS, "output it holds; BLOCKED: twice the direction");
        state("i6_state", 3, RN1_STATES, "state of the input");
        state("i6_output", 3, OUTPUTS, "output it holds; BLOCKED: twice the direction");
        state("i7_state", 3, RN1_STATES, "state of the input");
        state("i7_output", 3, OUTPUTS, "output it holds; BLOCKED: twice the direction");
    }
    /// Configuration pins of one chip.
    pub struct Pins;
}

/// `N` ports of the table in its order, from one on: another chip may have them as well.
pub(super) const fn ports<const N: usize>(from: usize) -> [Port; N] {
    let mut ports = [PORTS[from]; N];
    let mut at = 0;
    while at < N {
        ports[at] = PORTS[from + at];
        at += 1;
    }
    ports
}

/// Number of ports.
pub(super) const PORTS_COUNT: usize = PORTS.len();

/// Registers of one input, apart from those that drive link ports. An input at
/// rest has 0 in all of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Input {
    state: u8,
    /// The output it holds; blocked: twice the direction.
    output: u8,
    /// Clocks of turning that are left.
    count: u8,
    /// Checksum of the data since the connection was opened or turned.
    crc: u8,
    /// The last word was a status: a checksum follows, no data.
    skip: bool,
}

/// Registers of one chip, apart from those that drive its link ports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    inputs: [Input; PORTS_A_SIDE],
}

/// A crossbar: a message holds an output for its connection, whichever way its words go.
#[derive(Debug)]
pub struct Crossbar;

impl Switch for Crossbar {
    fn inputs(&self) -> usize {
        PORTS_A_SIDE
    }

    fn state_port(&self, input: usize) -> usize {
        PORT_STATE + 2 * input
    }

    fn crossing(&self, input: usize, state: u64, shown: &dyn Fn(usize) -> u64) -> Crossing {
        match state {
            RN1_STATE_IDLE => Crossing::Idle,
            RN1_STATE_SWALLOW => Crossing::Arrived,
            RN1_STATE_BLOCKED | RN1_STATE_ANSWER => Crossing::Rejected,
            _ => {
                let output = shown(self.state_port(input) + 1) as usize;
                Crossing::Holds(PORTS_A_SIDE + output)
            }
        }
    }

    fn head_clocks(&self) -> u64 {
        1
    }
}

/// The model.
#[derive(Debug)]
pub struct Rn1;

const REST: LinkWord = RN1_REST as LinkWord;
const DROP: LinkWord = RN1_DROP as LinkWord;
const TURN: LinkWord = RN1_TURN as LinkWord;
const DATA: LinkWord = RN1_DATA as LinkWord;
/// The wires of a link of this chip.
pub(super) const WIRES: LinkWord = DATA << 1 | (DATA - 1) << 1 | 1;

/// True when a word is a status: no data, and not the same when rotated by two bits.
pub(super) fn is_status(word: LinkWord) -> bool {
    word & DATA == 0 && word != (word & 3) * 0x55
}

impl Input {
    fn holds(&self) -> bool {
        matches!(
            u64::from(self.state),
            RN1_STATE_FORWARD | RN1_STATE_TO_REVERSE | RN1_STATE_REVERSE | RN1_STATE_TO_FORWARD
        )
    }

    /// The status of this router.
    fn status(&self, first: bool) -> LinkWord {
        status(first, self.holds(), self.output) as LinkWord
    }

    /// Counts a word that passes.
    fn pass(&mut self, word: LinkWord) {
        if word & DATA != 0 && !self.skip {
            self.crc = checksum(self.crc, word as u8);
        }
        self.skip = is_status(word);
    }

    /// A word of the turning: status and checksum alternate. `then` is the state
    /// when it is over.
    fn turn_on(&mut self, then: u64) -> LinkWord {
        let word = match self.count & 1 {
            0 => DATA | LinkWord::from(self.crc),
            _ => self.status(false),
        };
        match self.count {
            0 => {
                self.state = then as u8;
                self.crc = 0;
            }
            _ => self.count -= 1,
        }
        word
    }

    /// One clock edge of an input that holds no output and asks for none: what
    /// goes back to the sender.
    fn step_unconnected(&mut self, pins: &Pins, index: usize, arriving: LinkWord) -> LinkWord {
        match u64::from(self.state) {
            RN1_STATE_IDLE => {
                let starts = arriving & DATA != 0 && pins.in_enable >> index & 1 != 0;
                if starts && pins.swallow >> index & 1 != 0 {
                    self.state = RN1_STATE_SWALLOW as u8;
                }
                REST
            }
            RN1_STATE_ANSWER => {
                *self = Input::default();
                // No data passed, so its checksum is 0.
                DATA
            }
            _ => match arriving {
                REST | TURN => {
                    self.state = RN1_STATE_ANSWER as u8;
                    self.status(true)
                }
                DROP => {
                    *self = Input::default();
                    REST
                }
                _ => REST,
            },
        }
    }

    /// One clock edge of an input that holds an output, given what arrives there
    /// and at the output: what goes on and what goes back.
    fn step_connected(
        &mut self,
        pins: &Pins,
        index: usize,
        arriving: LinkWord,
        returning: LinkWord,
    ) -> (LinkWord, LinkWord) {
        let twice = |delays: u64, port: usize| (delays >> (5 * port) & 0x1f) as u8 * 2;
        match u64::from(self.state) {
            RN1_STATE_FORWARD => {
                self.pass(arriving);
                let mut back = REST;
                match arriving {
                    REST | TURN => {
                        back = self.status(true);
                        self.state = RN1_STATE_TO_REVERSE as u8;
                        self.count = twice(pins.out_delay, usize::from(self.output));
                    }
                    DROP => *self = Input::default(),
                    _ => {}
                }
                (arriving, back)
            }
            RN1_STATE_REVERSE => {
                self.pass(returning);
                let mut on = REST;
                match returning {
                    TURN => {
                        on = self.status(true);
                        self.state = RN1_STATE_TO_FORWARD as u8;
                        self.count = twice(pins.in_delay, index);
                    }
                    REST | DROP => *self = Input::default(),
                    _ => {}
                }
                (on, returning)
            }
            RN1_STATE_TO_REVERSE => (REST, self.turn_on(RN1_STATE_REVERSE)),
            _ => (self.turn_on(RN1_STATE_FORWARD), REST),
        }
    }
}

/// The places of the inputs in `set` behind one rank of the exchange network:
/// places `1 << rank` apart change when bit `s` of `switches` is 1, `s` counting
/// the pairs by their lower place.
fn exchanged(set: u8, rank: u32, switches: u8) -> u8 {
    let (lower, spread) = match rank {
        0 => (0x55, [0, 2, 4, 6]),
        1 => (0x33, [0, 1, 4, 5]),
        _ => (0x0f, [0, 1, 2, 3]),
    };
    let pairs = (0..4).fold(0, |pairs, s| pairs | (switches >> s & 1) << spread[s]);
    let differ = (set ^ set >> (1 << rank)) & lower & pairs;
    set ^ differ ^ differ << (1 << rank)
}

/// The lowest bit of a set, as a set.
fn first(set: u8) -> u8 {
    set & set.wrapping_neg()
}

/// The inputs that get the even and the odd output of a direction, of those in
/// `wants`: sets with one input, or none. `free` says of the even output in bit 0
/// and of the odd one in bit 1 whether it can be given. `order` holds the
/// switches of the exchange network, rank by rank.
///
/// The rule stands in `hdl/rn1_direction.v`.
pub fn choose(wants: u8, free: u8, two_crossbars: bool, order: u16, prefer_odd: bool) -> [u8; 2] {
    let rank = |rank: u32| match (rank, two_crossbars) {
        (2, true) => 0,
        _ => (order >> (4 * rank)) as u8 & 0xf,
    };
    let asks = (0..3).fold(wants, |set, at| exchanged(set, at, rank(at)));
    let chosen = if two_crossbars {
        [first(asks & 0x0f), first(asks & 0xf0)]
    } else {
        let winner = first(asks);
        let second = first(asks & !winner);
        match (free, prefer_odd) {
            (3, false) => [winner, second],
            (3, true) => [second, winner],
            _ => [winner, winner],
        }
    };
    let back = |set: u8| {
        (0..3)
            .rev()
            .fold(set, |set, at| exchanged(set, at, rank(at)))
    };
    [0, 1].map(|odd| match free >> odd & 1 {
        0 => 0,
        _ => back(chosen[odd]),
    })
}

/// The random bits of `width` streams from `stream` on.
fn random_bits(random: &impl RandomPins, stream: u64, width: u64) -> u16 {
    (0..width).fold(0, |bits, bit| {
        bits | u16::from(random.bit(stream + bit, RandomKind::Fair)) << bit
    })
}

impl State {
    /// The inputs that take the next data for the first byte of a connection, or swallow it before.
    pub(super) fn waiting(&self) -> u8 {
        let inputs = self.inputs.iter().enumerate();
        inputs.fold(0, |waiting, (index, input)| {
            let state = u64::from(input.state);
            let waits = matches!(state, RN1_STATE_IDLE | RN1_STATE_SWALLOW);
            waiting | u8::from(waits) << index
        })
    }

    /// Begins the checksums of inputs anew.
    pub(super) fn clear_checksums(&mut self, inputs: u8) {
        for (index, input) in self.inputs.iter_mut().enumerate() {
            if inputs >> index & 1 != 0 {
                input.crc = 0;
            }
        }
    }

    /// Opens connections for the inputs in `asking`, whose first byte arrives.
    fn open(
        &mut self,
        asking: u8,
        busy: u8,
        pins: &Pins,
        random: &impl RandomPins,
        words: &[LinkWord; PORTS_A_SIDE],
    ) {
        // More than one input: their order matters.
        let order = match asking & (asking - 1) {
            0 => 0,
            _ => random_bits(random, STREAM_ORDER, 12),
        };
        let direction = |input: usize| words[input] as u8 >> RN1_DIRECTION_LSB;
        for wanted in 0..4u8 {
            let wants = (0..PORTS_A_SIDE).fold(0, |set, input| {
                let wants = asking >> input & 1 != 0 && direction(input) == wanted;
                set | u8::from(wants) << input
            });
            if wants == 0 {
                continue;
            }
            let free = (pins.out_enable & !busy) >> (2 * wanted) & 3;
            let prefer_odd = random.bit(STREAM_OUTPUT + u64::from(wanted), RandomKind::Fair);
            let granted = choose(wants, free, pins.two_crossbars, order, prefer_odd);
            for (index, input) in self.inputs.iter_mut().enumerate() {
                if wants >> index & 1 == 0 {
                    continue;
                }
                let odd = granted[1] >> index & 1;
                let connected = (granted[0] | granted[1]) >> index & 1 != 0;
                input.output = 2 * wanted + odd;
                if connected {
                    input.state = RN1_STATE_FORWARD as u8;
                    input.pass(words[index]);
                } else {
                    input.state = RN1_STATE_BLOCKED as u8;
                }
            }
        }
    }
}

impl Model for Rn1 {
    model_types!(State, Pins, [LinkWord; 2 * PORTS_A_SIDE]);
    const STEP_REPORTS_OUTPUT_CHANGE: bool = true;

    fn step(
        state: &mut State,
        pins: &Pins,
        random: &impl RandomPins,
        words: &mut [LinkWord],
    ) -> bool {
        let before = *state;
        let mut arriving = [0; PORTS_A_SIDE];
        let mut returning = [0; PORTS_A_SIDE];
        let (inputs, outputs) = words.split_at_mut(PORTS_A_SIDE);
        for port in 0..PORTS_A_SIDE {
            arriving[port] = std::mem::take(&mut inputs[port]) & WIRES;
            returning[port] = std::mem::take(&mut outputs[port]) & WIRES;
        }

        // The outputs in use, and the inputs whose first byte arrives.
        let mut busy = 0;
        let mut asking = 0;
        for (index, input) in state.inputs.iter().enumerate() {
            let bit = 1u8 << index;
            let opens = match u64::from(input.state) {
                RN1_STATE_IDLE => pins.in_enable & !pins.swallow & bit != 0,
                RN1_STATE_SWALLOW => true,
                _ => false,
            };
            if opens && arriving[index] & DATA != 0 {
                asking |= bit;
            }
            if input.holds() {
                busy |= 1 << input.output;
            }
        }

        for (index, input) in state.inputs.iter_mut().enumerate() {
            if asking >> index & 1 != 0 {
                continue;
            }
            if input.holds() {
                let output = usize::from(input.output);
                let (on, back) =
                    input.step_connected(pins, index, arriving[index], returning[output]);
                inputs[index] = back;
                outputs[output] = on;
            } else {
                inputs[index] = input.step_unconnected(pins, index, arriving[index]);
            }
        }

        if asking != 0 {
            state.open(asking, busy, pins, random, &arriving);
            for (index, input) in state.inputs.iter().enumerate() {
                if asking >> index & 1 != 0 && input.holds() {
                    outputs[usize::from(input.output)] = arriving[index];
                }
            }
        }
        // An input that asks at random is connected or blocked at once, so no register stays.
        *state != before
    }

    fn output(state: &State, port: usize) -> u64 {
        let at = port.wrapping_sub(PORT_STATE);
        let Some(input) = state.inputs.get(at / 2) else {
            return 0;
        };
        u64::from([input.state, input.output][at & 1])
    }
}
