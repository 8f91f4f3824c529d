//! Theorem 1 and what its proof uses, beside what the hardware needs.

use std::f64::consts::E;

use statrs::distribution::{Binomial, DiscreteCDF};

use super::context::{Range, StrumpenContext};
use crate::cases::Cases;
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::{Quantity, Verdict};
use crate::strumpen2005::run::Run;
use crosswave_analytic::balls::occupancy::Occupancy;
use crosswave_analytic::collision::{Bins, bins, phase_boundary_messages};
use crosswave_analytic::rounds::{
    PHASE_1_SUCCESS, PHASE_2_SUCCESS, phase_1_successes, phase_1_successes_bound,
    phase_2_successes, rounds_holding, theorem_1,
};
use crosswave_base::diagnostic::Error;
use crosswave_observe::points::Statistic;

/// Probabilities with which the bound may be exceeded.
const FAILURES: [f64; 2] = [0.01, 0.001];
/// Levels of the largest tree of the formulas.
const LEVELS_MAX: u32 = 20;
/// Most successful rounds that equation 8 is tried for.
const SUCCESSES_MAX: u64 = 40;

/// The section.
pub(super) fn section(context: &mut StrumpenContext) -> Result<Section, Error> {
    let mut section = Section::new("Theorem 1: the bound of delivery rounds");
    section.text(format!(
        "With probability 1 - ε, m messages take at most R rounds in Model I. R is that of phase I, \
         (2S - 4 ln ε')/p with S of equation 6 and p = {PHASE_1_SUCCESS}, and that of phase II, \
         with S = lg m (at most the lg of 2n/lg n) and p = 1 - 2/e = {PHASE_2_SUCCESS:.4}; each \
         phase has ε' = ε/2, so that both together hold with 1 - ε. Where equation 6 gives less \
         than nothing there is no phase I."
    ));
    let mut table = PageTable::new(
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
    let mut slack = Range::NONE;
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
            slack.add(bounds[0] as f64 / tally.max() as f64);
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
    section.parts.push(PagePart::Table(table));
    section.text(format!(
        "The bound for ε = 0.01 is {} times the most rounds that any replicate took: that it is not \
         exceeded says little, and counts as no evidence here. What can fail are the steps of its proof, \
         which are tried below case by case; how rounds grow stands with Figure 5.",
        slack.words(0)
    ));
    let mut steps = success(&mut section);
    steps.extend([equation_7(), equation_8()]);
    let held = steps
        .iter()
        .filter(|step| step.verdict == Verdict::Reproduced);
    let found = format!(
        "{} of {} steps of the proof hold in every case tried; the bound itself is {} times what is seen",
        held.count(),
        steps.len(),
        slack.words(0)
    );
    let paper = "O(lg m + ln 1/ε) rounds with probability 1 - ε, in Model I";
    section.claim("Theorem 1", paper, found, steps);
    Ok(section)
}

/// The inequality of equation 7, for every number of messages of small trees and powers of
/// two, and their neighbours, in large ones.
fn equation_7() -> Quantity {
    let mut cases = Cases::default();
    for levels in 1..=LEVELS_MAX {
        let nodes = 1u64 << levels;
        let near = |power: u32| [-1, 0, 1].map(|by| (1u64 << power).saturating_add_signed(by));
        let messages: Vec<u64> = match levels {
            ..=12 => (2..=nodes).collect(),
            _ => (2..=levels)
                .flat_map(near)
                .filter(|&m| m <= nodes)
                .collect(),
        };
        for m in messages {
            cases.add(phase_1_successes(m, levels) <= phase_1_successes_bound(m) + 1e-9);
        }
    }
    let source = "S&K 2005, equation 7; n = 2 to 2^20";
    cases
        .claim(
            "messages_at_which_equation_6_is_within_equation_7",
            source,
        )
        .named("sizes and numbers of messages at which S of equation 6 is no more than its bound of equation 7")
        .analytic(cases.kept())
        .judged(None)
}

/// The use of equation 8: R rounds, each successful with its probability, hold fewer than S
/// successful ones with probability ε at most; by the binomial distribution.
fn equation_8() -> Quantity {
    let mut cases = Cases::default();
    for success in [PHASE_1_SUCCESS, PHASE_2_SUCCESS] {
        for successes in 1..=SUCCESSES_MAX {
            for failure in [0.1, 0.01, 0.001] {
                let rounds = rounds_holding(successes as f64, success, failure).ceil() as u64;
                let trials = Binomial::new(success, rounds).expect("a probability");
                cases.add(trials.cdf(successes - 1) <= failure);
            }
        }
    }
    let source = "S&K 2005, section 6, equation 8, both phases; S = 1 to 40, ε = 0.1 to 0.001";
    cases
        .claim(
            "cases_in_which_fewer_than_s_rounds_succeed_rarely_enough",
            source,
        )
        .named("cases in which fewer than S of R rounds succeed with ε at most")
        .analytic(cases.kept())
        .judged(None)
}

/// Checks what the proof needs of single rounds, from the distribution of occupied bins.
fn success(section: &mut Section) -> Vec<Quantity> {
    let mut table = PageTable::new(
        "Least probability that a round succeeds in Model I, over all m of the phase, \
         b = ⌊2n/lg n⌋: fewer than 2b/e bins stay empty, of which the proof needs 1/2; at least \
         half of the messages are delivered, of which it needs 1 - 2/e",
        ["n", "b", "phase I", "phase II"],
    );
    let mut cases = [Cases::default(); 2];
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
            cases[phase].add(sum >= needed);
            least[phase] = least[phase].min(sum);
        }
        table.row([
            nodes.to_string(),
            bins.to_string(),
            format!("{:.4}", least[0]),
            format!("{:.4}", least[1]),
        ]);
    }
    section.parts.push(PagePart::Table(table));
    let phases = ["I", "II"].into_iter().zip(cases);
    let quantities = phases.map(|(phase, cases)| {
        let id = format!("messages_for_which_a_round_of_phase_{phase}_succeeds_often_enough");
        let source = format!("S&K 2005, section 6, phase {phase}; n = 16 to 1024, every m");
        cases
            .claim(id, source)
            .named(format!(
                "sizes and numbers of messages for which a round of phase {phase} succeeds often enough"
            ))
            .analytic(cases.kept())
            .judged(None)
    });
    quantities.collect()
}
