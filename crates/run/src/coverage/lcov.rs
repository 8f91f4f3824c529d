//! Coverage by lines of source, as LCOV: what genhtml and editors read.
//!
//! A line is that of the declaration of a net, or of the operator that it comes from. Its branches are the
//! rises and falls of the bits that come from it, in the order of the netlist; the count of the line is
//! the number of those that happened. Changes that no traffic can bring about are left out, as are lines
//! that have no others.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{CoverageReport, Reason};
use crosswave_base::escape;

/// Changes of a line, and whether they happened.
type Changes = Vec<bool>;

/// Writes a report by lines of source.
///
/// # Errors
/// As `out` says.
pub fn write(report: &CoverageReport, mut out: impl Write) -> io::Result<()> {
    let mut files: BTreeMap<&str, BTreeMap<u64, Changes>> = BTreeMap::new();
    for net in report.chips.iter().flat_map(|chip| &chip.nets) {
        let place = net
            .source
            .as_deref()
            .and_then(|source| source.rsplit_once(':'));
        let cannot = matches!(net.reason, Some(Reason::Never | Reason::Pins));
        let Some((file, line)) = place.filter(|_| !cannot) else {
            continue;
        };
        let Ok(line) = line.parse() else { continue };
        let changes = files.entry(file).or_default().entry(line).or_default();
        changes.extend([net.rose, net.fell]);
    }
    for (file, lines) in files {
        writeln!(out, "TN:toggles\nSF:{}", escape::line(file))?;
        let (mut found, mut hit) = (0, 0);
        for (line, changes) in &lines {
            for (number, &happened) in changes.iter().enumerate() {
                writeln!(out, "BRDA:{line},0,{number},{}", u8::from(happened))?;
            }
            found += changes.len();
            hit += happened(changes);
        }
        writeln!(out, "BRF:{found}\nBRH:{hit}")?;
        for (line, changes) in &lines {
            writeln!(out, "DA:{line},{}", happened(changes))?;
        }
        let hit = lines
            .values()
            .filter(|changes| happened(changes) > 0)
            .count();
        writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", lines.len())?;
    }
    Ok(())
}

/// Changes that happened.
fn happened(changes: &[bool]) -> usize {
    changes.iter().filter(|happened| **happened).count()
}
