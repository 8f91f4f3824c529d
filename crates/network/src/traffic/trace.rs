//! The reader of recorded traffic.
//!
//! ```text
//! file    = { "#" any LF } "t_ns,source,destination,bytes" [ ",after" ] LF { message LF }
//! message = t_ns "," source "," destination "," bytes [ "," after ]   whole decimal numbers;
//!                                             "*" is the destination of what goes to all other nodes
//! after   = { number " " }                                 of messages above, from 0
//! ```
//!
//! Lines may end in CR LF and blank lines are skipped; there is no quoting.
//! Messages are sorted by `t_ns`, nodes are below the network's number of nodes,
//! and no message goes to its own source.
//!
//! Times count from the first message's `t0`, which is offered in cycle 1:
//!
//! ```text
//! cycle = 1 + floor((t_ns - t0) · time_scale · clock_mhz / 1000)
//! words = max(1, ceil(bytes · bytes_scale / bytes_per_word))
//! ```
//!
//! Both are computed in whole numbers, without rounding before the floor or the
//! ceiling. A message with numbers in `after` waits until those were delivered, and is
//! offered in its cycle if that is later.
//!
//! The file is read as a stream: memory is one line, of at most [`LINE_MAX`]
//! bytes, and the messages, at most [`MESSAGES_MAX`].

mod reader;

use std::io;
use std::path::PathBuf;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{CYCLE_MAX, Fault, MESSAGES_MAX, Replay, Workload};
use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{input, text_input};

pub use reader::read;

/// The destination of a message that goes to every other node.
pub const EVERY: &str = "*";
/// The columns of a trace.
pub const COLUMNS: [&str; 4] = ["t_ns", "source", "destination", "bytes"];
/// A column that may follow them: the messages that one waits for.
pub const AFTER: &str = "after";
/// The most messages that are named in that column, over all lines.
pub const MEMBERS_MAX: usize = 1 << 28;
/// The longest line of a trace, in bytes.
pub const LINE_MAX: usize = 1 << 16;
/// The mistakes of a trace that are reported at once.
pub const MISTAKES_MAX: usize = 20;
/// The fastest clock of a replay, in MHz; it keeps the cycles exact in 128 bits.
pub const CLOCK_MHZ_MAX: u64 = 100_000;
/// The most bytes of a word.
pub const BYTES_PER_WORD_MAX: u32 = 65_536;

/// A trace and how it is replayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceConfig {
    /// The file that is read.
    pub path: PathBuf,
    /// The file as the user wrote it, for printing.
    pub written: String,
    /// The order of the messages.
    pub replay: Replay,
    /// Clock cycles per microsecond, at most [`CLOCK_MHZ_MAX`].
    pub clock_mhz: Decimal,
    /// Factor on the times.
    pub time_scale: Decimal,
    /// Factor on the bytes.
    pub bytes_scale: Decimal,
    /// Bytes that a word carries, `1..=BYTES_PER_WORD_MAX`.
    pub bytes_per_word: u32,
    /// Read only so many messages, `1..=MESSAGES_MAX`.
    pub limit: Option<u64>,
}

impl TraceConfig {
    /// The file at `path` with the default options: timed, 100 MHz, one byte per
    /// word.
    pub fn new(path: impl Into<PathBuf>) -> TraceConfig {
        let path = path.into();
        TraceConfig {
            written: path.display().to_string(),
            path,
            replay: Replay::Timed,
            clock_mhz: Decimal::whole(100).unwrap_or(Decimal::ONE),
            time_scale: Decimal::ONE,
            bytes_scale: Decimal::ONE,
            bytes_per_word: 1,
            limit: None,
        }
    }

    /// Every option that is out of its range.
    pub fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut fault = |key, message: String| {
            faults.push(Fault {
                key,
                entry: None,
                message,
                help: String::new(),
            });
        };
        if Decimal::whole(CLOCK_MHZ_MAX).is_some_and(|most| self.clock_mhz > most) {
            let found = self.clock_mhz.to_f64();
            fault(
                "clock_mhz",
                format!("{found} MHz; expected at most {CLOCK_MHZ_MAX}"),
            );
        }
        if self.bytes_per_word == 0 || self.bytes_per_word > BYTES_PER_WORD_MAX {
            let found = self.bytes_per_word;
            fault(
                "bytes_per_word",
                format!("{found} bytes; expected 1 to {BYTES_PER_WORD_MAX}"),
            );
        }
        if let Some(limit) = self.limit
            && !(1..=MESSAGES_MAX).contains(&limit)
        {
            fault(
                "limit",
                format!("{limit} messages; expected 1 to {MESSAGES_MAX}"),
            );
        }
        faults
    }

    /// Checks that the file is there and may be read. Anything but a regular file, such as a pipe,
    /// is not opened: that can be done once only.
    ///
    /// # Errors
    /// The system's error.
    pub fn check_file(&self) -> io::Result<()> {
        input::check(&self.path, input::TRACE)
    }

    /// Notes that the file is going to be read.
    ///
    /// # Errors
    /// When an output is to be written there.
    pub fn note_file(&self) -> Result<(), Error> {
        input::note(&self.path, input::TRACE)
    }

    /// The cycle of a message `elapsed_ns` after the first; `None` after
    /// [`CYCLE_MAX`].
    fn cycle(&self, elapsed_ns: u64) -> Option<u64> {
        // Scale and clock in millionths, and 1000 ns to the microsecond. The
        // product of a remainder below 10^15 and a factor of at most 10^23 fits.
        const DENOMINATOR: u128 = 1_000_000_000_000_000;
        let factor = u128::from(self.time_scale.millionths())
            .checked_mul(u128::from(self.clock_mhz.millionths()))?;
        let elapsed = u128::from(elapsed_ns);
        let whole = (elapsed / DENOMINATOR).checked_mul(factor)?;
        let rest = (elapsed % DENOMINATOR).checked_mul(factor)? / DENOMINATOR;
        let cycle = u64::try_from(whole.checked_add(rest)?.checked_add(1)?).ok()?;
        (cycle <= CYCLE_MAX).then_some(cycle)
    }

    /// The words of a message of `bytes`, which may be more than [`WORDS_MAX`](crate::traffic::WORDS_MAX).
    fn words(&self, bytes: u64, bytes_per_word: u32) -> u128 {
        let scaled = u128::from(bytes) * u128::from(self.bytes_scale.millionths());
        scaled
            .div_ceil(u128::from(bytes_per_word) * 1_000_000)
            .max(1)
    }
}

/// Prints the resolved keys in the order of the documentation.
impl Serialize for TraceConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("trace", &self.written)?;
        map.serialize_entry("replay", self.replay.name())?;
        map.serialize_entry("clock_mhz", &self.clock_mhz)?;
        map.serialize_entry("time_scale", &self.time_scale)?;
        map.serialize_entry("bytes_scale", &self.bytes_scale)?;
        map.serialize_entry("bytes_per_word", &self.bytes_per_word)?;
        if let Some(limit) = self.limit {
            map.serialize_entry("limit", &limit)?;
        }
        map.end()
    }
}

/// Opens and reads the file of `config`.
pub(super) fn open(config: &TraceConfig, nodes: u32) -> Result<Workload, Error> {
    let file = text_input::open(&config.path, input::TRACE, "a trace (CSV)")?;
    read(file, &config.path.display().to_string(), config, nodes)
}
