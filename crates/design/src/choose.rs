//! Choice of the modules that are worth an array.
//!
//! An array of n instances evaluates its module once per 64 instances, where a flat
//! netlist holds it n times. What that saves is counted in operations a cycle, and
//! what it costs in moves of port bits is taken off. The module that saves most is
//! taken first; those that contain it, and those within it, are then out.

use std::collections::BTreeSet;

use super::family::Families;
use crosswave_netlist::{Design, DesignHierarchy};

/// Instances below which a module is not made an array.
const INSTANCES_MIN: u64 = 16;

/// Moves that a port bit costs for each word of instances, about.
const MOVES_PER_WORD: u64 = 4;

/// The first modules of the families below `root` to keep as arrays when `replicas` runs
/// go side by side.
pub(super) fn arrays(
    design: &Design,
    hierarchy: &DesignHierarchy<'_>,
    families: &Families,
    root: usize,
    replicas: u64,
) -> BTreeSet<usize> {
    let saving = |module: usize| {
        let count = families.occurrences(hierarchy, module);
        let ports = design.modules[module].ports.iter();
        let bits = ports.map(|port| port.bits.len() as u64).sum();
        saving(count, hierarchy.cells[module], bits, replicas)
    };
    let mut open: Vec<(u64, usize, Vec<usize>)> = families
        .firsts()
        .filter(|&module| module != root)
        .filter_map(|module| Some((saving(module)?, module)))
        .map(|(saving, module)| (saving, module, families.below(hierarchy, module)))
        .collect();
    let mut kept = BTreeSet::new();
    loop {
        // Occurrences within an array that was chosen are part of it.
        let best = open
            .iter()
            .max_by_key(|&&(saving, module, _)| (saving, usize::MAX - module));
        let Some((_, module, below)) = best.cloned() else {
            return kept;
        };
        kept.insert(module);
        open.retain(|(_, other, within)| {
            *other != module
                && below.binary_search(other).is_err()
                && within.binary_search(&module).is_err()
        });
    }
}

/// Operations a cycle that an array of so many instances saves, each of so many cells and
/// bits of ports; `None` when it does not.
fn saving(count: u64, cells: u64, bits: u64, replicas: u64) -> Option<u64> {
    if count < INSTANCES_MIN {
        return None;
    }
    let flat = count.saturating_mul(replicas.div_ceil(64));
    let words = count.saturating_mul(replicas).div_ceil(64);
    let saved = cells.saturating_mul(flat.checked_sub(words)?);
    saved
        .checked_sub(bits.saturating_mul(MOVES_PER_WORD).saturating_mul(words))
        .filter(|&saved| saved > 0)
}
