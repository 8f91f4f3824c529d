//! Threads that meet once a turn.
//!
//! The work of a turn is cut into as many parts as there are threads. The host's thread calls a
//! turn and takes the first part; each of the others, the *members*, takes the part of its own
//! number. Nobody owns a part before claiming it: a part that its member has not claimed when the
//! host has waited for a while is taken by the host. So a turn waits for members that are at
//! work, and never for one that the system has yet to run.
//!
//! A turn of a small network takes microseconds, and to wake a sleeping thread takes several, so
//! who waits
//!
//! 1. spins a while: the other side is mostly about to be done;
//! 2. if it is the host, takes the parts that nobody has claimed;
//! 3. then offers its processor, once, to whoever else is ready to run;
//! 4. then sleeps until it is woken. A host that does not call for long has
//!    threads that cost nothing.
//!
//! With more threads than processors whoever spins keeps from working whom it
//! waits for, so nobody spins. More offers would be worse than none: on a machine
//! with other work each is taken for milliseconds, while who sleeps is woken at
//! once. (With fifty, on a machine with three times as much to do as it has
//! processors, n = 4096 ran at 360 cycles per second; with one, at 7600.)
//!
//! A wait is counted in tries: nothing here reads a clock. Whether a pool is worth a turn at all
//! is for [`policy`](super::policy) to find out: a member that the system stops within its part is
//! waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crossbeam::sync::{Parker, Unparker};
use crossbeam::utils::CachePadded;

use super::processors;
use crate::diagnostic::{Class, Diagnostic, Error};

/// Limits on how long a thread waits awake.
#[derive(Debug, Clone, Copy)]
struct Patience {
    /// Tries with a pause of the processor in between.
    spins: u32,
}

impl Patience {
    /// The patience that suits a number of threads on this machine.
    fn of(threads: usize) -> Patience {
        let spins = if threads <= processors() { 1000 } else { 0 };
        Patience { spins }
    }

    /// Waits awake until something holds; whether it does.
    fn spin(self, holds: impl Fn() -> bool) -> bool {
        for _ in 0..self.spins {
            if holds() {
                return true;
            }
            std::hint::spin_loop();
        }
        holds()
    }

    /// Waits asleep until something holds; who makes it hold wakes the parker afterwards.
    fn sleep(self, parker: &Parker, holds: impl Fn() -> bool) {
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
        "engine",
        Diagnostic::new(
            "threads",
            format!("the system has started {started} of {wanted} threads and gives no more"),
            "take fewer threads, or raise the limits on processes and on memory",
        ),
    )
}

/// The state that the threads share. Each line is written by one side and read by the other.
struct Meeting {
    /// Number of the turn and what it is to be done with: `number << 1 | which`.
    turn: CachePadded<AtomicU64>,
    /// For each member, the last turn whose part was claimed.
    claimed: Box<[CachePadded<AtomicU64>]>,
    /// Parts of members that are not done.
    open: CachePadded<AtomicUsize>,
    /// A thread has panicked.
    failed: AtomicBool,
    /// Wakes the host.
    host: Unparker,
}

impl Meeting {
    /// Claims a member's part of a turn; whether nobody else has. Every part is claimed once in
    /// each turn, so that who comes late, with the number of a turn that is over, gets none.
    fn claim(&self, member: usize, turn: u64) -> bool {
        let claimed = &self.claimed[member - 1];
        let exchanged =
            claimed.compare_exchange(turn - 1, turn, Ordering::AcqRel, Ordering::Relaxed);
        exchanged.is_ok()
    }

    /// Notes that a member's part is done; whether it was the last one.
    fn done(&self) -> bool {
        self.open.fetch_sub(1, Ordering::AcqRel) == 1
    }

    fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }
}

/// Notes that a thread panics, and tells the host.
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
    /// of the others with its number, from 1 on, and gives what takes its part of a turn there:
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
            claimed: (1..threads).map(|_| CachePadded::default()).collect(),
            open: CachePadded::new(AtomicUsize::new(0)),
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
        for member in 1..threads {
            let parker = Parker::new();
            let unparker = parker.unparker().clone();
            let (meeting, patience, make) = (pool.meeting.clone(), pool.patience, make.clone());
            let work = move || {
                let _alarm = Alarm(&meeting);
                let mut work = make(member);
                let mut last = 0;
                loop {
                    let turn = || meeting.turn.load(Ordering::Acquire);
                    let is_called = || turn() != last;
                    if !patience.spin(is_called) {
                        patience.sleep(&parker, is_called);
                    }
                    last = turn();
                    if last == END {
                        break;
                    }
                    if !meeting.claim(member, last >> 1) {
                        continue;
                    }
                    work((last & 1) as usize);
                    if meeting.done() {
                        meeting.host.unpark();
                    }
                }
            };
            match std::thread::Builder::new().spawn(work) {
                Ok(thread) => pool.members.push(Member { unparker, thread }),
                Err(_) => return Err(no_more_threads(threads, member)),
            }
        }
        Ok(pool)
    }

    /// Threads, the host's among them, and parts of a turn.
    pub fn threads(&self) -> usize {
        self.members.len() + 1
    }

    /// One turn with buffer `which`: `own` takes part 0, and those parts that no member has
    /// begun.
    ///
    /// # Panics
    /// When a thread has panicked, in this turn or before.
    pub fn take_turn(&mut self, which: usize, mut own: impl FnMut(usize)) {
        if self.members.is_empty() {
            return own(0);
        }
        let meeting = &*self.meeting;
        assert!(
            !meeting.has_failed(),
            "a thread of the engine has panicked before"
        );
        let _alarm = Alarm(meeting);
        self.turn += 1;
        meeting.open.store(self.members.len(), Ordering::Relaxed);
        self.call(self.turn << 1 | which as u64);
        own(0);
        let is_over = || meeting.open.load(Ordering::Acquire) == 0 || meeting.has_failed();
        if !self.patience.spin(is_over) {
            for part in 1..=self.members.len() {
                if meeting.claim(part, self.turn) {
                    own(part);
                    meeting.done();
                }
            }
            if !self.patience.spin(is_over) {
                self.patience.sleep(&self.parker, is_over);
            }
        }
        assert!(!meeting.has_failed(), "a thread of the engine has panicked");
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
mod tests;
