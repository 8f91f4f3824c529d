//! Yuan, Nienaber, Duan & Melhem 2007: oblivious routing in fat-tree based system area networks
//! with uncertain traffic demands.
//!
//! | file | holds |
//! |---|---|
//! | [`paper`] | its row in the registry |
//! | [`mod@print`] | tables I to III, as printed |
//! | [`ratios`] | oblivious performance ratios, exactly: table I, and the bounds of section IV |
//! | [`averages`] | average performance ratios of random instances: tables II and III |
//!
//! The year is that of the preliminary version, the only one that the paper names. What it
//! found by looking at paths is here a matching on every link
//! ([`oblivious::ratio`](crate::oblivious::ratio)), which simulates nothing.

pub mod averages;
pub mod paper;
pub mod print;
pub mod ratios;

/// The paper, as sources name it.
const PAPER: &str = "Yuan et al. 2007";
