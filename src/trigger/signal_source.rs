//! Where a signal is.

/// A port of one instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Array of the fabric.
    pub array: usize,
    /// Port of its chip.
    pub port: usize,
    /// Instance of the array.
    pub instance: usize,
}
