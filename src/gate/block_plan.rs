//! What a thread takes hold of for a block of a [`Skew`](super::skew), and the block's edges in
//! terms of it.
//!
//! An edge of a group reads the outputs of its neighbours and its own in one buffer and writes
//! its own in the other. Many edges of a block use the same outputs, so a thread takes a lock
//! once a block and not once an edge: of the states of all groups that take edges, of each
//! buffer that they write, and of each other one that they read. Since no block of a phase
//! reads what another one writes, none of these locks is waited for.

use std::collections::BTreeMap;
use std::ops::Range;

use super::skew::{GroupEdge, Groups, Phase};

/// Outputs of a group in one of its buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeldOutputs {
    /// The group.
    pub group: u32,
    /// The buffer: 0 is the one that is read by the first edge of a burst.
    pub buffer: u8,
    /// Whether the block writes them.
    pub is_written: bool,
}

/// An edge, by the places of what it uses among what its block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlannedEdge {
    /// Which of the group's edges, from 0 on.
    pub edge: u32,
    /// The group, among the members.
    pub member: u32,
    /// Its outputs that are read.
    pub own: u32,
    /// Its outputs that are written.
    pub next: u32,
    /// Where the outputs of its neighbours begin among the sources of the block.
    pub first_source: u32,
}

/// A block.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BlockPlan {
    /// The groups that take edges.
    pub members: Vec<u32>,
    /// The outputs that are used.
    pub outputs: Vec<HeldOutputs>,
    /// The edges, in order.
    pub edges: Vec<PlannedEdge>,
    /// The outputs that edges read of neighbours, edge by edge, those of one in the order of
    /// the neighbours.
    pub sources: Vec<u32>,
}

impl BlockPlan {
    /// The plans of the blocks of a phase.
    pub fn of_phase(groups: &Groups, phase: &Phase) -> Vec<BlockPlan> {
        let of = |block: &Range<usize>| BlockPlan::new(groups, &phase.edges[block.clone()]);
        phase.blocks.iter().map(of).collect()
    }

    fn new(groups: &Groups, edges: &[GroupEdge]) -> BlockPlan {
        let mut plan = BlockPlan::default();
        let mut members = BTreeMap::new();
        let mut places = BTreeMap::new();
        for &GroupEdge { group, edge } in edges {
            let next = plan.members.len() as u32;
            let member = *members.entry(group).or_insert(next);
            if member == next {
                plan.members.push(group);
            }
            let mut place = |group: u32, edge: u32, is_written: bool| {
                let buffer = (edge % 2) as u8;
                let held = &mut plan.outputs;
                let place = *places.entry((group, buffer)).or_insert(held.len() as u32);
                if place as usize == held.len() {
                    held.push(HeldOutputs {
                        group,
                        buffer,
                        is_written,
                    });
                }
                held[place as usize].is_written |= is_written;
                place
            };
            let (own, next) = (place(group, edge, false), place(group, edge + 1, true));
            let first_source = plan.sources.len() as u32;
            let range = groups.starts[group as usize]..groups.starts[group as usize + 1];
            for &neighbour in &groups.neighbours[range] {
                plan.sources.push(place(neighbour, edge, false));
            }
            plan.edges.push(PlannedEdge {
                edge,
                member,
                own,
                next,
                first_source,
            });
        }
        plan
    }

    /// The outputs that an edge reads of its neighbours.
    #[inline(always)]
    pub fn sources(&self, number: usize) -> &[u32] {
        let first = self.edges[number].first_source as usize;
        let next = self.edges.get(number + 1);
        let end = next.map_or(self.sources.len(), |next| next.first_source as usize);
        &self.sources[first..end]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three groups in a row; the block takes two edges of the first and one of the second.
    #[test]
    fn outputs_are_held_once_and_written_where_edges_end() {
        let groups = Groups {
            bytes: vec![1; 3],
            driven: vec![true, false, false],
            starts: vec![0, 1, 3, 4],
            neighbours: vec![1, 0, 2, 1],
        };
        let edge = |group, edge| GroupEdge { group, edge };
        let plan = BlockPlan::new(&groups, &[edge(0, 0), edge(1, 0), edge(0, 1)]);
        let held: Vec<(u32, u8, bool)> = plan
            .outputs
            .iter()
            .map(|held| (held.group, held.buffer, held.is_written))
            .collect();
        assert_eq!(
            held,
            [
                (0, 0, true),
                (0, 1, true),
                (1, 0, false),
                (1, 1, true),
                (2, 0, false)
            ]
        );
        assert_eq!(plan.members, [0, 1]);
        let sources: Vec<&[u32]> = (0..3).map(|number| plan.sources(number)).collect();
        assert_eq!(sources, [&[2][..], &[0, 4], &[3]]);
        let uses = |at: usize| (plan.edges[at].own, plan.edges[at].next);
        assert_eq!([uses(0), uses(1), uses(2)], [(0, 1), (2, 3), (1, 0)]);
    }
}
