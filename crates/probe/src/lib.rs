//! Observations of a run, free of engines and of file formats.

pub mod engine;
pub mod message;
pub mod save;
pub mod signal;
