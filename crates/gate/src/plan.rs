//! The engine's plan of an array: its program, and the origin or destination of each of its
//! signals.

pub mod kept;
pub mod memory;

use super::code_draw::CodeDraw;
use super::draw::RandomInput;
use super::layout;
use super::wiring::TERMS_MAX;
use crosswave_base::diagnostic::Error;
use crosswave_chips::registers::{Driver, Output, Registers, Storage, check_ports};
use crosswave_chips::{Chip, RandomKind, Role};
use crosswave_lanes::evaluator::{Backend, Evaluator, Interpreter, PlaneLoad, PlaneStore};
use crosswave_lanes::joined::{Codes, REGION_LINKS};
use crosswave_lanes::native::{self, Isa, Unavailable};
use crosswave_lanes::program::Program;
use crosswave_lanes::straight::{self, StraightLine};
use crosswave_lanes::windows::bit_before;
use crosswave_lanes::{reset, rest};
use crosswave_netlist::watch::{AWAKE, is_watcher};
use crosswave_netlist::{
    Leaf, LeafSource, Library, Mapped, MappedValue, Module, is_of_memory, lower_flops, mealy,
};
use crosswave_network::ChipArray;
use crosswave_network::copies::Copies;
use memory::PlannedMemory;
use smol_str::SmolStr;
use std::ops::Range;

/// Region of native code: the array's own outputs.
const REGION_OWN: u8 = 2;
/// Region of native code: the pins.
const REGION_PINS: u8 = 3;
/// Region of native code: the random bits, what it draws them from, and what its guard asks for.
pub const REGION_RANDOM: u8 = 4;

/// The plan of one array.
///
/// Bit `b` of the word that link port `l` drives is output plane
/// `l * link_bits + b`, in every array; bits that a chip does not drive stay 0.
#[derive(Clone)]
pub struct Plan {
    /// Words evaluated at a time: 1, 2, 4 or 8.
    pub width: usize,
    /// Words of the whole array, a multiple of `width`.
    pub words: usize,
    /// Words from one plane to the next.
    pub tile: usize,
    /// The name of each register.
    pub names: Vec<SmolStr>,
    /// Value of each register after reset.
    pub reset: Vec<bool>,
    /// The storage of each register.
    pub places: Vec<Storage>,
    /// Registers kept in the outputs.
    pub drivers: Vec<Driver>,
    /// Registers kept in the state, in order of their planes.
    pub kept: Vec<usize>,
    /// The memories beside the module.
    pub memories: Vec<PlannedMemory>,
    /// Planes of what memories show, behind those of the registers in the state.
    pub memory_planes: Range<usize>,
    /// Planes of the outputs.
    pub output_planes: usize,
    /// For each link port: bit of the incoming word, and where it arrives.
    pub link_inputs: Vec<Vec<(usize, u32)>>,
    /// The same with the bit that it is in the word that is driven, for wiring that
    /// rotates by 1, 2 and 3 steps.
    pub rotated_inputs: Vec<[Vec<(usize, u32)>; 3]>,
    /// True when the words that arrive at all link ports are put together in one region of native
    /// code, as there are too many for a region each.
    pub together: bool,
    /// Pin planes: port and bit, those of one port together.
    pub pins: Vec<(usize, usize)>,
    /// Pin planes of each port, and of [`mealy::SETTLE`] behind them.
    pub pins_of: Vec<std::ops::Range<usize>>,
    /// Pin planes that the host drives.
    pub host_pins: Vec<usize>,
    /// Random inputs that are drawn for the code.
    pub random_inputs: Vec<RandomInput>,
    /// A random input that is drawn only for groups in which something depends on it. Native code
    /// finds it out: it takes the bits as 0 and ends without a result where they matter, as long as
    /// the plane after this input's is all ones.
    pub rare_input: Option<RandomInput>,
    /// The random bits that the code itself draws.
    pub code_draw: Option<CodeDraw>,
    /// Driven bits of each port of the chip; empty for inputs.
    pub outputs: Vec<Vec<Output>>,
    /// Registers that say whether an instance rests, and their values then;
    /// `None` when it never does.
    pub rest: Option<Vec<(Storage, bool)>>,
    /// True when it has [watchers](crosswave_netlist::watch). They note in its first cycle what an
    /// instance at rest shows, so that it is evaluated once more.
    pub is_watched: bool,
}

/// Settings of a plan, besides its array and netlist.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Bits of a link's word.
    pub link_bits: usize,
    /// True when groups that are evaluated one after another may belong to different owners, so
    /// that windows must not reach across them.
    pub cut: bool,
    /// Copies of the network.
    pub copies: Copies,
    /// The choice between the interpreter and native code.
    pub backend: Backend,
    /// True when native code is made only to be counted, on any machine. Such an evaluator cannot
    /// be run.
    pub counted: bool,
    /// True when outputs settle between edges ([`settling`](super::settling)): registers have to hold
    /// then.
    pub settles: bool,
}

/// The index and the role of an input. [`mealy::SETTLE`] is behind the ports of the chip; it is 0 except
/// while outputs settle, as pins of a host that asks for nothing are.
fn input_port(chip: &Chip, name: &str) -> (usize, Role) {
    match name {
        mealy::SETTLE => (chip.ports.len(), Role::Host),
        name => {
            let port = chip.port(name);
            (port, chip.ports[port].role)
        }
    }
}

impl Plan {
    /// Up to how many windows of a link are better left to what evaluates the array than shuffled: native
    /// code reads two by itself, if it reads links apart, and the interpreter shuffles slowly.
    pub fn windows_kept(&self, evaluator: &Evaluator) -> usize {
        match evaluator {
            Evaluator::Interpreter(_) => TERMS_MAX,
            Evaluator::Native(_) if self.together => 0,
            Evaluator::Native(_) => 2,
        }
    }

    /// The plan of an array whose chip's netlist is `module`, and what
    /// evaluates it.
    ///
    /// # Errors
    /// When the netlist's ports are not those of the chip's table, or the
    /// netlist cannot be compiled.
    pub fn new(
        array: &ChipArray,
        module: &Module,
        settings: Settings,
    ) -> Result<(Plan, Evaluator), Error> {
        let chip = array.chip;
        check_ports(chip, module)?;
        let [clock, reset] = chip.clock_and_reset();
        let holding;
        let held_module = match settings.settles {
            true => {
                holding = mealy::held(lower_flops(module.clone(), clock)?);
                &holding
            }
            false => module,
        };
        let leaf = Leaf::new(held_module, clock, &array.ties())?;
        let reset_values = reset::values(module, &array.tied_options(), clock, reset)?;
        let reset_of = |name: &str| reset_values.get(name).copied().unwrap_or(false);

        let Registers {
            places,
            drivers,
            kept,
            outputs,
        } = Registers::new(chip, &leaf, settings.link_bits)?;
        let (words, width) = layout::words(array.instances);
        let mut plan = Plan {
            width,
            words,
            tile: layout::tile(words, width, settings.cut, settings.copies),
            names: leaf.registers.iter().map(|r| r.name.clone()).collect(),
            reset: leaf.registers.iter().map(|r| reset_of(&r.name)).collect(),
            places,
            drivers,
            memory_planes: kept.len()..kept.len(),
            memories: Vec::new(),
            kept,
            output_planes: chip.links.len() * settings.link_bits,
            link_inputs: vec![Vec::new(); chip.links.len()],
            rotated_inputs: Vec::new(),
            together: chip.links.len() > native::REGIONS_MAX - usize::from(REGION_LINKS),
            pins: Vec::new(),
            pins_of: vec![0..0; chip.ports.len() + 1],
            host_pins: Vec::new(),
            random_inputs: Vec::new(),
            rare_input: None,
            code_draw: None,
            outputs,
            rest: None,
            is_watched: leaf
                .registers
                .iter()
                .any(|register| is_watcher(&register.name)),
        };
        plan.place_memories(&leaf);
        let evaluator = plan.compile(chip, &leaf, settings)?;
        let before = |inputs: &Vec<(usize, u32)>, steps| {
            let inputs = inputs.iter();
            inputs
                .map(|&(bit, to)| (bit_before(bit, steps), to))
                .collect()
        };
        let links = plan.link_inputs.iter();
        plan.rotated_inputs = links
            .map(|inputs| [1, 2, 3].map(|steps| before(inputs, steps)))
            .collect();

        let zero = |name: &str| {
            !is_of_memory(name)
                && matches!(input_port(chip, name).1, Role::Link { .. } | Role::Host)
        };
        plan.rest = plan
            .rest_condition(&leaf, zero)
            .and_then(|condition| plan.rest_places(&condition));
        Ok((plan, evaluator))
    }

    /// The registers that say whether an instance rests, with their values. Watchers have no part in
    /// it, but for the one that says when others watch.
    fn rest_condition(
        &self,
        leaf: &Leaf,
        zero: impl Fn(&str) -> bool,
    ) -> Option<Vec<(usize, bool)>> {
        if !self.is_watched {
            return rest::condition(leaf, &self.reset, zero);
        }
        let registers = leaf.registers.iter().enumerate();
        let own: Vec<usize> = registers
            .filter(|(_, register)| !is_watcher(&register.name))
            .map(|(at, _)| at)
            .collect();
        let mut bare = leaf.clone();
        bare.registers
            .retain(|register| !is_watcher(&register.name));
        let reset: Vec<bool> = own.iter().map(|&register| self.reset[register]).collect();
        let condition = rest::condition(&bare, &reset, zero)?;
        let condition = condition.into_iter().map(|(at, value)| (own[at], value));
        let awake = self.names.iter().position(|name| name == AWAKE);
        Some(condition.chain(awake.map(|awake| (awake, false))).collect())
    }

    /// A plane for a pin that is read.
    fn pin(&mut self, port: usize, bit: usize, role: &Role) -> usize {
        let plane = self.pins.len();
        if matches!(role, Role::Host) {
            self.host_pins.push(plane);
        }
        self.pins.push((port, bit));
        let planes = &mut self.pins_of[port];
        let start = if planes.start == planes.end {
            plane
        } else {
            planes.start
        };
        *planes = start..plane + 1;
        plane
    }

    /// Compiles the module, natively when asked for and possible.
    fn compile(
        &mut self,
        chip: &Chip,
        leaf: &Leaf,
        settings: Settings,
    ) -> Result<Evaluator, Error> {
        if let Backend::Native(isa) = settings.backend {
            let before = (self.pins.clone(), self.pins_of.clone());
            if let Ok(codes) = self.native(chip, leaf, isa, settings) {
                return Ok(Evaluator::Native(codes));
            }
            (self.pins, self.pins_of) = before;
            self.host_pins.clear();
            self.random_inputs.clear();
            (self.rare_input, self.code_draw) = (None, None);
            self.link_inputs.iter_mut().for_each(Vec::clear);
        }
        let program = Program::compile(leaf);
        let mut pins = Vec::new();
        let mut of_memories = Vec::new();
        for input in &program.inputs {
            if let Some(plane) = self.memory_plane(leaf, &input.port, input.bit) {
                let slot = input.slot;
                of_memories.push(PlaneLoad { plane, slot });
                continue;
            }
            let (port, role) = input_port(chip, &input.port);
            match role {
                Role::Link { link, lsb } => {
                    self.link_inputs[link].push((lsb as usize + input.bit, input.slot));
                }
                Role::Random { stream, kind } => {
                    let stream = stream + input.bit as u64;
                    self.random_inputs.push(RandomInput {
                        stream,
                        kind,
                        target: input.slot,
                    });
                }
                role => pins.push(PlaneLoad {
                    plane: self.pin(port, input.bit, &role),
                    slot: input.slot,
                }),
            }
        }
        let (mut state, mut own) = (of_memories, Vec::new());
        for (place, &slot) in self.places.iter().zip(&program.register_slots) {
            match *place {
                Storage::State(plane) => state.push(PlaneLoad { plane, slot }),
                Storage::Outputs(plane) => own.push(PlaneLoad { plane, slot }),
            }
        }
        let store = |register: usize, plane: usize| PlaneStore {
            source: program.next[register],
            plane,
        };
        let kept = self.kept.iter().enumerate();
        let next_state = kept.map(|(plane, &register)| store(register, plane));
        let driven = self.drivers.iter().flat_map(|driver| {
            let planes = driver.planes.iter();
            planes.map(move |&plane| (driver.register, plane))
        });
        let next_outputs = driven.map(|(register, plane)| store(register, plane));
        Ok(Evaluator::Interpreter(Interpreter {
            next_state: next_state.collect(),
            next_outputs: next_outputs.collect(),
            program,
            pins,
            state,
            own,
        }))
    }

    fn native(
        &mut self,
        chip: &Chip,
        leaf: &Leaf,
        isa: Isa,
        settings: Settings,
    ) -> Result<Codes, Unavailable> {
        let library = match isa {
            Isa::Avx512 => Library::ternary(),
            Isa::Avx2 => Library::pairs(),
        };
        // Three circuits hardly ever want one output in the same cycle, and a bit of one third is
        // made of a dozen words.
        let is_rare = |role| {
            matches!(
                role,
                Role::Random {
                    kind: RandomKind::Third,
                    ..
                }
            )
        };
        let rare = chip.ports.iter().position(|port| is_rare(port.role));
        let watched = rare.filter(|_| isa.guards());
        let watched_bit = watched.map(|port| (chip.ports[port].name, 0));
        let mapped = Mapped::with_influence(leaf, &library, watched_bit);
        let link_bits = settings.link_bits;
        let scale = self.tile / self.width;
        let at = |region: u8, plane: usize| straight::Location {
            region,
            plane: plane as u32,
        };
        let mut leaves = Vec::new();
        let mut rare_leaf = None;
        let mut drawn = Vec::new();
        for source in &mapped.leaves {
            leaves.push(match source {
                LeafSource::Register(register) => match self.places[*register] {
                    Storage::State(plane) => at(straight::STATE, plane * scale),
                    Storage::Outputs(plane) => at(REGION_OWN, plane * scale),
                },
                LeafSource::Input { port, bit } if is_of_memory(port) => {
                    let plane = self.memory_plane(leaf, port, *bit);
                    at(straight::STATE, plane.unwrap_or_default() * scale)
                }
                LeafSource::Input { port, bit } => {
                    let (index, role) = input_port(chip, port);
                    match role {
                        Role::Link { link, lsb } => {
                            let plane = lsb as usize + bit;
                            let arrives = link * link_bits + plane;
                            self.link_inputs[link].push((plane, arrives as u32));
                            if self.together {
                                at(REGION_LINKS, arrives)
                            } else {
                                at(REGION_LINKS + link as u8, plane)
                            }
                        }
                        Role::Random { stream, kind }
                            if mapped.influence.is_some()
                                && watched == Some(index)
                                && *bit == 0 =>
                        {
                            rare_leaf = Some((leaves.len(), stream, kind));
                            // Its plane is known when those of all others are.
                            at(REGION_RANDOM, 0)
                        }
                        Role::Random {
                            stream,
                            kind: RandomKind::Fair,
                        } if isa.draws() => {
                            drawn.push((leaves.len(), stream + *bit as u64));
                            at(REGION_RANDOM, 0)
                        }
                        Role::Random { stream, kind } => {
                            let plane = self.random_inputs.len();
                            let arrives = chip.links.len() * link_bits + plane;
                            let stream = stream + *bit as u64;
                            self.random_inputs.push(RandomInput {
                                stream,
                                kind,
                                target: arrives as u32,
                            });
                            at(REGION_RANDOM, plane)
                        }
                        role => at(REGION_PINS, self.pin(index, *bit, &role) * scale),
                    }
                }
            });
        }
        let mut sinks = Vec::new();
        for (plane, &register) in self.kept.iter().enumerate() {
            let place = at(straight::STATE, plane * scale);
            // A register that holds its value needs no store.
            let holds = matches!(mapped.next[register],
                                 MappedValue::Leaf(leaf) if leaves[leaf as usize] == place);
            if !holds {
                sinks.push((mapped.next[register], place));
            }
        }
        for driver in &self.drivers {
            for &plane in &driver.planes {
                let place = at(straight::NEXT, plane * scale);
                sinks.push((mapped.next[driver.register], place));
            }
        }
        let mut straight = StraightLine {
            leaves,
            functions: mapped.functions,
            sinks,
            ..StraightLine::default()
        };
        if let (Some((leaf, stream, kind)), Some(influence)) = (rare_leaf, mapped.influence) {
            let plane = self.random_inputs.len();
            let arrives = chip.links.len() * link_bits + plane;
            self.rare_input = Some(RandomInput {
                stream,
                kind,
                target: arrives as u32,
            });
            straight.leaves[leaf] = at(REGION_RANDOM, plane);
            straight.hold(influence, at(REGION_RANDOM, plane + 1));
        }
        if !drawn.is_empty() {
            let plane = self.random_inputs.len() + 2 * usize::from(self.rare_input.is_some());
            let first = at(REGION_RANDOM, plane);
            let counters = at(REGION_PINS, self.pins.len() * scale);
            for (number, &(leaf, _)) in drawn.iter().enumerate() {
                let draw = CodeDraw::draw(number, first, counters);
                straight.draws.insert(leaf as u32, draw);
            }
            self.code_draw = Some(CodeDraw {
                streams: drawn.into_iter().map(|(_, stream)| stream).collect(),
                first: chip.links.len() * link_bits + plane,
            });
        }
        let links = match self.together {
            true => 0,
            false => chip.links.len(),
        };
        let options = native::NativeOptions {
            counted: settings.counted,
            ..native::NativeOptions::new(isa, self.width)
        };
        Codes::new(straight, links, options)
    }

    /// The inputs of a link port whose wiring rotates the byte by `steps`: bit of the
    /// word that is driven, and where it arrives.
    #[inline(always)]
    pub fn inputs(&self, link: usize, steps: u8) -> &[(usize, u32)] {
        match steps {
            0 => &self.link_inputs[link],
            steps => &self.rotated_inputs[link][usize::from(steps) - 1],
        }
    }

    /// Planes of the state.
    pub fn state_planes(&self) -> usize {
        self.memory_planes.end
    }

    /// Planes of the pins, behind which stand the counters from which code draws.
    pub fn pin_planes(&self) -> usize {
        self.pins.len() + usize::from(self.code_draw.is_some())
    }

    /// Drives a pin of one lane; `words` begin at its word of the first plane.
    #[inline(always)]
    pub fn drive_pin(
        &self,
        words: &mut [u64],
        stride: usize,
        port: usize,
        lane: usize,
        value: u64,
    ) {
        let lane = 1u64 << lane;
        let planes = self.pins_of[port].clone();
        let pins = &self.pins[planes.clone()];
        if pins.is_empty() {
            return;
        }
        let words = words[planes.start * stride..].iter_mut().step_by(stride);
        for (&(_, bit), word) in pins.iter().zip(words) {
            *word = *word & !lane | lane & (value >> bit & 1).wrapping_neg();
        }
    }

    /// The registers of a rest condition where they are kept, those that
    /// neighbours see first: they are the first to tell that a chip is busy.
    fn rest_places(&self, condition: &[(usize, bool)]) -> Option<Vec<(Storage, bool)>> {
        let mut places: Vec<(Storage, bool)> = condition
            .iter()
            .map(|&(register, value)| (self.places[register], value))
            .collect();
        // Neighbours take it that the outputs of a chip at rest are 0.
        let silent = self
            .drivers
            .iter()
            .all(|driver| places.contains(&(self.places[driver.register], false)));
        places.sort_unstable_by_key(|(place, _)| match *place {
            Storage::Outputs(plane) => (0, plane),
            Storage::State(plane) => (1, plane),
        });
        silent.then_some(places)
    }
}
