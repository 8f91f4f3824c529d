//! Conditions on signals, and the cycles around the moments in which they hold.
//!
//! A program says what can be tested in it with a [`Vocabulary`]; the grammar, the tests of numbers, and
//! the search for moments are the same for all.
//!
//! | file | holds |
//! |---|---|
//! | [`grammar`] | the text of a condition, read |
//! | `expression` | tests that are put together with and, or, not |
//! | `test` | relations and edges |
//! | `moments` | which cycles are looked at, and the window around a moment |
//! | `history` | states of a run, from which the cycles before a moment are run again |
//!
//! Nothing is recorded while a condition waits. The run keeps its state now and then, and the cycles of a window
//! are run once more from the one before it, which gives the same cycles. So history costs little,
//! whatever its length and whatever is recorded.

mod expression;
pub mod grammar;
mod history;
mod moments;
mod test;

pub use expression::Expression;
pub use grammar::Vocabulary;
pub use history::History;
pub use moments::{Moments, Plan};
pub use test::{Relation, ValueEdge};
