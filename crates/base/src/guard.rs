//! A boundary that panics do not cross.
//!
//! The trusted core asserts. What it is given from outside is checked before, and where no check of
//! the parts finds that they do not go together, an assertion does: then the input is wrong, not the
//! program, and the panic ends at this boundary, without the message that Rust prints. So it is with
//! the `fst-reader` crate, which asserts what a file has to be and indexes by what it reads, and with
//! a run that goes on from a checkpoint. What was used inside is not used afterwards.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    /// True while this thread is inside the boundary.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Number of callers that are inside with all threads that they start.
static WITH_THREADS: AtomicUsize = AtomicUsize::new(0);

static HOOK: Once = Once::new();

/// Leaves the message out that Rust prints of a panic inside the boundary.
fn quieten() {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !INSIDE.get() && WITH_THREADS.load(Ordering::Relaxed) == 0 {
                before(panic);
            }
        }));
    });
}

/// Runs something on this thread; `None` when it panics.
pub fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    quieten();
    let was = INSIDE.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    INSIDE.set(was);
    result.ok()
}

/// Runs something that may start threads and waits for them.
///
/// # Errors
/// The message of the panic that it ended with.
pub fn guarded_with_threads<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    quieten();
    WITH_THREADS.fetch_add(1, Ordering::Relaxed);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    WITH_THREADS.fetch_sub(1, Ordering::Relaxed);
    result.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_else(|| "an assertion failed".to_owned());
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_result() {
        assert_eq!(guarded(|| 5), Some(5));
        assert_eq!(guarded(|| -> u32 { panic!("no") }), None);
        assert_eq!(guarded_with_threads(|| 5), Ok(5));
        let failed = guarded_with_threads(|| -> u32 { panic!("no {}", 7) });
        assert_eq!(failed, Err("no 7".to_owned()));
        let failed = guarded_with_threads(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| panic!("there"));
            });
        });
        assert!(failed.is_err());
    }
}
