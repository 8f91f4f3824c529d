//! A paper's figures and tables as a page, beside what was simulated.
//!
//! What is simulated is kept in the folder `points` of the report's folder: a report that was
//! stopped goes on where it was, and one that is made again is made in seconds.

use std::path::Path;

use crate::diagnostic::{Class, Diagnostic, Report};
use crate::experiment::check::{Checked, Paper};
use crate::experiment::config::{EngineKind, suggest};
use crate::experiment::page::html::html;
use crate::experiment::page::{Page, Part, Section, Table};
use crate::experiment::points::samples::half_width_95;
use crate::experiment::points::{Points, Statistic, Store};
use crate::experiment::strumpen2005;
use crate::experiment::study::{Effort, Watch};

/// Makes the sections of a paper.
type Sections = fn(Effort, &mut Points, &mut dyn Watch) -> Result<Vec<Section>, Report>;

/// A paper of which there is a report.
#[derive(Debug, Clone, Copy)]
pub struct PaperReport {
    /// The paper, as the check knows it.
    pub paper: &'static str,
    lead: fn(Effort) -> Vec<String>,
    sections: Sections,
}

/// All of them.
pub const REPORTS: [PaperReport; 1] = [PaperReport {
    paper: "strumpen2005",
    lead: strumpen2005::lead,
    sections: strumpen2005::sections,
}];

/// A report that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// Names and texts of its files.
    pub files: Vec<(String, String)>,
    /// Its quantities.
    pub checked: Checked,
}

/// The report of the paper of that name, or a report of the mistake that names those that are
/// known.
///
/// # Errors
/// When there is none.
pub fn named(name: &str) -> Result<PaperReport, Report> {
    let known = REPORTS.map(|report| report.paper);
    if let Some(at) = known.iter().position(|&known| known == name) {
        return Ok(REPORTS[at]);
    }
    let help = match suggest::nearest(name, &known) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("such as crosswave report {} --out report", known[0]),
    };
    let message = format!("found {name:?}; known papers: {}", known.join(", "));
    Err(Report::one(
        Class::Usage,
        "command line",
        Diagnostic::new("report", message, help),
    ))
}

impl PaperReport {
    /// Simulates what is not kept in the folder yet, and makes the files.
    ///
    /// # Errors
    /// When the folder cannot be read or written, or someone asks to stop.
    pub fn make(
        self,
        effort: Effort,
        folder: &Path,
        watch: &mut dyn Watch,
    ) -> Result<Reported, Report> {
        let paper = Paper::named(self.paper)?;
        let mut points = Points::new(Store::in_folder(&folder.join("points"))?);
        let mut sections = (self.sections)(effort, &mut points, watch)?;
        let quantities = sections
            .iter()
            .flat_map(|section| section.quantities.clone());
        let checked = Checked::new(paper, quantities.collect());
        sections.push(runs(&points));
        let page = Page {
            title: format!("{}: simulated", paper.title),
            lead: (self.lead)(effort),
            sections,
        };
        let mut files = vec![
            ("index.html".to_owned(), html(&page)),
            ("check.json".to_owned(), json(&checked)),
        ];
        for part in page.sections.iter().flat_map(|section| &section.parts) {
            match part {
                Part::Picture(picture) => {
                    files.push((format!("{}.svg", picture.name), picture.svg.clone()));
                }
                Part::Data(data) => files.push((data.name.clone(), data.text.clone())),
                Part::Text(_) | Part::Table(_) | Part::Commands(_) => {}
            }
        }
        Ok(Reported { files, checked })
    }
}

fn json(checked: &Checked) -> String {
    let text = serde_json::to_string_pretty(checked);
    text.expect("quantities are JSON") + "\n"
}

/// The runs that everything is made of.
fn runs(points: &Points) -> Section {
    let mut section = Section::new("The runs");
    section.text(
        "Every point in the table is a configuration with its number of replicates, kept beside this page, with \
         what came out of each replicate in the JSON file of the same name. To run one again:",
    );
    if let Some(first) = points.known().first() {
        let command = format!("crosswave run points/{}.toml", first.name);
        section.parts.push(Part::Commands(vec![command]));
    }
    let mut table = Table::new(
        format!("All {} points", points.known().len()),
        [
            "point",
            "file",
            "engine",
            "of",
            "mean",
            "± 95 %",
            "min",
            "max",
            "replicates",
        ],
    );
    table.folded = true;
    for known in points.known() {
        let half = half_width_95(&known.tally);
        table.row([
            known.title.clone(),
            format!("points/{}.toml", known.name),
            match known.engine {
                EngineKind::Gate => "gate".into(),
                EngineKind::Event => "event".into(),
            },
            match known.of {
                Statistic::Rounds => "rounds".into(),
                Statistic::Cycles => "cycles".into(),
                Statistic::DeliveryCycles => "cycles to delivery".into(),
            },
            format!("{:.3}", known.tally.mean()),
            if half.is_finite() {
                format!("{half:.3}")
            } else {
                "–".into()
            },
            known.tally.min().to_string(),
            known.tally.max().to_string(),
            known.tally.count().to_string(),
        ]);
    }
    section.parts.push(Part::Table(table));
    section
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_paper_names_the_known_and_the_nearest() {
        let report = named("strumpen2006").expect_err("no such report");
        assert_eq!(report.class, Class::Usage);
        let text = report.to_string();
        assert!(text.contains("known papers: strumpen2005"), "{text}");
        assert!(text.contains("did you mean strumpen2005?"), "{text}");
        assert!(named("another").is_err());
        for report in REPORTS {
            assert!(Paper::named(report.paper).is_ok(), "{}", report.paper);
        }
    }
}
