//! A page that shows figures and tables: what it holds, apart from how it looks.
//!
//! | file | holds |
//! |---|---|
//! | [`html`] | a page as one HTML file that needs nothing else |

pub mod html;

use crate::quantity::{Quantity, Verdict};

/// Reasons that stand with a claim.
const REASONS_MAX: usize = 4;

/// A page.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its title.
    pub title: String,
    /// The paragraphs below the title.
    pub lead: Vec<String>,
    /// Its sections.
    pub sections: Vec<Section>,
}

/// A section, with the quantities that it is about.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// Its title.
    pub title: String,
    /// The parts that it shows.
    pub parts: Vec<PagePart>,
    /// The quantities that it compares.
    pub quantities: Vec<Quantity>,
    /// The claims of the paper that it judges.
    pub claims: Vec<Claim>,
}

/// A claim of a paper, and what came out, in words for those who read nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The subject.
    pub about: String,
    /// The paper's words.
    pub paper: String,
    /// The result, in words.
    pub found: String,
    /// The verdict on the claim.
    pub verdict: Verdict,
    /// The reason why it differs; empty where it does not.
    pub why: String,
}

impl Section {
    /// A section that shows nothing yet.
    pub fn new(title: impl Into<String>) -> Section {
        Section {
            title: title.into(),
            ..Section::default()
        }
    }

    /// Adds a paragraph.
    pub fn text(&mut self, text: impl Into<String>) {
        self.parts.push(PagePart::Text(text.into()));
    }

    /// Adds a claim, and the quantities that it rests on: its verdict is the worst of theirs,
    /// and their first reasons say why, as far as `found` does not.
    ///
    /// # Panics
    /// Without quantities.
    pub fn claim(
        &mut self,
        about: &str,
        paper: &str,
        found: impl Into<String>,
        quantities: Vec<Quantity>,
    ) {
        let verdicts = quantities.iter().map(|quantity| quantity.verdict);
        let verdict = verdicts.max().expect("a claim rests on quantities");
        let mut reasons: Vec<&str> = Vec::new();
        let found = found.into();
        for quantity in quantities.iter().filter(|q| q.verdict == verdict) {
            let reason = quantity.why();
            if !found.contains(reason) && !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        let left = reasons.len().saturating_sub(REASONS_MAX);
        reasons.truncate(REASONS_MAX);
        let mut why = reasons.join("; ");
        if left > 0 {
            why += &format!("; and {left} more, in the section");
        }
        self.claims.push(Claim {
            about: about.into(),
            paper: paper.into(),
            found,
            verdict,
            why,
        });
        self.quantities.extend(quantities);
    }
}

/// A part of a section.
#[derive(Debug, Clone, PartialEq)]
pub enum PagePart {
    /// A paragraph.
    Text(String),
    /// A picture.
    Picture(Picture),
    /// A table.
    Table(PageTable),
    /// Numbers in a file beside the page.
    Data(Data),
    /// Lines to be typed.
    Commands(Vec<String>),
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Name of its file, without `.svg`.
    pub name: String,
    /// The SVG document.
    pub svg: String,
    /// The caption, for those who do not see it.
    pub caption: String,
}

/// A table. The first column is text, the others are numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageTable {
    /// The caption.
    pub caption: String,
    /// Names of the columns.
    pub header: Vec<String>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<String>>,
    /// True when it is shown only when asked for.
    pub folded: bool,
    /// True when all columns are text.
    pub texts: bool,
}

impl PageTable {
    /// A table without rows.
    pub fn new<const N: usize>(caption: impl Into<String>, header: [&str; N]) -> PageTable {
        PageTable {
            caption: caption.into(),
            header: header.map(String::from).to_vec(),
            ..PageTable::default()
        }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When it has not as many cells as the header.
    pub fn row<const N: usize>(&mut self, cells: [String; N]) {
        assert_eq!(N, self.header.len(), "cells of {}", self.caption);
        self.rows.push(cells.to_vec());
    }
}

/// Numbers in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// Name of the file.
    pub name: String,
    /// The contents of the file.
    pub text: String,
}
