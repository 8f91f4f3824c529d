//! Checks across modules: names, instances, recursion.

use std::collections::{BTreeMap, BTreeSet};

use super::super::findings::{Findings, NetlistPlace};
use super::super::model::{Cell, Design, Instance, Module, PortDirection};
use crosswave_base::diagnostic::Diagnostic;

/// The index of each module by name; a second module of a name is reported.
pub(super) fn index<'a>(design: &'a Design, findings: &mut Findings) -> BTreeMap<&'a str, usize> {
    let mut index = BTreeMap::new();
    for (number, module) in design.modules.iter().enumerate() {
        if index.insert(module.name.as_str(), number).is_some() {
            findings.add(
                NetlistPlace::module(&module.name, &module.src),
                "a second module of this name",
                "give each module its own name",
            );
        }
    }
    index
}

/// Checks the instances in one module against the modules they name.
pub(super) fn instances(
    design: &Design,
    index: &BTreeMap<&str, usize>,
    module: &Module,
    findings: &mut Findings,
) {
    for (cell, instance) in module.instances() {
        let place = NetlistPlace::module(&module.name, &module.src).cell(&cell.name, &cell.src);
        match index.get(instance.module.as_str()) {
            Some(&number) => connections(&design.modules[number], instance, place, findings),
            None => missing_module(&instance.module, place, findings),
        }
    }
}

/// Prefixes of the names of the cells of iCE40, ECP5 and Xilinx FPGAs.
const FPGA_CELLS: [&str; 21] = [
    "SB_",
    "ICESTORM_",
    "TRELLIS_",
    "CCU2C",
    "DP16KD",
    "PFUMX",
    "L6MUX21",
    "FDRE",
    "FDSE",
    "FDCE",
    "FDPE",
    "LUT1",
    "LUT2",
    "LUT3",
    "LUT4",
    "LUT5",
    "LUT6",
    "CARRY4",
    "MUXF",
    "IBUF",
    "BUFG",
];

/// Advice on a cell of an FPGA.
const OF_FPGA: &str = "it is a cell of an FPGA, as `synth_ice40` and the like make them; make gates of the \
                       source instead: `synth -top TOP; abc -g simple; opt_clean`";

fn is_of_fpga(name: &str) -> bool {
    FPGA_CELLS.iter().any(|prefix| name.starts_with(prefix))
}

/// Advice on an instance of a module of which the file has the ports only; `shown` is the name of
/// the module for people.
pub(in super::super) fn blackbox_help(name: &str, shown: &str) -> String {
    if is_of_fpga(name) {
        return OF_FPGA.to_owned();
    }
    // Yosys wants a name as it is in the file.
    let pattern = match name == shown {
        true => name.to_owned(),
        false => format!("*{}*", shown.split(['(', '#']).next().unwrap_or(shown)),
    };
    format!(
        "give Yosys a Verilog model of it without the attribute `blackbox`; or take it out, so \
         that its outputs are inputs of the design: `flatten; expose -evert t:{pattern}`"
    )
}

/// Says that a cell names a module that the design does not have.
pub(in super::super) fn missing_module(
    name: &str,
    place: NetlistPlace<'_>,
    findings: &mut Findings,
) {
    let message = format!("the design has no module `{name}`, and no gate is called so");
    let help = if name.starts_with("\\$_") {
        "it is a gate that Yosys took for a module; read the netlist with `read_verilog -icells`"
    } else if is_of_fpga(name) {
        OF_FPGA
    } else {
        "add the module to the Yosys run, and check it with `hierarchy -check -top TOP`"
    };
    findings.add(place, message, help);
}

fn connections(
    target: &Module,
    instance: &Instance,
    place: NetlistPlace<'_>,
    findings: &mut Findings,
) {
    let ports: BTreeMap<&str, _> = target.ports.iter().map(|p| (p.name.as_str(), p)).collect();
    let mut connected = BTreeSet::new();
    for connection in &instance.connections {
        let place = place.port(&connection.port);
        if !connected.insert(connection.port.as_str()) {
            findings.add(place, "the port is connected twice", "connect it once");
            continue;
        }
        let Some(port) = ports.get(connection.port.as_str()) else {
            findings.add(
                place,
                format!("module `{}` has no such port", target.name),
                format!("its ports are {}", list(ports.keys())),
            );
            continue;
        };
        if port.direction != connection.direction {
            let [found, declared] = [connection.direction, port.direction].map(|d| match d {
                PortDirection::Input => "an input",
                PortDirection::Output => "an output",
            });
            findings.add(
                place,
                format!(
                    "connected as {found}, but module `{}` declares {declared}",
                    target.name
                ),
                "",
            );
        }
        let is_open = connection.bits.is_empty();
        if !is_open && port.bits.len() != connection.bits.len() {
            findings.add(
                place,
                format!(
                    "{} bits are connected, but the port of module `{}` has {}",
                    connection.bits.len(),
                    target.name,
                    port.bits.len()
                ),
                "",
            );
        }
    }
}

/// Warnings of the inputs of instances that are not connected, which are X, in the
/// modules of these numbers of a design that has passed [`check()`](super::check()).
pub fn unconnected(design: &Design, modules: &[usize]) -> Vec<Diagnostic> {
    let index: BTreeMap<&str, &Module> = design
        .modules
        .iter()
        .map(|module| (module.name.as_str(), module))
        .collect();
    let mut findings = Findings::default();
    for module in modules.iter().map(|&number| &design.modules[number]) {
        for (cell, instance) in module.instances() {
            let connected: BTreeSet<&str> = instance
                .connections
                .iter()
                .filter(|connection| !connection.bits.is_empty())
                .map(|connection| connection.port.as_str())
                .collect();
            let place = NetlistPlace::module(&module.name, &module.src).cell(&cell.name, &cell.src);
            let target = index[instance.module.as_str()];
            let inputs = target.ports_of(PortDirection::Input);
            for port in inputs.filter(|port| !port.bits.is_empty()) {
                if !connected.contains(port.name.as_str()) {
                    findings.add(
                        place.port(&port.name),
                        format!("this input of module `{}` is not connected", target.name),
                        "it is X, and 0 without --four-state; connect it, to a constant if \
                         it is not used",
                    );
                }
            }
        }
    }
    findings.into_diagnostics()
}

/// The first eight names, in order.
fn list<'a>(names: impl Iterator<Item = &'a &'a str> + Clone) -> String {
    let count = names.clone().count();
    let mut shown: Vec<String> = names.take(8).map(|name| format!("`{name}`")).collect();
    if count > shown.len() {
        shown.push(format!("{} more", count - shown.len()));
    }
    shown.join(", ")
}

/// Reports modules that contain themselves, as the chain of module names.
///
/// Depth-first over the distinct (module, instanced module) pairs, with the
/// stack in a vector.
pub(super) fn recursion(design: &Design, index: &BTreeMap<&str, usize>, findings: &mut Findings) {
    let children: Vec<Vec<(usize, &Cell)>> = design
        .modules
        .iter()
        .map(|module| {
            let mut seen = BTreeSet::new();
            module
                .instances()
                .filter_map(|(cell, instance)| {
                    let child = *index.get(instance.module.as_str())?;
                    seen.insert(child).then_some((child, cell))
                })
                .collect()
        })
        .collect();
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut visit = vec![Visit::New; design.modules.len()];
    for root in 0..design.modules.len() {
        if visit[root] != Visit::New {
            continue;
        }
        visit[root] = Visit::Open;
        let mut stack = vec![(root, 0)];
        while let Some(top) = stack.last_mut() {
            let (module, next) = *top;
            top.1 += 1;
            let Some(&(child, cell)) = children[module].get(next) else {
                visit[module] = Visit::Done;
                stack.pop();
                continue;
            };
            match visit[child] {
                Visit::Done => {}
                Visit::New => {
                    visit[child] = Visit::Open;
                    stack.push((child, 0));
                }
                Visit::Open => {
                    let from = stack.iter().position(|entry| entry.0 == child);
                    let mut chain: Vec<&str> = stack[from.unwrap_or(0)..]
                        .iter()
                        .map(|entry| design.modules[entry.0].name.as_str())
                        .collect();
                    chain.push(&design.modules[child].name);
                    let inside = &design.modules[module];
                    findings.add(
                        NetlistPlace::module(&inside.name, &inside.src).cell(&cell.name, &cell.src),
                        format!("module contains itself: {}", chain.join(" -> ")),
                        "hardware cannot contain itself; end the recursion with a parameter",
                    );
                }
            }
        }
    }
}
