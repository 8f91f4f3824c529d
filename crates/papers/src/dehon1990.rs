//! DeHon 1990: fat-tree routing for Transit, and the bidelta networks of RN1 beside it.
//!
//! | file | holds |
//! |---|---|
//! | [`paper`] | its row in the registry |
//! | [`sections`] | the sections of its report, with what is printed, beside formulas and simulation |
//! | [`figures`] | its figures |
//! | `bench` | a network on an engine, driven by its pins |
//! | [`path`] | clocks of a connection through a network |
//! | [`bidelta_paths`] | the same in the bidelta networks of the tables |
//! | [`placed_wires`] | wires of placed networks, counted one by one |
//! | [`trees`] | fat trees of unit trees, built and counted, and paths through them |
//! | [`routing`] | how many connections a network routes at the first attempt |
//! | [`local_routing`] | the same in fat trees, of traffic that fits them |
//! | [`loads`] | the loads of routing statistics |
//! | [`up_routing`] | the way up of Figure 2.7, built of RN1s |
//! | [`faults`] | what faults do to fat trees |
//! | [`steady`] | fat trees and bidelta networks in steady state |
//! | [`turn_clocks`] | clocks of a turn over long wires, router by router |
//! | [`turning`] | clocks to a reply: over a turned connection, and over a second one |
//! | [`side_by_side`] | studies on several threads, whose results are kept |

mod bench;
pub mod bidelta_paths;
pub mod faults;
pub mod figures;
pub mod loads;
pub mod local_routing;
pub mod paper;
pub mod path;
pub mod placed_wires;
pub mod routing;
pub mod sections;
pub mod side_by_side;
pub mod steady;
pub mod trees;
pub mod turn_clocks;
pub mod turning;
pub mod up_routing;
