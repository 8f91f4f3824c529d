//! Rules by which two values are the same.

use super::super::value::{Bit, WaveValue};
use super::super::waveform::SignalKind;

/// Decimal digits of which a real number of 64 bits is the only one that has them.
pub const REAL_DIGITS_EXACT: u32 = 17;

/// Decimal digits of real numbers that VCD holds: IEEE 1364 has them written with `%.16g`.
pub const REAL_DIGITS_VCD: u32 = 16;

/// Rules by which values of one kind and width are the same.
///
/// Bits are X before their first value, and events are compared by the times at which they fire.
/// A real number that is none (NaN) is the same as any other such. Values of two kinds are never
/// the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// True when X on one side is the same as anything on the other; real numbers and texts are X
    /// before their first value, and texts when they are `X`.
    pub x_matches: bool,
    /// Real numbers are the same when they differ by less than one unit in this decimal digit,
    /// counted from the first of the larger one; with [`REAL_DIGITS_EXACT`] only when all bits
    /// are.
    pub real_digits: u32,
}

impl Rules {
    /// Every bit counts.
    pub const EXACT: Rules = Rules {
        x_matches: false,
        real_digits: REAL_DIGITS_EXACT,
    };

    /// True when two values of a kind, of `width` bits where these are bits, are the same.
    pub(super) fn same(
        &self,
        (kind, width): (SignalKind, u32),
        left: Option<&WaveValue>,
        right: Option<&WaveValue>,
    ) -> bool {
        if left == right {
            return true;
        }
        if kind == SignalKind::Bits {
            let bit = |value: Option<&WaveValue>, at| value.map_or(Some(Bit::X), |v| v.bit(at));
            return (0..width).all(|at| match (bit(left, at), bit(right, at)) {
                (Some(Bit::X), Some(_)) | (Some(_), Some(Bit::X)) if self.x_matches => true,
                (Some(one), Some(other)) => one == other,
                // A value without bits is not the same as anything.
                _ => false,
            });
        }
        if kind == SignalKind::Event {
            // One fires, and the other does not.
            return false;
        }
        match (left, right) {
            (Some(WaveValue::Real(one)), Some(WaveValue::Real(other))) => self.near(*one, *other),
            _ => {
                let is_unknown =
                    |value: Option<&WaveValue>| value.is_none_or(WaveValue::is_unknown);
                self.x_matches && (is_unknown(left) || is_unknown(right))
            }
        }
    }

    /// True when two numbers that are not equal are the same in the digits that count.
    fn near(&self, one: f64, other: f64) -> bool {
        let larger = one.abs().max(other.abs());
        if self.real_digits >= REAL_DIGITS_EXACT || !one.is_finite() || !other.is_finite() {
            return false;
        }
        let first_digit = larger.log10().floor() as i32;
        let unit = 10_f64.powi(first_digit - (self.real_digits as i32 - 1));
        (one - other).abs() < unit
    }
}
