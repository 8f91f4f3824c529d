//! `mport_switch_4`, `_8`, `_16` and `_32`: the circuit switch of an m-port n-tree, with so many
//! ports.
//!
//! Source: Yuan, Nienaber, Duan & Melhem, section II (switches of m ports); circuits, answers and
//! clocks are those of the four-port router. The header, and who wins: assumed.
//! `hdl/mport_switch.md` gives protocol and timing.
//!
//! A head is the number of an output port, and is used up. Of the inputs that want one output the
//! one passes whose number, exclusive or an *order*, is the least; the order is drawn in every
//! clock, so that of two each wins as often.

use std::cell::LazyCell;

use super::switch::{Crossing, Switch};
use super::{ACK, COLLISION, FORWARD, LinkWord, RandomKind, RandomPins, VALID};

/// First of the streams of the order.
pub(super) const STREAM_ORDER: u64 = 0x500;

/// The ports in front of those of links.
const FIRST_PORTS: usize = 5;

/// The most ports of a switch.
const PORTS_MAX: usize = 32;

/// No port.
const NONE: u8 = u8::MAX;

/// The configuration of a switch.
struct Rules {
    winner_fixed: bool,
    early_acknowledge: bool,
    /// Bits of a port's number.
    index: u32,
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

/// A switch with so many ports.
#[derive(Debug)]
pub struct PortSwitch {
    ports: usize,
}

impl Switch for PortSwitch {
    fn inputs(&self) -> usize {
        self.ports
    }

    fn state_port(&self, input: usize) -> usize {
        FIRST_PORTS + 8 * self.ports + input
    }

    fn crossing(&self, _: usize, state: u64, _: &dyn Fn(usize) -> u64) -> Crossing {
        match state {
            0 => Crossing::Idle,
            drain if drain >> self.ports != 0 => Crossing::Rejected,
            held => Crossing::Holds(held.trailing_zeros() as usize),
        }
    }

    /// One into the register of the input, one to the grant.
    fn head_clocks(&self) -> u64 {
        2
    }
}

/// The order of a clock.
fn order(rules: &Rules, random: &impl RandomPins) -> usize {
    if rules.winner_fixed {
        return 1 << (rules.index - 1);
    }
    let bit = |bit: u32| random.bit(STREAM_ORDER + u64::from(bit), RandomKind::Fair);
    (0..rules.index).fold(0, |order, at| order | usize::from(bit(at)) << at)
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
    let mut winners = [NONE; PORTS_MAX];
    if asking != 0 {
        let order = LazyCell::new(|| order(rules, random));
        for input in (0..ports).filter(|&input| is(asking, input)) {
            let output = usize::from(taken_in[input] as u8);
            if output >= ports || output == input || is(outputs_held, output) {
                continue;
            }
            let best = usize::from(winners[output]);
            if winners[output] == NONE || input ^ *order < best ^ *order {
                winners[output] = input as u8;
            }
        }
    }

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

/// The state of an input that is shown: the output that its circuit holds, one bit for each, and
/// behind them whether it drains.
fn state_of_input(held: &[u8], drain: u32, input: usize) -> u64 {
    let circuit = match held.get(input) {
        None | Some(&NONE) => 0,
        Some(&output) => 1 << output,
    };
    let drains = u64::from(drain.checked_shr(input as u32).unwrap_or(0) & 1);
    circuit | drains << held.len()
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
            use super::{NONE, PortSwitch, Registers, Rules, STREAM_ORDER};
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
            pub static SWITCH: PortSwitch = PortSwitch { ports: $ports };

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
                        index: $index,
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

mport_switch! {
    mport_switch_4, MportSwitch4, 4, 2, "mport_switch_4.v",
    (0 "p0" "TO_P0") (1 "p1" "TO_P1") (2 "p2" "TO_P2") (3 "p3" "TO_P3")
}

mport_switch! {
    mport_switch_8, MportSwitch8, 8, 3, "mport_switch_8.v",
    (0 "p0" "TO_P0") (1 "p1" "TO_P1") (2 "p2" "TO_P2") (3 "p3" "TO_P3") (4 "p4" "TO_P4")
    (5 "p5" "TO_P5") (6 "p6" "TO_P6") (7 "p7" "TO_P7")
}

mport_switch! {
    mport_switch_16, MportSwitch16, 16, 4, "mport_switch_16.v",
    (0 "p0" "TO_P0") (1 "p1" "TO_P1") (2 "p2" "TO_P2") (3 "p3" "TO_P3") (4 "p4" "TO_P4")
    (5 "p5" "TO_P5") (6 "p6" "TO_P6") (7 "p7" "TO_P7") (8 "p8" "TO_P8") (9 "p9" "TO_P9")
    (10 "p10" "TO_P10") (11 "p11" "TO_P11") (12 "p12" "TO_P12") (13 "p13" "TO_P13")
    (14 "p14" "TO_P14") (15 "p15" "TO_P15")
}

mport_switch! {
    mport_switch_32, MportSwitch32, 32, 5, "mport_switch_32.v",
    (0 "p0" "TO_P0") (1 "p1" "TO_P1") (2 "p2" "TO_P2") (3 "p3" "TO_P3") (4 "p4" "TO_P4")
    (5 "p5" "TO_P5") (6 "p6" "TO_P6") (7 "p7" "TO_P7") (8 "p8" "TO_P8") (9 "p9" "TO_P9")
    (10 "p10" "TO_P10") (11 "p11" "TO_P11") (12 "p12" "TO_P12") (13 "p13" "TO_P13")
    (14 "p14" "TO_P14") (15 "p15" "TO_P15") (16 "p16" "TO_P16") (17 "p17" "TO_P17")
    (18 "p18" "TO_P18") (19 "p19" "TO_P19") (20 "p20" "TO_P20") (21 "p21" "TO_P21")
    (22 "p22" "TO_P22") (23 "p23" "TO_P23") (24 "p24" "TO_P24") (25 "p25" "TO_P25")
    (26 "p26" "TO_P26") (27 "p27" "TO_P27") (28 "p28" "TO_P28") (29 "p29" "TO_P29")
    (30 "p30" "TO_P30") (31 "p31" "TO_P31")
}
