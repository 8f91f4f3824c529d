//! Bounds on schedules by the lemmas and theorems of section 3, with 1 for the constants that
//! they leave open. A schedule that takes longer contradicts none of them; how many times
//! longer, at growing sizes, is what can be held against them.

use crate::shape::{Family, FrameShape};

/// Lemmas 3.1 and 3.2, corollary 3.1, theorems 3.2 and 3.4: the steps of a ring of n nodes with
/// up to q packets each, nq. It is the bound of the sink's queue as well where nothing holds
/// packets back.
pub fn ring(nodes: u32, packets: u64) -> u64 {
    u64::from(nodes) * packets
}

/// The queue of lemma 3.1: q. (Its proof says nq, and then that no queue grows.)
pub fn lemma_3_1_queue(packets: u64) -> u64 {
    packets
}

/// Theorems 3.3 and 3.5, of a packet a processor: N + n log_n N steps in a general stack,
/// N + log_n N in an augmented one. `None` of other families.
pub fn network(shape: FrameShape) -> Option<u64> {
    let (processors, levels) = (u64::from(shape.processors()), u64::from(shape.levels()));
    match shape.family() {
        Family::GeneralFatStack => Some(processors + u64::from(shape.ring()) * levels),
        Family::AugmentedFatStack => Some(processors + levels),
        Family::ButterflyFatTree | Family::FatPyramid => None,
    }
}
