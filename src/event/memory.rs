//! Memory of chips: on huge pages, and fetched before it is read.
//!
//! Why it is sound: all addresses are those of memory that the program has. What is said of it is
//! how it is going to be used; neither the system nor the processor changes anything in it that
//! the program sees.
#![allow(unsafe_code)]

/// Bytes of a cache line.
const LINE_BYTES: usize = 64;

/// Huge pages are asked for in pieces of so many bytes, as large as the smallest of them mostly are.
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// So many chips before its own turn a chip is fetched, or a batch of them, where that is more; the
/// first ones of a list are not.
pub(super) const AHEAD: usize = 32;

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

/// Asks for huge pages for memory that nothing was written to yet: in a large network each chip
/// lies on another page than the one before, and a miss of the address cache costs more than one of
/// the data cache. A system without huge pages is as good with small ones.
pub(super) fn on_huge_pages<T>(vector: &mut Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let room = vector.spare_capacity_mut();
        let begin = room.as_mut_ptr().cast::<u8>();
        let skipped = begin.align_offset(HUGE_PAGE_BYTES);
        let pages = size_of_val(room).saturating_sub(skipped) / HUGE_PAGE_BYTES;
        if pages > 0 {
            let begin = begin.wrapping_add(skipped).cast();
            // SAFETY: the pages are within what was allocated, and the advice keeps what is in them.
            let _ = unsafe { madvise(begin, pages * HUGE_PAGE_BYTES, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = vector;
}
