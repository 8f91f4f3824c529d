//! Activity of the signals of a waveform: those that change, and the time of the first change.

use std::io;

use bitvec::prelude::BitVec;

use crosswave_probe::signal::{Net, SignalSet, Value, WaveSink};

/// The activity observed in a waveform while it was written. Clocks and resets do not count.
///
/// It takes three bits for each signal, and a few nanoseconds for each change.
#[derive(Debug)]
pub struct Activity {
    /// Signals on nets of their own.
    own: BitVec<u64>,
    /// Those whose value is known.
    known: BitVec<u64>,
    /// Those that changed from a known value.
    live: BitVec<u64>,
    /// The time that was asked for.
    asked: Option<u64>,
    /// Time of the first change, from the time that was asked for on.
    moved_time: Option<u64>,
    /// The signals that changed then.
    moved: Vec<usize>,
    now: u64,
    first: u64,
}

impl Activity {
    /// Nothing was seen yet of these signals. The moment is the time that is asked for, or the
    /// first one at which a signal changes from a known value.
    pub fn new(set: &SignalSet, asked: Option<u64>) -> Activity {
        let own = set.signals.iter().map(|signal| signal.net == Net::Own);
        Activity {
            own: own.collect(),
            known: BitVec::repeat(false, set.signals.len()),
            live: BitVec::repeat(false, set.signals.len()),
            asked,
            moved_time: None,
            moved: Vec::new(),
            now: 0,
            first: 0,
        }
    }

    /// The moment; `None` when nothing changed, and none was asked for.
    pub fn moment(&self) -> Option<u64> {
        self.asked.or(self.moved_time)
    }

    /// True when the moment was asked for.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// The first and the last time.
    pub(super) fn times(&self) -> (u64, u64) {
        (self.first, self.now)
    }

    /// True when a signal changed from a known value.
    pub(super) fn is_live(&self, signal: usize) -> bool {
        self.live[signal]
    }

    /// The signals that changed at the moment, or first after it.
    pub(super) fn moved(&self) -> &[usize] {
        &self.moved
    }

    fn begin(&mut self, time: u64, values: &[Value]) {
        (self.first, self.now) = (time, time);
        for (signal, value) in values.iter().enumerate() {
            self.known.set(signal, *value != Value::X);
        }
    }

    #[inline]
    fn change(&mut self, signal: usize) {
        if !self.own[signal] {
            return;
        }
        if !self.known.replace(signal, true) {
            return;
        }
        self.live.set(signal, true);
        if self.now >= self.asked.unwrap_or(0)
            && *self.moved_time.get_or_insert(self.now) == self.now
        {
            self.moved.push(signal);
        }
    }
}

/// A waveform that is written, and what is seen of it where that is asked for.
#[derive(Debug)]
pub struct Observed<S> {
    /// The receiver of the waveform.
    pub sink: S,
    /// The activity observed so far; `None` when it is not asked for.
    pub activity: Option<Activity>,
}

impl<S: WaveSink> WaveSink for Observed<S> {
    fn begin(&mut self, time: u64, values: &[Value]) -> io::Result<()> {
        if let Some(activity) = &mut self.activity {
            activity.begin(time, values);
        }
        self.sink.begin(time, values)
    }

    #[inline]
    fn time(&mut self, time: u64) -> io::Result<()> {
        if let Some(activity) = &mut self.activity {
            activity.now = time;
        }
        self.sink.time(time)
    }

    #[inline]
    fn change(&mut self, index: usize, value: u64) -> io::Result<()> {
        if let Some(activity) = &mut self.activity {
            activity.change(index);
        }
        self.sink.change(index, value)
    }

    fn end(&mut self, time: u64) -> io::Result<()> {
        if let Some(activity) = &mut self.activity {
            activity.now = time;
        }
        self.sink.end(time)
    }
}
