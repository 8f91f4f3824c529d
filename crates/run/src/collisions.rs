//! Counts of the collisions of a run, as a tracer of its kind of network finds them
//! ([`CollisionTracing`]): which heads and circuits met at which level, and who won.
//!
//! Each router that rejects counts before its sender is told, so a run that is cut off may
//! have counted more here than in its [`Outcome`](crate::host::Outcome).
//!
//! Cost: that of the tracer in every cycle; engines do not take bursts. On the gate engine it is
//! hardly noticed at 1,024 nodes; on the event engine, which keeps no planes, every router is
//! asked, those at rest too, and a run takes several times as long.

use std::io::{self, Write};

use crate::observer::Observer;
use crosswave_network::Fabric;
use crosswave_network::topology::{Collision, CollisionTracer, CollisionTracing, OutputHolder};
use crosswave_probe::engine::Engine;

/// Collisions of one level.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct OfLevel {
    /// Counts by scenario and winner.
    counts: Vec<[u64; 2]>,
    /// Those of them whose head wanted to turn.
    turning: u64,
}

/// Collisions by level, scenario and winner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenarios {
    names: &'static [&'static str],
    levels: Vec<OfLevel>,
}

impl Scenarios {
    /// Creates an empty count for a network.
    pub fn new(network: &dyn CollisionTracing) -> Self {
        let names = network.scenarios();
        let of_level = OfLevel {
            counts: vec![[0; 2]; names.len()],
            turning: 0,
        };
        Scenarios {
            names,
            levels: vec![of_level; network.levels()],
        }
    }

    /// Levels of the network.
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Collisions of one kind in the routers of a level; `scenario` is a number of
    /// [`CollisionTracing::scenarios`].
    ///
    /// # Panics
    /// When the network has no such level, or no such scenario.
    pub fn count(&self, level: usize, scenario: usize, winner: OutputHolder) -> u64 {
        self.levels[level].counts[scenario][winner as usize]
    }

    /// All collisions in the routers of a level.
    ///
    /// # Panics
    /// When the network has no such level.
    pub fn total(&self, level: usize) -> u64 {
        self.levels[level].counts.iter().flatten().sum()
    }

    /// Those of them whose head wanted to turn there.
    ///
    /// # Panics
    /// When the network has no such level.
    pub fn turning(&self, level: usize) -> u64 {
        self.levels[level].turning
    }

    /// Counts one more.
    fn take(&mut self, collision: Collision) {
        let level = &mut self.levels[collision.level];
        level.counts[collision.scenario][collision.winner as usize] += 1;
        level.turning += u64::from(collision.turns);
    }

    /// Adds those of another run in a network of as many levels.
    ///
    /// # Panics
    /// When it has another number of levels.
    pub fn add(&mut self, other: &Scenarios) {
        assert_eq!(self.levels(), other.levels(), "networks of one size");
        for (all, more) in self.levels.iter_mut().zip(&other.levels) {
            let more_counts = more.counts.iter().flatten();
            for (all, more) in all.counts.iter_mut().flatten().zip(more_counts) {
                *all += more;
            }
            all.turning += more.turning;
        }
    }

    /// Writes them as CSV, one line for each level, scenario and winner, the zeros too.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(["level", "scenario", "winner", "collisions"])?;
        for level in 0..self.levels() {
            for (scenario, name) in self.names.iter().enumerate() {
                for winner in OutputHolder::ALL {
                    let count = self.count(level, scenario, winner);
                    let record = [&level.to_string(), *name, winner.name(), &count.to_string()];
                    csv.write_record(record)?;
                }
            }
        }
        csv.flush()
    }
}

/// Counts the collisions of a run.
#[derive(Debug)]
pub struct CollisionObserver<'a> {
    tracer: Box<dyn CollisionTracer + 'a>,
    found: Scenarios,
}

impl<'a> CollisionObserver<'a> {
    /// Creates an observer that has seen nothing. The fabric is the network or copies of it;
    /// those of copies are added.
    ///
    /// # Panics
    /// When it is another network.
    pub fn new(network: &dyn CollisionTracing, fabric: &'a Fabric) -> Self {
        CollisionObserver {
            tracer: network.tracer(fabric),
            found: Scenarios::new(network),
        }
    }

    /// The collisions counted so far.
    pub fn found(&self) -> &Scenarios {
        &self.found
    }
}

impl Observer for CollisionObserver<'_> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        if clocked {
            let found = &mut self.found;
            self.tracer
                .cycle(engine, &mut |collision| found.take(collision));
        }
    }
}
