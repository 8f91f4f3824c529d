//! Makes outputs that gates compute from registers come from registers of their own.
//!
//! An output that is a function `f` of registers, as in a Moore machine, shows in cycle t + 1 what
//! `f` gives of the values that the registers take at the edge. A register whose data is `f` of
//! their data shows the same. The gates of `f` are there twice afterwards: for the output, and for
//! whoever else reads the nets in between.
//!
//! An output that depends on an input within the cycle (Mealy) has no such register. Where the input
//! settles within the cycle, as one that another module drives does, the output gets a register that
//! takes what the gates show, for passes between edges ([`mealy`](super::mealy)). Other inputs that may
//! change are refused there. Inputs that stand still while the module runs are no such inputs:
//! configuration pins, and the reset, which is 0 then.

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::findings::{Findings, NetlistPlace};
use super::function::Function;
use super::levelise::levelise;
use super::mealy::SETTLED;
use super::memories::is_of_memory;
use super::model::{Bit, Cell, CellKind, Flop, Gate, Module, NetId, PortDirection};
use crosswave_base::diagnostic::Error;

/// The part that an input plays while a module runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputRole {
    /// It may change in every cycle, and no output may depend on it in the same one.
    Changing,
    /// It may change in every cycle, and what depends on it settles.
    Settling,
    /// It keeps its value.
    Still,
    /// It is 0.
    Zero,
}

/// The driver of a net.
#[derive(Debug, Clone, Copy)]
enum Driver {
    /// A bit of an input port.
    Input { port: usize },
    /// A flip-flop, by its cell.
    Flop(usize),
    /// A gate, by its cell.
    Gate(usize),
}

/// A module with all outputs from flip-flops or constants.
#[derive(Debug, Clone)]
pub struct RegisteredOutputs {
    /// The module.
    pub module: Module,
    /// The number of output bits that got a flip-flop.
    pub bits: usize,
    /// Those of them that settle within the cycle.
    pub settled: usize,
}

/// The module with all outputs from flip-flops or constants. Its flip-flops are plain
/// ([`lower_flops`](super::lower_flops)), on `clock`; `role` says what each input port does.
///
/// # Errors
/// Each output that depends on a changing input within the cycle, with the path.
pub fn register_outputs(
    module: &Module,
    clock: &str,
    role: impl Fn(&str) -> InputRole,
) -> Result<RegisteredOutputs, Error> {
    let mut findings = Findings::default();
    let drivers = drivers(module);
    let wanted = driven_by_gates(module, &drivers);
    let Cones {
        needed,
        mealy,
        settled,
    } = cones(module, &drivers, &wanted, &role);
    for (net, (port, bit)) in &wanted {
        if let Some(input) = mealy.get(net) {
            let place = NetlistPlace::module(&module.name, &module.src);
            findings.add(
                place.port(&module.ports[*port].name).bit(*bit),
                format!(
                    "it depends on the input `{input}` in the same cycle: {}",
                    path(module, &drivers, *net, input)
                ),
                "register it: an output follows the inputs by a cycle at least",
            );
        }
    }
    findings.finish((), &module.name, None)?;
    let clock_bit = module.port(clock).map_or(Bit::Zero, |port| port.bits[0]);
    let reset = module.ports_of(PortDirection::Input);
    let mut reset = reset.filter(|port| role(&port.name) == InputRole::Zero);
    let reset = reset.next().map_or(Bit::Zero, |port| port.bits[0]);
    let mut registered = module.clone();
    // The value that a net of the cone has after the edge.
    let mut after: BTreeMap<NetId, Bit> = BTreeMap::new();
    let value_after = |after: &BTreeMap<NetId, Bit>, bit: Bit| -> Bit {
        let Bit::Net(net) = bit else {
            return bit;
        };
        match drivers[net.index()] {
            Some(Driver::Flop(cell)) => match &module.cells[cell].kind {
                CellKind::Flop(flop) => flop.data,
                _ => unreachable!("the cell of a flip-flop"),
            },
            Some(Driver::Input { port }) => match role(&module.ports[port].name) {
                InputRole::Zero => Bit::Zero,
                _ => bit,
            },
            Some(Driver::Gate(_)) => after[&net],
            None => Bit::X,
        }
    };
    let levels = levelise(module).map_err(|_| unreachable_loop(module))?;
    for &cell in &levels.order {
        let CellKind::Gate(gate) = &module.cells[cell].kind else {
            continue;
        };
        if !needed.contains(&gate.output) {
            continue;
        }
        let inputs = gate.inputs.iter();
        let copy = Gate {
            function: gate.function,
            inputs: inputs.map(|&bit| value_after(&after, bit)).collect(),
            output: registered.add_net(&format!("{}$after", module.net_name(gate.output))),
        };
        after.insert(gate.output, Bit::Net(copy.output));
        registered.cells.push(Cell {
            name: format!("{}$after", module.cells[cell].name).into(),
            src: module.cells[cell].src.clone(),
            kind: CellKind::Gate(copy),
        });
    }
    for (net, (port, bit)) in &wanted {
        let settles = settled.contains(net);
        let kind = if settles { SETTLED } else { "$output" };
        let name = format!("{}[{bit}]{kind}", module.ports[*port].name);
        let q = registered.add_net(&name);
        let data = match settles {
            true => unless(&mut registered, &name, Bit::Net(*net), reset),
            false => value_after(&after, Bit::Net(*net)),
        };
        registered.cells.push(Cell {
            name: name.into(),
            src: (*module.src).into(),
            kind: CellKind::Flop(Box::new(Flop::plain(clock_bit, data, q))),
        });
        let outputs = registered.ports.iter_mut();
        for output in outputs.filter(|port| port.direction == PortDirection::Output) {
            let shown = output
                .bits
                .iter_mut()
                .filter(|shown| **shown == Bit::Net(*net));
            shown.for_each(|shown| *shown = Bit::Net(q));
        }
    }
    Ok(RegisteredOutputs {
        module: registered,
        bits: wanted.len(),
        settled: settled.len(),
    })
}

/// A bit that is 0 under reset.
fn unless(module: &mut Module, name: &str, bit: Bit, reset: Bit) -> Bit {
    let gate = Gate {
        function: Function::AndNot,
        inputs: [bit, reset].as_slice().into(),
        output: module.add_net(&format!("{name}$data")),
    };
    let output = Bit::Net(gate.output);
    module.cells.push(Cell {
        name: format!("{name}$data").into(),
        src: SmolStr::default(),
        kind: CellKind::Gate(gate),
    });
    output
}

/// A loop in a module that has passed the check of loops.
fn unreachable_loop(module: &Module) -> Error {
    unreachable!("module {} has passed the check", module.name)
}

fn drivers(module: &Module) -> Vec<Option<Driver>> {
    let mut drivers = vec![None; module.nets.len()];
    for (port, input) in module.ports.iter().enumerate() {
        if input.direction == PortDirection::Input {
            for net in input.bits.iter().filter_map(|bit| bit.net()) {
                drivers[net.index()] = Some(Driver::Input { port });
            }
        }
    }
    for (cell, found) in module.cells.iter().enumerate() {
        match &found.kind {
            CellKind::Gate(gate) => drivers[gate.output.index()] = Some(Driver::Gate(cell)),
            CellKind::Flop(flop) => drivers[flop.q.index()] = Some(Driver::Flop(cell)),
            CellKind::Memory(_) | CellKind::Instance(_) => {}
        }
    }
    drivers
}

/// The nets that outputs show and no flip-flop drives, each with the first port and bit.
fn driven_by_gates(module: &Module, drivers: &[Option<Driver>]) -> BTreeMap<NetId, (usize, usize)> {
    let mut found = BTreeMap::new();
    for (index, port) in module.ports.iter().enumerate() {
        if port.direction != PortDirection::Output {
            continue;
        }
        for (bit, net) in port.bits.iter().enumerate() {
            if let Bit::Net(net) = *net
                && !matches!(drivers[net.index()], Some(Driver::Flop(_)))
            {
                found.entry(net).or_insert((index, bit));
            }
        }
    }
    found
}

/// The gates behind outputs.
#[derive(Debug, Default)]
struct Cones {
    /// The nets of gates on which those that are wanted depend that do not settle.
    needed: BTreeSet<NetId>,
    /// For each wanted net that depends on a changing input, the name of one.
    mealy: BTreeMap<NetId, String>,
    /// The wanted nets that settle.
    settled: BTreeSet<NetId>,
}

/// Looks for the inputs that wanted nets depend on.
fn cones(
    module: &Module,
    drivers: &[Option<Driver>],
    wanted: &BTreeMap<NetId, (usize, usize)>,
    role: &impl Fn(&str) -> InputRole,
) -> Cones {
    let mut cones = Cones::default();
    for (&net, &(output, _)) in wanted {
        let is_address = is_of_memory(&module.ports[output].name);
        let mut seen = BTreeSet::new();
        let mut left = vec![net];
        while let Some(at) = left.pop() {
            if !seen.insert(at) {
                continue;
            }
            match drivers[at.index()] {
                Some(Driver::Gate(cell)) => {
                    let kind = &module.cells[cell].kind;
                    kind.visit_inputs(|_, _, bit| left.extend(bit.net()));
                }
                Some(Driver::Input { port }) => {
                    let name = &module.ports[port].name;
                    match role(name) {
                        InputRole::Changing => {
                            cones.mealy.entry(net).or_insert_with(|| name.clone());
                        }
                        InputRole::Settling => {
                            cones.settled.insert(net);
                        }
                        // An address need not have a value after reset.
                        InputRole::Still if is_address => {
                            cones.settled.insert(net);
                        }
                        InputRole::Still | InputRole::Zero => {}
                    }
                }
                Some(Driver::Flop(_)) | None => {}
            }
        }
        if !cones.settled.contains(&net) {
            cones.needed.extend(seen);
        }
    }
    cones
}

/// Nets that a path names at most.
const PATH_MAX: usize = 6;

/// The nets from an input to a net, shortest first, as `a -> b -> c`.
fn path(module: &Module, drivers: &[Option<Driver>], to: NetId, input: &str) -> String {
    // From the output back, with the net that led to each.
    let mut next: BTreeMap<NetId, NetId> = BTreeMap::new();
    let mut left = std::collections::VecDeque::from([to]);
    let mut found = None;
    while let Some(at) = left.pop_front() {
        match drivers[at.index()] {
            Some(Driver::Input { port }) if module.ports[port].name == input => {
                found = Some(at);
                break;
            }
            Some(Driver::Gate(cell)) => module.cells[cell].kind.visit_inputs(|_, _, bit| {
                if let Some(net) = bit.net()
                    && net != to
                    && !next.contains_key(&net)
                {
                    next.insert(net, at);
                    left.push_back(net);
                }
            }),
            _ => {}
        }
    }
    let Some(mut at) = found else {
        return String::new();
    };
    let mut names = vec![module.net_name(at)];
    while let Some(&net) = next.get(&at) {
        names.push(module.net_name(net));
        at = net;
    }
    if names.len() > PATH_MAX {
        let left_out = names.len() - PATH_MAX;
        let more = format!("{left_out} more");
        let (first, last) = (&names[..PATH_MAX / 2], &names[names.len() - PATH_MAX / 2..]);
        return [first.join(" -> "), more, last.join(" -> ")].join(" -> ");
    }
    names.join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluation, lower_flops, text};

    const TEXT: &str = "module m\n input clk\n input rst\n input mode\n input a\n output x\n output y\n \
        gate g1 ANDNOT a rst -> d\n flop f1 d -> q1 posedge clk\n flop f2 q1 -> q2 posedge clk\n \
        gate g2 XOR q1 q2 -> t\n gate g3 MUX t q2 mode -> x\n gate g4 AND q1 q2 -> y\nend\n";

    fn role(name: &str) -> InputRole {
        match name {
            "rst" => InputRole::Zero,
            "mode" => InputRole::Still,
            _ => InputRole::Changing,
        }
    }

    fn lowered(source: &str) -> Module {
        let design = text::parse(source, "test").expect("sound");
        lower_flops(design.modules[0].clone(), "clk").expect("one clock")
    }

    #[test]
    fn outputs_are_the_same_in_every_cycle() {
        let module = lowered(TEXT);
        let RegisteredOutputs {
            module: registered,
            bits,
            settled,
        } = register_outputs(&module, "clk", role).expect("Moore");
        assert_eq!((bits, settled), (2, 0));
        let (drivers, outputs) = (
            drivers(&registered),
            registered.ports_of(PortDirection::Output),
        );
        for bit in outputs.flat_map(|port| &port.bits) {
            let net = bit.net().expect("a net");
            assert!(matches!(drivers[net.index()], Some(Driver::Flop(_))));
        }
        for mode in [0, 1] {
            let shown = [&module, &registered].map(|module| {
                let evaluation = Evaluation::new(module).expect("no loop");
                let mut nets = vec![false; module.nets.len()];
                let drive = |nets: &mut [bool], name, value| {
                    Evaluation::drive(module.port(name).expect("a port"), nets, value);
                };
                let shown = (0_u32..40).map(|cycle| {
                    drive(&mut nets, "rst", u64::from(cycle == 0));
                    drive(&mut nets, "mode", mode);
                    drive(
                        &mut nets,
                        "a",
                        u64::from(0x9d3a_61f5_u32.rotate_left(cycle) & 1),
                    );
                    evaluation.settle(&mut nets);
                    let outputs = module.ports_of(PortDirection::Output);
                    let values = outputs.map(|port| Evaluation::port(port, &nets));
                    let values: Vec<u64> = values.collect();
                    evaluation.edge(&mut nets);
                    values
                });
                shown.collect::<Vec<_>>()
            });
            assert_eq!(shown[0][1..], shown[1][1..]);
            assert!(shown[0].iter().any(|values| values[0] != values[1]));
        }
    }

    #[test]
    fn mealy_outputs_are_told_with_their_path() {
        let module = lowered(&TEXT.replace("AND q1 q2 -> y", "AND a t -> y"));
        let error = register_outputs(&module, "clk", role).expect_err("Mealy");
        let told = &error.diagnostics[0];
        assert!(told.place.contains("port y, bit 0"), "{}", told.place);
        assert!(
            told.message.ends_with("in the same cycle: a -> y"),
            "{}",
            told.message
        );
    }
}
