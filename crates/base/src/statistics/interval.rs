//! Intervals that hold a true mean in 95 % of all cases.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::tally::Tally;

/// Half of the interval that holds the true mean in 95 % of all cases (Student's t);
/// infinite for fewer than two values. When all of n values are the same, it is 3/n (rule of
/// three): values that are one off may still make up so much.
pub fn half_width_95(tally: &Tally) -> f64 {
    match tally.count() {
        0 | 1 => f64::INFINITY,
        count if tally.min() == tally.max() => 3.0 / count as f64,
        count => student_t_95(count) * tally.standard_error(),
    }
}

/// Standard errors on each side of a mean that hold the true mean in 95 % of all cases, where
/// the mean is of many values or its error is known.
pub const NORMAL_95: f64 = 1.96;

/// The mean of some values, and half of the interval that holds the true one in 95 % of all
/// cases (Student's t): none for fewer than two, and 0 when all are the same. `None` without any.
///
/// ```
/// use crosswave_base::statistics::mean_and_half_width_95;
/// let (mean, half) = mean_and_half_width_95(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
/// assert_eq!(mean, 3.0);
/// assert!((half.unwrap() - 1.9633).abs() < 1e-3);
/// ```
pub fn mean_and_half_width_95(values: &[f64]) -> Option<(f64, Option<f64>)> {
    let (first, count) = (*values.first()?, values.len() as f64);
    if values.len() < 2 {
        return Some((first, None));
    }
    // Around the first, so that values that are all the same have no spread at all.
    let mean = first + values.iter().map(|value| value - first).sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let stderr = (squares / (count - 1.0) / count).sqrt();
    Some((mean, Some(student_t_95(values.len() as u64) * stderr)))
}

/// Standard errors on each side of a mean of so many values that hold the true mean in 95 %
/// of all cases.
///
/// # Panics
/// There are fewer than two values.
pub fn student_t_95(count: u64) -> f64 {
    assert!(count > 1, "{count} values");
    // So close to the normal distribution that four digits are the same; the search for the
    // quantile of Student's takes ever longer.
    let freedom = (count - 1).min(100_000);
    let t = StudentsT::new(0.0, 1.0, freedom as f64);
    t.expect("a positive number of degrees of freedom")
        .inverse_cdf(0.975)
}
