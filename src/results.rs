//! Results of a run.

use std::fmt;

use crosswave_network::traffic::EVERY_NODE;
use crosswave_probe::message::{MessageRecord, NEVER};
use crosswave_run::host::Outcome;
use crosswave_run::result::RunResult;

/// Results of the replicates of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Results {
    result: RunResult,
    messages: Vec<Message>,
}

impl Results {
    pub(crate) fn new(result: RunResult, outcomes: &[Outcome]) -> Results {
        let replicates = (0..).zip(outcomes);
        let messages = replicates.flat_map(|(replicate, outcome)| {
            let records = (0..).zip(&outcome.messages);
            records.map(move |(id, &record)| Message {
                replicate,
                id,
                record,
            })
        });
        Results {
            messages: messages.collect(),
            result,
        }
    }

    /// True when every replicate delivered all its messages.
    pub fn is_finished(&self) -> bool {
        self.result.finished
    }

    /// The messages, replicate by replicate, in order of their numbers.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The latencies of all messages that were delivered.
    pub fn latency_cycles(&self) -> Latencies {
        let messages = self.messages.iter();
        let mut cycles: Vec<u64> = messages.filter_map(Message::latency_cycles).collect();
        cycles.sort_unstable();
        Latencies { cycles }
    }

    /// The last cycle of each replicate, added up.
    pub fn cycles(&self) -> u64 {
        self.result.cycles
    }

    /// The sums over all replicates as JSON, as `crosswave run --json` writes them.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&self.result).expect("it is made of numbers, names and lists")
    }
}

/// A message of a run, and what became of it.
///
/// It prints as `3 -> 60: 41 cycles`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    replicate: u32,
    id: u32,
    record: MessageRecord,
}

/// A cycle, if it came.
fn came(cycle: u64) -> Option<u64> {
    (cycle != NEVER).then_some(cycle)
}

impl Message {
    /// The replicate, from 0.
    pub fn replicate(&self) -> u32 {
        self.replicate
    }

    /// Its number in the replicate, from 0.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The node that sends.
    pub fn source(&self) -> u32 {
        self.record.source
    }

    /// The node that receives; `None` when every other one does.
    pub fn destination(&self) -> Option<u32> {
        let destination = self.record.destination;
        (destination != EVERY_NODE).then_some(destination)
    }

    /// Words of its body.
    pub fn words(&self) -> u32 {
        self.record.words
    }

    /// Attempts to send it.
    pub fn attempts(&self) -> u32 {
        self.record.attempts
    }

    /// The cycle in which its source was given it.
    pub fn offered_cycle(&self) -> Option<u64> {
        came(self.record.offered_cycle)
    }

    /// The cycle in which the head of the first attempt was on the wire.
    pub fn sent_cycle(&self) -> Option<u64> {
        came(self.record.sent_cycle)
    }

    /// The cycle in which the receiver had checked the whole body.
    pub fn delivered_cycle(&self) -> Option<u64> {
        came(self.record.delivered_cycle)
    }

    /// The cycle in which its source was told.
    pub fn acknowledged_cycle(&self) -> Option<u64> {
        came(self.record.acknowledged_cycle)
    }

    /// Cycles from the offer to the acknowledgement, of a message that was delivered.
    pub fn latency_cycles(&self) -> Option<u64> {
        let came_through = self.record.came_through();
        came_through.then(|| self.record.latency_cycles())
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> ", self.source())?;
        match self.destination() {
            Some(node) => write!(f, "{node}: ")?,
            None => f.write_str("every other node: ")?,
        }
        match self.latency_cycles() {
            Some(cycles) => write!(f, "{cycles} cycles"),
            None => f.write_str("not delivered"),
        }
    }
}

/// Latencies in cycles, from the offer of a message to its acknowledgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Latencies {
    /// In rising order.
    cycles: Vec<u64>,
}

impl Latencies {
    /// The latency that `percent` of all messages do not exceed, 0 to 100: the one of nearest
    /// rank, which is exact. `None` without messages.
    ///
    /// # Panics
    /// When `percent` is above 100.
    pub fn percentile(&self, percent: u32) -> Option<u64> {
        assert!(percent <= 100, "a percentile above 100");
        let rank = (self.cycles.len() as u64 * u64::from(percent)).div_ceil(100);
        let index = rank.max(1) as usize - 1;
        self.cycles.get(index).copied()
    }

    /// The mean; `None` without messages.
    pub fn mean(&self) -> Option<f64> {
        let count = self.cycles.len();
        let sum: u64 = self.cycles.iter().sum();
        (count > 0).then(|| sum as f64 / count as f64)
    }

    /// All of them, in rising order.
    pub fn as_slice(&self) -> &[u64] {
        &self.cycles
    }
}
