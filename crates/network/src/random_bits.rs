//! The random pins of a cycle, the same for every engine and for the exported
//! test bench.
//!
//! In a fabric with copies each copy has a seed of its own, and its pins are
//! those of the network alone with that seed.

use super::copies::Copies;
use super::{ChipArray, Fabric};
use crosswave_base::random;
use crosswave_chips::{RandomKind, RandomPins, Role};

/// The random pins of all chips in one cycle.
#[derive(Debug, Clone)]
pub struct RandomBits {
    cycle: u64,
    held: bool,
    copies: Copies,
    /// Streams that are driven.
    streams: Vec<Stream>,
    /// Index among them of the stream of each number; [`UNUSED`] when it is not driven.
    places: Vec<u16>,
}

/// Place of a stream that is not driven.
const UNUSED: u16 = u16::MAX;

/// A stream and its keys.
#[derive(Debug, Clone)]
struct Stream {
    /// The parts of the keys that do not depend on the cycle, by copy.
    bases: Vec<u64>,
    /// The keys in this cycle, by copy.
    keys: Vec<u64>,
}

impl RandomBits {
    /// The random bits of cycle 0 of a run; pins are held at 0.
    ///
    /// # Panics
    /// When the fabric has copies.
    pub fn new(fabric: &Fabric, seed: u64) -> Self {
        RandomBits::of_copies(fabric, &[seed])
    }

    /// The random bits of cycle 0 of runs side by side, one seed for each copy.
    ///
    /// # Panics
    /// When there are not as many seeds as copies.
    pub fn of_copies(fabric: &Fabric, seeds: &[u64]) -> Self {
        assert_eq!(seeds.len(), fabric.copies.count(), "a seed for each copy");
        let bases = |stream| {
            seeds
                .iter()
                .map(move |&seed| random::stream_key(seed, stream))
        };
        let mut streams = Vec::new();
        let mut places = Vec::new();
        for array in fabric.arrays.iter().filter(|array| array.random) {
            for port in array.chip.ports {
                if let Role::Random { stream, .. } = port.role {
                    for number in stream..stream + u64::from(port.width) {
                        let place = number as usize;
                        places.resize(places.len().max(place + 1), UNUSED);
                        if places[place] != UNUSED {
                            continue;
                        }
                        places[place] = streams.len() as u16;
                        streams.push(Stream {
                            bases: bases(number).collect(),
                            keys: vec![0; seeds.len()],
                        });
                    }
                }
            }
        }
        let mut random_bits = RandomBits {
            cycle: 0,
            held: true,
            copies: fabric.copies,
            streams,
            places,
        };
        random_bits.begin(0);
        random_bits
    }

    /// Goes to a cycle.
    pub fn begin(&mut self, cycle: u64) {
        self.cycle = cycle;
        for stream in &mut self.streams {
            for (key, &base) in stream.keys.iter_mut().zip(&stream.bases) {
                *key = random::cycle_key(base, cycle);
            }
        }
    }

    /// Holds the pins at 0 or lets them run.
    pub fn hold(&mut self, hold: bool) {
        self.held = hold;
    }

    /// True when the pins are held at 0.
    pub fn held(&self) -> bool {
        self.held
    }

    /// The copies that it is for.
    #[inline(always)]
    pub fn copies(&self) -> Copies {
        self.copies
    }

    /// The key of a stream in this cycle, in copy 0.
    pub fn key(&self, stream: u64) -> u64 {
        self.keys(stream).first().copied().unwrap_or(0)
    }

    /// The keys of a stream in this cycle, one for each copy; none when the
    /// stream is not driven.
    pub fn keys(&self, stream: u64) -> &[u64] {
        match self.places.get(stream as usize) {
            None | Some(&UNUSED) => &[],
            Some(&place) => &self.streams[usize::from(place)].keys,
        }
    }

    /// The pins of one instance.
    pub fn of<'a>(&'a self, array: &ChipArray, instance: usize) -> InstancePins<'a> {
        InstancePins {
            random_bits: self,
            instance,
            driven: array.random,
        }
    }
}

/// The random pins of one instance.
#[derive(Debug)]
pub struct InstancePins<'a> {
    random_bits: &'a RandomBits,
    instance: usize,
    driven: bool,
}

impl InstancePins<'_> {
    /// The value of a random port of `width` bits from stream `stream` on.
    pub fn value(&self, stream: u64, kind: RandomKind, width: u8) -> u64 {
        (0..u64::from(width))
            .map(|bit| u64::from(self.bit(stream + bit, kind)) << bit)
            .sum()
    }
}

impl RandomPins for InstancePins<'_> {
    fn cycle(&self) -> u64 {
        self.random_bits.cycle
    }

    #[inline]
    fn bit(&self, stream: u64, kind: RandomKind) -> bool {
        if !self.driven || self.random_bits.held {
            return false;
        }
        let (copy, group) = self.random_bits.copies.split_group(self.instance / 64);
        let key = self.random_bits.keys(stream)[copy];
        let bit = 1 << (self.instance % 64);
        let word = match kind {
            RandomKind::Fair => random::word(key, group as u64),
            RandomKind::Third => random::third_bits(key, group as u64, bit),
        };
        word & bit != 0
    }
}
