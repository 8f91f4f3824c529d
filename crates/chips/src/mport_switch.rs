//! `mport_switch_4`, `_8`, `_16` and `_32`: the circuit switch of an m-port n-tree, with so many
//! ports.
//!
//! Source: Yuan, Nienaber, Duan & Melhem, section II (switches of m ports); circuits, answers and
//! clocks are those of the four-port router. The header, and who wins: assumed.
//! `hdl/mport_switch.md` gives protocol and timing.
//! [`mport_arbiter`](super::mport_arbiter) has heads and winners.

use super::mport_arbiter::{NONE, PORTS_MAX, of_all_sizes, state_of_input, winners};
use super::{ACK, COLLISION, FORWARD, LinkWord, RandomPins, VALID};

/// The configuration of a switch.
struct Rules {
    winner_fixed: bool,
    early_acknowledge: bool,
}

/// The registers of a switch, apart from those that drive its link ports.
struct Registers<'a> {
    /// The input registers: valid and data.
    words: &'a mut [LinkWord],
    /// The output that each input holds; [`NONE`].
    held: &'a mut [u8],
    /// The inputs that drain, and those whose circuit was acknowledged.
    drain: &'a mut u32,
    acknowledged: &'a mut u32,
}

/// One clock edge.
fn step(registers: Registers<'_>, rules: &Rules, random: &impl RandomPins, words: &mut [LinkWord]) {
    let Registers {
        words: taken_in,
        held,
        drain,
        acknowledged,
    } = registers;
    let ports = words.len();
    let is = |set: u32, port: usize| set >> port & 1 != 0;

    // Inputs that ask, and the first of them for each output that is free.
    let (mut asking, mut outputs_held) = (0u32, 0u32);
    for input in 0..ports {
        if held[input] != NONE {
            outputs_held |= 1 << held[input];
        } else if taken_in[input] & VALID != 0 && !is(*drain, input) && words[input] & VALID != 0 {
            asking |= 1 << input;
        }
    }
    let winners = winners(taken_in, asking, outputs_held, rules.winner_fixed, random);

    let mut driven = [0; PORTS_MAX];
    let (mut drains, mut settles) = (0u32, 0u32);
    for input in 0..ports {
        let arriving = words[input] & FORWARD;
        let answer = match held[input] {
            NONE => 0,
            output => words[usize::from(output)],
        };
        let (ack, collision) = (answer & ACK != 0, answer & COLLISION != 0);
        let settled = ack || is(*acknowledged, input);
        let by_words = rules.early_acknowledge && words[input] & VALID != 0;
        let freed = collision || settled && !by_words;
        let mut rejected = false;
        if is(asking, input) {
            let output = taken_in[input] as u8;
            let winner = winners.get(usize::from(output));
            rejected = winner.is_none_or(|&winner| usize::from(winner) != input);
            held[input] = if rejected { NONE } else { output };
        } else if held[input] != NONE && freed {
            held[input] = NONE;
        }
        if held[input] != NONE {
            // The first word was used up, so that the others are taken from the wire.
            driven[usize::from(held[input])] |= arriving;
        }
        driven[input] |= if ack { ACK } else { 0 };
        driven[input] |= if collision || rejected { COLLISION } else { 0 };
        let still = is(*drain, input) && taken_in[input] & VALID != 0;
        drains |= u32::from(rejected || collision || still) << input;
        settles |= u32::from(settled && !freed) << input;
        taken_in[input] = arriving;
    }
    words.copy_from_slice(&driven[..ports]);
    (*drain, *acknowledged) = (drains, settles);
}

/// Writes the module of a switch with so many ports: its table and its model.
macro_rules! mport_switch {
    ($module:ident, $model:ident, $ports:literal, $index:literal, $source:literal,
     $(($link:literal $port:literal $to:literal))*) => {
        #[doc = concat!("`", stringify!($module), "`: the switch with ", $ports, " ports.")]
        pub mod $module {
            use serde::{Deserialize, Serialize};

            use super::super::ports::{chip, circuit_link, index, model_types};
            use super::super::{LinkWord, Model, RandomPins};
            use super::super::mport_arbiter::{NONE, PortSwitch, STREAM_ORDER};
            use super::{Registers, Rules};
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
                    $source, "mport_switch.v", "mport_input.v", "mport_output.v",
                    "mport_arbiter.v", "fat_tree_input.v",
                ],
                ports {
                    option(
                        "winner_fixed", 1,
                        "1: inputs that lead down from above win, then the lower number; 0: at random",
                    ) => pub PORT_WINNER_FIXED, winner_fixed: bool;
                    option(
                        "early_acknowledge", 1,
                        "1: the acknowledge may come before the tail, and the tail frees the circuit; 0: the acknowledge frees it",
                    ) => pub PORT_EARLY_ACKNOWLEDGE, early_acknowledge: bool;
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
                by_tail: false,
            };

            /// Registers of a switch, apart from those that drive its link ports.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
            pub struct State {
                words: [LinkWord; $ports],
                held: [u8; $ports],
                drain: u32,
                acknowledged: u32,
            }

            impl Default for State {
                fn default() -> State {
                    State {
                        words: [0; $ports],
                        held: [NONE; $ports],
                        drain: 0,
                        acknowledged: 0,
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
                        acknowledged: &mut state.acknowledged,
                    };
                    let rules = Rules {
                        winner_fixed: pins.winner_fixed,
                        early_acknowledge: pins.early_acknowledge,
                    };
                    super::step(registers, &rules, random, words);
                    // An input that asks at random is granted or rejected at once, so no register
                    // stays.
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
    mport_switch:
    mport_switch_4 MportSwitch4 "mport_switch_4.v";
    mport_switch_8 MportSwitch8 "mport_switch_8.v";
    mport_switch_16 MportSwitch16 "mport_switch_16.v";
    mport_switch_32 MportSwitch32 "mport_switch_32.v";
}
