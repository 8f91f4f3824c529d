//! Two values that differ, for people: bits as in Verilog, with the names that a file has for
//! them.

use crosswave_base::escape;
use crosswave_wave::compare::SignalDifference;
use crosswave_wave::{SignalKind, WaveValue};

/// Digits of a value that are shown at most.
const DIGITS_MAX: usize = 64;
/// Digits of a longer one that are shown in front of the first that differs.
const DIGITS_BEFORE: usize = 16;

/// Both values, in one base.
pub(super) fn shown(difference: &SignalDifference) -> (String, String) {
    let values = (difference.left.as_ref(), difference.right.as_ref());
    let (left, right) = match difference.shape.kind {
        SignalKind::Bits => bits(difference.shape.width, values),
        SignalKind::Text | SignalKind::Real | SignalKind::Event => {
            (plain(values.0), plain(values.1))
        }
    };
    let named = |value: String, name: &Option<String>| match name {
        Some(name) => format!("{} ({value})", escape::line(name)),
        None => value,
    };
    (
        named(left, &difference.names.0),
        named(right, &difference.names.1),
    )
}

/// A text, a number, or that an event fires.
fn plain(value: Option<&WaveValue>) -> String {
    value.map_or_else(
        || "nothing".to_owned(),
        |value| escape::line(&value.to_string()).into_owned(),
    )
}

/// Hexadecimal digits, or binary ones where bits within a digit are unknown.
fn bits(width: u32, values: (Option<&WaveValue>, Option<&WaveValue>)) -> (String, String) {
    let hexadecimal = |value: &WaveValue| {
        let digits = value.hexadecimal(width, usize::MAX).unwrap_or_default();
        (!digits.contains(['X', 'Z'])).then_some(digits)
    };
    let binary = |value: &WaveValue| value.binary(width).unwrap_or_default();
    let both = [values.0, values.1];
    let is_whole = both
        .iter()
        .flatten()
        .all(|value| hexadecimal(value).is_some());
    let base = if is_whole && width > 1 { 'h' } else { 'b' };
    let digits = both.map(|value| match base {
        'h' => value.and_then(hexadecimal),
        _ => value.map(binary),
    });
    let first = match &digits {
        [Some(one), Some(other)] => {
            let pairs = one.bytes().zip(other.bytes());
            pairs.take_while(|(one, other)| one == other).count()
        }
        _ => 0,
    };
    let [left, right] = digits.map(|digits| match digits {
        None => "nothing".to_owned(),
        Some(digits) if width == 1 => digits,
        Some(digits) => format!("{width}'{base}{}", part(&digits, first)),
    });
    (left, right)
}

/// The digits around the first that differs, when there are many.
fn part(digits: &str, first: usize) -> String {
    if digits.len() <= DIGITS_MAX {
        return digits.to_owned();
    }
    let start = first.saturating_sub(DIGITS_BEFORE);
    let end = digits.len().min(start + DIGITS_MAX);
    let mark = |is_cut| if is_cut { "…" } else { "" };
    let (before, after) = (mark(start > 0), mark(end < digits.len()));
    format!("{before}{}{after}", &digits[start..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_wave::compare::{Rules, compare};

    /// The two values of a signal of `width` bits as they are shown.
    fn of(width: u32, left: &str, right: &str) -> (String, String) {
        let wave = |value: &str| {
            let text = format!("$var wire {width} ! a $end $enddefinitions $end #0 b{value} !");
            crosswave_wave::read("test", text.as_bytes()).expect("a waveform")
        };
        let found = compare(&wave(left), &wave(right), Rules::EXACT);
        shown(&found.differences[0])
    }

    #[test]
    fn values_are_written_as_in_verilog() {
        let pair = |one: &str, other: &str| (one.to_owned(), other.to_owned());
        assert_eq!(of(1, "1", "x"), pair("1", "x"));
        assert_eq!(of(8, "10100101", "101"), pair("8'hA5", "8'h05"));
        assert_eq!(of(6, "xx0101", "zz0101"), pair("6'hx5", "6'hz5"));
        // Both unknown in part, so hexadecimal digits would be alike.
        assert_eq!(of(4, "1x00", "10x0"), pair("4'b1x00", "4'b10x0"));
    }

    #[test]
    fn long_values_are_shown_where_they_differ() {
        let (one, other) = ("1".repeat(1600), "1".repeat(1599) + "0");
        let ones = "F".repeat(15);
        let expected = (format!("1600'h…{ones}FF"), format!("1600'h…{ones}FE"));
        assert_eq!(of(1600, &one, &other), expected);
        let other = "0".to_owned() + &one[1..];
        let (left, right) = of(1600, &one, &other);
        assert_eq!(left, format!("1600'h{}…", "F".repeat(64)));
        assert_eq!(right, format!("1600'h7{}…", "F".repeat(63)));
    }
}
