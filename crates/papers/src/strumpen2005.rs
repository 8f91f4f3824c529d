//! Strumpen & Krishnamurthy 2005: the collision model of randomized routing in fat trees.
//!
//! | file | holds |
//! |---|---|
//! | [`paper`] | its row in the registry |
//! | [`run`] | the runs, as configurations |
//! | [`sizes`] | how large networks are, and how sure means are to be |
//! | [`models`] | Models I and II of section 5 |
//! | [`enumerate`] | exact probabilities of collisions and mean rounds in small fat trees |
//! | [`pairs`] | how often two messages collide in a fat tree, by their places |
//! | [`steady`] | throughput and latency of a fat tree against offered load |
//! | [`figures`] | Figures 3 to 7 |
//! | [`mod@sections`] | the sections of the report, with the quantities of the check |
//!
//! Everything goes through [`Points`](crosswave_observe::points::Points), so that figures,
//! checks and the report share what was simulated.

pub mod enumerate;
pub mod figures;
pub mod models;
pub mod pairs;
pub mod paper;
pub mod run;
pub mod sections;
pub mod sizes;
pub mod steady;

#[cfg(test)]
mod tests;
