//! Which modules are worth an array.
//!
//! An array of n instances evaluates its module once per 64 instances, where a flat
//! netlist holds it n times. What that saves is counted in operations a cycle, and
//! what it costs in moves of port bits is taken off. The module that saves most is
//! taken first; those that contain it, and those within it, are then out.

use std::collections::BTreeSet;

use crate::netlist::{Design, Hierarchy};

/// Instances below which a module is not made an array.
const INSTANCES_MIN: u64 = 16;

/// Moves that a port bit costs for each word of instances, about.
const MOVES_PER_WORD: u64 = 4;

/// The modules below `root` to keep as arrays when `replicas` runs go side by side.
pub(super) fn arrays(
    design: &Design,
    hierarchy: &Hierarchy<'_>,
    root: usize,
    replicas: u64,
) -> BTreeSet<usize> {
    let mut open: BTreeSet<usize> = hierarchy.order.iter().copied().collect();
    open.remove(&root);
    open.retain(|&module| saving(design, hierarchy, module, replicas).is_some());
    let mut kept = BTreeSet::new();
    loop {
        // Occurrences within an array that was chosen are part of it.
        let best = open
            .iter()
            .filter_map(|&module| Some((saving(design, hierarchy, module, replicas)?, module)))
            .max_by_key(|&(saving, module)| (saving, usize::MAX - module));
        let Some((_, module)) = best else {
            return kept;
        };
        kept.insert(module);
        let below = hierarchy.below(module);
        open.retain(|&other| {
            other != module && !below.contains(&other) && !hierarchy.below(other).contains(&module)
        });
    }
}

/// Operations a cycle that an array of this module saves; `None` when it does not.
fn saving(design: &Design, hierarchy: &Hierarchy<'_>, module: usize, replicas: u64) -> Option<u64> {
    let count = hierarchy.occurrences[module];
    if count < INSTANCES_MIN {
        return None;
    }
    let cells = hierarchy.cells[module];
    let ports = design.modules[module].ports.iter();
    let bits: u64 = ports.map(|port| port.bits.len() as u64).sum();
    let flat = count.saturating_mul(replicas.div_ceil(64));
    let words = count.saturating_mul(replicas).div_ceil(64);
    let saved = cells.saturating_mul(flat.checked_sub(words)?);
    saved
        .checked_sub(bits.saturating_mul(MOVES_PER_WORD).saturating_mul(words))
        .filter(|&saved| saved > 0)
}
