//! Equations 3 to 5: what one round delivers.

use serde_json::json;

use super::context::{Range, StrumpenContext};
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity};
use crate::strumpen2005::figures::READING;
use crate::strumpen2005::models::reading_name;
use crate::strumpen2005::run::Run;
use crosswave_analytic::balls::Round;
use crosswave_analytic::collision::{Bins, bins};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::Tally;
use crosswave_base::statistics::half_width_95;
use crosswave_observe::points::watch::check_cancelled;
use crosswave_observe::points::{PointStopRule, Statistic};
use crosswave_run::simulation::Simulation;

/// Replicates on the hardware.
const REPLICATES: u32 = 100;

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Equations 3 to 5: one round");
    section.text(format!(
        "Balls in bins expect so many empty bins, delivered and rejected messages in one toss, \
         exactly and by the bounds with e; beside them what the first round delivers on the \
         hardware, over {REPLICATES} replicates. The model is stricter than the router: in a bin \
         everything collides with everything and one ball survives, while messages that collide in \
         pairs at different routers leave more than one survivor. The stated number of bins, ⌊2n/lg n⌋, is \
         smaller than 1/Pr[C2] besides."
    ));
    let mut table = PageTable::new(
        "One round of m messages",
        [
            "n",
            "m",
            "bins",
            "E[be] (3)",
            "at most",
            "E[D] (4)",
            "at least",
            "E[R] (5)",
            "at most",
            "delivered, simulated",
            "± 95 %",
            "simulated / E[D]",
        ],
    );
    let mut quantities = Vec::new();
    let mut ratios = Range::NONE;
    let sizes = if context.is_quick() {
        [4, 6, 8]
    } else {
        [6, 10, 12]
    };
    for levels in sizes {
        let nodes = 1u32 << levels;
        for messages in [nodes / 8, nodes] {
            let delivered = first_round(levels, messages, context)?;
            for reading in Bins::ALL {
                let bins = bins(levels, reading).expect("there are collisions");
                let round = Round {
                    bins,
                    messages: messages.into(),
                };
                let ratio = delivered.mean() / round.delivered();
                if reading == READING {
                    ratios.add(ratio);
                    quantities.push(first(nodes, messages, round.delivered(), &delivered));
                }
                table.row([
                    nodes.to_string(),
                    messages.to_string(),
                    format!("{bins} ({})", reading_name(reading)),
                    format!("{:.3}", round.empty()),
                    format!("{:.3}", round.empty_bound()),
                    format!("{:.3}", round.delivered()),
                    format!("{:.3}", round.delivered_bound()),
                    format!("{:.3}", round.rejected()),
                    format!("{:.3}", round.rejected_bound()),
                    format!("{:.2}", delivered.mean()),
                    format!("{:.2}", half_width_95(&delivered)),
                    format!("{ratio:.3}"),
                ]);
            }
        }
    }
    section.parts.push(PagePart::Table(table));
    section.claim(
        "Equation 4: one round",
        "m messages in 2n/lg n bins: E[D] = b (1 - (1 - 1/b)^m) are delivered",
        format!(
            "the first round of the hardware delivers {} times as many",
            ratios.words(2)
        ),
        quantities,
    );
    Ok(section)
}

/// Messages that the first round delivers, by equation 4 and on the hardware.
fn first(nodes: u32, messages: u32, expected: f64, delivered: &Tally) -> Quantity {
    let id = format!("delivered_in_first_round_n{nodes}_m{messages}");
    let quantity = Quantity::unprinted(id, "S&K 2005, equation 4, with ⌊2n/lg n⌋ bins")
        .named(format!(
            "messages delivered in the first round, n = {nodes}, m = {messages}"
        ))
        .analytic(expected)
        .simulated(Some(MeasuredValue::mean(delivered)))
        .sharp_to((f64::from(messages) - expected) / 4.0);
    // That excuses more, not fewer, and not twice as many.
    if !(expected..=1.6 * expected).contains(&delivered.mean()) {
        return quantity.judged(None);
    }
    let why = "in a bin all collide with all and one survives, while messages that collide in pairs, \
               at different routers, leave more";
    quantity.approximate(why).judged(None)
}

/// Messages delivered at their first attempt, in each replicate.
fn first_round(levels: u32, messages: u32, context: &mut StrumpenContext) -> Result<Tally, Error> {
    let spec = Run::rounds(levels, messages).spec(PointStopRule::exactly(1, Statistic::Rounds));
    let mut config = spec.config.clone();
    let key = json!({ "first round": spec.key(), "replicates": REPLICATES });
    config.run.replicates = REPLICATES;
    let watch = &mut *context.watch;
    watch.begins(&format!("{}, first round", spec.title));
    let counts: Vec<u64> = context.points.store().kept(&key, || {
        check_cancelled(watch)?;
        let outcomes = Simulation::new(&config)?.run_all()?;
        let first = outcomes.iter().map(|outcome| {
            let first = outcome
                .messages
                .iter()
                .filter(|message| message.attempts == 1);
            first.count() as u64
        });
        Ok(first.collect())
    })?;
    Ok(counts.into_iter().collect())
}
