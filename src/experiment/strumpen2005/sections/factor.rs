//! How much faster immediate retry is than rounds: over sizes, lengths and what frees a
//! circuit.

use super::{Context, Range};
use crate::diagnostic::Report;
use crate::experiment::check::{Measured, Quantity};
use crate::experiment::config::Release;
use crate::experiment::page::{Part, Picture, Section, Table};
use crate::experiment::points::{Statistic, Wanted};
use crate::experiment::strumpen2005::figures::{Normalised, against_nodes};
use crate::experiment::strumpen2005::{Length, Run};
use crate::plot::{self, Point, Series};

/// Words of bodies.
const WORDS: [u32; 3] = [1, 8, 64];
/// Levels up to which bodies of all lengths are simulated.
const LEVELS_MAX: u32 = 12;

/// What frees a circuit, in words.
pub(super) fn release_words(release: Release) -> &'static str {
    match release {
        Release::Acknowledge => "freed by the acknowledgement",
        Release::EarlyAcknowledge => "freed by an early acknowledgement",
        Release::Tail => "freed by the tail",
    }
}

/// A factor, its standard error, and the tree that it is of.
struct Factor {
    nodes: u32,
    value: f64,
    stderr: f64,
}

/// Mean rounds with long bodies, for each cycle count of immediate retry that is divided by
/// that of one message.
fn factor(
    levels: u32,
    words: u32,
    release: Release,
    context: &mut Context,
) -> Result<Factor, Report> {
    let nodes = 1u32 << levels;
    let wanted = |of, context: &Context| match levels {
        ..=10 => context.sizes.wanted(levels, of),
        _ => Wanted::exactly(16, of),
    };
    let rounds = Run::rounds(levels, nodes).spec(wanted(Statistic::Rounds, context));
    let rounds = context.point(&rounds)?.of(Statistic::Rounds);
    let run = Run {
        length: Length::Words(words),
        release,
        ..Run::immediate(levels, nodes)
    };
    let wanted = wanted(Statistic::Cycles, context);
    let cycles = Normalised::of(&run, wanted, context.points, context.watch)?;
    let value = rounds.mean() / cycles.mean();
    let parts = [&rounds, &cycles.cycles].map(|tally| tally.standard_error() / tally.mean());
    Ok(Factor {
        nodes,
        value,
        stderr: value * parts[0].hypot(parts[1]),
    })
}

/// The section.
pub(super) fn section(context: &mut Context) -> Result<Section, Report> {
    let mut section = Section::new("Immediate retry against rounds: the factor of two");
    section.text(
        "The paper finds immediate retry about twice as fast as rounds: mean rounds, divided by the cycles \
         of immediate retry in units of one message across the diameter. It gives neither the length of \
         messages nor what frees a circuit, and both matter. Circuits are freed by the acknowledgement \
         on its way back; by an acknowledgement that the receiver sends as soon as it has the head; or \
         by the tail as it passes each router. All n nodes send; rounds are those of the round-based run \
         with long bodies, the same for every row.",
    );
    let sizes: Vec<u32> = (4..=context.sizes.sure_levels.min(LEVELS_MAX))
        .step_by(2)
        .collect();
    let mut table = Table::new(
        "Mean rounds per normalised cycles of immediate retry, ± standard error, m = n",
        ["words", "circuits", "n", "factor", "±"],
    );
    let mut series = Vec::new();
    let mut claims = Vec::new();
    for words in WORDS {
        for (_, release) in Release::ALL {
            let factors = sizes
                .iter()
                .map(|&levels| factor(levels, words, release, context));
            let factors = factors.collect::<Result<Vec<Factor>, Report>>()?;
            for of in &factors {
                table.row([
                    words.to_string(),
                    release_words(release).into(),
                    of.nodes.to_string(),
                    format!("{:.3}", of.value),
                    format!("{:.3}", of.stderr),
                ]);
            }
            if words == WORDS[0] {
                series.push(curve(release, &factors));
                claims.push((release, factors));
            }
        }
    }
    let chart = against_nodes(
        "Immediate retry against rounds, bodies of 1 word, m = n".into(),
        context.sizes,
        4,
        "rounds / normalised cycles",
        series,
    );
    section.parts.push(Part::Picture(Picture {
        name: "strumpen2005-factor".into(),
        svg: plot::svg(&chart),
        caption:
            "How many times as fast immediate retry is, by what frees a circuit; bars are two \
                  standard errors."
                .into(),
    }));
    section.parts.push(Part::Table(table));
    for (release, factors) in claims {
        claim(release, &factors, &mut section);
    }
    Ok(section)
}

fn curve(release: Release, factors: &[Factor]) -> Series {
    let points = factors.iter();
    let points = points.map(|of| Point::with_error(of.nodes.into(), of.value, 2.0 * of.stderr));
    Series {
        name: release_words(release).into(),
        curve: factors
            .iter()
            .map(|of| (of.nodes.into(), of.value))
            .collect(),
        points: points.collect(),
    }
}

/// "About a factor of two on average": the mean over sizes is from 1.75 to 2.25.
fn claim(release: Release, factors: &[Factor], section: &mut Section) {
    let count = factors.len() as f64;
    let mean = factors.iter().map(|of| of.value).sum::<f64>() / count;
    let squares: f64 = factors.iter().map(|of| of.stderr.powi(2)).sum();
    let mut range = Range::NONE;
    for of in factors {
        range.add(of.value);
    }
    let words = release_words(release);
    let id = format!(
        "rounds_per_normalised_cycles_{}",
        release.name().replace('-', "_")
    );
    let source = "S&K 2005, section 7: about a factor of two on average; read as 1.75 to 2.25";
    let quantity = Quantity::new(id, source, 2.0)
        .named(format!("rounds per normalised cycles, circuits {words}, mean over n"))
        .simulated(Some(Measured {
            value: mean.into(),
            stderr: Some(squares.sqrt() / count),
        }))
        .within(0.25)
        .approximate(format!(
            "the paper does not say what frees a circuit; this is what comes out when it is {words} \
             and a body has one word"
        ));
    let [first, last] = [factors.first(), factors.last()].map(|of| of.map_or(0, |of| of.nodes));
    section.claim(
        &format!("Immediate retry against rounds, circuits {words}"),
        "rounds take about twice as long on average",
        format!(
            "{} times as long for n = {first} to {last}, {mean:.2} on average",
            range.words(2)
        ),
        vec![quantity.judged(None)],
    );
}
