//! A straight-line program over planes of memory: what one clock edge computes.
//!
//! Values are lane words of `W` 64-bit words. A *place* is a plane of a region;
//! plane `p` of a region is its words `p * W` to `p * W + W`.
//!
//! | region | holds | access |
//! |---|---|---|
//! | [`STATE`] | registers | read and written in place: every leaf is read as it was before |
//! | [`NEXT`] | results | written |
//! | 2, 3, ... | inputs | read |

use crate::netlist::{Lut, Value};

/// The region that is read and written in place.
pub const STATE: u8 = 0;

/// The region that is only written.
pub const NEXT: u8 = 1;

/// Where a value lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The region.
    pub region: u8,
    /// The plane.
    pub plane: u32,
}

/// A straight-line program. The places of the sinks are all different.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StraightLine {
    /// Where each leaf is read; not in [`NEXT`].
    pub leaves: Vec<Location>,
    /// The functions; each comes after those it reads.
    pub functions: Vec<Lut>,
    /// What is written where; in [`STATE`] and [`NEXT`] only.
    pub sinks: Vec<(Value, Location)>,
}
