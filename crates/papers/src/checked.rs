//! A paper whose quantities have been judged.

use serde::Serialize;

use super::quantity::{Quantity, Verdict};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// A paper whose quantities have been judged. Its JSON has the fields in this order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Checked {
    /// [`Paper::name`](super::paper::Paper).
    pub paper: &'static str,
    /// [`Paper::title`](super::paper::Paper).
    pub title: &'static str,
    /// Quantities that are [`Verdict::Reproduced`].
    pub reproduced: usize,
    /// Those of them for which nothing was simulated, and no case tried on models of chips.
    pub reproduced_by_formula: usize,
    /// Quantities that are [`Verdict::Undecided`].
    pub undecided: usize,
    /// Quantities that are [`Verdict::Differs`].
    pub differs: usize,
    /// Quantities that are [`Verdict::NotReproduced`].
    pub not_reproduced: usize,
    /// True when all quantities hold that are expected to.
    pub holds: bool,
    /// All quantities, in the order of the paper.
    pub quantities: Vec<Quantity>,
}

impl Checked {
    /// Counts the verdicts on the quantities of a paper of that name and title.
    pub fn new(paper: &'static str, title: &'static str, quantities: Vec<Quantity>) -> Self {
        let count = |verdict| quantities.iter().filter(|q| q.verdict == verdict).count();
        Checked {
            paper,
            title,
            reproduced: count(Verdict::Reproduced),
            reproduced_by_formula: quantities.iter().filter(|q| q.is_by_formula()).count(),
            undecided: count(Verdict::Undecided),
            differs: count(Verdict::Differs),
            not_reproduced: count(Verdict::NotReproduced),
            holds: quantities.iter().all(Quantity::holds),
            quantities,
        }
    }

    /// Diagnostics of the quantities that were expected to hold and do not.
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

/// An error of all quantities that were expected to hold and do not; `None` when there are
/// none.
pub fn failure(checked: &[Checked]) -> Option<Error> {
    let diagnostics: Vec<Diagnostic> = checked.iter().flat_map(Checked::failures).collect();
    (!diagnostics.is_empty()).then(|| Error {
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
    fn a_quantity_that_fails_is_reported() {
        let right = Quantity::new("a", "", 3_u64).analytic(3_u64).judged(None);
        let known = Quantity::new("b", "", 3_u64).analytic(4_u64);
        let known = known.judged(Some("misprinted".into()));
        let wrong = Quantity::new("c", "", 3_u64).analytic(4_u64).judged(None);
        let checked = Checked::new("dehon1990", "", vec![right.clone(), known.clone()]);
        assert!(checked.holds);
        assert_eq!(failure(&[checked]), None);
        let checked = Checked::new("dehon1990", "", vec![right, known, wrong]);
        assert!(!checked.holds);
        let error = failure(&[checked]).expect("c fails");
        assert_eq!(error.class, Class::Check);
        assert_eq!(
            error.to_string(),
            "error: check: dehon1990, c: not reproduced: printed 3, analytic 4\n"
        );
    }
}
