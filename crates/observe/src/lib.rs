//! Simulations looked at: what happened to which message, when, and how it depends on the
//! configuration. Nothing here computes a signal.
//!
//! | module | holds |
//! |---|---|
//! | [`flows`] | flows of packets on links of limited rates, on the event engine |
//! | [`trigger`] | conditions on signals and messages, and the cycles around them |
//! | [`recording`] | waveforms of runs: selections, windows, triggers, sizes, files for viewers |
//! | [`points`] | runs with as many replicates as make a mean sure, kept in a folder |
//! | [`sweep`] | a configuration with keys of it varied |
//! | [`compare`] | two configurations in lock step, and what they measure |
//! | [`life`] | traces of messages, attempt by attempt and router by router |
//! | [`tables`] | messages and links as tables by columns |
//! | [`view`] | a run as a page for a browser |
//! | [`drawing`] | a network as SVG |
//! | [`export`] | a configuration as Verilog with a test bench |

pub mod compare;
pub mod drawing;
pub mod export;
pub mod flows;
pub mod life;
pub mod points;
pub mod recording;
pub mod sweep;
pub mod tables;
pub mod trigger;
pub mod view;
