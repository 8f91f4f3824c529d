//! Latencies: their extremes, mean, percentiles and distribution.

use std::collections::BTreeMap;

use serde::Serialize;

/// Begin and end of what a latency counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The event in whose cycle it begins.
    pub from: &'static str,
    /// The event in whose cycle it ends.
    pub to: &'static str,
}

impl Span {
    /// The latency of a message, in a network of packets or another one.
    pub fn message(packets: bool) -> Span {
        if packets {
            Span::PACKETS
        } else {
            Span::MESSAGE
        }
    }

    /// The part of it that comes after waiting.
    pub(super) fn network(packets: bool) -> Span {
        if packets {
            Span::PACKET_NETWORK
        } else {
            Span::NETWORK
        }
    }

    /// The latency of a message, waiting in the queue of its source included.
    pub const MESSAGE: Span = Span {
        from: "offer",
        to: "acknowledgement",
    };
    /// The same in a network of packets, which acknowledges nothing.
    pub const PACKETS: Span = Span {
        from: "offer",
        to: "arrival of the last packet",
    };
    /// The part of it that comes after waiting.
    pub const NETWORK: Span = Span {
        from: "first head on the wire",
        to: "acknowledgement",
    };
    /// The part of a packet's latency that comes after waiting.
    pub const PACKET_NETWORK: Span = Span {
        from: "first head on the wire",
        to: "arrival of the last packet",
    };
    /// Opening of a connection.
    pub const OPEN: Span = Span {
        from: "first routing byte",
        to: "first word at the destination",
    };
    /// Reply over a connection.
    pub const REPLY: Span = Span {
        from: "first routing byte",
        to: "first word of the reply at the source",
    };
    /// Life of a connection.
    pub const CLOSE: Span = Span {
        from: "first routing byte",
        to: "end of the connection",
    };
}

/// Cycles from one event to another, over messages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Latency {
    /// The event in whose cycle it begins.
    pub from: &'static str,
    /// The event in whose cycle it ends.
    pub to: &'static str,
    /// Smallest.
    pub min: u64,
    /// Mean.
    pub mean: f64,
    /// Median (nearest rank).
    pub p50: u64,
    /// 90th percentile (nearest rank).
    pub p90: u64,
    /// 99th percentile (nearest rank).
    pub p99: u64,
    /// 99.9th percentile (nearest rank).
    pub p999: u64,
    /// 99.99th percentile (nearest rank).
    pub p9999: u64,
    /// Largest.
    pub max: u64,
    /// Messages by latency, in at most [`BINS_MAX`] bins of one width from the
    /// smallest latency on, the empty ones between them included.
    pub histogram: Vec<Bin>,
    /// Messages by latency, in bins that grow with it: each power of two has four. Empty ones are
    /// left out.
    pub distribution: Vec<LogBin>,
}

/// Bins of a histogram of latencies.
pub const BINS_MAX: u64 = 12;

/// Messages whose latency lies in a range.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Bin {
    /// The smallest latency in it.
    pub from: u64,
    /// The largest latency in it.
    pub to: u64,
    /// Messages.
    pub messages: u64,
}

/// Messages whose latency lies in a range, and those up to its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct LogBin {
    /// The smallest latency in it.
    pub from: u64,
    /// The largest latency in it.
    pub to: u64,
    /// Messages.
    pub messages: u64,
    /// Share of all messages whose latency is not above its end (CDF).
    pub cumulative_fraction: f64,
}

/// Range of a bin that grows with its numbers, and has this one: four to each power of two.
fn log_bin(cycles: u64) -> (u64, u64) {
    let width = match cycles {
        0..8 => 1,
        _ => 1 << (cycles.ilog2() - 2),
    };
    let from = cycles / width * width;
    (from, from + (width - 1))
}

/// Numbers of cycles below this one are counted in a table, which takes up to 512 KiB.
const TABLE_CYCLES_MAX: usize = 1 << 16;

/// Histogram of numbers of cycles. Nearly all are small, and a run finds millions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Counts of the numbers below [`TABLE_CYCLES_MAX`], as far as any was found: a power of two,
    /// or none.
    table: Vec<u64>,
    /// Counts of the numbers from there on.
    large: BTreeMap<u64, u64>,
}

impl Counts {
    #[inline]
    pub fn add(&mut self, cycles: u64) {
        match self.table.get_mut(cycles as usize) {
            Some(count) => *count += 1,
            None => self.add_new(cycles, 1),
        }
    }

    #[cold]
    fn add_new(&mut self, cycles: u64, count: u64) {
        if cycles < TABLE_CYCLES_MAX as u64 {
            let numbers = (cycles as usize + 1).next_power_of_two();
            if numbers > self.table.len() {
                self.table.resize(numbers, 0);
            }
            self.table[cycles as usize] += count;
        } else {
            *self.large.entry(cycles).or_default() += count;
        }
    }

    /// Adds other counts.
    pub fn add_all(&mut self, other: &Counts) {
        for (cycles, count) in other.iter() {
            self.add_new(cycles, count);
        }
    }

    /// The numbers that were found, in rising order, and how often each was.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let table = (0..).zip(self.table.iter().copied());
        let large = self.large.iter().map(|(&cycles, &count)| (cycles, count));
        table.filter(|&(_, count)| count > 0).chain(large)
    }

    /// Number of values counted.
    pub fn count(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }

    /// The nearest-rank percentile, in hundredths of a percent; `None` without any.
    pub fn percentile(&self, hundredths: u64) -> Option<u64> {
        self.ranked((self.count() * hundredths).div_ceil(10_000).max(1))
    }

    /// The number of a rank, counted from 1; `None` when there are not as many.
    pub fn ranked(&self, rank: u64) -> Option<u64> {
        let mut before = 0;
        let found = self.iter().find(|&(_, count)| {
            before += count;
            before >= rank
        });
        found.map(|(cycles, _)| cycles)
    }

    fn mean(&self) -> f64 {
        let sum: u64 = self.iter().map(|(cycles, count)| cycles * count).sum();
        sum as f64 / self.count() as f64
    }

    /// The variance; 0 for fewer than two.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        let squares = self
            .iter()
            .map(|(cycles, count)| count as f64 * (cycles as f64 - mean).powi(2));
        squares.sum::<f64>() / self.count().saturating_sub(1).max(1) as f64
    }
}

impl FromIterator<u64> for Counts {
    fn from_iter<I: IntoIterator<Item = u64>>(cycles: I) -> Counts {
        let mut counts = Counts::default();
        cycles.into_iter().for_each(|cycles| counts.add(cycles));
        counts
    }
}

impl Latency {
    /// The latency of what was counted; `None` without any.
    pub(super) fn of(counts: &Counts, span: Span) -> Option<Self> {
        let (min, _) = counts.iter().next()?;
        let (max, _) = counts.iter().last()?;
        let step = (max - min) / BINS_MAX + 1;
        let bin = |index| Bin {
            from: min + index * step,
            to: min + index * step + (step - 1),
            messages: 0,
        };
        let mut histogram: Vec<Bin> = (0..=(max - min) / step).map(bin).collect();
        for (latency, count) in counts.iter() {
            histogram[((latency - min) / step) as usize].messages += count;
        }
        Some(Latency {
            from: span.from,
            to: span.to,
            min,
            mean: counts.mean(),
            p50: counts.percentile(5_000)?,
            p90: counts.percentile(9_000)?,
            p99: counts.percentile(9_900)?,
            p999: counts.percentile(9_990)?,
            p9999: counts.percentile(9_999)?,
            max,
            histogram,
            distribution: distribution(counts),
        })
    }
}

/// Numbers that were counted, in bins that grow.
fn distribution(counts: &Counts) -> Vec<LogBin> {
    let mut bins: Vec<LogBin> = Vec::new();
    for (cycles, count) in counts.iter() {
        let (from, to) = log_bin(cycles);
        match bins.last_mut().filter(|bin| bin.from == from) {
            Some(bin) => bin.messages += count,
            None => bins.push(LogBin {
                from,
                to,
                messages: count,
                cumulative_fraction: 0.0,
            }),
        }
    }
    let all = counts.count() as f64;
    let mut before = 0;
    for bin in &mut bins {
        before += bin.messages;
        bin.cumulative_fraction = before as f64 / all;
    }
    bins
}
