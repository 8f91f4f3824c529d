//! The engine itself, for links of either width.

use std::sync::Mutex;
use std::thread::Builder;

use smallvec::SmallVec;

use super::array::{ArrayPart, Now, Sent, WordChange};
use super::shared::SharedNetwork;
use crosswave_base::threads::policy::{ThreadPolicy, Turn};
use crosswave_base::threads::processors;
use crosswave_chips::{PinDirection, Role, Word};
use crosswave_network::Fabric;
use crosswave_network::random_bits::RandomBits;
use crosswave_probe::engine::{Engine, InstanceList, Watched};
use crosswave_probe::save::{Loader, Saver, Unlike};

/// Awake chips in a cycle from which a second thread pays.
const THREADS_FROM_AWAKE: usize = 1 << 14;

/// Chips that are evaluated in the edges that are timed together when it is found out whether
/// threads pay.
const WINDOW_CHIPS: u64 = 4 * THREADS_FROM_AWAKE as u64;

/// Nodes from which there is more than one part to an array, unless the number
/// of threads is given.
const THREADS_FROM_NODES: usize = 1 << 14;

/// Groups of parts for each thread, where there is more than one: some have more to do than
/// others, and who is done takes another one.
const GROUPS_PER_THREAD: usize = 4;

/// Parts beyond which there are fewer groups for each thread: every part may send to every part.
const PARTS_MOST: usize = 64;

/// Groups of parts for so many threads.
fn groups_for(threads: usize, arrays: usize) -> usize {
    match threads {
        1 => 1,
        _ => threads * (PARTS_MOST / (threads * arrays.max(1))).clamp(1, GROUPS_PER_THREAD),
    }
}

/// The number of threads for a network of so many nodes.
pub(super) fn threads_for(nodes: usize) -> usize {
    match nodes {
        ..THREADS_FROM_NODES => 1,
        _ => processors(),
    }
}

/// The words that a part sends, by receiving part.
type Lists<W> = Vec<Vec<WordChange<W>>>;

/// The engine of a network whose links have words of one width.
pub(super) struct Core<W: Word> {
    shared: SharedNetwork,
    /// Parts of all arrays, group by group.
    parts: Vec<ArrayPart<W>>,
    /// Threads that take groups in busy cycles: any takes any group, so that none is needed that
    /// has no processor.
    threads: usize,
    /// Decides, step by step, if the threads take it together.
    policy: ThreadPolicy,
    /// The words that each part sent to each part at the last edge.
    sent: Vec<Lists<W>>,
    /// The parts that sent something to each part then.
    senders: Vec<Vec<u32>>,
    random_bits: RandomBits,
    cycle: u64,
    /// Number of chips that were evaluated at the last edge.
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
        let policy = match threads {
            1 => ThreadPolicy::together(),
            _ => ThreadPolicy::tried(WINDOW_CHIPS),
        };
        let mut first_chip = Vec::new();
        let mut chips = 0;
        for array in &fabric.arrays {
            first_chip.push(chips as u32);
            chips += array.instances;
        }
        let arrays = fabric.arrays.len();
        let groups = groups_for(threads, arrays);
        let threads = threads.min(processors());
        let mut parts: Vec<Option<ArrayPart<W>>> = (0..groups * arrays).map(|_| None).collect();
        side_by_side(threads, parts.iter_mut().enumerate(), |(at, part)| {
            let (group, array) = (at / arrays, at % arrays);
            let cut = |group| fabric.arrays[array].instances * group / groups;
            *part = Some(ArrayPart::new(&fabric, array, cut(group)..cut(group + 1)));
        });
        let parts: Vec<ArrayPart<W>> = parts.into_iter().flatten().collect();
        let random_bits = RandomBits::new(&fabric, seed);
        let links = parts.iter().map(|part| part.links.clone());
        Core {
            shared: SharedNetwork::new(fabric, first_chip, links),
            sent: vec![vec![Vec::new(); parts.len()]; parts.len()],
            senders: vec![Vec::new(); parts.len()],
            parts,
            threads,
            policy,
            random_bits,
            cycle: 0,
            evaluations: 0,
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
        match self.parts.iter().any(|part| !part.awake.is_empty()) {
            true => Some(self.cycle),
            false => self
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
            part.timers.wake(cycle, &mut part.awake);
        }
    }

    /// Chips of an array.
    pub(super) fn instances(&self, array: usize) -> usize {
        self.shared.fabric.arrays[array].instances
    }

    fn part(&self, array: usize, instance: usize) -> &ArrayPart<W> {
        &self.parts[self.part_index(array, instance)]
    }

    fn part_index(&self, array: usize, instance: usize) -> usize {
        let arrays = &self.shared.fabric.arrays;
        let groups = self.parts.len() / arrays.len();
        // Group g begins with instance ⌊g * instances / groups⌋. This is the last one that begins
        // with the instance or before it.
        let group = ((instance + 1) * groups - 1) / arrays[array].instances;
        group * arrays.len() + array
    }

    /// Does something with every part, on all threads where that pays.
    fn with_parts<T: Send>(
        threads: usize,
        arrays: usize,
        parts: &mut [T],
        does: impl Fn(&mut T) + Sync,
    ) {
        match threads {
            1 => parts.iter_mut().for_each(does),
            _ => side_by_side(threads, parts.chunks_mut(arrays), |parts| {
                parts.iter_mut().for_each(&does);
            }),
        }
    }

    /// Has all threads take every large step together.
    pub(super) fn work_together(&mut self) {
        self.policy = ThreadPolicy::together();
    }

    /// A clock edge: every chip that is awake is evaluated, and then what it sent is delivered.
    fn evaluate(&mut self) {
        if self.evaluations < THREADS_FROM_AWAKE {
            return self.evaluate_on(1);
        }
        let step = self.policy.begin();
        self.evaluate_on(match step.turn {
            Turn::Together => self.threads,
            Turn::Alone => 1,
        });
        self.policy.end(step, self.evaluations as u64);
    }

    /// A clock edge on so many threads.
    fn evaluate_on(&mut self, threads: usize) {
        let (shared, random_bits) = (&self.shared, &self.random_bits);
        let arrays = shared.fabric.arrays.len();
        let mut work: SmallVec<[(&mut ArrayPart<W>, &mut Lists<W>); 16]> =
            self.parts.iter_mut().zip(&mut self.sent).collect();
        Self::with_parts(threads, arrays, &mut work, |(part, sent)| {
            part.evaluated.clear();
            part.telling.clear();
            part.awake.drain_into(&mut part.evaluated);
            let now = Now {
                layout: &shared.fabric.arrays[part.array],
                random_bits,
                awake: &part.evaluated,
            };
            let mut sent = Sent::new(shared, sent, &mut part.receivers);
            let (next, timers, telling) = (&mut part.awake, &mut part.timers, &mut part.telling);
            part.models.evaluate(&now, &mut sent, next, timers, telling);
        });
        drop(work);
        self.evaluations = self.parts.iter().map(|part| part.evaluated.len()).sum();
        self.deliver(threads);
    }

    /// Delivers what every part sent.
    fn deliver(&mut self, threads: usize) {
        self.senders.iter_mut().for_each(Vec::clear);
        for (at, part) in self.parts.iter().enumerate() {
            for &receiver in &part.receivers {
                self.senders[receiver as usize].push(at as u32);
            }
        }
        let (fabric, sent, senders) = (&self.shared.fabric, &self.sent, &self.senders);
        let arrays = fabric.arrays.len();
        let mut work: SmallVec<[(usize, &mut ArrayPart<W>); 16]> =
            self.parts.iter_mut().enumerate().collect();
        Self::with_parts(threads, arrays, &mut work, |(at, part)| {
            let links = part.links.start as usize..part.links.end as usize;
            let rotations = fabric.rotations.get(links).unwrap_or(&[]);
            for &sender in &senders[*at] {
                let changes = &sent[sender as usize][*at];
                part.models.deliver(changes, rotations, &mut part.awake);
            }
        });
    }

    /// Chips of every part, numbered over all arrays, in rising order.
    fn chips_of<'a, T: Iterator<Item = u32>>(
        &'a self,
        own: impl Fn(&'a ArrayPart<W>) -> T,
    ) -> Vec<u32> {
        let mut chips = Vec::new();
        for part in &self.parts {
            let first = self.shared.first_chip[part.array] + part.instances.start as u32;
            chips.extend(own(part).map(|own| first + own));
        }
        chips.sort_unstable();
        chips
    }

    /// The part of a chip that is numbered over all arrays, and its number there.
    fn own_of(&self, chip: u32) -> Result<(usize, u32), Unlike> {
        let first_chip = &self.shared.first_chip;
        let array = first_chip.partition_point(|&first| first <= chip) - 1;
        let instance = (chip - first_chip[array]) as usize;
        if instance >= self.shared.fabric.arrays[array].instances {
            return Err(Unlike);
        }
        let part = self.part_index(array, instance);
        let own = instance - self.parts[part].instances.start;
        Ok((part, own as u32))
    }
}

/// Takes pieces of work on so many threads, the calling one among them. Where the system
/// starts fewer, those that there are take the others' pieces.
fn side_by_side<W: Send>(
    threads: usize,
    pieces: impl ExactSizeIterator<Item = W> + Send,
    work: impl Fn(W) + Sync,
) {
    let others = threads.min(pieces.len()).saturating_sub(1);
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
            let part = &mut self.parts[part];
            part.models.set_pin(port, instance as usize, value);
            part.awake.insert(instance - part.instances.start as u32);
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
            Role::Parameter => layout.pin(port, instance),
            Role::Option if !layout.changes(port) => layout.pin(port, instance),
            Role::Random { stream, kind } => {
                self.random_bits
                    .of(layout, instance)
                    .value(stream, kind, port_table.width)
            }
            Role::Link { link, lsb } => {
                let models = &self.part(array, instance).models;
                let word = match port_table.direction {
                    PinDirection::Input => models.arriving(instance, link),
                    PinDirection::Output => models.driven(instance, link),
                };
                word.into() >> lsb & mask
            }
            Role::Option => self.part(array, instance).models.pin(port, instance),
            Role::Host if port_table.direction == PinDirection::Input => {
                self.part(array, instance).models.pin(port, instance)
            }
            Role::Host | Role::State(_) => self.part(array, instance).models.output(port, instance),
        }
    }

    fn planes(&self, array: usize, port: usize, instances: usize, planes: &mut [Vec<u64>]) {
        let layout = &self.shared.fabric.arrays[array];
        let is_in_models = match layout.chip.ports[port].role {
            Role::State(_) | Role::Host | Role::Link { .. } => true,
            Role::Option => layout.changes(port),
            Role::Clock | Role::Reset | Role::Parameter | Role::Random { .. } => false,
        };
        if !is_in_models {
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
        for part in self.parts.iter().filter(|part| part.array == array) {
            part.models.watch(&part.evaluated, watched);
        }
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        for part in self.parts.iter().filter(|part| part.array == array) {
            part.models.raised(port, &part.evaluated, instances);
        }
    }

    fn raised_each(&self, array: usize, ports: &[usize], found: &mut [InstanceList]) {
        found.iter_mut().for_each(InstanceList::clear);
        for part in self.parts.iter().filter(|part| part.array == array) {
            part.models.raised_each(ports, &part.telling, found);
        }
    }

    fn hold_random(&mut self, hold: bool) {
        self.random_bits.hold(hold);
    }

    fn random_held(&self) -> bool {
        self.random_bits.held()
    }

    fn step(&mut self) {
        // Cycle 0 resets: every register is 0 already and stays so, and what
        // was driven meanwhile is looked at in cycle 1.
        if self.cycle == 0 {
            for part in &mut self.parts {
                part.evaluated.clear();
                // After reset nobody has something to tell.
                part.telling.clear();
                part.awake.iter().for_each(|own| part.evaluated.push(own));
            }
        } else {
            self.evaluate();
        }
        self.begin(self.cycle + 1);
    }

    fn skip_to(&mut self, cycle: u64) {
        assert!(cycle >= self.cycle, "time goes forward only");
        for part in &mut self.parts {
            part.evaluated.clear();
            part.telling.clear();
        }
        self.begin(cycle);
    }

    fn save(&self, saver: &mut Saver) {
        saver.value(&(self.cycle, self.random_bits.held(), self.evaluations));
        for array in 0..self.shared.fabric.arrays.len() {
            let parts = self.parts.iter().filter(|part| part.array == array);
            parts.for_each(|part| part.models.save(saver));
        }
        saver.value(&self.chips_of(|part| part.awake.iter()));
        saver.value(&self.chips_of(|part| part.evaluated.iter().copied()));
        let mut timers = Vec::new();
        for part in &self.parts {
            let first = self.shared.first_chip[part.array] + part.instances.start as u32;
            let all = part.timers.all().into_iter();
            timers.extend(all.map(|(cycle, own)| (cycle, first + own)));
        }
        timers.sort_unstable();
        saver.value(&timers);
    }

    fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        let held;
        (self.cycle, held, self.evaluations) = loader.value()?;
        self.random_bits.begin(self.cycle);
        self.random_bits.hold(held);
        for array in 0..self.shared.fabric.arrays.len() {
            let parts = self.parts.iter_mut().zip(&mut self.sent);
            for (part, sent) in parts.filter(|(part, _)| part.array == array) {
                let mut sent = Sent::new(&self.shared, sent, &mut part.receivers);
                part.models.load(loader, &mut sent)?;
            }
        }
        self.deliver(1);
        for part in &mut self.parts {
            part.awake.clear();
            part.evaluated.clear();
            part.telling.clear();
            part.timers.clear();
        }
        for chip in loader.value::<Vec<u32>>()? {
            let (part, own) = self.own_of(chip)?;
            self.parts[part].awake.insert(own);
        }
        let evaluated: Vec<u32> = loader.value()?;
        if !evaluated.is_sorted_by(|chip, next| chip < next) {
            return Err(Unlike);
        }
        for chip in evaluated {
            let (part, own) = self.own_of(chip)?;
            let part = &mut self.parts[part];
            part.evaluated.push(own);
            part.telling.extend(part.models.telling(own));
        }
        for (cycle, chip) in loader.value::<Vec<(u64, u32)>>()? {
            let (part, own) = self.own_of(chip)?;
            let part = &mut self.parts[part];
            part.timers.set(cycle, own, part.instances.len());
        }
        Ok(())
    }
}
