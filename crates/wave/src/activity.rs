//! Switching activity: how long each bit of a signal has which value, and how often it toggles; the states of
//! machines, and how often they go from one to another.

use std::collections::BTreeMap;

use super::changes::Changes;
use super::value::{Bit, WaveValue};
use super::waveform::Waveform;

/// The activity of a bit in a part of a waveform, in its units of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BitActivity {
    /// Time at 0.
    pub zero: u64,
    /// Time at 1.
    pub one: u64,
    /// Time at X, and before the first value.
    pub unknown: u64,
    /// Time at Z.
    pub floating: u64,
    /// Changes from 0 to 1 and from 1 to 0; X and Z in between do not matter.
    pub toggles: u64,
}

/// A bit in the course of time.
#[derive(Debug, Clone, Copy)]
struct Course {
    activity: BitActivity,
    value: Bit,
    since: u64,
    /// The last value that was 0 or 1.
    known: Option<Bit>,
}

impl Course {
    fn hold(&mut self, until: u64) {
        let time = until - self.since;
        let spent = match self.value {
            Bit::Zero => &mut self.activity.zero,
            Bit::One => &mut self.activity.one,
            Bit::X => &mut self.activity.unknown,
            Bit::Z => &mut self.activity.floating,
        };
        *spent += time;
        self.since = until;
    }

    /// Takes a value at a time. From `start` on it counts as a toggle; of values before, the last one matters.
    fn take(&mut self, value: Bit, time: u64, start: u64) {
        if value == self.value {
            return;
        }
        self.hold(time.max(start));
        self.value = value;
        if time < start {
            self.known = None;
        }
        if matches!(value, Bit::Zero | Bit::One) {
            let toggles = self.known.is_some_and(|known| known != value) && time >= start;
            self.activity.toggles += u64::from(toggles);
            self.known = Some(value);
        }
    }
}

/// The activity of each bit of a vector from `start` to before `end`, the least significant first. Before
/// `start` only the last change matters.
///
/// ```
/// use crosswave_wave::activity::{BitActivity, bit_activity};
/// let text = b"$var wire 1 ! a $end $enddefinitions $end #0 0! #3 1! #5 x! #6 0! #9 ";
/// let wave = crosswave_wave::read("t", &text[..])?;
/// let found = bit_activity(wave.changes(0), 1, (0, 9));
/// let expected = BitActivity { zero: 6, one: 2, unknown: 1, floating: 0, toggles: 2 };
/// assert_eq!(found, [expected]);
/// # Ok::<(), crosswave_base::diagnostic::Error>(())
/// ```
pub fn bit_activity(changes: &Changes, width: u32, (start, end): (u64, u64)) -> Vec<BitActivity> {
    let begun = Course {
        activity: BitActivity::default(),
        value: Bit::X,
        since: start,
        known: None,
    };
    let mut bits = vec![begun; width as usize];
    let mut before = None;
    for change in changes.iter().take_while(|change| change.time < end) {
        let known = match change.value {
            WaveValue::Known(value) => Some(value),
            _ => None,
        };
        if let (Some(before), Some(value)) = (before, known) {
            // Bits above the 64th are 0 in both.
            let mut changed: u64 = before ^ value;
            while changed != 0 {
                let at = changed.trailing_zeros();
                changed &= changed - 1;
                if let Some(bit) = bits.get_mut(at as usize) {
                    let value = if value >> at & 1 == 1 {
                        Bit::One
                    } else {
                        Bit::Zero
                    };
                    bit.take(value, change.time, start);
                }
            }
        } else {
            for (at, bit) in (0..).zip(&mut bits) {
                let value = change.value.bit(at).unwrap_or(Bit::X);
                bit.take(value, change.time, start);
            }
        }
        before = known;
    }
    let ended = bits.into_iter().map(|mut bit| {
        bit.hold(end.max(start));
        bit.activity
    });
    ended.collect()
}

/// The states of a machine, and how often it went from one to another: of one signal or of several that show such
/// machines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// The time in each state, and how often it was entered.
    pub states: BTreeMap<String, StateVisits>,
    /// Changes from one state to another.
    pub transitions: BTreeMap<(String, String), u64>,
}

/// The visits of a state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StateVisits {
    /// Time spent in it.
    pub time: u64,
    /// Changes to it from another state.
    pub entered: u64,
}

impl Machine {
    /// Adds a signal from `times.0` to before `times.1`. A state has the name that the waveform gives it, else its
    /// number, or its digits if some are X or Z.
    pub fn add(&mut self, wave: &Waveform, signal: usize, (start, end): (u64, u64)) {
        let names = wave.names_of(signal);
        let width = wave.signals[signal].width;
        let shown = |value: &WaveValue, time: u64| {
            let name = names.and_then(|names| wave.value_at(names, time));
            match (name, value) {
                (Some(WaveValue::Text(name)), _) => name.to_string(),
                (_, WaveValue::Known(number)) => number.to_string(),
                (_, value) => value.binary(width).unwrap_or_default(),
            }
        };
        let mut state: Option<(String, u64)> = None;
        for change in wave
            .changes(signal)
            .iter()
            .take_while(|change| change.time < end)
        {
            let next = shown(&change.value, change.time);
            let at = change.time.max(start);
            let before = state.take();
            if let Some((before, since)) = &before {
                self.states.entry(before.clone()).or_default().time += at - since;
            }
            let visits = self.states.entry(next.clone()).or_default();
            if let Some((before, _)) = before
                && change.time >= start
                && before != next
            {
                visits.entered += 1;
                *self.transitions.entry((before, next.clone())).or_insert(0) += 1;
            }
            state = Some((next, at));
        }
        if let Some((state, since)) = state {
            self.states.entry(state).or_default().time += end.max(since) - since;
        }
        // A state that was left before the start is none of the part.
        self.states
            .retain(|_, visits| visits.time > 0 || visits.entered > 0);
    }
}
