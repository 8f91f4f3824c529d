//! Clocks of one message: two a router for its head, one a router for the answer.

use super::context::StrumpenContext;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity, Value};
use crate::strumpen2005::run::Run;
use crosswave_base::diagnostic::Error;
use crosswave_observe::points::{PointStopRule, Statistic};

/// Levels of the trees that one message crosses.
const LEVELS: std::ops::RangeInclusive<u32> = 1..=8;

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Clocks of one message");
    section.text(
        "One message of one word crosses the diameter of trees of different height, alone. Clocks count \
         from the head's first clock on the wire to the clock in which the receiver has the whole body, \
         and from there to the clock in which the sender senses the acknowledgement. What each router \
         adds is the difference between two trees, divided by the two routers that the higher one has \
         more on the way. Cycles of runs, below, count from the first head on the wire to the last \
         acknowledgement sensed, too.",
    );
    let mut table = PageTable::new(
        "One message of one word across the diameter, cycles",
        [
            "n",
            "routers on the route",
            "to delivery",
            "from there to the acknowledgement",
        ],
    );
    let mut last: Option<(u64, u64)> = None;
    let mut added: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for levels in LEVELS {
        let run = Run::immediate(levels, 1).alone();
        let samples = context.point(&run.spec(PointStopRule::exactly(1, Statistic::Cycles)))?;
        let delivery = samples.of(Statistic::DeliveryCycles).max();
        let answer = samples.of(Statistic::Cycles).max() - delivery;
        if let Some((delivery_before, answer_before)) = last {
            added[0].push((delivery - delivery_before) as f64 / 2.0);
            added[1].push((answer - answer_before) as f64 / 2.0);
        }
        last = Some((delivery, answer));
        table.row([
            run.nodes().to_string(),
            (2 * levels - 1).to_string(),
            delivery.to_string(),
            answer.to_string(),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    let mut quantities = Vec::new();
    for (of, printed, added) in [("a head", 2, &added[0]), ("an answer", 1, &added[1])] {
        let id = format!("clocks_a_router_takes_of_{}", of.replace(' ', "_"));
        let quantity = Quantity::new(id, "S&K 2005, section 7", printed as u64)
            .named(format!("cycles that a router takes of {of}"))
            .simulated(Some(MeasuredValue::exact(all_of(added))));
        quantities.push(quantity.judged(None));
    }
    let found: Vec<String> = added.iter().map(|of| all_of(of).to_string()).collect();
    section.claim(
        "Clocks of a router",
        "two cycles for an advancing head, one for the answer that returns",
        format!(
            "{} and {} cycles, over 1 to {} routers",
            found[0],
            found[1],
            2 * LEVELS.end() - 1
        ),
        quantities,
    );
    Ok(section)
}

/// The one value that all have, or all of them as text.
fn all_of(values: &[f64]) -> Value {
    match values {
        [first, others @ ..] if others.iter().all(|other| other == first) => Value::Real(*first),
        _ => Value::Text(format!("{values:?}")),
    }
}
