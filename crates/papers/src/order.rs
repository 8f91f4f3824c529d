//! Claims of order: one mean below another, in several places.
//!
//! Each place is tested from one side: the difference of two means must be more than three
//! standard errors to speak for the claim, or against it; anything else is open. A claim is
//! reproduced when no place is against it and none is open.

use super::quantity::{MeasuredValue, Quantity, SIGMAS, Verdict};
use crosswave_base::statistics::Tally;

/// Places in which an order was found, and in which it was not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Order {
    /// Places that speak for it.
    pub kept: u64,
    /// Places that speak against it.
    pub broken: u64,
    /// Places that tell nothing.
    pub open: u64,
}

/// The standard error of a mean. When all of n values are alike it is 1/n: a value that is
/// one off may still make up three times as much.
fn error(tally: &Tally) -> f64 {
    match tally.min() == tally.max() {
        true => 1.0 / tally.count() as f64,
        false => tally.standard_error(),
    }
}

impl Order {
    /// Counts a place where one mean is said to be below another. A single value has no
    /// error, and tells nothing.
    pub fn below(&mut self, less: &Tally, more: &Tally) {
        let error = match less.count().min(more.count()) {
            0 | 1 => f64::INFINITY,
            _ => error(less).hypot(error(more)),
        };
        self.difference(more.mean() - less.mean(), error);
    }

    /// Counts a place where a mean is said to be below a number.
    pub fn below_value(&mut self, less: &Tally, more: f64) {
        let error = match less.count() {
            0 | 1 => f64::INFINITY,
            _ => error(less),
        };
        self.difference(more - less.mean(), error);
    }

    /// Counts a place where a difference of this standard error is said to be above 0.
    pub fn difference(&mut self, difference: f64, stderr: f64) {
        if difference > SIGMAS * stderr {
            self.kept += 1;
        } else if -difference > SIGMAS * stderr {
            self.broken += 1;
        } else {
            self.open += 1;
        }
    }

    /// Number of places.
    pub fn places(self) -> u64 {
        self.kept + self.broken + self.open
    }

    /// Counts as words.
    pub fn words(self) -> String {
        let places = self.places();
        let mut words = format!("at {} of {places}", self.kept);
        if self.broken > 0 {
            words += &format!(", the reverse at {}", self.broken);
        }
        if self.open > 0 {
            words += &format!(", undecided at {}", self.open);
        }
        words
    }

    /// The quantity that counts the places that speak for the claim. `known` says why others
    /// speak against it, when that is known.
    pub fn quantity(self, id: impl Into<String>, source: &str, known: Option<&str>) -> Quantity {
        let quantity = Quantity::claimed(id, source, self.places());
        let mut quantity = quantity
            .simulated(Some(MeasuredValue::exact(self.kept)))
            .judged(None);
        if self.broken == 0 && (self.open > 0 || self.kept == 0) {
            quantity.verdict = Verdict::Undecided;
        }
        if quantity.verdict != Verdict::Reproduced {
            quantity.reason = self.words();
        }
        if let Some(known) = known.filter(|_| self.broken > 0) {
            quantity.verdict = Verdict::Differs;
            quantity.expected = false;
            quantity.reason = format!("{}: {known}", self.words());
            return quantity.approximate(known);
        }
        quantity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(values: &[u64]) -> Tally {
        values.iter().copied().collect()
    }

    #[test]
    fn three_standard_errors_from_one_side() {
        // Means 2 and 3, standard errors 0.5 each (four values, variance 1), 0.707 together.
        let low = tally(&[1, 2, 2, 3, 1, 2, 3, 2]);
        let high = tally(&[7, 8, 8, 9, 7, 8, 9, 8]);
        let mut order = Order::default();
        order.below(&low, &high);
        order.below(&high, &low);
        order.below(&low, &low);
        order.below(&tally(&[1]), &high);
        assert_eq!((order.kept, order.broken, order.open), (1, 1, 2));
        assert_eq!(order.words(), "at 1 of 4, the reverse at 1, undecided at 2");
    }

    /// Two values 2 apart have a variance of 2 and a standard error of 1, those 1 apart one of 0.5;
    /// a hundred that are alike count as 0.01.
    #[test]
    fn errors_of_both_sides_count() {
        let counts = |less: &[u64], more: &[u64]| {
            let mut order = Order::default();
            order.below(&tally(less), &tally(more));
            (order.kept, order.broken, order.open)
        };
        let alike = |value| [value; 100];
        // 5 apart, with a standard error of 4 on one side.
        assert_eq!(counts(&[0, 8], &alike(9)), (0, 0, 1));
        assert_eq!(counts(&alike(1), &[2, 10]), (0, 0, 1));
        assert_eq!(counts(&alike(9), &[0, 8]), (0, 0, 1));
        assert_eq!(counts(&[2, 10], &alike(1)), (0, 0, 1));
        // 4 apart, 1 on both sides: 3 * 1.414 is more than that, and 3 * 1 is not.
        assert_eq!(counts(&[9, 11], &[13, 15]), (0, 0, 1));
        assert_eq!(counts(&[9, 11], &[14, 16]), (1, 0, 0));
        // 4.5 apart, 1 and 0.5: 3 * 1.118 is less than that, and 3 * 1.5 is not.
        assert_eq!(counts(&[9, 11], &[14, 15]), (1, 0, 0));
        assert_eq!(counts(&[14, 15], &[9, 11]), (0, 1, 0));
    }

    #[test]
    fn three_standard_errors_are_not_enough() {
        let counts = |difference| {
            let mut order = Order::default();
            order.difference(difference, 2.0);
            (order.kept, order.broken, order.open)
        };
        assert_eq!([6.0, -6.0].map(counts), [(0, 0, 1); 2]);
        assert_eq!([6.25, -6.25].map(counts), [(1, 0, 0), (0, 1, 0)]);
    }

    #[test]
    fn values_that_are_alike_are_not_beyond_doubt() {
        let mut order = Order::default();
        order.below_value(&tally(&[1; 10]), 1.2);
        order.below_value(&tally(&[1; 10]), 1.4);
        assert_eq!((order.kept, order.open), (1, 1));
    }

    #[test]
    fn verdicts() {
        let verdict = |kept, broken, open, known| {
            let order = Order { kept, broken, open };
            let quantity = order.quantity("q", "", known);
            (quantity.verdict, quantity.holds())
        };
        assert_eq!(verdict(3, 0, 0, None), (Verdict::Reproduced, true));
        assert_eq!(verdict(3, 0, 1, None), (Verdict::Undecided, true));
        assert_eq!(verdict(0, 0, 0, None), (Verdict::Undecided, true));
        assert_eq!(verdict(3, 1, 1, None), (Verdict::NotReproduced, false));
        assert_eq!(verdict(3, 1, 1, Some("known")), (Verdict::Differs, true));
        assert_eq!(verdict(3, 0, 1, Some("known")), (Verdict::Undecided, true));
    }
}
