//! Places of link words that are gathered lane by lane, packed into 32 bits.

/// A word of a scattered link that nobody drives.
pub const NOWHERE: u32 = u32::MAX;

/// Packing of the place of a link's word into 32 bits: the thread in the high ones, the place among
/// that thread's words in as many low ones as the thread with the most words needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlaceCode {
    place_bits: u32,
}

impl PlaceCode {
    /// The code for some threads of at most `words` words each; `None` when 32 bits
    /// are too few to tell all places apart, and from [`NOWHERE`].
    pub fn new(threads: usize, words: usize) -> Option<PlaceCode> {
        let last_thread = u32::try_from(threads.max(1) - 1).ok()?;
        let last_place = u32::try_from(words.max(1) - 1).ok()?;
        let place_bits = u32::BITS - last_place.leading_zeros();
        let last = u64::from(last_thread) << place_bits | u64::from(last_place);
        (last < u64::from(NOWHERE)).then_some(PlaceCode { place_bits })
    }

    /// Packs a place.
    ///
    /// # Panics
    /// When the code is not for so many threads or words.
    pub fn pack(self, thread: u16, place: usize) -> u32 {
        let place = u64::try_from(place).expect("a place has 64 bits");
        assert!(place >> self.place_bits == 0, "a thread's words are fewer");
        let packed = u64::from(thread) << self.place_bits | place;
        let packed = u32::try_from(packed).expect("the threads are fewer");
        assert_ne!(packed, NOWHERE, "the last place is nowhere");
        packed
    }

    /// The thread and the place that were packed.
    #[inline(always)]
    pub fn unpack(self, packed: u32) -> (usize, usize) {
        let packed = u64::from(packed);
        let place = packed & ((1 << self.place_bits) - 1);
        ((packed >> self.place_bits) as usize, place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_keep_every_thread_and_word() {
        for (threads, words) in [
            (1, 1 << 31),
            (2, 1 << 31),
            (33, 1 << 26),
            (64, 3),
            (256, 1 << 24),
            (1 << 16, 1 << 15),
        ] {
            // Every bit of the last place is 1 in half of these: it is nowhere.
            let words = words - 1;
            let code = PlaceCode::new(threads, words).expect("32 bits");
            for thread in [0, threads / 2, threads - 1] {
                for place in [0, words / 2, words - 1] {
                    let packed = code.pack(thread as u16, place);
                    assert_ne!(packed, NOWHERE);
                    assert_eq!(code.unpack(packed), (thread, place), "{threads} {words}");
                }
            }
        }
    }

    #[test]
    fn too_many_places_have_no_code() {
        assert!(PlaceCode::new(33, (1 << 26) + 1).is_none());
        assert!(
            PlaceCode::new(256, 1 << 24).is_none(),
            "the last is nowhere"
        );
        assert!(PlaceCode::new(1, 1 << 33).is_none());
        assert!(PlaceCode::new(1 << 33, 1).is_none());
    }

    #[test]
    #[should_panic(expected = "a thread's words are fewer")]
    fn a_place_that_is_too_large_is_not_packed() {
        PlaceCode::new(2, 100).expect("32 bits").pack(1, 128);
    }

    #[test]
    #[should_panic(expected = "the threads are fewer")]
    fn a_thread_that_is_too_large_is_not_packed() {
        PlaceCode::new(32, 1 << 26).expect("32 bits").pack(64, 0);
    }
}
