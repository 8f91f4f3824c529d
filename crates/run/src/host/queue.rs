//! The messages that each node sends, one behind the other, with all that a sender needs of
//! them.
//!
//! A sender takes its messages in order, but those of other nodes lie between them in the
//! workload: each would be a miss of the caches there. Here those of a node follow one another,
//! eight to a cache line.
//!
//! Memory: 8 bytes a message, 4 more where messages differ in length, and 4 a node.

use crosswave_network::traffic::{Offer, Workload};

/// A message in the queue of its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queued {
    /// Its number.
    pub id: u32,
    /// Its destination.
    pub destination: u32,
    /// Words of its body.
    pub words: u32,
    /// True when it is offered as soon as the one before it is over; if not, the workload has its
    /// cycle.
    pub follows: bool,
}

impl Queued {
    /// None: no message has this number.
    pub const NONE: Queued = Queued {
        id: u32::MAX,
        destination: 0,
        words: 0,
        follows: false,
    };
}

/// An entry of a queue: a message's number, with [`FOLLOWS`], and its destination.
#[derive(Debug, Clone, Copy, Default)]
struct QueueEntry {
    number: u32,
    destination: u32,
}

/// Set in the number of a message that is offered when the one before it is over.
const FOLLOWS: u32 = 1 << 31;

/// The lengths of messages.
#[derive(Debug)]
enum Lengths {
    /// All have so many words.
    Same(u32),
    /// Words of each, in the order of the entries.
    Each(Vec<u32>),
}

/// The messages of all nodes: those of node `n` are `entries[starts[n] .. starts[n + 1]]`.
#[derive(Debug)]
pub struct MessageQueues {
    starts: Vec<u32>,
    entries: Vec<QueueEntry>,
    lengths: Lengths,
}

impl MessageQueues {
    /// The queues of a workload, in the order of ids.
    ///
    /// # Panics
    /// When it has 2^31 messages.
    pub fn new(workload: &Workload) -> MessageQueues {
        let messages = &workload.messages;
        assert!(messages.len() < FOLLOWS as usize, "ids have 31 bits");
        // A counting sort: `starts[n + 1]` is where the next message of node n goes, and in the
        // end where node n's end.
        let nodes = workload.nodes as usize;
        let mut starts = vec![0_u32; nodes + 2];
        let first_words = messages.first().map_or(0, |message| message.words);
        let mut differ = 0;
        for message in messages {
            starts[message.source as usize + 2] += 1;
            differ |= message.words ^ first_words;
        }
        for node in 0..nodes {
            starts[node + 2] += starts[node + 1];
        }
        let mut entries = vec![QueueEntry::default(); messages.len()];
        let mut lengths = vec![0; if differ == 0 { 0 } else { messages.len() }];
        for (id, message) in (0..).zip(messages) {
            let place = &mut starts[message.source as usize + 1];
            let follows = message.offered == Offer::AfterPrevious;
            entries[*place as usize] = QueueEntry {
                number: id | if follows { FOLLOWS } else { 0 },
                destination: message.destination,
            };
            if let Some(words) = lengths.get_mut(*place as usize) {
                *words = message.words;
            }
            *place += 1;
        }
        starts.truncate(nodes + 1);
        MessageQueues {
            starts,
            entries,
            lengths: match differ {
                0 => Lengths::Same(first_words),
                _ => Lengths::Each(lengths),
            },
        }
    }

    /// Number of messages of a node.
    #[inline]
    pub fn count(&self, node: u32) -> u32 {
        let node = node as usize;
        self.starts[node + 1] - self.starts[node]
    }

    /// The message of a node that has so many before it, if there is one.
    #[inline]
    pub fn get(&self, node: u32, before: u32) -> Option<Queued> {
        (before < self.count(node)).then(|| {
            let place = (self.starts[node as usize] + before) as usize;
            let QueueEntry {
                number,
                destination,
            } = self.entries[place];
            Queued {
                id: number & !FOLLOWS,
                destination,
                words: match &self.lengths {
                    Lengths::Same(words) => *words,
                    Lengths::Each(words) => words[place],
                },
                follows: number & FOLLOWS != 0,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_network::traffic::{DeliverySets, Message, Replay};

    /// The queues hold what the workload's own index by source does.
    #[test]
    fn queues_keep_the_order_of_ids() {
        queues_of(|id| 10 + id);
        queues_of(|_| 7);
    }

    fn queues_of(words: impl Fn(u32) -> u32) {
        let message = |id: u32| Message {
            source: [3, 1, 3, 0, 1, 1][id as usize],
            destination: 2,
            words: words(id),
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
        let (queues, ids) = (MessageQueues::new(&workload), workload.by_source());
        for node in 0..workload.nodes {
            let queue: Vec<Queued> = (0..).map_while(|at| queues.get(node, at)).collect();
            assert_eq!(queue.len(), queues.count(node) as usize);
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
