//! Networks without order.

use super::{Fabric, OPEN, PinValues};
use crate::random;

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
        if let PinValues::Each(values) = &mut pin.values {
            let moved = order.iter().map(|&instance| values[instance as usize]);
            *values = moved.collect();
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
    fabric
}
