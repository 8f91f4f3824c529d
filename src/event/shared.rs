//! What all threads read of the network.

use crate::network::Fabric;

/// The network, as all threads read it.
pub(super) struct Shared {
    pub(super) fabric: Fabric,
    /// Number of the first instance of each array, over all arrays.
    pub(super) first_chip: Vec<u32>,
}

impl Shared {
    /// The chip that a link port belongs to.
    #[inline]
    pub(super) fn chip_of(&self, link_port: u32) -> u32 {
        let index = self.fabric.array_of(link_port);
        let array = &self.fabric.arrays[index];
        let offset = link_port - array.first_link;
        // Division by a constant is a shift.
        let instance = match array.chip.links.len() {
            1 => offset,
            2 => offset / 2,
            4 => offset / 4,
            16 => offset / 16,
            links => offset / links as u32,
        };
        self.first_chip[index] + instance
    }
}
