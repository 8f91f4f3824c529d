//! Machine code of shuffles.
//!
//! A vector of a group is a register or two ([`Isa::Avx2`] has four words in one). A join is, for each
//! register of each bit, a rotation and a selection by a mask that is read from memory or stays in a
//! register; rotations that joins share are made once, and where AVX2 cannot rotate, one shift is
//! enough for lanes that do not come round. Words change places in registers, or, where all lanes
//! that are taken come from another register, by its choice. The numbers by which words are rotated, where
//! they differ, and the order of eight words lie among the masks.
//!
//! Regions of the code:
//!
//! | region | holds |
//! |---|---|
//! | [`NEXT`] | what arrives, plane by plane |
//! | [`MASKS`] | the masks, a register each |
//! | [`MASKS`] + 1, ... | the regions that the program reads |
//!
//! A program of more regions than there are becomes several pieces of code, each for some of its links.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use super::super::native::{Counts, Isa, Native, NativeOptions, REGIONS_MAX as NATIVE_REGIONS_MAX};
use super::super::planes::Planes;
use super::super::straight::{Location, Motion, NEXT, StraightLine};
use super::{Mask, PortLoad, Shuffle, VectorMove, WORDS_MAX};
use crosswave_netlist::table::{A, B, C};
use crosswave_netlist::{Lut, MappedValue};

/// The region of the masks.
const MASKS: u8 = 2;

/// The most regions that a piece of code reads besides masks.
pub const REGIONS_MAX: usize = NATIVE_REGIONS_MAX - MASKS as usize - 1;

/// The table of `first & keep | second & !keep`, of keep, first and second.
const SELECT: u8 = A & B | !A & C;

/// The bits of each link that are read, and the plane of the arrivals that each goes to.
type LinkInputs<'i> = &'i [Vec<(usize, u32)>];

/// Machine code of a shuffle.
#[derive(Debug)]
pub struct ShuffleCode {
    pieces: Vec<Piece>,
    masks: Planes,
}

/// The code for some of the links.
#[derive(Debug)]
struct Piece {
    native: Native,
    /// The program's regions that it reads.
    regions: Regions,
}

type Regions = SmallVec<[u8; REGIONS_MAX]>;

impl ShuffleCode {
    /// Compiles a shuffle for a chip with these inputs; `None` when this machine cannot run it, or
    /// a link needs more regions than there are.
    pub fn new(
        shuffle: &Shuffle,
        inputs: LinkInputs,
        isa: Isa,
        counted: bool,
    ) -> Option<ShuffleCode> {
        let register = match isa {
            Isa::Avx512 => WORDS_MAX,
            Isa::Avx2 => 4,
        };
        let words = shuffle.words.min(register);
        let options = NativeOptions {
            counted,
            apart: 1,
            ..NativeOptions::new(isa, words)
        };
        let mut masks = Masks::default();
        let mut pieces = Vec::new();
        for (links, regions) in divide(shuffle)? {
            let mut emit = Emit {
                shuffle,
                words,
                isa,
                regions: &regions,
                masks: &mut masks,
                straight: StraightLine::default(),
                leaves: BTreeMap::new(),
                moved: BTreeMap::new(),
                values: Vec::new(),
            };
            let wanted = emit.wanted(links);
            let bits = inputs.iter().flatten().map(|&(bit, _)| bit + 1).max();
            for bit in 0..bits.unwrap_or(0) {
                emit.bit(bit, links, &wanted, inputs);
            }
            let native = Native::new(&emit.straight, options).ok()?;
            pieces.push(Piece { native, regions });
        }
        let mut planes = Planes::new(masks.words.len());
        planes.words_mut()[..masks.words.len()].copy_from_slice(&masks.words);
        Some(ShuffleCode {
            pieces,
            masks: planes,
        })
    }

    /// Lets all arrive in the planes of `arrivals`. `region` are the words of one of the program's
    /// regions, and `scratch` has [`ShuffleCode::scratch_words`].
    #[inline(always)]
    pub fn run<'r>(
        &'r self,
        region: impl Fn(u8) -> &'r [u64],
        arrivals: &mut [u64],
        scratch: &mut [u64],
    ) {
        for Piece { native, regions } in &self.pieces {
            let mut read = [self.masks.words(); 1 + REGIONS_MAX];
            for (place, &number) in read[1..].iter_mut().zip(regions) {
                *place = region(number);
            }
            let read = read[..1 + regions.len()].iter().copied();
            native.run(&mut [], arrivals, read, scratch);
        }
    }

    /// The instructions of one run.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        let pieces = self.pieces.iter();
        pieces.for_each(|piece| counts.add(piece.native.counts()));
        counts
    }

    /// Words of scratch memory that it needs.
    pub fn scratch_words(&self) -> usize {
        let pieces = self.pieces.iter();
        let words = pieces.map(|piece| piece.native.scratch_words());
        words.max().unwrap_or(0)
    }

    /// Bytes of masks.
    pub fn mask_bytes(&self) -> usize {
        size_of_val(self.masks.words())
    }
}

/// The links of a program, a bit each, in sets that read no more regions than a piece of code can,
/// with these regions; `None` when a link reads more.
fn divide(shuffle: &Shuffle) -> Option<Vec<(u32, Regions)>> {
    let first_joined = 1 + shuffle.loads.len();
    // The regions that each value is made of, a bit each.
    let mut reads: Vec<u128> = vec![0];
    let of_load = |load: &PortLoad| 1u128.checked_shl(u32::from(load.region));
    for load in &shuffle.loads {
        reads.push(of_load(load)?);
    }
    debug_assert_eq!(reads.len(), first_joined);
    for join in &shuffle.joins {
        reads.push(reads[usize::from(join.kept)] | reads[usize::from(join.other)]);
    }
    let mut sets: Vec<(u32, u128)> = Vec::new();
    for store in &shuffle.stores {
        let own = reads[usize::from(store.value)];
        let fits = |regions: u128| regions.count_ones() as usize <= REGIONS_MAX;
        fits(own).then_some(())?;
        let set = sets.iter_mut().find(|(_, regions)| fits(*regions | own));
        match set {
            Some((links, regions)) => {
                *links |= 1 << store.link;
                *regions |= own;
            }
            None => sets.push((1 << store.link, own)),
        }
    }
    let listed = |regions: u128| (0..128).filter(|at| regions >> at & 1 != 0).collect();
    let sets = sets.into_iter();
    Some(sets.map(|(links, of)| (links, listed(of))).collect())
}

/// A register's words.
type Words = SmallVec<[u64; WORDS_MAX]>;

/// Masks of registers, and numbers for their words, one after another; equal ones are one.
#[derive(Default)]
struct Masks {
    words: Vec<u64>,
    starts: BTreeMap<Vec<u64>, u32>,
}

impl Masks {
    /// The first word of a mask.
    fn place(&mut self, mask: &[u64]) -> Location {
        let words = &mut self.words;
        let plane = *self.starts.entry(mask.to_vec()).or_insert_with(|| {
            words.extend(mask);
            (words.len() - mask.len()) as u32
        });
        Location {
            region: MASKS,
            plane,
        }
    }
}

/// A program as it is written.
struct Emit<'a> {
    shuffle: &'a Shuffle,
    /// Words of a register.
    words: usize,
    isa: Isa,
    regions: &'a [u8],
    masks: &'a mut Masks,
    straight: StraightLine,
    leaves: BTreeMap<Location, MappedValue>,
    /// Values that have been moved, and by which numbers.
    moved: BTreeMap<(MappedValue, Motion, [MappedValue; 2]), MappedValue>,
    /// The registers of each value of the bit at hand.
    values: Vec<SmallVec<[MappedValue; 2]>>,
}

impl Emit<'_> {
    /// The values that some links need.
    fn wanted(&self, links: u32) -> Vec<bool> {
        let mut wanted = vec![false; self.shuffle.values()];
        for store in &self.shuffle.stores {
            wanted[usize::from(store.value)] |= links >> store.link & 1 != 0;
        }
        let joins = self.shuffle.joins.iter().enumerate().rev();
        for (at, join) in joins {
            if wanted[1 + self.shuffle.loads.len() + at] {
                wanted[usize::from(join.kept)] = true;
                wanted[usize::from(join.other)] = true;
            }
        }
        wanted
    }

    /// Compiles the arrival of one bit of some links.
    fn bit(&mut self, bit: usize, links: u32, wanted: &[bool], inputs: LinkInputs) {
        let registers = self.shuffle.words / self.words;
        let zero = MappedValue::Constant(false);
        self.values.clear();
        self.values.push(SmallVec::from_elem(zero, registers));
        for load in &self.shuffle.loads {
            let value = match wanted[self.values.len()] {
                false => SmallVec::new(),
                true => {
                    let region = self.regions.iter().position(|&own| own == load.region);
                    let region = region.expect("the regions of all loads");
                    let place = |register: usize| Location {
                        region: MASKS + 1 + region as u8,
                        plane: (load.at(bit) + register * self.words) as u32,
                    };
                    let places: SmallVec<[Location; 2]> = (0..registers).map(place).collect();
                    places.into_iter().map(|place| self.leaf(place)).collect()
                }
            };
            self.values.push(value);
        }
        for join in &self.shuffle.joins {
            let value = match wanted[self.values.len()] {
                false => SmallVec::new(),
                true => (0..registers)
                    .map(|register| {
                        let kept = self.values[usize::from(join.kept)][register];
                        self.join(kept, usize::from(join.other), join.by, &join.mask, register)
                    })
                    .collect(),
            };
            self.values.push(value);
        }
        for store in &self.shuffle.stores {
            if links >> store.link & 1 == 0 {
                continue;
            }
            for &(_, target) in inputs[usize::from(store.link)]
                .iter()
                .filter(|input| input.0 == bit)
            {
                for register in 0..registers {
                    let words = target as usize * self.shuffle.words + register * self.words;
                    let place = Location {
                        region: NEXT,
                        plane: words as u32,
                    };
                    let value = self.values[usize::from(store.value)][register];
                    self.straight.sinks.push((value, place));
                }
            }
        }
    }

    /// One register of a join. What is taken of the other value may lie in several of its
    /// registers, which are selected one after another.
    fn join(
        &mut self,
        kept: MappedValue,
        other: usize,
        by: VectorMove,
        mask: &Mask,
        register: usize,
    ) -> MappedValue {
        let (words, all) = (self.words, self.shuffle.words);
        let first = register * words;
        let own = first..first + words;
        let mut value = kept;
        for source in 0..all / words {
            let taken =
                own.clone()
                    .map(|word| match usize::from(by.from[word]) / words == source {
                        true => !mask[word],
                        false => 0,
                    });
            let taken: Words = taken.collect();
            if taken.iter().all(|&lanes| lanes == 0) {
                continue;
            }
            let moved = self.moved(self.values[other][source], by, first, &taken);
            value = match taken.iter().all(|&lanes| lanes == u64::MAX) {
                true => moved,
                false => self.select(value, moved, &taken),
            };
        }
        value
    }

    /// The part that a join takes from a register, for the register whose first word is `first`:
    /// put in order, then rotated. Words of which nothing is taken may become anything.
    fn moved(
        &mut self,
        value: MappedValue,
        by: VectorMove,
        first: usize,
        taken: &[u64],
    ) -> MappedValue {
        let words = self.words as u8;
        let from = |word: usize| by.from[first + word] % words;
        let is_taken = |word: &usize| taken[*word] != 0;
        // All words move in the circle in which those that are taken do, if there is one: joins share it.
        let mut circles = (0..taken.len())
            .filter(is_taken)
            .map(|word| (from(word) + words - word as u8) % words);
        let circle = circles.next().unwrap_or(0);
        let circle = if circles.all(|other| other == circle) {
            circle
        } else {
            0
        };
        let mut order = VectorMove::NONE.from;
        let mut lanes: SmallVec<[u8; WORDS_MAX]> = SmallVec::new();
        for (word, place) in order[..taken.len()].iter_mut().enumerate() {
            *place = match is_taken(&word) {
                true => from(word),
                false => (word as u8 + circle) % words,
            };
            lanes.push(by.lanes[first + word] * u8::from(is_taken(&word)));
        }
        let placed = self.ordered(value, order);
        self.rotated(placed, &lanes, taken)
    }

    /// A register whose words are in another order.
    fn ordered(&mut self, value: MappedValue, order: [u8; WORDS_MAX]) -> MappedValue {
        let words = self.words as u8;
        let circle = |word: u8| (order[0] + word) % words;
        if order == VectorMove::NONE.from {
            value
        } else if words < 8 || (0..words).all(|word| order[usize::from(word)] == circle(word)) {
            self.motion(value, Motion::Words(order), [])
        } else {
            let numbers: Words = order.map(u64::from).into();
            self.motion(value, Motion::WordsEach, [numbers])
        }
    }

    /// A register whose words are rotated, as far as some lanes are taken of it.
    fn rotated(&mut self, value: MappedValue, lanes: &[u8], taken: &[u64]) -> MappedValue {
        let mut rotations = lanes.iter().zip(taken).filter(|(_, taken)| **taken != 0);
        let one = rotations.next().map_or(0, |(lanes, _)| *lanes);
        let is_one = rotations.all(|(lanes, _)| *lanes == one);
        // Taken lanes that come round, and taken lanes that do not.
        let (mut round, mut straight) = (0, 0);
        for (&lanes, &taken) in lanes.iter().zip(taken) {
            let come_round = (1u64 << lanes) - 1;
            round |= taken & come_round;
            straight |= taken & !come_round;
        }
        let left = self.isa == Isa::Avx2 && round == 0;
        let right = self.isa == Isa::Avx2 && straight == 0;
        let to_the_left = || lanes.iter().map(|&lanes| u64::from(lanes)).collect();
        let to_the_right = || lanes.iter().map(|&lanes| 64 - u64::from(lanes)).collect();
        match (is_one, one) {
            (true, 0) => value,
            (true, one) if left => self.motion(value, Motion::Left(one), []),
            (true, one) if right => self.motion(value, Motion::Right(64 - one), []),
            (true, one) => self.motion(value, Motion::Rotate(one), []),
            _ if left => self.motion(value, Motion::LeftEach, [to_the_left()]),
            _ if right => self.motion(value, Motion::RightEach, [to_the_right()]),
            _ if self.isa == Isa::Avx512 => self.motion(value, Motion::RotateEach, [to_the_left()]),
            _ => self.motion(value, Motion::RotateEach, [to_the_left(), to_the_right()]),
        }
    }

    /// A register moved, by numbers for its words.
    fn motion<const N: usize>(
        &mut self,
        value: MappedValue,
        motion: Motion,
        by: [Words; N],
    ) -> MappedValue {
        if matches!(value, MappedValue::Constant(_)) {
            return value;
        }
        let mut numbers = [MappedValue::Constant(false); 2];
        for (number, words) in numbers.iter_mut().zip(by) {
            let place = self.masks.place(&words);
            *number = self.leaf(place);
        }
        let key = (value, motion, numbers);
        if let Some(&known) = self.moved.get(&key) {
            return known;
        }
        let number = self.straight.functions.len() as u32;
        self.straight.motions.insert(number, motion);
        let moved = self.function(A, [value, numbers[0], numbers[1]]);
        self.moved.insert(key, moved);
        moved
    }

    /// The lanes of the second value where they are taken, and elsewhere those of the first.
    fn select(&mut self, first: MappedValue, second: MappedValue, taken: &[u64]) -> MappedValue {
        let keep: Words = taken.iter().map(|lanes| !lanes).collect();
        let place = self.masks.place(&keep);
        let keep = self.leaf(place);
        self.function(SELECT, [keep, first, second])
    }

    fn function(&mut self, table: u8, inputs: [MappedValue; 3]) -> MappedValue {
        self.straight.functions.push(Lut { table, inputs });
        MappedValue::Function(self.straight.functions.len() as u32 - 1)
    }

    fn leaf(&mut self, place: Location) -> MappedValue {
        let leaves = &mut self.straight.leaves;
        let known = self.leaves.entry(place).or_insert_with(|| {
            leaves.push(place);
            MappedValue::Leaf(leaves.len() as u32 - 1)
        });
        *known
    }
}
