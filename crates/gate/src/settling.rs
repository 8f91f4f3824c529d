//! The passes in which outputs settle that depend on inputs in the same cycle.
//!
//! Each such output is a register ([`mealy`](crosswave_netlist::mealy)). After an edge all other registers
//! have their values. A first pass gives the outputs theirs that depend on these alone, a second one those
//! that depend on the first, and so on: as many passes as the longest chain of such outputs has, from
//! instance to instance over the links of the network.
//!
//! A circle of them has no longest chain. It may still have one value in every cycle, where no input
//! closes it in fact: passes follow then until nothing changes. Outputs that go on changing are a fault.

use std::collections::BTreeMap;

use crosswave_base::diagnostic::Error;
use crosswave_chips::{Chip, Role};
use crosswave_lanes::windows::bit_before;
use crosswave_netlist::mealy::{Settled, dependencies};
use crosswave_netlist::{Bit, Module, PortDirection, is_of_memory};
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::{EngineFault, FaultKind};

/// Outputs of a circle that are named.
pub(super) const NAMED_MAX: usize = 8;

/// Passes of a network with a circle at most: a chain of as many outputs settles.
const PASSES_MAX: usize = 1 << 15;

/// The passes after an edge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settling {
    /// Those after which all outputs have settled, if they do: 0 where no output depends on inputs in
    /// the same cycle.
    pub passes: usize,
    /// A circle of outputs, with their names: `a -> b -> a`.
    pub circle: Option<String>,
}

impl Settling {
    /// The fault of outputs, by their names, that do not settle in a cycle.
    pub fn fault(&self, cycle: u64, mut changing: Vec<String>) -> EngineFault {
        if changing.len() > NAMED_MAX {
            changing.truncate(NAMED_MAX);
            changing.push("more".to_owned());
        }
        EngineFault {
            place: format!("cycle {cycle}"),
            message: format!(
                "outputs do not settle: after {} passes these still change: {}",
                self.passes,
                changing.join(", ")
            ),
            help: "let one of these outputs come from a register; to see what led to it, set run.cycles_max to the \
                   cycle before, and add --vcd FILE",
            kind: FaultKind::Design,
        }
    }
}

/// The name of a bit of a port that has so many.
pub(super) fn bit_name(port: &str, bit: usize, bits: usize) -> String {
    match bits {
        1 => port.to_owned(),
        _ => format!("{port}[{bit}]"),
    }
}

/// A bit of the word at a link port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LinkBit {
    link: usize,
    bit: usize,
}

/// A value of the same cycle that an output depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dependence {
    /// A bit of a link.
    Link(LinkBit),
    /// Another output of the chip: an address at which a memory shows what the output depends on.
    Own(usize),
}

/// The outputs of a chip that settle.
#[derive(Debug, Default)]
struct ChipOutputs {
    /// The name of a port and its bit, and what the output depends on.
    outputs: Vec<(String, Vec<Dependence>)>,
    /// The output that shows at a bit of a link.
    of_link: BTreeMap<LinkBit, usize>,
}

impl ChipOutputs {
    fn new(chip: &Chip, module: &Module) -> ChipOutputs {
        let mut found = ChipOutputs::default();
        let settled = dependencies(module);
        for (number, Settled { q, inputs }) in settled.iter().enumerate() {
            let mut name = String::new();
            for of_module in module.ports_of(PortDirection::Output) {
                let role = chip.ports.iter().find(|port| port.name == of_module.name);
                let role = role.map(|port| port.role);
                for (bit, _) in (0..)
                    .zip(&of_module.bits)
                    .filter(|(_, shown)| **shown == Bit::Net(*q))
                {
                    let is_link = matches!(role, Some(Role::Link { .. }));
                    if is_link || name.is_empty() {
                        name = bit_name(&of_module.name, bit, of_module.bits.len());
                    }
                    if let Some(Role::Link { link, lsb }) = role {
                        let bit = lsb as usize + bit;
                        found.of_link.insert(LinkBit { link, bit }, number);
                    }
                }
            }
            let mut depends = Vec::new();
            for input in inputs {
                let name = &module.ports[input.port].name;
                if is_of_memory(name) {
                    let addresses = addresses(module, name, &settled);
                    depends.extend(addresses.map(Dependence::Own));
                } else if let Role::Link { link, lsb } = chip.ports[chip.port(name)].role {
                    let bit = lsb as usize + input.bit;
                    depends.push(Dependence::Link(LinkBit { link, bit }));
                }
            }
            found.outputs.push((name, depends));
        }
        found
    }
}

/// The outputs, among those that settle, that are the address at which a memory shows something at an input.
fn addresses<'a>(
    module: &'a Module,
    input: &'a str,
    settled: &'a [Settled],
) -> impl Iterator<Item = usize> + use<'a> {
    let reads = module.beside.iter().flat_map(|memory| &memory.reads);
    let addresses = reads.filter(move |read| read.data == input);
    let ports = addresses.filter_map(|read| module.port(&read.address));
    let bits = ports.flat_map(|port| &port.bits);
    bits.filter_map(|bit| settled.iter().position(|one| Bit::Net(one.q) == *bit))
}

/// An output of an instance that settles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OutputSite {
    array: usize,
    instance: usize,
    output: usize,
}

/// The outputs of a network.
struct Outputs<'a> {
    fabric: &'a Fabric,
    /// By array.
    chips: Vec<ChipOutputs>,
    /// The number of the first output of each array.
    first: Vec<usize>,
}

impl Outputs<'_> {
    fn number(&self, place: OutputSite) -> usize {
        let of_chip = self.chips[place.array].outputs.len();
        self.first[place.array] + place.instance * of_chip + place.output
    }

    /// The output that an output depends on, if it settles.
    fn driver(&self, place: OutputSite, input: Dependence) -> Option<OutputSite> {
        let input = match input {
            Dependence::Own(output) => return Some(OutputSite { output, ..place }),
            Dependence::Link(bit) => bit,
        };
        let near = LinkPort {
            array: place.array,
            instance: place.instance,
            link: input.link,
        };
        let peer = self.fabric.peer(near)?;
        let steps = self.fabric.rotation(self.fabric.number(near));
        let driven = LinkBit {
            link: peer.link,
            bit: bit_before(input.bit, steps),
        };
        let output = self.chips[peer.array].of_link.get(&driven)?;
        Some(OutputSite {
            array: peer.array,
            instance: peer.instance,
            output: *output,
        })
    }

    fn name(&self, place: OutputSite) -> String {
        let instance = self.fabric.instance_name(place.array, place.instance);
        let (output, _) = &self.chips[place.array].outputs[place.output];
        format!("{instance}.{output}")
    }

    /// The longest chain, and a circle if there is one, whose last link is left out.
    fn settling(&self) -> Settling {
        let mut circle = None;
        const UNKNOWN: u32 = 0;
        const BEGUN: u32 = u32::MAX;
        let outputs = self.chips.iter().zip(&self.fabric.arrays);
        let outputs = outputs.map(|(chip, array)| chip.outputs.len() * array.instances);
        let count = outputs.sum();
        let mut depth = vec![UNKNOWN; count];
        let mut longest = 0;
        for (array, layout) in self.fabric.arrays.iter().enumerate() {
            for instance in 0..layout.instances {
                for output in 0..self.chips[array].outputs.len() {
                    let place = OutputSite {
                        array,
                        instance,
                        output,
                    };
                    // The outputs that are being looked at, each with the input to look at next.
                    let mut stack = vec![(place, 0)];
                    while let Some(&mut (at, ref mut next)) = stack.last_mut() {
                        let number = self.number(at);
                        if *next == 0 && depth[number] != UNKNOWN {
                            stack.pop();
                            continue;
                        }
                        depth[number] = BEGUN;
                        let inputs = &self.chips[at.array].outputs[at.output].1;
                        if let Some(&input) = inputs.get(*next) {
                            *next += 1;
                            let driver = self.driver(at, input);
                            match driver.map(|driver| (driver, depth[self.number(driver)])) {
                                Some((driver, BEGUN)) => {
                                    circle.get_or_insert_with(|| self.circle(&stack, driver));
                                }
                                Some((driver, UNKNOWN)) => stack.push((driver, 0)),
                                _ => {}
                            }
                            continue;
                        }
                        let before = inputs.iter().filter_map(|&input| self.driver(at, input));
                        let before = before.map(|driver| depth[self.number(driver)]);
                        let before = before.filter(|&depth| depth != BEGUN).max();
                        depth[number] = 1 + before.unwrap_or(0);
                        longest = longest.max(depth[number]);
                        stack.pop();
                    }
                }
            }
        }
        // In a circle, what an output shows goes through all others before it comes back.
        let passes = match circle {
            Some(_) => (count + 1).min(PASSES_MAX),
            None => longest as usize,
        };
        Settling { passes, circle }
    }

    /// The outputs on the way from one to itself.
    fn circle(&self, stack: &[(OutputSite, usize)], from: OutputSite) -> String {
        let begins = stack.iter().position(|(place, _)| *place == from);
        let circle = &stack[begins.unwrap_or(0)..];
        // From driver to driven.
        let names = circle.iter().rev().map(|(place, _)| self.name(*place));
        let mut names: Vec<String> = names.collect();
        names.rotate_right(1);
        let first = names[0].clone();
        if names.len() > NAMED_MAX {
            let more = names.len() - NAMED_MAX;
            names.truncate(NAMED_MAX);
            names.push(format!("{more} more"));
        }
        names.push(first);
        names.join(" -> ")
    }
}

/// The passes that a network needs after an edge. `netlist` gives the module of each chip by name.
///
/// # Errors
/// Those of `netlist`.
pub fn settling<'m>(
    fabric: &Fabric,
    netlist: impl Fn(&str) -> Result<&'m Module, Error>,
) -> Result<Settling, Error> {
    let mut chips = Vec::new();
    let mut first = Vec::new();
    let mut outputs = 0;
    for array in &fabric.arrays {
        let found = ChipOutputs::new(array.chip, netlist(array.chip.name)?);
        first.push(outputs);
        outputs += found.outputs.len() * array.instances;
        chips.push(found);
    }
    if outputs == 0 {
        return Ok(Settling::default());
    }
    let outputs = Outputs {
        fabric,
        chips,
        first,
    };
    Ok(outputs.settling())
}
