//! What is simulated for the quantities of the paper.

use crate::analytic::bidelta::Bidelta;
use crate::analytic::unit_trees::UnitTrees;
use crate::analytic::wires::Geometry;
use crate::diagnostic::Error;
use crate::papers::dehon1990::local_routing::{LocalPoint, LocalRouting};
use crate::papers::dehon1990::path::{PathClocks, PlacedPath, of_pairs, through};
use crate::papers::dehon1990::routing::{RoutedPoint, Routing};
use crate::papers::dehon1990::trees::{Counted, SimulatedTree, counted};
use crate::papers::dehon1990::turning;
use crate::papers::dehon1990::turning::{ReplyPoint, Way};
use crate::papers::dehon1990::{locality_quantities, tree_quantities, trees};
use crate::papers::watch::{Effort, Watch, go_on};

/// Pairs of nodes of a network whose wires are as long as they are.
const PAIRS: u32 = 16;
/// The most processors of trees that the quick check builds.
const QUICK_PROCESSORS: u64 = 50_000;
/// Loads of the routing statistics that are checked; the figure has more.
const LOADS: [f64; 2] = [0.5, 1.0];

/// What was simulated. Everything may be absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Simulated {
    /// Networks that were built and run.
    pub networks: Vec<SimulatedBidelta>,
    /// Points of Figure 4.19.
    pub routed: Vec<RoutedPoint>,
    /// Clocks to replies with one processor that sends.
    pub replies: Vec<ReplyPoint>,
    /// What was counted of unit trees.
    pub counted: Option<Counted>,
    /// Fat trees that were built and run.
    pub trees: Vec<SimulatedTree>,
    /// Routing statistics of fat trees.
    pub local: Vec<LocalPoint>,
}

/// What was simulated of one bidelta network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SimulatedBidelta {
    /// Routing stages, 3 to 10.
    pub stages: u32,
    /// Chips in the network that was built.
    pub chips: Option<u64>,
    /// A path whose wires between stack stages take the clocks of the longest wires:
    /// [`Bidelta::worst_wire_clocks`] with
    /// [`Rounding::Stage`](crate::analytic::bidelta::Rounding) in all.
    pub worst: Option<PathClocks>,
    /// A path whose wires take [`Bidelta::best_wire_clocks`] in all.
    pub best: Option<PathClocks>,
    /// Paths whose wires are as long as the places of stacks make them.
    pub placed: Vec<PlacedPath>,
}

/// Simulates as much as is asked for. Networks of more than 65,536 nodes take most of the
/// time and are left to [`Effort::All`].
///
/// # Errors
/// When someone asks to stop.
pub fn simulate(effort: Effort, watch: &mut dyn Watch) -> Result<Simulated, Error> {
    let (sizes, of_routing) = match effort {
        Effort::Formulas => return Ok(Simulated::default()),
        Effort::Quick => (3..=8, 3..=6),
        Effort::All => (3..=10, 3..=7),
    };
    let mut simulated = Simulated {
        counted: Some(counted(watch)?),
        ..Simulated::default()
    };
    let few = |tree: &UnitTrees| effort == Effort::All || tree.processors() <= QUICK_PROCESSORS;
    for tree in tree_quantities::trees().filter(few) {
        go_on(watch)?;
        simulated.trees.push(trees::simulated(tree, watch));
    }
    for (tree, two_crossbars) in locality_quantities::routed_trees(effort) {
        go_on(watch)?;
        let mut routing = LocalRouting::new(tree, two_crossbars);
        let points = LOADS.map(|load| routing.point(load, watch));
        simulated.local.extend(points);
    }
    for stages in sizes {
        go_on(watch)?;
        simulated.networks.push(paths(stages, watch));
    }
    for stages in of_routing {
        go_on(watch)?;
        let mut routing = Routing::new(stages);
        let points = LOADS.map(|load| routing.point(load, watch));
        simulated.routed.extend(points);
    }
    for stages in [3, 4] {
        for way in Way::ALL {
            go_on(watch)?;
            simulated
                .replies
                .push(turning::point(stages, way, 1, 2, watch));
        }
    }
    Ok(simulated)
}

fn paths(stages: u32, watch: &mut dyn Watch) -> SimulatedBidelta {
    let network = Bidelta::new(stages).expect("the tables have networks of 3 to 10 stages");
    let worst = |side| Geometry::DEHON.diagonal_cycles(side) as u32;
    let sides = network.convergence_sides();
    let worst: Vec<u32> = sides.into_iter().map(worst).collect();
    let worst = through(stages, &behind_stacks(network, &worst), watch);
    let best = if network.stack_stages() == 1 {
        worst
    } else {
        let clocks = vec![1; network.stack_stages() as usize - 1];
        through(stages, &behind_stacks(network, &clocks), watch)
    };
    SimulatedBidelta {
        stages,
        chips: Some(worst.chips),
        worst: Some(worst.clocks),
        best: Some(best.clocks),
        placed: of_pairs(stages, PAIRS, watch),
    }
}

/// Clocks of the wires behind each stage but the last, given those behind each stack but
/// the last.
fn behind_stacks(network: Bidelta, clocks: &[u32]) -> Vec<u32> {
    let mut wires = vec![0; network.stages() as usize - 1];
    let mut stage = 0;
    for (stack, &clocks) in network.stacks().iter().zip(clocks) {
        stage += stack.stages as usize;
        wires[stage - 1] = clocks;
    }
    wires
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analytic::bidelta::Rounding;

    #[test]
    fn wires_lie_behind_stacks() {
        let network = Bidelta::new(8).expect("a size of the range");
        assert_eq!(behind_stacks(network, &[3, 9]), [0, 0, 3, 0, 0, 9, 0]);
    }

    #[test]
    fn simulated_paths_are_as_long_as_the_equations_say() {
        for stages in 3..=6 {
            let network = Bidelta::new(stages).expect("a size of the range");
            let clocks = |wires| PathClocks {
                connect: network.connect_clocks(wires),
                open: network.open_clocks(wires),
            };
            let found = paths(stages, &mut ());
            let worst = network.worst_wire_clocks(&Geometry::DEHON, Rounding::Stage);
            assert_eq!(found.chips, Some(network.chips()));
            assert_eq!(found.worst, Some(clocks(worst)));
            assert_eq!(found.best, Some(clocks(network.best_wire_clocks())));
            assert_eq!(found.placed.len(), PAIRS as usize);
            for path in found.placed {
                assert_eq!(path.clocks, clocks(path.wire_clocks));
            }
        }
    }
}
