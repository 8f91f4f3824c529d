//! Large bidelta networks of RN1 chips: sizes, chips, wires and latencies.
//!
//! Source: A. DeHon, "Fat-Tree Routing for Transit" (1990), sections 4.2, 4.3.3, 4.3.4
//! and 4.4.3, equations 4.35 to 4.42.
//!
//! A network of N = 4^h processors has h routing stages. Each processor has two
//! inputs and two outputs, so 2N wires lead from every stage to the next one, and a
//! stage has 2N / 8 chips. The stages are cut into *stack stages*: planes of stacks,
//! with long wires from plane to plane. A stack that tells 4^j directions apart, with l
//! outputs in each, is called `B(4^j)xl`; it has at most 64 chips a stage, so 4^j * l is at
//! most 512. All but the last stack stage are B64x8 (j = 3); the last has two outputs
//! per direction and takes the rest, 2 to 4 stages (equations 4.36 and 4.37).
//!
//! # Latency
//!
//! A head takes a clock in each routing stage, the clocks of the wires between stack
//! stages, and one to loop back (equation 4.41). While a connection opens, every stack
//! stage but the first drops a routing byte, which takes another clock (4.42).
//!
//! # Where Table 4.9 differs from its equations
//!
//! - One stack (64 and 256 processors): 30 and 40 ns are printed, 40 and 50 follow. The
//!   print is the equation without the clock of the loop back; all larger networks have
//!   it.
//! - Three stacks (65,536 processors and more), worst case: a clock less is printed
//!   than follows. Equation 4.6 rounds the delay of each stack stage up to whole
//!   clocks; the print follows when delays are added before they are rounded
//!   ([`Rounding::Sum`]). With one or two stack stages both ways are the same. Hardware
//!   rounds as the equation does: a wire ends in a register.
//!
//! The worst wire is the diagonal of the square, the square root of 2 times its side, as
//! in section 4.1.1. The paper does not say so of bidelta networks. The longest wire of the
//! distribution ([`Bidelta::longest_wire_clocks`]) is a little shorter, as stacks are points
//! there: with it, and every stage rounded up, the three-stack rows are as printed, but
//! those of 4,096 and 16,384 processors come out a clock below the print. Of these readings
//! only diagonals that are added before they are rounded give all six rows.

use std::fmt;

use super::wires::{Geometry, LengthDistribution};

/// Routing stages of the smallest and of the largest network.
pub const STAGES: std::ops::RangeInclusive<u32> = 2..=10;

/// Routing stages of a stack before the last one: it is a B64x8.
const STAGES_PER_STACK: u32 = 3;
/// Wires into a B64x8, and out of it.
const WIRES_PER_STACK: u64 = 64 * 8;
/// Wires into RN1, and out of it.
const WIRES_PER_CHIP: u64 = 8;
/// Inputs of a processor's network, and outputs to it.
const WIRES_PER_PROCESSOR: u64 = 2;

/// A stack that tells `directions` apart, with `outputs` in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stack {
    /// Routing stages in it: j of equation 4.35.
    pub stages: u32,
    /// Outputs in each direction.
    pub outputs: u32,
}

impl Stack {
    /// Directions it tells apart: 4 to the number of its stages.
    pub fn directions(self) -> u64 {
        1 << (2 * self.stages)
    }

    /// Chips of each of its routing stages (equation 4.10).
    pub fn chips_per_stage(self) -> u64 {
        self.directions() * u64::from(self.outputs) / WIRES_PER_CHIP
    }
}

/// As the paper writes it, such as `B64x8`.
impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "B{}x{}", self.directions(), self.outputs)
    }
}

/// Rounding of the delays of several stack stages to clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// Each is rounded up by itself, as equation 4.6 says.
    Stage,
    /// Their sum is rounded up, as Table 4.9 has it.
    Sum,
}

/// A bidelta network of N = 4^h processors.
///
/// ```
/// use crosswave_analytic::bidelta::{Bidelta, Rounding};
/// use crosswave_analytic::wires::Geometry;
///
/// let network = Bidelta::new(7).unwrap();
/// assert_eq!(network.processors(), 16_384);
/// assert_eq!(network.stacks_text(), "B64x8 B256x2");
/// assert_eq!(network.chips(), 28_672);
/// let wires = network.worst_wire_clocks(&Geometry::DEHON, Rounding::Stage);
/// assert_eq!(network.connect_clocks(wires), 11);
/// assert_eq!(network.open_clocks(wires), 12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bidelta {
    stages: u32,
}

impl Bidelta {
    /// The network of `stages` routing stages; `None` outside of [`STAGES`].
    pub fn new(stages: u32) -> Option<Self> {
        STAGES.contains(&stages).then_some(Bidelta { stages })
    }

    /// Routing stages: h of equation 4.38.
    pub fn stages(self) -> u32 {
        self.stages
    }

    /// Processors (equation 4.35).
    pub fn processors(self) -> u64 {
        1 << (2 * self.stages)
    }

    /// Stack stages: i of equation 4.35. As many stages as possible are left to the last
    /// one, which takes 4.
    pub fn stack_stages(self) -> u32 {
        (self.stages - 1).div_ceil(STAGES_PER_STACK)
    }

    /// The stacks that a connection passes, in order.
    pub fn stacks(self) -> Vec<Stack> {
        let before = self.stack_stages() - 1;
        let mut stacks = vec![
            Stack {
                stages: STAGES_PER_STACK,
                outputs: 8,
            };
            before as usize
        ];
        stacks.push(Stack {
            stages: self.stages - before * STAGES_PER_STACK,
            outputs: 2,
        });
        stacks
    }

    /// The stacks as Table 4.8 writes them, such as `B64x8 B16x2`.
    pub fn stacks_text(self) -> String {
        let names: Vec<String> = self.stacks().iter().map(Stack::to_string).collect();
        names.join(" ")
    }

    /// Chips of a routing stage (equation 4.39).
    pub fn chips_per_stage(self) -> u64 {
        self.processors() * WIRES_PER_PROCESSOR / WIRES_PER_CHIP
    }

    /// Chips of the network (equation 4.40).
    pub fn chips(self) -> u64 {
        u64::from(self.stages) * self.chips_per_stage()
    }

    /// Stacks in the plane of each stack stage, in order.
    pub fn stacks_per_plane(self) -> Vec<u64> {
        let chips = self.chips_per_stage();
        let stacks = self.stacks();
        stacks.iter().map(|s| chips / s.chips_per_stage()).collect()
    }

    /// Ns of the wires after each stack stage but the last: the side, in stacks, of the
    /// square of stacks that converge (section 4.2.2).
    ///
    /// After k stack stages of 64 directions, 64^k stacks converge, or all of the plane
    /// when it has no more: that is so after the last but one.
    pub fn convergence_sides(self) -> Vec<u64> {
        let plane = self.processors() * WIRES_PER_PROCESSOR / WIRES_PER_STACK;
        (1..self.stack_stages())
            .map(|k| plane.min(1 << (2 * STAGES_PER_STACK * k)).isqrt())
            .collect()
    }

    /// Clocks of the wires between all stack stages when each is the longest possible:
    /// the diagonal of its square.
    pub fn worst_wire_clocks(self, geometry: &Geometry, rounding: Rounding) -> u64 {
        let sides = self.convergence_sides();
        match rounding {
            Rounding::Stage => sides
                .iter()
                .map(|&side| geometry.diagonal_cycles(side))
                .sum(),
            // Diagonals side by side are the diagonal of the sum.
            Rounding::Sum => geometry.diagonal_cycles(sides.iter().sum()),
        }
    }

    /// The same when each is the longest of its distribution (equation 4.11), which takes
    /// stacks as points; every stage is rounded up.
    pub fn longest_wire_clocks(self, geometry: &Geometry) -> u64 {
        let longest = |side| LengthDistribution::of_square(side).counts().len() as u64 - 1;
        let sides = self.convergence_sides().into_iter();
        sides.map(|side| geometry.cycles(longest(side))).sum()
    }

    /// Clocks of the wires between all stack stages in the best case: one each
    /// (section 4.4.3).
    pub fn best_wire_clocks(self) -> u64 {
        u64::from(self.stack_stages() - 1)
    }

    /// Clocks from entering the network to arriving, on an open connection whose wires
    /// between stack stages take `wire_clocks` in all (equation 4.41).
    pub fn connect_clocks(self, wire_clocks: u64) -> u64 {
        u64::from(self.stages) + wire_clocks + LOOP_BACK_CLOCKS
    }

    /// The same while the connection opens (equation 4.42): every stack stage but the
    /// first drops a routing byte.
    pub fn open_clocks(self, wire_clocks: u64) -> u64 {
        self.connect_clocks(wire_clocks) + u64::from(self.stack_stages() - 1)
    }
}

/// Clocks of the way from the last stage back to the processors (section 4.3.4).
pub const LOOP_BACK_CLOCKS: u64 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = Bidelta> {
        STAGES.map(|stages| Bidelta::new(stages).expect("a size of the range"))
    }

    #[test]
    fn sizes_outside_are_refused() {
        assert_eq!(Bidelta::new(1), None);
        assert_eq!(Bidelta::new(11), None);
    }

    #[test]
    fn stacks_of_every_size() {
        let stages = |network: Bidelta| -> Vec<u32> {
            network.stacks().iter().map(|stack| stack.stages).collect()
        };
        let found: Vec<Vec<u32>> = all().map(stages).collect();
        let expected: [&[u32]; 9] = [
            &[2],
            &[3],
            &[4],
            &[3, 2],
            &[3, 3],
            &[3, 4],
            &[3, 3, 2],
            &[3, 3, 3],
            &[3, 3, 4],
        ];
        assert_eq!(found, expected);
    }

    /// Checks what the equations must satisfy at every size.
    #[test]
    fn stacks_make_up_the_network() {
        for network in all() {
            let stacks = network.stacks();
            assert_eq!(stacks.len() as u32, network.stack_stages());
            let directions: u64 = stacks.iter().map(|stack| stack.directions()).product();
            assert_eq!(directions, network.processors());
            let chips = stacks.iter().zip(network.stacks_per_plane());
            let chips = chips.map(|(stack, count)| {
                assert!(stack.chips_per_stage() <= 64);
                u64::from(stack.stages) * stack.chips_per_stage() * count
            });
            assert_eq!(chips.sum::<u64>(), network.chips());
        }
    }

    #[test]
    fn squares_of_convergence() {
        let sides: Vec<Vec<u64>> = all().map(Bidelta::convergence_sides).collect();
        let expected: [&[u64]; 9] = [
            &[],
            &[],
            &[],
            &[2],
            &[4],
            &[8],
            &[8, 16],
            &[8, 32],
            &[8, 64],
        ];
        assert_eq!(sides, expected);
    }

    #[test]
    fn squares_are_squares() {
        for network in all().filter(|network| network.stack_stages() > 1) {
            let last = network.convergence_sides().pop().expect("two stack stages");
            // All of the plane converges before the last stack stage.
            assert_eq!(last * last, network.stacks_per_plane()[0]);
        }
    }

    #[test]
    fn readings_of_the_worst_case() {
        let clocks = |rounding| -> Vec<u64> {
            all()
                .map(|network| network.worst_wire_clocks(&Geometry::DEHON, rounding))
                .collect()
        };
        assert_eq!(clocks(Rounding::Stage), [0, 0, 0, 1, 2, 3, 8, 12, 21]);
        assert_eq!(clocks(Rounding::Sum), [0, 0, 0, 1, 2, 3, 7, 11, 20]);
        let longest = all().map(|network| network.longest_wire_clocks(&Geometry::DEHON));
        assert_eq!(longest.collect::<Vec<u64>>(), [0, 0, 0, 1, 1, 2, 7, 11, 20]);
    }
}
