//! Section 4.5.3: how much of uniform traffic bidelta networks route, Figure 4.19.

use super::context::{DehonContext, claim};
use crate::dehon1990::figures::routing::{STAGES, chart_and_numbers, simulated};
use crate::dehon1990::loads;
use crate::dehon1990::routing::RoutedPoint;
use crate::order::Order;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity, Value};
use crosswave_analytic::routing::{NetworkLoad, bidelta, through};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::NORMAL_95;

/// The greatest difference of simulation from the recursion, which takes the wires into a router
/// as independent. They are not: the two outputs of a direction lead to routers whose outputs
/// meet again, and are loaded together. That is worth less than this.
const ROUTED_TOLERANCE: f64 = 0.01;

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 4.5.3: connections that bidelta networks route");
    section.text(
        "Each processor sends with the probability that is the load, over one of its two inputs, to a \
         destination that is uniform among the others. All begin in one cycle, and what counts is the \
         first attempt. Lines are the recursion, points are simulated, with bars of 95 %. Networks of 8 to \
         10 stages are simulated in the full report alone, and have no quantities elsewhere: any recursion \
         routes less with a stage more. Where there are few replicates of a large \
         network, the error is taken as that of independent connections.",
    );
    let found = simulated(context.effort, context.points.store(), context.watch)?;
    let drawn = chart_and_numbers(&found);
    let caption = "Figure 4.19: bidelta networks of 3 (top) to 10 stages (bottom)";
    context.put("dehon1990-4.19", &drawn, &[caption], &mut section);
    section.parts.push(PagePart::Table(table(&found)));
    let mut quantities: Vec<Quantity> = found.iter().map(quantity).collect();
    quantities.extend(order_simulated(&found));
    let lower = found
        .iter()
        .filter(|point| point.routed_fraction < model(point.stages, point.load_fraction));
    let apart = |point: &RoutedPoint| {
        (point.routed_fraction - model(point.stages, point.load_fraction)).abs()
    };
    let words = match found.len() {
        0 => order(),
        all => format!(
            "{}; of {all} simulated points {} are below the recursion, and none is more than {:.4} apart",
            order(),
            lower.count(),
            found.iter().map(apart).fold(0.0, f64::max)
        ),
    };
    let paper = "a curve for each of 3 to 10 stages, each below the one of a stage less";
    claim(
        &mut section,
        "Routing in bidelta networks",
        paper,
        words,
        quantities,
    );
    Ok(section)
}

/// At how many points the recursion lies below that of a stage less, in words.
fn order() -> String {
    let mut pairs = 0;
    let mut in_order = 0;
    for stages in STAGES.skip(1) {
        for load in loads::simulated() {
            pairs += 1;
            in_order += u32::from(model(stages, load) < model(stages - 1, load));
        }
    }
    format!("by the recursion at {in_order} of {pairs} points")
}

fn model(stages: u32, load_fraction: f64) -> f64 {
    through(&bidelta(stages), NetworkLoad::Processors(load_fraction)).probability
}

const SOURCE: &str = "DeHon 1990, section 4.5.3, figure 4.19";

/// A simulated point of the figure, which has curves and no numbers: it is compared with the recursion.
fn quantity(point: &RoutedPoint) -> Quantity {
    let RoutedPoint {
        stages,
        load_fraction: load,
        ..
    } = *point;
    let id = format!("figure-4.19.h{stages}.load-{load:.1}.routed_fraction");
    Quantity::unprinted(id, SOURCE)
        .analytic(model(stages, load))
        .simulated(Some(MeasuredValue {
            value: Value::Real(point.routed_fraction),
            stderr: Some(point.stderr),
        }))
        .within(ROUTED_TOLERANCE)
        .judged(None)
}

/// The number of simulated curves that lie below those of a stage less, by their means over the loads; nothing
/// without simulation.
fn order_simulated(found: &[RoutedPoint]) -> Option<Quantity> {
    let mut order = Order::default();
    for stages in STAGES.skip(1) {
        let (mut difference, mut square) = (0.0, 0.0_f64);
        for point in found.iter().filter(|point| point.stages == stages) {
            let mut others = found.iter();
            let less = others.find(|other| {
                other.stages + 1 == stages && other.load_fraction == point.load_fraction
            });
            if let Some(less) = less {
                difference += less.routed_fraction - point.routed_fraction;
                square += less.stderr.powi(2) + point.stderr.powi(2);
            }
        }
        if square > 0.0 {
            order.difference(difference, square.sqrt());
        }
    }
    (order.places() > 0).then(|| {
        let quantity = order.quantity("figure-4.19.curves_below_a_stage_less", SOURCE, None);
        quantity.named("simulated curves of Figure 4.19 that lie below the one of a stage less, by their means over the loads")
    })
}

/// The simulated fractions, with intervals of 95 %.
fn table(found: &[RoutedPoint]) -> PageTable {
    let mut table = PageTable::new(
        "Figure 4.19 in numbers: by the recursion, and as simulated with half of the interval of 95 %",
        [
            "stages",
            "load",
            "recursion",
            "simulated",
            "± 95 %",
            "replicates",
            "connections",
        ],
    );
    table.folded = true;
    for stages in STAGES {
        for load in loads::simulated() {
            let mut points = found.iter();
            let point = points.find(|point| point.stages == stages && point.load_fraction == load);
            let shown = |text: &dyn Fn(&RoutedPoint) -> String| point.map_or("–".into(), text);
            table.row([
                stages.to_string(),
                format!("{load:.1}"),
                format!("{:.4}", model(stages, load)),
                shown(&|point| format!("{:.4}", point.routed_fraction)),
                shown(&|point| format!("{:.4}", NORMAL_95 * point.stderr)),
                shown(&|point| point.replicates.to_string()),
                shown(&|point| point.connections.to_string()),
            ]);
        }
    }
    table
}
