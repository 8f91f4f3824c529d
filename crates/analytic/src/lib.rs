//! Models with formulas instead of cycles: what the papers compute by hand.
//!
//! One file per model, and each formula with its source. Nothing here knows an
//! engine or what a run observes, and no engine knows these models: that both
//! give the same figures is evidence only so. `papers` compare them.
//! What is exact in a paper is exact here, as whole numbers or as ratios of them.
//!
//! | file | holds |
//! |---|---|
//! | [`bidelta`] | DeHon's large bidelta networks: sizes, chips, latencies |
//! | [`unit_trees`] | DeHon's fat trees of unit trees: sizes, chips, latencies |
//! | [`wires`] | how long the wires between planes of stacks are, and how many clocks they take |
//! | [`replies`] | clocks to a reply over a turned connection, and over a second one |
//! | [`routing`] | the probability that a connection finds its way through crossbars |
//! | [`locality`] | traffic that fits a fat tree of unit trees, and how much of it is routed |
//! | [`feedback`] | what retries make of the load |
//! | [`up_routing`] | two ways up a deep tree |
//! | [`collision`] | the probability that two messages collide in a fat tree, and bins that stand for it |
//! | [`balls`] | Model I of a fat tree's rounds: balls in collision bins |
//! | [`destinations`] | Model II: balls to one destination keep together |
//! | [`load_factor`] | the load factor of messages, and bounds on the rounds by it |
//! | [`rounds`] | bounds on the rounds, and curves through them |

pub mod balls;
pub mod bidelta;
pub mod collision;
pub mod destinations;
pub mod feedback;
pub mod load_factor;
pub mod locality;
pub mod replies;
pub mod rounds;
pub mod routing;
pub mod unit_trees;
pub mod up_routing;
pub mod wires;
