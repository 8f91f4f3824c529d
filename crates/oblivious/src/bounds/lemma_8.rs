//! Lemma 8 by enumeration: how many pairs can be routed through one top switch.
//!
//! SEFT2(m, k) is k switches with m/2 nodes each, below one top switch. The lemma says of a set of
//! pairs of nodes of different switches: where no link has more than X of them that share no
//! source and no destination, and X >= m/k, the set has at most k (k - 1) X^2 pairs.
//!
//! By Koenig's theorem a link has no more than X disjoint pairs when X nodes, sources or
//! destinations, cover all its pairs. So a largest set is, for some choice of X covering nodes
//! for every link, all pairs that are covered both on the up link of the source's switch and on
//! the down link of the destination's. Choices for the up links are tried one by one, and
//! for each the best of every down link is found by itself.
//!
//! Cost: c^(k+1) k steps for c = C(km/2, X) choices of a link. Limits: [`PAIRS_MAX`] pairs,
//! [`STEPS_MAX`] steps.

/// The most pairs of nodes of different switches: k (k - 1) m^2 / 4.
pub const PAIRS_MAX: u32 = u128::BITS;

/// The most steps of an enumeration.
pub const STEPS_MAX: u64 = 1 << 33;

/// The bound of the lemma: k (k - 1) X^2 where X >= m/k; elsewhere nothing.
pub fn bound(m: u32, k: u32, disjoint: u32) -> Option<u32> {
    (disjoint * k >= m).then(|| k * (k - 1) * disjoint.pow(2))
}

/// The most pairs of a set of which no link has more than `disjoint` disjoint ones. None beyond the
/// limits of the module.
///
/// ```
/// use crosswave_oblivious::bounds::lemma_8;
/// // One disjoint pair a link: the 12 pairs that the lemma allows are less than the 24 that
/// // one of the two top switches of FT(4, 2) has to take.
/// assert_eq!(lemma_8::most_pairs(4, 4, 1), Some(12));
/// assert_eq!(lemma_8::bound(4, 4, 1), Some(12));
/// ```
pub fn most_pairs(m: u32, k: u32, disjoint: u32) -> Option<u32> {
    let network = Network { half: m / 2, k };
    let pairs = (u64::from(k) * u64::from(network.half)).checked_pow(2)?;
    if pairs > 1 << 16 || network.pairs() > PAIRS_MAX {
        return None;
    }
    let choices = choices(k * network.half, disjoint)?;
    let steps = choices.checked_pow(k + 1)?.checked_mul(u64::from(k))?;
    if steps > STEPS_MAX {
        return None;
    }
    let up: Vec<Vec<u128>> = (0..k)
        .map(|switch| unions(&network.masks(switch, |from, _| from), disjoint))
        .collect();
    let down: Vec<Vec<u128>> = (0..k)
        .map(|switch| unions(&network.masks(switch, |_, to| to), disjoint))
        .collect();
    let mut most = 0;
    try_up_links(&up, 0, &mut |covered| {
        let best = |covers: &Vec<u128>| {
            let counts = covers.iter().map(|cover| (cover & covered).count_ones());
            counts.max().unwrap_or(0)
        };
        most = most.max(down.iter().map(best).sum());
    });
    Some(most)
}

/// C(n, k), none beyond 64 bits.
fn choices(n: u32, k: u32) -> Option<u64> {
    (0..u64::from(k.min(n))).try_fold(1u64, |product, at| {
        Some(product.checked_mul(u64::from(n) - at)? / (at + 1))
    })
}

/// Hands over the pairs that each choice of one cover for every link covers.
fn try_up_links(links: &[Vec<u128>], covered: u128, visit: &mut impl FnMut(u128)) {
    match links.split_first() {
        None => visit(covered),
        Some((covers, rest)) => {
            for cover in covers {
                try_up_links(rest, covered | cover, visit);
            }
        }
    }
}

/// The unions of all choices of `count` masks, or of all where there are no more.
fn unions(masks: &[u128], count: u32) -> Vec<u128> {
    if count as usize >= masks.len() || count == 0 {
        let union = masks.iter().fold(0, |union, mask| union | mask);
        return vec![if count == 0 { 0 } else { union }];
    }
    let mut all = Vec::new();
    for (at, mask) in masks.iter().enumerate() {
        if masks.len() - at < count as usize {
            break;
        }
        let others = unions(&masks[at + 1..], count - 1);
        all.extend(others.into_iter().map(|union| union | mask));
    }
    all
}

/// SEFT2(m, k).
#[derive(Debug, Clone, Copy)]
struct Network {
    /// m/2.
    half: u32,
    k: u32,
}

/// A node: its switch, and its place there.
type Node = (u32, u32);

impl Network {
    fn pairs(self) -> u32 {
        self.k * (self.k - 1) * self.half.pow(2)
    }

    fn nodes(self) -> impl Iterator<Item = Node> {
        (0..self.k).flat_map(move |switch| (0..self.half).map(move |node| (switch, node)))
    }

    /// All pairs, in the order of their bits.
    fn all_pairs(self) -> impl Iterator<Item = (Node, Node)> {
        let pairs = self
            .nodes()
            .flat_map(move |from| self.nodes().map(move |to| (from, to)));
        pairs.filter(|(from, to)| from.0 != to.0)
    }

    /// By nodes: those pairs of the link that leads up from a switch, or down to it, of which the
    /// node is one end. `near` is the end at the switch.
    fn masks(self, switch: u32, near: fn(Node, Node) -> Node) -> Vec<u128> {
        let mask = |end: Node| {
            let pairs = (0..).zip(self.all_pairs());
            let of_end = pairs.filter(|&(_, (from, to))| {
                near(from, to).0 == switch && (from == end || to == end)
            });
            of_end.fold(0, |mask, (bit, _)| mask | 1u128 << bit)
        };
        self.nodes().map(mask).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::{Edge, most_edges};

    /// By trying all sets of pairs, with a matching for each link.
    fn by_trying(m: u32, k: u32, disjoint: u32) -> u32 {
        let network = Network { half: m / 2, k };
        let pairs: Vec<(Node, Node)> = network.all_pairs().collect();
        let number = |node: Node| node.0 * network.half + node.1;
        let mut most = 0;
        for set in 0..1u32 << pairs.len() {
            if set.count_ones() <= most {
                continue;
            }
            let members = (0..pairs.len()).filter(|bit| set >> bit & 1 == 1);
            let members: Vec<(Node, Node)> = members.map(|bit| pairs[bit]).collect();
            let fits = |is_of_link: &dyn Fn(&(Node, Node)) -> bool| {
                let pairs = members.iter().filter(|pair| is_of_link(pair));
                let edges: Vec<Edge> = pairs
                    .map(|&(from, to)| Edge {
                        left: number(from),
                        right: number(to),
                        weight: 1,
                    })
                    .collect();
                most_edges(&edges).len() <= disjoint as usize
            };
            let all_fit = (0..k).all(|switch| {
                fits(&|pair: &(Node, Node)| pair.0.0 == switch)
                    && fits(&|pair: &(Node, Node)| pair.1.0 == switch)
            });
            if all_fit {
                most = set.count_ones();
            }
        }
        most
    }

    #[test]
    fn covers_find_what_trying_every_set_finds() {
        for (m, k, disjoint) in [(4, 2, 1), (4, 2, 2), (6, 2, 1), (6, 2, 2), (2, 4, 1)] {
            let found = most_pairs(m, k, disjoint);
            assert_eq!(found, Some(by_trying(m, k, disjoint)), "{m} {k} {disjoint}");
        }
    }

    #[test]
    fn the_lemma_holds_where_it_speaks() {
        let mut checked = Vec::new();
        for m in (2..=8).step_by(2) {
            for k in 2..=5 {
                for disjoint in 1..=m / 2 {
                    let tries = choices(k * m / 2, disjoint).unwrap().checked_pow(k + 1);
                    let cheap = tries.is_some_and(|tries| tries < 1 << 24);
                    let (true, Some(bound)) = (cheap, bound(m, k, disjoint)) else {
                        continue;
                    };
                    if let Some(most) = most_pairs(m, k, disjoint) {
                        assert!(most <= bound, "{m} {k} {disjoint}: {most} > {bound}");
                        checked.push((m, k, disjoint, bound - most));
                    }
                }
            }
        }
        // Those in which not all pairs fit anyway, and how far the lemma is from what is there.
        let not_all = |&&(m, _, disjoint, _): &&(u32, u32, u32, u32)| 2 * disjoint < m;
        let not_all: Vec<_> = checked.iter().filter(not_all).copied().collect();
        assert_eq!(not_all, [(4, 4, 1, 0), (4, 5, 1, 0), (6, 3, 2, 0)]);
    }

    /// Below m/k the lemma is silent, and its formula too low.
    #[test]
    fn few_switches_fit_more_than_the_lemmas_formula() {
        assert_eq!(bound(4, 3, 1), None);
        assert_eq!(most_pairs(4, 3, 1), Some(8));
        assert_eq!(bound(8, 2, 1), None);
        assert_eq!(most_pairs(8, 2, 1), Some(8));
    }

    #[test]
    fn large_networks_are_refused() {
        assert_eq!(most_pairs(32, 32, 4), None);
        assert_eq!(most_pairs(8, 4, 2), None);
    }
}
