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

use std::fmt::Display;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use crate::diagnostic::{Class, Diagnostic, Error};

/// Processors that this program may use. Threads beyond them only take turns with each other.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does so many pieces of work, each of which takes a millisecond or more, on all processors; the
/// results in their order.
///
/// # Panics
/// When a piece panics.
pub fn each<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(count));
    let take = || {
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            if piece >= count {
                break;
            }
            let result = work(piece);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((piece, result));
        }
    };
    // This thread is one of them, and does all where the system gives no other.
    let others = 1..processors().min(count);
    std::thread::scope(|scope| {
        for _ in others {
            let _ = Builder::new().spawn_scoped(scope, take);
        }
        take();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(piece, _)| *piece);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Does the same work on so many threads, this one among them; the result of each. Where the system
/// gives fewer threads, fewer do it.
///
/// # Panics
/// When the work panics.
pub fn on_each<T: Send>(threads: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let others = (1..threads).map_while(|_| Builder::new().spawn_scoped(scope, &work).ok());
        let others: Vec<ScopedJoinHandle<'_, T>> = others.collect();
        let own = work();
        let joined = others.into_iter().map(|other| {
            let result = other.join();
            result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        std::iter::once(own).chain(joined).collect()
    })
}

/// Starts a thread for work that cannot be done on this one.
///
/// # Errors
/// An error of [`Class::Io`] when the system starts none.
pub fn start<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<ScopedJoinHandle<'scope, T>, Error> {
    let started = Builder::new().spawn_scoped(scope, work);
    started.map_err(|error| Error::one(Class::Io, "system", not_started(&error)))
}

/// The report that the system starts no thread.
pub fn not_started(error: &dyn Display) -> Diagnostic {
    let message = format!("no thread could be started: {error}");
    let help = "end other programs, or raise the limit on processes (ulimit -u)";
    Diagnostic::new("threads", message, help)
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_thread_gives_its_result() {
        for threads in [0, 1, 5] {
            let results = super::on_each(threads, || 7);
            assert_eq!(results, vec![7; threads.max(1)]);
        }
    }

    #[test]
    fn results_are_in_the_order_of_the_work() {
        for count in [0, 1, 2, 100] {
            let squares = super::each(count, |piece| piece * piece);
            assert!(
                squares.into_iter().eq((0..count).map(|at| at * at)),
                "{count}"
            );
        }
    }
}
