//! Section 2.2.4: two ways up a deep tree, of which the thesis works out one.

use super::context::{DehonContext, claim};
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::Quantity;
use crosswave_analytic::up_routing::{climbing, hybrid};
use crosswave_base::diagnostic::Error;

/// The load of input wires, when every processor sends over one of its two inputs.
const FULL_LOAD: f64 = 0.5;

/// The section.
pub(super) fn section(_: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 2.2.4: routes up a deep tree");
    section.text(
        "A unit tree climbs: one stage leads to the crossovers of three levels, and on up. Figure 2.7 has \
         another way, a bidelta network from the processors to the levels, whose stages are fewer in deep trees \
         and as many for every level. Traffic is that which fits a tree of unit trees, on half of the wires. \
         Most of it crosses low, where climbing takes one stage; in a bidelta network the first direction \
         carries most of it.",
    );
    let mut table = PageTable::new(
        "Ways up, by the levels of the tree",
        [
            "levels",
            "climbing: most stages",
            "mean stages",
            "routed up",
            "bidelta: stages",
            "routed up",
        ],
    );
    for levels in [3, 4, 6, 9, 12, 16, 24, 48] {
        let (one, other) = (climbing(levels, FULL_LOAD), hybrid(levels, FULL_LOAD));
        table.row([
            levels.to_string(),
            one.stages.to_string(),
            format!("{:.2}", one.mean_stages),
            format!("{:.3}", one.routed),
            other.stages.to_string(),
            format!("{:.3}", other.routed),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    let source = "DeHon 1990, section 2.2.4 and figure 2.7";
    let stages = hybrid(16, FULL_LOAD).stages;
    let quantity = Quantity::new("figure-2.7.depth-16.up_stages", source, 2)
        .named("stages of the hybrid scheme that reach any of 16 levels")
        .analytic(u64::from(stages))
        .judged(None);
    let climbing = climbing(16, FULL_LOAD);
    let climbing_stages = climbing.mean_stages;
    let quicker = Quantity::claimed("figure-2.7.depth-16.quicker", source, 1)
        .named("whether the hybrid scheme takes fewer stages on average, with 16 levels")
        .analytic(u64::from(f64::from(stages) < climbing_stages))
        .judged(Some(
            "traffic that fits the tree mostly crosses low, where climbing takes one stage".into(),
        ));
    let paper = "in a tree of depth 16 any height is reached in 2 stages; the scheme pays from about 16 levels on";
    let found = format!(
        "{stages} stages; climbing takes {} at most and {climbing_stages:.2} on average",
        climbing.stages
    );
    claim(
        &mut section,
        "Hybrid routing up",
        paper,
        found,
        vec![quantity, quicker],
    );
    Ok(section)
}
