//! A netlist from elsewhere made fit for the place of a chip.
//!
//! The chips of `hdl/` keep rules that an engine relies on. A netlist that a designer brings may
//! break some of them, and is changed so that it keeps them and does the same:
//!
//! | rule | what is done |
//! |---|---|
//! | its ports are those of the chip's table | each difference is an error; outputs that are not in the table are left out |
//! | every register has a value after reset | those that the reset leaves open get 0 |
//! | every output comes from a flip-flop | an output that gates compute from registers gets one ([`register_outputs`]) |
//! | no output follows an input in the same cycle | the flip-flop of an output that follows links [settles](super::settling); one that follows other inputs is an error |
//! | it consists of flip-flops and gates | memories that pay stand beside it ([`cut_memories`]) and are held as words; others become flip-flops |
//! | a link at rest is 0 | an output of a link that is always 1 gets a flip-flop, which is 1 from the reset on |

use std::collections::BTreeMap;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_chips::half_cycles::{self, HalfCycleLinks};
use crosswave_chips::registers::check_ports;
use crosswave_chips::{Chip, PinDirection, Role};
use crosswave_lanes::memories::pays;
use crosswave_lanes::reset;
use crosswave_netlist::{
    Bit, Cell, CellKind, CutWrite, Flop, Function, Gate, InputRole, Module, Net, NetId,
    PortDirection, cut_memories, delay_writes, delays_writes, fold, lower_both_edges,
    memories_within_as_gates, register_outputs, without_half,
};

/// The lanes for which a memory has to pay: those of a large network.
const LANES: usize = 512;

/// A netlist that keeps the rules, and what was done for it.
#[derive(Debug, Clone)]
pub struct FittedNetlist {
    /// The module.
    pub module: Module,
    /// The names of the registers that got a value after reset.
    pub unreset: Vec<String>,
    /// Number of bits of outputs that got a flip-flop.
    pub registered_outputs: usize,
    /// Those of them that settle within the cycle, since they depend on inputs of links.
    pub settled_outputs: usize,
    /// The outputs that are not in the table.
    pub left_out: Vec<String>,
    /// Its links at which the middle of a cycle matters.
    pub half_cycle: HalfCycleLinks,
    /// The module as it was read.
    pub read: Module,
    /// The cycles in which its reset acts.
    pub reset_cycles: u64,
}

/// The name of the port of a role; empty when the chip has none.
fn port_of(chip: &Chip, role: fn(&Role) -> bool) -> &'static str {
    let port = chip.ports.iter().find(|port| role(&port.role));
    port.map_or("", |port| port.name)
}

/// Makes a module, without instances, fit for the place of a chip, whose reset acts for so many cycles;
/// `origin` names its file.
///
/// # Errors
/// Every difference between its ports and the table of the chip; outputs that depend in the same
/// cycle on an input that is not of a link; what [`lower_both_edges`] refuses; and
/// links that change at falling edges, at which others are taken.
pub fn fitted(
    chip: &Chip,
    module: &Module,
    origin: &str,
    reset_cycles: u64,
) -> Result<FittedNetlist, Error> {
    let of_file = |error: Error| Error {
        origin: origin.to_owned(),
        ..error
    };
    let left_out = compare_ports(chip, module, origin)?;
    let read = module.clone();
    let mut module = module.clone();
    module.ports.retain(|port| !left_out.contains(&port.name));
    module.name = chip.name.to_owned();
    let clock = port_of(chip, |role| matches!(role, Role::Clock));
    let reset = port_of(chip, |role| matches!(role, Role::Reset));
    // Folding first takes buffers off the clock.
    let (module, edges) = lower_both_edges(fold(module, &[]), clock).map_err(of_file)?;
    let half_cycle = HalfCycleLinks::new(chip, &edges);
    half_cycles::check([(origin, &half_cycle)])?;
    // The clocks of memories have been looked at.
    let module = cut_memories(module, |memory| pays(memory, LANES));
    let mut module = memories_within_as_gates(module).map_err(of_file)?;
    if let Some(&clock) = module.port(clock).and_then(|port| port.bits.first()) {
        delay_writes(&mut module, clock);
    }
    let after = |cycles: u64| reset::after_reset(&module, reset, cycles).map_err(of_file);
    // Engines have values from the first edge on; in a simulator with X some come later.
    let (known, in_time) = (after(1)?, after(reset_cycles)?);
    let flops = module.flops().zip(&in_time);
    let open = flops.filter(|((cell, _), value)| value.is_none() && !delays_writes(&cell.name));
    let unreset = open.map(|((_, flop), _)| without_half(module.net_name(flop.q)).to_owned());
    let mut unreset: Vec<String> = unreset.collect();
    unreset.extend(open_memories(&module, &in_time));
    // Engines do not know what memories show under reset.
    let blind = match module.beside.is_empty() {
        true => known.clone(),
        false => {
            let blind = Module {
                beside: Vec::new(),
                ..module.clone()
            };
            reset::after_reset(&blind, reset, 1).map_err(of_file)?
        }
    };
    let forced = blind.iter().zip(known).map(|(blind, known)| match blind {
        Some(_) => None,
        None => Some(known.unwrap_or(false)),
    });
    let forced: Vec<Option<bool>> = forced.collect();
    force_reset(&mut module, reset, &forced);
    let role = |name: &str| match chip.ports.iter().find(|port| port.name == name) {
        Some(port) => match port.role {
            Role::Option | Role::Parameter => InputRole::Still,
            Role::Reset => InputRole::Zero,
            Role::Link { .. } => InputRole::Settling,
            _ => InputRole::Changing,
        },
        // A memory shows a word in the cycle of its address.
        None => InputRole::Settling,
    };
    let registered = register_outputs(&module, clock, role).map_err(of_file)?;
    let mut module = registered.module;
    let ones = register_ones(&mut module, chip, clock);
    check_ports(chip, &module)?;
    Ok(FittedNetlist {
        module,
        unreset,
        registered_outputs: registered.bits + ones,
        settled_outputs: registered.settled,
        left_out,
        half_cycle,
        read,
        reset_cycles,
    })
}

/// The memories beside a module whose words are not known after its reset, of which flip-flops have these
/// values.
fn open_memories(module: &Module, values: &[Option<bool>]) -> Vec<String> {
    let flops = module.flops().zip(values);
    let values: BTreeMap<NetId, Option<bool>> =
        flops.map(|((_, flop), value)| (flop.q, *value)).collect();
    let value = |bit: &Bit| match bit.net() {
        Some(net) => values.get(&net).copied().flatten(),
        None => bit.constant(),
    };
    let are_known = |name: &str, wanted: Option<bool>| {
        let bits = module.port(name).map_or(&[][..], |port| &port.bits);
        let mut values = bits.iter().map(value);
        values.all(|found| found.is_some() && (wanted.is_none() || found == wanted))
    };
    let open = module.beside.iter().filter_map(|cut| {
        let (name, words) = (&cut.name, cut.memory.words);
        let is_full = cut.memory.init.len() == cut.memory.bits()
            && cut.memory.init.iter().all(Option::is_some);
        let is_unsure = |write: &CutWrite| {
            let ports = [&write.enable, &write.address, &write.data];
            !are_known(&write.enable, Some(false))
                && !ports.iter().all(|port| are_known(port, None))
        };
        match cut.writes.iter().any(is_unsure) {
            _ if !is_full => Some(format!("{name} (a memory of {words} words)")),
            true => Some(format!(
                "{name} (a memory that may be written while the reset acts)"
            )),
            false => None,
        }
    });
    open.collect()
}

/// Gives outputs of links that are always 1 a flip-flop each, and says how many.
fn register_ones(module: &mut Module, chip: &Chip, clock: &str) -> usize {
    let Some(&clock) = module.port(clock).and_then(|port| port.bits.first()) else {
        return 0;
    };
    let is_of_link = |name: &str| {
        let mut ports = chip.ports.iter();
        ports.any(|port| port.name == name && matches!(port.role, Role::Link { .. }))
    };
    let Module {
        ports, nets, cells, ..
    } = module;
    let mut count = 0;
    for port in ports.iter_mut().filter(|port| is_of_link(&port.name)) {
        for (at, bit) in port.bits.iter_mut().enumerate() {
            if *bit != Bit::One {
                continue;
            }
            let q = NetId(u32::try_from(nets.len()).expect("fewer than 2^32 nets"));
            let name = format!("{}[{at}]$output", port.name);
            nets.push(Net {
                name: name.as_str().into(),
                src: "".into(),
            });
            cells.push(Cell {
                name: name.into(),
                src: "".into(),
                kind: CellKind::Flop(Box::new(Flop::plain(clock, Bit::One, q))),
            });
            *bit = Bit::Net(q);
            count += 1;
        }
    }
    count
}

/// Compares the ports with the table of the chip: the outputs that are not in it.
fn compare_ports(chip: &Chip, module: &Module, origin: &str) -> Result<Vec<String>, Error> {
    let bits = |width: usize| match width {
        1 => "1 bit".to_owned(),
        _ => format!("{width} bits"),
    };
    let mut faults = Vec::new();
    let mut fault = |name: &str, message: String, help: String| {
        let place = format!("module {}, port {name}", module.name);
        faults.push(Diagnostic::new(place, message, help));
    };
    for wanted in chip.ports {
        let width = wanted.width as usize;
        let (direction, other, word) = match wanted.direction {
            PinDirection::Input => (PortDirection::Input, "output", "input"),
            PinDirection::Output => (PortDirection::Output, "input", "output"),
        };
        let expected = format!("the chip {} has this {word}, {}", chip.name, bits(width));
        match module.port(wanted.name) {
            None => fault(
                wanted.name,
                "it is missing".to_owned(),
                format!("add it: {expected}: {}", wanted.doc),
            ),
            Some(found) if found.direction != direction => fault(
                wanted.name,
                format!("found an {other}, expected an {word}"),
                expected,
            ),
            Some(found) if found.bits.len() != width => fault(
                wanted.name,
                format!("found {}, expected {width}", bits(found.bits.len())),
                expected,
            ),
            Some(_) => {}
        }
    }
    let is_known = |name: &str| chip.ports.iter().any(|port| port.name == name);
    let mut left_out = Vec::new();
    for port in module.ports.iter().filter(|port| !is_known(&port.name)) {
        match port.direction {
            PortDirection::Output => left_out.push(port.name.clone()),
            PortDirection::Input => fault(
                &port.name,
                format!("found an input that the chip {} does not have", chip.name),
                "nothing would drive it: make it a constant or a parameter".to_owned(),
            ),
        }
    }
    match faults.is_empty() {
        true => Ok(left_out),
        false => Err(Error {
            class: Class::Input,
            origin: origin.to_owned(),
            source: None,
            diagnostics: faults,
        }),
    }
}

/// Gives registers a value after an edge under reset.
fn force_reset(module: &mut Module, reset: &str, values: &[Option<bool>]) {
    let Some(&reset) = module.port(reset).and_then(|port| port.bits.first()) else {
        return;
    };
    let flops = module.cells.iter().enumerate();
    let flops = flops.filter(|(_, cell)| matches!(cell.kind, CellKind::Flop(_)));
    let flops = flops.map(|(at, _)| at).zip(values);
    let forced = flops.filter_map(|(at, value)| Some((at, (*value)?)));
    let forced: Vec<(usize, bool)> = forced.collect();
    for (at, value) in forced {
        let output = NetId(u32::try_from(module.nets.len()).expect("fewer than 2^32 nets"));
        let cell = &mut module.cells[at];
        let (name, src) = (format!("{}$reset", cell.name), cell.src.clone());
        let CellKind::Flop(flop) = &mut cell.kind else {
            unreachable!("the cell of a flip-flop");
        };
        let inputs = [std::mem::replace(&mut flop.data, Bit::Net(output)), reset];
        module.nets.push(Net {
            name: name.as_str().into(),
            src: "".into(),
        });
        module.cells.push(Cell {
            name: name.into(),
            src,
            kind: CellKind::Gate(Gate {
                function: if value {
                    Function::Or
                } else {
                    Function::AndNot
                },
                inputs: inputs.as_slice().into(),
                output,
            }),
        });
    }
}
