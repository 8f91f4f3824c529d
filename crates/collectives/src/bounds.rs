//! Closed forms: the steps of the paper's algorithms and lower bounds.
//!
//! `levels` is d = lg n throughout. Functions on numbers of levels hold for the trees
//! their names say; the others take a tree. All panic outside 1 to
//! [`LEVELS_MAX`] levels.

use crate::tree::{BinaryFatTree, LEVELS_MAX};

fn processors(levels: u32) -> u64 {
    assert!(
        (1..=LEVELS_MAX).contains(&levels),
        "a tree has 1 to {LEVELS_MAX} levels"
    );
    1 << levels
}

/// Broadcast: 2 lg n (D&D, section 2.1 and table 1).
pub fn broadcast_steps(levels: u32) -> u64 {
    processors(levels);
    2 * u64::from(levels)
}

/// Scatter, gather and multinode broadcast with queues: n + 1 (D&D, theorems 1 and 2,
/// table 1). The paper leaves out that n = 2 takes 2 steps.
pub fn scatter_steps(levels: u32) -> u64 {
    match processors(levels) {
        2 => 2,
        n => n + 1,
    }
}

/// Multinode broadcast without queues as D&D cite it, section 4.1, and scatter nearest first:
/// n + 2 lg n - 2.
pub fn multinode_in_phases_steps(levels: u32) -> u64 {
    processors(levels) + 2 * u64::from(levels) - 2
}

/// The longest queue at a node of `level` when all flood a CBFT: 2^(i-1) (D&D, section 4.1),
/// and 0 at the root, whose children fill its two down channels at the rate at which these
/// pass. It is exact in [`ideal`](crate::ideal) for n = 2 to 4,096.
pub fn flooding_queue(levels: u32, level: u32) -> u64 {
    if level >= levels { 0 } else { 1 << (level - 1) }
}

/// The lower bound of total exchange in table 1: max(n + 1, n^2 / 4c_d), rounded up. At
/// n = 2, where the printed n + 1 is wrong, the 2 steps of [`scatter_steps`] stand for it.
pub fn total_exchange_table1(tree: &BinaryFatTree) -> u64 {
    let n = processors(tree.levels());
    let across_root = (n * n / 4).div_ceil(u64::from(tree.capacity(tree.levels())));
    scatter_steps(tree.levels()).max(across_root)
}

/// The steps in which phase h of a total exchange sends: 4^(h-1) / e_h, rounded up, with
/// the effective capacity e_h in the place of the paper's c_h.
pub fn phase_sends(tree: &BinaryFatTree, level: u32) -> u64 {
    (1u64 << (2 * (level - 1))).div_ceil(tree.effective_capacity(level))
}

/// Total exchange in serial phases: equation (1).
pub fn total_exchange_serial(tree: &BinaryFatTree) -> u64 {
    let d = tree.levels();
    (1..=d).map(|level| phase_sends(tree, level)).sum::<u64>() + u64::from(d).pow(2)
}

/// Total exchange in pipelined phases: equation (2).
pub fn total_exchange_pipelined(tree: &BinaryFatTree) -> u64 {
    let d = tree.levels();
    (1..=d).map(|level| phase_sends(tree, level)).sum::<u64>() + 2 * u64::from(d) - 1
}

/// Equation (2) for the CBFT: (n^2 - 1) / 3 + 2 lg n - 1.
pub fn total_exchange_cbft(levels: u32) -> u64 {
    let n = processors(levels);
    (n * n - 1) / 3 + 2 * u64::from(levels) - 1
}

/// Equation (3), equation (2) for the EBFT: n + 2 lg n - 2. D&D conjecture in section 5.1
/// that no algorithm takes fewer steps; see [`total_exchange_ebft_optimum`].
pub fn total_exchange_ebft(levels: u32) -> u64 {
    processors(levels) + 2 * u64::from(levels) - 2
}

/// The lower bound of total exchange on the EBFT by inequality (4) over integers: the
/// least T with (T - n + 1) T >= 2n (1 - 2^-i)(d - i + 1) for every i from 0 to d.
///
/// D&D cut the T steps into p periods of 2 (d - i + 1), and say T >= 2p (d - i + 1). Periods that
/// cover all steps give T <= 2p (d - i + 1), as the last one may be cut short, so that the proof
/// holds only where they come out even. What it comes to is true nevertheless:
/// [`total_exchange_latency_bound`], which needs no periods, is at least as large.
pub fn total_exchange_inequality4(levels: u32) -> u64 {
    let n = processors(levels);
    let holes_steps = (0..=levels)
        .map(|i| 2 * (n - (n >> i)) * u64::from(levels - i + 1))
        .max()
        .unwrap_or(0);
    (n - 1..)
        .find(|steps| (steps - (n - 1)) * steps >= holes_steps)
        .unwrap_or(n)
}

/// The lower bound of lemma 3: n + 2 lg n - 2 lg lg n - 2. It takes inequality (4) at
/// i = lg lg n + 1, which is often no integer.
pub fn total_exchange_lemma3(levels: u32) -> f64 {
    let d = f64::from(levels);
    processors(levels) as f64 + 2.0 * d - 2.0 * d.log2() - 2.0
}

/// A lower bound of total exchange on any tree with c_1 = 1, with queues or without:
/// n + 2d - 4 + ceil(2d / (n - 1)), which is n + 2d - 3 from n = 8 on.
///
/// *Proof.* A processor's n - 1 sends fall into different steps, so that their steps sum to
/// n(n-1)/2 at least; its n - 1 receptions do too, and with T steps in all they sum to
/// (n-1)T - (n-1)(n-2)/2 at most. Over all processors, receptions minus sends are at most
/// n(n-1)(T-n+1). A message of level h is received 2h - 1 steps after it is sent, or
/// later, and each processor sends 2^(h-1) of them: at least n times the sum over h of
/// 2^(h-1) (2h-1) = (2d-3)n + 3. Hence T >= n - 1 + ((2d-3)n + 3) / (n-1), and
/// (2d-3)n + 3 = (2d-3)(n-1) + 2d.
pub fn total_exchange_latency_bound(levels: u32) -> u64 {
    let (n, d) = (processors(levels), u64::from(levels));
    n + 2 * d + (2 * d).div_ceil(n - 1) - 4
}

/// A lower bound of total exchange by each level's channels: 2^(j-1) (n - 2^(j-1)) packets
/// cross an up channel of level j, c_j at a time, none before step j and none after step
/// T - j. At the root this is table 1's n^2 / 4c_d with the 2d - 1 steps it leaves out.
pub fn total_exchange_channel_bound(tree: &BinaryFatTree) -> u64 {
    let n = processors(tree.levels());
    (1..=tree.levels())
        .map(|level| {
            let below = 1u64 << (level - 1);
            let crossings = (below * (n - below)).div_ceil(u64::from(tree.capacity(level)));
            crossings + 2 * u64::from(level) - 1
        })
        .max()
        .unwrap_or(0)
}

/// The steps of the best total exchange on the EBFT: the latency bound, which
/// [`crate::total_exchange::interleaved`] attains for n >= 8 and equation (3) for n = 2
/// and 4. From n = 8 on it is n + 2 lg n - 3, one step below D&D's conjecture.
pub fn total_exchange_ebft_optimum(levels: u32) -> u64 {
    total_exchange_latency_bound(levels)
}

/// The steps of the best total exchange on the CBFT: n^2/4 + 2 lg n - 1, the channel
/// bound at the root, which [`crate::quartered::quartered`] attains.
pub fn total_exchange_cbft_optimum(levels: u32) -> u64 {
    let n = processors(levels);
    n * n / 4 + 2 * u64::from(levels) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inequality_4_over_integers() {
        assert_eq!(
            (
                total_exchange_inequality4(2),
                total_exchange_inequality4(10)
            ),
            (5, 1037)
        );
    }

    #[test]
    fn closed_forms_agree_with_equation_2() {
        for levels in 1..=20 {
            let constant = BinaryFatTree::constant(levels).unwrap();
            let exponential = BinaryFatTree::exponential(levels).unwrap();
            assert_eq!(
                total_exchange_pipelined(&constant),
                total_exchange_cbft(levels)
            );
            assert_eq!(
                total_exchange_pipelined(&exponential),
                total_exchange_ebft(levels)
            );
        }
    }

    #[test]
    fn the_latency_bound_is_the_sharpest_on_the_ebft() {
        for levels in 1..=20 {
            let tree = BinaryFatTree::exponential(levels).unwrap();
            let bound = total_exchange_latency_bound(levels);
            assert!(bound >= total_exchange_inequality4(levels));
            assert!(bound >= total_exchange_channel_bound(&tree));
            assert!(bound >= total_exchange_table1(&tree));
            assert!(bound as f64 >= total_exchange_lemma3(levels));
            let conjectured = total_exchange_ebft(levels);
            assert_eq!(
                bound,
                if levels <= 2 {
                    conjectured
                } else {
                    conjectured - 1
                }
            );
        }
    }

    #[test]
    fn root_capacity_alone_is_not_enough() {
        let tree = BinaryFatTree::with_capacities(vec![1, 1, 4]).unwrap();
        // The printed equation (1) counts 16 / 4 steps for phase 0.
        assert_eq!(phase_sends(&tree, 3), 8);
    }
}
