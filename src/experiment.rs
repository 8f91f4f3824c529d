//! From a configuration to runs and their results; and papers' figures beside models and
//! simulation.

pub mod batch;
pub mod check;
pub mod collisions;
pub mod config;
pub mod export;
pub mod figure;
pub mod host;
pub mod memory;
pub mod page;
pub mod points;
pub mod recorder;
pub mod report;
pub mod result;
pub mod run;
pub mod strumpen2005;
pub mod study;
