//! Plans that were made before: runs of one program mostly have the same chips in the same places, and a
//! plan takes longer than many a run.
//!
//! A plan depends on nothing but its key, so that it is the same whether it is made or taken.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{Plan, Settings, layout};
use crosswave_base::diagnostic::Error;
use crosswave_chips::Chip;
use crosswave_lanes::evaluator::{Backend, Evaluator};
use crosswave_netlist::Module;
use crosswave_network::ChipArray;

/// Plans that are kept, the last ones that were asked for. Their code takes some 100 KiB each.
const KEPT: usize = 64;

/// All that a plan depends on. Chips and netlists are there to the end of the program, so that their
/// addresses tell them apart.
#[derive(Debug, PartialEq, Eq)]
struct PlanKey {
    chip: usize,
    module: usize,
    words: usize,
    tile: usize,
    link_bits: usize,
    backend: Backend,
    counted: bool,
    settles: bool,
    ties: Vec<(String, usize, bool)>,
}

/// A plan with what evaluates it.
type Made = (Plan, Evaluator);

/// A plan that is made once; whoever asks for it meanwhile waits.
type Kept = Arc<OnceLock<Result<Made, Error>>>;

static PLANS: Mutex<VecDeque<(PlanKey, Kept)>> = Mutex::new(VecDeque::new());

/// The plan of an array and its evaluator, made or taken ([`Plan::new`]).
///
/// # Errors
/// As [`Plan::new`].
pub fn plan(array: &ChipArray, module: &'static Module, settings: Settings) -> Result<Made, Error> {
    let (words, width) = layout::words(array.instances);
    let key = PlanKey {
        chip: std::ptr::from_ref::<Chip>(array.chip).addr(),
        module: std::ptr::from_ref(module).addr(),
        words,
        tile: layout::tile(words, width, settings.cut, settings.copies),
        link_bits: settings.link_bits,
        backend: settings.backend,
        counted: settings.counted,
        settles: settings.settles,
        ties: array.ties(),
    };
    let make = || Plan::new(array, module, settings);
    of_key(key).get_or_init(make).clone()
}

/// The plan of a key, which becomes the last one that was asked for.
fn of_key(key: PlanKey) -> Kept {
    let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = plans.iter().position(|(known, _)| *known == key);
    let found = found.and_then(|at| plans.remove(at));
    let (key, kept) = found.unwrap_or_else(|| (key, Kept::default()));
    if plans.len() == KEPT {
        plans.pop_front();
    }
    plans.push_back((key, kept.clone()));
    kept
}
