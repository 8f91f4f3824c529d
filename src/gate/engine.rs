//! The gate engine: arrays of one netlist each, evaluated lane word by lane word.
//!
//! State: two buffers of register planes per chunk, read in one and written in
//! the other, exchanged at every clock edge; one buffer of pin planes. A cycle
//! goes over all groups (lane words) of all arrays: gather what the links bring,
//! load pins, random bits and registers into a frame, evaluate the program, and
//! store what every register takes. Nothing is allocated.
//!
//! Threads: every array is cut into one chunk per thread. A thread writes its
//! own chunks and reads everybody's old planes, so a cycle needs one barrier.

use std::sync::{Arc, RwLock, RwLockReadGuard};
use std::thread::JoinHandle;

use bitvec::prelude::{BitSlice, Lsb0};
use crossbeam::channel::{Receiver, Sender, bounded};
use smallvec::SmallVec;

use super::kernel::{Frame, Lanes, Planes, evaluate, frame};
use super::layout::Layout;
use super::plan::Plan;
use super::program::Output;
use super::wiring::{ChunkShape, Route, Terms, Wiring};
use crate::chip::{Direction, RandomKind, Role};
use crate::diagnostic::Report;
use crate::netlist::Module;
use crate::network::stimulus::Stimulus;
use crate::network::{Fabric, LinkPort, PinValues};
use crate::probe::engine::Engine;
use crate::random;

/// Frames that a thread needs, by lane width.
#[derive(Default)]
struct Frames {
    one: Option<Box<Frame<1>>>,
    two: Option<Box<Frame<2>>>,
    four: Option<Box<Frame<4>>>,
    eight: Option<Box<Frame<8>>>,
}

/// The part of an array that one thread owns.
struct Chunk {
    array: usize,
    registers: Layout,
    pins: Layout,
    planes: [RwLock<Planes>; 2],
    pin_planes: RwLock<Planes>,
    terms: Terms,
}

/// Everything that the threads share.
struct Shared {
    fabric: Fabric,
    plans: Vec<Plan>,
    wiring: Wiring,
    /// The routes of the wiring, by number.
    routes: Vec<Route>,
    /// Chunk of thread `t` and array `a`: `t * arrays + a`.
    chunks: Vec<Chunk>,
    stimulus: RwLock<Stimulus>,
}

const POISON: &str = "no thread panics while it holds the lock";

impl Shared {
    /// One clock edge for the chunks of one thread.
    #[inline(always)]
    fn step(&self, thread: usize, parity: usize, frames: &mut Frames) {
        let stimulus = self.stimulus.read().expect(POISON);
        let current: SmallVec<[RwLockReadGuard<Planes>; 16]> = self
            .chunks
            .iter()
            .map(|chunk| chunk.planes[parity].read().expect(POISON))
            .collect();
        let arrays = self.plans.len();
        for array in 0..arrays {
            let index = thread * arrays + array;
            let (plan, chunk) = (&self.plans[array], &self.chunks[index]);
            let mut next = chunk.planes[1 - parity].write().expect(POISON);
            let pins = chunk.pin_planes.read().expect(POISON);
            let work = Work {
                shared: self,
                plan,
                chunk,
                current: &current,
                own: current[index].words(),
                pins: pins.words(),
                stimulus: &stimulus,
            };
            match plan.width {
                1 => work.run(next.words_mut(), frames.one.get_or_insert_with(frame)),
                2 => work.run(next.words_mut(), frames.two.get_or_insert_with(frame)),
                4 => work.run(next.words_mut(), frames.four.get_or_insert_with(frame)),
                _ => work.run(next.words_mut(), frames.eight.get_or_insert_with(frame)),
            }
        }
    }
}

/// One clock edge for one thread, as something that [`pulp::Arch`] compiles for
/// each level of vector instructions and dispatches at run time. A closure
/// would not do: it is not always inlined.
struct Edge<'a> {
    shared: &'a Shared,
    thread: usize,
    parity: usize,
    frames: &'a mut Frames,
}

impl pulp::NullaryFnOnce for Edge<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.shared.step(self.thread, self.parity, self.frames);
    }
}

/// One chunk in one cycle.
struct Work<'a> {
    shared: &'a Shared,
    plan: &'a Plan,
    chunk: &'a Chunk,
    current: &'a [RwLockReadGuard<'a, Planes>],
    own: &'a [u64],
    pins: &'a [u64],
    stimulus: &'a Stimulus,
}

#[inline(always)]
fn window<const W: usize>(words: &[u64], at: usize) -> &[u64; W] {
    words[at..at + W]
        .try_into()
        .expect("the slice has this length")
}

impl Work<'_> {
    #[inline(always)]
    fn run<const W: usize>(&self, next: &mut [u64], frame: &mut Frame<W>) {
        let registers = &self.chunk.registers;
        for group in 0..registers.words.len() / W {
            let word = group * W;
            self.gather(group, frame);
            for &(plane, slot) in &self.plan.pin_inputs {
                frame[slot as usize] =
                    Lanes(*window(self.pins, self.chunk.pins.address(plane, word)));
            }
            self.draw(word, frame);
            let first = registers.address(0, word);
            for (plane, &slot) in self.plan.program.register_slots.iter().enumerate() {
                frame[slot as usize] = Lanes(*window(self.own, first + plane * registers.tile));
            }
            evaluate(&self.plan.program, frame);
            for (plane, source) in self.plan.program.next.iter().enumerate() {
                let Lanes(value) = frame[source.slot as usize];
                let at = first + plane * registers.tile;
                let mut taken = value;
                for word in &mut taken {
                    *word ^= source.flip;
                }
                next[at..at + W].copy_from_slice(&taken);
            }
        }
    }

    /// What the links bring to a group.
    #[inline(always)]
    fn gather<const W: usize>(&self, group: usize, frame: &mut Frame<W>) {
        let links = self.plan.link_inputs.len();
        for (link, inputs) in self.plan.link_inputs.iter().enumerate() {
            let at = group * links + link;
            let starts = &self.chunk.terms.starts;
            let terms = &self.chunk.terms.terms[starts[at] as usize..starts[at + 1] as usize];
            // Open ports, and signals that some neighbours do not drive.
            if terms.is_empty() || self.plan.link_inputs_missing {
                for &(_, slot) in inputs {
                    frame[slot as usize] = Lanes([0; W]);
                }
            }
            for (index, term) in terms.iter().enumerate() {
                let words = self.current[term.chunk as usize].words();
                let pattern = &self.shared.wiring.patterns[term.pattern as usize];
                let rotate: &[u64; W] = window(&pattern.rotate, 0);
                let mask: &[u64; W] = window(&pattern.mask, 0);
                for &(offset, slot) in &self.shared.routes[term.route as usize] {
                    let value: &[u64; W] = window(words, (term.base + offset) as usize);
                    let mut arrived = *value;
                    if !pattern.plain {
                        for (lane, word) in arrived.iter_mut().enumerate() {
                            *word = rotated(*word, rotate[lane]) & mask[lane];
                        }
                        if index > 0 || self.plan.link_inputs_missing {
                            let Lanes(earlier) = frame[slot as usize];
                            for (lane, word) in arrived.iter_mut().enumerate() {
                                *word |= earlier[lane];
                            }
                        }
                    }
                    frame[slot as usize] = Lanes(arrived);
                }
            }
        }
    }

    /// The random bits of a group.
    #[inline(always)]
    fn draw<const W: usize>(&self, word: usize, frame: &mut Frame<W>) {
        let first = (self.chunk.registers.words.start + word) as u64;
        for &(stream, kind, slot) in &self.plan.random_inputs {
            if self.stimulus.held() {
                frame[slot as usize] = Lanes([0; W]);
                continue;
            }
            let key = self.stimulus.key(stream);
            let mut drawn = [0; W];
            for (lane, word) in drawn.iter_mut().enumerate() {
                let group = first + lane as u64;
                *word = match kind {
                    RandomKind::Fair => random::word(key, group),
                    RandomKind::Third => random::third_word(key, group),
                };
            }
            frame[slot as usize] = Lanes(drawn);
        }
    }
}

#[inline(always)]
fn rotated(value: u64, by: u64) -> u64 {
    (value << by) | (value >> (by.wrapping_neg() & 63))
}

/// A thread that evaluates its chunks when told to.
struct Worker {
    go: Option<Sender<usize>>,
    done: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.go = None;
        if let Some(thread) = self.thread.take() {
            // A worker that panicked has said so already.
            let _ = thread.join();
        }
    }
}

/// The gate engine.
pub struct GateEngine {
    shared: Arc<Shared>,
    workers: Vec<Worker>,
    frames: Frames,
    arch: pulp::Arch,
    parity: usize,
    cycle: u64,
}

/// Nodes from which a second thread pays.
const THREADS_FROM_NODES: usize = 1 << 14;

impl GateEngine {
    /// An engine at cycle 0. `netlists` gives the module of each chip by name;
    /// `threads` 0 leaves the number to the engine.
    ///
    /// # Errors
    /// When a netlist cannot be compiled or is not that of the chip.
    pub fn new<'m>(
        fabric: Fabric,
        netlist: impl Fn(&str) -> Result<&'m Module, Report>,
        seed: u64,
        threads: usize,
    ) -> Result<Self, Report> {
        let mut plans = Vec::new();
        for array in &fabric.arrays {
            plans.push(Plan::new(array, netlist(array.chip.name)?)?);
        }
        let threads = match threads {
            0 if fabric.nodes < THREADS_FROM_NODES => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let mut shapes = Vec::new();
        for thread in 0..threads {
            for (array, plan) in plans.iter().enumerate() {
                let groups = plan.words / plan.width;
                let first = groups * thread / threads * plan.width;
                let end = groups * (thread + 1) / threads * plan.width;
                let layout = Layout::new(first..end, plan.width, plan.program.next.len());
                shapes.push(ChunkShape {
                    array,
                    layout,
                    width: plan.width,
                });
            }
        }
        let mut wiring = Wiring::compile(&fabric, &shapes);
        let terms = std::mem::take(&mut wiring.chunks);
        let chunks: Vec<Chunk> = shapes
            .into_iter()
            .zip(terms)
            .map(|(shape, terms)| {
                let pins = shape.layout.with_planes(plans[shape.array].pins.len());
                let planes = || RwLock::new(Planes::new(shape.layout.size()));
                Chunk {
                    array: shape.array,
                    planes: [planes(), planes()],
                    pin_planes: RwLock::new(Planes::new(pins.size())),
                    pins,
                    terms,
                    registers: shape.layout.clone(),
                }
            })
            .collect();
        let mut routes = Vec::new();
        for key in &wiring.routes {
            let shape: &Chunk = &chunks[key.source_chunk];
            let planes = &plans[shape.array].link_planes[key.source_link];
            let inputs = &plans[key.array].link_inputs[key.link];
            let route: Route = inputs
                .iter()
                .filter_map(|&(bit, slot)| Some((planes[bit]? * shape.registers.tile as u32, slot)))
                .collect();
            plans[key.array].link_inputs_missing |=
                route.len() < plans[key.array].link_inputs[key.link].len();
            routes.push(route);
        }
        let stimulus = RwLock::new(Stimulus::new(&fabric, seed));
        let shared = Arc::new(Shared {
            fabric,
            plans,
            wiring,
            routes,
            chunks,
            stimulus,
        });
        let arch = pulp::Arch::new();
        let workers = (1..threads)
            .map(|thread| worker(shared.clone(), thread, arch))
            .collect();
        let mut engine = GateEngine {
            shared,
            workers,
            frames: Frames::default(),
            arch,
            parity: 0,
            cycle: 0,
        };
        engine.set_configuration();
        Ok(engine)
    }

    fn set_configuration(&mut self) {
        let shared = self.shared.clone();
        for (array, layout) in shared.fabric.arrays.iter().enumerate() {
            for pin in &layout.pins {
                match &pin.values {
                    PinValues::Uniform(value) => self.drive_all(array, pin.port, *value),
                    PinValues::Each(values) => {
                        let values: Vec<(u32, u64)> = (0..)
                            .zip(values)
                            .map(|(instance, &value)| (instance, u64::from(value)))
                            .collect();
                        self.drive(array, pin.port, &values);
                    }
                }
            }
        }
    }

    /// Bytes of state and wiring.
    pub fn memory_bytes(&self) -> usize {
        let shared = &self.shared;
        let chunks = shared.chunks.iter().map(|chunk| {
            16 * chunk.registers.size()
                + 8 * chunk.pins.size()
                + std::mem::size_of_val(chunk.terms.terms.as_slice())
                + std::mem::size_of_val(chunk.terms.starts.as_slice())
        });
        chunks.sum::<usize>() + 4 * shared.fabric.peers.len()
    }

    /// Threads in use.
    pub fn threads(&self) -> usize {
        self.workers.len() + 1
    }

    fn chunk(&self, array: usize, word: usize) -> &Chunk {
        let arrays = self.shared.plans.len();
        let chunks = &self.shared.chunks;
        (0..self.threads())
            .map(|thread| &chunks[thread * arrays + array])
            .find(|chunk| chunk.registers.words.contains(&word))
            .expect("the chunks hold all words")
    }

    /// The bit of a register plane at one instance.
    fn register(&self, array: usize, plane: usize, instance: usize) -> u64 {
        let word = instance / 64;
        let chunk = self.chunk(array, word);
        let planes = chunk.planes[self.parity].read().expect(POISON);
        let at = chunk
            .registers
            .address(plane, word - chunk.registers.words.start);
        planes.words()[at] >> (instance % 64) & 1
    }

    fn output(&self, array: usize, port: usize, instance: usize) -> u64 {
        let bits = &self.shared.plans[array].outputs[port];
        let bit = |output: &Output| match *output {
            Output::Constant(value) => u64::from(value),
            Output::Register(plane) => self.register(array, plane, instance),
        };
        bits.iter()
            .enumerate()
            .map(|(index, output)| bit(output) << index)
            .sum()
    }
}

fn worker(shared: Arc<Shared>, thread: usize, arch: pulp::Arch) -> Worker {
    let (go, told) = bounded::<usize>(1);
    let (finished, done) = bounded(1);
    let thread = std::thread::spawn(move || {
        let mut frames = Frames::default();
        while let Ok(parity) = told.recv() {
            arch.dispatch(Edge {
                shared: &shared,
                thread,
                parity,
                frames: &mut frames,
            });
            if finished.send(()).is_err() {
                break;
            }
        }
    });
    Worker {
        go: Some(go),
        done,
        thread: Some(thread),
    }
}

impl Engine for GateEngine {
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]) {
        let plan = &self.shared.plans[array];
        let mut changes = values.iter().peekable();
        while let Some(&&(instance, _)) = changes.peek() {
            // Values of one chunk mostly follow one another.
            let chunk = self.chunk(array, instance as usize / 64);
            let mut planes = chunk.pin_planes.write().expect(POISON);
            let planes = planes.words_mut();
            let words = &chunk.pins.words;
            while let Some(&(instance, value)) =
                changes.next_if(|&&(instance, _)| words.contains(&(instance as usize / 64)))
            {
                let lane = 1u64 << (instance % 64);
                let first = chunk.pins.address(0, instance as usize / 64 - words.start);
                for plane in plan.pins_of[port].clone() {
                    let at = first + plane * chunk.pins.tile;
                    let bit = value >> plan.pins[plane].1 & 1;
                    planes[at] = planes[at] & !lane | lane & bit.wrapping_neg();
                }
            }
        }
    }

    fn drive_all(&mut self, array: usize, port: usize, value: u64) {
        let plan = &self.shared.plans[array];
        for chunk in self
            .shared
            .chunks
            .iter()
            .filter(|chunk| chunk.array == array)
        {
            let mut planes = chunk.pin_planes.write().expect(POISON);
            let planes = planes.words_mut();
            for plane in plan.pins_of[port].clone() {
                let fill = (value >> plan.pins[plane].1 & 1).wrapping_neg();
                for word in 0..chunk.pins.words.len() {
                    planes[chunk.pins.address(plane, word)] = fill;
                }
            }
        }
    }

    fn value(&self, array: usize, port: usize, instance: usize) -> u64 {
        let layout = &self.shared.fabric.arrays[array];
        let table = &layout.chip.ports[port];
        if table.direction == Direction::Output {
            return self.output(array, port, instance);
        }
        match table.role {
            Role::Clock | Role::State(_) => 1,
            Role::Reset => u64::from(self.cycle == 0),
            Role::Option => layout.pin(port, instance),
            Role::Random { stream, kind } => {
                let stimulus = self.shared.stimulus.read().expect(POISON);
                stimulus
                    .of(layout, instance)
                    .value(stream, kind, table.width)
            }
            Role::Link { link, lsb } => {
                match self.shared.fabric.peer(LinkPort {
                    array,
                    instance,
                    link,
                }) {
                    None => 0,
                    Some(peer) => {
                        let planes = &self.shared.plans[peer.array].link_planes[peer.link];
                        (0..table.width as usize)
                            .map(|bit| match planes[lsb as usize + bit] {
                                Some(plane) => {
                                    self.register(peer.array, plane as usize, peer.instance) << bit
                                }
                                None => 0,
                            })
                            .sum()
                    }
                }
            }
            Role::Host => {
                let word = instance / 64;
                let chunk = self.chunk(array, word);
                let planes = chunk.pin_planes.read().expect(POISON);
                let plan = &self.shared.plans[array];
                plan.pins_of[port]
                    .clone()
                    .map(|plane| {
                        let at = chunk.pins.address(plane, word - chunk.pins.words.start);
                        (planes.words()[at] >> (instance % 64) & 1) << plan.pins[plane].1
                    })
                    .sum()
            }
        }
    }

    fn plane(&self, array: usize, port: usize, bit: usize, instances: usize, words: &mut [u64]) {
        let plan = &self.shared.plans[array];
        let from_registers = match plan.outputs[port].get(bit) {
            Some(Output::Register(plane)) => Some(*plane),
            Some(Output::Constant(value)) => return words.fill(u64::from(*value).wrapping_neg()),
            None => None,
        };
        let pin = plan.pins_of[port]
            .clone()
            .find(|&plane| plan.pins[plane].1 == bit);
        if from_registers.is_none() && pin.is_none() {
            words.fill(0);
            return;
        }
        let chunks = self
            .shared
            .chunks
            .iter()
            .filter(|chunk| chunk.array == array);
        for chunk in chunks {
            let (layout, plane, planes) = match (from_registers, pin) {
                (Some(plane), _) => (&chunk.registers, plane, &chunk.planes[self.parity]),
                (None, pin) => (&chunk.pins, pin.unwrap_or(0), &chunk.pin_planes),
            };
            let planes = planes.read().expect(POISON);
            let count = instances.div_ceil(64);
            for (offset, word) in layout
                .words
                .clone()
                .enumerate()
                .take_while(|(_, w)| *w < count)
            {
                words[word] = planes.words()[layout.address(plane, offset)];
            }
        }
    }

    fn random_held(&self) -> bool {
        self.shared.stimulus.read().expect(POISON).held()
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        let [Output::Register(plane)] = self.shared.plans[array].outputs[port][..] else {
            return;
        };
        for chunk in self
            .shared
            .chunks
            .iter()
            .filter(|chunk| chunk.array == array)
        {
            let planes = chunk.planes[self.parity].read().expect(POISON);
            let tile = chunk.registers.tile.max(1);
            for start in (0..chunk.registers.words.len()).step_by(tile) {
                let at = chunk.registers.address(plane, start);
                for (word, value) in planes.words()[at..at + tile].iter().enumerate() {
                    if *value != 0 {
                        let first = 64 * (chunk.registers.words.start + start + word) as u32;
                        let lanes = BitSlice::<u64, Lsb0>::from_element(value);
                        for lane in lanes.iter_ones() {
                            instances.push(first + lane as u32);
                        }
                    }
                }
            }
        }
    }

    fn hold_random(&mut self, hold: bool) {
        self.shared.stimulus.write().expect(POISON).hold(hold);
    }

    fn step(&mut self) {
        if self.cycle == 0 {
            for chunk in &self.shared.chunks {
                let mut next = chunk.planes[1 - self.parity].write().expect(POISON);
                let next = next.words_mut();
                for (plane, &value) in self.shared.plans[chunk.array].reset.iter().enumerate() {
                    for word in 0..chunk.registers.words.len() {
                        next[chunk.registers.address(plane, word)] =
                            if value { u64::MAX } else { 0 };
                    }
                }
            }
        } else {
            for worker in &self.workers {
                let go = worker
                    .go
                    .as_ref()
                    .expect("workers live as long as the engine");
                go.send(self.parity)
                    .expect("a worker waits for its next cycle");
            }
            let (shared, frames, parity) = (&self.shared, &mut self.frames, self.parity);
            self.arch.dispatch(Edge {
                shared,
                thread: 0,
                parity,
                frames,
            });
            for worker in &self.workers {
                worker.done.recv().expect("a worker finishes its cycle");
            }
        }
        self.parity = 1 - self.parity;
        self.cycle += 1;
        self.shared
            .stimulus
            .write()
            .expect(POISON)
            .begin(self.cycle);
    }

    fn skip_to(&mut self, cycle: u64) {
        assert!(cycle >= self.cycle, "time goes forward only");
        self.cycle = cycle;
        self.shared.stimulus.write().expect(POISON).begin(cycle);
    }
}
