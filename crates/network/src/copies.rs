//! Copies of a network side by side in one fabric, so that the replicates of a
//! small network fill the lanes that one of them leaves empty.
//!
//! An array is cut into groups of 64 instances, its last group padded. Group
//! `g` of copy `k` is group `g * copies + k` of the replicated array, so the
//! same group of all copies stands together. With at least as many copies as a
//! lane word has words, a lane word holds one group of that many copies: they
//! are wired alike, so its wiring is that of one word of one network, and the
//! groups of its random words are equal and their keys consecutive.
//!
//! Padding is left open and its configuration pins repeat the last instance's,
//! so that pins that are alike in all instances stay so. Nobody drives its host
//! pins: it rests from the reset on, but for wires that are stuck, and what it drives leads
//! nowhere.
//!
//! Copies can also stand *lane by lane*: all copies of an instance next to each other, a lane each, without
//! padding. Then a link of the network joins whole lane words, however irregular it is. Random words
//! are those of groups of one network, so that networks with random pins have no such copies.

use std::sync::Arc;

use super::{ChipArray, Fabric, LinkPort, OPEN, Pin, PinChange, PinValues};

/// Instances that share a random word.
const GROUP: usize = 64;

/// Number of copies of a network in a fabric, and the places of their instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copies {
    /// Logarithm of the number.
    shift: u32,
    /// True when they stand lane by lane.
    by_lanes: bool,
}

impl Copies {
    /// One: the network itself, without padding.
    pub const ONE: Copies = Copies {
        shift: 0,
        by_lanes: false,
    };

    /// `count` copies.
    ///
    /// # Panics
    /// When `count` is not a power of two.
    pub fn new(count: usize) -> Copies {
        assert!(count.is_power_of_two(), "{count} is not a power of two");
        Copies {
            shift: count.ilog2(),
            by_lanes: false,
        }
    }

    /// `count` copies, lane by lane.
    ///
    /// # Panics
    /// When `count` is not a power of two.
    pub fn by_lanes(count: usize) -> Copies {
        Copies {
            by_lanes: count > 1,
            ..Copies::new(count)
        }
    }

    /// The number of copies.
    #[inline(always)]
    pub fn count(self) -> usize {
        1 << self.shift
    }

    /// The copy, and the group in that copy, of a group of an array; of copies that do not stand lane by lane.
    #[inline(always)]
    pub fn split_group(self, group: usize) -> (usize, usize) {
        (group & (self.count() - 1), group >> self.shift)
    }

    /// The copy, and the instance in that copy, of an instance of an array.
    #[inline(always)]
    pub fn split(self, instance: usize) -> (usize, usize) {
        if self.by_lanes {
            return (instance & (self.count() - 1), instance >> self.shift);
        }
        let (copy, group) = self.split_group(instance / GROUP);
        (copy, group * GROUP + instance % GROUP)
    }

    /// The instance of an array that is an instance of a copy.
    #[inline(always)]
    pub fn instance(self, copy: usize, instance: usize) -> usize {
        if self.by_lanes {
            return instance << self.shift | copy;
        }
        let group = (instance / GROUP) << self.shift | copy;
        group * GROUP + instance % GROUP
    }
}

impl Fabric {
    /// The network `count` times, without links between the copies. Once is the
    /// network as it is.
    ///
    /// # Panics
    /// When `count` is not a power of two, or there are 2^32 link ports.
    pub fn replicated(&self, count: usize) -> Fabric {
        self.in_copies(Copies::new(count))
    }

    /// The network several times.
    ///
    /// # Panics
    /// When there are 2^32 link ports, and when copies stand lane by lane whose pins are random.
    pub fn in_copies(&self, copies: Copies) -> Fabric {
        assert_eq!(self.copies, Copies::ONE, "copies are not copied");
        let random = self.arrays.iter().any(|array| array.random);
        assert!(!copies.by_lanes || !random, "random words are of groups");
        let count = copies.count();
        if copies == Copies::ONE {
            return self.clone();
        }
        let mut links = 0;
        let mut replicate = |array: &ChipArray| {
            let array = array.replicated(copies, links);
            links += array.instances * array.chip.links.len();
            array
        };
        let mut fabric = Fabric {
            copies,
            arrays: self.arrays.iter().map(&mut replicate).collect(),
            peers: Vec::new(),
            rotations: Vec::new(),
            changes: self.changes_in(copies),
            ..*self
        };
        assert!(links < OPEN as usize, "link ports have numbers of 32 bits");
        fabric.peers = vec![OPEN; links];
        if !self.rotations.is_empty() {
            fabric.rotations = vec![0; links];
        }
        for (number, &far) in self.peers.iter().enumerate() {
            if far == OPEN {
                continue;
            }
            let rotation = self.rotation(number as u32);
            let (near, far) = (self.link_port(number as u32), self.link_port(far));
            for copy in 0..count {
                let number = |port: LinkPort| {
                    let instance = copies.instance(copy, port.instance);
                    fabric.number(LinkPort { instance, ..port })
                };
                let (near, far) = (number(near), number(far));
                fabric.peers[near as usize] = far;
                if let Some(of_copy) = fabric.rotations.get_mut(near as usize) {
                    *of_copy = rotation;
                }
            }
        }
        fabric
    }
}

impl Fabric {
    /// The changes of pins in all copies.
    pub fn changes_in(&self, copies: Copies) -> Vec<PinChange> {
        let in_copies = |change: &PinChange| {
            let change = *change;
            (0..copies.count()).map(move |copy| PinChange {
                instance: copies.instance(copy, change.instance as usize) as u32,
                ..change
            })
        };
        self.changes.iter().flat_map(in_copies).collect()
    }
}

impl ChipArray {
    fn replicated(&self, copies: Copies, first_link: usize) -> ChipArray {
        let padded = match copies.by_lanes {
            true => self.instances,
            false => self.instances.next_multiple_of(GROUP),
        };
        let instances = padded * copies.count();
        let last = self.instances.saturating_sub(1);
        // The instance that each is a copy of.
        let originals = || (0..instances).map(|instance| copies.split(instance).1.min(last));
        let repeated = |pin: &Pin| Pin {
            port: pin.port,
            values: match &pin.values {
                PinValues::Uniform(value) => PinValues::Uniform(*value),
                PinValues::Each(values) => {
                    PinValues::Each(originals().map(|at| values[at]).collect())
                }
                PinValues::Wide(values) => {
                    PinValues::Wide(originals().map(|at| values[at]).collect())
                }
            },
        };
        ChipArray {
            instances,
            first_link: first_link as u32,
            pins: self.pins.iter().map(repeated).collect(),
            silent: self.silent.clone(),
            chip: self.chip,
            random: self.random,
            changing: self.changing.clone(),
            modules: match self.modules.is_empty() {
                true => Arc::default(),
                false => originals().map(|at| self.modules[at]).collect(),
            },
            name: self.name.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fat_tree::{FatTree, Release};

    #[test]
    fn instances_of_copies_are_told_apart() {
        let counts = [1, 2, 8, 64].into_iter();
        for copies in counts.flat_map(|count| [Copies::new(count), Copies::by_lanes(count)]) {
            let count = copies.count();
            let mut seen = vec![false; 192 * count];
            for copy in 0..count {
                for instance in 0..192 {
                    let at = copies.instance(copy, instance);
                    assert_eq!(copies.split(at), (copy, instance));
                    assert!(!std::mem::replace(&mut seen[at], true));
                }
            }
            assert!(seen.iter().all(|&seen| seen));
        }
    }

    /// Every copy has the links and the pins of the network, and padding none.
    #[test]
    fn copies_are_wired_like_the_network() {
        let full = [(2, 0), (4, 1), (16, 0), (32, 3), (64, 0), (128, 2)];
        let full = full.map(|(nodes, delay): (u32, u32)| {
            let capacities = FatTree::doubling(nodes.ilog2());
            (nodes, delay, capacities)
        });
        let lean = (64, 1, vec![1, 2, 2, 4, 4, 4]);
        for (nodes, delay, capacities) in full.into_iter().chain([lean]) {
            let one = FatTree {
                nodes,
                capacities,
                link_delay_cycles: vec![delay; nodes.ilog2() as usize],
                winner_fixed: false,
                release: Release::EarlyAcknowledge,
                strategy: 0,
                backoff_limit: 0,
            }
            .fabric();
            for count in [1, 2, 8] {
                let all = one.replicated(count);
                let joined = |peers: &[u32]| peers.iter().filter(|&&peer| peer != OPEN).count();
                assert_eq!(joined(&all.peers), count * joined(&one.peers));
                for (number, &far) in one.peers.iter().enumerate() {
                    let near = one.link_port(number as u32);
                    let far = (far != OPEN).then(|| one.link_port(far));
                    for copy in 0..count {
                        let of_copy = |port: LinkPort| LinkPort {
                            instance: all.copies.instance(copy, port.instance),
                            ..port
                        };
                        assert_eq!(all.peer(of_copy(near)), far.map(of_copy));
                        let pins = &one.arrays[near.array].pins;
                        for pin in pins {
                            let replicated = &all.arrays[near.array];
                            let value = replicated.pin(pin.port, of_copy(near).instance);
                            assert_eq!(value, pin.values.at(near.instance));
                        }
                    }
                }
            }
        }
    }
}
