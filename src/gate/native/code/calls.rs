//! Calls of machine code whose places have been checked once.
//!
//! A group of chips reads the same places in every cycle. To look each of them up and to check it
//! against its slice takes half as long as what is then computed. [`Calls`] does so once, for
//! slices of certain lengths; [`Calls::bind`] checks the lengths of the slices of a cycle, and
//! leaves an addition for each place.

use std::marker::PhantomData;
use std::sync::Arc;

use smallvec::SmallVec;

use super::Code;
use crate::gate::native::REGIONS_MAX;

/// A place that code reads from on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the slice.
    pub slice: u32,
    /// The word of it.
    pub word: u32,
}

/// Calls, each of some code with its places.
#[derive(Debug)]
pub struct Calls {
    /// Words that the slices have at least; the last slice is told anew with each call.
    lengths: Vec<usize>,
    codes: Vec<Arc<Code>>,
    /// The code of each call.
    numbers: Vec<u32>,
    /// Places of each call.
    count: usize,
    places: Vec<Place>,
}

/// Calls whose slices are known but for the last.
pub struct Bound<'a> {
    calls: &'a Calls,
    /// Where the slices begin.
    starts: SmallVec<[*const u64; 16]>,
    slices: PhantomData<&'a [u64]>,
}

impl Calls {
    /// No calls yet, of so many places each, in slices of at least so many words.
    ///
    /// # Panics
    /// When there is no slice, or no code has so many regions.
    pub fn new(lengths: Vec<usize>, count: usize) -> Calls {
        assert!(!lengths.is_empty(), "a slice");
        assert!(count + 2 <= REGIONS_MAX, "no code has more regions");
        Calls {
            lengths,
            codes: Vec::new(),
            numbers: Vec::new(),
            count,
            places: Vec::new(),
        }
    }

    /// Adds a call of some code, whose regions from 2 on lie at these places.
    ///
    /// # Panics
    /// As [`Native::add_to`](crate::gate::native::Native::add_to).
    pub(in crate::gate::native) fn add(&mut self, code: &Arc<Code>, places: &[Place]) {
        assert_eq!(places.len(), self.count, "as many places for all calls");
        assert!(
            places.len() + 2 >= code.regions as usize,
            "regions are missing"
        );
        for (place, &words) in places.iter().zip(&code.extents[2..]) {
            let end = place.word as usize + words as usize;
            let length = self.lengths[place.slice as usize];
            assert!(end <= length, "a region is too short");
        }
        let known = self.codes.iter().position(|known| Arc::ptr_eq(known, code));
        let number = known.unwrap_or_else(|| {
            self.codes.push(code.clone());
            self.codes.len() - 1
        });
        self.numbers.push(number as u32);
        self.places.extend(places);
    }

    /// Bytes of memory, without that of the code.
    pub fn bytes(&self) -> usize {
        size_of_val(self.numbers.as_slice()) + size_of_val(self.places.as_slice())
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
        assert_eq!(lengths.len(), 1, "all slices but the last");
        Bound {
            calls: self,
            starts,
            slices: PhantomData,
        }
    }
}

impl Bound<'_> {
    /// Does a call. Whether the code came to its end, as [`Native::run`](crate::gate::native::Native::run)
    /// says.
    ///
    /// # Panics
    /// As there, and when there is no such call.
    #[inline(always)]
    pub fn run(
        &self,
        number: usize,
        state: &mut [u64],
        next: &mut [u64],
        last: &[u64],
        scratch: &mut [u64],
    ) -> bool {
        let Calls {
            lengths,
            codes,
            numbers,
            count,
            places,
        } = self.calls;
        let code = &codes[numbers[number] as usize];
        assert!(
            last.len() >= lengths[lengths.len() - 1],
            "a slice is too short"
        );
        let mut bases = code.bases(state, next, scratch);
        let places = &places[number * count..][..*count];
        for (base, place) in bases[2..REGIONS_MAX].iter_mut().zip(places) {
            let start = match self.starts.get(place.slice as usize) {
                Some(&start) => start,
                None => last.as_ptr(),
            };
            *base = start.wrapping_add(place.word as usize);
        }
        code.call(&bases) == 0
    }
}
