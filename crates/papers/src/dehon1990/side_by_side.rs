//! Studies that do not depend on each other, on as many threads as there are processors. Each
//! result is kept under its key: a report that was stopped goes on where it was.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use crossbeam::channel::RecvTimeoutError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crosswave_base::diagnostic::Error;
use crosswave_base::threads;
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::{Watch, interruption};

/// Time between looks at whether someone asked to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// One of the studies.
#[derive(Debug, Clone)]
pub struct KeyedStudy<J> {
    /// The title shown while it runs.
    pub title: String,
    /// All that its result depends on.
    pub key: Value,
    /// The parameters of the study.
    pub job: J,
}

/// The results of studies, in their order. Those that are not kept yet are found by `run`, on up
/// to `threads` threads; 0 stands for as many as there are processors. Each thread has what `make`
/// gives, which serves all of its studies.
///
/// # Errors
/// Those of [`Store`], and when someone asks to stop. Studies that have begun are finished, and
/// those that were finished are kept.
pub fn side_by_side<J: Sync, S, T: Serialize + DeserializeOwned + Send>(
    studies: &[KeyedStudy<J>],
    threads: usize,
    store: &mut Store,
    watch: &mut dyn Watch,
    make: impl Fn() -> S + Sync,
    run: impl Fn(&mut S, &J) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let mut found: Vec<Option<T>> = Vec::with_capacity(studies.len());
    for study in studies {
        found.push(store.read(&study.key)?);
    }
    let left: Vec<usize> = (0..studies.len())
        .filter(|&at| found[at].is_none())
        .collect();
    let count = match threads {
        0 => threads::processors(),
        count => count,
    };
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (done, results) = crossbeam::channel::unbounded();
    std::thread::scope(|scope| {
        for started in 0..count.min(left.len()) {
            let (done, left, next, stop) = (done.clone(), &left, &next, &stop);
            let (make, run) = (&make, &run);
            let thread = threads::start(scope, move || {
                let mut own = make();
                while !stop.load(Ordering::Relaxed)
                    && let Some(&at) = left.get(next.fetch_add(1, Ordering::Relaxed))
                    && done.send((at, run(&mut own, &studies[at].job))).is_ok()
                {}
            });
            match thread {
                Ok(_) => {}
                Err(error) if started == 0 => return Err(error),
                Err(_) => break,
            }
        }
        drop(done);
        let collected = collect(studies, left.len(), &results, store, watch, &mut found);
        stop.store(true, Ordering::Relaxed);
        collected
    })?;
    let all = found.into_iter();
    Ok(all.map(|result| result.expect("all are found")).collect())
}

/// Takes so many results as they come, and keeps them.
fn collect<J, T: Serialize>(
    studies: &[KeyedStudy<J>],
    count: usize,
    results: &crossbeam::channel::Receiver<(usize, T)>,
    store: &mut Store,
    watch: &mut dyn Watch,
    found: &mut [Option<T>],
) -> Result<(), Error> {
    let mut left = count;
    while left > 0 {
        if watch.interrupted() {
            return Err(interruption());
        }
        match results.recv_timeout(LOOK_EVERY) {
            Ok((at, result)) => {
                watch.begins(&studies[at].title);
                store.write(&studies[at].key, &result)?;
                found[at] = Some(result);
                left -= 1;
            }
            Err(RecvTimeoutError::Timeout) => {}
            // A study has panicked, and leaving the scope says so.
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn studies() -> Vec<KeyedStudy<u64>> {
        let study = |job| KeyedStudy {
            title: String::new(),
            key: json!({ "job": job }),
            job,
        };
        (0..20).map(study).collect()
    }

    /// Results stand in the order of the studies, and are found once.
    #[test]
    fn results_are_in_order_and_kept() {
        let mut store = Store::in_memory();
        let squares = side_by_side(
            &studies(),
            3,
            &mut store,
            &mut (),
            || (),
            |(), job| job * job,
        );
        let squares = squares.expect("nobody stops it");
        assert_eq!(squares, (0..20).map(|job| job * job).collect::<Vec<u64>>());
        let again = side_by_side(
            &studies(),
            3,
            &mut store,
            &mut (),
            || (),
            |(), _| -> u64 { panic!("it is kept") },
        );
        assert_eq!(again.expect("nobody stops it"), squares);
    }

    #[test]
    fn it_stops_when_someone_asks() {
        struct Impatient;
        impl Watch for Impatient {
            fn begins(&mut self, _: &str) {}
            fn interrupted(&mut self) -> bool {
                true
            }
        }
        let mut store = Store::in_memory();
        let found = side_by_side(
            &studies(),
            1,
            &mut store,
            &mut Impatient,
            || (),
            |(), &job| job,
        );
        assert!(found.is_err());
    }
}
