//! Common divisors and multiples, for shares in whole units.

/// The greatest common divisor; of 0 and a number, that number.
pub fn divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The least common multiple of two numbers that are not 0, where it is below 2^32.
pub fn multiple(a: u32, b: u64) -> Option<u32> {
    let multiple = (u64::from(a) / divisor(u64::from(a), b)).checked_mul(b)?;
    u32::try_from(multiple).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_are_the_least() {
        for (a, b, expected) in [(4, 6, Some(12)), (1, 7, Some(7)), (6, 6, Some(6))] {
            assert_eq!(multiple(a, b), expected);
        }
        assert_eq!(divisor(0, 9), 9);
        assert_eq!(multiple(1 << 31, 3), None);
        assert_eq!(multiple(u32::MAX, u64::MAX - 1), None);
    }
}
