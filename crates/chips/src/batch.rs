//! Chips of one kind that are evaluated at one clock edge.

use super::{Model, RandomPins};

/// So many chips at most are in a [`ChipBatch`].
pub const BATCH_MOST: usize = 64;

/// Chips of one kind whose edges are taken together, [`BATCH_MOST`] at most.
pub trait ChipBatch<M: Model> {
    /// The random pins of one.
    type Random<'a>: RandomPins
    where
        Self: 'a;

    /// Number of chips in the batch.
    fn count(&self) -> usize;

    /// The operands of an edge of one chip.
    fn chip(&mut self, at: usize) -> Operands<'_, M, Self::Random<'_>>;
}

/// Everything that [`Model::step`] reads and writes of a chip.
pub struct Operands<'a, M: Model, R> {
    /// Its registers.
    pub state: &'a mut M::State,
    /// Its pins.
    pub pins: &'a M::Pins,
    /// Its random pins.
    pub random: R,
    /// Words that arrive at the link ports.
    pub arriving: &'a M::Words,
    /// Words that the link ports drive after the edge.
    pub driven: &'a mut M::Words,
}
