//! Section 4.4.3: sizes and latencies of large bidelta networks, Tables 4.8 and 4.9.
//!
//! [`bidelta`](crosswave_analytic::bidelta) says where Table 4.9 differs from its equations,
//! and why; a cell of it counts as explained only when the explanation, computed, gives
//! the print.

use super::context::{DehonContext, came_out, claim};
use crate::dehon1990::bidelta_paths::{SimulatedBidelta, paths};
use crate::dehon1990::path::{PathClocks, PlacedPath};
use crate::effort::Effort;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity, Value};
use crosswave_analytic::bidelta::{Bidelta, LOOP_BACK_CLOCKS, Rounding};
use crosswave_analytic::wires::Geometry;
use crosswave_base::diagnostic::Error;
use crosswave_observe::points::watch::check_cancelled;

/// Nanoseconds of a clock (section 4.1.3).
const CLOCK_NS: u64 = Geometry::DEHON.clock_picoseconds / 1000;
/// Most stages of the networks that the quick form builds.
const QUICK_STAGES: u32 = 8;

/// A row of Tables 4.8 and 4.9, as printed.
struct Printed {
    /// Routing stages, by which a row is named here.
    stages: u32,
    processors: u64,
    stacks: &'static str,
    chips: u64,
    /// Worst and best case.
    connect_ns: [u64; 2],
    /// Worst and best case.
    open_ns: [u64; 2],
}

const fn row(
    stages: u32,
    processors: u64,
    stacks: &'static str,
    chips: u64,
    connect_ns: [u64; 2],
    open_ns: [u64; 2],
) -> Printed {
    Printed {
        stages,
        processors,
        stacks,
        chips,
        connect_ns,
        open_ns,
    }
}

/// Tables 4.8 and 4.9.
const PRINTED: [Printed; 8] = [
    row(3, 64, "B64x2", 48, [30, 30], [30, 30]),
    row(4, 256, "B256x2", 256, [40, 40], [40, 40]),
    row(5, 1_024, "B64x8 B16x2", 1_280, [70, 70], [80, 80]),
    row(6, 4_096, "B64x8 B64x2", 6_144, [90, 80], [100, 90]),
    row(7, 16_384, "B64x8 B256x2", 28_672, [110, 90], [120, 100]),
    row(
        8,
        65_536,
        "B64x8 B64x8 B16x2",
        131_072,
        [160, 110],
        [180, 130],
    ),
    row(
        9,
        262_144,
        "B64x8 B64x8 B64x2",
        589_824,
        [210, 120],
        [230, 140],
    ),
    row(
        10,
        1_048_576,
        "B64x8 B64x8 B256x2",
        2_621_440,
        [310, 130],
        [330, 150],
    ),
];

/// The reason why single-stack rows of Table 4.9 differ.
const WITHOUT_LOOP_BACK: &str = "the print is the equation without the clock of the loop \
                                 back, which it has for all larger networks";
/// The reason why worst cases of three stack stages differ.
const ROUNDED_ONCE: &str = "the print follows when the delays of the longest wires are \
                            added before they are rounded up to clocks; equation 4.6 rounds \
                            up after every stack stage";

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 4.4.3: sizes and latencies of bidelta networks");
    section.text(
        "Of each size a network is built, and one connection is opened from the first node to the last, with \
         the longest wires between stacks and with the shortest, of one clock. With wires as long as the \
         places of the stacks make them, pairs of nodes are joined one after the other, and each must take \
         the clocks of equations 4.41 and 4.42 for its wires. The loop back to the processors is a wire of \
         its own, and counted.",
    );
    let simulated = built(context)?;
    let of_network = |printed: &Printed| simulated.iter().find(|s| s.stages == printed.stages);
    let (mut sizes, mut clocks, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for printed in &PRINTED {
        hardware(printed, of_network(printed), &mut sizes);
    }
    let mut table = table();
    for printed in &PRINTED {
        let found = of_network(printed);
        let of_pairs = found.map(|s| &s.placed).filter(|paths| !paths.is_empty());
        pairs.extend(of_pairs.map(|paths| placed(network(printed), paths)));
        let cells = latencies(printed, found);
        show(printed, &cells, &mut table);
        clocks.extend(cells);
    }
    section.parts.push(PagePart::Table(table));
    let found = came_out(&sizes);
    let paper = "48 to 2,621,440 routers for 64 to 1,048,576 processors (Table 4.8)";
    claim(
        &mut section,
        "Sizes of bidelta networks",
        paper,
        found,
        sizes,
    );
    let found = format!("{}; {}", came_out(&clocks), as_equations_say(&clocks));
    let paper = "30 ns to 330 ns (Table 4.9)";
    claim(
        &mut section,
        "Latencies of bidelta networks",
        paper,
        found,
        clocks,
    );
    let found = came_out(&pairs);
    let paper =
        "latency is that of the stages and of each wire on the route (equations 4.41 and 4.42)";
    claim(&mut section, "Ways between places", paper, found, pairs);
    Ok(section)
}

/// The number of cells in which simulation gives the value of the equation, in words.
fn as_equations_say(cells: &[Quantity]) -> String {
    let simulated: Vec<&Quantity> = cells.iter().filter(|c| c.simulated.is_some()).collect();
    let agree = simulated.iter().filter(|c| c.simulated == c.analytic);
    format!(
        "of {} that were simulated, {} are what the equations give",
        simulated.len(),
        agree.count()
    )
}

/// The networks that are built, and paths through them.
fn built(context: &mut DehonContext) -> Result<Vec<SimulatedBidelta>, Error> {
    let most = match context.effort {
        Effort::Formulas => 0,
        Effort::Quick => QUICK_STAGES,
        Effort::All => u32::MAX,
    };
    let rows = PRINTED.iter().filter(|printed| printed.stages <= most);
    rows.map(|printed| {
        check_cancelled(context.watch)?;
        Ok(paths(printed.stages, context.watch))
    })
    .collect()
}

fn table() -> PageTable {
    PageTable::new(
        "Latencies in ns, printed / by equations 4.41 and 4.42 / simulated",
        [
            "processors",
            "connect, worst",
            "connect, best",
            "open, worst",
            "open, best",
        ],
    )
}

/// Adds the row of a network, of which these are the cells.
fn show(printed: &Printed, cells: &[Quantity], table: &mut PageTable) {
    let shown = |value: &Option<Value>| value.as_ref().map_or("–".into(), Value::to_string);
    let mut cells = cells.iter().map(|cell| {
        let values = [&cell.printed, &cell.analytic, &cell.simulated].map(shown);
        values.join(" / ")
    });
    let mut next = || cells.next().unwrap_or_default();
    table.row([
        printed.processors.to_string(),
        next(),
        next(),
        next(),
        next(),
    ]);
}

fn network(printed: &Printed) -> Bidelta {
    Bidelta::new(printed.stages).expect("the tables have networks of 3 to 10 stages")
}

/// The cells of a row of Table 4.8.
fn hardware(
    printed: &Printed,
    simulated: Option<&SimulatedBidelta>,
    quantities: &mut Vec<Quantity>,
) {
    let network = network(printed);
    let quantity = |name: &str, equations: &str, value: Value| {
        Quantity::new(
            format!("table-4.8.h{}.{name}", printed.stages),
            format!("DeHon 1990, section 4.4.3, table 4.8, {equations}"),
            value,
        )
    };
    quantities.push(
        quantity("processors", "equation 4.35", printed.processors.into())
            .analytic(network.processors())
            .judged(None),
    );
    quantities.push(
        quantity(
            "stacks",
            "relations 4.36 and 4.37",
            Value::Text(printed.stacks.into()),
        )
        .analytic(network.stacks_text())
        .judged(None),
    );
    quantities.push(
        quantity("chips", "equation 4.40", printed.chips.into())
            .analytic(network.chips())
            .simulated(simulated.and_then(|s| s.chips).map(MeasuredValue::exact))
            .judged(None),
    );
}

/// The cells of a row of Table 4.9.
fn latencies(printed: &Printed, simulated: Option<&SimulatedBidelta>) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    let network = network(printed);
    let worst = |rounding| network.worst_wire_clocks(&Geometry::DEHON, rounding);
    let best = network.best_wire_clocks();
    // Clocks of the wires by the equation, and those of the print's other rounding.
    let cases = [
        ("worst", worst(Rounding::Stage), worst(Rounding::Sum)),
        ("best", best, best),
    ];
    type Cell = (
        &'static str,
        &'static str,
        [u64; 2],
        fn(Bidelta, u64) -> u64,
        fn(PathClocks) -> u64,
    );
    let cells: [Cell; 2] = [
        (
            "connect",
            "equation 4.41",
            printed.connect_ns,
            Bidelta::connect_clocks,
            |path| path.connect,
        ),
        (
            "open",
            "equation 4.42",
            printed.open_ns,
            Bidelta::open_clocks,
            |path| path.open,
        ),
    ];
    for (name, equation, printed_ns, clocks, of_path) in cells {
        for (index, (case, stage_by_stage, summed)) in cases.into_iter().enumerate() {
            let printed_ns = printed_ns[index];
            let analytic = clocks(network, stage_by_stage);
            let paths = simulated.and_then(|s| [s.worst, s.best][index]);
            let explanation = if (analytic - LOOP_BACK_CLOCKS) * CLOCK_NS == printed_ns
                && network.stack_stages() == 1
            {
                Some(WITHOUT_LOOP_BACK)
            } else if clocks(network, summed) * CLOCK_NS == printed_ns {
                Some(ROUNDED_ONCE)
            } else {
                None
            };
            quantities.push(
                Quantity::new(
                    format!("table-4.9.h{}.{name}_{case}_ns", printed.stages),
                    format!("DeHon 1990, section 4.4.3, table 4.9, {equation}"),
                    printed_ns,
                )
                .analytic(analytic * CLOCK_NS)
                .simulated(paths.map(|path| MeasuredValue::exact(of_path(path) * CLOCK_NS)))
                .judged(explanation.map(str::to_owned)),
            );
        }
    }
    quantities
}

/// The number of paths between places that take as long as the equations say, with the wires
/// that each has.
fn placed(network: Bidelta, paths: &[PlacedPath]) -> Quantity {
    let agree = |path: &&PlacedPath| {
        let expected = PathClocks {
            connect: network.connect_clocks(path.wire_clocks),
            open: network.open_clocks(path.wire_clocks),
        };
        path.clocks == expected
    };
    Quantity::unprinted(
        format!("table-4.9.h{}.placed_paths", network.stages()),
        "DeHon 1990, section 4.4.3, equations 4.41 and 4.42",
    )
    .analytic(paths.len() as u64)
    .simulated(Some(MeasuredValue::exact(
        paths.iter().filter(agree).count() as u64,
    )))
    .judged(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::Verdict;

    #[test]
    fn simulated_latencies_are_compared() {
        let verdict = |connect| {
            let found = SimulatedBidelta {
                stages: 7,
                chips: Some(28_672),
                worst: Some(PathClocks { connect, open: 12 }),
                ..SimulatedBidelta::default()
            };
            let printed = PRINTED.iter().find(|printed| printed.stages == 7);
            let cells = latencies(printed.expect("a row"), Some(&found));
            let id = "table-4.9.h7.connect_worst_ns";
            let quantity = cells.into_iter().find(|cell| cell.id == id);
            let quantity = quantity.expect("that cell");
            (quantity.verdict, quantity.holds(), quantity.simulated)
        };
        let count = |ns| Some(Value::Count(ns));
        assert_eq!(verdict(11), (Verdict::Reproduced, true, count(110)));
        assert_eq!(verdict(10), (Verdict::NotReproduced, false, count(100)));
    }
}
