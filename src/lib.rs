//! crosswave simulates the routers and networks of circuit-switched fat trees, bidelta
//! networks and their kin, cycle by cycle, from their synthesised gate netlists or from register-level
//! models of the same chips.
//!
//! Layers, from the bottom up; a layer imports only those above it in this list:
//!
//! | module | holds |
//! |---|---|
//! | [`escape`] | foreign text made harmless for terminals, XML, JSON and CSV |
//! | [`diagnostic`] | what is said of wrong input: place, finding, expectation, mend |
//! | [`system`] | the memory that the system grants |
//! | [`guard`] | a boundary that panics do not cross |
//! | [`threads`] | threads that take steps of an engine together, where that pays |
//! | [`file`](mod@file) | files that appear under their name only when they are whole |
//! | [`columns`] | tables by columns, as Parquet |
//! | [`suggest`] | the known word that a user may have meant |
//! | [`statistics`] | means, standard errors, intervals |
//! | [`random`] | random bits keyed by (seed, stream, group, cycle) |
//! | [`traffic`] | patterns and traces: which node sends what to whom, and when |
//! | [`document`](mod@document) | TOML documents of known keys, and what is wrong with them |
//! | [`netlist`] | gate netlists: Yosys JSON, a text form, checks, passes |
//! | [`probe`] | what a run observes: signals, messages, counters |
//! | [`routing`] | headers and paths |
//! | [`chip`] | port tables, protocol words and register-level models of the chips |
//! | [`oblivious`] | oblivious routing on m-port n-trees: loads and worst cases, without engines |
//! | [`frame`] | networks on one hierarchical frame: fat trees, fat stacks, fat pyramids, without engines |
//! | [`network`] | instances, ports and links of a topology; export to Verilog |
//! | [`gate`] | the gate engine: one netlist for hundreds of instances at once |
//! | [`event`] | the event engine: register-level models, woken when needed |
//! | [`flows`] | flows of packets on links of limited rates, on the event engine |
//! | [`wave`] | waveforms: VCD files and drawings for the terminal |
//! | [`design`] | netlists that are not ours: arrays of instances, stimuli, X |
//! | [`analytic`] | models with formulas: what the papers compute by hand |
//! | [`collectives`] | schedules of collective communications in binary fat trees |
//! | [`plot`] | curves and measured points as SVG pictures |
//! | [`config`] | the configuration of a run, read and checked |
//! | [`host`] | the nodes: what they offer, and what becomes of it |
//! | [`run`] | a configuration on an engine, watched, to its result |
//! | [`trigger`] | conditions on signals and messages, and the cycles around them |
//! | [`points`] | runs with as many replicates as make a mean sure, kept in a folder |
//! | [`sweep`] | a configuration with keys of it varied |
//! | [`life`] | what becomes of each message, attempt by attempt and router by router |
//! | [`view`] | a run as a page for a browser |
//! | [`export`] | a configuration as Verilog with a test bench |
//! | [`papers`] | papers' figures beside models and simulation |
//! | [`cli`] | arguments, terminal output, exit codes |
//!
//! # As a library
//!
//! A [`Config`] describes a run, a [`Simulation`] is it with its network built, and an
//! [`Outcome`] is what a replicate leaves behind; [`RunResult`] sums replicates up as
//! `crosswave run` does. These names at the root are what other programs may rely on.
//!
//! ```
//! use std::path::Path;
//!
//! use crosswave::{Config, RunResult, Simulation};
//!
//! let text = "
//!     [network]
//!     kind = 'fat-tree'
//!     nodes = 64
//!
//!     [traffic]
//!     pattern = 'bit-reversal'
//!     words = 8
//!
//!     [run]
//!     replicates = 4
//! ";
//! let config = Config::parse(text, "bit-reversal", Path::new("."), &[])?;
//! let outcomes = Simulation::new(&config)?.run_all()?;
//! let result = RunResult::new(&config, &outcomes, 0.0);
//! assert!(result.finished);
//! // Addresses that are their own reversal send nothing.
//! assert_eq!(result.messages.delivered, 4 * (64 - 8));
//! let latency = result.latency_cycles.expect("messages were delivered");
//! assert!(latency.min < latency.p50 && latency.p50 < latency.max);
//! # Ok::<(), crosswave::Error>(())
//! ```
//!
//! `ARCHITECTURE.md` gives the invariants that hold these layers together.

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod analytic;
pub mod chip;
pub mod cli;
pub mod collectives;
pub mod columns;
pub mod config;
pub mod design;
pub mod diagnostic;
pub mod document;
pub mod escape;
pub mod event;
pub mod export;
pub mod file;
pub mod flows;
pub mod frame;
pub mod gate;
pub mod guard;
pub mod host;
pub mod life;
pub mod netlist;
pub mod network;
pub mod oblivious;
pub mod papers;
pub mod plot;
pub mod points;
pub mod probe;
pub mod random;
pub mod routing;
pub mod run;
pub mod statistics;
pub mod suggest;
pub mod sweep;
pub mod system;
pub mod threads;
pub mod traffic;
pub mod trigger;
pub mod view;
pub mod wave;

pub use config::Config;
pub use diagnostic::Error;
pub use host::Outcome;
pub use run::replicate::Replicate;
pub use run::result::RunResult;
pub use run::simulation::Simulation;
