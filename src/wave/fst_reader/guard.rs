//! A boundary that panics do not cross.
//!
//! The `fst-reader` crate asserts what a file has to be, and indexes by what it reads. A file
//! that breaks this is bad input here, not a mistake of the program, so its panics end at
//! this boundary, without the message that Rust prints. What the crate was reading is not
//! used afterwards.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside the boundary.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Runs something; `None` when it panics.
pub(super) fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !INSIDE.get() {
                before(panic);
            }
        }));
    });
    let was = INSIDE.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    INSIDE.set(was);
    result.ok()
}
