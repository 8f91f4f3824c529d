//! The event engine: register-level models, evaluated only when something
//! arrives or is due.
//!
//! Data layout: per array the models' registers and pins, one struct each per
//! instance; over all arrays one [`LinkWord`] per link port, which is what the
//! chip drives there. A cycle has two phases. First every awake chip reads the
//! words its neighbours drive and computes its registers; the new words go to
//! a staging list, since neighbours still need the old ones. Then the staged
//! words are committed, and a word that is not 0 or that changed wakes the
//! chip it leads to for the next cycle. A chip at rest on a link at rest costs
//! nothing.
//!
//! Cost: about one cache line per evaluated chip and phase. The cycle loop
//! allocates only when more chips are awake than ever before.

mod array;
mod awake;

use crate::chip::{Direction, LinkWord, Role};
use crate::network::stimulus::Stimulus;
use crate::network::{Fabric, OPEN};
use crate::probe::engine::Engine;
use array::{MakeArray, ModelArray};
use awake::AwakeSet;

/// Most link ports a chip may have.
const MAX_LINKS: usize = 4;

/// The event engine.
pub struct EventEngine {
    fabric: Fabric,
    arrays: Vec<Box<dyn ModelArray>>,
    /// What every link port drives.
    words: Vec<LinkWord>,
    stimulus: Stimulus,
    cycle: u64,
    /// Number of the first instance of each array, over all arrays.
    first_chip: Vec<u32>,
    /// Chips to evaluate in this cycle.
    awake: AwakeSet,
    /// Chips evaluated at the last edge; in the step itself, those of the next.
    evaluated: AwakeSet,
    /// New words of the evaluated chips, in the order of `evaluated`.
    staged: Vec<[LinkWord; MAX_LINKS]>,
}

impl EventEngine {
    /// An engine at cycle 0, the reset cycle.
    pub fn new(fabric: Fabric, seed: u64) -> Self {
        let mut first_chip = Vec::new();
        let mut chips = 0;
        let mut arrays: Vec<Box<dyn ModelArray>> = Vec::new();
        for array in &fabric.arrays {
            first_chip.push(chips as u32);
            chips += array.instances;
            arrays.push(array.chip.with_model(MakeArray(array)));
        }
        let stimulus = Stimulus::new(&fabric, seed);
        EventEngine {
            words: vec![0; fabric.peers.len()],
            arrays,
            stimulus,
            cycle: 0,
            first_chip,
            awake: AwakeSet::new(chips),
            evaluated: AwakeSet::new(chips),
            staged: Vec::new(),
            fabric,
        }
    }

    /// The chip numbers of an array.
    fn chips_of(&self, array: usize) -> std::ops::Range<u32> {
        let first = self.first_chip[array];
        first..first + self.fabric.arrays[array].instances as u32
    }

    /// First phase: new registers of the awake chips of an array; what they
    /// drive is staged.
    fn evaluate(&mut self, array: usize, awake: &AwakeSet, next: &mut AwakeSet) {
        let layout = &self.fabric.arrays[array];
        let links = layout.chip.links.len();
        let first_chip = self.first_chip[array];
        let models = &mut self.arrays[array];
        for chip in awake.range(first_chip..first_chip + layout.instances as u32) {
            let instance = (chip - first_chip) as usize;
            let first = layout.first_link as usize + instance * links;
            let mut words = [0; MAX_LINKS];
            for (word, &peer) in words
                .iter_mut()
                .zip(&self.fabric.peers[first..first + links])
            {
                if peer != OPEN {
                    *word = self.words[peer as usize];
                }
            }
            let pins = self.stimulus.of(layout, instance);
            if models.step(instance, &pins, &mut words[..links]) {
                next.insert(chip);
            }
            self.staged.push(words);
        }
    }

    /// Second phase: the staged words of an array are driven, and wake the
    /// chips they lead to.
    fn commit<'w>(
        &mut self,
        array: usize,
        awake: &AwakeSet,
        staged: &mut impl Iterator<Item = &'w [LinkWord; MAX_LINKS]>,
        next: &mut AwakeSet,
    ) {
        let layout = &self.fabric.arrays[array];
        let links = layout.chip.links.len();
        let range = self.chips_of(array);
        for (chip, words) in awake.range(range.clone()).zip(staged) {
            let first = layout.first_link as usize + (chip - range.start) as usize * links;
            let driven = &mut self.words[first..first + links];
            let peers = &self.fabric.peers[first..first + links];
            for ((driven, &word), &peer) in driven.iter_mut().zip(words).zip(peers) {
                let before = std::mem::replace(driven, word);
                if word | before != 0 && peer != OPEN {
                    let far = self.fabric.array_of(peer);
                    let array = &self.fabric.arrays[far];
                    let offset = peer - array.first_link;
                    let instance = match array.chip.links.len() {
                        1 => offset,
                        2 => offset / 2,
                        4 => offset / 4,
                        links => offset / links as u32,
                    };
                    next.insert(self.first_chip[far] + instance);
                }
            }
        }
    }

    fn driven(&self, array: usize, instance: usize, link: usize) -> LinkWord {
        let layout = &self.fabric.arrays[array];
        self.words[layout.first_link as usize + instance * layout.chip.links.len() + link]
    }

    fn arriving(&self, array: usize, instance: usize, link: usize) -> LinkWord {
        let layout = &self.fabric.arrays[array];
        let number = layout.first_link as usize + instance * layout.chip.links.len() + link;
        match self.fabric.peers[number] {
            OPEN => 0,
            peer => self.words[peer as usize],
        }
    }
}

impl Engine for EventEngine {
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn drive(&mut self, array: usize, port: usize, instance: usize, value: u64) {
        self.arrays[array].set_pin(port, instance, value);
        self.awake.insert(self.first_chip[array] + instance as u32);
    }

    fn drive_all(&mut self, array: usize, port: usize, value: u64) {
        for instance in 0..self.fabric.arrays[array].instances {
            self.drive(array, port, instance, value);
        }
    }

    fn value(&self, array: usize, port: usize, instance: usize) -> u64 {
        let layout = &self.fabric.arrays[array];
        let port_table = &layout.chip.ports[port];
        let mask = (1u64 << port_table.width) - 1;
        match port_table.role {
            Role::Clock => 1,
            Role::Reset => u64::from(self.cycle == 0),
            Role::Option => layout.pin(port, instance),
            Role::Random { stream, kind } => {
                self.stimulus
                    .of(layout, instance)
                    .value(stream, kind, port_table.width)
            }
            Role::Link { link, lsb } => {
                let word = match port_table.direction {
                    Direction::Input => self.arriving(array, instance, link),
                    Direction::Output => self.driven(array, instance, link),
                };
                u64::from(word) >> lsb & mask
            }
            Role::Host if port_table.direction == Direction::Input => {
                self.arrays[array].pin(port, instance)
            }
            Role::Host | Role::State(_) => self.arrays[array].output(port, instance),
        }
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        let first = self.first_chip[array];
        let end = first + self.fabric.arrays[array].instances as u32;
        let chips = self.evaluated.range(first..end);
        instances.extend(
            chips
                .map(|chip| chip - first)
                .filter(|&instance| self.arrays[array].output(port, instance as usize) != 0),
        );
    }

    fn hold_random(&mut self, hold: bool) {
        self.stimulus.hold(hold);
    }

    fn random_held(&self) -> bool {
        self.stimulus.held()
    }

    fn step(&mut self) {
        let awake = std::mem::take(&mut self.awake);
        let mut next = std::mem::take(&mut self.evaluated);
        next.clear();
        self.staged.clear();
        // Cycle 0 resets: every register is 0 already and stays so, and what
        // was driven meanwhile is looked at in cycle 1.
        if self.cycle == 0 {
            awake.iter().for_each(|chip| next.insert(chip));
        } else {
            for array in 0..self.arrays.len() {
                self.evaluate(array, &awake, &mut next);
            }
            let mut staged = std::mem::take(&mut self.staged);
            let mut words = staged.iter();
            for array in 0..self.arrays.len() {
                self.commit(array, &awake, &mut words, &mut next);
            }
            staged.clear();
            self.staged = staged;
        }
        self.awake = next;
        self.evaluated = awake;
        self.cycle += 1;
        self.stimulus.begin(self.cycle);
    }

    fn skip_to(&mut self, cycle: u64) {
        assert!(cycle >= self.cycle, "time goes forward only");
        self.evaluated.clear();
        self.cycle = cycle;
        self.stimulus.begin(cycle);
    }
}
