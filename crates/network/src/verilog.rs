//! A fabric as a structural Verilog module.
//!
//! The module instantiates every chip once, by the name that
//! [`Fabric::instance_name`] gives it, array by array, and holds nothing else.
//! Its ports are, in this order:
//!
//! | port | direction | width |
//! |---|---|---|
//! | `clock`, `reset` | input | 1 |
//! | every configuration pin that is the same for all instances, by its name | input | of the pin |
//! | every random pin, host input and configuration pin that changes, as a bus, see [`bus_name`] | input | instances × pin |
//! | every host output, as a bus | output | instances × pin |
//!
//! Instance `i` has bits `i * width ..` of a bus. Configuration pins that
//! differ between instances are tied to constants, as are those that the
//! fabric does not set (0) and the link inputs that lead nowhere (0). No
//! instance has a parameter of its own: instances that differ in a parameter
//! are different modules to a simulator, and here ([`ChipArray::modules`]).
//!
//! Every output of a joined link port drives a wire `INSTANCE_PORT`; the wire
//! is read by the chip at the other end. The state ports and the outputs of
//! open link ports are left unconnected; they are there to be looked at.
//!
//! With [`RouterOptions::ScanChain`] the options of RN1 come from `rn1_scan` beside each of them, one
//! behind the other in the order of instances, and the module has the ports `scan_clock`,
//! `scan_reset`, `scan_shift`, `scan_in` and `scan_out` besides.

use std::fmt::Write;

use super::{ChipArray, Fabric, LinkPort, PinValues, topology};
use crosswave_chips::{PinDirection, Port, Role, rn1, rn1_height};

/// The way in which the routers of a network module get their options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouterOptions {
    /// By pins.
    Pins,
    /// Those of RN1 through a scan chain, which is filled before the run; others by pins.
    ScanChain,
}

impl RouterOptions {
    /// True for an array whose options come from the scan chain.
    pub fn scans(self, array: &ChipArray) -> bool {
        self == RouterOptions::ScanChain && array.chip.name == rn1::CHIP.name
    }
}

/// The scan chain of a network module, as it is filled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanChain {
    /// The options of the routers in the order in which they enter: a line with a hexadecimal number
    /// for each router, the last router first. The lowest bit of a number enters first.
    pub options: String,
    /// The routers on it.
    pub routers: usize,
    /// The options of all routers, in bits.
    pub places: usize,
    /// The file of Verilog with the chain of one router, and its text.
    pub source: (&'static str, &'static str),
}

/// The reason why a network has no scan chain, and advice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoScanChain {
    /// The reason.
    pub why: String,
    /// Advice.
    pub help: &'static str,
}

/// The chain with the options of the RN1s of a network.
///
/// # Errors
/// The network has no RN1, or only those with heights, or options change during the run.
pub fn scan_chain(fabric: &Fabric) -> Result<ScanChain, NoScanChain> {
    let mut lines = Vec::new();
    let mut places = 0;
    for array in fabric.shown_arrays().map(|index| &fabric.arrays[index]) {
        if !RouterOptions::ScanChain.scans(array) {
            continue;
        }
        let options = || array.chip.ports.iter().enumerate().filter(is_option);
        if let Some((_, port)) = options().find(|(number, _)| array.changes(*number)) {
            return Err(NoScanChain {
                why: format!(
                    "faults change the option {} of routers during the run; expected options that \
                     stand still, as a chain is filled before cycle 0",
                    port.name
                ),
                help: "take the cycles (@FROM..TO) of [faults] away, or leave --scan-chain out",
            });
        }
        for instance in 0..array.instances {
            let mut word: u128 = 0;
            let mut filled = 0;
            for (number, port) in options() {
                word |= u128::from(array.pin(number, instance)) << filled;
                filled += u32::from(port.width);
            }
            places += filled as usize;
            lines.push(format!("{word:x}\n"));
        }
    }
    let routers = fabric.arrays[topology::ROUTERS].chip.name;
    if routers == rn1_height::CHIP.name {
        return Err(NoScanChain {
            why: format!(
                "the routers of the network {} are {routers}; expected RN1, whose options a chain \
                 holds",
                fabric.name
            ),
            help: "set network.climb to \"directions\", or leave --scan-chain out",
        });
    }
    if lines.is_empty() {
        return Err(NoScanChain {
            why: format!(
                "the network {} has no RN1, whose options a chain would hold",
                fabric.name
            ),
            help: "set network.kind to one of networks of RN1, or leave --scan-chain out",
        });
    }
    Ok(ScanChain {
        routers: lines.len(),
        options: lines.into_iter().rev().collect(),
        places,
        source: rn1::SCAN_CHAIN,
    })
}

fn is_option((_, port): &(usize, &Port)) -> bool {
    matches!(port.role, Role::Option)
}

/// The name of the bus that joins one port of all instances of an array: the
/// instance names' first word, and the port.
///
/// ```
/// # use crosswave_network::{fat_tree::{FatTree, NODES, Release}, verilog::bus_name};
/// # use crosswave_chips::network_interface::PORT_TX_REQUEST;
/// # let tree = FatTree { nodes: 4, capacities: vec![1, 2], link_delay_cycles: vec![0; 2],
/// #     winner_fixed: false, release: Release::Acknowledge, strategy: 0, backoff_limit: 0 };
/// assert_eq!(bus_name(&tree.fabric(), NODES, PORT_TX_REQUEST), "node_tx_request");
/// ```
///
/// # Panics
/// When the fabric has no such array or port, or the array has no instance.
pub fn bus_name(fabric: &Fabric, array: usize, port: usize) -> String {
    let instance = fabric.instance_name(array, 0);
    let word = instance.split('_').next().unwrap_or(&instance);
    format!("{word}_{}", fabric.arrays[array].chip.ports[port].name)
}

/// The connection of a chip's port in the network module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meets {
    /// An input of the network of the same name.
    Common,
    /// A constant.
    Constant,
    /// Its part of a bus of the network.
    Bus,
    /// The wires of a link, or a constant where the link leads nowhere.
    Link,
    /// Nothing.
    Nothing,
    /// Nothing, for it is no port of the module.
    Parameter,
}

/// The connection of a port of the chips of an array in the network module.
pub fn meets(array: &ChipArray, port: usize) -> Meets {
    match array.chip.ports[port].role {
        Role::Clock | Role::Reset => Meets::Common,
        Role::Option if array.changes(port) => Meets::Bus,
        Role::Option => match array.pins.iter().find(|pin| pin.port == port) {
            Some(pin) if matches!(pin.values, PinValues::Uniform(_)) => Meets::Common,
            _ => Meets::Constant,
        },
        Role::Random { .. } | Role::Host => Meets::Bus,
        Role::Link { .. } => Meets::Link,
        Role::State(_) => Meets::Nothing,
        Role::Parameter => Meets::Parameter,
    }
}

/// The Verilog text of the module, named `fabric.name`.
///
/// # Panics
/// When two arrays have pins of one name and different widths: port tables and
/// fabrics come from this crate.
pub fn structural(fabric: &Fabric, options: RouterOptions) -> String {
    let mut text = format!(
        "// A network of {} nodes and {} chips. Exported by crosswave {}.\n\
         // Instance i has bits i * width and up of every bus.\n\
         `default_nettype none\n\n\
         module {} (\n",
        fabric.nodes,
        fabric.chips(),
        env!("CARGO_PKG_VERSION"),
        fabric.name,
    );
    text.push_str(&header(fabric, options).join(",\n"));
    text.push_str("\n);\n");
    wires(fabric, &mut text);
    chain(fabric, options, &mut text);
    text.push_str("\n  // Ports left empty: states, and links that lead nowhere.\n");
    text.push_str("  // verilator lint_off PINCONNECTEMPTY\n");
    for index in fabric.shown_arrays() {
        for instance in 0..fabric.arrays[index].instances {
            chip(fabric, options, index, instance, &mut text);
        }
    }
    text.push_str("  // verilator lint_on PINCONNECTEMPTY\nendmodule\n`default_nettype wire\n");
    text
}

/// The range of a port or wire, with a blank behind it; empty for one bit.
pub(crate) fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        width => format!("[{}:0] ", width - 1),
    }
}

fn declared(port: &Port, width: usize, name: &str) -> String {
    let direction = match port.direction {
        PinDirection::Input => "input  wire",
        PinDirection::Output => "output wire",
    };
    format!("    {direction} {}{name}", range(width))
}

/// The ports of the network.
fn header(fabric: &Fabric, options: RouterOptions) -> Vec<String> {
    let mut common: Vec<&Port> = Vec::new();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for index in fabric.shown_arrays() {
        let array = &fabric.arrays[index];
        for (number, port) in array.chip.ports.iter().enumerate() {
            if options.scans(array) && is_option(&(number, port)) {
                continue;
            }
            match meets(array, number) {
                Meets::Common => match common.iter().find(|other| other.name == port.name) {
                    Some(other) => assert_eq!(other.width, port.width, "pin {}", port.name),
                    None => common.push(port),
                },
                Meets::Bus => {
                    let width = array.instances * usize::from(port.width);
                    let line = declared(port, width, &bus_name(fabric, index, number));
                    match port.direction {
                        PinDirection::Input => inputs.push(line),
                        PinDirection::Output => outputs.push(line),
                    }
                }
                Meets::Constant | Meets::Link | Meets::Nothing | Meets::Parameter => {}
            }
        }
    }
    let mut lines: Vec<String> = common
        .iter()
        .map(|port| declared(port, usize::from(port.width), port.name))
        .collect();
    if fabric.arrays.iter().any(|array| options.scans(array)) {
        let inputs = ["clock", "reset", "shift", "in"];
        lines.extend(inputs.map(|name| format!("    input  wire scan_{name}")));
        lines.push("    output wire scan_out".into());
    }
    lines.append(&mut inputs);
    lines.append(&mut outputs);
    lines
}

/// The wires of all joined link ports.
fn wires(fabric: &Fabric, text: &mut String) {
    for index in fabric.shown_arrays() {
        let array = &fabric.arrays[index];
        for instance in 0..array.instances {
            let name = fabric.instance_name(index, instance);
            for port in array.chip.ports {
                let Role::Link { link, .. } = port.role else {
                    continue;
                };
                let end = LinkPort {
                    array: index,
                    instance,
                    link,
                };
                if port.direction == PinDirection::Output && fabric.peer(end).is_some() {
                    let range = range(usize::from(port.width));
                    line(text, format_args!("  wire {range}{name}_{};", port.name));
                }
            }
        }
    }
}

/// The chain with the options of RN1, where there is one.
fn chain(fabric: &Fabric, options: RouterOptions, text: &mut String) {
    let mut before = String::from("scan_in");
    for index in fabric.shown_arrays() {
        let array = &fabric.arrays[index];
        if !options.scans(array) {
            continue;
        }
        for instance in 0..array.instances {
            let name = fabric.instance_name(index, instance);
            let pins = array.chip.ports.iter().enumerate().filter(is_option);
            let pins: Vec<&Port> = pins.map(|(_, port)| port).collect();
            for pin in &pins {
                let range = range(usize::from(pin.width));
                line(text, format_args!("  wire {range}{name}_{};", pin.name));
            }
            line(text, format_args!("  wire {name}_scan_out;"));
            line(text, format_args!("  rn1_scan {name}_options ("));
            for (port, wire) in [("clock", "scan_clock"), ("reset", "scan_reset")] {
                line(text, format_args!("      .{port}({wire}),"));
            }
            line(text, format_args!("      .scan_shift(scan_shift),"));
            line(text, format_args!("      .scan_in({before}),"));
            line(text, format_args!("      .scan_out({name}_scan_out),"));
            let pins = pins.iter().map(|pin| pin.name);
            let pins: Vec<String> = pins
                .map(|pin| format!("      .{pin}({name}_{pin})"))
                .collect();
            line(text, format_args!("{});", pins.join(",\n")));
            before = format!("{name}_scan_out");
        }
    }
    if before != "scan_in" {
        line(text, format_args!("  assign scan_out = {before};"));
    }
}

/// One instance.
fn chip(fabric: &Fabric, options: RouterOptions, index: usize, instance: usize, text: &mut String) {
    let array = &fabric.arrays[index];
    let name = fabric.instance_name(index, instance);
    line(text, format_args!("  {} {name} (", array.module(instance)));
    let ports = array.chip.ports.iter().enumerate();
    let is_port = |number: &usize| meets(array, *number) != Meets::Parameter;
    let last = ports.clone().map(|(number, _)| number).rfind(is_port);
    for (number, port) in ports.filter(|(number, _)| is_port(number)) {
        let width = usize::from(port.width);
        let met = match meets(array, number) {
            _ if options.scans(array) && is_option(&(number, port)) => {
                format!("{name}_{}", port.name)
            }
            Meets::Common => port.name.to_owned(),
            Meets::Constant => format!("{width}'d{}", array.pin(number, instance)),
            Meets::Bus => {
                let bus = bus_name(fabric, index, number);
                let low = instance * width;
                match (array.instances * width, width) {
                    (1, _) => bus,
                    (_, 1) => format!("{bus}[{low}]"),
                    _ => format!("{bus}[{}:{low}]", low + width - 1),
                }
            }
            Meets::Link => link_wire(fabric, index, instance, port),
            Meets::Nothing | Meets::Parameter => String::new(),
        };
        let comma = if Some(number) == last { ");" } else { "," };
        line(text, format_args!("      .{}({met}){comma}", port.name));
    }
}

/// The wire at a port of a link: its own when it drives, the other end's when
/// it reads.
fn link_wire(fabric: &Fabric, index: usize, instance: usize, port: &Port) -> String {
    let Role::Link { link, lsb } = port.role else {
        return String::new();
    };
    let end = LinkPort {
        array: index,
        instance,
        link,
    };

    match (port.direction, fabric.peer(end)) {
        (PinDirection::Output, None) => String::new(),
        (PinDirection::Output, Some(_)) => {
            format!("{}_{}", fabric.instance_name(index, instance), port.name)
        }
        (PinDirection::Input, None) => format!("{}'d0", port.width),
        (PinDirection::Input, Some(peer)) => {
            let driver = fabric.arrays[peer.array].chip.ports.iter().find(|other| {
                other.direction == PinDirection::Output
                    && matches!(other.role, Role::Link { link, lsb: low }
                            if link == peer.link && low == lsb)
            });
            let Some(driver) = driver else {
                return format!("{}'d0", port.width);
            };
            let wire = format!(
                "{}_{}",
                fabric.instance_name(peer.array, peer.instance),
                driver.name
            );
            rotated_wire(&wire, port, lsb, fabric.rotation(fabric.number(end)))
        }
    }
}

/// A wire whose byte, the bits 0 to 7 of the link's word, is rotated to the left.
///
/// # Panics
/// When the port holds a part of the byte only: port tables come from this crate.
fn rotated_wire(wire: &str, port: &Port, lsb: u32, steps: u8) -> String {
    let first_above = 8 - lsb.min(8);
    if steps == 0 || first_above == 0 {
        return wire.to_owned();
    }
    assert!(lsb == 0 && port.width >= 8, "bytes are whole");
    let cut = 8 - 2 * steps;
    let byte = format!("{wire}[{}:0], {wire}[7:{cut}]", cut - 1);
    match port.width {
        8 => format!("{{{byte}}}"),
        9 => format!("{{{wire}[8], {byte}}}"),
        width => format!("{{{wire}[{}:8], {byte}}}", width - 1),
    }
}

fn line(text: &mut String, content: std::fmt::Arguments) {
    writeln!(text, "{content}").expect("a String takes all text");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fat_tree::{FatTree, Release};

    fn text(nodes: u32, delay: u32) -> String {
        let capacities = FatTree::doubling(nodes.ilog2());
        text_of(capacities, delay)
    }

    fn text_of(capacities: Vec<u32>, delay: u32) -> String {
        let nodes = 1u32 << capacities.len();
        let tree = FatTree {
            nodes,
            capacities,
            link_delay_cycles: vec![delay; nodes.ilog2() as usize],
            winner_fixed: false,
            release: Release::Acknowledge,
            strategy: 0,
            backoff_limit: 0,
        };
        structural(&tree.fabric(), RouterOptions::Pins)
    }

    /// Connections of one instance, with blanks removed.
    fn instance(text: &str, name: &str) -> String {
        let start = text.find(&format!(" {name} (")).expect("the instance");
        let length = text[start..].find(';').expect("its end");
        text[start..start + length].split_whitespace().collect()
    }

    #[test]
    fn links_pins_and_buses_of_a_small_tree() {
        let text = text(4, 0);
        assert!(text.contains("input  wire [79:0] node_tx_destination,\n"));
        assert!(text.contains("input  wire [1:0] strategy,\n"));
        assert_eq!(text.matches("input  wire early_acknowledge").count(), 1);
        let node = instance(&text, "node_1");
        // Node 1 is instance 2: even nodes come first.
        assert!(node.contains(".node(20'd1),"), "{node}");
        assert!(node.contains(".tx_destination(node_tx_destination[59:40]),"));
        assert!(node.contains(".net_in_data(router_0_0_b_out_data),"));
        assert!(node.contains(".net_out_ack(router_0_0_b_in_ack),"));
        let child = instance(&text, "router_0_1");
        assert!(child.contains(".level(5'd0),"));
        assert!(child.contains(".c_in_valid(router_1_0_b_out_valid),"));
        assert!(child.contains(".d_out_collision(router_1_1_b_in_collision),"));
        let root = instance(&text, "router_1_1");
        assert!(root.contains(".level(5'd1),"));
        assert!(root.contains(".c_in_data(8'd0),"));
        assert!(root.contains(".c_out_data(),"));
        assert!(root.contains(".a_state(),"));
    }

    #[test]
    fn a_single_way_up_is_port_c() {
        let text = text_of(vec![1, 1], 0);
        let child = instance(&text, "router_0_1");
        assert!(child.contains(".upstream_single(1'd1),"), "{child}");
        assert!(child.contains(".c_in_valid(router_1_0_b_out_valid),"));
        assert!(child.contains(".d_out_data(),"));
        assert!(child.contains(".d_in_valid(1'd0),"));
        let root = instance(&text, "router_1_0");
        assert!(root.contains(".upstream_single(1'd0),"));
        assert!(!text.contains("router_1_1"));
    }

    #[test]
    fn delays_lie_in_the_links() {
        let text = text(2, 2);
        assert_eq!(text.matches("  delay_line ").count(), 4);
        let near = instance(&text, "delay_0");
        assert!(near.contains(".near_in_valid(node_0_net_out_valid),"));
        assert!(near.contains(".far_in_valid(delay_2_near_out_valid),"));
        let router = instance(&text, "router_0_0");
        assert!(router.contains(".a_in_data(delay_2_far_out_data),"));
    }
}
