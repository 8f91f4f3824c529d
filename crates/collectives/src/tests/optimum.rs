//! The least steps of total exchange on small EBFTs, by exhaustive search.
//!
//! On an EBFT, with queues or without, there is a total exchange in T steps just when each
//! message of level h can be given a step s in which it is sent and a step r <= T in which
//! it is received, r >= s + 2h - 1 (with queues) or r = s + 2h - 1 (without), so that the
//! sends of a processor fall into different steps, and its receptions too. Necessity is
//! plain. Sufficiency: let a packet wait at the node where it turns; then at most one
//! packet per leaf below crosses an up or a down channel in a step, and c_i = 2^(i-1).

use crate::bounds;
use crate::tree::meeting_level;

struct Search {
    steps: u32,
    queues: bool,
    messages: Vec<(usize, usize, u32)>,
    sent: Vec<u64>,
    received: Vec<u64>,
}

impl Search {
    fn new(levels: u32, steps: u32, queues: bool) -> Search {
        let n = 1usize << levels;
        let pairs = (0..n).flat_map(|s| (0..n).filter(move |&d| d != s).map(move |d| (s, d)));
        let mut messages: Vec<_> = pairs
            .map(|(s, d)| (s, d, meeting_level(s as u32, d as u32)))
            .collect();
        messages.sort_by_key(|&(s, _, level)| (s, std::cmp::Reverse(level)));
        Search {
            steps,
            queues,
            messages,
            sent: vec![0; n],
            received: vec![0; n],
        }
    }

    fn feasible(&mut self, next: usize) -> bool {
        let Some(&(source, destination, level)) = self.messages.get(next) else {
            return true;
        };
        let latency = 2 * level - 1;
        for send in (1..=self.steps.saturating_sub(latency))
            .filter(|&s| self.sent[source] >> s & 1 == 0)
            .collect::<Vec<_>>()
        {
            let last = if self.queues {
                self.steps
            } else {
                send + latency
            };
            for receive in send + latency..=last {
                if self.received[destination] >> receive & 1 == 1 {
                    continue;
                }
                self.sent[source] |= 1 << send;
                self.received[destination] |= 1 << receive;
                let found = self.feasible(next + 1);
                self.sent[source] &= !(1 << send);
                self.received[destination] &= !(1 << receive);
                if found {
                    return true;
                }
            }
        }
        false
    }
}

#[test]
fn four_processors_take_six_steps_with_queues_or_without() {
    for queues in [true, false] {
        assert!(!Search::new(2, 5, queues).feasible(0));
        assert!(Search::new(2, 6, queues).feasible(0));
    }
    assert_eq!(bounds::total_exchange_ebft_optimum(2), 6);
}

#[test]
fn two_processors_take_two_steps() {
    assert!(!Search::new(1, 1, true).feasible(0));
    assert!(Search::new(1, 2, false).feasible(0));
    assert_eq!(bounds::total_exchange_ebft_optimum(1), 2);
}
