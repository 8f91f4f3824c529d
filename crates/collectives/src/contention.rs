//! Channels that are asked for more than their capacity.
//!
//! Packets that never wait and cross the same up channel in the same step were sent in the
//! same step; on the same down channel they arrive in the same step. So packets are put
//! in order once by the step of sending and once by that of arrival, and each level's
//! channels are counted in one pass over either. Memory is 4 bytes a packet, 16 bytes a
//! level at which one turns, and 32 bytes a node; time grows with the crossings.

use crate::fault::Fault;
use crate::schedule::{Destination, Schedule, ScheduledPacket};
use crate::tree::{BinaryFatTree, Channel, ChannelDirection, meeting_level};

/// A packet on its way down from the level at which it turns.
struct Descent {
    /// Step of sending and twice the level: it crosses level j this less j.
    key: u64,
    index: u32,
    level: u8,
}

/// Packets that cross a channel in a step, and the last one that fitted.
#[derive(Clone, Copy, Default)]
struct Load {
    step: u64,
    packets: u32,
    last: u32,
}

/// The loads of the channels, and the earliest contention found.
struct Counter<'a> {
    tree: &'a BinaryFatTree,
    schedule: &'a Schedule,
    /// By the lower node of a channel.
    loads: Vec<Load>,
    earliest: Option<(u64, Fault)>,
}

/// The contention of the earliest step; of several the one at the lowest level, up before
/// down. The packets fit the tree.
pub(super) fn find(tree: &BinaryFatTree, schedule: &Schedule) -> Option<Fault> {
    let packets = &schedule.packets;
    let mut counter = Counter {
        tree,
        schedule,
        loads: vec![Load::default(); 2 * tree.processors() as usize],
        earliest: None,
    };
    let mut sends: Vec<u32> = (0..packets.len() as u32).collect();
    sends.sort_by_key(|&index| packets[index as usize].step);
    for level in 1..=tree.levels() {
        counter.count_up(&sends, level);
    }
    drop(sends);
    counter.loads.fill(Load::default());
    let descents = descents(tree, packets);
    for level in 1..=tree.levels() {
        counter.count_down(&descents, level);
    }
    counter.earliest.map(|(_, fault)| fault)
}

/// The highest level that a packet reaches.
pub(super) fn top_level(tree: &BinaryFatTree, packet: &ScheduledPacket) -> u32 {
    match packet.destination {
        Destination::Processor(processor) => meeting_level(packet.source, processor),
        Destination::Levels(set) => set.up_to(tree.levels()).last().unwrap_or(0),
    }
}

/// Every way down, in the order of arrival.
fn descents(tree: &BinaryFatTree, packets: &[ScheduledPacket]) -> Vec<Descent> {
    let mut descents = Vec::with_capacity(packets.len());
    for (index, packet) in (0..).zip(packets) {
        let mut turn = |level: u32| {
            descents.push(Descent {
                key: packet.step + 2 * u64::from(level),
                index,
                level: level as u8,
            });
        };
        match packet.destination {
            Destination::Processor(_) => turn(top_level(tree, packet)),
            Destination::Levels(set) => set.up_to(tree.levels()).for_each(turn),
        }
    }
    descents.sort_unstable_by_key(|descent| (descent.key, descent.index, descent.level));
    descents
}

impl Counter<'_> {
    /// True when a contention was found before this step, or in it.
    fn is_settled(&self, step: u64) -> bool {
        self.earliest
            .as_ref()
            .is_some_and(|(earliest, _)| *earliest <= step)
    }

    /// Counts the up channels of a level.
    fn count_up(&mut self, sends: &[u32], level: u32) {
        for &index in sends {
            let packet = &self.schedule.packets[index as usize];
            let step = packet.step + u64::from(level) - 1;
            if self.is_settled(step) {
                return;
            }
            if top_level(self.tree, packet) >= level {
                let node = self.tree.ancestor(packet.source, level - 1);
                self.cross(node, ChannelDirection::Up, step, index);
            }
        }
    }

    /// Counts the down channels of a level.
    fn count_down(&mut self, descents: &[Descent], level: u32) {
        for descent in descents {
            let step = descent.key.saturating_sub(u64::from(level));
            if self.is_settled(step) {
                return;
            }
            let turn = u32::from(descent.level);
            if turn < level {
                continue;
            }
            let packet = &self.schedule.packets[descent.index as usize];
            let nodes = match packet.destination {
                Destination::Processor(processor) => {
                    let node = self.tree.ancestor(processor, level - 1);
                    node..node + 1
                }
                Destination::Levels(_) => {
                    let half = self.tree.ancestor(packet.source, turn - 1) ^ 1;
                    let below = turn - level;
                    half << below..(half + 1) << below
                }
            };
            for node in nodes {
                self.cross(node, ChannelDirection::Down, step, descent.index);
            }
        }
    }

    /// A packet crosses the channel of a node in a step.
    fn cross(&mut self, node: u32, direction: ChannelDirection, step: u64, index: u32) {
        let channel = Channel { node, direction };
        let capacity = self.tree.channel_capacity(channel);
        let load = &mut self.loads[node as usize];
        if load.step != step {
            *load = Load {
                step,
                packets: 0,
                last: index,
            };
        }
        if load.packets < capacity {
            load.packets += 1;
            load.last = index;
        } else if !self.is_settled(step) {
            let packets = &self.schedule.packets;
            let named = |index: u32| (index as usize, packets[index as usize]);
            let fault = Fault::Contention {
                step,
                channel: self.tree.name(channel),
                capacity,
                first: named(self.loads[node as usize].last),
                second: named(index),
            };
            self.earliest = Some((step, fault));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::schedule::LevelSet;

    /// Every channel that a packet crosses, and when: the model, word for word.
    fn crossings(tree: &BinaryFatTree, packet: &ScheduledPacket) -> Vec<(Channel, u64)> {
        let mut crossings = Vec::new();
        let ways: Vec<(u32, u32)> = match packet.destination {
            Destination::Processor(to) => vec![(meeting_level(packet.source, to), to)],
            Destination::Levels(_) => (0..tree.processors())
                .filter(|&to| to != packet.source)
                .map(|to| (meeting_level(packet.source, to), to))
                .filter(|&(level, _)| match packet.destination {
                    Destination::Levels(set) => set.contains(level),
                    Destination::Processor(_) => true,
                })
                .collect(),
        };
        for (turn, to) in ways {
            for level in 1..=turn {
                let up = Channel {
                    node: tree.ancestor(packet.source, level - 1),
                    direction: ChannelDirection::Up,
                };
                crossings.push((up, packet.step + u64::from(level) - 1));
                let down = Channel {
                    node: tree.ancestor(to, level - 1),
                    direction: ChannelDirection::Down,
                };
                crossings.push((down, packet.step + 2 * u64::from(turn) - u64::from(level)));
            }
        }
        // A replicated packet crosses a channel once.
        crossings.sort_unstable();
        crossings.dedup();
        crossings
    }

    /// The earliest contention, by counting everything. In its step up comes before down, the lower
    /// level first, and of a level whose first packet that does not fit comes first. Packets fit in the
    /// order of the schedule.
    fn plain(tree: &BinaryFatTree, schedule: &Schedule) -> Option<Fault> {
        let mut users: BTreeMap<(Channel, u64), Vec<usize>> = BTreeMap::new();
        for (index, packet) in schedule.packets.iter().enumerate() {
            for crossing in crossings(tree, packet) {
                users.entry(crossing).or_default().push(index);
            }
        }
        let capacity = |channel| tree.channel_capacity(channel) as usize;
        let named = |index: usize| (index, schedule.packets[index]);
        let contentions = users
            .iter()
            .filter(|((channel, _), users)| users.len() > capacity(*channel));
        let first = contentions.min_by_key(|((channel, step), users)| {
            let level = tree.branch_level(channel.node);
            let unfit = users[capacity(*channel)];
            (*step, channel.direction, level, unfit, channel.node)
        });
        first.map(|(&(channel, step), users)| Fault::Contention {
            step,
            channel: tree.name(channel),
            capacity: tree.channel_capacity(channel),
            first: named(users[capacity(channel) - 1]),
            second: named(users[capacity(channel)]),
        })
    }

    #[test]
    fn counting_by_levels_is_counting_everything() {
        let mut state = 1u64;
        let mut below = |bound: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((state >> 33) % u64::from(bound)) as u32
        };
        let (mut found, mut none, mut wide) = (0, 0, 0);
        for case in 0..2000 {
            let levels = 1 + case % 4;
            let mut capacities: Vec<u32> = (0..levels).map(|_| 1 + below(3)).collect();
            capacities.sort_unstable();
            let tree = BinaryFatTree::with_capacities(capacities).expect("they rise");
            let n = tree.processors();
            let schedule: Schedule = (0..1 + below(8))
                .map(|_| {
                    let (step, source) = (u64::from(1 + below(6)), below(n));
                    match below(3) {
                        0 => ScheduledPacket::to_levels(
                            step,
                            source,
                            LevelSet::single(1 + below(levels)).expect("a level"),
                        ),
                        1 => ScheduledPacket::to_levels(step, source, LevelSet::ALL),
                        _ => ScheduledPacket::to(step, source, source ^ (1 + below(n - 1))),
                    }
                })
                .collect();
            let fault = find(&tree, &schedule);
            assert_eq!(fault, plain(&tree, &schedule), "case {case}: {schedule:?}");
            match fault {
                Some(Fault::Contention { capacity, .. }) => {
                    found += 1;
                    wide += u32::from(capacity > 1);
                }
                Some(other) => panic!("{other}"),
                None => none += 1,
            }
        }
        assert!(
            found > 200 && none > 200 && wide > 50,
            "{found}, {none} and {wide}"
        );
    }
}
