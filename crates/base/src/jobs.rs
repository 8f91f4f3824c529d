//! Jobs that take long, done on several threads, whose results are taken in the order of the jobs.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam::channel::{RecvTimeoutError, Sender, unbounded};

/// Time between calls of who waits for results.
const WAIT: Duration = Duration::from_millis(50);

/// Bytes of the stack of a thread, as the first thread of a program has them.
const STACK_BYTES: usize = 8 << 20;

/// Jobs that are begun at most from the first one on whose result is not taken, where results take
/// memory and jobs are alike: those of all threads, and half as many, so that no thread waits for one
/// that takes somewhat longer.
pub fn begun_at_most(threads: usize) -> usize {
    threads + threads.div_ceil(2)
}

/// Does jobs on so many threads, and takes their results on this one, in the order of the jobs. At
/// most `ahead` jobs are begun from the first one on whose result is not taken.
///
/// `work` has a job and the flag that is set when its result will not be taken. `wait` is called now
/// and then. When `take` breaks, no more jobs are begun, and what it breaks with is returned.
///
/// # Panics
/// When a job panics, and without threads.
///
/// ```
/// use std::ops::ControlFlow;
/// use crosswave_base::jobs::in_order;
/// let mut squares = Vec::new();
/// let taken = in_order(2, 3, 1..=4, |job: u32, _| job * job, || {}, |square| {
///     squares.push(square);
///     ControlFlow::<()>::Continue(())
/// });
/// assert!(taken.is_continue());
/// assert_eq!(squares, [1, 4, 9, 16]);
/// ```
pub fn in_order<J: Send, R: Send, B>(
    threads: usize,
    ahead: usize,
    jobs: impl IntoIterator<Item = J>,
    work: impl Fn(J, &AtomicBool) -> R + Sync,
    mut wait: impl FnMut(),
    mut take: impl FnMut(R) -> ControlFlow<B>,
) -> ControlFlow<B> {
    assert!(threads > 0, "somebody does the jobs");
    let stop = AtomicBool::new(false);
    let (to_do, taken) = unbounded();
    let (done, results) = unbounded();
    std::thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..threads {
            let (taken, done, stop, work) = (taken.clone(), done.clone(), &stop, &work);
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let thread = thread.spawn_scoped(scope, move || {
                let done = Done(done);
                for (place, job) in taken {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    done.tell(Some((place, work(job, stop))));
                }
            });
            started += usize::from(thread.is_ok());
        }
        drop((taken, done));
        if started == 0 {
            // The system starts no threads.
            return jobs.into_iter().try_for_each(|job| take(work(job, &stop)));
        }
        // However this ends, jobs at work are told, and threads that wait for more are released.
        let given = StopOnDrop(&stop, Some(to_do));
        let mut jobs = jobs.into_iter().enumerate();
        let (mut begun, mut next) = (0, 0);
        let mut early = Vec::new();
        loop {
            while begun < next + ahead.max(threads)
                && let Some(job) = jobs.next()
            {
                given.give(job);
                begun += 1;
            }
            if next == begun {
                return ControlFlow::Continue(());
            }
            match results.recv_timeout(WAIT) {
                Ok(Some(result)) => early.push(result),
                Err(RecvTimeoutError::Timeout) => wait(),
                // A job has panicked, and leaving the scope says so.
                Ok(None) | Err(RecvTimeoutError::Disconnected) => return ControlFlow::Continue(()),
            }
            while let Some(at) = early.iter().position(|(place, _)| *place == next) {
                next += 1;
                take(early.swap_remove(at).1)?;
            }
        }
    })
}

/// Tells results, and that a job has panicked.
struct Done<R>(Sender<Option<R>>);

impl<R> Done<R> {
    /// Tells a result. When nobody listens any more, one before it broke.
    fn tell(&self, result: Option<R>) {
        let _ = self.0.send(result);
    }
}

impl<R> Drop for Done<R> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.tell(None);
        }
    }
}

/// Sets a flag, and ends the list of jobs.
struct StopOnDrop<'a, J>(&'a AtomicBool, Option<Sender<J>>);

impl<J> StopOnDrop<'_, J> {
    /// Adds a job.
    fn give(&self, job: J) {
        if let Some(jobs) = &self.1 {
            // Nobody takes it when all threads have panicked, which is told where results are awaited.
            let _ = jobs.send(job);
        }
    }
}

impl<J> Drop for StopOnDrop<'_, J> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1 = None;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn results_come_in_order_whoever_is_slow() {
        for threads in [1, 2, 5] {
            let mut taken = Vec::new();
            let work = |job: u64, _: &AtomicBool| {
                std::thread::sleep(Duration::from_millis((job * 7) % 5));
                job
            };
            let ended = in_order(
                threads,
                threads,
                0..40,
                work,
                || {},
                |job| {
                    taken.push(job);
                    ControlFlow::<()>::Continue(())
                },
            );
            assert!(ended.is_continue());
            assert!(taken.into_iter().eq(0..40), "{threads} threads");
        }
    }

    #[test]
    fn a_break_begins_no_more_jobs_and_stops_those_at_work() {
        let begun = AtomicUsize::new(0);
        let work = |job: usize, stop: &AtomicBool| {
            begun.fetch_add(1, Ordering::Relaxed);
            while job > 3 && !stop.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            job
        };
        let ended = in_order(
            2,
            begun_at_most(2),
            0..,
            work,
            || {},
            |job| match job {
                3 => ControlFlow::Break("it was the last"),
                _ => ControlFlow::Continue(()),
            },
        );
        assert_eq!(ended, ControlFlow::Break("it was the last"));
        assert!(begun.into_inner() <= 4 + begun_at_most(2));
    }

    #[test]
    fn who_waits_is_called() {
        let work = |_: u32, _: &AtomicBool| std::thread::sleep(3 * WAIT);
        let mut calls = 0;
        let _ = in_order(
            1,
            1,
            0..1,
            work,
            || calls += 1,
            |()| ControlFlow::<()>::Continue(()),
        );
        assert!(calls > 0);
    }

    #[test]
    #[should_panic(expected = "a scoped thread panicked")]
    fn a_panic_is_passed_on() {
        let work = |job: u32, _: &AtomicBool| assert_ne!(job, 3, "this one fails");
        let _ = in_order(
            3,
            100,
            0..100,
            work,
            || {},
            |()| ControlFlow::<()>::Continue(()),
        );
    }
}
