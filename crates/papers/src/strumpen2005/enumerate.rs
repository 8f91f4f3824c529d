//! Exact probabilities of collisions, and exact mean rounds, by trying everything.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 4, derive the probability that two
//! messages collide from a case analysis (Lemma 1, equations (1) and (2)); section 7
//! simulates rounds. Here the register-level models of the hardware send the messages:
//! for every source and every destination, and for every answer of every random pin
//! (`round`), so the results are rationals without an error.
//!
//! Messages start in one cycle and nothing is acknowledged before all of them are settled.
//! Sources are distinct and uniform, destinations uniform, independent of one another, and
//! never the own source.
//!
//! Cost: the number of sources and destinations, times the branches of a round: two for
//! each level that a message climbs without meeting another one. [`Symmetry`] cuts down
//! the first factor. Optimised, on one core: pairs at n = 16 with the
//! first source at node 0 in 1.5 s, and by classes at n = 64 in 3 s; four messages at n = 8
//! and three at n = 16 by classes in 2 and 4 s.

mod round;

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

pub use round::{CERTAIN, MESSAGES_MAX, Pair, Rounds, Weight};

use crosswave_chips::protocol::STRATEGY_ROUNDS;
use crosswave_network::fat_tree::{FatTree, Release};

/// The full fat tree of `2^levels` nodes that sends by rounds, over links without extra
/// clocks; ties are decided at random.
pub fn fat_tree(levels: u32) -> FatTree {
    FatTree {
        nodes: 1 << levels,
        capacities: FatTree::doubling(levels),
        link_delay_cycles: vec![0; levels as usize],
        winner_fixed: false,
        release: Release::Acknowledge,
        strategy: STRATEGY_ROUNDS,
        backoff_limit: 0,
    }
}

/// Levels of the largest tree that is enumerated.
pub const LEVELS_MAX: u32 = 6;

/// The sources and destinations that are tried; the result is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symmetry {
    /// All.
    None,
    /// Those in which the first message starts at node 0, as in the proof of Lemma 1.
    Source,
    /// One of each class that exchanges of subtrees take into one another. To exchange
    /// the subtrees of a node of the tree is to exchange ports a and b of its routers,
    /// and a router treats both alike, apart from its random pins.
    Tree,
}

/// The probability that two messages collide whose places are so: the first one's
/// destination is in its source's `i`-subtree, the second one's source is in the first
/// one's `k`-subtree, and the second one's destination is in its own source's `j`-subtree.
/// The `v`-subtree of a node has the nodes whose addresses differ from its own in bit `v`
/// and in no higher one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockProbability {
    /// Source of the second message.
    pub k: u32,
    /// Destination of the first message.
    pub i: u32,
    /// Destination of the second message.
    pub j: u32,
    /// Pr[k, i, j]: the average over the block, the subject of equation (2).
    pub probability: BigRational,
}

/// Pr\[C2\]: the probability that of two messages in a tree one is
/// rejected, the subject of Lemma 1.
///
/// # Panics
/// When there are no levels, or more than [`LEVELS_MAX`].
pub fn pair_collision(tree: &FatTree, symmetry: Symmetry) -> BigRational {
    let blocks = sums(tree, symmetry);
    let weight: BigInt = blocks.iter().map(|sum| BigInt::from(sum.collided)).sum();
    let pairs: BigInt = blocks.iter().map(|sum| BigInt::from(sum.pairs)).sum();
    BigRational::new(weight, pairs * BigInt::from(CERTAIN))
}

/// Pr[k, i, j] for all k, i and j, in this order; j changes first.
///
/// # Panics
/// When there are no levels, or more than [`LEVELS_MAX`].
pub fn block_collisions(tree: &FatTree, symmetry: Symmetry) -> Vec<BlockProbability> {
    let levels = tree.levels();
    let sums = sums(tree, symmetry).into_iter().enumerate();
    let block = |(at, sum): (usize, Sum)| {
        let at = at as u32;
        let pairs = BigInt::from(sum.pairs) * BigInt::from(CERTAIN);
        BlockProbability {
            k: at / levels / levels,
            i: at / levels % levels,
            j: at % levels,
            probability: BigRational::new(BigInt::from(sum.collided), pairs),
        }
    };
    sums.map(block).collect()
}

/// The mean number of rounds in which `messages` messages are delivered in a tree: all start together, those that are rejected start together again, and
/// so on. From any set of messages M the mean is 1 plus the sum of means from the sets that
/// one round leaves, each times its probability; a set is never left as it is, since at
/// least one message passes.
///
/// # Panics
/// When there are no levels or more than [`LEVELS_MAX`], no messages, more than nodes, or
/// more than [`MESSAGES_MAX`].
pub fn mean_rounds(tree: &FatTree, messages: u32, symmetry: Symmetry) -> BigRational {
    let levels = tree.levels();
    let mut means = Means {
        levels,
        symmetry,
        rounds: rounds(tree),
        known: BTreeMap::new(),
    };
    let nodes = 1 << levels;
    assert!((1..=nodes).contains(&messages), "a source for each message");
    assert!(messages <= MESSAGES_MAX as u32, "too many messages");
    // Occurrences of each set of messages.
    let mut sets: BTreeMap<Vec<Pair>, u64> = BTreeMap::new();
    let mut total = 0_u64;
    // Sets of sources, one bit each.
    let sources: Vec<u64> = match symmetry {
        Symmetry::None => subsets(nodes, messages),
        Symmetry::Source | Symmetry::Tree => {
            let others = subsets(nodes - 1, messages - 1);
            others.into_iter().map(|set| set << 1 | 1).collect()
        }
    };
    for set in sources {
        let sources: Vec<u32> = (0..nodes).filter(|at| set >> at & 1 != 0).collect();
        for number in 0..u64::from(nodes - 1).pow(messages) {
            let mut rest = number;
            let pair = |&source: &u32| {
                let other = (rest % u64::from(nodes - 1)) as u32;
                rest /= u64::from(nodes - 1);
                (source, other + u32::from(other >= source))
            };
            let set: Vec<Pair> = sources.iter().map(pair).collect();
            *sets.entry(means.key(&set)).or_default() += 1;
            total += 1;
        }
    }
    let mut sum = BigRational::zero();
    for (set, count) in sets {
        sum += means.of(&set) * BigRational::from(BigInt::from(count));
    }
    sum / BigRational::from(BigInt::from(total))
}

/// All sets of `size` numbers below `of`, one bit each.
fn subsets(of: u32, size: u32) -> Vec<u64> {
    match (of, size) {
        (_, 0) => vec![0],
        (0, _) => Vec::new(),
        _ => {
            let last = 1 << (of - 1);
            let with = subsets(of - 1, size - 1).into_iter().map(|set| set | last);
            subsets(of - 1, size).into_iter().chain(with).collect()
        }
    }
}

/// Mean rounds from sets of messages.
struct Means {
    levels: u32,
    symmetry: Symmetry,
    rounds: Rounds,
    known: BTreeMap<Vec<Pair>, BigRational>,
}

impl Means {
    /// The key under which the mean of a set of messages is stored.
    fn key(&self, set: &[Pair]) -> Vec<Pair> {
        match self.symmetry {
            Symmetry::Tree => representative(self.levels, set),
            Symmetry::None | Symmetry::Source => set.to_vec(),
        }
    }

    /// The mean from a set that is its own key.
    fn of(&mut self, set: &[Pair]) -> BigRational {
        if let Some(mean) = self.known.get(set) {
            return mean.clone();
        }
        let weights = self.rounds.rejected(set);
        let last = weights.len() - 1;
        assert_eq!(weights[last], 0, "a message passes in every round");
        let mut mean = BigRational::one();
        for (rejected, weight) in weights.into_iter().enumerate().skip(1) {
            if weight != 0 {
                let left = set.iter().enumerate();
                let left = left.filter(|(at, _)| rejected >> at & 1 != 0);
                let left: Vec<Pair> = left.map(|(_, &pair)| pair).collect();
                let left = self.key(&left);
                mean += self.of(&left) * BigRational::new(weight.into(), CERTAIN.into());
            }
        }
        self.known.insert(set.to_vec(), mean.clone());
        mean
    }
}

/// Pairs of messages of a block.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// Number of pairs.
    pairs: u64,
    /// The sum of their weights of a collision.
    collided: Weight,
}

/// The sums of all blocks.
fn sums(tree: &FatTree, symmetry: Symmetry) -> Vec<Sum> {
    let levels = tree.levels();
    let mut rounds = rounds(tree);
    let mut known: BTreeMap<Vec<Pair>, Weight> = BTreeMap::new();
    let mut sums = vec![Sum::default(); levels.pow(3) as usize];
    let nodes = 1_u32 << levels;
    let first = match symmetry {
        Symmetry::None => 0..nodes,
        Symmetry::Source | Symmetry::Tree => 0..1,
    };
    // Offsets by exclusive or: a node at offset x is in the subtree of x's highest bit.
    for source in first {
        for (k, i, j) in offsets(nodes) {
            let second = source ^ k;
            let pairs = [(source, source ^ i), (second, second ^ j)];
            let weight = match symmetry {
                Symmetry::Tree => *known
                    .entry(representative(levels, &pairs))
                    .or_insert_with(|| collided(&mut rounds, &pairs)),
                Symmetry::None | Symmetry::Source => collided(&mut rounds, &pairs),
            };
            let block = (k.ilog2() * levels + i.ilog2()) * levels + j.ilog2();
            sums[block as usize].pairs += 1;
            sums[block as usize].collided += weight;
        }
    }
    sums
}

fn offsets(nodes: u32) -> impl Iterator<Item = (u32, u32, u32)> {
    let all = move || 1..nodes;
    all().flat_map(move |k| all().flat_map(move |i| all().map(move |j| (k, i, j))))
}

/// The weight of branches in which one of two messages is rejected.
fn collided(rounds: &mut Rounds, pairs: &[Pair; 2]) -> Weight {
    let weights = rounds.rejected(pairs);
    assert_eq!(weights[3], 0, "a message passes in every round");
    CERTAIN - weights[0]
}

fn rounds(tree: &FatTree) -> Rounds {
    let levels = tree.levels();
    assert!((1..=LEVELS_MAX).contains(&levels), "{levels} levels");
    Rounds::new(tree)
}

/// The first of all lists of messages that exchanges of subtrees and of messages make of
/// this one.
fn representative(levels: u32, messages: &[Pair]) -> Vec<Pair> {
    let mut order: Vec<Pair> = messages.to_vec();
    let mut first: Option<Vec<Pair>> = None;
    each_order(&mut order, 0, &mut |order| {
        let image = image(levels, order);
        if first.as_ref().is_none_or(|first| image < *first) {
            first = Some(image);
        }
    });
    first.unwrap_or_default()
}

/// The orders of what stands from `from` on.
fn each_order(items: &mut [Pair], from: usize, take: &mut impl FnMut(&[Pair])) {
    if from + 1 >= items.len() {
        return take(items);
    }
    for at in from..items.len() {
        items.swap(from, at);
        each_order(items, from + 1, take);
        items.swap(from, at);
    }
}

/// The first of all lists that exchanges of subtrees make of this one: each address goes as
/// far to the left as those before it let it.
fn image(levels: u32, messages: &[Pair]) -> Vec<Pair> {
    // True where the subtrees of a node change places; nodes are numbered as in a heap.
    let mut exchanged: [Option<u32>; 1 << LEVELS_MAX] = [None; 1 << LEVELS_MAX];
    let mut of = |address: u32| {
        let (mut node, mut image) = (1, 0);
        for level in (0..levels).rev() {
            let bit = address >> level & 1;
            image = image << 1 | bit ^ *exchanged[node].get_or_insert(bit);
            node = node << 1 | bit as usize;
        }
        image
    };
    messages
        .iter()
        .map(|&(from, to)| (of(from), of(to)))
        .collect()
}

#[cfg(test)]
mod tests;
