//! Routers side by side, in the lanes of vectors.

use super::super::fat_tree_grants::Requests;
use super::super::quad::Quad;
use super::{Before, FatTreeRouter, Held, Rules, State};
use crate::chip::{BATCH_MOST, Batch};

/// One edge of some routers, as something that [`pulp::Arch`] compiles for each level of vector
/// instructions: eight routers side by side take as many as one.
pub(super) struct SideBySide<'a, B>(pub(super) &'a mut B);

/// Routers come to a multiple of so many, for vectors of any size.
const LANE_GROUP: usize = 8;

/// What a batch of routers holds, by router.
struct Lanes {
    words: [u64; BATCH_MOST],
    held: [u64; BATCH_MOST],
    /// What arrives, then what is driven.
    links: [u64; BATCH_MOST],
    rules: [u64; BATCH_MOST],
    requests: [u64; BATCH_MOST],
    /// Whether random bits may decide, then whether a register changed.
    flags: [u64; BATCH_MOST],
}

impl Lanes {
    #[inline(always)]
    fn before(&self, at: usize) -> Before {
        Before {
            state: State {
                words: Quad(self.words[at]),
                held: Held(self.held[at]),
            },
            arriving: Quad(self.links[at]),
            rules: Rules(self.rules[at]),
        }
    }

    /// Those of the routers that have a flag.
    #[inline(always)]
    fn flagged(&self) -> u64 {
        let flags = self.flags.iter().enumerate();
        flags.fold(0, |set, (at, &flag)| set | (flag & 1) << at)
    }
}

impl<B: Batch<FatTreeRouter>> pulp::NullaryFnOnce for SideBySide<'_, B> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        let SideBySide(batch) = self;
        let count = batch.count();
        // The minimum, which is the first of them, lets loops over lanes go without checks.
        let padded = count.next_multiple_of(LANE_GROUP).min(BATCH_MOST);
        let none = [0; BATCH_MOST];
        let mut lanes = Lanes {
            words: none,
            held: none,
            links: none,
            rules: none,
            requests: none,
            flags: none,
        };
        for at in 0..count {
            let chip = batch.chip(at);
            lanes.words[at] = chip.state.words.0;
            lanes.held[at] = chip.state.held.0;
            lanes.links[at] = Quad::new(chip.arriving).0;
            lanes.rules[at] = Rules::new(chip.pins).0;
        }
        for at in 0..padded {
            let requests = lanes.before(at).heads().requests();
            lanes.requests[at] = requests.0;
            lanes.flags[at] = u64::from(requests.are_left_to_chance());
        }
        let mut drawing = lanes.flagged();
        while drawing != 0 {
            let at = drawing.trailing_zeros() as usize;
            drawing &= drawing - 1;
            let chip = batch.chip(at);
            let requests = Requests(lanes.requests[at]);
            lanes.requests[at] = requests.drawn(chip.pins.winner_fixed, &chip.random).0;
        }
        for at in 0..padded {
            let before = lanes.before(at);
            let arbitration = before.heads().granted(Requests(lanes.requests[at]));
            let (after, driven) = before.edge(arbitration);
            lanes.flags[at] = u64::from(after != before.state);
            lanes.words[at] = after.words.0;
            lanes.held[at] = after.held.0;
            lanes.links[at] = driven.0;
        }
        for at in 0..count {
            let chip = batch.chip(at);
            chip.state.words = Quad(lanes.words[at]);
            chip.state.held = Held(lanes.held[at]);
            *chip.driven = Quad(lanes.links[at]).ports();
        }
        lanes.flagged()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulp::NullaryFnOnce;

    use super::super::Pins;
    use super::*;
    use crate::chip::{LinkWord, Model, Operands, RandomKind, RandomPins};

    /// Random bits by their streams, from the first one on.
    #[derive(Debug, Clone, Copy)]
    struct Bits(u64);

    impl RandomPins for Bits {
        fn cycle(&self) -> u64 {
            0
        }

        fn bit(&self, stream: u64, _: RandomKind) -> bool {
            self.0 >> (stream % 8) & 1 != 0
        }
    }

    #[derive(Debug, Clone)]
    struct Router {
        state: State,
        pins: Pins,
        random: Bits,
        arriving: [LinkWord; 4],
        driven: [LinkWord; 4],
    }

    #[derive(Debug, Clone)]
    struct Routers(Vec<Router>);

    impl Batch<FatTreeRouter> for Routers {
        type Random<'a> = Bits;

        fn count(&self) -> usize {
            self.0.len()
        }

        fn chip(&mut self, at: usize) -> Operands<'_, FatTreeRouter, Bits> {
            let router = &mut self.0[at];
            Operands {
                state: &mut router.state,
                pins: &router.pins,
                random: router.random,
                arriving: &router.arriving,
                driven: &mut router.driven,
            }
        }
    }

    prop_compose! {
        fn router()(
            words: u64,
            held: u64,
            arriving: [LinkWord; 4],
            level in prop_oneof![Just(0u8), Just(8), 0..32u8],
            pins: [bool; 3],
            random: u64,
            turns: bool,
        ) -> Router {
            // Words of the router's own level turn here.
            let words = match turns {
                true => words & !0xff_00ff | (u64::from(level) * 0x1_0001),
                false => words,
            };
            let held = Held(held & 0x0fff_ffff);
            Router {
                state: State { words: Quad(words), held },
                pins: Pins {
                    level,
                    winner_fixed: pins[0],
                    early_acknowledge: pins[1],
                    upstream_single: pins[2],
                },
                random: Bits(random),
                arriving,
                driven: [0; 4],
            }
        }
    }

    proptest! {
        #![proptest_config(crate::random::cases::config(256))]

        #[test]
        fn routers_side_by_side_do_as_one_by_one(
            routers in proptest::collection::vec(router(), 0..=BATCH_MOST),
        ) {
            let mut expected = Routers(routers);
            let (mut vectors, mut scalars) = (expected.clone(), expected.clone());
            let mut again = 0;
            for (at, router) in expected.0.iter_mut().enumerate() {
                router.driven = router.arriving;
                let Router { state, pins, random, driven, .. } = router;
                again |= u64::from(FatTreeRouter::step(state, pins, random, driven)) << at;
            }
            prop_assert_eq!(FatTreeRouter::step_all(&mut vectors), again);
            prop_assert_eq!(SideBySide(&mut scalars).call(), again);
            for ((expected, vector), scalar) in expected.0.iter().zip(&vectors.0).zip(&scalars.0) {
                for found in [vector, scalar] {
                    prop_assert_eq!(found.state, expected.state);
                    prop_assert_eq!(found.driven, expected.driven);
                }
            }
        }
    }
}
