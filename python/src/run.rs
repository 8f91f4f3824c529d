//! Runs and their results.

use std::ffi::CString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::system;
use crosswave_figures::columns::Column;
use crosswave_observe::life::Follower;
use crosswave_observe::life::standstill::find_failure;
use crosswave_observe::life::table::AttemptRows;
use crosswave_observe::points::watch::interruption;
use crosswave_observe::recording::{Recording, RecordingFailure, WaveTarget};
use crosswave_observe::tables;
use crosswave_run::batches::{Batch, Batches};
use crosswave_run::config::Config;
use crosswave_run::counts::RunCounts;
use crosswave_run::host::Outcome;
use crosswave_run::links;
use crosswave_run::memory;
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::result::{RunResult, RunSums};
use crosswave_run::simulation::Simulation;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

use crate::configuration::{Configuration, of_argument};
use crate::errors::exception;
use crate::table::Table;
use crate::watched::{BatchWatch, Control, watched};

/// The results of the replicates of a run.
#[pyclass(frozen, module = "crosswave")]
pub(crate) struct Results {
    result: RunResult,
    json: String,
    messages: Py<Table>,
    attempts: Option<Py<Table>>,
    links: Option<Py<Table>>,
}

#[pymethods]
impl Results {
    /// True when every replicate delivered all its messages, and no router broke a property.
    #[getter]
    fn finished(&self) -> bool {
        let monitors = self.result.monitors.as_ref();
        self.result.finished && monitors.is_none_or(|found| found.broken.is_empty())
    }

    /// The last cycle of each replicate, added up.
    #[getter]
    fn cycles(&self) -> u64 {
        self.result.cycles
    }

    /// The messages of all replicates, a row each: the columns of `crosswave run --messages`.
    #[getter]
    fn messages(&self, py: Python<'_>) -> Py<Table> {
        self.messages.clone_ref(py)
    }

    /// The attempts, or packets, of all replicates with their routes, a row each, if `attempts` was asked
    /// for: the columns of `crosswave run --events FILE.parquet`.
    #[getter]
    fn attempts(&self, py: Python<'_>) -> Option<Py<Table>> {
        self.attempts.as_ref().map(|table| table.clone_ref(py))
    }

    /// The use of each link over all replicates, if `links` was asked for: the columns of
    /// `crosswave run --links`.
    #[getter]
    fn links(&self, py: Python<'_>) -> Option<Py<Table>> {
        self.links.as_ref().map(|table| table.clone_ref(py))
    }

    /// The sums over all replicates as JSON, as `crosswave run --json` writes them.
    fn to_json(&self) -> &str {
        &self.json
    }

    /// The same as dicts and lists.
    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (&self.json,))
    }

    fn __repr__(&self) -> String {
        let messages = &self.result.messages;
        format!(
            "<crosswave.Results: {} of {} messages delivered in {} cycles>",
            messages.delivered, messages.offered, self.result.cycles
        )
    }
}

/// What is wanted of a run beside its messages.
struct Wanted {
    attempts: bool,
    links: bool,
    waveform: Option<PathBuf>,
    viewer_files: bool,
}

/// What came out of the replicates of a run.
struct Simulated {
    outcomes: Vec<Outcome>,
    counts: RunCounts,
    /// The last cycle of a replicate at most.
    cycles_max: Option<u64>,
    elapsed: Duration,
    missed: Option<Error>,
    attempts: Option<Vec<Column>>,
}

/// The cells of a run, before they are tables.
struct Made {
    result: RunResult,
    messages: Vec<Column>,
    attempts: Option<Vec<Column>>,
    links: Option<Vec<Column>>,
    /// The message for a waveform of which nothing came in the run.
    missed: Option<Error>,
}

/// Runs all replicates of a configuration to their ends.
///
/// With `attempts` every attempt is followed from router to router, with `links` the flits on links of your
/// own routers are counted. `waveform` is a file for the waveform of replicate 0: `.fst`, `.vcd` or
/// `.vcd.gz`; the table `wave` of the configuration says what it shows. `progress` is called with the share
/// that is done, from 0 to 1.
///
/// Messages that were not delivered are no exception: `finished` of the results is False then.
#[pyfunction]
#[pyo3(signature = (configuration, *, attempts=false, links=false, waveform=None, viewer_files=false, progress=None))]
pub(crate) fn run(
    py: Python<'_>,
    configuration: &Bound<'_, PyAny>,
    attempts: bool,
    links: bool,
    waveform: Option<PathBuf>,
    viewer_files: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Results> {
    let configuration = of_argument(configuration)?;
    let wanted = Wanted {
        attempts,
        links,
        waveform,
        viewer_files,
    };
    let made = watched(py, progress, |control| {
        make(&configuration, &wanted, control)
    })?;
    let made = made.map_err(exception)?;
    if let Some(missed) = made.missed {
        let text = CString::new(missed.to_string().trim_end()).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
    }
    let table = |columns| Py::new(py, Table::new(columns)?);
    Ok(Results {
        json: json(&made.result),
        result: made.result,
        messages: table(made.messages)?,
        attempts: made.attempts.map(table).transpose()?,
        links: made.links.map(table).transpose()?,
    })
}

/// The result as the command writes it.
fn json(result: &RunResult) -> String {
    serde_json::to_string(result).expect("it is made of numbers, names and lists")
}

fn make(configuration: &Configuration, wanted: &Wanted, control: &Control) -> Result<Made, Error> {
    let config = configuration.checked()?;
    if wanted.links {
        links::check(&*config.topology())
            .map_err(|found| Error::one(Class::Usage, configuration.origin(), found))?;
    }
    check_memory(&config, configuration.origin())?;
    let simulation = Simulation::new(&config)?;
    let simulated = simulate(&simulation, configuration, wanted, control)?;
    if control.is_stopped() {
        return Err(interruption());
    }
    let Simulated {
        outcomes, counts, ..
    } = simulated;
    let mut sums = RunSums::new(&config);
    outcomes.iter().for_each(|outcome| sums.add(outcome));
    let mut watch = BatchWatch::new(control, 0.0, u64::MAX);
    let failure = find_failure(&simulation, sums.failed_packets(), &mut watch)?;
    let mut resolved = config.clone();
    resolved.run.cycles_max = simulated.cycles_max;
    let mut result = sums.result(&resolved, simulated.elapsed.as_secs_f64());
    result.failure = failure;
    result.monitors = counts.monitors;
    let (network, fabric) = (simulation.network(), simulation.fabric());
    let links = counts.links.as_ref().map(|links| {
        result.links = Some(links.summary(fabric, result.cycles));
        tables::links(links, fabric, result.cycles)
    });
    Ok(Made {
        messages: tables::messages(network, (0..).zip(&outcomes)),
        attempts: simulated.attempts,
        links,
        result,
        missed: simulated.missed,
    })
}

/// Bytes of a message in the tables of a run, and before they are made.
const MESSAGE_BYTES: u64 = 400;

/// Refuses a run that takes more memory than the system grants. Waveforms and attempts do not count.
pub(crate) fn check_memory(config: &Config, origin: &str) -> Result<(), Error> {
    let (Some(granted), Some(messages)) =
        (system::granted_memory(), memory::expected_messages(config))
    else {
        return Ok(());
    };
    let need = memory::need(config, &*config.topology(), messages.into())?;
    let replicates = u64::from(config.run.replicates);
    let tables = messages
        .saturating_mul(replicates)
        .saturating_mul(MESSAGE_BYTES);
    let bytes = need.total().saturating_add(tables);
    if bytes <= granted.bytes {
        return Ok(());
    }
    let found = format!(
        "the run takes about {} MiB, and the system grants {} MiB: {}",
        bytes.div_ceil(1 << 20),
        granted.bytes >> 20,
        granted.bound
    );
    let help = "lower network.nodes, the number of messages or run.replicates";
    let diagnostic = Diagnostic::new("memory", found, help);
    Err(Error::one(Class::Usage, origin, diagnostic))
}

/// Runs the replicates: those that are recorded or followed one after another, the others side by side.
fn simulate(
    simulation: &Simulation,
    configuration: &Configuration,
    wanted: &Wanted,
    control: &Control,
) -> Result<Simulated, Error> {
    let none = RunCounts::none(simulation, false, wanted.links);
    let mut simulated = Simulated {
        outcomes: Vec::new(),
        counts: none.clone(),
        cycles_max: None,
        elapsed: Duration::ZERO,
        missed: None,
        attempts: None,
    };
    let replicates = simulation.config().run.replicates;
    let mut rows = wanted
        .attempts
        .then(|| AttemptRows::new(simulation.fabric()));
    let is_alone = |index: u32| wanted.attempts || index == 0 && wanted.waveform.is_some();
    while (simulated.outcomes.len() as u32) < replicates && !control.is_stopped() {
        let index = simulated.outcomes.len() as u32;
        if !is_alone(index) {
            beside(simulation, index, &none, &mut simulated, control)?;
            continue;
        }
        let replicate = simulation.replicate(index)?;
        let cycles_max = simulation.cycles_max(&replicate.workload);
        simulated.cycles_max = Some(cycles_max);
        let watch = BatchWatch::new(control, 1.0 / f64::from(replicates), cycles_max);
        let copies = none.fabric(simulation, 1);
        let mut counting = none.observer(simulation, copies.as_deref(), index);
        let follower = rows.as_mut().map(|rows| {
            rows.begin(index);
            Follower::new(simulation.network(), simulation.fabric(), rows)
        });
        let mut observer = (watch, (&mut counting, follower));
        match (&wanted.waveform, index) {
            (Some(path), 0) => {
                let waveform = (path, wanted.viewer_files);
                let run = (simulation, &replicate);
                let recorded = record(run, configuration, waveform, control, &mut observer)?;
                simulated.outcomes.push(recorded.0);
                simulated.elapsed += recorded.1;
                simulated.missed = recorded.2;
            }
            _ => {
                let start = Instant::now();
                let outcome = simulation.run_one(&replicate, &mut observer)?;
                simulated.elapsed += start.elapsed();
                simulated.outcomes.push(outcome);
            }
        }
        let (_, (_, follower)) = observer;
        let taken = follower.map_or(Ok(()), |follower| follower.finish().map(drop));
        taken.expect("memory takes all rows");
        simulated.counts.add(&RunCounts::of(counting));
    }
    simulated.attempts = rows.map(AttemptRows::into_columns);
    Ok(simulated)
}

/// Runs a replicate and records it.
fn record(
    (simulation, replicate): (&Simulation, &Replicate),
    configuration: &Configuration,
    (path, has_viewer_files): (&PathBuf, bool),
    mut control: &Control,
    observer: &mut dyn Observer,
) -> Result<(Outcome, Duration, Option<Error>), Error> {
    let target = WaveTarget::of_name(path)
        .map_err(|refusal| RecordingFailure::from(refusal).into_error())?;
    let description = Recording {
        target,
        wave: simulation.config().wave.clone(),
        has_viewer_files,
    };
    description.check_trace(simulation.config())?;
    let source = configuration.source();
    let waveform = description.waveform(simulation, &source, &mut control);
    let waveform = waveform.map_err(|failure| failure.into_error())?;
    let recorded = waveform.record(replicate, observer, &mut control);
    let recorded = recorded.map_err(|failure| failure.into_error())?;
    Ok((recorded.outcome, recorded.took, recorded.missed))
}

/// Runs the replicates from `first` on, in batches on all processors.
fn beside(
    simulation: &Simulation,
    first: u32,
    none: &RunCounts,
    simulated: &mut Simulated,
    control: &Control,
) -> Result<(), Error> {
    let all = simulation.config().run.replicates;
    let make = |index| simulation.replicate(index);
    let batches = Batches::new(simulation, first..all, &make, simulation.processors())?;
    let cycles_max = batches
        .first()
        .map_or(u64::MAX, |first| simulation.cycles_max(&first.workload));
    simulated.cycles_max = Some(cycles_max);
    let start = Instant::now();
    batches.run(
        |batch: &Batch, stop| {
            let count = batch.replicates.len();
            let share = count as f64 / f64::from(all);
            let watch = BatchWatch::new(control, share, cycles_max).or_stopped_by(stop);
            let fabric = none.fabric(simulation, count);
            let mut counting = none.observer(simulation, fabric.as_deref(), batch.first);
            let outcomes = batch.run(simulation, &mut (watch, &mut counting))?;
            Ok((outcomes, RunCounts::of(counting)))
        },
        || {},
        |(outcomes, counts)| {
            simulated.outcomes.extend(outcomes);
            simulated.counts.add(&counts);
            Ok(!control.is_stopped())
        },
    )?;
    simulated.elapsed += start.elapsed();
    Ok(())
}
