//! What is simulated for Strumpen & Krishnamurthy 2005, and the figures and tables made of it.
//!
//! | file | holds |
//! |---|---|
//! | [`run`] | the runs, as configurations |
//! | [`sizes`] | how large networks are, and how sure means are to be |
//! | [`models`] | Models I and II of section 5 |
//! | [`figures`] | Figures 3 to 7 |
//! | [`mod@sections`] | the sections of the report, with the quantities of the check |
//!
//! Everything goes through [`Points`], so that figures,
//! checks and the report share what was simulated.

pub mod figures;
pub mod models;
pub mod run;
pub mod sections;
pub mod sizes;

#[cfg(test)]
mod tests;

pub use run::{Length, Run, Traffic};
pub use sizes::Sizes;

use crate::diagnostic::Report;
use crate::experiment::page::Section;
use crate::experiment::points::Points;
use crate::experiment::study::{Effort, Watch};

/// Authors, title and year.
pub const TITLE: &str = "V. Strumpen, A. Krishnamurthy, A collision model for randomized routing in fat-tree networks, \
     2005";

/// What stands at the head of the report.
pub fn lead(effort: Effort) -> Vec<String> {
    let mut lead = vec![
        "The lemma, equations, figures and claims of the paper, beside their formulas and beside what \
         the four-port router does. Rounds and cycles are simulated from its gate netlist, but for \
         runs of few messages in large networks, which the event engine runs from register-level \
         models; both have the same value at every port. Enumeration, pairs and places of collisions \
         use these models too. Where the paper leaves something open, the choice is stated, and its \
         effect measured."
            .to_owned(),
    ];
    if effort != Effort::All {
        lead.push(
            "This is the quick form: networks of up to 256 nodes, and wider intervals.".to_owned(),
        );
    }
    lead
}

/// The sections of the report. The formulas alone have one, and simulate nothing.
///
/// # Errors
/// Those of [`Points::get`].
pub fn sections(
    effort: Effort,
    points: &mut Points,
    watch: &mut dyn Watch,
) -> Result<Vec<Section>, Report> {
    if effort == Effort::Formulas {
        return Ok(sections::formulas());
    }
    sections::sections(&mut sections::Context {
        sizes: Sizes::new(effort),
        effort,
        points,
        watch,
    })
}
