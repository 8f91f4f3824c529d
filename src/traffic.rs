//! Messages that the nodes send.

use std::path::Path;

use serde::Serialize;

use crate::keys::{Keys, setters};
use crosswave_network::traffic::Replay;

/// Messages of the nodes of a network: by a pattern, at a steady load, or recorded ones.
///
/// Methods set the keys of a pattern or a trace; what a pattern does not take is refused when the
/// configuration is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traffic {
    pub(crate) keys: Keys,
}

impl Traffic {
    fn pattern(name: &str) -> Traffic {
        let mut keys = Keys::default();
        keys.set("traffic", "pattern", name);
        Traffic { keys }
    }

    fn with(mut self, key: &'static str, value: impl Serialize) -> Traffic {
        self.keys.set("traffic", key, value);
        self
    }

    /// Random sources, all nodes unless told otherwise, each to another node that is drawn.
    pub fn random() -> Traffic {
        Traffic::pattern("random")
    }

    /// One source and one destination, two nodes.
    pub fn pair(source: u32, destination: u32) -> Traffic {
        let pattern = Traffic::pattern("pair");
        pattern
            .with("source", source)
            .with("destination", destination)
    }

    /// Pairs of a source and a destination, in order.
    pub fn pairs(pairs: impl IntoIterator<Item = (u32, u32)>) -> Traffic {
        let pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
        Traffic::pattern("pairs").with("pairs", pairs)
    }

    /// Random sources, all others unless told otherwise, to one node.
    pub fn hot_spot(destination: u32) -> Traffic {
        Traffic::pattern("hot-spot").with("destination", destination)
    }

    /// The permutation that exchanges the halves of the bits of an address.
    pub fn transpose() -> Traffic {
        Traffic::pattern("transpose")
    }

    /// The permutation that reverses the bits of an address.
    pub fn bit_reversal() -> Traffic {
        Traffic::pattern("bit-reversal")
    }

    /// The permutation that adds `shift` to an address, 1 to the number of nodes less one.
    pub fn cyclic_shift(shift: u32) -> Traffic {
        Traffic::pattern("cyclic-shift").with("shift", shift)
    }

    /// Random messages in cycles 1 to `cycles`, 1 to 10^9: every node offers `load` body words per
    /// cycle on average, above 0 and at most 1, with six decimals.
    pub fn steady(load: f64, cycles: u64) -> Traffic {
        let pattern = Traffic::pattern("steady");
        pattern.with("load", load).with("cycles", cycles)
    }

    /// Messages that were recorded, in a CSV file. A relative path is one from the current folder.
    pub fn trace(file: impl AsRef<Path>) -> Traffic {
        let mut keys = Keys::default();
        keys.set("traffic", "trace", file.as_ref().to_string_lossy());
        Traffic { keys }
    }

    setters! {
        /// So many sources, instead of all nodes that can send; of patterns.
        sources(count: u32) = "traffic".messages;
        /// Body words of a message, 1 to 2^20; of patterns and steady traffic.
        words(words: u32) = "traffic".words;
        /// Messages of a burst on average, 1 to 10^6; of steady traffic. They have one destination.
        burst_messages(messages: u32) = "traffic".burst_messages;
        /// Messages of each source, one after another, 1 to 10^6; of patterns.
        repeat(messages: u32) = "traffic".repeat;
        /// So many sources beside those of a hot spot, which send to random nodes.
        random_sources(count: u32) = "traffic".random_messages;
        /// Destinations that are drawn among all nodes. A message to its own source is not sent; of
        /// random traffic.
        to_all() = "traffic".destinations = "all";
        /// Destinations by their distance, with the weights that fit the network; of random and
        /// steady traffic in Transit's fat trees.
        to_near() = "traffic".destinations = "local";
        /// Each destination has the coordinates x and y of its source exchanged, in a square grid; in
        /// other networks, the halves of the address bits. Of steady traffic, as those that follow: nodes
        /// whose destination is themselves do not send.
        to_transpose() = "traffic".destinations = "transpose";
        /// The destination has the address bits of its source in reverse order.
        to_bit_reversal() = "traffic".destinations = "bit-reversal";
        /// The destination has the complement of each address bit of its source.
        to_bit_complement() = "traffic".destinations = "bit-complement";
        /// The destination has the address bits of its source rotated upwards by one.
        to_shuffle() = "traffic".destinations = "shuffle";
        /// The destination is nearly half the way round each axis.
        to_tornado() = "traffic".destinations = "tornado";
        /// The destination is the next node along each axis.
        to_neighbour() = "traffic".destinations = "neighbour";
        /// The cycle up to which nothing is measured; of steady traffic.
        warmup_cycles(cycles: u64) = "traffic".warmup_cycles;
        /// Cycles per microsecond, above 0 and at most 10^5; of traces.
        clock_mhz(megahertz: f64) = "traffic".clock_mhz;
        /// A factor on recorded times, above 0 and at most 10^6.
        time_scale(factor: f64) = "traffic".time_scale;
        /// A factor on recorded bytes, above 0 and at most 10^6.
        bytes_scale(factor: f64) = "traffic".bytes_scale;
        /// Bytes that a word carries, 1 to 65,536; of traces.
        bytes_per_word(bytes: u32) = "traffic".bytes_per_word;
        /// The first messages of a trace only, 1 to 2^24.
        limit(messages: u64) = "traffic".limit;
    }

    /// Lengths of messages in body words, 1 to 2^20, one of which is drawn for each message, with a
    /// weight each, 0 to 10^6 and not all 0; of steady traffic.
    pub fn lengths(self, lengths: impl AsRef<[(u32, u32)]>) -> Traffic {
        let (words, weights): (Vec<u32>, Vec<u32>) = lengths.as_ref().iter().copied().unzip();
        self.with("lengths", words.as_slice())
            .with("length_weights", weights.as_slice())
    }

    /// Destinations by their distance: a weight for each level of the network, the lowest first,
    /// 0 to 10^6 and not all 0; of random and steady traffic.
    pub fn to_levels(self, weights: impl AsRef<[u32]>) -> Traffic {
        self.to_near().with("levels", weights.as_ref())
    }

    /// A share of the messages of each node, above 0 and at most 1, is for one node, and the rest for
    /// the others; of steady traffic.
    pub fn to_hot_spot(self, node: u32, share: f64) -> Traffic {
        let traffic = self.with("destinations", "hot-spot");
        traffic.with("destination", node).with("hot_share", share)
    }

    /// Destinations by the weights in a CSV file with the columns `source,destination,weight`; of steady
    /// traffic. A relative path is one from the current folder.
    pub fn to_matrix(self, file: impl AsRef<Path>) -> Traffic {
        let traffic = self.with("destinations", "matrix");
        traffic.with("matrix", file.as_ref().to_string_lossy())
    }

    /// Each source sends its next message of a trace when the last one was acknowledged, instead
    /// of at its recorded time.
    pub fn in_order(self) -> Traffic {
        self.with("replay", Replay::InOrder.name())
    }
}
