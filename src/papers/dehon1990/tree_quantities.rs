//! Quantities of fat trees of unit trees: Tables 2.1, 2.2, 3.1 to 3.6 and 4.4 to 4.7.

use super::trees::{Counted, CountedStack, SimulatedTree};
use crate::analytic::unit_trees::UnitTrees;
use crate::analytic::wires::Geometry;
use crate::papers::dehon1990::path::PathClocks;
use crate::papers::quantity::{Measured, Quantity};

/// Nanoseconds of a clock (section 4.1.3).
const CLOCK_NS: u64 = Geometry::DEHON.clock_picoseconds / 1000;

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

/// A row of Tables 4.4 and 4.5, or 4.6 and 4.7.
struct Row {
    tree: UnitTrees,
    processors: u64,
    /// Leaf stacks, and UT64x8.
    stacks: [u64; 2],
    chips: u64,
    /// Worst and best case.
    connect_ns: [u64; 2],
    open_ns: [u64; 2],
}

const fn row(
    leaf_stages: Option<u32>,
    stack_stages: u32,
    processors: u64,
    stacks: [u64; 2],
    chips: u64,
    ns: [[u64; 2]; 2],
) -> Row {
    Row {
        tree: UnitTrees {
            stack_stages,
            leaf_stages,
        },
        processors,
        stacks,
        chips,
        connect_ns: ns[0],
        open_ns: ns[1],
    }
}

/// Tables 4.4 to 4.7.
const ROWS: [Row; 9] = [
    row(None, 1, 64, [1, 0], 52, [[40, 20], [50, 30]]),
    row(None, 2, 4_096, [64, 4], 4_160, [[100, 20], [120, 30]]),
    row(
        None,
        3,
        262_144,
        [4_096, 320],
        279_552,
        [[200, 20], [230, 30]],
    ),
    row(Some(2), 2, 768, [64, 1], 656, [[90, 20], [110, 20]]),
    row(Some(3), 2, 3_072, [64, 4], 3_392, [[100, 30], [120, 30]]),
    row(Some(4), 2, 12_288, [64, 16], 16_640, [[130, 40], [150, 40]]),
    row(
        Some(2),
        3,
        49_152,
        [4_096, 80],
        45_312,
        [[170, 20], [200, 20]],
    ),
    row(
        Some(3),
        3,
        196_608,
        [4_096, 320],
        230_400,
        [[200, 30], [230, 30]],
    ),
    row(
        Some(4),
        3,
        786_432,
        [4_096, 1_280],
        1_118_208,
        [[290, 40], [320, 40]],
    ),
];

/// The trees of Tables 4.4 to 4.7.
pub(super) fn trees() -> impl Iterator<Item = UnitTrees> {
    ROWS.iter().map(|row| row.tree)
}

/// All of them, judged.
pub(super) fn quantities(counted: Option<&Counted>, simulated: &[SimulatedTree]) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    if let Some(counted) = counted {
        capacities(counted, &mut quantities);
        for (printed, stack) in UNIT_TREES.iter().zip(&counted.stacks) {
            unit_tree(printed, stack, counted, &mut quantities);
        }
        through(&counted.stacks[0], &mut quantities);
        capped(counted, &mut quantities);
    }
    for row in &ROWS {
        let found = simulated.iter().find(|found| found.tree == row.tree);
        hardware(row, found, &mut quantities);
        latencies(row, found, &mut quantities);
    }
    quantities
}

/// A count that the paper prints, and that of the network that was built.
fn count(id: String, source: &str, printed: u64, found: u64) -> Quantity {
    Quantity::new(id, format!("DeHon 1990, {source}"), printed)
        .simulated(Some(Measured::exact(found)))
        .judged(None)
}

fn capacities(counted: &Counted, quantities: &mut Vec<Quantity>) {
    let (up, down) = (&counted.capacities.up, &counted.capacities.down);
    for ((level, capacity, channels), &(found, groups)) in UP.into_iter().zip(up) {
        let id = |what: &str| format!("table-2.1.{level}.{what}");
        let source = "section 2.2.7, table 2.1";
        quantities.push(count(id("capacity"), source, capacity, found));
        let below = if level == "n+3" { FAN } else { 1.0 };
        quantities.push(
            Quantity::new(
                id("logical_channels"),
                format!("DeHon 1990, {source}"),
                channels,
            )
            .simulated(Some(Measured::exact(groups as f64 / below)))
            .judged(None),
        );
    }
    for ((level, capacity), &found) in DOWN.into_iter().zip(down) {
        let id = format!("table-2.2.{level}.capacity");
        quantities.push(count(id, "section 2.2.7, table 2.2", capacity, found));
    }
}

fn unit_tree(
    printed: &Printed,
    found: &CountedStack,
    counted: &Counted,
    quantities: &mut Vec<Quantity>,
) {
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
    // UT64x8 has no neighbours above in the tree that it was counted in.
    let above = match found.neighbours[1] {
        0 => counted.above,
        above => above,
    };
    let neighbours = [found.neighbours[0], above];
    for (at, place) in ["bottom", "top"].into_iter().enumerate() {
        let (bundles, wires) = printed.bundles[at];
        let id = |what: &str| format!("table-3.6.{}.{place}.{what}", printed.name);
        let source = "section 3.3.6, table 3.6";
        quantities.push(count(id("bundles"), source, bundles, neighbours[at]));
        quantities.push(count(id("wires"), source, wires, found.wires()[at]));
    }
}

/// Table 3.3.
fn through(found: &CountedStack, quantities: &mut Vec<Quantity>) {
    let [up, level_3, level_2, level_1] = found.components;
    let available = [up, level_1, level_2, level_3].map(|chips| chips * PASSING_A_PACKAGE);
    let [beyond_1, beyond_2, beyond_3] = found.passing;
    let needed = [0, beyond_1, beyond_2, beyond_3];
    for (at, (layer, has, needs)) in THROUGH.into_iter().enumerate() {
        let id = |what: &str| format!("table-3.3.{layer}.{what}_channels");
        let source = "section 3.3.1, table 3.3";
        quantities.push(count(id("available"), source, has, available[at]));
        quantities.push(count(id("up_path"), source, needs, needed[at]));
    }
    let down = "table-3.3.layer-0.down_path_channels".to_owned();
    quantities.push(count(
        down,
        "section 3.3.1, table 3.3",
        512,
        found.channels[1],
    ));
}

/// The cap: section 3.3.2, and the rows of Table 3.6 for UT64x8c.
fn capped(counted: &Counted, quantities: &mut Vec<Quantity>) {
    let cap = &counted.cap;
    let id = |what: &str| format!("section-3.3.2.UT64x8c.{what}");
    let source = "section 3.3.2";
    quantities.push(count(id("cap_components"), source, 16, cap.components));
    quantities.push(count(id("channels_to_itself"), source, 32, cap.channels[1]));
    quantities.push(count(id("channels_to_others"), source, 96, cap.channels[0]));
    let id = |what: &str| format!("table-3.6.UT64x8c.top.{what}");
    let source = "section 3.3.6, table 3.6";
    quantities.push(count(id("bundles"), source, 12, cap.stacks));
    // As many channels come from the others.
    quantities.push(count(id("wires"), source, 1728, 2 * 9 * cap.channels[0]));
}

/// Which table a row is in: of hardware, and of latencies.
fn tables(row: &Row) -> [&'static str; 2] {
    match row.tree.leaf_stages {
        None => ["4.4", "4.5"],
        Some(_) => ["4.6", "4.7"],
    }
}

fn hardware(row: &Row, found: Option<&SimulatedTree>, quantities: &mut Vec<Quantity>) {
    let [table, _] = tables(row);
    let tree = row.tree;
    let quantity = |name: &str, equation: &str, printed: u64| {
        Quantity::new(
            format!("table-{table}.n{}.{name}", row.processors),
            format!("DeHon 1990, section 4.4, table {table}, {equation}"),
            printed,
        )
    };
    let stacks = |at: usize| found.map(|found| Measured::exact(found.stacks[at]));
    quantities.push(
        quantity("processors", "equations 4.14 and 4.25", row.processors)
            .analytic(tree.processors())
            .judged(None),
    );
    quantities.push(
        quantity("leaf_stacks", "equations 4.15 and 4.27", row.stacks[0])
            .analytic(tree.leaf_stacks())
            .simulated(stacks(0))
            .judged(None),
    );
    quantities.push(
        quantity("unit_trees", "equations 4.16 and 4.28", row.stacks[1])
            .analytic(tree.unit_trees())
            .simulated(stacks(1))
            .judged(None),
    );
    quantities.push(
        quantity("chips", "equations 4.17 and 4.29", row.chips)
            .analytic(tree.chips())
            .simulated(found.map(|found| Measured::exact(found.chips)))
            .judged(None),
    );
}

fn latencies(row: &Row, found: Option<&SimulatedTree>, quantities: &mut Vec<Quantity>) {
    let [_, table] = tables(row);
    let tree = row.tree;
    let wires = tree.wire_clocks(&Geometry::DEHON);
    let lowest = u32::from(tree.leaf_stages.is_none());
    type Cell = (
        &'static str,
        [u64; 2],
        fn(UnitTrees, u32, &[u64]) -> u64,
        fn(PathClocks) -> u64,
    );
    let cells: [Cell; 2] = [
        (
            "connect",
            row.connect_ns,
            UnitTrees::connect_clocks,
            |path| path.connect,
        ),
        ("open", row.open_ns, UnitTrees::open_clocks, |path| {
            path.open
        }),
    ];
    for (name, printed, clocks, of_path) in cells {
        for (case, level, printed) in [
            ("worst", tree.levels(), printed[0]),
            ("best", lowest, printed[1]),
        ] {
            let path = found.and_then(|found| {
                let mut levels = found.levels.iter();
                levels.find(|(of_level, _)| *of_level == level)
            });
            let simulated = path.map(|(_, path)| Measured::exact(of_path(*path) * CLOCK_NS));
            quantities.push(
                Quantity::new(
                    format!("table-{table}.n{}.{name}_{case}_ns", row.processors),
                    format!("DeHon 1990, section 4.4, table {table}, equations 4.18 to 4.34"),
                    printed,
                )
                .analytic(clocks(tree, level, &wires) * CLOCK_NS)
                .simulated(simulated)
                .judged(None),
            );
        }
    }
}
