//! The paper's row in the registry.

use super::sections::context::StrumpenContext;
use super::sizes::Sizes;
use super::{figures, sections};
use crate::effort::Effort;
use crate::page::Section;
use crate::paper::{Charts, Drawn, Figure, Paper, PaperReport};
use crosswave_base::diagnostic::Error;
use crosswave_observe::points::Points;
use crosswave_observe::points::watch::Watch;

/// The row.
pub const PAPER: Paper = Paper {
    name: "strumpen2005",
    title: TITLE,
    quantities: |effort, points, watch| {
        let sections = sections(effort, points, watch)?;
        let quantities = sections.into_iter().map(|section| section.quantities);
        Ok(quantities.flatten().collect())
    },
    report: Some(PaperReport { lead, sections }),
    figures: &FIGURES,
};

const FIGURES: [Figure; 5] = [
    Figure {
        name: "strumpen2005-3",
        title: "rounds of Models I and II against nodes",
        draw: |effort, watch| figure(figures::figure_3, effort, watch),
    },
    Figure {
        name: "strumpen2005-4",
        title: "rounds and immediate retry on a fat tree, and Model I, against nodes",
        draw: |effort, watch| figure(figures::figure_4, effort, watch),
    },
    Figure {
        name: "strumpen2005-5",
        title: "rounds on a fat tree, Model I and a fit, against messages",
        draw: |effort, watch| figure(figures::figure_5, effort, watch),
    },
    Figure {
        name: "strumpen2005-6",
        title: "rounds and immediate retry of transpose and bit reversal",
        draw: |effort, watch| figure(figures::figure_6, effort, watch),
    },
    Figure {
        name: "strumpen2005-7",
        title: "rounds and immediate retry of cyclic shifts",
        draw: |effort, watch| figure(figures::figure_7, effort, watch),
    },
];

/// Makes a figure without a report around it. Simulation is what these figures are of, so
/// that even [`Effort::Formulas`] has some.
fn figure(
    make: fn(Sizes, &mut Points, &mut dyn Watch) -> Result<Charts, Error>,
    effort: Effort,
    watch: &mut dyn Watch,
) -> Result<Drawn, Error> {
    let sizes = Sizes::new(effort.max(Effort::Quick));
    Ok(make(sizes, &mut Points::default(), watch)?.into())
}

/// Authors, title and year.
const TITLE: &str = "V. Strumpen, A. Krishnamurthy, A collision model for randomized routing in fat-tree networks, \
     2005";

/// The paragraphs at the head of the report.
fn lead(effort: Effort) -> Vec<String> {
    let mut lead = vec![
        "The lemma, equations, figures and claims of the paper, beside their formulas and beside what \
         the four-port router does. Rounds and cycles are simulated from its gate netlist, but for \
         runs of few messages in large networks, which the event engine runs from register-level \
         models; both have the same value at every port. Enumeration, pairs and places of collisions \
         use these models too. Where the paper leaves something open, the choice is stated, and its \
         effect measured."
            .to_owned(),
    ];
    if effort != Effort::All {
        lead.push(
            "This is the quick form: networks of up to 256 nodes, and wider intervals.".to_owned(),
        );
    }
    lead
}

/// The sections of the report. The formulas alone have one, and simulate nothing.
///
/// # Errors
/// Those of [`Points::get`].
fn sections(
    effort: Effort,
    points: &mut Points,
    watch: &mut dyn Watch,
) -> Result<Vec<Section>, Error> {
    if effort == Effort::Formulas {
        return Ok(sections::formulas());
    }
    sections::sections(&mut StrumpenContext {
        sizes: Sizes::new(effort),
        effort,
        points,
        watch,
    })
}
