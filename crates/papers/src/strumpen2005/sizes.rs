//! The sizes of networks, and the confidence that means need.

use std::ops::RangeInclusive;

use crate::effort::Effort;
use crosswave_observe::points::{PointStopRule, Statistic};

/// Half of a 95 % interval, as a fraction of the mean.
const HALF_WIDTH_FRACTION: f64 = 0.0098;
/// The same where a glance is enough.
const HALF_WIDTH_FRACTION_QUICK: f64 = 0.05;

/// The same where two means that are near each other are compared.
const HALF_WIDTH_FRACTION_DECISIVE: f64 = 0.004;

/// The sizes of networks, and their replicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Levels up to which every size is taken and every mean is sure.
    pub sure_levels: u32,
    /// Levels of the largest network; above `sure_levels` every second size is taken.
    pub levels_max: u32,
    effort: Effort,
}

impl Sizes {
    /// The sizes for an effort that simulates.
    ///
    /// # Panics
    /// When it is [`Effort::Formulas`], which does not.
    pub fn new(effort: Effort) -> Sizes {
        let (sure_levels, levels_max) = match effort {
            Effort::Formulas => panic!("formulas need no simulation"),
            Effort::Quick => (8, 8),
            Effort::All => (14, 20),
        };
        Sizes {
            sure_levels,
            levels_max,
            effort,
        }
    }

    /// Levels of the networks from `from` on.
    pub fn levels(self, from: u32) -> impl Iterator<Item = u32> {
        let sure: RangeInclusive<u32> = from..=self.sure_levels;
        let large = (self.sure_levels + 2..=self.levels_max).step_by(2);
        sure.chain(large)
    }

    /// Messages of the sweep of Figure 5 in a network.
    pub fn messages(self, levels: u32) -> Vec<u32> {
        let nodes = 1u32 << levels;
        match levels {
            ..=6 => (1..=nodes).collect(),
            _ => {
                let powers = (0..levels - 3).step_by(2).map(|power| 1 << power);
                powers
                    .chain((0..=3).rev().map(|power| nodes >> power))
                    .collect()
            }
        }
    }

    /// The two networks of Figure 5.
    pub fn sweeps(self) -> [u32; 2] {
        [6, self.levels_max]
    }

    /// Levels of the networks in which options are compared.
    pub fn options(self) -> &'static [u32] {
        match self.effort {
            Effort::Quick => &[6],
            _ => &[6, 10],
        }
    }

    /// Replicates of a mean in a network.
    pub fn wanted(self, levels: u32, of: Statistic) -> PointStopRule {
        match levels {
            ..=14 => PointStopRule {
                least: 48,
                most: 20_000,
                step: 1,
                of,
                half_width_fraction: match self.effort {
                    Effort::Quick => HALF_WIDTH_FRACTION_QUICK,
                    _ => HALF_WIDTH_FRACTION,
                },
            },
            _ => match of {
                Statistic::Rounds if levels != 18 => PointStopRule::exactly(20, of),
                _ => PointStopRule::exactly(8, of),
            },
        }
    }

    /// Replicates of a mean that decides whether it is above another one. In small trees they take seconds.
    pub fn decisive(self, levels: u32, of: Statistic) -> PointStopRule {
        match levels {
            ..=10 => PointStopRule {
                half_width_fraction: HALF_WIDTH_FRACTION_DECISIVE,
                ..self.wanted(levels, of)
            },
            _ => self.wanted(levels, of),
        }
    }

    /// Replicates of what is shown of a large network beside its main figures.
    pub fn glance(self, levels: u32, of: Statistic) -> PointStopRule {
        match levels {
            ..=14 => self.wanted(levels, of),
            15..=16 => PointStopRule::exactly(8, of),
            17..=18 => PointStopRule::exactly(2, of),
            _ => PointStopRule::exactly(1, of),
        }
    }

    /// Plays of a model.
    pub fn plays(self, levels: u32) -> u32 {
        match (self.effort, levels) {
            (Effort::Quick, _) => 400,
            (_, ..=14) => 2000,
            (_, ..=16) => 400,
            _ => 100,
        }
    }
}
