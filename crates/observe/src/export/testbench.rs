//! The text of the test bench: a template, filled in for one network.
//!
//! The template plays the host of network interfaces, which is the same for
//! all networks; sizes, random pins and the list of ports to dump come from
//! the fabric. Nothing in it depends on traffic, seed or options.

use std::fmt::Write;

use crosswave_chips::{RandomKind, Role};
use crosswave_network::Fabric;
use crosswave_network::topology::{NODES, VerilogHost};
use crosswave_network::verilog::bus_name;

const TEMPLATE: &str = include_str!("testbench.v");

/// The test bench of a network, a module `testbench` that holds the network
/// as the instance `network`.
///
/// `host` is what the host in Verilog has to know.
pub fn testbench(fabric: &Fabric, host: &VerilogHost) -> String {
    let parts = Parts::random(fabric, |array| match array {
        NODES => host.nodes_draw,
        _ => "!held",
    });
    let climbs = host.climb_cycles.iter().enumerate();
    let climbs = climbs.map(|(level, cycles)| format!("      {level}: climb = 64'd{cycles};"));
    let climbs = climbs.collect::<Vec<_>>().join("\n");
    let mut text = TEMPLATE.to_owned();
    for (mark, value) in [
        ("@random_bits@", include_str!("random.v").trim_end()),
        ("@waveform@\n", include_str!("dump.v")),
        ("@outcomes@", include_str!("outcomes.v").trim_end()),
        ("@climbs@", &climbs),
        ("@network@", fabric.name),
        ("@version@", env!("CARGO_PKG_VERSION")),
        ("@nodes@", &fabric.nodes.to_string()),
        ("@instance_of@", &instance_of(&host.instance_bits)),
        ("@rest_cycles@", &fabric.rest_cycles.to_string()),
        ("@random_declarations@\n", &parts.declarations),
        ("@random_connections@\n", &parts.connections),
        ("@random_updates@\n", &parts.updates),
        ("@random_draws@\n", &parts.draws),
        ("@random_resets@\n", &parts.resets),
        ("@dumps@\n", &dumps(fabric)),
    ] {
        text = text.replace(mark, value);
    }
    text
}

/// The instance of a node, in Verilog. The bits of the one are those of the other in
/// another order.
fn instance_of(places: &[u32]) -> String {
    let halved = (1..)
        .zip(&places[1..])
        .all(|(bit, &place)| place + 1 == bit);
    if halved {
        return "node / 2 + (node % 2) * (NODES / 2)".to_owned();
    }
    let terms = places.iter().enumerate();
    let terms = terms.map(|(bit, place)| format!("node / {} % 2 * {}", 1 << bit, 1 << place));
    terms.collect::<Vec<_>>().join("\n        + ")
}

/// A random pin of all instances of an array.
struct RandomBus {
    name: String,
    instances: usize,
    groups: usize,
    width: usize,
    stream: u64,
    kind: RandomKind,
    driven: &'static str,
}

/// The parts of the text that speak of the random pins.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) declarations: String,
    pub(super) connections: String,
    pub(super) updates: String,
    pub(super) draws: String,
    pub(super) resets: String,
}

impl Parts {
    /// The parts for all random pins of a fabric that are driven, each under the condition of
    /// its array, which is given by its number.
    pub(super) fn random(fabric: &Fabric, driven: impl Fn(usize) -> &'static str) -> Parts {
        let mut parts = Parts::default();
        for (index, array) in fabric.arrays.iter().enumerate() {
            let groups = array.instances.div_ceil(64);
            for (number, port) in array.chip.ports.iter().enumerate() {
                if let Role::Random { stream, kind } = port.role {
                    let random = RandomBus {
                        name: bus_name(fabric, index, number),
                        instances: array.instances,
                        groups,
                        width: usize::from(port.width),
                        stream,
                        kind,
                        driven: driven(index),
                    };
                    parts.add(&random);
                }
            }
        }
        parts
    }

    fn add(&mut self, bus: &RandomBus) {
        let RandomBus {
            name,
            instances,
            groups,
            width,
            stream,
            kind,
            driven,
        } = bus;
        let bits = 64 * groups * width;
        let word = match kind {
            RandomKind::Fair => "fair_word",
            RandomKind::Third => "third_word",
        };
        line(
            &mut self.declarations,
            &format!("  reg [{}:0] {name}, next_{name};", bits - 1),
        );
        line(
            &mut self.connections,
            &format!("      .{name}({name}[{}:0]),", instances * width - 1),
        );
        line(&mut self.updates, &format!("    {name} <= next_{name};"));
        line(&mut self.resets, &format!("    {name} = next_{name};"));

        let draws = &mut self.draws;
        line(draws, &format!("      next_{name} = 0;"));
        line(
            draws,
            &format!(
                "      if ({driven})\n        \
                 for (bit_index = 0; bit_index < {width}; bit_index = bit_index + 1) begin\n          \
                 start = key(64'd{stream} + {{32'd0, bit_index[31:0]}}, at);\n          \
                 for (group = 0; group < {groups}; group = group + 1) begin\n            \
                 word = {word}(start, {{32'd0, group[31:0]}});"
            ),
        );
        if *width == 1 {
            line(
                draws,
                &format!("            next_{name}[64*group +: 64] = word;"),
            );
        } else {
            line(
                draws,
                &format!(
                    "            for (lane = 0; lane < 64; lane = lane + 1)\n              \
                     next_{name}[{width}*(64*group+lane)+bit_index] = word[lane];"
                ),
            );
        }
        line(draws, "          end\n        end");
    }
}

/// One call per instance, so that no call has more than a chip's ports.
pub(super) fn dumps(fabric: &Fabric) -> String {
    let mut text = String::new();
    for index in fabric.shown_arrays() {
        let array = &fabric.arrays[index];
        for instance in 0..array.instances {
            let name = fabric.instance_name(index, instance);
            let ports = array.chip.ports.iter();
            let ports = ports.filter(|port| !matches!(port.role, Role::Parameter));
            let ports: Vec<String> = ports
                .map(|port| format!("\n          network.{name}.{}", port.name))
                .collect();
            line(
                &mut text,
                &format!("      $dumpvars(0,{});", ports.join(",")),
            );
        }
    }
    text
}

fn line(text: &mut String, content: &str) {
    writeln!(text, "{content}").expect("a String takes all text");
}
