//! The unit of the times in a waveform.

use std::fmt;

/// A unit of time, from the `$timescale` of a VCD file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    Us,
    /// Nanoseconds.
    Ns,
    /// Picoseconds.
    Ps,
    /// Femtoseconds.
    Fs,
}

impl TimeUnit {
    /// The unit with this name, in letters of any case.
    pub(super) fn named(name: &str) -> Option<TimeUnit> {
        match name.to_ascii_lowercase().as_str() {
            "s" => Some(TimeUnit::S),
            "ms" => Some(TimeUnit::Ms),
            "us" => Some(TimeUnit::Us),
            "ns" => Some(TimeUnit::Ns),
            "ps" => Some(TimeUnit::Ps),
            "fs" => Some(TimeUnit::Fs),
            _ => None,
        }
    }
}

/// Length of one step of a waveform's time: `count` times `unit`.
///
/// IEEE 1364-2005, 18.2.3.8, allows the counts 1, 10 and 100; other counts are
/// read and written as they are.
///
/// ```
/// use crosswave_wave::Timescale;
/// assert_eq!(Timescale::NANOSECOND.to_string(), "1 ns");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timescale {
    /// Number of units that a step of time lasts.
    pub count: u32,
    /// The unit.
    pub unit: TimeUnit,
}

impl Timescale {
    /// One nanosecond.
    pub const NANOSECOND: Timescale = Timescale {
        count: 1,
        unit: TimeUnit::Ns,
    };

    /// One picosecond.
    pub const PICOSECOND: Timescale = Timescale {
        count: 1,
        unit: TimeUnit::Ps,
    };
}

impl Timescale {
    /// Length of a step in femtoseconds; at most 2^64 - 1.
    pub fn femtoseconds(self) -> u64 {
        let unit: u64 = match self.unit {
            TimeUnit::S => 1_000_000_000_000_000,
            TimeUnit::Ms => 1_000_000_000_000,
            TimeUnit::Us => 1_000_000_000,
            TimeUnit::Ns => 1_000_000,
            TimeUnit::Ps => 1_000,
            TimeUnit::Fs => 1,
        };
        unit.saturating_mul(u64::from(self.count.max(1)))
    }
}

impl fmt::Display for Timescale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            TimeUnit::S => "s",
            TimeUnit::Ms => "ms",
            TimeUnit::Us => "us",
            TimeUnit::Ns => "ns",
            TimeUnit::Ps => "ps",
            TimeUnit::Fs => "fs",
        };
        write!(f, "{} {unit}", self.count)
    }
}

impl From<TimeUnit> for vcd::TimescaleUnit {
    fn from(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::S => vcd::TimescaleUnit::S,
            TimeUnit::Ms => vcd::TimescaleUnit::MS,
            TimeUnit::Us => vcd::TimescaleUnit::US,
            TimeUnit::Ns => vcd::TimescaleUnit::NS,
            TimeUnit::Ps => vcd::TimescaleUnit::PS,
            TimeUnit::Fs => vcd::TimescaleUnit::FS,
        }
    }
}
