//! Theorem 1 and what its proof uses, beside what the hardware needs.

use std::f64::consts::E;

use super::Context;
use crate::analytic::balls::occupancy::Occupancy;
use crate::analytic::collision::{Bins, bins, phase_boundary_messages};
use crate::analytic::rounds::{
    PHASE_1_SUCCESS, PHASE_2_SUCCESS, phase_1_successes, phase_1_successes_bound,
    phase_2_successes, theorem_1,
};
use crate::diagnostic::Report;
use crate::experiment::check::{Measured, Quantity};
use crate::experiment::page::{Part, Section, Table};
use crate::experiment::points::Statistic;
use crate::experiment::strumpen2005::Run;

/// Probabilities with which the bound may be exceeded.
const FAILURES: [f64; 2] = [0.01, 0.001];

/// The section.
pub(super) fn section(context: &mut Context) -> Result<Section, Report> {
    let mut section = Section::new("Theorem 1: the bound of delivery rounds");
    section.text(format!(
        "With probability 1 - ε, m messages take at most R rounds in Model I. R is that of phase I, \
         (2S - 4 ln ε')/p with S of equation 6 and p = {PHASE_1_SUCCESS}, and that of phase II, \
         with S = lg m (at most the lg of 2n/lg n) and p = 1 - 2/e = {PHASE_2_SUCCESS:.4}; each \
         phase has ε' = ε/2, so that both together hold with 1 - ε. Where equation 6 gives less \
         than nothing there is no phase I."
    ));
    let mut table = Table::new(
        "Bounds of Theorem 1, and the most rounds of any replicate",
        [
            "n",
            "m",
            "2n/lg n",
            "S (6)",
            "S (7)",
            "S, phase II",
            "R, ε = 0.01",
            "R, ε = 0.001",
            "most simulated",
            "replicates",
        ],
    );
    let (mut above, mut all) = (0, 0);
    for levels in context.sizes.levels(4) {
        let nodes = 1u64 << levels;
        for messages in [nodes / 8, nodes] {
            let boundary = phase_boundary_messages(levels);
            let run = Run::rounds(levels, messages as u32);
            let wanted = context.sizes.wanted(levels, Statistic::Rounds);
            let tally = context.point(&run.spec(wanted))?.of(Statistic::Rounds);
            let bounds = FAILURES.map(|failure| theorem_1(messages, levels, failure).rounds());
            let first = messages as f64 > boundary;
            let if_first = |value: f64| match first {
                true => format!("{value:.2}"),
                false => "–".into(),
            };
            let second = phase_2_successes(if first { boundary as u64 } else { messages });
            above += u64::from(tally.max() > bounds[0]);
            all += 1;
            table.row([
                nodes.to_string(),
                messages.to_string(),
                format!("{boundary:.1}"),
                if_first(phase_1_successes(messages, levels)),
                if_first(phase_1_successes_bound(messages)),
                format!("{second:.2}"),
                bounds[0].to_string(),
                bounds[1].to_string(),
                tally.max().to_string(),
                tally.count().to_string(),
            ]);
        }
    }
    section.parts.push(Part::Table(table));
    let id = format!("theorem_1_exceeded_of_{all}_points");
    let quantity = Quantity::new(id, "S&K 2005, Theorem 1, ε = 0.01", 0_u64);
    let counted = Measured::exact(above);
    section
        .quantities
        .push(quantity.simulated(Some(counted)).judged(None));
    success(&mut section);
    Ok(section)
}

/// What the proof needs of single rounds, from the distribution of occupied bins.
fn success(section: &mut Section) {
    let mut table = Table::new(
        "Least probability that a round succeeds in Model I, over all m of the phase, \
         b = ⌊2n/lg n⌋: fewer than 2b/e bins stay empty, of which the proof needs 1/2; at least \
         half of the messages are delivered, of which it needs 1 - 2/e",
        ["n", "b", "phase I", "phase II"],
    );
    let mut failing = [0_u64; 2];
    for levels in [4, 6, 8, 10] {
        let nodes = 1u64 << levels;
        let bins = bins(levels, Bins::Floor).expect("there are bins");
        let mut least = [1.0_f64; 2];
        let mut occupancy = Occupancy::new(bins);
        for messages in 1..=nodes {
            occupancy.toss();
            let (fewest, probabilities) = occupancy.rejected();
            let phase = usize::from(messages <= bins);
            let succeeds = |rejected: u64| match phase {
                0 => ((bins + rejected - messages) as f64) < 2.0 * bins as f64 / E,
                _ => 2 * (messages - rejected) >= messages,
            };
            let of = (fewest..).zip(probabilities);
            let sum: f64 = of.filter(|(r, _)| succeeds(*r)).map(|(_, p)| p).sum();
            let needed = [PHASE_1_SUCCESS, PHASE_2_SUCCESS][phase];
            failing[phase] += u64::from(sum < needed);
            least[phase] = least[phase].min(sum);
        }
        table.row([
            nodes.to_string(),
            bins.to_string(),
            format!("{:.4}", least[0]),
            format!("{:.4}", least[1]),
        ]);
    }
    section.parts.push(Part::Table(table));
    for (phase, failing) in ["I", "II"].into_iter().zip(failing) {
        let id = format!("messages_for_which_a_round_of_phase_{phase}_succeeds_too_rarely");
        let source = format!("S&K 2005, section 6, phase {phase}; n = 16 to 1024, every m");
        let quantity = Quantity::new(id, source, 0_u64).analytic(failing);
        section.quantities.push(quantity.judged(None));
    }
}
