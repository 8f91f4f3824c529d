//! The Verilog around a module that gives it the ports of its chip, for exports.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::map::{MappedModule, ModuleBit};
use super::reset;
use crosswave_chips::{PinDirection, Role};
use crosswave_netlist::{Module, PortDirection};

/// The range of so many bits, with a blank after it; empty for one bit.
fn range(width: usize) -> String {
    match width {
        1 => String::new(),
        width => format!("[{}:0] ", width - 1),
    }
}

/// Bits of signals from the highest to the lowest, joined where they follow each other.
fn joined(bits: &[(String, usize, usize)]) -> String {
    let mut parts: Vec<(&str, usize, usize, usize)> = Vec::new();
    for (name, at, width) in bits {
        match parts.last_mut() {
            Some((last, _, low, _)) if last == name && *low == at + 1 => *low = *at,
            _ => parts.push((name, *at, *at, *width)),
        }
    }
    let part = |&(name, high, low, width): &(&str, usize, usize, usize)| match width {
        1 => name.to_owned(),
        _ if high - low + 1 == width => name.to_owned(),
        _ if high == low => format!("{name}[{high}]"),
        _ => format!("{name}[{high}:{low}]"),
    };
    match &parts[..] {
        [one] => part(one),
        parts => format!(
            "{{{}}}",
            parts.iter().map(part).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// The sign of Verilog before a bit that the chip has the opposite of.
fn sign(bit: &ModuleBit) -> &'static str {
    if bit.is_inverted { "~" } else { "" }
}

/// The text of the module `name` around `module`.
pub fn verilog(
    name: &str,
    module: &Module,
    parameters: &[(String, String)],
    mapped: &MappedModule,
) -> String {
    let mut text = format!(
        "// The ports of {} as links. Written by crosswave for the component file.\n\
         `default_nettype none\n\nmodule {name} (\n",
        module.name
    );
    let ports = mapped.ports.iter().map(|port| {
        let direction = match port.direction {
            PinDirection::Input => "input  wire",
            PinDirection::Output => "output wire",
        };
        format!(
            "    {direction} {}{}",
            range(usize::from(port.width)),
            port.name
        )
    });
    text.push_str(&ports.collect::<Vec<_>>().join(",\n"));
    text.push_str("\n);\n");
    if mapped.reset_cycles > 1 {
        text.push_str(&reset::verilog(mapped.reset_cycles));
    }
    // The chip's bit at each bit of an input of the module.
    let mut driven: BTreeMap<(&str, usize), (String, usize, usize)> = BTreeMap::new();
    for (port, found) in mapped.ports.iter().zip(&mapped.mapped) {
        if port.direction == PinDirection::Input {
            for (bit, of_module) in found.bits.iter().enumerate() {
                let sign = sign(of_module);
                let name_of_port = match port.role {
                    Role::Reset if mapped.reset_cycles > 1 => "in_reset",
                    _ => port.name,
                };
                let signal = (
                    format!("{sign}{name_of_port}"),
                    bit,
                    usize::from(port.width),
                );
                driven.insert((&*of_module.port, of_module.at), signal);
            }
        }
    }
    // A String takes all text.
    for port in module.ports_of(PortDirection::Output) {
        let _ = writeln!(
            text,
            "  wire {}module_{};",
            range(port.bits.len()),
            port.name
        );
    }
    let parameters: Vec<String> = parameters
        .iter()
        .map(|(name, value)| format!(".{name}({value})"))
        .collect();
    let parameters = match parameters.is_empty() {
        true => String::new(),
        false => format!("#({}) ", parameters.join(", ")),
    };
    let _ = writeln!(text, "  {} {parameters}wrapped (", module.name);
    let connections = module.ports.iter().map(|port| match port.direction {
        PortDirection::Output => format!("      .{0}(module_{0})", port.name),
        PortDirection::Input => {
            let bits = (0..port.bits.len()).rev();
            let bits: Vec<_> = bits
                .filter_map(|at| driven.get(&(&*port.name, at)).cloned())
                .collect();
            format!("      .{}({})", port.name, joined(&bits))
        }
    });
    text.push_str(&connections.collect::<Vec<_>>().join(",\n"));
    text.push_str(");\n");
    for (port, found) in mapped.ports.iter().zip(&mapped.mapped) {
        if port.direction == PinDirection::Output {
            let width = |name: &str| module.port(name).map_or(1, |port| port.bits.len());
            let bits = found.bits.iter().rev();
            let bits: Vec<_> = bits
                .map(|bit| {
                    let name = format!("{}module_{}", sign(bit), bit.port);
                    (name, bit.at, width(&bit.port))
                })
                .collect();
            let _ = writeln!(text, "  assign {} = {};", port.name, joined(&bits));
        }
    }
    text.push_str("endmodule\n`default_nettype wire\n");
    text
}
