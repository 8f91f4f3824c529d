//! A fat tree as a configuration describes it: the keys `capacities` and
//! `link_delay_cycles` of `[network]`, and the table `[router]`.

use std::fmt;

use serde::Serialize;
use serde_json::{Value, json};
use toml::de::DeValue;

use super::{FatTree, Release};
use crate::Network;
use crate::description::{Description, NetworkKind};
use crate::keys::{self, LinkDelayRules, NextCapacity};
use crate::traffic::{NODES_MAX, Strategy};
use crosswave_base::suggest::nearest;
use crosswave_chips::protocol;
use crosswave_document::{Document, Key, KeyRow, Wrong, found, integer};

/// The row of the registry.
pub const KIND: NetworkKind = NetworkKind {
    name: "fat-tree",
    title: "fat tree",
    of: "of four-port routers",
    keys: &[&[
        KeyRow {
            key: ("network", "nodes"),
            value: "integer",
            default: "required",
            legal: "a power of two, 2 to 2^20",
            only: "",
            meaning: "The number of nodes.",
        },
        KeyRow {
            key: CAPACITIES,
            value: "string, integer, or a list of integers",
            default: "`\"doubling\"`",
            legal: "`\"doubling\"` (1, 2, 4, 8, …), `\"every-second-level\"` (1, 2, 2, 4, 4, 8, …), \
                 a power of two K from 1 to 2^19 (2^l at level l, but at most K), or a list with \
                 one entry per level that begins with 1 and in which each entry is the one before \
                 or twice that",
            only: "",
            meaning: "The number of links in the channel below each level; where it does not double, \
                 messages collide on their way up too.",
        },
        KeyRow {
            key: ("network", "link_delay_cycles"),
            value: "integer, or a list of them",
            default: "`0`",
            legal: "0 to 64 for all links, or a list with one entry per level, of which entry 0 is \
                 between nodes and routers",
            only: "",
            meaning: "The extra cycles that a word takes on a link.",
        },
        KeyRow {
            key: WINNER,
            value: "string",
            default: "`\"random\"`",
            legal: "`\"random\"`, `\"fixed\"`",
            only: "",
            meaning: "Which one of several messages that collide in a router passes: a random one, or \
                 always the same.",
        },
        KeyRow {
            key: RELEASE,
            value: "string",
            default: "`\"acknowledge\"`",
            legal: "`\"acknowledge\"`: the acknowledgement as it returns; `\"early-acknowledge\"`: \
                 the tail of the message, but not before the acknowledgement, which the receiver \
                 sends at the head; `\"tail\"`: the tail as it passes, before there is an answer",
            only: "",
            meaning: "What frees the output of a router that a message holds.",
        },
    ]],
    packets: false,
    broadcasts: false,
    strategies: &["immediate", "rounds", "backoff"],
    nodes: Some(|value| keys::nodes(value, 1, 2..=NODES_MAX)),
    models: None,
    chips: &[
        "fat_tree_router",
        "fat_tree_tail_router",
        "network_interface",
        "delay_line",
    ],
    samples: &[
        "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nwords=3\nrepeat=2",
        "[network]\nkind='fat-tree'\nnodes=8\n[traffic]\npattern='bit-reversal'\nwords=5\n\
     [router]\nrelease='tail'\n[retry]\nstrategy='backoff'\nbackoff_limit=3",
        "[network]\nkind='fat-tree'\nnodes=16\nlink_delay_cycles=2\n\
     [traffic]\npattern='hot-spot'\ndestination=3\nmessages=4\nrandom_messages=3\nwords=2\n\
     [router]\nwinner='fixed'\n[retry]\nstrategy='rounds'",
        "[network]\nkind='fat-tree'\nnodes=16\ncapacities='every-second-level'\n\
     [traffic]\npattern='transpose'\nwords=4\n[retry]\nstrategy='rounds'",
        "[network]\nkind='fat-tree'\nnodes=8\n[traffic]\npattern='cyclic-shift'\nshift=3\nrepeat=2",
        "[network]\nkind='fat-tree'\nnodes=4\n[traffic]\npattern='pairs'\npairs=[[0, 1], [2, 1]]",
        "[network]\nkind='fat-tree'\nnodes=4\n[traffic]\npattern='pair'\nsource=0\ndestination=3",
        "[network]\nkind='fat-tree'\nnodes=8\n\
     [traffic]\npattern='steady'\nload=0.2\nwords=3\ncycles=80\n[retry]\nstrategy='backoff'",
    ],
};

const CAPACITIES: Key = ("network", "capacities");
const WINNER: Key = ("router", "winner");
const RELEASE: Key = ("router", "release");

/// The longest delay of a link.
pub const LINK_DELAY_CYCLES_MAX: u32 = 64;
/// The largest capacity: that below the root of the largest tree.
const CAPACITY_MAX: u32 = NODES_MAX / 2;

/// A fat tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FatTreeConfig {
    /// The number of nodes, a power of two, 2 to 2^20.
    pub nodes: u32,
    /// Links of the channel below each level, lg `nodes` entries: the first one 1, each of
    /// the others equal to the one before or twice that. `None` when all are twice the one
    /// before.
    pub capacities: Option<Vec<u32>>,
    /// Extra clocks of the links of each level, lg `nodes` entries of
    /// `0..=LINK_DELAY_CYCLES_MAX` cycles: entry 0 for the links between nodes and routers
    /// of level 0, entry `l` for those between levels `l - 1` and `l`.
    pub link_delay_cycles: Vec<u32>,
    /// `[router]`: what the papers leave open about the router.
    pub router: RouterConfig,
}

/// Links of the channels of each level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacities {
    /// Twice as many from level to level: a full tree.
    Doubling,
    /// Twice as many at every second level.
    EverySecondLevel,
    /// Twice as many from level to level up to so many, a power of two.
    Most(u32),
}

impl Capacities {
    /// Those of each level of a tree.
    pub fn of_levels(self, levels: u32) -> Vec<u32> {
        let capacity = |level: u32| match self {
            Capacities::Doubling => 1 << level,
            Capacities::EverySecondLevel => 1 << level.div_ceil(2),
            Capacities::Most(most) => most.min(1 << level),
        };
        (0..levels).map(capacity).collect()
    }
}

/// As in a configuration.
impl fmt::Display for Capacities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Capacities::Doubling => f.write_str("\"doubling\""),
            Capacities::EverySecondLevel => f.write_str("\"every-second-level\""),
            Capacities::Most(most) => write!(f, "{most}"),
        }
    }
}

/// Properties of the router that the papers leave open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RouterConfig {
    /// The one of several colliding messages that passes.
    pub winner: Winner,
    /// The event that frees the outputs that a message holds.
    pub release: Release,
}

/// The one of several messages that passes when all want one output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Winner {
    /// Each with the same probability.
    Random,
    /// The one at the first port, always.
    Fixed,
}

impl FatTreeConfig {
    /// The full tree of so many nodes, a power of two, without extra clocks, and with the
    /// defaults of its routers.
    pub fn new(nodes: u32) -> FatTreeConfig {
        FatTreeConfig {
            nodes,
            capacities: None,
            link_delay_cycles: vec![0; nodes.ilog2() as usize],
            router: RouterConfig {
                winner: Winner::Random,
                release: Release::Acknowledge,
            },
        }
    }

    /// The same with channels of other capacities.
    pub fn with_capacities(self, capacities: Capacities) -> FatTreeConfig {
        let levels = self.nodes.ilog2();
        let given = capacities.of_levels(levels);
        FatTreeConfig {
            capacities: (given != Capacities::Doubling.of_levels(levels)).then_some(given),
            ..self
        }
    }

    /// The tree, whose nodes send by a strategy.
    ///
    /// # Panics
    /// When the strategy is not one of fat trees.
    pub fn tree(&self, strategy: Strategy) -> FatTree {
        let (strategy, backoff_limit) = match strategy {
            Strategy::Immediate => (protocol::STRATEGY_IMMEDIATE, 0),
            Strategy::Rounds => (protocol::STRATEGY_ROUNDS, 0),
            Strategy::Backoff { limit } => (protocol::STRATEGY_BACKOFF, u64::from(limit)),
            Strategy::None | Strategy::Random { .. } => panic!("not a strategy of fat trees"),
        };
        FatTree {
            nodes: self.nodes,
            capacities: match &self.capacities {
                Some(capacities) => capacities.clone(),
                None => FatTree::doubling(self.nodes.ilog2()),
            },
            link_delay_cycles: self.link_delay_cycles.clone(),
            winner_fixed: self.router.winner == Winner::Fixed,
            release: self.router.release,
            strategy,
            backoff_limit,
        }
    }
}

impl Description for FatTreeConfig {
    fn read(document: &mut Document<'_>, nodes: Option<u32>) -> FatTreeConfig {
        let levels = nodes.map(|nodes| nodes.ilog2() as usize);
        let capacities = document.value(CAPACITIES, |value| capacities(value, levels));
        let full = levels.map(|levels| FatTree::doubling(levels as u32));
        let rules = LinkDelayRules {
            most: LINK_DELAY_CYCLES_MAX,
            place: "level",
            help: "give one delay for all links, or a list with one entry per level",
            help_list: "entry 0 is for the links of the nodes, entry l for those between levels l-1 and l",
        };
        let delays = document.value(("network", "link_delay_cycles"), |value| {
            keys::link_delays(value, &rules, levels)
        });
        let winners = [("random", Winner::Random), ("fixed", Winner::Fixed)];
        let (winner, release) = (
            document.choice(WINNER, &winners),
            document.choice(RELEASE, &Release::ALL),
        );
        FatTreeConfig {
            nodes: nodes.unwrap_or(2),
            capacities: capacities.filter(|given| Some(given) != full.as_ref()),
            link_delay_cycles: delays.unwrap_or_else(|| vec![0; levels.unwrap_or(1)]),
            router: RouterConfig {
                winner: winner.unwrap_or(Winner::Random),
                release: release.unwrap_or(Release::Acknowledge),
            },
        }
    }

    fn kind(&self) -> &'static NetworkKind {
        &KIND
    }

    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn levels(&self) -> Vec<u32> {
        keys::powers(1, self.nodes)
    }

    fn tables(&self) -> Vec<(&'static str, Value)> {
        let mut network = json!({ "kind": KIND.name, "nodes": self.nodes });
        if let Some(capacities) = &self.capacities {
            network["capacities"] = json!(capacities);
        }
        network["link_delay_cycles"] = json!(self.link_delay_cycles);
        vec![("network", network), ("router", json!(self.router))]
    }

    fn build(&self, strategy: Strategy) -> Network {
        Box::new(self.tree(strategy))
    }
}

/// The capacities of a tree of so many levels: by name, by the largest one, or each.
/// Without levels only what can be seen without them is looked at.
fn capacities(value: &DeValue<'_>, levels: Option<usize>) -> Result<Vec<u32>, Vec<Wrong>> {
    const NAMES: [&str; 2] = ["doubling", "every-second-level"];
    let count = levels.unwrap_or(1) as u32;
    if let DeValue::Array(entries) = value {
        let next = NextCapacity {
            is_legal: |before, number| [before, 2 * before].contains(&number),
            expected: |before| format!("{before} or {}", 2 * before),
            help: "each entry is the one before it or twice that",
        };
        return keys::listed_capacities(entries, levels, CAPACITY_MAX, &next);
    }
    if let Some(most) = power(value) {
        return Ok(Capacities::Most(most).of_levels(count));
    }
    match value.as_str() {
        Some(name) if name == NAMES[0] => Ok(Capacities::Doubling.of_levels(count)),
        Some(name) if name == NAMES[1] => Ok(Capacities::EverySecondLevel.of_levels(count)),
        text => {
            let message = format!(
                "{}; expected \"doubling\", \"every-second-level\", a power of two from \
                 1 to {CAPACITY_MAX}, or a list",
                found(value)
            );
            let near = text.and_then(|text| nearest(text, &NAMES));
            let help = match near {
                Some(name) => format!("did you mean {name:?}?"),
                None => "give a name, the largest number of links of a channel, or a list with \
                         one entry per level"
                    .into(),
            };
            Err(vec![Wrong::new(message, help)])
        }
    }
}

/// A capacity: a power of two.
fn power(value: &DeValue<'_>) -> Option<u32> {
    let number = integer(value, &(1..=u64::from(CAPACITY_MAX))).ok()?;
    let number = u32::try_from(number).ok()?;
    number.is_power_of_two().then_some(number)
}
