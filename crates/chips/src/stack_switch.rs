//! `stack_switch_8` and `stack_switch_10`: the wormhole switch of fat stacks, whose levels are
//! rings, and of pyramids, whose levels are meshes.
//!
//! Chen & Sha fix the links only; flits, buffers, credits and who wins are assumed
//! ([`stack`](super::stack)). `hdl/stack_switch.md` gives protocol and timing.
//!
//! Each input has a buffer. While it holds no output, it swallows the flit at the head of the
//! buffer, which is the number of an output, and asks for that one; an output that is free goes
//! to one of those that ask, the next one behind the input that had it last. The input holds it
//! until the final flit of the packet has gone.

use serde::{Deserialize, Serialize};

use super::stack::{
    CREDIT, DEPTH, FLIT, LAST, STACK_DISCARDING, STACK_HOLDING, STACK_IDLE, STACK_WANTING,
    credits_left,
};
use super::{LinkWord, VALID};

/// State ports of a link port: state, owner, fill, credits.
const LINK_STATES: usize = 4;

/// The most ports of a switch.
const PORTS_MAX: usize = 10;

/// Bits of a flit's place in [`Input::places`].
const PLACE_BITS: u8 = 16;

/// Progress of the packet at the head of a buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
enum Phase {
    /// The next flit is the number of an output.
    #[default]
    Idle,
    /// It asks for an output.
    Wanting(u8),
    /// An output has it as its owner.
    Holding,
    /// Its output is not there.
    Discarding,
}

impl Phase {
    fn code(self) -> u64 {
        match self {
            Phase::Idle => STACK_IDLE,
            Phase::Wanting(_) => STACK_WANTING,
            Phase::Holding => STACK_HOLDING,
            Phase::Discarding => STACK_DISCARDING,
        }
    }
}

/// The registers of an input, apart from that which drives its credit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Input {
    /// The flits in the order in which they came, the oldest one lowest, of [`PLACE_BITS`] each;
    /// places behind the last one are 0.
    places: u64,
    fill: u8,
    phase: Phase,
}

impl Input {
    /// The oldest flit: last and data.
    fn head(&self) -> Option<LinkWord> {
        (self.fill > 0).then_some(self.places as LinkWord)
    }

    /// The output that it asks for, of a switch with so many ports.
    fn asks(&self, ports: usize) -> Option<u8> {
        match (self.phase, self.head()) {
            (Phase::Wanting(output), _) => Some(output),
            (Phase::Idle, Some(flit)) if flit & LAST == 0 => {
                let output = flit as u8;
                (usize::from(output) < ports).then_some(output)
            }
            _ => None,
        }
    }

    /// One clock edge: it asked for an output and was granted it or not, the output that it holds
    /// sends its head on or not, and a flit comes in or none. Whether a flit leaves the buffer,
    /// and whether a packet was lost with it.
    fn step(
        &mut self,
        asks: Option<u8>,
        granted: bool,
        passes: bool,
        arriving: LinkWord,
    ) -> (bool, bool) {
        let ends = self.head().is_some_and(|flit| flit & LAST != 0);
        let swallows = self.phase == Phase::Idle && self.fill > 0;
        let discards = self.phase == Phase::Discarding && self.fill > 0;
        let leaves = swallows || discards || passes;
        self.phase = match (self.phase, asks) {
            (_, Some(_)) if granted => Phase::Holding,
            (Phase::Idle, Some(output)) => Phase::Wanting(output),
            (Phase::Idle, None) if swallows && !ends => Phase::Discarding,
            _ if leaves && ends => Phase::Idle,
            (phase, _) => phase,
        };
        if leaves {
            self.places >>= PLACE_BITS;
            self.fill -= 1;
        }
        // A flit for which there is no place is lost: its sender had no credit for it.
        if arriving & VALID != 0 && self.fill < DEPTH {
            self.places |= u64::from(arriving & FLIT) << (PLACE_BITS * self.fill);
            self.fill += 1;
        }
        (leaves, (swallows || discards) && ends)
    }
}

/// The registers of an output, apart from those that drive its link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Output {
    /// The input that holds it.
    owner: Option<u8>,
    /// The inputs behind the one that got it last, as a set.
    later: u16,
    credits: u8,
}

impl Default for Output {
    fn default() -> Output {
        Output {
            owner: None,
            later: 0,
            credits: DEPTH,
        }
    }
}

impl Output {
    /// Gives it to one of the inputs of a set that is not empty: the next one behind the one that
    /// got it last.
    fn grant(&mut self, asking: u16) -> u8 {
        let behind = asking & self.later;
        let candidates = if behind != 0 { behind } else { asking };
        let winner = candidates.trailing_zeros() as u8;
        self.later = u16::MAX << winner << 1;
        self.owner = Some(winner);
        winner
    }

    /// The flit that it sends, and whose it is.
    fn sends(&self, inputs: &[Input]) -> Option<(u8, LinkWord)> {
        let owner = self.owner.filter(|_| self.credits > 0)?;
        Some((owner, inputs[usize::from(owner)].head()?))
    }

    /// Its owner as a set.
    fn owner_set(&self) -> u64 {
        self.owner.map_or(0, |owner| 1 << owner)
    }
}

/// One clock edge; `lost` is the set of inputs that lost a packet. Returns whether the switch has to
/// be evaluated in the next clock even if nothing new arrives.
fn step(
    inputs: &mut [Input],
    outputs: &mut [Output],
    lost: &mut u16,
    words: &mut [LinkWord],
) -> bool {
    let ports = words.len();
    let mut moves = words.iter().any(|&word| word != 0);

    let mut wishes = [None; PORTS_MAX];
    let mut asking = [0u16; PORTS_MAX];
    for (number, input) in inputs.iter().enumerate() {
        wishes[number] = input.asks(ports);
        if let Some(output) = wishes[number] {
            asking[usize::from(output)] |= 1 << number;
        }
    }

    let mut driven = [0; PORTS_MAX];
    let (mut granted, mut passing) = (0u16, 0u16);
    for (number, output) in outputs.iter_mut().enumerate() {
        let sent = output.sends(inputs);
        if let Some((owner, flit)) = sent {
            driven[number] = VALID | flit;
            passing |= 1 << owner;
            if flit & LAST != 0 {
                output.owner = None;
            }
        } else if output.owner.is_none() && asking[number] != 0 {
            granted |= 1 << output.grant(asking[number]);
        }
        let regains = words[number] & CREDIT != 0;
        output.credits = credits_left(output.credits, sent.is_some(), regains);
    }

    *lost = 0;
    for (number, input) in inputs.iter_mut().enumerate() {
        let is = |set: u16| set >> number & 1 != 0;
        let (leaves, loses) = input.step(wishes[number], is(granted), is(passing), words[number]);
        moves |= leaves || is(granted);
        *lost |= u16::from(loses) << number;
        words[number] = driven[number] | if leaves { CREDIT } else { 0 };
    }
    moves
}

/// Writes the module of a switch with so many ports: its table and its model.
macro_rules! stack_switch {
    ($module:ident, $model:ident, $ports:literal, $source:literal,
     $(($link:literal $port:literal $from:literal))*) => {
        #[doc = concat!("`", stringify!($module), "`: the switch with ", $ports, " ports.")]
        pub mod $module {
            use serde::{Deserialize, Serialize};

            use super::super::ports::{chip, index, model_types};
            use super::super::stack::{INPUT_STATES, stack_link};
            use super::super::{LinkWord, Model, RandomPins};
            use super::{Input, LINK_STATES, Output};
            use crosswave_probe::signal::StateName;

            const OWNERS: &[StateName] = &[
                StateName { value: 0, name: "FREE" },
                $(StateName { value: 1 << $link, name: $from },)*
            ];

            chip! {
                name: $module,
                links: [$($port),*],
                words: &[],
                sources: [$source, "stack_switch.v", "stack_input.v", "stack_output.v"],
                ports {
                    host_output(
                        "lost", $ports,
                        "inputs at which a packet without an output or a body has ended",
                    ) => pub PORT_LOST;
                    $(stack_link!($link, $port);)*
                    $(
                        state(
                            concat!($port, "_state"), 2, INPUT_STATES,
                            "what becomes of the packet that comes in",
                        );
                        state(
                            concat!($port, "_owner"), $ports, OWNERS,
                            "the input that holds the output, a bit for each",
                        );
                        state(
                            concat!($port, "_fill"), 3, &[],
                            "flits in the buffer of the input",
                        );
                        state(
                            concat!($port, "_credits"), 3, &[],
                            "flits that may go out before a credit comes",
                        );
                    )*
                }
            }

            const PORT_STATE: usize = index(&PORTS, "d0_state");

            /// Registers of a switch, apart from those that drive its link ports.
            #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
            pub struct State {
                inputs: [Input; $ports],
                outputs: [Output; $ports],
                lost: u16,
            }

            /// The model.
            #[derive(Debug)]
            pub struct $model;

            impl Model for $model {
                model_types!(State, (), [LinkWord; $ports]);

                fn step(
                    state: &mut State,
                    _: &(),
                    _: &impl RandomPins,
                    words: &mut [LinkWord],
                ) -> bool {
                    super::step(&mut state.inputs, &mut state.outputs, &mut state.lost, words)
                }

                fn output(state: &State, port: usize) -> u64 {
                    if port == PORT_LOST {
                        return u64::from(state.lost);
                    }
                    let at = port.wrapping_sub(PORT_STATE);
                    let link = at / LINK_STATES;
                    if link >= $ports {
                        return 0;
                    }
                    let (input, output) = (&state.inputs[link], &state.outputs[link]);
                    match at % LINK_STATES {
                        0 => input.phase.code(),
                        1 => output.owner_set(),
                        2 => u64::from(input.fill),
                        _ => u64::from(output.credits),
                    }
                }
            }
        }
    };
}

stack_switch! {
    stack_switch_8, StackSwitch8, 8, "stack_switch_8.v",
    (0 "d0" "FROM_D0") (1 "d1" "FROM_D1") (2 "d2" "FROM_D2") (3 "d3" "FROM_D3")
    (4 "r0" "FROM_R0") (5 "r1" "FROM_R1") (6 "u0" "FROM_U0") (7 "u1" "FROM_U1")
}

stack_switch! {
    stack_switch_10, StackSwitch10, 10, "stack_switch_10.v",
    (0 "d0" "FROM_D0") (1 "d1" "FROM_D1") (2 "d2" "FROM_D2") (3 "d3" "FROM_D3")
    (4 "r0" "FROM_R0") (5 "r1" "FROM_R1") (6 "r2" "FROM_R2") (7 "r3" "FROM_R3")
    (8 "u0" "FROM_U0") (9 "u1" "FROM_U1")
}
