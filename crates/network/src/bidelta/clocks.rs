//! Clocks of the ways through a bidelta network, looked up.
//!
//! Wires within a stack take no clocks, and all that leave one for the next are told apart by the
//! number of the stack and the digits decided there: a table for each place between stacks, of
//! 2^18 bytes at most.

use super::shape::{BideltaShape, Router};
use super::{Bidelta, StageWires};

/// The clocks of all ways of a network.
#[derive(Debug)]
pub struct RouteClocks {
    /// Clocks that all ways take.
    common: u64,
    /// Clocks of the bytes that are swallowed.
    swallowed: u64,
    crossings: Vec<Crossing>,
}

/// The wires between two stacks of a row.
#[derive(Debug)]
struct Crossing {
    /// Position of the stack's number in that of the source, and its bits.
    source: (u32, u32),
    /// Position of the first decided digit in the destination.
    decided: u32,
    /// Extra clocks, by the digits decided and the number of the stack in the low bits.
    delays: Vec<u8>,
}

impl Crossing {
    fn new(network: &Bidelta, stack: usize) -> Crossing {
        let shape = network.shape();
        let before: u32 = (0..stack).map(|stack| shape.taken_bits(stack)).sum();
        let bits = shape.source_bits(stack);
        let stages: u32 = network.stacks()[..=stack].iter().sum();
        let delay = |index: u32| {
            let decided = index >> bits;
            let last = Router {
                stage: stages - 1,
                source: index & ((1 << bits) - 1),
                decided: decided >> 6,
                group: (decided & 63) >> 2,
                position: 0,
            };
            let (next, _) = shape.next(last, decided & 3, 0);
            u8::try_from(network.delay(last, next)).expect("RN1 has five bits for it")
        };
        Crossing {
            source: (shape.position_bits(0) + 2 + before, bits),
            decided: 2 * (network.stages - stages),
            delays: (0..1 << (2 * stages + bits)).map(delay).collect(),
        }
    }

    fn delay(&self, source: u32, destination: u32) -> u64 {
        let (shift, bits) = self.source;
        let stack = source >> shift & ((1 << bits) - 1);
        u64::from(self.delays[(destination >> self.decided << bits | stack) as usize])
    }
}

impl RouteClocks {
    /// Those of a network.
    pub fn new(network: &Bidelta) -> RouteClocks {
        let BideltaShape { stages } = network.shape();
        let between = network.stacks().len() - 1;
        let (given, crossings) = match &network.wires {
            StageWires::Given(delays) => (delays.iter().sum(), Vec::new()),
            StageWires::Geometry => {
                let crossing = |stack| Crossing::new(network, stack);
                (0, (0..between).map(crossing).collect())
            }
        };
        RouteClocks {
            common: u64::from(stages + given + network.loop_back),
            swallowed: between as u64,
            crossings,
        }
    }

    /// Clocks from the one in which a word is on a source's wire to the one in which it is on
    /// the destination's, once the connection is open (equation 4.41).
    #[inline]
    pub fn connect(&self, source: u32, destination: u32) -> u64 {
        let crossings = self.crossings.iter();
        let delays = crossings.map(|crossing| crossing.delay(source, destination));
        self.common + delays.sum::<u64>()
    }

    /// The same for the first word that arrives when a connection is opened, from the
    /// first routing byte on: every swallowed byte takes a clock.
    #[inline]
    pub fn open(&self, source: u32, destination: u32) -> u64 {
        self.connect(source, destination) + self.swallowed
    }
}
