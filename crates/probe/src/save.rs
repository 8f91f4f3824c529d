//! The state of engines and hosts between two clock edges, as bytes: written in order, and read
//! back in the same order by a program made for the same network.
//!
//! Bit planes are words as they lie, little end first; everything else is postcard. The bytes
//! say nothing of their own kind or version: who keeps them for longer than a run says that
//! around them.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Takes what is saved.
#[derive(Debug, Default)]
pub struct Saver {
    bytes: Vec<u8>,
}

impl Saver {
    /// Nothing yet.
    pub fn new() -> Saver {
        Saver::default()
    }

    /// Saves words of a bit plane, whose number the reader knows.
    pub fn words(&mut self, words: &[u64]) {
        self.bytes.reserve(8 * words.len());
        for word in words {
            self.bytes.extend_from_slice(&word.to_le_bytes());
        }
    }

    /// Saves a value.
    pub fn value<T: Serialize + ?Sized>(&mut self, value: &T) {
        let bytes = std::mem::take(&mut self.bytes);
        let written = postcard::to_extend(value, bytes);
        self.bytes = written.expect("what is saved has no maps of unknown length");
    }

    /// All that was saved.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Bytes that are not what was saved of this network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unlike;

/// Gives what was saved.
#[derive(Debug)]
pub struct Loader<'b> {
    bytes: &'b [u8],
}

impl<'b> Loader<'b> {
    /// A loader of bytes that a [`Saver`] wrote.
    pub fn new(bytes: &'b [u8]) -> Loader<'b> {
        Loader { bytes }
    }

    /// Reads words of a bit plane.
    ///
    /// # Errors
    /// When there are fewer.
    pub fn words(&mut self, words: &mut [u64]) -> Result<(), Unlike> {
        let (bytes, rest) = self.bytes.split_at_checked(8 * words.len()).ok_or(Unlike)?;
        self.bytes = rest;
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Ok(())
    }

    /// Reads a value.
    ///
    /// # Errors
    /// When there is none of this kind.
    pub fn value<T: DeserializeOwned>(&mut self) -> Result<T, Unlike> {
        let (value, rest) = postcard::take_from_bytes(self.bytes).map_err(|_| Unlike)?;
        self.bytes = rest;
        Ok(value)
    }

    /// Reads as many values as there are known to be.
    ///
    /// # Errors
    /// When there are others.
    pub fn values<T: DeserializeOwned>(&mut self, count: usize) -> Result<Vec<T>, Unlike> {
        let values: Vec<T> = self.value()?;
        (values.len() == count).then_some(values).ok_or(Unlike)
    }

    /// That everything was read.
    ///
    /// # Errors
    /// When something is left.
    pub fn finish(self) -> Result<(), Unlike> {
        self.bytes.is_empty().then_some(()).ok_or(Unlike)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_comes_back() {
        let mut saver = Saver::new();
        saver.words(&[1, u64::MAX, 7]);
        saver.value(&(5u32, vec![true, false]));
        saver.value(&vec![9u8; 3]);
        let bytes = saver.finish();
        let mut loader = Loader::new(&bytes);
        let mut words = [0; 3];
        loader.words(&mut words).unwrap();
        assert_eq!(words, [1, u64::MAX, 7]);
        assert_eq!(loader.value(), Ok((5u32, vec![true, false])));
        assert_eq!(loader.values(3), Ok(vec![9u8; 3]));
        assert_eq!(loader.finish(), Ok(()));
    }

    #[test]
    fn other_bytes_are_refused() {
        let mut saver = Saver::new();
        saver.value(&vec![9u8; 3]);
        let bytes = saver.finish();
        assert_eq!(Loader::new(&bytes).values::<u8>(2), Err(Unlike));
        assert_eq!(Loader::new(&bytes[..2]).value::<Vec<u8>>(), Err(Unlike));
        assert_eq!(Loader::new(&bytes).words(&mut [0]), Err(Unlike));
        assert_eq!(Loader::new(&bytes).finish(), Err(Unlike));
    }
}
