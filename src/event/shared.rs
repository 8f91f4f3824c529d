//! What all threads read of the network.

use std::ops::Range;

use crate::network::Fabric;

/// The network, as all threads read it.
pub(super) struct Shared {
    pub(super) fabric: Fabric,
    /// Number of the first instance of each array, over all arrays.
    pub(super) first_chip: Vec<u32>,
    /// The first link port of each part that has one, in rising order, and the part.
    pub(super) parts: Vec<(u32, u32)>,
}

impl Shared {
    /// The link ports of instances of an array.
    pub(super) fn link_ports(
        fabric: &Fabric,
        array: usize,
        instances: &Range<usize>,
    ) -> Range<u32> {
        let layout = &fabric.arrays[array];
        let links = layout.chip.links.len();
        let number = |instance: usize| layout.first_link + (instance * links) as u32;
        number(instances.start)..number(instances.end)
    }

    /// The part that a link port belongs to.
    #[inline]
    pub(super) fn part_of(&self, link_port: u32) -> usize {
        let behind = self.parts.partition_point(|&(first, _)| first <= link_port);
        self.parts[behind - 1].1 as usize
    }
}
