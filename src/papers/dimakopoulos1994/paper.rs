//! The paper's row in the registry.

use super::study::Study;
use super::{circuit_figure, circuits, exchange, figures, single};
use crate::papers::paper::{Figure, Paper};

/// The row.
pub const PAPER: Paper = Paper {
    name: "dimakopoulos1994",
    title: "V. V. Dimakopoulos, N. J. Dimopoulos, Communications in binary fat trees, \
            technical report 1994, PDCS 1995",
    quantities: |effort, _, watch| {
        let mut study = Study::new(effort, watch);
        let mut quantities = single::quantities(&mut study)?;
        quantities.extend(exchange::quantities(&mut study)?);
        quantities.extend(circuits::quantities(&mut study)?);
        Ok(quantities)
    },
    report: None,
    figures: &FIGURES,
};

const FIGURES: [Figure; 2] = [
    Figure {
        name: "dimakopoulos1994-steps",
        title: "steps of total exchange on simple and on exponential trees, against nodes",
        draw: |effort, watch| Ok(figures::draw(effort, watch)?.into()),
    },
    Figure {
        name: "dimakopoulos1994-circuits",
        title: "clocks of all operations on circuit-switched networks, against nodes",
        draw: |effort, watch| Ok(circuit_figure::draw(effort, watch)?.into()),
    },
];
