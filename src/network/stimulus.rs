//! The random pins of a cycle, the same for every engine and for the exported
//! test bench.

use super::{ChipArray, Fabric};
use crate::chip::{RandomKind, RandomPins, Role};
use crate::random;

/// The random pins of all chips in one cycle.
#[derive(Debug, Clone)]
pub struct Stimulus {
    held: bool,
    /// Streams that are driven.
    streams: Vec<Stream>,
}

/// A stream and its keys.
#[derive(Debug, Clone)]
struct Stream {
    number: u64,
    /// What does not depend on the cycle.
    base: u64,
    /// The key in this cycle.
    key: u64,
}

impl Stimulus {
    /// The stimulus of cycle 0 of a run; pins are held at 0.
    pub fn new(fabric: &Fabric, seed: u64) -> Self {
        let mut streams = Vec::new();
        for array in fabric.arrays.iter().filter(|array| array.random) {
            for port in array.chip.ports {
                if let Role::Random { stream, .. } = port.role {
                    streams.extend((0..u64::from(port.width)).map(|bit| Stream {
                        number: stream + bit,
                        base: random::stream_key(seed, stream + bit),
                        key: 0,
                    }));
                }
            }
        }
        let mut stimulus = Stimulus {
            held: true,
            streams,
        };
        stimulus.begin(0);
        stimulus
    }

    /// Goes to a cycle.
    pub fn begin(&mut self, cycle: u64) {
        for stream in &mut self.streams {
            stream.key = random::cycle_key(stream.base, cycle);
        }
    }

    /// Holds the pins at 0 or lets them run.
    pub fn hold(&mut self, hold: bool) {
        self.held = hold;
    }

    /// Whether the pins are held at 0.
    pub fn held(&self) -> bool {
        self.held
    }

    /// The key of a stream in this cycle.
    pub fn key(&self, stream: u64) -> u64 {
        let found = self.streams.iter().find(|known| known.number == stream);
        found.map_or(0, |stream| stream.key)
    }

    /// The pins of one instance.
    pub fn of<'a>(&'a self, array: &ChipArray, instance: usize) -> InstancePins<'a> {
        InstancePins {
            stimulus: self,
            instance: instance as u64,
            driven: array.random,
        }
    }
}

/// The random pins of one instance.
#[derive(Debug)]
pub struct InstancePins<'a> {
    stimulus: &'a Stimulus,
    instance: u64,
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
    fn bit(&self, stream: u64, kind: RandomKind) -> bool {
        if !self.driven || self.stimulus.held {
            return false;
        }
        let key = self.stimulus.key(stream);
        let word = match kind {
            RandomKind::Fair => random::word(key, self.instance / 64),
            RandomKind::Third => random::third_word(key, self.instance / 64),
        };
        word >> (self.instance % 64) & 1 != 0
    }
}
