//! The changes of a signal: when, and to which values.
//!
//! They are sorted by time and each is a change: a value that repeats the one before is not
//! kept, and of several values at one time only the last. An event has no values: each time
//! at which it fires is kept.
//!
//! # Layout
//! Times and values stand in two arrays of equally many entries, of the narrowest kind that
//! holds them; an entry that does not fit makes the array one of the next kind. Times have 4
//! bytes, and 8 after 2^32. Vectors of known bits have 1, 4 or 8 bytes, and the largest
//! codes stand for X in all bits, for Z in all bits, and for an event. Everything else is an
//! array of [`WaveValue`], 24 bytes each, with what they point to.

use std::ops::Range;
use std::sync::Arc;

use super::value::{Bit, WaveValue};

/// The value of a signal from a time on.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Time of the change, in units of the timescale.
    pub time: u64,
    /// The new value.
    pub value: WaveValue,
}

/// The changes of a signal, sorted by time.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    times: Times,
    values: Values,
}

impl Changes {
    /// Number of changes.
    pub fn len(&self) -> usize {
        match &self.times {
            Times::Short(times) => times.len(),
            Times::Long(times) => times.len(),
        }
    }

    /// True when there is no change.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The time of a change.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn time(&self, index: usize) -> u64 {
        match &self.times {
            Times::Short(times) => times[index].into(),
            Times::Long(times) => times[index],
        }
    }

    /// The value from a change on.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn value(&self, index: usize) -> WaveValue {
        match &self.values {
            Values::Bytes(values) => values[index].value(),
            Values::Words(values) => values[index].value(),
            Values::Longs(values) => values[index].value(),
            Values::Reals(values) => WaveValue::Real(values[index]),
            Values::Any(values) => values[index].clone(),
        }
    }

    /// A change; `None` when there are not so many.
    pub fn get(&self, index: usize) -> Option<Change> {
        (index < self.len()).then(|| Change {
            time: self.time(index),
            value: self.value(index),
        })
    }

    /// The last change.
    pub fn last(&self) -> Option<Change> {
        self.get(self.len().checked_sub(1)?)
    }

    /// All changes.
    pub fn iter(&self) -> Iter<'_> {
        Iter(self, 0..self.len())
    }

    /// All times.
    pub fn times(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..self.len()).map(|index| self.time(index))
    }

    /// Number of changes up to a time, that time included.
    pub fn count_until(&self, time: u64) -> usize {
        match &self.times {
            Times::Short(times) => times.partition_point(|&at| u64::from(at) <= time),
            Times::Long(times) => times.partition_point(|&at| at <= time),
        }
    }

    /// Appends a change.
    ///
    /// # Panics
    /// When its time is before that of the last one.
    pub fn push(&mut self, change: Change) {
        let Change { time, value } = change;
        assert!(
            self.is_empty() || self.time(self.len() - 1) <= time,
            "times do not fall"
        );
        self.times.push(time);
        self.values.push(value);
    }

    /// Takes in what a signal shows at a time, in rising order of the times: nothing
    /// where it repeats what was there, and in place of another value at that time. Of what
    /// is before `from` no more than the last is kept; of an event nothing.
    ///
    /// # Panics
    /// As [`Changes::push`].
    pub fn take(&mut self, from: u64, change: Change) {
        if change.value == WaveValue::Fired {
            let last = self.len().checked_sub(1);
            if change.time >= from && last.is_none_or(|last| self.time(last) != change.time) {
                self.push(change);
            }
            return;
        }
        let Some(last) = self.len().checked_sub(1) else {
            return self.push(change);
        };
        if change.time < from && !self.values.ends_with(&change.value) {
            self.clear();
        } else if self.time(last) == change.time {
            self.pop();
        }
        if !self.values.ends_with(&change.value) {
            self.push(change);
        }
    }

    /// Removes all changes.
    pub fn clear(&mut self) {
        *self = Changes::default();
    }

    /// Removes the first changes.
    pub fn drop_first(&mut self, count: usize) {
        match &mut self.times {
            Times::Short(times) => drop(times.drain(..count)),
            Times::Long(times) => drop(times.drain(..count)),
        }
        match &mut self.values {
            Values::Bytes(values) => drop(values.drain(..count)),
            Values::Words(values) => drop(values.drain(..count)),
            Values::Longs(values) => drop(values.drain(..count)),
            Values::Reals(values) => drop(values.drain(..count)),
            Values::Any(values) => drop(values.drain(..count)),
        }
    }

    fn pop(&mut self) {
        match &mut self.times {
            Times::Short(times) => drop(times.pop()),
            Times::Long(times) => drop(times.pop()),
        }
        match &mut self.values {
            Values::Bytes(values) => drop(values.pop()),
            Values::Words(values) => drop(values.pop()),
            Values::Longs(values) => drop(values.pop()),
            Values::Reals(values) => drop(values.pop()),
            Values::Any(values) => drop(values.pop()),
        }
    }
}

/// The changes of a signal, one after the other.
#[derive(Debug, Clone)]
pub struct Iter<'a>(&'a Changes, Range<usize>);

impl Iterator for Iter<'_> {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        self.0.get(self.1.next()?)
    }

    fn nth(&mut self, count: usize) -> Option<Change> {
        self.0.get(self.1.nth(count)?)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.1.size_hint()
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Changes {
    type Item = Change;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl PartialEq for Changes {
    fn eq(&self, other: &Changes) -> bool {
        self.iter().eq(other.iter())
    }
}

impl FromIterator<Change> for Changes {
    fn from_iter<I: IntoIterator<Item = Change>>(from: I) -> Changes {
        let mut changes = Changes::default();
        from.into_iter().for_each(|change| changes.push(change));
        changes
    }
}

/// Times, which do not fall.
#[derive(Debug, Clone)]
enum Times {
    Short(Vec<u32>),
    Long(Vec<u64>),
}

impl Default for Times {
    fn default() -> Times {
        Times::Short(Vec::new())
    }
}

impl Times {
    fn push(&mut self, time: u64) {
        if let Times::Short(times) = self {
            match u32::try_from(time) {
                Ok(time) => return times.push(time),
                Err(_) => *self = Times::Long(times.iter().map(|&time| time.into()).collect()),
            }
        }
        if let Times::Long(times) = self {
            times.push(time);
        }
    }
}

#[derive(Debug, Clone)]
enum Values {
    Bytes(Vec<u8>),
    Words(Vec<u32>),
    Longs(Vec<u64>),
    Reals(Vec<f64>),
    Any(Vec<WaveValue>),
}

impl Default for Values {
    fn default() -> Values {
        Values::Bytes(Vec::new())
    }
}

impl Values {
    fn push(&mut self, value: WaveValue) {
        while !self.fits(&value) {
            self.widen(&value);
        }
        match (self, value) {
            (Values::Bytes(values), value) => values.extend(u8::of(&value)),
            (Values::Words(values), value) => values.extend(u32::of(&value)),
            (Values::Longs(values), value) => values.extend(u64::of(&value)),
            (Values::Reals(values), WaveValue::Real(value)) => values.push(value),
            (Values::Any(values), value) => values.push(value),
            (Values::Reals(_), _) => unreachable!("only reals fit"),
        }
    }

    fn ends_with(&self, value: &WaveValue) -> bool {
        fn is<T: Code + PartialEq>(last: Option<&T>, value: &WaveValue) -> bool {
            last.is_some_and(|last| T::of(value) == Some(*last))
        }
        match self {
            Values::Bytes(values) => is(values.last(), value),
            Values::Words(values) => is(values.last(), value),
            Values::Longs(values) => is(values.last(), value),
            Values::Reals(values) => {
                let last = values.last();
                last.is_some_and(|&last| WaveValue::Real(last) == *value)
            }
            Values::Any(values) => values.last() == Some(value),
        }
    }

    fn fits(&self, value: &WaveValue) -> bool {
        match self {
            Values::Bytes(_) => u8::of(value).is_some(),
            Values::Words(_) => u32::of(value).is_some(),
            Values::Longs(_) => u64::of(value).is_some(),
            Values::Reals(_) => matches!(value, WaveValue::Real(_)),
            Values::Any(_) => true,
        }
    }

    /// Becomes an array of the next kind, of a signal that has this value.
    fn widen(&mut self, value: &WaveValue) {
        fn recoded<T: Code, U: Code>(values: &[T]) -> Vec<U> {
            let values = values.iter().map(|value| value.value());
            values.filter_map(|value| U::of(&value)).collect()
        }
        fn apart<T: Code>(values: &[T]) -> Vec<WaveValue> {
            values.iter().map(|value| value.value()).collect()
        }
        let is_vector = u64::of(value).is_some();
        *self = match self {
            Values::Bytes(values) if values.is_empty() && matches!(value, WaveValue::Real(_)) => {
                Values::Reals(Vec::new())
            }
            Values::Bytes(values) if is_vector => Values::Words(recoded(values)),
            Values::Bytes(values) => Values::Any(apart(values)),
            Values::Words(values) if is_vector => Values::Longs(recoded(values)),
            Values::Words(values) => Values::Any(apart(values)),
            Values::Longs(values) => Values::Any(apart(values)),
            Values::Reals(values) => {
                Values::Any(values.iter().map(|&value| WaveValue::Real(value)).collect())
            }
            Values::Any(values) => Values::Any(std::mem::take(values)),
        };
    }
}

/// A number that stands for a value; the three largest are X, Z and an event.
trait Code: Copy {
    /// The code of a value; `None` when it has none.
    fn of(value: &WaveValue) -> Option<Self>;
    /// The value of the code.
    fn value(self) -> WaveValue;
}

macro_rules! code {
    ($number:ty) => {
        impl Code for $number {
            fn of(value: &WaveValue) -> Option<$number> {
                match value {
                    WaveValue::Known(value) => {
                        let code = <$number>::try_from(*value).ok();
                        code.filter(|&code| code < <$number>::MAX - 2)
                    }
                    WaveValue::Bits(bits) => match **bits {
                        [Bit::X] => Some(<$number>::MAX),
                        [Bit::Z] => Some(<$number>::MAX - 1),
                        _ => None,
                    },
                    WaveValue::Fired => Some(<$number>::MAX - 2),
                    WaveValue::Text(_) | WaveValue::Real(_) => None,
                }
            }

            fn value(self) -> WaveValue {
                match <$number>::MAX - self {
                    0 => WaveValue::Bits(Arc::new([Bit::X])),
                    1 => WaveValue::Bits(Arc::new([Bit::Z])),
                    2 => WaveValue::Fired,
                    _ => WaveValue::Known(self.into()),
                }
            }
        }
    };
}

code!(u8);
code!(u32);
code!(u64);

#[cfg(test)]
mod tests;
