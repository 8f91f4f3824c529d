//! Total exchange: every processor has a different message for every other one.
//!
//! [`in_phases`] is the algorithm of D&D, section 5, for any capacities. [`interleaved`]
//! is quicker by one step on trees at least as wide as the EBFT, and optimal there.
//!
//! | algorithm | trees | steps |
//! |---|---|---|
//! | [`in_phases`], serial | any | equation (1) |
//! | [`in_phases`], pipelined | any | equation (2) |
//! | [`interleaved`] | c_i >= 2^(i-1), n >= 8 | n + 2 lg n - 3 |
//!
//! None needs queues. Schedules hold n(n-1) packets of 32 bytes.

use std::fmt;

use crate::bounds;
use crate::schedule::{Schedule, ScheduledPacket};
use crate::spread::spread;
use crate::tree::BinaryFatTree;

/// The most levels of a tree that schedules of total exchange are made for: 16.8 million
/// packets at n = 4,096.
pub const LEVELS_MAX: u32 = 12;

/// The order of the phases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phases {
    /// A phase begins when the one before has ended: equation (1).
    Serial,
    /// A phase begins two steps after the last packet of the one before was sent:
    /// equation (2).
    Pipelined,
}

/// The reason why there is no such schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TotalExchangeError {
    /// The tree has more than [`LEVELS_MAX`] levels.
    TooLarge {
        /// Levels of the tree.
        levels: u32,
    },
    /// The interleaved schedule needs 3 levels.
    TooSmall {
        /// Levels of the tree.
        levels: u32,
    },
    /// The interleaved schedule needs the capacities of the EBFT.
    Narrow {
        /// The level.
        level: u32,
        /// Its capacity.
        capacity: u32,
    },
}

impl fmt::Display for TotalExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TotalExchangeError::TooLarge { levels } => {
                write!(f, "found {levels} levels, expected at most {LEVELS_MAX}")
            }
            TotalExchangeError::TooSmall { levels } => {
                write!(f, "found {levels} levels, expected at least 3")
            }
            TotalExchangeError::Narrow { level, capacity } => write!(
                f,
                "level {level}: found capacity {capacity}, expected at least {}",
                1u64 << (level - 1)
            ),
        }
    }
}

impl std::error::Error for TotalExchangeError {}

/// Total exchange in lg n phases (D&D, section 5): in phase i all nodes of level
/// h = lg n - i pass the messages from their left half to their right half and back.
///
/// # Errors
/// [`TotalExchangeError::TooLarge`].
pub fn in_phases(tree: &BinaryFatTree, phases: Phases) -> Result<Schedule, TotalExchangeError> {
    let levels = tree.levels();
    if levels > LEVELS_MAX {
        return Err(TotalExchangeError::TooLarge { levels });
    }
    let mut packets = Vec::new();
    let mut start = 1;
    for level in (1..=levels).rev() {
        let capacities: Vec<u64> = (1..=level).map(|j| u64::from(tree.capacity(j))).collect();
        let slots = spread(&capacities, tree.effective_capacity(level));
        let (half, mask) = (1u32 << (level - 1), (1u32 << (level - 1)) - 1);
        for source in 0..tree.processors() {
            // The message to leaf b of the other half is the one of index a N + b.
            let first = (source & mask) << (level - 1);
            let row = (0..half).zip(&slots[first as usize..]);
            let other = (source & !mask) ^ half;
            packets.extend(row.map(|(leaf, &slot)| {
                ScheduledPacket::to(start + u64::from(slot), source, other | leaf)
            }));
        }
        start += bounds::phase_sends(tree, level)
            + match phases {
                Phases::Serial => 2 * u64::from(level) - 1,
                Phases::Pipelined => 2,
            };
    }
    packets.sort_by_key(|packet| (packet.step, packet.source));
    Ok(Schedule { packets })
}

/// Total exchange by XOR steps: in `step`, for each (step, k) of the list, every
/// processor s sends to s ^ k (D&D, section 5, phases for EBFTs).
///
/// # Panics
/// Unless 0 < k < n.
pub fn by_xor_steps(tree: &BinaryFatTree, steps: &[(u64, u32)]) -> Schedule {
    let n = tree.processors();
    assert!(
        steps.iter().all(|&(_, k)| 0 < k && k < n),
        "k lies between 0 and n"
    );
    steps
        .iter()
        .flat_map(|&(step, k)| {
            (0..n).map(move |source| ScheduledPacket::to(step, source, source ^ k))
        })
        .collect()
}

/// Total exchange in n + 2 lg n - 3 steps, the optimum
/// ([`bounds::total_exchange_latency_bound`]), by the XOR steps of
/// [`interleaved_levels`].
///
/// # Errors
/// Every [`TotalExchangeError`].
pub fn interleaved(tree: &BinaryFatTree) -> Result<Schedule, TotalExchangeError> {
    let levels = tree.levels();
    if levels > LEVELS_MAX {
        return Err(TotalExchangeError::TooLarge { levels });
    }
    if levels < 3 {
        return Err(TotalExchangeError::TooSmall { levels });
    }
    for level in 1..=levels {
        let capacity = tree.capacity(level);
        if u64::from(capacity) < 1 << (level - 1) {
            return Err(TotalExchangeError::Narrow { level, capacity });
        }
    }
    let mut next_k: Vec<u32> = (0..levels).map(|bit| 1 << bit).collect();
    let steps: Vec<(u64, u32)> = interleaved_levels(levels)
        .into_iter()
        .map(|(step, level)| {
            let k = &mut next_k[level as usize - 1];
            *k += 1;
            (step, *k - 1)
        })
        .collect();
    Ok(by_xor_steps(tree, &steps))
}

/// The steps of an optimal total exchange on the EBFT, each with the level at which its
/// messages turn; 2^(h-1) of them have level h.
///
/// XOR steps sent in different steps never contend on the way up, and none on the way down
/// when they arrive in different steps, t + 2h - 1: then any two are 2h - 2h' steps apart on
/// each channel they share. So it is enough to choose a step for each message such that
/// sends fall into different steps, and arrivals too. With d = lg n:
///
/// | steps | level |
/// |---|---|
/// | 1, 3, 5, ..., n/4 + 1 | d - 1 |
/// | n/4 + 5, n/4 + 9, ..., 3n/4 + 1 | d - 2 |
/// | the others from 1 to 3n/4 | d |
/// | from 3n/4 + 3 on | the rest of d - 1, then d - 3, d - 4, ..., 1, furthest first |
///
/// A message of level d - 1 (d - 2) sent in step t arrives when one of level d sent in step
/// t - 2 (t - 4) would, and there is none: the first two rows form a chain, each arriving in
/// the gap the one before has left. The first arrives in step 2d - 2; the arrivals of the
/// others fill 2d to n + 2d - 3. Between the phases of the last row the sources pause for
/// two steps a level, as in equation (2).
///
/// # Panics
/// Unless `levels` >= 3.
pub fn interleaved_levels(levels: u32) -> Vec<(u64, u32)> {
    assert!(levels >= 3, "the chain needs 3 levels");
    let n = 1u64 << levels;
    let first: Vec<u64> = (1..=n / 4 + 1).step_by(2).collect();
    let second: Vec<u64> = (n / 4 + 5..=3 * n / 4 + 1).step_by(4).collect();
    let mut steps: Vec<(u64, u32)> = Vec::new();
    for step in 1..=3 * n / 4 + 1 {
        if first.binary_search(&step).is_ok() {
            steps.push((step, levels - 1));
        } else if second.binary_search(&step).is_ok() {
            steps.push((step, levels - 2));
        } else if step <= 3 * n / 4 {
            steps.push((step, levels));
        }
    }
    let mut arrival = 3 * n / 4 + 2 * u64::from(levels);
    for level in (1..levels).rev() {
        let left = match levels - level {
            1 => n / 4 - first.len() as u64,
            2 => 0,
            _ => 1 << (level - 1),
        };
        let send = arrival + 1 - 2 * u64::from(level);
        steps.extend((send..send + left).map(|step| (step, level)));
        arrival += left;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;

    fn steps(tree: &BinaryFatTree, schedule: &Schedule) -> u64 {
        let n = u64::from(tree.processors());
        let outcome = check(tree, schedule).unwrap();
        assert_eq!(outcome.deliveries, n * (n - 1));
        outcome.finish_step
    }

    #[test]
    fn phases_take_equations_1_and_2() {
        let mut trees = vec![
            BinaryFatTree::with_capacities(vec![1, 1, 4]).unwrap(),
            BinaryFatTree::with_capacities(vec![1, 2, 3, 5, 7]).unwrap(),
            BinaryFatTree::with_capacities(vec![1, 1, 2, 3, 3, 4, 6]).unwrap(),
            BinaryFatTree::with_capacities(vec![2, 3, 3, 9]).unwrap(),
            BinaryFatTree::with_capacities(vec![1, 2, 2, 2, 4, 4]).unwrap(),
        ];
        for levels in 1..=8 {
            trees.push(BinaryFatTree::constant(levels).unwrap());
            trees.push(BinaryFatTree::exponential(levels).unwrap());
        }
        for tree in &trees {
            let serial = in_phases(tree, Phases::Serial).unwrap();
            assert_eq!(
                steps(tree, &serial),
                bounds::total_exchange_serial(tree),
                "{tree:?}"
            );
            let pipelined = in_phases(tree, Phases::Pipelined).unwrap();
            assert_eq!(
                steps(tree, &pipelined),
                bounds::total_exchange_pipelined(tree),
                "{tree:?}"
            );
        }
    }

    #[test]
    fn interleaving_is_optimal_on_the_ebft() {
        for levels in 3..=9 {
            let tree = BinaryFatTree::exponential(levels).unwrap();
            let schedule = interleaved(&tree).unwrap();
            assert_eq!(
                steps(&tree, &schedule),
                bounds::total_exchange_ebft_optimum(levels)
            );
            assert_eq!(
                schedule.packets.len() as u64,
                4u64.pow(levels) - (1 << levels)
            );
        }
    }

    #[test]
    fn interleaved_sends_and_arrivals_differ_up_to_a_million_processors() {
        for levels in 3..=20 {
            let n = 1u64 << levels;
            let steps = interleaved_levels(levels);
            assert!(steps.windows(2).all(|pair| pair[0].0 < pair[1].0));
            let mut arrivals: Vec<u64> = steps
                .iter()
                .map(|&(step, level)| step + 2 * u64::from(level) - 1)
                .collect();
            arrivals.sort_unstable();
            let d = u64::from(levels);
            let expected: Vec<u64> = std::iter::once(2 * d - 2)
                .chain(2 * d..=n + 2 * d - 3)
                .collect();
            assert_eq!(arrivals, expected);
            for level in 1..=levels {
                let count = steps.iter().filter(|step| step.1 == level).count();
                assert_eq!(count, 1 << (level - 1));
            }
        }
    }

    #[test]
    fn trees_that_do_not_fit_are_named() {
        let message = |tree: BinaryFatTree| interleaved(&tree).unwrap_err().to_string();
        assert_eq!(
            message(BinaryFatTree::constant(4).unwrap()),
            "level 2: found capacity 1, expected at least 2"
        );
        assert!(message(BinaryFatTree::exponential(2).unwrap()).contains("at least 3"));
        assert!(message(BinaryFatTree::exponential(13).unwrap()).contains("at most 12"));
    }
}
