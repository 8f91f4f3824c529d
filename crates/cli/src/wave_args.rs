//! The options that say where a waveform goes, and in which format.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::output::{Format, Output};
use super::usage;
use crosswave_base::diagnostic::Error;
use crosswave_base::file;
use crosswave_wave::FileFormat;

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    /// A value change dump
    Vcd,
    /// GTKWave's FST, a tenth as large
    Fst,
}

/// Where a waveform goes. At most one of the outputs is given.
#[derive(Debug, Args)]
pub(super) struct WaveArgs {
    /// Write the waveform in the format that the end of the name says: .vcd, .vcd.gz or .fst;
    /// of `run`, what wave.scopes selects of replicate 0, in the cycles of
    /// wave.window_cycles = [FROM, TO], both included; of `netlist`, clock, inputs and outputs,
    /// with several runs a file each, FILE.0.vcd; - is standard output
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

/// Where a waveform goes, and as what.
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
        let vcd_of = |path: &Path| match FileFormat::of_name(path) {
            Some(FileFormat::VcdGz) => FileFormat::VcdGz,
            _ => FileFormat::Vcd,
        };
        let output = match (&self.vcd, &self.fst, &self.wave) {
            (Some(path), _, _) => WaveOutput {
                flag: "--vcd",
                path,
                format: vcd_of(path),
            },
            (_, Some(path), _) => WaveOutput {
                flag: "--fst",
                path,
                format: FileFormat::Fst,
            },
            (_, _, Some(path)) => WaveOutput {
                flag: "--wave",
                path,
                format: match self.wave_format {
                    Some(FormatName::Vcd) => vcd_of(path),
                    Some(FormatName::Fst) => FileFormat::Fst,
                    None => FileFormat::of_name(path).ok_or_else(|| unknown(path))?,
                },
            },
            (None, None, None) => return Ok(None),
        };
        output.check_order()?;
        Ok(Some(output))
    }
}

/// The name of a waveform and its ending, with the dot.
pub(super) fn parts(path: &Path) -> (OsString, String) {
    let mut stem = PathBuf::from(path.file_name().unwrap_or_default());
    let mut ending = String::new();
    let ends = FileFormat::of_name(path).map_or(1, |format| format.ending().split('.').count());
    for _ in 0..ends {
        // What is no text is no ending, but a part of the name.
        let Some(end) = stem.extension().and_then(|end| end.to_str()) else {
            break;
        };
        ending = format!(".{end}{ending}");
        stem.set_extension("");
    }
    (stem.into_os_string(), ending)
}

/// A name with something behind it.
pub(super) fn with_end(stem: &OsStr, end: &str) -> OsString {
    let mut name = stem.to_owned();
    name.push(end);
    name
}

/// A name that says nothing of a format.
fn unknown(path: &Path) -> Error {
    let message = format!(
        "{} ends neither in .vcd nor in .vcd.gz nor in .fst",
        path.display()
    );
    let help = "say which format it is with --wave-format vcd or --wave-format fst";
    usage("--wave", message, help)
}

impl<'a> WaveOutput<'a> {
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

    /// Refuses an output that is no regular file where several waveforms are asked for, by
    /// `what`: each has a file of its own.
    pub(super) fn check_several(&self, count: usize, what: &str) -> Result<(), Error> {
        let is_one = file::takes_bytes_in_order(self.path) || file::is_special(self.path);
        if count < 2 || !is_one {
            return Ok(());
        }
        let path = file::shown(self.path).display();
        let message =
            format!("{path} is no regular file, and each of {count} {what} has a waveform");
        let help = "name a file; a number is put into its name";
        Err(usage(self.flag, message, help))
    }

    /// The files of so many runs, in one of which a number stands before the ending.
    pub(super) fn paths(&self, runs: usize) -> Vec<PathBuf> {
        if runs == 1 {
            return vec![self.path.to_owned()];
        }
        let (stem, ending) = parts(self.path);
        (0..runs)
            .map(|run| {
                let name = with_end(&stem, &format!(".{run}{ending}"));
                self.path.with_file_name(name)
            })
            .collect()
    }

    /// Refuses an output that takes bytes in their order only, for a format whose beginning
    /// is written last.
    fn check_order(&self) -> Result<(), Error> {
        if self.format != FileFormat::Fst || !file::takes_bytes_in_order(self.path) {
            return Ok(());
        }
        let message = format!(
            "{} takes bytes in their order only, and the beginning of FST is written last",
            self.path.display()
        );
        let help = "name a file, or write VCD, which goes to pipes and standard output";
        Err(usage(self.flag, message, help))
    }
}
