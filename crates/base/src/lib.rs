//! The foundation of all crates of crosswave, free of hardware.
//!
//! | module | holds |
//! |---|---|
//! | [`escape`] | foreign text made harmless for terminals, XML, JSON and CSV |
//! | [`diagnostic`] | errors with their place, finding, expectation and fix |
//! | [`system`] | the memory that the system grants |
//! | [`guard`] | a boundary that panics do not cross |
//! | [`threads`] | threads that take steps of an engine together, where that pays |
//! | [`jobs`] | jobs side by side, whose results are taken in their order |
//! | [`file`](mod@file) | files that appear under their name only when they are whole |
//! | [`text`] | lines of foreign text, and mistakes in them |
//! | [`suggest`] | the known word that a user may have meant |
//! | [`statistics`] | means, standard errors, intervals |
//! | [`decimal`] | exact decimal scales, so that cycles do not depend on rounding |
//! | [`random`] | random bits keyed by (seed, stream, group, cycle) |

pub mod decimal;
pub mod diagnostic;
pub mod escape;
pub mod file;
pub mod guard;
pub mod jobs;
pub mod random;
pub mod statistics;
pub mod suggest;
pub mod system;
pub mod text;
pub mod threads;
