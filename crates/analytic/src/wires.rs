//! Wires between two planes of stacks, and in hollow cubes: their lengths, and the clocks they
//! take.
//!
//! Source: A. DeHon, "Fat-Tree Routing for Transit" (1990), sections 4.1.2, 4.1.3
//! and 4.2.3, equations 4.1 to 4.9 and 4.11 to 4.13.
//!
//! A square of `Ns` by `Ns` stacks is wired to the square above it. The two ends of
//! a wire are uniform and independent in both dimensions; the distance between the
//! planes is neglected. Lengths are in units of the side of a stack.
//!
//! In a *hollow cube* the sides are such squares, wired to the top. A wire goes down the side
//! (z) and into the top (y), each by a uniform offset, and along the edge (x) by the
//! difference of two.
//!
//! Ends lie at the offsets 0 to Ns - 1. Equation 4.1 prints 1 to Ns, but equation 4.2
//! and the averages of section 4.2.3 follow from these only (a difference does not
//! depend on where counting starts).
//!
//! Exact: a [`LengthDistribution`] counts wires out of Ns^4, and the clocks of a length
//! are found with whole numbers of micrometres and picoseconds.

/// Metres that light travels in a second: the speed of a signal in free space,
/// section 4.1.3.
pub const LIGHT_METRES_PER_SECOND: u64 = 299_792_458;

/// Micrometres of an inch.
const MICROMETRES_PER_INCH: f64 = 25_400.0;

/// The largest square, in stacks along its side, that is counted exactly: all sums
/// stay far below 2^64.
pub const SIDE_STACKS_MAX: u64 = 1 << 10;

/// Wires of a square of stacks by length (equations 4.11 to 4.13), or of a hollow cube (4.3
/// to 4.5).
///
/// ```
/// use crosswave_analytic::wires::LengthDistribution;
///
/// let lengths = LengthDistribution::of_square(2);
/// // Straight up; to a neighbour; across, which is rounded up to 2.
/// assert_eq!(lengths.counts(), [4, 8, 4]);
/// assert_eq!(lengths.total(), 16);
/// assert_eq!(lengths.mean(), 1.0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LengthDistribution {
    side_stacks: u64,
    counts: Vec<u64>,
}

impl LengthDistribution {
    /// The distribution for a square of `side_stacks` stacks by as many.
    ///
    /// The difference of two uniform offsets is 0 in Ns of Ns^2 cases and d in
    /// 2(Ns - d) (equation 4.2). Lengths are rounded up to whole stacks (4.13).
    ///
    /// # Panics
    /// When `side_stacks` is 0 or above [`SIDE_STACKS_MAX`].
    pub fn of_square(side_stacks: u64) -> Self {
        assert!(
            (1..=SIDE_STACKS_MAX).contains(&side_stacks),
            "a square of 1 to {SIDE_STACKS_MAX} stacks a side"
        );
        let cases = |difference| cases_of(difference, side_stacks);
        let longest = root_up(2 * (side_stacks - 1).pow(2));
        let mut counts = vec![0; longest as usize + 1];
        for x in 0..side_stacks {
            for y in 0..side_stacks {
                counts[root_up(x * x + y * y) as usize] += cases(x) * cases(y);
            }
        }
        LengthDistribution {
            side_stacks,
            counts,
        }
    }

    /// The distribution for a hollow cube whose sides are `side_stacks` stacks by as many:
    /// offsets y and z are uniform (equation 4.1), and that along the edge is the difference of
    /// two (4.2). Lengths are rounded up to whole stacks (4.5).
    ///
    /// # Panics
    /// When `side_stacks` is 0 or above [`SIDE_STACKS_MAX`].
    ///
    /// ```
    /// use crosswave_analytic::wires::LengthDistribution;
    ///
    /// // Nowhere; along one of three edges; across a face, or the cube.
    /// assert_eq!(LengthDistribution::of_hollow_cube(2).counts(), [2, 6, 8]);
    /// ```
    pub fn of_hollow_cube(side_stacks: u64) -> Self {
        assert!(
            (1..=SIDE_STACKS_MAX).contains(&side_stacks),
            "a side of 1 to {SIDE_STACKS_MAX} stacks"
        );
        let longest = root_up(3 * (side_stacks - 1).pow(2));
        let mut counts = vec![0; longest as usize + 1];
        for z in 0..side_stacks {
            for y in 0..side_stacks {
                for x in 0..side_stacks {
                    let length = root_up(x * x + y * y + z * z);
                    counts[length as usize] += cases_of(x, side_stacks);
                }
            }
        }
        LengthDistribution {
            side_stacks,
            counts,
        }
    }

    /// Entry l: cases in which a wire has length l, of [`total`](Self::total).
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// All cases: Ns^4.
    pub fn total(&self) -> u64 {
        self.side_stacks.pow(4)
    }

    /// The expected length, in sides of a stack.
    pub fn mean(&self) -> f64 {
        self.mean_of(|length| length)
    }

    /// The expected number of clocks (equations 4.6 to 4.9). A wire straight up has
    /// length 0, and takes none.
    pub fn mean_cycles(&self, geometry: &Geometry) -> f64 {
        self.mean_of(|length| geometry.cycles(length))
    }

    /// Entry n: cases in which a wire takes n clocks (equation 4.8), of
    /// [`total`](Self::total).
    pub fn cycles(&self, geometry: &Geometry) -> Vec<u64> {
        let longest = geometry.cycles(self.counts.len() as u64 - 1);
        let mut cycles = vec![0; longest as usize + 1];
        for (length, count) in (0..).zip(&self.counts) {
            cycles[geometry.cycles(length) as usize] += count;
        }
        cycles
    }

    fn mean_of(&self, value: impl Fn(u64) -> u64) -> f64 {
        let cases = (0..).zip(&self.counts);
        let sum: u64 = cases.map(|(length, count)| value(length) * count).sum();
        sum as f64 / self.total() as f64
    }
}

/// The side of a stack and the period of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Side of a stack.
    pub stack_side_micrometres: u64,
    /// One clock.
    pub clock_picoseconds: u64,
}

impl Geometry {
    /// DeHon's: 64 chips of a routing stage are 8 by 8, each in a square of two chip
    /// packages of 1.4 inches, so a side is 2 * 8 * 1.4 = 22.4 inches (section 1.4,
    /// equation 3.11); the clock is 10 ns (section 4.1.3).
    ///
    /// Section 4.2.4 calls that side "two feet", but its averages, 1.3 and 6.9 clocks,
    /// belong to 22.4 inches; two feet would give 1.5 and 7.4.
    pub const DEHON: Geometry = Geometry {
        stack_side_micrometres: 2 * 8 * 35_560,
        clock_picoseconds: 10_000,
    };

    /// Clocks of a wire that is `length` stacks long: its delay at the speed of light,
    /// rounded up (equations 4.6 and 4.7).
    pub fn cycles(&self, length: u64) -> u64 {
        let metres_by_1e12 = u128::from(length * self.stack_side_micrometres) * 1_000_000;
        metres_by_1e12.div_ceil(self.metres_per_clock_by_1e12()) as u64
    }

    /// Clocks of a wire as long as the diagonal of a square of `side_stacks` stacks:
    /// the square root of 2 times the side, not rounded to whole stacks (section 4.1.1,
    /// in two dimensions), its delay rounded up.
    pub fn diagonal_cycles(&self, side_stacks: u64) -> u64 {
        self.root_cycles(side_stacks, 2)
    }

    /// Clocks of a wire as long as the diagonal of a cube of `side_stacks` stacks a side: the
    /// square root of 3 times the side (section 4.1.1).
    pub fn cube_diagonal_cycles(&self, side_stacks: u64) -> u64 {
        self.root_cycles(side_stacks, 3)
    }

    /// Clocks of a wire as long as the square root of `square` times a side of so many stacks.
    fn root_cycles(&self, side_stacks: u64, square: u128) -> u64 {
        let side = u128::from(side_stacks * self.stack_side_micrometres) * 1_000_000;
        let clock = self.metres_per_clock_by_1e12();
        // The smallest n with (n * clock)^2 >= square * side^2. It is at least side / clock.
        let mut cycles = side / clock;
        while (cycles * clock).pow(2) < square * side.pow(2) {
            cycles += 1;
        }
        cycles as u64
    }

    /// The side of a stack.
    pub fn stack_side_inches(&self) -> f64 {
        self.stack_side_micrometres as f64 / MICROMETRES_PER_INCH
    }

    fn metres_per_clock_by_1e12(&self) -> u128 {
        u128::from(LIGHT_METRES_PER_SECOND) * u128::from(self.clock_picoseconds)
    }
}

/// The number of pairs of offsets of so many stacks that differ so much (equation 4.2).
fn cases_of(difference: u64, side_stacks: u64) -> u64 {
    match difference {
        0 => side_stacks,
        _ => 2 * (side_stacks - difference),
    }
}

/// The square root, rounded up.
fn root_up(square: u64) -> u64 {
    let root = square.isqrt();
    root + u64::from(root * root < square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_count_every_wire() {
        for side in [1, 2, 3, 4, 8, 16, 32, 64] {
            let lengths = LengthDistribution::of_square(side);
            assert_eq!(lengths.counts().iter().sum::<u64>(), lengths.total());
            let cycles = lengths.cycles(&Geometry::DEHON);
            assert_eq!(cycles.iter().sum::<u64>(), lengths.total());
            let sum: u64 = (0..)
                .zip(&cycles)
                .map(|(n, count): (u64, _)| n * count)
                .sum();
            let mean = sum as f64 / lengths.total() as f64;
            assert_eq!(mean, lengths.mean_cycles(&Geometry::DEHON));
        }
    }

    /// The slow and obvious way: both ends of every wire of a cube.
    #[test]
    fn distribution_of_a_hollow_cube() {
        let mut counts = vec![0; 8];
        for ends in 0..5_u64.pow(4) {
            let [a, b, y, z] = [ends % 5, ends / 5 % 5, ends / 25 % 5, ends / 125];
            let length = (a.abs_diff(b) as f64).hypot(y as f64).hypot(z as f64);
            counts[(length - 1e-9).ceil() as usize] += 1;
        }
        let cube = LengthDistribution::of_hollow_cube(5);
        assert_eq!(cube.counts(), counts);
        assert_eq!(cube.total(), 625);
    }

    /// The slow and obvious way: both ends of every wire.
    #[test]
    fn distribution_of_five_by_five() {
        let mut counts = vec![0; 7];
        for ends in 0..5_u64.pow(4) {
            let [a, b, c, d] = [ends % 5, ends / 5 % 5, ends / 25 % 5, ends / 125];
            let length = (a.abs_diff(b) as f64).hypot(c.abs_diff(d) as f64);
            counts[length.ceil() as usize] += 1;
        }
        assert_eq!(LengthDistribution::of_square(5).counts(), counts);
    }

    #[test]
    fn averages_of_the_paper() {
        let rounded = |x: f64| (x * 10.0).round() / 10.0;
        for (side, length, cycles) in [(8, 4.6, 1.3), (64, 33.9, 6.9)] {
            let lengths = LengthDistribution::of_square(side);
            assert_eq!(rounded(lengths.mean()), length);
            assert_eq!(rounded(lengths.mean_cycles(&Geometry::DEHON)), cycles);
        }
    }

    #[test]
    fn two_feet_give_other_averages() {
        let two_feet = Geometry {
            stack_side_micrometres: 609_600,
            ..Geometry::DEHON
        };
        let mean = |side| LengthDistribution::of_square(side).mean_cycles(&two_feet);
        assert_eq!(format!("{:.1} {:.1}", mean(8), mean(64)), "1.5 7.4");
    }

    #[test]
    fn clocks_of_wires() {
        let geometry = Geometry::DEHON;
        assert_eq!(geometry.stack_side_inches(), 22.4);
        // A clock of light is 2.998 m, or 5.27 sides.
        assert_eq!(
            [0, 1, 5, 6, 10, 11].map(|l| geometry.cycles(l)),
            [0, 1, 1, 2, 2, 3]
        );
        for side in 1..200 {
            let clocks = 2_f64.sqrt() * side as f64 * 0.568_96 / 2.997_924_58;
            assert_eq!(geometry.diagonal_cycles(side), clocks.ceil() as u64);
        }
    }
}
