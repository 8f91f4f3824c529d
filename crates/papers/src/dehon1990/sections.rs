//! The sections of the report; the check takes their quantities.
//!
//! | file | section |
//! |---|---|
//! | [`context`] | what sections are made with |
//! | `capacities` | chapter 2: channels between levels |
//! | `up_routing` | 2.2.4: two ways up a deep tree |
//! | `unit_trees` | chapter 3: routers, channels, bundles and wires of unit trees |
//! | `turns` | 3.6.2: clocks of a turn over long wires |
//! | `hollow_cubes` | 4.1: wires in hollow cubes |
//! | `squares` | 4.2: wires between planes of bidelta networks |
//! | `distributions` | wires by length and clocks, for these two |
//! | `fat_trees` | 4.3 and 4.4: sizes and latencies of fat trees |
//! | `bidelta` | 4.4.3: those of bidelta networks |
//! | `locality` | 4.5: traffic that fits fat trees |
//! | `local_routing` | 4.5.1 and 4.5.2: how much of it is routed |
//! | `routing` | 4.5.3: how much bidelta networks route |
//! | `replies` | 1.3: whether turning pays |
//! | `faults` | 5.2.2: single faults, faults at random places, a stack taken out |
//! | `steady` | 5.3.1: steady state, and load fed back by retries |
//! | `dispersion` | 5.3.3: how wires are spread |
//! | `readings` | where the paper is read otherwise than printed, and what is assumed |

mod bidelta;
mod capacities;
pub mod context;
mod dispersion;
mod distributions;
mod fat_trees;
mod faults;
mod hollow_cubes;
mod local_routing;
mod locality;
mod readings;
mod replies;
mod routing;
mod squares;
mod steady;
mod turns;
mod unit_trees;
mod up_routing;

use crate::dehon1990::trees;
use crate::effort::Effort;
use crate::page::Section;
use context::DehonContext;
use crosswave_base::diagnostic::Error;
use crosswave_observe::points::Points;
use crosswave_observe::points::watch::Watch;

/// All sections, in the order of the paper. `draws` is whether pictures are made that nothing
/// else is simulated for.
///
/// # Errors
/// When results cannot be kept, or someone asks to stop.
pub fn sections(
    effort: Effort,
    draws: bool,
    points: &mut Points,
    watch: &mut dyn Watch,
) -> Result<Vec<Section>, Error> {
    let counted = match effort {
        Effort::Formulas => None,
        _ => Some(trees::counted(watch)?),
    };
    let mut context = DehonContext {
        effort,
        draws,
        counted,
        points,
        watch,
    };
    let makers = [
        capacities::section,
        up_routing::section,
        unit_trees::section,
        turns::section,
        hollow_cubes::section,
        squares::section,
        fat_trees::section,
        bidelta::section,
        locality::section,
        local_routing::full,
        local_routing::hybrid,
        routing::section,
        replies::section,
        faults::section,
        steady::section,
        dispersion::section,
        readings::section,
    ];
    makers.iter().map(|make| make(&mut context)).collect()
}

#[cfg(test)]
mod tests;
