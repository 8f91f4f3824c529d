//! Means, standard errors and confidence intervals of what repeated runs give.
//!
//! | file | holds |
//! |---|---|
//! | [`tally`] | count, mean, variance and extremes of whole numbers, exactly |
//! | [`stationarity`] | the warm-up of a series, and whether the rest has a trend |
//! | [`interval`] | the interval that holds a true mean in 95 % of all cases |

pub mod interval;
pub mod stationarity;
pub mod tally;

pub use interval::{NORMAL_95, half_width_95, mean_and_half_width_95, student_t_95};
pub use tally::Tally;
