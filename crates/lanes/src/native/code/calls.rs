//! Calls of machine code whose places have been checked once.
//!
//! A group of chips reads the same places in every cycle. To look each of them up and to check it
//! against its slice takes half as long as what is then computed. [`Calls`] does so once, for
//! slices of certain lengths; [`Calls::bind`] checks the lengths of the slices of a cycle, and
//! leaves an addition for each place. Where calls read what others of them write, the slices are
//! [`BorrowedSlices`](super::borrowed::BorrowedSlices) to them.

use std::marker::PhantomData;
use std::sync::Arc;

use smallvec::SmallVec;

use super::NativeCode;
use crate::native::REGIONS_MAX;

/// A place that code reads from on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlicePlace {
    /// The number of the slice.
    pub slice: u32,
    /// The word of it.
    pub word: u32,
}

/// Calls, each of some code with its places.
#[derive(Debug, Default)]
pub struct Calls {
    /// Words that the slices have at least, but for the last one, which is told anew with each call.
    lengths: Vec<usize>,
    codes: Vec<Arc<NativeCode>>,
    calls: Vec<Call>,
    places_per_call: usize,
    places: Vec<SlicePlace>,
}

/// Fixed values of a call, besides its places.
#[derive(Debug)]
struct Call {
    /// The number of its code.
    code: u32,
    /// Words that its last slice has at least.
    last_words: u32,
    /// The slices that are its state and its results, where these are slices of the calls.
    written: Option<[u32; 2]>,
}

/// Calls whose slices are known but for the last.
pub struct Bound<'a> {
    calls: &'a Calls,
    /// Addresses of the slices.
    starts: SmallVec<[*const u64; 16]>,
    slices: PhantomData<&'a [u64]>,
}

impl Calls {
    /// No calls yet, of so many places each, in slices of at least so many words and in one more.
    ///
    /// # Panics
    /// When no code has so many regions.
    pub fn new(lengths: Vec<usize>, places_per_call: usize) -> Calls {
        assert!(
            places_per_call + 2 <= REGIONS_MAX,
            "no code has more regions"
        );
        Calls {
            lengths,
            codes: Vec::new(),
            calls: Vec::new(),
            places_per_call,
            places: Vec::new(),
        }
    }

    /// Adds a call of some code, whose regions from 2 on lie at these places.
    ///
    /// # Panics
    /// As [`Native::add_to`](crate::native::Native::add_to).
    pub(in crate::native) fn add(
        &mut self,
        code: &Arc<NativeCode>,
        places: &[SlicePlace],
        written: Option<[u32; 2]>,
    ) {
        assert_eq!(
            places.len(),
            self.places_per_call,
            "as many places for all calls"
        );
        let mut read = places.iter().map(|place| place.slice);
        assert!(
            !read.any(|slice| written.is_some_and(|written| written.contains(&slice))),
            "what a call writes it does not read"
        );
        assert!(
            places.len() + 2 >= code.regions as usize,
            "regions are missing"
        );
        let mut last_words = 0;
        for (place, &words) in places.iter().zip(&code.extents[2..]) {
            let end = place.word as usize + words as usize;
            match self.lengths.get(place.slice as usize) {
                Some(&length) => assert!(end <= length, "a region is too short"),
                None => {
                    assert_eq!(place.slice as usize, self.lengths.len(), "no such slice");
                    let end = u32::try_from(end).expect("a place within what slices can be");
                    last_words = last_words.max(end);
                }
            }
        }
        let known = self.codes.iter().position(|known| Arc::ptr_eq(known, code));
        let number = known.unwrap_or_else(|| {
            self.codes.push(code.clone());
            self.codes.len() - 1
        });
        self.calls.push(Call {
            code: number as u32,
            last_words,
            written,
        });
        self.places.extend(places);
    }

    /// Places of each call.
    pub fn places_per_call(&self) -> usize {
        self.places_per_call
    }

    /// Bytes of memory, without that of the code.
    pub fn bytes(&self) -> usize {
        size_of_val(self.lengths.as_slice())
            + size_of_val(self.calls.as_slice())
            + size_of_val(self.places.as_slice())
    }

    /// The calls with these slices, all but the last.
    ///
    /// # Panics
    /// When one is shorter than it was said to be, or they are not as many.
    #[inline]
    pub fn bind<'a>(&'a self, slices: impl Iterator<Item = &'a [u64]>) -> Bound<'a> {
        let mut starts = SmallVec::new();
        let mut lengths = self.lengths.iter();
        slices.for_each(|slice| {
            let &length = lengths.next().expect("no more slices");
            assert!(slice.len() >= length, "a slice is too short");
            starts.push(slice.as_ptr());
        });
        assert_eq!(lengths.len(), 0, "all slices but the last");
        Bound {
            calls: self,
            starts,
            slices: PhantomData,
        }
    }

    /// Words that the slices have at least, all but the last.
    pub(super) fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// The slices that a call writes.
    #[inline(always)]
    pub(super) fn written(&self, number: usize) -> Option<[u32; 2]> {
        self.calls[number].written
    }

    /// Does a call whose slices begin where they are said to, all but the last, of which nothing is said.
    ///
    /// # Safety
    /// For each slice but the last, `start` gives where at least as many words begin as its length is,
    /// which can be read for as long as the call lasts, and for the last one nothing.
    #[inline(always)]
    pub(super) unsafe fn run(
        &self,
        number: usize,
        start: impl Fn(usize) -> Option<*const u64>,
        (state, next): (&mut [u64], &mut [u64]),
        (last, scratch): (&[u64], &mut [u64]),
    ) -> bool {
        let call = &self.calls[number];
        let code = &self.codes[call.code as usize];
        assert!(
            last.len() >= call.last_words as usize,
            "a slice is too short"
        );
        let mut bases = code.bases(state, next, scratch);
        let places = &self.places[number * self.places_per_call..][..self.places_per_call];
        for (base, place) in bases[2..REGIONS_MAX].iter_mut().zip(places) {
            let start = start(place.slice as usize).unwrap_or(last.as_ptr());
            *base = start.wrapping_add(place.word as usize);
        }
        code.call(&bases) == 0
    }
}

impl Bound<'_> {
    /// Does a call. Whether the code came to its end, as [`Native::run`](crate::native::Native::run)
    /// says.
    ///
    /// # Panics
    /// As there, and when there is no such call.
    #[inline(always)]
    pub fn run(
        &self,
        number: usize,
        written: (&mut [u64], &mut [u64]),
        others: (&[u64], &mut [u64]),
    ) -> bool {
        let starts = self.starts.as_slice();
        let start = |slice: usize| starts.get(slice).copied();
        // SAFETY: `bind` has checked the slices, which are borrowed for longer than `self`.
        unsafe { self.calls.run(number, start, written, others) }
    }
}
