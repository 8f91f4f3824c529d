//! The native half of the Python package `crosswave`: what `crosswave/__init__.py` takes from
//! `crosswave._crosswave`.
//!
//! | file | holds |
//! |---|---|
//! | `errors` | exceptions with the diagnostics of the command |
//! | `watched` | long work beside the interpreter: progress, Ctrl-C |
//! | `configuration` | configurations of dicts, files and texts |
//! | `run` | runs and their results |
//! | `table` | tables that data frames take without a copy |
//! | `sweep` | a configuration with keys of it varied, here or by workers |
//! | `trace` | a message from router to router |
//! | `waveform` | waveform files by signal |
//! | `netlist` | gate netlists, cycle by cycle |
//! | `svg` | pictures for notebooks |
//!
//! It stands on the same crates as the command, and has no checks, defaults or messages of its own where
//! those have some. The interpreter's lock is released while anything is simulated, and while netlists and
//! waveforms are read.

mod configuration;
mod errors;
mod netlist;
mod run;
mod svg;
mod sweep;
mod table;
mod trace;
mod watched;
mod waveform;

use pyo3::prelude::*;

/// The module.
#[pymodule]
fn _crosswave(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::add(module)?;
    module.add_class::<configuration::Configuration>()?;
    module.add_class::<run::Results>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<svg::Svg>()?;
    module.add_class::<netlist::Netlist>()?;
    module.add_class::<sweep::Sweep>()?;
    module.add_class::<trace::Trace>()?;
    module.add_class::<waveform::Waveform>()?;
    module.add_class::<waveform::Signal>()?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace, module)?)
}
