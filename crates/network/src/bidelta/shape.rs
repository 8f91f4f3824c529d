//! Numbers, links and places of routers, by coordinates; the module above tells what they are.

use crosswave_chips::routing::bidelta::stacks;

/// Side of a stack of 64 chips a layer, in feet: 8 chips with a pitch of 2.8 inches
/// (section 1.4).
pub(super) const STACK_SIDE_FEET: f64 = 8.0 * 2.8 / 12.0;

/// A stage by its stack and its layer there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StackLayer {
    /// Stack in the row of stacks.
    pub(super) stack: usize,
    /// Layer of the stack.
    pub(super) layer: u32,
    /// Layers of the stack.
    pub(super) layers: u32,
}

/// A router by its coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Router {
    /// Stage of the network.
    pub(super) stage: u32,
    /// The part of the source's number that stack positions have not yet taken up.
    pub(super) source: u32,
    /// Digits decided on in stacks before, as a number.
    pub(super) decided: u32,
    /// Group within the stack.
    pub(super) group: u32,
    /// Position in the group; in the last stage, the side.
    pub(super) position: u32,
}

/// Numbering and links of routers, which follow from the number of stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BideltaShape {
    pub(super) stages: u32,
}

impl BideltaShape {
    pub(super) fn layer(&self, stage: u32) -> StackLayer {
        let mut first = 0;
        for (stack, &layers) in stacks(self.stages).iter().enumerate() {
            if stage < first + layers {
                return StackLayer {
                    stack,
                    layer: stage - first,
                    layers,
                };
            }
            first += layers;
        }
        panic!("a stage outside the network");
    }

    pub(super) fn stacks_in_a_row(&self) -> usize {
        stacks(self.stages).len()
    }

    /// Bits of the number of a first stack.
    pub(super) fn first_stack_bits(&self) -> u32 {
        match self.stacks_in_a_row() {
            1 => 0,
            _ => 2 * self.stages - 8,
        }
    }

    /// Bits of the position in the first layer of a stack.
    pub(super) fn position_bits(&self, stack: usize) -> u32 {
        match stacks(self.stages)[stack] {
            _ if stack + 1 < self.stacks_in_a_row() => 6,
            layers => 2 * layers - 2,
        }
    }

    /// Bits of [`Router::source`] at a stack in the row.
    pub(super) fn source_bits(&self, stack: usize) -> u32 {
        match self.stacks_in_a_row() - stack {
            1 => 0,
            2 => self.first_stack_bits() - 6 * stack as u32,
            _ => self.first_stack_bits(),
        }
    }

    /// Bits of the part of [`Router::source`] that the next stack takes up.
    pub(super) fn taken_bits(&self, stack: usize) -> u32 {
        self.source_bits(stack) - self.source_bits(stack + 1)
    }

    /// The instance of a router.
    pub(super) fn instance(&self, router: Router) -> usize {
        let StackLayer { stack, layer, .. } = self.layer(router.stage);
        let source_bits = self.source_bits(stack);
        // Bits that stay the same while wires do not leave the stack.
        let stack_bits = source_bits + 6 * stack as u32;
        // The square, which stays the same on the way to the next stack, is lowest.
        let kept = if stack + 1 < self.stacks_in_a_row() {
            self.source_bits(stack + 1)
        } else {
            0
        };
        let source = rotated_number(router.source, source_bits, kept);
        // First decisions lowest: the order of the interfaces.
        let decided = match stack {
            2 => router.decided >> 6 | (router.decided & 63) << 6,
            _ => router.decided,
        };
        let last = router.stage + 1 == self.stages;
        let position_bits = self.position_bits(stack) - 2 * layer;
        let place = if last {
            router.group & !1 | router.position
        } else {
            router.group << position_bits | router.position
        };
        let low = decided << source_bits | source;
        (router.stage << (2 * self.stages - 2) | place << stack_bits | low) as usize
    }

    /// Bits of an instance that tell its stack among those of its place in the row: they are the
    /// lowest ones.
    fn stack_bits(&self, stage: u32) -> u32 {
        let stack = self.layer(stage).stack;
        self.source_bits(stack) + 6 * stack as u32
    }

    /// The groups of all stacks of a stage; the two of a router of the last stage are one.
    pub(super) fn groups(&self, stage: u32) -> u32 {
        let shared = u32::from(stage + 1 == self.stages);
        1 << (self.stack_bits(stage) + 2 * self.layer(stage).layer - shared)
    }

    /// The stage of a router, and its number there by stack, group and position.
    pub(super) fn standing(&self, router: u32) -> (u32, u32) {
        let bits = 2 * self.stages - 2;
        let stage = router >> bits;
        let (of_stage, stack_bits) = (router & ((1 << bits) - 1), self.stack_bits(stage));
        let stack = of_stage & ((1 << stack_bits) - 1);
        let place = stack << (bits - stack_bits) | of_stage >> stack_bits;
        (stage, place)
    }

    pub(super) fn node_instance(&self, node: u32) -> usize {
        let bits = self.first_stack_bits();
        if bits == 0 {
            return node as usize;
        }
        let kept = self.source_bits(1);
        let stack = rotated_number(node >> 8, bits, kept);
        ((node & 255) << bits | stack) as usize
    }

    pub(super) fn node_of_instance(&self, instance: usize) -> u32 {
        let bits = self.first_stack_bits();
        if bits == 0 {
            return instance as u32;
        }
        let kept = self.source_bits(1);
        let stack = rotated_number(instance as u32 & ((1 << bits) - 1), bits, bits - kept);
        stack << 8 | instance as u32 >> bits
    }

    /// The router and input that an input of the network leads to: side 0 or 1 of a
    /// node.
    pub(super) fn entrance(&self, node: u32, side: u32) -> (Router, u32) {
        let bits = self.position_bits(0);
        let local = node & ((1 << (bits + 2)) - 1);
        let router = Router {
            stage: 0,
            source: node >> (bits + 2),
            decided: 0,
            group: 0,
            position: side << (bits - 1) | local >> 3,
        };
        (router, local & 7)
    }

    /// The router and input that an output of a router leads to; not of the last stage.
    pub(super) fn next(&self, router: Router, direction: u32, equivalent: u32) -> (Router, u32) {
        let StackLayer {
            stack,
            layer,
            layers,
        } = self.layer(router.stage);
        let group = router.group << 2 | direction;
        let bits = self.position_bits(stack) - 2 * layer;
        let stage = router.stage + 1;
        if layer + 1 == layers {
            let wire = equivalent << bits | router.position;
            let taken = self.taken_bits(stack);
            let number = router.source & ((1 << taken) - 1);
            let index = wire << taken | number;
            let next = Router {
                stage,
                source: router.source >> taken,
                decided: router.decided << 6 | group,
                group: 0,
                position: index >> 3,
            };
            return (next, index & 7);
        }
        if stage + 1 == self.stages {
            let next = Router {
                stage,
                group,
                position: equivalent,
                ..router
            };
            return (next, (group & 1) << 2 | router.position);
        }
        let next = Router {
            stage,
            group,
            position: equivalent << (bits - 3) | router.position >> 3,
            ..router
        };
        (next, router.position & 7)
    }

    /// Centre of a router's stack in its plane, in feet.
    pub(super) fn place(&self, router: Router, stack: usize) -> (f64, f64) {
        // The number of a first stack at the place, and how it is cut further.
        let bits = self.first_stack_bits();
        let (number, number_bits) = if stack == 0 {
            (router.source, bits)
        } else if stack + 1 == self.stacks_in_a_row() {
            (router.decided, 6 * stack as u32)
        } else {
            (router.source << 6 | router.decided, bits)
        };
        let cut = number_bits - bits;
        let first = number >> cut;
        let (square, in_square) = match bits {
            0..=6 => (0, first),
            _ => (first >> 6, first & 63),
        };
        let in_square_bits = bits.min(6);
        let (x, y) = halves(square, bits - in_square_bits);
        let (in_x, in_y) = halves(in_square, in_square_bits);
        let (cut_x, cut_y) = halves(number & ((1 << cut) - 1), cut);
        let parts = f64::from(1u32 << (cut / 2));
        let centre = |square: u32, inside: u32, part: u32| {
            let part = (f64::from(part) + 0.5) / parts;
            (f64::from(8 * square + inside) + part) * STACK_SIDE_FEET
        };
        (centre(x, in_x, cut_x), centre(y, in_y, cut_y))
    }

    /// Calls with every router of a stage, which is not the last one.
    pub(super) fn each_router(&self, stage: u32, mut call: impl FnMut(Router)) {
        let StackLayer { stack, layer, .. } = self.layer(stage);
        let position_bits = self.position_bits(stack) - 2 * layer;
        for source in 0..1 << self.source_bits(stack) {
            for decided in 0..1 << (6 * stack as u32) {
                for group in 0..1 << (2 * layer) {
                    for position in 0..1 << position_bits {
                        call(Router {
                            stage,
                            source,
                            decided,
                            group,
                            position,
                        });
                    }
                }
            }
        }
    }
}

/// A number of `bits` bits, rotated to the left by some of them.
fn rotated_number(number: u32, bits: u32, by: u32) -> u32 {
    if by == 0 || by == bits {
        return number;
    }
    (number >> (bits - by)) | (number & ((1 << (bits - by)) - 1)) << by
}

/// The low and the high half of the bits of a number.
fn halves(number: u32, bits: u32) -> (u32, u32) {
    let half = bits / 2;
    (number & ((1 << half) - 1), number >> half)
}
