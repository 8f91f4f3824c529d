//! The paper's row in the registry.

use super::{averages, ratios};
use crate::papers::paper::Paper;

/// The row.
pub const PAPER: Paper = Paper {
    name: "yuan2007",
    title: "X. Yuan, W. Nienaber, Z. Duan, R. Melhem, Oblivious routing in fat-tree based system \
            area networks with uncertain traffic demands, preliminary version SIGMETRICS 2007",
    quantities: |effort, _, watch| {
        let mut all = ratios::quantities(effort, watch)?;
        all.extend(averages::quantities(effort, watch)?);
        Ok(all)
    },
    report: None,
    figures: &[],
};
