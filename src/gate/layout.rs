//! Where the bit planes of an array lie in memory.
//!
//! A plane holds one bit of every instance of an array, 64 instances a word.
//! A *chunk* is the part of an array that one thread owns. Within a chunk words
//! are grouped into *tiles*: a tile holds its words of plane 0, then those of
//! plane 1, and so on. A small chunk is one tile, so that any window of words
//! of a plane is contiguous; a large one has a tile per lane word, so that the
//! state of the instances evaluated together is contiguous.

use std::ops::Range;

/// Words before and after the planes, so that a window of lane words that
/// starts early or ends late stays inside.
pub const PAD: usize = 8;

/// Chunks of up to this many words are one tile.
const ONE_TILE_WORDS: usize = 256;

/// The layout of one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Words of the array that the chunk holds.
    pub words: Range<usize>,
    /// Words in a tile.
    pub tile: usize,
    /// Planes.
    pub planes: usize,
}

impl Layout {
    /// The layout of `planes` planes of `words`, evaluated `width` words at a
    /// time; the number of words is a multiple of `width`.
    pub fn new(words: Range<usize>, width: usize, planes: usize) -> Self {
        assert_eq!(words.len() % width, 0, "lane words are whole");
        let tile = if words.len() <= ONE_TILE_WORDS {
            words.len()
        } else {
            width
        };
        Layout {
            words,
            tile,
            planes,
        }
    }

    /// The same words with another number of planes.
    pub fn with_planes(&self, planes: usize) -> Self {
        Layout {
            planes,
            ..self.clone()
        }
    }

    /// Words to allocate.
    pub fn size(&self) -> usize {
        self.words.len() * self.planes + 2 * PAD
    }

    /// The place of a word of a plane; `word` counts from the chunk's first.
    #[inline(always)]
    pub fn address(&self, plane: usize, word: usize) -> usize {
        let tile = word / self.tile.max(1);
        PAD + (tile * self.planes + plane) * self.tile + word - tile * self.tile
    }
}
