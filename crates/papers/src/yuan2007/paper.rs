//! The paper's row in the registry.

use super::curves::RatioCurve;
use super::{figures, hardware, sections};
use crate::effort::Effort;
use crate::paper::{Figure, Paper, PaperReport};

/// The row.
pub const PAPER: Paper = Paper {
    name: "yuan2007",
    title: "X. Yuan, W. Nienaber, Z. Duan, R. Melhem, Oblivious routing in fat-tree based system \
            area networks with uncertain traffic demands, preliminary version SIGMETRICS 2007",
    quantities: |effort, _, watch| {
        let sections = sections::sections(effort, false, watch)?;
        let quantities = sections.into_iter().map(|section| section.quantities);
        Ok(quantities.flatten().collect())
    },
    report: Some(PaperReport {
        lead,
        sections: |effort, _, watch| sections::sections(effort, true, watch),
    }),
    figures: &FIGURES,
};

const FIGURES: [Figure; 7] = [
    Figure {
        name: "yuan2007-11",
        title: "average ratios under random uniform traffic, against its probability",
        draw: |effort, watch| Ok(figures::draw(RatioCurve::Uniform, effort, watch)?.into()),
    },
    Figure {
        name: "yuan2007-12",
        title: "average ratios of clusters on FT(32, 2), against their size",
        draw: |effort, watch| Ok(figures::draw(RatioCurve::Clusters2, effort, watch)?.into()),
    },
    Figure {
        name: "yuan2007-13",
        title: "average ratios of clusters on FT(8, 3), against their size",
        draw: |effort, watch| Ok(figures::draw(RatioCurve::Clusters3, effort, watch)?.into()),
    },
    Figure {
        name: "yuan2007-14",
        title: "average ratios of four hot spots on FT(32, 2), against their size",
        draw: |effort, watch| Ok(figures::draw(RatioCurve::HotSpots2, effort, watch)?.into()),
    },
    Figure {
        name: "yuan2007-15",
        title: "average ratios of four hot spots on FT(16, 3), against their size",
        draw: |effort, watch| Ok(figures::draw(RatioCurve::HotSpots3, effort, watch)?.into()),
    },
    Figure {
        name: "yuan2007-clocks",
        title: "cycles of packets and circuits over what link loads predict",
        draw: |effort, watch| Ok(hardware::draw(effort, watch)?.into()),
    },
    Figure {
        name: "yuan2007-paths",
        title: "oblivious ratios against the number of paths of a pair",
        draw: |effort, watch| Ok(figures::draw_paths(effort, watch)?.into()),
    },
];

/// The paragraphs at the head of the report.
fn lead(effort: Effort) -> Vec<String> {
    let mut lead = vec![
        "A routing is oblivious when it is set before anyone knows what is sent. What it can do at worst is \
         found exactly, by a matching on every link; what it does on average, by random instances of the \
         paper's traffic. Both follow from loads of links; one section holds them against the clocks of \
         packets and circuits."
            .to_owned(),
        "The last two sections have what the paper does not: several paths for each pair, and failed links \
         and switches."
            .to_owned(),
    ];
    if effort != Effort::All {
        lead.push(
            "This is the quick form: trees of up to 1,024 nodes, 32 instances a point, and figure 11 on \
             FT(8, 3)."
                .to_owned(),
        );
    }
    lead
}
