//! crosswave simulates the routers and networks of circuit-switched fat trees, bidelta
//! networks and their kin, cycle by cycle, from their synthesised gate netlists or from register-level
//! models of the same chips.
//!
//! This crate is the face of a workspace; `ARCHITECTURE.md` has the layers. These of its crates are
//! of use by themselves:
//!
//! | crate | holds |
//! |---|---|
//! | `crosswave-netlist` | gate netlists: Yosys JSON, a text form, checks, passes |
//! | `crosswave-lanes` | netlists evaluated for hundreds of instances at once, in machine code |
//! | `crosswave-design` | netlists of any design: arrays of instances, stimuli, X |
//! | `crosswave-wave` | waveforms: VCD and FST read, written, compared, selected and drawn |
//! | `crosswave-analytic` | models with formulas: what the papers compute by hand |
//! | `crosswave-oblivious` | oblivious routing on m-port n-trees: loads and worst cases |
//! | `crosswave-frame` | fat trees, fat stacks and fat pyramids on one hierarchical frame |
//! | `crosswave-collectives` | schedules of collective communications in binary fat trees |
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

pub use crosswave_base::diagnostic::Error;
pub use crosswave_run::config::Config;
pub use crosswave_run::host::Outcome;
pub use crosswave_run::replicate::Replicate;
pub use crosswave_run::result::RunResult;
pub use crosswave_run::simulation::Simulation;
