//! The gate engine: one netlist evaluated for hundreds of instances at once.
//!
//! | file | holds |
//! |---|---|
//! | [`program`] | the compiled program of a module |
//! | [`kernel`] | its portable interpreter over lane words |
//! | [`reset`] | what registers hold after reset |
//! | [`plan`] | what the engine has to know of an array |
//! | [`layout`] | where bit planes lie in memory |
//! | [`wiring`] | links between arrays as moves of words |
//! | [`engine`] | the engine: buffers, cycles, threads |
//! | [`straight`] | straight-line programs over planes of memory |
//! | [`native`] | their machine code for x86-64 |
//! | [`mod@reference`] | the slow, obvious evaluator that judges the rest |
//!
//! [`native`] takes a [`straight::Straight`], with the registers in place;
//! [`kernel`] a [`program::Program`] and a frame of slots.

pub mod engine;
pub mod kernel;
pub mod layout;
pub mod native;
pub mod plan;
pub mod program;
pub mod reference;
pub mod reset;
pub mod straight;
pub mod wiring;

pub use engine::GateEngine;
pub use reference::ReferenceEngine;
