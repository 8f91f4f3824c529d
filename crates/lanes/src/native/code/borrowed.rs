//! Memory that calls are lent: what one of them writes others read after it.
//!
//! Rust lets a slice be written through one reference, or read through many. Calls that are taken
//! one after another need both of the same slices. So they are lent for as long as that takes, and
//! [`BorrowedSlices::split`] gives references to some of them for the time of one call.
//!
//! Soundness: slices that are written are borrowed mutably for the whole time, so nobody else has a
//! reference to them; and there is one [`Others`] at a time, for which the `BorrowedSlices` is
//! borrowed, and which gives no reference to what was split off. A call is told when it is planned
//! which slices it writes, of which it reads none ([`Calls`]), and is done only where these are split
//! off. Fetching changes nothing that a program sees.

use std::marker::PhantomData;

use super::calls::Calls;

/// Begin and end of a slice, both derived from one reference to it.
#[derive(Debug, Clone, Copy)]
struct Slice {
    start: *mut u64,
    words: usize,
    is_written: bool,
}

/// Slices that are lent to calls.
pub struct BorrowedSlices<'a> {
    calls: &'a Calls,
    slices: Vec<Slice>,
    borrows: PhantomData<&'a mut [u64]>,
}

/// The slices but for some that are written meanwhile, to be read.
pub struct Others<'s, const N: usize> {
    calls: &'s Calls,
    slices: &'s [Slice],
    written: [usize; N],
}

impl<'a> BorrowedSlices<'a> {
    /// No slices yet, for the slices of these calls but for the last.
    pub fn new(calls: &'a Calls) -> Self {
        BorrowedSlices {
            calls,
            slices: Vec::with_capacity(calls.lengths().len()),
            borrows: PhantomData,
        }
    }

    /// Adds a slice that is read.
    ///
    /// # Panics
    /// When it is shorter than the calls were told, or they have no more.
    #[inline]
    pub fn read(&mut self, slice: &'a [u64]) {
        self.push(slice.as_ptr().cast_mut(), slice.len(), false);
    }

    /// Adds a slice that is written, too.
    ///
    /// # Panics
    /// As [`BorrowedSlices::read`].
    #[inline]
    pub fn write(&mut self, slice: &'a mut [u64]) {
        self.push(slice.as_mut_ptr(), slice.len(), true);
    }

    #[inline]
    fn push(&mut self, start: *mut u64, words: usize, is_written: bool) {
        let length = self.calls.lengths().get(self.slices.len());
        let &length = length.expect("no more slices");
        assert!(words >= length, "a slice is too short");
        self.slices.push(Slice {
            start,
            words,
            is_written,
        });
    }

    /// Some slices to be written, and the others.
    ///
    /// # Panics
    /// When one of them is only read, or is named twice.
    #[inline(always)]
    pub fn split<const N: usize>(
        &mut self,
        written: [usize; N],
    ) -> ([&mut [u64]; N], Others<'_, N>) {
        for (at, number) in written.iter().enumerate() {
            assert!(!written[..at].contains(number), "two references to a slice");
        }
        let slices = written.map(|number| {
            let slice = self.slices[number];
            assert!(slice.is_written, "a slice that is only read");
            // SAFETY: it was borrowed mutably for longer than `self` is now, and no other
            // reference to it is given meanwhile: none of these is the same, and `Others` gives none.
            unsafe { std::slice::from_raw_parts_mut(slice.start, slice.words) }
        });
        let others = Others {
            calls: self.calls,
            slices: &self.slices,
            written,
        };
        (slices, others)
    }
}

impl<'s, const N: usize> Others<'s, N> {
    /// The words of a slice.
    ///
    /// # Panics
    /// When it is one of those that are split off, or there is no such slice.
    #[inline(always)]
    pub fn words(&self, number: usize) -> &'s [u64] {
        assert!(!self.written.contains(&number), "a slice that is written");
        let slice = self.slices[number];
        // SAFETY: it was borrowed for longer than `'s`, and for `'s` nobody else has a reference that
        // it could be written by: it was not split off, and the `BorrowedSlices` is borrowed.
        unsafe { std::slice::from_raw_parts(slice.start, slice.words) }
    }

    /// Fetches a slice into the second cache, without waiting for it.
    #[inline(always)]
    pub fn fetch(&self, number: usize) {
        let slice = self.slices[number];
        fetch(slice.start, slice.words);
    }
}

impl Others<'_, 2> {
    /// Does a call that writes the slices that are split off, as
    /// [`Bound::run`](super::calls::Bound::run); `written` are its state and its results in these.
    ///
    /// # Panics
    /// As there, and when the call was planned to write others, or a slice is missing.
    #[inline(always)]
    pub fn run(
        &self,
        number: usize,
        written: (&mut [u64], &mut [u64]),
        others: (&[u64], &mut [u64]),
    ) -> bool {
        assert_eq!(
            self.slices.len(),
            self.calls.lengths().len(),
            "all slices but the last"
        );
        let planned = self.calls.written(number);
        let planned = planned.map(|written| written.map(|number| number as usize));
        assert_eq!(planned, Some(self.written), "a call writes its own slices");
        let slices = self.slices;
        let start = |number: usize| {
            let slice = slices.get(number);
            slice.map(|slice| slice.start.cast_const())
        };
        // SAFETY: all slices but the last are there, none shorter than it was said to be, and are
        // borrowed for longer. The call reads none that is split off.
        unsafe { self.calls.run(number, start, written, others) }
    }
}

/// Words of a cache line.
#[cfg(target_arch = "x86_64")]
const LINE_WORDS: usize = 8;

/// Fetches words into the second cache.
#[inline(always)]
fn fetch(start: *const u64, words: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..words).step_by(LINE_WORDS) {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: prefetching has no effect but on caches.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(start.wrapping_add(line).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (start, words);
}
