//! Recorded names that changed since the cycle before.
//!
//! A word of a plane has the same net of 64 instances, of which few change. So words are compared, and only names with a
//! bit that is another one are looked at.

use super::super::engine::Probe;
use super::{Bit, RecordedBit, Run};

/// A word of a plane with bits of recorded names.
#[derive(Debug, Clone, Copy)]
struct ScannedWord {
    /// Its place among the words of the engine.
    address: u32,
    /// The first of its entries; they end where those of the next word begin.
    first: u32,
    /// The bits that are recorded.
    mask: u64,
    /// Its value in the cycle before.
    before: u64,
}

/// The place of a recorded bit.
#[derive(Debug, Clone, Copy)]
enum BitPlace {
    /// A net: the word and the bit of each rail, true for its inverse. They are the same unless X is computed with.
    Net {
        words: [u32; 2],
        lanes: [u8; 2],
        flips: [bool; 2],
    },
    /// Something else, of which the run knows more.
    Other,
}

/// The recorded names of a run of a design, and which of them changed.
#[derive(Debug, Clone)]
pub struct NetScan {
    /// In the order of addresses; the last one ends the entries.
    words: Vec<ScannedWord>,
    /// For each word, its bits and the names that have them.
    entries: Vec<(u8, u32)>,
    /// The places of all recorded bits.
    places: Vec<BitPlace>,
    replica: usize,
    /// A bit for each name.
    changed: Vec<u64>,
    is_first: bool,
}

impl NetScan {
    /// The names of a run side by side.
    pub fn new(run: &Run, replica: usize) -> NetScan {
        let place = |rail: Probe| {
            let (address, lane) = run.engine.bit_place(rail, replica);
            (address as u32, lane as u8)
        };
        let places = run.recorded_bits.iter().map(|bit| match *bit {
            RecordedBit::Net {
                rails: [one, zero],
                inverted,
            } => {
                // The inverse of two rails is the same with each in the place of the other.
                let (rails, flip) = match (run.four_state, inverted) {
                    (true, true) => ([zero, one], false),
                    (true, false) => ([one, zero], false),
                    (false, inverted) => ([one, one], inverted),
                };
                BitPlace::Net {
                    words: rails.map(|rail| place(rail).0),
                    lanes: rails.map(|rail| place(rail).1),
                    flips: rails.map(|rail| rail.is_inverted() != flip),
                }
            }
            _ => BitPlace::Other,
        });
        let places: Vec<BitPlace> = places.collect();
        let mut bits: Vec<(u32, u8, u32)> = Vec::new();
        for (vector, recorded) in (0..).zip(&run.recorded) {
            if recorded.twin.is_some() {
                continue;
            }
            for bit in &places[recorded.first..recorded.first + recorded.width] {
                if let BitPlace::Net { words, lanes, .. } = *bit {
                    let rails = words.into_iter().zip(lanes);
                    bits.extend(rails.map(|(word, lane)| (word, lane, vector)));
                }
            }
        }
        bits.sort_unstable();
        bits.dedup();
        let mut words: Vec<ScannedWord> = Vec::new();
        for (entry, &(address, lane, _)) in (0..).zip(&bits) {
            if words.last().is_none_or(|word| word.address != address) {
                words.push(ScannedWord {
                    address,
                    first: entry,
                    mask: 0,
                    before: 0,
                });
            }
            if let Some(word) = words.last_mut() {
                word.mask |= 1 << lane;
            }
        }
        words.push(ScannedWord {
            address: 0,
            first: bits.len() as u32,
            mask: 0,
            before: 0,
        });
        NetScan {
            words,
            entries: bits
                .into_iter()
                .map(|(_, lane, vector)| (lane, vector))
                .collect(),
            places,
            replica,
            changed: vec![0; run.recorded.len().div_ceil(64)],
            is_first: true,
        }
    }

    /// Finds the names whose nets changed since this was called last, as it was last settled; the first time, all. Bits
    /// that follow clocks do not count.
    pub fn scan(&mut self, run: &Run) {
        let all = if self.is_first { u64::MAX } else { 0 };
        self.changed.fill(all);
        self.is_first = false;
        for at in 0..self.words.len() - 1 {
            let word = &mut self.words[at];
            let now = run.engine.word(word.address as usize) & word.mask;
            let difference = now ^ std::mem::replace(&mut word.before, now);
            if difference == 0 {
                continue;
            }
            let entries = word.first as usize..self.words[at + 1].first as usize;
            for &(lane, vector) in &self.entries[entries] {
                let bit = difference >> lane & 1;
                self.changed[vector as usize / 64] |= bit << (vector % 64);
            }
        }
    }

    /// True when a recorded name without a twin changed.
    pub fn has_changed(&self, vector: usize) -> bool {
        self.changed[vector / 64] >> (vector % 64) & 1 == 1
    }

    /// Adds the bits of a recorded name without a twin, as it was last settled, while the clocks are at these levels.
    pub fn add_bits(&self, run: &Run, vector: usize, levels: &[bool], bits: &mut Vec<Bit>) {
        let recorded = &run.recorded[vector];
        let places = &self.places[recorded.first..recorded.first + recorded.width];
        bits.extend(places.iter().enumerate().map(|(bit, place)| match *place {
            BitPlace::Other => run.recorded_bit(vector, bit, self.replica, levels),
            BitPlace::Net {
                words,
                lanes,
                flips,
            } => {
                let rail = |rail: usize| {
                    let word = run.engine.word(words[rail] as usize);
                    (word >> lanes[rail] & 1 == 1) != flips[rail]
                };
                match (rail(0), run.four_state && rail(1)) {
                    (true, true) => Bit::X,
                    (true, false) => Bit::One,
                    (false, _) => Bit::Zero,
                }
            }
        }));
    }
}
