//! Chen & Sha, *The Fat-Stack and Universal Routing in Interconnection Networks* (preliminary
//! version: PDCS 2004; cited in this folder as the paper).
//!
//! | file | holds |
//! |---|---|
//! | [`paper`] | the row in the registry |
//! | `print` | what the paper prints |
//! | `sections` | the sections of the report |
//! | `structure` | wires and distances, counted on the graphs of the networks |
//! | `schedules` | the schedules of section 3 against their bounds |
//! | `all_to_one` | theorems 3.3 and 3.5 asked of the chips |
//! | `universality` | other networks carried by these, as they grow |
//! | `experiment` | section 5: throughput and delay of flows |
//! | `routing_traffic` | the same with announcements of routers, counted as packets |
//! | `figures` | pictures of the networks, and carried against offered load |
//!
//! The networks are those of [`frame`](crosswave_frame).

mod all_to_one;
pub(super) mod experiment;
mod figures;
mod hardware;
pub mod paper;
mod print;
mod routing_traffic;
mod schedules;
mod sections;
mod structure;
mod universality;

use crosswave_frame::shape::Family;

/// The short name of a network of the paper in the check.
fn short(family: Family) -> &'static str {
    match family {
        Family::ButterflyFatTree => "tree",
        Family::AugmentedFatStack => "stack",
        Family::GeneralFatStack => "general_stack",
        Family::FatPyramid => "pyramid",
    }
}
