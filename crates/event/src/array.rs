//! A part of the instances of one kind of chip, and the two halves of a clock edge.

use std::any::Any;
use std::ops::Range;

use super::awake::{AwakeSet, ones};
use super::memory::{AHEAD, WORDS_AHEAD, prefetch};
use super::shared::SharedNetwork;
use super::timers::Timers;
use crosswave_chips::{
    BATCH_MOST, ChipBatch, ChipPins, Model, ModelVisitor, Operands, PinDirection, PortWords, Role,
    Word, rotated,
};
use crosswave_network::random_bits::{InstancePins, RandomBits};
use crosswave_network::{ChipArray, Fabric, OPEN, Pin};
use crosswave_probe::engine::{InstanceList, Watched};
use crosswave_probe::save::{Loader, Saver, Unlike};

/// A part of an array of models, whatever the kind of chip. Instances are those of the array;
/// sets and timers count from the first one of the part.
pub(super) trait Models<W: Word>: Send {
    /// Sets a pin of role `Option` or `Host`.
    fn set_pin(&mut self, port: usize, instance: usize, value: u64);
    /// The value of such a pin.
    fn pin(&self, port: usize, instance: usize) -> u64;
    /// The value of an output of role `Host` or `State`.
    fn output(&self, port: usize, instance: usize) -> u64;
    /// The word that arrives at a link port.
    fn arriving(&self, instance: usize, link: usize) -> W;
    /// The word that a chip drives at a link port.
    fn driven(&self, instance: usize, link: usize) -> W;
    /// Appends those among some chips that show something else than 0 at such an output.
    fn raised(&self, port: usize, chips: &[u32], instances: &mut Vec<u32>);
    /// Appends those among chips that tell their hosts something that do so at each of some flags.
    fn raised_each(&self, ports: &[usize], telling: &[Telling], found: &mut [InstanceList]);
    /// The bits over all instances of an output, of words that arrive, or of a pin of role `Option` or
    /// `Host`, set in the planes of the whole array.
    fn planes(&self, port: usize, planes: &mut [Vec<u64>]);
    /// Takes in what some chips show.
    fn watch(&self, chips: &[u32], watched: &mut Watched);
    /// Saves registers, pins and what is driven, instance by instance.
    fn save(&self, saver: &mut Saver);
    /// Takes over what was saved of the same instances. What they drive, and what arrives where
    /// it leads to, is to be delivered then.
    fn load(&mut self, loader: &mut Loader<'_>, sent: &mut Sent<'_, W>) -> Result<(), Unlike>;
    /// The registers of the awake chips after the edge. The words that changed are sent. Chips
    /// to be evaluated at the next edge whatever arrives go to `next`, those that wait for a
    /// later one to `timers`, those that tell the host something to `telling`.
    fn evaluate(
        &mut self,
        now: &Now<'_>,
        sent: &mut Sent<'_, W>,
        next: &mut AwakeSet,
        timers: &mut Timers,
        telling: &mut Vec<Telling>,
    );
    /// The host flags of a chip, if it raises any.
    fn telling(&self, own: u32) -> Option<Telling>;
    /// Words that arrive at link ports of this part from the next cycle on; they wake their
    /// chips. `rotations` are those of the link ports of the part, or none.
    fn deliver(&mut self, changes: &[WordChange<W>], rotations: &[u8], next: &mut AwakeSet);
}

/// The inputs of an edge that all chips read.
pub(super) struct Now<'a> {
    pub(super) layout: &'a ChipArray,
    pub(super) random_bits: &'a RandomBits,
    pub(super) awake: &'a [u32],
}

/// The host flags that a chip of a part raises.
#[derive(Debug, Clone, Copy)]
pub(super) struct Telling {
    own: u32,
    /// A bit for each of [`Chip::host_flags`](crosswave_chips::Chip::host_flags) that is raised.
    flags: u32,
}

/// A word that is another one than before, on its way to a link port.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordChange<W> {
    link_port: u32,
    word: W,
}

/// The words that a part sends at an edge, by receiving part.
pub(super) struct Sent<'a, W> {
    shared: &'a SharedNetwork,
    to: &'a mut [Vec<WordChange<W>>],
    /// Those parts to which something goes.
    receivers: &'a mut Vec<u32>,
}

impl<'a, W: Copy> Sent<'a, W> {
    /// Nothing yet, in lists that hold what the part sent before.
    pub(super) fn new(
        shared: &'a SharedNetwork,
        to: &'a mut [Vec<WordChange<W>>],
        receivers: &'a mut Vec<u32>,
    ) -> Self {
        for receiver in receivers.drain(..) {
            to[receiver as usize].clear();
        }
        Sent {
            shared,
            to,
            receivers,
        }
    }

    /// Sends words to where they lead, if anywhere.
    #[inline]
    fn send(&mut self, changes: &[WordChange<W>]) {
        let Some(first) = changes.first() else {
            return;
        };
        // Mostly all of them lead to one part.
        if first.link_port != OPEN {
            let receiver = self.shared.part_of(first.link_port);
            let links = self.shared.links_of(receiver);
            let outside = changes.iter().fold(false, |outside, change| {
                outside | (change.link_port.wrapping_sub(links.start) >= links.end - links.start)
            });
            if !outside {
                return self.list(receiver).extend_from_slice(changes);
            }
        }
        for &change in changes {
            if change.link_port != OPEN {
                let receiver = self.shared.part_of(change.link_port);
                self.list(receiver).push(change);
            }
        }
    }

    /// The list of words for a part, to which the caller appends.
    #[inline(always)]
    fn list(&mut self, receiver: usize) -> &mut Vec<WordChange<W>> {
        let list = &mut self.to[receiver];
        if list.is_empty() {
            self.receivers.push(receiver as u32);
        }
        list
    }
}

/// A chip with all that an edge reads and writes of it, in as few cache lines as it fits.
struct Instance<M: Model> {
    _alignment: [<M::Words as PortWords<M::Word>>::Alignment; 0],
    state: M::State,
    arriving: M::Words,
    driven: M::Words,
    /// The link ports to which its links lead.
    peers: <M::Words as PortWords<M::Word>>::Peers,
    pins: M::Pins,
}

/// Links up to which words are noted without asking first whether any changed.
const LINKS_WITHOUT_BRANCH: usize = 4;

/// So many lists at most are there for what a batch of chips sends.
const LISTS_MOST: usize = 4;

/// A list has room for one link of all chips of a batch, or for all links of one chip.
const LIST_MOST: usize = 64;

/// Words that changed, and behind them what was there before.
type List<W> = [WordChange<W>; LIST_MOST];

/// The instances from `first` on of one model.
struct ModelRange<M: Model> {
    first: usize,
    first_link: u32,
    chips: Vec<Instance<M>>,
    /// The ports at which one tells its host something.
    told_by: Vec<usize>,
    /// Room for what a batch of chips drives.
    words: Vec<M::Words>,
    /// Room for what of it is sent, link by link where there is a batch.
    changes: Vec<List<M::Word>>,
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

    fn raised(&self, port: usize, chips: &[u32], instances: &mut Vec<u32>) {
        for (at, &own) in chips.iter().enumerate() {
            self.fetch(chips.get(at + AHEAD));
            if M::output(&self.chips[own as usize].state, port) != 0 {
                instances.push(self.first as u32 + own);
            }
        }
    }

    fn raised_each(&self, ports: &[usize], telling: &[Telling], found: &mut [InstanceList]) {
        for (port, found) in ports.iter().zip(found) {
            let bit = self.told_by.iter().position(|flag| flag == port);
            let bit = bit.expect("hosts are told by flags: others are not noted");
            let raised = telling
                .iter()
                .filter(|telling| telling.flags >> bit & 1 != 0);
            raised.for_each(|telling| found.push(self.first as u32 + telling.own));
        }
    }

    fn arriving(&self, instance: usize, link: usize) -> M::Word {
        self.chips[instance - self.first].arriving.as_ref()[link]
    }

    fn driven(&self, instance: usize, link: usize) -> M::Word {
        self.chips[instance - self.first].driven.as_ref()[link]
    }

    fn planes(&self, port: usize, planes: &mut [Vec<u64>]) {
        let table = &M::CHIP.ports[port];
        let mask = u64::MAX >> (64 - table.width);
        let value = |chip: &Instance<M>| match (table.role, table.direction) {
            (Role::Link { link, lsb }, PinDirection::Input) => {
                chip.arriving.as_ref()[link].into() >> lsb & mask
            }
            (Role::Link { link, lsb }, PinDirection::Output) => {
                chip.driven.as_ref()[link].into() >> lsb & mask
            }
            (Role::Option | Role::Host, PinDirection::Input) => chip.pins.get(port),
            _ => M::output(&chip.state, port),
        };
        for (instance, chip) in (self.first..).zip(&self.chips) {
            let mut value = value(chip);
            while value != 0 {
                let bit = value.trailing_zeros() as usize;
                value &= value - 1;
                planes[bit][instance / 64] |= 1 << (instance % 64);
            }
        }
    }

    fn watch(&self, chips: &[u32], watched: &mut Watched) {
        for &own in chips {
            let own = own as usize;
            let chip = &self.chips[own];
            let value = match M::CHIP.ports[watched.port].role {
                Role::Link { link, lsb } => chip.driven.as_ref()[link].into() >> lsb,
                _ => M::output(&chip.state, watched.port),
            };
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
                if *word != M::Word::default() {
                    sent.send(&[WordChange {
                        link_port: peer,
                        word: *word,
                    }]);
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
        telling: &mut Vec<Telling>,
    ) {
        let first = self.first;
        let (driven, changes) = (&mut self.words, &mut self.changes);
        for (number, batch) in now.awake.chunks(Self::BATCH).enumerate() {
            // They are fetched one by one below: only so many can be on their way at a time.
            let ahead = Self::BATCH * number + AHEAD.max(2 * Self::BATCH);
            let ahead = now.awake.get(ahead..).unwrap_or(&[]);
            let mut again = M::step_all(&mut AwakeBatch {
                now,
                first,
                own: batch,
                chips: &mut self.chips,
                words: driven,
            });
            let mut counts = [0; LISTS_MOST];
            for (at, (&own, words)) in batch.iter().zip(&*driven).enumerate() {
                if let Some(&own) = ahead.get(at) {
                    prefetch(&self.chips[own as usize]);
                }
                let chip = &mut self.chips[own as usize];
                chip.drive(words.as_ref(), changes, &mut counts);
                if !M::STEP_REPORTS_OUTPUT_CHANGE {
                    let mut all = chip.arriving.as_ref().iter().chain(words.as_ref());
                    let is_busy = all.any(|&word| word != M::Word::default());
                    again |= u64::from(is_busy) << at;
                }
                if !self.told_by.is_empty() {
                    telling.extend(chip.telling(own, &self.told_by));
                }
                if again >> at & 1 == 0
                    && let Some(due) = M::due(&chip.state)
                {
                    timers.set(due, own, self.chips.len());
                }
            }
            for at in ones(again) {
                next.insert(batch[at as usize]);
            }
            for (changes, &count) in changes.iter().zip(&counts) {
                sent.send(&changes[..count]);
            }
        }
    }

    fn telling(&self, own: u32) -> Option<Telling> {
        self.chips[own as usize].telling(own, &self.told_by)
    }

    fn deliver(&mut self, changes: &[WordChange<M::Word>], rotations: &[u8], next: &mut AwakeSet) {
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
    /// So many chips are evaluated together: those that gain nothing by it are better looked at
    /// once from the beginning of their edge to its end.
    const BATCH: usize = match M::SIDE_BY_SIDE {
        true => BATCH_MOST,
        false => 1,
    };

    /// A batch sends what it does link by link: that of neighbours mostly goes to neighbours.
    const LISTS: usize = {
        assert!(
            M::LINKS <= LIST_MOST && Self::BATCH <= LIST_MOST,
            "a list has room"
        );
        match M::SIDE_BY_SIDE {
            true => {
                assert!(M::LINKS <= LISTS_MOST, "a list for each link");
                M::LINKS
            }
            false => 1,
        }
    };

    /// Delivers words as they come in.
    #[inline(always)]
    fn take_in(
        &mut self,
        changes: &[WordChange<M::Word>],
        next: &mut AwakeSet,
        word: impl Fn(&WordChange<M::Word>) -> M::Word,
    ) {
        for (at, change) in changes.iter().enumerate() {
            if let Some(change) = changes.get(at + WORDS_AHEAD) {
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

    /// Fetches a chip that is looked at soon.
    #[inline(always)]
    fn fetch(&self, own: Option<&u32>) {
        if let Some(&own) = own {
            prefetch(&self.chips[own as usize]);
        }
    }
}

impl<M: Model> Instance<M> {
    /// The host flags among some ports that it raises, if any.
    #[inline(always)]
    fn telling(&self, own: u32, ports: &[usize]) -> Option<Telling> {
        let flags = ports.iter().enumerate().fold(0, |flags, (bit, &port)| {
            flags | u32::from(M::output(&self.state, port) != 0) << bit
        });
        (flags != 0).then_some(Telling { own, flags })
    }

    /// Drives words. Those that changed are appended to lists that have so many.
    #[inline(always)]
    fn drive(
        &mut self,
        words: &[M::Word],
        lists: &mut [List<M::Word>],
        counts: &mut [usize; LISTS_MOST],
    ) {
        let driven = self.driven.as_mut();
        // It is hard to predict which words change, so a few are taken without a branch.
        if M::LINKS <= LINKS_WITHOUT_BRANCH || driven != words {
            for (link, &link_port) in self.peers.as_ref().iter().enumerate() {
                let word = words[link];
                // One list for all, or one for each; there is room, as the assertions there say.
                let list = link % ModelRange::<M>::LISTS;
                lists[list][counts[list] % LIST_MOST] = WordChange { link_port, word };
                counts[list] += usize::from(driven[link] != word);
            }
            driven.copy_from_slice(words);
        }
    }
}

/// Awake chips of a part at their edge.
struct AwakeBatch<'a, M: Model> {
    now: &'a Now<'a>,
    /// The first instance of the part.
    first: usize,
    /// The awake chips, by their numbers in the part.
    own: &'a [u32],
    chips: &'a mut [Instance<M>],
    words: &'a mut [M::Words],
}

impl<M: Model> ChipBatch<M> for AwakeBatch<'_, M> {
    type Random<'a>
        = InstancePins<'a>
    where
        Self: 'a;

    #[inline(always)]
    fn count(&self) -> usize {
        self.own.len()
    }

    #[inline(always)]
    fn chip(&mut self, at: usize) -> Operands<'_, M, InstancePins<'_>> {
        let own = self.own[at] as usize;
        let chip = &mut self.chips[own];
        let now = self.now;
        Operands {
            state: &mut chip.state,
            pins: &chip.pins,
            random: now.random_bits.of(now.layout, self.first + own),
            arriving: &chip.arriving,
            driven: &mut self.words[at],
        }
    }
}

/// Makes the models of a range of an array, after reset, with their
/// configuration pins set.
struct MakeModels<'a> {
    fabric: &'a Fabric,
    array: usize,
    instances: Range<usize>,
    /// The link ports of these.
    links: Range<u32>,
}

/// The models of an array, for links of the width that they have.
struct BoxedModels(Box<dyn Any>);

impl BoxedModels {
    /// The models of a network whose links have such words.
    ///
    /// # Panics
    /// When theirs are others.
    fn of_width<W: Word>(self) -> Box<dyn Models<W>> {
        let models = self.0.downcast::<Box<dyn Models<W>>>();
        *models.expect("all chips of a network have links of one width")
    }
}

impl ModelVisitor for MakeModels<'_> {
    type Output = BoxedModels;

    fn visit<M: Model>(self) -> BoxedModels {
        let links = self.links.start as usize..self.links.end as usize;
        let ports = &self.fabric.peers[links];
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
        let told_by: Vec<usize> = M::CHIP.host_flags().collect();
        assert!(told_by.len() <= u32::BITS as usize, "a bit for each flag");
        let models: Box<dyn Models<M::Word>> = Box::new(ModelRange::<M> {
            first: self.instances.start,
            first_link: self.links.start,
            chips,
            told_by,
            words: vec![M::Words::REST; ModelRange::<M>::BATCH],
            changes: vec![[WordChange::default(); LIST_MOST]; ModelRange::<M>::LISTS],
        });
        BoxedModels(Box::new(models))
    }
}

/// A part of an array: its models and which of them are awake. Chips count from the first one
/// of the part.
pub(super) struct ArrayPart<W: Word> {
    pub(super) array: usize,
    pub(super) instances: Range<usize>,
    /// The link ports of these.
    pub(super) links: Range<u32>,
    /// The parts to which it sent something at the last edge.
    pub(super) receivers: Vec<u32>,
    pub(super) models: Box<dyn Models<W>>,
    /// Chips to evaluate in this cycle.
    pub(super) awake: AwakeSet,
    /// Chips evaluated at the last edge, in rising order.
    pub(super) evaluated: InstanceList,
    /// Those of them that tell their hosts something.
    pub(super) telling: Vec<Telling>,
    /// Chips that wait for a cycle.
    pub(super) timers: Timers,
}

impl<W: Word> ArrayPart<W> {
    /// Instances of an array after reset.
    pub(super) fn new(fabric: &Fabric, array: usize, instances: Range<usize>) -> Self {
        let layout = &fabric.arrays[array];
        let links = SharedNetwork::link_ports(fabric, array, &instances);
        let make = MakeModels {
            fabric,
            array,
            instances: instances.clone(),
            links: links.clone(),
        };
        ArrayPart {
            array,
            links,
            receivers: Vec::new(),
            models: layout.chip.with_model(make).of_width(),
            awake: Self::awake_after_reset(layout, &instances),
            evaluated: InstanceList::default(),
            telling: Vec::new(),
            timers: Timers::default(),
            instances,
        }
    }

    /// The chips among some instances whose host pins are not 0.
    fn awake_after_reset(layout: &ChipArray, instances: &Range<usize>) -> AwakeSet {
        let mut awake = AwakeSet::new(instances.len());
        let is_host = |pin: &&Pin| matches!(layout.chip.ports[pin.port].role, Role::Host);
        for pin in layout.pins.iter().filter(is_host) {
            let driven = instances.clone().filter(|&at| pin.values.at(at) != 0);
            driven.for_each(|at| awake.insert((at - instances.start) as u32));
        }
        awake
    }
}
