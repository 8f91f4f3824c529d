//! Numbers as text: each as bytes of seven bits, lowest first, of which all but the last have
//! their highest bit set (LEB128), and the bytes as Base64 (RFC 4648, with padding).

/// Digits of Base64.
const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Numbers that are being packed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packed {
    bytes: Vec<u8>,
}

impl Packed {
    /// Appends a number: a byte for each seven bits.
    pub fn push(&mut self, number: impl Into<u64>) {
        let mut left = number.into();
        while left >= 0x80 {
            self.bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        self.bytes.push(left as u8);
    }

    /// Appends a cycle that may not have come, counted from one that is not later: 0 when it
    /// has not come, else one more than the cycles between them.
    pub fn push_since(&mut self, cycle: Option<u64>, from: u64) {
        self.push(cycle.map_or(0, |cycle| cycle - from + 1));
    }

    /// All numbers as text.
    ///
    /// ```
    /// use crosswave_observe::view::pack::Packed;
    /// let mut packed = Packed::default();
    /// [1u32, 127, 128, 300].into_iter().for_each(|number| packed.push(number));
    /// assert_eq!(packed.text(), "AX+AAawC");
    /// ```
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(self.bytes.len().div_ceil(3) * 4);
        for three in self.bytes.chunks(3) {
            let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for digit in 0..4 {
                text.push(match digit <= three.len() {
                    true => char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]),
                    false => '=',
                });
            }
        }
        text
    }
}
