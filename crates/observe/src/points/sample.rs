//! Samples: the values kept of one replicate, and the statistics that are looked at in it.

use serde::{Deserialize, Serialize};

use crosswave_probe::message::MessageRecord;

/// Values kept of one replicate. In JSON it is a list of its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u64; 5]", into = "[u64; 5]")]
pub struct Sample {
    /// Rounds until all messages were delivered; 0 without rounds.
    pub rounds: u64,
    /// Cycles from the first head on the wire to the last acknowledgement that a sender
    /// senses, or to the last delivery where that comes later: an early acknowledgement may
    /// overtake a long body.
    pub cycles: u64,
    /// Messages.
    pub messages: u64,
    /// Heads sent.
    pub attempts: u64,
    /// Cycles from the first head on the wire to the last delivery.
    pub delivery_cycles: u64,
}

impl Sample {
    /// The sample of a replicate whose messages all were acknowledged, in so many rounds.
    pub fn new(rounds: u64, messages: &[MessageRecord]) -> Sample {
        let most = |of: fn(&MessageRecord) -> u64| messages.iter().map(of).max().unwrap_or(0);
        let first = messages.iter().map(|message| message.sent_cycle).min();
        let first = first.unwrap_or(0);
        Sample {
            rounds,
            cycles: most(|m| m.acknowledged_cycle.max(m.delivered_cycle)) - first,
            messages: messages.len() as u64,
            attempts: messages.iter().map(|m| u64::from(m.attempts)).sum(),
            delivery_cycles: most(|message| message.delivered_cycle) - first,
        }
    }
}

impl From<[u64; 5]> for Sample {
    fn from([rounds, cycles, messages, attempts, delivery_cycles]: [u64; 5]) -> Self {
        Sample {
            rounds,
            cycles,
            messages,
            attempts,
            delivery_cycles,
        }
    }
}

impl From<Sample> for [u64; 5] {
    fn from(sample: Sample) -> Self {
        [
            sample.rounds,
            sample.cycles,
            sample.messages,
            sample.attempts,
            sample.delivery_cycles,
        ]
    }
}

/// Statistic of a replicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// Rounds until all messages were delivered.
    Rounds,
    /// Cycles from the first head on the wire to the last acknowledgement sensed, or the last
    /// delivery where that comes later.
    Cycles,
    /// Cycles from the first head on the wire to the last delivery.
    DeliveryCycles,
}

impl Statistic {
    /// Its value in a replicate.
    pub fn of(self, sample: &Sample) -> u64 {
        match self {
            Statistic::Rounds => sample.rounds,
            Statistic::Cycles => sample.cycles,
            Statistic::DeliveryCycles => sample.delivery_cycles,
        }
    }
}
