//! Proofs of the [properties](super::properties) of a component.
//!
//! The rules are synthesised as the router was and joined to its netlist, so what is proved is about the
//! gates that a run has. Each property becomes a [`circuit`] with one output, which ABC proves never to be 1:
//! by k-induction, or by an invariant that it finds (IC3). A counterexample is evaluated again, net by net.
//!
//! Sources: Sheeran, Singh, Stålmarck, "Checking Safety Properties Using Induction and a SAT-Solver", FMCAD
//! 2000; Bradley, "SAT-Based Model Checking without Unrolling", VMCAI 2011.

pub mod circuit;

use std::collections::{BTreeMap, BTreeSet};

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_chips::Role;
use crosswave_chips::half_cycles::{self, HalfCycleLinks};
use crosswave_netlist::{
    Bit, Evaluation, Module, NetId, Port, PortDirection, lower_both_edges, without_memories,
};
use crosswave_synthesis::prover::{Outcome, Prover};

pub use crosswave_synthesis::prover::ProofLimits;

use super::Component;
use super::map::PinSource;
use super::properties::{Form, Properties, Rule};
use circuit::{Circuit, InputUse};

/// A component with its rules, ready for proofs.
#[derive(Debug)]
pub struct Proofs {
    /// The properties and assumptions.
    pub properties: Properties,
    /// The router and its rules in one netlist.
    module: Module,
    /// The use of each port.
    uses: Vec<InputUse>,
    /// Bits of inputs that are 0: the number of the port, and that of the bit.
    zeros: BTreeSet<(usize, usize)>,
    prover: Prover,
}

/// The verdict on a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofVerdict {
    /// Proved by induction over so many cycles.
    Inductive(u64),
    /// Proved by an invariant that was found in so many frames.
    Invariant(u64),
    /// It holds in so many cycles from the reset on; more is not known.
    Bounded(u64),
    /// It is broken.
    Fails(Counterexample),
    /// It holds, but no legal traffic was found in which it says something.
    Vacuous,
    /// Nothing is known.
    Open,
}

/// A run in which a property is broken in the last cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counterexample {
    /// The values of all ports of the router in each cycle, in the order of [`Proofs::ports`]; the lowest bit first.
    pub cycles: Vec<Vec<Vec<bool>>>,
}

impl Counterexample {
    /// The cycle in which the property is broken.
    pub fn cycle(&self) -> usize {
        self.cycles.len() - 1
    }
}

/// The module with rules beside it. Inputs of the rules are the router's ports of the same name; its
/// outputs become outputs of the whole.
pub(crate) fn joined(router: &Module, rules: &Module) -> Module {
    let mut module = router.clone();
    let mut nets: BTreeMap<NetId, Bit> = BTreeMap::new();
    for port in rules.ports_of(PortDirection::Input) {
        let driven = router.port(&port.name);
        for (at, bit) in port.bits.iter().enumerate() {
            if let (Bit::Net(net), Some(driven)) = (bit, driven) {
                nets.insert(*net, driven.bits.get(at).copied().unwrap_or(Bit::Zero));
            }
        }
    }
    let mut bit_of = |module: &mut Module, bit: Bit| match bit {
        Bit::Net(net) => *nets
            .entry(net)
            .or_insert_with(|| Bit::Net(module.add_net(&format!("rules.{}", rules.net_name(net))))),
        constant => constant,
    };
    for cell in &rules.cells {
        let mut cell = cell.clone();
        cell.name = format!("rules.{}", cell.name).into();
        cell.kind.map_inputs(|bit| bit_of(&mut module, bit));
        cell.kind.map_outputs(|net| {
            let bit = bit_of(&mut module, Bit::Net(net));
            bit.net().expect("no rule drives a port of the router")
        });
        module.cells.push(cell);
    }
    for port in rules.ports_of(PortDirection::Output) {
        let bits = port.bits.iter();
        let bits = bits.map(|&bit| bit_of(&mut module, bit)).collect();
        module.ports.push(Port {
            bits,
            ..port.clone()
        });
    }
    module
}

/// Bits of destinations in flits that come in, from a number of bits of each field on.
fn zeros(
    component: &Component,
    module: &Module,
    destination_bits: Option<usize>,
) -> BTreeSet<(usize, usize)> {
    let mut zeros = BTreeSet::new();
    let Some(kept) = destination_bits else {
        return zeros;
    };
    let chip = component.router.chip;
    let fields = &component.packet.destination;
    for (number, port) in module.ports.iter().enumerate() {
        let found = chip.ports.iter().find(|found| found.name == port.name);
        let Some(Role::Link { lsb, .. }) = found.map(|found| found.role) else {
            continue;
        };
        for bit in 0..port.bits.len() {
            let of_flit = lsb as usize + bit;
            let is_cut = |(_, range): &(_, std::ops::Range<usize>)| {
                range.contains(&of_flit) && of_flit >= range.start + kept
            };
            if port.direction == PortDirection::Input
                && of_flit < component.form.data_bits
                && fields.iter().any(is_cut)
            {
                zeros.insert((number, bit));
            }
        }
    }
    zeros
}

impl Proofs {
    /// Makes the rules of a component. `pins` are given values of pins; others have the values of the component
    /// file, or any where instances have their own. With `destination_bits` only so many bits of each field of a
    /// destination may be 1: less is proved, and sooner.
    ///
    /// # Errors
    /// When Yosys or ABC is missing, or the router has a loop of gates.
    pub fn new(
        component: &Component,
        pins: &BTreeMap<String, Option<u64>>,
        destination_bits: Option<usize>,
    ) -> Result<Proofs, Error> {
        let prover = Prover::find()?;
        let properties = component.properties();
        let rules = component.rules(&properties, Form::Proof)?;
        let router = without_memories(&component.router.netlist.module)?;
        let module = joined(&router, &rules);
        let (module, edges) = lower_both_edges(module, "clock")?;
        let chip = component.router.chip;
        // Neighbours are routers like it, and are to keep their links in both halves of a cycle.
        let links = HalfCycleLinks::new(chip, &edges);
        half_cycles::check([(&*component.router.origin, &links)])?;
        let uses = module.ports.iter().map(|port| {
            let Some(at) = chip.ports.iter().position(|found| found.name == port.name) else {
                return InputUse::Clock;
            };
            let of_file = component.pins.iter().find(|(found, _)| *found == at);
            match (chip.ports[at].role, pins.get(&port.name), of_file) {
                (Role::Clock, ..) => InputUse::Clock,
                (Role::Reset, ..) => InputUse::Reset,
                (_, Some(Some(value)), _) => InputUse::Fixed(*value),
                (_, Some(None), _) => InputUse::Kept,
                (_, None, Some((_, PinSource::Value(value)))) => InputUse::Fixed(*value),
                (Role::Option | Role::Parameter, ..) => InputUse::Kept,
                _ if port.direction == PortDirection::Input => InputUse::Free,
                _ => InputUse::Clock,
            }
        });
        let uses = uses.collect();
        let zeros = zeros(component, &module, destination_bits);
        Evaluation::new(&module)?;
        Ok(Proofs {
            properties,
            uses,
            zeros,
            prover,
            module,
        })
    }

    /// The ports of the router, whose values counterexamples have.
    pub fn ports(&self) -> impl Iterator<Item = &Port> {
        let ports = self.module.ports.iter();
        ports.filter(|port| !["breaches", "premises"].contains(&&*port.name))
    }

    /// A bit for each rule.
    fn bits(&self, port: &str) -> Vec<Bit> {
        let found = self.module.port(port);
        found.map_or(Vec::new(), |port| port.bits.clone())
    }

    /// The assumptions under which a property is proved: all, or those that most routers need for it.
    fn assumed(&self, property: &Rule, all: bool) -> Vec<Bit> {
        let rules = self.properties.rules.iter().zip(self.bits("breaches"));
        let assumed = rules.filter(|(rule, _)| match all {
            true => rule.is_assumed && rule.traffic <= property.traffic,
            false => rule.supports(property),
        });
        assumed.map(|(_, bit)| bit).collect()
    }

    /// The circuit of a rule: of its breach, or of its premise.
    fn circuit(&self, rule: usize, port: &str, all: bool) -> Result<Vec<u8>, Error> {
        let mut circuit = Circuit::new(&self.module, &self.uses, &self.zeros)?;
        let assumed = self.assumed(&self.properties.rules[rule], all);
        Ok(circuit.aiger(self.bits(port)[rule], &assumed))
    }

    /// Proves a property, the rule of this number. What holds with fewer assumptions holds with all.
    ///
    /// # Errors
    /// When ABC does not run, gives a counterexample that is none, or `check` gives an error.
    pub fn prove(
        &self,
        rule: usize,
        limits: ProofLimits,
        check: &dyn Fn() -> Result<(), Error>,
    ) -> Result<ProofVerdict, Error> {
        let circuits = [
            self.circuit(rule, "breaches", true)?,
            self.circuit(rule, "breaches", false)?,
        ];
        let held = match self.prover.prove(&circuits, limits, check)? {
            Outcome::Reached(inputs) => {
                return self.replay(rule, &inputs).map(ProofVerdict::Fails);
            }
            Outcome::Open => return Ok(ProofVerdict::Open),
            Outcome::Inductive(k) => ProofVerdict::Inductive(k),
            Outcome::Invariant(frames) => ProofVerdict::Invariant(frames),
            Outcome::Bounded(depth) => ProofVerdict::Bounded(depth),
        };
        let premise = self.circuit(rule, "premises", true)?;
        match self.prover.reach(&premise, limits, check)? {
            true => Ok(held),
            false => Ok(ProofVerdict::Vacuous),
        }
    }

    /// Evaluates a counterexample.
    fn replay(&self, rule: usize, inputs: &[Vec<bool>]) -> Result<Counterexample, Error> {
        let evaluation = Evaluation::new(&self.module)?;
        let circuit = Circuit::new(&self.module, &self.uses, &self.zeros)?;
        let mut nets = evaluation.initial();
        let value = |nets: &[bool], bit: Bit| match bit {
            Bit::Net(net) => nets[net.index()],
            bit => bit == Bit::One,
        };
        let breach = self.bits("breaches")[rule];
        let assumed = self.assumed(&self.properties.rules[rule], true);
        let mut cycles = Vec::new();
        for (cycle, frame) in inputs.iter().enumerate() {
            for (port, used) in self.module.ports.iter().zip(&self.uses) {
                let drive = |nets: &mut Vec<bool>, value| Evaluation::drive(port, nets, value);
                match used {
                    InputUse::Reset => drive(&mut nets, u64::from(cycle == 0)),
                    InputUse::Fixed(value) => drive(&mut nets, *value),
                    _ => {}
                }
            }
            for (at, &(port, bit)) in circuit.inputs.iter().enumerate() {
                if self.zeros.contains(&(port, bit)) {
                    continue;
                }
                let given = match self.uses[port] {
                    InputUse::Kept => inputs[0].get(at),
                    _ => frame.get(at),
                };
                if let Bit::Net(net) = self.module.ports[port].bits[bit] {
                    nets[net.index()] = given.copied().unwrap_or(false);
                }
            }
            evaluation.settle(&mut nets);
            let ports = self.ports();
            let ports = ports.map(|port| port.bits.iter().map(|&bit| value(&nets, bit)).collect());
            cycles.push(ports.collect());
            if assumed.iter().any(|&bit| value(&nets, bit)) {
                break;
            }
            if value(&nets, breach) {
                return Ok(Counterexample { cycles });
            }
            evaluation.edge(&mut nets);
        }
        let title = self.properties.rules[rule].title();
        let message =
            format!("the counterexample to {title} does not break it when it is evaluated");
        let help = "please report it, with the component file and its sources";
        Err(Error::one(
            Class::Io,
            "ABC",
            Diagnostic::new("counterexample", message, help),
        ))
    }

    /// The properties and their numbers.
    pub fn all(&self) -> impl Iterator<Item = (usize, &Rule)> {
        let rules = self.properties.rules.iter().enumerate();
        rules.filter(|(_, rule)| !rule.is_assumed)
    }
}
