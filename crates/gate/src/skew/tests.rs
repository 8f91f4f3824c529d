//! Orders of butterflies, and what of them caches hold.

use super::*;
use crate::layout::PAD;
use crate::{Backend, GateEngine};
use crosswave_chips::netlists;
use crosswave_network::NetworkConfig;
use crosswave_network::traffic::Strategy;
use std::collections::BTreeMap;

/// A butterfly: `levels` layers of `2^columns` groups of one byte; layer `l` and
/// the next exchange bit `l` of a group's number.
fn butterfly(levels: usize, columns: usize) -> Groups {
    let width = 1 << columns;
    let mut groups = Groups {
        bytes: vec![1; levels * width],
        driven: (0..levels * width).map(|group| group < width).collect(),
        starts: vec![0],
        ..Groups::default()
    };
    for level in 0..levels {
        for group in 0..width {
            let mut join = |other: usize, bit: usize| {
                for column in [group, group ^ (1 << (bit % columns))] {
                    groups.neighbours.push((other * width + column) as u32);
                }
            };
            if level > 0 {
                join(level - 1, level - 1);
            }
            if level + 1 < levels {
                join(level + 1, level);
            }
            groups.starts.push(groups.neighbours.len());
        }
    }
    groups
}

/// Takes every block in turn, the blocks of a phase in some order, and asserts
/// that neighbours stand as they have to, also those in blocks of other threads.
fn assert_valid(groups: &Groups, skew: &Skew, backwards: bool) {
    let mut time = vec![0; groups.count()];
    for phase in &skew.phases {
        let before = time.clone();
        let mut block_of = vec![None; groups.count()];
        for (number, block) in phase.blocks.iter().enumerate() {
            for edge in &phase.edges[block.clone()] {
                let of = &mut block_of[edge.group as usize];
                assert!(of.is_none_or(|of| of == number), "a group has one block");
                *of = Some(number);
            }
        }
        let mut blocks: Vec<(usize, &Range<usize>)> = phase.blocks.iter().enumerate().collect();
        if backwards {
            blocks.reverse();
        }
        for (number, block) in blocks {
            for edge in &phase.edges[block.clone()] {
                let (group, at) = (edge.group as usize, edge.edge as usize);
                assert_eq!(time[group], at, "edges come in order");
                for other in groups.neighbours(group) {
                    if block_of[other] == Some(number) {
                        assert!((at..=at + 1).contains(&time[other]));
                    } else {
                        // Wherever the other thread has got to.
                        let end = phase.edges.iter().filter(|e| e.group as usize == other);
                        let end = before[other] + end.count();
                        assert!(before[other] >= at && end <= at + 1, "{other} of {group}");
                    }
                }
                time[group] += 1;
            }
        }
    }
    assert!(time.iter().all(|&time| time == skew.cycles));
}

#[test]
fn every_group_takes_every_edge_in_its_time() {
    for (levels, columns, block_bytes) in [
        (11, 5, 24),
        (11, 5, 40),
        (14, 6, 80),
        (9, 3, 12),
        (21, 6, 24),
    ] {
        let groups = butterfly(levels, columns);
        let mut found = 0;
        for cycles in 2..8 {
            let limits = Limits {
                block_bytes,
                cycles,
            };
            let Some(skew) = Skew::new(&groups, limits) else {
                continue;
            };
            assert!(skew.cycles <= cycles);
            found = found.max(skew.cycles);
            assert_valid(&groups, &skew, false);
            assert_valid(&groups, &skew, true);
            for phase in &skew.phases {
                for block in &phase.blocks {
                    let mut members: Vec<u32> =
                        phase.edges[block.clone()].iter().map(|e| e.group).collect();
                    members.sort_unstable();
                    members.dedup();
                    assert!(members.len() <= block_bytes);
                }
            }
        }
        assert!(found >= 2, "{levels} {columns} {block_bytes}");
    }
}

#[test]
fn blocks_of_all_threads_fit_a_cache() {
    let limits = [0, 1, 2, 3, 4, 8, 9, 256].map(Limits::of_threads);
    const MIB: usize = 1 << 20;
    let expected = [
        16 * MIB,
        16 * MIB,
        16 * MIB,
        32 * MIB / 3,
        8 * MIB,
        4 * MIB,
        32 * MIB / 9,
        MIB,
    ];
    assert_eq!(limits.map(|limits| limits.block_bytes), expected);
    assert_eq!(limits.map(|limits| limits.cycles), [8; 8]);
}

/// In a region of `l` layers parts have `l * 2^(l - 1)` groups: three layers have
/// parts of 12, four of 32, and five of 80. The last layers are shared out.
#[test]
fn regions_are_as_large_as_blocks_may_be() {
    let groups = butterfly(11, 5);
    let layers = groups.layers();
    let starts = |bytes| regions(&groups, &layers, bytes);
    assert_eq!(starts(24), [0, 3, 6, 9, 11]);
    assert_eq!(starts(40), [0, 4, 8, 11]);
    let skew = |block_bytes| {
        let limits = Limits {
            block_bytes,
            cycles: 8,
        };
        let skew = Skew::new(&groups, limits).expect("a skew");
        let blocks = skew.phases.each_ref().map(|phase| phase.blocks.len());
        // Groups that are taken up twice for two cycles, of 352.
        let visits = 2.0 * 352.0 * skew.visits_per_cycle();
        let twice = visits.round() as usize - 352;
        (skew.cycles, blocks, twice)
    };
    assert_eq!(skew(24), (2, [40, 48], 192));
    assert_eq!(skew(40), (2, [16, 32], 128));
}

#[test]
fn what_fits_in_one_block_or_in_none_is_not_skewed() {
    let groups = butterfly(11, 5);
    let skew = |block_bytes| {
        Skew::new(
            &groups,
            Limits {
                block_bytes,
                cycles: 4,
            },
        )
    };
    assert!(skew(11 << 5).is_none());
    assert!(skew(1).is_none());
}

#[test]
fn parts_without_a_host_take_part() {
    let mut groups = butterfly(11, 5);
    let lonely = groups.count();
    groups.bytes.push(1);
    groups.driven.push(false);
    groups.starts.push(groups.neighbours.len());
    let limits = Limits {
        block_bytes: 40,
        cycles: 3,
    };
    let skew = Skew::new(&groups, limits).expect("a skew");
    assert_valid(&groups, &skew, false);
    let of_it = |edge: &&GroupEdge| edge.group as usize == lonely;
    let edges = skew.phases.iter().flat_map(|phase| &phase.edges);
    assert_eq!(edges.filter(of_it).count(), skew.cycles);
}

/// Bytes of a group of 512 chips of a fat tree: of what only it uses, and of its outputs in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct GroupBytes {
    own: usize,
    outputs: usize,
}

impl GroupBytes {
    /// The bytes of a group of routers and of one of interfaces, as an engine counts them.
    fn of_chips() -> [GroupBytes; 2] {
        let text = "[network]\nkind='fat-tree'\nnodes=1024\n";
        let (network, _) = NetworkConfig::parse(text).expect("legal tables");
        let fabric = network.build(Strategy::Immediate).fabric();
        let backend = Backend::Interpreter;
        let engine = GateEngine::new(fabric, netlists::plain, 1, 1, backend);
        let costs = engine.unwrap_or_else(|e| panic!("{e}")).costs();
        [0, 1].map(|array| GroupBytes {
            own: (costs[array].bytes.state + costs[array].bytes.pins) / costs[array].groups,
            outputs: costs[array].bytes.outputs / costs[array].groups,
        })
    }
}

/// The groups of a fat tree of `2^levels` nodes: lanes are the lowest nine bits of a router's number, so
/// the lowest levels are columns of one group each, and two of interfaces.
fn fat_tree(levels: usize, [router, node]: [GroupBytes; 2]) -> Groups {
    const LANE_BITS: usize = 9;
    let width = 1 << (levels - 1 - LANE_BITS);
    let mut groups = Groups {
        starts: vec![0],
        ..Groups::default()
    };
    // The groups of the level above that a group of a column is linked to, and the other way round.
    let columns = |level: usize, column: usize| match level.checked_sub(LANE_BITS) {
        None => vec![column],
        Some(bit) => vec![column & !(1 << bit), column | 1 << bit],
    };
    for level in 0..levels + 2 {
        let is_node = level >= levels;
        let GroupBytes { own, outputs } = if is_node { node } else { router };
        for column in 0..width {
            groups.bytes.push(own + 2 * (outputs + 2 * 8 * PAD));
            groups.driven.push(is_node);
            let mut join = |other: usize, columns: Vec<usize>| {
                let others = columns.into_iter();
                let others = others.map(|column| (other * width + column) as u32);
                groups.neighbours.extend(others);
            };
            match level {
                _ if is_node => join(0, vec![column]),
                0 => (levels..levels + 2).for_each(|node| join(node, vec![column])),
                _ => join(level - 1, columns(level - 1, column)),
            }
            if level + 1 < levels {
                join(level + 1, columns(level, column));
            }
            groups.starts.push(groups.neighbours.len());
        }
    }
    groups
}

/// A cache of whole pieces of memory, of which the one goes that was used least recently.
struct Cache {
    bytes: usize,
    used: usize,
    clock: u64,
    /// The time of each piece's last use, and its bytes; and the other way round.
    pieces: BTreeMap<u32, (u64, usize)>,
    order: BTreeMap<u64, u32>,
    missed: usize,
}

impl Cache {
    fn new(kib: usize) -> Cache {
        Cache {
            bytes: kib << 10,
            used: 0,
            clock: 0,
            pieces: BTreeMap::new(),
            order: BTreeMap::new(),
            missed: 0,
        }
    }

    fn touch(&mut self, piece: u32, bytes: usize) {
        self.clock += 1;
        match self.pieces.insert(piece, (self.clock, bytes)) {
            Some((before, _)) => {
                self.order.remove(&before);
            }
            None => {
                self.missed += bytes;
                self.used += bytes;
            }
        }
        self.order.insert(self.clock, piece);
        while self.used > self.bytes {
            let (_, oldest) = self.order.pop_first().expect("it holds something");
            let (_, bytes) = self.pieces.remove(&oldest).expect("it holds that");
            self.used -= bytes;
        }
    }

    /// An edge: outputs of neighbours and its own are read, its state and its other outputs written.
    fn edge(&mut self, groups: &Groups, chips: [GroupBytes; 2], at: GroupEdge) {
        let chip = |of: usize| chips[usize::from(groups.driven[of])];
        let (group, buffer) = (at.group as usize, at.edge % 2);
        for other in groups.neighbours(group).chain([group]) {
            self.touch(3 * other as u32 + buffer, chip(other).outputs);
        }
        let GroupBytes { own, outputs } = chip(group);
        self.touch(3 * group as u32 + 1 - buffer, outputs);
        self.touch(3 * group as u32 + 2, own);
    }
}

/// Bytes that an edge of a group fetches from beyond caches of some KiB, n = 2^20: a cycle at a
/// time, group by group, and in the order of a skew for up to two threads, by one that has the
/// caches for itself. `docs/performance-diary.md` has these.
#[test]
fn orders_use_again_what_caches_hold() {
    let chips = GroupBytes::of_chips();
    let groups = fat_tree(20, chips);
    let sizes = [48, 800, 1_600, 28 << 10];
    let bytes = |order: &mut dyn Iterator<Item = GroupEdge>| {
        let mut caches = sizes.map(Cache::new);
        let mut edges = 0;
        for edge in order {
            edges += 1;
            for cache in &mut caches {
                cache.edge(&groups, chips, edge);
            }
        }
        caches.map(|cache| cache.missed / edges)
    };
    let all = 0..groups.count() as u32;
    let mut plain = (0..2).flat_map(|edge| all.clone().map(move |group| GroupEdge { group, edge }));
    assert_eq!(bytes(&mut plain), [16_680, 15_656, 15_400, 9_544]);
    let skew = Skew::new(&groups, Limits::of_threads(2)).expect("a skew");
    assert_eq!(skew.cycles, 6);
    let blocks = skew.phases.iter().flat_map(|phase| {
        let blocks = phase.blocks.iter();
        blocks.flat_map(|block| &phase.edges[block.clone()])
    });
    assert_eq!(bytes(&mut blocks.copied()), [10_633, 3_499, 3_071, 2_407]);
}
