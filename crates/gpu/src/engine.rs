//! The GPU engine.

mod burst;
mod gathering;
mod pins;
#[cfg(test)]
mod tests;

use std::cell::{RefCell, RefMut};
use std::ops::Range;
use std::sync::Arc;

use crate::device::{Binding, Device, fault_error};
use crate::links::Links;
use crate::mirror::Mirror;
use crate::plan::{LANES, Plans};
use crate::shader::{self, EDGE, RESET, WORKGROUP};
use burst::{ANSWERED_TOGETHER, Senders};
use crosswave_base::diagnostic::Error;
use crosswave_chips::registers::{Output, Storage};
use crosswave_chips::{PinDirection, Role};
use crosswave_lanes::windows::bit_before;
use crosswave_netlist::Module;
use crosswave_network::copies::Copies;
use crosswave_network::random_bits::RandomBits;
use crosswave_network::topology::NODES;
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::{Burst, Engine, EngineFault, InstanceList, LocalHost, Watched};
use crosswave_probe::save::{Loader, Saver, Unlike};
use gathering::Gathering;
use pins::Pins;
use wgpu::{BindGroup, Buffer, BufferUsages, ComputePass, ComputePipeline};

/// The GPU engine.
pub struct GpuEngine {
    fabric: Arc<Fabric>,
    plans: Plans,
    random_bits: RandomBits,
    cycle: u64,
    /// The buffer of outputs that the current cycle reads.
    parity: usize,
    pins: RefCell<Pins>,
    device: Device,
    buffers: Buffers,
    /// The edge of each array, and its edge under reset.
    pipelines: Vec<[ComputePipeline; 2]>,
    /// The bindings of an edge out of each buffer of outputs.
    bound: [BindGroup; 2],
    mirror: RefCell<Mirror>,
    gathering: RefCell<Gathering>,
    /// The keys of cycles' random bits, low words first.
    keys: Vec<u32>,
    /// The slots of cycles.
    slots: Vec<[u32; SLOT as usize / 4]>,
    /// The senders of a host whose messages the device knows.
    senders: Option<Senders>,
}

/// The memory on the device.
struct Buffers {
    driven: [Buffer; 2],
    state: Buffer,
    pins: Buffer,
    keys: Buffer,
    /// Numbers of a cycle that its edge needs, in slots.
    now: Buffer,
}

/// Cycles that are taken at a time, or fewer: a network that had no message for as long as it takes to
/// come to rest goes on otherwise.
const BURST_CYCLES: u64 = 64;

/// Bytes from a slot to the next one, as all drivers allow it.
const SLOT: u32 = 256;

/// Buffers that a shader reads or writes, and that are written and read from here.
const MEMORY: BufferUsages = BufferUsages::STORAGE
    .union(BufferUsages::COPY_DST)
    .union(BufferUsages::COPY_SRC);

/// Invocations that are submitted at a time. A driver's watchdog ends what takes it a second or more; a slow
/// GPU takes some 10 ns for each.
const SUBMITTED_MAX: usize = 1 << 24;

/// The cycles of a burst in parts, each submitted by itself, where a cycle has so many invocations.
fn parts(slots: Range<usize>, invocations: usize) -> impl Iterator<Item = Range<usize>> {
    let together = (SUBMITTED_MAX / invocations.max(1)).max(1);
    let end = slots.end;
    slots
        .step_by(together)
        .map(move |first| first..end.min(first + together))
}

impl GpuEngine {
    /// An engine at cycle 0 for a fabric, and its copies if it has some, each with its seed. `netlist`
    /// gives the module of each chip by name.
    ///
    /// # Errors
    /// When a netlist is not that of its chip or cannot be evaluated; when there is no adapter, when the
    /// network does not fit it, and when its driver refuses.
    ///
    /// # Panics
    /// When there are not as many seeds as copies.
    pub fn new(
        fabric: impl Into<Arc<Fabric>>,
        netlist: impl Fn(&str) -> Result<&'static Module, Error>,
        seeds: &[u64],
    ) -> Result<GpuEngine, Error> {
        let fabric = fabric.into();
        let plans = Plans::new(&fabric, netlist)?;
        let links = Links::new(&fabric, &plans);
        let words = [
            plans.driven_words(),
            plans.words(|plan| plan.state),
            plans.words(|plan| plan.pin_words),
            links.table.len(),
        ];
        let largest = words.into_iter().max().unwrap_or(0);
        let groups = plans
            .arrays
            .iter()
            .map(|plan| plan.driven.words.div_ceil(WORKGROUP));
        let device = Device::open(4 * largest as u64, groups.max().unwrap_or(0))?;
        for (array, plan) in fabric.arrays.iter().zip(&plans.arrays) {
            device.check_gates(array.chip.name, plan.leaf.gates.len())?;
        }
        let [driven_words, state_words, pin_words, _] = words;
        let pins = Pins::new(&fabric, &plans);
        let of_cycle = 2 * plans.random().count() * fabric.copies.count();
        let keys = vec![0; of_cycle * BURST_CYCLES as usize];
        let buffers = Buffers {
            driven: [(); 2].map(|()| device.buffer(driven_words, MEMORY)),
            state: device.buffer(state_words, MEMORY),
            pins: device.buffer(pin_words, MEMORY),
            keys: device.buffer(keys.len(), MEMORY),
            now: device.buffer(
                SLOT as usize / 4 * BURST_CYCLES as usize,
                BufferUsages::UNIFORM | BufferUsages::COPY_DST,
            ),
        };
        let table = device.filled(&links.table, MEMORY);
        let layout = device.layout(&[
            Binding::Read,
            Binding::Write,
            Binding::Write,
            Binding::Read,
            Binding::Read,
            Binding::Read,
            Binding::Slot,
        ]);
        let bound = [0, 1].map(|parity: usize| {
            let driven = &buffers.driven;
            let bound = [
                &driven[parity],
                &driven[1 - parity],
                &buffers.state,
                &buffers.pins,
                &table,
                &buffers.keys,
            ];
            device.bind(&layout, &bound, Some(&buffers.now))
        });
        let pipelines = (0..plans.arrays.len()).map(|array| {
            let code = shader::code(&plans, array, &links, fabric.copies);
            device.pipelines(&code, [EDGE, RESET], Some(&layout))
        });
        let pipelines = pipelines.collect();
        let gathering = Gathering::new(&device);
        let engine = GpuEngine {
            random_bits: RandomBits::of_copies(&fabric, seeds),
            mirror: RefCell::new(Mirror::new(&plans)),
            gathering: RefCell::new(gathering),
            cycle: 0,
            parity: 0,
            fabric,
            plans,
            pins: RefCell::new(pins),
            device,
            buffers,
            pipelines,
            bound,
            keys,
            slots: vec![[0; SLOT as usize / 4]; BURST_CYCLES as usize],
            senders: None,
        };
        match engine.device.fault() {
            Some(fault) => Err(fault_error(fault)),
            None => Ok(engine),
        }
    }

    /// Has the planes of an array's registers read back where they are not those of this cycle.
    fn ask(&self, array: usize, registers: impl Iterator<Item = usize>) {
        let mut mirror = self.mirror.borrow_mut();
        let mut missing = false;
        for register in registers {
            let plane = mirror.plane(array, register);
            missing |= mirror.ask(plane);
        }
        if missing {
            let mut gathering = self.gathering.borrow_mut();
            gathering.read_back(&mut mirror, &self.plans, &self.device);
            gathering.read_asked(
                &mut mirror,
                &self.plans,
                &self.device,
                (&self.buffers, self.parity),
            );
        }
    }

    /// The registers that an output shows.
    fn registers(&self, array: usize, port: usize) -> impl Iterator<Item = usize> {
        let outputs = self.plans.arrays[array].registers.outputs[port].iter();
        outputs.filter_map(|output| match *output {
            Output::Register(register) => Some(register),
            Output::Constant(_) => None,
        })
    }

    /// The value of an output whose registers have been read back.
    fn shown(&self, mirror: &Mirror, (array, port): (usize, usize), instance: usize) -> u64 {
        let outputs = self.plans.arrays[array].registers.outputs[port].iter();
        let bits = outputs.enumerate().map(|(bit, output)| {
            let value = match *output {
                Output::Constant(value) => u64::from(value),
                Output::Register(register) => {
                    let words = mirror.words(mirror.plane(array, register));
                    words[instance / 64] >> (instance % 64) & 1
                }
            };
            value << bit
        });
        bits.sum()
    }

    /// The bit of a neighbour's outputs that arrives at a link port.
    fn driven_bit(&self, array: usize, plane: usize, instance: usize) -> u64 {
        let registers = &self.plans.arrays[array].registers;
        let mut drivers = registers.drivers.iter();
        let Some(driver) = drivers.find(|driver| driver.planes.contains(&plane)) else {
            return 0;
        };
        self.ask(array, std::iter::once(driver.register));
        let mirror = self.mirror.borrow();
        let words = mirror.words(mirror.plane(array, driver.register));
        words[instance / 64] >> (instance % 64) & 1
    }

    /// Cycles that are taken at a time.
    fn burst_cycles(&self) -> u64 {
        match self.fabric.restless {
            true => BURST_CYCLES,
            false => BURST_CYCLES.min(self.fabric.rest_cycles),
        }
    }

    /// The pins, as they are in the current cycle.
    fn pins(&self) -> RefMut<'_, Pins> {
        let mut pins = self.pins.borrow_mut();
        pins.refresh(&self.device, &self.buffers.pins);
        pins
    }

    /// Gets ready to drive pins, which senders on the device do not know of.
    fn begin_driving(&mut self) {
        if let Some(senders) = &mut self.senders {
            senders.stale = true;
        }
        let pins = self.pins.get_mut();
        pins.refresh(&self.device, &self.buffers.pins);
    }

    /// Writes what the edges of so many cycles from the current one on have to know, and the pins that
    /// have changed.
    fn upload(&mut self, cycles: u64, encoder: &mut wgpu::CommandEncoder) {
        let of_cycle = self.keys.len() / BURST_CYCLES as usize;
        let slots = &mut self.slots[..cycles as usize];
        for (number, slot) in slots.iter_mut().enumerate() {
            let cycle = self.cycle + number as u64;
            self.random_bits.begin(cycle);
            let random = self.plans.random();
            let keys = random.flat_map(|input| self.random_bits.keys(input.stream));
            let pairs = self.keys[number * of_cycle..].chunks_exact_mut(2);
            for (pair, key) in pairs.zip(keys) {
                pair.copy_from_slice(&[*key as u32, (key >> 32) as u32]);
            }
            let held = u32::from(self.random_bits.held());
            let first = (number * of_cycle / 2) as u32;
            slot[..4].copy_from_slice(&[held, first, (cycle + 1) as u32, number as u32]);
        }
        let queue = &self.device.queue;
        let keys = &self.keys[..of_cycle * cycles as usize];
        if !keys.is_empty() {
            queue.write_buffer(&self.buffers.keys, 0, bytemuck::cast_slice(keys));
        }
        queue.write_buffer(&self.buffers.now, 0, bytemuck::cast_slice(slots));
        let pins = self.pins.get_mut();
        pins.upload(&self.device, &self.buffers.pins, encoder);
    }

    /// The edge of all arrays, by a slot.
    fn edge(&self, pass: &mut ComputePass<'_>, parity: usize, slot: usize) {
        let under_reset = usize::from(self.cycle == 0);
        pass.set_bind_group(0, &self.bound[parity], &[slot as u32 * SLOT]);
        for (plan, pipelines) in self.plans.arrays.iter().zip(&self.pipelines) {
            if plan.driven.words > 0 {
                pass.set_pipeline(&pipelines[under_reset]);
                pass.dispatch_workgroups(plan.driven.words.div_ceil(WORKGROUP) as u32, 1, 1);
            }
        }
    }
}

impl Engine for GpuEngine {
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]) {
        self.begin_driving();
        let plan = &self.plans.arrays[array];
        let pins = self.pins.get_mut();
        for &(instance, value) in values {
            pins.drive(plan, port, instance as usize, value);
        }
    }

    fn drive_all(&mut self, array: usize, port: usize, value: u64) {
        self.begin_driving();
        let pins = self.pins.get_mut();
        pins.drive_all(&self.plans.arrays[array], port, value);
    }

    fn value(&self, array: usize, port: usize, instance: usize) -> u64 {
        let layout = &self.fabric.arrays[array];
        let table = &layout.chip.ports[port];
        if table.direction == PinDirection::Output {
            self.ask(array, self.registers(array, port));
            return self.shown(&self.mirror.borrow(), (array, port), instance);
        }
        match table.role {
            Role::Clock | Role::State(_) => 1,
            Role::Reset => u64::from(self.cycle == 0),
            Role::Parameter => layout.pin(port, instance),
            Role::Option if !layout.changes(port) => layout.pin(port, instance),
            Role::Random { stream, kind } => {
                let pins = self.random_bits.of(layout, instance);
                pins.value(stream, kind, table.width)
            }
            Role::Link { link, lsb } => {
                let near = LinkPort {
                    array,
                    instance,
                    link,
                };
                let Some(peer) = self.fabric.peer(near) else {
                    return 0;
                };
                let first = peer.link * self.plans.link_bits;
                let steps = self.fabric.rotation(self.fabric.number(near));
                let bit = |bit: usize| {
                    let plane = first + bit_before(lsb as usize + bit, steps);
                    self.driven_bit(peer.array, plane, peer.instance) << bit
                };
                (0..usize::from(table.width)).map(bit).sum()
            }
            Role::Option | Role::Host => {
                self.pins().value(&self.plans.arrays[array], port, instance)
            }
        }
    }

    fn values(&self, array: usize, port: usize, instances: &[u32], values: &mut Vec<u64>) {
        values.clear();
        if instances.is_empty() {
            return;
        }
        self.ask(array, self.registers(array, port));
        let mirror = self.mirror.borrow();
        let shown = |&instance: &u32| self.shown(&mirror, (array, port), instance as usize);
        values.extend(instances.iter().map(shown));
    }

    fn plane(&self, array: usize, port: usize, bit: usize, instances: usize, words: &mut [u64]) {
        let plan = &self.plans.arrays[array];
        match plan.registers.outputs[port].get(bit) {
            Some(Output::Constant(value)) => words.fill(u64::from(*value).wrapping_neg()),
            Some(&Output::Register(register)) => {
                self.ask(array, std::iter::once(register));
                let mirror = self.mirror.borrow();
                let from = mirror.words(mirror.plane(array, register));
                let count = instances.div_ceil(64);
                words[..count].copy_from_slice(&from[..count]);
            }
            None => self.pins().plane(plan, (port, bit), instances, words),
        }
    }

    fn planes(&self, array: usize, port: usize, instances: usize, planes: &mut [Vec<u64>]) {
        self.ask(array, self.registers(array, port));
        for (bit, words) in planes.iter_mut().enumerate() {
            self.plane(array, port, bit, instances, words);
        }
    }

    fn watch(&self, watched: &mut Watched) {
        let Watched { array, port, .. } = *watched;
        self.ask(array, self.registers(array, port));
        let mirror = self.mirror.borrow();
        let outputs = &self.plans.arrays[array].registers.outputs[port];
        for (bit, output) in outputs.iter().enumerate() {
            match *output {
                Output::Constant(value) => watched.fill(bit, value),
                Output::Register(register) => {
                    watched.take(bit, 0, mirror.words(mirror.plane(array, register)));
                }
            }
        }
        watched.trim();
    }

    fn random_held(&self) -> bool {
        self.random_bits.held()
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        self.ask(array, self.registers(array, port));
        let mirror = self.mirror.borrow();
        let count = self.fabric.arrays[array].instances;
        for word in 0..count.div_ceil(64) {
            let lanes = match count - 64 * word {
                64.. => u64::MAX,
                lanes => (1 << lanes) - 1,
            };
            let registers = self.registers(array, port);
            let words = registers.map(|one| mirror.words(mirror.plane(array, one))[word]);
            let mut any = words.fold(0, |any, word| any | word) & lanes;
            while any != 0 {
                instances.push((64 * word) as u32 + any.trailing_zeros());
                any &= any - 1;
            }
        }
    }

    fn raised_each(&self, array: usize, ports: &[usize], found: &mut [InstanceList]) {
        self.ask(
            array,
            ports.iter().flat_map(|&port| self.registers(array, port)),
        );
        let mirror = self.mirror.borrow();
        let count = self.fabric.arrays[array].instances;
        for (&port, found) in ports.iter().zip(found) {
            found.clear();
            // An output that never changes is never raised.
            for register in self.registers(array, port) {
                let words = mirror.words(mirror.plane(array, register));
                let whole = count / 64;
                found.append_lanes(0, &words[..whole]);
                if !count.is_multiple_of(64) {
                    let last = words[whole] & ((1 << (count % 64)) - 1);
                    found.append_lanes(64 * whole as u32, &[last]);
                }
            }
        }
    }

    fn hold_random(&mut self, hold: bool) {
        self.random_bits.hold(hold);
    }

    fn step(&mut self) {
        let mut encoder = self
            .device
            .device
            .create_command_encoder(&Default::default());
        self.upload(1, &mut encoder);
        if let Some(senders) = &mut self.senders {
            senders.stale = true;
        }
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.edge(&mut pass, self.parity, 0);
        drop(pass);
        self.parity = 1 - self.parity;
        self.cycle += 1;
        self.random_bits.begin(self.cycle);
        let mirror = self.mirror.get_mut();
        mirror.next_cycle();
        if mirror.gathered.len() > gathering::planes_max(&self.plans) {
            // They are gathered when they are asked for, a part at a time.
            mirror.gathered.clear();
        }
        let memory = (&self.buffers, self.parity);
        self.gathering.get_mut().gather(
            &mirror.gathered,
            mirror,
            (&self.plans, memory),
            (&self.device, &mut encoder),
        );
        self.device.queue.submit([encoder.finish()]);
    }

    fn burst(&self, array: usize) -> Option<Burst> {
        let fits = self.cycle + BURST_CYCLES < u64::from(u32::MAX);
        let alone = self.fabric.copies == Copies::ONE && array == NODES;
        (self.cycle > 0 && fits && alone).then_some(Burst {
            cycles: self.burst_cycles(),
            instances: ANSWERED_TOGETHER,
            by_queues: true,
        })
    }

    fn advance(&mut self, host: &dyn LocalHost) {
        let cycles = self.burst_cycles();
        let queues = host.queues().expect("a host that is asked has queues");
        let mut senders = self.senders.take().unwrap_or_else(|| {
            let memory = (&self.device, &self.buffers);
            let size = (self.fabric.arrays[NODES].instances, cycles);
            Senders::new(memory, &self.plans.arrays[NODES], size, (host, queues))
        });
        senders.write_state(&self.device, queues);
        let descriptor = Default::default();
        let mut encoder = self.device.device.create_command_encoder(&descriptor);
        self.upload(cycles, &mut encoder);
        let words = self.plans.arrays.iter().map(|plan| plan.driven.words);
        let slots = 0..cycles as usize;
        for part in parts(slots, words.sum()) {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            for slot in part {
                self.edge(&mut pass, self.parity, slot);
                self.parity = 1 - self.parity;
                senders.send(&mut pass, self.parity, slot);
            }
            drop(pass);
            let next = self.device.device.create_command_encoder(&descriptor);
            let done = std::mem::replace(&mut encoder, next);
            self.device.queue.submit([done.finish()]);
        }
        senders.copy(&mut encoder);
        self.device.queue.submit([encoder.finish()]);
        senders.tell(&self.device, host, self.cycle);
        self.senders = Some(senders);
        self.pins.get_mut().stale = true;
        self.cycle += cycles;
        self.random_bits.begin(self.cycle);
        let mirror = self.mirror.get_mut();
        mirror.next_cycle();
        mirror.gathered.clear();
    }

    fn skip_to(&mut self, cycle: u64) {
        assert!(cycle >= self.cycle, "time goes forward only");
        self.cycle = cycle;
        self.random_bits.begin(cycle);
    }

    fn fault(&self) -> Option<EngineFault> {
        self.device.fault()
    }

    fn save(&self, saver: &mut Saver) {
        saver.value(&(self.cycle, self.random_bits.held()));
        for (array, plan) in self.plans.arrays.iter().enumerate() {
            let registers = 0..plan.leaf.registers.len();
            self.ask(array, registers.clone());
            let mirror = self.mirror.borrow();
            for register in registers {
                saver.words(mirror.words(mirror.plane(array, register)));
            }
            let instances = self.fabric.arrays[array].instances;
            let mut words = vec![0; instances.div_ceil(64)];
            for &pin in &plan.pins {
                self.pins().plane(plan, pin, instances, &mut words);
                saver.words(&words);
            }
        }
    }

    fn load(&mut self, loader: &mut Loader<'_>) -> Result<(), Unlike> {
        let (cycle, held): (u64, bool) = loader.value()?;
        let mut driven = vec![0u32; self.plans.driven_words()];
        let mut state = vec![0u32; self.plans.words(|plan| plan.state)];
        for (array, plan) in self.plans.arrays.iter().enumerate() {
            let instances = self.fabric.arrays[array].instances;
            let mut words = vec![0u64; instances.div_ceil(64)];
            for register in 0..plan.leaf.registers.len() {
                loader.words(&mut words)?;
                let halves = || bytemuck::cast_slice::<u64, u32>(&words).iter().enumerate();
                match plan.registers.places[register] {
                    Storage::State(plane) => {
                        halves()
                            .for_each(|(at, &half)| state[plan.state.address(plane, at)] = half);
                    }
                    Storage::Outputs(_) => {
                        let drivers = plan.registers.drivers.iter();
                        let of = drivers.filter(|driver| driver.register == register);
                        for &plane in of.flat_map(|driver| &driver.planes) {
                            halves().for_each(|(at, &half)| {
                                driven[plan.driven.address(plane, at)] = half
                            });
                        }
                    }
                }
            }
            for plane in 0..plan.pins.len() {
                loader.words(&mut words)?;
                self.pins
                    .get_mut()
                    .set(plan, plane, bytemuck::cast_slice(&words));
            }
        }
        let queue = &self.device.queue;
        for buffer in &self.buffers.driven {
            queue.write_buffer(buffer, 0, bytemuck::cast_slice(&driven));
        }
        if !state.is_empty() {
            queue.write_buffer(&self.buffers.state, 0, bytemuck::cast_slice(&state));
        }
        self.mirror.get_mut().next_cycle();
        self.mirror.get_mut().gathered.clear();
        self.pins.get_mut().stale = false;
        self.senders = None;
        self.cycle = cycle;
        self.random_bits.begin(cycle);
        self.random_bits.hold(held);
        Ok(())
    }
}

/// Lanes of a word, as what is read back is put together.
const _: () = assert!(2 * LANES == 64);
