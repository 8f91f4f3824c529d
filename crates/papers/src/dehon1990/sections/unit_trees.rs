//! Chapter 3: routers, channels, bundles and wires of unit trees, Tables 3.1 to 3.6.

use super::context::{DehonContext, came_out, claim, count};
use crate::dehon1990::trees::{Counted, CountedStack};
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::Quantity;
use crosswave_base::diagnostic::Error;

/// A kind of unit tree: Tables 3.1 and 3.4, 3.2 and 3.5, and its rows of Table 3.6.
struct Printed {
    name: &'static str,
    tables: [&'static str; 2],
    /// The stage up, and levels 3, 2 and 1 down.
    components: [u64; 4],
    /// Up from leaves, down toward them, up toward the root, down from it.
    channels: [u64; 4],
    /// Bundles and wires, at the bottom and at the top.
    bundles: [(u64, u64); 2],
}

const UNIT_TREES: [Printed; 2] = [
    Printed {
        name: "UT64x8",
        tables: ["3.1", "3.2"],
        components: [64, 32, 48, 64],
        channels: [512, 512, 128, 128],
        bundles: [(64, 9216), (16, 2304)],
    },
    Printed {
        name: "UT64x2",
        tables: ["3.4", "3.5"],
        components: [16, 8, 12, 16],
        channels: [128, 128, 32, 32],
        bundles: [(64, 2304), (4, 576)],
    },
];

/// Table 3.3: channels through the boards, available, and needed by the path up, for the stage
/// up and for levels 1, 2 and 3.
const THROUGH: [(&str, u64, u64); 4] = [
    ("layer-0", 512, 0),
    ("layer-1", 512, 384),
    ("layer-2", 384, 256),
    ("layer-3", 256, 128),
];
/// Channels that pass a package (section 3.3.1).
const PASSING_A_PACKAGE: u64 = 8;

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Chapter 3: unit trees, their bundles and wires");
    section.text(
        "UT64x8 and UT64x2 are stacks of four boards of routers. What is counted here is counted on full \
         trees of 4,096 processors and of 16,384 with a cap, and on the tree of chapter 2, link by link; \
         a channel has nine wires. The top of the highest unit tree leads nowhere, so its channels are \
         counted by the ports that they would have.",
    );
    let Some(counted) = &context.counted else {
        return Ok(section);
    };
    section.parts.push(PagePart::Table(table(counted)));
    let mut routers = Vec::new();
    let mut bundles = Vec::new();
    for (printed, stack) in UNIT_TREES.iter().zip(&counted.stacks) {
        routers.extend(components(printed, stack));
        bundles.extend(of_bundles(printed, stack, counted));
    }
    let found = format!("{}, counted link by link", came_out(&routers));
    let paper = "UT64x8 has 208 routers and 512 channels each way at its bottom, UT64x2 a quarter of it \
                 (Tables 3.1, 3.2, 3.4 and 3.5)";
    claim(
        &mut section,
        "Hardware of unit trees",
        paper,
        found,
        routers,
    );
    let boards = through(&counted.stacks[0]);
    let found = came_out(&boards);
    let paper = "the channels that pass a board are enough for the paths up (Table 3.3)";
    claim(
        &mut section,
        "Channels through boards",
        paper,
        found,
        boards,
    );
    let cap = capped(counted);
    bundles.extend(cap);
    let found = format!("{}, the cap's among them", came_out(&bundles));
    let paper = "bundles of eight channels each way join stacks (Table 3.6), and a cap of 16 routers \
                 leads to three other roots (section 3.3.2)";
    claim(&mut section, "Bundles and wires", paper, found, bundles);
    Ok(section)
}

/// The counts of the two unit trees.
fn table(counted: &Counted) -> PageTable {
    let mut table = PageTable::new(
        "Routers, channels and wires of a stack, counted",
        [
            "stack",
            "routers",
            "channels from the children",
            "to the children",
            "to the root",
            "from the root",
            "wires at the bottom",
            "at the top",
        ],
    );
    for (printed, stack) in UNIT_TREES.iter().zip(&counted.stacks) {
        let [up, down, to_root, from_root] = stack.channels.map(|count| count.to_string());
        let [bottom, top] = stack.wires().map(|count| count.to_string());
        let routers: u64 = stack.components.iter().sum();
        table.row([
            printed.name.to_owned(),
            routers.to_string(),
            up,
            down,
            to_root,
            from_root,
            bottom,
            top,
        ]);
    }
    table
}

/// Tables 3.1 and 3.2, or 3.4 and 3.5.
fn components(printed: &Printed, found: &CountedStack) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    let [of_components, of_channels] = printed.tables;
    let names = ["up", "level-3", "level-2", "level-1"];
    let components = printed.components.into_iter().zip(found.components);
    for (name, (printed, found)) in names.into_iter().zip(components) {
        let id = format!("table-{of_components}.{name}.components");
        let source = format!("sections 3.3.1 and 3.3.4, table {of_components}");
        quantities.push(count(id, &source, printed, found));
    }
    let names = [
        "up_from_leaves",
        "down_toward_leaves",
        "up_toward_root",
        "down_from_root",
    ];
    let channels = printed.channels.into_iter().zip(found.channels);
    for (name, (printed, found)) in names.into_iter().zip(channels) {
        let id = format!("table-{of_channels}.{name}.channels");
        let source = format!("sections 3.3.1 and 3.3.4, table {of_channels}");
        quantities.push(count(id, &source, printed, found));
    }
    quantities
}

/// A unit tree's rows of Table 3.6.
fn of_bundles(printed: &Printed, found: &CountedStack, counted: &Counted) -> Vec<Quantity> {
    // UT64x8 has no neighbours above in the tree that it was counted in.
    let above = match found.neighbours[1] {
        0 => counted.above,
        above => above,
    };
    let neighbours = [found.neighbours[0], above];
    let mut quantities = Vec::new();
    for (at, place) in ["bottom", "top"].into_iter().enumerate() {
        let (bundles, wires) = printed.bundles[at];
        let id = |what: &str| format!("table-3.6.{}.{place}.{what}", printed.name);
        let source = "section 3.3.6, table 3.6";
        quantities.push(count(id("bundles"), source, bundles, neighbours[at]));
        quantities.push(count(id("wires"), source, wires, found.wires()[at]));
    }
    quantities
}

/// Table 3.3.
fn through(found: &CountedStack) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    let [up, level_3, level_2, level_1] = found.components;
    let available = [up, level_1, level_2, level_3].map(|chips| chips * PASSING_A_PACKAGE);
    let [beyond_1, beyond_2, beyond_3] = found.passing;
    let needed = [0, beyond_1, beyond_2, beyond_3];
    let source = "section 3.3.1, table 3.3";
    for (at, (layer, has, needs)) in THROUGH.into_iter().enumerate() {
        let id = |what: &str| format!("table-3.3.{layer}.{what}_channels");
        quantities.push(count(id("available"), source, has, available[at]));
        quantities.push(count(id("up_path"), source, needs, needed[at]));
    }
    let down = "table-3.3.layer-0.down_path_channels".to_owned();
    quantities.push(count(down, source, 512, found.channels[1]));
    quantities
}

/// The cap: section 3.3.2, and the rows of Table 3.6 for UT64x8c.
fn capped(counted: &Counted) -> Vec<Quantity> {
    let cap = &counted.cap;
    let id = |what: &str| format!("section-3.3.2.UT64x8c.{what}");
    let source = "section 3.3.2";
    let mut quantities = vec![
        count(id("cap_components"), source, 16, cap.components),
        count(id("channels_to_itself"), source, 32, cap.channels[1]),
        count(id("channels_to_others"), source, 96, cap.channels[0]),
    ];
    let id = |what: &str| format!("table-3.6.UT64x8c.top.{what}");
    let source = "section 3.3.6, table 3.6";
    quantities.push(count(id("bundles"), source, 12, cap.stacks));
    // As many channels come from the others.
    quantities.push(count(id("wires"), source, 1728, 2 * 9 * cap.channels[0]));
    quantities
}
