//! Grids: routers at the points of one, two or three axes.
//!
//! Along each axis a router has a link to the neighbour with the lower coordinate and one to that with
//! the higher coordinate. At the edge of a mesh these links lead nowhere: what arrives there is 0. In a
//! torus and a ring they lead round to the other edge.

use super::{At, Coordinates};

/// A grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// Routers along each axis.
    pub size: Vec<u32>,
    /// The link ports to the lower and the higher neighbour, for each axis.
    pub axes: Vec<[usize; 2]>,
    /// True when the links at the edges lead round.
    pub wraps: bool,
    /// Extra cycles of a link.
    pub link_cycles: u32,
}

impl Grid {
    /// Number of routers.
    pub fn count(&self) -> u32 {
        self.size.iter().product()
    }

    /// The coordinates of a router.
    pub fn coordinates(&self, router: u32) -> Coordinates {
        let mut rest = router;
        let split = |&size: &u32| {
            let coordinate = rest % size;
            rest /= size;
            coordinate
        };
        self.size.iter().map(split).collect()
    }

    /// The name of a router: `router_X_Y`.
    pub fn name(&self, router: u32) -> String {
        let coordinates = self.coordinates(router);
        let parts = coordinates
            .iter()
            .map(|coordinate| format!("_{coordinate}"));
        format!("router{}", parts.collect::<String>())
    }

    /// Links along an axis from a coordinate to another one on a shortest way, and whether it leads to
    /// the higher neighbour.
    fn along(&self, axis: usize, from: u32, to: u32) -> (u32, bool) {
        let straight = from.abs_diff(to);
        let round = self.size[axis] - straight;
        match self.wraps && round < straight {
            true => (round, to < from),
            false => (straight, to > from),
        }
    }

    /// Links from a router to another one on a shortest way.
    pub fn distance(&self, from: u32, to: u32) -> u32 {
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        let axes = 0..self.size.len();
        axes.map(|axis| self.along(axis, from[axis], to[axis]).0)
            .sum()
    }

    /// Links of the longest of the shortest ways.
    pub fn longest(&self) -> u32 {
        let along = self.size.iter().map(|&size| match self.wraps {
            true => size / 2,
            false => size - 1,
        });
        along.sum()
    }

    /// Tells of the output links of a shortest way, along one axis after the other.
    pub fn way(&self, from: u32, to: u32, link: &mut dyn FnMut(usize)) {
        let (from, to) = (self.coordinates(from), self.coordinates(to));
        for (axis, &[lower, higher]) in self.axes.iter().enumerate() {
            let (count, is_up) = self.along(axis, from[axis], to[axis]);
            (0..count).for_each(|_| link(if is_up { higher } else { lower }));
        }
    }

    /// Tells of all links between routers, with their extra cycles.
    pub fn joins(&self, join: &mut dyn FnMut(At, At, u32)) {
        for router in 0..self.count() {
            let mut step = 1;
            for (&size, &[lower, higher]) in self.size.iter().zip(&self.axes) {
                let at = router / step % size;
                let next = match at + 1 < size {
                    true => Some(router + step),
                    false if self.wraps => Some(router - at * step),
                    false => None,
                };
                if let Some(next) = next {
                    join((router, higher), (next, lower), self.link_cycles);
                }
                step *= size;
            }
        }
    }

    /// Number of links between routers.
    pub fn links(&self) -> u64 {
        let along = self.size.iter().map(|&size| match self.wraps {
            true => u64::from(self.count()),
            false => u64::from(self.count() / size * (size - 1)),
        });
        along.sum()
    }

    /// Nodes of a group of each level, the lowest first.
    pub fn levels(&self) -> Vec<u32> {
        let mut nodes = 1;
        let grow = |&size: &u32| {
            nodes *= size;
            nodes
        };
        self.size.iter().map(grow).collect()
    }

    /// The row of a router and its place in it.
    pub fn standing(&self, router: u32) -> (usize, u32) {
        let width = self.size[0];
        ((router / width) as usize, router % width)
    }
}
