//! Mean rounds of few messages: exactly, by trying every case, and simulated.

use num_rational::BigRational;
use serde_json::json;

use super::context::StrumpenContext;
use super::lemma::{decimal, kept, text};
use crate::effort::Effort;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{MeasuredValue, Quantity, Verdict};
use crate::strumpen2005::enumerate;
use crate::strumpen2005::enumerate::Symmetry;
use crate::strumpen2005::enumerate::fat_tree;
use crate::strumpen2005::run::Run;
use crosswave_analytic::collision::pair_probability;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::Tally;
use crosswave_base::statistics::half_width_95;
use crosswave_observe::points::{PointStopRule, Statistic};

/// Replicates of a mean: three standard errors are a quarter of the rounds that collisions
/// add, or less.
const REPLICATES: usize = 2000;

/// Mean rounds of a run, held against an exact mean. What collisions add to the one round
/// that there is without them must be seen to a quarter: half or twice the collisions would
/// not pass.
pub(super) fn mean_rounds(
    id: String,
    source: &str,
    run: &Run,
    exact: f64,
    context: &mut StrumpenContext,
) -> Result<(Quantity, Tally), Error> {
    let spec = run.spec(PointStopRule::exactly(REPLICATES, Statistic::Rounds));
    let tally = context.point(&spec)?.of(Statistic::Rounds);
    let quantity = Quantity::unprinted(id, source)
        .enumerated(exact)
        .simulated(Some(MeasuredValue::mean(&tally)))
        .sharp_to((exact - 1.0) / 4.0);
    Ok((quantity, tally))
}

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Mean rounds of few messages, exactly");
    section.text(
        "Mean rounds by enumeration, as above, of all sources, destinations and random pins, round \
         after round, beside the mean of replicates on the gate engine. Two messages take 1 + Pr[C2] \
         rounds.",
    );
    let mut table = PageTable::new(
        "Mean rounds",
        [
            "n",
            "m",
            "exact",
            "decimal",
            "simulated",
            "± 95 %",
            "replicates",
        ],
    );
    let mut cases = vec![(2, 2), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)];
    if context.effort == Effort::All {
        cases.push((3, 4));
    }
    let mut of_two = Vec::new();
    for (levels, messages) in cases {
        let nodes = 1u32 << levels;
        let key = json!({ "enumerated": "mean rounds", "nodes": nodes, "messages": messages });
        let mean = kept(context.points.store(), &key, context.watch, || {
            enumerate::mean_rounds(&fat_tree(levels), messages, Symmetry::Tree)
        })?;
        let (quantity, tally) = mean_rounds(
            format!("mean_rounds_n{nodes}_m{messages}"),
            "S&K 2005, section 7, rounds",
            &Run::rounds(levels, messages),
            decimal(&mean),
            context,
        )?;
        table.row([
            nodes.to_string(),
            messages.to_string(),
            mean.to_string(),
            format!("{:.6}", decimal(&mean)),
            format!("{:.5}", tally.mean()),
            format!("{:.5}", half_width_95(&tally)),
            tally.count().to_string(),
        ]);
        let name = format!("mean rounds of {messages} messages at n = {nodes}");
        let quantity = quantity.named(name).judged(None);
        if messages == 2 {
            of_two.push(quantity);
            let id = format!("mean_rounds_n{nodes}_m2_exact");
            let formula = pair_probability(levels) + num_traits::one::<BigRational>();
            let quantity = Quantity::unprinted(id, "S&K 2005, Lemma 1: 1 + Pr[C2]")
                .named(format!("mean rounds of 2 messages at n = {nodes}, exactly"))
                .analytic(text(&formula))
                .enumerated(text(&mean));
            of_two.push(quantity.judged(None));
        } else {
            section.quantities.push(quantity);
        }
    }
    section.parts.push(PagePart::Table(table));
    let agree = of_two.iter().filter(|q| q.verdict == Verdict::Reproduced);
    let found = format!(
        "{} of {} comparisons agree: 1 + Pr[C2] with what trying every case gives, and that with \
         simulation, at n = 4, 8 and 16",
        agree.count(),
        of_two.len()
    );
    section.claim(
        "Rounds of two messages",
        "two messages of which one is rejected with Pr[C2] take 1 + Pr[C2] rounds (follows from Lemma 1)",
        found,
        of_two,
    );
    Ok(section)
}
