use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Barrier, Mutex};
use std::time::Duration;

use super::*;

/// Time after which a turn that does not end fails the test.
const NEVER_ENDS: Duration = Duration::from_secs(120);

/// Does something on a thread of its own, and fails when that does not end.
fn ends(what: &str, does: impl FnOnce() + Send + 'static) {
    let (done, is_done) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        does();
        let _ = done.send(());
    });
    match is_done.recv_timeout(NEVER_ENDS) {
        Ok(()) | Err(RecvTimeoutError::Disconnected) => thread.join().expect(what),
        Err(RecvTimeoutError::Timeout) => panic!("{what} does not end"),
    }
}

/// Every part of every turn is taken once, by its member or by the host, with as many threads as
/// there are processors and with many more.
#[test]
fn every_part_is_taken_once_in_every_turn() {
    ends("a pool", || {
        for threads in [1, 2, 7, 64] {
            let seen: Arc<Vec<[AtomicUsize; 2]>> =
                Arc::new((0..threads).map(|_| Default::default()).collect());
            let count = seen.clone();
            let work = move |part: usize| {
                let count = count.clone();
                move |which: usize| {
                    count[part][which].fetch_add(1, Ordering::Relaxed);
                }
            };
            let mut pool = WorkerPool::new(threads, work).expect("some threads");
            assert_eq!(pool.threads(), threads);
            for turn in 0..500_usize {
                let own = |part: usize| {
                    seen[part][turn % 2].fetch_add(1, Ordering::Relaxed);
                };
                pool.take_turn(turn % 2, own);
                for (part, counts) in seen.iter().enumerate() {
                    let counts = counts.each_ref().map(|of| of.load(Ordering::Relaxed));
                    let expected = [turn / 2 + 1, turn.div_ceil(2)];
                    assert_eq!(counts, expected, "part {part} of {threads}");
                }
            }
        }
    });
}

#[test]
fn what_was_written_before_a_turn_is_seen_in_it() {
    let written = Arc::new(AtomicU64::new(0));
    let read = written.clone();
    let work = move |_| {
        let read = read.clone();
        move |which: usize| assert_eq!(read.load(Ordering::Relaxed) % 2, which as u64)
    };
    let mut pool = WorkerPool::new(3, work).expect("some threads");
    for turn in 1..1000 {
        written.store(turn, Ordering::Relaxed);
        pool.take_turn((turn % 2) as usize, |_| {});
    }
}

/// A member that the system does not run: it stays where it is made until the turns are over.
#[test]
fn turns_do_not_wait_for_a_thread_that_has_not_begun() {
    ends("a turn without its member", || {
        let begin = Arc::new(Barrier::new(2));
        let at_begin = begin.clone();
        let taken_by_member = Arc::new(AtomicUsize::new(0));
        let taken = taken_by_member.clone();
        let work = move |_| {
            at_begin.wait();
            let taken = taken.clone();
            move |_: usize| {
                taken.fetch_add(1, Ordering::Relaxed);
            }
        };
        let mut pool = WorkerPool::new(2, work).expect("two threads");
        let mut parts = Vec::new();
        for turn in 0..10 {
            pool.take_turn(turn % 2, |part| parts.push(part));
        }
        assert_eq!(parts, [0, 1].repeat(10));
        begin.wait();
        drop(pool);
        assert_eq!(taken_by_member.load(Ordering::Relaxed), 0);
    });
}

/// A member that the system stops within its part is waited for, however long.
#[test]
fn turns_wait_for_a_part_that_has_begun() {
    ends("a turn with a slow member", || {
        let (begun, has_begun) = mpsc::channel();
        let (go_on, is_to_go_on) = mpsc::channel::<()>();
        let is_to_go_on = Arc::new(Mutex::new(is_to_go_on));
        let finished = Arc::new(AtomicBool::new(false));
        let finishes = finished.clone();
        let work = move |_| {
            let (begun, finished) = (begun.clone(), finishes.clone());
            let is_to_go_on = is_to_go_on.clone();
            move |_: usize| {
                begun.send(()).expect("the host listens");
                let is_to_go_on = is_to_go_on.lock().expect("nobody else takes it");
                is_to_go_on.recv().expect("the other thread says so");
                finished.store(true, Ordering::Relaxed);
            }
        };
        let mut pool = WorkerPool::new(2, work).expect("two threads");
        pool.take_turn(0, |part| {
            assert_eq!(part, 0, "the member has its part");
            has_begun.recv().expect("the member begins");
            let go_on = go_on.clone();
            std::thread::spawn(move || {
                // Meanwhile the host comes to wait, awake and asleep.
                (0..100_000).for_each(|_| std::thread::yield_now());
                go_on.send(()).expect("the member listens");
            });
        });
        assert!(finished.load(Ordering::Relaxed));
    });
}

#[test]
fn a_thread_that_panics_ends_the_turn() {
    let fails = |part: usize, which: usize| assert!(part != 2 || which == 0, "as it is meant to");
    let work = move |part| move |which: usize| fails(part, which);
    let mut pool = WorkerPool::new(3, work).expect("some threads");
    pool.take_turn(0, |_| {});
    let mut turn = |which| {
        let own = |part| fails(part, which);
        let turn = std::panic::AssertUnwindSafe(|| pool.take_turn(which, own));
        std::panic::catch_unwind(turn).is_err()
    };
    assert!(turn(1));
    // It stays away, and nobody waits for it.
    assert!(turn(0));
}

#[test]
fn a_host_that_panics_leaves_the_pool_in_order() {
    ends("a pool whose host has panicked", || {
        let mut pool = WorkerPool::new(2, |_| |_: usize| {}).expect("some threads");
        let mut turn = |fails: bool| {
            let own = |_| assert!(!fails, "as it is meant to");
            let turn = std::panic::AssertUnwindSafe(|| pool.take_turn(0, own));
            std::panic::catch_unwind(turn).is_err()
        };
        assert!(!turn(false) && turn(true) && turn(false));
        drop(pool);
    });
}
