//! Yuan, Nienaber, Duan & Melhem 2007: oblivious routing in fat-tree based system area networks
//! with uncertain traffic demands.
//!
//! | file | holds |
//! |---|---|
//! | [`paper`] | its row in the registry |
//! | [`mod@print`] | tables I to III, as printed |
//! | [`ratios`] | oblivious performance ratios, exactly: table I, and the bounds of section IV |
//! | [`averages`] | average performance ratios of random instances: tables II and III |
//! | [`curves`] | the same against how much is sent: figures 11 to 15 |
//! | [`mixed`] | clusters of random sizes, with patterns and with random traffic: section VI |
//! | [`multipath`] | oblivious ratios against the number of paths of a pair |
//! | [`damage`] | failed links and switches, before and after rerouting |
//! | [`hardware`] | permutations through packet and circuit switches: clocks against link loads |
//! | [`figures`] | pictures of these |
//! | [`sections`] | the sections of the report; the check takes their quantities |
//!
//! The year is that of the preliminary version, the only one that the paper names. What it
//! found by looking at paths is here a matching on every link
//! ([`oblivious::ratio`](crosswave_oblivious::ratio)), which simulates nothing; only [`hardware`] does.

pub mod averages;
pub mod curves;
pub mod damage;
pub mod figures;
pub mod hardware;
pub mod mixed;
pub mod multipath;
pub mod paper;
pub mod print;
pub mod ratios;
pub mod sections;

/// The paper, as sources name it.
const PAPER: &str = "Yuan et al. 2007";
