//! Stimuli from waveforms.
//!
//! Cycle c takes the inputs as they stood just before the rising edge of the clock
//! that ends it: rising edge c of the waveform, counted from 0. A change to 1 is a
//! rising edge unless it is the first value. A waveform without the clock is sampled
//! every *period* units of time: cycle c at the last instant before (c + 1) periods.
//!
//! With several clocks, a cycle ends wherever one of them has an edge on which something acts. Edges at one
//! time end one cycle. The other edges of a clock are within cycles.
//!
//! Inputs are found in one scope: the one given, else, where the clock is needed, among
//! those that have it and inputs; of these the one that has most inputs, the first of
//! equals. A variable is an input's when it has its name and
//!
//! - its range (`adr[7:2]`), or
//! - its width, where one of the two declares no range, or `[width-1:0]`, or
//! - a part of its range (`adr[7:4]`, `adr[3]`); the parts have to make up the input.
//!
//! A variable of that name with other bits is an error unless the input is found
//! besides. Inputs that the scope does not have are not driven.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Drive, ScopeChoice, Stimulus, listed};
use crate::run::{ClockCycle, RunClock, RunPort};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::BitRange;
use crosswave_wave::{SignalKind, WaveValue, Waveform};

/// Options for sampling a waveform.
#[derive(Debug, Clone, Default)]
pub struct Sampling<'a> {
    /// Dotted path of the scope that has the inputs.
    pub scope: Option<&'a str>,
    /// Units of time of a cycle; `None` to use the clocks.
    pub period: Option<u64>,
    /// True to take the cycles of the clocks as well.
    pub with_clocks: bool,
}

/// A variable that has the name of an input.
struct Variable {
    input: usize,
    signal: usize,
    /// The bits of the input that it has; `None` when it has others.
    bits: Option<Range<usize>>,
}

/// Samples a waveform for these inputs and clocks; `origin` names it in reports.
///
/// # Errors
/// When no scope has inputs, when an input has other bits, and when the scope lacks a clock and
/// there is no period.
pub fn sample(
    origin: &str,
    wave: &Waveform,
    inputs: &[RunPort],
    clocks: &[RunClock],
    sampling: &Sampling<'_>,
) -> Result<Stimulus, Error> {
    let wrong = |diagnostic| Error::one(Class::Input, origin, diagnostic);
    let by_scope = variables(wave, inputs);
    let by_clock = clocks.iter().map(|clock| clock_by_scope(wave, &clock.name));
    let by_clock: Vec<Vec<Option<usize>>> = by_clock.collect();
    let has_clocks = |scope: usize| by_clock.iter().all(|scopes| scopes[scope].is_some());
    let scope = choose(wave, inputs, &by_scope, &has_clocks, sampling).map_err(wrong)?;
    let pieces = assemble(wave, inputs, &by_scope[scope]).map_err(wrong)?;
    let mut of_clocks = Vec::new();
    let edges = match sampling.period {
        Some(period) => Edges::Every {
            period,
            end: wave.end,
        },
        None => {
            let mut signals = Vec::new();
            for (clock, scopes) in clocks.iter().zip(&by_clock) {
                let missing = || wrong(no_clock(&clock.name, &path(wave, scope), sampling));
                signals.push((clock, scopes[scope].ok_or_else(missing)?));
            }
            let mut times: Vec<u64> = Vec::new();
            for &(clock, signal) in &signals {
                for (acts, rising) in [(clock.rises, true), (clock.falls, false)] {
                    if acts {
                        times.extend(edges_to(wave, signal, rising));
                    }
                }
            }
            times.sort_unstable();
            times.dedup();
            if sampling.with_clocks {
                let of = |&(_, signal): &(&RunClock, usize)| cycles_of(wave, signal, &times);
                of_clocks = signals.iter().map(of).collect();
            }
            Edges::At(times)
        }
    };
    let mut drives: Vec<Drive> = Vec::new();
    for piece in &pieces {
        let start = drives.len();
        let bits = piece.bits.clone().unwrap_or_default();
        for change in wave.changes(piece.signal) {
            let cycle = edges.cycle_of(change.time);
            if cycle >= edges.cycles() {
                break;
            }
            if drives[start..]
                .last()
                .is_some_and(|last| last.cycle == cycle)
            {
                drives.pop();
            }
            drives.push(Drive {
                cycle,
                input: piece.input,
                bits: bits.clone(),
                value: change.value,
            });
        }
    }
    drives.sort_by_key(|drive| drive.cycle);
    let mut known: Vec<usize> = pieces.iter().map(|piece| piece.input).collect();
    known.sort_unstable();
    known.dedup();
    Ok(Stimulus {
        drives,
        cycles: edges.cycles(),
        inputs: known,
        scope: choice(wave, &by_scope, scope, sampling),
        clocks: of_clocks,
        next: 0,
    })
}

/// The path of a scope; 0 is outside of scopes.
fn path(wave: &Waveform, scope: usize) -> String {
    match scope {
        0 => "outside of scopes".to_owned(),
        scope => wave.scope_path(scope - 1),
    }
}

/// The scope that inputs are taken from.
fn choose(
    wave: &Waveform,
    inputs: &[RunPort],
    by_scope: &[Vec<Variable>],
    has_clocks: &dyn Fn(usize) -> bool,
    sampling: &Sampling<'_>,
) -> Result<usize, Diagnostic> {
    let key = |scope: usize| {
        let (score, has_clock) = (score(&by_scope[scope]), has_clocks(scope));
        let can_be_sampled = sampling.period.is_none() && has_clock && score.0 > 0;
        (can_be_sampled, score, has_clock, usize::MAX - scope)
    };
    let wanted = |scope: &usize| match sampling.scope {
        None => true,
        Some(wanted) => *scope > 0 && wave.scope_path(*scope - 1) == wanted,
    };
    let scopes = (0..by_scope.len()).filter(wanted);
    let found = scopes.max_by_key(|&scope| key(scope));
    let fits = |&scope: &usize| !by_scope[scope].is_empty() || inputs.is_empty();
    found.filter(fits).ok_or_else(|| {
        let place = sampling.scope.unwrap_or("all scopes");
        let message = match found {
            None => "the waveform has no such scope",
            Some(_) => "no variable has the name of an input",
        };
        let others = having_inputs(wave, by_scope);
        let help = match others.is_empty() {
            true => listed(inputs),
            false => format!("scopes that have inputs: {}", shown(&others)),
        };
        Diagnostic::new(place, message, help)
    })
}

/// The scopes that have variables with names of inputs.
fn having_inputs(wave: &Waveform, by_scope: &[Vec<Variable>]) -> Vec<String> {
    let scopes = (0..by_scope.len()).filter(|&scope| !by_scope[scope].is_empty());
    scopes.map(|scope| path(wave, scope)).collect()
}

/// The first paths, for a message.
fn shown(paths: &[String]) -> String {
    let mut shown: Vec<String> = paths
        .iter()
        .take(8)
        .map(|path| format!("`{path}`"))
        .collect();
    if paths.len() > shown.len() {
        shown.push(format!("{} more", paths.len() - shown.len()));
    }
    shown.join(", ")
}

/// The message about the scope that was chosen.
fn choice(
    wave: &Waveform,
    by_scope: &[Vec<Variable>],
    scope: usize,
    sampling: &Sampling<'_>,
) -> Option<ScopeChoice> {
    let chosen = path(wave, scope);
    let mut others = having_inputs(wave, by_scope);
    others.retain(|other| *other != chosen);
    let is_choice = sampling.scope.is_none() && !others.is_empty();
    is_choice.then_some(ScopeChoice {
        path: chosen,
        others,
    })
}

/// The clock edges that end cycles.
enum Edges {
    At(Vec<u64>),
    Every { period: u64, end: u64 },
}

impl Edges {
    fn cycles(&self) -> u64 {
        match self {
            Edges::At(times) => times.len() as u64,
            Edges::Every { period, end } => end / period,
        }
    }

    /// The first cycle that ends after a time, so that sees what changes then.
    fn cycle_of(&self, time: u64) -> u64 {
        match self {
            Edges::At(times) => times.partition_point(|&edge| edge <= time) as u64,
            Edges::Every { period, .. } => time / period,
        }
    }
}

/// The variables that have names of inputs, by scope; those outside of scopes first.
fn variables(wave: &Waveform, inputs: &[RunPort]) -> Vec<Vec<Variable>> {
    let names: BTreeMap<&str, usize> = inputs
        .iter()
        .enumerate()
        .map(|(input, port)| (port.name.as_str(), input))
        .collect();
    let mut by_scope: Vec<Vec<Variable>> = Vec::new();
    by_scope.resize_with(wave.scopes.len() + 1, Vec::new);
    for (index, signal) in wave.signals.iter().enumerate() {
        if signal.kind != SignalKind::Bits {
            continue;
        }
        let (name, width) = (plain(&signal.name), signal.width as usize);
        let found = match (names.get(name), split(name)) {
            (Some(&input), _) => Some((input, None)),
            (None, Some((base, range))) => names.get(base).map(|&input| (input, Some(range))),
            (None, None) => None,
        };
        if let Some((input, range)) = found {
            by_scope[signal.scope.map_or(0, |scope| scope + 1)].push(Variable {
                input,
                signal: index,
                bits: bits_of(&inputs[input], width, range),
            });
        }
    }
    by_scope
}

/// A name without the backslash that marks escaped ones.
fn plain(name: &str) -> &str {
    name.strip_prefix('\\').unwrap_or(name)
}

/// A name with an index or a range, taken apart.
fn split(name: &str) -> Option<(&str, (i64, i64))> {
    let (base, range) = name.strip_suffix(']')?.rsplit_once('[')?;
    let (left, right) = range.split_once(':').unwrap_or((range, range));
    Some((base, (left.parse().ok()?, right.parse().ok()?)))
}

/// The bits of an input that a variable of this width and range has.
fn bits_of(port: &RunPort, width: usize, range: Option<(i64, i64)>) -> Option<Range<usize>> {
    let whole = (width == port.width).then_some(0..port.width);
    let Some((left, right)) = range else {
        return whole;
    };
    let given = BitRange::new(left, right, width)?;
    let positions = [left, right].map(|index| port.range.position(index, port.width));
    match positions {
        [Some(high), Some(low)] if high >= low => Some(low..high + 1),
        // The range of the input was lost on the way to the netlist.
        _ if port.range == BitRange::default() && width > 1 && given.lowest != 0 => whole,
        _ => None,
    }
}

/// Score of a scope: the number of inputs of which it has some or other bits, and how many of these
/// are right.
fn score(variables: &[Variable]) -> (usize, usize) {
    let count = |right: bool| {
        let of = variables.iter().filter(|v| !right || v.bits.is_some());
        let mut inputs: Vec<usize> = of.map(|variable| variable.input).collect();
        inputs.sort_unstable();
        inputs.dedup();
        inputs.len()
    };
    (count(true), count(false))
}

/// The variables that make up inputs, each bit once.
fn assemble<'a>(
    wave: &Waveform,
    inputs: &[RunPort],
    variables: &'a [Variable],
) -> Result<Vec<&'a Variable>, Diagnostic> {
    let mut by_input: BTreeMap<usize, Vec<&Variable>> = BTreeMap::new();
    for variable in variables {
        by_input.entry(variable.input).or_default().push(variable);
    }
    let mut pieces = Vec::new();
    for (input, mut variables) in by_input {
        let port = &inputs[input];
        // The widest first, so that a whole input is not taken from its parts.
        variables.sort_by_key(|v| std::cmp::Reverse(v.bits.as_ref().map_or(0, Range::len)));
        let mut found = vec![false; port.width];
        for variable in &variables {
            if let Some(bits) = &variable.bits
                && !found[bits.clone()].contains(&true)
            {
                found[bits.clone()].fill(true);
                pieces.push(*variable);
            }
        }
        let Some(missing) = found.iter().position(|&found| !found) else {
            continue;
        };
        let wrong = variables.iter().find(|variable| variable.bits.is_none());
        let (place, message) = match wrong {
            Some(variable) => {
                let width = wave.signals[variable.signal].width;
                let message = format!("{width} bits, but the input is {}", port.declaration());
                (wave.path(variable.signal), message)
            }
            None => (
                wave.path(variables[0].signal),
                format!("no variable has the bit `{}`", port.bit_name(missing)),
            ),
        };
        let help = "record every bit of the input, of the netlist that is run";
        return Err(Diagnostic::new(place, message, help));
    }
    Ok(pieces)
}

/// The clock of each scope that has one; that outside of scopes first.
fn clock_by_scope(wave: &Waveform, name: &str) -> Vec<Option<usize>> {
    let mut clocks = vec![None; wave.scopes.len() + 1];
    for (index, signal) in wave.signals.iter().enumerate() {
        let is_bit = signal.kind == SignalKind::Bits && signal.width == 1;
        if is_bit && plain(&signal.name) == name {
            clocks[signal.scope.map_or(0, |scope| scope + 1)].get_or_insert(index);
        }
    }
    clocks
}

/// Says that a scope has no clock of that name.
fn no_clock(name: &str, scope: &str, sampling: &Sampling<'_>) -> Diagnostic {
    let help = match sampling.with_clocks {
        true => {
            "record all clocks, or name another scope with --stimulus-scope; or say how all clocks run with \
             --clock NAME=PERIOD, and give the length of a cycle with --period"
        }
        false => {
            "name another scope with --stimulus-scope, or give the length of a cycle with --period"
        }
    };
    Diagnostic::new(
        "clock",
        format!("the scope of the inputs, `{scope}`, has no variable `{name}` of one bit"),
        help,
    )
}

/// The times at which a signal changes to 1, or to 0.
fn edges_to(wave: &Waveform, clock: usize, rising: bool) -> Vec<u64> {
    let changes = wave.changes(clock);
    let later = changes.iter().skip(1);
    later
        .filter(|change| change.value == WaveValue::Known(u64::from(rising)))
        .map(|change| change.time)
        .collect()
}

/// The cycles of a clock that end at these times, and one behind the last. A change within a cycle is in its
/// middle. X keeps the level before, which is 0 at first; edges are changes to 1 and to 0 from any value.
fn cycles_of(wave: &Waveform, clock: usize, ends: &[u64]) -> Vec<ClockCycle> {
    let known = |value: &WaveValue| match value {
        WaveValue::Known(value) => Some(*value == 1),
        _ => None,
    };
    let changes = wave.changes(clock);
    let mut changes = changes
        .iter()
        .map(|change| (change.time, known(&change.value)));
    let mut level = changes.next().and_then(|(_, first)| first).unwrap_or(false);
    let mut changes = changes.peekable();
    let mut cycles = Vec::with_capacity(ends.len() + 1);
    for &end in ends {
        let mut cycle = ClockCycle {
            levels: [level; 2],
            ..ClockCycle::default()
        };
        while let Some((_, value)) = changes.next_if(|(time, _)| *time < end) {
            level = value.unwrap_or(level);
        }
        cycle.levels[1] = level;
        while let Some((_, value)) = changes.next_if(|(time, _)| *time == end) {
            cycle.rises |= value == Some(true);
            cycle.falls |= value == Some(false);
            level = value.unwrap_or(level);
        }
        cycles.push(cycle);
    }
    cycles.push(ClockCycle {
        levels: [level; 2],
        ..ClockCycle::default()
    });
    cycles
}

#[cfg(test)]
mod tests;
