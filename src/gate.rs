//! The gate engine: one netlist evaluated for hundreds of instances at once.
//!
//! | file | holds |
//! |---|---|
//! | [`program`] | the compiled program of a module |
//! | [`kernel`] | its portable interpreter over lane words |
//! | [`straight`] | straight-line programs over planes of memory |
//! | [`native`] | their machine code for x86-64 |
//! | [`evaluator`] | the two behind one face |
//! | [`reset`] | what registers hold after reset |
//! | [`rest`] | when a chip need not be evaluated |
//! | [`place_code`] | places of words in 32 bits |
//! | [`plan`] | what the engine has to know of an array |
//! | [`planes`] | memory for bit planes |
//! | [`layout`] | where bit planes lie in it |
//! | [`wiring`] | links between arrays as moves of words |
//! | [`joined`] | those of them that native code does itself |
//! | [`shuffle`] | links that exchange bits of ports and lanes, as joins of planes |
//! | [`transpose`] | planes to words and back, for wiring without order |
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
//! | [`cost`] | instructions and bytes of a cycle, counted |
//! | [`mod@reference`] | the slow, obvious evaluator that judges the rest |

mod begin;
mod block_plan;
mod build;
mod code_draw;
pub mod cost;
mod draw;
pub mod engine;
pub mod evaluator;
mod gather;
pub mod joined;
pub mod kernel;
pub mod layout;
pub mod native;
pub mod partition;
pub mod place_code;
pub mod plan;
pub mod planes;
pub mod program;
mod reads;
pub mod reference;
pub mod reset;
pub mod rest;
pub mod shuffle;
pub mod skew;
mod skewed;
pub mod step;
pub mod straight;
pub mod transpose;
pub mod wiring;
mod workspace;

pub use engine::GateEngine;
pub use evaluator::Backend;
pub use reference::ReferenceEngine;
