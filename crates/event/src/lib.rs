//! The event engine: register-level models, evaluated only when something
//! arrives or is due.
//!
//! Data layout: per array one struct for each instance, with its registers, its pins, the words
//! that arrive at its links and that it drives there ([`Word`](crosswave_chips::Word)), and where
//! they lead to. A clock edge has two halves. In the first every awake chip computes its
//! registers and what it drives, and notes each word that became another one, with the link port
//! that it leads to. In the second these words are delivered, and wake the chips that they lead
//! to for the next cycle. A chip of which nothing changes rests, whatever words it holds: its model
//! says whether it has to be evaluated although nothing new arrives. A chip at rest costs
//! nothing, and one that waits for a cycle ([`Model::due`](crosswave_chips::Model::due)) an entry in
//! a heap.
//!
//! Cost: the cache lines of a chip, twice a cycle, fetched before their turn. What a busy chip does is hard to predict, so that few branches depend on it
//! here and in the router's model. The cycle loop allocates nothing, but for the lists of chips
//! that are evaluated and of words that change, queues of models without Verilog, and chips that
//! wait for a cycle, when there are more of them than ever before, for more than 16 parts, and for
//! threads.
//!
//! Threads: every array is cut into parts, up to four for each thread; a thread that is done takes
//! the next one. In busy cycles of a large network the parts are evaluated side by side, as long as
//! that is faster ([`threads::policy`](crosswave_base::threads::policy)); results
//! do not depend on how many there are, since no chip is reached by what another one does in the
//! same half.

mod array;
mod awake;
mod core;
mod memory;
mod shared;
mod timers;

use core::Core;
use crosswave_network::Fabric;
use crosswave_probe::engine::{Engine, InstanceList, Watched};
use crosswave_probe::save::{Loader, Saver, Unlike};

/// The event engine.
pub struct EventEngine(Width);

/// By the words of the links.
enum Width {
    Narrow(Core<u16>),
    Wide(Core<u64>),
}

/// Does something with the engine, of either width.
macro_rules! with_core {
    ($engine:expr, $core:ident => $does:expr) => {
        match $engine {
            Width::Narrow($core) => $does,
            Width::Wide($core) => $does,
        }
    };
}

impl EventEngine {
    /// The number of threads for a network of so many nodes.
    pub fn threads_for(nodes: usize) -> usize {
        core::threads_for(nodes)
    }

    /// An engine at cycle 0, the reset cycle; `threads` 0 leaves the number to
    /// the engine.
    ///
    /// # Panics
    /// When some chips of the fabric have links of more than 16 bits and others have not.
    pub fn new(fabric: Fabric, seed: u64, threads: usize) -> Self {
        let bits = fabric.arrays.iter().map(|array| array.chip.link_bits());
        EventEngine(match bits.max() {
            Some(bits) if bits > u16::BITS => Width::Wide(Core::new(fabric, seed, threads)),
            _ => Width::Narrow(Core::new(fabric, seed, threads)),
        })
    }

    /// Has all threads take every step together in which many chips are awake, however long that
    /// takes, as who looks at the threads themselves needs it.
    pub fn work_together(&mut self) {
        with_core!(&mut self.0, core => core.work_together());
    }

    /// The fabric that it was made from.
    pub fn fabric(&self) -> &Fabric {
        with_core!(&self.0, core => core.fabric())
    }

    /// The fabric that it was made from, to be used again.
    pub fn into_fabric(self) -> Fabric {
        with_core!(self.0, core => core.into_fabric())
    }

    /// The next cycle in which a chip has something to do while no host drives anything: the
    /// present one while any is awake, later ones when all wait, and `None` when nothing ever
    /// happens by itself. Cycles up to there may be skipped ([`Engine::skip_to`]).
    pub fn due(&self) -> Option<u64> {
        with_core!(&self.0, core => core.due())
    }

    /// Chips of an array.
    pub fn instances(&self, array: usize) -> usize {
        with_core!(&self.0, core => core.instances(array))
    }
}

impl Engine for EventEngine {
    fn cycle(&self) -> u64 {
        with_core!(&self.0, core => core.cycle())
    }

    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]) {
        with_core!(&mut self.0, core => core.drive(array, port, values));
    }

    fn drive_all(&mut self, array: usize, port: usize, value: u64) {
        with_core!(&mut self.0, core => core.drive_all(array, port, value));
    }

    fn value(&self, array: usize, port: usize, instance: usize) -> u64 {
        with_core!(&self.0, core => core.value(array, port, instance))
    }

    fn plane(&self, array: usize, port: usize, bit: usize, instances: usize, words: &mut [u64]) {
        with_core!(&self.0, core => core.plane(array, port, bit, instances, words));
    }

    fn planes(&self, array: usize, port: usize, instances: usize, planes: &mut [Vec<u64>]) {
        with_core!(&self.0, core => core.planes(array, port, instances, planes));
    }

    fn watch(&self, watched: &mut Watched) {
        with_core!(&self.0, core => core.watch(watched));
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        with_core!(&self.0, core => core.raised(array, port, instances));
    }

    fn raised_each(&self, array: usize, ports: &[usize], found: &mut [InstanceList]) {
        with_core!(&self.0, core => core.raised_each(array, ports, found));
    }

    fn hold_random(&mut self, hold: bool) {
        with_core!(&mut self.0, core => core.hold_random(hold));
    }

    fn random_held(&self) -> bool {
        with_core!(&self.0, core => core.random_held())
    }

    fn step(&mut self) {
        with_core!(&mut self.0, core => core.step());
    }

    fn skip_to(&mut self, cycle: u64) {
        with_core!(&mut self.0, core => core.skip_to(cycle));
    }

    fn save(&self, saver: &mut Saver) {
        with_core!(&self.0, core => core.save(saver));
    }

    fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        with_core!(&mut self.0, core => core.load(loader))
    }
}
