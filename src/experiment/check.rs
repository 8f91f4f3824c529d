//! What the papers print, beside what their formulas give and what is simulated.
//!
//! | file | holds |
//! |---|---|
//! | `quantity` | a quantity, and how its verdict is found |
//! | `order` | claims that one mean is below another |
//! | [`dehon1990`] | the quantities of DeHon's fat-tree routing for Transit |
//!
//! Those of Strumpen & Krishnamurthy belong to the sections of their report
//! ([`strumpen2005`]).

pub mod dehon1990;
mod order;
mod quantity;

pub use order::Order;
pub use quantity::{Measured, Quantity, Value, Verdict};

use serde::Serialize;

use crate::diagnostic::{Class, Diagnostic, Report};
use crate::experiment::config::suggest;
use crate::experiment::points::Points;
use crate::experiment::strumpen2005;
use crate::experiment::study::{Effort, Watch};

/// Finds the quantities of a paper, with what is simulated for them.
type Quantities = fn(Effort, &mut Points, &mut dyn Watch) -> Result<Vec<Quantity>, Report>;

/// A paper that can be checked.
#[derive(Debug, Clone, Copy)]
pub struct Paper {
    /// What it is called on the command line: author and year.
    pub name: &'static str,
    /// Author, title and year.
    pub title: &'static str,
    quantities: Quantities,
}

/// All papers.
pub const PAPERS: [Paper; 2] = [
    Paper {
        name: "dehon1990",
        title: "A. DeHon, Fat-Tree Routing for Transit, 1990",
        quantities: |effort, _, watch| {
            Ok(dehon1990::quantities(&dehon1990::simulate(effort, watch)?))
        },
    },
    Paper {
        name: "strumpen2005",
        title: strumpen2005::TITLE,
        quantities: |effort, points, watch| {
            let sections = strumpen2005::sections(effort, points, watch)?;
            let quantities = sections.into_iter().map(|section| section.quantities);
            Ok(quantities.flatten().collect())
        },
    },
];

impl Paper {
    /// The paper of that name, or a report that names those that are known.
    pub fn named(name: &str) -> Result<Paper, Report> {
        let known = PAPERS.map(|paper| paper.name);
        if let Some(at) = known.iter().position(|&known| known == name) {
            return Ok(PAPERS[at]);
        }
        let begun = known.into_iter().find(|known| known.starts_with(name));
        let begun = begun.filter(|_| !name.is_empty());
        let help = match suggest::nearest(name, &known).or(begun) {
            Some(near) => format!("did you mean {near}?"),
            None => "leave the name out to check all papers".into(),
        };
        let message = format!("found {name:?}; known papers: {}", known.join(", "));
        Err(Report::one(
            Class::Usage,
            "command line",
            Diagnostic::new("check", message, help),
        ))
    }

    /// Finds every quantity of the paper, simulates as much as is asked for, and judges.
    /// What papers are simulated by points goes through `points`.
    ///
    /// # Errors
    /// When someone asks to stop, and those of [`Points::get`].
    pub fn check(
        self,
        effort: Effort,
        points: &mut Points,
        watch: &mut dyn Watch,
    ) -> Result<Checked, Report> {
        Ok(Checked::new(
            self,
            (self.quantities)(effort, points, watch)?,
        ))
    }
}

/// A paper whose quantities have been judged. Its JSON has the fields in this order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// [`Paper::name`].
    pub paper: &'static str,
    /// [`Paper::title`].
    pub title: &'static str,
    /// Quantities that are [`Verdict::Reproduced`].
    pub reproduced: usize,
    /// Quantities that are [`Verdict::Undecided`].
    pub undecided: usize,
    /// Quantities that are [`Verdict::Differs`].
    pub differs: usize,
    /// Quantities that are [`Verdict::NotReproduced`].
    pub not_reproduced: usize,
    /// Whether all hold that are expected to.
    pub holds: bool,
    /// All quantities, in the order of the paper.
    pub quantities: Vec<Quantity>,
}

impl Checked {
    /// Counts the verdicts.
    pub fn new(paper: Paper, quantities: Vec<Quantity>) -> Self {
        let count = |verdict| quantities.iter().filter(|q| q.verdict == verdict).count();
        Checked {
            paper: paper.name,
            title: paper.title,
            reproduced: count(Verdict::Reproduced),
            undecided: count(Verdict::Undecided),
            differs: count(Verdict::Differs),
            not_reproduced: count(Verdict::NotReproduced),
            holds: quantities.iter().all(Quantity::holds),
            quantities,
        }
    }

    /// What is to be said of the quantities that were expected to hold and do not.
    fn failures(&self) -> impl Iterator<Item = Diagnostic> {
        let failed = self.quantities.iter().filter(|quantity| !quantity.holds());
        failed.map(|quantity| {
            Diagnostic::new(
                format!("{}, {}", self.paper, quantity.id),
                format!("{}: {}", quantity.verdict, quantity.reason),
                "",
            )
        })
    }
}

/// A report of all quantities that were expected to hold and do not; `None` when there are
/// none.
pub fn failure(checked: &[Checked]) -> Option<Report> {
    let diagnostics: Vec<Diagnostic> = checked.iter().flat_map(Checked::failures).collect();
    (!diagnostics.is_empty()).then(|| Report {
        class: Class::Check,
        origin: "check".into(),
        source: None,
        diagnostics,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_paper_names_the_known_and_the_nearest() {
        let report = Paper::named("dehon1991").expect_err("no such paper");
        assert_eq!(report.class, Class::Usage);
        let text = report.to_string();
        assert!(
            text.contains("known papers: dehon1990, strumpen2005"),
            "{text}"
        );
        assert!(text.contains("did you mean dehon1990?"), "{text}");
        for (name, help) in [
            ("dehon", "did you mean dehon1990?"),
            ("", "leave the name out to check all papers"),
            ("another", "leave the name out to check all papers"),
        ] {
            let report = Paper::named(name).expect_err("no such paper");
            assert_eq!(report.diagnostics[0].help, help);
        }
    }

    #[test]
    fn a_quantity_that_fails_is_reported() {
        let right = Quantity::new("a", "", 3_u64).analytic(3_u64).judged(None);
        let known = Quantity::new("b", "", 3_u64).analytic(4_u64);
        let known = known.judged(Some("misprinted".into()));
        let wrong = Quantity::new("c", "", 3_u64).analytic(4_u64).judged(None);
        let checked = Checked::new(PAPERS[0], vec![right.clone(), known.clone()]);
        assert!(checked.holds);
        assert_eq!(failure(&[checked]), None);
        let checked = Checked::new(PAPERS[0], vec![right, known, wrong]);
        assert!(!checked.holds);
        let report = failure(&[checked]).expect("c fails");
        assert_eq!(report.class, Class::Check);
        assert_eq!(
            report.to_string(),
            "error: check: dehon1990, c: not reproduced: printed 3, analytic 4\n"
        );
    }
}
