//! Keys of the endpoints of a network of a designer's own routers.

/// Keys of endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointKeys {
    /// In so many of 256 cycles sinks refuse flits.
    pub stall: u32,
    /// Cycles that a new attempt waits at most, where it is said; of circuits only.
    pub retry_cycles: Option<u32>,
}

/// Cycles that a new attempt waits at most, unless said otherwise.
pub(super) const RETRY_CYCLES: u32 = 15;
