//! The options that say where a waveform goes, and in which format.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::output::{Format, Output};
use super::recording::refused;
use crosswave_base::diagnostic::Error;
use crosswave_observe::recording::WaveTarget;
use crosswave_wave::FileFormat;

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    /// A value change dump
    Vcd,
    /// GTKWave's FST, a tenth as large
    Fst,
}

/// Output of a waveform. At most one of the options is given.
#[derive(Debug, Args)]
pub(super) struct WaveArgs {
    /// Write a waveform. The end of the name says the format: .vcd, .vcd.gz or .fst; - is standard
    /// output. `run` records the signals of wave.scopes in the cycles of wave.window_cycles, of
    /// replicate 0. `compare` records the cycles around the first difference, in FILE.0.vcd and
    /// FILE.1.vcd. `netlist` records clock, inputs and outputs, and nets inside that are asked for;
    /// several runs get a file each, such as FILE.0.vcd
    #[arg(long, value_name = "FILE|-", conflicts_with_all = ["vcd", "fst"])]
    wave: Option<PathBuf>,
    /// Format of --wave, where the name does not say it
    #[arg(long, value_enum, value_name = "FORMAT", requires = "wave", conflicts_with_all = ["vcd", "fst"])]
    wave_format: Option<FormatName>,
    /// Write the waveform as VCD, compressed when the name ends in .vcd.gz; - is standard
    /// output
    #[arg(long, value_name = "FILE|-", conflicts_with = "fst")]
    vcd: Option<PathBuf>,
    /// Write the waveform as FST, to a file
    #[arg(long, value_name = "FILE")]
    fst: Option<PathBuf>,
}

/// Destination and format of a waveform.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaveOutput<'a> {
    /// The option.
    pub(super) flag: &'static str,
    pub(super) path: &'a Path,
    pub(super) format: FileFormat,
}

impl WaveArgs {
    /// The option that is given.
    pub(super) fn output(&self) -> Result<Option<WaveOutput<'_>>, Error> {
        let (flag, path, target) = match (&self.vcd, &self.fst, &self.wave) {
            (Some(path), _, _) => ("--vcd", path, Ok(WaveTarget::vcd(path))),
            (_, Some(path), _) => ("--fst", path, Ok(WaveTarget::fst(path))),
            (_, _, Some(path)) => {
                let target = match self.wave_format {
                    Some(FormatName::Vcd) => Ok(WaveTarget::vcd(path)),
                    Some(FormatName::Fst) => Ok(WaveTarget::fst(path)),
                    None => WaveTarget::of_name(path),
                };
                ("--wave", path, target)
            }
            (None, None, None) => return Ok(None),
        };
        let target = target.and_then(|target| target.check_order().map(|()| target));
        let format = target.map_err(|refusal| refused(refusal, flag))?.format;
        Ok(Some(WaveOutput { flag, path, format }))
    }
}

impl<'a> WaveOutput<'a> {
    /// The file and its format.
    pub(super) fn target(&self) -> WaveTarget {
        WaveTarget {
            path: self.path.to_owned(),
            format: self.format,
        }
    }

    /// The output as one file, to be checked with others.
    pub(super) fn single(&self) -> Option<Output<'a>> {
        Output::new(self.flag, Format::Wave(self.format), Some(self.path))
    }

    /// The output as files to be checked with others: those of [`WaveOutput::paths`].
    pub(super) fn outputs<'p>(&self, paths: &'p [PathBuf]) -> impl Iterator<Item = Output<'p>> {
        let (flag, format) = (self.flag, Format::Wave(self.format));
        let outputs = paths.iter();
        outputs.filter_map(move |path| Output::new(flag, format, Some(path)))
    }

    /// Refuses an output that is no regular file where several waveforms are asked for
    /// ([`WaveTarget::check_several`]).
    pub(super) fn check_several(&self, count: usize, what: &str) -> Result<(), Error> {
        let checked = self.target().check_several(count, what);
        checked.map_err(|refusal| refused(refusal, self.flag))
    }

    /// The files of so many runs.
    pub(super) fn paths(&self, runs: usize) -> Vec<PathBuf> {
        self.target().paths(runs)
    }
}
