//! Tests whether a series is in a steady state: the means of a quantity in successive slices
//! of a run, such as the latency of the messages offered in each.
//!
//! # Warm-up
//!
//! The slices to leave out at the start are those that make the standard error of the rest,
//! taken as independent, smallest (MSER; White 1997, "An effective truncation heuristic for
//! bias reduction in simulation output", Simulation 69).
//!
//! # Trend
//!
//! The rest is cut into batches, and a line is fitted to their means. Under a steady state
//! its slope over its standard error has Student's distribution, if the batches do not depend
//! on each other; so there are 20, or 10 or 5 while neighbours among the residuals are
//! correlated. The test errs in one of 200 steady series of independent slices
//! ([`TREND_LEVEL`]), and in one of 40 where neighbours have a correlation of a half. Where even
//! tenths of the series depend on each other, the absence of a trend says nothing
//! ([`Trend::is_independent`]): the run is too short to tell.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// Slices of a run for these tests.
pub const SLICES: usize = 80;

/// Share of steady series in which [`Trend::is_significant`] is wrong.
pub const TREND_LEVEL: f64 = 0.005;

/// Batches of the trend, and the largest correlation of neighbouring residuals for each. The fewest
/// have to do whatever their correlation is.
const BATCHES: [(usize, f64); 3] = [(20, 0.25), (10, 0.2), (5, f64::INFINITY)];

/// Correlation of neighbouring tenths from which on they depend on each other too much.
const DEPENDENT: f64 = 0.35;

/// The one of several places to begin a series at that leaves the smallest standard error of the
/// rest; the first one of equals.
///
/// ```
/// use crosswave_base::statistics::stationarity::warmup;
/// let mut series = vec![5.0, 1.0, 9.0, 9.5];
/// series.extend((0..36).map(|at| 10.0 + f64::from(at % 3)));
/// assert_eq!(warmup(&series, 0..20), 4);
/// assert_eq!(warmup(&series, [0, 10, 20]), 10);
/// ```
///
/// # Panics
/// There are no places, or one is behind the end.
pub fn warmup(series: &[f64], starts: impl IntoIterator<Item = usize>) -> usize {
    // Around the last one, so that a series of one value has no error at all.
    let last = series.last().copied().unwrap_or_default();
    let series: Vec<f64> = series.iter().map(|value| value - last).collect();
    let error = |start: usize| {
        let rest = &series[start..];
        let count = rest.len() as f64;
        let mean = mean(rest);
        let squares: f64 = rest.iter().map(|value| (value - mean).powi(2)).sum();
        squares / (count * count)
    };
    let errors = starts.into_iter().map(|start| (start, error(start)));
    let least = errors.reduce(|least, next| if next.1 < least.1 { next } else { least });
    least.expect("places to begin at").0
}

/// A line through the means of batches of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Batches that it was fitted to.
    pub batches: usize,
    /// Its change from one end of the series to the other, as a fraction of the mean.
    pub change_fraction: f64,
    /// Its slope in standard errors.
    pub t: f64,
    /// Standard error of the change, as a fraction of the mean.
    pub change_stderr_fraction: f64,
    /// Correlation of neighbours among the residuals, of tenths of the series where batches are
    /// fewer.
    pub correlation: f64,
}

impl Trend {
    /// The trend of a series; `None` for fewer values than 20.
    ///
    /// ```
    /// use crosswave_base::statistics::stationarity::Trend;
    /// let noise = |at: u32| f64::from(at * 7919 % 31);
    /// let flat: Vec<f64> = (0..40).map(|at| 100.0 + noise(at)).collect();
    /// assert!(!Trend::of(&flat).unwrap().is_significant());
    /// let rising: Vec<f64> = (0..40).map(|at| 100.0 + noise(at) + f64::from(at)).collect();
    /// assert!(Trend::of(&rising).unwrap().is_significant());
    /// ```
    pub fn of(series: &[f64]) -> Option<Trend> {
        if series.len() < BATCHES[0].0 {
            return None;
        }
        let fits = BATCHES.map(|(batches, most)| (fit(&batch_means(series, batches)), most));
        let found = fits.iter().find(|(trend, most)| trend.correlation <= *most);
        let (trend, most) = *found?;
        // Five batches have too few residuals for a correlation; that of the ten decides.
        let correlation = match most.is_finite() {
            true => trend.correlation,
            false => fits[1].0.correlation,
        };
        Some(Trend {
            correlation,
            ..trend
        })
    }

    /// True when the batches depend on each other so little that the absence of a trend says
    /// something.
    pub fn is_independent(&self) -> bool {
        self.batches > BATCHES[2].0 || self.correlation <= DEPENDENT
    }

    /// The smallest change over the series that would be significant, as a fraction of its mean.
    pub fn detectable_fraction(&self) -> f64 {
        self.change_stderr_fraction * self.critical(TREND_LEVEL)
    }

    /// True when chance alone explains the slope in fewer than one of 200 steady series.
    pub fn is_significant(&self) -> bool {
        self.is_significant_at(TREND_LEVEL)
    }

    /// True when chance alone explains the slope in fewer than this share of steady series.
    pub fn is_significant_at(&self, level: f64) -> bool {
        self.t.abs() > self.critical(level)
    }

    /// The slope in standard errors from which on it is significant.
    fn critical(&self, level: f64) -> f64 {
        let t = StudentsT::new(0.0, 1.0, self.batches as f64 - 2.0);
        let t = t.expect("a positive number of degrees of freedom");
        t.inverse_cdf(1.0 - level / 2.0)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Means of consecutive batches of nearly one length.
pub fn batch_means(series: &[f64], batches: usize) -> Vec<f64> {
    let end = |batch: usize| batch * series.len() / batches;
    let batch = |at: usize| mean(&series[end(at)..end(at + 1)]);
    (0..batches).map(batch).collect()
}

/// The line through values at equal distances.
fn fit(values: &[f64]) -> Trend {
    let count = values.len() as f64;
    let middle = (count - 1.0) / 2.0;
    let centre = mean(values);
    let places = || (0..values.len()).map(|at| at as f64 - middle);
    let spread: f64 = places().map(|place| place * place).sum();
    let slope = places()
        .zip(values)
        .map(|(place, value)| place * (value - centre));
    let slope = slope.sum::<f64>() / spread;
    let residuals = places().zip(values);
    let residuals = residuals.map(|(place, value)| value - centre - slope * place);
    let residuals: Vec<f64> = residuals.collect();
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let neighbours = residuals.windows(2).map(|pair| pair[0] * pair[1]);
    let error = (squares / (count - 2.0) / spread).sqrt();
    // A series of one value has no slope, and no error of it.
    if squares.sqrt() + slope.abs() * count <= 1e-12 * centre.abs() || squares + slope.abs() == 0.0
    {
        return Trend {
            batches: values.len(),
            change_fraction: 0.0,
            t: 0.0,
            change_stderr_fraction: 0.0,
            correlation: 0.0,
        };
    }
    let of_mean = (count - 1.0) / centre.abs();
    Trend {
        batches: values.len(),
        change_fraction: slope * of_mean,
        t: slope / error,
        change_stderr_fraction: error * of_mean,
        correlation: match squares > 0.0 {
            true => neighbours.sum::<f64>() / squares,
            false => 0.0,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    /// A number between -1 and 1 that seed and place give.
    fn noise(seed: u64, at: u64) -> f64 {
        let word = random::word(random::key(seed, 0, at), 0);
        word as f64 / (u64::MAX as f64) * 2.0 - 1.0
    }

    fn share(of: impl Fn(u64) -> bool) -> f64 {
        (0..2000).filter(|&seed| of(seed)).count() as f64 / 2000.0
    }

    #[test]
    fn steady_series_have_a_trend_as_often_as_the_level_says() {
        let found = share(|seed| {
            let series: Vec<f64> = (0..40).map(|at| 10.0 + noise(seed, at)).collect();
            Trend::of(&series).unwrap().is_significant()
        });
        assert!((0.002..0.01).contains(&found), "{found}");
    }

    /// Slices that depend on those before, as of queues: batches grow until they do not.
    #[test]
    fn correlated_series_seldom_have_a_trend() {
        let found = share(|seed| {
            let mut value = 0.0;
            let series: Vec<f64> = (0..140)
                .map(|at| {
                    value = 0.5 * value + noise(seed, at);
                    10.0 + value
                })
                .skip(100)
                .collect();
            Trend::of(&series).unwrap().is_significant()
        });
        assert!(found < 0.03, "{found}");
    }

    #[test]
    fn queues_that_grow_are_found() {
        let found = share(|seed| {
            let series: Vec<f64> = (0..20)
                .map(|at| 10.0 + noise(seed, at) + 0.2 * at as f64)
                .collect();
            Trend::of(&series).unwrap().is_significant()
        });
        assert!(found > 0.97, "{found}");
    }

    #[test]
    fn warm_ups_that_decay_are_left_out() {
        let mut sum = 0;
        for seed in 0..200 {
            let series: Vec<f64> = (0..40)
                .map(|at| 10.0 - 8.0 * (-(at as f64) / 4.0).exp() + 0.3 * noise(seed, at))
                .collect();
            let warmup = warmup(&series, 0..=20);
            assert!((6..=20).contains(&warmup), "{warmup}");
            sum += warmup;
        }
        assert!((12..18).contains(&(sum / 200)), "{sum}");
    }

    #[test]
    fn a_constant_series_is_steady() {
        let series = [7.3; 40];
        assert_eq!(warmup(&series, 0..=20), 0);
        let trend = Trend::of(&series).unwrap();
        assert_eq!((trend.t, trend.change_fraction), (0.0, 0.0));
    }

    #[test]
    fn a_short_series_has_no_trend() {
        assert_eq!(Trend::of(&[1.0; 19]), None);
    }
}
