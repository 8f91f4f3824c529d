//! From a configuration to runs and their results.

pub mod config;
pub mod host;
pub mod recorder;
pub mod run;
