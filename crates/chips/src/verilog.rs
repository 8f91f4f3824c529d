//! The Verilog that comes from the tables: the port list in the source of each chip, and headers
//! with the protocols' encodings. `crosswave headers hdl` writes them, and the cores of
//! [`fusesoc`](crate::fusesoc). `tests/slow/hdl.rs` compares the files with the tables.
//!
//! The port list of chip `NAME` stands in `NAME.v`, between the line [`PORTS_BEGIN`] and the next
//! line that is [`PORTS_END`], the end of the module's list.

use std::fmt::Write;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};

use super::{CHIPS, Chip, PinDirection};
use crate::protocol::{self, Encoding, Origin};
use crate::{mport_packet_switch, packet, rn1_protocol, stack};

/// The licence of all files that are written.
pub(crate) const LICENCE: &str = "SPDX-License-Identifier: MIT OR Apache-2.0";

/// The line before the ports in the source of a chip.
pub const PORTS_BEGIN: &str =
    "    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.";

/// The line after the ports.
pub const PORTS_END: &str = ");";

/// The port list of a chip, as it stands between the parentheses of its module.
pub fn port_list(chip: &Chip) -> String {
    let mut text = String::new();
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

/// The source of a chip with the port list of its table. `origin` names the source in an error.
///
/// # Errors
/// When the lines around the port list are not there.
pub fn with_ports(chip: &Chip, source: &str, origin: &str) -> Result<String, Error> {
    let begin = format!("\n{PORTS_BEGIN}\n");
    let end = format!("\n{PORTS_END}\n");
    let no_list = |found: String| {
        let help = format!(
            "put the line `{}` after `module {} (`, and a line `{PORTS_END}` after it; the ports \
             come between the two",
            PORTS_BEGIN.trim_start(),
            chip.name
        );
        let place = format!("module {}", chip.name);
        Error::one(Class::Input, origin, Diagnostic::new(place, found, help))
    };
    let Some((before, rest)) = source.split_once(&begin) else {
        return Err(no_list(format!(
            "found no line `{}`, expected it before the ports",
            PORTS_BEGIN.trim_start()
        )));
    };
    // An empty list has its end right after the line before it.
    let after = match rest.strip_prefix(&end[1..]) {
        Some(after) => after,
        None => match rest.split_once(&end) {
            Some((_, after)) => after,
            None => {
                let found = format!("found no line `{PORTS_END}`, expected it after the ports");
                return Err(no_list(found));
            }
        },
    };
    Ok(format!(
        "{before}{begin}{}{}{after}",
        port_list(chip),
        &end[1..]
    ))
}

/// The encodings of a table as Verilog macros; `guard` is the name that keeps
/// them from being read twice.
pub fn encodings(table: &[Encoding], guard: &str) -> String {
    let mut text = format!(
        "// {LICENCE}\n// Written by `crosswave headers hdl` from the tables in crates/chips.\n\
         `ifndef {guard}\n`define {guard}\n"
    );
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
    files.push(("chips.list".into(), chip_list()));
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delay_line;

    fn source(list: &str) -> String {
        format!("// A chip.\nmodule delay_line (\n{list}\n  wire a;\nendmodule\n")
    }

    #[test]
    fn port_lists_stand_between_their_lines() {
        let chip = &delay_line::CHIP;
        let ports = port_list(chip);
        let expected = source(&format!("{PORTS_BEGIN}\n{ports}{PORTS_END}"));
        for list in ["", "    input wire old\n", &ports] {
            let source = source(&format!("{PORTS_BEGIN}\n{list}{PORTS_END}"));
            assert_eq!(with_ports(chip, &source, "x.v"), Ok(expected.clone()));
        }
        let first = ports.lines().next();
        let clock = "    input  wire        clock,             // rising edge";
        assert_eq!(first, Some(clock));
    }

    #[test]
    fn a_source_without_a_place_for_ports_is_refused() {
        let chip = &delay_line::CHIP;
        let told = |list: &str| {
            let error = with_ports(chip, &source(list), "hdl/delay_line.v").unwrap_err();
            error.to_string()
        };
        let said = told("    input wire clock\n);");
        assert!(
            said.contains("hdl/delay_line.v: module delay_line: found no line `// Ports:"),
            "{said}"
        );
        let said = told(&format!("{PORTS_BEGIN}\n    input wire clock"));
        assert!(
            said.contains("found no line `);`, expected it after the ports"),
            "{said}"
        );
    }
}
