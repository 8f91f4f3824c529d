//! Studies side by side on all processors: points of a sweep, papers.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::runner::IdleProcessors;
use super::watch::Watch;
use crosswave_base::diagnostic::Error;
use crosswave_base::jobs::in_order;
use crosswave_base::threads::processors;

/// Texts on what studies do that run, by their place.
type Doing = Mutex<BTreeMap<usize, String>>;

/// Is told what a study is doing.
struct OneStudy<'a> {
    place: usize,
    doing: &'a Doing,
    /// Flags of which either stops it.
    stops: [&'a AtomicBool; 2],
}

impl Watch for OneStudy<'_> {
    fn begins(&mut self, what: &str) {
        let mut doing = self.doing.lock().unwrap_or_else(PoisonError::into_inner);
        doing.insert(self.place, what.to_owned());
    }

    fn interrupted(&mut self) -> bool {
        self.stops.iter().any(|stop| stop.load(Ordering::Relaxed))
    }
}

impl Drop for OneStudy<'_> {
    fn drop(&mut self) {
        let mut doing = self.doing.lock().unwrap_or_else(PoisonError::into_inner);
        doing.remove(&self.place);
    }
}

/// Does something for each study; the results in their order. `watch` is told of the first one that
/// runs, and may stop all.
///
/// # Errors
/// That of the first study for which it fails.
pub fn each<S: Sync, R: Send>(
    studies: &[S],
    watch: &mut dyn Watch,
    work: impl Fn(&S, &IdleProcessors, &mut dyn Watch) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let threads = processors().min(studies.len()).max(1);
    let idle = IdleProcessors::beside(threads);
    let (begun, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let doing = Doing::default();
    let stopped = AtomicBool::new(false);
    let mut results = Vec::with_capacity(studies.len());
    let run = |(place, study): (usize, &S), stop: &AtomicBool| {
        begun.fetch_add(1, Ordering::Relaxed);
        let (doing, stops) = (&doing, [stop, &stopped]);
        let mut one = OneStudy {
            place,
            doing,
            stops,
        };
        let result = work(study, &idle, &mut one);
        ended.fetch_add(1, Ordering::Relaxed);
        // The thread has no further study.
        if begun.load(Ordering::Relaxed) == studies.len() {
            idle.give(1);
        }
        result
    };
    let wait = || {
        let done = ended.load(Ordering::Relaxed);
        watch.done(done as f64 / studies.len() as f64);
        if watch.interrupted() {
            stopped.store(true, Ordering::Relaxed);
        }
        let doing = doing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = doing.values().next() {
            watch.begins(first);
        }
    };
    let jobs = studies.iter().enumerate();
    let failed = in_order(
        threads,
        studies.len(),
        jobs,
        run,
        wait,
        |result| match result {
            Ok(result) => {
                results.push(result);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(error),
        },
    );
    match failed {
        ControlFlow::Continue(()) => Ok(results),
        ControlFlow::Break(error) => Err(error),
    }
}
