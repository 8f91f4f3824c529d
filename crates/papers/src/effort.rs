//! The amount of simulation for a paper.

/// The amount of simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Nothing.
    Formulas,
    /// Simulations that take less than a minute.
    Quick,
    /// Everything, which takes minutes and about a gigabyte.
    All,
}
