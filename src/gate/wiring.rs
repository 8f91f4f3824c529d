//! Wiring between arrays, compiled into moves of words.
//!
//! What arrives at a link port of a group of instances (one lane word) is put
//! together from *terms*. A term reads a window of consecutive words where the
//! neighbours' planes lie, rotates each word by its own number of bits, and
//! keeps the lanes of a mask. When a lane word's neighbours are a lane word in
//! the same order, the one term is a plain move; where a fat tree's wiring
//! exchanges bits inside words there are two; an arbitrary permutation takes
//! as many as it needs, up to one per lane: the general path, whose cost is
//! the number of terms. All signals of a link go the same way, so terms hold
//! for each of them.

use std::collections::BTreeMap;

use super::layout::Layout;
use crate::network::{Fabric, OPEN};

/// Rotation and mask of the words of a window.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// Bits to rotate each word to the left.
    pub rotate: [u64; 8],
    /// Lanes to keep.
    pub mask: [u64; 8],
    /// Nothing to rotate, everything to keep.
    pub plain: bool,
}

/// One term of what arrives at a link port of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// Chunk that holds the neighbours.
    pub chunk: u16,
    /// Which of the neighbours' planes go to which slots: index into the routes.
    pub route: u16,
    /// Index into the patterns.
    pub pattern: u32,
    /// Place of the window in plane 0.
    pub base: u32,
}

/// The terms of one chunk: those of group `g` and link `l` are
/// `terms[starts[g * links + l] .. starts[g * links + l + 1]]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// All terms.
    pub terms: Vec<Term>,
    /// Where each group's and link's begin.
    pub starts: Vec<u32>,
}

/// What a link brings from one kind of neighbour: offset of each plane from
/// plane 0, in words, and the slot it goes to.
pub type Route = Vec<(u32, u16)>;

/// Names a [`Route`]: array and link port that are reached, chunk and link port
/// of the neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RouteKey {
    /// Array that reads.
    pub array: usize,
    /// Link port that reads.
    pub link: usize,
    /// Chunk that drives.
    pub source_chunk: usize,
    /// Link port that drives.
    pub source_link: usize,
}

/// The wiring of all chunks, and the patterns they share.
#[derive(Debug, Clone, Default)]
pub struct Wiring {
    /// Terms by chunk.
    pub chunks: Vec<Terms>,
    /// Patterns.
    pub patterns: Vec<Pattern>,
    /// The routes that terms name, by number.
    pub routes: Vec<RouteKey>,
}

/// A term under construction.
struct Draft {
    chunk: u16,
    link: u16,
    base: i64,
    set: [bool; 8],
    rotate: [u64; 8],
    mask: [u64; 8],
}

/// A chunk as the compiler sees it: its array, its layout, its lane width.
pub struct ChunkShape {
    /// Array.
    pub array: usize,
    /// Layout of the register planes.
    pub layout: Layout,
    /// Words evaluated at a time.
    pub width: usize,
}

impl Wiring {
    /// Compiles the links of a fabric for chunks that together hold all arrays.
    pub fn compile(fabric: &Fabric, chunks: &[ChunkShape]) -> Wiring {
        // Chunks of each array, in order of their words.
        let mut of_array: Vec<Vec<usize>> = vec![Vec::new(); fabric.arrays.len()];
        for (index, chunk) in chunks.iter().enumerate() {
            if !chunk.layout.words.is_empty() {
                of_array[chunk.array].push(index);
            }
        }
        let mut patterns = BTreeMap::new();
        let mut routes = BTreeMap::new();
        let mut wiring = Wiring::default();
        for chunk in chunks {
            let array = &fabric.arrays[chunk.array];
            let links = array.chip.links.len();
            let mut terms = Terms {
                terms: Vec::new(),
                starts: vec![0],
            };
            for group in chunk.layout.words.clone().step_by(chunk.width) {
                for link in 0..links {
                    let mut drafts: Vec<Draft> = Vec::new();
                    for word in 0..chunk.width {
                        for bit in 0..64 {
                            let instance = (group + word) * 64 + bit;
                            if instance >= array.instances {
                                break;
                            }
                            let number = array.first_link as usize + instance * links + link;
                            let peer = fabric.peers[number];
                            if peer == OPEN {
                                continue;
                            }
                            let peer = fabric.link_port(peer);
                            let peer_word = peer.instance / 64;
                            let source = *of_array[peer.array]
                                .iter()
                                .find(|&&c| chunks[c].layout.words.contains(&peer_word))
                                .expect("the chunks hold all arrays");
                            let layout = &chunks[source].layout;
                            let address = layout.address(0, peer_word - layout.words.start);
                            let base = address as i64 - word as i64;
                            let rotate = (bit as u64).wrapping_sub(peer.instance as u64 % 64) & 63;
                            add(
                                &mut drafts,
                                source as u16,
                                peer.link as u16,
                                base,
                                word,
                                bit,
                                rotate,
                            );
                        }
                    }
                    for draft in drafts {
                        let pattern = Pattern {
                            plain: draft.rotate == [0; 8]
                                && draft.mask[..chunk.width]
                                    .iter()
                                    .all(|&mask| mask == u64::MAX),
                            rotate: draft.rotate,
                            mask: draft.mask,
                        };
                        let next = patterns.len() as u32;
                        let pattern = *patterns.entry(pattern).or_insert(next);
                        let base = u32::try_from(draft.base).expect("windows stay inside the pad");
                        let key = RouteKey {
                            array: chunk.array,
                            link,
                            source_chunk: draft.chunk as usize,
                            source_link: draft.link as usize,
                        };
                        let next = u16::try_from(routes.len()).expect("links are few");
                        terms.terms.push(Term {
                            chunk: draft.chunk,
                            route: *routes.entry(key).or_insert(next),
                            pattern,
                            base,
                        });
                    }
                    terms.starts.push(terms.terms.len() as u32);
                }
            }
            wiring.chunks.push(terms);
        }
        let mut by_number: Vec<(u16, RouteKey)> = routes
            .into_iter()
            .map(|(key, number)| (number, key))
            .collect();
        by_number.sort_unstable();
        wiring.routes = by_number.into_iter().map(|(_, key)| key).collect();
        wiring.patterns = vec![
            Pattern {
                rotate: [0; 8],
                mask: [0; 8],
                plain: false
            };
            patterns.len()
        ];
        for (pattern, index) in patterns {
            wiring.patterns[index as usize] = pattern;
        }
        wiring
    }
}

/// Adds one lane to the first draft that can take it.
fn add(
    drafts: &mut Vec<Draft>,
    chunk: u16,
    link: u16,
    base: i64,
    word: usize,
    bit: usize,
    rotate: u64,
) {
    let fits = |draft: &Draft| {
        draft.chunk == chunk
            && draft.link == link
            && draft.base == base
            && (!draft.set[word] || draft.rotate[word] == rotate)
    };
    let index = drafts.iter().position(fits).unwrap_or_else(|| {
        drafts.push(Draft {
            chunk,
            link,
            base,
            set: [false; 8],
            rotate: [0; 8],
            mask: [0; 8],
        });
        drafts.len() - 1
    });
    let draft = &mut drafts[index];
    draft.set[word] = true;
    draft.rotate[word] = rotate;
    draft.mask[word] |= 1 << bit;
}
