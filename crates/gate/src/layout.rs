//! Layout of the bit planes of an array in memory.
//!
//! A plane holds one bit of every instance of an array, 64 instances a word.
//! A *chunk* is the part of an array that one thread owns. Within a chunk words
//! are grouped into *tiles*: a tile holds its words of plane 0, then those of
//! plane 1, and so on. A small array is one tile, so that any window of words
//! of a plane is contiguous; a large one, or one that is cut, has a tile per lane word, so that the
//! state of the instances evaluated together is contiguous.

use std::ops::Range;

use crosswave_network::copies::Copies;

/// Words before and after the planes of a tile of outputs, so that a window of
/// lane words that starts early or ends late stays inside.
pub const PAD: usize = 8;

/// Arrays of up to this many words are one tile. Up to 512 nodes a level of a
/// fat tree is less than a lane word, and windows reach across lane words.
const ONE_TILE_WORDS: usize = 64;

/// The words of an array of so many instances, and those that are evaluated at a time: 1, 2, 4 or 8.
pub fn words(instances: usize) -> (usize, usize) {
    let words = instances.div_ceil(64);
    let width = match words {
        0..=1 => 1,
        2 => 2,
        3..=4 => 4,
        _ => 8,
    };
    (words.next_multiple_of(width), width)
}

/// Words in a tile of an array of `words`, evaluated `width` words at a time; `cut`:
/// windows must not reach across lane words, because these may have different owners.
/// Where a lane word holds the same group of as many copies as it has words, they do
/// not anyway.
pub fn tile(words: usize, width: usize, cut: bool, copies: Copies) -> usize {
    if !cut && words <= ONE_TILE_WORDS && copies.count() < width {
        words
    } else {
        width
    }
}

/// The layout of one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaneLayout {
    /// Words of the array that the chunk holds: whole tiles.
    pub words: Range<usize>,
    /// Words in a tile.
    pub tile: usize,
    /// Planes.
    pub planes: usize,
    /// Words before and after the planes of each tile.
    pub pad: usize,
}

impl PlaneLayout {
    /// Words to allocate.
    pub fn size(&self) -> usize {
        self.words.len() / self.tile.max(1) * self.tile_size()
    }

    /// Words from one tile to the next.
    #[inline(always)]
    pub fn tile_size(&self) -> usize {
        self.planes * self.tile + 2 * self.pad
    }

    /// Words from a group of `width` words to the next, in the same plane.
    #[inline(always)]
    pub fn step(&self, width: usize) -> usize {
        match self.tile == width {
            true => self.tile_size(),
            false => width,
        }
    }

    /// The place of a word of a plane; `word` counts from the chunk's first.
    #[inline(always)]
    pub fn address(&self, plane: usize, word: usize) -> usize {
        let tile = word / self.tile;
        tile * self.tile_size() + self.pad + plane * self.tile + word - tile * self.tile
    }
}
