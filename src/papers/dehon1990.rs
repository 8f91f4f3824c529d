//! DeHon 1990: fat-tree routing for Transit, and the bidelta networks of RN1 beside it.
//!
//! | file | holds |
//! |---|---|
//! | [`paper`] | its row in the registry |
//! | [`quantities`] | what is printed, beside formulas and simulation |
//! | [`simulate`](mod@simulate) | what is simulated for the quantities |
//! | `bench` | a network on an engine, driven by its pins |
//! | [`path`] | clocks of a connection through a network |
//! | [`trees`] | fat trees of unit trees, built and counted, and paths through them |
//! | `tree_quantities` | what is printed of them, beside formulas and what was built |
//! | [`routing`] | how many connections a network routes at the first attempt |
//! | [`local_routing`], `locality_quantities` | the same in fat trees, of traffic that fits them |
//! | [`turning`] | clocks to a reply: over a turned connection, and over a second one |
//! | [`figures`] | Figure 4.19, and clocks to replies |

mod bench;
pub mod figures;
pub mod local_routing;
mod locality_quantities;
pub mod paper;
pub mod path;
pub mod quantities;
pub mod routing;
pub mod simulate;
mod tree_quantities;
pub mod trees;
pub mod turning;
