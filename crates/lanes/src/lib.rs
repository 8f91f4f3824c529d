//! Gate netlists evaluated for hundreds of instances at once: bit `i` of a *lane word* belongs to
//! instance `i`.
//!
//! | file | holds |
//! |---|---|
//! | [`code`] | the operations of the portable interpreter |
//! | [`kernel`] | its loops over lane words |
//! | [`operations`] | functions of a netlist as runs of operations |
//! | [`program`] | the compiled program of a module |
//! | [`straight`] | straight-line programs over planes of memory |
//! | [`native`] | their machine code for x86-64 |
//! | [`evaluator`] | the two behind one face |
//! | [`constants`] | nets that cannot change |
//! | [`reset`] | what registers hold after reset |
//! | [`rest`] | when a chip need not be evaluated |
//! | [`memories`] | the words of memories, lane by lane |
//! | [`single`] | one module by itself, with the same inputs in all lanes |
//! | [`planes`] | memory for bit planes |
//! | [`windows`] | windows of planes that links read |
//! | [`joined`] | links that native code puts together itself |
//! | [`shuffle`] | links that exchange bits of ports and lanes, as joins of planes |
//! | [`transpose`] | planes to words and back, for wiring without order |

pub mod code;
pub mod constants;
pub mod evaluator;
pub mod joined;
pub mod kernel;
mod known;
pub mod memories;
pub mod native;
pub mod operations;
pub mod planes;
pub mod program;
pub mod reset;
pub mod rest;
pub mod shuffle;
pub mod single;
pub mod straight;
pub mod transpose;
pub mod windows;

pub use evaluator::Backend;
