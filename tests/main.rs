//! The tests of the whole, as one program: it is linked once, and its tests share the helpers
//! in `support` and `program`.
//!
//! ```text
//! cargo test --test suite quick::            what is done in under two minutes
//! cargo test --test suite slow::             what takes longer
//! cargo test --test suite slow::lockstep::   one file
//! ```
//!
//! All of them run side by side in one process. What changes a process (its folder, its
//! variables, its limits, its signals) is done in a child; `support::process` runs single
//! tests of this program in one.

use crosswave_cli::allocator::Allocator;

mod program;
mod quick;
mod slow;
mod support;

/// The allocator of the program, so that `quick::limits` sees what it does with files that
/// are on their way.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;
