//! The paper's row in the registry.

use super::study::Study;
use super::{circuit_figure, figures, sections};
use crate::effort::Effort;
use crate::paper::{Figure, Paper, PaperReport};
use crosswave_observe::points::Store;

/// The row.
pub const PAPER: Paper = Paper {
    name: "dimakopoulos1994",
    title: "V. V. Dimakopoulos, N. J. Dimopoulos, Communications in binary fat trees, \
            technical report 1994, PDCS 1995",
    quantities: |effort, points, watch| {
        let mut study = Study::new(effort, points.store(), watch);
        let sections = sections::sections(&mut study, false)?;
        let quantities = sections.into_iter().map(|section| section.quantities);
        Ok(quantities.flatten().collect())
    },
    report: Some(PaperReport {
        lead,
        sections: |effort, points, watch| {
            sections::sections(&mut Study::new(effort, points.store(), watch), true)
        },
    }),
    figures: &FIGURES,
};

const FIGURES: [Figure; 2] = [
    Figure {
        name: "dimakopoulos1994-steps",
        title: "steps of total exchange on simple and on exponential trees, against nodes",
        draw: |effort, watch| {
            let store = &mut Store::in_memory();
            Ok(figures::draw(&mut Study::new(effort, store, watch))?.into())
        },
    },
    Figure {
        name: "dimakopoulos1994-circuits",
        title: "cycles of all operations on circuit-switched networks, against nodes",
        draw: |effort, watch| {
            let store = &mut Store::in_memory();
            Ok(circuit_figure::draw(&mut Study::new(effort, store, watch))?.into())
        },
    },
];

/// The paragraphs at the head of the report.
fn lead(effort: Effort) -> Vec<String> {
    let mut lead = vec![
        "Every step count of the paper beside schedules that were made for it. A schedule says when \
         sources send, and no more; a check moves every packet without waiting and finds the first \
         two that want one link, and where packets may wait a step simulator has a queue in front of \
         each channel. Trees of up to 256 processors are sent through models of the hardware as well: \
         slices without queues, of which there is Verilog, or switches with queues."
            .to_owned(),
        "Circuit-switched networks, of which the paper does not speak, stand beside it in the last \
         section."
            .to_owned(),
    ];
    if effort != Effort::All {
        lead.push("This is the quick form: up to 256 processors in place of 4,096.".to_owned());
    }
    lead
}
