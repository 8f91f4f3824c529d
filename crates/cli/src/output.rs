//! Outputs: what their names promise, where they go, standard output and JSON.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use crosswave_base::diagnostic::Error;
use crosswave_base::escape;
use crosswave_base::file;
use crosswave_wave::FileFormat;

/// The option of every command that has a result.
#[derive(Debug, Args)]
pub(super) struct JsonArgs {
    /// Write the result as JSON; - is standard output, with nothing else
    #[arg(long, value_name = "FILE|-")]
    pub json: Option<PathBuf>,
}

impl JsonArgs {
    /// The option as an output.
    pub(super) fn output(&self) -> Option<Output<'_>> {
        Output::new("--json", Format::Json, self.json.as_deref())
    }

    /// Writes the value where the option says, if it does.
    pub(super) fn write(&self, value: &impl serde::Serialize) -> Result<(), Error> {
        self.json.as_deref().map_or(Ok(()), |path| {
            file::write(path, |out| {
                escape::write_json(&mut *out, value)?;
                out.write_all(b"\n")
            })
        })
    }
}

/// The format of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Wave(FileFormat),
    Csv,
    Json,
    JsonLines,
    Parquet,
    Ftr,
    Lcov,
    /// Switching activity, for power tools.
    Saif,
    Svg,
    Checkpoints,
    Html,
    GtkWave,
    Surfer,
    Text,
    Toml,
    Markdown,
    SystemVerilog,
}

impl Format {
    /// The end of a name that promises it.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Format::Wave(format) => format.ending(),
            Format::Csv => "csv",
            Format::Json => "json",
            Format::JsonLines => "jsonl",
            Format::Parquet => "parquet",
            Format::Ftr => "ftr",
            Format::Lcov => "info",
            Format::Saif => "saif",
            Format::Svg => "svg",
            Format::Checkpoints => "checkpoints",
            Format::Html => "html",
            Format::GtkWave => "gtkw",
            Format::Surfer => "sucl",
            Format::Text => "txt",
            Format::Toml => "toml",
            Format::Markdown => "md",
            Format::SystemVerilog => "sv",
        }
    }
}

/// Ends of names that promise another format than text of this program.
#[rustfmt::skip]
const OTHER_ENDINGS: [&str; 37] = [
    // Compressed files and archives.
    "gz", "bz2", "xz", "zst", "lz4", "zip", "7z", "tar", "tgz",
    // Waveforms.
    "vcd", "fst", "lxt", "lxt2", "ghw", "fsdb", "vpd", "wlf", "evcd", "saif",
    // Pictures and pages.
    "png", "pdf", "jpg", "jpeg", "gif", "webp", "eps", "ps", "html",
    // Tables and data.
    "xls", "xlsx", "ods", "parquet", "feather", "tsv", "yaml", "yml", "toml",
];

/// An output that an option names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Output<'a> {
    /// The option.
    flag: &'static str,
    format: Format,
    path: &'a Path,
}

impl<'a> Output<'a> {
    /// An output, when the option is given.
    pub(super) fn new(flag: &'static str, format: Format, path: Option<&'a Path>) -> Option<Self> {
        path.map(|path| Output { flag, format, path })
    }

    /// Fails when the name promises another format than what is written.
    fn check_name(&self) -> Result<(), Error> {
        let Some(end) = self.path.extension().and_then(|end| end.to_str()) else {
            return Ok(());
        };
        let end = end.to_ascii_lowercase();
        let own = self.format.ending();
        let is_own = match self.format {
            Format::Wave(format) => FileFormat::of_name(self.path) == Some(format),
            _ => end == own,
        };
        // Any kind of text may end in txt.
        let known = [
            Format::Csv,
            Format::Json,
            Format::JsonLines,
            Format::Ftr,
            Format::Svg,
        ]
        .map(Format::ending);
        if is_own
            || !known
                .iter()
                .chain(&OTHER_ENDINGS)
                .any(|other| *other == end)
        {
            return Ok(());
        }
        let written = match self.flag {
            "--coverage" => {
                "JSON and LCOV (.info) are the formats that are written here".to_owned()
            }
            _ => format!(
                "{} is the only format that is written here",
                own.to_ascii_uppercase()
            ),
        };
        let message = format!("{} ends in .{end}, and {written}", self.path.display());
        let help = match self.format {
            Format::Wave(_) => format!(
                "name a file that ends in .{own}; --wave writes what the end of a name says"
            ),
            _ => format!("name a file that ends in .{own}, and convert it afterwards"),
        };
        Err(super::usage(self.flag, message, &help))
    }
}

/// Finds outputs that cannot be written, that would replace an input or each other, or whose
/// names promise another format, before anything is simulated. Inputs that are read later are
/// compared with these outputs then. Returns whether one of the outputs is standard output,
/// where nothing else is written then.
pub(super) fn check(outputs: &[Output]) -> Result<bool, Error> {
    let mut named: Vec<(&str, &Path)> = outputs.iter().map(|o| (o.flag, o.path)).collect();
    // Asked before anything is written: a file that is replaced is another one afterwards.
    let takes_standard = named.iter().any(|(_, path)| file::is_standard_output(path));
    if !takes_standard {
        named.push(("standard output", Path::new("-")));
    }
    file::claim_outputs(&named)?;
    for output in outputs {
        output.check_name()?;
        file::check_output(output.path)?;
    }
    Ok(takes_standard)
}

/// Writes lines to standard output, harmless ones: whatever names of files and of what is in
/// them do to a terminal is escaped here. A cell or name that must not begin a line of its own
/// has been through [`escape::line`] before.
pub(super) fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    out.write_all(escape::lines(text).as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| Error::io(Path::new("standard output"), "writing", &error))
}
