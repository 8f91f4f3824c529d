//! Memory of chips, fetched before it is read.
//!
//! Why it is sound: all addresses are those of memory that the program has. What is said of it is
//! how it is going to be used; the processor changes nothing in it that the program sees.
#![allow(unsafe_code)]

/// Bytes of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE_BYTES: usize = 64;

/// So many chips before its own turn a chip is fetched, or two batches of them, where that is more;
/// the first ones of a list are not.
pub(super) const AHEAD: usize = 32;

/// So many words before one is delivered the chip is fetched that it goes to.
pub(super) const WORDS_AHEAD: usize = 128;

/// Fetches the cache lines of a value into the nearest cache, without waiting for them.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let begin: *const i8 = std::ptr::from_ref(value).cast();
        let fetch = |offset| {
            // SAFETY: prefetching has no effect but on caches.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(begin.wrapping_add(offset)) };
        };
        (0..size_of::<T>()).step_by(LINE_BYTES).for_each(fetch);
        // A value that does not begin with a line ends in one more.
        if align_of::<T>() < LINE_BYTES && size_of::<T>() > 0 {
            fetch(size_of::<T>() - 1);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
