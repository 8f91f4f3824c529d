//! Latency by the number of routers on a message's path.

use serde::Serialize;

use crosswave_network::Topology;
use crosswave_network::traffic::EVERY_NODE;
use crosswave_probe::message::MessageRecord;

/// Latency of the messages that pass so many routers, from the offer to the acknowledgement.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RouterRow {
    /// Routers on their paths.
    pub routers: u32,
    /// Number of messages.
    pub messages: u64,
    /// Smallest latency.
    pub min_cycles: u64,
    /// Mean latency.
    pub mean_cycles: f64,
    /// Largest latency.
    pub max_cycles: u64,
}

/// Sums for [`RouterRow`], by the number of routers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ByRouters(Vec<LatencySums>);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct LatencySums {
    messages: u64,
    cycles: u64,
    min: u64,
    max: u64,
}

impl ByRouters {
    /// Takes in a message that came through; one to every node has no number of routers.
    #[inline]
    pub fn add(&mut self, network: &dyn Topology, message: &MessageRecord) {
        if message.destination == EVERY_NODE {
            return;
        }
        let routers = network.routers_on_path(message.source, message.destination) as usize;
        if routers >= self.0.len() {
            self.0.resize(routers + 1, LatencySums::default());
        }
        let latency = message.latency_cycles();
        self.0[routers].add(LatencySums {
            messages: 1,
            cycles: latency,
            min: latency,
            max: latency,
        });
    }

    /// Adds other sums.
    pub fn add_all(&mut self, other: &ByRouters) {
        if other.0.len() > self.0.len() {
            self.0.resize(other.0.len(), LatencySums::default());
        }
        for (all, &more) in self.0.iter_mut().zip(&other.0) {
            all.add(more);
        }
    }

    /// A row for each number of routers that messages have passed.
    pub fn rows(&self) -> Vec<RouterRow> {
        let found = (0..).zip(&self.0).filter(|(_, sums)| sums.messages > 0);
        found
            .map(|(routers, sums)| RouterRow {
                routers,
                messages: sums.messages,
                min_cycles: sums.min,
                mean_cycles: sums.cycles as f64 / sums.messages as f64,
                max_cycles: sums.max,
            })
            .collect()
    }
}

impl LatencySums {
    #[inline]
    fn add(&mut self, more: LatencySums) {
        if more.messages == 0 {
            return;
        }
        self.min = match self.messages {
            0 => more.min,
            _ => self.min.min(more.min),
        };
        self.max = self.max.max(more.max);
        self.messages += more.messages;
        self.cycles += more.cycles;
    }
}
