//! `fat_tree_tail_router`: the four-port router whose outputs are free behind the tail.
//!
//! Source: Strumpen & Krishnamurthy 2005, sections 3 and 7; how answers find their way
//! without a circuit: assumed. `hdl/fat_tree_tail_router.md` explains it and draws the
//! timing.
//!
//! The model holds the same registers as `hdl/fat_tree_tail_router.v`. Heads and words do
//! as in [`fat_tree_router`](super::fat_tree_router). Answers come back over a link in the
//! order in which heads went out over it. So every output keeps the inputs whose attempts
//! went out there and wait, and every input keeps its attempts, both oldest first.

use serde::{Deserialize, Serialize};

use super::fat_tree_grants::{A, B, C, D};
use super::fat_tree_grants::{Arbitration, Heads};
use super::fat_tree_router::{FourPort, four_port_router, state_of_input};
use super::ports::model_types;
use super::protocol::ANSWERS_MAX;
use super::quad::{Matrix, PortSet, Quad, columns, rows, whole_rows};
use super::{ACK, COLLISION, FORWARD, LinkWord, Model, RandomPins, VALID};

four_port_router! {
    name: fat_tree_tail_router,
    sources: [
        "fat_tree_tail_router.v", "fat_tree_tail_input.v", "fat_tree_tail_output.v",
        "fat_tree_grants.v", "fat_tree_arbiter.v", "fat_tree_crossbar.v",
    ],
    more {}
}

/// This router as a switch.
pub static SWITCH: FourPort = FourPort {
    first_state: PORT_STATE,
    by_tail: true,
};

/// Bits of an attempt in [`State::attempts`]: the output from which its answer will come,
/// one bit each, then these.
const ATTEMPT_BITS: usize = 8;
/// The attempt was acknowledged.
const ACKED: u32 = 1 << 4;
/// The attempt was rejected.
const COLLIDED: u32 = 1 << 5;
/// All bits of an attempt.
const ATTEMPT: u32 = (1 << ATTEMPT_BITS) - 1;
/// Bits of a place in [`State::awaited`]: one for each input.
const PLACE_BITS: usize = 4;

const _: () = assert!(
    ANSWERS_MAX as usize * ATTEMPT_BITS <= u32::BITS as usize
        && ANSWERS_MAX as usize * PLACE_BITS <= u16::BITS as usize,
    "the answers awaited over a link fit their words"
);

/// Registers of one router, apart from those that drive its link ports. The four ports
/// stand side by side, as in [`fat_tree_router`](super::fat_tree_router).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// The input registers: valid and data.
    words: Quad,
    /// By input the attempts that wait for their answers or have them, the oldest in the
    /// lowest bits; 0 where there is none.
    attempts: [u32; 4],
    /// By output the inputs whose answers are awaited there, the oldest in the lowest bits.
    awaited: [u16; 4],
    /// The circuits whose words pass: bit `4 * input + output` while that output is held.
    circuits: u16,
    drain: u8,
    bypass: u8,
}

/// The model.
#[derive(Debug)]
pub struct FatTreeTailRouter;

impl State {
    /// The outputs that take no head now: a circuit holds them, or too many answers are
    /// awaited there. Where there are two ports up, one answer is too many.
    fn closed(&self, upstream_single: bool) -> PortSet {
        let full = |output: usize| {
            let most = match output {
                A | B => ANSWERS_MAX as usize,
                C if upstream_single => ANSWERS_MAX as usize,
                _ => 1,
            };
            self.awaited[output] >> (PLACE_BITS * (most - 1)) != 0
        };
        let full = [A, B, C, D].map(|output| PortSet::from(full(output)) << output);
        columns(self.circuits.into()) | full.into_iter().sum::<PortSet>()
    }

    /// Takes in the answers at the outputs in `acked` and `collided`. Returns the inputs
    /// whose circuits a collision has ended.
    fn answered(&mut self, acked: PortSet, collided: PortSet) -> PortSet {
        let mut stopped = 0;
        for output in [A, B, C, D] {
            if (acked | collided) >> output & 1 == 0 || self.awaited[output] == 0 {
                continue;
            }
            let input = (self.awaited[output] as u8 & 0xf).trailing_zeros() as usize;
            let attempts = &mut self.attempts[input];
            let waits = |at: &usize| *attempts >> (ATTEMPT_BITS * at) >> output & 1 != 0;
            let Some(at) = (0..ANSWERS_MAX as usize).find(waits) else {
                continue;
            };
            let shift = ATTEMPT_BITS * at;
            let youngest = *attempts >> shift <= ATTEMPT;
            let mut answer = 0;
            if acked >> output & 1 != 0 {
                answer |= ACKED;
            }
            if collided >> output & 1 != 0 {
                answer |= COLLIDED;
                let held = self.circuits >> (4 * input + output) & 1 != 0;
                stopped |= PortSet::from(held && youngest) << input;
            }
            *attempts = *attempts & !(1 << output << shift) | answer << shift;
        }
        stopped
    }

    /// Adds the attempts whose heads were granted an output or rejected.
    fn attempted(&mut self, granted: Matrix, rejected: PortSet) {
        for input in [A, B, C, D] {
            let to = (granted >> (4 * input) & 0xf) as u32;
            let attempt = to | ((rejected >> input & 1) as u32 * COLLIDED);
            let attempts = &mut self.attempts[input];
            let used = (u32::BITS - attempts.leading_zeros()) as usize;
            let place = used.next_multiple_of(ATTEMPT_BITS);
            // A sender that keeps the protocol never finds all places taken.
            if place < ANSWERS_MAX as usize * ATTEMPT_BITS {
                *attempts |= attempt << place;
            }
            if to != 0 {
                let awaited = &mut self.awaited[to.trailing_zeros() as usize];
                let used = (u16::BITS - awaited.leading_zeros()) as usize;
                *awaited |= 1 << input << used.next_multiple_of(PLACE_BITS);
            }
        }
    }

    /// The answers that leave by the inputs: acknowledges and collisions.
    fn leave(&mut self) -> (PortSet, PortSet) {
        let (mut acked, mut collided) = (0, 0);
        for input in [A, B, C, D] {
            let oldest = self.attempts[input];
            if oldest & (ACKED | COLLIDED) != 0 {
                acked |= PortSet::from(oldest & ACKED != 0) << input;
                collided |= PortSet::from(oldest & COLLIDED != 0) << input;
                self.attempts[input] >>= ATTEMPT_BITS;
            }
        }
        (acked, collided)
    }
}

impl Model for FatTreeTailRouter {
    model_types!(State, Pins, [LinkWord; 4]);
    const STEP_REPORTS_OUTPUT_CHANGE: bool = true;

    fn step(
        state: &mut State,
        pins: &Pins,
        random: &impl RandomPins,
        words: &mut [LinkWord],
    ) -> bool {
        let before = *state;
        let arriving = Quad::new(words);
        let valid = state.words.ports_with(VALID);
        let heads = valid & !rows(state.circuits.into()) & !PortSet::from(state.drain);
        let Arbitration {
            granted,
            rejected,
            swallow,
        } = Heads {
            ports: heads,
            words: state.words,
            arriving,
            closed: state.closed(pins.upstream_single),
            level: pins.level.into(),
            winner_fixed: pins.winner_fixed,
            upstream_single: pins.upstream_single,
        }
        .arbitrate(random);

        let forwarded = arriving.only(FORWARD);
        let word = state
            .words
            .replaced(PortSet::from(state.bypass) | swallow, forwarded);
        let passing = word.ports_with(VALID);
        let (acked, collided) = (arriving.ports_with(ACK), arriving.ports_with(COLLISION));
        let stopped = state.answered(acked, collided);
        state.attempted(granted, rejected);
        for output in [A, B, C, D] {
            if (acked | collided) >> output & 1 != 0 {
                state.awaited[output] >>= PLACE_BITS;
            }
        }
        let (ack, collision) = state.leave();

        let goes_on = passing & !stopped;
        let circuits = Matrix::from(state.circuits) & whole_rows(goes_on) | granted;
        let driven = word.through(circuits).0
            | Quad::of_ports(ack, ACK).0
            | Quad::of_ports(collision, COLLISION).0;
        words.copy_from_slice(&Quad(driven).ports());
        *state = State {
            words: forwarded,
            circuits: circuits as u16,
            drain: (rejected | stopped & passing | PortSet::from(state.drain) & valid) as u8,
            bypass: (PortSet::from(state.bypass) & goes_on | rows(granted) & swallow) as u8,
            ..*state
        };
        *state != before
    }

    fn output(state: &State, port: usize) -> u64 {
        let input = port.wrapping_sub(PORT_STATE);
        state_of_input(state.circuits.into(), state.drain.into(), input)
    }
}
