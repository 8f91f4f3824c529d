//! Schedules of broadcast, scatter, gather and multinode broadcast.
//!
//! None of them needs more than capacity 1, and all leaf links are used as if c_1 = 1
//! (D&D, end of section 2: larger capacities offer no advantage here).
//!
//! | operation | steps | source |
//! |---|---|---|
//! | [`broadcast`] | 2 lg n | D&D, section 2.1 |
//! | [`scatter`], furthest first | n + 1 (n = 2: 2) | D&D, theorem 1 |
//! | [`scatter`], nearest first | n + 2 lg n - 2 | |
//! | [`gather`] | n + 1 (n = 2: 2) | D&D, section 3: the scatter reversed in time |
//! | [`flooding`], with queues | n + 1 (n = 2: 2) | D&D, theorem 2 |
//! | [`multinode_in_phases`] | n + 2 lg n - 2 | cited by D&D, section 4.1, and made here |
//! | [`multinode_nested`] | n + 1 (n = 2: 2) | made here |

use crate::bounds;
use crate::schedule::{Destination, LevelSet, Schedule, ScheduledPacket};
use crate::tree::{BinaryFatTree, meeting_level};

/// The most levels of a tree that multinode broadcasts are made for: n(n-1) deliveries stay
/// below [`DELIVERIES_MAX`](crate::fault::DELIVERIES_MAX).
pub const LEVELS_MAX: u32 = 12;

/// The order in which a scatter sends its messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discipline {
    /// Those for the processors at the greatest distance (D&D, section 3).
    FurthestFirst,
    /// Those for the processors at the smallest distance.
    NearestFirst,
}

/// One packet from `source` to everybody else.
///
/// # Panics
/// Unless `source` < n.
pub fn broadcast(tree: &BinaryFatTree, source: u32) -> Schedule {
    assert!(
        source < tree.processors(),
        "the source is a processor of the tree"
    );
    Schedule {
        packets: vec![ScheduledPacket::to_levels(1, source, LevelSet::ALL)],
    }
}

/// One packet per step from `source` to each other processor.
///
/// # Panics
/// Unless `source` < n.
pub fn scatter(tree: &BinaryFatTree, source: u32, discipline: Discipline) -> Schedule {
    let n = tree.processors();
    assert!(source < n, "the source is a processor of the tree");
    // The processors source ^ 1, source ^ 2, ... come in order of distance.
    (1..n)
        .map(|step| {
            let offset = match discipline {
                Discipline::FurthestFirst => n - step,
                Discipline::NearestFirst => step,
            };
            ScheduledPacket::to(u64::from(step), source, source ^ offset)
        })
        .collect()
}

/// One packet to `destination` from each other processor: the furthest-first scatter
/// reversed in time.
///
/// # Panics
/// Unless `destination` < n.
pub fn gather(tree: &BinaryFatTree, destination: u32) -> Schedule {
    let mut packets = scatter(tree, destination, Discipline::FurthestFirst).packets;
    for packet in &mut packets {
        if let Destination::Processor(source) = packet.destination {
            let hops = 2 * u64::from(meeting_level(source, destination));
            let arrival = packet.step + hops - 1;
            *packet = ScheduledPacket::to(scatter_steps(tree) + 1 - arrival, source, destination);
        }
    }
    packets.reverse();
    Schedule { packets }
}

fn assert_small(tree: &BinaryFatTree) {
    let levels = tree.levels();
    assert!(levels <= LEVELS_MAX, "at most {LEVELS_MAX} levels");
}

fn scatter_steps(tree: &BinaryFatTree) -> u64 {
    bounds::scatter_steps(tree.levels())
}

/// Every processor sends its packet in step 1, to everybody else (D&D, section 4). The
/// packets contend: this schedule runs in [`ideal`](crate::ideal), and not under
/// [`check`](mod@crate::check) but for n = 2.
///
/// # Panics
/// When the tree has more than [`LEVELS_MAX`] levels.
pub fn flooding(tree: &BinaryFatTree) -> Schedule {
    assert_small(tree);
    (0..tree.processors())
        .map(|source| ScheduledPacket::to_levels(1, source, LevelSet::ALL))
        .collect()
}

/// Multinode broadcast without queues in n + 2 lg n - 2 steps on any tree.
///
/// D&D cite such an algorithm and do not give it; that it is this one is assumed.
///
/// In phase h, from d down to 1, the two halves below each node of level h exchange
/// their packets, one source of each half per step, and the other half's routing nodes
/// replicate each packet to all their leaves. Phase h sends in 2^(h-1) steps. As in the
/// pipelined total exchange (D&D, equation 2) two steps between phases keep the packets of
/// phase h - 1 behind those of phase h on their way down: n - 1 + 2 lg n - 1 steps.
///
/// # Panics
/// When the tree has more than [`LEVELS_MAX`] levels.
pub fn multinode_in_phases(tree: &BinaryFatTree) -> Schedule {
    assert_small(tree);
    let mut packets = Vec::new();
    let mut start = 1;
    for level in (1..=tree.levels()).rev() {
        let half = 1 << (level - 1);
        for source in 0..tree.processors() {
            let step = start + u64::from(source % half);
            packets.extend(
                LevelSet::single(level).map(|set| ScheduledPacket::to_levels(step, source, set)),
            );
        }
        start += u64::from(half) + 2;
    }
    packets.sort_by_key(|packet| (packet.step, packet.source));
    Schedule { packets }
}

/// Multinode broadcast without queues in n + 1 steps on any tree, the lower bound.
///
/// Each processor sends its packet to the opposite half of level h in a step of the
/// window of level h: step 1 for h = 1, steps 1 and 2 for h = 2, and the 2^(h-1) steps
/// from 2^(h-1) + 3 - 2h on for h >= 3. One source of each subtree of 2^(h-1) leaves
/// sends per step.
///
/// *Arrivals.* The packets of level h reach every leaf in steps 2^(h-1) + 2 to 2^h + 1
/// (h >= 2; step 2 for h = 1), and these ranges are disjoint: no down channel is wanted
/// twice in a step, since of all packets that cross it in one step any leaf below
/// receives each in one step too. The last range ends with n + 1.
///
/// *Departures.* The windows of h and h + 1 overlap in two steps (levels 1, 2 and 3 all in
/// step 1), and others do not. There the source for level h + 1 is one of the sources for
/// level h, and its packet for both is one packet. So in each step a subtree of
/// 2^(j-1) leaves sends at most one packet out: no up channel is wanted twice. To have it
/// so, the first two sources of level h + 1 are the last two of level h in the lower half;
/// the rest follow in any order.
///
/// # Panics
/// When the tree has more than [`LEVELS_MAX`] levels.
pub fn multinode_nested(tree: &BinaryFatTree) -> Schedule {
    assert_small(tree);
    let n = tree.processors();
    let last_step = bounds::scatter_steps(tree.levels());
    let mut sets: Vec<Vec<Option<LevelSet>>> = vec![vec![None; n as usize]; last_step as usize];
    let mut sources: Vec<u32> = vec![0];
    for level in 1..=tree.levels() {
        let half = 1u32 << (level - 1);
        if level > 1 {
            sources = nested_sources(&sources, half, level);
        }
        let start = nested_start(level) as usize;
        for (step, &source) in (start - 1..).zip(&sources) {
            for processor in (source..n).step_by(half as usize) {
                let slot = &mut sets[step][processor as usize];
                let single = LevelSet::single(level);
                *slot = slot.map_or(single, |set| single.map(|one| set.union(one)));
            }
        }
    }
    let rows = (1..).zip(&sets);
    rows.flat_map(|(step, row)| {
        let sources = (0..).zip(row);
        sources.filter_map(move |(source, set)| {
            Some(ScheduledPacket::to_levels(step, source, (*set)?))
        })
    })
    .collect()
}

/// The first step of the window of a level.
fn nested_start(level: u32) -> u64 {
    match level {
        1 | 2 => 1,
        _ => (1 << (level - 1)) + 3 - 2 * u64::from(level),
    }
}

/// The order in which the leaves of a subtree of `half` leaves send at `level` >= 2, given
/// the order at the level below.
fn nested_sources(below: &[u32], half: u32, level: u32) -> Vec<u32> {
    let quarter = half / 2;
    // The steps of the window below that lie in the window of this level.
    let skipped = (nested_start(level) - nested_start(level - 1)) as usize;
    let mut order: Vec<u32> = below[skipped..].to_vec();
    order.extend(below.iter().map(|source| source + quarter));
    order.extend(&below[..skipped]);
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;

    #[test]
    fn single_source_operations_take_what_the_paper_says() {
        for levels in 1..=12 {
            let tree = BinaryFatTree::constant(levels).unwrap();
            let n = u64::from(tree.processors());
            for processor in [0, tree.processors() / 3, tree.processors() - 1] {
                let steps = |schedule: &Schedule| {
                    let outcome = check(&tree, schedule).unwrap();
                    assert_eq!(outcome.deliveries, n - 1);
                    outcome.finish_step
                };
                assert_eq!(
                    steps(&broadcast(&tree, processor)),
                    bounds::broadcast_steps(levels)
                );
                let furthest = scatter(&tree, processor, Discipline::FurthestFirst);
                assert_eq!(steps(&furthest), bounds::scatter_steps(levels));
                let nearest = scatter(&tree, processor, Discipline::NearestFirst);
                assert_eq!(steps(&nearest), n + 2 * u64::from(levels) - 2);
                assert_eq!(
                    steps(&gather(&tree, processor)),
                    bounds::scatter_steps(levels)
                );
            }
        }
    }

    #[test]
    fn multinode_broadcasts_need_no_queues() {
        for levels in 1..=10 {
            let tree = BinaryFatTree::constant(levels).unwrap();
            let n = u64::from(tree.processors());
            let steps = |schedule: &Schedule| {
                let outcome = check(&tree, schedule).unwrap();
                assert_eq!(outcome.deliveries, n * (n - 1));
                outcome.finish_step
            };
            assert_eq!(
                steps(&multinode_in_phases(&tree)),
                n + 2 * u64::from(levels) - 2
            );
            assert_eq!(
                steps(&multinode_nested(&tree)),
                bounds::scatter_steps(levels)
            );
        }
    }

    #[test]
    fn flooding_contends_without_queues() {
        let tree = BinaryFatTree::exponential(2).unwrap();
        assert!(check(&tree, &flooding(&tree)).is_err());
    }
}
