//! Total exchange on the CBFT in n^2/4 + 2 lg n - 1 steps, without queues.
//!
//! That is the lower bound of the root's channels
//! ([`crate::bounds::total_exchange_channel_bound`]), and a quarter below the
//! (n^2 - 1)/3 + 2 lg n - 1 steps of D&D's pipelined phases. It runs on any tree, as no
//! capacity is below 1. This construction is ours.
//!
//! Let d = lg n, q = n^2/16, and let each half of the tree have quarters Q0 and Q1. Both
//! halves do the same at the same time.
//!
//! | messages | first steps and their number | from | to |
//! |---|---|---|---|
//! | level d | 1, q | Q1 | the other half's Q0 |
//! | | q + 1, q | Q1 | the other half's Q1 |
//! | | 2q + 1, q | Q0 | the other half's Q1 |
//! | | 3q + 1, q | Q0 | the other half's Q0 |
//! | level d - 1 | 3 (n = 4: 1), q | Q0 | Q1 |
//! | | 2q + 3, q | Q1 | Q0 |
//! | inside Q0 | q + 2d - 1 on (n = 8: 1) | | |
//! | inside Q1 | 3q + 2d - 1 on | | |
//!
//! *No contention.* Two packets want the same up channel in a step only when they are
//! sent in the same step, and the same down channel only when t + 2h is the same, t being
//! the step of sending and h the level. So level d - 1, sent in step t, can meet on its way
//! down only level d sent in step t - 2, which goes to the other quarter; and on its way up
//! only level d sent in step t, which comes from the other quarter, in the two steps after
//! its row too, or has ended. Each quarter's inside is a CBFT of n/4 processors, by the same
//! construction: it begins when the last packet of level d or d - 1 into that quarter is
//! ahead of it, and sends for n^2/64 + 2(d-2) - 2 steps at most, before level d sends from
//! that quarter again (from n = 16 on, where 4d - 8 <= 3n^2/64). Levels d and d - 1 both end
//! in step n^2/4 + 2d - 1.

use crate::schedule::{Schedule, ScheduledPacket};
use crate::total_exchange::{LEVELS_MAX, TotalExchangeError};
use crate::tree::BinaryFatTree;

/// The schedule of the module's text, for any tree.
///
/// # Errors
/// [`TotalExchangeError::TooLarge`].
pub fn quartered(tree: &BinaryFatTree) -> Result<Schedule, TotalExchangeError> {
    let levels = tree.levels();
    if levels > LEVELS_MAX {
        return Err(TotalExchangeError::TooLarge { levels });
    }
    let mut packets = Vec::new();
    exchange(levels, 0, 0, &mut packets);
    packets.sort_by_key(|packet| (packet.step, packet.source));
    Ok(Schedule { packets })
}

/// The packets among the 2^`levels` processors from `first` on, after step `after`.
fn exchange(levels: u32, first: u32, after: u64, packets: &mut Vec<ScheduledPacket>) {
    let quarter = match levels {
        0 => return,
        1 => {
            packets.push(ScheduledPacket::to(after + 1, first, first + 1));
            packets.push(ScheduledPacket::to(after + 1, first + 1, first));
            return;
        }
        _ => 1u32 << (levels - 2),
    };
    let q = u64::from(quarter) * u64::from(quarter);
    let mut send = |start: u64, from: u32, to: u32| {
        let pairs = (0..quarter).flat_map(|a| (0..quarter).map(move |b| (a, b)));
        packets.extend((after + start..).zip(pairs).map(|(step, (a, b))| {
            ScheduledPacket::to(step, first + from * quarter + a, first + to * quarter + b)
        }));
    };
    // Quarters 0 and 1 are the left half's Q0 and Q1, quarters 2 and 3 the right half's.
    for (here, there) in [(0, 2), (2, 0)] {
        send(1, here + 1, there);
        send(q + 1, here + 1, there + 1);
        send(2 * q + 1, here, there + 1);
        send(3 * q + 1, here, there);
        send(if levels == 2 { 1 } else { 3 }, here, here + 1);
        send(2 * q + 3, here + 1, here);
    }
    let drained = 2 * u64::from(levels) - 2;
    let inside_q0 = if levels == 3 { 0 } else { q + drained };
    for half in [first, first + 2 * quarter] {
        exchange(levels - 2, half, after + inside_q0, packets);
        exchange(levels - 2, half + quarter, after + 3 * q + drained, packets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds;
    use crate::check::check;

    #[test]
    fn the_root_is_never_idle_on_the_cbft() {
        for levels in 1..=9 {
            let tree = BinaryFatTree::constant(levels).unwrap();
            let n = u64::from(tree.processors());
            let outcome = check(&tree, &quartered(&tree).unwrap()).unwrap();
            assert_eq!(outcome.deliveries, n * (n - 1));
            assert_eq!(
                outcome.finish_step,
                bounds::total_exchange_cbft_optimum(levels)
            );
            assert_eq!(
                outcome.finish_step,
                bounds::total_exchange_channel_bound(&tree)
            );
        }
    }
}
