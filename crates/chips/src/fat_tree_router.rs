//! `fat_tree_router`: the four-port circuit-switched router.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 3 (ports, winner, rejection)
//! and section 7 (clocks). `hdl/fat_tree_router.md` draws the timing.
//!
//! The model holds the same registers as `hdl/fat_tree_router.v` and is
//! evaluated in two steps: which circuits are granted, then what every register
//! holds after the edge. Neither takes a branch but for random bits, so that many routers go side
//! by side.

mod side_by_side;

use serde::{Deserialize, Serialize};

use super::fat_tree_grants::{A, Arbitration, B, C, D, Heads};
use super::ports::model_types;
use super::quad::{Matrix, PortSet, Quad, columns, every_row, rows, whole_rows};
use super::switch::{Crossing, Switch};
use super::{ACK, COLLISION, ChipBatch, FORWARD, LinkWord, Model, RandomPins, VALID};
use crosswave_probe::signal::StateName;
use side_by_side::SideBySide;

macro_rules! states {
    ($($name:literal = $value:literal),*) => {
        &[$(StateName { value: $value, name: $name }),*]
    };
}
pub(super) const A_STATES: &[StateName] =
    states!("IDLE" = 0, "TO_B" = 1, "TO_C" = 2, "TO_D" = 4, "DRAIN" = 8);
pub(super) const B_STATES: &[StateName] =
    states!("IDLE" = 0, "TO_A" = 1, "TO_C" = 2, "TO_D" = 4, "DRAIN" = 8);
pub(super) const UP_STATES: &[StateName] = states!("IDLE" = 0, "TO_A" = 1, "TO_B" = 2, "DRAIN" = 4);

/// Writes the table, the indices and the pins of a four-port router. `more` has the rows that only
/// this one has.
macro_rules! four_port_router {
    (
        name: $name:ident,
        sources: $sources:tt,
        more { $($more:tt)* }
    ) => {
        $crate::ports::chip! {
            name: $name,
            links: ["a", "b", "c", "d"],
            words: &[],
            sources: $sources,
            ports {
                option("level", 5, "level of this router; 0 above the nodes")
                    => pub PORT_LEVEL, level: u8;
                option(
                    "winner_fixed", 1,
                    "1: priority c, then d, then the side port; going up, a before b; 0: at random",
                ) => pub PORT_WINNER_FIXED, winner_fixed: bool;
                $($more)*
                option("upstream_single", 1, "1: only c leads up; 0: c and d do")
                    => pub PORT_UPSTREAM_SINGLE, upstream_single: bool;
                random(
                    "random_up", 1, $crate::fat_tree_grants::STREAM_UP,
                    "upstream choice: 0 prefers c, 1 prefers d; a single c goes to a or to b",
                );
                random(
                    "random_pair_a", 1, $crate::fat_tree_grants::STREAM_PAIR_A,
                    "winner of two on output a",
                );
                random(
                    "random_pair_b", 1, $crate::fat_tree_grants::STREAM_PAIR_B,
                    "winner of two on output b",
                );
                random_third(
                    "random_third", 1, $crate::fat_tree_grants::STREAM_THIRD,
                    "winner of three: 1 in one case of three",
                );
                circuit_link!($crate::fat_tree_grants::A, "a");
                circuit_link!($crate::fat_tree_grants::B, "b");
                circuit_link!($crate::fat_tree_grants::C, "c");
                circuit_link!($crate::fat_tree_grants::D, "d");
                state(
                    "a_state", 4, $crate::fat_tree_router::A_STATES,
                    "circuit that entered at a: drain, to d, to c, to b",
                ) => pub PORT_STATE;
                state(
                    "b_state", 4, $crate::fat_tree_router::B_STATES,
                    "circuit that entered at b: drain, to d, to c, to a",
                );
                state(
                    "c_state", 3, $crate::fat_tree_router::UP_STATES,
                    "circuit that entered at c: drain, to b, to a",
                );
                state(
                    "d_state", 3, $crate::fat_tree_router::UP_STATES,
                    "circuit that entered at d: drain, to b, to a",
                );
            }
            /// Configuration pins of one router.
            pub struct Pins;
        }
    };
}

pub(super) use four_port_router;

four_port_router! {
    name: fat_tree_router,
    sources: [
        "fat_tree_router.v", "fat_tree_input.v", "fat_tree_grants.v", "fat_tree_arbiter.v",
        "fat_tree_crossbar.v",
    ],
    more {
        option(
            "early_acknowledge", 1,
            "1: the acknowledge may come before the tail, and the tail frees the circuit; 0: the acknowledge frees it",
        ) => pub PORT_EARLY_ACKNOWLEDGE, early_acknowledge: bool;
    }
}

/// The outputs that an input can reach, in the order of its state bits; the bit behind
/// them is `DRAIN`.
pub const TARGETS: [&[usize]; 4] = [&[B, C, D], &[A, C, D], &[A, B], &[A, B]];

/// A router of a fat tree, whatever frees its outputs: a message holds one for its circuit.
#[derive(Debug)]
pub struct FourPort {
    /// The port that shows the state of input a; those of b, c and d follow.
    pub(super) first_state: usize,
    /// True when the tail frees outputs, before the answer comes.
    pub(super) by_tail: bool,
}

/// This router as a switch.
pub static SWITCH: FourPort = FourPort {
    first_state: PORT_STATE,
    by_tail: false,
};

impl Switch for FourPort {
    fn inputs(&self) -> usize {
        TARGETS.len()
    }

    fn state_port(&self, input: usize) -> usize {
        self.first_state + input
    }

    fn crossing(&self, input: usize, state: u64, _: &dyn Fn(usize) -> u64) -> Crossing {
        let targets = TARGETS[input];
        match state {
            0 => Crossing::Idle,
            drain if drain >> targets.len() & 1 != 0 => Crossing::Rejected,
            held => Crossing::Holds(targets[held.trailing_zeros() as usize]),
        }
    }

    fn awaits_answers(&self) -> bool {
        self.by_tail
    }

    /// One into the register of the input, one to the grant.
    fn head_clocks(&self) -> u64 {
        2
    }
}

/// Registers of one router, apart from those that drive its link ports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The input registers: valid and data.
    words: Quad,
    /// The others.
    control: Control,
}

/// The registers that tell what becomes of words, side by side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Control(u64);

/// Ports whose words go nowhere.
const DRAIN_LSB: u32 = 16;
/// Ports whose words are forwarded from the wires, since their first one is used up.
const BYPASS_LSB: u32 = 20;
/// Ports whose circuit is acknowledged.
const ACKNOWLEDGED_LSB: u32 = 24;

impl Control {
    /// The circuits that are open.
    #[inline(always)]
    fn circuits(self) -> Matrix {
        self.0 & 0xffff
    }

    #[inline(always)]
    fn ports(self, lsb: u32) -> PortSet {
        self.0 >> lsb & 0xf
    }
}

/// The pins, side by side.
#[derive(Debug, Clone, Copy)]
struct Rules(u64);

impl Rules {
    #[inline(always)]
    fn new(pins: &Pins) -> Self {
        let winner_fixed = u64::from(pins.winner_fixed) << 8;
        let early_acknowledge = u64::from(pins.early_acknowledge) << 16;
        let upstream_single = u64::from(pins.upstream_single) << 24;
        Rules(u64::from(pins.level) | winner_fixed | early_acknowledge | upstream_single)
    }

    #[inline(always)]
    fn level(self) -> u64 {
        self.0 & 0xff
    }

    #[inline(always)]
    fn winner_fixed(self) -> bool {
        self.0 >> 8 & 1 != 0
    }

    #[inline(always)]
    fn early_acknowledge(self) -> bool {
        self.0 >> 16 & 1 != 0
    }

    #[inline(always)]
    fn upstream_single(self) -> bool {
        self.0 >> 24 & 1 != 0
    }
}

/// A router with all that decides about its edge, but for random bits.
#[derive(Debug, Clone, Copy)]
struct Router {
    state: State,
    arriving: Quad,
    rules: Rules,
}

impl Router {
    #[inline(always)]
    fn heads(&self) -> Heads {
        let State { words, control } = self.state;
        let circuits = control.circuits();
        Heads {
            ports: words.ports_with(VALID) & !rows(circuits) & !control.ports(DRAIN_LSB),
            words,
            arriving: self.arriving,
            closed: columns(circuits),
            level: self.rules.level(),
            winner_fixed: self.rules.winner_fixed(),
            upstream_single: self.rules.upstream_single(),
        }
    }

    /// The edge: what the registers hold then, and what is driven.
    #[inline(always)]
    fn edge(&self, arbitration: Arbitration) -> (State, Quad) {
        let Arbitration {
            granted,
            rejected,
            swallow,
        } = arbitration;
        let State { words, control } = self.state;
        let circuits = control.circuits();
        let bypass = control.ports(BYPASS_LSB);
        let forwarded = self.arriving.only(FORWARD);
        let word = words.replaced(bypass | swallow, forwarded);
        let ack = rows(circuits & every_row(self.arriving.ports_with(ACK)));
        let collision = rows(circuits & every_row(self.arriving.ports_with(COLLISION)));
        let settled = ack | control.ports(ACKNOWLEDGED_LSB);
        let held_by_words = match self.rules.early_acknowledge() {
            true => word.ports_with(VALID),
            false => 0,
        };
        let freed = collision | settled & !held_by_words;
        let circuits = circuits & !whole_rows(freed) | granted;

        let driven = word.through(circuits).0
            | Quad::of_ports(ack, ACK).0
            | Quad::of_ports(collision | rejected, COLLISION).0;
        let drain = rejected | collision | control.ports(DRAIN_LSB) & words.ports_with(VALID);
        let bypass = bypass & !freed | rows(granted) & swallow;
        let control = circuits
            | drain << DRAIN_LSB
            | bypass << BYPASS_LSB
            | (settled & !freed) << ACKNOWLEDGED_LSB;
        let state = State {
            words: forwarded,
            control: Control(control),
        };
        (state, Quad(driven))
    }
}

/// The model.
#[derive(Debug)]
pub struct FatTreeRouter;

impl Model for FatTreeRouter {
    model_types!(State, Pins, [LinkWord; 4]);
    const STEP_REPORTS_OUTPUT_CHANGE: bool = true;
    const SIDE_BY_SIDE: bool = true;

    fn step(
        state: &mut State,
        pins: &Pins,
        random: &impl RandomPins,
        words: &mut [LinkWord],
    ) -> bool {
        let router = Router {
            state: *state,
            arriving: Quad::new(words),
            rules: Rules::new(pins),
        };
        let (after, driven) = router.edge(router.heads().arbitrate(random));
        *state = after;
        words.copy_from_slice(&driven.ports());
        // A head that asks at random is granted or rejected at once, so no register stays.
        after != router.state
    }

    #[inline(always)]
    fn step_all(batch: &mut impl ChipBatch<Self>) -> u64 {
        pulp::Arch::new().dispatch(SideBySide(batch))
    }

    fn output(state: &State, port: usize) -> u64 {
        let input = port.wrapping_sub(PORT_STATE);
        state_of_input(
            state.control.circuits(),
            state.control.ports(DRAIN_LSB),
            input,
        )
    }
}

/// The state of an input that is shown: the output that its circuit holds, in the order of
/// [`TARGETS`], and whether it drains; 0 when there is no such input.
pub(super) fn state_of_input(circuits: Matrix, drain: PortSet, input: usize) -> u64 {
    let Some(targets) = TARGETS.get(input) else {
        return 0;
    };
    let circuit = targets.iter().enumerate().map(|(bit, output)| {
        let held = circuits >> (4 * input + output) & 1;
        held << bit
    });
    circuit.sum::<u64>() | (drain >> input & 1) << targets.len()
}
