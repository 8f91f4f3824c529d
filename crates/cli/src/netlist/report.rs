//! The report of `crosswave netlist`: JSON and a table.

use std::collections::BTreeMap;

use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use serde::Serialize;
use serde_json::{Map, Value};

use crosswave_base::escape;
use crosswave_design::Run;
use crosswave_design::run::RunClock;

/// Names of unknown signals that the table shows.
const SHOWN: usize = 12;

/// Bits that are X in a cycle.
#[derive(Debug, Serialize)]
pub(super) struct Unknown {
    pub cycle: u64,
    pub outputs: Vec<String>,
    pub flip_flops: Vec<String>,
}

impl Unknown {
    /// Finds the bits that are X in the cycle that a run has reached.
    pub(super) fn new(run: &Run, cycle: u64) -> Unknown {
        Unknown {
            cycle,
            outputs: run.unknown_outputs(),
            flip_flops: run.unknown_flops(),
        }
    }
}

/// The names of the modules of a design.
#[derive(Debug)]
pub(super) struct ModuleNames {
    /// The module that is run.
    pub top: String,
    /// The names in the file of modules that have another one for people, by that one.
    pub file_names: BTreeMap<String, String>,
}

impl ModuleNames {
    /// The name in the file of a module.
    fn in_file(&self, name: &str) -> String {
        let found = self.file_names.get(name);
        found.map_or(name, String::as_str).to_owned()
    }
}

/// An array.
#[derive(Debug, Serialize)]
pub(super) struct ArrayResult {
    pub module: String,
    /// The module as people read it, such as `sub(W=4)`.
    pub module_shown: String,
    /// Number of modules that share the array.
    pub modules: usize,
    pub instances: usize,
    pub gates: usize,
    pub flip_flops: usize,
    pub memories: usize,
    pub memory_bits: usize,
}

/// Times of loading and simulating.
#[derive(Debug, Serialize)]
pub(super) struct Performance {
    pub load_seconds: f64,
    pub run_seconds: f64,
    pub cycles_per_second: f64,
}

/// Results of the cycles of a run.
#[derive(Debug, Default)]
pub(super) struct SimulatedCycles {
    /// The first cycle that was simulated, and the one after the last.
    pub first: u64,
    pub cycles: u64,
    /// True unless an interruption ended them.
    pub is_over: bool,
    pub moments: Vec<MomentResult>,
    pub unknown_after_reset: Option<Unknown>,
    pub unknown_at_end: Option<Unknown>,
}

/// A cycle in which the condition is true.
#[derive(Debug, Serialize)]
pub(super) struct MomentResult {
    pub cycle: u64,
    /// The run in which it is, the first of several.
    pub lane: usize,
    /// The first and the last cycle around it.
    pub from_cycle: u64,
    pub to_cycle: u64,
}

/// A clock of a run.
#[derive(Debug, Serialize)]
pub(super) struct ClockResult {
    pub name: String,
    /// Cycles of its period, and before the first one; none where it follows a waveform.
    pub period_cycles: Option<u64>,
    pub shift_cycles: Option<u64>,
    pub rising_edges_act: bool,
    pub falling_edges_act: bool,
}

impl ClockResult {
    fn new(clock: &RunClock) -> ClockResult {
        let (period, shift) = clock.period().unzip();
        ClockResult {
            name: clock.name.clone(),
            period_cycles: period,
            shift_cycles: shift,
            rising_edges_act: clock.rises,
            falling_edges_act: clock.falls,
        }
    }

    /// The clock for people.
    fn shown(&self) -> String {
        let edges = match (self.rising_edges_act, self.falling_edges_act) {
            (true, true) => ", both edges",
            (false, true) => ", falling edges",
            _ => "",
        };
        let period = match (self.period_cycles, self.shift_cycles) {
            (Some(1), Some(0)) => String::new(),
            (Some(period), Some(0)) => format!(", {period} cycles"),
            (Some(period), Some(shift)) => format!(", {period} cycles, from cycle {shift}"),
            _ => " of the stimulus".to_owned(),
        };
        format!("{}{period}{edges}", self.name)
    }
}

/// The result of a run.
#[derive(Debug, Serialize)]
pub(super) struct NetlistResult {
    pub netlist: String,
    pub top: String,
    /// The module that was run as people read it.
    pub top_shown: String,
    pub clocks: Vec<ClockResult>,
    pub four_state: bool,
    /// The first cycle that was simulated: 0, or that of a checkpoint.
    pub first_cycle: u64,
    /// The cycles of the run up to the last that was simulated, of those asked for.
    pub cycles: u64,
    pub cycles_requested: u64,
    /// True when all cycles were simulated, or all triggers were found; false after an interruption.
    pub finished: bool,
    pub lanes: usize,
    pub cells: u64,
    pub arrays: Vec<ArrayResult>,
    pub steps: usize,
    pub flip_flops: usize,
    /// The triggers that were found.
    pub moments: Vec<MomentResult>,
    /// Per run, the outputs in the last cycle, as binary digits.
    pub outputs: Vec<Map<String, Value>>,
    pub unknown_after_reset: Option<Unknown>,
    pub unknown_at_end: Option<Unknown>,
    pub performance: Performance,
}

impl NetlistResult {
    /// The result of a run of the module `names.top` of the netlist of that name.
    pub(super) fn new(
        netlist: String,
        names: &ModuleNames,
        run: &Run,
        (cycles_requested, outputs): (u64, Vec<Map<String, Value>>),
        simulated: SimulatedCycles,
        performance: Performance,
    ) -> NetlistResult {
        let sizes = run.sizes().iter();
        let arrays = sizes.clone().map(|array| ArrayResult {
            module: names.in_file(&array.module),
            module_shown: array.module.clone(),
            modules: array.modules,
            instances: array.instances,
            gates: array.size.gates,
            flip_flops: array.size.registers,
            memories: array.size.memories,
            memory_bits: array.size.memory_bits,
        });
        NetlistResult {
            netlist,
            top: names.in_file(&names.top),
            top_shown: names.top.clone(),
            clocks: run.clocks().iter().map(ClockResult::new).collect(),
            four_state: run.four_state(),
            first_cycle: simulated.first,
            cycles: simulated.cycles,
            cycles_requested,
            finished: simulated.is_over,
            lanes: run.replicas(),
            cells: run.cells(),
            arrays: arrays.collect(),
            steps: run.steps(),
            flip_flops: sizes
                .map(|array| array.instances * array.size.registers)
                .sum(),
            moments: simulated.moments,
            outputs,
            unknown_after_reset: simulated.unknown_after_reset,
            unknown_at_end: simulated.unknown_at_end,
            performance,
        }
    }
}

/// The outputs of each run, by name.
pub(super) fn outputs(run: &Run) -> Vec<Map<String, Value>> {
    let runs = 0..run.replicas();
    runs.map(|replica| outputs_of(run, replica)).collect()
}

/// The outputs of a run, by name.
fn outputs_of(run: &Run, replica: usize) -> Map<String, Value> {
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

/// The result as a table.
pub(super) fn summary(result: &NetlistResult) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let mut row = |name: &str, value: String| {
        table.add_row([name, &*escape::line(&value)]);
    };
    row("module", result.top_shown.clone());
    if result.clocks.is_empty() {
        row("clock", "none".to_owned());
    }
    for clock in &result.clocks {
        row("clock", clock.shown());
    }
    row("size", format!("{} gates and flip-flops", result.cells));
    let memories: usize = result
        .arrays
        .iter()
        .map(|array| array.instances * array.memories)
        .sum();
    if memories > 0 {
        let arrays = result.arrays.iter();
        let bits: usize = arrays
            .map(|array| array.instances * array.memory_bits)
            .sum();
        row("memories", format!("{memories} of {bits} bits in all"));
    }
    for array in &result.arrays[1..] {
        let others = match array.modules {
            1 => String::new(),
            modules => format!(" and {} modules with other constants", modules - 1),
        };
        row(
            "array",
            format!(
                "{} instances of {}{others}, {} gates",
                array.instances, array.module_shown, array.gates
            ),
        );
    }
    if result.arrays.len() > 1 {
        row(
            "the rest",
            format!(
                "{} gates, {} steps a cycle",
                result.arrays[0].gates, result.steps
            ),
        );
    }
    if result.lanes > 1 {
        row("runs", result.lanes.to_string());
    }
    let resumed = match result.first_cycle {
        0 => String::new(),
        first => format!(", from the checkpoint of cycle {first} on"),
    };
    row("cycles", format!("{}{resumed}", result.cycles));
    for moment in &result.moments {
        let of_run = match result.lanes {
            1 => String::new(),
            _ => format!(", run {}", moment.lane),
        };
        row("trigger", format!("cycle {}{of_run}", moment.cycle));
    }
    if !result.finished {
        let requested = result.cycles_requested;
        row("interrupted", format!("{requested} cycles were asked for"));
    }
    row(
        "simulated",
        format!("{:.0} cycles/s", result.performance.cycles_per_second),
    );
    for (title, found) in [
        ("X after reset", &result.unknown_after_reset),
        ("X at the end", &result.unknown_at_end),
    ] {
        if let Some(found) = found {
            row(
                title,
                format!(
                    "cycle {}: {} output bits, {} of {} flip-flops",
                    found.cycle,
                    found.outputs.len(),
                    found.flip_flops.len(),
                    result.flip_flops
                ),
            );
            for (kind, names) in [("output", &found.outputs), ("flip-flop", &found.flip_flops)] {
                for name in names.iter().take(SHOWN) {
                    row("", format!("{kind} {name}"));
                }
                if names.len() > SHOWN {
                    row("", format!("{} more; --json has all", names.len() - SHOWN));
                }
            }
        }
    }
    format!("{table}\n")
}
