//! The messages that each node sends, one behind the other, with all that a sender needs of
//! them.
//!
//! A sender takes its messages in order, but those of other nodes lie between them in the
//! workload: each would be a miss of the caches there. Here those of a node follow one another,
//! four to a cache line.
//!
//! Memory: 16 bytes a message, and 4 a node.

use crate::traffic::{Offer, Workload};

/// A message in the queue of its source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Queued {
    /// Its number.
    pub id: u32,
    /// Its destination.
    pub destination: u32,
    /// Words of its body.
    pub words: u32,
    /// Whether it is offered when the one before it is over; if not, the workload says when.
    pub follows: bool,
}

/// The messages of all nodes: those of node `n` are `messages[starts[n] .. starts[n + 1]]`.
#[derive(Debug)]
pub struct Queues {
    starts: Vec<u32>,
    messages: Vec<Queued>,
}

impl Queues {
    /// The queues of a workload, in the order of ids.
    pub fn new(workload: &Workload) -> Queues {
        // A counting sort: `starts[n + 1]` is where the next message of node n goes, and in the
        // end where node n's end.
        let nodes = workload.nodes as usize;
        let mut starts = vec![0_u32; nodes + 2];
        for message in &workload.messages {
            starts[message.source as usize + 2] += 1;
        }
        for node in 0..nodes {
            starts[node + 2] += starts[node + 1];
        }
        let mut messages = vec![Queued::default(); workload.messages.len()];
        for (id, message) in (0..).zip(&workload.messages) {
            let place = &mut starts[message.source as usize + 1];
            messages[*place as usize] = Queued {
                id,
                destination: message.destination,
                words: message.words,
                follows: message.offered == Offer::AfterPrevious,
            };
            *place += 1;
        }
        starts.truncate(nodes + 1);
        Queues { starts, messages }
    }

    /// The messages of a node.
    #[inline]
    pub fn of(&self, node: u32) -> &[Queued] {
        let node = node as usize;
        &self.messages[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::traffic::{DeliverySets, Message, Replay};

    /// The queues hold what the workload's own index by source does.
    #[test]
    fn queues_keep_the_order_of_ids() {
        let message = |id: u32| Message {
            source: [3, 1, 3, 0, 1, 1][id as usize],
            destination: 2,
            words: 10 + id,
            offered: match id {
                0 | 1 | 3 => Offer::At(1),
                _ => Offer::AfterPrevious,
            },
        };
        let workload = Workload {
            nodes: 5,
            order: Replay::InOrder,
            messages: (0..6).map(message).collect(),
            sets: DeliverySets::default(),
        };
        let (queues, ids) = (Queues::new(&workload), workload.by_source());
        for node in 0..workload.nodes {
            let queue = queues.of(node);
            assert!(queue.iter().map(|queued| &queued.id).eq(ids.of(node)));
            for queued in queue {
                let message = workload.messages[queued.id as usize];
                assert_eq!(
                    (queued.destination, queued.words),
                    (message.destination, message.words)
                );
                assert_eq!(queued.follows, message.offered == Offer::AfterPrevious);
            }
        }
    }
}
