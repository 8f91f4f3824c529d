//! Age of messages that are under way: the oldest offer among them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bitvec::prelude::BitVec;

/// Messages that were launched and not acknowledged.
///
/// What is acknowledged stays in the heap until it is the oldest, so that an acknowledgement is a
/// bit that is set; a message takes 16 bytes until then.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    /// The cycle of the offer, and the message.
    launched: BinaryHeap<Reverse<(u64, u32)>>,
    acknowledged: BitVec<u64>,
}

impl UnderWay {
    /// Takes in the first launch of a message.
    pub(super) fn launch(&mut self, offered_cycle: u64, id: u32) {
        self.launched.push(Reverse((offered_cycle, id)));
    }

    /// Takes in its acknowledgement.
    pub(super) fn acknowledge(&mut self, id: u32) {
        let id = id as usize;
        if id >= self.acknowledged.len() {
            self.acknowledged
                .resize((id + 1).next_power_of_two(), false);
        }
        self.acknowledged.set(id, true);
    }

    /// The cycle in which the oldest was offered; `None` when none is under way.
    pub(super) fn oldest(&mut self) -> Option<u64> {
        while let Some(&Reverse((offered_cycle, id))) = self.launched.peek() {
            if !self.acknowledged.get(id as usize).is_some_and(|bit| *bit) {
                return Some(offered_cycle);
            }
            self.launched.pop();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_the_first_offer_that_is_not_over() {
        let mut under_way = UnderWay::default();
        assert_eq!(under_way.oldest(), None);
        for (offered_cycle, id) in [(7, 3), (5, 100), (9, 0), (5, 2)] {
            under_way.launch(offered_cycle, id);
        }
        for (over, oldest) in [(2, Some(5)), (3, Some(5)), (100, Some(9)), (0, None)] {
            under_way.acknowledge(over);
            assert_eq!(under_way.oldest(), oldest, "{over}");
        }
    }
}
