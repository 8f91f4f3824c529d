//! The paper's row in the registry.

use super::{figures, sections};
use crate::effort::Effort;
use crate::paper::{Figure, Paper, PaperReport};

/// The row.
pub const PAPER: Paper = Paper {
    name: "dehon1990",
    title: "A. DeHon, Fat-Tree Routing for Transit, 1990",
    quantities: |effort, points, watch| {
        let sections = sections::sections(effort, false, points, watch)?;
        let quantities = sections.into_iter().map(|section| section.quantities);
        Ok(quantities.flatten().collect())
    },
    report: Some(PaperReport {
        lead,
        sections: |effort, points, watch| sections::sections(effort, true, points, watch),
    }),
    figures: &FIGURES,
};

const FIGURES: [Figure; 22] = [
    Figure {
        name: "dehon1990-placed",
        title: "stacks of fat trees in hollow cubes: of one layer, and of two",
        draw: |_, _| Ok(figures::placed::draw()),
    },
    Figure {
        name: "dehon1990-4.1",
        title: "wires in hollow cubes by length, by the equations and in placed trees",
        draw: |effort, watch| Ok(figures::wires::draw(1, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.2",
        title: "the same by cycles of wires, B192 leaves",
        draw: |effort, watch| Ok(figures::wires::draw(2, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.3",
        title: "the same by cycles of wires, B48 and UT64x2 leaves",
        draw: |effort, watch| Ok(figures::wires::draw(3, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.4",
        title: "the same by cycles of wires, B12 leaves",
        draw: |effort, watch| Ok(figures::wires::draw(4, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.6",
        title: "wires between planes of bidelta networks by length",
        draw: |effort, watch| Ok(figures::wires::draw(6, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.7",
        title: "the same by cycles of wires",
        draw: |effort, watch| Ok(figures::wires::draw(7, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.8",
        title: "probability that a full fat tree of 64 routes a connection, by level",
        draw: |effort, watch| Ok(figures::local_routing::draw(8, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.9",
        title: "the same, full fat tree of 4,096",
        draw: |effort, watch| Ok(figures::local_routing::draw(9, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.10",
        title: "the same, full fat tree of 262,144",
        draw: |effort, watch| Ok(figures::local_routing::draw(10, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.11",
        title: "probability that full fat trees route a connection, over all levels",
        draw: |effort, watch| Ok(figures::local_routing::draw(11, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.12",
        title: "probability that a hybrid fat tree of 768 routes a connection, by level",
        draw: |effort, watch| Ok(figures::local_routing::draw(12, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.13",
        title: "the same, hybrid fat tree of 3,072",
        draw: |effort, watch| Ok(figures::local_routing::draw(13, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.14",
        title: "the same, hybrid fat tree of 12,288",
        draw: |effort, watch| Ok(figures::local_routing::draw(14, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.15",
        title: "the same, hybrid fat tree of 49,152",
        draw: |effort, watch| Ok(figures::local_routing::draw(15, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.16",
        title: "the same, hybrid fat tree of 196,608",
        draw: |effort, watch| Ok(figures::local_routing::draw(16, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.17",
        title: "the same, hybrid fat tree of 786,432",
        draw: |effort, watch| Ok(figures::local_routing::draw(17, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.18",
        title: "probability that hybrid fat trees route a connection, over all levels",
        draw: |effort, watch| Ok(figures::local_routing::draw(18, effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-4.19",
        title: "probability that a bidelta network routes a connection at the first attempt",
        draw: |effort, watch| Ok(figures::routing::draw(effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-faults",
        title: "what routers that are off leave of a fat tree: messages delivered, attempts, latency",
        draw: |effort, watch| Ok(figures::faults::draw(effort, watch)?.into()),
    },
    Figure {
        name: "dehon1990-steady",
        title: "throughput and latency of fat trees and a bidelta network in steady state",
        draw: |effort, watch| Ok(figures::steady::draw(effort, watch)?.into()),
    },
    Figure {
        name: "turning",
        title: "cycles to a reply, over a turned connection and over a second one",
        draw: |effort, watch| Ok(figures::turning::draw(effort, watch)?.into()),
    },
];

/// The paragraphs at the head of the report.
fn lead(effort: Effort) -> Vec<String> {
    let mut lead = vec![
        "Transit's fat trees and the bidelta networks beside them: every table of chapters 2 to 4, the \
         figures of chapter 4, and turned connections, beside the paper's equations and beside networks \
         that were built of register-level models of RN1. Tables of hardware are counted on these networks \
         link by link; cycles are read off their ports. Where the print does not follow from its own text, \
         the page says so, and what was tried."
            .to_owned(),
    ];
    if effort != Effort::All {
        lead.push(
            "This is the quick form: networks of up to 65,536 processors, and routing statistics of fat \
             trees of up to 5,000."
                .to_owned(),
        );
    }
    lead
}
