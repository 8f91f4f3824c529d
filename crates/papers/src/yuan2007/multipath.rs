//! K paths of the many: the oblivious ratio against K, which the paper asks about and does not answer.
//!
//! Consecutive paths are those of MLID and d-mod-k; random ones are drawn for each pair, so that each
//! seed is another routing.

use num_rational::Ratio;

use super::averages::tree;
use crate::effort::Effort;
use crosswave_base::diagnostic::Error;
use crosswave_oblivious::ratio::oblivious_ratio;
use crosswave_oblivious::routing::Routing;
use crosswave_oblivious::routing::drawn::Drawn;
use crosswave_oblivious::routing::modulo::{Chooser, Modulo};
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// Seeds of random paths.
const SEEDS: u64 = 4;

/// Trees.
pub const TREES: [(u32, u32); 3] = [(8, 2), (16, 2), (8, 3)];

/// Oblivious ratios of one number of paths.
#[derive(Debug, Clone, PartialEq)]
pub struct PathsRow {
    /// Ports and levels of the tree.
    pub tree: (u32, u32),
    /// K.
    pub paths: u32,
    /// By the digits of the source, consecutive.
    pub mlid: Ratio<u64>,
    /// By the digits of the destination, consecutive.
    pub d_mod_k: Ratio<u64>,
    /// At random, the least and the largest of the seeds.
    pub drawn: (Ratio<u64>, Ratio<u64>),
}

/// The ratios of all powers of two up to all paths.
///
/// # Errors
/// When someone asks to stop.
pub fn rows(effort: Effort, watch: &mut dyn Watch) -> Result<Vec<PathsRow>, Error> {
    let mut rows = Vec::new();
    if effort == Effort::Formulas {
        return Ok(rows);
    }
    for size in TREES {
        let tree = tree(size);
        let mut paths = 1;
        while paths <= tree.power(tree.levels() - 1) {
            check_cancelled(watch)?;
            watch.begins(&format!("{paths} paths on {tree}"));
            let ratio = |routing: &dyn Routing| oblivious_ratio(routing, 0).ratio;
            let drawn = (0..SEEDS).map(|seed| ratio(&Drawn::new(tree, paths, seed)));
            let drawn: Vec<Ratio<u64>> = drawn.collect();
            let least = drawn.iter().min().expect("there are seeds");
            let most = drawn.iter().max().expect("there are seeds");
            rows.push(PathsRow {
                tree: size,
                paths,
                mlid: ratio(&Modulo::new(tree, Chooser::Source, paths)),
                d_mod_k: ratio(&Modulo::new(tree, Chooser::Destination, paths)),
                drawn: (*least, *most),
            });
            paths *= 2;
        }
    }
    Ok(rows)
}
