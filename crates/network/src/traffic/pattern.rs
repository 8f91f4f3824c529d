//! Traffic from a rule: S. & K.'s random sources, their permutations, and single
//! messages, pairs and hot spots.
//!
//! Ids go round by round: the first message of every chosen source, sources
//! ascending, then the second of every source, and so on; `pairs` keeps the
//! order of its list. The first message of a source is offered in cycle 1, each
//! other one after the source's previous message was acknowledged.
//!
//! Sources are chosen by a partial Fisher-Yates shuffle, uniformly among all
//! sets of that size. Two generators, one for sources and one for destinations,
//! are keyed by the run's seed, so more repeats do not change the sources.

mod faults;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::steady::STEADY;
use super::{DeliverySets, Destinations, Fault, Message, Offer, Permutation, Replay, Workload};
use crosswave_base::random;
use faults::ParameterFaults;

pub use faults::pair_fault;

/// The random stream that chooses sources.
const STREAM_SOURCES: u64 = u64::from_be_bytes(*b"traf-src");
/// The random stream that draws destinations.
const STREAM_DESTINATIONS: u64 = u64::from_be_bytes(*b"traf-dst");
/// The random stream that chooses who of several sends to a hot spot.
const STREAM_HOT: u64 = u64::from_be_bytes(*b"traf-hot");

/// A rule that gives sources and destinations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// Distinct random sources; every message's destination is drawn, independently.
    Random {
        /// The number of sources, `1..=nodes`.
        messages: u32,
        /// The set from which destinations are drawn.
        destinations: Destinations,
    },
    /// One source, one destination.
    Pair {
        /// The node that sends.
        source: u32,
        /// The node that receives, another one.
        destination: u32,
    },
    /// A list of (source, destination); a source may occur more than once.
    Pairs {
        /// The list, not empty.
        pairs: Vec<(u32, u32)>,
    },
    /// Distinct random sources, all to one node; and others beside them, to random ones.
    HotSpot {
        /// The number of sources that send to that node, `1..nodes`.
        messages: u32,
        /// The node that receives.
        destination: u32,
        /// The number of other sources, each of which sends to a node as in random
        /// traffic; at most as many as there are nodes left.
        random_messages: u32,
    },
    /// A permutation; a node that would send to itself sends nothing.
    Permutation {
        /// The permutation.
        permutation: Permutation,
        /// Nodes along each axis of the network.
        axes: Vec<u32>,
        /// The number of sources, `1..=nodes`, chosen at random among those that
        /// send; all of them when there are no more than that.
        messages: u32,
    },
}

/// The names of the patterns in a configuration, that of steady traffic included.
pub const PATTERN_NAMES: [&str; 8] = [
    "random",
    "pair",
    "pairs",
    "hot-spot",
    "transpose",
    "bit-reversal",
    "cyclic-shift",
    STEADY,
];

impl Pattern {
    /// The name in a configuration.
    pub fn name(&self) -> &'static str {
        match self {
            Pattern::Random { .. } => "random",
            Pattern::Pair { .. } => "pair",
            Pattern::Pairs { .. } => "pairs",
            Pattern::HotSpot { .. } => "hot-spot",
            Pattern::Permutation { permutation, .. } => permutation.name(),
        }
    }
}

/// A pattern with the parameters that all patterns share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternConfig {
    /// The rule that gives sources and destinations.
    pub pattern: Pattern,
    /// Words of every message, `1..=WORDS_MAX`.
    pub words: u32,
    /// Messages that each chosen source sends, one after the other,
    /// `1..=REPEAT_MAX`.
    pub repeat: u32,
}

impl Pattern {
    /// Number of nodes that send, each `repeat` messages.
    fn sources(&self) -> u64 {
        match self {
            Pattern::Random { messages, .. } | Pattern::Permutation { messages, .. } => {
                u64::from(*messages)
            }
            Pattern::Pair { .. } => 1,
            Pattern::Pairs { pairs } => pairs.len() as u64,
            Pattern::HotSpot {
                messages,
                random_messages,
                ..
            } => u64::from(*messages) + u64::from(*random_messages),
        }
    }
}

impl PatternConfig {
    /// The number of messages; where a permutation leaves a node to itself, or a
    /// destination is the source, it is less.
    pub fn messages(&self) -> u64 {
        self.pattern
            .sources()
            .saturating_mul(u64::from(self.repeat))
    }

    /// True when messages to their own source are drawn, and not sent: their number depends on the
    /// seed.
    pub fn leaves_out_messages(&self) -> bool {
        matches!(
            self.pattern,
            Pattern::Random {
                destinations: Destinations::All,
                ..
            }
        )
    }

    /// Every parameter that is out of its range in a network of `nodes` nodes.
    pub fn faults(&self, nodes: u32) -> Vec<Fault> {
        let mut faults = ParameterFaults::new(nodes);
        match &self.pattern {
            Pattern::Random {
                messages,
                destinations,
            } => {
                faults.sources(*messages, nodes);
                faults.found.extend(destinations.faults(nodes));
            }
            Pattern::Pair {
                source,
                destination,
            } => faults.pair(*source, *destination),
            Pattern::Pairs { pairs } => faults.pairs(pairs),
            Pattern::HotSpot {
                messages,
                destination,
                random_messages,
            } => faults.hot_spot(*messages, *destination, *random_messages),
            Pattern::Permutation {
                permutation,
                axes,
                messages,
            } => {
                faults.sources(*messages, nodes);
                faults.found.extend(permutation.fault("pattern", axes));
            }
        }
        faults.lengths(self.words, self.repeat, self.pattern.sources());
        faults.found
    }
}

/// Prints the keys in the order of the documentation.
impl Serialize for PatternConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pattern", self.pattern.name())?;
        match &self.pattern {
            Pattern::Random {
                messages,
                destinations,
            } => {
                map.serialize_entry("messages", messages)?;
                destinations.serialize(&mut map)?;
            }
            Pattern::Pair {
                source,
                destination,
            } => {
                map.serialize_entry("source", source)?;
                map.serialize_entry("destination", destination)?;
            }
            Pattern::Pairs { pairs } => map.serialize_entry("pairs", pairs)?,
            Pattern::HotSpot {
                messages,
                destination,
                random_messages,
            } => {
                map.serialize_entry("messages", messages)?;
                map.serialize_entry("destination", destination)?;
                if *random_messages > 0 {
                    map.serialize_entry("random_messages", random_messages)?;
                }
            }
            Pattern::Permutation {
                permutation,
                messages,
                ..
            } => {
                map.serialize_entry("messages", messages)?;
                if let Permutation::CyclicShift { shift } = permutation {
                    map.serialize_entry("shift", shift)?;
                }
            }
        }
        map.serialize_entry("words", &self.words)?;
        map.serialize_entry("repeat", &self.repeat)?;
        map.end()
    }
}

/// The nodes that send, and to whom each sends in every round. Where it is `None`, or
/// there is no entry, destinations are drawn anew in each round.
fn choose_sources(pattern: &Pattern, nodes: u32, seed: u64) -> (Vec<u32>, Vec<Option<u32>>) {
    match pattern {
        Pattern::Random { messages, .. } => (
            random::choose((0..nodes).collect(), *messages, seed, STREAM_SOURCES),
            Vec::new(),
        ),
        Pattern::Pair {
            source,
            destination,
        } => (vec![*source], vec![Some(*destination)]),
        Pattern::Pairs { pairs } => {
            let pairs = pairs.iter().copied();
            pairs.map(|(source, to)| (source, Some(to))).unzip()
        }
        Pattern::HotSpot {
            messages,
            destination,
            random_messages,
        } => {
            let others = (0..nodes).filter(|node| node != destination).collect();
            let all = messages + random_messages;
            let sources = random::choose(others, all, seed, STREAM_SOURCES);
            let hot = random::choose(sources.clone(), *messages, seed, STREAM_HOT);
            let to = |source| hot.binary_search(source).is_ok().then_some(*destination);
            let destinations = sources.iter().map(to).collect();
            (sources, destinations)
        }
        Pattern::Permutation {
            permutation,
            axes,
            messages,
        } => {
            let image = |node| permutation.image(node, axes);
            let senders = (0..nodes).filter(|&node| image(node) != node).collect();
            let sources = random::choose(senders, *messages, seed, STREAM_SOURCES);
            let to = |&source| Some(image(source));
            let destinations = sources.iter().map(to).collect();
            (sources, destinations)
        }
    }
}

/// The messages of a pattern without faults.
pub(super) fn messages(config: &PatternConfig, nodes: u32, seed: u64) -> Workload {
    let (sources, destinations) = choose_sources(&config.pattern, nodes, seed);
    let among = match &config.pattern {
        Pattern::Random { destinations, .. } => destinations,
        _ => &Destinations::Others,
    };
    let mut generator = random::generator(seed, STREAM_DESTINATIONS);
    let mut seen = vec![false; nodes as usize];
    let mut messages = Vec::with_capacity(sources.len() * config.repeat as usize);
    for _ in 0..config.repeat {
        for (index, &source) in sources.iter().enumerate() {
            let destination = match destinations.get(index).copied().flatten() {
                Some(destination) => destination,
                None => among.draw(source, nodes, &mut generator),
            };
            if destination == source {
                continue;
            }
            let first = !std::mem::replace(&mut seen[source as usize], true);
            messages.push(Message {
                source,
                destination,
                words: config.words,
                offered: if first {
                    Offer::At(1)
                } else {
                    Offer::AfterPrevious
                },
            });
        }
    }
    Workload {
        nodes,
        order: Replay::InOrder,
        messages,
        sets: DeliverySets::default(),
    }
}
