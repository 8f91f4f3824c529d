//! What is simulated for Strumpen & Krishnamurthy 2005, and the figures and tables made of it.
//!
//! | file | holds |
//! |---|---|
//! | [`run`] | the runs, as configurations |
//! | [`sizes`] | how large networks are, and how sure means are to be |
//! | [`models`] | Models I and II of section 5 |
//! | [`figures`] | Figures 3 to 7 |
//! | [`sections`] | the sections of the report, with the quantities of the check |
//!
//! Everything goes through [`Points`](crate::experiment::points::Points), so that figures,
//! checks and the report share what was simulated.

pub mod figures;
pub mod models;
pub mod run;
pub mod sections;
pub mod sizes;

#[cfg(test)]
mod tests;

pub use run::{Length, Run, Traffic};
pub use sizes::Sizes;
