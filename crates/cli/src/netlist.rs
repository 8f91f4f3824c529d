//! `crosswave netlist`.

mod clocks;
mod inputs;
mod moments;
mod report;
mod states;
mod stimulus;
mod waves;

use std::path::PathBuf;
use std::time::Instant;

use clap::{ArgAction, Args};

use super::output::{self, JsonArgs, Output};
use super::progress::Display;
use super::wave_args::{WaveArgs, WaveOutput};
use super::{check_streams, input_name, input_path, interrupt, usage, warn};
use clocks::ClockArg;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input;
use crosswave_base::file::kind::FileKind;
use crosswave_checkpoint::digest;
use crosswave_design::run::REPLICAS_MAX;
use crosswave_design::stimulus::Stimulus;
use crosswave_design::watch::{NetCondition, NetWatch};
use crosswave_design::{Arrays, InstanceTree, NetSelection, Options, Run, build, build_recorded};
use crosswave_gate::Backend;
use crosswave_netlist::yosys::{self, Netlist};
use crosswave_netlist::{DesignHierarchy, unconnected};
use crosswave_probe::signal::Hierarchy;
use crosswave_wave::{CycleWindow, FileFormat, select};
use inputs::Inputs;
use moments::{MomentArgs, Search, ShownCycles, never};
use report::{ModuleNames, NetlistResult, Performance, SimulatedCycles, Unknown, summary};
use states::{Resumed, RunDesign, StateArgs, StatesBegun};
use waves::{Wave, WaveLayout};

#[derive(Debug, Args)]
pub(super) struct NetlistArgs {
    /// Netlist (JSON, as the Yosys command write_json writes it); - is standard input
    file: PathBuf,
    /// Module to run; the one that is marked as top, or the only one not instantiated
    #[arg(long, value_name = "NAME")]
    top: Option<String>,
    /// Clock input, which is found when left out; several, or both edges of one, with their periods
    /// in cycles, and the cycles before the first period: given again for each clock
    #[arg(long, value_name = "NAME[=PERIOD[+SHIFT]]", value_parser = clocks::parse)]
    clock: Vec<ClockArg>,
    /// Input that is active in the first cycles; =low when it is active at 0
    #[arg(long, value_name = "NAME[=low]")]
    reset: Option<String>,
    /// Cycles of reset
    #[arg(long, value_name = "N", default_value_t = 1, requires = "reset")]
    reset_cycles: u64,
    /// Values of inputs: CSV, VCD, also compressed with gzip, or FST, as the content says; - is
    /// standard input; given again, one more run side by side
    #[arg(long, value_name = "FILE")]
    stimulus: Vec<PathBuf>,
    /// Scope of a waveform that has the inputs, as a dotted path; the one with the clock and most
    /// inputs when left out
    #[arg(long, value_name = "PATH")]
    stimulus_scope: Option<String>,
    /// Length of a cycle in a waveform, in its units of time, instead of its clock
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
    #[command(flatten)]
    wave: WaveArgs,
    /// Scopes or nets inside that the waveform has besides the ports of the top, as 'top.rows*' or
    /// '**.state'; may be given again
    #[arg(long, value_name = "PATTERN")]
    scope: Vec<String>,
    #[command(flatten)]
    moments: MomentArgs,
    #[command(flatten)]
    states: StateArgs,
    #[command(flatten)]
    json: JsonArgs,
    /// Print no summary
    #[arg(long, short, action = ArgAction::SetTrue)]
    quiet: bool,
}

/// The longest stimulus that is run to its end without being asked for: in these many
/// cycles a small design takes minutes.
const CYCLES_UNASKED_MAX: u64 = 1_000_000_000;

/// Cycles of a run at most: their times are numbers in waveforms.
const CYCLES_MAX: u64 = 1 << 60;

/// Waveforms that are written side by side at most.
const WAVES_MAX: usize = 256;

pub(super) fn netlist(args: &NetlistArgs) -> Result<(), Error> {
    let started = Instant::now();
    let output = args.wave.output()?;
    let replicas = replicas(args, output)?;
    let shown = args.moments.shown()?;
    if output.is_none() && !args.scope.is_empty() {
        let help = "add --wave FILE.vcd or --wave FILE.fst";
        return Err(usage("--scope", "no waveform is asked for", help));
    }
    let to_stdout = check_outputs(args, output, replicas)?;
    let Loaded {
        names,
        mut run,
        layout,
        watch,
        design,
        resumed,
    } = load(args, replicas)?;
    let mut inputs = Inputs::new(args, &mut run)?;
    let cycles = cycles(args, &inputs.stimuli, shown)?;
    check_reset(args, cycles)?;
    args.moments.check(shown, cycles)?;
    let first = match resumed {
        Some(resumed) => {
            let before = cycles.min(args.moments.state_before(shown));
            resumed.go_on(&mut run, &design, before)?
        }
        None => 0,
    };
    inputs.start(&mut run, first);
    let load_seconds = started.elapsed().as_secs_f64();
    let mut search = watch.map(|watch| {
        let keeps_states = output.is_some();
        args.moments
            .search(watch, shown, (&run, first), keeps_states)
    });
    let paths = output.map_or(Vec::new(), |output| {
        output.paths(args.moments.files(replicas))
    });
    let format = output.map(|output| output.format);
    let mut waves = Vec::new();
    if let (Some(format), None) = (format, &search) {
        let create = |(replica, path): (usize, &PathBuf)| {
            Wave::create(path, format, &layout, (&run, replica))
        };
        let created = paths.iter().enumerate().map(create);
        waves = created.collect::<Result<Vec<Wave>, Error>>()?;
    }
    let started = Instant::now();
    for (path, stimulus) in args.stimulus.iter().zip(&inputs.stimuli) {
        inputs.warn_of_stimulus(path, stimulus, &run);
    }
    let recorded = WaveRecording {
        layout: &layout,
        waves: &mut waves,
        shown,
    };
    let mut states = args.states.begin(&run, &design)?;
    let looking = Looking {
        recorded,
        search: search.as_mut(),
        states: states.as_mut(),
    };
    let mut simulated = simulate(&mut run, &mut inputs, looking, (first, cycles))?;
    let run_seconds = started.elapsed().as_secs_f64();
    let ran = simulated.cycles;
    let outputs = report::outputs(&run);
    if let Some(states) = states {
        states.finish(&mut run, ran)?;
    }
    let found = search.map(|search| search.found(ran.saturating_sub(1)));
    let is_missed = found
        .as_ref()
        .is_some_and(|found| found.results().is_empty());
    if let Some(found) = found {
        simulated.moments = found.results();
        let format = format.unwrap_or(FileFormat::Vcd);
        found.record(&paths, format, (&mut run, &layout), &mut inputs)?;
    }
    let performance = Performance {
        load_seconds,
        run_seconds,
        cycles_per_second: (ran - first) as f64 / run_seconds.max(1e-9),
    };
    let origin = input_name(&args.file);
    let is_whole = simulated.is_over;
    let result = NetlistResult::new(
        origin,
        &names,
        &run,
        (cycles, outputs),
        simulated,
        performance,
    );
    args.json.write(&result)?;
    if !args.quiet && !to_stdout {
        output::print(&summary(&result))?;
    }
    match (is_whole, is_missed) {
        (false, _) => Err(interrupt::interruption()),
        (true, true) => Err(never(shown, (first, ran.saturating_sub(1)))),
        (true, false) => Ok(()),
    }
}

/// The file that is expected as a netlist.
const EXPECTED: &str = "a netlist (JSON, as the Yosys command write_json writes it)";

/// Advice on making a netlist from a file of another kind, or on the use of such a file.
fn to_netlist(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Verilog => {
            "synthesise it: `yosys -p 'read_verilog FILE; synth -top TOP; abc -g simple; opt_clean; \
             write_json FILE.json'`"
        }
        FileKind::Vhdl => {
            "make Verilog of it with `ghdl --synth --out=verilog TOP`, and a netlist of that with Yosys"
        }
        FileKind::Gzip => "`gunzip -c FILE | crosswave netlist -` unpacks it",
        FileKind::Compressed(_) => "unpack it first",
        FileKind::Utf16 => "`iconv -f UTF-16 -t UTF-8 FILE` makes UTF-8 of it",
        FileKind::Toml => "`crosswave run FILE` runs a configuration",
        FileKind::Vcd | FileKind::Fst => {
            "`crosswave show FILE` draws a waveform; a netlist takes its inputs from one with \
             --stimulus FILE"
        }
        FileKind::Csv => "a netlist takes its inputs from a table with --stimulus FILE",
        FileKind::Empty => "the program that was to write it failed, or still runs",
        FileKind::Text => {
            "Yosys reads BLIF with read_blif, and RTLIL with read_rtlil; then give the command \
             write_json"
        }
        _ => "",
    }
}

/// A netlist that is ready to run.
struct Loaded {
    names: ModuleNames,
    run: Run,
    /// Signals of its waveforms.
    layout: WaveLayout,
    /// The trigger.
    watch: Option<NetWatch>,
    design: RunDesign,
    /// The file of checkpoints whose run goes on.
    resumed: Option<Resumed>,
}

/// Reads the netlist and makes it ready to run. Warns of what is not connected.
fn load(args: &NetlistArgs, replicas: usize) -> Result<Loaded, Error> {
    let origin = input_name(&args.file);
    let bytes = input::read(input_path(&args.file), input::NETLIST)?;
    let kind = FileKind::of(&args.file, &bytes);
    if kind != FileKind::Json {
        let mistake = kind.mistake(EXPECTED, to_netlist(kind));
        return Err(Error::one(Class::Input, origin, mistake));
    }
    let sum = args.states.is_saved().then(|| digest(&bytes));
    let text = input::utf8(&origin, bytes, Class::Input)?;
    let is_named = !args.scope.is_empty() || args.moments.trigger.is_some();
    let read = match is_named {
        false => yosys::read_netlist,
        true => yosys::read_named_netlist,
    };
    let netlist = read(text.trim_start_matches('\u{feff}'), &origin)?;
    drop(text);
    let root = top(args, &netlist, &origin)?;
    for warning in &netlist.warnings {
        warn(&origin, warning);
    }
    let array = args.array.iter();
    let array = array
        .map(|name| netlist.design_name(name).to_owned())
        .collect();
    let Netlist {
        design,
        file_names,
        net_vectors,
        ..
    } = netlist;
    for warning in unconnected(&design, &DesignHierarchy::new(&design, root).order) {
        warn(&origin, &warning);
    }
    let run_design = RunDesign {
        netlist: sum.unwrap_or_default(),
        top: design.modules[root].name.clone(),
    };
    let resumed = args.states.resumed(&run_design)?;
    let options = Options {
        clocks: clocks::clocks(args)?,
        four_state: args.four_state,
        arrays: match (&resumed, args.flat, args.array.is_empty()) {
            (Some(resumed), ..) => resumed.arrays(),
            (_, true, _) => Arrays::None,
            (_, false, true) => Arrays::Auto,
            (_, false, false) => Arrays::Named(array),
        },
        replicas,
        backend: Backend::best(),
        is_saved: args.states.is_saved(),
    };
    let of_file = |error: Error| match error.class {
        Class::Input => Error {
            origin: origin.clone(),
            ..error
        },
        _ => error,
    };
    let top = design.modules[root].name.clone();
    let names = ModuleNames { top, file_names };
    if !is_named {
        let run = build(&design, root, &options).map_err(of_file)?;
        return Ok(Loaded {
            layout: WaveLayout::new(&names.top, &run, None),
            names,
            run,
            watch: None,
            design: run_design,
            resumed,
        });
    }
    let tree = InstanceTree::new(&design, &net_vectors, root).map_err(of_file)?;
    let mut kept = match args.scope.is_empty() {
        true => vec![false; tree.signal_count()],
        false => select("--scope", &tree, &args.scope)?,
    };
    let condition = args.moments.trigger.as_ref().map(|text| {
        let refused = |mistake| Error::one(Class::Usage, "--trigger", mistake);
        NetCondition::parse(text, &tree, args.four_state).map_err(refused)
    });
    let condition = condition.transpose()?;
    for signal in condition.iter().flat_map(NetCondition::signals) {
        kept[signal] = true;
    }
    let selection = NetSelection {
        tree: &tree,
        kept: &kept,
    };
    let run = build_recorded(&design, root, &options, selection).map_err(of_file)?;
    Ok(Loaded {
        layout: WaveLayout::new(&names.top, &run, Some(&tree)),
        watch: condition.map(|condition| NetWatch::new(condition, &run, &tree)),
        names,
        run,
        design: run_design,
        resumed,
    })
}

/// Waveforms that are recorded while a run goes on.
struct WaveRecording<'a> {
    layout: &'a WaveLayout,
    /// One for each run.
    waves: &'a mut Vec<Wave>,
    shown: ShownCycles,
}

impl WaveRecording<'_> {
    /// Records a cycle, and ends the waveforms after the last cycle that they show.
    fn cycle(&mut self, run: &Run, cycle: u64, is_last: bool) -> Result<(), Error> {
        let CycleWindow { first, last } = self.shown.window;
        if cycle < first || cycle > last {
            return Ok(());
        }
        for (replica, wave) in self.waves.iter_mut().enumerate() {
            wave.cycle(self.layout, run, replica, cycle)?;
        }
        match is_last || cycle == last {
            true => self.finish(run, cycle + 1),
            false => Ok(()),
        }
    }

    /// Ends the waveforms, which have the cycles before this one.
    fn finish(&mut self, run: &Run, cycles: u64) -> Result<(), Error> {
        for (replica, wave) in self.waves.drain(..).enumerate() {
            wave.finish(self.layout, run, replica, cycles)?;
        }
        Ok(())
    }
}

/// The parts of a run that look at its cycles.
struct Looking<'a> {
    recorded: WaveRecording<'a>,
    search: Option<&'a mut Search>,
    states: Option<&'a mut StatesBegun>,
}

/// Simulates cycles from one to before another, or those until an interruption or until all triggers are found.
fn simulate(
    run: &mut Run,
    inputs: &mut Inputs,
    looking: Looking<'_>,
    (first, cycles): (u64, u64),
) -> Result<SimulatedCycles, Error> {
    let Looking {
        mut recorded,
        mut search,
        mut states,
    } = looking;
    let mut simulated = SimulatedCycles {
        first,
        ..SimulatedCycles::default()
    };
    interrupt::heed();
    let mut display = Display::new();
    for cycle in first..cycles {
        display.cycles(cycle, cycles);
        if let Some(states) = &mut states {
            states.begin_cycle(run, cycle)?;
        }
        if let Some(search) = &mut search {
            search.begin(run, cycle);
        }
        inputs.begin(run, cycle);
        let is_found = search
            .as_mut()
            .is_some_and(|search| search.cycle(run, cycle));
        simulated.cycles = cycle + 1;
        simulated.is_over = is_found || simulated.cycles == cycles;
        let last = simulated.is_over || interrupt::interrupted();
        recorded.cycle(run, cycle, last)?;
        if run.four_state() && Some(cycle) == inputs.reset.map(|reset| reset.cycles) {
            simulated.unknown_after_reset = Some(Unknown::new(run, cycle));
        }
        if run.four_state() && last {
            simulated.unknown_at_end = Some(Unknown::new(run, cycle));
        }
        if last {
            break;
        }
        run.edge();
    }
    if cycles == 0 {
        simulated.is_over = true;
        recorded.finish(run, 0)?;
    }
    Ok(simulated)
}

/// Number of runs side by side.
fn replicas(args: &NetlistArgs, output: Option<WaveOutput>) -> Result<usize, Error> {
    let files = args.stimulus.len();
    let replicas = args.lanes.unwrap_or(files.max(1));
    let waves = output.is_some() && args.moments.files(replicas) > WAVES_MAX;
    if replicas == 0 || replicas > REPLICAS_MAX || waves {
        let most = if waves { WAVES_MAX } else { REPLICAS_MAX };
        let with = output
            .filter(|_| waves)
            .map(|output| format!(" with {}", output.flag));
        let with = with.unwrap_or_default();
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

/// Number of cycles to run.
fn cycles(args: &NetlistArgs, stimuli: &[Stimulus], shown: ShownCycles) -> Result<u64, Error> {
    let longest = stimuli.iter().map(|stimulus| stimulus.cycles).max();
    match (args.cycles, longest) {
        (Some(cycles), _) if cycles > CYCLES_MAX => Err(usage(
            "--cycles",
            format!("found {cycles}, expected at most {CYCLES_MAX}"),
            "run fewer",
        )),
        (Some(cycles), _) => Ok(cycles),
        (None, None) if shown.window.last < CYCLES_MAX => Ok(args.moments.end(shown)),
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

/// Refuses a reset that lasts as long as the run.
fn check_reset(args: &NetlistArgs, cycles: u64) -> Result<(), Error> {
    if args.reset.is_some() && args.reset_cycles >= cycles {
        return Err(usage(
            "--reset-cycles",
            format!(
                "{} of {cycles} cycles are reset, so the run never leaves it",
                args.reset_cycles.min(cycles)
            ),
            "run more cycles with --cycles, or reset fewer",
        ));
    }
    Ok(())
}

/// Finds outputs that cannot be written, or that would replace an input or each other,
/// before anything is simulated. Whether one of them is standard output.
fn check_outputs(
    args: &NetlistArgs,
    output: Option<WaveOutput>,
    replicas: usize,
) -> Result<bool, Error> {
    let stimuli = args.stimulus.iter().map(|path| ("--stimulus", &**path));
    let netlist = ("the netlist", &*args.file);
    check_streams(&std::iter::once(netlist).chain(stimuli).collect::<Vec<_>>())?;
    let files = args.moments.files(replicas);
    let waves = output.map_or(Vec::new(), |output| output.paths(files));
    let mut outputs: Vec<Output> = Vec::new();
    if let Some(output) = output {
        let what = match args.moments.trigger {
            Some(_) => "triggers",
            None => "runs",
        };
        output.check_several(files, what)?;
        outputs.extend(output.outputs(&waves));
    }
    outputs.extend(args.states.output());
    outputs.extend(args.json.output());
    output::check(&outputs)
}

/// The index of the module that is run.
fn top(args: &NetlistArgs, netlist: &Netlist, origin: &str) -> Result<usize, Error> {
    let refused = |found: Diagnostic| usage("--top", found.message, &found.help);
    netlist.root(args.top.as_deref(), origin).map_err(refused)
}
