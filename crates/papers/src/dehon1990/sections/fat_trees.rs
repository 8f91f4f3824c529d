//! Sections 4.3.1, 4.3.2, 4.4.1 and 4.4.2: sizes and latencies of fat trees, Tables 4.4 to 4.7.

use super::context::{DehonContext, came_out, claim};
use crate::dehon1990::path::PathClocks;
use crate::dehon1990::trees::{self, SimulatedTree};
use crate::effort::Effort;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_analytic::wires::Geometry;
use crosswave_base::diagnostic::Error;
use crosswave_observe::points::watch::check_cancelled;

/// Nanoseconds of a clock (section 4.1.3).
const CLOCK_NS: u64 = Geometry::DEHON.clock_picoseconds / 1000;
/// The most processors of trees that the quick form builds.
const QUICK_PROCESSORS: u64 = 50_000;

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

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Sections 4.3 and 4.4: sizes and latencies of fat trees");
    section.text(
        "Each tree is built, with wires between stacks as long as the diagonals of their cubes, and a \
         connection is opened from its first node through each of its levels, one after the other, in the \
         empty network. Connect counts from the word that ends the request on the source's wire to the \
         same on the destination's; open from the first routing byte to the first word that comes through. \
         A clock is 10 ns. Trees of more than 50,000 processors are left to the full report.",
    );
    let simulated = built(context)?;
    if !simulated.is_empty() {
        section.parts.push(PagePart::Table(table(&simulated)));
    }
    let mut sizes = Vec::new();
    let mut clocks = Vec::new();
    for row in &ROWS {
        let found = simulated.iter().find(|found| found.tree == row.tree);
        hardware(row, found, &mut sizes);
        latencies(row, found, &mut clocks);
    }
    let found = came_out(&sizes);
    let paper = "processors, stacks and routers of nine fat trees, up to 786,432 processors (Tables 4.4 and 4.6)";
    claim(&mut section, "Sizes of fat trees", paper, found, sizes);
    let found = came_out(&clocks);
    let paper = "worst and best latencies from 20 ns to 320 ns (Tables 4.5 and 4.7)";
    claim(&mut section, "Latencies of fat trees", paper, found, clocks);
    Ok(section)
}

/// The trees that are built, and paths through them.
fn built(context: &mut DehonContext) -> Result<Vec<SimulatedTree>, Error> {
    let most = match context.effort {
        Effort::Formulas => 0,
        Effort::Quick => QUICK_PROCESSORS,
        Effort::All => u64::MAX,
    };
    let rows = ROWS.iter().filter(|row| row.tree.processors() <= most);
    rows.map(|row| {
        check_cancelled(context.watch)?;
        Ok(trees::simulated(row.tree, context.watch))
    })
    .collect()
}

/// Clocks through every level.
fn table(simulated: &[SimulatedTree]) -> PageTable {
    let mut table = PageTable::new(
        "Clocks of a connection through each level, with the longest wires, by formula and as simulated",
        [
            "processors",
            "level",
            "connect, equations 4.18, 4.30, 4.31",
            "connect, simulated",
            "open, equations 4.19, 4.32",
            "open, simulated",
        ],
    );
    for found in simulated {
        let wires = found.tree.wire_clocks(&Geometry::DEHON);
        for &(level, clocks) in &found.levels {
            table.row([
                found.tree.processors().to_string(),
                level.to_string(),
                found.tree.connect_clocks(level, &wires).to_string(),
                clocks.connect.to_string(),
                found.tree.open_clocks(level, &wires).to_string(),
                clocks.open.to_string(),
            ]);
        }
    }
    table
}

/// The tables that a row is in: of hardware, and of latencies.
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
    let stacks = |at: usize| found.map(|found| MeasuredValue::exact(found.stacks[at]));
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
            .simulated(found.map(|found| MeasuredValue::exact(found.chips)))
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
            let simulated = path.map(|(_, path)| MeasuredValue::exact(of_path(*path) * CLOCK_NS));
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
