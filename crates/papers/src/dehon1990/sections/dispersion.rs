//! Sections 2.3 and 5.3.3: whether it matters how wires are spread over routers.

use serde_json::json;

use super::context::{DehonContext, claim};
use crate::dehon1990::faults::{Tree, critical_by_wiring};
use crate::dehon1990::figures::faults::{HALVES_64, HYBRID_768};
use crate::dehon1990::local_routing::LocalRouting;
use crate::order::Order;
use crate::page::{PagePart, PageTable, Section};
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_base::diagnostic::Error;
use crosswave_network::transit::Dispersion;

/// Connections that are tried in a tree and wiring, roughly, fully loaded.
const CONNECTIONS: u64 = 40_000;

/// The results of a tree in one wiring.
struct Found {
    routed: (f64, f64),
    critical: u64,
}

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 5.3.3: how wires are spread");
    section.text(
        "Section 2.3 asks to spread the wires from one router over as many routers as possible, and 5.3.3 \
         leaves open whether more care pays. Full dispersion deals wires round, none fills one router after \
         the other, and random dispersion draws an order; all within the groups that may be mixed. Routing is \
         that of first attempts when every processor sends; a critical router is one without which some pair \
         cannot connect.",
    );
    if !context.simulates() {
        return Ok(section);
    }
    let wirings = [
        ("full", Dispersion::Full),
        ("random", Dispersion::Random { seed: 1 }),
        ("none", Dispersion::None),
    ];
    let mut table = PageTable::new(
        "Wirings, fully loaded",
        [
            "tree, wiring",
            "routed fraction",
            "3 standard errors",
            "critical routers",
        ],
    );
    let (mut routing, mut tolerance) = (Order::default(), Order::default());
    let unit = |stack_stages, leaf_stages| UnitTrees {
        stack_stages,
        leaf_stages,
    };
    for (tree, of) in [(HALVES_64, unit(1, None)), (HYBRID_768, unit(2, Some(2)))] {
        let mut all = Vec::new();
        for (name, dispersion) in wirings {
            let tree = Tree { dispersion, ..tree };
            let found = found(tree, of, context)?;
            table.row([
                format!("{}, {name}", tree.name),
                format!("{:.4}", found.routed.0),
                format!("{:.4}", 3.0 * found.routed.1),
                found.critical.to_string(),
            ]);
            all.push(found);
        }
        let [full, .., none] = &all[..] else {
            unreachable!("three wirings");
        };
        routing.difference(
            full.routed.0 - none.routed.0,
            full.routed.1.hypot(none.routed.1),
        );
        tolerance.difference(none.critical as f64 - full.critical as f64, 0.0);
    }
    section.parts.push(PagePart::Table(table));
    let routed = routing.quantity(
        "section-2.3.trees_in_which_dispersion_routes_more",
        "DeHon 1990, sections 2.3 and 5.3.3",
        None,
    );
    let critical = tolerance.quantity(
        "section-2.3.trees_in_which_dispersion_leaves_fewer_critical_routers",
        "DeHon 1990, sections 2.1.2, 2.3 and 5.3.3",
        None,
    );
    let paper = "full dispersion gives more ways, better performance and fault tolerance; whether details of \
                 the wiring matter is open";
    let found = format!(
        "more is routed than without dispersion {}; fewer routers are critical {}",
        routing.words(),
        tolerance.words()
    );
    claim(
        &mut section,
        "Dispersion",
        paper,
        found,
        vec![routed, critical],
    );
    Ok(section)
}

fn found(tree: Tree, of: UnitTrees, context: &mut DehonContext) -> Result<Found, Error> {
    let halves = tree.up_stage == HALVES_64.up_stage;
    let replicates = CONNECTIONS.div_ceil(u64::from(tree.nodes()));
    context.begin(&format!(
        "{} with {:?} dispersion",
        tree.name, tree.dispersion
    ))?;
    let store = context.points.store();
    let key = json!({
        "dispersion": format!("{:?}", tree.dispersion), "tree": tree.name, "replicates": replicates,
    });
    let routed = store.kept(&key, || {
        let mut routing = LocalRouting::new(of, halves).dispersed(tree.dispersion);
        Ok(routing.of_replicates(1.0, replicates).routed)
    })?;
    Ok(Found {
        routed,
        critical: critical_by_wiring(tree).len() as u64,
    })
}
