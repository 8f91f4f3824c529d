//! `crosswave coverage`, and the file of `crosswave run --coverage`.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};

use super::output::{self, Format, JsonArgs, Output};
use super::progress::Display;
use super::{interrupt, usage};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::escape;
use crosswave_base::file::{self, input};
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::coverage::{
    ChipReport, CoverageReport, KindCount, NetKind, NetReach, NetReport, Reason, RouterPath, lcov,
};
use crosswave_run::simulation::Simulation;

#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    /// Files that `run --coverage` wrote as JSON; several are merged
    #[arg(required = true, value_name = "FILE.json")]
    files: Vec<PathBuf>,
    /// Write the rises and falls by lines of source as LCOV, for genhtml and editors; - is standard output
    #[arg(long, value_name = "FILE.info|-")]
    lcov: Option<PathBuf>,
    /// Nets of each chip that are listed at most, those with a name first
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    list: usize,
    /// Take these chips only; may be given again
    #[arg(long, value_name = "NAME")]
    chip: Vec<String>,
    /// Fail where fewer nets of some chip toggled, in percent of those that may
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    at_least: Option<u8>,
    #[command(flatten)]
    json: JsonArgs,
}

/// Inputs of a net that are named in the list.
const NAMED_MAX: usize = 4;

/// Inputs of a way that are named in the list.
const WAY_INPUTS_MAX: usize = 8;

/// The format of a file of coverage, by its name.
fn format(path: &Path) -> Format {
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("info") => Format::Lcov,
        _ => Format::Json,
    }
}

/// The file of coverage of a run, as an output.
pub(super) fn output(path: Option<&Path>) -> Option<Output<'_>> {
    Output::new("--coverage", path.map_or(Format::Json, format), path)
}

/// Refuses to count what a run does not show.
///
/// # Errors
/// When the engine has no nets, and when what counts would be taken up from a snapshot.
pub(super) fn check(
    config: &Config,
    path: &Path,
    (paths, checkpoints, trigger): (bool, bool, bool),
) -> Result<(), Error> {
    if paths && matches!(format(path), Format::Lcov) {
        let help = "write JSON: a name that does not end in .info";
        return Err(usage("--coverage-paths", "LCOV has no paths", help));
    }
    let refused = |message: &str, help| Err(usage("--coverage", message, help));
    if config.run.engine != EngineKind::Gate {
        let message = "nets are counted on the gate engine only";
        return refused(message, "add --engine gate");
    }
    if checkpoints || trigger {
        let message = "what is counted is not kept in checkpoints, which --checkpoints writes and a trigger goes back to";
        return refused(message, "count in a run of its own");
    }
    Ok(())
}

/// The coverage of so many replicates of a simulation, with the paths of messages through the routers of each chip. Ways
/// to what never happened are looked for in so many cycles after the reset, until an interruption.
pub(super) fn of_run(
    simulation: &Simulation,
    replicates: u32,
    reach_cycles: usize,
    paths: Vec<(String, Vec<RouterPath>)>,
) -> Result<CoverageReport, Error> {
    let display = RefCell::new(Display::new());
    let questions = Cell::new(0_u64);
    let stopped = || {
        questions.set(questions.get() + 1);
        let mut display = display.borrow_mut();
        if display.is_due().is_some() {
            let number = questions.get();
            display.show(format!(
                "looking for ways to nets that never changed: question {number}"
            ));
        }
        interrupt::interrupted()
    };
    let mut report = CoverageReport::of(simulation, u64::from(replicates), reach_cycles, stopped)?;
    for (chip, paths) in paths {
        report.add_paths(&chip, paths);
    }
    Ok(report)
}

/// Writes the coverage of a run.
pub(super) fn write(report: &CoverageReport, path: &Path) -> Result<(), Error> {
    file::write(path, |out| match format(path) {
        Format::Lcov => lcov::write(report, out),
        _ => {
            escape::write_json(&mut *out, report)?;
            out.write_all(b"\n")
        }
    })
}

fn read(path: &Path) -> Result<CoverageReport, Error> {
    let text = input::read_text(path, input::COVERAGE, Class::Input)?;
    CoverageReport::parse(&text).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        let help = "name a file that `crosswave run --coverage FILE.json` wrote";
        let found = Diagnostic::new(place, error.to_string(), help);
        Error::one(Class::Input, path.display().to_string(), found)
    })
}

pub(super) fn coverage(args: &CoverageArgs) -> Result<(), Error> {
    let outputs = [
        Output::new("--lcov", Format::Lcov, args.lcov.as_deref()),
        args.json.output(),
    ];
    let outputs: Vec<Output> = outputs.into_iter().flatten().collect();
    let to_stdout = output::check(&outputs)?;
    let (first, others) = args.files.split_first().expect("one is required");
    let mut report = read(first)?;
    for path in others {
        report.merge(read(path)?, &path.display().to_string())?;
    }
    choose(&mut report, &args.chip)?;
    if let Some(path) = &args.lcov {
        file::write(path, |out| lcov::write(&report, out))?;
    }
    args.json.write(&report)?;
    if !to_stdout {
        output::print(&text(&report, args.list))?;
    }
    let least = f64::from(args.at_least.unwrap_or(0));
    let low = report
        .chips
        .iter()
        .filter(|chip| chip.sums().percent() < least);
    let low: Vec<Diagnostic> = low
        .map(|chip| {
            let found = format!(
                "{} of the nets that may toggle did; expected at least {least:.0} %",
                percent(chip.sums().percent())
            );
            let help = "run traffic that reaches the nets that are listed, and merge the files; --chip NAME \
                        takes one chip only";
            Diagnostic::new(format!("chip {}", chip.chip), found, help)
        })
        .collect();
    match low.is_empty() {
        true => Ok(()),
        false => Err(Error {
            class: Class::Check,
            origin: "coverage".to_owned(),
            source: None,
            diagnostics: low,
        }),
    }
}

/// Keeps the chips of some names; all, where there are none.
fn choose(report: &mut CoverageReport, names: &[String]) -> Result<(), Error> {
    let known: Vec<&str> = report.chips.iter().map(|chip| &*chip.chip).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        let help = format!("it has these: {}", known.join(", "));
        return Err(usage(
            "--chip",
            format!("the coverage has no chip {name}"),
            &help,
        ));
    }
    if !names.is_empty() {
        report.chips.retain(|chip| names.contains(&chip.chip));
    }
    Ok(())
}

/// A share in percent, never more than it is.
fn percent(share: f64) -> String {
    format!("{:.1} %", (10.0 * share).floor() / 10.0)
}

/// The inputs that hold a net, the first of them by their names.
fn held(inputs: &[String]) -> String {
    let named = inputs[..inputs.len().min(NAMED_MAX)].join(", ");
    match inputs.len().saturating_sub(NAMED_MAX) {
        0 => format!("held by {named}"),
        more => format!("held by {named} and {more} more"),
    }
}

/// A way to a value that a net never had, the first of its inputs by their names.
fn way(reach: &NetReach) -> String {
    // Pins that keep their values say least.
    let (pins, driven): (Vec<_>, Vec<_>) = reach.inputs.iter().partition(|one| one.cycle == 0);
    let inputs = driven.into_iter().chain(pins);
    let named = inputs.take(WAY_INPUTS_MAX).map(|input| {
        let value = u8::from(input.value);
        match input.cycle {
            0 => format!("{}={value} always", input.input),
            cycle => format!("{}={value} in cycle {cycle}", input.input),
        }
    });
    let named: Vec<String> = named.collect();
    let more = match reach.inputs.len().saturating_sub(WAY_INPUTS_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let inputs = match named.is_empty() {
        true => "whatever the inputs are".to_owned(),
        false => format!("with {}{more}", named.join(", ")),
    };
    let value = u8::from(reach.value);
    format!("; {value} in cycle {} {inputs}", reach.cycle)
}

/// A table of all chips, and the nets of each that did not toggle.
fn text(report: &CoverageReport, list: usize) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header([
        "chip",
        "nets",
        "all",
        "never can",
        "by pins",
        "toggled",
        "share",
    ]);
    for column in 2..7 {
        let column = table.column_mut(column).expect("there are seven");
        column.set_cell_alignment(CellAlignment::Right);
    }
    let share = |toggled: u64, may: u64| match may {
        0 => "-".to_owned(),
        may => percent(100.0 * toggled as f64 / may as f64),
    };
    for chip in &report.chips {
        for (number, count) in chip.counts.iter().enumerate() {
            let name = match number {
                0 => escape::line(&chip.chip).to_string(),
                _ => String::new(),
            };
            table.add_row([
                name,
                count.kind.plural().to_owned(),
                count.nets.to_string(),
                count.never.to_string(),
                count.pins.to_string(),
                count.toggled.to_string(),
                share(count.toggled, count.may()),
            ]);
        }
        let sums = chip.sums();
        let of_all = |of: fn(&KindCount) -> u64| {
            let sum: u64 = chip.counts.iter().map(of).sum();
            sum.to_string()
        };
        table.add_row([
            String::new(),
            "all".to_owned(),
            sums.nets.to_string(),
            of_all(|count| count.never),
            of_all(|count| count.pins),
            sums.toggled.to_string(),
            share(sums.toggled, sums.may),
        ]);
    }
    let mut text = format!("{table}\n");
    for chip in report.chips.iter().filter(|chip| !chip.paths.is_empty()) {
        text += &paths(chip);
    }
    for chip in &report.chips {
        listed(chip, list, &mut text);
    }
    text
}

/// Link ports of a chip up to which its paths are a table.
const TABLE_LINKS_MAX: usize = 10;

/// The paths of messages through the routers of a chip: a row for each input, a column for each output.
fn paths(chip: &ChipReport) -> String {
    let mut links: Vec<&str> = Vec::new();
    for path in &chip.paths {
        if !links.contains(&&*path.input) {
            links.push(&path.input);
        }
    }
    let between = chip.paths.iter().filter(|path| path.output.is_some());
    let used = between.clone().filter(|path| path.passed > 0).count();
    let mut text = format!(
        "{}: messages took {used} of {} paths from an input to an output\n",
        escape::line(&chip.chip),
        between.count()
    );
    if links.len() > TABLE_LINKS_MAX {
        return text;
    }
    let is_hidden = chip.paths.iter().any(|path| path.output.is_none());
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let outputs = links
        .iter()
        .map(|link| format!("to {}", escape::line(link)));
    let outputs = outputs.chain(is_hidden.then(|| "to any".to_owned()));
    table.set_header(std::iter::once(String::new()).chain(outputs));
    for input in &links {
        let of_input = chip.paths.iter().filter(|path| path.input == *input);
        let cell = |output: Option<&str>| {
            let mut of_input = of_input.clone();
            let found = of_input.find(|path| path.output.as_deref() == output);
            found.map_or(String::new(), shown)
        };
        let outputs = links.iter().map(|output| cell(Some(output)));
        let hidden = is_hidden.then(|| cell(None));
        let row = std::iter::once(format!("from {}", escape::line(input)));
        table.add_row(row.chain(outputs).chain(hidden));
    }
    let _ = writeln!(text, "{table}");
    text
}

/// The counts of a path, those that are 0 left out.
fn shown(path: &RouterPath) -> String {
    if !path.is_wanted() {
        return "-".to_owned();
    }
    let mut shown = path.passed.to_string();
    for (count, what) in [(path.waited, "waited"), (path.rejected, "rejected")] {
        if count > 0 {
            let _ = write!(shown, ", {count} {what}");
        }
    }
    shown
}

/// The nets of a chip that did not toggle though they may, those with a name first.
fn listed(chip: &ChipReport, list: usize, text: &mut String) {
    let nets = chip.nets.iter();
    let cannot = [Some(Reason::Never), Some(Reason::Pins)];
    let missing = nets.filter(|net| !net.toggled() && !cannot.contains(&net.reason));
    let mut missing: Vec<&NetReport> = missing.collect();
    missing.sort_by_key(|net| !net.is_named());
    if missing.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "{}: {} nets may toggle and did not",
        escape::line(&chip.chip),
        missing.len()
    );
    for net in missing.iter().take(list) {
        let found = match (net.reason, net.rose) {
            (Some(Reason::Inputs), _) => held(&net.inputs),
            (Some(_), _) => "never changed".to_owned(),
            (None, true) => "rose and never fell".to_owned(),
            (None, false) => "fell and never rose".to_owned(),
        };
        let way = match &net.reach {
            // An input is brought there by itself.
            Some(_) if net.kind == NetKind::Input => String::new(),
            Some(reach) => way(reach),
            None if net.unreached => {
                format!("; no way found in cycles 1 to {}", chip.reach_cycles)
            }
            None => String::new(),
        };
        let source = net.source.as_deref().map(|source| format!(" ({source})"));
        let line = format!("{}: {found}{way}{}", net.net, source.unwrap_or_default());
        let _ = writeln!(text, "  {}", escape::line(&line));
    }
    if missing.len() > list {
        let _ = writeln!(
            text,
            "  and {} more; --list shows more",
            missing.len() - list
        );
    }
}
