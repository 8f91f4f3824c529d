//! What is small enough to try everything, and wires of the circuit-switched tree.

mod optimum;
mod xor_wires;
