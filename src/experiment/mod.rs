//! From a configuration to runs and their results.

pub mod batch;
pub mod config;
pub mod export;
pub mod host;
pub mod recorder;
pub mod result;
pub mod run;
