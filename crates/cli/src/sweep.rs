//! `crosswave sweep`.

mod configurations;
mod saturated;
mod shown;

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use serde::Serialize;
use serde_json::Value;

use super::check::keep_points;
use super::memory::{Planned, Task};
use super::output::{self, JsonArgs};
use super::progress::Status;
use super::{ConfigArgs, named_input, own_chips, say, usage};
use configurations::{Configurations, Variant};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::{Folder, FolderFile};
use crosswave_figures::columns;
use crosswave_network::traffic::TrafficConfig;
use crosswave_observe::points::enough::Enough;
use crosswave_observe::points::{Store, beside};
use crosswave_observe::sweep::figure::{self, Undrawn};
use crosswave_observe::sweep::grid::{self, POINTS_MAX, SweepPoint};
use crosswave_observe::sweep::lengthen::settle;
use crosswave_observe::sweep::measures::Measured;
use crosswave_observe::sweep::table::Table;
use crosswave_observe::sweep::values::Vary;
use crosswave_observe::sweep::{self, StopRule};
use crosswave_papers::fingerprint;
use crosswave_run::config::{Config, REPLICATES_MAX};
use crosswave_run::memory;

/// The table.
const CSV: &str = "sweep.csv";
/// The same for notebooks, of a program that writes it.
const PARQUET: &str = "sweep.parquet";
/// The key of the cycles in which messages are offered.
const CYCLES: &str = "traffic.cycles";
/// The key of the load.
const LOAD: &str = "traffic.load";
/// The largest multiple of the cycles of a configuration that a point may be run for.
const TIMES_MAX: u64 = 4096;
/// Folder of the points, in the folder of the sweep.
const POINTS: &str = "points";

#[derive(Debug, Args)]
pub(super) struct SweepArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// More configurations, to compare with the first: each is a row or curve of its own, named as
    /// its file. Options hold for all of them
    #[arg(value_name = "FILE", value_parser = PathBufValueParser::new().map(named_input))]
    more: Vec<PathBuf>,
    /// A named variant of the configuration, such as 'fixed: router.winner=fixed run.seed=2', where
    /// !KEY takes a key away; given again, the variants are compared
    #[arg(long = "variant", value_name = "NAME: KEY=VALUE …")]
    variants: Vec<Variant>,
    /// A key and its values: a list (traffic.words=2,4,8), or a range with a step
    /// (traffic.load=0.1..1.0:0.1) or a factor (network.nodes=64..4096*4). Given again, every
    /// combination is run
    #[arg(
        long = "vary",
        value_name = "KEY=VALUES",
        required_unless_present_any = ["saturation", "more", "variants"]
    )]
    varied: Vec<Vary>,
    /// Folder for sweep.csv and the pictures; made when missing. Points are kept in its folder
    /// points, and are not run again. Files there that crosswave did not write are not replaced
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// A number of the run's JSON that is drawn and whose mean must reach --half-width, such as
    /// latency_cycles.p99; may be given again [default: latency_cycles.mean; of steady traffic
    /// steady.throughput_fraction and steady.latency_cycles.mean]
    #[arg(long = "measure", value_name = "PATH")]
    measures: Vec<String>,
    /// Replicates of a point: at least MIN, and more until the means reach --half-width, at most MAX
    #[arg(long, value_name = "MIN..MAX", default_value = "4..64")]
    replicates: Replicates,
    /// Half of the 95 % interval of a mean to reach, as a fraction of the mean
    #[arg(long, value_name = "FRACTION", default_value_t = 0.05, value_parser = fraction)]
    half_width: f64,
    /// Double traffic.cycles of steady traffic until a point is stationary or above saturation, up to
    /// TIMES times
    #[arg(long, value_name = "TIMES", num_args = 0..=1, require_equals = true, default_missing_value = "16")]
    until_sure: Option<Times>,
    /// Find the load at which throughput stops following the offer, by bisection, at every
    /// combination of the other keys. Unless the load is varied, the points are loads up to it
    /// and above
    #[arg(long, value_name = "KEY", conflicts_with_all = ["shard", "merge"])]
    saturation: Option<LoadKey>,
    /// Run only part I of N of the points, so that several processes or machines share the sweep
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Take in the points that other folders of the same sweep keep, and run none; may be given
    /// again
    #[arg(long, value_name = "DIR", conflicts_with = "shard")]
    merge: Vec<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
}

/// Least and greatest number of replicates.
#[derive(Debug, Clone, Copy)]
struct Replicates {
    least: usize,
    most: usize,
}

impl FromStr for Replicates {
    type Err = String;

    fn from_str(text: &str) -> Result<Replicates, String> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let count = |text: &str| {
            let count: Option<usize> = text.trim().parse().ok();
            count.filter(|count| (1..=REPLICATES_MAX as usize).contains(count))
        };
        match (count(least), count(most)) {
            (Some(least), Some(most)) if least <= most => Ok(Replicates { least, most }),
            _ => Err(format!(
                "expected MIN..MAX, or one number, from 1 to {REPLICATES_MAX}"
            )),
        }
    }
}

/// Part `index` of `count`, from 1 on.
#[derive(Debug, Clone, Copy)]
struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    fn has(self, point: &SweepPoint) -> bool {
        point.index % self.count == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(index, count)| {
            let (index, count) = (index.trim().parse().ok()?, count.trim().parse().ok()?);
            Some(Shard { index, count })
        });
        match parts {
            Some(shard) if (1..=shard.count).contains(&shard.index) => Ok(shard),
            _ => Err("expected I/N with I from 1 to N, such as 2/8".into()),
        }
    }
}

/// Longest runs, as a multiple of the cycles of the configuration.
#[derive(Debug, Clone, Copy)]
struct Times(u64);

impl FromStr for Times {
    type Err = String;

    fn from_str(text: &str) -> Result<Times, String> {
        let times = text.parse().ok();
        let times = times.filter(|times| (1..=TIMES_MAX).contains(times));
        times
            .map(Times)
            .ok_or_else(|| format!("expected a whole number from 1 to {TIMES_MAX}, such as 16"))
    }
}

/// The key whose saturation can be found.
#[derive(Debug, Clone, Copy)]
struct LoadKey;

impl FromStr for LoadKey {
    type Err = String;

    fn from_str(text: &str) -> Result<LoadKey, String> {
        match text {
            LOAD => Ok(LoadKey),
            _ => Err(format!(
                "networks saturate over {LOAD}; expected --saturation {LOAD}"
            )),
        }
    }
}

fn fraction(text: &str) -> Result<f64, String> {
    let fraction: Option<f64> = text.parse().ok();
    fraction
        .filter(|fraction| (0.0..=1.0).contains(fraction))
        .ok_or_else(|| "expected a number from 0 to 1, such as 0.02".into())
}

/// The JSON of a sweep.
#[derive(Debug, Serialize)]
struct Document<'a> {
    crosswave: &'static str,
    vary: Vec<(&'a str, &'a [String])>,
    measures: &'a [String],
    half_width_fraction: f64,
    points: Value,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    saturation: Vec<saturated::SaturationRow>,
}

pub(super) fn sweep(args: &SweepArgs) -> Result<(), Error> {
    for (at, vary) in args.varied.iter().enumerate() {
        if args.varied[..at].iter().any(|other| other.key == vary.key) {
            let help = "give its values once, with commas between them";
            return Err(usage(
                "--vary",
                format!("{} is given twice", vary.key),
                help,
            ));
        }
    }
    for (at, measure) in args.measures.iter().enumerate() {
        if args.measures[..at].contains(measure) {
            let help = "name it once";
            return Err(usage(
                "--measure",
                format!("{measure} is given twice"),
                help,
            ));
        }
    }
    let to_stdout = output::check(args.json.output().as_slice())?;
    let bases = Configurations::read(args)?;
    let given: Vec<Vary> = bases
        .vary()
        .into_iter()
        .chain(args.varied.clone())
        .collect();
    let others: Vec<Vary> = match args.saturation {
        Some(_) => {
            let others = given.iter().filter(|vary| vary.key != LOAD);
            others.cloned().collect()
        }
        None => given.clone(),
    };
    // Without the load these are the points whose saturation is looked for.
    let combinations = points(&bases, &others)?;
    let has_steady = |point: &SweepPoint| matches!(point.config.traffic, TrafficConfig::Steady(_));
    let is_steady = combinations.iter().all(has_steady);
    let flags = [
        ("--saturation", args.saturation.is_some()),
        ("--until-sure", args.until_sure.is_some()),
    ];
    if let Some((flag, _)) = flags.iter().find(|(_, is_given)| *is_given && !is_steady) {
        let help = "set traffic.pattern = \"steady\", which has a load and a steady state";
        return Err(usage(flag, "the traffic is not steady", help));
    }
    if args.until_sure.is_some() && args.varied.iter().any(|vary| vary.key == CYCLES) {
        let help = "leave out --until-sure, or do not vary traffic.cycles, which it lengthens";
        return Err(usage("--until-sure", "traffic.cycles is varied", help));
    }
    let wanted = wanted(args, is_steady);
    let mut folder = Folder::new("--out", &args.out)?;
    // Found out before anything is simulated.
    folder.make()?;
    let names: Vec<String> = wanted.measures.iter().map(|name| picture(name)).collect();
    let tables = [CSV, PARQUET, saturated::CSV];
    folder.claim_names(names.iter().map(String::as_str).chain(tables))?;
    let kept = args.out.join(POINTS);
    let store = Store::in_folder(&kept, env!("CARGO_PKG_VERSION"))?;
    let mut found = Vec::new();
    if args.saturation.is_some() {
        keep_points(&kept);
        for point in &combinations {
            check_memory(point)?;
        }
        found = saturated::search(&combinations, &wanted, &store)?;
    }
    let (varied, points) = match args.saturation {
        Some(_) if others.len() == given.len() => {
            saturated::points_up_to_it(&bases, &others, &found)?
        }
        Some(_) => {
            let points = points(&bases, &given)?;
            (given, points)
        }
        None => (others, combinations),
    };
    for other in &args.merge {
        take_in(args, &points, &wanted, &store, other)?;
    }
    let (settled, missing) = run(args, &points, &wanted, &store)?;
    let rows: Vec<(&SweepPoint, Measured)> = settled
        .iter()
        .map(|(point, measured)| (point, measured.clone()))
        .collect();
    if let Some(shard) = args.shard {
        let own = points.iter().filter(|point| shard.has(point)).count();
        let line = format!(
            "{}: part {} of {}, {own} of {} points, is done\n",
            kept.display(),
            shard.index,
            shard.count,
            points.len()
        );
        output::print(&line)?;
        let own = rows.into_iter().filter(|(point, _)| shard.has(point));
        return unfinished(&args.out, &Table::new(&varied, own.collect()));
    }
    if !missing.is_empty() {
        let places = missing.iter().take(10).map(|point| point.title());
        let list = places.collect::<Vec<_>>().join("; ");
        let message = format!(
            "{} of {} points are not kept with as many replicates as are wanted: {list}",
            missing.len(),
            points.len()
        );
        let help = "run the parts that have them, or leave out --merge to run what is missing; points \
                    that another version of the program has kept do not count";
        return Err(Error::one(
            Class::Check,
            kept.display().to_string(),
            Diagnostic::new("kept points", message, help),
        ));
    }
    let mut table = Table::new(&varied, rows).led_by(&wanted.measures);
    if args.until_sure.is_some() {
        table = table.with_cycles();
    }
    let found = saturated::with_curves(found, &table);
    let title = figure::title(&points, &varied, args.until_sure.is_some());
    let mut files = vec![FolderFile::new(CSV, table.csv())];
    let parquet = columns::parquet(&table.columns());
    files.extend(parquet.map(|bytes| FolderFile::new(PARQUET, bytes)));
    let rows = saturated::rows(&found, &varied);
    match rows.is_empty() {
        false => files.push(FolderFile::new(
            saturated::CSV,
            saturated::csv(&rows, &varied),
        )),
        true => folder.remove(saturated::CSV),
    }
    let mut warnings = Vec::new();
    for (measure, name) in wanted.measures.iter().zip(&names) {
        match figure::svg(&table, &title, measure, &found) {
            Ok(svg) => files.push(FolderFile::new(name, svg)),
            Err(why) => {
                folder.remove(name);
                warnings.push(match why {
                    Undrawn::Axis => format!("warning: no picture is drawn: {why}"),
                    _ => format!("warning: {name} is not drawn: {why}"),
                });
            }
        }
    }
    warnings.dedup();
    warnings.iter().for_each(|warning| say(warning));
    folder.write(&files)?;
    if !to_stdout {
        output::print(&shown::text(&table, &wanted.measures))?;
        output::print(&saturated::text(&rows))?;
        output::print(&summary(args, &table, &files))?;
    }
    args.json.write(&Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        vary: varied
            .iter()
            .map(|vary| (vary.key.as_str(), vary.values.as_slice()))
            .collect(),
        measures: &wanted.measures,
        half_width_fraction: wanted.half_width_fraction,
        points: table.json(),
        saturation: rows,
    })?;
    unsteady(args, &table);
    unfinished(&args.out, &table)
}

/// Warns of points that are not known to be stationary, except those above saturation where such
/// points are meant to be there.
fn unsteady(args: &SweepArgs, table: &Table) {
    let above_is_meant = args.saturation.is_some();
    let is_meant = |row: &usize| {
        let found = table.verdict(*row);
        above_is_meant && found.is_some_and(|found| found.above_saturation)
    };
    let rows = (0..table.rows().len()).filter(|&row| table.is_unsteady(row));
    let (above, unsteady): (Vec<usize>, Vec<usize>) = rows.partition(is_meant);
    let Some(&first) = unsteady.first() else {
        return;
    };
    let explanation = table
        .verdict(first)
        .map_or("", |found| found.explanation.as_str());
    let (are, have, first_is) = match unsteady.len() {
        1 => ("is", "has", "it is"),
        _ => ("are", "have", "the first is"),
    };
    let above = match above.len() {
        0 => String::new(),
        1 => " (1 more is above saturation)".to_owned(),
        count => format!(" ({count} more are above saturation)"),
    };
    let is_varied = args.varied.iter().any(|vary| vary.key == CYCLES);
    let help = match args.until_sure {
        _ if is_varied => String::new(),
        None => "\n  help: --until-sure runs such points for more cycles".to_owned(),
        Some(Times(TIMES_MAX)) => String::new(),
        Some(Times(times)) => {
            let more = (4 * times).min(TIMES_MAX);
            format!("\n  help: --until-sure={more} runs such points for more cycles")
        }
    };
    say(&format!(
        "warning: {} of {} points {are} not known to be stationary{above} and {have} no 95 % interval; \
         {first_is} {}: {explanation}{help}",
        unsteady.len(),
        table.rows().len(),
        table.rows()[first].0.title()
    ));
}

/// The name of the picture of a measure.
fn picture(measure: &str) -> String {
    format!("{measure}.svg")
}

/// The points of a grid, each with its configuration checked.
fn points(bases: &Configurations, varied: &[Vary]) -> Result<Vec<SweepPoint>, Error> {
    let count = grid::count(varied).ok_or_else(|| {
        let help = "vary fewer keys, or take longer steps";
        usage(
            "--vary",
            format!("there are more than {POINTS_MAX} points"),
            help,
        )
    })?;
    let values = (0..count)
        .map(|index| grid::values(varied, index))
        .collect();
    points_at(bases, varied, values)
}

/// The points of some values, by the indices of those of each key.
fn points_at(
    bases: &Configurations,
    varied: &[Vary],
    values: Vec<Vec<usize>>,
) -> Result<Vec<SweepPoint>, Error> {
    let mut points = Vec::new();
    for (index, values) in values.into_iter().enumerate() {
        let settings: Vec<(&Vary, usize)> = varied.iter().zip(values.iter().copied()).collect();
        let (names, keys): (Vec<_>, Vec<_>) = settings
            .iter()
            .partition(|(vary, _)| vary.is_of_configurations());
        let base = &bases.list[names.first().map_or(0, |(_, at)| *at)];
        let texts = |settings: &[(&Vary, usize)]| -> Vec<String> {
            let settings = settings.iter();
            settings.map(|(vary, value)| vary.setting(*value)).collect()
        };
        let changed = texts(&keys);
        let all = [base.overrides.as_slice(), &changed].concat();
        let origin = match changed.is_empty() {
            true => base.origin.clone(),
            false => format!("{} with {}", base.origin, changed.join(", ")),
        };
        let config = Config::parse(&base.text, &origin, &base.folder, &all).and_then(|config| {
            config.check_files(&base.text, &origin, &all)?;
            Ok(config)
        });
        let named = |error| own_chips::with_option(error, &base.chips, &base.folder);
        let config = config.map_err(named)?;
        own_chips::load(&config)?;
        points.push(SweepPoint {
            index,
            settings: texts(&settings),
            values,
            program: fingerprint::of_runs(&config),
            config,
        });
    }
    Ok(points)
}

fn wanted(args: &SweepArgs, is_steady: bool) -> StopRule {
    let mut measures = args.measures.clone();
    if measures.is_empty() {
        measures = match is_steady {
            true => vec![
                "steady.throughput_fraction".into(),
                "steady.latency_cycles.mean".into(),
            ],
            false => vec!["latency_cycles.mean".into()],
        };
    }
    StopRule {
        measures,
        replicates: Enough {
            least: args.replicates.least,
            most: args.replicates.most,
            step: 1,
        },
        half_width_fraction: args.half_width,
    }
}

/// Times as many cycles as points are run for at most.
fn times_max(args: &SweepArgs) -> u64 {
    args.until_sure.map_or(1, |Times(times)| times)
}

/// Takes in what another folder keeps of the points.
fn take_in(
    args: &SweepArgs,
    points: &[SweepPoint],
    wanted: &StopRule,
    store: &Store,
    folder: &Path,
) -> Result<(), Error> {
    let kept = folder.join(POINTS);
    if !kept.is_dir() {
        let message = format!("{} is no folder", kept.display());
        let help = "name the folder that was --out of another part of this sweep";
        return Err(usage("--merge", message, help));
    }
    let other = Store::in_folder(&kept, env!("CARGO_PKG_VERSION"))?;
    for point in points {
        settle(point, times_max(args), &mut |point| {
            if let Some(measured) = sweep::kept(point, wanted, store)? {
                return Ok(Some(measured));
            }
            sweep::take_in(point, &other, store)?;
            sweep::kept(point, wanted, store)
        })?;
    }
    Ok(())
}

/// Points as they were run, with their results.
type Rows = Vec<(SweepPoint, Measured)>;

/// Runs the points that are not kept, as far as they are wanted here; the points with their
/// results, and those without.
fn run<'a>(
    args: &SweepArgs,
    points: &'a [SweepPoint],
    wanted: &StopRule,
    store: &Store,
) -> Result<(Rows, Vec<&'a SweepPoint>), Error> {
    let mut rows = Rows::new();
    let mut to_run = Vec::new();
    for point in points {
        let kept = settle(point, times_max(args), &mut |point| {
            sweep::kept(point, wanted, store)
        })?;
        match kept {
            Some(row) => rows.push(row),
            None => to_run.push(point),
        }
    }
    if !args.merge.is_empty() {
        return Ok((rows, to_run));
    }
    let (mut to_run, others): (Vec<&SweepPoint>, Vec<&SweepPoint>) = to_run
        .into_iter()
        .partition(|point| args.shard.is_none_or(|shard| shard.has(point)));
    to_run.sort_by_key(|point| point.index);
    keep_points(&args.out.join(POINTS));
    for point in &to_run {
        check_memory(point)?;
    }
    rows.extend(beside::each(
        &to_run,
        &mut Status::new(),
        |point, idle, watch| {
            let row = settle(point, times_max(args), &mut |point| {
                sweep::run(point, wanted, store, idle, watch).map(Some)
            })?;
            Ok(row.expect("a point is run where it is not kept"))
        },
    )?);
    rows.sort_by_key(|(point, _)| point.index);
    Ok((rows, others))
}

/// Fails for a point that takes more memory than the system grants.
fn check_memory(point: &SweepPoint) -> Result<(), Error> {
    let network = point.config.topology();
    // Replicates are as many as there is work for at a time.
    let mut config = point.config.clone();
    config.run.replicates = REPLICATES_MAX;
    let planned = Planned {
        config: &config,
        origin: &point.title(),
        network: &*network,
        task: Task::Run {
            records: &[],
            waveform: 0,
            coverage: false,
        },
    };
    planned.check(memory::expected_messages(&config).unwrap_or(0))
}

fn summary(args: &SweepArgs, table: &Table, files: &[FolderFile]) -> String {
    let replicates: usize = table
        .rows()
        .iter()
        .map(|(_, measured)| measured.len())
        .sum();
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    format!(
        "{} points, {replicates} replicates, written to the folder {}: {}\n",
        table.rows().len(),
        args.out.display(),
        names.join(", ")
    )
}

/// Fails when replicates did not deliver all messages.
fn unfinished(folder: &Path, table: &Table) -> Result<(), Error> {
    let rows = table.rows().iter();
    let points: Vec<&SweepPoint> = rows
        .filter(|(_, measured)| measured.unfinished() > 0)
        .map(|&(point, _)| point)
        .collect();
    let Some(first) = points.first() else {
        return Ok(());
    };
    let message = format!(
        "at {} of {} points replicates did not deliver all messages, first at {}; the table says \
         how many, and pictures leave those points out",
        points.len(),
        table.rows().len(),
        first.title()
    );
    let network = first.config.topology();
    let stalls = network.packets().and_then(|rules| rules.stall_cycles());
    let help = match stalls {
        Some(_) => {
            "`crosswave run` with the keys of that point says whether links wait for each other, or \
             run.cycles_max came first"
        }
        None => "raise run.cycles_max, lower the load, or see to it that no packets are lost",
    };
    Err(Error::one(
        Class::Check,
        folder.display().to_string(),
        Diagnostic::new("points", message, help),
    ))
}
