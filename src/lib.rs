//! crosswave simulates the routers and networks of circuit-switched fat trees, bidelta
//! networks and related ones, cycle by cycle, from their synthesised gate netlists or from
//! register-level models of the same chips.
//!
//! A run with its waveform, as in `examples/first_run.rs`:
//!
//! ```
#![doc = include_str!("../examples/first_run.rs")]
//! ```
//!
//! | step | type |
//! |---|---|
//! | describe a network | [`FatTree`], [`Bidelta`], [`Butterfly`], [`Transit`], [`BinaryFatTree`], [`MportTree`], [`MportPacketTree`], [`ButterflyFatTree`], [`FatStack`], [`FatPyramid`]; of your own routers [`Mesh`], [`Torus`], [`Ring`], [`Custom`] |
//! | say what its nodes send | [`Traffic`] |
//! | say how it is run | [`Config`], which may also be read from a file; [`Retry`], [`Faults`] |
//! | say what is recorded | [`Recording`] |
//! | build it and run it | [`Simulation`] |
//! | look at what came out | [`Results`], [`Message`], [`Latencies`] |
//!
//! All that fails is an [`Error`], which prints what was found, where, and how to fix it. Typed
//! values, configuration files and the `crosswave` command share one set of keys, defaults and
//! checks.
//!
//! The names at the root are what other programs may rely on. They stand on a workspace of
//! crates, `crosswave-*`, which change without notice; `ARCHITECTURE.md` has the layers. These
//! are of use by themselves:
//!
//! | crate | holds |
//! |---|---|
//! | `crosswave-netlist` | gate netlists: Yosys JSON, a text form, checks, passes |
//! | `crosswave-lanes` | netlists evaluated for hundreds of instances at once, in machine code |
//! | `crosswave-design` | netlists of any design: arrays of instances, stimuli, X |
//! | `crosswave-wave` | waveforms: VCD and FST read, written, compared, selected and drawn |
//! | `crosswave-analytic` | models with formulas: what the papers compute by hand |
//! | `crosswave-oblivious` | oblivious routing on m-port n-trees: loads and worst cases |
//! | `crosswave-frame` | fat trees, fat stacks and fat pyramids on one hierarchical frame |
//! | `crosswave-collectives` | schedules of collective communications in binary fat trees |

mod config;
mod error;
mod keys;
mod network;
mod recording;
mod results;
mod simulation;
#[cfg(test)]
mod tests;
mod traffic;

pub use config::{Config, Faults, Strategy as Retry};
pub use error::Error;
pub use network::{
    Bidelta, BinaryFatTree, Butterfly, ButterflyFatTree, Choice, Close, Custom, FatPyramid,
    FatStack, FatTree, Leaf, Mesh, MportPacketTree, MportTree, Network, Queue, Release, Ring,
    Torus, Transit, Winner,
};
pub use recording::{PortKind, Recording};
pub use results::{Latencies, Message, Results};
pub use simulation::Simulation;
pub use traffic::Traffic;
