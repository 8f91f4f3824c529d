//! `crosswave netlist`.

mod report;
mod waves;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{ArgAction, Args};

use super::output::{self, Format, JsonArgs, Output};
use super::progress::Display;
use super::{interrupt, usage, warn};
use crate::design::run::REPLICAS_MAX;
use crate::design::stimulus::{Stimulus, csv, vcd};
use crate::design::{Arrays, Options, Run, build};
use crate::diagnostic::{Class, Diagnostic, Error};
use crate::file::{self, input};
use crate::netlist::{Design, Hierarchy, unconnected, yosys};
use crate::wave::{self, Bit};
use report::{ArrayResult, NetlistResult, Performance, Unknown, summary};
use waves::Wave;

#[derive(Debug, Args)]
pub(super) struct NetlistArgs {
    /// Netlist (JSON, as the Yosys command write_json writes it)
    file: PathBuf,
    /// Module to run; the one that is marked as top, or the only one not instantiated
    #[arg(long, value_name = "NAME")]
    top: Option<String>,
    /// Clock input; found when left out
    #[arg(long, value_name = "NAME")]
    clock: Option<String>,
    /// Input that is active in the first cycles; =low when it is active at 0
    #[arg(long, value_name = "NAME[=low]")]
    reset: Option<String>,
    /// Cycles of reset
    #[arg(long, value_name = "N", default_value_t = 1, requires = "reset")]
    reset_cycles: u64,
    /// Values of inputs, .csv or .vcd; given again, one more run side by side
    #[arg(long, value_name = "FILE")]
    stimulus: Vec<PathBuf>,
    /// Scope of a VCD stimulus that has the inputs, as a dotted path
    #[arg(long, value_name = "PATH")]
    stimulus_scope: Option<String>,
    /// Length of a cycle in a VCD stimulus, in its units of time, instead of its clock
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u64).range(1..))]
    period: Option<u64>,
    /// Random bits for the inputs that no stimulus has
    #[arg(long, value_name = "SEED")]
    random_seed: Option<u64>,
    /// Runs side by side, each with its own random bits
    #[arg(long, value_name = "K")]
    lanes: Option<usize>,
    /// Cycles to run; the length of the longest stimulus when left out
    #[arg(long, value_name = "N")]
    cycles: Option<u64>,
    /// Compute with X: flip-flops without an initial value start unknown
    #[arg(long)]
    four_state: bool,
    /// Module to evaluate as an array; may be given again; chosen when left out
    #[arg(long, value_name = "MODULE", conflicts_with = "flat")]
    array: Vec<String>,
    /// No arrays: flatten the whole design
    #[arg(long)]
    flat: bool,
    /// Write clock, inputs and outputs as VCD; with several runs one file each, FILE.0.vcd;
    /// - is standard output
    #[arg(long, value_name = "FILE|-")]
    vcd: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
    /// No summary
    #[arg(long, short, action = ArgAction::SetTrue)]
    quiet: bool,
}

/// The longest stimulus that is run to its end without being asked for: in these many
/// cycles a small design takes minutes.
const CYCLES_UNASKED_MAX: u64 = 1_000_000_000;

/// Waveforms that are written side by side at most.
const WAVES_MAX: usize = 256;

pub(super) fn netlist(args: &NetlistArgs) -> Result<(), Error> {
    let started = Instant::now();
    let replicas = replicas(args)?;
    let to_stdout = check_outputs(args, replicas)?;
    let origin = args.file.display().to_string();
    let text = input::read_text(&args.file, input::NETLIST_BYTES_MAX, Class::Input)?;
    let (design, marked) = yosys::read_marked(&text, &origin)?;
    drop(text);
    let root = top(args, &design, marked, &origin)?;
    for warning in unconnected(&design, &Hierarchy::new(&design, root).order) {
        warn(&origin, &warning);
    }
    let options = Options {
        clock: args.clock.clone(),
        four_state: args.four_state,
        arrays: match (args.flat, args.array.is_empty()) {
            (true, _) => Arrays::None,
            (false, true) => Arrays::Auto,
            (false, false) => Arrays::Named(args.array.clone()),
        },
        replicas,
    };
    let mut run = build(&design, root, &options).map_err(|error| match error.class {
        Class::Input => Error {
            origin: origin.clone(),
            ..error
        },
        _ => error,
    })?;
    let top = design.modules[root].name.clone();
    drop(design);
    let reset = reset(args, &run)?;
    let mut stimuli = Vec::new();
    for path in &args.stimulus {
        stimuli.push(stimulus(args, path, &run)?);
    }
    let cycles = cycles(args, &stimuli)?;
    if reset.is_some() && args.reset_cycles >= cycles {
        return Err(usage(
            "--reset-cycles",
            format!(
                "{} of {cycles} cycles are reset, so the run never leaves it",
                args.reset_cycles.min(cycles)
            ),
            "run more cycles with --cycles, or reset fewer",
        ));
    }
    let load_seconds = started.elapsed().as_secs_f64();
    let mut waves = Vec::new();
    if let Some(path) = &args.vcd {
        for replica in 0..replicas {
            waves.push(Wave::create(
                &wave_path(path, replica, replicas),
                &top,
                &run,
            )?);
        }
    }
    let started = Instant::now();
    let reset_cycles = args.reset.as_ref().map(|_| args.reset_cycles);
    let random: Vec<usize> = (0..run.inputs().len())
        .filter(|input| !stimuli.iter().any(|s| s.inputs.contains(input)))
        .filter(|&input| reset.is_none_or(|(reset, _)| reset != input))
        .collect();
    for (path, stimulus) in args.stimulus.iter().zip(&stimuli) {
        let reset = reset.map(|(input, _)| input);
        let random = args.random_seed.map_or(&[][..], |_| &random);
        warn_of_stimulus(path, stimulus, &run, reset, random);
    }
    let mut unknown_after_reset = None;
    let mut unknown_at_end = None;
    let mut ran = 0;
    interrupt::heed();
    let mut display = Display::new();
    for cycle in 0..cycles {
        display.cycles(cycle, cycles);
        if let Some((input, active)) = reset {
            let value = (cycle < args.reset_cycles) == active;
            if cycle == 0 || cycle == args.reset_cycles {
                let value = if value { Bit::One } else { Bit::Zero };
                (0..replicas).for_each(|replica| run.drive(input, 0, replica, value));
            }
        }
        if let Some(seed) = args.random_seed {
            for &input in &random {
                run.drive_random(input, seed, cycle);
            }
        }
        let alone = stimuli.len() == 1;
        for (index, stimulus) in stimuli.iter_mut().enumerate() {
            let driven = if alone { 0..replicas } else { index..index + 1 };
            stimulus.apply(&mut run, driven, cycle, reset.map(|(input, _)| input));
        }
        run.settle();
        for (replica, wave) in waves.iter_mut().enumerate() {
            wave.cycle(&run, replica, cycle)?;
        }
        ran = cycle + 1;
        let last = ran == cycles || interrupt::interrupted();
        if args.four_state && Some(cycle) == reset_cycles {
            unknown_after_reset = Some(unknown(&run, cycle));
        }
        if args.four_state && last {
            unknown_at_end = Some(unknown(&run, cycle));
        }
        if last {
            break;
        }
        run.edge();
    }
    drop(display);
    let run_seconds = started.elapsed().as_secs_f64();
    for wave in waves {
        wave.finish(ran)?;
    }
    let result = NetlistResult {
        netlist: origin,
        top,
        clock: run.clock().map(str::to_owned),
        four_state: args.four_state,
        cycles: ran,
        cycles_requested: cycles,
        finished: ran == cycles,
        lanes: replicas,
        cells: run.cells(),
        arrays: run
            .sizes()
            .iter()
            .map(|array| ArrayResult {
                module: array.module.clone(),
                instances: array.instances,
                gates: array.gates,
                flip_flops: array.registers,
            })
            .collect(),
        steps: run.steps(),
        flip_flops: run
            .sizes()
            .iter()
            .map(|array| array.instances * array.registers)
            .sum(),
        outputs: (0..replicas)
            .map(|replica| outputs(&run, replica))
            .collect(),
        unknown_after_reset,
        unknown_at_end,
        performance: Performance {
            load_seconds,
            run_seconds,
            cycles_per_second: ran as f64 / run_seconds.max(1e-9),
        },
    };
    args.json.write(&result)?;
    if !args.quiet && !to_stdout {
        output::print(summary(&result).as_bytes())?;
    }
    match ran < cycles {
        false => Ok(()),
        true => Err(interrupt::interruption()),
    }
}

fn replicas(args: &NetlistArgs) -> Result<usize, Error> {
    let files = args.stimulus.len();
    let replicas = args.lanes.unwrap_or(files.max(1));
    let waves = args.vcd.is_some() && replicas > WAVES_MAX;
    if replicas == 0 || replicas > REPLICAS_MAX || waves {
        let most = if waves { WAVES_MAX } else { REPLICAS_MAX };
        let with = if waves { " with --vcd" } else { "" };
        return Err(usage(
            "--lanes",
            format!("{replicas} runs side by side, expected 1 to {most}{with}"),
            "run the rest in a second call",
        ));
    }
    if files > 1 && files != replicas {
        return Err(usage(
            "--lanes",
            format!("{replicas} runs, but {files} stimuli"),
            "give one stimulus for all runs, or one for each",
        ));
    }
    Ok(replicas)
}

/// How many cycles to run.
fn cycles(args: &NetlistArgs, stimuli: &[Stimulus]) -> Result<u64, Error> {
    let longest = stimuli.iter().map(|stimulus| stimulus.cycles).max();
    match (args.cycles, longest) {
        (Some(cycles), _) => Ok(cycles),
        (None, Some(cycles)) if cycles <= CYCLES_UNASKED_MAX => Ok(cycles),
        (None, Some(cycles)) => Err(usage(
            "--stimulus",
            format!("the stimulus lasts {cycles} cycles, expected at most {CYCLES_UNASKED_MAX}"),
            "say how many to run with --cycles N, or give the length of a cycle with --period T",
        )),
        (None, None) => Err(usage(
            "--cycles",
            "the number of cycles is not known, for there is no stimulus",
            "give --cycles N",
        )),
    }
}

/// Says which inputs a stimulus leaves alone, and that its X are not what they seem.
fn warn_of_stimulus(
    path: &Path,
    stimulus: &Stimulus,
    run: &Run,
    reset: Option<usize>,
    random: &[usize],
) {
    let origin = path.display().to_string();
    let ports = run.inputs().iter().enumerate();
    let lacking: Vec<String> = ports
        .filter(|(input, _)| !stimulus.inputs.contains(input))
        .filter(|(input, _)| reset != Some(*input) && !random.contains(input))
        .map(|(_, port)| format!("`{}`", port.name))
        .collect();
    let value = if run.four_state() { "X" } else { "0" };
    if !lacking.is_empty() {
        let message = format!(
            "no values for {}, which stay {value} in every cycle",
            lacking.join(", ")
        );
        let help = "add them to the stimulus, or drive what it lacks with --random-seed";
        warn(&origin, &Diagnostic::new("inputs", message, help));
    }
    let mut unknown = stimulus.drives.iter().filter(|drive| drive.is_unknown());
    if !run.four_state()
        && let Some(first) = unknown.next()
    {
        let place = format!("cycle {}", first.cycle);
        let name = &run.inputs()[first.input].name;
        let message = match unknown.count() {
            0 => format!("the value of `{name}` has X or Z, which is 0 here"),
            more => format!("the value of `{name}` and {more} more have X or Z, which is 0 here"),
        };
        let help = "run with --four-state to compute with X";
        warn(&origin, &Diagnostic::new(place, message, help));
    }
}

/// Finds outputs that cannot be written, or that would replace an input or each other,
/// before anything is simulated. Whether one of them is standard output.
fn check_outputs(args: &NetlistArgs, replicas: usize) -> Result<bool, Error> {
    if let Some(path) = &args.vcd
        && replicas > 1
        && (file::is_standard_output(path) || file::is_special(path))
    {
        return Err(usage(
            "--vcd",
            format!(
                "{} is no regular file, and each of {replicas} runs has a waveform",
                path.display()
            ),
            "name a file; the number of the run is put into its name",
        ));
    }
    let stimuli = args.stimulus.iter().map(|path| ("--stimulus", &**path));
    let inputs: Vec<(&str, &Path)> = [("the netlist", &*args.file)]
        .into_iter()
        .chain(stimuli)
        .collect();
    let waves: Vec<PathBuf> = args
        .vcd
        .iter()
        .flat_map(|path| (0..replicas).map(|replica| wave_path(path, replica, replicas)))
        .collect();
    let waves = waves
        .iter()
        .filter_map(|path| Output::new("--vcd", Format::Vcd, Some(path)));
    let outputs: Vec<Output> = waves.chain(args.json.output()).collect();
    output::check(&inputs, &outputs)
}

/// The index of the module to run.
fn top(
    args: &NetlistArgs,
    design: &Design,
    marked: Option<String>,
    origin: &str,
) -> Result<usize, Error> {
    let find = |name: &str| design.modules.iter().position(|module| module.name == name);
    let names = || {
        let names: Vec<String> = design
            .modules
            .iter()
            .take(12)
            .map(|module| format!("`{}`", module.name))
            .collect();
        format!("modules of the file: {}", names.join(", "))
    };
    if let Some(name) = &args.top {
        return find(name).ok_or_else(|| {
            let found = format!("{origin} has no module `{name}`");
            usage("--top", found, &names())
        });
    }
    let only = || design.top().and_then(|module| find(&module.name));
    marked
        .and_then(|name| find(&name))
        .or_else(only)
        .ok_or_else(|| {
            let found = "no module is marked as the top, and several are not instantiated";
            usage("--top", found, &names())
        })
}

/// The input of --reset, and the value at which it is active.
fn reset(args: &NetlistArgs, run: &Run) -> Result<Option<(usize, bool)>, Error> {
    let Some(text) = &args.reset else {
        return Ok(None);
    };
    let (name, active) = match text.rsplit_once('=') {
        Some((name, "low")) => (name, false),
        Some((name, "high")) => (name, true),
        Some((_, level)) => {
            let found = format!("`{level}`, expected `low` or `high`");
            return Err(usage("--reset", found, "write NAME or NAME=low"));
        }
        None => (text.as_str(), true),
    };
    let found = run.inputs().iter().position(|port| port.name == name);
    match found {
        Some(input) if run.inputs()[input].width == 1 => Ok(Some((input, active))),
        Some(input) => Err(usage(
            "--reset",
            format!("`{name}` has {} bits", run.inputs()[input].width),
            "a reset has one bit",
        )),
        None => {
            let names: Vec<String> = run
                .inputs()
                .iter()
                .filter(|port| port.width == 1)
                .take(8)
                .map(|port| format!("`{}`", port.name))
                .collect();
            Err(usage(
                "--reset",
                format!("the design has no input `{name}` that can be driven"),
                &format!("inputs of one bit: {}", names.join(", ")),
            ))
        }
    }
}

fn stimulus(args: &NetlistArgs, path: &Path, run: &Run) -> Result<Stimulus, Error> {
    let origin = path.display().to_string();
    match path.extension().and_then(|end| end.to_str()) {
        Some("csv") => {
            let text = input::read_text(path, input::STIMULUS_BYTES_MAX, Class::Input)?;
            csv::read(&origin, &text, run.inputs())
        }
        Some("vcd") => {
            let wave = wave::read_file(path)?;
            let sampling = vcd::Sampling {
                scope: args.stimulus_scope.as_deref(),
                period: args.period,
            };
            vcd::sample(&origin, &wave, run.inputs(), run.clock(), &sampling)
        }
        _ => Err(usage(
            "--stimulus",
            format!("{origin} ends neither in .csv nor in .vcd"),
            "name the file for what it holds",
        )),
    }
}

/// The file of a run's waveform.
fn wave_path(path: &Path, replica: usize, replicas: usize) -> PathBuf {
    if replicas == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let end = path.extension().map(|end| end.to_string_lossy());
    path.with_file_name(match end {
        Some(end) => format!("{stem}.{replica}.{end}"),
        None => format!("{stem}.{replica}"),
    })
}

/// What is X in this cycle.
fn unknown(run: &Run, cycle: u64) -> Unknown {
    Unknown {
        cycle,
        outputs: run.unknown_outputs(),
        flip_flops: run.unknown_flops(),
    }
}

/// The outputs of a run, by name.
fn outputs(run: &Run, replica: usize) -> serde_json::Map<String, serde_json::Value> {
    let ports = run.outputs().iter();
    ports
        .map(|port| {
            let bits = (0..port.width).rev();
            let digits: String = bits
                .map(|bit| run.output(port.first + bit, replica).as_char())
                .collect();
            (port.name.clone(), digits.into())
        })
        .collect()
}
