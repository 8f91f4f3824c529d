//! Statistics of repeated plays of a random model: mean, standard error and extremes.

/// Values of independent plays. Sums are whole numbers, so neither the order of the
/// values nor how tallies are merged changes a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    count: u64,
    sum: u128,
    squares: u128,
    min: u64,
    max: u64,
}

impl Tally {
    /// Adds a value.
    ///
    /// # Panics
    /// When the value, or the number of values, reaches 2^32: sums stay exact below.
    pub fn add(&mut self, value: u64) {
        *self = self.merged(Tally {
            count: 1,
            sum: value.into(),
            squares: u128::from(value) * u128::from(value),
            min: value,
            max: value,
        });
    }

    /// The values of both.
    ///
    /// # Panics
    /// As [`Tally::add`].
    pub fn merged(self, other: Tally) -> Tally {
        let (min, max) = match (self.count, other.count) {
            (0, _) => (other.min, other.max),
            (_, 0) => (self.min, self.max),
            _ => (self.min.min(other.min), self.max.max(other.max)),
        };
        let count = self.count + other.count;
        assert!(
            count >> 32 == 0 && max >> 32 == 0,
            "a tally of 2^32 or more"
        );
        Tally {
            count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
            min,
            max,
        }
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; NaN without any.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }

    /// The sample variance, with count - 1 below; 0 for fewer than two values.
    pub fn variance(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let count = u128::from(self.count);
        let above = count * self.squares - self.sum * self.sum;
        above as f64 / (count * (count - 1)) as f64
    }

    /// The standard error of the mean; 0 for fewer than two values.
    pub fn standard_error(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        (self.variance() / self.count as f64).sqrt()
    }

    /// The smallest value; 0 without any.
    pub fn min(&self) -> u64 {
        self.min
    }

    /// The largest value; 0 without any.
    pub fn max(&self) -> u64 {
        self.max
    }
}

impl FromIterator<u64> for Tally {
    fn from_iter<I: IntoIterator<Item = u64>>(values: I) -> Self {
        let mut tally = Tally::default();
        for value in values {
            tally.add(value);
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_four_values() {
        let tally: Tally = [5, 1, 3, 7].into_iter().collect();
        assert_eq!((tally.count(), tally.min(), tally.max()), (4, 1, 7));
        assert_eq!(tally.mean(), 4.0);
        assert_eq!(tally.variance(), 20.0 / 3.0);
        assert_eq!(tally.standard_error(), (20.0f64 / 12.0).sqrt());
    }

    #[test]
    fn parts_make_the_whole() {
        let values = [9, 0, 4, 4, u64::from(u32::MAX), 2];
        let whole: Tally = values.into_iter().collect();
        for cut in 0..=values.len() {
            let part = |part: &[u64]| part.iter().copied().collect::<Tally>();
            assert_eq!(part(&values[cut..]).merged(part(&values[..cut])), whole);
        }
    }

    #[test]
    fn one_value_has_no_error() {
        let tally: Tally = [6].into_iter().collect();
        assert_eq!((tally.mean(), tally.standard_error()), (6.0, 0.0));
        assert!(Tally::default().mean().is_nan());
    }
}
