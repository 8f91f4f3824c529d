//! Destination and format of a waveform.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::failure::{Refusal, Subject};
use crosswave_base::file;
use crosswave_wave::FileFormat;

/// The file of a waveform and its format. The path `-` is standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveTarget {
    /// The file; of several, the name from which theirs are made.
    pub path: PathBuf,
    /// The format.
    pub format: FileFormat,
}

impl WaveTarget {
    /// A VCD file, compressed when its name ends in `.vcd.gz`.
    pub fn vcd(path: impl Into<PathBuf>) -> WaveTarget {
        let path = path.into();
        let format = match FileFormat::of_name(&path) {
            Some(FileFormat::VcdGz) => FileFormat::VcdGz,
            _ => FileFormat::Vcd,
        };
        WaveTarget { path, format }
    }

    /// An FST file.
    pub fn fst(path: impl Into<PathBuf>) -> WaveTarget {
        WaveTarget {
            path: path.into(),
            format: FileFormat::Fst,
        }
    }

    /// A file in the format that its name promises.
    ///
    /// # Errors
    /// When the name ends in none of `.vcd`, `.vcd.gz` and `.fst`.
    pub fn of_name(path: impl Into<PathBuf>) -> Result<WaveTarget, Refusal> {
        let path = path.into();
        match FileFormat::of_name(&path) {
            Some(format) => Ok(WaveTarget { path, format }),
            None => {
                let message = format!(
                    "{} ends neither in .vcd nor in .vcd.gz nor in .fst",
                    path.display()
                );
                Err(Refusal::new(
                    Subject::Format,
                    message,
                    "say which format it is",
                ))
            }
        }
    }

    /// Refuses a file that takes bytes in their order only, such as a pipe, for a format whose
    /// beginning is written last.
    ///
    /// # Errors
    /// That refusal.
    pub fn check_order(&self) -> Result<(), Refusal> {
        if self.format != FileFormat::Fst || !file::takes_bytes_in_order(&self.path) {
            return Ok(());
        }
        let message = format!(
            "{} takes bytes in their order only, and the beginning of FST is written last",
            self.path.display()
        );
        let help = "name a file, or write VCD, which goes to pipes and standard output";
        Err(Refusal::new(Subject::File, message, help))
    }

    /// The files of `count` waveforms. Of several, a number stands before the ending of each,
    /// from 0: `run.0.vcd.gz`.
    pub fn paths(&self, count: usize) -> Vec<PathBuf> {
        if count == 1 {
            return vec![self.path.clone()];
        }
        let (stem, ending) = parts(&self.path);
        let numbered = |number| {
            let name = with_end(&stem, &format!(".{number}{ending}"));
            self.path.with_file_name(name)
        };
        (0..count).map(numbered).collect()
    }

    /// Refuses what is no regular file where `count` waveforms are asked for, one for each of
    /// `what`, when there are several: each has a file of its own.
    ///
    /// # Errors
    /// That refusal.
    pub fn check_several(&self, count: usize, what: &str) -> Result<(), Refusal> {
        if count < 2 || self.is_regular() {
            return Ok(());
        }
        let path = file::shown(&self.path).display();
        let message =
            format!("{path} is no regular file, and each of {count} {what} has a waveform");
        let help = "name a file; a number is put into its name";
        Err(Refusal::new(Subject::File, message, help))
    }

    /// True when it is, or will be, a file with a name of its own.
    pub(super) fn is_regular(&self) -> bool {
        !file::takes_bytes_in_order(&self.path) && !file::is_special(&self.path)
    }
}

/// The name of a waveform and its ending, with the dot.
pub(super) fn parts(path: &Path) -> (OsString, String) {
    let mut stem = PathBuf::from(path.file_name().unwrap_or_default());
    let mut ending = String::new();
    let ends = FileFormat::of_name(path).map_or(1, |format| format.ending().split('.').count());
    for _ in 0..ends {
        // An ending that is not text is a part of the name.
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
