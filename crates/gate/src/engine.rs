//! The gate engine: arrays of one netlist each, evaluated lane word by lane word.
//!
//! Memory of an array: planes of its outputs, in two buffers, read in one and
//! written in the other, exchanged at every clock edge; planes of its other
//! registers, the state, which nobody else reads, updated in place; planes of
//! its pins. [`step`](super::step) takes a clock edge. Nothing is allocated.
//!
//! Threads: every array is cut into one chunk per thread (`partition`). A thread
//! writes its own chunks and reads everybody's old outputs, so a cycle needs one
//! meeting of the [`WorkerPool`]. Where threads do not pay the first one takes all chunks.
//!
//! Passes follow an edge until outputs have settled that depend on inputs in the same cycle
//! ([`settling`]); they are steps in which all other registers hold.
//!
//! Networks larger than the caches take several cycles at a time, unless more
//! than three quarters of their groups rest (`skew`, `skewed`). Any thread takes any block of groups then, and lists of
//! groups and of locks are allocated each time.

mod counted;
mod observed;
mod planned;
mod saved;
mod settled;

use std::sync::Arc;

use super::begin;
use super::block_plan::BlockPlan;
use super::build;
use super::cost::{self, Cost};
use super::partition;
use super::plan::{Plan, Settings};
use super::settling::{Settling, settling};
use super::skew::{Limits, Skew};
use super::skewed::{self, Span};
use super::step::{Chunk, ChunkPins, POISON, Shared, ThreadPart};
use super::workspace::Workspace;
use counted::Counting;
use crosswave_base::diagnostic::Error;
use crosswave_base::threads::policy::{ThreadPolicy, Turn};
use crosswave_base::threads::pool::WorkerPool;
use crosswave_base::threads::processors;
use crosswave_chips::registers::Output;
use crosswave_chips::{PinDirection, Role};
use crosswave_lanes::evaluator::{Backend, Evaluator};
use crosswave_lanes::native::{Calls, Native};
use crosswave_lanes::windows::bit_before;
use crosswave_netlist::Module;
use crosswave_network::copies::Copies;
use crosswave_network::random_bits::RandomBits;
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::{Burst, Engine, EngineFault, InstanceList, LocalHost, Watched};
use crosswave_probe::save::{Loader, Saver, Unlike};
use observed::Scan;
use planned::Planned;

pub use planned::PlannedValue;

/// The gate engine.
pub struct GateEngine {
    shared: Arc<Shared>,
    pool: WorkerPool,
    workspaces: Vec<Workspace>,
    parity: usize,
    cycle: u64,
    held: bool,
    skewing: Option<Skewing>,
    policy: ThreadPolicy,
    /// Passes after an edge until outputs have settled.
    settling: Settling,
    /// The fault of the cycle in which they did not.
    unsettled: Option<EngineFault>,
    /// The seeds of the copies.
    seeds: Vec<u64>,
    /// Its watchers, where the engine counts what changes.
    counting: Option<Counting>,
    /// Values that registers are to get.
    planned: Planned,
}

/// Plan and workspaces for taking several cycles at a time.
struct Skewing {
    /// Number of cycles taken at a time.
    cycles: usize,
    /// Mean number of times that a group is taken up for each cycle.
    visits_per_cycle: f64,
    /// The blocks of each phase.
    phases: [Vec<BlockPlan>; 2],
    /// The random pins of each of these cycles.
    random_bits: Vec<RandomBits>,
    /// The workspaces of each thread.
    workspaces: Vec<Vec<Workspace>>,
}

/// Clock edges that are timed together when it is found out whether threads pay.
const WINDOW_EDGES: u64 = 16;

/// Bytes of outputs from which a network is taken to be larger than the caches; with the
/// other buffer and the state it has more than three times as many. A fat tree of 2^17
/// nodes has 6 MiB of outputs, one of 2^18 nodes 13 MiB.
const LARGE_FROM_BYTES: usize = 8 << 20;

/// True when a fabric is larger than the caches.
fn is_large(fabric: &Fabric) -> bool {
    let link_bits = fabric.link_bits();
    let bits = fabric.arrays.iter();
    let bytes = bits.map(|array| array.instances * array.chip.links.len() * link_bits / 8);
    bytes.sum::<usize>() >= LARGE_FROM_BYTES
}

impl GateEngine {
    /// An engine at cycle 0. `netlists` gives the module of each chip by name;
    /// `threads` 0 leaves the number to the engine, and there are no more than groups of chips.
    /// Whether all of them work or one does is found out as the engine runs
    /// ([`threads::policy`](crosswave_base::threads::policy)), but for networks larger than the caches,
    /// where all do. Native code gives way to the interpreter where the machine does not have it.
    ///
    /// # Errors
    /// When a netlist cannot be compiled or is not that of the chip.
    pub fn new(
        fabric: impl Into<Arc<Fabric>>,
        netlist: impl Fn(&str) -> Result<&'static Module, Error> + Sync,
        seed: u64,
        threads: usize,
        backend: Backend,
    ) -> Result<Self, Error> {
        GateEngine::of_copies(fabric, netlist, &[seed], threads, backend)
    }

    /// An engine at cycle 0 for the copies of a network, each with its seed.
    ///
    /// # Errors
    /// As [`GateEngine::new`].
    ///
    /// # Panics
    /// When there are not as many seeds as copies.
    pub fn of_copies(
        fabric: impl Into<Arc<Fabric>>,
        netlist: impl Fn(&str) -> Result<&'static Module, Error> + Sync,
        seeds: &[u64],
        threads: usize,
        backend: Backend,
    ) -> Result<Self, Error> {
        let fabric = fabric.into();
        let threads = match threads {
            0 => partition::threads(&fabric, &netlist, backend)?,
            threads => threads,
        };
        let large = is_large(&fabric) && fabric.copies == Copies::ONE;
        let limits = large.then(|| Limits::of_threads(threads));
        let engine = GateEngine::build(fabric, netlist, seeds, threads, backend, limits);
        let mut engine = engine?;
        if engine.threads() > 1 && !large {
            engine.policy = ThreadPolicy::tried(WINDOW_EDGES);
        }
        Ok(engine)
    }

    /// An engine at cycle 0 that takes several cycles at a time, within limits, if the
    /// network allows it. [`GateEngine::new`] does so by itself for networks that are
    /// larger than the caches.
    ///
    /// # Errors
    /// As [`GateEngine::new`].
    ///
    /// # Panics
    /// When the fabric has copies.
    pub fn skewed(
        fabric: impl Into<Arc<Fabric>>,
        netlist: impl Fn(&str) -> Result<&'static Module, Error> + Sync,
        seed: u64,
        threads: usize,
        backend: Backend,
        limits: Limits,
    ) -> Result<Self, Error> {
        let limits = Some(limits);
        GateEngine::build(fabric, netlist, &[seed], threads, backend, limits)
    }

    fn build(
        fabric: impl Into<Arc<Fabric>>,
        netlist: impl Fn(&str) -> Result<&'static Module, Error> + Sync,
        seeds: &[u64],
        threads: usize,
        backend: Backend,
        limits: Option<Limits>,
    ) -> Result<Self, Error> {
        let fabric = fabric.into();
        let settling = settling(&fabric, &netlist)?;
        let limits = limits.filter(|_| settling.passes == 0);
        let settings = Settings {
            link_bits: fabric.link_bits(),
            cut: threads > 1 || limits.is_some(),
            copies: fabric.copies,
            backend,
            counted: false,
            settles: settling.passes > 0,
        };
        let shared = Arc::new(build::shared(fabric, netlist, seeds, threads, settings)?);
        let of_team = shared.clone();
        let work = move |thread| {
            let shared = of_team.clone();
            let mut workspaces = shared.workspaces();
            move |parity| {
                shared.step(thread..thread + 1, parity, &mut workspaces);
            }
        };
        let pool = WorkerPool::new(shared.parts.len(), work)?;
        let mut engine = GateEngine {
            workspaces: shared.workspaces(),
            shared,
            pool,
            parity: 0,
            cycle: 0,
            held: true,
            skewing: None,
            policy: ThreadPolicy::together(),
            settling,
            unsettled: None,
            seeds: seeds.to_vec(),
            counting: None,
            planned: Planned::default(),
        };
        let has_memories = |plan: &Plan| !plan.memories.is_empty();
        let limits = limits.filter(|_| !engine.shared.plans.iter().any(has_memories));
        engine.skewing = limits.and_then(|limits| engine.skewing(limits));
        begin::configure(&engine.shared);
        Ok(engine)
    }

    /// Goes back to cycle 0 with other seeds: from here on the same as a new engine, which
    /// takes longer to make.
    ///
    /// # Panics
    /// When there are not as many seeds as copies.
    pub fn restart(&mut self, seeds: &[u64]) {
        self.shared.parts.iter().for_each(ThreadPart::clear);
        let random_bits = RandomBits::of_copies(&self.shared.fabric, seeds);
        if let Some(skewing) = &mut self.skewing {
            skewing.random_bits.fill(random_bits.clone());
        }
        *self.shared.random_bits.write().expect(POISON) = random_bits;
        (self.parity, self.cycle, self.held) = (0, 0, true);
        self.unsettled = None;
        self.seeds = seeds.to_vec();
        self.planned.begin_again();
        self.count_again(seeds);
        begin::configure(&self.shared);
    }

    /// Plans to take several cycles at a time; `None` when that is not worth while.
    fn skewing(&self, limits: Limits) -> Option<Skewing> {
        let shared = &self.shared;
        if shared.wiring.words.counts.iter().any(|&words| words > 0) {
            // Links gathered lane by lane come from anywhere.
            return None;
        }
        let groups = skewed::groups(shared);
        let skew = Skew::new(&groups, limits)?;
        let places = shared.group_places();
        let random_bits = shared.random_bits.read().expect(POISON);
        Some(Skewing {
            random_bits: vec![random_bits.clone(); skew.cycles],
            cycles: skew.cycles,
            visits_per_cycle: skew.visits_per_cycle(),
            phases: skew
                .phases
                .each_ref()
                .map(|phase| BlockPlan::of_phase(shared, (&groups, &places), phase)),
            // Any thread takes any block, so that none is needed that has no processor.
            workspaces: (0..self.threads().min(processors()))
                .map(|_| shared.workspaces())
                .collect(),
        })
    }

    /// Bytes of planes, of wiring in place or by windows, of the places of calls, and of the blocks of
    /// several cycles at a time.
    pub fn memory_bytes(&self) -> usize {
        let shared = &self.shared;
        let chunks = shared.chunks.iter().map(|chunk| {
            16 * chunk.outputs.size()
                + 8 * (chunk.state.size() + chunk.pins.size())
                + size_of_val(chunk.terms.terms.as_slice())
                + size_of_val(chunk.terms.starts.as_slice())
                + size_of_val(chunk.terms.sources.as_slice())
                + size_of_val(chunk.terms.source_starts.as_slice())
                + size_of_val(chunk.terms.regions.as_slice())
                + chunk.calls.as_ref().map_or(0, Calls::bytes)
        });
        let phases = self.skewing.iter().flat_map(|skewing| &skewing.phases);
        let blocks = phases.flatten().map(BlockPlan::bytes);
        chunks.sum::<usize>() + blocks.sum::<usize>() + 4 * shared.fabric.peers.len()
    }

    /// Cost of a cycle when no group rests, array by array.
    pub fn costs(&self) -> Vec<Cost> {
        cost::costs(&self.shared)
    }

    /// The pieces of machine code, each with the number of groups that it is run for in a
    /// cycle; none without machine code.
    pub fn codes(&self) -> Vec<(&Native, usize)> {
        let shared = &self.shared;
        let mut codes = Vec::new();
        for (array, evaluator) in shared.evaluators.iter().enumerate() {
            let Evaluator::Native(native) = evaluator else {
                continue;
            };
            let groups: Vec<u32> = self
                .chunks(array)
                .flat_map(|(_, chunk)| &chunk.codes)
                .map(|code| code.variant)
                .collect();
            for (number, variant) in (0..).zip(native.variants()) {
                let count = groups.iter().filter(|&&of| of == number).count();
                codes.push((&variant.native, count));
            }
        }
        codes
    }

    /// Mean number of times that a group's memory is fetched for a cycle: one, or less when several
    /// cycles are taken at a time.
    pub fn visits_per_cycle(&self) -> f64 {
        self.skewing
            .as_ref()
            .map_or(1.0, |skewing| skewing.visits_per_cycle)
    }

    /// Has all threads take every step together, however long that takes, as who looks at the
    /// threads themselves needs it.
    pub fn work_together(&mut self) {
        self.policy = ThreadPolicy::together();
    }

    /// True when it has several threads, and found out that one is faster.
    pub fn prefers_one_thread(&self) -> bool {
        self.threads() > 1 && self.policy.prefers_one()
    }

    /// Threads in use.
    pub fn threads(&self) -> usize {
        self.pool.threads()
    }

    /// Groups of chips that rest in this cycle, and groups in all.
    pub fn resting(&self) -> (usize, usize) {
        let (mut resting, mut all) = (0, 0);
        for part in &self.shared.parts {
            for outputs in part.driven[self.parity]
                .read()
                .expect(POISON)
                .outputs
                .iter()
            {
                resting += outputs.rest.iter().filter(|&&rest| rest).count();
                all += outputs.rest.len();
            }
        }
        (resting, all)
    }

    /// The backend that evaluates cycles.
    pub fn backend(&self) -> Backend {
        match self.shared.evaluators.first() {
            Some(Evaluator::Native(codes)) => Backend::Native(codes.isa()),
            _ => Backend::Interpreter,
        }
    }

    /// Takes all registers over an edge.
    fn edge(&mut self) {
        let GateEngine {
            shared,
            parity,
            workspaces,
            pool,
            policy,
            ..
        } = self;
        let mut edge = |parts| shared.step(parts, *parity, workspaces);
        let step = policy.begin();
        match step.turn {
            Turn::Together => pool.take_turn(*parity, |part| edge(part..part + 1)),
            Turn::Alone => edge(0..pool.threads()),
        }
        policy.end(step, 1);
        self.parity = 1 - self.parity;
    }

    /// The thread that owns a word of an array, and the array's chunk there.
    #[inline]
    fn chunk(&self, array: usize, word: usize) -> (usize, &Chunk) {
        let arrays = self.shared.plans.len();
        let chunks = &self.shared.chunks;
        (0..self.threads())
            .map(|thread| (thread, &chunks[thread * arrays + array]))
            .find(|(_, chunk)| chunk.outputs.words.contains(&word))
            .expect("the chunks hold all words")
    }

    /// The chunks of an array, with their threads.
    fn chunks(&self, array: usize) -> impl Iterator<Item = (usize, &Chunk)> {
        let arrays = self.shared.plans.len();
        let chunks = self.shared.chunks[array..].iter().step_by(arrays);
        chunks.enumerate()
    }

    /// The bit of an output plane at one instance.
    fn output_bit(&self, array: usize, plane: usize, instance: usize) -> u64 {
        self.bit_in(self.parity, array, plane, instance)
    }

    /// The bit of an output plane at one instance, in one of the two buffers.
    fn bit_in(&self, buffer: usize, array: usize, plane: usize, instance: usize) -> u64 {
        let (thread, chunk) = self.chunk(array, instance / 64);
        let driven = self.shared.parts[thread].driven[buffer]
            .read()
            .expect(POISON);
        let word = instance / 64 - chunk.outputs.words.start;
        let at = chunk.outputs.address(plane, word);
        driven.outputs[array].planes.words()[at] >> (instance % 64) & 1
    }
}

impl Engine for GateEngine {
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]) {
        if let Some(counting) = &mut self.counting {
            counting.drives(array, port, values);
        }
        let plan = &self.shared.plans[array];
        let mut changes = values.iter().peekable();
        while let Some(&&(instance, _)) = changes.peek() {
            // Values of one chunk mostly follow one another.
            let (thread, chunk) = self.chunk(array, instance as usize / 64);
            let mut own = self.shared.parts[thread].own.write().expect(POISON);
            let ChunkPins { planes, zero, .. } = &mut own.pins[array];
            let planes = planes.words_mut();
            let words = &chunk.pins.words;
            while let Some(&(instance, value)) =
                changes.next_if(|&&(instance, _)| words.contains(&(instance as usize / 64)))
            {
                let word = instance as usize / 64 - words.start;
                // An array without pins has no plane 0.
                let at = chunk.pins.address(0, word).min(planes.len());
                let lane = instance as usize % 64;
                plan.drive_pin(&mut planes[at..], chunk.pins.tile, port, lane, value);
                zero[word / plan.width] = false;
            }
        }
    }

    fn drive_all(&mut self, array: usize, port: usize, value: u64) {
        if let Some(counting) = &mut self.counting {
            counting.drives_all(array, port, value);
        }
        let plan = &self.shared.plans[array];
        for (thread, chunk) in self.chunks(array) {
            let mut own = self.shared.parts[thread].own.write().expect(POISON);
            let ChunkPins { planes, zero, .. } = &mut own.pins[array];
            let planes = planes.words_mut();
            for plane in plan.pins_of[port].clone() {
                let fill = (value >> plan.pins[plane].1 & 1).wrapping_neg();
                for word in 0..chunk.pins.words.len() {
                    planes[chunk.pins.address(plane, word)] = fill;
                }
            }
            zero.fill(false);
        }
    }

    fn value(&self, array: usize, port: usize, instance: usize) -> u64 {
        let layout = &self.shared.fabric.arrays[array];
        let table = &layout.chip.ports[port];
        if table.direction == PinDirection::Output {
            let mut value = [0];
            self.outputs(array, port, &[instance as u32], &mut value);
            return value[0];
        }
        match table.role {
            Role::Clock | Role::State(_) => 1,
            Role::Reset => u64::from(self.cycle == 0),
            Role::Parameter => layout.pin(port, instance),
            Role::Option if !layout.changes(port) => layout.pin(port, instance),
            Role::Random { stream, kind } => {
                let random_bits = self.shared.random_bits.read().expect(POISON);
                random_bits
                    .of(layout, instance)
                    .value(stream, kind, table.width)
            }
            Role::Link { link, lsb } => {
                let fabric = &self.shared.fabric;
                let near = LinkPort {
                    array,
                    instance,
                    link,
                };
                let Some(peer) = fabric.peer(near) else {
                    return 0;
                };
                let first = peer.link * self.shared.link_bits;
                let steps = fabric.rotation(fabric.number(near));
                let bit = |bit: usize| {
                    let plane = first + bit_before(lsb as usize + bit, steps);
                    self.output_bit(peer.array, plane, peer.instance) << bit
                };
                (0..usize::from(table.width)).map(bit).sum()
            }
            Role::Option | Role::Host => {
                let word = instance / 64;
                let (thread, chunk) = self.chunk(array, word);
                let own = self.shared.parts[thread].own.read().expect(POISON);
                let words = own.pins[array].planes.words();
                let plan = &self.shared.plans[array];
                plan.pins_of[port]
                    .clone()
                    .map(|plane| {
                        let at = chunk.pins.address(plane, word - chunk.pins.words.start);
                        (words[at] >> (instance % 64) & 1) << plan.pins[plane].1
                    })
                    .sum()
            }
        }
    }

    fn values(&self, array: usize, port: usize, instances: &[u32], values: &mut Vec<u64>) {
        values.clear();
        values.resize(instances.len(), 0);
        self.outputs(array, port, instances, values);
    }

    fn plane(&self, array: usize, port: usize, bit: usize, instances: usize, words: &mut [u64]) {
        let plan = &self.shared.plans[array];
        let count = instances.div_ceil(64);
        let outputs = plan.outputs.get(port);
        match outputs.and_then(|bits| bits.get(bit)) {
            Some(Output::Constant(value)) => words.fill(u64::from(*value).wrapping_neg()),
            Some(Output::Register(register)) => {
                self.register_words(array, *register, |first, from| {
                    let end = count.min(first + from.len());
                    if first < end {
                        words[first..end].copy_from_slice(&from[..end - first]);
                    }
                });
            }
            None => {
                let mut planes = plan.pins_of[port].clone();
                let Some(plane) = planes.find(|&plane| plan.pins[plane].1 == bit) else {
                    return words.fill(0);
                };
                for (thread, chunk) in self.chunks(array) {
                    let own = self.shared.parts[thread].own.read().expect(POISON);
                    let from = own.pins[array].planes.words();
                    for word in chunk.pins.words.clone().take_while(|&word| word < count) {
                        let offset = word - chunk.pins.words.start;
                        words[word] = from[chunk.pins.address(plane, offset)];
                    }
                }
            }
        }
    }

    fn watch(&self, watched: &mut Watched) {
        let Watched { array, port, .. } = *watched;
        for (bit, output) in self.shared.plans[array].outputs[port].iter().enumerate() {
            match output {
                Output::Constant(value) => watched.fill(bit, *value),
                Output::Register(register) => {
                    self.register_words(array, *register, |first, words| {
                        watched.take(bit, first, words);
                    });
                }
            }
        }
        watched.trim();
    }

    fn random_held(&self) -> bool {
        self.held
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        self.raised_bits(array, port, instances);
    }

    fn raised_each(&self, array: usize, ports: &[usize], found: &mut [InstanceList]) {
        self.shared.arch.dispatch(Scan {
            engine: self,
            array,
            ports,
            found,
        });
    }

    fn hold_random(&mut self, hold: bool) {
        if self.held != hold {
            if let Some(counting) = &mut self.counting {
                counting.holds(hold);
            }
            self.held = hold;
            self.shared.random_bits.write().expect(POISON).hold(hold);
        }
    }

    fn step(&mut self) {
        if let Some(counting) = &mut self.counting {
            counting.steps();
        }
        if self.cycle == 0 {
            begin::reset(&self.shared, 1 - self.parity);
            self.parity = 1 - self.parity;
            self.shared.serve_memories(self.parity);
        } else {
            self.edge();
        }
        self.cycle += 1;
        self.shared
            .random_bits
            .write()
            .expect(POISON)
            .begin(self.cycle);
        self.settle();
        self.take_planned();
        self.count();
    }

    fn burst(&self, array: usize) -> Option<Burst> {
        let skewing = self.skewing.as_ref()?;
        // The log does not have what a host drives in a burst, and nothing happens to registers in one.
        if self.counting.is_some() || !self.planned.is_over() {
            return None;
        }
        // Blocks find out that a group rests, and that takes longer than in single cycles. Up to three
        // quarters, fewer fetches from memory are worth more.
        let (resting, all) = self.resting();
        let busy = self.cycle > 0 && 4 * resting <= 3 * all;
        busy.then(|| Burst {
            cycles: skewing.cycles as u64,
            instances: 64 * self.shared.plans[array].width,
            by_queues: false,
        })
    }

    fn advance(&mut self, host: &dyn LocalHost) {
        assert!(self.cycle > 0, "a reset is a cycle by itself");
        let skewing = self.skewing.as_mut().expect("it has a burst");
        for (cycle, random_bits) in (self.cycle..).zip(&mut skewing.random_bits) {
            random_bits.hold(self.held);
            random_bits.begin(cycle);
        }
        let span = Span {
            shared: &self.shared,
            phases: &skewing.phases,
            cycle: self.cycle,
            parity: self.parity,
            random_bits: &skewing.random_bits,
            host,
        };
        let cycles = skewing.cycles;
        let workspaces = &mut skewing.workspaces;
        let step = self.policy.begin();
        match step.turn {
            Turn::Together => span.take(workspaces),
            Turn::Alone => span.take(&mut workspaces[..1]),
        }
        self.policy.end(step, cycles as u64);
        self.parity = (self.parity + cycles) % 2;
        self.cycle += cycles as u64;
        let mut random_bits = self.shared.random_bits.write().expect(POISON);
        random_bits.begin(self.cycle);
    }

    fn fault(&self) -> Option<EngineFault> {
        self.unsettled.clone()
    }

    fn skip_to(&mut self, cycle: u64) {
        assert!(cycle >= self.cycle, "time goes forward only");
        if let Some(counting) = &mut self.counting {
            counting.skips_to(cycle);
        }
        self.cycle = cycle;
        self.shared.random_bits.write().expect(POISON).begin(cycle);
    }
    fn save(&self, saver: &mut Saver) {
        saved::save(self, saver);
    }

    fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        saved::load(self, loader)
    }
}
