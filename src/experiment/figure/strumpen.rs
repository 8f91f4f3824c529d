//! Figures 3 to 7 of Strumpen & Krishnamurthy 2005, without a report around them.

use super::Charts;
use crate::diagnostic::Report;
use crate::experiment::points::Points;
use crate::experiment::strumpen2005::Sizes;
use crate::experiment::strumpen2005::figures::{self, Drawn};
use crate::experiment::study::{Effort, Watch};

/// Simulation is what these figures are of, so that even [`Effort::Formulas`] has some.
fn draw(
    make: fn(Sizes, &mut Points, &mut dyn Watch) -> Result<Drawn, Report>,
    effort: Effort,
    watch: &mut dyn Watch,
) -> Charts {
    let sizes = Sizes::new(effort.max(Effort::Quick));
    let drawn = make(sizes, &mut Points::default(), watch)?;
    Ok((drawn.charts, drawn.csv))
}

pub(super) fn figure_3(effort: Effort, watch: &mut dyn Watch) -> Charts {
    draw(figures::figure_3, effort, watch)
}

pub(super) fn figure_4(effort: Effort, watch: &mut dyn Watch) -> Charts {
    draw(figures::figure_4, effort, watch)
}

pub(super) fn figure_5(effort: Effort, watch: &mut dyn Watch) -> Charts {
    draw(figures::figure_5, effort, watch)
}

pub(super) fn figure_6(effort: Effort, watch: &mut dyn Watch) -> Charts {
    draw(figures::figure_6, effort, watch)
}

pub(super) fn figure_7(effort: Effort, watch: &mut dyn Watch) -> Charts {
    draw(figures::figure_7, effort, watch)
}
