//! A part of the instances of one kind of chip, and the two halves of a clock edge.

use std::any::Any;
use std::ops::Range;

use super::awake::AwakeSet;
use super::prefetch::{AHEAD, prefetch, turns};
use super::shared::Shared;
use super::timers::Timers;
use crate::chip::{ChipPins, Model, ModelVisitor, Wires, Word, rotated};
use crate::network::random_bits::RandomBits;
use crate::network::{ChipArray, Fabric, OPEN};
use crate::probe::engine::{InstanceList, Watched};
use crate::probe::save::{Loader, Saver, Unlike};

/// A part of an array of models, whatever the kind of chip. Instances are those of the array;
/// sets and timers count from the first one of the part.
pub(super) trait Models<W: Word>: Send {
    /// Sets a pin of role `Option` or `Host`.
    fn set_pin(&mut self, port: usize, instance: usize, value: u64);
    /// The value of such a pin.
    fn pin(&self, port: usize, instance: usize) -> u64;
    /// The value of an output of role `Host` or `State`.
    fn output(&self, port: usize, instance: usize) -> u64;
    /// What arrives at a link port.
    fn arriving(&self, instance: usize, link: usize) -> W;
    /// What a chip drives at a link port.
    fn driven(&self, instance: usize, link: usize) -> W;
    /// Appends those among the chips of a set that show something else than 0 at such an output.
    fn raised(&self, port: usize, chips: &AwakeSet, instances: &mut Vec<u32>);
    /// The same for each of some outputs.
    fn raised_each(&self, ports: &[usize], chips: &AwakeSet, found: &mut [InstanceList]);
    /// The bits of such an output over all instances, set in the planes of the whole
    /// array.
    fn planes(&self, port: usize, planes: &mut [Vec<u64>]);
    /// Takes in what the chips of a set show, in rising order.
    fn watch(&self, chips: &AwakeSet, watched: &mut Watched);
    /// Saves registers, pins and what is driven, instance by instance.
    fn save(&self, saver: &mut Saver);
    /// Takes over what was saved of the same instances. What they drive, and what arrives where
    /// it leads to, is to be delivered then.
    fn load(&mut self, loader: &mut Loader<'_>, sent: &mut Sent<'_, W>) -> Result<(), Unlike>;
    /// The registers of the awake chips after the edge. The words that changed are sent. Chips
    /// to be evaluated at the next edge whatever arrives go to `next`, those that wait for a
    /// later one to `timers`. Returns how many were evaluated.
    fn evaluate(
        &mut self,
        now: &Now<'_>,
        sent: &mut Sent<'_, W>,
        next: &mut AwakeSet,
        timers: &mut Timers,
    ) -> usize;
    /// Words that arrive at link ports of this part from the next cycle on; they wake their
    /// chips. `rotations` are those of the link ports of the part, or none.
    fn deliver(&mut self, changes: &[Change<W>], rotations: &[u8], next: &mut AwakeSet);
}

/// What the chips read of a cycle.
pub(super) struct Now<'a> {
    pub(super) layout: &'a ChipArray,
    pub(super) random_bits: &'a RandomBits,
    pub(super) awake: &'a AwakeSet,
}

/// A word that is another one than before, on its way to a link port.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change<W> {
    link_port: u32,
    word: W,
}

/// What a part sends at an edge, to all parts.
pub(super) struct Sent<'a, W> {
    shared: &'a Shared,
    /// The link ports of the part itself.
    links: Range<u32>,
    to_itself: &'a mut Vec<Change<W>>,
    /// What goes to each other part.
    to_others: &'a mut [Vec<Change<W>>],
    /// Those other parts to which something goes.
    receivers: &'a mut Vec<u32>,
}

impl<'a, W> Sent<'a, W> {
    /// Nothing yet of a part with such link ports, in lists that hold what it sent before.
    pub(super) fn new(
        shared: &'a Shared,
        links: Range<u32>,
        to_itself: &'a mut Vec<Change<W>>,
        to_others: &'a mut [Vec<Change<W>>],
        receivers: &'a mut Vec<u32>,
    ) -> Self {
        to_itself.clear();
        for receiver in receivers.drain(..) {
            to_others[receiver as usize].clear();
        }
        Sent {
            shared,
            links,
            to_itself,
            to_others,
            receivers,
        }
    }

    #[inline(always)]
    fn push(&mut self, link_port: u32, word: W) {
        let change = Change { link_port, word };
        if self.links.contains(&link_port) {
            self.to_itself.push(change);
            return;
        }
        let receiver = self.shared.part_of(link_port);
        let list = &mut self.to_others[receiver];
        if list.is_empty() {
            self.receivers.push(receiver as u32);
        }
        list.push(change);
    }
}

/// A chip with all that an edge reads and writes of it, in as few cache lines as it fits.
struct Instance<M: Model> {
    _alignment: [<M::Words as Wires<M::Word>>::Alignment; 0],
    state: M::State,
    arriving: M::Words,
    driven: M::Words,
    /// Where its links lead to.
    peers: <M::Words as Wires<M::Word>>::Peers,
    pins: M::Pins,
}

/// The instances from `first` on of one model.
struct ModelRange<M: Model> {
    first: usize,
    first_link: u32,
    chips: Vec<Instance<M>>,
}

impl<M: Model> Models<M::Word> for ModelRange<M> {
    fn set_pin(&mut self, port: usize, instance: usize, value: u64) {
        self.chips[instance - self.first].pins.set(port, value);
    }

    fn pin(&self, port: usize, instance: usize) -> u64 {
        self.chips[instance - self.first].pins.get(port)
    }

    fn output(&self, port: usize, instance: usize) -> u64 {
        M::output(&self.chips[instance - self.first].state, port)
    }

    fn raised(&self, port: usize, chips: &AwakeSet, instances: &mut Vec<u32>) {
        for turn in turns(chips.iter()) {
            if let Some(own) = turn.fetch {
                prefetch(&self.chips[own as usize]);
            }
            if let Some(own) = turn.due
                && M::output(&self.chips[own as usize].state, port) != 0
            {
                instances.push(self.first as u32 + own);
            }
        }
    }

    fn raised_each(&self, ports: &[usize], chips: &AwakeSet, found: &mut [InstanceList]) {
        for turn in turns(chips.iter()) {
            if let Some(own) = turn.fetch {
                prefetch(&self.chips[own as usize]);
            }
            let Some(own) = turn.due else {
                continue;
            };
            let state = &self.chips[own as usize].state;
            for (&port, found) in ports.iter().zip(&mut *found) {
                if M::output(state, port) != 0 {
                    found.push(self.first as u32 + own);
                }
            }
        }
    }

    fn arriving(&self, instance: usize, link: usize) -> M::Word {
        self.chips[instance - self.first].arriving.as_ref()[link]
    }

    fn driven(&self, instance: usize, link: usize) -> M::Word {
        self.chips[instance - self.first].driven.as_ref()[link]
    }

    fn planes(&self, port: usize, planes: &mut [Vec<u64>]) {
        for (instance, chip) in (self.first..).zip(&self.chips) {
            let mut value = M::output(&chip.state, port);
            while value != 0 {
                let bit = value.trailing_zeros() as usize;
                value &= value - 1;
                planes[bit][instance / 64] |= 1 << (instance % 64);
            }
        }
    }

    fn watch(&self, chips: &AwakeSet, watched: &mut Watched) {
        for own in chips.iter() {
            let own = own as usize;
            let value = M::output(&self.chips[own].state, watched.port);
            watched.take_one(self.first + own, value);
        }
    }

    fn save(&self, saver: &mut Saver) {
        for chip in &self.chips {
            saver.value(&(&chip.state, &chip.pins));
            chip.driven
                .as_ref()
                .iter()
                .for_each(|word| saver.value(word));
        }
    }

    fn load(
        &mut self,
        loader: &mut Loader<'_>,
        sent: &mut Sent<'_, M::Word>,
    ) -> Result<(), Unlike> {
        for chip in &mut self.chips {
            (chip.state, chip.pins) = loader.value()?;
            chip.arriving = M::Words::REST;
            for (word, &peer) in chip.driven.as_mut().iter_mut().zip(chip.peers.as_ref()) {
                *word = loader.value()?;
                if *word != M::Word::default() && peer != OPEN {
                    sent.push(peer, *word);
                }
            }
        }
        Ok(())
    }

    fn evaluate(
        &mut self,
        now: &Now<'_>,
        sent: &mut Sent<'_, M::Word>,
        next: &mut AwakeSet,
        timers: &mut Timers,
    ) -> usize {
        let mut evaluated = 0;
        for turn in turns(now.awake.iter()) {
            if let Some(own) = turn.fetch {
                prefetch(&self.chips[own as usize]);
            }
            if let Some(own) = turn.due {
                self.edge(now, own, sent, next, timers);
                evaluated += 1;
            }
        }
        evaluated
    }

    fn deliver(&mut self, changes: &[Change<M::Word>], rotations: &[u8], next: &mut AwakeSet) {
        let first = self.first_link;
        match rotations.is_empty() {
            true => self.take_in(changes, next, |change| change.word),
            false => self.take_in(changes, next, |change| {
                let steps = rotations[(change.link_port - first) as usize];
                M::Word::of(rotated(change.word.into(), steps))
            }),
        }
    }
}

impl<M: Model> ModelRange<M> {
    /// Delivers words as they come in.
    #[inline(always)]
    fn take_in(
        &mut self,
        changes: &[Change<M::Word>],
        next: &mut AwakeSet,
        word: impl Fn(&Change<M::Word>) -> M::Word,
    ) {
        for (at, change) in changes.iter().enumerate() {
            if let Some(change) = changes.get(at + AHEAD) {
                let (own, _) = self.place(change.link_port);
                prefetch(&self.chips[own]);
            }
            let (own, link) = self.place(change.link_port);
            self.chips[own].arriving.as_mut()[link] = word(change);
            next.insert(own as u32);
        }
    }

    /// The chip of a link port, and which of its ports it is.
    #[inline(always)]
    fn place(&self, link_port: u32) -> (usize, usize) {
        // `LINKS` is a constant, so that no division is left.
        let port = (link_port - self.first_link) as usize;
        (port / M::LINKS.max(1), port % M::LINKS.max(1))
    }

    /// The edge of a chip.
    #[inline(always)]
    fn edge(
        &mut self,
        now: &Now<'_>,
        own: u32,
        sent: &mut Sent<'_, M::Word>,
        next: &mut AwakeSet,
        timers: &mut Timers,
    ) {
        let count = self.chips.len();
        let random = now.random_bits.of(now.layout, self.first + own as usize);
        let chip = &mut self.chips[own as usize];
        let mut words = chip.arriving.clone();
        let words = words.as_mut();
        let mut again = M::step(&mut chip.state, &chip.pins, &random, words);
        let driven = chip.driven.as_mut();
        if driven != words {
            for (link, &peer) in chip.peers.as_ref().iter().enumerate() {
                if driven[link] != words[link] && peer != OPEN {
                    sent.push(peer, words[link]);
                }
            }
            driven.copy_from_slice(words);
        }
        if !M::ANSWERS_FOR_WORDS {
            let all = chip.arriving.as_ref().iter().chain(&*words);
            again |= all.into_iter().any(|&word| word != M::Word::default());
        }
        if again {
            next.insert(own);
        } else if let Some(due) = M::due(&chip.state) {
            timers.set(due, own, count);
        }
    }
}

/// Makes the models of a range of an array, after reset, with their
/// configuration pins set.
pub(super) struct MakeModels<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) array: usize,
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
        let links = Shared::link_ports(self.fabric, self.array, &self.instances);
        let ports = &self.fabric.peers[links.start as usize..links.end as usize];
        let mut chips = Vec::with_capacity(self.instances.len());
        for own in 0..self.instances.len() {
            let mut peers = M::Words::NO_PEERS;
            let ports = &ports[own * M::LINKS..(own + 1) * M::LINKS];
            peers.as_mut().copy_from_slice(ports);
            chips.push(Instance::<M> {
                _alignment: [],
                state: M::State::default(),
                arriving: M::Words::REST,
                driven: M::Words::REST,
                peers,
                pins: M::Pins::default(),
            });
        }
        for pin in &self.fabric.arrays[self.array].pins {
            for (instance, chip) in self.instances.clone().zip(&mut chips) {
                chip.pins.set(pin.port, pin.values.at(instance));
            }
        }
        let models: Box<dyn Models<M::Word>> = Box::new(ModelRange::<M> {
            first: self.instances.start,
            first_link: links.start,
            chips,
        });
        Made(Box::new(models))
    }
}

/// A part of an array: its models and which of them are awake. Chips count from the first one
/// of the part.
pub(super) struct Part<W: Word> {
    pub(super) array: usize,
    pub(super) instances: Range<usize>,
    /// The link ports of these.
    pub(super) links: Range<u32>,
    /// What it sent to itself at the last edge.
    pub(super) sent_to_itself: Vec<Change<W>>,
    /// The other parts to which it sent something then.
    pub(super) receivers: Vec<u32>,
    pub(super) models: Box<dyn Models<W>>,
    /// Chips to evaluate in this cycle.
    pub(super) awake: AwakeSet,
    /// Chips evaluated at the last edge.
    pub(super) evaluated: AwakeSet,
    /// Chips that wait for a cycle.
    pub(super) timers: Timers,
    /// How many chips were evaluated at the last edge.
    pub(super) evaluations: usize,
}
