//! The gate engine: one netlist evaluated for hundreds of instances at once.
//!
//! | file | holds |
//! |---|---|
//! | [`place_code`] | places of words in 32 bits |
//! | [`plan`] | what the engine has to know of an array |
//! | [`layout`] | where bit planes lie in it |
//! | [`wiring`] | links between arrays as moves of words |
//! | `gather` | putting together what links bring |
//! | `draw` | random bits |
//! | `code_draw` | random bits that native code draws itself |
//! | [`step`] | one clock edge of one thread |
//! | [`partition`] | how the work is shared between threads |
//! | [`skew`] | the order of several edges at a time, block by block |
//! | `skewed` | these edges, taken |
//! | `workspace` | the memory that a thread works in |
//! | `build` | chunks, wiring and memory of an engine, made from a fabric |
//! | `begin` | what an engine's memory holds in cycle 0 and after the reset |
//! | [`engine`] | the engine: what is driven and observed |
//! | [`settling`] | passes in which outputs settle that depend on inputs in the same cycle |
//! | [`own_netlist`] | a netlist from elsewhere made fit for the place of a chip |
//! | [`coverage`] | nets that have risen and fallen |
//! | [`cost`] | instructions and bytes of a cycle, counted |
//! | [`mod@reference`] | the slow, obvious evaluator that judges the rest |

mod begin;
mod block_plan;
mod build;
mod code_draw;
pub mod cost;
pub mod coverage;
mod draw;
pub mod engine;
mod gather;
pub mod layout;
pub mod own_netlist;
pub mod partition;
pub mod place_code;
pub mod plan;
mod reads;
pub mod reference;
pub mod settling;
pub mod skew;
mod skewed;
pub mod step;
pub mod wiring;
mod workspace;

pub use crosswave_lanes::Backend;
pub use engine::GateEngine;
pub use reference::ReferenceEngine;
