//! Threads that meet once a cycle.
//!
//! The host's thread calls a turn, does its own share, and waits for the others;
//! they wait for the next turn. A turn of a small network takes microseconds, and
//! to wake a sleeping thread takes several, so who waits
//!
//! 1. spins a while: the other side is mostly about to be done;
//! 2. then offers its processor, once, to whoever else is ready to run;
//! 3. then sleeps until it is woken. A host that does not call for long has
//!    threads that cost nothing.
//!
//! With more threads than processors whoever spins keeps from working whom it
//! waits for, so nobody spins. More offers would be worse than none: on a machine
//! with other work each is taken for milliseconds, while who sleeps is woken at
//! once. (With fifty, on a machine with three times as much to do as it has
//! processors, n = 4096 ran at 360 cycles per second; with one, at 7600.)
//!
//! A wait is counted in tries: nothing here reads a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crossbeam::sync::{Parker, Unparker};
use crossbeam::utils::CachePadded;

use crate::diagnostic::{Class, Diagnostic, Error};

/// How long to wait awake.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// Tries with a pause of the processor in between.
    spins: u32,
}

impl Patience {
    /// What is fit for a number of threads on this machine.
    fn of(threads: usize) -> Patience {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let spins = if threads <= processors { 1000 } else { 0 };
        Patience { spins }
    }

    /// Waits until something holds; who makes it hold wakes the parker afterwards.
    fn wait(self, parker: &Parker, holds: impl Fn() -> bool) {
        for _ in 0..self.spins {
            if holds() {
                return;
            }
            std::hint::spin_loop();
        }
        std::thread::yield_now();
        // A wake-up for something long past ends one round too early.
        while !holds() {
            parker.park();
        }
    }
}

/// The turn that ends the pool.
const END: u64 = u64::MAX;

/// The error that the system starts no more threads.
fn no_more_threads(wanted: usize, started: usize) -> Error {
    Error::one(
        Class::Usage,
        "gate engine",
        Diagnostic::new(
            "threads",
            format!("the system has started {started} of {wanted} threads and gives no more"),
            "take fewer threads, or raise the limits on processes and on memory",
        ),
    )
}

/// What the threads share. Each line is written by one side and read by the other.
struct Meeting {
    /// Number of the turn and what it is to be done with: `number << 1 | which`.
    turn: CachePadded<AtomicU64>,
    /// Members that have not finished the turn.
    busy: CachePadded<AtomicUsize>,
    /// A member has panicked.
    failed: AtomicBool,
    /// Wakes the host.
    host: Unparker,
}

/// Tells the host when a member panics.
struct Alarm<'a>(&'a Meeting);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.failed.store(true, Ordering::Release);
            self.0.host.unpark();
        }
    }
}

struct Member {
    unparker: Unparker,
    thread: JoinHandle<()>,
}

/// The threads besides the host's.
pub struct WorkerPool {
    meeting: Arc<Meeting>,
    members: Vec<Member>,
    parker: Parker,
    patience: Patience,
    turn: u64,
}

impl WorkerPool {
    /// A pool of `threads` threads, the host's among them. `make` is called on each
    /// of the others with its number, from 1 on, and gives what takes a turn there:
    /// it is told which of two buffers is to be read.
    ///
    /// # Errors
    /// When the system does not start so many.
    pub fn new<W: FnMut(usize)>(
        threads: usize,
        make: impl Fn(usize) -> W + Clone + Send + 'static,
    ) -> Result<WorkerPool, Error> {
        let parker = Parker::new();
        let meeting = Arc::new(Meeting {
            turn: CachePadded::new(AtomicU64::new(0)),
            busy: CachePadded::new(AtomicUsize::new(0)),
            failed: AtomicBool::new(false),
            host: parker.unparker().clone(),
        });
        let mut pool = WorkerPool {
            meeting,
            members: Vec::new(),
            parker,
            patience: Patience::of(threads),
            turn: 0,
        };
        for thread in 1..threads {
            let parker = Parker::new();
            let unparker = parker.unparker().clone();
            let (meeting, patience, make) = (pool.meeting.clone(), pool.patience, make.clone());
            let work = move || {
                let _alarm = Alarm(&meeting);
                let mut work = make(thread);
                let mut last = 0;
                loop {
                    let turn = || meeting.turn.load(Ordering::Acquire);
                    patience.wait(&parker, || turn() != last);
                    last = turn();
                    if last == END {
                        break;
                    }
                    work((last & 1) as usize);
                    if meeting.busy.fetch_sub(1, Ordering::AcqRel) == 1 {
                        meeting.host.unpark();
                    }
                }
            };
            match std::thread::Builder::new().spawn(work) {
                Ok(thread) => pool.members.push(Member { unparker, thread }),
                Err(_) => return Err(no_more_threads(threads, thread)),
            }
        }
        Ok(pool)
    }

    /// Threads, the host's among them.
    pub fn threads(&self) -> usize {
        self.members.len() + 1
    }

    /// One turn: the members' work with buffer `which`, and the host's own.
    ///
    /// # Panics
    /// When a member has panicked.
    pub fn take_turn(&mut self, which: usize, own: impl FnOnce()) {
        if self.members.is_empty() {
            return own();
        }
        self.turn += 1;
        let busy = &self.meeting.busy;
        busy.store(self.members.len(), Ordering::Relaxed);
        self.call(self.turn << 1 | which as u64);
        own();
        let failed = || self.meeting.failed.load(Ordering::Acquire);
        self.patience.wait(&self.parker, || {
            busy.load(Ordering::Acquire) == 0 || failed()
        });
        assert!(!failed(), "a thread of the engine has panicked");
    }

    fn call(&self, turn: u64) {
        self.meeting.turn.store(turn, Ordering::Release);
        for member in &self.members {
            member.unparker.unpark();
        }
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.call(END);
        for member in self.members.drain(..) {
            // A member that panicked has said so already.
            let _ = member.thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_takes_every_turn() {
        for threads in [1, 2, 7] {
            let seen: Arc<[AtomicUsize; 2]> = Arc::default();
            let count = seen.clone();
            let work = move |_| {
                let count = count.clone();
                move |which: usize| {
                    count[which].fetch_add(1, Ordering::Relaxed);
                }
            };
            let mut pool = WorkerPool::new(threads, work).expect("some threads");
            assert_eq!(pool.threads(), threads);
            for turn in 0..1000 {
                let all = |which: usize| seen[which].load(Ordering::Relaxed);
                pool.take_turn(turn % 2, || {});
                let others = threads - 1;
                assert_eq!(all(0), others * (turn / 2 + 1), "{threads} threads");
                assert_eq!(all(1), others * turn.div_ceil(2), "{threads} threads");
            }
        }
    }

    #[test]
    fn what_was_written_before_a_turn_is_seen_in_it() {
        let written = Arc::new(AtomicU64::new(0));
        let read = written.clone();
        let work = move |_| {
            let (read, mut last) = (read.clone(), 0);
            move |_: usize| {
                last += 1;
                assert_eq!(read.load(Ordering::Relaxed), last);
            }
        };
        let mut pool = WorkerPool::new(3, work).expect("some threads");
        for turn in 1..1000 {
            written.store(turn, Ordering::Relaxed);
            pool.take_turn(0, || {});
        }
    }

    #[test]
    fn a_thread_that_panics_ends_the_turn() {
        let work =
            |thread| move |which: usize| assert!(thread != 2 || which == 0, "as it is meant to");
        let mut pool = WorkerPool::new(3, work).expect("some threads");
        pool.take_turn(0, || {});
        let mut turn = |which| {
            let turn = std::panic::AssertUnwindSafe(|| pool.take_turn(which, || {}));
            std::panic::catch_unwind(turn).is_err()
        };
        assert!(turn(1));
        // It stays away, and nobody waits for it.
        assert!(turn(0));
    }

    #[test]
    fn a_host_that_panics_leaves_the_team_in_order() {
        let mut pool = WorkerPool::new(2, |_| |_: usize| {}).expect("some threads");
        let own = || panic!("as it is meant to");
        let turn = std::panic::AssertUnwindSafe(|| pool.take_turn(0, own));
        assert!(std::panic::catch_unwind(turn).is_err());
        drop(pool);
    }
}
