//! Messages of the nodes: a list, from a pattern or from a recorded trace.
//!
//! | module | holds |
//! |---|---|
//! | [`pattern`] | random, pairs, hot spot and the permutations |
//! | [`steady`] | messages in every cycle at a given load |
//! | `lengths` | lengths of messages: one, or one that is drawn |
//! | `destinations`, `locality`, [`matrix`] | destinations that are drawn: uniformly, for a hot spot, by distance, by weights |
//! | `permutation` | permutations of the nodes |
//! | [`trace`] | the reader of recorded traffic (CSV) |
//! | [`offer`] | when a message is handed to its source, and for what it waits |
//! | [`retry`] | when a message that lost is sent again |
//!
//! A [`Workload`] is a flat list whose index is the message's id. Each source
//! sends its own messages in order of their ids, one at a time: a message that
//! is offered while its source is busy waits in the source's queue.
//!
//! Cycle 1 is the first cycle after reset. Patterns offer their first messages
//! then (steady traffic from then on), and a trace its first one.
//!
//! Limits: 2 to 2^20 nodes, 2^24 messages (of steady traffic: to be expected), 1 to
//! 2^20 words a message, offers up to cycle 10^12. A message takes 32 bytes, the index by source 4 bytes for
//! every node and every message.

mod destinations;
mod lengths;
mod locality;
pub mod matrix;
pub mod offer;
pub mod pattern;
mod permutation;
pub mod retry;
pub mod steady;
pub mod trace;

#[cfg(test)]
mod tests;

use serde::{Serialize, Serializer};

use crosswave_base::diagnostic::{Class, Diagnostic, Error};

pub use destinations::{Destinations, HOT_SHARE, HOT_SPOT, MATRIX};
pub use lengths::{LENGTHS_MAX, Lengths};
pub use locality::{Locality, WEIGHT_MAX};
pub use offer::{DeliverySets, Offer};
pub use pattern::{Pattern, PatternConfig};
pub use permutation::Permutation;
pub use retry::Strategy;
pub use steady::{BURST_MAX, SteadyConfig};
pub use trace::TraceConfig;

/// The destination of a message that goes to every other node.
pub const EVERY_NODE: u32 = u32::MAX;
/// The most nodes of a network.
pub const NODES_MAX: u32 = 1 << 20;
/// The most messages of a workload; of steady traffic the most to be expected.
pub const MESSAGES_MAX: u64 = 1 << 24;
/// The most words of a message.
pub const WORDS_MAX: u32 = 1 << 20;
/// The most messages a source of a pattern sends.
pub const REPEAT_MAX: u32 = 1_000_000;
/// The last cycle in which a message may be offered.
pub const CYCLE_MAX: u64 = 1_000_000_000_000;

/// The order of the messages of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// Messages are offered at the recorded times: an open loop.
    Timed,
    /// Each source sends its next message when the last one was acknowledged.
    InOrder,
}

impl Replay {
    /// The name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            Replay::Timed => "timed",
            Replay::InOrder => "in-order",
        }
    }
}

/// One message; its id is its index in [`Workload::messages`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The node that sends, below [`Workload::nodes`].
    pub source: u32,
    /// The node that receives, below [`Workload::nodes`] and never the source; or
    /// [`EVERY_NODE`], in networks that replicate packets.
    pub destination: u32,
    /// Words of the body after the header, `1..=WORDS_MAX`.
    pub words: u32,
    /// The cycle, or the event, at which the source is given the message.
    pub offered: Offer,
}

/// Everything the nodes send in one run.
///
/// [`build`] returns only workloads whose messages keep the ranges stated at
/// [`Message`] and [`Workload::sets`], and none of whose sources is offered its first message
/// by [`Offer::AfterPrevious`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workload {
    /// The number of nodes.
    pub nodes: u32,
    /// The order of a source's messages; patterns are [`Replay::InOrder`], steady traffic is
    /// [`Replay::Timed`].
    pub order: Replay,
    /// The messages, in order of their ids.
    pub messages: Vec<Message>,
    /// The deliveries that messages wait for which are offered [`Offer::After`] them: ids below
    /// their own.
    pub sets: DeliverySets,
}

/// The ids of a [`Workload`]'s messages, grouped by source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BySource {
    offsets: Vec<u32>,
    ids: Vec<u32>,
}

impl Workload {
    /// Groups the ids by source; within a source they ascend.
    ///
    /// Takes time and memory proportional to nodes and messages.
    ///
    /// # Panics
    /// When a source is not below `nodes`, or there are 2^32 messages.
    ///
    /// ```
    /// use crosswave_network::traffic::{DeliverySets, Message, Offer, Replay, Workload};
    /// let message = |source| Message { source, destination: 0, words: 1, offered: Offer::At(1) };
    /// let workload = Workload {
    ///     nodes: 4,
    ///     order: Replay::Timed,
    ///     messages: vec![message(3), message(1), message(3)],
    ///     sets: DeliverySets::default(),
    /// };
    /// let queues = workload.by_source();
    /// assert_eq!(queues.of(3), [0, 2]);
    /// assert!(queues.of(0).is_empty());
    /// ```
    pub fn by_source(&self) -> BySource {
        assert!(
            u32::try_from(self.messages.len()).is_ok(),
            "ids have 32 bits"
        );
        // A counting sort. While ids are placed, offsets[s] is the place of the
        // next id of source s; afterwards it is where source s ends, and
        // shifting the array by one source makes it where s begins.
        let mut offsets = vec![0u32; self.nodes as usize + 1];
        for message in &self.messages {
            assert!(message.source < self.nodes, "a source outside the network");
            offsets[message.source as usize + 1] += 1;
        }
        for source in 0..self.nodes as usize {
            offsets[source + 1] += offsets[source];
        }
        let mut ids = vec![0u32; self.messages.len()];
        for (id, message) in self.messages.iter().enumerate() {
            let place = &mut offsets[message.source as usize];
            ids[*place as usize] = id as u32;
            *place += 1;
        }
        offsets.copy_within(0..self.nodes as usize, 1);
        offsets[0] = 0;
        BySource { offsets, ids }
    }

    /// The last cycle in which a message may be offered if it does not wait for another one;
    /// 0 without messages.
    pub fn last_offer(&self) -> u64 {
        let cycles = self
            .messages
            .iter()
            .map(|message| message.offered.earliest());
        cycles.max().unwrap_or(0)
    }
}

impl BySource {
    /// The ids of the messages of `source`, ascending.
    ///
    /// # Panics
    /// When `source` is not below the workload's number of nodes.
    pub fn of(&self, source: u32) -> &[u32] {
        let source = source as usize;
        &self.ids[self.offsets[source] as usize..self.offsets[source + 1] as usize]
    }
}

/// Source of the messages: the table `[traffic]` of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrafficConfig {
    /// Messages that follow from a rule.
    Pattern(PatternConfig),
    /// Messages that a rule offers in every cycle.
    Steady(SteadyConfig),
    /// Messages that were recorded.
    Trace(TraceConfig),
}

/// A parameter of a [`TrafficConfig`] that does not fit the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The key in `[traffic]`.
    pub key: &'static str,
    /// The entry, when the key's value is a list.
    pub entry: Option<usize>,
    /// The value found and the values expected.
    pub message: String,
    /// Advice on fixing it.
    pub help: String,
}

impl TrafficConfig {
    /// True when another seed may give other messages.
    pub fn is_drawn(&self) -> bool {
        match self {
            TrafficConfig::Pattern(config) => {
                !matches!(config.pattern, Pattern::Pair { .. } | Pattern::Pairs { .. })
            }
            TrafficConfig::Steady(_) => true,
            TrafficConfig::Trace(_) => false,
        }
    }

    /// Every parameter that is out of its range in a network of `nodes` nodes.
    /// Empty means that [`build`] can only fail on the trace's file.
    pub fn faults(&self, nodes: u32) -> Vec<Fault> {
        match self {
            TrafficConfig::Pattern(config) => config.faults(nodes),
            TrafficConfig::Steady(config) => config.faults(nodes),
            TrafficConfig::Trace(config) => config.faults(),
        }
    }
}

/// Prints the resolved keys in a fixed order.
impl Serialize for TrafficConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            TrafficConfig::Pattern(config) => config.serialize(serializer),
            TrafficConfig::Steady(config) => config.serialize(serializer),
            TrafficConfig::Trace(config) => config.serialize(serializer),
        }
    }
}

/// The messages of `config` in a network of `nodes` nodes; equal arguments (and
/// an equal trace) give equal workloads.
///
/// # Errors
/// [`Class::Usage`] for parameters out of range, [`Class::Io`] when the trace
/// cannot be read, [`Class::Input`] for mistakes in the trace.
///
/// ```
/// use crosswave_network::traffic::{build, Pattern, PatternConfig, TrafficConfig};
/// let config = TrafficConfig::Pattern(PatternConfig {
///     pattern: Pattern::Pair { source: 3, destination: 0 },
///     words: 8,
///     repeat: 2,
/// });
/// let workload = build(&config, 4, 1).unwrap();
/// assert_eq!(workload.messages.len(), 2);
/// assert!(build(&config, 2, 1).is_err(), "node 3 of 2");
/// ```
pub fn build(config: &TrafficConfig, nodes: u32, seed: u64) -> Result<Workload, Error> {
    if !(2..=NODES_MAX).contains(&nodes) {
        return Err(usage(vec![Diagnostic::new(
            "network.nodes",
            format!("{nodes} nodes; expected 2 to {NODES_MAX}"),
            "",
        )]));
    }
    let faults = config.faults(nodes);
    if !faults.is_empty() {
        return Err(usage(faults.into_iter().map(Diagnostic::from).collect()));
    }
    match config {
        TrafficConfig::Pattern(config) => Ok(pattern::messages(config, nodes, seed)),
        TrafficConfig::Steady(config) => Ok(steady::messages(config, nodes, seed)),
        TrafficConfig::Trace(config) => trace::open(config, nodes),
    }
}

fn usage(diagnostics: Vec<Diagnostic>) -> Error {
    Error {
        class: Class::Usage,
        origin: "configuration".to_string(),
        source: None,
        diagnostics,
    }
}

impl From<Fault> for Diagnostic {
    fn from(fault: Fault) -> Diagnostic {
        let place = match fault.entry {
            Some(entry) => format!("traffic.{}[{entry}]", fault.key),
            None => format!("traffic.{}", fault.key),
        };
        Diagnostic::new(place, fault.message, fault.help)
    }
}
