//! Tests on trees small enough to try everything, and on wires of the circuit-switched tree.

mod optimum;
mod xor_wires;
