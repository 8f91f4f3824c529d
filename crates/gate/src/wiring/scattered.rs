//! Scattered links, and the words that they are gathered from.
//!
//! What a link port of a group drives is a *block* of words, one for each lane. Only blocks that
//! some list reads are kept. They are numbered as they are met, so that they lie close together and what
//! is read lane by lane comes from a nearer cache.

use smallvec::SmallVec;

use super::{ChunkShape, Group, GroupPort};
use crate::place_code::{NOWHERE, PlaceCode};
use crosswave_lanes::transpose::slot;
use crosswave_network::Fabric;

/// Places of the words of a scattered link.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct List {
    /// The places of the lanes, in the order of [`slot`], packed by [`LinkWords::place_code`].
    pub places: Vec<u32>,
    /// Steps by which wiring rotates bytes, and the lanes in which it does.
    pub steps: SmallVec<[(u8, [u64; 8]); 1]>,
}

/// The blocks of a chunk that are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Blocks {
    /// The first word of each group and link among those of the thread, or [`NOWHERE`]; empty
    /// while none is kept.
    first_words: Vec<u32>,
}

impl Blocks {
    /// True when none is kept.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.first_words.is_empty()
    }

    /// The first words of the blocks of a group with so many links, link by link.
    #[inline(always)]
    pub fn of_group(&self, group: usize, links: usize) -> impl Iterator<Item = Option<usize>> {
        let of_group = &self.first_words[group * links..(group + 1) * links];
        let kept = |&first: &u32| (first != NOWHERE).then_some(first as usize);
        of_group.iter().map(kept)
    }
}

/// The words of scattered links.
#[derive(Debug, Clone, Default)]
pub struct LinkWords {
    /// The blocks that are kept, by chunk.
    pub blocks: Vec<Blocks>,
    /// Number of words that each thread keeps.
    pub counts: Vec<usize>,
    /// The packing of places in lists.
    pub place_code: PlaceCode,
}

impl LinkWords {
    /// None yet, for so many threads; `None` if their words could be more than a list tells
    /// apart.
    pub fn new(fabric: &Fabric, chunks: &[ChunkShape], threads: usize) -> Option<LinkWords> {
        let of_threads = chunks.chunks(fabric.arrays.len());
        let words_of = |chunk: &ChunkShape| {
            let links = fabric.arrays[chunk.array].chip.links.len();
            chunk.layout.words.len() * 64 * links
        };
        let words = of_threads.map(|chunks| chunks.iter().map(words_of).sum());
        Some(LinkWords {
            blocks: vec![Blocks::default(); chunks.len()],
            counts: vec![0; threads],
            place_code: PlaceCode::new(threads, words.max().unwrap_or(0))?,
        })
    }

    /// The places of the words of a scattered link, which are kept from now on.
    pub(super) fn list(
        &mut self,
        fabric: &Fabric,
        chunks: &[ChunkShape],
        place: GroupPort,
        sources: &mut SmallVec<[Group; 8]>,
    ) -> List {
        let width = place.chunk.width;
        let mut list = List {
            places: vec![NOWHERE; 64 * width],
            ..List::default()
        };
        for word in 0..width {
            for bit in 0..64 {
                let Some(far) = place.far(fabric, chunks, word, bit) else {
                    continue;
                };
                if !sources.contains(&far.group) {
                    sources.push(far.group);
                }
                let source = &chunks[far.chunk];
                let links = fabric.arrays[source.array].chip.links.len();
                let block = far.group.group as usize * links + far.link;
                let thread = super::narrow(far.chunk / fabric.arrays.len());
                let first = self.block(far.chunk, thread, source, (block, links));
                let at = first + slot(far.word % source.width, far.bit, source.width);
                list.places[slot(word, bit, width)] = self.place_code.pack(thread, at);
                let found = list.steps.iter().position(|(steps, _)| *steps == far.steps);
                let found = found.unwrap_or_else(|| {
                    list.steps.push((far.steps, [0; 8]));
                    list.steps.len() - 1
                });
                list.steps[found].1[word] |= 1 << bit;
            }
        }
        list
    }

    /// The first word of a block of a chunk whose instances have so many links.
    fn block(
        &mut self,
        chunk: usize,
        thread: u16,
        shape: &ChunkShape,
        (block, links): (usize, usize),
    ) -> usize {
        let first_words = &mut self.blocks[chunk].first_words;
        if first_words.is_empty() {
            let groups = shape.layout.words.len() / shape.width;
            first_words.resize(groups * links, NOWHERE);
        }
        let first = &mut first_words[block];
        if *first == NOWHERE {
            let count = &mut self.counts[usize::from(thread)];
            *first = super::narrow(*count);
            *count += 64 * shape.width;
        }
        *first as usize
    }
}
