//! Triggers: a condition on signals and messages, and the cycles around the moment in which it
//! is true.
//!
//! ```text
//!  text ──> parse ──> Condition ──> Trigger (watches a run) ──> Moment: cycle, window, checkpoint
//! ```
//!
//! | file | holds |
//! |---|---|
//! | [`collided`] | the collisions at routers in a cycle |
//! | [`condition`] | conditions, and what they are made of |
//! | [`parse`] | the words that they have beside those of all conditions (`crosswave_trigger`) |
//! | [`other_engine`] | what signals show in a run on another engine |
//! | [`signal_source`] | where the value of a signal comes from |
//! | `named_signals` | the signals that a condition may name |
//! | [`watch`] | who watches a run for one, and keeps what is before it |
//! | `under_way` | how old the oldest message is that is under way |
//! | [`history`] | checkpoints from which the cycles before a moment are run again |

pub mod collided;
pub mod condition;
pub mod history;
mod named_signals;
pub mod other_engine;
pub mod parse;
pub mod signal_source;
mod under_way;
pub mod watch;

pub use collided::RouterCollision;
pub use condition::Condition;
pub use crosswave_trigger::Plan;
pub use signal_source::ExtraSignals;
pub use watch::{Moment, Trigger};
