//! Types of cells that Yosys itself defines.

use super::flops::FlopType;
use crate::function::Function;

/// True for the types of gates and flip-flops, whose pins are known.
pub(super) fn is_gate_or_flop(cell_type: &str) -> bool {
    Function::from_yosys(cell_type).is_some()
        || mux_depth(cell_type).is_some()
        || FlopType::parse(cell_type).is_some()
}

/// The type of a memory.
pub(super) const MEMORY: &str = "$mem_v2";

/// The number of select bits of a MUX of more than two inputs.
pub(super) fn mux_depth(cell_type: &str) -> Option<usize> {
    match cell_type {
        "$_MUX4_" => Some(2),
        "$_MUX8_" => Some(3),
        "$_MUX16_" => Some(4),
        _ => None,
    }
}
