//! gate.
