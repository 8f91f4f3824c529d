//! `mport_tail_switch_4`, `_8`, `_16` and `_32`: the circuit switch of an m-port n-tree, with so many
//! ports, whose outputs are free behind the tail.
//!
//! Source: Yuan, Nienaber, Duan & Melhem, section II (switches of m ports); heads and winners are
//! those of [`mport_switch`](super::mport_switch), answers those of
//! [`fat_tree_tail_router`](super::fat_tree_tail_router): assumed. `hdl/mport_tail_switch.md` gives
//! protocol and timing.
//!
//! Answers come back over a link in the order in which heads went out over it. So every output
//! keeps the inputs whose attempts went out there and wait, and every input keeps its attempts, both
//! oldest first.

use super::mport_arbiter::{NONE, PORTS_MAX, of_all_sizes, state_of_input, winners};
use super::protocol::ANSWERS_MAX;
use super::{ACK, COLLISION, FORWARD, LinkWord, RandomPins, VALID};

/// The most answers that are awaited over a link.
const ANSWERS: usize = ANSWERS_MAX as usize;

/// An attempt of an input: nothing (0), [`WAITS`] with the number of the output from which its
/// answer will come, or the answers it has, [`ACKED`] and [`COLLIDED`].
type Attempt = u8;

/// The attempt waits for its answer.
const WAITS: Attempt = 0x80;
/// The attempt was rejected.
const COLLIDED: Attempt = 0x40;
/// The attempt was acknowledged.
const ACKED: Attempt = 0x20;

/// A place of an output: nothing (0), or the number of an input, whose answer is awaited, plus one.
type Awaited = u8;

/// The registers of a switch, apart from those that drive its link ports.
struct Registers<'a> {
    /// The input registers: valid and data.
    words: &'a mut [LinkWord],
    /// The output that each input holds; [`NONE`].
    held: &'a mut [u8],
    /// The inputs that drain.
    drain: &'a mut u32,
    /// By input its attempts that have not been answered on its wire, the oldest first.
    attempts: &'a mut [[Attempt; ANSWERS]],
    /// By output the inputs whose answers are awaited there, the oldest first.
    awaited: &'a mut [[Awaited; ANSWERS]],
}

impl Registers<'_> {
    /// Takes in the answers at the outputs, which are for the oldest that wait there. Returns the
    /// inputs whose circuits a collision has ended.
    fn answered(&mut self, words: &[LinkWord]) -> u32 {
        let mut stopped = 0;
        for (output, &word) in words.iter().enumerate() {
            let input = usize::from(self.awaited[output][0]);
            if word & (ACK | COLLISION) == 0 || input == 0 {
                continue;
            }
            let input = input - 1;
            let attempts = &mut self.attempts[input];
            let waits = WAITS | output as Attempt;
            let Some(at) = attempts.iter().position(|&attempt| attempt == waits) else {
                continue;
            };
            let is_youngest = attempts.get(at + 1).is_none_or(|&next| next == 0);
            attempts[at] = 0;
            if word & ACK != 0 {
                attempts[at] |= ACKED;
            }
            if word & COLLISION != 0 {
                attempts[at] |= COLLIDED;
                let holds = usize::from(self.held[input]) == output;
                stopped |= u32::from(holds && is_youngest) << input;
            }
        }
        stopped
    }

    /// Adds an attempt of an input: rejected, or granted an output.
    fn attempted(&mut self, input: usize, output: Option<u8>) {
        // A sender that keeps the protocol never finds all places taken.
        if let Some(place) = self.attempts[input].iter_mut().find(|place| **place == 0) {
            *place = output.map_or(COLLIDED, |output| WAITS | output);
        }
        if let Some(output) = output {
            let places = &mut self.awaited[usize::from(output)];
            let place = places.iter_mut().find(|place| **place == 0);
            *place.expect("an output without a place is closed") = input as Awaited + 1;
        }
    }

    /// The answer that leaves by an input: that of its oldest attempt, if there is one.
    fn leaves(&mut self, input: usize) -> LinkWord {
        let attempts = &mut self.attempts[input];
        let oldest = attempts[0];
        if oldest & (ACKED | COLLIDED) == 0 {
            return 0;
        }
        attempts.rotate_left(1);
        attempts[ANSWERS - 1] = 0;
        let ack = if oldest & ACKED != 0 { ACK } else { 0 };
        let collision = if oldest & COLLIDED != 0 { COLLISION } else { 0 };
        ack | collision
    }
}

/// One clock edge.
fn step(
    mut registers: Registers<'_>,
    winner_fixed: bool,
    random: &impl RandomPins,
    words: &mut [LinkWord],
) {
    let ports = words.len();
    let is = |set: u32, port: usize| set >> port & 1 != 0;

    // Inputs that ask, and outputs that take no head: a circuit holds them, or too many answers
    // are awaited there.
    let (mut asking, mut closed) = (0u32, 0u32);
    for (input, &arriving) in words.iter().enumerate() {
        let head = registers.words[input] & VALID != 0 && !is(*registers.drain, input);
        match registers.held[input] {
            NONE => asking |= u32::from(head && arriving & VALID != 0) << input,
            output => closed |= 1 << output,
        }
        closed |= u32::from(registers.awaited[input][ANSWERS - 1] != 0) << input;
    }
    let winners = winners(registers.words, asking, closed, winner_fixed, random);

    let stopped = registers.answered(words);
    let mut rejected = 0u32;
    for input in (0..ports).filter(|&input| is(asking, input)) {
        let output = registers.words[input] as u8;
        let winner = winners.get(usize::from(output));
        if winner.is_some_and(|&winner| usize::from(winner) == input) {
            registers.attempted(input, Some(output));
            registers.held[input] = output;
        } else {
            registers.attempted(input, None);
            rejected |= 1 << input;
        }
    }
    for (output, &word) in words.iter().enumerate() {
        if word & (ACK | COLLISION) != 0 {
            let places = &mut registers.awaited[output];
            places.rotate_left(1);
            places[ANSWERS - 1] = 0;
        }
    }

    let mut driven = [0; PORTS_MAX];
    let mut drains = 0u32;
    for input in 0..ports {
        let arriving = words[input] & FORWARD;
        let is_valid = arriving & VALID != 0;
        let is_cut = is(stopped, input) && is_valid;
        let still = is(*registers.drain, input) && registers.words[input] & VALID != 0;
        if is(stopped, input) || !is_valid {
            registers.held[input] = NONE;
        }
        if registers.held[input] != NONE {
            // The first word was used up, so that the others are taken from the wire.
            driven[usize::from(registers.held[input])] |= arriving;
        }
        driven[input] |= registers.leaves(input);
        drains |= u32::from(is(rejected, input) || is_cut || still) << input;
        registers.words[input] = arriving;
    }
    words.copy_from_slice(&driven[..ports]);
    *registers.drain = drains;
}

/// Writes the module of a switch with so many ports: its table and its model.
macro_rules! mport_tail_switch {
    ($module:ident, $model:ident, $ports:literal, $index:literal, $source:literal,
     $(($link:literal $port:literal $to:literal))*) => {
        #[doc = concat!("`", stringify!($module), "`: the switch with ", $ports, " ports.")]
        pub mod $module {
            use serde::{Deserialize, Serialize};

            use super::super::mport_arbiter::{NONE, PortSwitch, STREAM_ORDER};
            use super::super::ports::{chip, circuit_link, index, model_types};
            use super::super::{LinkWord, Model, RandomPins};
            use super::{ANSWERS, Attempt, Awaited, Registers};
            use crosswave_probe::signal::StateName;

            const STATES: &[StateName] = &[
                StateName { value: 0, name: "IDLE" },
                $(StateName { value: 1 << $link, name: $to },)*
                StateName { value: 1 << $ports, name: "DRAIN" },
            ];

            chip! {
                name: $module,
                links: [$($port),*],
                words: &[],
                sources: [
                    $source, "mport_tail_switch.v", "mport_tail_input.v", "mport_tail_output.v",
                    "mport_arbiter.v", "fat_tree_tail_input.v", "fat_tree_tail_output.v",
                ],
                ports {
                    option(
                        "winner_fixed", 1,
                        "1: inputs that lead down from above win, then the lower number; 0: at random",
                    ) => pub PORT_WINNER_FIXED, winner_fixed: bool;
                    random(
                        "random_order", $index, STREAM_ORDER,
                        "of inputs that want one output the one passes whose number, exclusive or this, is the least",
                    );
                    $(circuit_link!($link, $port);)*
                    $(state(
                        concat!($port, "_state"), $ports + 1, STATES,
                        "circuit that entered here: drain, to each output from the last to the first",
                    );)*
                }
                /// Configuration pins of a switch.
                pub struct Pins;
            }

            const PORT_STATE: usize = index(&PORTS, "p0_state");

            /// This switch to someone who follows messages.
            pub static SWITCH: PortSwitch = PortSwitch {
                ports: $ports,
                first_state: PORT_STATE,
                by_tail: true,
            };

            /// Registers of a switch, apart from those that drive its link ports.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
            pub struct State {
                words: [LinkWord; $ports],
                held: [u8; $ports],
                drain: u32,
                attempts: [[Attempt; ANSWERS]; $ports],
                awaited: [[Awaited; ANSWERS]; $ports],
            }

            impl Default for State {
                fn default() -> State {
                    State {
                        words: [0; $ports],
                        held: [NONE; $ports],
                        drain: 0,
                        attempts: [[0; ANSWERS]; $ports],
                        awaited: [[0; ANSWERS]; $ports],
                    }
                }
            }

            /// The model.
            #[derive(Debug)]
            pub struct $model;

            impl Model for $model {
                model_types!(State, Pins, [LinkWord; $ports]);
                const STEP_REPORTS_OUTPUT_CHANGE: bool = true;

                fn step(
                    state: &mut State,
                    pins: &Pins,
                    random: &impl RandomPins,
                    words: &mut [LinkWord],
                ) -> bool {
                    let before = *state;
                    let registers = Registers {
                        words: &mut state.words,
                        held: &mut state.held,
                        drain: &mut state.drain,
                        attempts: &mut state.attempts,
                        awaited: &mut state.awaited,
                    };
                    super::step(registers, pins.winner_fixed, random, words);
                    *state != before
                }

                fn output(state: &State, port: usize) -> u64 {
                    super::state_of_input(&state.held, state.drain, port.wrapping_sub(PORT_STATE))
                }
            }
        }
    };
}

of_all_sizes! {
    mport_tail_switch:
    mport_tail_switch_4 MportTailSwitch4 "mport_tail_switch_4.v";
    mport_tail_switch_8 MportTailSwitch8 "mport_tail_switch_8.v";
    mport_tail_switch_16 MportTailSwitch16 "mport_tail_switch_16.v";
    mport_tail_switch_32 MportTailSwitch32 "mport_tail_switch_32.v";
}
