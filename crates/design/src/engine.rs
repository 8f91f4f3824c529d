//! The engine: frames of all arrays in one memory, and the cycle.
//!
//! Lane r·n + i of an array of n instances is in run r that of the i-th instance in the
//! [order of lanes](super::lane_order); lane r of the top is run r. Lanes are cut into tiles of `W` words, and a tile has a frame of its own:
//! slot s, word w of tile t lies at `base + (t * slots + s) * W + w`.
//!
//! In a cycle, inputs are driven, [`Engine::settle`] evaluates everything, values are
//! looked at, and [`Engine::edge`] takes the clock edge. Nothing is allocated.
//!
//! The inputs that the user drives go on to the arrays only when they change, which in large designs is
//! less than the links of a cycle.

mod driven;
mod saved;

use std::collections::{BTreeMap, BTreeSet};

use super::elaborate::{Array, Driver, Elaborated, Source};
use super::lane_order::{LaneOrder, lane_order};
use super::moves::{self, LaneMove, LaneSources, Word};
use super::native::Compiled;
use super::placed::PlacedMemory;
use super::program::Program;
use super::settle::Schedule;
use crosswave_lanes::Backend;
use crosswave_lanes::memories::PortPlanes;
use crosswave_lanes::operations::SignedSlot;
use crosswave_lanes::planes::Planes;
use crosswave_netlist::{Bit, NetId};
use driven::DrivenInputs;
pub(super) use driven::DrivenNet;
pub(super) use saved::{EngineState, SavedArray};

/// The lanes of a bit in memory, by the address of the first word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Region {
    base: usize,
    width: usize,
    /// The binary logarithm of the width.
    width_log: u32,
    tiles: usize,
    slots: usize,
    lanes: usize,
    /// Lanes of a run.
    instances: usize,
}

impl Region {
    fn address(&self, slot: u32, word: usize) -> usize {
        let tile = word >> self.width_log;
        let slot = tile * self.slots + slot as usize;
        self.base + (slot << self.width_log) + (word & (self.width - 1))
    }

    /// The frame of a tile.
    fn frame<'w>(&self, words: &'w mut [u64], tile: usize) -> &'w mut [u64] {
        let size = self.slots * self.width;
        &mut words[self.base + tile * size..][..size]
    }
}

/// An evaluation: array, class, tiles.
#[derive(Debug, Clone)]
struct Evaluation {
    array: u32,
    class: u32,
    tiles: Vec<u32>,
}

/// A port of a memory: array, memory, port, tiles.
#[derive(Debug, Clone)]
struct MemoryReading {
    array: u32,
    memory: u32,
    port: u32,
    tiles: Vec<u32>,
}

/// Moves, and what is read and evaluated after them.
#[derive(Debug, Clone, Default)]
struct Step {
    moves: Vec<LaneMove>,
    reads: Vec<MemoryReading>,
    evaluations: Vec<Evaluation>,
}

/// The plan of a clock edge of one array.
#[derive(Debug, Clone, Default)]
struct Registers {
    /// Registers that take an input or another register: they go by a buffer.
    shifted: Vec<(u32, SignedSlot)>,
    /// Registers that take a result.
    computed: Vec<(u32, SignedSlot)>,
}

impl Registers {
    /// The plan for the registers of an array.
    fn new(array: &Array, program: &Program) -> Registers {
        let mut registers = Registers::default();
        for (index, register) in array.leaf.registers.iter().enumerate() {
            let (slot, next) = (program.registers[index], program.next[index]);
            let first = 1 + program.inputs.len() + program.registers.len();
            let results = (next.slot as usize) >= first || next.slot == 0;
            debug_assert!(register.q.index() < array.leaf.nets());
            match results {
                true => registers.computed.push((slot, next)),
                false => registers.shifted.push((slot, next)),
            }
        }
        registers
    }
}

/// The programs to evaluate, and the values.
pub struct Engine {
    order: LaneOrder,
    regions: Vec<Region>,
    programs: Vec<Program>,
    /// Machine code by array, where there is any.
    compiled: Vec<Option<Compiled>>,
    scratch: Planes,
    registers: Vec<Registers>,
    /// Memories, by array.
    memories: Vec<Vec<PlacedMemory>>,
    port_planes: PortPlanes,
    driven: DrivenInputs,
    steps: Vec<Step>,
    words: Planes,
    buffer: Vec<u64>,
    arch: pulp::Arch,
}

/// A bit of an instance that can be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    array: u32,
    /// The lane in the first run.
    lane: u32,
    place: SignedSlot,
}

impl Probe {
    /// True when the bit is the inverse of what lies at its place.
    pub(super) fn is_inverted(self) -> bool {
        self.place.flip != 0
    }
}

impl Engine {
    /// Lays out and compiles a design for so many runs. `observed` are the nets of
    /// each array that [`Engine::probe`] may be asked for. An array that machine code cannot reach
    /// is carried out operation by operation.
    pub(super) fn new(
        design: &Elaborated,
        schedule: &Schedule,
        replicas: usize,
        observed: &[Vec<NetId>],
        backend: Backend,
    ) -> Engine {
        let mut regions = Vec::new();
        let mut programs = Vec::new();
        let mut base = 0usize;
        for (number, array) in design.arrays.iter().enumerate() {
            let program = Program::compile(array, &schedule.arrays[number], &observed[number]);
            let lanes = array.instances.len() * replicas;
            let words = lanes.div_ceil(64);
            let width = match words {
                1 => 1,
                2 => 2,
                3 | 4 => 4,
                _ => 8,
            };
            let tiles = words.div_ceil(width);
            let region = Region {
                base,
                width,
                width_log: width.ilog2(),
                tiles,
                slots: program.operations.slots(),
                lanes,
                instances: array.instances.len(),
            };
            base += (tiles * program.operations.slots() * width).next_multiple_of(8);
            regions.push(region);
            programs.push(program);
        }
        let compiled: Vec<Option<Compiled>> = programs
            .iter()
            .zip(&regions)
            .map(|(program, region)| match backend {
                Backend::Native(isa) => Compiled::new(program, isa, region.width),
                Backend::Interpreter => None,
            })
            .collect();
        let scratch = compiled.iter().flatten().map(Compiled::scratch_words).max();
        let order = lane_order(&design.arrays);
        let planner = Planner {
            design,
            order: &order,
            schedule,
            regions: &regions,
            programs: &programs,
            replicas,
        };
        let (steps, driven) = planner.steps();
        let placed = design.arrays.iter().zip(&programs).zip(&regions);
        let placed = placed.map(|((array, program), region)| {
            let memories = array.memories.iter();
            memories
                .map(|memory| PlacedMemory::new(memory, program, region.lanes))
                .collect()
        });
        let memories = design.arrays.iter().flat_map(|array| &array.memories);
        let mut engine = Engine {
            memories: placed.collect(),
            port_planes: PortPlanes::new(memories.map(|one| one.memory.width).max().unwrap_or(0)),
            steps,
            driven: DrivenInputs::new(driven),
            registers: design
                .arrays
                .iter()
                .zip(&programs)
                .map(|(array, program)| Registers::new(array, program))
                .collect(),
            order,
            regions,
            programs,
            compiled,
            scratch: Planes::new(scratch.unwrap_or(0)),
            words: Planes::new(base),
            buffer: Vec::new(),
            arch: pulp::Arch::new(),
        };
        let most = engine
            .registers
            .iter()
            .zip(&engine.regions)
            .map(|(registers, region)| registers.shifted.len() * region.width)
            .max();
        engine.buffer = vec![0; most.unwrap_or(0)];
        engine.start(design, replicas);
        engine
    }

    /// Constants at inputs, and initial values of registers.
    fn start(&mut self, design: &Elaborated, replicas: usize) {
        for (number, array) in design.arrays.iter().enumerate() {
            for (input, sources) in array.sources.iter().enumerate() {
                let slot = self.programs[number].inputs[input];
                for (instance, source) in sources.iter().enumerate() {
                    if *source == Source::Constant(true) {
                        for replica in 0..replicas {
                            let first = replica * array.instances.len();
                            let lane = first + self.order[number][instance] as usize;
                            let at = self.regions[number].address(slot, lane / 64);
                            self.words.words_mut()[at] |= 1 << (lane % 64);
                        }
                    }
                }
            }
            for (index, register) in array.leaf.registers.iter().enumerate() {
                if register.init == Some(true) {
                    let slot = self.programs[number].registers[index];
                    self.fill(number, slot, |_| u64::MAX);
                }
            }
        }
    }

    fn fill(&mut self, array: usize, slot: u32, word: impl Fn(usize) -> u64) {
        let region = self.regions[array];
        let words = self.words.words_mut();
        let tiles = (0..region.tiles).map(|tile| tile * region.width);
        for first in tiles {
            let at = region.address(slot, first);
            for (offset, to) in words[at..at + region.width].iter_mut().enumerate() {
                *to = word(first + offset);
            }
        }
    }

    /// A net of the top that can be driven.
    pub(super) fn driven_net(&self, net: NetId) -> DrivenNet {
        let slot = self.programs[0].place(Bit::Net(net)).slot;
        self.driven.net(net, slot)
    }

    /// Drives a net of the top in one run.
    pub(super) fn drive(&mut self, driven: DrivenNet, replica: usize, value: bool) {
        let at = self.regions[0].address(driven.slot, replica / 64);
        let word = &mut self.words.words_mut()[at];
        let new = *word & !(1 << (replica % 64)) | u64::from(value) << (replica % 64);
        let is_changed = std::mem::replace(word, new) != new;
        self.driven.change(driven, is_changed);
    }

    /// Drives a net of the top in all runs: run 64 w + i takes bit i of word w.
    #[inline]
    pub(super) fn drive_words(&mut self, driven: DrivenNet, from: &[u64]) {
        let region = &self.regions[0];
        let words = self.words.words_mut();
        let mut changes = 0;
        for (word, &from) in from.iter().enumerate() {
            let to = &mut words[region.address(driven.slot, word)];
            changes |= *to ^ from;
            *to = from;
        }
        self.driven.change(driven, changes != 0);
    }

    /// Drives a net of the top in all runs with one value.
    pub(super) fn drive_all(&mut self, driven: DrivenNet, value: bool) {
        let word = if value { u64::MAX } else { 0 };
        self.fill(0, driven.slot, |_| word);
        self.driven.change(driven, true);
    }

    /// A bit of an array's leaf, for an instance.
    pub(super) fn probe(&self, array: usize, instance: usize, bit: Bit) -> Probe {
        Probe {
            array: array as u32,
            lane: self.order[array][instance],
            place: self.programs[array].place(bit),
        }
    }

    /// The word and the bit of it that a bit of a run is, but for its sign.
    pub(super) fn bit_place(&self, probe: Probe, replica: usize) -> (usize, usize) {
        let region = &self.regions[probe.array as usize];
        let lane = replica * region.instances + probe.lane as usize;
        (region.address(probe.place.slot, lane / 64), lane % 64)
    }

    /// A word, as it was last settled.
    #[inline]
    pub(super) fn word(&self, address: usize) -> u64 {
        self.words.words()[address]
    }

    /// The value of a bit in a run, as it was last settled.
    #[inline]
    pub(super) fn value(&self, probe: Probe, replica: usize) -> bool {
        let (address, lane) = self.bit_place(probe, replica);
        (self.word(address) ^ probe.place.flip) >> lane & 1 == 1
    }

    /// The values of a bit in the runs of a group of 64, as they were last settled.
    pub(super) fn value_word(&self, probe: Probe, group: usize) -> u64 {
        let region = &self.regions[probe.array as usize];
        if region.instances == 1 {
            // One instance: its lanes are the runs.
            let at = region.address(probe.place.slot, group);
            return self.words.words()[at] ^ probe.place.flip;
        }
        let runs = (64 * group..region.lanes / region.instances).take(64);
        let runs = runs.enumerate();
        runs.fold(0, |word, (bit, replica)| {
            word | u64::from(self.value(probe, replica)) << bit
        })
    }

    /// Evaluates everything for the inputs and registers of this cycle.
    pub(super) fn settle(&mut self) {
        let Engine {
            regions,
            programs,
            compiled,
            scratch,
            driven,
            steps,
            words,
            arch,
            memories,
            port_planes,
            ..
        } = self;
        let words = words.words_mut();
        driven.carry_out(words);
        let scratch = scratch.words_mut();
        for step in steps.iter() {
            moves::carry_out(&step.moves, words);
            for one in &step.reads {
                let region = &regions[one.array as usize];
                let memory = &memories[one.array as usize][one.memory as usize];
                for &tile in &one.tiles {
                    let frame = (tile as usize, region.frame(words, tile as usize));
                    let how = (*arch, region.width);
                    memory.read(one.port as usize, frame, port_planes, how);
                }
            }
            for one in &step.evaluations {
                let (array, class) = (one.array as usize, one.class as usize);
                let region = &regions[array];
                for &tile in &one.tiles {
                    let frame = region.frame(words, tile as usize);
                    match &compiled[array] {
                        Some(compiled) => compiled.settle(class, frame, scratch),
                        None => {
                            let operations = &programs[array].operations;
                            operations.evaluate(*arch, class, frame, region.width);
                        }
                    }
                }
            }
        }
    }

    /// Takes the clock edge. Everything has to be settled.
    pub(super) fn edge(&mut self) {
        let words = self.words.words_mut();
        for (region, memories) in self.regions.iter().zip(&mut self.memories) {
            for memory in memories {
                for tile in 0..region.tiles {
                    let frame = (tile, &*region.frame(words, tile));
                    memory.write(frame, &mut self.port_planes, (self.arch, region.width));
                }
            }
        }
        let arrays = self.regions.iter().zip(&self.registers);
        for ((region, registers), compiled) in arrays.zip(&self.compiled) {
            let width = region.width;
            if let Some(compiled) = compiled {
                let frames = &mut words[region.base..][..region.tiles * region.slots * width];
                for frame in frames.chunks_exact_mut(region.slots * width) {
                    compiled.edge(frame, self.scratch.words_mut());
                }
                continue;
            }
            for tile in 0..region.tiles {
                let at = |slot: u32| region.base + (tile * region.slots + slot as usize) * width;
                for (index, (_, next)) in registers.shifted.iter().enumerate() {
                    for word in 0..width {
                        self.buffer[index * width + word] = words[at(next.slot) + word] ^ next.flip;
                    }
                }
                for (slot, next) in &registers.computed {
                    for word in 0..width {
                        words[at(*slot) + word] = words[at(next.slot) + word] ^ next.flip;
                    }
                }
                for (index, (slot, _)) in registers.shifted.iter().enumerate() {
                    for word in 0..width {
                        words[at(*slot) + word] = self.buffer[index * width + word];
                    }
                }
            }
        }
    }

    /// Operations, evaluations of tiles and moves of a cycle: what it costs, about.
    pub(super) fn cost(&self) -> u64 {
        let mut cost = self.driven.moves() as u64 * 2;
        for step in &self.steps {
            cost += step.moves.len() as u64 * 2;
            for one in &step.evaluations {
                let operations =
                    self.programs[one.array as usize].operations.counts[one.class as usize];
                cost += (operations as u64 + 4) * one.tiles.len() as u64;
            }
        }
        cost
    }

    /// The number of steps in which instances pass values on within a cycle.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// Bytes of the values.
    pub fn bytes(&self) -> usize {
        let memories = self.memories.iter().flatten().map(PlacedMemory::bytes);
        8 * self.words.words().len() + memories.sum::<usize>()
    }
}

/// A design as its steps are planned.
struct Planner<'a> {
    design: &'a Elaborated,
    order: &'a LaneOrder,
    schedule: &'a Schedule,
    regions: &'a [Region],
    programs: &'a [Program],
    replicas: usize,
}

/// An input of an instance that a net of another one drives.
struct Link {
    /// Array, input and instance.
    target: (usize, usize, usize),
    /// Array, instance and net.
    source: (usize, usize, NetId),
}

impl Planner<'_> {
    /// Moves and evaluations of each step; the last step has the last classes as well.
    /// Besides, what the inputs of the design bring to each word that other arrays read, by net.
    fn steps(&self) -> (Vec<Step>, BTreeMap<NetId, BTreeMap<u32, LaneSources>>) {
        let (mut steps, driven) = self.moves();
        for number in 0..self.schedule.arrays.len() {
            self.evaluations(number, &mut steps);
        }
        if let Some(last) = steps.last_mut() {
            for (number, array) in self.schedule.arrays.iter().enumerate() {
                last.evaluations.push(Evaluation {
                    array: number as u32,
                    class: array.classes() as u32 - 1,
                    tiles: (0..self.regions[number].tiles as u32).collect(),
                });
            }
        }
        (steps, driven)
    }

    /// Steps with the moves of all links, and without evaluations; what inputs of the design bring.
    fn moves(&self) -> (Vec<Step>, BTreeMap<NetId, BTreeMap<u32, LaneSources>>) {
        let mut targets: Vec<BTreeMap<u32, LaneSources>> = vec![BTreeMap::new()];
        let mut driven: BTreeMap<NetId, BTreeMap<u32, LaneSources>> = BTreeMap::new();
        for (number, array) in self.design.arrays.iter().enumerate() {
            for (input, sources) in array.sources.iter().enumerate() {
                for (instance, source) in sources.iter().enumerate() {
                    let Source::Net {
                        array: from,
                        instance: of,
                        net,
                    } = *source
                    else {
                        continue;
                    };
                    let link = Link {
                        target: (number, input, instance),
                        source: (from as usize, of as usize, net),
                    };
                    if from == 0 && self.design.arrays[0].drivers[net.index()] == Driver::Input {
                        self.lanes(&link, driven.entry(net).or_default());
                        continue;
                    }
                    let step = self.step_of(&link);
                    if targets.len() <= step {
                        targets.resize_with(step + 1, BTreeMap::new);
                    }
                    self.lanes(&link, &mut targets[step]);
                }
            }
        }
        let steps = targets.into_iter().map(|targets| Step {
            moves: moves::compile(targets),
            ..Step::default()
        });
        (steps.collect(), driven)
    }

    /// The step before which a link is carried out: the first where a register drives it.
    fn step_of(&self, link: &Link) -> usize {
        let (number, input, instance) = link.target;
        let (from, _, net) = link.source;
        let driver = self.design.arrays[from].drivers[net.index()];
        match driver.is_evaluated() {
            true => self.schedule.arrays[number].arrivals[input][instance] as usize,
            false => 0,
        }
    }

    /// Adds the lanes of a link, one for each run, to the words that receive them.
    fn lanes(&self, link: &Link, targets: &mut BTreeMap<u32, LaneSources>) {
        let (number, input, instance) = link.target;
        let (from, of, net) = link.source;
        let slot = self.programs[number].inputs[input];
        let place = self.programs[from].place(Bit::Net(net));
        let (region, source) = (&self.regions[number], &self.regions[from]);
        for replica in 0..self.replicas {
            let lane = self.lane(number, instance, replica);
            let other = self.lane(from, of, replica);
            let word = Word {
                address: source.address(place.slot, other / 64) as u32,
                flip: place.flip,
            };
            targets
                .entry(region.address(slot, lane / 64) as u32)
                .or_default()
                .push(((lane % 64) as u32, word, (other % 64) as u32));
        }
    }

    /// Adds the evaluations of an array to the steps, but for its last class: a class is
    /// evaluated for the tiles that hold an instance in which it is due. Likewise what is read of memories.
    fn evaluations(&self, number: usize, steps: &mut Vec<Step>) {
        let array = number as u32;
        for (class, due) in (0..).zip(&self.schedule.arrays[number].steps) {
            for (step, tiles) in self.due(number, due) {
                let evaluations = &mut Planner::step_at(steps, step).evaluations;
                evaluations.push(Evaluation {
                    array,
                    class,
                    tiles,
                });
            }
        }
        let memories = (0..).zip(&self.design.arrays[number].memories);
        let ports = memories.flat_map(|(memory, found)| {
            (0..found.reads.len() as u32).map(move |port| (memory, port))
        });
        for ((memory, port), due) in ports.zip(&self.schedule.arrays[number].reads) {
            for (step, tiles) in self.due(number, due) {
                let reads = &mut Planner::step_at(steps, step).reads;
                reads.push(MemoryReading {
                    array,
                    memory,
                    port,
                    tiles,
                });
            }
        }
    }

    fn step_at(steps: &mut Vec<Step>, step: u32) -> &mut Step {
        let step = step as usize;
        if steps.len() <= step {
            steps.resize_with(step + 1, Step::default);
        }
        &mut steps[step]
    }

    /// The tiles of an array with an instance in which something is due, by the step.
    fn due(&self, number: usize, due: &[u32]) -> Vec<(u32, Vec<u32>)> {
        let mut tiles: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (instance, &step) in due.iter().enumerate() {
            for replica in 0..self.replicas {
                let lane = self.lane(number, instance, replica);
                let tile = lane / 64 / self.regions[number].width;
                tiles.entry(step).or_default().insert(tile as u32);
            }
        }
        let due = tiles.into_iter();
        due.map(|(step, tiles)| (step, tiles.into_iter().collect()))
            .collect()
    }

    /// The lane of an instance of an array in a run.
    fn lane(&self, number: usize, instance: usize, replica: usize) -> usize {
        let order = &self.order[number];
        replica * order.len() + order[instance] as usize
    }
}
