//! Bidelta networks of the tables, built, and paths through them: with the longest wires, the
//! shortest ones, and wires as long as the places of stacks make them.

use super::path::{PathClocks, PlacedPath, of_pairs, through};
use crosswave_analytic::bidelta::Bidelta;
use crosswave_analytic::wires::Geometry;
use crosswave_observe::points::watch::Watch;

/// Pairs of nodes of a network whose wires are as long as they are.
const PAIRS: u32 = 16;

/// Simulation results of one bidelta network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SimulatedBidelta {
    /// Routing stages, 3 to 10.
    pub stages: u32,
    /// Chips in the network that was built.
    pub chips: Option<u64>,
    /// A path whose wires between stack stages take the clocks of the longest wires:
    /// [`Bidelta::worst_wire_clocks`] with
    /// [`Rounding::Stage`](crosswave_analytic::bidelta::Rounding) in all.
    pub worst: Option<PathClocks>,
    /// A path whose wires take [`Bidelta::best_wire_clocks`] in all.
    pub best: Option<PathClocks>,
    /// Paths whose wires are as long as the places of stacks make them.
    pub placed: Vec<PlacedPath>,
}

/// Builds the network of `4^stages` nodes three times, and opens connections through it.
///
/// # Panics
/// When there is no network of so many stages.
pub fn paths(stages: u32, watch: &mut dyn Watch) -> SimulatedBidelta {
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
    use crosswave_analytic::bidelta::Rounding;

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
