//! Rewrites every flip-flop to a plain rising-edge one and gates.
//!
//! Time goes in cycles: all inputs change right after the rising edge of the clock
//! and are stable at the next. With `s` the stored value, `a` the asynchronous
//! control, `v` its value, `r` the synchronous reset to `w`, `e` the enable:
//!
//! ```text
//! q      = a ? v : s                               what is seen in this cycle
//! next s = a ? v : r ? w : e ? d : s               reset not gated ($_SDFFE_)
//! next s = a ? v : e ? (r ? w : d) : s             reset gated     ($_SDFFCE_)
//! ```
//!
//! An asynchronous control acts by level, so a reset that ends in a cycle in which
//! set is still active leaves 1, and data that is loaded asynchronously is followed
//! while the load is active. (The edge-triggered Verilog models in `simcells.v`
//! see neither until the next edge; real flip-flops and Yosys's formal passes agree
//! with what is done here.) Pulses shorter than a cycle do not exist.
//!
//! An asynchronous control that depends on the output of its own flip-flop within
//! the cycle becomes a combinational loop, which is reported.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use smol_str::{SmolStr, format_smolstr};

use super::findings::{Findings, NetlistPlace};
use super::function::Function;
use super::levelise::levelise;
use super::model::{
    Asynchronous, Bit, Cell, CellKind, Control, Edge, Flop, Gate, Module, Net, NetId,
    PortDirection, WritePort,
};
use crosswave_base::diagnostic::Error;

/// The module with plain flip-flops on the one-bit input port `clock`, and gates.
///
/// Nets, ports and cells keep their names and order; a flip-flop with asynchronous
/// controls stores its value on a new net `NAME$stored`. Initial values stay.
/// Every flip-flop must act on the rising edge of `clock`, and nothing else may
/// read the clock, except instances; each one that does not is reported, with the
/// module's name as the origin. A module without flip-flops need not have a clock.
pub fn lower_flops(module: Module, clock: &str) -> Result<Module, Error> {
    let (lowered, _) = lower_outside_loops(module, clock)?;
    let mut findings = Findings::default();
    if let Err(loops) = levelise(&lowered) {
        for found in loops {
            let mut diagnostic = found.diagnostic(&lowered);
            diagnostic.help = "an asynchronous control or its data depends on the flip-flop \
                               itself; make it synchronous"
                .to_owned();
            findings.push(diagnostic);
        }
    }
    let name = lowered.name.clone();
    findings.finish(lowered, &name, None)
}

/// The same, with or without loops; and true when any flip-flop was not plain.
pub(super) fn lower_outside_loops(
    mut module: Module,
    clock: &str,
) -> Result<(Module, bool), Error> {
    let mut findings = Findings::default();
    let net = clock_net(&module, clock, &mut findings);
    if let Some(net) = net {
        check_clock(&module, clock, net, &mut findings);
    }
    findings.finish((), &module.name, None)?;
    if module.flops().all(|(_, flop)| flop.is_plain()) {
        return Ok((module, false));
    }
    let cells = std::mem::take(&mut module.cells);
    let mut lowering = Lowering::new(module, &cells);
    for cell in cells {
        match &cell.kind {
            CellKind::Flop(flop) => lowering.flop(&cell, flop),
            _ => lowering.module.cells.push(cell),
        }
    }
    Ok((lowering.module, true))
}

/// The ports that write memories, and their cells.
fn writes(module: &Module) -> impl Iterator<Item = (&Cell, &WritePort)> {
    let memories = module.memories();
    memories.flat_map(|(cell, memory)| memory.writes.iter().map(move |port| (cell, port)))
}

/// The net of the clock port; `None` when there is no flip-flop or no such port.
fn clock_net(module: &Module, clock: &str, findings: &mut Findings) -> Option<NetId> {
    let port = module.port(clock);
    let clocks = port.map(|port| (port.direction, port.bits.as_slice()));
    match clocks {
        Some((PortDirection::Input, &[Bit::Net(net)])) => return Some(net),
        _ if module.flops().next().is_none() && writes(module).next().is_none() => return None,
        _ => {}
    }
    let inputs: Vec<String> = module
        .ports_of(PortDirection::Input)
        .filter(|port| port.bits.len() == 1)
        .take(8)
        .map(|port| format!("`{}`", port.name))
        .collect();
    let found = match clocks {
        None => "there is no such port".to_owned(),
        Some((PortDirection::Output, _)) => "it is an output".to_owned(),
        Some((_, bits)) => format!("it has {} bits", bits.len()),
    };
    findings.add(
        NetlistPlace::module(&module.name, &module.src).port(clock),
        format!("the clock must be an input of one bit, but {found}"),
        match inputs.is_empty() {
            true => "give the module a clock".to_owned(),
            false => format!("inputs of one bit: {}", inputs.join(", ")),
        },
    );
    None
}

fn check_clock(module: &Module, clock: &str, net: NetId, findings: &mut Findings) {
    let of_module = NetlistPlace::module(&module.name, &module.src);
    let mut clocked = |place: NetlistPlace<'_>, found: Bit, edge: Edge| {
        if found != Bit::Net(net) {
            let found = match found {
                Bit::Net(other) => format!("net `{}`", module.net_name(other)),
                _ => "a constant".to_owned(),
            };
            findings.add(
                place,
                format!("clocked by {found}, expected the clock `{clock}`"),
                "use an enable instead of a gated clock, and one clock in a module",
            );
        } else if edge == Edge::Falling {
            findings.add(
                place,
                format!("acts on the falling edge of `{clock}`, expected the rising edge"),
                "use `posedge`, for there is one step to a cycle",
            );
        }
    };
    for (cell, flop) in module.flops() {
        let place = of_module.cell(&cell.name, &cell.src);
        clocked(place.port("C"), flop.clock, flop.edge);
    }
    for (cell, port) in writes(module) {
        let place = of_module.cell(&cell.name, &cell.src);
        clocked(place.port("WR_CLK"), port.clock, port.edge);
    }
    for cell in &module.cells {
        let place = of_module.cell(&cell.name, &cell.src);
        if !matches!(cell.kind, CellKind::Instance(_)) {
            let is_gate = matches!(cell.kind, CellKind::Gate(_));
            cell.kind.visit_inputs(|pin, _, bit| {
                if bit == Bit::Net(net) && (is_gate || !matches!(pin, "C" | "WR_CLK")) {
                    as_data(clock, place.port(pin), findings);
                }
            });
        }
    }
    for port in module.ports_of(PortDirection::Output) {
        for (index, &bit) in port.bits.iter().enumerate() {
            if bit == Bit::Net(net) {
                let place = match memory_pin(module, &port.name) {
                    Some((memory, pin)) => of_module.cell(memory, "").port(pin),
                    None => of_module.port(&port.name),
                };
                as_data(clock, place.bit(index), findings);
            }
        }
    }
}

/// The memory beside a module, and its pin, that an output stands for.
fn memory_pin<'m>(module: &'m Module, output: &str) -> Option<(&'m str, &'static str)> {
    module.beside.iter().find_map(|cut| {
        let reads = cut.reads.iter().map(|port| (&port.address, "RD_ADDR"));
        let writes = cut.writes.iter().flat_map(|port| {
            let pins = ["WR_ADDR", "WR_DATA", "WR_EN"];
            [&port.address, &port.data, &port.enable]
                .into_iter()
                .zip(pins)
        });
        let mut pins = reads.chain(writes);
        let (_, pin) = pins.find(|(name, _)| *name == output)?;
        Some((&*cut.name, pin))
    })
}

fn as_data(clock: &str, place: NetlistPlace<'_>, findings: &mut Findings) {
    findings.add(
        place,
        format!("reads the clock `{clock}` as data"),
        "a clock has no value within a cycle; use an enable, or a flip-flop that toggles",
    );
}

struct Lowering {
    module: Module,
    cell_names: HashSet<SmolStr>,
    net_names: HashSet<SmolStr>,
}

impl Lowering {
    /// For a module whose cells are taken out of it.
    fn new(module: Module, cells: &[Cell]) -> Lowering {
        Lowering {
            cell_names: cells.iter().map(|cell| cell.name.clone()).collect(),
            net_names: module.nets.iter().map(|net| net.name.clone()).collect(),
            module,
        }
    }

    fn flop(&mut self, cell: &Cell, flop: &Flop) {
        let stored = match flop.asynchronous {
            Asynchronous::None => flop.q,
            _ => {
                let name = format!("{}$stored", self.module.net_name(flop.q));
                self.net(&name)
            }
        };
        let mut next = flop.data;
        let hold = |to: &mut Self, next: Bit| match flop.enable {
            Some(enable) => to.select(cell, "enable", enable, next, Bit::Net(stored)),
            None => next,
        };
        match flop.reset {
            Some(reset) if reset.gated => {
                next = self.force(cell, "reset", reset.control, reset.value, next);
                next = hold(self, next);
            }
            Some(reset) => {
                next = hold(self, next);
                next = self.force(cell, "reset", reset.control, reset.value, next);
            }
            None => next = hold(self, next),
        }
        if flop.asynchronous != Asynchronous::None {
            next = self.overrule(cell, "next", flop.asynchronous, next, None);
            let seen = Bit::Net(stored);
            self.overrule(cell, "seen", flop.asynchronous, seen, Some(flop.q));
        }
        let plain = Flop {
            init: flop.init,
            ..Flop::plain(flop.clock, next, stored)
        };
        self.module.cells.push(Cell {
            kind: CellKind::Flop(Box::new(plain)),
            ..cell.clone()
        });
    }

    /// The value that asynchronous controls make of `bit`, on `output` if given.
    fn overrule(
        &mut self,
        cell: &Cell,
        what: &str,
        asynchronous: Asynchronous,
        bit: Bit,
        output: Option<NetId>,
    ) -> Bit {
        match asynchronous {
            Asynchronous::None => bit,
            Asynchronous::Reset { control, value } => {
                let (function, inputs) = forced(control, value, bit);
                self.gate(cell, what, function, &inputs, output)
            }
            Asynchronous::SetReset { set, reset } => {
                let set = self.force(cell, &format!("{what}$set"), set, true, bit);
                let (function, inputs) = forced(reset, false, set);
                self.gate(cell, what, function, &inputs, output)
            }
            Asynchronous::Load { control, data } => {
                let inputs = selected(control, data, bit);
                self.gate(cell, what, Function::Mux, &inputs, output)
            }
        }
    }

    /// `control ? value : bit`
    fn force(&mut self, cell: &Cell, what: &str, control: Control, value: bool, bit: Bit) -> Bit {
        let (function, inputs) = forced(control, value, bit);
        self.gate(cell, what, function, &inputs, None)
    }

    /// `control ? active : otherwise`
    fn select(
        &mut self,
        cell: &Cell,
        what: &str,
        control: Control,
        active: Bit,
        otherwise: Bit,
    ) -> Bit {
        let inputs = selected(control, active, otherwise);
        self.gate(cell, what, Function::Mux, &inputs, None)
    }

    /// Adds a gate `CELL$WHAT`, which drives `output` or a new net of its name.
    fn gate(
        &mut self,
        cell: &Cell,
        what: &str,
        function: Function,
        inputs: &[Bit],
        output: Option<NetId>,
    ) -> Bit {
        let name = distinct(&mut self.cell_names, &format!("{}${what}", cell.name));
        let output = output.unwrap_or_else(|| self.net(&name));
        let gate = Gate {
            function,
            inputs: inputs.into(),
            output,
        };
        self.module.cells.push(Cell {
            name,
            src: cell.src.clone(),
            kind: CellKind::Gate(gate),
        });
        Bit::Net(output)
    }

    fn net(&mut self, name: &str) -> NetId {
        let net = NetId(u32::try_from(self.module.nets.len()).expect("fewer than 2^32 nets"));
        let name = distinct(&mut self.net_names, name);
        let src = SmolStr::default();
        self.module.nets.push(Net { name, src });
        net
    }
}

/// `control ? value : bit` as a gate.
fn forced(control: Control, value: bool, bit: Bit) -> (Function, [Bit; 2]) {
    let function = match (value, control.active_high) {
        (false, true) => Function::AndNot,
        (false, false) => Function::And,
        (true, true) => Function::Or,
        (true, false) => Function::OrNot,
    };
    (function, [bit, control.bit])
}

/// The inputs of a MUX that is `control ? active : otherwise`.
fn selected(control: Control, active: Bit, otherwise: Bit) -> [Bit; 3] {
    if control.active_high {
        [otherwise, active, control.bit]
    } else {
        [active, otherwise, control.bit]
    }
}

/// The name, with a number after it when it is taken.
fn distinct(taken: &mut HashSet<SmolStr>, name: &str) -> SmolStr {
    let mut candidate = SmolStr::from(name);
    let mut count = 0;
    while !taken.insert(candidate.clone()) {
        count += 1;
        candidate = format_smolstr!("{name}${count}");
    }
    candidate
}
