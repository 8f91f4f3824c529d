//! The values that the inputs of a run are driven with.

use super::super::engine::{DrivenNet, Engine};
use super::{Bit, Run};
use crosswave_base::random;

/// The runs that there are in each group of 64.
pub(crate) fn run_masks(replicas: usize) -> Vec<u64> {
    let group = |first: usize| u64::MAX >> (64 - (replicas - first).min(64));
    (0..replicas).step_by(64).map(group).collect()
}

/// The values of all input bits in all runs: 0, 1 or X.
#[derive(Debug, Clone)]
pub(super) struct InputValues {
    /// Words of a rail.
    pub(super) words: usize,
    /// The rail of "may be 1" and the rail of "may be 0" of each bit; run 64 g + i is bit i of word g.
    pub(super) rails: Vec<u64>,
    /// The nets of each bit that are read: one, or both rails.
    nets: Vec<[Option<DrivenNet>; 2]>,
    /// The runs that there are, for each word of a rail.
    runs: Vec<u64>,
    /// The keys of the bits' random streams, and their seed.
    streams: Vec<u64>,
    seed: u64,
}

impl InputValues {
    /// All bits with these nets are 0, or X.
    pub(super) fn new(
        replicas: usize,
        nets: Vec<[Option<DrivenNet>; 2]>,
        four_state: bool,
    ) -> InputValues {
        let words = replicas.div_ceil(64);
        let one = if four_state { u64::MAX } else { 0 };
        let mut rails = Vec::with_capacity(2 * words * nets.len());
        for _ in &nets {
            rails.extend(std::iter::repeat_n(one, words));
            rails.extend(std::iter::repeat_n(u64::MAX, words));
        }
        InputValues {
            words,
            rails,
            nets,
            runs: run_masks(replicas),
            streams: Vec::new(),
            seed: 0,
        }
    }

    /// The rails of a bit.
    fn of(&self, bit: usize) -> (&[u64], &[u64]) {
        self.rails[2 * self.words * bit..][..2 * self.words].split_at(self.words)
    }

    /// The rails of a bit in the runs of a group of 64.
    pub(super) fn group(&self, bit: usize, group: usize) -> [u64; 2] {
        let (one, zero) = self.of(bit);
        [one[group], zero[group]]
    }

    /// The value of a bit in a run.
    pub(super) fn get(&self, bit: usize, replica: usize) -> Bit {
        let rails = self.group(bit, replica / 64);
        match rails.map(|rail| rail >> (replica % 64) & 1) {
            [1, 1] => Bit::X,
            [1, _] => Bit::One,
            _ => Bit::Zero,
        }
    }

    /// Drives a bit in a run with 0, 1 or X.
    pub(super) fn drive(&mut self, bit: usize, replica: usize, value: Bit, engine: &mut Engine) {
        let (group, lane) = (replica / 64, replica % 64);
        for (rail, known) in [Bit::Zero, Bit::One].into_iter().enumerate() {
            let may_be = value != known;
            let word = &mut self.rails[self.words * (2 * bit + rail) + group];
            *word = *word & !(1 << lane) | u64::from(may_be) << lane;
            if let Some(net) = self.nets[bit][rail] {
                engine.drive(net, replica, may_be);
            }
        }
    }

    /// Drives a bit in all runs with the random bits of a cycle.
    fn randomise(&mut self, bit: usize, cycle: u64, engine: &mut Engine) {
        let key = random::cycle_key(self.streams[bit], cycle);
        let rails = &mut self.rails[2 * self.words * bit..][..2 * self.words];
        let (one, zero) = rails.split_at_mut(self.words);
        for (group, runs) in (0..).zip(&self.runs) {
            let at = group as usize;
            one[at] = random::word(key, group) & runs;
            zero[at] = !one[at];
        }
        let [of_one, of_zero] = self.nets[bit];
        if let Some(net) = of_one {
            engine.drive_words(net, one);
        }
        if let Some(net) = of_zero {
            engine.drive_words(net, zero);
        }
    }

    /// Drives all nets with the values.
    pub(super) fn drive_all(&self, engine: &mut Engine) {
        for (bit, nets) in self.nets.iter().enumerate() {
            let (one, zero) = self.of(bit);
            for (net, rail) in nets.iter().zip([one, zero]) {
                if let &Some(net) = net {
                    engine.drive_words(net, rail);
                }
            }
        }
    }
}

impl Run {
    /// Drives an input in every run with the random bits of (seed, cycle): bit b of
    /// all input bits is stream b, and run 64 g + i has bit i of group g.
    pub fn drive_random(&mut self, input: usize, seed: u64, cycle: u64) {
        let driven = &mut self.driven;
        if driven.streams.is_empty() || driven.seed != seed {
            let streams = 0..driven.nets.len() as u64;
            driven.streams = streams.map(|bit| random::stream_key(seed, bit)).collect();
            driven.seed = seed;
        }
        let port = &self.inputs[input];
        for bit in port.first..port.first + port.width {
            driven.randomise(bit, cycle, &mut self.engine);
        }
    }
}
