//! Forwarding tables of switches, as `ibroute` prints one, `dump_lfts.sh` all of a subnet, and OpenSM
//! all of them into `opensm-lfts.dump`.
//!
//! ```text
//! Unicast lids [0x0-0x10] of switch Lid 6 guid 0x0002c90200412380 (leaf 1):
//!   Lid  Out   Destination
//!        Port     Info
//! 0x0004 001 : (Channel Adapter portguid 0x0002c90300a0b0c1: 'host 1')
//! 0x0005 001 : (path #2 out of 2: portguid 0x0002c90300a0b0c1)
//! 2 valid lids dumped
//! ```
//!
//! OpenSM has `#` in place of `:` and no parentheses. LIDs are hexadecimal, ports decimal. Port 255
//! means that the switch drops packets to that LID, and counts here as no entry. What follows the port
//! is for people, but for the GUID of the destination's port, by which tables and wiring of different
//! times are told apart.

use std::io::Read;

use super::wiring::LID_MAX;
use crosswave_base::diagnostic::Error;
use crosswave_base::text::{Lines, Mistakes};

/// The port of a LID to which packets are dropped.
const NO_PORT: u32 = 255;

/// The forwarding table of a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForwardingTable {
    /// The GUID of the switch.
    pub guid: u64,
    /// The line in which it begins.
    pub line: u64,
    /// By ascending LID.
    pub entries: Vec<ForwardingEntry>,
}

/// An entry of a forwarding table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForwardingEntry {
    /// The LID of the destination.
    pub lid: u32,
    /// The port by which it is left for; 0 for the switch itself.
    pub port: u32,
    /// The GUID of the destination's port, where it stands there.
    pub port_guid: Option<u64>,
    /// The line.
    pub line: u64,
}

impl ForwardingTable {
    /// The entry of a LID.
    pub fn entry(&self, lid: u32) -> Option<&ForwardingEntry> {
        let place = self.entries.binary_search_by_key(&lid, |entry| entry.lid);
        place.ok().map(|place| &self.entries[place])
    }
}

/// A hexadecimal number after `word` and spaces.
fn hexadecimal_after(text: &str, word: &str) -> Option<u64> {
    let (_, after) = text.split_once(word)?;
    let digits = after.trim_start().strip_prefix("0x")?;
    let end = digits
        .find(|character: char| !character.is_ascii_hexdigit())
        .unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], 16).ok()
}

fn entry(line: u64, text: &str) -> Option<ForwardingEntry> {
    let mut words = text.split_ascii_whitespace();
    let lid = u32::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
    let port = words.next()?.parse().ok()?;
    let port_guid = hexadecimal_after(text, "portguid").filter(|&guid| guid != 0);
    (lid <= LID_MAX && port <= NO_PORT).then_some(ForwardingEntry {
        lid,
        port,
        port_guid,
        line,
    })
}

/// Lines that are no part of a table.
fn is_other(text: &str) -> bool {
    let heads = ["#", "Lid ", "Port ", "ibwarn:"];
    text.is_empty()
        || heads.iter().any(|head| text.starts_with(head))
        || text.ends_with("lids dumped")
}

/// Reads the tables of a subnet; `origin` names them in reports.
///
/// # Errors
/// When reading fails, and with the mistakes: text of another form, a switch or a LID of one that
/// stands there twice.
pub fn read(input: impl Read, origin: &str) -> Result<Vec<ForwardingTable>, Error> {
    let mut lines = Lines::new(input, origin);
    let mut mistakes = Mistakes::new(origin);
    let mut tables: Vec<ForwardingTable> = Vec::new();
    while let Some((line, text)) = lines.next_line()? {
        let text = text.trim();
        if text.starts_with("Unicast lids") {
            match hexadecimal_after(text, " guid ") {
                Some(guid) => tables.push(ForwardingTable {
                    guid,
                    line,
                    entries: Vec::new(),
                }),
                None => {
                    let found =
                        format!("found `{text}`, expected the GUID of the switch after guid");
                    mistakes.at_line(line, found, "");
                }
            }
        } else if text.starts_with("0x") {
            match (entry(line, text), tables.last_mut()) {
                (Some(entry), Some(table)) if entry.port != NO_PORT => table.entries.push(entry),
                (Some(_), Some(_)) => {}
                (Some(_), None) => {
                    let help = "a table begins with Unicast lids [...] of switch ... guid 0x...";
                    mistakes.at_line(line, "an entry before the first table", help);
                }
                (None, _) => {
                    let found = format!(
                        "found `{text}`, expected a LID up to {LID_MAX:#x} and a port up to {NO_PORT}, \
                         such as 0x0004 001"
                    );
                    mistakes.at_line(line, found, "");
                }
            }
        } else if !is_other(text) {
            let found = format!("found `{text}`, expected a table or one of its entries");
            mistakes.at_line(
                line,
                found,
                "give the output of dump_lfts.sh or opensm-lfts.dump",
            );
        }
    }
    if tables.is_empty() {
        let found = "found no table, expected one for each switch";
        let help = "give the output of dump_lfts.sh or opensm-lfts.dump";
        mistakes.add("end of the file", found, help);
    }
    tables.sort_by_key(|table| table.guid);
    for pair in tables.windows(2) {
        if pair[0].guid == pair[1].guid {
            let found = format!(
                "the table of switch 0x{:016x} stands in line {} already",
                pair[1].guid, pair[0].line
            );
            mistakes.at_line(pair[1].line, found, "");
        }
    }
    for table in &mut tables {
        table.entries.sort_by_key(|entry| entry.lid);
        for pair in table.entries.windows(2) {
            if pair[0].lid == pair[1].lid {
                let found = format!(
                    "LID {:#06x} stands in line {} already",
                    pair[1].lid, pair[0].line
                );
                mistakes.at_line(pair[1].line, found, "");
            }
        }
    }
    mistakes.finish()?;
    Ok(tables)
}
