//! `crosswave compare`.

use std::path::PathBuf;

use clap::{ArgAction, Args};
use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use super::output::{self, JsonArgs, Output};
use super::progress::Status;
use super::recording::{Console, failed};
use super::run::program;
use super::wave_args::{WaveArgs, WaveOutput};
use super::{ConfigArgs, SourcedConfig, interrupt, named_input, say, usage};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_observe::compare::{self, LockStep, MeasureDifference};
use crosswave_observe::recording::{RunWaveform, Selection, WaveTarget};
use crosswave_run::simulation::Simulation;

/// Ports that are printed.
const PORTS: usize = 12;
/// Chips whose ports are recorded where no scopes are asked for.
const CHIPS_RECORDED: usize = 16;
/// Differences up to this are of rounding.
const NOISE: f64 = 1e-9;

#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// The second configuration, which gets the chips of --chip. Left out: the first configuration
    /// again, with the chips of --chip
    #[arg(value_parser = clap::builder::TypedValueParser::map(
        clap::builder::PathBufValueParser::new(), named_input))]
    second: Option<PathBuf>,
    /// Replicate that runs in lock step
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    replicate: u32,
    #[command(flatten)]
    wave: WaveArgs,
    /// Cycles before the first difference, and after it, that the waveforms show
    #[arg(long, value_name = "CYCLES", default_value_t = 20)]
    around: u64,
    #[command(flatten)]
    json: JsonArgs,
    /// Print no summary
    #[arg(long, short, action = ArgAction::SetTrue)]
    quiet: bool,
}

/// A port that differs, as JSON.
#[derive(Debug, Serialize)]
struct PortRow {
    instance: String,
    port: &'static str,
    first: String,
    second: String,
}

/// A measure, as JSON.
#[derive(Debug, Serialize)]
struct MeasureRow {
    measure: String,
    first: f64,
    second: f64,
    difference: f64,
    half_width_95: Option<f64>,
    verdict: &'static str,
}

impl From<MeasureDifference> for MeasureRow {
    fn from(found: MeasureDifference) -> MeasureRow {
        MeasureRow {
            verdict: found.verdict().name(),
            first: found.means[0],
            second: found.means[1],
            difference: found.difference,
            half_width_95: found.half_width_95,
            measure: found.measure,
        }
    }
}

/// The result, as JSON.
#[derive(Debug, Serialize)]
struct Document {
    crosswave: &'static str,
    first: String,
    second: String,
    /// The first cycle in which something differs.
    differs_cycle: Option<u64>,
    ports: Vec<PortRow>,
    last_cycles: [u64; 2],
    replicates: u32,
    measures: Vec<MeasureRow>,
}

/// A side of the comparison.
struct Side {
    name: String,
    sourced: SourcedConfig,
    simulation: Simulation,
}

impl Side {
    fn new(args: &ConfigArgs) -> Result<Side, Error> {
        let sourced = args.read_sourced(&[])?;
        let own = &sourced.config.chips.own;
        let chips: Vec<String> = own.iter().map(ToString::to_string).collect();
        let name = match chips.is_empty() {
            true => args.origin(),
            false => format!("{} with {}", args.origin(), chips.join("; ")),
        };
        Ok(Side {
            name,
            simulation: Simulation::new(&sourced.config)?.without_rest(),
            sourced,
        })
    }
}

pub(super) fn compare(args: &CompareArgs) -> Result<(), Error> {
    if args.second.is_none() && args.config.changes.chip.is_empty() {
        let help = "name a second configuration, or a chip of your own with --chip CHIP=FILE";
        return Err(usage("SECOND", "there is nothing to compare with", help));
    }
    let output = args.wave.output()?;
    let waves = output.map_or(Vec::new(), |output| output.paths(2));
    let mut outputs: Vec<Output<'_>> = Vec::new();
    if let Some(output) = output {
        output.check_several(2, "runs")?;
        outputs.extend(output.outputs(&waves));
    }
    outputs.extend(args.json.output());
    let to_stdout = output::check(&outputs)?;
    let mut first = args.config.of_file(&args.config.file);
    first.changes.chip.clear();
    let second = args
        .config
        .of_file(args.second.as_ref().unwrap_or(&args.config.file));
    let sides = [Side::new(&first)?, Side::new(&second)?];
    let of = |side: fn(&Side) -> &Simulation| [side(&sides[0]), side(&sides[1])];
    let simulations = of(|side| &side.simulation);
    compare::check_shapes(simulations.map(Simulation::fabric))?;
    super::check_replicate(&sides[0].sourced.config, args.replicate)?;
    let replicates = [
        simulations[0].replicate(args.replicate)?,
        simulations[1].replicate(args.replicate)?,
    ];
    interrupt::heed();
    let found = compare::lock_step(
        simulations,
        [&replicates[0], &replicates[1]],
        &interrupt::interrupted,
    )?;
    if let (Some(output), Some(cycle)) = (output, found.differs_cycle) {
        let window = (
            cycle.saturating_sub(args.around),
            cycle.saturating_add(args.around),
        );
        for ((side, replicate), (path, last)) in sides
            .iter()
            .zip(&replicates)
            .zip(waves.iter().zip(found.last_cycles))
        {
            let window = (window.0, window.1.min(last));
            record(side, replicate, &found, output, path.clone(), window)?;
            if !args.quiet {
                let (from, to) = window;
                say(&format!(
                    "{}: {}, cycles {from} to {to}",
                    path.display(),
                    side.name
                ));
            }
        }
    }
    let configs = [&sides[0].sourced.config, &sides[1].sourced.config];
    let programs = [program(configs[0])?, program(configs[1])?];
    let (replicates, measures) = compare::measures(configs, programs, &mut Status::new())?;
    let fabric = simulations[0].fabric();
    let ports = found.ports.iter().map(|port| {
        let [first, second] = port.shown(fabric);
        PortRow {
            instance: port.instance_name(fabric),
            port: port.port_name(fabric),
            first,
            second,
        }
    });
    let document = Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        differs_cycle: found.differs_cycle,
        ports: ports.collect(),
        last_cycles: found.last_cycles,
        replicates,
        measures: measures.into_iter().map(MeasureRow::from).collect(),
        first: sides[0].name.clone(),
        second: sides[1].name.clone(),
    };
    args.json.write(&document)?;
    if !args.quiet && !to_stdout {
        output::print(&text(&document))?;
    }
    match document.differs_cycle {
        None => Ok(()),
        Some(cycle) => {
            let message = match document.ports.len() {
                0 => "one of the runs has ended".to_owned(),
                1 => "an output differs for the first time".to_owned(),
                count => format!("{count} outputs differ for the first time"),
            };
            let diagnostic = Diagnostic::new(format!("cycle {cycle}"), message, "");
            Err(Error::one(Class::Check, "compare", diagnostic))
        }
    }
}

/// Records the cycles around the first difference.
fn record(
    side: &Side,
    replicate: &crosswave_run::replicate::Replicate,
    found: &LockStep,
    output: WaveOutput<'_>,
    path: PathBuf,
    window: (u64, u64),
) -> Result<(), Error> {
    let mut wave = side.sourced.config.wave.clone();
    (wave.trigger, wave.window_cycles) = (None, None);
    if wave.scopes == ["*"] {
        let fabric = side.simulation.fabric();
        let mut names: Vec<String> = found
            .ports
            .iter()
            .map(|port| port.instance_name(fabric))
            .collect();
        names.dedup();
        names.truncate(CHIPS_RECORDED);
        wave.scopes = names.iter().map(|name| format!("**.{name}")).collect();
    }
    let source = &side.sourced.source;
    let selection =
        Selection::new(&side.simulation, &wave, source, &mut Console).map_err(failed)?;
    let format = output.format;
    let waveform = RunWaveform::new(WaveTarget { path, format }, &side.simulation, selection);
    let recorded = waveform.record_window(window, None, replicate, &mut (), &mut Console);
    recorded.map_err(failed)
}

/// Digits after the decimal point of the numbers of a measure: at least four, and so many that the
/// difference and its interval have two that are not leading zeros.
fn decimals(row: &MeasureRow) -> usize {
    let sizes = [Some(row.difference.abs()), row.half_width_95];
    let sizes = sizes.into_iter().flatten().filter(|&size| size > NOISE);
    let least = sizes.fold(1.0, f64::min);
    let wanted = 1.0 - least.log10().floor();
    wanted.clamp(4.0, 12.0) as usize
}

/// The comparison as it is printed.
fn text(document: &Document) -> String {
    let mut text = format!(
        "first   {}\nsecond  {}\n\n",
        document.first, document.second
    );
    match document.differs_cycle {
        None => {
            let [first, second] = document.last_cycles;
            text += &format!(
                "all outputs of all chips are the same in cycles 0 to {}\n",
                first.min(second)
            );
        }
        Some(cycle) => {
            text += &format!(
                "first difference in cycle {cycle}, in {}:\n",
                match document.ports.len() {
                    1 => "1 output".to_owned(),
                    count => format!("{count} outputs"),
                }
            );
            let mut table = Table::new();
            table.load_style(UTF8_BORDERS_ONLY);
            table.set_header(["chip", "output", "first", "second"]);
            for row in document.ports.iter().take(PORTS) {
                table.add_row([&row.instance, row.port, &row.first, &row.second]);
            }
            text += &format!("{table}\n");
            if document.ports.len() > PORTS {
                text += &format!(
                    "{} more outputs are in the JSON\n",
                    document.ports.len() - PORTS
                );
            }
        }
    }
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let difference = match document.replicates {
        1 => "difference",
        _ => "difference ± 95 %",
    };
    table.set_header(["measure", "first", "second", difference, "verdict"]);
    for row in &document.measures {
        let digits = decimals(row);
        let number = |number: f64| match number.fract() == 0.0 {
            true => format!("{number}"),
            false => format!("{number:.digits$}"),
        };
        let signed = match row.difference > 0.0 {
            true => format!("+{}", number(row.difference)),
            false => number(row.difference),
        };
        let difference = match row.half_width_95 {
            Some(half) if half > 0.0 => format!("{signed} ± {}", number(half)),
            _ => signed,
        };
        let cells = [number(row.first), number(row.second), difference];
        let [first, second, difference] = cells;
        let measure = row.measure.clone();
        table.add_row([measure, first, second, difference, row.verdict.to_owned()]);
    }
    for column in table.column_iter_mut().skip(1).take(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    if document.replicates > 1 {
        text += &format!("\nmeans of {} replicates:", document.replicates);
    }
    text += &format!("\n{table}\n");
    if document.replicates == 1 {
        text += "one replicate cannot tell a difference from chance; use --set run.replicates=8\n";
    }
    text
}
