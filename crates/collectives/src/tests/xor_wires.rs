//! XOR steps on the circuit-switched four-port tree, whatever upstream ports are taken.
//!
//! A routing node of level i is 2^(i-1) routers there, each with one wire to either child
//! and two wires, c and d, upstream. A circuit that reaches a router of level i by the
//! upstream ports u_1 ... u_(i-1) is in router (node, u_1 ... u_(i-1)), and on its way down
//! takes the wires of the same ports backwards. So a wire of level i is a node and ports
//! u_1 ... u_(i-1), going up or down.

use std::collections::BTreeSet;

use crate::tree::meeting_level;

/// A small generator (xorshift64*), so that runs repeat.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) % bound
    }
}

/// Chooses ports for all circuits from s to `to[s]` at random, a taken one giving way to the
/// other, and returns how many circuits want a down wire that another one has.
fn collisions(levels: u32, to: &[u32], random: &mut Random) -> usize {
    let mut order: Vec<u32> = (0..1 << levels).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, random.below(last as u64 + 1) as usize);
    }
    let (mut up, mut down) = (BTreeSet::new(), BTreeSet::new());
    let mut collisions = 0;
    for source in order {
        let destination = to[source as usize];
        let top = meeting_level(source, destination);
        let mut ports = 0u32;
        let mut wires = Vec::new();
        for level in 1..=top {
            // The leaf has one wire; a router of level i - 1 chooses between two of level i.
            if level > 1 {
                let port = random.below(2) as u32;
                let taken =
                    |port: u32| up.contains(&(level, source >> (level - 1), ports << 1 | port));
                let port = if taken(port) { 1 - port } else { port };
                ports = ports << 1 | port;
            }
            assert!(
                up.insert((level, source >> (level - 1), ports)),
                "two circuits never collide upstream"
            );
            wires.push((level, destination >> (level - 1), ports));
        }
        collisions += usize::from(!wires.into_iter().all(|wire| down.insert(wire)));
    }
    collisions
}

#[test]
fn xor_steps_never_collide_whatever_ports_are_taken() {
    let mut random = Random(1);
    for levels in 1..=7 {
        for k in 1..1u32 << levels {
            let to: Vec<u32> = (0..1 << levels).map(|source| source ^ k).collect();
            for _ in 0..4 {
                assert_eq!(collisions(levels, &to, &mut random), 0);
            }
        }
    }
}

#[test]
fn no_automorphism_of_the_tree_collides() {
    let mut random = Random(2);
    for levels in 1..=7 {
        for _ in 0..100 {
            // Each node exchanges its children or not.
            let exchange: Vec<bool> = (0..1 << levels).map(|_| random.below(2) == 1).collect();
            let image = |leaf: u32| {
                let flips = (0..levels)
                    .filter(|bit| exchange[((1 << levels | leaf) >> (bit + 1)) as usize]);
                flips.fold(leaf, |image, bit| image ^ 1 << bit)
            };
            let to: Vec<u32> = (0..1 << levels).map(image).collect();
            assert_eq!(collisions(levels, &to, &mut random), 0);
        }
    }
}

#[test]
fn cyclic_shifts_do_collide() {
    let mut random = Random(3);
    let to: Vec<u32> = (0..64).map(|source| (source + 21) % 64).collect();
    assert!(collisions(6, &to, &mut random) > 0);
}
