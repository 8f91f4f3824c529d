//! Attempts and packets that are under way, and the wires on which they are.

use crosswave_network::path::follow;
use crosswave_network::topology::NODES;
use crosswave_network::{Fabric, LinkPort};

/// The ends of all wires of a network, and the extra cycles on the route there.
pub(super) struct WireEnds {
    links: Vec<usize>,
    ends: Vec<Vec<Option<(u64, LinkPort)>>>,
}

impl WireEnds {
    /// Those of a fabric.
    pub(super) fn of(fabric: &Fabric) -> WireEnds {
        let links = fabric.arrays.iter().map(|array| array.chip.links.len());
        let links: Vec<usize> = links.collect();
        let followed = |array: usize| {
            let is_router = fabric.router_arrays().any(|of| of == array);
            is_router || array == NODES
        };
        let ends = (0..fabric.arrays.len()).map(|array| {
            if !followed(array) {
                return Vec::new();
            }
            let ports = 0..fabric.arrays[array].instances * links[array];
            let ends = ports.map(|port| {
                let from = LinkPort {
                    array,
                    instance: port / links[array],
                    link: port % links[array],
                };
                follow(fabric, from)
            });
            ends.collect()
        });
        let ends = ends.collect();
        WireEnds { links, ends }
    }

    /// The end of the wire at an output, and the extra cycles on the route there; `None` where the
    /// wire leads nowhere.
    pub(super) fn end(&self, from: LinkPort) -> Option<(u64, LinkPort)> {
        self.ends[from.array][from.instance * self.links[from.array] + from.link]
    }
}

/// The attempts that are under way, in memory that those which are over leave to later ones.
#[derive(Debug)]
pub(super) struct Slots<T> {
    items: Vec<T>,
    free: Vec<u32>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots {
            items: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Slots<T> {
    /// Takes one in.
    pub(super) fn insert(&mut self, item: T) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.items[slot as usize] = item;
                slot
            }
            None => {
                self.items.push(item);
                self.items.len() as u32 - 1
            }
        }
    }

    /// The one at a place; `None` where there has been none.
    pub(super) fn get(&self, slot: u32) -> Option<&T> {
        self.items.get(slot as usize)
    }

    /// Leaves a place to later ones.
    pub(super) fn free(&mut self, slot: u32) {
        self.free.push(slot);
    }

    /// Those that are under way, in the order of their places.
    pub(super) fn into_left(self) -> Vec<T> {
        let mut is_left = vec![true; self.items.len()];
        self.free
            .iter()
            .for_each(|&slot| is_left[slot as usize] = false);
        let items = self.items.into_iter().zip(is_left);
        items
            .filter(|(_, left)| *left)
            .map(|(item, _)| item)
            .collect()
    }
}

impl<T> std::ops::Index<u32> for Slots<T> {
    type Output = T;

    fn index(&self, slot: u32) -> &T {
        &self.items[slot as usize]
    }
}

impl<T> std::ops::IndexMut<u32> for Slots<T> {
    fn index_mut(&mut self, slot: u32) -> &mut T {
        &mut self.items[slot as usize]
    }
}
