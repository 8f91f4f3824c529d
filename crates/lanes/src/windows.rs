//! Windows of planes that links read: the terms that wiring compiles to.

/// Rotation and mask of the words of a window.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct WindowPattern {
    /// Bits to rotate each word to the left.
    pub rotate: [u64; 8],
    /// Lanes to keep.
    pub mask: [u64; 8],
    /// Steps by which wiring rotates the byte.
    pub steps: u8,
    /// Nothing to rotate.
    pub straight: bool,
    /// Nothing to rotate, everything to keep.
    pub plain: bool,
}

impl WindowPattern {
    /// True when nothing has to be done to the words that a term reads.
    #[inline(always)]
    pub fn is_in_place(&self) -> bool {
        self.plain && self.steps == 0
    }
}

/// One term of what arrives at a link port of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Term {
    /// The neighbours' group, among the sources of the group that it arrives at;
    /// where the window reaches across groups, one of them.
    pub source: u16,
    /// Words from one plane of the neighbours to the next.
    pub stride: u16,
    /// Index into the patterns.
    pub pattern: u32,
    /// Place of the window in the plane of the link's bit 0.
    pub base: u32,
}

/// The bit of a link's word that arrives as bit `bit` when wiring rotates the word's byte to the
/// left by two bits `steps` times.
#[inline]
pub const fn bit_before(bit: usize, steps: u8) -> usize {
    match bit {
        0..8 => (bit + 8 - 2 * (steps & 3) as usize) % 8,
        bit => bit,
    }
}

#[cfg(test)]
mod tests {
    use crosswave_chips::rotated;

    use super::bit_before;

    #[test]
    fn bits_come_from_where_a_rotated_word_has_them() {
        for steps in 0..8 {
            for bit in 0..11 {
                let arrives = rotated(1 << bit_before(bit, steps), steps);
                assert_eq!(arrives, 1 << bit, "bit {bit} by {steps} steps");
            }
        }
    }
}
