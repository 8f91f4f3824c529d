//! How much is simulated for a paper.

/// How much is simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Nothing.
    Formulas,
    /// What takes less than a minute.
    Quick,
    /// Everything, which takes minutes and about a gigabyte.
    All,
}
