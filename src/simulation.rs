//! A configuration with its network built, ready to run.

use std::time::{Duration, Instant};

use crate::config::{Config, without_options};
use crate::error::Error;
use crate::recording::Recording;
use crate::results::Results;
use crosswave_observe::recording::{self, RecordingFailure};
use crosswave_run::host::Outcome;
use crosswave_run::result::RunResult;
use crosswave_run::simulation;

/// A configuration with its network built.
pub struct Simulation {
    config: Config,
    simulation: simulation::Simulation,
    recording: Option<Recording>,
}

impl Simulation {
    /// Builds the network of a configuration.
    ///
    /// # Errors
    /// Those of [`Config::check`].
    pub fn new(config: &Config) -> Result<Simulation, Error> {
        Ok(Simulation {
            config: config.clone(),
            simulation: simulation::Simulation::new(&config.checked()?)?,
            recording: None,
        })
    }

    /// Records a waveform of replicate 0 in every run.
    pub fn recording(mut self, recording: Recording) -> Simulation {
        self.recording = Some(recording);
        self
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        self.simulation.network().nodes()
    }

    /// Runs all replicates to their ends. Messages that were not delivered are no failure.
    ///
    /// # Errors
    /// When a trace cannot be read, and when there is no waveform to record: its description is
    /// wrong, its file cannot be written, or nothing of it came in the run. A waveform that is not
    /// whole has no file.
    pub fn run(&self) -> Result<Results, Error> {
        let config = self.simulation.config();
        let mut took = Duration::ZERO;
        let mut outcomes = Vec::new();
        if let Some(recording) = &self.recording {
            let (outcome, recorded_in) = self.record(recording)?;
            took += recorded_in;
            outcomes.push(outcome);
        }
        let start = Instant::now();
        self.simulation
            .run_from(outcomes.len() as u32, &mut outcomes)?;
        took += start.elapsed();
        let result = RunResult::new(config, &outcomes, took.as_secs_f64());
        Ok(Results::new(result, &outcomes))
    }

    /// Runs replicate 0 and records it.
    fn record(&self, recording: &Recording) -> Result<(Outcome, Duration), Error> {
        let config = self.config.with(recording.keys.clone());
        let (source, _) = config.source();
        let description = recording::Recording {
            target: recording.target.clone(),
            wave: config.checked()?.wave,
            has_viewer_files: recording.has_viewer_files,
        };
        description.check_trace(self.simulation.config())?;
        let failed = |failure: RecordingFailure| without_options(failure.into_error());
        let waveform = description.waveform(&self.simulation, &source, &mut ());
        let waveform = waveform.map_err(failed)?;
        let replicate = self.simulation.replicate(0)?;
        let recorded = waveform.record(&replicate, &mut (), &mut ());
        let recorded = recorded.map_err(failed)?;
        match recorded.missed {
            Some(missed) => Err(missed.into()),
            None => Ok((recorded.outcome, recorded.took)),
        }
    }
}
