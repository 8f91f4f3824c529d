//! The sections of the report; the check takes their quantities.
//!
//! | file | section |
//! |---|---|
//! | [`context`] | what sections are made with |
//! | `lemma` | collisions of two messages, by formula, enumeration and simulation |
//! | `few` | mean rounds of few messages |
//! | `round` | equations 3 to 5 |
//! | `drawn` | Figures 3 to 7 |
//! | `remarks` | what the paper remarks on Figure 5 |
//! | `theorem` | Theorem 1 |
//! | `patterns` | permutations, and messages to one node |
//! | `clocks` | clocks of a head, of an answer, and that nothing collides on its way up |
//! | `factor` | how much faster immediate retry is than rounds |
//! | `load` | the introduction's bounds by the load factor |
//! | `growth` | cycles of immediate retry, and rounds of permutations, against lg m |
//! | `options` | what the paper leaves open, and retry strategies |
//! | `places` | collisions by level and scenario |
//! | `errata` | where the paper is wrong, and what is assumed where it is silent |
//! | `lean` | leaner trees |
//! | `steady` | throughput and latency in steady state |

mod clocks;
pub mod context;
mod drawn;
mod errata;
mod factor;
mod few;
mod growth;
mod lean;
mod lemma;
mod load;
mod options;
mod patterns;
mod places;
mod remarks;
mod round;
mod steady;
mod theorem;

use crate::page::Section;
use context::StrumpenContext;
use crosswave_base::diagnostic::Error;
use crosswave_observe::points::watch::Watch;

/// The sections that need no simulation.
pub fn formulas() -> Vec<Section> {
    let mut section = Section::new("Lemma 1: collisions of two messages");
    lemma::formulas(&mut section);
    vec![section]
}

/// All sections, in the order of the paper.
///
/// # Errors
/// Those of [`Points::get`](crosswave_observe::points::Points::get).
pub fn sections(context: &mut StrumpenContext) -> Result<Vec<Section>, Error> {
    let makers = [
        clocks::section,
        lemma::two_messages,
        few::section,
        round::section,
        drawn::figure_3,
        drawn::figure_4,
        drawn::figure_5,
        remarks::section,
        theorem::section,
        load::section,
        drawn::figures_6_and_7,
        patterns::permutations,
        patterns::sequential,
        factor::section,
        growth::section,
        options::section,
        places::section,
        errata::section,
        lean::section,
        steady::section,
    ];
    let all = makers.len();
    let numbered = makers.into_iter().zip(1..);
    let sections = numbered.map(|(make, number)| {
        let watch = &mut *context.watch;
        make(&mut StrumpenContext {
            watch: &mut OfSection { number, all, watch },
            points: &mut *context.points,
            ..*context
        })
    });
    sections.collect()
}

/// Says of which section of how many something is.
struct OfSection<'a> {
    number: usize,
    all: usize,
    watch: &'a mut dyn Watch,
}

impl Watch for OfSection<'_> {
    fn begins(&mut self, what: &str) {
        let OfSection { number, all, .. } = self;
        self.watch
            .begins(&format!("section {number} of {all}, {what}"));
    }

    fn interrupted(&mut self) -> bool {
        self.watch.interrupted()
    }
}
