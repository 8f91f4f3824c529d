//! `crosswave diff`.
//!
//! Two waveforms of any formats, their times brought to one unit, or two tables of messages.
//! What differs is printed, and the exit code tells whether anything does. Where nothing could be
//! compared, the files are not the same; but two tables with the same columns and no messages are.
//!
//! | file | holds |
//! |---|---|
//! | `waveforms` | waveforms |
//! | `found` | what was found of them: text and JSON |
//! | `values` | two values that differ, for people |
//! | `tables` | tables |

mod found;
mod tables;
mod values;
mod waveforms;

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::Args;
use clap_complete::engine::ArgValueCompleter;

use super::completion;
use super::output::{self, JsonArgs};
use super::{check_streams, input_name, input_path, usage};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input::{self, Limited};
use crosswave_base::file::kind::FileKind;
use crosswave_run::recorder::CYCLE_TIME;
use crosswave_wave::compare::REAL_DIGITS_EXACT;

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// Waveform (VCD, also compressed, or FST), or messages (CSV); - reads standard input
    left: PathBuf,
    /// The file that it is compared with
    right: PathBuf,
    #[command(flatten)]
    waves: WaveDiffArgs,
    /// Pass over signals, or messages, that only one of the files has
    #[arg(long)]
    common: bool,
    #[command(flatten)]
    json: JsonArgs,
}

/// Options for the comparison of waveforms.
#[derive(Debug, Args)]
struct WaveDiffArgs {
    /// Scopes or signals to compare, as '**.router_0_*', by their names in the first file; may be
    /// given again; all when left out
    #[arg(long = "scope", value_name = "PATTERN", add = ArgValueCompleter::new(completion::scopes))]
    scopes: Vec<String>,
    /// The name that a scope of the first file, with all that lies in it, has in the second one, as
    /// testbench=TOP.testbench; either may be empty; may be given again. When left out and no
    /// signal is in both, the longest common ends of scope paths decide
    #[arg(long = "map", value_name = "FIRST=SECOND")]
    maps: Vec<String>,
    /// Take X of one file as the same as anything in the other
    #[arg(long)]
    x_matches: bool,
    /// Decimal digits in which real numbers have to agree; 17 for all bits. When left out 17, and 16
    /// where one of the files is VCD, which holds no more
    #[arg(long, value_name = "DIGITS",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(REAL_DIGITS_EXACT)))]
    real_digits: Option<u32>,
    /// Cycles to compare, both included, as 10..40, or 1.. for all but the first; all when left out
    #[arg(long, value_name = "FROM..TO")]
    window: Option<String>,
    /// Compare what signals show at the ends of cycles: registers of the falling edge and delays change them within
    #[arg(long)]
    cycle_ends: bool,
    /// Time units of a cycle, of the first waveform
    #[arg(long, default_value_t = CYCLE_TIME, value_parser = clap::value_parser!(u64).range(1..))]
    period: u64,
}

impl WaveDiffArgs {
    /// True when an option was given that tables do not have.
    fn are_given(&self) -> bool {
        let listed = !self.scopes.is_empty() || !self.maps.is_empty();
        listed
            || self.x_matches
            || self.real_digits.is_some()
            || self.window.is_some()
            || self.cycle_ends
    }
}

/// Differences that are printed at most; JSON has all.
const PRINTED: usize = 20;

pub(super) fn diff(args: &DiffArgs) -> Result<(), Error> {
    let to_stdout = output::check(args.json.output().as_slice())?;
    check_streams(&[
        ("the first file", &args.left),
        ("the second file", &args.right),
    ])?;
    let files = [Opened::new(&args.left)?, Opened::new(&args.right)?];
    match (files[0].is_table, files[1].is_table) {
        (true, true) => tables::diff(args, files, to_stdout),
        (false, false) => waveforms::diff(args, files, to_stdout),
        _ => {
            let found = "one of the files is a table and the other one a waveform";
            Err(usage("diff", found, "compare two of a kind"))
        }
    }
}

/// A file that is compared, of which no more was read than is in the buffer.
struct Opened<'a> {
    path: &'a Path,
    input: BufReader<Limited<File>>,
    is_table: bool,
}

/// Bytes that are read at a time.
const READ_BYTES: usize = 1 << 18;

impl Opened<'_> {
    /// Opens a file and looks at its beginning. What that does not tell, the end of the name does.
    fn new(argument: &Path) -> Result<Opened<'_>, Error> {
        let path = input_path(argument);
        let file = input::open_own(path, input::WAVEFORM)?;
        let mut input = BufReader::with_capacity(READ_BYTES, file);
        let beginning = input.fill_buf();
        let beginning = beginning.map_err(|error| Error::io(path, "reading", &error))?;
        let is_table = match FileKind::of(path, beginning) {
            FileKind::Csv => true,
            FileKind::Vcd | FileKind::ExtendedVcd | FileKind::Fst | FileKind::Gzip => false,
            _ => {
                let end = path.extension().map(|end| end.to_ascii_lowercase());
                end.is_some_and(|end| end == "csv")
            }
        };
        let kind = match is_table {
            true => input::MESSAGES,
            false => input::WAVEFORM,
        };
        input::note(path, kind)?;
        Ok(Opened {
            path,
            input,
            is_table,
        })
    }
}

/// The error that the files differ, or that nothing was compared.
fn different(args: &DiffArgs, found: String, help: &str) -> Error {
    let files = format!("{} and {}", input_name(&args.left), input_name(&args.right));
    Error::one(Class::Check, "diff", Diagnostic::new(files, found, help))
}

/// The help where JSON has more than was printed.
const ALL_IN_JSON: &str = "--json FILE writes all differences";

/// That some were not printed.
fn more(count: usize, what: &str) -> String {
    match count.checked_sub(PRINTED) {
        None | Some(0) => String::new(),
        Some(left) => format!("{left} more {what}\n"),
    }
}
