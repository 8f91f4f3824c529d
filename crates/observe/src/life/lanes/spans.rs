//! Lanes of packets: what a signal shows from a cycle to another one. Which packet is in front at an
//! input follows from all that came there, so changes are found when the run is over.

use std::collections::BTreeMap;

use crosswave_probe::message::NEVER;

/// Cycles in which signals show values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LaneSpan {
    /// The first cycle.
    pub(super) from: u64,
    /// The first one after the last; [`NEVER`] where it does not end.
    pub(super) to: u64,
    /// The message, and what is shown beside it.
    pub(super) values: [u64; 3],
}

/// Spans by lane. A lane is the number of its first signal.
#[derive(Debug, Default)]
pub(super) struct Spans {
    /// A span ends when the next one begins.
    pub(super) sending: BTreeMap<usize, Vec<LaneSpan>>,
    /// A span that begins before the one before it ends begins with its end.
    pub(super) in_turn: BTreeMap<usize, Vec<LaneSpan>>,
    /// They are shown where the lane is free, up to their ends.
    pub(super) waiting: BTreeMap<usize, Vec<LaneSpan>>,
}

impl Spans {
    /// Calls with each change: a cycle, a lane and what is shown there.
    pub(super) fn changes(self, mut change: impl FnMut(u64, usize, [u64; 3])) {
        let Spans {
            sending,
            mut in_turn,
            waiting,
        } = self;
        for (lane, mut spans) in sending {
            spans.sort_unstable();
            let starts: Vec<u64> = spans.iter().map(|span| span.from).collect();
            for span in &mut spans {
                let next = starts.partition_point(|&from| from <= span.from);
                span.to = starts.get(next).map_or(span.to, |&next| span.to.min(next));
            }
            in_turn.insert(lane, spans);
        }
        for spans in in_turn.values_mut() {
            spans.sort_unstable();
            // Copies of a packet have the first part of their route in common.
            spans.dedup();
            let mut free = 0;
            for span in spans.iter_mut() {
                span.from = span.from.max(free);
                free = span.to;
            }
        }
        for (lane, waits) in waiting {
            let spans = in_turn.entry(lane).or_default();
            let begun = spans.len();
            for wait in waits {
                let before = spans[..begun].partition_point(|span| span.from < wait.to);
                let free = before.checked_sub(1).map_or(0, |last| spans[last].to);
                let from = wait.from.max(free);
                if from < wait.to {
                    spans.push(LaneSpan { from, ..wait });
                }
            }
            spans.sort_unstable();
        }
        for (lane, spans) in in_turn {
            for (at, span) in spans.iter().enumerate() {
                if span.from == NEVER {
                    continue;
                }
                change(span.from, lane, span.values);
                let next = spans.get(at + 1).map(|next| next.from);
                if span.to != NEVER && next != Some(span.to) {
                    change(span.to, lane, [0; 3]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_shows_one_after_the_other() {
        let span = |from, to, id| LaneSpan {
            from,
            to,
            values: [id, 0, 0],
        };
        let spans = Spans {
            sending: BTreeMap::from([(1, vec![span(2, 9, 4), span(5, 8, 5)])]),
            in_turn: BTreeMap::from([
                (
                    4,
                    vec![span(12, 15, 2), span(10, 14, 1), span(15, NEVER, 3)],
                ),
                (7, vec![span(3, 5, 6)]),
            ]),
            waiting: BTreeMap::from([(4, vec![span(2, 10, 1), span(9, 12, 2), span(11, 15, 3)])]),
        };
        let mut found = Vec::new();
        spans.changes(|cycle, lane, values| found.push((lane, cycle, values[0])));
        let expected = [
            (1, 2, 4),
            (1, 5, 5),
            (1, 8, 0),
            (4, 2, 1),
            (4, 10, 1),
            (4, 14, 2),
            (4, 15, 3),
            (7, 3, 6),
            (7, 5, 0),
        ];
        assert_eq!(found, expected);
    }
}
