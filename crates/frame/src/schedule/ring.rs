//! One ring, whose packets all leave by one link of node 0 (lemma 3.1, corollary 3.1).
//!
//! Nodes 1 to n/2, rounded down, send towards node 0 by falling numbers, the others by rising
//! ones: the shorter way, and the first one for the node in the middle of an even ring. Node 0
//! sends one packet a step out of the ring. All packets are alike, so a queue is a number.

/// The nodes that send in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Every node in every step (corollary 3.1).
    Greedy,
    /// Nodes of falling numbers in odd steps, the others in even ones (lemma 3.1).
    Turns,
}

/// The result of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RingOutcome {
    /// Steps until the last packet has left the ring.
    pub steps: u64,
    /// The most packets at a node other than 0, before the first step or after any.
    pub longest_queue: u64,
    /// The most packets at node 0.
    pub longest_sink_queue: u64,
}

/// Runs a ring that starts with so many packets at each node. Costs time in proportion to nodes and
/// packets, multiplied.
///
/// ```
/// use crosswave_frame::schedule::ring::{Scheme, run};
/// let greedy = run(Scheme::Greedy, &[0, 5, 5, 5]);
/// assert_eq!((greedy.steps, greedy.longest_sink_queue), (16, 6));
/// let turns = run(Scheme::Turns, &[0, 5, 5, 5]);
/// assert_eq!((turns.steps, turns.longest_sink_queue), (20, 1));
/// ```
pub fn run(scheme: Scheme, packets: &[u64]) -> RingOutcome {
    let mut queues = packets.to_vec();
    let middle = queues.len() / 2;
    let mut outcome = RingOutcome {
        steps: 0,
        longest_queue: queues.iter().skip(1).copied().max().unwrap_or(0),
        longest_sink_queue: queues.first().copied().unwrap_or(0),
    };
    let mut left: u64 = queues.iter().sum();
    while left > 0 {
        outcome.steps += 1;
        let odd = outcome.steps % 2 == 1;
        let (falling, rising) = match scheme {
            Scheme::Greedy => (true, true),
            Scheme::Turns => (odd, !odd),
        };
        // The queues before the step decide, so arrivals are added afterwards.
        let before = queues.clone();
        if before[0] > 0 {
            queues[0] -= 1;
            left -= 1;
        }
        for node in 1..queues.len() {
            let (sends, next) = match node <= middle {
                true => (falling, node - 1),
                false => (rising, (node + 1) % queues.len()),
            };
            if sends && before[node] > 0 {
                queues[node] -= 1;
                queues[next] += 1;
            }
        }
        let longest = queues[1..].iter().copied().max().unwrap_or(0);
        outcome.longest_queue = outcome.longest_queue.max(longest);
        outcome.longest_sink_queue = outcome.longest_sink_queue.max(queues[0]);
    }
    outcome
}

/// The fewest steps of any schedule: node 0 sends one packet a step, and those whose nodes are
/// `distance` away not before step `distance` + 1.
pub fn least_steps(packets: &[u64]) -> u64 {
    let nodes = packets.len();
    let at_distance = |distance: usize| {
        let far = (0..nodes).filter(|&node| node.min(nodes - node) == distance);
        far.map(|node| packets[node]).sum::<u64>()
    };
    // Those that are at least so far away cannot be done sooner than one a step from then on.
    let mut far = 0;
    let mut least = 0;
    for distance in (0..=nodes / 2).rev() {
        far += at_distance(distance);
        if far > 0 {
            least = least.max(far + distance as u64);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::bounds;

    /// All nodes but 0 have q packets: greedy takes the least that can be, one step more than
    /// there are packets.
    #[test]
    fn all_nodes_send_to_one_link() {
        for nodes in 3..=17_u64 {
            for each in 1..=6 {
                let mut packets = vec![each; nodes as usize];
                packets[0] = 0;
                let greedy = run(Scheme::Greedy, &packets);
                assert_eq!(greedy.steps, (nodes - 1) * each + 1);
                assert_eq!(greedy.steps, least_steps(&packets));
                // Two arrive a step until the shorter half is done, one leaves from step 2 on.
                assert_eq!(greedy.longest_sink_queue, (nodes - 1) / 2 * each + 1);
                assert_eq!(greedy.longest_queue, each);

                let turns = run(Scheme::Turns, &packets);
                let expected = match nodes % 2 {
                    0 => nodes * each,
                    _ => (nodes - 1) * each + 1,
                };
                assert_eq!(turns.steps, expected);
                assert_eq!((turns.longest_sink_queue, turns.longest_queue), (1, each));
            }
        }
    }

    /// Every way in which the nodes of small rings have up to two packets.
    #[test]
    fn no_start_is_worse_than_full_queues() {
        for nodes in 3..=7_u32 {
            let mut longest = [(0, 0); 2];
            for start in 0..3_u32.pow(nodes) {
                let packets: Vec<u64> = (0..nodes)
                    .map(|node| u64::from(start / 3_u32.pow(node) % 3))
                    .collect();
                for (scheme, longest) in [Scheme::Greedy, Scheme::Turns]
                    .into_iter()
                    .zip(&mut longest)
                {
                    let outcome = run(scheme, &packets);
                    assert!(outcome.steps >= least_steps(&packets));
                    let queue = outcome.longest_queue.max(outcome.longest_sink_queue);
                    *longest = (longest.0.max(outcome.steps), longest.1.max(queue));
                }
            }
            let [greedy, turns] = longest;
            let bound = bounds::ring(nodes, 2);
            assert!(greedy.0 <= bound && greedy.1 <= bound, "{greedy:?}");
            assert!(turns.0 <= bound, "{turns:?}");
            assert_eq!(turns.1, bounds::lemma_3_1_queue(2));
        }
    }

    #[test]
    fn degenerate_rings() {
        for scheme in [Scheme::Greedy, Scheme::Turns] {
            assert_eq!(run(scheme, &[]).steps, 0);
            assert_eq!(run(scheme, &[3]).steps, 3);
            assert_eq!(run(scheme, &[0, 0, 0]).steps, 0);
        }
        assert_eq!(least_steps(&[]), 0);
        assert_eq!(least_steps(&[0, 0, 0, 0, 1]), 2);
    }
}
