//! `crosswave show`.
//!
//! What is drawn is chosen from what the file declares. Then only that is read, and only
//! up to the end of the window.

mod cursors;
mod follow;
mod list;
mod values;

use std::io::{IsTerminal, stdout};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;

use super::completion;
use super::output::{self, Format, JsonArgs, Output};
use super::{input_path, usage, warn_all};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::escape;
use crosswave_base::file;
use crosswave_run::recorder::CYCLE_TIME;
use crosswave_wave::{
    CycleWindow, DrawOptions, DrawnRow, Radix, WaveSource, Waveform, open, rows, select, svg,
    terminal, timeline,
};
use follow::Followed;

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
    /// again; the first that fit the terminal when left out
    #[arg(long = "scope", value_name = "PATTERN", add = ArgValueCompleter::new(completion::scopes))]
    scopes: Vec<String>,
    /// Cycles to draw, both included, as 10..40; the first that fit the terminal when left out
    #[arg(long, value_name = "FROM..TO")]
    window: Option<String>,
    /// Time units of a cycle
    #[arg(long, default_value_t = CYCLE_TIME, value_parser = clap::value_parser!(u64).range(1..))]
    period: u64,
    /// Digits of values
    #[arg(long, value_enum, default_value = "hex")]
    radix: RadixName,
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
            RadixName::Hex => Radix::Hexadecimal,
            RadixName::Binary => Radix::Binary,
            RadixName::Decimal => Radix::Decimal,
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
        let wave = read(reader, args, &rows, &mut options)?;
        let cursors = cursors::cursors(&wave, &rows, &options, &args.cursors);
        return match args.json.is_some() {
            true => json.write(&cursors),
            false => output::print(&cursors.text(args.ascii)),
        };
    }
    if args.json.is_some() {
        let rows = values::rows(reader.declared(), &kept);
        let wave = read(reader, args, &rows, &mut options)?;
        return json.write(&values::values(&wave, &rows, &options));
    }
    let mut rows = rows(reader.declared(), &kept);
    match &args.svg {
        Some(path) => {
            fit_rows(&mut rows, args, &options);
            let wave = read(reader, args, &rows, &mut options)?;
            let drawing = svg::draw(&wave, &rows, &options);
            file::write(path, |out| out.write_all(drawing.as_bytes()))
        }
        None => draw(args, reader, rows, options),
    }
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
    let wave = read(reader, args, &rows, &mut options)?;
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
    reader: WaveSource,
    mut rows: Vec<DrawnRow>,
    mut options: DrawOptions,
) -> Result<(), Error> {
    let (columns, _) = size();
    if args.window.is_none() {
        // A cycle takes two columns at least.
        options.window.last = columns as u64 / 2;
        options.line_width = Some(columns);
    } else if stdout().is_terminal() {
        options.line_width = Some(columns);
    }
    let left_out = fit_rows(&mut rows, args, &options);
    let wave = read(reader, args, &rows, &mut options)?;
    if args.window.is_none() {
        options.window.last = terminal::cycles_beside(&wave, &rows, &options) - 1;
    }
    let mut text = terminal::draw(&wave, &rows, &options);
    let mark = if args.ascii { "~" } else { "…" };
    if !left_out.is_empty() {
        let signals = left_out.len();
        let mut scopes: Vec<&str> = left_out.iter().map(|row| row.group.as_str()).collect();
        scopes.dedup();
        let named = scopes.iter().take(SCOPES_NAMED);
        let named: Vec<_> = named.map(|scope| escape::line(scope)).collect();
        text += &format!(
            "{mark} {signals} more signals, in {} scopes: {}{}\n{mark} --list lists them, --scope \
             draws others\n",
            scopes.len(),
            named.join(", "),
            if scopes.len() > named.len() {
                ", …"
            } else {
                ""
            },
        );
    }
    let next = options.window.last.saturating_add(1);
    if args.window.is_none() && next < wave.cycles(args.period, options.phase) {
        let last = next.saturating_add(options.window.last);
        text += &format!("{mark} more cycles follow: --window {next}..{last}\n");
    }
    if args.ascii {
        text = text.replace('…', mark);
    }
    output::print(&text)
}

/// Drops the rows that do not fit, and gives them. Those that were asked for fit as long
/// as there are not too many values to draw, others as long as the terminal has lines.
fn fit_rows(rows: &mut Vec<DrawnRow>, args: &ShowArgs, options: &DrawOptions) -> Vec<DrawnRow> {
    let window = options.window;
    let cycles = (window.last - window.first).min(timeline::MAX_CYCLES - 1) + 1;
    let mut fitting = usize::try_from(VALUES_MAX / cycles).unwrap_or(usize::MAX);
    if args.scopes.is_empty() {
        // The line of cycles comes first; each scope has a heading.
        let mut lines = size().1.saturating_sub(LINES_BELOW + 1);
        let mut group = "";
        let fit = rows.iter().take_while(|row| {
            let needed = 1 + usize::from(row.group != group);
            group = &row.group;
            let fits = needed <= lines;
            lines = lines.saturating_sub(needed);
            fits
        });
        fitting = fitting.min(fit.count());
    }
    rows.split_off(fitting.max(1).min(rows.len()))
}

/// Reads what is drawn. The clock at the beginning of the file says at which phase cycles
/// start.
fn read(
    mut reader: WaveSource,
    args: &ShowArgs,
    rows: &[DrawnRow],
    options: &mut DrawOptions,
) -> Result<Waveform, Error> {
    let mut kept = vec![false; reader.declared().signals.len()];
    for signal in rows.iter().filter_map(|row| row.signal) {
        kept[signal] = true;
    }
    options.phase = reader.phase(&kept, args.period)?.unwrap_or(0);
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
