//! The signals and the cycle at which a look at a waveform begins, where nobody has said which.
//!
//! ```text
//!  Waveform ──> rows that change from a known value ──> first cycle
//!                        └──> scopes by activity ──> rows, states first, as many as fit
//! ```
//!
//! A signal *moves* in a cycle when it has another value there than in the cycle before, and that
//! one was known. Clocks do not count, and of signals with the same changes only the first. What
//! changes a single time at the beginning of a file and is one bit wide, such as a reset, does not
//! say where something begins, unless nothing else does.
//!
//! Scopes stand in the order of their activity: changes of states and names, then of words, then
//! of single bits. A scope fills at most half of the lines while others wait. Nothing depends on
//! names, except that a state is shown by the string beside it.
//!
//! Cost: one pass over the changes of the waveform.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::clock;
use super::selection::CycleWindow;
use super::timeline::{DrawOptions, DrawnRow, rows};
use super::value::WaveValue;
use super::waveform::{SignalKind, Waveform};

#[cfg(test)]
mod tests;

/// The signals that move, for a look at a waveform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// The rows that are drawn, scope by scope.
    pub rows: Vec<DrawnRow>,
    /// Number of signals that move in the window.
    pub moving: usize,
    /// Number of signals that do not, apart from clocks.
    pub constant: usize,
}

/// A scope with signals that move.
struct ActiveScope {
    /// Its index; `None` outside of all scopes.
    scope: Option<usize>,
    /// Number of changes of signals of each rank.
    activity: [usize; 3],
    /// The signals, each with the number of its changes.
    moving: Vec<(usize, usize)>,
}

/// The part that a row plays for a reader, the most informative first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RowRank {
    /// States and other names.
    Name,
    /// Vectors, numbers.
    Word,
    /// Single bits, events.
    Bit,
}

/// The first cycles in which something is seen of some signals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FirstCycles {
    /// One of them moves, which is not the only time that it does, or is wider than a bit.
    pub moves: Option<u64>,
    /// A single bit moves for the only time.
    pub steps: Option<u64>,
    /// Half of those that ever have a known value have one.
    pub known: Option<u64>,
}

impl FirstCycles {
    /// The first cycles of the signals that are kept.
    ///
    /// # Panics
    /// When `kept` has not one entry per signal.
    pub fn new(wave: &Waveform, kept: &[bool], options: &DrawOptions) -> FirstCycles {
        let mut first = FirstCycles::default();
        let sooner = |at: &mut Option<u64>, cycle: u64| *at = Some(at.unwrap_or(cycle).min(cycle));
        let mut known = Vec::new();
        for signal in moving_rows(wave, kept, options) {
            let mut moves = moves_of(wave, signal, options);
            if let Some(cycle) = moves.next() {
                let is_step = rank(wave, signal) == RowRank::Bit && moves.next().is_none();
                let place = match is_step {
                    true => &mut first.steps,
                    false => &mut first.moves,
                };
                sooner(place, cycle);
            }
            let mut changes = wave.changes(signal).iter();
            if let Some(change) = changes.find(|change| !change.value.is_unknown()) {
                known.push(cycle_of(change.time, options));
            }
        }
        known.sort_unstable();
        first.known = known.get(known.len() / 2).copied();
        first
    }

    /// The cycle at which a drawing begins: the one before the first in which something moves, but
    /// not before signals are known; 0 where none is.
    pub fn begin(&self) -> u64 {
        let moved = self.moves.or(self.steps);
        let before = moved.map_or(0, |cycle| cycle.saturating_sub(1));
        before.max(self.known.unwrap_or(0))
    }
}

/// The rows that fit in so many lines with the headings of their scopes, of the signals that move
/// in a window.
///
/// # Panics
/// When `kept` has not one entry per signal.
pub fn choose(
    wave: &Waveform,
    kept: &[bool],
    window: CycleWindow,
    lines: usize,
    options: &DrawOptions,
) -> Overview {
    // Number of changes of each signal that moves in the window, and its rank.
    let all = moving_rows(wave, kept, options);
    let counted = all.iter().map(|&signal| {
        let moves = moves_of(wave, signal, options);
        let before = |cycle: &u64| *cycle <= window.first;
        let inside = moves.skip_while(before).take_while(|&at| at <= window.last);
        (signal, inside.count())
    });
    let counted: Vec<(usize, usize)> = counted.filter(|(_, count)| *count > 0).collect();
    let moving = counted.len();
    let mut scopes: Vec<ActiveScope> = Vec::new();
    for (signal, count) in counted {
        let scope = wave.signals[signal].scope;
        let found = scopes.iter().rposition(|active| active.scope == scope);
        let place = found.unwrap_or_else(|| {
            scopes.push(ActiveScope {
                scope,
                activity: [0; 3],
                moving: Vec::new(),
            });
            scopes.len() - 1
        });
        scopes[place].activity[rank(wave, signal) as usize] += count;
        scopes[place].moving.push((signal, count));
    }
    scopes.sort_by_key(|active| Reverse(active.activity));
    for active in &mut scopes {
        let key = |&(signal, count): &(usize, usize)| (rank(wave, signal), Reverse(count));
        active.moving.sort_by_key(key);
    }
    let half = match scopes.len() {
        0 | 1 => usize::MAX,
        _ => (lines / 2).saturating_sub(1),
    };
    let mut left = lines;
    let mut chosen = Vec::new();
    for ActiveScope { scope, moving, .. } in &scopes {
        // A heading without a row says nothing.
        let heading = usize::from(scope.is_some());
        if left <= heading {
            break;
        }
        let fitting = moving.len().min(half.max(1)).min(left - heading);
        left -= fitting + heading;
        chosen.extend(moving[..fitting].iter().map(|(signal, _)| *signal));
    }
    Overview {
        rows: drawn(wave, kept, &chosen),
        moving,
        constant: all.len() - moving,
    }
}

/// The rows of some signals, in their order.
fn drawn(wave: &Waveform, kept: &[bool], chosen: &[usize]) -> Vec<DrawnRow> {
    let mut some = vec![false; wave.signals.len()];
    for &signal in chosen {
        some[signal] = true;
        // A name is drawn in the row of what it names.
        let named = signal.checked_sub(1);
        if let Some(named) = named.filter(|&named| wave.names_of(named) == Some(signal)) {
            some[named] = kept[named];
        }
    }
    let mut rows = rows(wave, &some);
    rows.sort_by_key(|row| chosen.iter().position(|&signal| row.signal == Some(signal)));
    rows
}

/// The signals that are drawn of those that are kept: without clocks, and without those that have
/// the changes of an earlier one.
fn moving_rows(wave: &Waveform, kept: &[bool], options: &DrawOptions) -> Vec<usize> {
    let mut seen = BTreeSet::new();
    let rows = rows(wave, kept).into_iter().filter_map(|row| row.signal);
    rows.filter(|&signal| seen.insert(wave.signals[signal].stream))
        .filter(|&signal| clock::phase_of(wave, signal, options.period).is_none())
        .collect()
}

/// The cycles in which a signal moves, in rising order.
fn moves_of<'a>(
    wave: &'a Waveform,
    signal: usize,
    options: &'a DrawOptions,
) -> impl Iterator<Item = u64> + 'a {
    let changes = wave.changes(signal);
    let is_event = wave.signals[signal].kind == SignalKind::Event;
    (0..changes.len()).filter_map(move |at| {
        let known = |at: usize| {
            let value = changes.value(at);
            let is_partly_unknown = matches!(value, WaveValue::Bits(_));
            !value.is_unknown() && !is_partly_unknown
        };
        let moves = is_event || at > 0 && known(at - 1);
        moves.then(|| cycle_of(changes.time(at), options))
    })
}

/// The first cycle that starts at a time or after it.
fn cycle_of(time: u64, options: &DrawOptions) -> u64 {
    let since = time.saturating_sub(options.phase);
    since.div_ceil(options.period.max(1))
}

fn rank(wave: &Waveform, signal: usize) -> RowRank {
    let signal = &wave.signals[signal];
    match signal.kind {
        SignalKind::Text => RowRank::Name,
        SignalKind::Bits if signal.width == 1 => RowRank::Bit,
        SignalKind::Bits | SignalKind::Real => RowRank::Word,
        SignalKind::Event => RowRank::Bit,
    }
}
