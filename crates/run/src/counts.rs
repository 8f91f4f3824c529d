//! Counts over all replicates of a run, as far as they are asked for: collisions, and the use of links.

use std::borrow::Cow;

use crate::collisions::{CollisionObserver, Scenarios};
use crate::links::{LinkCounts, LinkObserver};
use crate::monitors::{MonitorCounts, MonitorObserver};
use crate::simulation::Simulation;
use crosswave_network::Fabric;

/// The counts.
#[derive(Debug, Clone, Default)]
pub struct RunCounts {
    /// Collisions.
    pub scenarios: Option<Scenarios>,
    /// The use of links.
    pub links: Option<LinkCounts>,
    /// Properties that routers broke.
    pub monitors: Option<MonitorCounts>,
}

/// Counts what replicates do that share an engine.
pub type Counting<'a> = (
    Option<CollisionObserver<'a>>,
    (Option<LinkObserver<'a>>, Option<MonitorObserver<'a>>),
);

impl RunCounts {
    /// No counts yet.
    pub fn none(simulation: &Simulation, collisions: bool, links: bool) -> RunCounts {
        let (network, fabric) = (simulation.network(), simulation.fabric());
        let traced = network.collisions().ok().filter(|_| collisions);
        RunCounts {
            scenarios: traced.map(Scenarios::new),
            links: links.then(|| LinkCounts::new(network, fabric)).flatten(),
            monitors: MonitorCounts::new(network, fabric),
        }
    }

    /// Adds those of other replicates.
    pub fn add(&mut self, other: &RunCounts) {
        if let (Some(all), Some(more)) = (&mut self.scenarios, &other.scenarios) {
            all.add(more);
        }
        if let (Some(all), Some(more)) = (&mut self.links, &other.links) {
            all.add(more);
        }
        if let (Some(all), Some(more)) = (&mut self.monitors, &other.monitors) {
            all.add(more);
        }
    }

    /// The fabric on which so many replicates run together, if something is counted: copies of the
    /// network's.
    pub fn fabric<'a>(
        &self,
        simulation: &'a Simulation,
        replicates: usize,
    ) -> Option<Cow<'a, Fabric>> {
        let is_needed = self.scenarios.is_some() || self.links.is_some() || self.monitors.is_some();
        let fabric = simulation.fabric();
        is_needed.then(|| match replicates {
            1 => Cow::Borrowed(fabric),
            count => Cow::Owned(fabric.replicated(count.next_power_of_two())),
        })
    }

    /// An observer that counts the same on a fabric, from these counts on; the first replicate has a number.
    pub fn observer<'a>(
        &self,
        simulation: &'a Simulation,
        fabric: Option<&'a Fabric>,
        first: u32,
    ) -> Counting<'a> {
        let network = simulation.network();
        let traced = network
            .collisions()
            .ok()
            .filter(|_| self.scenarios.is_some());
        let collisions = traced
            .zip(fabric)
            .map(|(network, fabric)| CollisionObserver::new(network, fabric));
        let links = self.links.clone().zip(fabric);
        let links = links.map(|(counts, fabric)| LinkObserver::new(network, fabric, counts));
        let monitors = self.monitors.clone().zip(fabric);
        let monitors = monitors.map(|(counts, fabric)| {
            let fabrics = [simulation.fabric(), fabric];
            MonitorObserver::new(network, fabrics, first, counts)
        });
        (collisions, (links, monitors))
    }

    /// Those of an observer.
    pub fn of((collisions, (links, monitors)): Counting<'_>) -> RunCounts {
        RunCounts {
            scenarios: collisions.map(|observer| observer.found().clone()),
            links: links.map(LinkObserver::finish),
            monitors: monitors.map(MonitorObserver::finish),
        }
    }
}
