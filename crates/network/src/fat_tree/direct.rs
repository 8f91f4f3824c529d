//! The links of a tree without extra clocks, port by port in the order of their numbers.
//!
//! A tree of 2^20 nodes has 42 million link ports, 168 MB. To join its links one by one goes
//! through all of that several times, here and there; each port by its own rule is written once.

use super::FatTree;
use crate::OPEN;
use crosswave_chips::fat_tree_grants::{A, B, C, D};

/// Link ports of a router.
const PORTS: usize = 4;

/// The far end of every link port of a tree: those of the routers, then those of the nodes.
pub(super) fn peers(tree: &FatTree) -> Vec<u32> {
    let (numbering, levels) = (tree.numbering(), tree.levels());
    let half = tree.nodes / 2;
    let routers = tree.routers();
    // Zeros of the system, which are written over.
    let mut peers = vec![0; PORTS * routers + tree.nodes as usize];
    let (mut of_routers, of_nodes) = peers.split_at_mut(PORTS * routers);
    let first_node = (PORTS * routers) as u32;
    let (mut first, mut first_child) = (0, 0);
    for level in 0..levels {
        let count = numbering.routers_of(level);
        let (own, above) = of_routers.split_at_mut(PORTS * count);
        of_routers = above;
        let first_parent = first + count;
        // On which side of the level above a router stands, a bit of its number says.
        let side = (level + 1 < levels).then(|| 1 << numbering.side(level));
        let side_below = level.checked_sub(1).map(|below| 1 << numbering.side(below));
        let single = tree.upstream_single(level);
        let port = |router: usize, link: usize| (PORTS * router + link) as u32;
        for (number, ports) in own.chunks_exact_mut(PORTS).enumerate() {
            [ports[A], ports[B]] = match side_below {
                None => [number as u32, number as u32 + half].map(|node| first_node + node),
                Some(side) => {
                    let link = if number & side == 0 { C } else { D };
                    let children = [number & !side, number | side];
                    children.map(|child| port(first_child + child, link))
                }
            };
            [ports[C], ports[D]] = match side {
                None => [OPEN, OPEN],
                Some(side) => {
                    let link = if number & side == 0 { A } else { B };
                    let lower = port(first_parent + (number & !side), link);
                    let upper = port(first_parent + (number | side), link);
                    [lower, if single { OPEN } else { upper }]
                }
            };
        }
        (first_child, first) = (first, first_parent);
    }
    for (instance, peer) in (0..).zip(of_nodes) {
        *peer = port_of_node(instance, half);
    }
    peers
}

/// The link port that an interface is joined to, in a tree of twice `half` nodes.
fn port_of_node(instance: u32, half: u32) -> u32 {
    let (router, link) = match instance < half {
        true => (instance, A),
        false => (instance - half, B),
    };
    PORTS as u32 * router + link as u32
}
