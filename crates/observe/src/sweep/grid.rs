//! The points of a sweep.

use super::values::Vary;
use crosswave_run::config::Config;

/// The most points of a grid.
pub const POINTS_MAX: usize = 100_000;

/// A point of a grid.
#[derive(Debug, Clone)]
pub struct SweepPoint {
    /// Its place in the grid, from 0 on.
    pub index: usize,
    /// The settings of the point, as `key=value`.
    pub settings: Vec<String>,
    /// For each key, the index of its value.
    pub values: Vec<usize>,
    /// Its configuration.
    pub config: Config,
    /// The version of the program, by the results that it gives for such a configuration.
    pub program: String,
}

impl SweepPoint {
    /// The title of the point.
    pub fn title(&self) -> String {
        match self.settings.is_empty() {
            true => format!("point {}", self.index + 1),
            false => format!("point {} ({})", self.index + 1, self.settings.join(", ")),
        }
    }
}

/// Number of points; `None` for more than [`POINTS_MAX`].
pub fn count(varied: &[Vary]) -> Option<usize> {
    let counts = varied.iter().map(|vary| vary.values.len());
    counts
        .into_iter()
        .try_fold(1_usize, |product, count| product.checked_mul(count))
        .filter(|&count| count <= POINTS_MAX)
}

/// The values of a point, by index: those of the last key change fastest.
pub fn values(varied: &[Vary], index: usize) -> Vec<usize> {
    let mut left = index;
    let mut values: Vec<usize> = varied
        .iter()
        .rev()
        .map(|vary| {
            let value = left % vary.values.len();
            left /= vary.values.len();
            value
        })
        .collect();
    values.reverse();
    values
}
