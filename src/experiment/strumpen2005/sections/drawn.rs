//! Figures 3 to 7, with what can be said of them in numbers.

use super::{Context, half_width_95};
use crate::analytic::collision::{Bins, bins, phase_boundary_messages};
use crate::analytic::destinations::Survivor;
use crate::analytic::rounds::{fit_rounds, lg_messages};
use crate::diagnostic::Report;
use crate::experiment::check::{Measured, Quantity};
use crate::experiment::page::{Data, Part, Picture, Section, Table};
use crate::experiment::points::Statistic;
use crate::experiment::strumpen2005::Run;
use crate::experiment::strumpen2005::figures::{self, Drawn};
use crate::experiment::strumpen2005::models::{self, Model};
use crate::plot;

/// Puts a figure into a section.
fn put(number: u32, drawn: &Drawn, captions: &[&str], context: &Context, section: &mut Section) {
    for (at, (chart, caption)) in drawn.charts.iter().zip(captions).enumerate() {
        let letter = ["", "a", "b"][if drawn.charts.len() > 1 { at + 1 } else { 0 }];
        section.parts.push(Part::Picture(Picture {
            name: format!("strumpen2005-{number}{letter}"),
            svg: plot::svg(chart),
            caption: (*caption).into(),
        }));
    }
    section.parts.push(Part::Data(Data {
        name: format!("strumpen2005-{number}.csv"),
        text: drawn.csv.clone(),
    }));
    let all = if context.is_quick() { "" } else { " --all" };
    section.parts.push(Part::Commands(vec![format!(
        "crosswave figure strumpen2005-{number}{all} --out figures"
    )]));
}

/// Figure 3.
pub(super) fn figure_3(context: &mut Context) -> Result<Section, Report> {
    let mut section = Section::new("Figure 3: Models I and II");
    section.text(
        "Model I tosses m balls into b bins, and one ball of each bin is delivered. Model II gives each \
         ball one of n destinations first; then all balls of a destination go into one bin. Bars reach \
         from the smallest to the largest number of rounds. Model I has ⌊2n/lg n⌋ bins, Model II \
         1/Pr[C2], rounded; of the destinations in a bin one survives that is chosen at random \
         (assumed).",
    );
    let drawn = figures::figure_3(context.sizes, context.points, context.watch)?;
    let captions = [
        "Rounds of Models I and II, m = n/8.",
        "Rounds of Models I and II, m = n.",
    ];
    put(3, &drawn, &captions, context, &mut section);
    let mut table = Table::new(
        "Model II by what survives in a bin, m = n: mean rounds of so many plays, with each \
         reading of the number of bins",
        [
            "n",
            "bins",
            "plays",
            "Model I",
            "random destination",
            "random ball",
            "most frequent destination",
        ],
    );
    for levels in context.sizes.levels(4).filter(|levels| levels % 2 == 0) {
        let nodes = 1u64 << levels;
        for reading in Bins::ALL {
            let plays = context.sizes.plays(levels).min(400);
            let mut mean = |model| {
                let store = context.points.store();
                models::plays(store, model, levels, reading, nodes, plays, context.watch)
                    .map(|tally| format!("{:.3}", tally.mean()))
            };
            table.row([
                nodes.to_string(),
                format!(
                    "{} ({})",
                    bins(levels, reading).unwrap_or(0),
                    models::reading_name(reading)
                ),
                plays.to_string(),
                mean(Model::One)?,
                mean(Model::Two(Survivor::RandomGroup))?,
                mean(Model::Two(Survivor::RandomBall))?,
                mean(Model::Two(Survivor::LargestGroup))?,
            ]);
        }
    }
    section.parts.push(Part::Table(table));
    Ok(section)
}

/// Figure 4.
pub(super) fn figure_4(context: &mut Context) -> Result<Section, Report> {
    let mut section = Section::new("Figure 4: rounds on the hardware against Model I");
    section.text(
        "Points are simulated on the gate engine; bars reach from the smallest to the largest value \
         of all replicates. In rounds, bodies are long enough that no circuit is freed by an \
         acknowledgement inside a round. With immediate retry bodies have one word, and cycles are \
         divided by those of one message across the diameter, to its acknowledgement. Model I is \
         computed as a Markov chain.",
    );
    let drawn = figures::figure_4(context.sizes, context.points, context.watch)?;
    let captions = [
        "Rounds of an eighth of the nodes, and immediate retry.",
        "Rounds when all nodes send, and immediate retry.",
    ];
    put(4, &drawn, &captions, context, &mut section);
    let mut table = Table::new(
        "Mean rounds, their 95 % intervals, and Model I with both readings of the number of bins",
        [
            "n",
            "m",
            "simulated",
            "± 95 %",
            "± in %",
            "replicates",
            "I, floor",
            "I, reciprocal",
            "floor / simulated",
            "reciprocal / simulated",
        ],
    );
    let mut widest: f64 = 0.0;
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for part in [8, 1u32] {
        for levels in context.sizes.levels(part.ilog2().max(2)) {
            let nodes = 1u32 << levels;
            let messages = nodes / part;
            let wanted = context.sizes.wanted(levels, Statistic::Rounds);
            let spec = Run::rounds(levels, messages).spec(wanted);
            let tally = context.point(&spec)?.of(Statistic::Rounds);
            let model = |reading, context: &mut Context| {
                let (store, watch) = (context.points.store(), &mut *context.watch);
                models::means(store, levels, reading, &[messages.into()], watch).map(|m| m[0])
            };
            let floor = model(Bins::Floor, context)?;
            let reciprocal = model(Bins::Reciprocal, context)?;
            let mean = tally.mean();
            let half = half_width_95(&tally);
            if levels <= context.sizes.sure_levels {
                widest = widest.max(half / mean);
            }
            if messages > 1 {
                least = least.min(floor / mean);
                most = most.max(floor / mean);
            }
            table.row([
                nodes.to_string(),
                messages.to_string(),
                format!("{mean:.4}"),
                format!("{half:.4}"),
                format!("{:.2}", 100.0 * half / mean),
                tally.count().to_string(),
                format!("{floor:.4}"),
                format!("{reciprocal:.4}"),
                format!("{:.3}", floor / mean),
                format!("{:.3}", reciprocal / mean),
            ]);
        }
    }
    section.parts.push(Part::Table(table));
    let promised = if context.is_quick() { 5 } else { 1 };
    let id = format!("points_whose_interval_is_wider_than_{promised}_percent");
    let source = format!(
        "means of Figure 4, half of 95 % intervals, n up to {}",
        1u32 << context.sizes.sure_levels
    );
    let wide = Measured::exact(u64::from(100.0 * widest > f64::from(promised)));
    let quantity = Quantity::new(id, source, 0_u64).simulated(Some(wide));
    section.quantities.push(quantity.judged(None));
    section.text(format!(
        "Half of an interval of 95 % is at most {:.2} % of its mean up to n = {}. Model I with \
         ⌊2n/lg n⌋ bins gives {least:.2} to {most:.2} times the rounds of the hardware: a small \
         constant factor, as the paper says without a number. Above n = {}, every second size is \
         simulated.",
        100.0 * widest,
        1u32 << context.sizes.sure_levels,
        1u32 << context.sizes.sure_levels
    ));
    Ok(section)
}

/// Figure 5.
pub(super) fn figure_5(context: &mut Context) -> Result<Section, Report> {
    let mut section = Section::new("Figure 5: rounds against the number of messages");
    let [small, large] = context.sizes.sweeps();
    section.text(
        "The vertical line is m = 2n/lg n: phase II lies to the left, phase I to the right. The line \
         lg m is the bound with the factor 1. In the large tree every second power of two is \
         simulated, with three replicates below m = n/8 and one above it but for m = n.",
    );
    let drawn = figures::figure_5(context.sizes, context.points, context.watch)?;
    let captions = ["Rounds in the small tree.", "Rounds in the largest tree."];
    put(5, &drawn, &captions, context, &mut section);
    for levels in [small, large] {
        let messages = context.sizes.messages(levels);
        let (mut above, mut points, mut off) = (0_u64, 0, Vec::new());
        for &messages in &messages {
            let spec = figures::sweep(levels, messages, context.sizes);
            let tally = context.point(&spec)?.of(Statistic::Rounds);
            let mean = tally.mean();
            let wide = u64::from(messages);
            // One message takes one round, and lg 1 is 0.
            if messages >= 4 {
                points += 1;
                above += u64::from(tally.mean() - 3.0 * tally.standard_error() > lg_messages(wide));
            }
            off.push(fit_rounds(wide, levels) - mean);
        }
        let nodes = 1u32 << levels;
        let least = off.iter().copied().fold(f64::INFINITY, f64::min);
        let most = off.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        section.text(format!(
            "n = {nodes}: the boundary is at m = {:.1}; the ad hoc fit is {least:+.2} to {most:+.2} \
             rounds off the simulated means.",
            phase_boundary_messages(levels)
        ));
        let id = format!("means_above_lg_m_n{nodes}_of_{points}_points");
        let simulated = Measured::exact(above);
        let quantity = Quantity::new(id, "S&K 2005, section 7, item 3 (m from 4 on)", 0_u64);
        section
            .quantities
            .push(quantity.simulated(Some(simulated)).judged(None));
    }
    Ok(section)
}

/// Figures 6 and 7.
pub(super) fn figures_6_and_7(context: &mut Context) -> Result<Section, Report> {
    let mut section = Section::new("Figures 6 and 7: permutations");
    section.text(format!(
        "A node that would send to itself sends nothing, so transpose has n - √n messages. Above \
         n = 16,384 there are few replicates: 8, 2 and 1 for 2^16, 2^18 and 2^20 nodes. Cyclic \
         shifts are simulated for every shift up to n = {}, and for another random shift in every \
         replicate above. Intervals count the spread between shifts as error, and are wider than they \
         need be.",
        1u32 << figures::SHIFTED_LEVELS
    ));
    let drawn = figures::figure_6(context.sizes, context.points, context.watch)?;
    put(
        6,
        &drawn,
        &["Transpose.", "Bit reversal."],
        context,
        &mut section,
    );
    let drawn = figures::figure_7(context.sizes, context.points, context.watch)?;
    put(7, &drawn, &["Cyclic shift."], context, &mut section);
    Ok(section)
}
