//! The papers.

use super::paper::{Figure, Paper};
use super::{chen2004, dehon1990, dimakopoulos1994, strumpen2005, yuan2007};

/// All papers.
pub const PAPERS: [Paper; 5] = [
    chen2004::paper::PAPER,
    dehon1990::paper::PAPER,
    dimakopoulos1994::paper::PAPER,
    strumpen2005::paper::PAPER,
    yuan2007::paper::PAPER,
];

/// The papers of which there is a report.
pub fn with_report() -> impl Iterator<Item = Paper> {
    PAPERS.into_iter().filter(|paper| paper.has_report())
}

/// All figures, those of a paper together.
pub fn figures() -> impl Iterator<Item = Figure> {
    PAPERS.iter().flat_map(|paper| paper.figures).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Effort;

    #[test]
    fn without_simulation_curves_are_drawn() {
        let mut figures = figures();
        let figure = figures.find(|figure| figure.name == "dehon1990-4.19");
        let drawn = figure
            .expect("a figure of the registry")
            .draw(Effort::Formulas, &mut ())
            .expect("nobody stops it");
        assert_eq!(drawn.csv.lines().count(), 1 + 8 * 10);
        assert!(drawn.svgs[0].contains("10 stages"));
    }
}
