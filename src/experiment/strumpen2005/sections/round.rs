//! Equations 3 to 5: what one round delivers.

use serde_json::json;

use super::{Context, half_width_95};
use crate::analytic::balls::Round;
use crate::analytic::collision::{Bins, bins};
use crate::analytic::tally::Tally;
use crate::diagnostic::Report;
use crate::experiment::check::{Quantity, Value};
use crate::experiment::page::{Part, Section, Table};
use crate::experiment::points::{Statistic, Wanted};
use crate::experiment::run;
use crate::experiment::strumpen2005::Run;
use crate::experiment::strumpen2005::models::reading_name;
use crate::experiment::study::go_on;

/// Replicates on the hardware.
const REPLICATES: u32 = 100;

/// The section.
pub(super) fn section(context: &mut Context) -> Result<Section, Report> {
    let mut section = Section::new("Equations 3 to 5: one round");
    section.text(format!(
        "Balls in bins expect so many empty bins, delivered and rejected messages in one toss, \
         exactly and by the bounds with e; beside them what the first round delivers on the \
         hardware, over {REPLICATES} replicates."
    ));
    let mut table = Table::new(
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
        ],
    );
    let (mut broken, mut entries) = (Vec::new(), 0);
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
                entries += 3;
                let bounds = [
                    (round.empty() <= round.empty_bound(), "(3)"),
                    (round.delivered() >= round.delivered_bound(), "(4)"),
                    (round.rejected() <= round.rejected_bound(), "(5)"),
                ];
                let failed = bounds.iter().filter(|(holds, _)| !holds);
                broken.extend(failed.map(|(_, name)| format!("{name} at n = {nodes}")));
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
                ]);
            }
        }
    }
    section.parts.push(Part::Table(table));
    let none = || Value::Text("none".into());
    let id = format!("bounds_of_equations_3_to_5_that_fail_of_{entries}");
    let found = match broken.is_empty() {
        true => none(),
        false => Value::Text(broken.join(", ")),
    };
    let quantity = Quantity::new(id, "S&K 2005, equations 3 to 5", none());
    section
        .quantities
        .push(quantity.analytic(found).judged(None));
    Ok(section)
}

/// Messages delivered at their first attempt, in each replicate.
fn first_round(levels: u32, messages: u32, context: &mut Context) -> Result<Tally, Report> {
    let spec = Run::rounds(levels, messages).spec(Wanted::exactly(1, Statistic::Rounds));
    let mut config = spec.config()?;
    let key = json!({ "first round": spec.key(&config), "replicates": REPLICATES });
    config.run.replicates = REPLICATES;
    let watch = &mut *context.watch;
    watch.begins(&format!("{}, first round", spec.title));
    let counts: Vec<u64> = context.points.store().kept(&key, || {
        go_on(watch)?;
        let outcomes = run::all(&config)?;
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
