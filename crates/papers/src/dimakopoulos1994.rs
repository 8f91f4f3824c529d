//! Dimakopoulos & Dimopoulos 1994: communications in binary fat trees.
//!
//! | file | holds |
//! |---|---|
//! | [`paper`] | its row in the registry |
//! | [`mod@print`] | the paper's closed forms, as printed |
//! | [`study`] | schedules of all sizes, checked or simulated |
//! | [`single`] | broadcast, scatter, gather and multinode broadcast: sections 2 to 4 |
//! | [`exchange`] | total exchange: section 5 |
//! | [`figures`] | steps of total exchange against nodes |
//! | [`sections`] | the sections of the report; the check takes their quantities |
//! | [`circuits`] | the operations as messages on circuit-switched networks |
//! | [`circuit_figure`] | their clocks beside the steps of the ideal, against nodes |
//!
//! What the paper says is evaluated from [`mod@print`]; the formulas beside it are those of
//! [`bounds`](crosswave_collectives::bounds), which count effective capacities and the steps in which
//! links fill and drain; and what is simulated are schedules, by the check without queues
//! and by the step simulator with them. The model is exact, so that all must be equal. Circuits are
//! no part of the paper: they are the same operations on networks that hold a path for each message.

pub mod circuit_figure;
pub mod circuits;
pub mod exchange;
pub mod figures;
pub mod paper;
pub mod print;
pub mod sections;
pub mod single;
pub mod study;
