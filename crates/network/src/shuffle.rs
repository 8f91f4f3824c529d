//! Networks without order.

use super::fat_tree::ROUTERS;
use super::{Fabric, LinkPort, OPEN, PinValues};
use crosswave_base::random;
use crosswave_chips::fat_tree_grants::{A, B};

/// Seed of the order.
const SEED: u64 = 1;

/// The same network with the instances of one array numbered at random: it does
/// the same with the same random bits, and its links lead anywhere.
pub fn shuffled(fabric: &Fabric, array: usize) -> Fabric {
    let mut fabric = fabric.clone();
    let chips = &mut fabric.arrays[array];
    let (first, links) = (chips.first_link, chips.chip.links.len() as u32);
    let mut order: Vec<u64> = (0..chips.instances as u64).collect();
    order.sort_by_key(|&instance| random::word(SEED, instance));
    let mut number = vec![0; order.len()];
    for (place, &instance) in (0u32..).zip(&order) {
        number[instance as usize] = place;
    }
    for pin in &mut chips.pins {
        match &mut pin.values {
            PinValues::Uniform(_) => {}
            PinValues::Each(values) => *values = in_order(&order, values),
            PinValues::Wide(values) => *values = in_order(&order, values),
        }
    }
    let moved = |port: u32| {
        let place = port.checked_sub(first);
        match place.and_then(|place| number.get((place / links) as usize)) {
            Some(number) if port != OPEN => first + number * links + (port - first) % links,
            _ => port,
        }
    };
    let before = std::mem::take(&mut fabric.peers);
    fabric.peers = vec![OPEN; before.len()];
    for (port, &peer) in (0u32..).zip(&before) {
        fabric.peers[moved(port) as usize] = moved(peer);
    }
    let before = fabric.rotations.clone();
    for (port, &rotation) in (0u32..).zip(&before) {
        fabric.rotations[moved(port) as usize] = rotation;
    }
    fabric
}

/// The values of the instances in an order.
fn in_order<T: Copy>(order: &[u64], values: &[T]) -> Vec<T> {
    let moved = order.iter().map(|&instance| values[instance as usize]);
    moved.collect()
}

/// A fat tree joined otherwise: a node of a level above the first has as many
/// links to the routers of a child as these have to it, and those are paired at
/// random. Messages find their ways as before, since any router of a child
/// leads to all of its subtree; but above the first levels no numbering of the
/// routers gives the links an order.
pub fn rewired(fabric: &Fabric) -> Fabric {
    let mut fabric = fabric.clone();
    let half = fabric.nodes / 2;
    let levels = fabric.arrays[ROUTERS].instances / half;
    for level in 1..levels {
        let routers = 1 << level;
        for first in (level * half..(level + 1) * half).step_by(routers) {
            for link in [A, B] {
                let port = |instance| {
                    fabric.number(LinkPort {
                        array: ROUTERS,
                        instance,
                        link,
                    })
                };
                let ports: Vec<u32> = (first..first + routers).map(port).collect();
                let mut others: Vec<u32> = ports
                    .iter()
                    .map(|&port| fabric.peers[port as usize])
                    .collect();
                others.sort_by_key(|&other| random::word(SEED, u64::from(other)));
                for (port, other) in ports.into_iter().zip(others) {
                    fabric.peers[port as usize] = other;
                    fabric.peers[other as usize] = port;
                }
            }
        }
    }
    fabric
}
