//! `crosswave activity`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use super::completion;
use super::output::{self, Format, JsonArgs, Output};
use super::{input_name, input_path, usage, warn_all};
use crosswave_base::diagnostic::{Class, Error};
use crosswave_base::escape;
use crosswave_base::file;
use crosswave_run::recorder::CYCLE_TIME;
use crosswave_wave::activity::{BitActivity, Machine, bit_activity};
use crosswave_wave::waveform::SignalKind;
use crosswave_wave::{CycleWindow, Waveform, open, saif, select};

#[derive(Debug, Args)]
pub(super) struct ActivityArgs {
    /// Waveform: VCD, also compressed with gzip, or FST, of any tool; - is standard input
    file: PathBuf,
    /// Scopes or signals to count, as '**.router_0_*'; may be given again; all when left out
    #[arg(long = "scope", value_name = "PATTERN", add = ArgValueCompleter::new(completion::scopes))]
    scopes: Vec<String>,
    /// Cycles to count, both included, as 10..40; the whole waveform when left out
    #[arg(long, value_name = "FROM..TO")]
    window: Option<String>,
    /// Time units of a cycle
    #[arg(long, default_value_t = CYCLE_TIME, value_parser = clap::value_parser!(u64).range(1..))]
    period: u64,
    /// Write the time that each bit has each value, and how often it toggles, as SAIF; - is standard output
    #[arg(long, value_name = "FILE.saif|-")]
    saif: Option<PathBuf>,
    /// Signals that show the state of a machine, as '**.tx_state': all of a pattern count as one machine, in all
    /// its instances; may be given again
    #[arg(long, value_name = "PATTERN")]
    states: Vec<String>,
    /// Signals that are listed at most, those that toggle most often first
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    list: usize,
    #[command(flatten)]
    json: JsonArgs,
}

/// The activity of a signal.
#[derive(Debug, Serialize)]
struct SignalActivity {
    signal: String,
    width: u32,
    /// Toggles of all its bits.
    toggles: u64,
    toggles_per_bit_cycle: f64,
    /// Shares of the time, over all bits.
    share_one: f64,
    share_unknown: f64,
}

/// The activity of a waveform.
#[derive(Debug, Serialize)]
struct Activity {
    waveform: String,
    timescale: Option<String>,
    from_time: u64,
    duration: u64,
    period: u64,
    bits: u64,
    toggles: u64,
    toggles_per_bit_cycle: f64,
    signals: Vec<SignalActivity>,
    /// The machines of `--states`, one for each pattern.
    machines: Vec<MachineActivity>,
}

/// A machine, over all signals that show it.
#[derive(Debug, Serialize)]
struct MachineActivity {
    states_of: String,
    instances: usize,
    states: Vec<StateActivity>,
    transitions: Vec<Transition>,
}

#[derive(Debug, Serialize)]
struct StateActivity {
    state: String,
    share: f64,
    entered: u64,
}

#[derive(Debug, Serialize)]
struct Transition {
    from: String,
    to: String,
    times: u64,
}

impl MachineActivity {
    /// The machine that the signals of a pattern show in a part of a waveform.
    fn new(wave: &Waveform, pattern: &str, times: (u64, u64)) -> Result<MachineActivity, Error> {
        let kept = select("--states", wave, &[pattern.to_owned()])?;
        let mut machine = Machine::default();
        let mut instances = 0;
        for (signal, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
            if wave.signals[signal].kind == SignalKind::Bits {
                machine.add(wave, signal, times);
                instances += 1;
            }
        }
        let duration = (times.1 - times.0) as f64 * (instances as f64).max(1.0);
        let states = machine
            .states
            .into_iter()
            .map(|(state, visits)| StateActivity {
                state,
                share: visits.time as f64 / duration,
                entered: visits.entered,
            });
        let transitions = machine.transitions.into_iter();
        let transitions = transitions.map(|((from, to), times)| Transition { from, to, times });
        Ok(MachineActivity {
            states_of: pattern.to_owned(),
            instances,
            states: states.collect(),
            transitions: transitions.collect(),
        })
    }

    /// The states and transitions.
    fn text(&self) -> String {
        let mut text = format!(
            "{}: {} states and {} transitions in {} instances\n",
            escape::line(&self.states_of),
            self.states.len(),
            self.transitions.len(),
            self.instances
        );
        let mut table = Table::new();
        table.load_style(UTF8_BORDERS_ONLY);
        table.set_header(["state", "time", "entered", "to"]);
        for column in 1..3 {
            let column = table.column_mut(column).expect("there are four");
            column.set_cell_alignment(CellAlignment::Right);
        }
        for state in &self.states {
            let next = self
                .transitions
                .iter()
                .filter(|one| one.from == state.state);
            let next = next.map(|one| format!("{} {}", one.to, one.times));
            table.add_row([
                escape::line(&state.state).to_string(),
                format!("{:.1} %", 100.0 * state.share),
                state.entered.to_string(),
                escape::line(&next.collect::<Vec<_>>().join(", ")).to_string(),
            ]);
        }
        text += &format!("{table}\n");
        text
    }
}

pub(super) fn activity(args: &ActivityArgs) -> Result<(), Error> {
    let window = match &args.window {
        None => None,
        Some(text) => Some(
            CycleWindow::parse("--window", text)
                .map_err(|diagnostic| Error::one(Class::Usage, "command line", diagnostic))?,
        ),
    };
    let outputs = [
        Output::new("--saif", Format::Saif, args.saif.as_deref()),
        args.json.output(),
    ];
    let outputs: Vec<Output> = outputs.into_iter().flatten().collect();
    let to_stdout = output::check(&outputs)?;
    let mut source = open(input_path(&args.file))?;
    let kept = select("--scope", source.declared(), &args.scopes)?;
    // Names of states are signals beside them.
    let read = match args.states.is_empty() {
        true => kept.clone(),
        false => vec![true; kept.len()],
    };
    let (from, last) = match window {
        None => (0, u64::MAX),
        Some(window) => {
            let phase = source.phase(&read, args.period)?;
            window.times(args.period, phase.unwrap_or(0))
        }
    };
    let wave = source.some(&read, (from, last))?;
    warn_all(&args.file, &wave.warnings);
    let times = (from, last.saturating_add(1).min(wave.end));
    if times.0 >= times.1 {
        return Err(usage(
            "--window",
            format!(
                "the waveform ends at {}, and the window begins at {from}",
                wave.end
            ),
            "--window takes cycles, and --period what they last",
        ));
    }
    let mut found = Activity::new(input_name(&args.file), &wave, &kept, times, args.period);
    for pattern in &args.states {
        found
            .machines
            .push(MachineActivity::new(&wave, pattern, times)?);
    }
    if found.signals.is_empty() && found.machines.is_empty() {
        let help = "texts, real numbers and events have no bits; `crosswave show FILE --list` lists all signals";
        return Err(usage("--scope", "no signal of bits is left to count", help));
    }
    if let Some(path) = &args.saif {
        file::write(path, |out| saif::write(&wave, &kept, times, out))?;
    }
    args.json.write(&found)?;
    match to_stdout {
        true => Ok(()),
        false => output::print(&found.text(args.list)),
    }
}

impl Activity {
    /// The activity of the vectors that are kept from `times.0` to before `times.1`.
    fn new(
        waveform: String,
        wave: &Waveform,
        kept: &[bool],
        times: (u64, u64),
        period: u64,
    ) -> Activity {
        let duration = times.1 - times.0;
        let cycles = duration as f64 / period as f64;
        let mut signals = Vec::new();
        for (index, (signal, &kept)) in wave.signals.iter().zip(kept).enumerate() {
            if !kept || signal.kind != SignalKind::Bits {
                continue;
            }
            let bits = bit_activity(wave.changes(index), signal.width, times);
            let sum = |of: fn(&BitActivity) -> u64| -> u64 { bits.iter().map(of).sum() };
            let toggles = sum(|bit| bit.toggles);
            let width = f64::from(signal.width.max(1));
            let share = |time: u64| time as f64 / duration as f64 / width;
            signals.push(SignalActivity {
                signal: wave.path(index),
                width: signal.width,
                toggles,
                toggles_per_bit_cycle: toggles as f64 / cycles / width,
                share_one: share(sum(|bit| bit.one)),
                share_unknown: share(sum(|bit| bit.unknown)),
            });
        }
        let bits = signals.iter().map(|signal| u64::from(signal.width)).sum();
        let toggles = signals.iter().map(|signal| signal.toggles).sum();
        Activity {
            waveform,
            timescale: wave.timescale.map(|unit| unit.to_string()),
            from_time: times.0,
            duration,
            period,
            bits,
            toggles,
            toggles_per_bit_cycle: toggles as f64 / cycles / (bits as f64).max(1.0),
            signals,
            machines: Vec::new(),
        }
    }

    /// The sums, and the signals that toggle most often.
    fn text(&self, list: usize) -> String {
        let unit = self.timescale.as_deref().unwrap_or("unit");
        let cycles = self.duration as f64 / self.period as f64;
        let mut text = format!(
            "{}: {} signals of {} bits, {} × {unit} from {} on ({cycles:.1} cycles)\n{} toggles, {:.4} for each bit \
             and cycle\n",
            escape::line(&self.waveform),
            self.signals.len(),
            self.bits,
            self.duration,
            self.from_time,
            self.toggles,
            self.toggles_per_bit_cycle,
        );
        let mut order: Vec<&SignalActivity> = self.signals.iter().collect();
        order.sort_by(|one, other| {
            let most = other.toggles.cmp(&one.toggles);
            most.then_with(|| one.signal.cmp(&other.signal))
        });
        let machines = self.machines.iter().map(MachineActivity::text);
        let machines: String = machines.collect();
        if list == 0 || order.is_empty() {
            return text + &machines;
        }
        let mut table = Table::new();
        table.load_style(UTF8_BORDERS_ONLY);
        table.set_header([
            "signal",
            "bits",
            "toggles",
            "a bit and cycle",
            "at 1",
            "at X",
        ]);
        for column in 1..6 {
            let column = table.column_mut(column).expect("there are six");
            column.set_cell_alignment(CellAlignment::Right);
        }
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        for signal in order.iter().take(list) {
            table.add_row([
                escape::line(&signal.signal).to_string(),
                signal.width.to_string(),
                signal.toggles.to_string(),
                format!("{:.4}", signal.toggles_per_bit_cycle),
                percent(signal.share_one),
                percent(signal.share_unknown),
            ]);
        }
        text += &format!("{table}\n");
        if order.len() > list {
            text += &format!(
                "{} more signals: --list {}\n",
                order.len() - list,
                order.len()
            );
        }
        text + &machines
    }
}
