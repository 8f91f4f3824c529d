//! The operations as messages to one node each: on circuit-switched networks, whose routers neither
//! replicate nor merge, and on the packet-switched trees of the paper with queues.
//!
//! [`NETWORKS`] is the table of them; a row more is a network more in the figure. A block is one
//! word, and what loses is sent again at once. In networks of RN1 a message is a connection that is
//! turned once. Clocks are those of `crosswave run` on the trace that `crosswave schedule
//! messages` writes: up to the one in which the last sender has its acknowledgement. The first
//! head is on the wire in clock 2.
//!
//! A message that meets its destination at level h of a four-port tree passes 2h - 1 routers:
//! with w words its acknowledgement is back after 6h + w - 1 clocks, and the next message of
//! its source is on the wire two clocks later. Where messages never collide, clocks are sums of
//! these.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::study::{Study, TreeKind, list};
use crate::cases::Cases;
use crate::ended::finished;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::mean_and_half_width_95;
use crosswave_collectives::generate::Discipline;
use crosswave_collectives::messages::{Algorithm, MessageGraph};
use crosswave_collectives::operation::{Exchange, Multinode, Operation};
use crosswave_network::traffic::{DeliverySets, Message, Offer, Replay, Workload};
use crosswave_observe::points::watch::{Watch, check_cancelled};
use crosswave_run::config::Config;
use crosswave_run::replicate::{Replicate, replicate_seed};
use crosswave_run::simulation::Simulation;

/// The paper, as sources name it.
const PAPER: &str = "Dimakopoulos & Dimopoulos 1994";
/// Replicates of an operation.
const REPLICATES: u32 = 20;
/// Replicates in networks of [`LARGE_LEVELS`] and more, where simple trees take long.
const REPLICATES_LARGE: u32 = 4;
const LARGE_LEVELS: u32 = 8;
/// Levels of the smallest network.
const LEVELS_MIN: u32 = 3;
/// Levels of the largest tree of the check.
const LEVELS_CHECKED: u32 = 6;

/// A network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: &'static str,
    /// Keys of `[network]` but for the number of nodes, and what else differs from the defaults.
    keys: &'static str,
    /// lg n of the sizes that there are.
    levels: &'static [u32],
}

/// The four-port tree with the capacities of the EBFT.
pub const DOUBLING: Machine = Machine {
    name: "four-port tree, doubling",
    keys: "kind = 'fat-tree'",
    levels: &[3, 4, 5, 6, 7, 8],
};
/// The four-port tree with the capacities of the CBFT.
pub const SIMPLE: Machine = Machine {
    name: "four-port tree, capacities 1",
    keys: "kind = 'fat-tree'\ncapacities = 1",
    levels: &[3, 4, 5, 6, 7, 8],
};
/// All networks.
pub const NETWORKS: [Machine; 7] = [
    DOUBLING,
    SIMPLE,
    Machine {
        name: "Transit",
        keys: "kind = 'transit'",
        levels: &[6],
    },
    Machine {
        name: "bidelta",
        keys: "kind = 'bidelta'",
        levels: &[4, 6, 8],
    },
    Machine {
        name: "butterfly",
        keys: "kind = 'butterfly'",
        levels: &[4, 6, 8],
    },
    Machine {
        name: "packets, EBFT",
        keys: "kind = 'binary-fat-tree'\n[router]\nqueue_packets = 'unlimited'\n\
               [run]\nengine = 'event'",
        levels: &[3, 4, 5, 6, 7, 8],
    },
    Machine {
        name: "packets, CBFT",
        keys: "kind = 'binary-fat-tree'\ncapacities = 'constant'\n\
               [router]\nqueue_packets = 'unlimited'\n[run]\nengine = 'event'",
        levels: &[3, 4, 5, 6, 7, 8],
    },
];

/// Replicates of an operation in a network of so many levels.
fn replicates(levels: u32) -> u32 {
    match levels {
        LARGE_LEVELS.. => REPLICATES_LARGE,
        _ => REPLICATES,
    }
}

/// The cost of an operation on a network, over its replicates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Messages of a replicate.
    pub messages: usize,
    /// Clocks of each replicate.
    pub cycles: Vec<u64>,
    /// Attempts of all messages, of each replicate.
    pub attempts: Vec<u64>,
}

impl Cost {
    /// The mean of the clocks, and half of its 95 % interval; 0 when all are the same.
    pub fn cycles(&self) -> (f64, f64) {
        let cycles: Vec<f64> = self.cycles.iter().map(|&cycles| cycles as f64).collect();
        let (mean, half) = mean_and_half_width_95(&cycles).expect("at least one replicate");
        (mean, half.unwrap_or(f64::INFINITY))
    }

    /// The mean of the attempts for each message.
    pub fn attempts_per_message(&self) -> f64 {
        let attempts: u64 = self.attempts.iter().sum();
        attempts as f64 / (self.messages * self.attempts.len()) as f64
    }

    /// Attempts that were rejected, of all replicates.
    fn rejected(&self) -> u64 {
        let messages = self.messages * self.attempts.len();
        self.attempts.iter().sum::<u64>() - messages as u64
    }

    /// The mean of the rejected attempts of a replicate.
    pub fn collisions(&self) -> f64 {
        self.rejected() as f64 / self.attempts.len() as f64
    }
}

impl Machine {
    /// True when there is a network of 2^`levels` nodes.
    pub fn has(self, levels: u32) -> bool {
        self.levels.contains(&levels)
    }

    /// The cost of an operation with node 0 as its root and one word in a block.
    ///
    /// # Errors
    /// When there is no such network, and those of [`Study::kept`].
    ///
    /// # Panics
    /// When messages are not delivered.
    pub fn cost(
        self,
        algorithm: Algorithm,
        levels: u32,
        study: &mut Study<'_>,
    ) -> Result<Cost, Error> {
        let nodes = 1u32 << levels;
        let what = format!("{}, {} of {nodes}", algorithm.operation(), self.name);
        let question = json!({
            "cost": format!("{algorithm:?}"), "network": self.keys, "nodes": nodes,
            "replicates": replicates(levels),
        });
        study.kept(question, &what, |watch| self.run(algorithm, levels, watch))
    }

    fn run(self, algorithm: Algorithm, levels: u32, watch: &mut dyn Watch) -> Result<Cost, Error> {
        let nodes = 1u32 << levels;
        // The graph's messages replace those of the pair.
        let text = format!(
            "[network]\nnodes = {nodes}\n{}\n\
             [traffic]\npattern = 'pair'\nsource = 0\ndestination = 1\n",
            self.keys
        );
        let config = Config::parse(&text, self.name, Path::new("."), &[])?;
        let simulation = Simulation::new(&config)?;
        let graph = algorithm.graph(nodes, 0).expect("a power of two");
        let workload = workload(&graph, nodes);
        let mut cost = Cost {
            messages: workload.messages.len(),
            cycles: Vec::new(),
            attempts: Vec::new(),
        };
        let replicate = |index| Replicate {
            seed: replicate_seed(config.run.seed, index),
            workload: workload.clone(),
        };
        let all: Vec<Replicate> = (0..replicates(levels)).map(replicate).collect();
        for together in all.chunks(simulation.together()) {
            check_cancelled(watch)?;
            for outcome in simulation.run(together, &mut ())? {
                let of = || format!("{} of {nodes}, {}", algorithm.operation(), self.name);
                finished(outcome.end, of)?;
                let attempts = outcome.messages.iter().map(|m| u64::from(m.attempts));
                cost.cycles.push(outcome.last_cycle);
                cost.attempts.push(attempts.sum());
            }
        }
        Ok(cost)
    }
}

/// A graph as what nodes send, in order at each source: what its trace is read as.
pub fn workload(graph: &MessageGraph, nodes: u32) -> Workload {
    let mut sets = DeliverySets::default();
    let mut has_sent = vec![false; nodes as usize];
    let messages = graph.messages().iter().enumerate().map(|(id, message)| {
        let sent = std::mem::replace(&mut has_sent[message.source as usize], true);
        let offered = match graph.after(id) {
            [] if sent => Offer::AfterPrevious,
            [] => Offer::At(1),
            after => Offer::After {
                set: sets.push(after),
                not_before: 1,
            },
        };
        Message {
            source: message.source,
            destination: message.destination,
            words: message.blocks,
            offered,
        }
    });
    let messages = messages.collect();
    Workload {
        nodes,
        order: Replay::InOrder,
        messages,
        sets,
    }
}

/// The operation of the packet-switched ideal, in its fewest steps; `None` where the paper has
/// none.
fn ideal(algorithm: Algorithm, kind: TreeKind) -> Option<Operation> {
    Some(match algorithm {
        Algorithm::Broadcast => Operation::Broadcast { root: 0 },
        Algorithm::ScatterDirect | Algorithm::ScatterBinomial => Operation::Scatter {
            root: 0,
            order: Discipline::FurthestFirst,
        },
        Algorithm::GatherDirect | Algorithm::GatherBinomial => Operation::Gather { root: 0 },
        Algorithm::MultinodeDoubling | Algorithm::MultinodeRing => {
            Operation::MultinodeBroadcast(Multinode::Nested)
        }
        Algorithm::ExchangeXor
        | Algorithm::ExchangeXorStepwise
        | Algorithm::ExchangeShifted
        | Algorithm::ExchangeShiftedStepwise => Operation::TotalExchange(match kind {
            TreeKind::Constant => Exchange::Quartered,
            TreeKind::Exponential => Exchange::Interleaved,
        }),
        Algorithm::Barrier | Algorithm::Allreduce => return None,
    })
}

/// Steps of the packet-switched ideal of 2^`levels` processors, from 8 on.
pub fn ideal_steps(algorithm: Algorithm, kind: TreeKind, levels: u32) -> Option<u64> {
    let operation = ideal(algorithm, kind)?;
    Some(operation.steps(&kind.tree(levels)))
}

/// Clocks from one message of a word to the next of its source, when it does not collide.
fn alone(level: u32) -> u64 {
    6 * u64::from(level) + 2
}

/// Clocks of messages from a source to all others, one after the other.
fn one_by_one(levels: u32) -> u64 {
    (1..=levels).map(|h| alone(h) << (h - 1)).sum()
}

/// Clocks of a binomial broadcast, level after level.
fn binomial(levels: u32) -> u64 {
    (1..=levels).map(alone).sum()
}

/// Operations whose messages never collide on a tree, with their clocks.
///
/// # Errors
/// When someone asks to stop.
pub fn quantities(study: &mut Study<'_>) -> Result<Vec<Quantity>, Error> {
    /// An operation by its id, name and section, and its algorithm, network and clocks.
    type Row = ([&'static str; 3], Algorithm, Machine, fn(u32) -> u64);
    const ROWS: [Row; 3] = [
        (
            ["broadcast", "a broadcast on the CBFT", "section 2.1"],
            Algorithm::Broadcast,
            SIMPLE,
            binomial,
        ),
        (
            ["scatter", "a scatter on the CBFT", "section 3"],
            Algorithm::ScatterDirect,
            SIMPLE,
            one_by_one,
        ),
        (
            ["total_exchange", "XOR steps on the EBFT", "section 5"],
            Algorithm::ExchangeXor,
            DOUBLING,
            one_by_one,
        ),
    ];
    if !study.simulates() {
        return Ok(Vec::new());
    }
    let levels = LEVELS_MIN..=LEVELS_CHECKED;
    let mut all = Vec::new();
    let (mut attempts, mut collisions) = (0, 0);
    for ([id, name, section], algorithm, network, formula) in ROWS {
        let mut found = Vec::new();
        for levels in levels.clone() {
            let cost = network.cost(algorithm, levels, study)?;
            attempts += cost.attempts.iter().sum::<u64>();
            collisions += cost.rejected();
            found.push(shown(&cost));
        }
        let source = format!("{PAPER}, {section}");
        let quantity = Quantity::unprinted(format!("circuits_{id}_cycles"), source)
            .named(format!("cycles of {name} of circuits, n = 8, 16, …"))
            .analytic(list(levels.clone(), formula))
            .simulated(Some(MeasuredValue::exact(found.join(", "))));
        all.push(quantity.judged(None));
    }
    let attempts = Cases::broken(attempts, collisions);
    let none = attempts
        .claim(
            "circuits_attempts_without_collision",
            format!("{PAPER}, section 5"),
        )
        .named("attempts in these trees of circuits that meet no other")
        .simulated(Some(MeasuredValue::exact(attempts.kept())));
    all.push(none.judged(None));
    Ok(all)
}

/// The clocks of all replicates, as one number when they are the same.
fn shown(cost: &Cost) -> String {
    let (least, most) = (cost.cycles.iter().min(), cost.cycles.iter().max());
    match (least, most) {
        (Some(least), Some(most)) if least != most => format!("{least} to {most}"),
        (Some(least), _) => least.to_string(),
        _ => String::new(),
    }
}
