//! The paper's row in the registry.

use super::figures;
use super::quantities::quantities;
use super::simulate::simulate;
use crate::papers::paper::{Figure, Paper};

/// The row.
pub const PAPER: Paper = Paper {
    name: "dehon1990",
    title: "A. DeHon, Fat-Tree Routing for Transit, 1990",
    quantities: |effort, _, watch| Ok(quantities(&simulate(effort, watch)?)),
    report: None,
    figures: &[
        Figure {
            name: "dehon1990-4.19",
            title: "probability that a bidelta network routes a connection at the first attempt",
            draw: figures::routing::draw,
        },
        Figure {
            name: "turning",
            title: "clocks to a reply, over a turned connection and over a second one",
            draw: figures::turning::draw,
        },
    ],
};
