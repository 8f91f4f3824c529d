//! WSR, widest shortest routing (section VI): pairs are routed one after another, sources ascending
//! and for each of them destinations ascending, and each takes the shortest path whose links carry the
//! fewest paths so far.
//!
//! The weight of a path is the sum of its links' weights. Of several lightest paths the paper does
//! not say which is taken; here it is the one with the lowest top switch.
//!
//! The table takes four bytes for each pair of nodes. Making it takes about h^x steps for each pair
//! with h^x paths: links are added up height by height, for all paths that share them at once.

use super::{Routing, Share};
use crate::tree::{LinkDirection, PortTree};

/// WSR.
#[derive(Debug, Clone)]
pub struct Widest {
    tree: PortTree,
    /// The top switch of each pair, sources ascending.
    tops: Vec<u32>,
}

impl Widest {
    /// Routes every pair of a tree.
    pub fn new(tree: PortTree) -> Self {
        let nodes = tree.nodes();
        let mut weights = vec![0u32; tree.links() as usize];
        let mut tops = Vec::with_capacity(nodes as usize * nodes as usize);
        // By the ports of a height: what the links up to there weigh.
        let (mut lower, mut sums) = (Vec::new(), Vec::new());
        for source in 0..nodes {
            for destination in 0..nodes {
                if source == destination {
                    tops.push(0);
                    continue;
                }
                let meeting = tree.meeting_height(source, destination);
                let first =
                    |height, node, direction| tree.index(tree.link_of(node, height, 0, direction));
                sums.clear();
                sums.push(0u64);
                for height in 1..=meeting {
                    let up = first(height, source, LinkDirection::Up);
                    let down = first(height, destination, LinkDirection::Down);
                    let ports = tree.power(height) as usize;
                    let links = weights[up..][..ports].iter().zip(&weights[down..][..ports]);
                    std::mem::swap(&mut lower, &mut sums);
                    let shared = lower
                        .iter()
                        .flat_map(|&sum| std::iter::repeat_n(sum, tree.half() as usize));
                    sums.clear();
                    sums.extend(
                        shared
                            .zip(links)
                            .map(|(sum, (&up, &down))| sum + u64::from(up) + u64::from(down)),
                    );
                }
                let lightest = (0..).zip(&sums).min_by_key(|&(_, sum)| sum);
                let top = lightest.map_or(0, |(top, _)| top);
                for height in 0..=meeting {
                    let port = (top / tree.power(meeting - height)) as usize;
                    weights[first(height, source, LinkDirection::Up) + port] += 1;
                    weights[first(height, destination, LinkDirection::Down) + port] += 1;
                }
                tops.push(top);
            }
        }
        Widest { tree, tops }
    }
}

impl Routing for Widest {
    fn tree(&self) -> PortTree {
        self.tree
    }

    fn name(&self) -> String {
        "WSR".to_owned()
    }

    fn units(&self) -> u32 {
        1
    }

    fn shares(&self, source: u32, destination: u32, shares: &mut Vec<Share>) {
        let pair = source as usize * self.tree.nodes() as usize + destination as usize;
        let top = self.tops[pair];
        shares.clear();
        shares.push(Share { top, units: 1 });
    }

    fn bytes(&self) -> u64 {
        size_of_val(&self.tops[..]) as u64
    }
}
