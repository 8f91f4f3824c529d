//! The load factor of a set of messages on a fat tree, and the bounds on delivery rounds that follow from it.
//!
//! Source: V. Strumpen and A. Krishnamurthy, "A collision model for randomized routing in fat-tree networks"
//! (2005), section 1, where the bounds are cited: O(λ lg n) rounds for sets that are known in advance (Leiserson
//! 1985), and O(λ + lg n lg lg n) for others (Greenberg and Leiserson 1989). Their factors are not given; here
//! they are 1.

/// The largest ratio of messages that pass through a channel to its links, over all channels of a tree of
/// 2^`levels` leaves. As many links lead up from a subtree as it has leaves, and as many down to it, as in the
/// four-port fat tree. `pairs` are the source and the destination of each message.
///
/// # Panics
/// When a source or a destination is no leaf.
///
/// ```
/// use crosswave_analytic::load_factor::load_factor;
///
/// // Three messages to one leaf of eight.
/// assert_eq!(load_factor(3, &[(0, 7), (1, 7), (4, 7)]), 3.0);
/// // A permutation loads no channel more than once for each link.
/// let shifted: Vec<(u32, u32)> = (0..8).map(|leaf| (leaf, (leaf + 1) % 8)).collect();
/// assert_eq!(load_factor(3, &shifted), 1.0);
/// ```
pub fn load_factor(levels: u32, pairs: &[(u32, u32)]) -> f64 {
    let leaves = 1u32 << levels;
    let is_leaf = |&(source, destination): &(u32, u32)| source < leaves && destination < leaves;
    assert!(pairs.iter().all(is_leaf), "each is a leaf");
    let mut most = 0.0f64;
    for height in 0..levels {
        let subtrees = (leaves >> height) as usize;
        let (mut up, mut down) = (vec![0u32; subtrees], vec![0u32; subtrees]);
        for &(source, destination) in pairs {
            let [from, to] = [source, destination].map(|leaf| (leaf >> height) as usize);
            if from != to {
                up[from] += 1;
                down[to] += 1;
            }
        }
        let links = f64::from(1u32 << height);
        let load = up.iter().chain(&down).copied().max().unwrap_or(0);
        most = most.max(f64::from(load) / links);
    }
    most
}

/// λ lg n: the bound for messages that are known in advance, for n = 2^`levels`.
pub fn known_bound(load_factor: f64, levels: u32) -> f64 {
    load_factor * f64::from(levels)
}

/// λ + lg n lg lg n: the bound for messages that are not known in advance, for n = 2^`levels`, from n = 2 on.
pub fn unknown_bound(load_factor: f64, levels: u32) -> f64 {
    let levels = f64::from(levels);
    load_factor + levels * levels.log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All sets of three messages in a tree of four leaves, by looking at each channel of each.
    #[test]
    fn it_is_that_of_the_most_loaded_channel() {
        let leaves = 0..4u32;
        let all: Vec<(u32, u32)> = leaves
            .clone()
            .flat_map(|source| leaves.clone().map(move |destination| (source, destination)))
            .collect();
        let halves = |leaf: u32| leaf / 2;
        for &a in &all {
            for &b in &all {
                for &c in &all {
                    let pairs = [a, b, c];
                    let count = |passes: &dyn Fn(u32, u32) -> bool| {
                        let passing = pairs.iter().filter(|&&(from, to)| passes(from, to));
                        passing.count() as f64
                    };
                    let mut most = 0.0f64;
                    for leaf in 0..4 {
                        most = most.max(count(&|from, to| from == leaf && to != leaf));
                        most = most.max(count(&|from, to| from != leaf && to == leaf));
                    }
                    for half in 0..2 {
                        let leaves = count(&|from, to| halves(from) == half && halves(to) != half);
                        let comes = count(&|from, to| halves(from) != half && halves(to) == half);
                        most = most.max(leaves / 2.0).max(comes / 2.0);
                    }
                    assert_eq!(load_factor(2, &pairs), most, "{pairs:?}");
                }
            }
        }
    }

    #[test]
    fn bounds_of_sixteen_nodes() {
        assert_eq!(known_bound(3.0, 4), 12.0);
        assert_eq!(unknown_bound(3.0, 4), 11.0);
    }
}
