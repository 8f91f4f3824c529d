//! Collisions at routers, as far as the states of these tell of them.

use std::fmt;

use crate::Fabric;
use crosswave_probe::engine::Engine;

/// The tracing of a network's collisions.
pub trait CollisionTracing: Sync {
    /// Levels of routers.
    fn levels(&self) -> usize;

    /// Scenarios: names, as in results, by the numbers that [`Collision::scenario`] has.
    fn scenarios(&self) -> &'static [&'static str];

    /// Creates a tracer of a fabric of the network, or of copies of it.
    fn tracer<'a>(&self, fabric: &'a Fabric) -> Box<dyn CollisionTracer + 'a>;
}

/// Finds collisions, cycle by cycle.
pub trait CollisionTracer: fmt::Debug {
    /// Takes in the engine's cycle, to which a clock edge has led, and calls `found` with every
    /// head that was rejected at this edge.
    fn cycle(&mut self, engine: &dyn Engine, found: &mut dyn FnMut(Collision));
}

/// A head that a router has rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collision {
    /// The level of the router.
    pub level: usize,
    /// The scenario, as a number of [`CollisionTracing::scenarios`].
    pub scenario: usize,
    /// The holder of the output that the head wanted.
    pub winner: OutputHolder,
    /// True when the head wanted to turn there.
    pub turns: bool,
}

/// The holder of the output that a rejected head wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputHolder {
    /// A head that came at the same time.
    Head,
    /// A circuit that was there.
    Circuit,
}

impl OutputHolder {
    /// Both, in the order of results.
    pub const ALL: [OutputHolder; 2] = [OutputHolder::Head, OutputHolder::Circuit];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            OutputHolder::Head => "head",
            OutputHolder::Circuit => "circuit",
        }
    }
}

/// The reason why the collisions of a network cannot be traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Untraced {
    /// The obstacle.
    pub why: &'static str,
    /// The place where they can be seen instead.
    pub instead: &'static str,
}

impl Untraced {
    /// That of networks without more to say.
    pub const DEFAULT: Untraced = Untraced {
        why: "collisions are not traced in networks of this kind",
        instead: "the JSON has where attempts were rejected or packets lost",
    };
}
