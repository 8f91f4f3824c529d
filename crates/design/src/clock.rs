//! Finding the clock: the one input that every flip-flop follows.
//!
//! Buffers between the input and a flip-flop are passed over, anything else makes a
//! derived clock, which is refused: a cycle has one edge.

use std::collections::{BTreeMap, BTreeSet};

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{
    Bit, CellKind, Design, Edge, Flop, Function, Module, PortDirection, yosys,
};

#[cfg(test)]
mod tests;

/// Mistakes of one kind that are listed before the rest is counted.
const LISTED: usize = 8;

/// A flip-flop, memory or instance with a clock.
struct Clocked {
    /// Its place, for a message.
    place: String,
    /// Its clock, in front of all buffers.
    clock: Bit,
    /// The input port that this is a bit of.
    port: Option<usize>,
    edge: Edge,
}

/// The input port that clocks every flip-flop of a module and every instance in it,
/// where `inner` gives the clock port of a module; `None` when nothing is clocked.
/// The clocks of flip-flops and instances are joined to the port itself.
///
/// # Errors
/// When there is more than one clock, a derived one, or a falling edge; when `wanted`
/// is not an input of one bit.
pub(super) fn settle_clock(
    module: &mut Module,
    wanted: Option<&str>,
    inner: &BTreeMap<String, Option<String>>,
) -> Result<Option<String>, Error> {
    if let Some(name) = wanted {
        check_wanted(module, name)?;
    }
    let clocked = clocked(module, inner);
    let mut wrong = Wrong::default();
    let ports = clock_ports(module, &clocked, &mut wrong);
    let Some(clock) = choose(module, wanted, &ports)? else {
        return wrong.finish(module).map(|()| None);
    };
    refuse_others(module, &clocked, clock, &mut wrong);
    wrong.finish(module)?;
    join(module, clock, inner);
    Ok(Some(module.ports[clock].name.clone()))
}

/// The input ports of one bit that clock something, and how much each does. Other clocks
/// are refused, and falling edges.
fn clock_ports(module: &Module, clocked: &[Clocked], wrong: &mut Wrong) -> BTreeMap<usize, usize> {
    let mut ports: BTreeMap<usize, usize> = BTreeMap::new();
    for one in clocked {
        match one.port {
            Some(port) if module.ports[port].bits.len() == 1 => {
                *ports.entry(port).or_insert(0) += 1;
            }
            _ => refuse_derived(module, one, wrong),
        }
        if one.edge == Edge::Falling {
            wrong.add(
                &one.place,
                "acts on the falling edge of its clock".to_owned(),
                "a cycle has one edge, and others act on the rising one; use `posedge`",
            );
        }
    }
    ports
}

/// Refuses a clock that is not an input of one bit.
fn refuse_derived(module: &Module, one: &Clocked, wrong: &mut Wrong) {
    let found = match one.clock {
        Bit::Net(net) => format!("net `{}`", module.net_name(net)),
        _ => "a constant".to_owned(),
    };
    let help = match one.port {
        Some(port) => format!(
            "give the clock an input of its own, with the Yosys command \
             `splitnets -ports i:{}` before `abc`",
            module.ports[port].name
        ),
        None if one.clock.net().is_none() => {
            "connect the clock of every flip-flop and instance".to_owned()
        }
        None => "gated and divided clocks are not supported: use an enable on the \
                 one clock"
            .to_owned(),
    };
    wrong.add(
        &one.place,
        format!(
            "clocked by {found}, which is not an input of one bit of module `{}`",
            module.name
        ),
        &help,
    );
}

/// The port of the clock: the one that is wanted, or of `ports` the one that clocks most,
/// the first of several; `None` when nothing is clocked.
///
/// # Errors
/// When the wanted one clocks nothing, and others do.
fn choose(
    module: &Module,
    wanted: Option<&str>,
    ports: &BTreeMap<usize, usize>,
) -> Result<Option<usize>, Error> {
    let name = |port: usize| module.ports[port].name.as_str();
    let Some(wanted) = wanted else {
        let most = ports
            .iter()
            .max_by_key(|(port, count)| (**count, usize::MAX - **port));
        return Ok(most.map(|(&port, _)| port));
    };
    let clock = (0..module.ports.len()).find(|&port| name(port) == wanted);
    if let Some(clock) = clock
        && !ports.contains_key(&clock)
        && !ports.is_empty()
    {
        let clocks: Vec<String> = ports
            .keys()
            .map(|&port| format!("`{}`", name(port)))
            .collect();
        return Err(Error::one(
            Class::Usage,
            "command line",
            Diagnostic::new(
                "--clock",
                format!(
                    "`{wanted}` clocks no flip-flop; the flip-flops are clocked by {}",
                    clocks.join(", ")
                ),
                "name that input, or leave --clock out",
            ),
        ));
    }
    Ok(clock)
}

/// Refuses all inputs of one bit that clock something but the clock.
fn refuse_others(module: &Module, clocked: &[Clocked], clock: usize, wrong: &mut Wrong) {
    let name = |port: usize| module.ports[port].name.as_str();
    for one in clocked {
        if let Some(port) = one.port
            && port != clock
            && module.ports[port].bits.len() == 1
        {
            wrong.add(
                &one.place,
                format!(
                    "clocked by `{}`, expected the clock `{}`",
                    name(port),
                    name(clock)
                ),
                "a second clock is not supported: use one clock, and enables",
            );
        }
    }
}

/// Joins the clocks of flip-flops and instances to the port of the clock.
fn join(module: &mut Module, clock: usize, inner: &BTreeMap<String, Option<String>>) {
    let net = module.ports[clock].bits[0];
    for cell in &mut module.cells {
        match &mut cell.kind {
            CellKind::Flop(flop) => flop.clock = net,
            CellKind::Memory(memory) => {
                memory.writes.iter_mut().for_each(|port| port.clock = net);
            }
            CellKind::Instance(instance) => {
                let inner = inner.get(&instance.module).and_then(Option::as_deref);
                for connection in &mut instance.connections {
                    if Some(connection.port.as_str()) == inner {
                        connection.bits[0] = net;
                    }
                }
            }
            CellKind::Gate(_) => {}
        }
    }
}

/// Refuses designs whose flip-flops all act on the falling edge, and says how to turn
/// them over; `modules` are those that the design has.
///
/// # Errors
/// When there are flip-flops, and none acts on the rising edge.
pub(super) fn check_edges(design: &Design, root: usize, modules: &[usize]) -> Result<(), Error> {
    let flops = || {
        let modules = modules.iter().map(|&number| &design.modules[number]);
        modules.flat_map(Module::flops).map(|(_, flop)| flop)
    };
    let falling = flops().filter(|flop| flop.edge == Edge::Falling).count();
    if falling == 0 || falling < flops().count() {
        return Ok(());
    }
    let commands: BTreeSet<String> = flops()
        .filter_map(|flop| {
            let rising = Flop {
                edge: Edge::Rising,
                ..flop.clone()
            };
            let (from, to) = (yosys::flop_type(flop)?, yosys::flop_type(&rising)?);
            Some(format!("`chtype -set {to} t:{from}`"))
        })
        .collect();
    let commands: Vec<String> = commands.into_iter().collect();
    let module = &design.modules[root];
    Err(Error::one(
        Class::Input,
        module.name.clone(),
        Diagnostic::new(
            format!("module {}", module.name),
            format!("all {falling} flip-flops act on the falling edge of their clock"),
            format!(
                "a cycle ends with the rising edge; turn the flip-flops over with the Yosys \
                 commands {} before `write_json`; a VCD stimulus needs its clock inverted then",
                commands.join(", ")
            ),
        ),
    ))
}

/// Origins of the clocks of a module.
struct Origins<'m> {
    module: &'m Module,
    /// The input of the buffer that drives each net.
    buffered: Vec<Option<Bit>>,
    /// The input port of each net.
    port_of: Vec<Option<usize>>,
}

impl<'m> Origins<'m> {
    fn new(module: &'m Module) -> Origins<'m> {
        let mut buffered: Vec<Option<Bit>> = vec![None; module.nets.len()];
        for (_, gate) in module.gates() {
            if gate.function == Function::Buf {
                buffered[gate.output.index()] = Some(gate.inputs[0]);
            }
        }
        let mut port_of: Vec<Option<usize>> = vec![None; module.nets.len()];
        for (index, port) in module.ports.iter().enumerate() {
            if port.direction == PortDirection::Input {
                for net in port.bits.iter().filter_map(|bit| bit.net()) {
                    port_of[net.index()] = Some(index);
                }
            }
        }
        Origins {
            module,
            buffered,
            port_of,
        }
    }

    /// The bit in front of all buffers.
    fn trace(&self, mut bit: Bit) -> Bit {
        // A circle of buffers has been refused with other loops.
        for _ in 0..=self.module.nets.len() {
            match bit.net().and_then(|net| self.buffered[net.index()]) {
                Some(before) => bit = before,
                None => break,
            }
        }
        bit
    }

    /// A cell's clock, traced.
    fn clocked(&self, cell: &str, clock: Bit, edge: Edge) -> Clocked {
        let clock = self.trace(clock);
        Clocked {
            place: format!("module {}, cell {cell}", self.module.name),
            clock,
            port: clock.net().and_then(|net| self.port_of[net.index()]),
            edge,
        }
    }
}

/// Everything in a module that has a clock.
fn clocked(module: &Module, inner: &BTreeMap<String, Option<String>>) -> Vec<Clocked> {
    let origins = Origins::new(module);
    let mut all = Vec::new();
    for cell in &module.cells {
        match &cell.kind {
            CellKind::Flop(flop) => all.push(origins.clocked(&cell.name, flop.clock, flop.edge)),
            CellKind::Memory(memory) => {
                for port in &memory.writes {
                    all.push(origins.clocked(&cell.name, port.clock, port.edge));
                }
            }
            CellKind::Instance(instance) => {
                let inner = inner.get(&instance.module).and_then(Option::as_deref);
                let connections = instance.connections.iter();
                for connection in connections.filter(|c| Some(c.port.as_str()) == inner) {
                    let clock = connection.bits[0];
                    all.push(origins.clocked(&cell.name, clock, Edge::Rising));
                }
            }
            CellKind::Gate(_) => {}
        }
    }
    all
}

/// Refuses a name that is not an input of one bit.
fn check_wanted(module: &Module, name: &str) -> Result<(), Error> {
    let port = module.port(name);
    let found = match port {
        None => format!("module `{}` has no port `{name}`", module.name),
        Some(port) if port.direction == PortDirection::Output => format!("`{name}` is an output"),
        Some(port) if port.bits.len() != 1 => format!("`{name}` has {} bits", port.bits.len()),
        Some(_) => return Ok(()),
    };
    Err(Error::one(
        Class::Usage,
        "command line",
        Diagnostic::new("--clock", found, one_bit_inputs(module)),
    ))
}

/// Names the inputs of one bit, for a message.
pub(super) fn one_bit_inputs(module: &Module) -> String {
    let names: Vec<String> = module
        .ports_of(PortDirection::Input)
        .filter(|port| port.bits.len() == 1)
        .take(LISTED)
        .map(|port| format!("`{}`", port.name))
        .collect();
    match names.is_empty() {
        true => "the module has no input of one bit".to_owned(),
        false => format!("inputs of one bit: {}", names.join(", ")),
    }
}

/// Mistakes, of which the first few are kept.
#[derive(Default)]
struct Wrong {
    diagnostics: Vec<Diagnostic>,
    more: usize,
}

impl Wrong {
    fn add(&mut self, place: &str, message: String, help: &str) {
        if self.diagnostics.len() < LISTED {
            self.diagnostics.push(Diagnostic::new(place, message, help));
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self, module: &Module) -> Result<(), Error> {
        if self.diagnostics.is_empty() {
            return Ok(());
        }
        if self.more > 0 {
            self.diagnostics.push(Diagnostic::new(
                "more",
                format!("{} more mistakes are not shown", self.more),
                "mend the ones above first",
            ));
        }
        Err(Error {
            class: Class::Input,
            origin: module.name.clone(),
            source: None,
            diagnostics: self.diagnostics,
        })
    }
}
