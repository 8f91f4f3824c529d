//! Section 3.6.2: clocks per turn over long wires.

use super::context::{DehonContext, came_out, claim};
use crate::dehon1990::turn_clocks::{Turned, turns};
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_base::diagnostic::Error;

/// Trees, and the extra cycles of the wires below each layer of UT64x8; the first entry of each
/// has none.
const TREES: [(UnitTrees, &[&[u32]]); 3] = [
    (tree(2, None), &[&[0], &[1], &[3]]),
    (tree(2, Some(2)), &[&[0], &[1], &[3], &[7]]),
    (tree(3, Some(2)), &[&[0, 0], &[1, 4]]),
];
/// Clocks that each extra clock of a wire costs (section 3.6.2).
const CLOCKS_PER_EXTRA_CLOCK: u64 = 2;

const fn tree(stack_stages: u32, leaf_stages: Option<u32>) -> UnitTrees {
    UnitTrees {
        stack_stages,
        leaf_stages,
    }
}

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 3.6.2: cycles of a turn over long wires");
    section.text(
        "A connection is opened from the first node through each level, and turned once. At every router on \
         the way, clocks count from the turn at its input to the first word back at its output: 2 (k + 1) \
         with k extra cycles of the wire between. The whole turn counts from the turn on the source's wire \
         to the word that the reply begins with, less the clock of that word. Extra clocks are delay lines \
         in the network; below each layer of UT64x8 all wires have as many, on the way up and down.",
    );
    if !context.simulates() {
        return Ok(section);
    }
    let mut table = PageTable::new(
        "Clocks of one turn",
        [
            "processors",
            "extra cycles below each layer",
            "level",
            "routers",
            "extra cycles on the route",
            "sum of 2 (k + 1)",
            "simulated",
            "more than without extra cycles",
        ],
    );
    let (mut at_routers, mut whole, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for (tree, all_delays) in TREES {
        let mut without: Vec<u64> = Vec::new();
        for delays in all_delays {
            context.begin("turns over long wires")?;
            let found = turns(tree, delays, context.watch);
            if without.is_empty() {
                without = found.iter().map(|turned| turned.clocks).collect();
            }
            for (turned, &before) in found.iter().zip(&without) {
                table.row(row(tree, delays, turned, before));
                let id = id(tree, delays, turned.level);
                at_routers.push(routers(&id, turned));
                whole.push(of_way(&id, turned));
                costs.extend(cost(&id, turned, before));
            }
        }
    }
    section.parts.push(PagePart::Table(table));
    let found = came_out(&at_routers);
    let paper = "a turn takes 2 (k + 1) cycles between routers whose wire takes k extra cycles";
    claim(&mut section, "A turn at a router", paper, found, at_routers);
    let found = came_out(&costs);
    let paper = "each extra cycle of a wire costs a turn two cycles";
    claim(
        &mut section,
        "What an extra cycle costs",
        paper,
        found,
        costs,
    );
    let found = format!("{}: the sum over all wires on the route", came_out(&whole));
    let paper = "turns of successive routers follow each other";
    claim(&mut section, "A whole turn", paper, found, whole);
    Ok(section)
}

/// The prefix of the identifiers of a way's quantities.
fn id(tree: UnitTrees, delays: &[u32], level: u32) -> String {
    let delays: Vec<String> = delays.iter().map(u32::to_string).collect();
    format!(
        "section-3.6.2.n{}.extra-{}.level-{level}",
        tree.processors(),
        delays.join("-")
    )
}

/// Clocks of a turn by section 3.6.2: 2 (k + 1) for each wire behind a router.
fn formula(turned: &Turned) -> u64 {
    let of_wire = |extra: u64| CLOCKS_PER_EXTRA_CLOCK * (extra + 1);
    let wires = turned.wires.iter();
    wires
        .map(|wire| of_wire(u64::from(wire.extra_clocks)))
        .sum()
}

fn row(tree: UnitTrees, delays: &[u32], turned: &Turned, before: u64) -> [String; 8] {
    let delays: Vec<String> = delays.iter().map(u32::to_string).collect();
    [
        tree.processors().to_string(),
        delays.join(", "),
        turned.level.to_string(),
        turned.wires.len().to_string(),
        turned.extra_clocks().to_string(),
        formula(turned).to_string(),
        turned.clocks.to_string(),
        (turned.clocks - before).to_string(),
    ]
}

/// The number of routers on a way that turn in the clocks of their wires.
fn routers(id: &str, turned: &Turned) -> Quantity {
    let as_said = turned
        .wires
        .iter()
        .filter(|wire| wire.clocks == CLOCKS_PER_EXTRA_CLOCK * (u64::from(wire.extra_clocks) + 1));
    Quantity::claimed(
        format!("{id}.routers_turning_as_said"),
        "DeHon 1990, section 3.6.2",
        turned.wires.len() as u64,
    )
    .simulated(Some(MeasuredValue::exact(as_said.count() as u64)))
    .judged(None)
}

/// The whole turn.
fn of_way(id: &str, turned: &Turned) -> Quantity {
    Quantity::unprinted(format!("{id}.turn_clocks"), "DeHon 1990, section 3.6.2")
        .analytic(formula(turned))
        .simulated(Some(MeasuredValue::exact(turned.clocks)))
        .judged(None)
}

/// Clocks that a turn takes more for each extra clock on its way, when there is any.
fn cost(id: &str, turned: &Turned, before: u64) -> Option<Quantity> {
    let extra = turned.extra_clocks();
    let more = (turned.clocks - before) as f64 / extra as f64;
    let quantity = Quantity::new(
        format!("{id}.clocks_per_extra_clock"),
        "DeHon 1990, section 3.6.2",
        CLOCKS_PER_EXTRA_CLOCK,
    );
    (extra > 0).then(|| {
        quantity
            .simulated(Some(MeasuredValue::exact(more)))
            .judged(None)
    })
}
