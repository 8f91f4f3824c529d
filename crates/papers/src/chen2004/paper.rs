//! The paper's row in the registry.

use super::{figures, sections, universality};
use crate::effort::Effort;
use crate::networks;
use crate::paper::{Figure, Paper, PaperReport};
use crosswave_observe::points::Store;

/// The row.
pub const PAPER: Paper = Paper {
    name: "chen2004",
    title: "K. F. Chen, E. H.-M. Sha, The fat-stack and universal routing in interconnection \
            networks, preliminary version PDCS 2004",
    quantities: |effort, points, watch| {
        let sections = sections::sections(effort, false, points.store(), watch)?;
        let quantities = sections.into_iter().map(|section| section.quantities);
        Ok(quantities.flatten().collect())
    },
    report: Some(PaperReport {
        lead,
        sections: |effort, points, watch| sections::sections(effort, true, points.store(), watch),
    }),
    figures: &FIGURES,
};

const FIGURES: [Figure; 4] = [
    Figure {
        name: "chen2004-load",
        title: "carried load and delay of flows, against what is offered",
        draw: |effort, watch| Ok(figures::loads(effort, &Store::default(), watch)?.into()),
    },
    Figure {
        name: "chen2004-networks",
        title: "fat tree, fat stacks and fat pyramid of 64 processors in one frame",
        draw: |_, _| Ok(figures::networks()),
    },
    Figure {
        name: "chen2004-overhead",
        title: "overhead of carrying a mesh and a random permutation, against processors",
        draw: |effort, watch| Ok(universality::draw(effort, watch)?.into()),
    },
    Figure {
        name: "networks",
        title: "networks of all papers with 64 processors: carried load and latency, at equal wires and gates",
        draw: |effort, watch| Ok(networks::draw(effort, watch)?.into()),
    },
];

/// The paragraphs at the head of the report.
fn lead(effort: Effort) -> Vec<String> {
    let mut lead = vec![
        "Fat tree, fat stacks and fat pyramid on one frame: what they are made of is counted on their \
         graphs, distances are searched, schedules of section 3 run step by step, and the flows of \
         section 5 go through links of limited rates."
            .to_owned(),
        "The paper says much that it leaves open: how long flows last, how routers respond to load, \
         whether processors are linked, how many wires a ring has. Each is an option with a stated \
         default; absolute figures of table 1 are not expected to come out, their order is."
            .to_owned(),
    ];
    if effort != Effort::All {
        lead.push(
            "This is the quick form: 12 seeds of a cell of table 1 in place of 100.".to_owned(),
        );
    }
    lead
}
