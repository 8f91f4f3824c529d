//! The network as all threads read it.

use std::ops::Range;

use crosswave_network::Fabric;

/// Most entries of the table from link ports to parts.
const ENTRIES_MOST: u32 = 1 << 14;

/// The network, as all threads read it.
pub(super) struct SharedNetwork {
    pub(super) fabric: Fabric,
    /// Number of the first instance of each array, over all arrays.
    pub(super) first_chip: Vec<u32>,
    /// The link ports of each part.
    links: Vec<Range<u32>>,
    /// The parts that have link ports.
    parts: PartsOfPorts,
}

/// The map from link ports to parts.
#[derive(Debug)]
struct PartsOfPorts {
    /// The first link port of each part that has one, in rising order, and the part; behind them
    /// what no link port reaches.
    first: Vec<(u32, u32)>,
    /// For each 2^`shift`th link port, the index of its entry in `first`.
    entries: Vec<u16>,
    shift: u32,
}

impl PartsOfPorts {
    fn new(links: impl Iterator<Item = Range<u32>>) -> Self {
        let parts = links.zip(0..).filter(|(links, _)| !links.is_empty());
        let mut parts: Vec<(Range<u32>, u32)> = parts.collect();
        parts.sort_unstable_by_key(|(links, _)| links.start);
        let end = parts.last().map_or(0, |(links, _)| links.end);
        let shift = (0..u32::BITS)
            .find(|shift| end >> shift < ENTRIES_MOST)
            .expect("a number shifted far enough is 0");
        let mut first: Vec<(u32, u32)> = parts
            .into_iter()
            .map(|(links, part)| (links.start, part))
            .collect();
        let entry = |port: u32| first.partition_point(|&(first, _)| first <= port) - 1;
        let entries = (0..end.div_ceil(1 << shift))
            .map(|at| u16::try_from(entry(at << shift)).expect("few parts"))
            .collect();
        first.push((u32::MAX, u32::MAX));
        PartsOfPorts {
            first,
            entries,
            shift,
        }
    }

    #[inline(always)]
    fn of(&self, link_port: u32) -> usize {
        let mut entry = usize::from(self.entries[(link_port >> self.shift) as usize]);
        while self.first[entry + 1].0 <= link_port {
            entry += 1;
        }
        self.first[entry].1 as usize
    }
}

impl SharedNetwork {
    /// The network of which the parts have these link ports.
    pub(super) fn new(
        fabric: Fabric,
        first_chip: Vec<u32>,
        links: impl Iterator<Item = Range<u32>>,
    ) -> Self {
        let links: Vec<Range<u32>> = links.collect();
        SharedNetwork {
            fabric,
            first_chip,
            parts: PartsOfPorts::new(links.iter().cloned()),
            links,
        }
    }

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
    #[inline(always)]
    pub(super) fn part_of(&self, link_port: u32) -> usize {
        self.parts.of(link_port)
    }

    /// The link ports of a part.
    #[inline(always)]
    pub(super) fn links_of(&self, part: usize) -> Range<u32> {
        self.links[part].clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_port_has_its_part() {
        // Parts of one port and of many, some without ports, in any order.
        let many = [5, 0, 1, 100_000, 3, 0, 70_000, 1, 1];
        let few = [5, 0, 1, 100, 3, 0, 70, 1, 1];
        let order = [3, 8, 0, 5, 6, 2, 1, 7, 4];
        for sizes in [many, few, [0; 9]] {
            let mut links = vec![0..0; sizes.len()];
            let mut end = 0;
            for part in order {
                links[part] = end..end + sizes[part];
                end += sizes[part];
            }
            let parts = PartsOfPorts::new(links.iter().cloned());
            for (part, links) in links.iter().enumerate() {
                assert!(links.clone().all(|port| parts.of(port) == part));
            }
        }
    }
}
