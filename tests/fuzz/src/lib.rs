//! Fuzzing of everything that crosswave reads: [`readers`] feeds bytes to the readers, and [`mutators`]
//! changes inputs whose form plain mutations of bytes would destroy. A target in `fuzz_targets` is a reader
//! and its mutator.

pub mod mutators;
pub mod readers;
