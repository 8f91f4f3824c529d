//! Monitors: properties of a designer's own routers that are looked at in every cycle of a run.
//!
//! Each router has a bit for each property in its netlist, which stays 1 from the cycle after the first breach
//! on ([`Monitor`]). So a breach is found in the lanes in which routers run, and told once for each router.
//!
//! Cost: the rules take gates as the router does, and a word for each property and 64 routers is read in each
//! cycle. Engines do not take bursts.

use serde::Serialize;

use crate::observer::Observer;
use crosswave_component::checked::Monitor;
use crosswave_network::Fabric;
use crosswave_network::topology::Topology;
use crosswave_probe::engine::Engine;

/// Breaches that are kept.
const KEPT: usize = 1000;

/// A property that a router broke.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BrokenProperty {
    /// The replicate.
    pub replicate: u32,
    /// The router.
    pub router: String,
    /// The link and its direction, or `router`.
    pub place: String,
    /// The name of the property.
    pub property: &'static str,
    /// The sentence that it stands for.
    pub sentence: &'static str,
    /// The cycle in which it was broken first.
    pub cycle: u64,
}

/// The breaches that monitors found, over replicates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MonitorCounts {
    /// Properties of all routers that are looked at.
    pub properties: u64,
    /// Breaches, in the order of their cycles.
    pub broken: Vec<BrokenProperty>,
    /// Further ones.
    pub left_out: u64,
}

impl MonitorCounts {
    /// Nothing found yet; `None` where routers have no monitors.
    pub fn new(network: &dyn Topology, fabric: &Fabric) -> Option<MonitorCounts> {
        let arrays = watched(network, fabric);
        let instances = |array: usize| fabric.arrays[array].instances;
        let properties: usize = arrays
            .iter()
            .map(|(array, monitors)| instances(*array) * monitors.len())
            .sum();
        (properties > 0).then(|| MonitorCounts {
            properties: properties as u64,
            ..MonitorCounts::default()
        })
    }

    /// Adds what was found in other replicates.
    pub fn add(&mut self, other: &MonitorCounts) {
        other
            .broken
            .iter()
            .for_each(|found| self.keep(found.clone()));
        self.left_out += other.left_out;
    }

    fn keep(&mut self, found: BrokenProperty) {
        match self.broken.len() < KEPT {
            true => self.broken.push(found),
            false => self.left_out += 1,
        }
    }
}

/// The arrays of routers with monitors.
fn watched(network: &dyn Topology, fabric: &Fabric) -> Vec<(usize, &'static [Monitor])> {
    let components = network.monitored();
    let arrays = fabric.router_arrays();
    let found = arrays.filter_map(|array| {
        let chip = fabric.arrays[array].chip.name;
        let mut components = components.iter();
        let component = components.find(|component| component.router.chip.name == chip)?;
        Some((array, &*component.monitors))
    });
    found.collect()
}

/// A bit of all instances of an array.
#[derive(Debug)]
struct MonitorPlane {
    array: usize,
    monitor: &'static Monitor,
    /// Instances that broke it, 64 to a word.
    seen: Vec<u64>,
}

/// Looks at monitors while a run goes on.
#[derive(Debug)]
pub struct MonitorObserver<'a> {
    /// The fabric of one replicate, and that of all that run together.
    fabrics: [&'a Fabric; 2],
    planes: Vec<MonitorPlane>,
    words: Vec<u64>,
    counts: MonitorCounts,
    /// The number of the first replicate.
    first: u32,
}

impl<'a> MonitorObserver<'a> {
    /// An observer of a run on a fabric, and on copies of it: a copy for each replicate from the first one on.
    pub fn new(
        network: &dyn Topology,
        [one, all]: [&'a Fabric; 2],
        first: u32,
        counts: MonitorCounts,
    ) -> MonitorObserver<'a> {
        let mut planes = Vec::new();
        for (array, monitors) in watched(network, all) {
            let words = all.arrays[array].instances.div_ceil(64);
            planes.extend(monitors.iter().map(|monitor| MonitorPlane {
                array,
                monitor,
                seen: vec![0; words],
            }));
        }
        let words = planes.iter().map(|plane| plane.seen.len()).max();
        MonitorObserver {
            fabrics: [one, all],
            words: vec![0; words.unwrap_or(0)],
            planes,
            counts,
            first,
        }
    }

    /// The breaches that were found.
    pub fn finish(self) -> MonitorCounts {
        self.counts
    }
}

impl Observer for MonitorObserver<'_> {
    fn cycle(&mut self, engine: &dyn Engine, _clocked: bool) {
        let [one, all] = self.fabrics;
        for plane in &mut self.planes {
            let (array, monitor) = (plane.array, plane.monitor);
            let instances = all.arrays[array].instances;
            let words = &mut self.words[..plane.seen.len()];
            engine.plane(array, monitor.port, monitor.bit, instances, words);
            for (at, (word, seen)) in words.iter().zip(&mut plane.seen).enumerate() {
                let mut new = word & !*seen;
                *seen |= word;
                while new != 0 {
                    let instance = at * 64 + new.trailing_zeros() as usize;
                    new &= new - 1;
                    let (copy, instance) = all.copies.split(instance);
                    // Copies are filled up with further instances.
                    if instance >= one.arrays[array].instances {
                        continue;
                    }
                    self.counts.keep(BrokenProperty {
                        replicate: self.first + copy as u32,
                        router: one.instance_name(array, instance),
                        place: monitor.place.clone(),
                        property: monitor.property,
                        sentence: monitor.sentence,
                        // The bit is a register.
                        cycle: engine.cycle().saturating_sub(1),
                    });
                }
            }
        }
    }
}
