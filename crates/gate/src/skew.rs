//! Time skewing: which groups are taken through several cycles one after another,
//! while they are in a cache, and in what order.
//!
//! A network larger than the caches goes through memory once a cycle when its groups
//! are taken over an edge one by one. But an edge of a group needs no more than the
//! outputs of its neighbours in the same cycle. With two buffers, a group may be
//! taken from cycle `t` to `t + 1` when every neighbour stands in `t` or `t + 1`:
//! what it reads is there, and what it writes over, its outputs of `t - 1`, nobody
//! needs any more.
//!
//! Groups lie in *layers*, by their distance from the groups that the host drives:
//! neighbours are at most one layer apart. Layers are cut into *regions*, so that
//! the connected parts of a region, its *blocks*, fit into a cache. All groups take
//! `cycles` edges in two phases:
//!
//! 1. the blocks of regions: a group takes one edge for each layer, itself included,
//!    between it and the nearest region beyond, and `cycles` at most;
//! 2. what is left: the groups about the cuts, in blocks of their own.
//!
//! Within a phase no block waits for another one, so threads take them as they come.
//! Within a block the order of edges is the one that uses again what was used last.
//! ```text
//!  edges of a group                         1, 2: phase
//!      4 │ 1 1 1 1 2 2 2 ┊ 2 2 2 1 1 1 1
//!      3 │ 1 1 1 1 1 2 2 ┊ 2 2 1 1 1 1 1
//!      2 │ 1 1 1 1 1 1 2 ┊ 2 1 1 1 1 1 1
//!      1 │ 1 1 1 1 1 1 1 ┊ 1 1 1 1 1 1 1
//!        └─────────────────────────────── layer
//! ```

use std::ops::Range;

use petgraph::unionfind::UnionFind;

#[cfg(test)]
mod tests;

/// Bounds of a skew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of a block.
    pub block_bytes: usize,
    /// Most cycles.
    pub cycles: usize,
}

impl Limits {
    /// Limits for networks larger than the caches: blocks of all threads together fit a
    /// cache of 32 MiB, but need not be larger than 16 MiB, which is enough for six cycles
    /// at a time at n = 2^20. What a pass through memory costs is shared by the cycles; that
    /// edges go depth first makes up for blocks that a smaller cache does not hold.
    pub fn of_threads(threads: usize) -> Limits {
        Limits {
            block_bytes: ((32 << 20) / threads.max(1)).clamp(1 << 20, 16 << 20),
            cycles: 8,
        }
    }
}

/// The groups of a network.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    /// Bytes of each.
    pub bytes: Vec<usize>,
    /// For each, true when the host drives it.
    pub driven: Vec<bool>,
    /// The index of the first neighbour of each, and the end.
    pub starts: Vec<usize>,
    /// The neighbours: whose neighbour a group is, that is its neighbour.
    pub neighbours: Vec<u32>,
}

/// One edge of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroupEdge {
    /// The group.
    pub group: u32,
    /// Number of this edge among the group's edges, from 0 on.
    pub edge: u32,
}

/// Blocks that do not wait for each other.
#[derive(Debug, Clone, Default)]
pub struct Phase {
    /// Edges of all blocks.
    pub edges: Vec<GroupEdge>,
    /// Those of each block, in the order in which they are to be taken; the longest block first, so that
    /// threads are done at about the same time.
    pub blocks: Vec<Range<usize>>,
}

/// An order in which all groups take the same number of edges.
#[derive(Debug, Clone)]
pub struct Skew {
    /// Edges of a group.
    pub cycles: usize,
    /// The phases, one after the other.
    pub phases: [Phase; 2],
}

impl Groups {
    /// The number of groups.
    fn count(&self) -> usize {
        self.bytes.len()
    }

    fn neighbours(&self, group: usize) -> impl Iterator<Item = usize> {
        let range = self.starts[group]..self.starts[group + 1];
        self.neighbours[range].iter().map(|&group| group as usize)
    }

    /// The groups of each layer. Components that the host does not drive have layers of
    /// their own, from their first group on.
    fn layers(&self) -> Vec<Vec<usize>> {
        let mut layers: Vec<Vec<usize>> = Vec::new();
        let mut seen = self.driven.clone();
        let mut roots: Vec<usize> = (0..self.count()).filter(|&g| seen[g]).collect();
        let mut unseen = 0..self.count();
        loop {
            for depth in 0.. {
                if roots.is_empty() {
                    break;
                }
                let mut next = Vec::new();
                for group in roots.iter().flat_map(|&root| self.neighbours(root)) {
                    if !seen[group] {
                        seen[group] = true;
                        next.push(group);
                    }
                }
                next.sort_unstable();
                if layers.len() == depth {
                    layers.push(Vec::new());
                }
                layers[depth].extend(std::mem::replace(&mut roots, next));
            }
            match unseen.find(|&group| !seen[group]) {
                Some(group) => {
                    seen[group] = true;
                    roots.push(group);
                }
                None => return layers,
            }
        }
    }
}

/// Connected parts of a growing set of groups.
struct Components<'a> {
    groups: &'a Groups,
    members: Vec<bool>,
    sets: UnionFind<u32>,
    /// Bytes by representative.
    bytes: Vec<usize>,
    /// Bytes of the largest part.
    largest: usize,
}

impl<'a> Components<'a> {
    fn new(groups: &'a Groups) -> Self {
        Components {
            groups,
            members: vec![false; groups.count()],
            sets: UnionFind::new(groups.count()),
            bytes: groups.bytes.clone(),
            largest: 0,
        }
    }

    fn add(&mut self, group: usize) {
        self.members[group] = true;
        self.largest = self.largest.max(self.groups.bytes[group]);
        for other in self.groups.neighbours(group) {
            if !self.members[other] {
                continue;
            }
            let (one, two) = (
                self.sets.find(group as u32) as usize,
                self.sets.find(other as u32) as usize,
            );
            if self.sets.union(one as u32, two as u32) {
                let together = self.bytes[one] + self.bytes[two];
                self.bytes[self.sets.find(one as u32) as usize] = together;
                self.largest = self.largest.max(together);
            }
        }
    }

    /// Number of layers, from the first on, that make parts of no more than some bytes.
    fn fitting<'l>(
        groups: &Groups,
        layers: impl Iterator<Item = &'l Vec<usize>>,
        bytes: usize,
    ) -> usize {
        let mut parts = Components::new(groups);
        let fits = |layer: &&Vec<usize>| {
            layer.iter().for_each(|&group| parts.add(group));
            parts.largest <= bytes
        };
        layers.take_while(fits).count()
    }

    /// The members of each part, in the order in which they are given.
    fn blocks(&self, members: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
        let mut number = vec![None; self.groups.count()];
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for group in members {
            let of = self.sets.find(group as u32) as usize;
            let block = *number[of].get_or_insert_with(|| {
                blocks.push(Vec::new());
                blocks.len() - 1
            });
            blocks[block].push(group);
        }
        blocks
    }
}

/// The first layer of each region, and the end.
fn regions(groups: &Groups, layers: &[Vec<usize>], bytes: usize) -> Vec<usize> {
    let mut starts = vec![0];
    while let Some(&start) = starts.last()
        && start < layers.len()
    {
        let fitting = Components::fitting(groups, layers[start..].iter(), bytes);
        starts.push(start + fitting.max(1));
    }
    // The last regions have what is left over; they take of those before them.
    for region in (1..starts.len() - 1).rev() {
        let (before, end) = (starts[region - 1], starts[region + 1]);
        let fitting = Components::fitting(groups, layers[..end].iter().rev(), bytes);
        let alike = (before + end).div_ceil(2);
        starts[region] = starts[region].min(alike.max(end - fitting));
    }
    starts
}

impl Skew {
    /// The skew with the most cycles within limits; `None` when there is none of two
    /// cycles, when all layers make one region, or when a group is a neighbour of itself
    /// (it would be read while it is written).
    pub fn new(groups: &Groups, limits: Limits) -> Option<Skew> {
        let itself = |group| groups.neighbours(group).any(|other| other == group);
        if (0..groups.count()).any(itself) {
            return None;
        }
        let layers = groups.layers();
        let starts = regions(groups, &layers, limits.block_bytes);
        if starts.len() < 3 {
            return None;
        }
        // Layers from each to the nearest region beyond, itself included.
        let mut room = vec![usize::MAX; layers.len()];
        for (region, range) in starts.windows(2).enumerate() {
            let width = range[1] - range[0];
            for (at, room) in room[range[0]..range[1]].iter_mut().enumerate() {
                if region > 0 {
                    *room = at + 1;
                }
                if region + 2 < starts.len() {
                    *room = (*room).min(width - at);
                }
            }
        }
        let most = starts.windows(2).map(|range| {
            let rooms = &room[range[0]..range[1]];
            rooms.iter().copied().max().unwrap_or(0)
        });
        let most = most.min().unwrap_or(0).min(limits.cycles);
        (2..=most).rev().find_map(|cycles| {
            let skew = Skew::of(groups, &layers, &starts, &room, cycles);
            let of_block = |block: &Range<usize>| -> usize {
                let edges = &skew.phases[1].edges[block.clone()];
                let last = edges.iter().filter(|e| e.edge as usize + 1 == cycles);
                last.map(|edge| groups.bytes[edge.group as usize]).sum()
            };
            let fits = |block| of_block(block) <= limits.block_bytes;
            skew.phases[1].blocks.iter().all(fits).then_some(skew)
        })
    }

    /// Mean number of times that a group is taken up for each of its edges.
    pub fn visits_per_cycle(&self) -> f64 {
        let count = |phase: &Phase, edge: usize| {
            let of = |found: &&GroupEdge| found.edge as usize == edge;
            phase.edges.iter().filter(of).count()
        };
        let [first, second] = &self.phases;
        // All take their first edge in the first phase; who takes the last one in the
        // second is taken up twice.
        let (groups, twice) = (count(first, 0), count(second, self.cycles - 1));
        (groups + twice) as f64 / (groups * self.cycles) as f64
    }

    fn of(
        groups: &Groups,
        layers: &[Vec<usize>],
        starts: &[usize],
        room: &[usize],
        cycles: usize,
    ) -> Skew {
        let mut order = Order {
            groups,
            layer: vec![0; groups.count()],
            time: vec![0; groups.count()],
            end: vec![0; groups.count()],
        };
        for (layer, members) in layers.iter().enumerate() {
            for &group in members {
                order.layer[group] = layer;
                order.end[group] = room[layer].min(cycles);
            }
        }
        let mut phases = [Phase::default(), Phase::default()];
        for range in starts.windows(2) {
            let members = layers[range[0]..range[1]].iter().flatten();
            phases[0].add(&mut order, &members.copied().collect::<Vec<_>>());
        }
        order.end.fill(cycles);
        let members = layers.iter().flatten().copied();
        let left = members.filter(|&group| order.time[group] < cycles);
        let left: Vec<usize> = left.collect();
        phases[1].add(&mut order, &left);
        for Phase { blocks, .. } in &mut phases {
            blocks.sort_by_key(|block| std::cmp::Reverse(block.len()));
        }
        Skew { cycles, phases }
    }
}

/// The order of edges under construction.
struct Order<'a> {
    groups: &'a Groups,
    /// The layer of each group.
    layer: Vec<usize>,
    /// The edges that each group has taken.
    time: Vec<usize>,
    /// The number of edges that each group is to take.
    end: Vec<usize>,
}

impl Order<'_> {
    /// The edges of a block. Each group takes as many as it can as soon as it can, and
    /// then its neighbours do, those nearest to the host first: what was used last is
    /// used next, whatever the sizes of the caches.
    fn take(&mut self, block: &[usize], members: &[bool], edges: &mut Vec<GroupEdge>) {
        let mut stack = Vec::new();
        for &group in block {
            stack.push(group);
            while let Some(&group) = stack.last() {
                let time = self.time[group];
                let waits = |other: usize| members[other] && self.time[other] < time;
                if time == self.end[group] || self.groups.neighbours(group).any(waits) {
                    stack.pop();
                    continue;
                }
                edges.push(GroupEdge {
                    group: group as u32,
                    edge: time as u32,
                });
                self.time[group] += 1;
                let start = stack.len();
                stack.extend(self.groups.neighbours(group).filter(|&g| members[g]));
                stack[start..].sort_by_key(|&group| std::cmp::Reverse(self.layer[group]));
            }
        }
    }
}

impl Phase {
    /// Adds blocks: the connected parts of some groups.
    fn add(&mut self, order: &mut Order, members: &[usize]) {
        let mut parts = Components::new(order.groups);
        members.iter().for_each(|&group| parts.add(group));
        for block in parts.blocks(members.iter().copied()) {
            let start = self.edges.len();
            order.take(&block, &parts.members, &mut self.edges);
            self.blocks.push(start..self.edges.len());
        }
    }
}
