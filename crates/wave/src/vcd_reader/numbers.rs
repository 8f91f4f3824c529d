//! Real numbers as C and its libraries print them.

/// The value of a real number: decimal, hexadecimal (`0x1.8p3`), infinite or not a number, the
/// last two also as `nan(0x7)` and as Microsoft's library prints them (`1.#INF`, `-1.#IND`).
pub(super) fn real_number(text: &str) -> Option<f64> {
    if let Ok(value) = text.parse() {
        return Some(value);
    }
    let (is_negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let digits = digits.to_ascii_lowercase();
    let value = match digits.strip_prefix("0x") {
        Some(digits) => hexadecimal(digits)?,
        None if digits.starts_with("1.#inf") => f64::INFINITY,
        None if ["1.#ind", "1.#qnan", "1.#snan"]
            .iter()
            .any(|name| digits.starts_with(name)) =>
        {
            f64::NAN
        }
        None if digits.starts_with("nan(") && digits.ends_with(')') => f64::NAN,
        None => return None,
    };
    Some(if is_negative { -value } else { value })
}

/// The value of hexadecimal digits, in which a point may stand, and a power of two. Digits
/// beyond the 16 that matter to a number of 64 bits are cut off.
fn hexadecimal(text: &str) -> Option<f64> {
    let (digits, power) = text.split_once('p').unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let power: i32 = power.parse().ok()?;
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let (mut value, mut exponent) = (0_u64, i64::from(power));
    let of_fraction = (whole.len()..whole.len() + fraction.len()).map(|_| true);
    let places = whole.chars().map(|_| false).chain(of_fraction);
    for (digit, is_fraction) in whole.chars().chain(fraction.chars()).zip(places) {
        let digit = digit.to_digit(16)?;
        let has_room = value >> 60 == 0;
        if has_room {
            value = value << 4 | u64::from(digit);
        }
        exponent += match (has_room, is_fraction) {
            (true, true) => -4,
            (false, false) => 4,
            _ => 0,
        };
    }
    if value == 0 {
        return Some(0.0);
    }
    let half = (exponent / 2).clamp(-2_000, 2_000) as i32;
    let rest = (exponent - i64::from(half)).clamp(-2_000, 2_000) as i32;
    Some(value as f64 * 2_f64.powi(half) * 2_f64.powi(rest))
}
