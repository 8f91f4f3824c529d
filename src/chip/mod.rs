//! chip.
