//! Packets that wait for a direction of a link: one queue, or those of several buckets, which are
//! served in turn. Flows are hashed into buckets.
//!
//! Assumed, since the paper names stochastic fair queueing and says no more: a packet is dropped
//! whose bucket has half of the places that are left, or more than its share when places are fewer
//! than buckets. The simulator that the paper used has such a rule, but its source was not at hand.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crosswave_base::random::splitmix;

/// A queue of at most so many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FairQueue<T> {
    places: usize,
    /// The key of the hash of flows.
    key: u64,
    waiting: usize,
    buckets: Vec<VecDeque<T>>,
    /// The bucket that is looked at first.
    turn: usize,
}

impl<T> FairQueue<T> {
    /// An empty queue of so many places and buckets; one bucket is first come, first served.
    ///
    /// # Panics
    /// Without buckets.
    pub fn new(buckets: u32, places: usize, key: u64) -> FairQueue<T> {
        assert!(buckets > 0, "a queue has buckets");
        FairQueue {
            places,
            key,
            waiting: 0,
            buckets: (0..buckets).map(|_| VecDeque::new()).collect(),
            turn: 0,
        }
    }

    /// Number of packets that wait.
    pub fn len(&self) -> usize {
        self.waiting
    }

    /// True when nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Takes something of a flow in; false when it is dropped.
    pub fn push(&mut self, flow: u64, item: T) -> bool {
        let count = self.buckets.len();
        let bucket = splitmix(self.key ^ flow) as usize % count;
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

    /// Takes out the packet that is sent next, the oldest of the bucket whose turn it is.
    pub fn pop(&mut self) -> Option<T> {
        if self.waiting == 0 {
            return None;
        }
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

    #[test]
    fn first_come_first_served() {
        let mut queue = FairQueue::new(1, 3, 1);
        for number in 0..5 {
            assert_eq!(queue.push(number % 2, number), number < 3);
        }
        assert_eq!(queue.len(), 3);
        let order: Vec<u64> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [0, 1, 2]);
        assert!(queue.is_empty());
    }

    /// The places of a queue that each of some flows gets, all of different buckets, when one after
    /// the other sends more than there are.
    fn places_of(buckets: u32, places: usize, flows: usize) -> Vec<usize> {
        let mut queue = FairQueue::new(buckets, places, 5);
        let mut taken = vec![false; buckets as usize];
        let of_their_own = (0..).filter(|flow| {
            let bucket = splitmix(5 ^ flow) as usize % buckets as usize;
            !std::mem::replace(&mut taken[bucket], true)
        });
        let of_their_own: Vec<u64> = of_their_own.take(flows).collect();
        let got = of_their_own.iter().map(|&flow| {
            let tries = 0..2 * places + 2;
            tries.filter(|&number| queue.push(flow, number)).count()
        });
        got.collect()
    }

    /// By hand, with l places left and b of the bucket taken: a packet needs l > 0, b < l/2 rounded
    /// up, and where l is below the number of buckets b at most places over buckets.
    #[test]
    fn a_flow_gets_its_share_of_the_places() {
        // 8 places: b = 0, 1, 2 at l = 8, 7, 6 are below 4, 4, 3; 3 at l = 5 is not below 3. Then
        // 0 and 1 at l = 5, 4 are below 3 and 2, and 2 at l = 3 is not; 0 at l = 3, but not 1 at 2.
        assert_eq!(places_of(2, 8, 2), [3, 2]);
        assert_eq!(places_of(3, 8, 3), [3, 2, 1]);
        // A share of 1: at l = 7 b = 1 is not above it, at l = 6 b = 2 is, though below 3. Then 0 and
        // 1 at l = 6, 5, and not 2 at 4; 0 and 1 at l = 4, 3; 0 at l = 2, and not 1 at 1; 0 at l = 1.
        assert_eq!(places_of(8, 8, 6), [2, 2, 2, 1, 1, 0]);
        // With 10 places b = 2 at l = 8, as many as buckets, is no reason; 3 at l = 7 is.
        assert_eq!(places_of(8, 10, 1), [3]);
        // A single bucket gets all.
        assert_eq!(places_of(1, 8, 1), [8]);
        assert_eq!(places_of(4, 0, 2), [0, 0]);
    }

    /// One flow gets half of what is left and no more, so that another finds places, and they are
    /// served in turn.
    #[test]
    fn a_greedy_flow_does_not_shut_out_another() {
        let mut queue = FairQueue::new(16, 40, 1);
        let bucket = |flow: u64| splitmix(1 ^ flow) % 16;
        let other = (1..).find(|&flow| bucket(flow) != bucket(0));
        let other = other.expect("flows of several buckets");
        let greedy = (0..100)
            .filter(|&number| queue.push(0, (0, number)))
            .count();
        assert_eq!(greedy, 14);
        assert!(queue.push(other, (other, 0)) && queue.push(other, (other, 1)));
        let order: Vec<u64> = std::iter::from_fn(|| queue.pop())
            .map(|item: (u64, u32)| item.0)
            .collect();
        let last = order.iter().rposition(|&flow| flow == other);
        assert!(last.expect("it was taken in") <= 3, "{order:?}");
        assert_eq!(order.len(), 16);
    }
}
