//! From a configuration to runs and their results.

pub mod config;
pub mod export;
pub mod host;
pub mod run;
