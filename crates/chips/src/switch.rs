//! Switches: what a router does with the messages that arrive at its inputs, as someone who
//! follows them sees it on its state ports.
//!
//! Input `i` of a switch is its link port `i`. A head that is on the wire at an input shows in
//! the state of that input [`head_clocks`](Switch::head_clocks) later, and is on the wire at the
//! output that it was given from the cycle on in which the state says so.
//!
//! | switch | chips | an input that is rejected |
//! |---|---|---|
//! | [`FourPort`](super::fat_tree_router::FourPort) | `fat_tree_router`, `fat_tree_tail_router` | drains |
//! | [`Crossbar`](super::rn1::Crossbar) | `rn1` | is blocked until it has answered |

use std::fmt::Debug;

/// Activity of an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crossing {
    /// Nothing.
    Idle,
    /// A head has come that asks for an output only with its next word.
    Arrived,
    /// It holds an output: the link port.
    Holds(usize),
    /// The message is rejected.
    Rejected,
}

/// A kind of router.
pub trait Switch: Debug + Send + Sync {
    /// Number of inputs.
    fn inputs(&self) -> usize;

    /// The port that shows the state of an input. It changes with what the input does.
    fn state_port(&self, input: usize) -> usize;

    /// The activity of an input that shows a state; `shown` reads another port of the same router
    /// in the same cycle.
    fn crossing(&self, input: usize, state: u64, shown: &dyn Fn(usize) -> u64) -> Crossing;

    /// True when an output may take nobody while the answer to its last holder is awaited.
    fn awaits_answers(&self) -> bool {
        false
    }

    /// Clocks from a head on the wire at an input to the state that tells of it.
    fn head_clocks(&self) -> u64;
}
