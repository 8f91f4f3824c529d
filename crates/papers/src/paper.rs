//! The contents of a paper: its quantities, and where it has them a report and figures.

use super::checked::Checked;
use super::page::Section;
use super::quantity::Quantity;
use crate::effort::Effort;
use crosswave_base::diagnostic::Error;
use crosswave_figures::plot::{self, Chart};
use crosswave_observe::points::Points;
use crosswave_observe::points::watch::Watch;

/// Finds the quantities of a paper, with what is simulated for them.
type Quantities = fn(Effort, &mut Points, &mut dyn Watch) -> Result<Vec<Quantity>, Error>;

/// Makes the sections of a paper's report.
type Sections = fn(Effort, &mut Points, &mut dyn Watch) -> Result<Vec<Section>, Error>;

/// A paper that can be checked.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// The name: author and year.
    pub name: &'static str,
    /// Author, title and year.
    pub title: &'static str,
    /// Its quantities.
    pub(super) quantities: Quantities,
    /// Its report, when it has one.
    pub(super) report: Option<PaperReport>,
    /// Its figures.
    pub figures: &'static [Figure],
}

/// The functions that make a paper's report.
#[derive(Debug, Clone, Copy)]
pub struct PaperReport {
    /// Paragraphs at the head of the page.
    pub(super) lead: fn(Effort) -> Vec<String>,
    /// The sections of the page.
    pub(super) sections: Sections,
}

impl Paper {
    /// Finds every quantity of the paper, simulates as much as is asked for, and judges.
    /// What is simulated by points is kept in `points`.
    ///
    /// # Errors
    /// When someone asks to stop, and those of [`Points::get`].
    pub fn check(
        self,
        effort: Effort,
        points: &mut Points,
        watch: &mut dyn Watch,
    ) -> Result<Checked, Error> {
        let quantities = (self.quantities)(effort, points, watch)?;
        Ok(Checked::new(self.name, self.title, quantities))
    }

    /// True when the paper has a report.
    pub fn has_report(self) -> bool {
        self.report.is_some()
    }
}

/// A figure that can be made.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// The name of the figure and of its files.
    pub name: &'static str,
    /// The title.
    pub title: &'static str,
    /// Simulates as much as is asked for, and draws it.
    pub(super) draw: fn(Effort, &mut dyn Watch) -> Result<Drawn, Error>,
}

/// Charts, and their numbers under a line with their names.
#[derive(Debug, Clone, PartialEq)]
pub struct Charts {
    /// The charts, from left to right.
    pub charts: Vec<Chart>,
    /// The numbers.
    pub csv: String,
}

/// A figure that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// The pictures, from left to right.
    pub svgs: Vec<String>,
    /// Its numbers, under a line with their names.
    pub csv: String,
}

impl Figure {
    /// Simulates as much as is asked for, and draws.
    ///
    /// # Errors
    /// When someone asks to stop.
    pub fn draw(self, effort: Effort, watch: &mut dyn Watch) -> Result<Drawn, Error> {
        (self.draw)(effort, watch)
    }
}

/// Charts as pictures.
impl From<Charts> for Drawn {
    fn from(Charts { charts, csv }: Charts) -> Drawn {
        Drawn {
            svgs: charts.iter().map(plot::svg).collect(),
            csv,
        }
    }
}
