//! A module made ready for an engine: plain registers, gates in level order.

use super::findings::{Findings, NetlistPlace};
use super::fold::fold;
use super::levelise::levelise;
use super::lower::lower_outside_loops;
use super::memories::memories_within_as_gates;
use super::model::{Bit, CellKind, Gate, Module, NetId, Port, PortDirection};
use crosswave_base::diagnostic::Error;
use smol_str::SmolStr;

/// A register: in each cycle `q` takes the value that `data` had in the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    /// The name of the flip-flop.
    pub name: SmolStr,
    /// The bit whose value it takes.
    pub data: Bit,
    /// The net it drives.
    pub q: NetId,
    /// Its value in the first cycle, when the design gives one.
    pub init: Option<bool>,
}

/// A module without instances, with one clock, as an engine evaluates it.
///
/// To evaluate a cycle: set the nets of the inputs and of the registers' `q`,
/// evaluate `gates` in order, read the bits of the outputs and of the registers'
/// `data`. The net of the clock is among the inputs, and nothing reads it.
///
/// ```
/// use crosswave_netlist::{Leaf, text};
///
/// let design = text::parse(
///     "module m\n input clk\n input en\n output q\n gate g BUF en -> e\n \
///      flop f d -> q posedge clk enable e high\n gate n NOT q -> d\nend\n",
///     "example",
/// )?;
/// let leaf = Leaf::new(&design.modules[0], "clk", &[])?;
/// assert_eq!(leaf.registers.len(), 1);
/// assert_eq!(leaf.gates.len(), 1); // q XOR en
/// # Ok::<(), crosswave_base::diagnostic::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// The module after [`fold()`] and [`lower_flops`](super::lower_flops), for its names and ports.
    pub module: Module,
    /// The registers, in the order of the module.
    pub registers: Vec<Register>,
    /// The gates, in an order in which each comes after those it reads.
    pub gates: Vec<Gate>,
    /// Start of each level in `gates`; the last entry is the number of gates.
    pub level_starts: Vec<usize>,
}

impl Leaf {
    /// Ties inputs of a module that has passed [`check()`](super::check()), makes gates of its memories,
    /// lowers its flip-flops, simplifies it and orders the gates.
    ///
    /// Reports flip-flops that [`lower_flops`](super::lower_flops) refuses, memories that are too large,
    /// instances, and ties of inputs that the module does not have.
    pub fn new(
        module: &Module,
        clock: &str,
        ties: &[(String, usize, bool)],
    ) -> Result<Leaf, Error> {
        let mut findings = Findings::default();
        let place = NetlistPlace::module(&module.name, &module.src);
        for (cell, instance) in module.instances() {
            findings.add(
                place.cell(&cell.name, &cell.src),
                format!("an instance of `{}` within a leaf", instance.module),
                "run the Yosys pass `flatten` on this module",
            );
        }
        for (port, bit, _) in ties {
            let found = module.port(port);
            let input = found.filter(|found| found.direction == PortDirection::Input);
            if input.is_none_or(|input| *bit >= input.bits.len()) {
                findings.add(
                    place.port(port).bit(*bit),
                    "there is no such input to tie",
                    "tie bits of input ports only",
                );
            }
        }
        findings.finish((), &module.name, None)?;
        // Folding first takes buffers off the clock, and loops through asynchronous
        // controls that ties disable.
        let gates = memories_within_as_gates(module.clone())?;
        let (mut module, lowered) = lower_outside_loops(fold(gates, ties), clock)?;
        if lowered {
            module = fold(module, &[]);
        }
        let levels = levelise(&module).map_err(|loops| {
            let mut findings = Findings::default();
            for found in loops {
                findings.push(found.diagnostic(&module));
            }
            match findings.finish((), &module.name, None) {
                Err(error) => error,
                Ok(()) => unreachable!("levelise names at least one loop"),
            }
        })?;
        let gates = levels
            .order
            .iter()
            .filter_map(|&index| match &module.cells[index].kind {
                CellKind::Gate(gate) => Some(gate.clone()),
                _ => None,
            });
        Ok(Leaf {
            registers: module
                .flops()
                .map(|(cell, flop)| Register {
                    name: cell.name.clone(),
                    data: flop.data,
                    q: flop.q,
                    init: flop.init,
                })
                .collect(),
            gates: gates.collect(),
            level_starts: levels.starts,
            module,
        })
    }

    /// The number of nets.
    pub fn nets(&self) -> usize {
        self.module.nets.len()
    }

    /// The number of levels of gates.
    pub fn depth(&self) -> usize {
        self.level_starts.len().saturating_sub(1)
    }

    /// The inputs, the clock among them.
    pub fn inputs(&self) -> impl Iterator<Item = &Port> {
        self.module.ports_of(PortDirection::Input)
    }

    /// The outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &Port> {
        self.module.ports_of(PortDirection::Output)
    }
}
