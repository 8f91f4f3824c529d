//! The inputs that all sections share.

use crate::effort::Effort;
use crate::strumpen2005::sizes::Sizes;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::{Tally, half_width_95};
use crosswave_observe::points::watch::Watch;
use crosswave_observe::points::{Points, Samples, Spec};

/// The inputs that all sections share.
pub struct StrumpenContext<'a> {
    /// The sizes of networks.
    pub sizes: Sizes,
    /// The amount of simulation.
    pub effort: Effort,
    /// The points simulated so far.
    pub points: &'a mut Points,
    /// The caller, which is told of progress and may ask to stop.
    pub watch: &'a mut dyn Watch,
}

impl StrumpenContext<'_> {
    /// True for the quick form.
    pub fn is_quick(&self) -> bool {
        self.effort != Effort::All
    }

    /// The samples of a point.
    ///
    /// # Errors
    /// Those of [`Points::get`].
    pub fn point(&mut self, spec: &Spec) -> Result<Samples, Error> {
        self.points.get(spec, self.watch)
    }
}

/// A mean with half of its interval of 95 %, as far as there is one.
pub fn with_interval(tally: &Tally, decimals: usize) -> String {
    match half_width_95(tally) {
        half if half.is_finite() => format!("{:.decimals$} ± {half:.decimals$}", tally.mean()),
        _ => format!("{:.decimals$}", tally.mean()),
    }
}

/// The smallest and the largest of some values.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// The smallest.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

impl Range {
    /// The range of no values.
    pub const NONE: Range = Range {
        least: f64::INFINITY,
        most: f64::NEG_INFINITY,
    };

    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    /// The one that is farther from a value.
    pub fn farther_from(self, value: f64) -> f64 {
        match (self.most - value).abs() >= (value - self.least).abs() {
            true => self.most,
            false => self.least,
        }
    }

    /// The range from the least to the most, as words.
    pub fn words(self, decimals: usize) -> String {
        format!("{:.decimals$} to {:.decimals$}", self.least, self.most)
    }
}
