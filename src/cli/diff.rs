//! `crosswave diff`.
//!
//! Two waveforms of any formats, their times brought to one unit, or two tables of messages.
//! What differs is printed, and the exit code tells whether anything does.

mod tables;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::output::{self, JsonArgs};
use super::{usage, warn_all};
use crate::diagnostic::{Class, Diagnostic, Error};
use crate::escape;
use crate::run::recorder::CYCLE_TIME;
use crate::wave::compare::{Comparison, SignalDifference, align, compare};
use crate::wave::{Timescale, WaveValue, Window, open, select};

#[derive(Debug, Args)]
pub(super) struct DiffArgs {
    /// Waveform (VCD, also compressed, or FST), or messages (CSV)
    left: PathBuf,
    /// What it is compared with
    right: PathBuf,
    /// Scopes or signals to compare, as '**.router_0_*'; may be given again; all when left out
    #[arg(long = "scope", value_name = "PATTERN")]
    scopes: Vec<String>,
    /// Cycles to compare, both included, as 10..40; all when left out
    #[arg(long, value_name = "FROM..TO")]
    window: Option<String>,
    /// Time units of a cycle, of the first waveform
    #[arg(long, default_value_t = CYCLE_TIME, value_parser = clap::value_parser!(u64).range(1..))]
    period: u64,
    #[command(flatten)]
    json: JsonArgs,
}

/// Differences that are printed at most; JSON has all.
const PRINTED: usize = 20;

/// What was found, as JSON.
#[derive(Serialize)]
struct Found {
    same: bool,
    /// Signals that both have.
    compared: usize,
    only_left: Vec<String>,
    only_right: Vec<String>,
    /// The unit of the times; null when no file says it.
    timescale: Option<String>,
    differences: Vec<Row>,
}

/// The first difference of a signal.
#[derive(Serialize)]
struct Row {
    signal: String,
    time: u64,
    /// The cycle; null when no clock tells where cycles begin.
    cycle: Option<u64>,
    /// Binary digits, a string or a number; null before the first value.
    left: Option<String>,
    right: Option<String>,
}

pub(super) fn diff(args: &DiffArgs) -> Result<(), Error> {
    let inputs = [
        ("the first file", args.left.as_path()),
        ("the second file", args.right.as_path()),
    ];
    let to_stdout = output::check(&inputs, args.json.output().as_slice())?;
    let is_table = |path: &Path| {
        let end = path.extension().map(|end| end.to_ascii_lowercase());
        end.is_some_and(|end| end == "csv")
    };
    match (is_table(&args.left), is_table(&args.right)) {
        (true, true) => return tables::diff(args, to_stdout),
        (false, false) => {}
        _ => {
            let found = "one of the files is a table and the other one a waveform";
            return Err(usage("diff", found, "compare two of a kind"));
        }
    }
    let window = match &args.window {
        None => Window::ALL,
        Some(text) => Window::parse("--window", text)
            .map_err(|diagnostic| Error::one(Class::Usage, "command line", diagnostic))?,
    };
    let mut source = open(&args.left)?;
    let left_kept = select("--scope", source.declared(), &args.scopes)?;
    let phase = source.phase(&left_kept, args.period)?;
    let mut left = source.some(&left_kept, (0, u64::MAX))?;
    warn_all(&args.left, &left.warnings);
    let source = open(&args.right)?;
    let right_kept = select("--scope", source.declared(), &args.scopes)?;
    let mut right = source.some(&right_kept, (0, u64::MAX))?;
    warn_all(&args.right, &right.warnings);
    let unit = finer(left.timescale, right.timescale);
    let factors = align(&mut left, &mut right);
    let period = args.period.saturating_mul(factors.0);
    let phase = phase.map(|phase| phase.saturating_mul(factors.0));
    let start = |cycle: u64| {
        let since = cycle.saturating_mul(period);
        since.saturating_add(phase.unwrap_or(0))
    };
    let times = match args.window {
        Some(_) => (
            start(window.first),
            start(window.last.saturating_add(1)).saturating_sub(1),
        ),
        None => (0, u64::MAX),
    };
    let comparison = compare((&left, &left_kept), (&right, &right_kept), times);
    let found = Found::new(comparison, unit, |time| {
        Some(time.checked_sub(phase?)? / period)
    });
    args.json.write(&found)?;
    if !to_stdout {
        output::print(&found.text(args))?;
    }
    found.ended(args)
}

/// The finer of two units.
fn finer(left: Option<Timescale>, right: Option<Timescale>) -> Option<Timescale> {
    let units = [left, right].into_iter().flatten();
    units.min_by_key(|unit| unit.femtoseconds())
}

impl Found {
    fn new(
        comparison: Comparison,
        unit: Option<Timescale>,
        cycle: impl Fn(u64) -> Option<u64>,
    ) -> Found {
        let row = |difference: &SignalDifference| Row {
            signal: difference.path.clone(),
            time: difference.time,
            cycle: cycle(difference.time),
            left: difference.left.as_ref().map(WaveValue::to_string),
            right: difference.right.as_ref().map(WaveValue::to_string),
        };
        Found {
            same: comparison.is_same(),
            compared: comparison.compared,
            differences: comparison.differences.iter().map(row).collect(),
            only_left: comparison.only_left,
            only_right: comparison.only_right,
            timescale: unit.map(|unit| unit.to_string()),
        }
    }

    fn text(&self, args: &DiffArgs) -> String {
        let mut text = String::new();
        let sides = [
            (&args.left, &self.only_left),
            (&args.right, &self.only_right),
        ];
        for (file, only) in sides {
            for path in only.iter().take(PRINTED) {
                let path = escape::line(path);
                text += &format!("{path}: only in {}\n", file.display());
            }
            text += &more(only.len(), "signals");
        }
        let unit = self.timescale.as_deref().unwrap_or("unit");
        for row in self.differences.iter().take(PRINTED) {
            let cycle = row.cycle.map(|cycle| format!(" (cycle {cycle})"));
            let shown = |value: &Option<String>| match value {
                Some(value) => escape::line(value).into_owned(),
                None => "nothing".to_owned(),
            };
            text += &format!(
                "{}: time {} x {unit}{}: {} and {}\n",
                escape::line(&row.signal),
                row.time,
                cycle.unwrap_or_default(),
                shown(&row.left),
                shown(&row.right)
            );
        }
        text += &more(self.differences.len(), "signals differ");
        if self.same {
            text += &format!("{} signals are the same\n", self.compared);
        }
        text
    }

    /// The end of the command.
    fn ended(&self, args: &DiffArgs) -> Result<(), Error> {
        let only = self.only_left.len() + self.only_right.len();
        differ(args, self.same, || {
            format!(
                "{} of {} signals differ, and {only} are in one of them only",
                self.differences.len(),
                self.compared
            )
        })
    }
}

/// Says that the files differ, if they do.
fn differ(args: &DiffArgs, same: bool, found: impl Fn() -> String) -> Result<(), Error> {
    match same {
        true => Ok(()),
        false => {
            let files = format!("{} and {}", args.left.display(), args.right.display());
            let help = "--json FILE writes all differences";
            Err(Error::one(
                Class::Check,
                "diff",
                Diagnostic::new(files, found(), help),
            ))
        }
    }
}

/// That some were not printed.
fn more(count: usize, what: &str) -> String {
    match count.checked_sub(PRINTED) {
        None | Some(0) => String::new(),
        Some(left) => format!("{left} more {what}\n"),
    }
}
