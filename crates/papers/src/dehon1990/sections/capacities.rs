//! Chapter 2: capacities of levels, Tables 2.1 and 2.2.

use super::context::{DehonContext, came_out, claim, count};
use crate::dehon1990::trees::Counted;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;

/// Table 2.1: tree level, capacity and logical channels for a unit tree of the lower layer.
/// What is printed as level n + 4 is n + 3.
const UP: [(&str, u64, f64); 5] = [
    ("n", 8, 16.0),
    ("n+1", 32, 4.0),
    ("n+2", 128, 1.0),
    ("up", 128, 1.0),
    ("n+3", 128, 0.25),
];
/// Unit trees of the lower layer below one of the upper layer.
const FAN: f64 = 64.0;
/// Table 2.2: the capacity of levels down.
const DOWN: [(&str, u64); 5] = [
    ("n", 8),
    ("n+1", 24),
    ("n+2", 64),
    ("n+3", 128),
    ("n+4", 384),
];

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Chapter 2: channels between levels");
    section.text(
        "A unit tree offers a connection that climbs a choice at every level: it crosses over to the way \
         down, or goes on up. The table counts the channels of a tree that was built, of 49,152 processors \
         in clusters of 12, by following every link: two layers of unit trees, the lower ones of one stack. \
         Level n + 3 is printed as n + 4 in some places of the paper.",
    );
    let Some(counted) = &context.counted else {
        return Ok(section);
    };
    section.parts.push(PagePart::Table(table(counted)));
    let (up, down) = (up(counted), down(counted));
    let found = format!("{}, counted link by link", came_out(&up));
    let paper = "capacity grows by four from level to level in a unit tree, and stops at its top (Table 2.1)";
    claim(&mut section, "Capacity upward", paper, found, up);
    let found = format!("{}, counted link by link", came_out(&down));
    let paper = "8, 24, 64 and 128 channels down, and 384 into the next layer (Table 2.2)";
    claim(&mut section, "Capacity downward", paper, found, down);
    Ok(section)
}

/// Channels that were counted, the lowest level first.
fn table(counted: &Counted) -> PageTable {
    let mut table = PageTable::new(
        "Channels of one group, upward by the level that they cross over at, and downward in one direction",
        ["level", "up", "groups", "down"],
    );
    let mut down = counted.capacities.down.iter();
    for ((level, ..), &(channels, groups)) in UP.into_iter().zip(&counted.capacities.up) {
        table.row([
            level.to_owned(),
            channels.to_string(),
            groups.to_string(),
            match level {
                "up" => "–".into(),
                _ => down.next().map_or("–".into(), u64::to_string),
            },
        ]);
    }
    table
}

/// Table 2.1.
fn up(counted: &Counted) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    let rows = UP.into_iter().zip(&counted.capacities.up);
    for ((level, capacity, channels), &(found, groups)) in rows {
        let id = |what: &str| format!("table-2.1.{level}.{what}");
        let source = "section 2.2.7, table 2.1";
        quantities.push(count(id("capacity"), source, capacity, found));
        let below = if level == "n+3" { FAN } else { 1.0 };
        let id = id("logical_channels");
        let quantity = Quantity::new(id, format!("DeHon 1990, {source}"), channels)
            .simulated(Some(MeasuredValue::exact(groups as f64 / below)));
        quantities.push(quantity.judged(None));
    }
    quantities
}

/// Table 2.2.
fn down(counted: &Counted) -> Vec<Quantity> {
    let rows = DOWN.into_iter().zip(&counted.capacities.down);
    let row = |((level, capacity), &found): ((&str, u64), &u64)| {
        let id = format!("table-2.2.{level}.capacity");
        count(id, "section 2.2.7, table 2.2", capacity, found)
    };
    rows.map(row).collect()
}
