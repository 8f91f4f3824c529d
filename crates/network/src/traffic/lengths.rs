//! Lengths of messages: one for all, or one that is drawn for each.

use std::fmt;

use rand_core::Rng;
use serde::ser::SerializeMap;

use super::{Fault, WEIGHT_MAX, WORDS_MAX};
use crosswave_base::random;

/// The most lengths that messages of one run may have.
pub const LENGTHS_MAX: usize = 64;

/// The lengths that messages have, in body words.
///
/// ```
/// use crosswave_network::traffic::Lengths;
/// let lengths = Lengths::drawn(vec![1, 5], Some(vec![3, 1]));
/// assert_eq!((lengths.fixed(), lengths.longest(), lengths.mean()), (None, 5, 2.0));
/// assert_eq!(lengths.to_string(), "1 to 5 words");
/// assert_eq!(Lengths::from(8).fixed(), Some(8));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lengths {
    /// The lengths, `1..=WORDS_MAX`, at most [`LENGTHS_MAX`] of them.
    words: Vec<u32>,
    /// Frequency of each of them, relative to the others, up to [`WEIGHT_MAX`]. `None`: all are as
    /// frequent.
    weights: Option<Vec<u32>>,
    /// True when all messages have the one length.
    is_fixed: bool,
}

impl From<u32> for Lengths {
    /// All messages have so many words.
    fn from(words: u32) -> Lengths {
        Lengths {
            words: vec![words],
            weights: None,
            is_fixed: true,
        }
    }
}

impl fmt::Display for Lengths {
    /// Prints them as in `8 words`, and `1 to 5 words`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shortest = self.rows().map(|(words, _)| words).min().unwrap_or(0);
        match (shortest, self.longest()) {
            (1, 1) => f.write_str("1 word"),
            (shortest, longest) if shortest == longest => write!(f, "{longest} words"),
            (shortest, longest) => write!(f, "{shortest} to {longest} words"),
        }
    }
}

impl Lengths {
    /// Lengths, one of which is drawn for each message, with a weight each; without weights, all
    /// are as frequent.
    pub fn drawn(words: Vec<u32>, weights: Option<Vec<u32>>) -> Lengths {
        Lengths {
            words,
            weights,
            is_fixed: false,
        }
    }

    /// The length of all messages; `None` when it is drawn.
    pub fn fixed(&self) -> Option<u32> {
        self.words.first().copied().filter(|_| self.is_fixed)
    }

    /// The most words that a message may have.
    pub fn longest(&self) -> u32 {
        self.rows().map(|(words, _)| words).max().unwrap_or(0)
    }

    /// Words of a message to be expected.
    pub fn mean(&self) -> f64 {
        let (sum, weights) = self.mean_fraction();
        sum as f64 / weights as f64
    }

    /// Words of a message to be expected, as a fraction: at most 2^46 over 2^26.
    pub(super) fn mean_fraction(&self) -> (u64, u64) {
        let add = |(sum, all), (words, weight)| {
            let (words, weight) = (u64::from(words), u64::from(weight));
            (sum + words * weight, all + weight)
        };
        self.rows().fold((0, 0), add)
    }

    /// Lengths that may be drawn, with their weights.
    fn rows(&self) -> impl Iterator<Item = (u32, u32)> {
        let weight = |entry: usize| match &self.weights {
            Some(weights) => weights.get(entry).copied().unwrap_or(0),
            None => 1,
        };
        let rows = self.words.iter().enumerate();
        rows.map(move |(entry, &words)| (words, weight(entry)))
            .filter(|(_, weight)| *weight > 0)
    }

    /// Everything that is out of its range.
    pub(super) fn faults(&self) -> Vec<Fault> {
        let fault = |key, entry, message: String, help: &str| Fault {
            key,
            entry,
            message,
            help: help.into(),
        };
        let legal = |words: &u32| (1..=WORDS_MAX).contains(words);
        if let Some(words) = self.fixed() {
            let found = format!("{words} words; expected 1 to {WORDS_MAX}");
            let wrong = (!legal(&words)).then(|| fault("words", None, found, ""));
            return wrong.into_iter().collect();
        }
        let lengths = self.words.len();
        let weights = self.weights.as_ref().map_or(lengths, Vec::len);
        if lengths == 0 || lengths > LENGTHS_MAX {
            let found = format!("found a list of {lengths}; expected 1 to {LENGTHS_MAX} lengths");
            return vec![fault("lengths", None, found, "such as lengths = [1, 5]")];
        }
        let mut faults = Vec::new();
        for (entry, words) in self
            .words
            .iter()
            .enumerate()
            .filter(|(_, words)| !legal(words))
        {
            let found = format!("{words} words; expected 1 to {WORDS_MAX}");
            faults.push(fault("lengths", Some(entry), found, ""));
        }
        if weights != lengths {
            let found = format!("found a list of {weights}; expected {lengths} weights");
            let help = "give a weight for each length, or leave them out";
            faults.push(fault("length_weights", None, found, help));
        } else if self.rows().next().is_none() {
            let help = "give some length a weight";
            faults.push(fault(
                "length_weights",
                None,
                "all weights are 0".into(),
                help,
            ));
        }
        let above = self.weights.iter().flatten().enumerate();
        for (entry, weight) in above.filter(|(_, weight)| **weight > WEIGHT_MAX) {
            let found = format!("a weight of {weight}; expected 0 to {WEIGHT_MAX}");
            faults.push(fault("length_weights", Some(entry), found, ""));
        }
        faults
    }

    /// Prints their keys.
    pub(super) fn serialize<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        if let Some(words) = self.fixed() {
            return map.serialize_entry("words", &words);
        }
        map.serialize_entry("lengths", &self.words)?;
        match &self.weights {
            Some(weights) => map.serialize_entry("length_weights", weights),
            None => Ok(()),
        }
    }

    /// Draws the words of a message. A single length takes no random number.
    pub(super) fn draw(&self, generator: &mut impl Rng) -> u32 {
        let mut rows = self.rows();
        if let (Some((words, _)), None) = (rows.next(), rows.next()) {
            return words;
        }
        let (_, all) = self.mean_fraction();
        let mut left = random::below(generator, all);
        for (words, weight) in self.rows() {
            match left.checked_sub(u64::from(weight)) {
                Some(rest) => left = rest,
                None => return words,
            }
        }
        unreachable!("what is drawn is below the sum of weights")
    }
}
