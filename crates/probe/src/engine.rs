//! The contract between a run and an engine.
//!
//! An engine stands in one cycle: its registers hold what they hold in that
//! cycle, and the host pins can be driven before [`Engine::step`] takes the
//! clock edge that begins the next one. Cycle 0 is the reset cycle.

use crate::save::{Loader, Saver, Unlike};

/// A host that answers the interfaces of a few nodes without asking about the others.
/// An engine can then take a part of a network through several cycles before it comes
/// to another part.
///
/// What is told of instances `first..first + n` is told in the order of cycles; nothing
/// is said about the order of different ones, which may come from different threads.
pub trait LocalHost: Sync {
    /// The array of the interfaces.
    fn array(&self) -> usize;

    /// One-bit outputs that it has to see, which are 1 for single cycles after something
    /// happened.
    fn ports(&self) -> &[usize];

    /// The messages behind the interfaces, where what is driven follows from these alone.
    fn queues(&self) -> Option<&dyn SendQueues> {
        None
    }

    /// Drives, in a cycle that has just begun, host pins of instances from `first` on,
    /// by `drive(port, instance, value)`, and then takes in what the ports show in that
    /// cycle: for each of them, words of 64 instances.
    fn answer(
        &self,
        first: usize,
        cycle: u64,
        shown: &[&[u64]],
        drive: &mut dyn FnMut(usize, u32, u64),
    );
}

/// Takes a message: the first cycle in which it may be asked for, and pins with their values while it is.
pub type VisitMessage<'v> = dyn FnMut(u64, &[(usize, u64)]) + 'v;

/// Interfaces that send one message after another, each of which is asked for from a cycle on, or when
/// the one before it is over, to the cycle in which it is over. An engine that knows them can drive
/// the pins without asking.
pub trait SendQueues {
    /// The one-bit output that is 1 in the cycle in which the current message is over.
    fn over(&self) -> usize;

    /// Number of messages of an interface.
    fn count(&self, instance: usize) -> u32;

    /// Calls with each message of an interface, in their order: with the first cycle in which it may be
    /// asked for, and with the pins and their values while it is. Other pins of a host do not change.
    /// While nothing is asked for, these pins are 0.
    fn each_message(&self, instance: usize, visit: &mut VisitMessage<'_>);

    /// The state of an interface behind the current cycle.
    fn state(&self, instance: usize) -> SendState;
}

/// The state of an interface that sends one message after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendState {
    /// The current message, or the next one, in its queue; its number of messages when there is none.
    pub position: u32,
    /// True when it is asked for and not over.
    pub offered: bool,
    /// True when the pins show a message, perhaps one that has been over since this cycle.
    pub shown: bool,
}

/// A proposal of an engine to take several cycles at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burst {
    /// Number of cycles.
    pub cycles: u64,
    /// Interfaces that it asks the host about at a time.
    pub instances: usize,
    /// True when it needs [`LocalHost::queues`]: it tells the host afterwards what happened, and what is
    /// driven then is too late.
    pub by_queues: bool,
}

/// A port of all instances of an array, followed from cycle to cycle.
#[derive(Debug, Clone)]
pub struct Watched {
    /// Array.
    pub array: usize,
    /// Port of its chip, which only changes at clock edges: one that shows a state, or an output of
    /// a link port.
    pub port: usize,
    /// The bits of the port in the cycle looked at last, each over all instances.
    pub planes: Vec<Vec<u64>>,
    /// The instances that show another value than in the cycle looked at before, one bit each.
    pub changed: Vec<u64>,
    instances: usize,
    scratch: Vec<u64>,
}

impl Watched {
    /// A port of so many bits that shows 0 so far.
    pub fn new(array: usize, port: usize, width: u8, instances: usize) -> Self {
        let words = vec![0; instances.div_ceil(64)];
        Watched {
            array,
            port,
            planes: vec![words.clone(); usize::from(width)],
            changed: words.clone(),
            instances,
            scratch: words,
        }
    }

    /// The value that an instance shows.
    pub fn value(&self, instance: usize) -> u64 {
        let bit = |plane: &Vec<u64>| plane[instance / 64] >> (instance % 64) & 1;
        let bits = self.planes.iter().enumerate();
        bits.fold(0, |value, (at, plane)| value | bit(plane) << at)
    }

    /// Takes in words of one bit, from the word `first` on.
    #[inline]
    pub fn take(&mut self, bit: usize, first: usize, words: &[u64]) {
        let last = self.changed.len().min(first + words.len());
        if first >= last {
            return;
        }
        let changed = &mut self.changed[first..last];
        let before = &mut self.planes[bit][first..last];
        for ((changed, before), now) in changed.iter_mut().zip(before).zip(words) {
            *changed |= *before ^ *now;
            *before = *now;
        }
    }

    /// Takes in what one instance shows.
    #[inline]
    pub fn take_one(&mut self, instance: usize, value: u64) {
        let (word, lane) = (instance / 64, instance % 64);
        for (bit, plane) in self.planes.iter_mut().enumerate() {
            let difference = (plane[word] >> lane ^ value >> bit) & 1;
            plane[word] ^= difference << lane;
            self.changed[word] |= difference << lane;
        }
    }

    /// Takes in that a bit is the same of all instances.
    pub fn fill(&mut self, bit: usize, value: bool) {
        let now = u64::from(value).wrapping_neg();
        for (changed, before) in self.changed.iter_mut().zip(&mut self.planes[bit]) {
            *changed |= *before ^ now;
            *before = now;
        }
    }

    /// Forgets changes of lanes that have no instance, which engines may drive along.
    pub fn trim(&mut self) {
        if let (Some(last), 1..) = (self.changed.last_mut(), self.instances % 64) {
            *last &= (1 << (self.instances % 64)) - 1;
        }
    }
}

/// The kind of a fault of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// More was asked for than the device has.
    TooLarge,
    /// The device failed.
    Device,
    /// The design has no values in this cycle.
    Design,
}

/// Something that an engine could not do, after which it is of no use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineFault {
    /// The device, or the part of the design.
    pub place: String,
    /// The event, in words.
    pub message: String,
    /// Advice.
    pub help: &'static str,
    /// Its kind.
    pub kind: FaultKind,
}

/// Lanes of a word that are taken at once. Few words have more that are 1.
const LANES_AT_ONCE: usize = 4;

/// A list of instances in memory that is kept when it is cleared.
#[derive(Debug, Clone, Default)]
pub struct InstanceList {
    /// The instances, and behind them what was there before.
    memory: Vec<u32>,
    count: usize,
}

impl InstanceList {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Appends an instance.
    #[inline]
    pub fn push(&mut self, instance: u32) {
        if self.count == self.memory.len() {
            self.grow(self.count + 1);
        }
        self.memory[self.count] = instance;
        self.count += 1;
    }

    /// Appends the lanes of some words that are 1, the first of all lanes having a number.
    ///
    /// How many of a word's lanes are 1 is as good as random, so nothing branches on it: a few
    /// are written whatever they are, and what is too many is written over.
    #[inline(always)]
    pub fn append_lanes(&mut self, first: u32, words: &[u64]) {
        if words.iter().fold(0, |any, word| any | word) == 0 {
            return;
        }
        let room = self.count + 64 * words.len() + LANES_AT_ONCE;
        if self.memory.len() < room {
            self.grow(room);
        }
        let memory = &mut self.memory[..];
        let mut count = self.count;
        for (first, &word) in (first..).step_by(64).zip(words) {
            let end = count + word.count_ones() as usize;
            let mut lanes = word;
            loop {
                let next = &mut memory[count..count + LANES_AT_ONCE];
                for place in next {
                    *place = first.wrapping_add(lanes.trailing_zeros());
                    lanes &= lanes.wrapping_sub(1);
                }
                if lanes == 0 {
                    break;
                }
                count += LANES_AT_ONCE;
            }
            count = end;
        }
        self.count = count;
    }

    #[cold]
    fn grow(&mut self, room: usize) {
        self.memory.resize(room.next_power_of_two(), 0);
    }
}

impl std::ops::Deref for InstanceList {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.memory[..self.count]
    }
}

/// A simulated network: what can be driven, observed and clocked.
///
/// `array` counts the arrays of the network's fabric, `port` the ports of the
/// array's chip, `instance` the instances of the array.
pub trait Engine {
    /// The current cycle.
    fn cycle(&self) -> u64;

    /// Drives a host pin of some instances, each with its value, from the
    /// current cycle on.
    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]);

    /// Drives a host pin of every instance of an array, from the current cycle on.
    fn drive_all(&mut self, array: usize, port: usize, value: u64);

    /// The value of any port in the current cycle.
    fn value(&self, array: usize, port: usize, instance: usize) -> u64;

    /// The values of an output of some instances in the current cycle, one for each.
    ///
    /// Engines in which reading takes a lock have a faster way than this one.
    fn values(&self, array: usize, port: usize, instances: &[u32], values: &mut Vec<u64>) {
        let value = |&instance: &u32| self.value(array, port, instance as usize);
        values.clear();
        values.extend(instances.iter().map(value));
    }

    /// One bit of a port over all instances of an array, 64 to a word. Bits
    /// past the last instance may be anything.
    ///
    /// Engines that keep bit planes have a faster way than this one.
    fn plane(&self, array: usize, port: usize, bit: usize, instances: usize, words: &mut [u64]) {
        words.fill(0);
        for instance in 0..instances {
            let value = self.value(array, port, instance) >> bit & 1;
            words[instance / 64] |= value << (instance % 64);
        }
    }

    /// All bits of a port over all instances of an array: a [`plane`](Engine::plane) each,
    /// as many as the port is wide.
    fn planes(&self, array: usize, port: usize, instances: usize, planes: &mut [Vec<u64>]) {
        for (bit, words) in planes.iter_mut().enumerate() {
            self.plane(array, port, bit, instances, words);
        }
    }

    /// Brings a port up to the current cycle, and adds to its changes.
    ///
    /// Engines that know what may have changed have a faster way than this one.
    fn watch(&self, watched: &mut Watched) {
        let mut scratch = std::mem::take(&mut watched.scratch);
        for bit in 0..watched.planes.len() {
            let Watched {
                array,
                port,
                instances,
                ..
            } = *watched;
            self.plane(array, port, bit, instances, &mut scratch);
            watched.take(bit, 0, &scratch);
        }
        watched.scratch = scratch;
        watched.trim();
    }

    /// True when the random pins are held at 0 in the current cycle.
    fn random_held(&self) -> bool;

    /// Appends the instances whose host or state output is not 0 in the current
    /// cycle, in rising order. Only outputs that are so for single cycles after
    /// something happened may be asked for.
    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>);

    /// The instances that raise each of some host outputs of one bit, as [`raised`](Engine::raised)
    /// has them: a list for each port.
    ///
    /// Other ports are not to be asked for: an engine may note these while it evaluates. Engines
    /// that look at all ports in one pass have a faster way than this one.
    fn raised_each(&self, array: usize, ports: &[usize], found: &mut [InstanceList]) {
        let mut instances = Vec::new();
        for (&port, found) in ports.iter().zip(found) {
            self.raised(array, port, &mut instances);
            found.clear();
            instances
                .drain(..)
                .for_each(|instance| found.push(instance));
        }
    }

    /// Holds the random pins at 0 (`true`) or lets them run, from the current
    /// cycle on.
    fn hold_random(&mut self, hold: bool);

    /// One clock edge.
    fn step(&mut self);

    /// The burst that the engine would take now; `None` when it takes single cycles. `array` is
    /// that of the interfaces.
    fn burst(&self, array: usize) -> Option<Burst> {
        let _ = array;
        None
    }

    /// The clock edges of a burst. The host is asked about every cycle that one of them
    /// begins, the last one too. Random pins are held, or run, as in the current cycle.
    ///
    /// # Panics
    /// When the engine never takes bursts, and in cycle 0.
    fn advance(&mut self, host: &dyn LocalHost) {
        let _ = host;
        unreachable!("an engine without a burst is not asked for one");
    }

    /// The reason for which nothing that it shows counts any more: a device that was lost, or outputs
    /// that do not settle. Most engines have none.
    fn fault(&self) -> Option<EngineFault> {
        None
    }

    /// Goes to `cycle` without evaluating anything. Allowed only while nothing
    /// in the network can change.
    fn skip_to(&mut self, cycle: u64);

    /// Saves the cycle it stands in, after cycle 0: all that later cycles depend on.
    ///
    /// # Panics
    /// When the engine is of a kind that cannot be saved.
    fn save(&self, saver: &mut Saver) {
        let _ = saver;
        unreachable!("an engine that cannot be saved is not asked to be");
    }

    /// Stands in the cycle that an engine of its kind saved, of the same network and with the
    /// same seed, whatever its threads.
    ///
    /// # Errors
    /// When it was another network. The engine is of no use then.
    ///
    /// # Panics
    /// When the engine is of a kind that cannot be saved.
    fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        let _ = loader;
        unreachable!("nothing is saved of an engine that cannot be");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_listed_in_order_and_without_those_written_over() {
        let words = [0, 1 << 63 | 1, u64::MAX, 0, 0b11_1110, 1 << 40];
        let mut expected = Vec::new();
        for (word, &lanes) in words.iter().enumerate() {
            let lanes = (0..64).filter(|lane| lanes >> lane & 1 == 1);
            expected.extend(lanes.map(|lane| 128 + 64 * word as u32 + lane));
        }
        let mut list = InstanceList::default();
        assert!(list.is_empty());
        for _ in 0..2 {
            list.clear();
            list.append_lanes(0, &[0; 9]);
            list.append_lanes(128, &words[..2]);
            list.append_lanes(256, &words[2..]);
            assert_eq!(*list, expected[..]);
        }
        list.push(7_000);
        expected.push(7_000);
        assert_eq!(*list, expected[..]);
    }
}
