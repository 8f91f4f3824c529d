//! The plan of an array: its netlist, and the places of its planes in the buffers.

use crosswave_base::diagnostic::Error;
use crosswave_chips::registers::{Registers, Storage, check_ports};
use crosswave_chips::{RandomKind, Role};
use crosswave_lanes::reset;
use crosswave_netlist::{Bit, Leaf, Module, NetId, without_memories};
use crosswave_network::{ChipArray, Fabric};

/// Instances of a word.
pub const LANES: usize = 32;
/// Words of a plane that lie together.
pub const TILE: usize = 32;

/// The planes of an array in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// The first word.
    pub first: usize,
    /// Number of planes.
    pub planes: usize,
    /// Words of each plane.
    pub words: usize,
}

impl Region {
    /// The place of a word of a plane.
    #[inline]
    pub fn address(&self, plane: usize, word: usize) -> usize {
        self.first + (word / TILE * self.planes + plane) * TILE + word % TILE
    }

    /// The end of the region: all tiles are whole.
    pub fn end(&self) -> usize {
        self.first + self.words.div_ceil(TILE) * self.planes * TILE
    }
}

/// An origin of an input bit of the netlist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A bit of the word that arrives at a link port.
    Link {
        /// Link port.
        link: usize,
        /// Bit.
        bit: usize,
    },
    /// A plane of the pins.
    Pin(usize),
    /// One of the random inputs.
    Random(usize),
}

/// A random input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandomInput {
    /// The stream.
    pub stream: u64,
    /// The distribution.
    pub kind: RandomKind,
}

/// The plan of an array.
pub struct ArrayPlan {
    /// The netlist.
    pub leaf: Leaf,
    /// The value of each register after reset.
    pub reset: Vec<bool>,
    /// The storage of registers, and what outputs show.
    pub registers: Registers,
    /// Pin planes: port and bit, those of one port together.
    pub pins: Vec<(usize, usize)>,
    /// Pin planes of each port.
    pub pins_of: Vec<std::ops::Range<usize>>,
    /// Input bits that the netlist reads, by their nets.
    pub inputs: Vec<(NetId, Origin)>,
    /// Random inputs.
    pub random: Vec<RandomInput>,
    /// The first of its random inputs among those of all arrays.
    pub first_random: usize,
    /// The outputs at link ports, in each of two buffers.
    pub driven: Region,
    /// The other registers.
    pub state: Region,
    /// The pins.
    pub pin_words: Region,
}

/// The plans of a fabric, whose planes follow one another.
pub struct Plans {
    /// One for each array.
    pub arrays: Vec<ArrayPlan>,
    /// Bits of a link's word.
    pub link_bits: usize,
    /// The place of zeros behind the outputs, as many as a link's word takes.
    pub zeros: usize,
}

impl Plans {
    /// The plans of a fabric.
    ///
    /// # Errors
    /// When a netlist is not that of its chip, or cannot be evaluated.
    pub fn new(
        fabric: &Fabric,
        netlist: impl Fn(&str) -> Result<&'static Module, Error>,
    ) -> Result<Plans, Error> {
        let link_bits = fabric.link_bits();
        let mut plans = Plans {
            arrays: Vec::new(),
            link_bits,
            zeros: 0,
        };
        for array in &fabric.arrays {
            let plan = ArrayPlan::new(array, netlist(array.chip.name)?, link_bits, &plans)?;
            plans.arrays.push(plan);
        }
        plans.zeros = plans.words(|plan| plan.driven);
        Ok(plans)
    }

    /// Words of a buffer of all arrays.
    pub fn words(&self, region: fn(&ArrayPlan) -> Region) -> usize {
        self.arrays.last().map_or(0, |plan| region(plan).end())
    }

    /// Words of a buffer of outputs, the zeros among them.
    pub fn driven_words(&self) -> usize {
        self.zeros + self.link_bits * TILE
    }

    /// The random inputs of all arrays.
    pub fn random(&self) -> impl Iterator<Item = RandomInput> {
        self.arrays
            .iter()
            .flat_map(|plan| plan.random.iter().copied())
    }
}

impl ArrayPlan {
    fn new(
        array: &ChipArray,
        module: &Module,
        link_bits: usize,
        before: &Plans,
    ) -> Result<ArrayPlan, Error> {
        let chip = array.chip;
        check_ports(chip, module)?;
        let [clock, reset] = chip.clock_and_reset();
        let leaf = Leaf::new(without_memories(module)?.as_ref(), clock, &array.ties())?;
        let after_reset = reset::values(module, &array.tied_options(), clock, reset)?;
        let reset_of = |name: &str| after_reset.get(name).copied().unwrap_or(false);
        let registers = Registers::new(chip, &leaf, link_bits)?;
        let region = |planes: usize, of: fn(&ArrayPlan) -> Region| Region {
            first: before.words(of),
            planes,
            // Sixty-four instances share a random word.
            words: 2 * array.instances.div_ceil(64),
        };
        let mut plan = ArrayPlan {
            reset: leaf
                .registers
                .iter()
                .map(|one| reset_of(&one.name))
                .collect(),
            driven: region(chip.links.len() * link_bits, |plan| plan.driven),
            state: region(registers.kept.len(), |plan| plan.state),
            pin_words: region(0, |plan| plan.pin_words),
            registers,
            pins: Vec::new(),
            pins_of: vec![0..0; chip.ports.len()],
            inputs: Vec::new(),
            random: Vec::new(),
            first_random: before.random().count(),
            leaf,
        };
        plan.read_inputs(array);
        plan.pin_words.planes = plan.pins.len();
        Ok(plan)
    }

    /// Finds the origins of the input bits that gates or registers read.
    fn read_inputs(&mut self, array: &ChipArray) {
        let mut read = vec![false; self.leaf.nets()];
        let gates = self.leaf.gates.iter().flat_map(|gate| gate.inputs.iter());
        let data = self.leaf.registers.iter().map(|register| &register.data);
        for net in gates.chain(data).filter_map(|bit| bit.net()) {
            read[net.index()] = true;
        }
        let inputs: Vec<(usize, usize, NetId)> = self
            .leaf
            .inputs()
            .flat_map(|port| {
                let number = array.chip.port(&port.name);
                let bits = port.bits.iter().enumerate();
                bits.filter_map(move |(bit, &net)| match net {
                    Bit::Net(net) => Some((number, bit, net)),
                    _ => None,
                })
            })
            .filter(|(.., net)| read[net.index()])
            .collect();
        for (number, bit, net) in inputs {
            let origin = match array.chip.ports[number].role {
                Role::Link { link, lsb } => Origin::Link {
                    link,
                    bit: lsb as usize + bit,
                },
                Role::Random { stream, kind } => {
                    let stream = stream + bit as u64;
                    self.random.push(RandomInput { stream, kind });
                    Origin::Random(self.random.len() - 1)
                }
                _ => {
                    let plane = self.pins.len();
                    self.pins.push((number, bit));
                    let planes = &mut self.pins_of[number];
                    let first = match *planes {
                        std::ops::Range { start, end } if start < end => start,
                        _ => plane,
                    };
                    *planes = first..plane + 1;
                    Origin::Pin(plane)
                }
            };
            self.inputs.push((net, origin));
        }
    }

    /// The place of a word of a register, and whether it is among the outputs.
    pub fn place(&self, register: usize) -> (bool, Region, usize) {
        match self.registers.places[register] {
            Storage::Outputs(plane) => (true, self.driven, plane),
            Storage::State(plane) => (false, self.state, plane),
        }
    }
}
