//! Collisions of messages in a fat tree: their places, and what each message met.
//!
//! Source: Strumpen & Krishnamurthy 2005, section 3, name two scenarios for an output that
//! leads down: two messages that come from above, by ports c and d, want it (1); or one
//! from above and one that turns in the router, from the other downstream port, the *side*
//! (2); or both at once. In leaner trees a message can also find both ports c and d taken.
//!
//! What is watched are the states of the routers' inputs, cycle by cycle. An input that is
//! `IDLE` in a cycle and in `DRAIN` in the next was rejected by its router at the edge
//! between them; one that is told of a rejection further on held a circuit before. Which
//! output a rejected head wanted follows from its source and its destination, and these are
//! found by following its circuit back, which stands until its answer has passed.
//!
//! The rule: every rejected head counts once, at the level of its router. *Involved* are
//! the heads that want its output at this edge and the input that held that output before
//! the edge, if one did.
//!
//! | scenario | involved |
//! |---|---|
//! | `above` | c and d, not the side |
//! | `side` | the side and one of c and d |
//! | `both` | the side, c and d |
//! | `upward` | the head wanted to go on up |
//!
//! The winner is a `circuit` when the output was held before the edge, and a `head`
//! otherwise. For a head that wanted up it is a `head` when the other downstream port was
//! given c or d at the same edge.
//!
//! Cost: fourteen bits of every router in every cycle, 64 routers to a word; besides, for
//! every collision, a step for each router behind it.

use super::{DELAY_LINES, FatTree, NODES, ROUTERS};
use crate::topology::{Collision, CollisionTracer, CollisionTracing, OutputHolder};
use crate::{Fabric, LinkPort};
use crosswave_chips::fat_tree_grants::{A, B, C, D};
use crosswave_chips::fat_tree_router::{self, PORT_LEVEL, PORT_STATE, TARGETS};
use crosswave_chips::network_interface::{PORT_NODE, PORT_TX_DESTINATION};
use crosswave_chips::routing;
use crosswave_probe::engine::Engine;

/// The heads and circuits that met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scenario {
    /// Two from above.
    Above,
    /// One that turns, and one from above.
    Side,
    /// One that turns, and two from above.
    Both,
    /// No port up was left.
    Upward,
}

impl Scenario {
    /// All, in the order of the file.
    pub const ALL: [Scenario; 4] = [
        Scenario::Above,
        Scenario::Side,
        Scenario::Both,
        Scenario::Upward,
    ];

    /// Its name in the file.
    pub const fn name(self) -> &'static str {
        match self {
            Scenario::Above => "above",
            Scenario::Side => "side",
            Scenario::Both => "both",
            Scenario::Upward => "upward",
        }
    }
}

/// Bits of the states of all inputs.
const BITS: usize = 14;

/// The first bit of the state of each input; behind it one for each of its
/// [`TARGETS`], and `DRAIN`.
const FIRST_BIT: [usize; 5] = [0, 4, 8, 11, BITS];

/// The states of all routers in one cycle, bit by bit.
#[derive(Debug, Clone)]
struct Planes([Vec<u64>; BITS]);

impl Planes {
    fn new(words: usize) -> Planes {
        Planes(std::array::from_fn(|_| vec![0; words]))
    }

    fn read(&mut self, engine: &dyn Engine, instances: usize) {
        for input in [A, B, C, D] {
            let planes = &mut self.0[FIRST_BIT[input]..FIRST_BIT[input + 1]];
            engine.planes(ROUTERS, PORT_STATE + input, instances, planes);
            // An engine may drive lanes that have no instance along.
            for plane in planes {
                if let (Some(last), 1..) = (plane.last_mut(), instances % 64) {
                    *last &= (1 << (instances % 64)) - 1;
                }
            }
        }
    }

    /// Routers whose input is not `IDLE`.
    fn busy(&self, input: usize, word: usize) -> u64 {
        let bits = FIRST_BIT[input]..FIRST_BIT[input + 1];
        self.0[bits]
            .iter()
            .fold(0, |busy, plane| busy | plane[word])
    }

    fn draining(&self, input: usize, word: usize) -> u64 {
        self.0[FIRST_BIT[input + 1] - 1][word]
    }

    /// The input whose circuit holds an output.
    fn holder(&self, router: usize, output: usize) -> Option<usize> {
        [A, B, C, D].into_iter().find(|&input| {
            let target = TARGETS[input].iter().position(|&target| target == output);
            target.is_some_and(|target| {
                self.0[FIRST_BIT[input] + target][router / 64] >> (router % 64) & 1 != 0
            })
        })
    }
}

impl CollisionTracing for FatTree {
    fn levels(&self) -> usize {
        FatTree::levels(self) as usize
    }

    fn scenarios(&self) -> &'static [&'static str] {
        const NAMES: [&str; 4] = [
            Scenario::ALL[0].name(),
            Scenario::ALL[1].name(),
            Scenario::ALL[2].name(),
            Scenario::ALL[3].name(),
        ];
        &NAMES
    }

    fn tracer<'a>(&self, fabric: &'a Fabric) -> Box<dyn CollisionTracer + 'a> {
        Box::new(Tracer::new(fabric))
    }
}

/// The output that a rejected head wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// A downstream one.
    Output(usize),
    /// Any upstream one.
    Up,
}

/// Traces the collisions of a tree, or of copies of one.
#[derive(Debug)]
struct Tracer<'a> {
    fabric: &'a Fabric,
    before: Planes,
    now: Planes,
}

impl<'a> Tracer<'a> {
    /// Creates a tracer that has seen nothing.
    ///
    /// # Panics
    /// When the fabric is another network.
    fn new(fabric: &'a Fabric) -> Self {
        let routers = &fabric.arrays[ROUTERS];
        let chip = fat_tree_router::CHIP.name;
        assert_eq!(routers.chip.name, chip, "not a fat tree");
        let words = routers.instances.div_ceil(64);
        Tracer {
            fabric,
            before: Planes::new(words),
            now: Planes::new(words),
        }
    }

    /// Tells of the inputs of a router that were rejected.
    fn rejected(
        &self,
        engine: &dyn Engine,
        router: usize,
        losers: u8,
        found: &mut dyn FnMut(Collision),
    ) {
        let level = self.fabric.arrays[ROUTERS].pin(PORT_LEVEL, router) as u32;
        let wanted: [Option<Wanted>; 4] = std::array::from_fn(|input| {
            let lost = losers >> input & 1 != 0;
            let output = || self.wanted(engine, router, level, input);
            lost.then(output).flatten()
        });
        for input in [A, B, C, D] {
            // Nothing is known of a head from nowhere, in a router of a designer's own.
            let Some(of_input) = wanted[input] else {
                continue;
            };
            let (scenario, winner) = match of_input {
                Wanted::Output(output) => self.downward(router, output, &wanted),
                Wanted::Up => {
                    let beaten = [C, D].into_iter().any(|up| {
                        let holder = self.now.holder(router, up);
                        holder.is_some() && self.before.holder(router, up) != holder
                    });
                    let winner = if beaten {
                        OutputHolder::Head
                    } else {
                        OutputHolder::Circuit
                    };
                    (Scenario::Upward, winner)
                }
            };
            found(Collision {
                level: level as usize,
                scenario: scenario as usize,
                winner,
                turns: (input == A || input == B) && scenario != Scenario::Upward,
            });
        }
    }

    /// The collision of the heads that wanted an output.
    fn downward(
        &self,
        router: usize,
        output: usize,
        wanted: &[Option<Wanted>; 4],
    ) -> (Scenario, OutputHolder) {
        // In a router of a designer's own it may be that none of the heads passes.
        let (first, winner) = match self.before.holder(router, output) {
            Some(input) => (Some(input), OutputHolder::Circuit),
            None => (self.now.holder(router, output), OutputHolder::Head),
        };
        let involved =
            |input| first == Some(input) || wanted[input] == Some(Wanted::Output(output));
        let side = involved(A + B - output);
        let scenario = match (side, involved(C), involved(D)) {
            (true, true, true) => Scenario::Both,
            (true, ..) => Scenario::Side,
            (false, ..) => Scenario::Above,
        };
        (scenario, winner)
    }

    /// The output that a rejected head wanted; `None` when it is not known whose the head is.
    fn wanted(
        &self,
        engine: &dyn Engine,
        router: usize,
        level: u32,
        input: usize,
    ) -> Option<Wanted> {
        let node = self.sender(router, input)?;
        let source = self.fabric.arrays[NODES].pin(PORT_NODE, node) as u32;
        let destination = engine.value(NODES, PORT_TX_DESTINATION, node) as u32;
        Some(match input {
            C | D if destination >> level & 1 == 0 => Wanted::Output(A),
            C | D => Wanted::Output(B),
            side if routing::turn_level(source, destination) == level => {
                Wanted::Output(A + B - side)
            }
            _ => Wanted::Up,
        })
    }

    /// The interface from which the circuits behind an input come; `None` where one does not stand until its
    /// answer has passed.
    fn sender(&self, router: usize, input: usize) -> Option<usize> {
        let mut at = LinkPort {
            array: ROUTERS,
            instance: router,
            link: input,
        };
        loop {
            let far = self.fabric.peer(at)?;
            at = match far.array {
                NODES => return Some(far.instance),
                DELAY_LINES => LinkPort {
                    link: 1 - far.link,
                    ..far
                },
                _ => LinkPort {
                    link: self.now.holder(far.instance, far.link)?,
                    ..far
                },
            };
        }
    }
}

impl CollisionTracer for Tracer<'_> {
    fn cycle(&mut self, engine: &dyn Engine, found: &mut dyn FnMut(Collision)) {
        std::mem::swap(&mut self.before, &mut self.now);
        let routers = self.fabric.arrays[ROUTERS].instances;
        self.now.read(engine, routers);
        for word in 0..routers.div_ceil(64) {
            let rejected = [A, B, C, D]
                .map(|input| self.now.draining(input, word) & !self.before.busy(input, word));
            let mut lanes = rejected.iter().fold(0, |any, lanes| any | lanes);
            while lanes != 0 {
                let lane = lanes.trailing_zeros();
                lanes &= lanes - 1;
                let losers = (0..4).map(|input| ((rejected[input] >> lane & 1) as u8) << input);
                self.rejected(engine, 64 * word + lane as usize, losers.sum(), found);
            }
        }
    }
}
