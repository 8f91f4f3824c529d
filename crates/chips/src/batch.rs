//! Chips of one kind that are evaluated at one clock edge.

use super::{Model, RandomPins};

/// So many chips at most are in a [`Batch`].
pub const BATCH_MOST: usize = 64;

/// Chips of one kind whose edges are taken together, [`BATCH_MOST`] at most.
pub trait Batch<M: Model> {
    /// The random pins of one.
    type Random<'a>: RandomPins
    where
        Self: 'a;

    /// How many there are.
    fn count(&self) -> usize;

    /// What an edge reads and writes of one.
    fn chip(&mut self, at: usize) -> Operands<'_, M, Self::Random<'_>>;
}

/// What [`Model::step`] reads and writes of a chip.
pub struct Operands<'a, M: Model, R> {
    /// Its registers.
    pub state: &'a mut M::State,
    /// Its pins.
    pub pins: &'a M::Pins,
    /// Its random pins.
    pub random: R,
    /// What arrives.
    pub arriving: &'a M::Words,
    /// What is driven after the edge.
    pub driven: &'a mut M::Words,
}
