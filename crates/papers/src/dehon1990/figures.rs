//! Figures of fat trees and bidelta networks.
//!
//! | file | figure |
//! |---|---|
//! | [`wires`] | DeHon's Figures 4.1 to 4.4, 4.6 and 4.7: wires by length and clocks |
//! | [`placed`] | a placed tree, drawn |
//! | [`faults`] | what routers that are off leave |
//! | [`local_routing`] | DeHon's Figures 4.8 to 4.18: the probability that a fat tree routes a connection |
//! | [`routing`] | DeHon's Figure 4.19: the same for bidelta networks |
//! | [`steady`] | throughput and latency in steady state |
//! | [`turning`] | clocks to a reply, over a turned connection and over a second one |

pub mod faults;
pub mod local_routing;
pub mod placed;
pub mod routing;
pub mod steady;
pub mod turning;
pub mod wires;
