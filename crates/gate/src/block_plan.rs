//! The locks that a thread takes for a block of a [`Skew`](super::skew), and the block's edges in
//! terms of them.
//!
//! An edge of a group reads the outputs of its neighbours and its own in one buffer and writes
//! its own in the other. Many edges of a block use the same outputs, so a thread takes a lock
//! once a block and not once an edge: of the states of all groups that take edges, of each
//! buffer that they write, and of each other one that they read. Since no block of a phase
//! reads what another one writes, none of these locks is waited for.
//!
//! All that is held is lent to the block's calls of native code, as slices in this order: the
//! outputs, the states of the members, their pins, zeros, and for each array the patterns of its code.
//! What a member uses first is fetched while the code of others runs ([`FetchAhead`]).

use std::collections::BTreeMap;
use std::ops::Range;

use super::reads::GroupPlaces;
use super::skew::{GroupEdge, Groups, Phase};
use super::step::{Shared, ZEROS};
use super::wiring::{Group, narrow};
use crosswave_lanes::evaluator::Evaluator;
use crosswave_lanes::native::{Calls, SlicePlace};

/// Outputs of a group in one of its buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HeldOutputs {
    /// The group.
    pub group: u32,
    /// The buffer: 0 is the one that is read by the first edge of a burst.
    pub buffer: u8,
    /// True when the block writes them.
    pub is_written: bool,
}

/// An edge, by the places of what it uses among what its block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlannedEdge {
    /// Number of this edge among the group's edges, from 0 on.
    pub edge: u32,
    /// The group, among the members.
    pub member: u32,
    /// Its outputs that are read.
    pub own: u32,
    /// Its outputs that are written.
    pub next: u32,
    /// The first of its neighbours' outputs among the sources of the block.
    pub first_source: u32,
    /// The number of its call, if native code evaluates it.
    pub call: u32,
}

/// A group that takes edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    /// The group, among all.
    pub group: u32,
    /// Its first edge in the block.
    pub first_edge: u32,
}

/// A block.
#[derive(Debug, Default)]
pub(super) struct BlockPlan {
    /// The groups that take edges, in the order in which they do.
    pub members: Vec<Member>,
    /// The outputs that are used.
    pub outputs: Vec<HeldOutputs>,
    /// The edges, in order.
    pub edges: Vec<PlannedEdge>,
    /// The outputs that edges read of neighbours, edge by edge, those of one in the order of
    /// the neighbours.
    pub sources: Vec<u32>,
    /// The calls of those edges that native code evaluates.
    pub calls: Calls,
}

impl BlockPlan {
    /// The plans of the blocks of a phase, whose groups are in these places.
    pub fn of_phase(
        shared: &Shared,
        (groups, places): (&Groups, &[Group]),
        phase: &Phase,
    ) -> Vec<BlockPlan> {
        let of = |block: &Range<usize>| {
            let mut plan = BlockPlan::new(groups, &phase.edges[block.clone()]);
            plan.add_calls(shared, places);
            plan
        };
        phase.blocks.iter().map(of).collect()
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> usize {
        size_of_val(self.members.as_slice())
            + size_of_val(self.outputs.as_slice())
            + size_of_val(self.edges.as_slice())
            + size_of_val(self.sources.as_slice())
            + self.calls.bytes()
    }

    /// The slice of a member's state.
    #[inline(always)]
    pub fn state_slice(&self, member: usize) -> usize {
        self.outputs.len() + member
    }

    /// The slice of a member's pins.
    #[inline(always)]
    pub fn pins_slice(&self, member: usize) -> usize {
        self.outputs.len() + self.members.len() + member
    }

    /// The slice of zeros.
    fn zeros_slice(&self) -> usize {
        self.pins_slice(self.members.len())
    }

    /// The slice of the patterns of an array's code.
    fn patterns_slice(&self, array: usize) -> usize {
        self.zeros_slice() + 1 + array
    }

    /// Words of all slices but the last, which is what arrives.
    fn slice_words(&self, shared: &Shared, places: &[Group]) -> Vec<usize> {
        let chunk = |group: u32| &shared.chunks[places[group as usize].chunk as usize];
        let outputs = self.outputs.iter().map(|held| chunk(held.group));
        let mut words: Vec<usize> = outputs.map(|chunk| chunk.outputs.tile_size()).collect();
        let members = self.members.iter().map(|member| chunk(member.group));
        words.extend(members.clone().map(|chunk| chunk.state.tile_size()));
        words.extend(members.map(|chunk| chunk.pins.tile_size()));
        words.push(ZEROS.len());
        words.extend(shared.patterns().map(<[u64]>::len));
        words
    }

    /// Adds the calls of the edges that native code evaluates, of groups in these places.
    ///
    /// # Panics
    /// When an edge reads what it writes.
    fn add_calls(&mut self, shared: &Shared, places: &[Group]) {
        let words = self.slice_words(shared, places);
        let arrived = narrow(words.len());
        let native = shared.chunks.iter().filter(|chunk| !chunk.codes.is_empty());
        let regions = native.map(|chunk| chunk.reads.of(0).len());
        let mut calls = Calls::new(words, regions.max().unwrap_or(0));
        let mut of_call = Vec::new();
        let mut number = 0;
        for edge in 0..self.edges.len() {
            let PlannedEdge {
                own, next, member, ..
            } = self.edges[edge];
            let place = places[self.members[member as usize].group as usize];
            let (chunk, group) = (&shared.chunks[place.chunk as usize], place.group as usize);
            let array = place.chunk as usize % shared.plans.len();
            let Evaluator::Native(codes) = &shared.evaluators[array] else {
                continue;
            };
            let (plan, code) = (&shared.plans[array], chunk.codes[group]);
            let sources = self.sources(edge);
            let at = |slice: usize, word: usize| SlicePlace {
                slice: narrow(slice),
                word: narrow(word),
            };
            let of_edge = GroupPlaces {
                own: at(own as usize, chunk.outputs.pad),
                pins: at(self.pins_slice(member as usize), 0),
                patterns: at(self.patterns_slice(array), code.patterns as usize),
                zeros: narrow(self.zeros_slice()),
                arrived,
                link_words: shared.link_bits * plan.width,
                links: plan.link_inputs.len(),
                source: |source, base| at(sources[usize::from(source)] as usize, base as usize),
            };
            of_call.clear();
            let reads = chunk.reads.of(group).iter();
            of_call.extend(reads.map(|&read| of_edge.of(read)));
            of_call.resize(calls.places_per_call(), at(self.zeros_slice(), 0));
            let native = &codes.variants()[code.variant as usize].native;
            let written = [narrow(self.state_slice(member as usize)), next];
            native.add_to(&mut calls, &of_call, Some(written));
            self.edges[edge].call = number;
            number += 1;
        }
        self.calls = calls;
    }

    /// The plan of a block, without calls.
    fn new(groups: &Groups, edges: &[GroupEdge]) -> BlockPlan {
        let mut plan = BlockPlan::default();
        let mut members = BTreeMap::new();
        let mut places = BTreeMap::new();
        for &GroupEdge { group, edge } in edges {
            let next = plan.members.len() as u32;
            let member = *members.entry(group).or_insert(next);
            if member == next {
                plan.members.push(Member {
                    group,
                    first_edge: plan.edges.len() as u32,
                });
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
                call: 0,
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

/// So many members before its own first edge a group begins to be fetched, if there are edges enough
/// before: then it has come from memory by its turn, and the second cache still has it.
const MEMBERS_AHEAD: usize = 3;

/// A piece of what the first edge of a member uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// Its state.
    State,
    /// Its outputs that are read.
    Own,
    /// Its outputs that are written.
    Next,
}

/// The pieces, in the order in which they are fetched. Of all at once a processor would have to wait for
/// some.
const PIECES: [Piece; 3] = [Piece::State, Piece::Own, Piece::Next];

/// Progress of the prefetches between the edges of a block: a piece at a time.
#[derive(Debug, Default)]
pub(super) struct FetchAhead {
    /// Pieces that have been fetched, or whose member has begun.
    pieces: usize,
    /// Members that have begun.
    begun: usize,
}

impl FetchAhead {
    /// The member of which a piece is to be fetched before an edge of some member, if one is; there are
    /// `members` in the block.
    #[inline(always)]
    pub fn before(&mut self, member: usize, members: usize) -> Option<(usize, Piece)> {
        self.begun = self.begun.max(member + 1);
        self.pieces = self.pieces.max(PIECES.len() * self.begun);
        let most = members.min(self.begun + MEMBERS_AHEAD);
        let piece = self.pieces;
        (piece < PIECES.len() * most).then(|| {
            self.pieces += 1;
            (piece / PIECES.len(), PIECES[piece % PIECES.len()])
        })
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
        let members = plan.members.iter();
        let members: Vec<_> = members.map(|of| (of.group, of.first_edge)).collect();
        assert_eq!(members, [(0, 0), (1, 1)]);
        let sources: Vec<&[u32]> = (0..3).map(|number| plan.sources(number)).collect();
        assert_eq!(sources, [&[2][..], &[0, 4], &[3]]);
        let uses = |at: usize| (plan.edges[at].own, plan.edges[at].next);
        assert_eq!([uses(0), uses(1), uses(2)], [(0, 1), (2, 3), (1, 0)]);
    }

    /// Members 1 and 2 begin one after the other, so nothing but the state of 2 is fetched in time.
    #[test]
    fn pieces_are_fetched_once_and_before_their_member_begins() {
        use Piece::{Next, Own, State};
        let mut ahead = FetchAhead::default();
        let edges = [0, 1, 2, 0, 1, 0, 2, 1, 0, 0, 3, 4, 5, 0];
        let fetched = edges.map(|member| ahead.before(member, 6));
        let of = |member: usize, piece: Piece| Some((member, piece));
        assert_eq!(
            fetched,
            [
                of(1, State),
                of(2, State),
                of(3, State),
                of(3, Own),
                of(3, Next),
                of(4, State),
                of(4, Own),
                of(4, Next),
                of(5, State),
                of(5, Own),
                of(5, Next),
                None,
                None,
                None,
            ]
        );
    }

    #[test]
    fn no_more_members_are_fetched_than_the_cache_keeps() {
        let mut ahead = FetchAhead::default();
        let fetched: Vec<_> = (0..20).filter_map(|_| ahead.before(0, 100)).collect();
        let members: Vec<usize> = fetched.iter().map(|&(member, _)| member).collect();
        assert_eq!(members, [1, 1, 1, 2, 2, 2, 3, 3, 3]);
    }
}
