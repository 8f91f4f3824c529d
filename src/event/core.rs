//! The engine itself, for links of either width.

use std::sync::Mutex;
use std::thread::Builder;

use smallvec::SmallVec;

use super::array::{MakeModels, Now, Part};
use super::awake::AwakeSet;
use super::shared::Shared;
use super::timers::Timers;
use crate::chip::{Direction, Role, Word, rotated};
use crate::network::random_bits::RandomBits;
use crate::network::{Fabric, OPEN, Pin};
use crate::probe::engine::{Engine, Watched};
use crate::probe::save::{Loader, Saver, Unlike};

/// Awake chips in a cycle from which a second thread pays.
const THREADS_FROM_AWAKE: usize = 1 << 14;

/// Nodes from which there is more than one part to an array, unless the number
/// of threads is given.
const THREADS_FROM_NODES: usize = 1 << 14;

/// The number of threads for a network of so many nodes.
pub(super) fn threads_for(nodes: usize) -> usize {
    match nodes {
        ..THREADS_FROM_NODES => 1,
        _ => std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// The engine of a network whose links have words of one width.
pub(super) struct Core<W: Word> {
    shared: Shared,
    /// Parts of all arrays, thread by thread.
    parts: Vec<Part<W>>,
    threads: usize,
    /// What every link port drives, and, in the other buffer, what it drove a
    /// cycle ago.
    words: [Vec<W>; 2],
    random_bits: RandomBits,
    cycle: u64,
    /// Chips to evaluate in this cycle.
    awake: AwakeSet,
    /// Chips evaluated at the last edge; in the step itself, those of the next.
    evaluated: AwakeSet,
    /// How many chips were evaluated at the last edge.
    evaluations: usize,
}

impl<W: Word> Core<W> {
    /// An engine at cycle 0, the reset cycle; `threads` 0 leaves the number to
    /// the engine.
    pub(super) fn new(fabric: Fabric, seed: u64, threads: usize) -> Self {
        let threads = match threads {
            0 => threads_for(fabric.nodes),
            threads => threads,
        };
        let mut first_chip = Vec::new();
        let mut chips = 0;
        for array in &fabric.arrays {
            first_chip.push(chips as u32);
            chips += array.instances;
        }
        let mut awake = AwakeSet::new(chips);
        for (layout, &first) in fabric.arrays.iter().zip(&first_chip) {
            let is_host = |pin: &Pin| matches!(layout.chip.ports[pin.port].role, Role::Host);
            for pin in layout.pins.iter().filter(|pin| is_host(pin)) {
                let driven = (0..layout.instances).filter(|&at| pin.values.at(at) != 0);
                driven.for_each(|instance| awake.insert(first + instance as u32));
            }
        }
        let mut parts = Vec::new();
        for thread in 0..threads {
            for (array, layout) in fabric.arrays.iter().enumerate() {
                let cut = |part| layout.instances * part / threads;
                let instances = cut(thread)..cut(thread + 1);
                let make = MakeModels {
                    layout,
                    instances: instances.clone(),
                };
                parts.push(Part {
                    array,
                    instances,
                    models: layout.chip.with_model(make).of_width(),
                    next: AwakeSet::new(chips),
                    timers: Timers::default(),
                    evaluated: 0,
                });
            }
        }
        Core {
            words: [(); 2].map(|()| vec![W::default(); fabric.peers.len()]),
            parts,
            threads,
            random_bits: RandomBits::new(&fabric, seed),
            cycle: 0,
            awake,
            evaluated: AwakeSet::new(chips),
            evaluations: 0,
            shared: Shared { fabric, first_chip },
        }
    }

    /// The fabric that it was made from.
    pub(super) fn fabric(&self) -> &Fabric {
        &self.shared.fabric
    }

    /// The fabric that it was made from, to be used again.
    pub(super) fn into_fabric(self) -> Fabric {
        self.shared.fabric
    }

    /// The next cycle in which a chip has something to do by itself.
    pub(super) fn due(&self) -> Option<u64> {
        match self.awake.iter().next() {
            Some(_) => Some(self.cycle),
            None => self
                .parts
                .iter()
                .filter_map(|part| part.timers.first())
                .min(),
        }
    }

    /// Goes to a cycle, and wakes those who wait for it.
    fn begin(&mut self, cycle: u64) {
        self.cycle = cycle;
        self.random_bits.begin(cycle);
        for part in &mut self.parts {
            part.timers.wake(cycle, &mut self.awake);
        }
    }

    /// Chips of an array.
    pub(super) fn instances(&self, array: usize) -> usize {
        self.shared.fabric.arrays[array].instances
    }

    fn part(&self, array: usize, instance: usize) -> &Part<W> {
        &self.parts[self.part_index(array, instance)]
    }

    fn part_index(&self, array: usize, instance: usize) -> usize {
        let arrays = self.shared.fabric.arrays.len();
        (0..self.threads)
            .map(|thread| thread * arrays + array)
            .find(|&part| self.parts[part].instances.contains(&instance))
            .expect("the parts hold all instances")
    }

    /// The words of the link ports of each part, in the order of the parts.
    fn words_of_parts<'w>(
        shared: &Shared,
        parts: &[Part<W>],
        mut words: &'w mut [W],
    ) -> SmallVec<[&'w mut [W]; 16]> {
        let arrays = shared.fabric.arrays.len();
        let mut slices: SmallVec<[&mut [W]; 16]> = SmallVec::new();
        slices.resize_with(parts.len(), Default::default);
        for array in 0..arrays {
            let links = shared.fabric.arrays[array].chip.links.len();
            for part in (array..parts.len()).step_by(arrays) {
                let (own, rest) = words.split_at_mut(parts[part].instances.len() * links);
                slices[part] = own;
                words = rest;
            }
        }
        slices
    }

    /// A clock edge.
    fn evaluate(&mut self) {
        let (shared, random_bits, awake) = (&self.shared, &self.random_bits, &self.awake);
        let [now, after] = &mut self.words;
        let driven = Self::words_of_parts(shared, &self.parts, after);
        let mut work: SmallVec<[(&mut Part<W>, &mut [W]); 16]> =
            self.parts.iter_mut().zip(driven).collect();
        let evaluate = |(part, driven): &mut (&mut Part<W>, &mut [W])| {
            let now = Now {
                shared,
                words: now,
                random_bits,
                awake,
                array: part.array,
            };
            let (next, timers) = (&mut part.next, &mut part.timers);
            part.evaluated = part.models.evaluate(&now, driven, next, timers);
        };
        if self.threads == 1 || self.evaluations < THREADS_FROM_AWAKE {
            work.iter_mut().for_each(evaluate);
        } else {
            let of_threads = work.chunks_mut(shared.fabric.arrays.len());
            side_by_side(of_threads, |parts| parts.iter_mut().for_each(evaluate));
        }
        drop(work);
        self.words.swap(0, 1);
        self.evaluations = self.parts.iter().map(|part| part.evaluated).sum();
    }

    fn driven(&self, array: usize, instance: usize, link: usize) -> W {
        let layout = &self.shared.fabric.arrays[array];
        self.words[0][layout.first_link as usize + instance * layout.chip.links.len() + link]
    }

    fn arriving(&self, array: usize, instance: usize, link: usize) -> W {
        let layout = &self.shared.fabric.arrays[array];
        let number = layout.first_link as usize + instance * layout.chip.links.len() + link;
        match self.shared.fabric.peers[number] {
            OPEN => W::default(),
            peer => {
                let steps = self.shared.fabric.rotation(number as u32);
                W::of(rotated(self.words[0][peer as usize].into(), steps))
            }
        }
    }
}

/// Takes pieces of work on as many threads, the calling one among them. Where the system
/// starts fewer, those that there are take the others' pieces.
fn side_by_side<W: Send>(pieces: impl ExactSizeIterator<Item = W> + Send, work: impl Fn(W) + Sync) {
    let others = pieces.len().saturating_sub(1);
    let pieces = Mutex::new(pieces);
    let next = || {
        pieces
            .lock()
            .expect("pieces are cut without a panic")
            .next()
    };
    let take = || {
        while let Some(piece) = next() {
            work(piece);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..others {
            if Builder::new().spawn_scoped(scope, take).is_err() {
                break;
            }
        }
        take();
    });
}

impl<W: Word> Engine for Core<W> {
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]) {
        for &(instance, value) in values {
            let part = self.part_index(array, instance as usize);
            self.parts[part]
                .models
                .set_pin(port, instance as usize, value);
            self.awake.insert(self.shared.first_chip[array] + instance);
        }
    }

    fn drive_all(&mut self, array: usize, port: usize, value: u64) {
        for instance in 0..self.shared.fabric.arrays[array].instances as u32 {
            self.drive(array, port, &[(instance, value)]);
        }
    }

    fn value(&self, array: usize, port: usize, instance: usize) -> u64 {
        let layout = &self.shared.fabric.arrays[array];
        let port_table = &layout.chip.ports[port];
        let mask = u64::MAX >> (64 - port_table.width);
        match port_table.role {
            Role::Clock => 1,
            Role::Reset => u64::from(self.cycle == 0),
            Role::Option if !layout.changes(port) => layout.pin(port, instance),
            Role::Random { stream, kind } => {
                self.random_bits
                    .of(layout, instance)
                    .value(stream, kind, port_table.width)
            }
            Role::Link { link, lsb } => {
                let word = match port_table.direction {
                    Direction::Input => self.arriving(array, instance, link),
                    Direction::Output => self.driven(array, instance, link),
                };
                word.into() >> lsb & mask
            }
            Role::Option => self.part(array, instance).models.pin(port, instance),
            Role::Host if port_table.direction == Direction::Input => {
                self.part(array, instance).models.pin(port, instance)
            }
            Role::Host | Role::State(_) => self.part(array, instance).models.output(port, instance),
        }
    }

    fn planes(&self, array: usize, port: usize, instances: usize, planes: &mut [Vec<u64>]) {
        let table = &self.shared.fabric.arrays[array].chip.ports[port];
        if !matches!(table.role, Role::State(_)) {
            for (bit, plane) in planes.iter_mut().enumerate() {
                self.plane(array, port, bit, instances, plane);
            }
            return;
        }
        planes.iter_mut().for_each(|plane| plane.fill(0));
        for part in self.parts.iter().filter(|part| part.array == array) {
            part.models.planes(port, planes);
        }
    }

    fn watch(&self, watched: &mut Watched) {
        let array = watched.array;
        let first = self.shared.first_chip[array];
        for part in self.parts.iter().filter(|part| part.array == array) {
            let chips = first + part.instances.start as u32..first + part.instances.end as u32;
            let mut evaluated = self.evaluated.range(chips).map(|chip| chip - first);
            part.models.watch(&mut evaluated, watched);
        }
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        let first = self.shared.first_chip[array];
        for part in self.parts.iter().filter(|part| part.array == array) {
            let chips = first + part.instances.start as u32..first + part.instances.end as u32;
            for chip in self.evaluated.range(chips) {
                if part.models.output(port, (chip - first) as usize) != 0 {
                    instances.push(chip - first);
                }
            }
        }
    }

    fn hold_random(&mut self, hold: bool) {
        self.random_bits.hold(hold);
    }

    fn random_held(&self) -> bool {
        self.random_bits.held()
    }

    fn step(&mut self) {
        let mut next = std::mem::take(&mut self.evaluated);
        next.clear();
        // Cycle 0 resets: every register is 0 already and stays so, and what
        // was driven meanwhile is looked at in cycle 1.
        if self.cycle == 0 {
            self.awake.iter().for_each(|chip| next.insert(chip));
        } else {
            self.evaluate();
            for part in &mut self.parts {
                part.next.move_into(&mut next);
            }
        }
        self.evaluated = std::mem::replace(&mut self.awake, next);
        self.begin(self.cycle + 1);
    }

    fn skip_to(&mut self, cycle: u64) {
        assert!(cycle >= self.cycle, "time goes forward only");
        self.evaluated.clear();
        self.begin(cycle);
    }

    fn save(&self, saver: &mut Saver) {
        saver.value(&(self.cycle, self.random_bits.held(), self.evaluations));
        self.words.iter().for_each(|words| saver.value(words));
        for set in [&self.awake, &self.evaluated] {
            let chips: Vec<u32> = set.iter().collect();
            saver.value(&chips);
        }
        let timers = self.parts.iter().flat_map(|part| part.timers.all());
        let mut timers: Vec<(u64, u32)> = timers.collect();
        timers.sort_unstable();
        saver.value(&timers);
        for array in 0..self.shared.fabric.arrays.len() {
            let parts = self.parts.iter().filter(|part| part.array == array);
            parts.for_each(|part| part.models.save(saver));
        }
    }

    fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        let held;
        (self.cycle, held, self.evaluations) = loader.value()?;
        self.random_bits.begin(self.cycle);
        self.random_bits.hold(held);
        for words in &mut self.words {
            *words = loader.values(words.len())?;
        }
        let arrays = self.shared.fabric.arrays.iter();
        let chips: usize = arrays.map(|array| array.instances).sum();
        for set in [&mut self.awake, &mut self.evaluated] {
            set.clear();
            for chip in loader.value::<Vec<u32>>()? {
                if chip as usize >= chips {
                    return Err(Unlike);
                }
                set.insert(chip);
            }
        }
        self.parts.iter_mut().for_each(|part| part.timers.clear());
        for (cycle, chip) in loader.value::<Vec<(u64, u32)>>()? {
            let first_chip = &self.shared.first_chip;
            let array = first_chip.partition_point(|&first| first <= chip) - 1;
            let instance = (chip - first_chip[array]) as usize;
            if instance >= self.shared.fabric.arrays[array].instances {
                return Err(Unlike);
            }
            let part = self.part_index(array, instance);
            let part = &mut self.parts[part];
            let own = instance - part.instances.start;
            part.timers.set(cycle, chip, own, part.instances.len());
        }
        for array in 0..self.shared.fabric.arrays.len() {
            let mut parts = self.parts.iter_mut().filter(|part| part.array == array);
            parts.try_for_each(|part| part.models.load(loader))?;
        }
        Ok(())
    }
}
