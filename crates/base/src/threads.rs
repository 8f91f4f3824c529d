//! Threads of the engines: a pool whose members take parts of a step, and the decision whether
//! they do.
//!
//! | file | holds |
//! |---|---|
//! | [`pool`] | threads that meet once a step, none of which keeps the others waiting before it begins |
//! | [`policy`] | whether threads take a step together, found out by timing them |
//!
//! A step is mostly a clock edge, of microseconds. To start and to wake a thread takes as long, and
//! on a machine with other work a thread that is woken waits its turn for milliseconds. So threads
//! that do not pay are not used, however many were asked for. What is computed does not depend on
//! who computes it.

pub mod policy;
pub mod pool;

/// Processors that this program may use. Threads beyond them only take turns with each other.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
