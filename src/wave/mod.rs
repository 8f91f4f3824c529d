//! wave.
