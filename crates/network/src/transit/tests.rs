use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::path::{Path, follow};
use crate::topology::OnPath;
use crate::{LinkPort, Topology};
use crosswave_chips::rn1_interface;
use crosswave_chips::rn1_protocol::RN1_STRATEGY_IMMEDIATE;

mod wires;

const SIDE: usize = PORTS_A_SIDE;

fn tree(leaf_stages: u32, layers: u32, capped: bool) -> Transit {
    let form = TransitForm {
        leaf_stages,
        layers,
        capped,
    };
    Transit {
        form,
        up_stage: UpStage::Standard,
        climb: Climb::Directions,
        dispersion: Dispersion::Full,
        wires: StackWires::Given(vec![0; layers as usize + usize::from(capped)]),
        interface: Interface {
            strategy: RN1_STRATEGY_IMMEDIATE,
            backoff_limit: 0,
            turns: 0,
            reply_words: 1,
            reply_delay: 0,
            close_drop: false,
        },
    }
}

/// Trees of every leaf, with one and two layers and a cap, and every wiring.
fn trees() -> Vec<Transit> {
    let mut trees = vec![
        tree(0, 0, false),
        tree(0, 1, false),
        tree(0, 1, true),
        tree(2, 1, false),
        tree(3, 1, false),
        tree(2, 1, true),
        tree(4, 1, false),
    ];
    for dispersion in [Dispersion::None, Dispersion::Random { seed: 5 }] {
        for up_stage in [UpStage::Standard, UpStage::TwoCrossbars] {
            for mut tree in [tree(0, 0, false), tree(0, 1, true), tree(2, 1, false)] {
                (tree.dispersion, tree.up_stage) = (dispersion, up_stage);
                trees.push(tree);
            }
        }
    }
    for mut tree in [tree(0, 1, true), tree(2, 1, false)] {
        tree.climb = Climb::Height;
        trees.push(tree);
    }
    trees
}

/// The value of a pin of RN1 at a router.
fn pin(fabric: &Fabric, of_rn1: usize, router: usize) -> u64 {
    let routers = &fabric.arrays[ROUTERS];
    routers.pin(rn1_nodes::router_port(routers.chip, of_rn1), router)
}

/// Every port of every chip is joined once, but for those at the top of a tree without a cap,
/// which are not enabled.
#[test]
fn every_port_is_joined_once() {
    for tree in trees() {
        let fabric = tree.fabric();
        let mut open = 0;
        for (number, &peer) in (0..).zip(&fabric.peers) {
            let LinkPort {
                array,
                instance,
                link,
            } = fabric.link_port(number);
            let enabled = match (array, link < SIDE) {
                (ROUTERS, true) => pin(&fabric, rn1::PORT_IN_ENABLE, instance) >> link,
                (ROUTERS, false) => pin(&fabric, rn1::PORT_OUT_ENABLE, instance) >> (link - SIDE),
                _ => 1,
            };
            assert_eq!(enabled & 1 != 0, peer != OPEN);
            if peer == OPEN {
                open += 1;
                continue;
            }
            assert_eq!(fabric.peers[peer as usize], number);
            assert_eq!((fabric.rotation(number) + fabric.rotation(peer)) % 4, 0);
        }
        // As many as lead out of the top, each way.
        let of_root = match tree.form.layers {
            0 => 32,
            layers => 128 * tree.shape().stacks_of_layer(layers),
        };
        let expected = if tree.form.capped { 0 } else { 2 * of_root };
        assert_eq!(open, expected, "{:?}", tree.form);
    }
}

/// Tables 3.1, 3.4, 4.4 and 4.6: routers of a stack, stacks, and all routers.
#[test]
fn parts_are_those_of_the_paper() {
    let full = tree(0, 2, false);
    let of = |stage| full.shape().routers_of_stack(stage);
    let of_layer = |layer| {
        [
            Stage::Up(layer),
            Stage::Down(layer, 3),
            Stage::Down(layer, 2),
            Stage::Down(layer, 1),
        ]
        .map(of)
    };
    assert_eq!(of_layer(1), [64, 32, 48, 64]);
    assert_eq!(of_layer(0), [16, 8, 12, 16]);
    for (leaf, layers, stacks, routers) in [
        (0, 0, vec![1], 52),
        (0, 1, vec![64, 4], 4_160),
        (0, 2, vec![4_096, 256, 64], 279_552),
        (2, 1, vec![64, 1], 656),
        (3, 1, vec![64, 4], 3_392),
        (4, 1, vec![64, 16], 16_640),
        (2, 2, vec![4_096, 64, 16], 45_312),
        (3, 2, vec![4_096, 256, 64], 230_400),
        (4, 2, vec![4_096, 1_024, 256], 1_118_208),
    ] {
        let tree = tree(leaf, layers, false);
        assert_eq!(tree.stacks(), stacks);
        assert_eq!(tree.shape().routers(), routers);
    }
    // 48K: 256 B192 with 64 capped unit trees.
    assert_eq!(tree(4, 1, true).stacks(), [256, 64]);
    // With 16 more in each stack of the highest layer.
    for (leaf, layers, routers) in [
        (0, 1, 16_896),
        (0, 2, 1_122_304),
        (2, 1, 2_688),
        (2, 2, 182_272),
        (3, 1, 13_824),
        (3, 2, 925_696),
        (4, 1, 67_584),
    ] {
        assert_eq!(tree(leaf, layers, true).shape().routers(), routers);
    }
}

/// Every route leads to its destination, whatever is drawn: all pairs of the small trees, and
/// some of larger ones. [`Path::of`] asserts it.
#[test]
fn routes_lead_to_their_destinations() {
    for tree in trees() {
        let fabric = tree.fabric();
        let nodes = tree.nodes();
        let step = nodes as usize / 64;
        for source in (0..nodes).step_by(step) {
            for destination in (0..nodes)
                .step_by(step)
                .map(|node| node + source % step as u32)
            {
                if source != destination {
                    let draw =
                        crosswave_base::random::word(u64::from(source), u64::from(destination));
                    let path = Path::of(&tree, &fabric, source, destination, draw);
                    assert_eq!(
                        path.routers(),
                        usize::from(tree.route(source, destination).stages)
                    );
                }
            }
        }
    }
}

/// The routers on all paths from a node to another one, stage by stage of the way.
fn reached(tree: &Transit, fabric: &Fabric, source: u32, destination: u32) -> Vec<usize> {
    let hops = tree.form.hops(source, destination);
    let peer = |array, instance, link| {
        let port = LinkPort {
            array,
            instance,
            link,
        };
        fabric.peer(port).expect("joined")
    };
    let mut at: BTreeSet<(usize, usize)> = (0..2)
        .map(|side| peer(NODES, source as usize, rn1_interface::T0 + side))
        .map(|to| (to.instance, to.link))
        .collect();
    let mut counts = Vec::new();
    for hop in hops {
        let routers: BTreeSet<usize> = at.iter().map(|&(router, _)| router).collect();
        counts.push(routers.len());
        let mut next = BTreeSet::new();
        for (router, input) in at {
            let outputs = match (tree.shape().made_of(hop.stage).crossbars, input < SIDE / 2) {
                (false, _) => 0..2,
                (true, true) => 0..1,
                (true, false) => 1..2,
            };
            for equivalent in outputs {
                let to = peer(
                    ROUTERS,
                    router,
                    SIDE + 2 * usize::from(hop.direction) + equivalent,
                );
                next.insert((to.instance, to.link));
            }
        }
        at = next;
    }
    assert_eq!(at.len(), 2, "both ways out of the network");
    counts
}

/// Section 2.3.3: with full dispersion the routers that paths from a source reach double from
/// stage to stage until a group has no more of them.
#[test]
fn paths_double_until_groups_are_full() {
    for (tree, source, destination, expected) in [
        // UT64x2: one router takes both ways of a processor up.
        (tree(0, 0, false), 0, 63, &[1, 2, 3, 2][..]),
        (tree(0, 1, false), 0, 4095, &[1, 2, 4, 8, 8, 8, 3, 2]),
        (tree(2, 1, false), 0, 767, &[2, 4, 8, 12, 4, 4, 2]),
        (
            tree(4, 1, false),
            5,
            12_287,
            &[2, 4, 8, 16, 16, 32, 16, 4, 2],
        ),
    ] {
        let fabric = tree.fabric();
        assert_eq!(
            reached(&tree, &fabric, source, destination),
            expected,
            "{:?}",
            tree.form
        );
    }
}

/// A tree whose routes climb by heights has the same links. No link between stages up rotates, and
/// their inputs alone take heights.
#[test]
fn heights_are_not_rotated() {
    for form in [(0, 1, true), (2, 1, true), (0, 2, false)] {
        let directions = tree(form.0, form.1, form.2);
        let mut heights = directions.clone();
        heights.climb = Climb::Height;
        let (plain, fabric) = (directions.fabric(), heights.fabric());
        assert_eq!(plain.peers, fabric.peers);
        let routers = &fabric.arrays[ROUTERS];
        for router in 0..routers.instances {
            let climbs = |router: usize| {
                let stage = heights.place(router as u32).stage;
                matches!(stage, Stage::Up(_) | Stage::Cap)
            };
            let takes = routers.pin(rn1_height::PORT_TO_HEIGHT, router);
            assert_eq!(takes, if climbs(router) { 0xff } else { 0 });
            for pin_of in [rn1::PORT_SWALLOW, rn1::PORT_TWO_CROSSBARS] {
                assert_eq!(pin(&plain, pin_of, router), pin(&fabric, pin_of, router));
            }
            for link in (0..SIDE).filter(|_| climbs(router)) {
                let input = LinkPort {
                    array: ROUTERS,
                    instance: router,
                    link,
                };
                assert_eq!(fabric.rotation(fabric.number(input)), 0);
            }
        }
    }
}

/// The program tells the height that is left at each stage up, and the bits above it that lead out
/// of a cluster.
#[test]
fn heights_are_told_as_they_are_read() {
    let mut heights = tree(2, 1, true);
    heights.climb = Climb::Height;
    let reads = |chip| {
        heights.reads(OnPath {
            source: 5,
            destination: 3071,
            chip,
            arrived: 0,
            draw: false,
            way: 0,
        })
    };
    assert_eq!(
        [1, 2, 3, 4].map(reads),
        [
            "leaf_0: bits 7 and 6 of byte 0: 11",
            "up_1: height 6 in byte 0: 11",
            "cap: height 3 in byte 0: 11",
            "down_1_3: bits 7 and 6 of byte 1: 11",
        ]
    );
}

/// Names are those of instances in Verilog and waveforms, and all differ.
#[test]
fn names_differ() {
    for tree in [tree(0, 1, true), tree(3, 1, false)] {
        let fabric = tree.fabric();
        let routers = fabric.arrays[ROUTERS].instances;
        let names: BTreeSet<String> = (0..routers)
            .map(|at| fabric.instance_name(ROUTERS, at))
            .collect();
        assert_eq!(names.len(), routers);
        assert!(names.contains("down_1_3_0_3_31") && names.contains("up_1_0_2_63"));
    }
}

/// Wires between the stacks of a placed tree are as long as Table 4.2 has them on average, when
/// all are taken: clocks at 10 ns in free space.
#[test]
fn wires_of_placed_trees_take_the_clocks_of_the_table() {
    for (leaf, layers, expected) in [
        (4, 1, &[1.0][..]),
        (3, 2, &[1.0, 1.8]),
        (2, 2, &[1.0, 1.0]),
        (0, 2, &[1.0, 1.8]),
    ] {
        let placed = Transit {
            wires: StackWires::Geometry(Geometry::default()),
            ..tree(leaf, layers, false)
        };
        let mut compared = 0;
        placed.each_batch(|batch| {
            let layer = match (batch.from, batch.to) {
                (_, Some(Stage::Up(layer))) | (Some(Stage::Down(layer, 1)), _) if layer > 0 => {
                    layer
                }
                _ => return,
            };
            let total: u64 = batch.links.iter().map(|link| u64::from(link.delay)).sum();
            let mean = total as f64 / batch.links.len() as f64;
            let printed = expected[layer as usize - 1];
            assert!(
                (mean - printed).abs() < 0.0501,
                "{leaf} {layer} {mean} {:?}",
                batch.to
            );
            compared += 1;
        });
        // Up into each layer, and down from it.
        assert!(compared >= 2 * layers, "{leaf}, {layers}: {compared}");
    }
}

/// Both wires of four processors lead to one router of UT64x2's standard stage up, on which they
/// depend; on those of two crossbars nobody does, nor on any of UT64x8 (sections 2.1.2, 3.3.4).
#[test]
fn routers_on_which_connections_depend() {
    let critical = |tree: &Transit| tree.critical_routers(&tree.fabric());
    let standard = tree(0, 0, false);
    let found = critical(&standard);
    let expected: Vec<(u32, Vec<u32>)> = (0..16)
        .map(|router| (router, (4 * router..4 * router + 4).collect()))
        .collect();
    let nodes = found
        .iter()
        .map(|(&router, found)| (router, found.nodes.clone()));
    assert_eq!(nodes.collect::<Vec<_>>(), expected);
    assert!(found.values().all(|found| found.pairs == 4 * 63));
    let mut narrow = standard;
    narrow.up_stage = UpStage::TwoCrossbars;
    assert_eq!(critical(&narrow), Default::default());
    assert_eq!(critical(&tree(2, 1, false)), Default::default());
    // With no dispersion there are others.
    narrow.dispersion = Dispersion::None;
    assert!(!critical(&narrow).is_empty());
}

/// The routers that are on every way from a node to another one, by following all ways port by port
/// as messages go.
fn on_every_way(tree: &Transit, fabric: &Fabric, source: u32, destination: u32) -> BTreeSet<u32> {
    let on_path = |chip, arrived, draw| OnPath {
        source,
        destination,
        chip,
        arrived,
        draw,
        way: 0,
    };
    fn behind(
        tree: &Transit,
        fabric: &Fabric,
        at: LinkPort,
        chip: u32,
        on_path: &dyn Fn(u32, usize, bool) -> OnPath,
    ) -> BTreeSet<u32> {
        let next = |draw| {
            let link = tree.leaves(on_path(chip, at.link, draw));
            let (_, to) = follow(fabric, LinkPort { link, ..at }).expect("joined");
            match to.array {
                NODES => BTreeSet::new(),
                _ => behind(tree, fabric, to, chip + 1, on_path),
            }
        };
        let mut common = &next(false) & &next(true);
        common.extend((at.array == ROUTERS).then_some(at.instance as u32));
        common
    }
    let own = LinkPort {
        array: NODES,
        instance: source as usize,
        link: 0,
    };
    behind(tree, fabric, own, 0, &on_path)
}

#[test]
fn critical_routers_are_those_on_every_way() {
    let mut found = Vec::new();
    for (dispersion, up_stage) in [
        (Dispersion::Full, UpStage::Standard),
        (Dispersion::None, UpStage::Standard),
        (Dispersion::None, UpStage::TwoCrossbars),
        (Dispersion::Random { seed: 2 }, UpStage::TwoCrossbars),
    ] {
        let tree = Transit {
            dispersion,
            up_stage,
            ..tree(0, 0, false)
        };
        let fabric = tree.fabric();
        // The pairs that need each router.
        let mut needed: BTreeMap<u32, BTreeSet<(u32, u32)>> = BTreeMap::new();
        for source in 0..64 {
            for destination in (0..64).filter(|&node| node != source) {
                for router in on_every_way(&tree, &fabric, source, destination) {
                    needed
                        .entry(router)
                        .or_default()
                        .insert((source, destination));
                }
            }
        }
        let critical = tree.critical_routers(&fabric);
        assert!(critical.keys().eq(needed.keys()));
        for (router, pairs) in &needed {
            let dependents = &critical[router];
            assert_eq!(dependents.pairs, pairs.len() as u64, "router {router}");
            assert!(pairs.contains(&dependents.example));
            let all_of = |node: &u32| {
                let from = pairs.iter().filter(|(source, _)| source == node).count();
                let to = pairs.iter().filter(|(_, to)| to == node).count();
                from == 63 || to == 63
            };
            let nodes: Vec<u32> = (0..64).filter(all_of).collect();
            assert_eq!(dependents.nodes, nodes, "router {router}");
        }
        let of_nodes = critical.values().filter(|found| !found.nodes.is_empty());
        found.push((critical.len(), of_nodes.count()));
    }
    // With full dispersion those of the stage up alone.
    assert_eq!(found[0], (16, 16));
    assert!(
        found[1..]
            .iter()
            .all(|&(all, of_nodes)| all > of_nodes && of_nodes > 0)
    );
}

/// Wires of a built tree take the clocks of the lengths that placing gives, and stacks are all
/// there, each in a place of its own but for those that stand back to back.
#[test]
fn placed_wires_are_the_links_that_are_built() {
    let tree = Transit {
        wires: StackWires::Geometry(Geometry::default()),
        ..tree(2, 2, false)
    };
    for layer in 1..=2 {
        let mut by_clocks = vec![0_u64; 8];
        tree.each_placed_wire(layer, |wire| {
            let clocks = Geometry::default().clocks(wire.sides, tree.form);
            by_clocks[clocks as usize] += 1;
        });
        let mut of_links = vec![0_u64; 8];
        tree.each_batch(|batch| {
            let into = matches!(batch.to, Some(Stage::Up(to)) if to == layer)
                && batch.from != Some(Stage::Cap);
            let out = matches!(batch.from, Some(Stage::Down(from, 1)) if from == layer)
                && !matches!(batch.to, Some(Stage::Down(to, _)) if to == layer);
            for link in batch.links.iter().filter(|_| into || out) {
                of_links[link.delay as usize] += 1;
            }
        });
        assert_eq!(by_clocks, of_links, "layer {layer}");
    }
    let placed = tree.placed_stacks();
    let of_layer = |layer| placed.iter().filter(|stack| stack.layer == layer).count() as u32;
    assert_eq!((0..=2).map(of_layer).collect::<Vec<_>>(), tree.stacks());
    let mut places: Vec<_> = placed
        .iter()
        .map(|stack| (stack.corner, stack.edges))
        .collect();
    places.sort_unstable();
    places.dedup();
    // Sides of neighbouring cubes lie in one plane, and 16 leaves of each stand back to back. On
    // each of four sides there are 4 by 4 cubes, with 3 neighbours along each of 8 lines.
    assert_eq!(places.len(), placed.len() - 4 * 8 * 3 * 16);
}

/// The offsets of a wire are those of its ends in space.
#[test]
fn offsets_are_those_of_places() {
    let tree = tree(4, 1, false);
    let placed = tree.placed_stacks();
    let (tops, leaves) = placed.split_at(16);
    let centre = |stack: &PlacedStack| {
        let [a, b] = stack.edges;
        std::array::from_fn::<i32, 3, _>(|at| 2 * stack.corner[at] + a[at] + b[at])
    };
    let between = |leaf: &PlacedStack, top: &PlacedStack| -> [u32; 3] {
        let (from, to) = (centre(leaf), centre(top));
        // Half a side more into the room, and down.
        let mut halves: [u32; 3] = std::array::from_fn(|at| from[at].abs_diff(to[at]) / 2);
        halves.sort_unstable();
        halves
    };
    let mut in_space: Vec<[u32; 3]> = Vec::new();
    for leaf in leaves {
        in_space.extend(tops.iter().map(|top| between(leaf, top)));
    }
    // Wire by wire, and not only all together: walls that face each other are unlike.
    let mut wires = 0;
    tree.each_up(1, |link| {
        let ends = link.between;
        let expected = between(&leaves[ends.child as usize], &tops[ends.stacks.1 as usize]);
        let mut offsets = tree.offsets(ends);
        offsets.sort_unstable();
        assert_eq!(offsets, expected, "{ends:?}");
        wires += 1;
    });
    assert_eq!(wires, 8 * in_space.len());
    let mut counted: Vec<[u32; 3]> = Vec::new();
    tree.each_placed_wire(1, |wire| {
        let mut offsets = wire.offsets;
        offsets.sort_unstable();
        counted.push(offsets);
    });
    in_space.sort_unstable();
    counted.sort_unstable();
    // Sixteen channels join each pair: eight each way.
    assert_eq!(counted.len(), 16 * in_space.len());
    assert!(
        counted
            .chunks(16)
            .zip(&in_space)
            .all(|(wires, pair)| wires.iter().all(|w| w == pair))
    );
}
