//! The trace of a message: where it was when, and what it waited for.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_figures::columns::Column;
use crosswave_observe::life::events::RouterNames;
use crosswave_observe::life::story::Story;
use crosswave_observe::life::table::AttemptRows;
use crosswave_observe::life::{Follower, LifeSink, ladder};
use crosswave_probe::message::NEVER;
use crosswave_run::simulation::Simulation;
use pyo3::prelude::*;

use crate::configuration::{Configuration, of_argument};
use crate::errors::exception;
use crate::svg::Svg;
use crate::table::Table;
use crate::watched::{BatchWatch, Control, watched};

/// The trace of a message. A notebook shows it as a ladder diagram.
#[pyclass(frozen, module = "crosswave")]
pub(crate) struct Trace {
    svg: String,
    attempts: Py<Table>,
    latency_cycles: Option<u64>,
    #[pyo3(get)]
    message: u32,
}

#[pymethods]
impl Trace {
    /// The attempts, or packets, of the message, a row each, with their routes.
    #[getter]
    fn attempts(&self, py: Python<'_>) -> Py<Table> {
        self.attempts.clone_ref(py)
    }

    /// The latency in cycles; None when the message was not acknowledged.
    #[getter]
    fn latency_cycles(&self) -> Option<u64> {
        self.latency_cycles
    }

    /// The ladder diagram: routers down, cycles to the right.
    #[getter]
    fn svg(&self) -> Svg {
        Svg::new(self.svg.clone())
    }

    fn _repr_svg_(&self) -> &str {
        &self.svg
    }

    fn __repr__(&self) -> String {
        match self.latency_cycles {
            Some(cycles) => format!(
                "<crosswave.Trace of message {}: {cycles} cycles>",
                self.message
            ),
            None => format!(
                "<crosswave.Trace of message {}: not acknowledged>",
                self.message
            ),
        }
    }
}

/// What a trace is made of.
struct Made {
    svg: String,
    attempts: Vec<Column>,
    latency_cycles: Option<u64>,
}

/// Follows a message of a run, by its number in the column `id` of the messages.
#[pyfunction]
#[pyo3(signature = (configuration, message, *, replicate=0, all_attempts=false, progress=None))]
pub(crate) fn trace(
    py: Python<'_>,
    configuration: &Bound<'_, PyAny>,
    message: u32,
    replicate: u32,
    all_attempts: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Trace> {
    let configuration = of_argument(configuration)?;
    let made = watched(py, progress, |control| {
        follow(&configuration, (message, replicate), all_attempts, control)
    })?;
    let made = made.map_err(exception)?;
    Ok(Trace {
        svg: made.svg,
        attempts: Py::new(py, Table::new(made.attempts)?)?,
        latency_cycles: made.latency_cycles,
        message,
    })
}

fn refused(place: &str, found: String, help: &str) -> Error {
    Error::one(
        Class::Usage,
        "arguments",
        Diagnostic::new(place, found, help),
    )
}

fn follow(
    configuration: &Configuration,
    (message, replicate): (u32, u32),
    all_attempts: bool,
    control: &Control,
) -> Result<Made, Error> {
    let config = configuration.checked()?;
    let replicates = config.run.replicates;
    if replicate >= replicates {
        let found = format!("found {replicate}; expected 0 to {}", replicates - 1);
        return Err(refused(
            "replicate",
            found,
            "run.replicates says how many there are",
        ));
    }
    let simulation = Simulation::new(&config)?;
    let replicate_run = simulation.replicate(replicate)?;
    let messages = replicate_run.workload.messages.len();
    if message as usize >= messages {
        let found = format!("found {message}; there are {messages} messages, from 0 on");
        let help = "the column id of a run's messages has them";
        return Err(refused("message", found, help));
    }
    let (network, fabric) = (simulation.network(), simulation.fabric());
    let mut story = Story::of(message);
    let cycles_max = simulation.cycles_max(&replicate_run.workload);
    let watch = BatchWatch::new(control, 1.0, cycles_max);
    let mut follower = Follower::new(network, fabric, &mut story);
    simulation.run_one(&replicate_run, &mut (watch, &mut follower))?;
    follower.finish().expect("a story takes all records");
    let svg = ladder::draw(&story, all_attempts, &mut RouterNames::new(fabric));
    let mut rows = AttemptRows::new(fabric);
    rows.begin(replicate);
    let mut sink = &mut rows;
    for attempt in &story.attempts {
        sink.attempt(attempt).expect("memory takes all rows");
    }
    if let Some(life) = &story.life {
        sink.message(life).expect("memory takes all rows");
    }
    let life = story.life.as_ref();
    let delivered = life.filter(|life| life.message.delivered_cycle != NEVER);
    Ok(Made {
        svg,
        attempts: rows.into_columns(),
        latency_cycles: delivered.map(|life| life.message.latency_cycles()),
    })
}
