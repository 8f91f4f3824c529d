//! Readings of the paper that differ from the print, and assumptions where it is silent.

use super::context::DehonContext;
use crate::page::{PagePart, PageTable, Section};
use crosswave_base::diagnostic::Error;

/// Places of the paper, and how they are read.
const READINGS: [(&str, &str); 8] = [
    (
        "Equation 4.1: offsets 1 to Ns",
        "0 to Ns - 1; equation 4.2 and the averages follow from these alone",
    ),
    (
        "Equation 4.4: longest length of the square root of 3 times Ns",
        "an upper bound of the sum; with offsets up to Ns - 1 the longest wires are shorter",
    ),
    (
        "Table 4.2: stacks of 2 feet, 1 foot and 6 inches",
        "22.4, 11.2 and 5.6 inches, as 16, 8 and 4 chips of 1.4 inches; the averages follow from these",
    ),
    (
        "Equations 4.19, 4.23, 4.32 and 4.34: brackets",
        "fractions are rounded up",
    ),
    (
        "Table 2.1 and section 2.2: level n + 4 above level n + 2",
        "level n + 3",
    ),
    (
        "Tables 4.13 and 4.14: a column headed B12 twice",
        "the last one is of B192; Table 4.14 is of hybrid trees",
    ),
    (
        "Section 3.8 has no route for the stage of a cap",
        "assumed: direction 11 up to it, then two bits for the root, and what comes from it swallows",
    ),
    (
        "Which wire of a bundle leads to which router",
        "assumed, with as many routes for a connection as section 2.3.3 asks for",
    ),
];

/// The section.
pub(super) fn section(_: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("How the paper is read");
    let mut table = PageTable::new("Places, and how they are read", ["the paper", "here"]);
    table.texts = true;
    for (place, reading) in READINGS {
        table.row([place.to_owned(), reading.to_owned()]);
    }
    section.parts.push(PagePart::Table(table));
    Ok(section)
}
