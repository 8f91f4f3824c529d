//! Fat trees of unit trees, built and counted, and connections through them: Tables 2.1, 2.2,
//! 3.1 to 3.6 and 4.4 to 4.7.

use std::collections::{BTreeMap, BTreeSet};

use super::bench::{Bench, INTERFACE_OPTIONS};
use super::path::{PathClocks, between};
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_analytic::wires::Geometry;
use crosswave_base::diagnostic::Error;
use crosswave_chips::rn1::PORTS_A_SIDE;
use crosswave_chips::routing::transit::{Climb, Stage, TransitForm};
use crosswave_network::transit::{
    Dispersion, NODES, ROUTERS, RouterPosition, StackWires, Transit, UpStage,
};
use crosswave_network::{Fabric, LinkPort};
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// Seed of the choices that routers make.
const SEED: u64 = 1;
/// Wires of a channel.
const WIRES: u64 = 9;

/// A tree whose wires between stacks take so many clocks.
pub(super) fn tree(form: TransitForm, clocks: Vec<u32>) -> Transit {
    Transit {
        form,
        up_stage: UpStage::Standard,
        climb: Climb::Directions,
        dispersion: Dispersion::Full,
        wires: StackWires::Given(clocks),
        interface: INTERFACE_OPTIONS,
    }
}

/// One end of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Router(RouterPosition),
    /// A node, by its number.
    Node(u32),
}

/// A channel that leads forward.
#[derive(Debug, Clone, Copy)]
struct Channel {
    from: End,
    /// The direction in which it leaves a router.
    direction: u32,
    to: End,
}

/// All channels of a tree that are joined at both ends, found by following its links.
fn channels(tree: &Transit, fabric: &Fabric) -> Vec<Channel> {
    let routers = fabric.arrays[ROUTERS].instances;
    let places: Vec<RouterPosition> = (0..routers as u32)
        .map(|router| tree.place(router))
        .collect();
    let end = |port: LinkPort| match port.array {
        ROUTERS => End::Router(places[port.instance]),
        _ => End::Node(port.instance as u32),
    };
    let port = |array, instance, link| LinkPort {
        array,
        instance,
        link,
    };
    let outputs = (0..routers).flat_map(|router| {
        (PORTS_A_SIDE..2 * PORTS_A_SIDE).map(move |link| port(ROUTERS, router, link))
    });
    let nodes = (0..fabric.nodes).flat_map(|node| [port(NODES, node, 0), port(NODES, node, 1)]);
    let joined = nodes.chain(outputs).filter_map(|from| {
        let to = fabric.peer(from)?;
        let direction = match from.array {
            ROUTERS => (from.link - PORTS_A_SIDE) as u32 / 2,
            _ => 0,
        };
        Some(Channel {
            from: end(from),
            direction,
            to: end(to),
        })
    });
    joined.collect()
}

/// The counts of a stack.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CountedStack {
    /// Components of the stage up, and of levels 3, 2 and 1 down.
    pub components: [u64; 4],
    /// Channels from the leaves and towards them, towards the root and from it.
    pub channels: [u64; 4],
    /// Children, and stacks above, with a channel.
    pub neighbours: [u64; 2],
    /// Channels that leave the stage up beyond level 1, 2 and 3: those that pass these boards.
    pub passing: [u64; 3],
}

impl CountedStack {
    /// Wires of all channels at the bottom, and at the top.
    pub fn wires(&self) -> [u64; 2] {
        let [up, down, to_root, from_root] = self.channels;
        [(up + down) * WIRES, (to_root + from_root) * WIRES]
    }
}

/// Counts the first stack of a layer. Channels at the top of a tree, which lead nowhere, are
/// counted by the ports that they would have.
fn stack(tree: &Transit, layer: u32, all: &[Channel]) -> CountedStack {
    let own = |end: End, stage: Stage| matches!(end, End::Router(place) if place.stage == stage && place.unit == 0 && place.stack == 0);
    let up = Stage::Up(layer);
    let levels = [3, 2, 1].map(|level| Stage::Down(layer, level));
    let is_of_stack = |end: End| own(end, up) || levels.iter().any(|&level| own(end, level));
    // The child that a channel comes from, or goes to.
    let child = |end: End| match end {
        End::Router(place) => place.unit,
        End::Node(node) => node,
    };
    let mut counted = CountedStack::default();
    let mut routers: [BTreeSet<u32>; 4] = Default::default();
    let mut children = [BTreeSet::new(), BTreeSet::new()];
    let mut above = BTreeSet::new();
    let mut lateral_to_top = 0;
    for channel in all {
        for end in [channel.from, channel.to] {
            for (found, stage) in routers.iter_mut().zip([up].into_iter().chain(levels)) {
                if let (true, End::Router(place)) = (own(end, stage), end) {
                    found.insert(place.index);
                }
            }
        }
        let to_own = is_of_stack(channel.to);
        if own(channel.to, up) {
            counted.channels[0] += 1;
            children[0].insert(child(channel.from));
        }
        if own(channel.from, levels[2]) {
            counted.channels[1] += 1;
            children[1].insert(child(channel.to));
        }
        if own(channel.from, up) && own(channel.to, levels[0]) {
            lateral_to_top += 1;
        }
        let climbs = own(channel.from, up) && channel.direction == 3;
        if let (true, false, End::Router(place)) = (climbs, to_own, channel.to) {
            above.insert((place.unit, place.stack));
        }
        if own(channel.from, up) {
            for (passing, level) in counted.passing.iter_mut().zip(1..) {
                *passing += u64::from(channel.direction >= level);
            }
        }
    }
    counted.components = routers.map(|found| found.len() as u64);
    assert_eq!(children[0], children[1], "the same children both ways");
    counted.neighbours = [children[0].len() as u64, above.len() as u64];
    // Ports of direction 11, and of level 3 that no channel from the side has.
    counted.channels[2] = 2 * counted.components[0];
    counted.channels[3] = PORTS_A_SIDE as u64 * counted.components[1] - lateral_to_top;
    // Above level 3 all that climbs passes, whether it is joined there or not.
    let unjoined = match tree.form.layers == layer && !tree.form.capped {
        true => counted.channels[2],
        false => 0,
    };
    counted.passing = counted.passing.map(|passing| passing + unjoined);
    counted
}

/// The cap of a stack: its components, and its channels to and from other roots, with the
/// stacks there.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CountedCap {
    /// Components.
    pub components: u64,
    /// Channels to stacks of other roots, and of its own.
    pub channels: [u64; 2],
    /// Stacks of other roots that it leads to.
    pub stacks: u64,
}

fn cap(all: &[Channel]) -> CountedCap {
    let mut counted = CountedCap::default();
    let (mut chips, mut stacks) = (BTreeSet::new(), BTreeSet::new());
    for channel in all {
        if let (End::Router(from), End::Router(to)) = (channel.from, channel.to)
            && (from.stage, from.unit, from.stack) == (Stage::Cap, 0, 0)
        {
            chips.insert(from.index);
            counted.channels[usize::from(to.unit == 0)] += 1;
            if to.unit != 0 {
                stacks.insert((to.unit, to.stack));
            }
        }
    }
    counted.components = chips.len() as u64;
    counted.stacks = stacks.len() as u64;
    counted
}

/// Capacities of a tree's channels by level, over all stacks of a unit: Tables 2.1 and 2.2.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Capacities {
    /// From the stage up to one group of each level, the lowest first, and the groups of a
    /// unit; and on up.
    pub up: Vec<(u64, u64)>,
    /// From a group of each level in one direction, the lowest first.
    pub down: Vec<u64>,
}

fn capacities(tree: &Transit, all: &[Channel]) -> Capacities {
    let mut found = Capacities::default();
    for layer in tree.form.lowest()..=tree.form.layers {
        for level in 1..=3 {
            let (mut into, mut out) = (BTreeMap::new(), BTreeMap::new());
            let of_group = |place: RouterPosition| {
                let routers = tree.routers_of_group(place.stage);
                (place.unit == 0).then(|| place.index / routers)
            };
            for channel in all {
                if let (End::Router(from), End::Router(to)) = (channel.from, channel.to) {
                    let lateral =
                        (from.stage, to.stage) == (Stage::Up(layer), Stage::Down(layer, level));
                    if let (true, Some(group)) = (lateral, of_group(to)) {
                        *into.entry(group).or_insert(0) += 1;
                    }
                }
                if let End::Router(from) = channel.from
                    && from.stage == Stage::Down(layer, level)
                    && let Some(group) = of_group(from)
                {
                    *out.entry((group, channel.direction)).or_insert(0) += 1;
                }
            }
            let same = |values: Vec<u64>| {
                assert!(
                    values.windows(2).all(|pair| pair[0] == pair[1]),
                    "{values:?}"
                );
                values[0]
            };
            found
                .up
                .push((same(into.values().copied().collect()), into.len() as u64));
            found.down.push(same(out.into_values().collect()));
        }
        if layer < tree.form.layers {
            let climbs = all.iter().filter(|channel| {
                matches!(channel.from, End::Router(from) if from.stage == Stage::Up(layer) && from.unit == 0 && channel.direction == 3)
            });
            found.up.push((climbs.count() as u64, 1));
        }
    }
    found
}

/// The counts of the trees that were built.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Counted {
    /// UT64x8, and UT64x2.
    pub stacks: [CountedStack; 2],
    /// The stacks above a UT64x8 that lead on.
    pub above: u64,
    /// The cap of UT64x8c.
    pub cap: CountedCap,
    /// The capacities of a tree of two layers of UT64x8, the lower ones of one stack.
    pub capacities: Capacities,
}

/// Builds three trees and counts: of 4,096 processors, of 16,384 with a cap, and of 49,152 in
/// clusters of 12.
///
/// # Errors
/// When someone asks to stop.
pub fn counted(watch: &mut dyn Watch) -> Result<Counted, Error> {
    let mut built = |leaf_stages, layers, capped| -> Result<(Transit, Vec<Channel>), Error> {
        let form = TransitForm {
            leaf_stages,
            layers,
            capped,
        };
        check_cancelled(watch)?;
        watch.begins(&format!("counts a tree of {} nodes", form.nodes()));
        let clocks = vec![0; layers as usize + usize::from(capped)];
        let tree = tree(form, clocks);
        let all = channels(&tree, &tree.fabric());
        Ok((tree, all))
    };
    let (full, of_full) = built(0, 1, false)?;
    let (_, of_capped) = built(0, 1, true)?;
    let (hybrid, of_hybrid) = built(2, 2, false)?;
    Ok(Counted {
        stacks: [stack(&full, 1, &of_full), stack(&full, 0, &of_full)],
        above: stack(&hybrid, 1, &of_hybrid).neighbours[1],
        cap: cap(&of_capped),
        capacities: capacities(&hybrid, &of_hybrid),
    })
}

/// Simulation results of a tree of Tables 4.4 to 4.7.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedTree {
    /// The tree.
    pub tree: UnitTrees,
    /// Leaf stacks, and UT64x8.
    pub stacks: [u64; 2],
    /// Routers.
    pub chips: u64,
    /// Connections through each level, the leaf cluster's first in hybrid trees, with wires as
    /// long as the diagonals of the cubes.
    pub levels: Vec<(u32, PathClocks)>,
}

/// The form of a tree of the tables.
pub fn form(tree: UnitTrees) -> TransitForm {
    TransitForm {
        leaf_stages: tree.leaf_stages.unwrap_or(0),
        layers: tree.stack_stages - 1,
        capped: false,
    }
}

/// The last node of the smallest subtree that has a level, counted from the first node on; level 0
/// is the leaf cluster.
pub(super) fn last_of_level(of: UnitTrees, level: u32) -> u32 {
    let leaf = match of.leaf_stages {
        None => 1,
        Some(_) => of.leaf_processors() as u32,
    };
    (leaf << (2 * level)) - 1
}

/// Builds a tree, and opens a connection from its first node through each level.
pub fn simulated(of: UnitTrees, watch: &mut dyn Watch) -> SimulatedTree {
    let form = form(of);
    watch.begins(&format!("paths through a tree of {} nodes", form.nodes()));
    let clocks = of.wire_clocks(&Geometry::DEHON);
    let tree = tree(
        form,
        clocks.into_iter().map(|clocks| clocks as u32).collect(),
    );
    let stacks = tree.stacks();
    let fabric = tree.fabric();
    let chips = fabric.arrays[ROUTERS].instances as u64;
    let mut bench = Bench::new(&tree, fabric, SEED);
    let lowest = u32::from(of.leaf_stages.is_none());
    let mut levels = Vec::new();
    for level in lowest..=of.levels() {
        levels.push((level, between(&mut bench, 0, last_of_level(of, level))));
    }
    SimulatedTree {
        tree: of,
        stacks: [
            u64::from(stacks[0]),
            stacks[1..].iter().map(|&count| u64::from(count)).sum(),
        ],
        chips,
        levels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Connections through every level take the clocks of equations 4.18, 4.19, 4.31 and 4.32.
    #[test]
    fn every_level_takes_the_clocks_of_the_equations() {
        for (stack_stages, leaf_stages) in [
            (1, None),
            (2, None),
            (2, Some(2)),
            (2, Some(3)),
            (3, Some(2)),
        ] {
            let tree = UnitTrees {
                stack_stages,
                leaf_stages,
            };
            let wires = tree.wire_clocks(&Geometry::DEHON);
            let found = simulated(tree, &mut ());
            assert_eq!(found.chips, tree.chips());
            assert_eq!(found.stacks, [tree.leaf_stacks(), tree.unit_trees()]);
            for (level, clocks) in found.levels {
                let expected = PathClocks {
                    connect: tree.connect_clocks(level, &wires),
                    open: tree.open_clocks(level, &wires),
                };
                assert_eq!(clocks, expected, "{tree:?} level {level}");
            }
        }
    }
}
