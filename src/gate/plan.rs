//! What the engine has to know of an array: its program and where each of its
//! signals comes from or goes to.

use super::program::{Output, Program};
use super::reset;
use crate::chip::{Direction, RandomKind, Role};
use crate::diagnostic::{Class, Diagnostic, Report};
use crate::netlist::Module;
use crate::network::{ChipArray, PinValues};

/// Signals of a link word.
const LINK_BITS: usize = 16;

/// Where the bits of a link port's outgoing word are: register planes.
pub type LinkPlanes = [Option<u32>; LINK_BITS];

/// The plan of one array.
pub struct Plan {
    /// The compiled module.
    pub program: Program,
    /// Words evaluated at a time: 1, 2, 4 or 8.
    pub width: usize,
    /// Words of the whole array, a multiple of `width`.
    pub words: usize,
    /// Value of each register after reset.
    pub reset: Vec<bool>,
    /// Outgoing planes of each link port.
    pub link_planes: Vec<LinkPlanes>,
    /// For each link port: bit of the incoming word, and the slot it goes to.
    pub link_inputs: Vec<Vec<(usize, u16)>>,
    /// Whether some neighbour does not drive a signal that is read.
    pub link_inputs_missing: bool,
    /// Pin planes that are read: index of the plane and slot.
    pub pin_inputs: Vec<(usize, u16)>,
    /// Pin planes: port and bit, those of one port together.
    pub pins: Vec<(usize, usize)>,
    /// Pin planes of each port.
    pub pins_of: Vec<std::ops::Range<usize>>,
    /// Random inputs: stream, distribution, slot.
    pub random_inputs: Vec<(u64, RandomKind, u16)>,
    /// Driven bits of each port of the chip; empty for inputs.
    pub outputs: Vec<Vec<Output>>,
}

/// The bits of a configuration pin that are alike in all instances.
fn alike(values: &PinValues, width: u8) -> Vec<(usize, bool)> {
    let (ones, zeros) = match values {
        PinValues::Uniform(value) => (*value, !*value),
        PinValues::Each(values) => values
            .iter()
            .fold((u64::MAX, u64::MAX), |(ones, zeros), &v| {
                (ones & u64::from(v), zeros & !u64::from(v))
            }),
    };
    (0..width as usize)
        .filter(|&bit| (ones | zeros) >> bit & 1 != 0)
        .map(|bit| (bit, ones >> bit & 1 != 0))
        .collect()
}

/// The input bits of a chip that are constant while an array runs.
fn ties(array: &ChipArray) -> Vec<(String, usize, bool)> {
    let mut ties = Vec::new();
    for (index, port) in array.chip.ports.iter().enumerate() {
        match port.role {
            Role::Reset => ties.push((port.name.to_owned(), 0, false)),
            Role::Option => {
                let pin = array.pins.iter().find(|pin| pin.port == index);
                let values = pin.map_or(&PinValues::Uniform(0), |pin| &pin.values);
                for (bit, value) in alike(values, port.width) {
                    ties.push((port.name.to_owned(), bit, value));
                }
            }
            Role::Random { .. } if !array.random => {
                for bit in 0..port.width as usize {
                    ties.push((port.name.to_owned(), bit, false));
                }
            }
            _ => {}
        }
    }
    for &(port, bit) in &array.silent {
        ties.push((array.chip.ports[port].name.to_owned(), bit, false));
    }
    ties
}

impl Plan {
    /// The plan of an array whose chip's netlist is `module`.
    ///
    /// # Errors
    /// When the netlist's ports are not those of the chip's table, or the
    /// netlist cannot be compiled.
    pub fn new(array: &ChipArray, module: &Module) -> Result<Plan, Report> {
        let chip = array.chip;
        let fault = |place: String, message: String| {
            Report::one(
                Class::Input,
                module.name.clone(),
                Diagnostic::new(
                    place,
                    message,
                    "synthesise the chip again with hdl/synthesise.sh",
                ),
            )
        };
        for port in chip.ports {
            let width = module.port(port.name).map_or(0, |found| found.bits.len());
            if width != port.width as usize {
                return Err(fault(
                    format!("module {}, port {}", module.name, port.name),
                    format!(
                        "the netlist has {width} bits there, the chip's table {}",
                        port.width
                    ),
                ));
            }
        }
        let clock = chip
            .ports
            .iter()
            .find(|port| matches!(port.role, Role::Clock));
        let reset_port = chip
            .ports
            .iter()
            .find(|port| matches!(port.role, Role::Reset));
        let clock = clock.map_or("", |port| port.name);
        let program = Program::compile(module, clock, &ties(array))?;
        let reset_values = reset::values(module, clock, reset_port.map_or("", |port| port.name))?;
        let reset = program
            .register_names
            .iter()
            .map(|name| reset_values.get(name).copied().unwrap_or(false))
            .collect();

        let words = array.instances.div_ceil(64);
        let width = match words {
            0..=1 => 1,
            2 => 2,
            3..=4 => 4,
            _ => 8,
        };
        let mut plan = Plan {
            width,
            words: words.next_multiple_of(width),
            reset,
            link_planes: vec![[None; LINK_BITS]; chip.links.len()],
            link_inputs: vec![Vec::new(); chip.links.len()],
            link_inputs_missing: false,
            pin_inputs: Vec::new(),
            pins: Vec::new(),
            pins_of: vec![0..0; chip.ports.len()],
            random_inputs: Vec::new(),
            outputs: vec![Vec::new(); chip.ports.len()],
            program,
        };
        for (index, port) in chip.ports.iter().enumerate() {
            if port.direction == Direction::Input {
                continue;
            }
            let bits = plan.program.output(port.name).unwrap_or(&[]).to_vec();
            if let Role::Link { link, lsb } = port.role {
                for (bit, output) in bits.iter().enumerate() {
                    match output {
                        Output::Register(register) => {
                            plan.link_planes[link][lsb as usize + bit] = Some(*register as u32);
                        }
                        Output::Constant(false) => {}
                        Output::Constant(true) => {
                            return Err(fault(
                                format!("module {}, port {}, bit {bit}", module.name, port.name),
                                "it is always 1, and a link at rest is 0".to_owned(),
                            ));
                        }
                    }
                }
            }
            plan.outputs[index] = bits;
        }
        for input in plan.program.inputs.clone() {
            let index = chip.port(&input.port);
            match chip.ports[index].role {
                Role::Link { link, lsb } => {
                    plan.link_inputs[link].push((lsb as usize + input.bit, input.slot));
                }
                Role::Random { stream, kind } => {
                    plan.random_inputs
                        .push((stream + input.bit as u64, kind, input.slot));
                }
                _ => {
                    let plane = plan.pins.len();
                    plan.pin_inputs.push((plane, input.slot));
                    plan.pins.push((index, input.bit));
                    let planes = &mut plan.pins_of[index];
                    let start = if planes.start == planes.end {
                        plane
                    } else {
                        planes.start
                    };
                    *planes = start..plane + 1;
                }
            }
        }
        Ok(plan)
    }
}
