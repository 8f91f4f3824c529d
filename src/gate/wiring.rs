//! Wiring between arrays, compiled into moves of words.
//!
//! What arrives at a link port of a group of instances (one lane word) is put
//! together from *terms*. A term reads a window of consecutive words where the
//! neighbours' planes lie, rotates each word by its own number of bits, and
//! keeps the lanes of a mask. When a lane word's neighbours are a lane word in
//! the same order, the one term is a plain move, or no move at all where the
//! kernel reads the planes in place; where a fat tree's wiring exchanges bits
//! inside words there are two; an arbitrary permutation takes as many as it
//! needs, up to one per lane: the general path, whose cost is the number of
//! terms. All signals of a link go the same way, so terms hold for each of them.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::layout::Layout;
use crate::network::{Fabric, OPEN};

/// Rotation and mask of the words of a window.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// Bits to rotate each word to the left.
    pub rotate: [u64; 8],
    /// Lanes to keep.
    pub mask: [u64; 8],
    /// Nothing to rotate.
    pub straight: bool,
    /// Nothing to rotate, everything to keep.
    pub plain: bool,
}

/// One term of what arrives at a link port of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// Thread whose chunk holds the neighbours.
    pub part: u16,
    /// Array of the neighbours.
    pub array: u16,
    /// Words from one plane of the neighbours to the next.
    pub stride: u32,
    /// Index into the patterns.
    pub pattern: u32,
    /// Place of the window in the plane of the link's bit 0.
    pub base: u32,
}

/// A group of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// Thread.
    pub part: u16,
    /// Array.
    pub array: u16,
    /// Group in that thread's chunk of the array.
    pub group: u32,
}

/// The terms of one chunk: those of group `g` and link `l` are
/// `terms[starts[g * links + l] .. starts[g * links + l + 1]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// All terms.
    pub terms: Vec<Term>,
    /// Where each group's and link's begin.
    pub starts: Vec<u32>,
    /// The groups that drive a group's links; those of group `g` are
    /// `sources[source_starts[g] .. source_starts[g + 1]]`.
    pub sources: Vec<Group>,
    /// Where each group's sources begin.
    pub source_starts: Vec<u32>,
}

/// The wiring of all chunks, and the patterns they share.
#[derive(Debug, Clone, Default)]
pub struct Wiring {
    /// Terms by chunk.
    pub chunks: Vec<Terms>,
    /// Patterns.
    pub patterns: Vec<Pattern>,
}

/// A term under construction.
struct Draft {
    chunk: usize,
    link: usize,
    base: i64,
    set: [bool; 8],
    rotate: [u64; 8],
    mask: [u64; 8],
}

/// A chunk as the compiler sees it.
pub struct ChunkShape {
    /// Array.
    pub array: usize,
    /// Layout of the output planes.
    pub layout: Layout,
    /// Words evaluated at a time.
    pub width: usize,
}

impl Wiring {
    /// Compiles the links of a fabric for chunks that together hold all arrays:
    /// chunk `t * arrays + a` is thread `t`'s of array `a`. A link's word has
    /// `link_bits` planes.
    pub fn compile(fabric: &Fabric, chunks: &[ChunkShape], link_bits: usize) -> Wiring {
        let mut patterns = BTreeMap::new();
        let mut wiring = Wiring::default();
        for chunk in chunks {
            let links = fabric.arrays[chunk.array].chip.links.len();
            let mut terms = Terms {
                starts: vec![0],
                source_starts: vec![0],
                ..Terms::default()
            };
            for group in chunk.layout.words.clone().step_by(chunk.width) {
                let mut sources: SmallVec<[Group; 8]> = SmallVec::new();
                for link in 0..links {
                    let drafts = drafts(fabric, chunks, chunk, group, link, &mut sources);
                    for draft in drafts {
                        let straight = draft.rotate == [0; 8];
                        let all = draft.mask[..chunk.width]
                            .iter()
                            .all(|&mask| mask == u64::MAX);
                        let pattern = Pattern {
                            straight,
                            plain: straight && all,
                            rotate: draft.rotate,
                            mask: draft.mask,
                        };
                        let next = patterns.len() as u32;
                        let source = &chunks[draft.chunk].layout;
                        let first = draft.base + (draft.link * link_bits * source.tile) as i64;
                        terms.terms.push(Term {
                            part: (draft.chunk / fabric.arrays.len()) as u16,
                            array: (draft.chunk % fabric.arrays.len()) as u16,
                            stride: source.tile as u32,
                            pattern: *patterns.entry(pattern).or_insert(next),
                            base: u32::try_from(first).expect("windows stay inside the pad"),
                        });
                    }
                    terms.starts.push(terms.terms.len() as u32);
                }
                sources.sort_unstable();
                sources.dedup();
                terms.sources.extend(sources);
                terms.source_starts.push(terms.sources.len() as u32);
            }
            wiring.chunks.push(terms);
        }
        let mut by_number: Vec<(u32, Pattern)> = patterns
            .into_iter()
            .map(|(pattern, number)| (number, pattern))
            .collect();
        by_number.sort_unstable_by_key(|(number, _)| *number);
        wiring.patterns = by_number.into_iter().map(|(_, pattern)| pattern).collect();
        wiring
    }
}

/// The terms of a link port of the group that begins at word `group`.
fn drafts(
    fabric: &Fabric,
    chunks: &[ChunkShape],
    chunk: &ChunkShape,
    group: usize,
    link: usize,
    sources: &mut SmallVec<[Group; 8]>,
) -> Vec<Draft> {
    let array = &fabric.arrays[chunk.array];
    let links = array.chip.links.len();
    let arrays = fabric.arrays.len();
    let mut drafts: Vec<Draft> = Vec::new();
    for word in 0..chunk.width {
        let first = (group + word) * 64;
        for instance in first..array.instances.min(first + 64) {
            let number = array.first_link as usize + instance * links + link;
            let peer = fabric.peers[number];
            if peer == OPEN {
                continue;
            }
            let peer = fabric.link_port(peer);
            let peer_word = peer.instance / 64;
            let source = (peer.array..chunks.len())
                .step_by(arrays)
                .find(|&c| chunks[c].layout.words.contains(&peer_word))
                .expect("the chunks hold all arrays");
            let layout = &chunks[source].layout;
            let offset = peer_word - layout.words.start;
            let draft = Draft {
                chunk: source,
                link: peer.link,
                base: layout.address(0, offset) as i64 - word as i64,
                set: [false; 8],
                rotate: [0; 8],
                mask: [0; 8],
            };
            let from = Group {
                part: (source / arrays) as u16,
                array: peer.array as u16,
                group: (offset / chunks[source].width) as u32,
            };
            if sources.last() != Some(&from) && !sources.contains(&from) {
                sources.push(from);
            }
            let bit = instance - first;
            let rotate = (bit as u64).wrapping_sub(peer.instance as u64 % 64) & 63;
            add(&mut drafts, draft, word, bit, rotate);
        }
    }
    drafts
}

/// Adds one lane to the first draft that can take it, or to the empty one.
fn add(drafts: &mut Vec<Draft>, empty: Draft, word: usize, bit: usize, rotate: u64) {
    let fits = |draft: &Draft| {
        draft.chunk == empty.chunk
            && draft.link == empty.link
            && draft.base == empty.base
            && (!draft.set[word] || draft.rotate[word] == rotate)
    };
    let index = match drafts.iter().position(fits) {
        Some(index) => index,
        None => {
            drafts.push(empty);
            drafts.len() - 1
        }
    };
    let draft = &mut drafts[index];
    draft.set[word] = true;
    draft.rotate[word] = rotate;
    draft.mask[word] |= 1 << bit;
}
