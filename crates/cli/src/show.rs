//! `crosswave show`.
//!
//! What is drawn is chosen from what the file declares. Then only that is read, and only
//! up to the end of the window.

mod cursors;
mod follow;
mod list;
mod survey;
mod values;

use std::io::{IsTerminal, stdout};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;

use super::completion;
use super::output::{self, Format, JsonArgs, Output};
use super::{input_path, say, usage, warn_all};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::escape;
use crosswave_base::file;
use crosswave_run::recorder::CYCLE_TIME;
use crosswave_wave::{
    CycleWindow, DrawOptions, DrawnRow, Radix, WaveSource, Waveform, open, rows, select, svg,
    terminal, timeline,
};
use follow::Followed;
use survey::Survey;

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RadixName {
    /// Hexadecimal
    Hex,
    /// Binary
    Binary,
    /// Decimal
    Decimal,
}

#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    /// Waveform: VCD, also compressed with gzip, or FST, of any tool; - is standard input
    file: PathBuf,
    /// Scopes or signals to draw, as '**.router_0_*' or '**.node_3.tx_state'; may be given
    /// again; without it signals that change are chosen, states first, as many as fit
    #[arg(long = "scope", value_name = "PATTERN", add = ArgValueCompleter::new(completion::scopes))]
    scopes: Vec<String>,
    /// Cycles to draw, both included, as 10..40; without it those from the first change of a
    /// known value on, as many as fit
    #[arg(long, value_name = "FROM..TO")]
    window: Option<String>,
    /// Time units of a cycle
    #[arg(long, default_value_t = CYCLE_TIME, value_parser = clap::value_parser!(u64).range(1..))]
    period: u64,
    /// Digits of values; without it hexadecimal, and decimal for ids and counts in drawings
    #[arg(long, value_enum)]
    radix: Option<RadixName>,
    /// ASCII only
    #[arg(long)]
    ascii: bool,
    /// Write a drawing (SVG) instead; - is standard output
    #[arg(long, value_name = "FILE|-")]
    svg: Option<PathBuf>,
    /// Title of the drawing
    #[arg(long, default_value = "")]
    title: String,
    /// Print the values in a cycle instead of drawing them; given again, in several, with the cycles
    /// and the changes from one to the next
    #[arg(long = "cursor", value_name = "CYCLE", conflicts_with_all = ["window", "svg", "list"])]
    cursors: Vec<u64>,
    /// Show where a message is, of a waveform with lanes of messages (wave.lanes): its source, and
    /// the inputs of routers that serve it, in the cycles in which they do
    #[arg(long, value_name = "MESSAGE", conflicts_with_all = ["scopes", "cursors", "list"])]
    follow: Option<u32>,
    /// List scopes and signals instead of drawing them
    #[arg(long, conflicts_with_all = ["window", "svg"])]
    list: bool,
    /// Write the values of all cycles of --window as JSON instead of drawing them, with
    /// --list the scopes and signals; - is standard output, with nothing else
    #[arg(long, value_name = "FILE|-", conflicts_with = "svg")]
    json: Option<PathBuf>,
}

/// Columns and lines where there is no terminal.
const SIZE: (usize, usize) = (80, 24);

/// Lines below a drawing that say what is not in it, and the prompt.
const LINES_BELOW: usize = 4;

/// Values that are drawn at most: cycles times signals.
const VALUES_MAX: u64 = 1 << 22;

/// Columns that a cycle takes about.
const CYCLE_COLUMNS: usize = 5;

/// Cycles in a drawing (SVG) for which none are asked.
const SVG_CYCLES: u64 = 48;

/// Scopes that are named when they are not drawn.
const SCOPES_NAMED: usize = 3;

/// Columns and lines to fit.
fn size() -> (usize, usize) {
    let found = terminal_size::terminal_size_of(stdout());
    found.map_or(SIZE, |(width, height)| {
        (usize::from(width.0), usize::from(height.0))
    })
}

pub(super) fn show(args: &ShowArgs) -> Result<(), Error> {
    let window = match &args.window {
        None => None,
        Some(text) => Some(
            CycleWindow::parse("--window", text)
                .map_err(|diagnostic| Error::one(Class::Usage, "command line", diagnostic))?,
        ),
    };
    let svg = Output::new("--svg", Format::Svg, args.svg.as_deref());
    let json = JsonArgs {
        json: args.json.clone(),
    };
    let outputs: Vec<Output> = svg.into_iter().chain(json.output()).collect();
    output::check(&outputs)?;
    let reader = open(input_path(&args.file))?;
    let kept = select("--scope", reader.declared(), &args.scopes)?;
    if args.list {
        warn_all(&args.file, &reader.declared().warnings);
        let size = size();
        return list::list(reader.declared(), &kept, &json, size.0);
    }
    let mut options = DrawOptions {
        window: window.unwrap_or(CycleWindow::ALL),
        period: args.period,
        radix: match args.radix {
            Some(RadixName::Hex) => Radix::Hexadecimal,
            Some(RadixName::Binary) => Radix::Binary,
            Some(RadixName::Decimal) => Radix::Decimal,
            None if args.json.is_some() => Radix::Hexadecimal,
            None => Radix::Natural,
        },
        ascii: args.ascii,
        title: args.title.clone(),
        ..Default::default()
    };
    if let Some(message) = args.follow {
        if !std::fs::metadata(&args.file).is_ok_and(|found| found.is_file()) {
            let help = "write it to a file first";
            return Err(usage("--follow", "a pipe can be read only once", help));
        }
        let origin = args.file.display().to_string();
        let followed = follow::follow(reader, &origin, message, args.period)?;
        return follow_on(args, followed, window, options, &json);
    }
    if let (Some(&first), Some(&last)) = (args.cursors.iter().min(), args.cursors.iter().max()) {
        let rows = rows(reader.declared(), &kept);
        options.window = CycleWindow { first, last };
        let wave = read(reader, args, &rows, &mut options, None)?;
        let cursors = cursors::cursors(&wave, &rows, &options, &args.cursors);
        return match args.json.is_some() {
            true => json.write(&cursors),
            false => output::print(&cursors.text(args.ascii)),
        };
    }
    if args.json.is_some() {
        let rows = values::rows(reader.declared(), &kept);
        let wave = read(reader, args, &rows, &mut options, None)?;
        return json.write(&values::values(&wave, &rows, &options));
    }
    match &args.svg {
        Some(path) => draw_svg(args, path, reader, &kept, options),
        None => draw(args, reader, &kept, options),
    }
}

/// Writes a drawing. Without options it is of the signals that change first.
fn draw_svg(
    args: &ShowArgs,
    path: &Path,
    mut reader: WaveSource,
    kept: &[bool],
    mut options: DrawOptions,
) -> Result<(), Error> {
    let mut rows = rows(reader.declared(), kept);
    let mut phase = None;
    if args.scopes.is_empty() {
        let lines = SIZE.1 - LINES_BELOW - 1;
        let survey = Survey::new(&mut reader, kept, args, SVG_CYCLES, lines, &mut options)?;
        if args.window.is_none() {
            let first = survey.begin;
            let last = first.saturating_add(SVG_CYCLES - 1);
            options.window = CycleWindow { first, last };
        }
        let text = survey.text(options.window, "…");
        if !text.is_empty() {
            say(text.trim_end());
        }
        rows = survey.rows(rows);
        phase = Some(options.phase);
    }
    fit_rows(&mut rows, &options);
    let wave = read(reader, args, &rows, &mut options, phase)?;
    let drawing = svg::draw(&wave, &rows, &options);
    file::write(path, |out| out.write_all(drawing.as_bytes()))
}

/// Shows what follows a message, in the window that is asked for, or in its own.
fn follow_on(
    args: &ShowArgs,
    followed: Followed,
    window: Option<CycleWindow>,
    mut options: DrawOptions,
    json: &JsonArgs,
) -> Result<(), Error> {
    // The waveform is read a second time, so it is a file.
    let reader = open(input_path(&args.file))?;
    options.window = window.unwrap_or(followed.window);
    let rows = followed.rows;
    let wave = read(reader, args, &rows, &mut options, None)?;
    if args.json.is_some() {
        return json.write(&values::values(&wave, &rows, &options));
    }
    if let Some(path) = &args.svg {
        let drawing = svg::draw(&wave, &rows, &options);
        return file::write(path, |out| out.write_all(drawing.as_bytes()));
    }
    output::print(&terminal::draw(&wave, &rows, &options))
}

/// Draws in the terminal, and says below what is not drawn.
fn draw(
    args: &ShowArgs,
    mut reader: WaveSource,
    kept: &[bool],
    mut options: DrawOptions,
) -> Result<(), Error> {
    let (columns, lines) = size();
    let mut rows = rows(reader.declared(), kept);
    let mut survey = None;
    if args.window.is_none() || args.scopes.is_empty() {
        let lines = lines.saturating_sub(LINES_BELOW + 1);
        let cycles = (columns / CYCLE_COLUMNS).max(1) as u64;
        options.line_width = args.window.is_none().then_some(columns);
        let found = Survey::new(&mut reader, kept, args, cycles, lines, &mut options)?;
        if args.scopes.is_empty() {
            rows = found.rows(rows);
        }
        survey = Some(found);
    }
    if let (None, Some(survey)) = (&args.window, &survey) {
        // A cycle takes two columns at least.
        let last = survey.begin.saturating_add(columns as u64 / 2);
        let first = survey.begin;
        options.window = CycleWindow { first, last };
    } else if stdout().is_terminal() {
        options.line_width = Some(columns);
    }
    let left_out = fit_rows(&mut rows, &options);
    let phase = survey.is_some().then_some(options.phase);
    let wave = read(reader, args, &rows, &mut options, phase)?;
    if args.window.is_none() {
        let beside = terminal::cycles_beside(&wave, &rows, &options);
        options.window.last = options.window.first.saturating_add(beside - 1);
    }
    let mut text = terminal::draw(&wave, &rows, &options);
    let mark = if args.ascii { "~" } else { "…" };
    match survey.filter(|_| args.scopes.is_empty()) {
        Some(survey) => text += &survey.text(options.window, mark),
        None => text += &left_out_text(&left_out, mark),
    }
    let next = options.window.last.saturating_add(1);
    if args.window.is_none() && next < wave.cycles(args.period, options.phase) {
        let shown = options.window.last - options.window.first;
        let last = next.saturating_add(shown);
        text += &format!("{mark} more cycles follow: --window {next}..{last}\n");
    }
    if args.ascii {
        text = text.replace('…', mark);
    }
    output::print(&text)
}

/// A line for the rows that were asked for and do not fit.
fn left_out_text(left_out: &[DrawnRow], mark: &str) -> String {
    if left_out.is_empty() {
        return String::new();
    }
    let signals = left_out.len();
    let mut scopes: Vec<&str> = left_out.iter().map(|row| row.group.as_str()).collect();
    scopes.dedup();
    let named = scopes.iter().take(SCOPES_NAMED);
    let named: Vec<_> = named.map(|scope| escape::line(scope)).collect();
    let more = match scopes.len() > named.len() {
        true => ", …",
        false => "",
    };
    format!(
        "{mark} {signals} more signals, in {} scopes: {}{more}\n{mark} --list lists them, --scope \
         draws others\n",
        scopes.len(),
        named.join(", "),
    )
}

/// Drops the rows that make too many values to draw, and gives them.
fn fit_rows(rows: &mut Vec<DrawnRow>, options: &DrawOptions) -> Vec<DrawnRow> {
    let window = options.window;
    let cycles = (window.last - window.first).min(timeline::MAX_CYCLES - 1) + 1;
    let fitting = usize::try_from(VALUES_MAX / cycles).unwrap_or(usize::MAX);
    rows.split_off(fitting.max(1).min(rows.len()))
}

/// Reads what is drawn. The clock at the beginning of the file says at which phase cycles
/// start, where that is not known yet.
fn read(
    mut reader: WaveSource,
    args: &ShowArgs,
    rows: &[DrawnRow],
    options: &mut DrawOptions,
    phase: Option<u64>,
) -> Result<Waveform, Error> {
    let mut kept = vec![false; reader.declared().signals.len()];
    for signal in rows.iter().filter_map(|row| row.signal) {
        kept[signal] = true;
    }
    options.phase = match phase {
        Some(phase) => phase,
        None => reader.phase(&kept, args.period)?.unwrap_or(0),
    };
    let wave = reader.some(&kept, options.times())?;
    warn_all(&args.file, &wave.warnings);
    let cycles = wave.cycles(args.period, options.phase);
    let (flag, what, asked, help) = match args.cursors.is_empty() {
        true => (
            "--window",
            "the window begins",
            options.window.first,
            "begin the window earlier",
        ),
        false => (
            "--cursor",
            "a cursor is",
            options.window.last,
            "put it earlier",
        ),
    };
    let is_asked = args.window.is_some() || !args.cursors.is_empty();
    if asked >= cycles && is_asked {
        let message = match cycles {
            0 => format!("{what} at cycle {asked}, and the waveform has no cycle"),
            1 => format!("{what} at cycle {asked}, and the waveform has one cycle, 0"),
            _ => format!(
                "{what} at cycle {asked}, and the waveform has {cycles} cycles, 0 to {}",
                cycles - 1
            ),
        };
        let help = format!("{help}; a cycle has as many time units as --period says");
        return Err(Error::one(
            Class::Usage,
            args.file.display().to_string(),
            Diagnostic::new(flag, message, help),
        ));
    }
    Ok(wave)
}
