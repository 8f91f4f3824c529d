//! What waits for a direction of a link.

use std::collections::VecDeque;

use crate::random::splitmix;

/// Who is next, and what is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discipline {
    /// First come, first served; what finds no place is dropped.
    DropTail,
    /// Flows are hashed into so many buckets, which are served in turn.
    StochasticFair {
        /// Buckets.
        buckets: u32,
    },
}

/// Something that waits, and the flow that it belongs to.
pub trait OfFlow {
    /// The number of the flow.
    fn flow(&self) -> u32;
}

/// A queue of at most so many.
#[derive(Debug, Clone)]
pub struct Queue<T> {
    places: usize,
    seed: u64,
    waiting: usize,
    buckets: Vec<VecDeque<T>>,
    /// The bucket that is looked at first.
    turn: usize,
}

impl<T: OfFlow> Queue<T> {
    /// An empty queue. The seed keys the hash of flows.
    ///
    /// # Panics
    /// Without buckets.
    pub fn new(discipline: Discipline, places: usize, seed: u64) -> Queue<T> {
        let buckets = match discipline {
            Discipline::DropTail => 1,
            Discipline::StochasticFair { buckets } => buckets,
        };
        assert!(buckets > 0, "a queue has buckets");
        Queue {
            places,
            seed,
            waiting: 0,
            buckets: (0..buckets).map(|_| VecDeque::new()).collect(),
            turn: 0,
        }
    }

    /// How many wait.
    pub fn len(&self) -> usize {
        self.waiting
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Takes something in; false when it is dropped.
    pub fn push(&mut self, item: T) -> bool {
        let count = self.buckets.len();
        let bucket = splitmix(self.seed ^ u64::from(item.flow())) as usize % count;
        let bucket = &mut self.buckets[bucket];
        let left = self.places.saturating_sub(self.waiting);
        let is_greedy = count > 1
            && (bucket.len() >= left.div_ceil(2)
                || left < count && bucket.len() > self.places / count);
        if left == 0 || is_greedy {
            return false;
        }
        bucket.push_back(item);
        self.waiting += 1;
        true
    }

    /// What is sent next.
    pub fn pop(&mut self) -> Option<T> {
        let count = self.buckets.len();
        let turns = (0..count).map(|step| (self.turn + step) % count);
        let bucket = turns.into_iter().find(|&at| !self.buckets[at].is_empty())?;
        self.turn = (bucket + 1) % count;
        self.waiting -= 1;
        self.buckets[bucket].pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl OfFlow for (u32, u32) {
        fn flow(&self) -> u32 {
            self.0
        }
    }

    #[test]
    fn first_come_first_served() {
        let mut queue = Queue::new(Discipline::DropTail, 3, 1);
        for number in 0..5 {
            assert_eq!(queue.push((number % 2, number)), number < 3);
        }
        assert_eq!(queue.len(), 3);
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop())
            .map(|item| item.1)
            .collect();
        assert_eq!(order, [0, 1, 2]);
        assert!(queue.is_empty());
    }

    /// One flow gets half of what is left and no more, so that another finds places, and they are
    /// served in turn.
    #[test]
    fn a_greedy_flow_does_not_shut_out_another() {
        let discipline = Discipline::StochasticFair { buckets: 16 };
        let mut queue = Queue::new(discipline, 40, 1);
        let bucket = |flow: u32| splitmix(1 ^ u64::from(flow)) % 16;
        let other = (1..).find(|&flow| bucket(flow) != bucket(0));
        let other = other.expect("flows of several buckets");
        let greedy = (0..100).filter(|&number| queue.push((0, number))).count();
        assert_eq!(greedy, 14);
        assert!(queue.push((other, 0)) && queue.push((other, 1)));
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop())
            .map(|item| item.0)
            .collect();
        let last = order.iter().rposition(|&flow| flow == other);
        assert!(last.expect("it was taken in") <= 3, "{order:?}");
        assert_eq!(order.len(), 16);
    }
}
