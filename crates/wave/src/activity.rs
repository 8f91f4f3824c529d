//! Switching activity: how long each bit of a signal has which value, and how often it toggles.

use super::changes::Changes;
use super::value::{Bit, WaveValue};

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
