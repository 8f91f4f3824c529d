//! The runs that figures and tables are made of.

use std::fmt::Write;

use crosswave_network::fat_tree::Release;
use crosswave_network::fat_tree::config::{Capacities, FatTreeConfig, RouterConfig, Winner};
use crosswave_network::traffic::{
    Destinations, Pattern, PatternConfig, Permutation, Strategy, TrafficConfig,
};
use crosswave_observe::points::{PointStopRule, Spec};
use crosswave_run::config::{Config, EngineKind, NetworkConfig};

/// Words of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// So many words of body.
    Words(u32),
    /// As many as keep every circuit of a round until no head can meet it:
    /// [`long_words`].
    Long,
}

/// Words of a body that is long enough that no acknowledgement frees a circuit while a head
/// of the same round is on its way, in a tree of `levels` levels without extra clocks on its
/// links.
///
/// The last head comes to a router of level `l` after `2 (2 (h - 1) - l) + 1` clocks, when it
/// turned at the root. An acknowledgement frees a router of level `l` at the earliest when
/// its message turned there: after `2 (2 l + 1)` clocks on its way, the body, and `l + 2`
/// clocks back. At level 0 that takes a body of `4 h - 6` words, and less above.
pub fn long_words(levels: u32) -> u32 {
    (4 * levels).saturating_sub(4).max(1)
}

/// The pairs that send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunTraffic {
    /// Distinct random sources, destinations that are random among the other nodes.
    Random,
    /// The same with destinations among all nodes; who draws itself sends nothing.
    RandomAmongAll,
    /// One message from the first node to the last, across the diameter.
    Diameter,
    /// All to node 0, and so many random ones beside them.
    HotSpot {
        /// Messages to random nodes.
        random: u32,
    },
    /// The halves of the address exchanged.
    Transpose,
    /// The address reversed.
    BitReversal,
    /// Addresses are shifted by so many.
    CyclicShift(u32),
}

impl RunTraffic {
    /// Its name in a configuration.
    pub fn name(self) -> &'static str {
        match self {
            RunTraffic::Random | RunTraffic::RandomAmongAll => "random",
            RunTraffic::Diameter => "pair",
            RunTraffic::HotSpot { .. } => "hot-spot",
            RunTraffic::Transpose => "transpose",
            RunTraffic::BitReversal => "bit-reversal",
            RunTraffic::CyclicShift(_) => "cyclic-shift",
        }
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Levels of routers: lg n.
    pub levels: u32,
    /// Messages.
    pub messages: u32,
    /// The pairs that send.
    pub traffic: RunTraffic,
    /// The length of messages.
    pub length: Length,
    /// The rule by which a message that lost is sent again.
    pub strategy: Strategy,
    /// The rule by which one of several messages passes.
    pub winner: Winner,
    /// The event that frees a circuit.
    pub release: Release,
    /// Links of the channels.
    pub capacities: Capacities,
}

impl Run {
    /// Random traffic in rounds, with long messages: what the models are models of.
    pub fn rounds(levels: u32, messages: u32) -> Run {
        Run {
            levels,
            messages,
            traffic: RunTraffic::Random,
            length: Length::Long,
            strategy: Strategy::Rounds,
            winner: Winner::Random,
            release: Release::Acknowledge,
            capacities: Capacities::Doubling,
        }
    }

    /// Random traffic with immediate retry, and the shortest messages.
    pub fn immediate(levels: u32, messages: u32) -> Run {
        Run {
            length: Length::Words(1),
            strategy: Strategy::Immediate,
            ..Run::rounds(levels, messages)
        }
    }

    /// One message across the diameter of the same network, alone.
    pub fn alone(&self) -> Run {
        Run {
            messages: 1,
            traffic: RunTraffic::Diameter,
            ..self.clone()
        }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        1 << self.levels
    }

    /// Words of the body of every message.
    pub fn words(&self) -> u32 {
        match self.length {
            Length::Words(words) => words,
            Length::Long => long_words(self.levels),
        }
    }

    /// The traffic pattern: sources, destinations and messages.
    fn pattern(&self) -> Pattern {
        let (messages, last) = (self.messages, self.nodes() - 1);
        let permutation = |permutation| Pattern::Permutation {
            permutation,
            axes: vec![self.nodes()],
            messages,
        };
        let random = |destinations| Pattern::Random {
            messages,
            destinations,
        };
        match self.traffic {
            RunTraffic::Random => random(Destinations::Others),
            RunTraffic::RandomAmongAll => random(Destinations::All),
            RunTraffic::Diameter => Pattern::Pair {
                source: 0,
                destination: last,
            },
            RunTraffic::HotSpot { random } => Pattern::HotSpot {
                messages,
                destination: 0,
                random_messages: random,
            },
            RunTraffic::Transpose => permutation(Permutation::Transpose),
            RunTraffic::BitReversal => permutation(Permutation::BitReversal),
            RunTraffic::CyclicShift(shift) => permutation(Permutation::CyclicShift { shift }),
        }
    }

    /// The network.
    pub fn tree(&self) -> FatTreeConfig {
        let tree = FatTreeConfig::new(self.nodes());
        FatTreeConfig {
            router: RouterConfig {
                winner: self.winner,
                release: self.release,
            },
            ..tree.with_capacities(self.capacities)
        }
    }

    /// The configuration. Where few nodes send in a large network, it is run on the
    /// event engine.
    pub fn config(&self) -> Config {
        let traffic = TrafficConfig::Pattern(PatternConfig {
            pattern: self.pattern(),
            words: self.words(),
            repeat: 1,
        });
        let few = u64::from(self.messages) * 64 < u64::from(self.nodes());
        let mut config = Config::new(NetworkConfig::FatTree(self.tree()), traffic);
        config.retry.strategy = self.strategy;
        config.run.engine = if few {
            EngineKind::Event
        } else {
            EngineKind::Gate
        };
        config
    }

    /// The point of the run.
    pub fn spec(&self, wanted: PointStopRule) -> Spec {
        let mut title = format!(
            "n = {}, m = {}, {}, {}, words {}",
            self.nodes(),
            self.messages,
            self.traffic.name(),
            self.strategy.name(),
            self.words()
        );
        match self.traffic {
            RunTraffic::HotSpot { random } => {
                let _ = write!(title, ", {random} random");
            }
            RunTraffic::RandomAmongAll => title.push_str(", destinations among all nodes"),
            _ => {}
        }
        if let Strategy::Backoff { limit } | Strategy::Random { limit } = self.strategy {
            let _ = write!(title, ", limit {limit}");
        }
        if self.winner == Winner::Fixed {
            title.push_str(", fixed winner");
        }
        match self.release {
            Release::Acknowledge => {}
            Release::EarlyAcknowledge => title.push_str(", early acknowledgement"),
            Release::Tail => title.push_str(", freed by the tail"),
        }
        if self.capacities != Capacities::Doubling {
            let _ = write!(title, ", capacities {}", self.capacities);
        }
        Spec {
            title,
            config: self.config(),
            shifts: Vec::new(),
            wanted,
        }
    }
}
