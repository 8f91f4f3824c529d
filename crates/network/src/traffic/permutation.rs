//! Permutations of the nodes, by the bits of their numbers or by their coordinates.
//!
//! With b bits of a number, digits of bits from 0, k nodes along an axis, and coordinates x, y, z:
//!
//! | name | destination of a source |
//! |---|---|
//! | transpose | bit i is bit (i + b/2) mod b of the source; in grids of two and more axes (y, x, z) |
//! | bit-reversal | bit i is bit b - 1 - i |
//! | bit-complement | bit i is the complement of bit i |
//! | shuffle | bit i is bit (i - 1) mod b |
//! | tornado | each coordinate ⌈k/2⌉ - 1 further, modulo k |
//! | neighbour | each coordinate 1 further, modulo k |
//! | cyclic shift | the number further by some distance, modulo the number of nodes |
//!
//! A network that is no grid has one axis, with the numbers of its nodes. Nodes that a permutation
//! sends to themselves send nothing.
//!
//! Source: Dally & Towles 2004, "Principles and Practices of Interconnection Networks", table 3.1.

use super::Fault;

/// A permutation of the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permutation {
    /// The coordinates x and y exchanged; without a y, the upper and the lower half of the
    /// address bits.
    Transpose,
    /// The address bits in reverse order.
    BitReversal,
    /// Each address bit complemented.
    BitComplement,
    /// The address bits rotated upwards by one.
    Shuffle,
    /// Nearly half the way round each axis.
    Tornado,
    /// The next node along each axis.
    Neighbour,
    /// Node `i` sends to node `(i + shift) mod nodes`.
    CyclicShift {
        /// The distance, `1..nodes`.
        shift: u32,
    },
}

impl Permutation {
    /// Those that take no parameter.
    pub const PLAIN: [Permutation; 6] = [
        Permutation::Transpose,
        Permutation::BitReversal,
        Permutation::BitComplement,
        Permutation::Shuffle,
        Permutation::Tornado,
        Permutation::Neighbour,
    ];

    /// The name in a configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Permutation::Transpose => "transpose",
            Permutation::BitReversal => "bit-reversal",
            Permutation::BitComplement => "bit-complement",
            Permutation::Shuffle => "shuffle",
            Permutation::Tornado => "tornado",
            Permutation::Neighbour => "neighbour",
            Permutation::CyclicShift { .. } => "cyclic-shift",
        }
    }

    /// The node that `node` sends to, in a network with so many nodes along its axes, which has the
    /// permutation (`fault`).
    ///
    /// ```
    /// use crosswave_network::traffic::Permutation;
    /// assert_eq!(Permutation::Transpose.image(0b0111, &[16]), 0b1101);
    /// assert_eq!(Permutation::BitReversal.image(0b0010, &[16]), 0b0100);
    /// assert_eq!(Permutation::Shuffle.image(0b1010, &[16]), 0b0101);
    /// assert_eq!(Permutation::CyclicShift { shift: 3 }.image(14, &[16]), 1);
    /// // From (2, 1) to (1, 2), and to (0, 2), of three by three.
    /// assert_eq!(Permutation::Transpose.image(5, &[3, 3]), 7);
    /// assert_eq!(Permutation::Neighbour.image(5, &[3, 3]), 6);
    /// ```
    pub fn image(self, node: u32, axes: &[u32]) -> u32 {
        let nodes: u32 = axes.iter().product();
        let (bits, mask) = (nodes.trailing_zeros(), nodes.wrapping_sub(1));
        match self {
            Permutation::Transpose => match *axes {
                [side, _, ..] => {
                    let (x, y, plane) = (node % side, node / side % side, side * side);
                    node / plane * plane + x * side + y
                }
                _ => {
                    let half = bits / 2;
                    (node >> half) | (node << half & mask)
                }
            },
            Permutation::BitReversal if bits == 0 => node,
            Permutation::BitReversal => node.reverse_bits() >> (u32::BITS - bits),
            Permutation::BitComplement => !node & mask,
            Permutation::Shuffle => (node << 1 & mask) | node >> bits.saturating_sub(1),
            Permutation::Tornado => further(node, axes, |size| size.div_ceil(2) - 1),
            Permutation::Neighbour => further(node, axes, |_| 1),
            Permutation::CyclicShift { shift } => further(node, &[nodes], |_| shift),
        }
    }

    /// The mismatch with a network with so many nodes along its axes; `key` is the one that
    /// names the permutation.
    pub(super) fn fault(self, key: &'static str, axes: &[u32]) -> Option<Fault> {
        let nodes: u32 = axes.iter().product();
        let fault = |key, message: String, help: String| {
            Some(Fault {
                key,
                entry: None,
                message,
                help,
            })
        };
        match (self, axes) {
            (Permutation::Transpose, [x, y, ..]) if x == y => None,
            (Permutation::Transpose, [x, y, ..]) => fault(
                key,
                format!(
                    "transpose exchanges x and y, but the grid has {x} and {y} nodes along these \
                     axes; expected as many along both"
                ),
                "use a square, or \"bit-complement\"".into(),
            ),
            (
                Permutation::Transpose
                | Permutation::BitReversal
                | Permutation::BitComplement
                | Permutation::Shuffle,
                _,
            ) if !nodes.is_power_of_two() => fault(
                key,
                format!("a permutation of address bits, but {nodes} nodes are no power of two"),
                match key {
                    "pattern" => "use another pattern, such as \"random\" or \"cyclic-shift\"",
                    _ => "use \"tornado\" or \"neighbour\", which take any number of nodes",
                }
                .into(),
            ),
            (Permutation::Transpose, _) if nodes.trailing_zeros() % 2 == 1 => fault(
                key,
                format!(
                    "transpose exchanges two halves of the address, but the addresses of \
                     {nodes} nodes have {} bits; expected an even number",
                    nodes.trailing_zeros()
                ),
                match nodes > 2 {
                    true => format!("use {} or {} nodes", nodes / 2, u64::from(nodes) * 2),
                    false => "use 4 nodes".into(),
                },
            ),
            (Permutation::CyclicShift { shift }, _) if shift == 0 || shift >= nodes => fault(
                "shift",
                format!("a shift of {shift}; expected 1 to {}", nodes.max(1) - 1),
                format!("a shift by all {nodes} nodes returns to the source"),
            ),
            _ => None,
        }
    }
}

/// The node that is further along each axis, round its end, by a distance that depends on the
/// number of nodes along it.
fn further(node: u32, axes: &[u32], distance: impl Fn(u32) -> u32) -> u32 {
    let (mut found, mut step) = (0, 1);
    for &size in axes {
        let at = u64::from(node / step % size) + u64::from(distance(size));
        found += (at % u64::from(size)) as u32 * step;
        step *= size;
    }
    found
}

#[cfg(test)]
mod tests;
