//! The instances of one kind of chip that one thread owns, and the two phases
//! of a cycle over them.

use std::ops::Range;

use super::awake::AwakeSet;
use super::{MAX_LINKS, Shared};
use crate::chip::{LinkWord, Model, ModelVisitor};
use crate::network::stimulus::Stimulus;
use crate::network::{ChipArray, OPEN};

/// A part of an array of models, whatever the kind of chip.
pub(super) trait Models: Send {
    /// Sets a pin of role `Option` or `Host`.
    fn set_pin(&mut self, port: usize, instance: usize, value: u64);
    /// The value of such a pin.
    fn pin(&self, port: usize, instance: usize) -> u64;
    /// The value of an output of role `Host` or `State`.
    fn output(&self, port: usize, instance: usize) -> u64;
    /// First phase: the registers of the awake chips after the edge. What they
    /// drive is staged, since their neighbours still read the old words; chips
    /// that must be looked at again go to `next`.
    fn evaluate(&mut self, now: &Now, staged: &mut Vec<[LinkWord; MAX_LINKS]>, next: &mut AwakeSet);
}

/// What the first phase reads of a cycle.
pub(super) struct Now<'a> {
    pub(super) shared: &'a Shared,
    pub(super) words: &'a [LinkWord],
    pub(super) stimulus: &'a Stimulus,
    pub(super) awake: &'a AwakeSet,
    pub(super) array: usize,
}

/// The instances from `first` on of one model.
struct ModelRange<M: Model> {
    first: usize,
    chips: Vec<(M::State, M::Pins)>,
}

impl<M: Model> Models for ModelRange<M> {
    fn set_pin(&mut self, port: usize, instance: usize, value: u64) {
        M::set_pin(&mut self.chips[instance - self.first].1, port, value);
    }

    fn pin(&self, port: usize, instance: usize) -> u64 {
        M::pin(&self.chips[instance - self.first].1, port)
    }

    fn output(&self, port: usize, instance: usize) -> u64 {
        M::output(&self.chips[instance - self.first].0, port)
    }

    fn evaluate(
        &mut self,
        now: &Now,
        staged: &mut Vec<[LinkWord; MAX_LINKS]>,
        next: &mut AwakeSet,
    ) {
        let layout = &now.shared.fabric.arrays[now.array];
        let first_chip = now.shared.first_chip[now.array];
        let start = first_chip + self.first as u32;
        for chip in now.awake.range(start..start + self.chips.len() as u32) {
            let instance = (chip - first_chip) as usize;
            let first = layout.first_link as usize + instance * M::LINKS;
            let mut words = [0; MAX_LINKS];
            let peers = &now.shared.fabric.peers[first..first + M::LINKS];
            for (word, &peer) in words.iter_mut().zip(peers) {
                if peer != OPEN {
                    *word = now.words[peer as usize];
                }
            }
            let random = now.stimulus.of(layout, instance);
            let (state, pins) = &mut self.chips[instance - self.first];
            if M::step(state, pins, &random, &mut words[..M::LINKS]) {
                next.insert(chip);
            }
            staged.push(words);
        }
    }
}

/// Makes the models of a range of an array, after reset, with their
/// configuration pins set.
pub(super) struct MakeModels<'a> {
    pub(super) layout: &'a ChipArray,
    pub(super) instances: Range<usize>,
}

impl ModelVisitor for MakeModels<'_> {
    type Output = Box<dyn Models>;

    fn visit<M: Model>(self) -> Box<dyn Models> {
        let count = self.instances.len();
        let mut chips = vec![(M::State::default(), M::Pins::default()); count];
        for pin in &self.layout.pins {
            for (instance, (_, pins)) in self.instances.clone().zip(&mut chips) {
                M::set_pin(pins, pin.port, pin.values.at(instance));
            }
        }
        Box::new(ModelRange::<M> {
            first: self.instances.start,
            chips,
        })
    }
}

/// A part of an array: its models and what the phases leave for one another.
pub(super) struct Part {
    pub(super) array: usize,
    pub(super) instances: Range<usize>,
    pub(super) models: Box<dyn Models>,
    /// New words of the evaluated chips, in the order of their numbers.
    pub(super) staged: Vec<[LinkWord; MAX_LINKS]>,
    /// Chips that this part wakes for the next cycle.
    pub(super) next: AwakeSet,
}

impl Part {
    /// Second phase: the staged words are driven, and wake the chips they lead
    /// to. `driven` are the words of the part's link ports.
    pub(super) fn commit(&mut self, shared: &Shared, awake: &AwakeSet, driven: &mut [LinkWord]) {
        let layout = &shared.fabric.arrays[self.array];
        let links = layout.chip.links.len();
        let start = shared.first_chip[self.array] + self.instances.start as u32;
        let first = layout.first_link as usize + self.instances.start * links;
        let chips = awake.range(start..start + self.instances.len() as u32);
        for (chip, words) in chips.zip(&self.staged) {
            let at = (chip - start) as usize * links;
            let peers = &shared.fabric.peers[first + at..first + at + links];
            for ((driven, &word), &peer) in driven[at..at + links].iter_mut().zip(words).zip(peers)
            {
                let before = std::mem::replace(driven, word);
                if word | before != 0 && peer != OPEN {
                    self.next.insert(shared.chip_of(peer));
                }
            }
        }
    }
}
