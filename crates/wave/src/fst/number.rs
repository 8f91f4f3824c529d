//! Numbers of variable length: seven bits a byte, the lowest first, the top bit set in all
//! but the last byte.

/// Appends an unsigned number.
#[inline]
pub(super) fn unsigned(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a signed number, in two's complement; bit 6 of the last byte is the sign.
pub(super) fn signed(mut value: i64, out: &mut Vec<u8>) {
    while !(-64..64).contains(&value) {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8 & 0x7f);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_short_as_they_can_be() {
        let bytes = |value| {
            let mut out = Vec::new();
            unsigned(value, &mut out);
            out
        };
        assert_eq!(bytes(0), [0]);
        assert_eq!(bytes(127), [0x7f]);
        assert_eq!(bytes(128), [0x80, 1]);
        assert_eq!(bytes(u64::MAX).len(), 10);
        let bytes = |value| {
            let mut out = Vec::new();
            signed(value, &mut out);
            out
        };
        assert_eq!(bytes(63), [63]);
        assert_eq!(bytes(64), [0xc0, 0]);
        assert_eq!(bytes(-64), [0x40]);
        assert_eq!(bytes(-65), [0xbf, 0x7f]);
    }
}
