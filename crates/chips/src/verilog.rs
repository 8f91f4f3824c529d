//! The Verilog headers that come from the tables: one port list per chip and
//! the protocol's encodings. `tests/slow/hdl.rs` checks that the files in
//! `hdl/include/` are these texts; `crosswave headers hdl/include` writes them.

use std::fmt::Write;

use super::{CHIPS, Chip, PinDirection};
use crate::protocol::{self, Encoding, Origin};
use crate::{mport_packet_switch, packet, rn1_protocol, stack};

const NOTE: &str =
    "// Generated from the port tables of the chips by `crosswave headers hdl/include`.\n";

/// The port list of a chip, to be included between the parentheses of its module.
pub fn port_list(chip: &Chip) -> String {
    let mut text = String::from(NOTE);
    for (index, port) in chip.ports.iter().enumerate() {
        let direction = match port.direction {
            PinDirection::Input => "input  wire",
            PinDirection::Output => "output wire",
        };
        let range = match port.width {
            1 => String::new(),
            width => format!("[{}:0]", width - 1),
        };
        let comma = if index + 1 == chip.ports.len() {
            ""
        } else {
            ","
        };
        let name = format!("{}{comma}", port.name);
        writeln!(
            text,
            "    {direction} {range:>6} {name:<18} // {}",
            port.doc
        )
        .expect("a String takes all text");
    }
    text
}

/// The encodings of a table as Verilog macros; `guard` is the name that keeps
/// them from being read twice.
pub fn encodings(table: &[Encoding], guard: &str) -> String {
    let mut text = String::from(NOTE);
    let _ = writeln!(text, "`ifndef {guard}\n`define {guard}");
    for row in table {
        let origin = match row.origin {
            Origin::Paper => "paper",
            Origin::Assumed => "assumed",
        };
        let value = match row.width {
            0 => row.value.to_string(),
            width => format!("{width}'d{}", row.value),
        };
        writeln!(
            text,
            "// {}: {origin}\n`define CROSSWAVE_{} {value}",
            row.doc, row.name
        )
        .expect("a String takes all text");
    }
    text.push_str("`endif\n");
    text
}

/// The chips and their sources, the top module first: what `hdl/synthesise.sh` reads.
fn chip_list() -> String {
    let row = |chip: &&Chip| {
        let sources = chip.sources.iter().map(|(name, _)| format!(" {name}"));
        format!("{}:{}\n", chip.name, sources.collect::<String>())
    };
    CHIPS.iter().map(row).collect()
}

/// All generated files of `hdl/include/`: name and text.
pub fn headers() -> Vec<(String, String)> {
    let tables = [
        ("protocol", protocol::TABLE),
        ("rn1_protocol", rn1_protocol::TABLE),
        ("packet", packet::TABLE),
        ("routed_packet", mport_packet_switch::TABLE),
        ("stack", stack::TABLE),
    ];
    let mut files: Vec<(String, String)> = tables
        .map(|(name, table)| {
            let guard = format!("CROSSWAVE_{}", name.to_uppercase());
            (format!("{name}.vh"), encodings(table, &guard))
        })
        .into();
    for chip in CHIPS {
        files.push((format!("{}_ports.vh", chip.name), port_list(chip)));
    }
    files.push(("chips.list".into(), chip_list()));
    files
}
