//! The instances of one kind of chip that one thread owns, and a clock edge of
//! those that are awake.

use std::any::Any;
use std::ops::Range;

use super::awake::AwakeSet;
use super::shared::Shared;
use super::timers::Timers;
use crate::chip::{ChipPins, Model, ModelVisitor, Word, rotated};
use crate::network::random_bits::RandomBits;
use crate::network::{ChipArray, OPEN};
use crate::probe::engine::Watched;
use crate::probe::save::{Loader, Saver, Unlike};

/// A part of an array of models, whatever the kind of chip.
pub(super) trait Models<W: Word>: Send {
    /// Sets a pin of role `Option` or `Host`.
    fn set_pin(&mut self, port: usize, instance: usize, value: u64);
    /// The value of such a pin.
    fn pin(&self, port: usize, instance: usize) -> u64;
    /// The value of an output of role `Host` or `State`.
    fn output(&self, port: usize, instance: usize) -> u64;
    /// The bits of such an output over all instances, set in the planes of the whole
    /// array.
    fn planes(&self, port: usize, planes: &mut [Vec<u64>]);
    /// Takes in what some instances of the array show, in rising order.
    fn watch(&self, instances: &mut dyn Iterator<Item = u32>, watched: &mut Watched);
    /// Saves registers and pins, instance by instance.
    fn save(&self, saver: &mut Saver);
    /// Takes over what was saved of the same instances.
    fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike>;
    /// The registers of the awake chips after the edge. What they drive goes to
    /// `driven`, the words of these chips in the other buffer, since their
    /// neighbours still read the old ones. Chips to be evaluated at the next
    /// edge go to `next`, those that wait for a later one to `timers`. Returns how many were
    /// evaluated.
    fn evaluate(
        &mut self,
        now: &Now<'_, W>,
        driven: &mut [W],
        next: &mut AwakeSet,
        timers: &mut Timers,
    ) -> usize;
}

/// What the chips read of a cycle.
pub(super) struct Now<'a, W> {
    pub(super) shared: &'a Shared,
    pub(super) words: &'a [W],
    pub(super) random_bits: &'a RandomBits,
    pub(super) awake: &'a AwakeSet,
    pub(super) array: usize,
}

/// The instances from `first` on of one model.
struct ModelRange<M: Model> {
    first: usize,
    chips: Vec<(M::State, M::Pins)>,
}

impl<M: Model> Models<M::Word> for ModelRange<M> {
    fn set_pin(&mut self, port: usize, instance: usize, value: u64) {
        self.chips[instance - self.first].1.set(port, value);
    }

    fn pin(&self, port: usize, instance: usize) -> u64 {
        self.chips[instance - self.first].1.get(port)
    }

    fn output(&self, port: usize, instance: usize) -> u64 {
        M::output(&self.chips[instance - self.first].0, port)
    }

    fn planes(&self, port: usize, planes: &mut [Vec<u64>]) {
        for (instance, (state, _)) in (self.first..).zip(&self.chips) {
            let mut value = M::output(state, port);
            while value != 0 {
                let bit = value.trailing_zeros() as usize;
                value &= value - 1;
                planes[bit][instance / 64] |= 1 << (instance % 64);
            }
        }
    }

    fn watch(&self, instances: &mut dyn Iterator<Item = u32>, watched: &mut Watched) {
        for instance in instances {
            let instance = instance as usize;
            let value = M::output(&self.chips[instance - self.first].0, watched.port);
            watched.take_one(instance, value);
        }
    }

    fn save(&self, saver: &mut Saver) {
        self.chips.iter().for_each(|chip| saver.value(chip));
    }

    fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        for chip in &mut self.chips {
            *chip = loader.value()?;
        }
        Ok(())
    }

    fn evaluate(
        &mut self,
        now: &Now<'_, M::Word>,
        driven: &mut [M::Word],
        next: &mut AwakeSet,
        timers: &mut Timers,
    ) -> usize {
        let count = self.chips.len();
        let layout = &now.shared.fabric.arrays[now.array];
        let first_chip = now.shared.first_chip[now.array];
        let start = first_chip + self.first as u32;
        let mut evaluated = 0;
        now.awake
            .range(start..start + self.chips.len() as u32)
            .for_each(|chip| {
                evaluated += 1;
                let instance = (chip - first_chip) as usize;
                let first = layout.first_link as usize + instance * M::LINKS;
                let peers = &now.shared.fabric.peers[first..first + M::LINKS];
                let mut words = M::Words::default();
                let words = words.as_mut();
                for (word, &peer) in words.iter_mut().zip(peers) {
                    if peer != OPEN {
                        *word = now.words[peer as usize];
                    }
                }
                let rotations = &now.shared.fabric.rotations;
                if let Some(rotations) = rotations.get(first..first + M::LINKS) {
                    for (word, &steps) in words.iter_mut().zip(rotations) {
                        *word = M::Word::of(rotated((*word).into(), steps));
                    }
                }
                let random = now.random_bits.of(layout, instance);
                let own = instance - self.first;
                let (state, pins) = &mut self.chips[own];
                let mut again = M::step(state, pins, &random, words);
                // A word that is not 0 or that changed wakes the chip it leads
                // to. A chip rests only when both buffers say that it drives 0.
                let driven = &mut driven[own * M::LINKS..(own + 1) * M::LINKS];
                let before = &now.words[first..first + M::LINKS];
                for link in 0..M::LINKS {
                    driven[link] = words[link];
                    if words[link] | before[link] != M::Word::default() {
                        again = true;
                        if peers[link] != OPEN {
                            next.insert(now.shared.chip_of(peers[link]));
                        }
                    }
                }
                if again {
                    next.insert(chip);
                } else if let Some(due) = M::due(state) {
                    timers.set(due, chip, own, count);
                }
            });
        evaluated
    }
}

/// Makes the models of a range of an array, after reset, with their
/// configuration pins set.
pub(super) struct MakeModels<'a> {
    pub(super) layout: &'a ChipArray,
    pub(super) instances: Range<usize>,
}

/// The models of an array, for links of the width that they have.
pub(super) struct Made(Box<dyn Any>);

impl Made {
    /// The models of a network whose links have such words.
    ///
    /// # Panics
    /// When theirs are others.
    pub(super) fn of_width<W: Word>(self) -> Box<dyn Models<W>> {
        let models = self.0.downcast::<Box<dyn Models<W>>>();
        *models.expect("all chips of a network have links of one width")
    }
}

impl ModelVisitor for MakeModels<'_> {
    type Output = Made;

    fn visit<M: Model>(self) -> Made {
        let count = self.instances.len();
        let mut chips = vec![(M::State::default(), M::Pins::default()); count];
        for pin in &self.layout.pins {
            for (instance, (_, pins)) in self.instances.clone().zip(&mut chips) {
                pins.set(pin.port, pin.values.at(instance));
            }
        }
        let models: Box<dyn Models<M::Word>> = Box::new(ModelRange::<M> {
            first: self.instances.start,
            chips,
        });
        Made(Box::new(models))
    }
}

/// A part of an array: its models and what the phases leave for one another.
pub(super) struct Part<W: Word> {
    pub(super) array: usize,
    pub(super) instances: Range<usize>,
    pub(super) models: Box<dyn Models<W>>,
    /// Chips that this part wakes for the next cycle.
    pub(super) next: AwakeSet,
    /// Chips of this part that wait for a cycle.
    pub(super) timers: Timers,
    /// How many chips were evaluated at the last edge.
    pub(super) evaluated: usize,
}
