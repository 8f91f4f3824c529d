//! Positive decimal numbers as exact ratios.
//!
//! `time_scale = 0.1` means one tenth. As a binary fraction it would be a
//! little more, and a message could move to another cycle for it.

use serde::{Serialize, Serializer};

/// Digits after the decimal point that a [`Decimal`] can hold.
pub const DECIMALS_MAX: u32 = 6;
/// The largest whole part of a [`Decimal`].
pub const WHOLE_MAX: u64 = 1_000_000;

/// A positive decimal number, at most [`WHOLE_MAX`], with up to [`DECIMALS_MAX`]
/// digits after the point; held in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal {
    millionths: u64,
}

impl Decimal {
    /// One.
    pub const ONE: Decimal = Decimal {
        millionths: 1_000_000,
    };

    /// The smallest, one millionth.
    pub const LEAST: Decimal = Decimal { millionths: 1 };

    /// The whole number `value`; `None` unless it is in `1..=WHOLE_MAX`.
    pub const fn whole(value: u64) -> Option<Decimal> {
        if value == 0 || value > WHOLE_MAX {
            return None;
        }
        Some(Decimal {
            millionths: value * 1_000_000,
        })
    }

    /// `millionths` times 10^-6; `None` unless that is in its range.
    ///
    /// ```
    /// use crosswave_base::decimal::Decimal;
    /// assert_eq!(Decimal::of_millionths(2500), Decimal::parse("0.0025"));
    /// assert_eq!(Decimal::of_millionths(0), None);
    /// ```
    pub const fn of_millionths(millionths: u64) -> Option<Decimal> {
        if millionths == 0 || millionths > WHOLE_MAX * 1_000_000 {
            return None;
        }
        Some(Decimal { millionths })
    }

    /// Reads `12`, `0.25`, `+2.5e-3`; `None` for all that is not positive, too
    /// large, or has too many digits.
    ///
    /// ```
    /// use crosswave_base::decimal::Decimal;
    /// assert_eq!(Decimal::parse("2.5e-3"), Decimal::parse("0.0025"));
    /// assert_eq!(Decimal::parse("1e-7"), None);
    /// assert_eq!(Decimal::parse("-1"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Decimal> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let mantissa = mantissa.strip_prefix('+').unwrap_or(mantissa);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        // Zeros at the end say nothing; without them 1.000_000_0 is not too long.
        let fraction = fraction.trim_end_matches('0');
        let mut digits: u64 = 0;
        for byte in whole.bytes().chain(fraction.bytes()) {
            if !byte.is_ascii_digit() {
                return None;
            }
            digits = digits
                .checked_mul(10)?
                .checked_add(u64::from(byte - b'0'))?;
        }
        let power = exponent
            .checked_sub(i32::try_from(fraction.len()).ok()?)?
            .checked_add(DECIMALS_MAX as i32)?;
        let factor = 10u64.checked_pow(power.unsigned_abs())?;
        let millionths = if power >= 0 {
            digits.checked_mul(factor)?
        } else if digits.is_multiple_of(factor) {
            digits / factor
        } else {
            return None;
        };
        let valid = millionths > 0 && millionths <= WHOLE_MAX * 1_000_000;
        valid.then_some(Decimal { millionths })
    }

    /// The number times 10^6, a whole number of at most 10^12.
    pub fn millionths(self) -> u64 {
        self.millionths
    }

    /// The nearest binary fraction, for printing.
    pub fn to_f64(self) -> f64 {
        self.millionths as f64 / 1e6
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, WHOLE_MAX};

    #[test]
    fn reads_exactly_what_it_can_hold() {
        let millionths = |text| Decimal::parse(text).map(Decimal::millionths);
        assert_eq!(millionths("0.1"), Some(100_000));
        assert_eq!(millionths("100"), Some(100_000_000));
        assert_eq!(millionths("1e6"), Some(1_000_000_000_000));
        assert_eq!(millionths("0.000001"), Some(1));
        assert_eq!(millionths("1.0000000000000"), Some(1_000_000));
        assert_eq!(millionths("10e-7"), Some(1));
        for bad in [
            "",
            ".",
            "0",
            "0.0",
            "inf",
            "nan",
            "-1",
            "1e-7",
            "1000000.000001",
            "1e99999999999",
            "1e2147483647",
            "1e-2147483648",
            "99999999999999999999",
            "1.2.3",
            "é",
        ] {
            assert_eq!(Decimal::parse(bad), None, "{bad}");
        }
        assert_eq!(Decimal::parse("0.3").unwrap().to_f64(), 0.3);
    }

    #[test]
    fn numbers_are_made_from_one_to_the_largest() {
        let whole = |value| Decimal::whole(value).map(Decimal::millionths);
        assert_eq!((whole(0), whole(1)), (None, Some(1_000_000)));
        let largest = WHOLE_MAX * 1_000_000;
        assert_eq!(
            (whole(WHOLE_MAX), whole(WHOLE_MAX + 1)),
            (Some(largest), None)
        );
        let of = |value| Decimal::of_millionths(value).map(Decimal::millionths);
        assert_eq!((of(0), of(1)), (None, Some(1)));
        assert_eq!((of(largest), of(largest + 1)), (Some(largest), None));
    }

    /// Tables and JSON have the number, not its millionths.
    #[test]
    fn it_is_written_as_a_number() {
        let decimal = Decimal::parse("0.1").expect("legal");
        assert_eq!(serde_json::to_string(&decimal).expect("memory"), "0.1");
    }
}
