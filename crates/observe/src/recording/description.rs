//! Description of the recording of a run, as a value.

use std::path::PathBuf;

use super::failure::RecordingFailure;
use super::monitor::Monitor;
use super::selection::Selection;
use super::target::WaveTarget;
use super::viewers::ViewerPaths;
use super::waveform::RunWaveform;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file;
use crosswave_run::config::{Config, ConfigSource, WaveConfig};
use crosswave_run::simulation::Simulation;

/// A waveform that is to be recorded of replicate 0 of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// The destination of the waveform.
    pub target: WaveTarget,
    /// Its contents: the table `[wave]` of a checked configuration.
    pub wave: WaveConfig,
    /// True when files beside it tell viewers how to show it.
    pub has_viewer_files: bool,
}

impl Recording {
    /// The waveform of a run, for a program that has claimed no outputs. Files that cannot be
    /// written are found before anything is simulated. `source` is what the table was read from.
    ///
    /// # Errors
    /// Those of [`WaveTarget::check_order`], [`WaveTarget::check_several`],
    /// [`ViewerPaths::beside`], [`Selection::new`] and [`RunWaveform::triggered`], and when a file
    /// cannot be written.
    pub fn waveform<'a>(
        &self,
        simulation: &'a Simulation,
        source: &ConfigSource,
        monitor: &mut dyn Monitor,
    ) -> Result<RunWaveform<'a>, RecordingFailure> {
        self.check_files()?;
        let selection = Selection::new(simulation, &self.wave, source, monitor)?;
        let waveform = RunWaveform::new(self.target.clone(), simulation, selection);
        let waveform = waveform.viewer_files(self.has_viewer_files);
        Ok(waveform.triggered(source)?)
    }

    /// Refuses a waveform that would replace the trace of the run.
    ///
    /// # Errors
    /// When one of its files is the trace.
    pub fn check_trace(&self, config: &Config) -> Result<(), Error> {
        let trace = config.trace_file();
        let Some(trace) = trace.and_then(|trace| trace.canonicalize().ok()) else {
            return Ok(());
        };
        let paths = self.target.paths(self.wave.windows());
        let is_trace = |path: &&PathBuf| path.canonicalize().is_ok_and(|path| path == trace);
        let Some(path) = paths.iter().find(is_trace) else {
            return Ok(());
        };
        let message = format!("{} is the trace of the run", path.display());
        let diagnostic = Diagnostic::new("file", message, "name another file for the waveform");
        Err(Error::one(Class::Usage, "recording", diagnostic))
    }

    /// Finds files that cannot be written.
    fn check_files(&self) -> Result<(), RecordingFailure> {
        let windows = self.wave.windows();
        self.target.check_order()?;
        self.target
            .check_several(windows, "moments of wave.triggers")?;
        for path in self.target.paths(windows) {
            file::check_output(&path)?;
        }
        if self.has_viewer_files {
            for ViewerPaths { gtkwave, surfer } in ViewerPaths::beside(&self.target, windows)? {
                file::check_output(&gtkwave)?;
                file::check_output(&surfer)?;
            }
        }
        Ok(())
    }
}
