//! The sections of the report; the check takes their quantities.
//!
//! | file | section |
//! |---|---|
//! | `lemma` | collisions of two messages, by formula, enumeration and simulation |
//! | `round` | equations 3 to 5 |
//! | `drawn` | Figures 3 to 7 |
//! | `theorem` | Theorem 1 |
//! | `patterns` | permutations, and messages to one node |
//! | `options` | what the paper leaves open, and retry strategies |
//! | `places` | collisions by level and scenario |
//! | `errata` | where the paper is wrong, and what is assumed where it is silent |
//! | `lean` | leaner trees |
//! | `steady` | throughput and latency in steady state |

mod drawn;
mod errata;
mod lean;
mod lemma;
mod options;
mod patterns;
mod places;
mod round;
mod steady;
mod theorem;

use super::Sizes;
use crate::analytic::tally::Tally;
use crate::diagnostic::Report;
use crate::experiment::page::Section;
use crate::experiment::points::samples::half_width_95;
use crate::experiment::points::{Points, Samples, Spec};
use crate::experiment::study::{Effort, Watch};

/// What sections are made with.
pub struct Context<'a> {
    /// How large networks are.
    pub sizes: Sizes,
    /// How much is simulated.
    pub effort: Effort,
    /// What has been simulated.
    pub points: &'a mut Points,
    /// Who waits.
    pub watch: &'a mut dyn Watch,
}

impl Context<'_> {
    fn is_quick(&self) -> bool {
        self.effort != Effort::All
    }

    fn point(&mut self, spec: &Spec) -> Result<Samples, Report> {
        self.points.get(spec, self.watch)
    }
}

/// Whether one mean is below another by more than three standard errors. A single value has
/// no error, and decides nothing.
fn is_less(less: &Tally, more: &Tally) -> bool {
    let error = less.standard_error().hypot(more.standard_error());
    less.count() > 1 && more.count() > 1 && less.mean() + 3.0 * error < more.mean()
}

/// What needs no simulation.
pub fn formulas() -> Vec<Section> {
    let mut section = Section::new("Lemma 1: collisions of two messages");
    lemma::formulas(&mut section);
    vec![section]
}

/// All sections, in the order of the paper.
///
/// # Errors
/// Those of [`Points::get`].
pub fn sections(context: &mut Context) -> Result<Vec<Section>, Report> {
    let makers = [
        lemma::two_messages,
        lemma::few_messages,
        round::section,
        drawn::figure_3,
        drawn::figure_4,
        drawn::figure_5,
        theorem::section,
        drawn::figures_6_and_7,
        patterns::permutations,
        patterns::sequential,
        options::section,
        places::section,
        errata::section,
        lean::section,
        steady::section,
    ];
    makers.into_iter().map(|make| make(context)).collect()
}
