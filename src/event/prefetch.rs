//! Memory that is fetched before it is read.
//!
//! Why it is sound: the address is that of a reference, and the processor reads nothing of it
//! that the program sees.
#![allow(unsafe_code)]

/// Bytes of a cache line.
const LINE_BYTES: usize = 64;

/// So many turns before its own a chip is fetched.
pub(super) const AHEAD: usize = 16;

/// What is to be done in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    /// The chip to fetch.
    pub(super) fetch: Option<u32>,
    /// The chip that has been fetched.
    pub(super) due: Option<u32>,
}

/// The turns in which every chip is fetched, and due [`AHEAD`] turns later.
pub(super) fn turns(mut chips: impl Iterator<Item = u32>) -> impl Iterator<Item = Turn> {
    let mut places = [None; AHEAD];
    let mut turn = 0;
    let mut last_turns = 0..AHEAD;
    std::iter::from_fn(move || {
        let fetch = chips.next();
        if fetch.is_none() {
            last_turns.next().filter(|_| turn > 0)?;
        }
        let due = std::mem::replace(&mut places[turn % AHEAD], fetch);
        turn += 1;
        Some(Turn { fetch, due })
    })
}

/// Fetches the cache lines of a value into the nearest cache, without waiting for them.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let begin: *const i8 = std::ptr::from_ref(value).cast();
        for offset in (0..size_of::<T>()).step_by(LINE_BYTES) {
            // SAFETY: prefetching has no effect but on caches.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(begin.wrapping_add(offset)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_chip_is_fetched_and_due_in_order() {
        for count in [0, 1, AHEAD as u32, AHEAD as u32 + 1, 100] {
            let turns: Vec<Turn> = turns(0..count).collect();
            let fetched: Vec<u32> = turns.iter().filter_map(|turn| turn.fetch).collect();
            let due: Vec<u32> = turns.iter().filter_map(|turn| turn.due).collect();
            assert_eq!(fetched, (0..count).collect::<Vec<_>>());
            assert_eq!(due, fetched);
            let place = |chip| turns.iter().position(|turn| turn.due == Some(chip));
            assert!((0..count).all(|chip| place(chip) == Some(chip as usize + AHEAD)));
        }
    }
}
