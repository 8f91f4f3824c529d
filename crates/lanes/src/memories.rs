//! Memories of instances: the words of each lane, read and written by addresses in bit planes.
//!
//! A lane has its words beside each other, each as numbers of 16 bits. A read takes the planes of the address
//! to a number for each lane ([`transpose`]), fetches that lane's word, and takes the words back to planes.
//! That is some ten instructions for a lane, whatever the number of words, where gates take one for each
//! bit of the memory and 512 lanes.

use crosswave_netlist::{ADDRESS_BITS_MAX, Memory};

use super::transpose::{WORD_BITS, WordBlock, slot, transpose};

/// Bits of addresses that tell words apart at most.
const ADDRESS_BLOCKS: usize = 2;

/// The number of a word that no address has.
const NO_WORD: u32 = u32::MAX;

/// The words of a memory for some lanes.
#[derive(Debug, Clone)]
pub struct MemoryWords {
    /// Bits of a word.
    width: usize,
    words: usize,
    first: u64,
    beyond: bool,
    /// Number of 16-bit numbers of a word.
    units: usize,
    lanes: usize,
    /// A lane's words before the first edge.
    initial: Vec<u16>,
    /// Number `u` of word `w` of lane `l` is `held[(l * words + w) * units + u]`.
    held: Vec<u16>,
}

/// Bytes of the words of a memory in one lane.
pub fn lane_bytes(memory: &Memory) -> u64 {
    let units = memory.width.div_ceil(WORD_BITS) as u64;
    2 * units * memory.words as u64
}

/// Operations of gates that one lane of a port costs for each 16 bits of the word, about.
const OPERATIONS_PER_LANE: usize = 2;

/// Operations that a port costs for each tile, about.
const OPERATIONS_PER_PORT: usize = 600;

/// Lanes of a tile at most.
const TILE_LANES: usize = 512;

/// True when words for so many lanes cost less than flip-flops and gates, which are as many operations for
/// each port as the memory has bits.
pub fn pays(memory: &Memory, lanes: usize) -> bool {
    let units = memory.width.div_ceil(WORD_BITS);
    memory.bits() > OPERATIONS_PER_PORT + OPERATIONS_PER_LANE * units * lanes.min(TILE_LANES)
}

/// Planes of a port, bit by bit, each of as many words as a tile has.
#[derive(Debug, Default)]
pub struct PortPlanes {
    /// The address.
    pub address: Vec<u64>,
    /// The word.
    pub data: Vec<u64>,
    /// For each bit of the word, the lanes in which it is written. A single plane is that of all bits.
    pub enable: Vec<u64>,
}

impl PortPlanes {
    /// Planes for any port of memories with words of at most so many bits.
    pub fn new(width: usize) -> PortPlanes {
        const WORDS_MAX: usize = 8;
        let planes = |bits: usize| match width {
            0 => Vec::new(),
            _ => vec![0; WORDS_MAX * bits],
        };
        PortPlanes {
            address: planes(ADDRESS_BITS_MAX),
            data: planes(width),
            enable: planes(width),
        }
    }
}

/// The planes of a port, of `W` words each.
fn planes<const W: usize>(words: &[u64]) -> &[[u64; W]] {
    words.as_chunks().0
}

/// A read of a tile.
struct Read<'a> {
    words: &'a MemoryWords,
    tile: usize,
    address: &'a [u64],
    data: &'a mut [u64],
    width: usize,
}

impl pulp::NullaryFnOnce for Read<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.width {
            1 => self
                .words
                .read_planes::<1>(self.tile, planes(self.address), self.data),
            2 => self
                .words
                .read_planes::<2>(self.tile, planes(self.address), self.data),
            4 => self
                .words
                .read_planes::<4>(self.tile, planes(self.address), self.data),
            _ => self
                .words
                .read_planes::<8>(self.tile, planes(self.address), self.data),
        }
    }
}

/// A write to a tile.
struct Write<'a> {
    words: &'a mut MemoryWords,
    tile: usize,
    address: &'a [u64],
    data: &'a [u64],
    enable: &'a [u64],
    width: usize,
}

impl Write<'_> {
    #[inline(always)]
    fn of<const W: usize>(self) {
        let [address, data, enable] = [self.address, self.data, self.enable].map(planes::<W>);
        self.words.write_planes(self.tile, address, data, enable);
    }
}

impl pulp::NullaryFnOnce for Write<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        match self.width {
            1 => self.of::<1>(),
            2 => self.of::<2>(),
            4 => self.of::<4>(),
            _ => self.of::<8>(),
        }
    }
}

impl MemoryWords {
    /// The words of so many lanes, as they are before the first edge; what is not known is 0.
    pub fn new(memory: &Memory, lanes: usize) -> MemoryWords {
        let units = memory.width.div_ceil(WORD_BITS);
        let mut initial = vec![0; units * memory.words];
        for (at, bit) in memory.init.iter().enumerate() {
            let (word, bit_of_word) = (at / memory.width, at % memory.width);
            let unit = word * units + bit_of_word / WORD_BITS;
            initial[unit] |= u16::from(*bit == Some(true)) << (bit_of_word % WORD_BITS);
        }
        MemoryWords {
            width: memory.width,
            words: memory.words,
            first: memory.first,
            beyond: memory.beyond,
            units,
            lanes,
            held: initial.repeat(lanes),
            initial,
        }
    }

    /// Makes all words what they are before the first edge.
    pub fn restart(&mut self) {
        for held in self.held.chunks_exact_mut(self.initial.len()) {
            held.copy_from_slice(&self.initial);
        }
    }

    /// Bytes of all words.
    pub fn bytes(&self) -> usize {
        size_of_val(self.held.as_slice())
    }

    /// The words of a lane.
    pub fn lane_mut(&mut self, lane: usize) -> &mut [u16] {
        let count = self.initial.len();
        &mut self.held[lane * count..][..count]
    }

    /// The number of the word at the address of each lane of a tile.
    #[inline(always)]
    fn numbers<const W: usize>(&self, address: &[[u64; W]], numbers: &mut [[u32; 64]; W]) {
        let mut above = [0; W];
        let low = address.len().min(ADDRESS_BLOCKS * WORD_BITS);
        for plane in &address[low..] {
            (0..W).for_each(|word| above[word] |= plane[word]);
        }
        for lanes in &mut *numbers {
            lanes.fill(0);
        }
        for (number, planes) in address[..low].chunks(WORD_BITS).enumerate() {
            let mut block: WordBlock<W> = [[0; W]; WORD_BITS];
            block[..planes.len()].copy_from_slice(planes);
            transpose(&mut block);
            let values: &[u16] = bytemuck::cast_slice(block.as_flattened());
            for (word, lanes) in numbers.iter_mut().enumerate() {
                for (bit, lane) in lanes.iter_mut().enumerate() {
                    *lane |= u32::from(values[slot(word, bit, W)]) << (WORD_BITS * number);
                }
            }
        }
        for (lanes, above) in numbers.iter_mut().zip(above) {
            for (bit, lane) in lanes.iter_mut().enumerate() {
                let found = u64::from(*lane).wrapping_sub(self.first);
                let is_word = found < self.words as u64 && above >> bit & 1 == 0;
                *lane = if is_word { found as u32 } else { NO_WORD };
            }
        }
    }

    /// The lanes of a word of a tile that there are, from its first lane on.
    #[inline(always)]
    fn lanes<const W: usize>(&self, tile: usize, word: usize) -> (usize, usize) {
        let first = (tile * W + word) * 64;
        (first, self.lanes.saturating_sub(first).min(64))
    }

    /// Reads the words at an address: planes of `width` words, 1, 2, 4 or 8, bit by bit.
    pub fn read(
        &self,
        arch: pulp::Arch,
        tile: usize,
        address: &[u64],
        data: &mut [u64],
        width: usize,
    ) {
        arch.dispatch(Read {
            words: self,
            tile,
            address,
            data,
            width,
        });
    }

    /// Writes words. A single plane of enables is that of all bits of the word.
    pub fn write(
        &mut self,
        arch: pulp::Arch,
        tile: usize,
        [address, data, enable]: [&[u64]; 3],
        width: usize,
    ) {
        arch.dispatch(Write {
            words: self,
            tile,
            address,
            data,
            enable,
            width,
        });
    }

    #[inline(always)]
    fn read_planes<const W: usize>(&self, tile: usize, address: &[[u64; W]], data: &mut [u64]) {
        let (data, _) = data.as_chunks_mut::<W>();
        let mut numbers = [[0; 64]; W];
        self.numbers(address, &mut numbers);
        let beyond = u16::from(self.beyond).wrapping_neg();
        for unit in 0..self.units {
            let mut block: WordBlock<W> = [[0; W]; WORD_BITS];
            let values: &mut [u16] = bytemuck::cast_slice_mut(block.as_flattened_mut());
            for (word, numbers) in numbers.iter().enumerate() {
                let (first, count) = self.lanes::<W>(tile, word);
                for (bit, &number) in numbers[..count].iter().enumerate() {
                    values[slot(word, bit, W)] = match number {
                        NO_WORD => beyond,
                        number => {
                            let at = (first + bit) * self.words + number as usize;
                            self.held[at * self.units + unit]
                        }
                    };
                }
            }
            transpose(&mut block);
            let first = unit * WORD_BITS;
            let last = self.width.min(first + WORD_BITS);
            data[first..last].copy_from_slice(&block[..last - first]);
        }
    }

    #[inline(always)]
    fn write_planes<const W: usize>(
        &mut self,
        tile: usize,
        address: &[[u64; W]],
        data: &[[u64; W]],
        enable: &[[u64; W]],
    ) {
        let mut any = [0; W];
        for plane in enable {
            (0..W).for_each(|word| any[word] |= plane[word]);
        }
        if any == [0; W] {
            return;
        }
        let mut numbers = [[0; 64]; W];
        self.numbers(address, &mut numbers);
        for unit in 0..self.units {
            let bits = unit * WORD_BITS..self.width.min((unit + 1) * WORD_BITS);
            let block = |planes: &[[u64; W]]| {
                let mut block: WordBlock<W> = [[0; W]; WORD_BITS];
                block[..planes.len()].copy_from_slice(planes);
                transpose(&mut block);
                block
            };
            let values = block(&data[bits.clone()]);
            let values: &[u16] = bytemuck::cast_slice(values.as_flattened());
            let masks = match enable {
                [_] => None,
                all => Some(block(&all[bits])),
            };
            for (word, numbers) in numbers.iter().enumerate() {
                let (first, count) = self.lanes::<W>(tile, word);
                let mut writing = match count {
                    64 => any[word],
                    count => any[word] & ((1 << count) - 1),
                };
                while writing != 0 {
                    let bit = writing.trailing_zeros() as usize;
                    writing &= writing - 1;
                    let number = numbers[bit];
                    if number == NO_WORD {
                        continue;
                    }
                    let at = (first + bit) * self.words + number as usize;
                    let held = &mut self.held[at * self.units + unit];
                    let value = values[slot(word, bit, W)];
                    let mask = masks.as_ref().map_or(u16::MAX, |block| {
                        let masks: &[u16] = bytemuck::cast_slice(block.as_flattened());
                        masks[slot(word, bit, W)]
                    });
                    *held = *held & !mask | value & mask;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_base::random;

    /// Planes with bits of numbers, one for each lane.
    fn drawn_planes<const W: usize>(numbers: &[u64], bits: usize) -> Vec<[u64; W]> {
        let mut planes = vec![[0; W]; bits];
        for (lane, number) in numbers.iter().enumerate() {
            for (bit, plane) in planes.iter_mut().enumerate() {
                plane[lane / 64] |= (number >> bit & 1) << (lane % 64);
            }
        }
        planes
    }

    fn compare<const W: usize>(width: usize, words: usize, first: u64, lanes: usize) {
        let drawn = |stream: u64, at: u64| random::word(random::key(7, stream, 0), at);
        let bits = width * words;
        let memory = Memory {
            width,
            words,
            first,
            init: (0..bits as u64 / 2)
                .map(|at| Some(drawn(0, at) & 1 == 1))
                .collect(),
            beyond: words % 2 == 1,
            reads: Vec::new(),
            writes: Vec::new(),
        };
        let mut of_lanes = MemoryWords::new(&memory, lanes);
        let word = |word: usize| {
            (0..width).fold(0, |all, bit| {
                all | u64::from(memory.initial(word, bit) == Some(true)) << bit
            })
        };
        let mut plain: Vec<Vec<u64>> = vec![(0..words).map(word).collect(); lanes];
        let all = if width == 64 {
            u64::MAX
        } else {
            (1 << width) - 1
        };
        let address_bits = 64 - (first + words as u64).leading_zeros() as usize;
        let mut written = 0;
        for cycle in 0..40 {
            let each = |stream: u64| {
                (0..lanes as u64)
                    .map(|lane| drawn(stream, cycle << 20 | lane))
                    .collect::<Vec<u64>>()
            };
            let [addresses, data, enables, reads] = [1, 2, 3, 4].map(each);
            let within: Vec<u64> = addresses
                .iter()
                .map(|one| one & ((1 << address_bits) - 1))
                .collect();
            let single = cycle % 2 == 0;
            for tile in 0..lanes.div_ceil(64 * W) {
                let part = |numbers: &[u64]| {
                    numbers[tile * 64 * W..lanes.min((tile + 1) * 64 * W)].to_vec()
                };
                let enable = drawn_planes::<W>(&part(&enables), if single { 1 } else { width });
                let address = drawn_planes::<W>(&part(&within), address_bits);
                let data = drawn_planes::<W>(&part(&data), width);
                let flat = [&address, &data, &enable].map(|planes| planes.as_flattened());
                of_lanes.write(pulp::Arch::new(), tile, flat, W);
            }
            for lane in 0..lanes {
                let mask = if single {
                    (enables[lane] & 1).wrapping_neg()
                } else {
                    enables[lane]
                } & all;
                if let Some(held) = within[lane]
                    .checked_sub(first)
                    .and_then(|at| plain[lane].get_mut(at as usize))
                {
                    *held = *held & !mask | data[lane] & mask;
                    written += usize::from(mask != 0);
                }
            }
            let asked: Vec<u64> = reads
                .iter()
                .map(|one| one & ((1 << address_bits) - 1))
                .collect();
            for tile in 0..lanes.div_ceil(64 * W) {
                let part = &asked[tile * 64 * W..lanes.min((tile + 1) * 64 * W)];
                let mut shown = vec![0; part.len()];
                let mut read = vec![[0; W]; width];
                let address = drawn_planes::<W>(part, address_bits);
                let flat = read.as_flattened_mut();
                of_lanes.read(pulp::Arch::new(), tile, address.as_flattened(), flat, W);
                for (bit, plane) in read.iter().enumerate() {
                    for (lane, shown) in shown.iter_mut().enumerate() {
                        *shown |= (plane[lane / 64] >> (lane % 64) & 1) << bit;
                    }
                }
                for (lane, shown) in shown.into_iter().enumerate() {
                    let lane = tile * 64 * W + lane;
                    let found = asked[lane]
                        .checked_sub(first)
                        .and_then(|at| plain[lane].get(at as usize));
                    let beyond = if memory.beyond { all } else { 0 };
                    assert_eq!(
                        shown,
                        found.copied().unwrap_or(beyond),
                        "cycle {cycle}, lane {lane}"
                    );
                }
            }
        }
        assert!(written > 10);
        of_lanes.restart();
        assert_eq!(of_lanes.held, MemoryWords::new(&memory, lanes).held);
    }

    #[test]
    fn every_lane_has_words_of_its_own() {
        compare::<1>(1, 2, 0, 3);
        compare::<1>(5, 7, 0, 64);
        compare::<2>(16, 16, 4, 100);
        compare::<4>(34, 33, 0, 250);
        compare::<8>(64, 100, 40, 700);
        compare::<1>(3, 70_000, 5, 10);
        compare::<8>(17, 300, 0, 512);
    }

    #[test]
    fn addresses_of_many_bits_are_of_no_word() {
        let memory = Memory {
            width: 1,
            words: 2,
            first: 0,
            init: vec![Some(true); 2],
            beyond: false,
            reads: Vec::new(),
            writes: Vec::new(),
        };
        let words = MemoryWords::new(&memory, 2);
        let mut shown = [0];
        let mut address = vec![0; 40];
        address[39] = 2;
        words.read(pulp::Arch::new(), 0, &address, &mut shown, 1);
        assert_eq!(shown, [1]);
    }
}
