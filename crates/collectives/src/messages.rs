//! Operations as unicast messages, for networks whose routers neither replicate nor merge.
//!
//! A [`MessageGraph`] says which message goes from whom to whom, how many blocks it carries, and
//! which messages must have been delivered before it is sent. A block is what one processor has
//! for another one, or for all. Each source sends in the order of the list, one message at a time,
//! so that a message waits only for what its source was sent since the message before.
//!
//! With n processors, d = lg n:
//!
//! | algorithm | messages | blocks of a message | what waits |
//! |---|---|---|---|
//! | broadcast | n - 1 | 1 | binomial tree, highest level first: who has it sends it on |
//! | scatter, direct | n - 1 | 1 | nothing; furthest first |
//! | scatter, binomial | n - 1 | n/2, n/4, … | as broadcast; halves are handed on |
//! | gather, direct | n - 1 | 1 | nothing; all at once |
//! | gather, binomial | n - 1 | 1, 2, … n/2 | the scatter backwards |
//! | multinode broadcast, doubling | n d | 1, 2, … n/2 | round r, with s XOR 2^r, for round r - 1 |
//! | multinode broadcast, ring | n (n - 1) | 1 | what came from s - 1 goes on to s + 1 |
//! | total exchange, xor | n (n - 1) | 1 | nothing; to s XOR k in step k |
//! | total exchange, xor-stepwise | n (n - 1) | 1 | step k for step k - 1 |
//! | total exchange, shifted | n (n - 1) | 1 | nothing; to s + k in step k |
//! | total exchange, shifted-stepwise | n (n - 1) | 1 | step k for step k - 1 |
//! | barrier, dissemination | n ⌈d⌉ | 1 | round r, to s + 2^r, for round r - 1 |
//! | allreduce, doubling | n d | 1 | round r, with s XOR 2^r, for round r - 1 |
//!
//! Sums are modulo n. In *stepwise* a processor sends in step k when it has what was
//! sent to it in step k - 1. Rings, shifts and dissemination (Hensgen, Finkel and Manber 1988) are
//! for any n from 2, all else for powers of two. With capacities that double XOR steps are
//! permutations without collisions on circuit-switched trees too (`tests/xor_wires.rs`).

use std::fmt;
use std::ops::Range;

use smallvec::SmallVec;

use crate::tree::LEVELS_MAX;

/// The most messages of a graph, as of a trace.
pub const MESSAGES_MAX: u64 = 1 << 24;

/// The algorithm that makes an operation of unicast messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// One block to all, along a binomial tree.
    Broadcast,
    /// A block to each, by its own message.
    ScatterDirect,
    /// A block to each, handed on in halves.
    ScatterBinomial,
    /// A block from each, by its own message.
    GatherDirect,
    /// A block from each, collected on the way.
    GatherBinomial,
    /// Everybody's block to all, in exchanges whose sizes double.
    MultinodeDoubling,
    /// Everybody's block to all, round a ring.
    MultinodeRing,
    /// A block from each to each, in XOR steps.
    ExchangeXor,
    /// The same, each step waiting for the one before.
    ExchangeXorStepwise,
    /// A block from each to each, in cyclic shifts.
    ExchangeShifted,
    /// The same, each step waiting for the one before.
    ExchangeShiftedStepwise,
    /// Nobody goes on before all have come, by dissemination.
    Barrier,
    /// A sum over all, of which all get the result, in exchanges.
    Allreduce,
}

/// All algorithms.
pub const ALGORITHMS: [Algorithm; 13] = [
    Algorithm::Broadcast,
    Algorithm::ScatterDirect,
    Algorithm::ScatterBinomial,
    Algorithm::GatherDirect,
    Algorithm::GatherBinomial,
    Algorithm::MultinodeDoubling,
    Algorithm::MultinodeRing,
    Algorithm::ExchangeXor,
    Algorithm::ExchangeXorStepwise,
    Algorithm::ExchangeShifted,
    Algorithm::ExchangeShiftedStepwise,
    Algorithm::Barrier,
    Algorithm::Allreduce,
];

/// The reason why there is no graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraphError {
    /// There are too few processors, or too many.
    Processors(u32),
    /// The algorithm is for powers of two.
    PowerOfTwo(u32),
    /// The root is no processor.
    Root {
        /// The processor that was asked for.
        root: u32,
        /// Processors.
        processors: u32,
    },
    /// There are more than [`MESSAGES_MAX`] messages.
    TooMany(u64),
}

impl fmt::Display for GraphError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GraphError::Processors(found) => {
                write!(f, "found {found}, expected 2 to {}", 1 << LEVELS_MAX)
            }
            GraphError::PowerOfTwo(found) => write!(f, "found {found}, expected a power of two"),
            GraphError::Root { root, processors } => {
                write!(f, "found {root}, expected 0 to {}", processors - 1)
            }
            GraphError::TooMany(messages) => {
                write!(
                    f,
                    "{messages} messages; at most {MESSAGES_MAX} are possible"
                )
            }
        }
    }
}

impl std::error::Error for GraphError {}

/// A message from one processor to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unicast {
    /// The processor that sends.
    pub source: u32,
    /// The processor that receives, another one.
    pub destination: u32,
    /// Blocks that it carries, at least 1.
    pub blocks: u32,
}

/// Messages in an order in which each waits for earlier ones only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageGraph {
    messages: Vec<Unicast>,
    /// End in `ids` of the list of messages that each message waits for.
    ends: Vec<u32>,
    ids: Vec<u32>,
}

impl MessageGraph {
    /// The messages, in order of their ids.
    pub fn messages(&self) -> &[Unicast] {
        &self.messages
    }

    /// The messages that a message waits for: ids below its own, of messages to its source.
    ///
    /// # Panics
    /// When there is no such message.
    pub fn after(&self, id: usize) -> &[u32] {
        let first = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.ids[first as usize..self.ends[id] as usize]
    }

    /// Messages of the longest chain in which each waits for the delivery of the one before, or
    /// follows it at its source.
    pub fn longest_chain(&self) -> u32 {
        let mut chains: Vec<u32> = Vec::with_capacity(self.messages.len());
        let mut at_source = Vec::new();
        for (id, message) in self.messages.iter().enumerate() {
            let source = message.source as usize;
            if at_source.len() <= source {
                at_source.resize(source + 1, 0);
            }
            let before = self.after(id).iter().map(|&before| chains[before as usize]);
            let chain = 1 + before.chain([at_source[source]]).max().unwrap_or(0);
            at_source[source] = chain;
            chains.push(chain);
        }
        chains.into_iter().max().unwrap_or(0)
    }

    /// The messages of several rounds. A message waits for what its source was sent in
    /// earlier rounds and since its own last message, or with `free` for nothing.
    fn of_rounds<R>(processors: u32, free: bool, rounds: impl Iterator<Item = R>) -> MessageGraph
    where
        R: Iterator<Item = Unicast>,
    {
        let mut graph = MessageGraph::default();
        let mut received: Vec<SmallVec<[u32; 1]>> = vec![SmallVec::new(); processors as usize];
        for round in rounds {
            let first = graph.messages.len();
            for message in round {
                let waits_for = std::mem::take(&mut received[message.source as usize]);
                graph.ids.extend(waits_for);
                graph.ends.push(graph.ids.len() as u32);
                graph.messages.push(message);
            }
            if !free {
                for (id, message) in graph.messages.iter().enumerate().skip(first) {
                    received[message.destination as usize].push(id as u32);
                }
            }
        }
        graph
    }
}

impl Unicast {
    /// The same blocks from the destination to the source.
    fn backwards(self) -> Unicast {
        Unicast {
            source: self.destination,
            destination: self.source,
            ..self
        }
    }
}

/// A message of one block.
fn single(source: u32, destination: u32) -> Unicast {
    Unicast {
        source,
        destination,
        blocks: 1,
    }
}

impl Algorithm {
    /// The operation, as the command has it.
    pub fn operation(self) -> &'static str {
        match self {
            Algorithm::Broadcast => "broadcast",
            Algorithm::ScatterDirect | Algorithm::ScatterBinomial => "scatter",
            Algorithm::GatherDirect | Algorithm::GatherBinomial => "gather",
            Algorithm::MultinodeDoubling | Algorithm::MultinodeRing => "multinode-broadcast",
            Algorithm::ExchangeXor
            | Algorithm::ExchangeXorStepwise
            | Algorithm::ExchangeShifted
            | Algorithm::ExchangeShiftedStepwise => "total-exchange",
            Algorithm::Barrier => "barrier",
            Algorithm::Allreduce => "allreduce",
        }
    }

    /// The way in which it is made; `None` when there is one way.
    pub fn way(self) -> Option<&'static str> {
        match self {
            Algorithm::Broadcast | Algorithm::Barrier | Algorithm::Allreduce => None,
            Algorithm::ScatterDirect | Algorithm::GatherDirect => Some("direct"),
            Algorithm::ScatterBinomial | Algorithm::GatherBinomial => Some("binomial"),
            Algorithm::MultinodeDoubling => Some("doubling"),
            Algorithm::MultinodeRing => Some("ring"),
            Algorithm::ExchangeXor => Some("xor"),
            Algorithm::ExchangeXorStepwise => Some("xor-stepwise"),
            Algorithm::ExchangeShifted => Some("shifted"),
            Algorithm::ExchangeShiftedStepwise => Some("shifted-stepwise"),
        }
    }

    /// True when one processor has or gets all blocks.
    pub fn has_root(self) -> bool {
        matches!(
            self,
            Algorithm::Broadcast
                | Algorithm::ScatterDirect
                | Algorithm::ScatterBinomial
                | Algorithm::GatherDirect
                | Algorithm::GatherBinomial
        )
    }

    /// True when it is made for any number of processors, not only for powers of two.
    fn is_for_any(self) -> bool {
        matches!(
            self,
            Algorithm::MultinodeRing
                | Algorithm::ExchangeShifted
                | Algorithm::ExchangeShiftedStepwise
                | Algorithm::Barrier
        )
    }

    /// Number of messages it takes.
    fn count(self, processors: u32) -> u64 {
        let n = u64::from(processors);
        let rounds = u64::from(rounds(processors).end);
        match self {
            Algorithm::MultinodeDoubling | Algorithm::Barrier | Algorithm::Allreduce => n * rounds,
            Algorithm::MultinodeRing
            | Algorithm::ExchangeXor
            | Algorithm::ExchangeXorStepwise
            | Algorithm::ExchangeShifted
            | Algorithm::ExchangeShiftedStepwise => n * (n - 1),
            _ => n - 1,
        }
    }

    /// Its messages. Where no processor is the root, `root` is not looked at.
    ///
    /// # Errors
    /// When it is not made for so many processors, or the root is none of them.
    ///
    /// ```
    /// use crosswave_collectives::messages::Algorithm;
    /// let graph = Algorithm::Broadcast.graph(4, 0)?;
    /// let to: Vec<u32> = graph.messages().iter().map(|message| message.destination).collect();
    /// assert_eq!(to, [2, 1, 3]);
    /// assert_eq!(graph.after(2), [0], "node 2 sends it on to node 3");
    /// # Ok::<(), crosswave_collectives::messages::GraphError>(())
    /// ```
    pub fn graph(self, processors: u32, root: u32) -> Result<MessageGraph, GraphError> {
        let n = processors;
        if !(2..=1 << LEVELS_MAX).contains(&n) {
            return Err(GraphError::Processors(n));
        }
        if !self.is_for_any() && !n.is_power_of_two() {
            return Err(GraphError::PowerOfTwo(n));
        }
        if self.has_root() && root >= n {
            return Err(GraphError::Root { root, processors });
        }
        let count = self.count(n);
        if count > MESSAGES_MAX {
            return Err(GraphError::TooMany(count));
        }
        let rounds = rounds(n);
        Ok(match self {
            Algorithm::Broadcast => down(n, root, false),
            Algorithm::ScatterBinomial => down(n, root, true),
            Algorithm::GatherBinomial => {
                let round = |h| edges(n, root, h).map(Unicast::backwards);
                MessageGraph::of_rounds(n, false, rounds.map(round))
            }
            Algorithm::ScatterDirect => {
                let furthest = (1..n).rev().map(|offset| single(root, root ^ offset));
                MessageGraph::of_rounds(n, true, std::iter::once(furthest))
            }
            Algorithm::GatherDirect => {
                let all = (1..n).map(|offset| single(root ^ offset, root));
                MessageGraph::of_rounds(n, true, std::iter::once(all))
            }
            Algorithm::MultinodeDoubling => exchanges(n, true),
            Algorithm::Allreduce => exchanges(n, false),
            Algorithm::MultinodeRing => steps(n, false, |source, _, n| (source + 1) % n),
            Algorithm::ExchangeXor => steps(n, true, xor),
            Algorithm::ExchangeXorStepwise => steps(n, false, xor),
            Algorithm::ExchangeShifted => steps(n, true, shifted),
            Algorithm::ExchangeShiftedStepwise => steps(n, false, shifted),
            Algorithm::Barrier => {
                let round =
                    |r: u32| (0..n).map(move |source| single(source, shifted(source, 1 << r, n)));
                MessageGraph::of_rounds(n, false, rounds.map(round))
            }
        })
    }
}

/// Rounds in which whoever has heard can double, from 0.
fn rounds(processors: u32) -> Range<u32> {
    0..processors.next_power_of_two().ilog2()
}

fn xor(source: u32, step: u32, _: u32) -> u32 {
    source ^ step
}

fn shifted(source: u32, step: u32, processors: u32) -> u32 {
    (source + step) % processors
}

/// Steps 1 to n - 1 of everybody: `to` says to whom from a source, a step and n.
fn steps(n: u32, free: bool, to: fn(u32, u32, u32) -> u32) -> MessageGraph {
    let step = |k| (0..n).map(move |source| single(source, to(source, k, n)));
    MessageGraph::of_rounds(n, free, (1..n).map(step))
}

/// Exchanges between processors whose numbers differ in bit 0, then in bit 1, and so on.
fn exchanges(n: u32, doubles: bool) -> MessageGraph {
    let round = |r| {
        let bit = 1u32 << r;
        (0..n).map(move |source| Unicast {
            blocks: if doubles { bit } else { 1 },
            ..single(source, source ^ bit)
        })
    };
    MessageGraph::of_rounds(n, false, rounds(n).map(round))
}

/// Messages along the edges of the root's binomial tree between two halves of 2^h processors,
/// each with a block for everybody in the half that it goes to.
fn edges(n: u32, root: u32, h: u32) -> impl Iterator<Item = Unicast> {
    let half = 1u32 << h;
    let places = (0..n).step_by(2 << h);
    places.map(move |place| Unicast {
        source: place ^ root,
        destination: (place | half) ^ root,
        blocks: half,
    })
}

/// Down the binomial tree, with a block for everybody below or with one.
fn down(n: u32, root: u32, for_all: bool) -> MessageGraph {
    let round = |h| {
        edges(n, root, h).map(move |message| Unicast {
            blocks: if for_all { message.blocks } else { 1 },
            ..message
        })
    };
    MessageGraph::of_rounds(n, false, rounds(n).rev().map(round))
}

#[cfg(test)]
mod tests;
