//! The registers of a chip's netlist: where an engine of bit planes keeps each, and what each output
//! shows.
//!
//! Bit `b` of the word that link port `l` drives is output plane `l * link_bits + b`, in every array
//! of a network; bits that a chip does not drive stay 0. All other registers are state, which
//! nobody else reads.

use smallvec::SmallVec;

use crate::{Chip, Role};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{Bit, Leaf, Module, is_of_memory};

/// A port bit that the module drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// A constant.
    Constant(bool),
    /// The value of a register.
    Register(usize),
}

/// Storage of a register's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// A plane of the outputs, which neighbours read.
    Outputs(usize),
    /// A plane of the state, which nobody else reads.
    State(usize),
}

/// A register that drives bits of link ports, and the output planes it drives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Driver {
    /// The register.
    pub register: usize,
    /// Output planes.
    pub planes: SmallVec<[usize; 1]>,
}

/// The registers of a chip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registers {
    /// The storage of each register.
    pub places: Vec<Storage>,
    /// Registers kept in the outputs.
    pub drivers: Vec<Driver>,
    /// Registers kept in the state, in order of their planes.
    pub kept: Vec<usize>,
    /// Driven bits of each port of the chip; empty for inputs.
    pub outputs: Vec<Vec<Output>>,
}

fn fault(module: &str, place: String, message: String, help: &'static str) -> Error {
    Error::one(
        Class::Input,
        module.to_owned(),
        Diagnostic::new(place, message, help),
    )
}

/// Compares a netlist's ports with its chip's table.
///
/// # Errors
/// A port that has another width, or is missing.
pub fn check_ports(chip: &Chip, module: &Module) -> Result<(), Error> {
    for port in chip.ports {
        let width = module.port(port.name).map_or(0, |found| found.bits.len());
        if width != port.width as usize {
            return Err(fault(
                &module.name,
                format!("module {}, port {}", module.name, port.name),
                format!(
                    "the netlist has {width} bits there, the chip's table {}",
                    port.width
                ),
                "synthesise the chip again with hdl/synthesise.sh",
            ));
        }
    }
    Ok(())
}

impl Registers {
    /// Finds what every output shows, and gives every register its place.
    ///
    /// # Errors
    /// When an output comes from a gate, and when one of a link is always 1.
    pub fn new(chip: &Chip, leaf: &Leaf, link_bits: usize) -> Result<Registers, Error> {
        let mut registers = Registers {
            places: Vec::new(),
            drivers: Vec::new(),
            kept: Vec::new(),
            outputs: vec![Vec::new(); chip.ports.len()],
        };
        let mut register_of = vec![None; leaf.nets()];
        for (index, register) in leaf.registers.iter().enumerate() {
            register_of[register.q.index()] = Some(index);
        }
        let mut driven: Vec<SmallVec<[usize; 1]>> = vec![SmallVec::new(); leaf.registers.len()];
        for port in leaf.outputs().filter(|port| !is_of_memory(&port.name)) {
            let index = chip.port(&port.name);
            for (bit, &shown) in port.bits.iter().enumerate() {
                let place =
                    || format!("module {}, port {}, bit {bit}", leaf.module.name, port.name);
                let output = match shown {
                    Bit::Zero | Bit::X => Output::Constant(false),
                    Bit::One => Output::Constant(true),
                    Bit::Net(net) => Output::Register(register_of[net.index()].ok_or_else(|| {
                        fault(
                            &leaf.module.name,
                            place(),
                            format!(
                                "net {} comes from a gate; outputs have to come from flip-flops",
                                leaf.module.net_name(net)
                            ),
                            "register the output in the source of the module",
                        )
                    })?),
                };
                if let Role::Link { link, lsb } = chip.ports[index].role {
                    match output {
                        Output::Register(register) => {
                            driven[register].push(link * link_bits + lsb as usize + bit);
                        }
                        Output::Constant(false) => {}
                        Output::Constant(true) => {
                            return Err(fault(
                                &leaf.module.name,
                                place(),
                                "it is always 1, and a link at rest is 0".to_owned(),
                                "synthesise the chip again with hdl/synthesise.sh",
                            ));
                        }
                    }
                }
                registers.outputs[index].push(output);
            }
        }
        for (register, planes) in driven.into_iter().enumerate() {
            if let Some(&first) = planes.first() {
                registers.places.push(Storage::Outputs(first));
                registers.drivers.push(Driver { register, planes });
            } else {
                registers.places.push(Storage::State(registers.kept.len()));
                registers.kept.push(register);
            }
        }
        Ok(registers)
    }
}
