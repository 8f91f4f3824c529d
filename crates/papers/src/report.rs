//! A paper's figures and tables as a page, beside what was simulated.
//!
//! What is simulated is kept in the folder `points` of the report's folder: a report that was
//! stopped goes on where it was, and one that is made again is made in seconds.

use std::path::Path;

use super::checked::Checked;
use super::fingerprint;
use super::paper::{Paper, PaperReport};

use crate::effort::Effort;
use crate::page::html::html;
use crate::page::{Page, PagePart, PageTable, Section};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::half_width_95;
use crosswave_observe::points::watch::Watch;
use crosswave_observe::points::{Points, Statistic, Store};

/// A report that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Reported {
    /// Names and texts of its files.
    pub files: Vec<(String, String)>,
    /// Its quantities.
    pub checked: Checked,
}

impl Paper {
    /// Makes the report: simulates what is not kept in the folder yet, and makes the files.
    ///
    /// # Errors
    /// When the folder cannot be read or written, or someone asks to stop.
    ///
    /// # Panics
    /// When the paper has no report.
    pub fn report(
        self,
        effort: Effort,
        folder: &Path,
        watch: &mut dyn Watch,
    ) -> Result<Reported, Error> {
        let PaperReport { lead, sections } = self.report.expect("a paper with a report");
        let store = Store::in_folder(&folder.join("points"), fingerprint::version())?;
        let mut points = Points::new(store);
        let mut sections = sections(effort, &mut points, watch)?;
        let quantities = sections
            .iter()
            .flat_map(|section| section.quantities.clone());
        let checked = Checked::new(self.name, self.title, quantities.collect());
        if !points.known().is_empty() {
            sections.push(runs(&points));
        }
        let page = Page {
            title: format!("{}: simulated", self.title),
            lead: lead(effort),
            sections,
        };
        let mut files = vec![
            ("index.html".to_owned(), html(&page)),
            ("check.json".to_owned(), json(&checked)),
        ];
        for part in page.sections.iter().flat_map(|section| &section.parts) {
            match part {
                PagePart::Picture(picture) => {
                    files.push((format!("{}.svg", picture.name), picture.svg.clone()));
                }
                PagePart::Data(data) => files.push((data.name.clone(), data.text.clone())),
                PagePart::Text(_) | PagePart::Table(_) | PagePart::Commands(_) => {}
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
        section.parts.push(PagePart::Commands(vec![command]));
    }
    let mut table = PageTable::new(
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
            known.engine.name().to_owned(),
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
    section.parts.push(PagePart::Table(table));
    section
}
