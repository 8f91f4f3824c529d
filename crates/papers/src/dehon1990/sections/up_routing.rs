//! Section 2.2.4: two ways up a deep tree, of which the thesis works out one.

use super::context::{DehonContext, claim};
use crate::dehon1990::up_routing::{UpPoint, points};
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity, Value};
use crosswave_analytic::up_routing::{climbing, hybrid};
use crosswave_base::diagnostic::Error;

/// The load of input wires, when every processor sends over one of its two inputs.
const FULL_LOAD: f64 = 0.5;

/// Levels of the ways up that are simulated.
const SIMULATED: [u32; 3] = [4, 16, 64];
/// The greatest difference of simulation from the recursion, which takes wires as independent.
const ROUTED_TOLERANCE: f64 = 0.01;

const SOURCE: &str = "DeHon 1990, section 2.2.4 and figure 2.7";

/// A simulated way up, of which the paper gives no number: it is compared with the recursion.
fn of_point(point: &UpPoint) -> Quantity {
    let id = format!("figure-2.7.depth-{}.routed_fraction", point.levels);
    Quantity::unprinted(id, SOURCE)
        .analytic(hybrid(point.levels, FULL_LOAD).routed)
        .simulated(Some(MeasuredValue {
            value: Value::Real(point.routed_fraction),
            stderr: Some(point.stderr),
        }))
        .within(ROUTED_TOLERANCE)
        .judged(None)
}

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 2.2.4: routes up a deep tree");
    section.text(
        "A unit tree climbs: one stage leads to the crossovers of three levels, and on up. Figure 2.7 has \
         another way, a bidelta network from the processors to the levels, whose stages are fewer in deep trees \
         and as many for every level. Traffic is that which fits a tree of unit trees, on half of the wires. \
         Most of it crosses low, where climbing takes one stage; in a bidelta network the first direction \
         carries most of it. The bidelta network of 4, 16 and 64 levels is simulated, built of RN1s: a \
         connection counts when it has come to one of the eight wires of its level.",
    );
    let found = match context.simulates() {
        true => points(&SIMULATED, context.points.store(), context.watch)?,
        false => Vec::new(),
    };
    let mut table = PageTable::new(
        "Ways up, by the levels of the tree",
        [
            "levels",
            "climbing: most stages",
            "mean stages",
            "routed up",
            "bidelta: stages",
            "routed up",
            "simulated",
        ],
    );
    for levels in [3, 4, 6, 9, 12, 16, 24, 48, 64] {
        let point = found.iter().find(|point| point.levels == levels);
        let (one, other) = (climbing(levels, FULL_LOAD), hybrid(levels, FULL_LOAD));
        table.row([
            levels.to_string(),
            one.stages.to_string(),
            format!("{:.2}", one.mean_stages),
            format!("{:.3}", one.routed),
            other.stages.to_string(),
            format!("{:.3}", other.routed),
            point.map_or("-".into(), |point| {
                format!("{:.3} ± {:.3}", point.routed_fraction, point.stderr)
            }),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    let stages = hybrid(16, FULL_LOAD).stages;
    let quantity = Quantity::new("figure-2.7.depth-16.up_stages", SOURCE, 2)
        .named("stages of the hybrid scheme that reach any of 16 levels")
        .analytic(u64::from(stages))
        .judged(None);
    let climbing = climbing(16, FULL_LOAD);
    let climbing_stages = climbing.mean_stages;
    let quicker = Quantity::claimed("figure-2.7.depth-16.quicker", SOURCE, 1)
        .named("whether the hybrid scheme takes fewer stages on average, with 16 levels")
        .analytic(u64::from(f64::from(stages) < climbing_stages))
        .judged(Some(
            "traffic that fits the tree mostly crosses low, where climbing takes one stage".into(),
        ));
    let paper = "in a tree of depth 16 any height is reached in 2 stages; the scheme pays from about 16 levels on";
    let words = format!(
        "{stages} stages; climbing takes {} at most and {climbing_stages:.2} on average",
        climbing.stages
    );
    claim(
        &mut section,
        "Hybrid routing up",
        paper,
        words,
        [quantity, quicker]
            .into_iter()
            .chain(found.iter().map(of_point))
            .collect(),
    );
    Ok(section)
}
