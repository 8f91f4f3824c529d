//! Routers side by side, in the lanes of vectors.

use super::super::fat_tree_grants::Requests;
use super::super::quad::Quad;
use super::{Control, FatTreeRouter, Router, Rules, State};
use crate::{BATCH_MOST, ChipBatch};

/// One edge of some routers, as something that [`pulp::Arch`] compiles for each level of vector
/// instructions: with the widest ones, eight routers take as many instructions as one.
pub(super) struct SideBySide<'a, B>(pub(super) &'a mut B);

/// Routers come to a multiple of so many, for vectors of any size.
const LANE_GROUP: usize = 8;

/// Something of each router.
type PerRouter = [u64; BATCH_MOST];

/// A batch of routers, and what their edge needs and leaves.
struct RouterBatch {
    words: PerRouter,
    control: PerRouter,
    /// Words that arrive, replaced by the words that are driven.
    links: PerRouter,
    /// The rules, and then whether a register changed: 1 or 0.
    rules: PerRouter,
    requests: PerRouter,
}

impl RouterBatch {
    #[inline(always)]
    fn router(&self, at: usize) -> Router {
        Router {
            state: State {
                words: Quad(self.words[at]),
                control: Control(self.control[at]),
            },
            arriving: Quad(self.links[at]),
            rules: Rules(self.rules[at]),
        }
    }
}

/// The routers that have a 1.
#[inline(always)]
fn set_of(flags: &PerRouter) -> u64 {
    let flags = flags.iter().enumerate();
    flags.fold(0, |set, (at, &flag)| set | flag << at)
}

impl<B: ChipBatch<FatTreeRouter>> pulp::NullaryFnOnce for SideBySide<'_, B> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        let SideBySide(batch) = self;
        let count = batch.count();
        // There are never more than `BATCH_MOST`. The minimum tells the compiler so, which then
        // needs no checks in loops over lanes.
        let padded = count.next_multiple_of(LANE_GROUP).min(BATCH_MOST);
        let none = [0; BATCH_MOST];
        let mut lanes = RouterBatch {
            words: none,
            control: none,
            links: none,
            rules: none,
            requests: none,
        };
        for at in 0..count {
            let chip = batch.chip(at);
            lanes.words[at] = chip.state.words.0;
            lanes.control[at] = chip.state.control.0;
            lanes.links[at] = Quad::new(chip.arriving).0;
            lanes.rules[at] = Rules::new(chip.pins).0;
        }
        for at in 0..padded {
            let requests = lanes.router(at).heads().requests();
            lanes.requests[at] = requests.0;
        }
        let draws = |request| u64::from(Requests(request).are_left_to_chance());
        let mut drawing = set_of(&lanes.requests.map(draws));
        while drawing != 0 {
            let at = drawing.trailing_zeros() as usize;
            drawing &= drawing - 1;
            let chip = batch.chip(at);
            let requests = Requests(lanes.requests[at]);
            lanes.requests[at] = requests.drawn(chip.pins.winner_fixed, &chip.random).0;
        }
        for at in 0..padded {
            let router = lanes.router(at);
            let arbitration = router.heads().granted(Requests(lanes.requests[at]));
            let (after, driven) = router.edge(arbitration);
            lanes.rules[at] = u64::from(after != router.state);
            lanes.words[at] = after.words.0;
            lanes.control[at] = after.control.0;
            lanes.links[at] = driven.0;
        }
        for at in 0..count {
            let chip = batch.chip(at);
            chip.state.words = Quad(lanes.words[at]);
            chip.state.control = Control(lanes.control[at]);
            *chip.driven = Quad(lanes.links[at]).ports();
        }
        set_of(&lanes.rules)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulp::NullaryFnOnce;

    use super::super::Pins;
    use super::*;
    use crate::fat_tree_grants::testing::Bits;
    use crate::{LinkWord, Model, Operands, VALID};

    #[derive(Debug, Clone)]
    struct TestRouter {
        state: State,
        pins: Pins,
        random: Bits,
        arriving: [LinkWord; 4],
        driven: [LinkWord; 4],
    }

    #[derive(Debug, Clone)]
    struct Routers(Vec<TestRouter>);

    impl ChipBatch<FatTreeRouter> for Routers {
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
        /// Most have free outputs, heads and words behind these, so that heads meet.
        fn router()(
            path: u64,
            valid in any::<[bool; 4]>(),
            turns: bool,
            control: [u64; 3],
            is_free: bool,
            arriving: [LinkWord; 4],
            followed: [bool; 4],
            level in prop_oneof![Just(0u8), Just(8), 0..32u8],
            pins: [bool; 3],
            random: u8,
        ) -> TestRouter {
            let flags = |flags: [bool; 4]| Quad::new(&flags.map(|is_set| u16::from(is_set) * VALID)).0;
            // Words of the router's own level turn here.
            let path = match turns {
                true => path & !0xff_00ff | (u64::from(level) * 0x1_0001),
                false => path,
            };
            let control = match is_free {
                true => 0,
                false => control[0] & control[1] & control[2] & 0x0fff_ffff,
            };
            TestRouter {
                state: State { words: Quad(path | flags(valid)), control: Control(control) },
                pins: Pins {
                    level,
                    winner_fixed: pins[0],
                    early_acknowledge: pins[1],
                    upstream_single: pins[2],
                },
                random: Bits(random),
                arriving: Quad(Quad::new(&arriving).0 | flags(followed)).ports(),
                driven: [0; 4],
            }
        }
    }

    proptest! {
        #![proptest_config(crosswave_testing::config(256))]

        #[test]
        fn routers_side_by_side_do_as_one_by_one(
            routers in proptest::collection::vec(router(), 0..=BATCH_MOST),
        ) {
            let mut expected = Routers(routers);
            let (mut vectors, mut scalars) = (expected.clone(), expected.clone());
            let mut again = 0;
            for (at, router) in expected.0.iter_mut().enumerate() {
                router.driven = router.arriving;
                let TestRouter { state, pins, random, driven, .. } = router;
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
