//! The network that a configuration describes.

use super::{Close, Config, LinkDelays, NetworkKind, Winner};
use crate::chip::{protocol, rn1_protocol};
use crate::network::Network;
use crate::network::bidelta::{Bidelta, Interface, Wires};
use crate::network::fat_tree::FatTree;
use crate::traffic::Strategy;

impl Config {
    /// The network that a configuration describes.
    ///
    /// # Panics
    /// When the configuration is not one of [`Config::parse`].
    pub fn topology(&self) -> Network {
        let delays = &self.network.link_delay_cycles;
        match self.network.kind {
            NetworkKind::FatTree => {
                let router = self.router.expect("fat trees have routers");
                let (strategy, backoff_limit) = match self.retry.strategy {
                    Strategy::Immediate => (protocol::STRATEGY_IMMEDIATE, 0),
                    Strategy::Rounds => (protocol::STRATEGY_ROUNDS, 0),
                    Strategy::Backoff { limit } => (protocol::STRATEGY_BACKOFF, u64::from(limit)),
                    Strategy::Random { .. } => panic!("not a strategy of fat trees"),
                };
                Network::FatTree(FatTree {
                    nodes: self.network.nodes,
                    capacities: match &self.network.capacities {
                        Some(capacities) => capacities.clone(),
                        None => FatTree::doubling(self.network.nodes.ilog2()),
                    },
                    link_delay_cycles: match delays {
                        LinkDelays::Given(delays) => delays.clone(),
                        LinkDelays::Geometry => panic!("fat trees have no geometry"),
                    },
                    winner_fixed: router.winner == Winner::Fixed,
                    release: router.release,
                    strategy,
                    backoff_limit,
                })
            }
            NetworkKind::Bidelta => {
                let interface = self.interface.expect("bidelta networks have interfaces");
                let (strategy, backoff_limit) = match self.retry.strategy {
                    Strategy::Immediate => (rn1_protocol::RN1_STRATEGY_IMMEDIATE, 0),
                    Strategy::Random { limit } => {
                        (rn1_protocol::RN1_STRATEGY_RANDOM, u64::from(limit))
                    }
                    Strategy::Backoff { limit } => {
                        (rn1_protocol::RN1_STRATEGY_BACKOFF, u64::from(limit))
                    }
                    Strategy::Rounds => panic!("not a strategy of bidelta networks"),
                };
                Network::Bidelta(Bidelta {
                    stages: self.network.nodes.ilog2() / 2,
                    wires: match delays {
                        LinkDelays::Given(delays) => Wires::Given(delays.clone()),
                        LinkDelays::Geometry => Wires::Geometry,
                    },
                    interface: Interface {
                        strategy,
                        backoff_limit,
                        turns: u64::from(interface.turns),
                        reply_words: u64::from(interface.reply_words),
                        reply_delay: u64::from(interface.reply_delay_cycles),
                        close_drop: interface.close == Close::Drop,
                    },
                })
            }
        }
    }
}
