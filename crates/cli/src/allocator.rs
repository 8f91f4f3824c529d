//! The program's allocator: huge pages, and an orderly end when the system has no more memory.
//!
//! Large allocations lie on huge pages where the system has them: the chips and the messages of a
//! large network each lie on another page than the ones before, and a miss of the address cache
//! costs more than one of the data cache.
//!
//! When there is no more memory, Rust's own answer is to abort, which looks like a mistake of the
//! program and leaves unfinished files. This allocator is the system's, and ends the program instead: with a
//! message, without unfinished files, and with [`EXIT_CODE`]. It has to be asked
//! for in the program itself, `main.rs`, so that whoever uses the library chooses.
//!
//! A failed allocation is where nothing may be allocated, and where this thread may hold
//! any lock. So the message is put together in place, and unfinished files are left when
//! another one is just being listed.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crosswave_base::file;

/// The exit code of a program that has got no more memory.
pub const EXIT_CODE: u8 = 5;

/// Bytes from which huge pages are asked for: a few of them.
const HUGE_FROM_BYTES: usize = 4 << 20;

/// Huge pages are asked for in pieces of so many bytes, as large as the smallest of them mostly are.
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// The system's allocator; it ends the program where that fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allocator;

/// Returns the pointer that the system's allocator gave; ends the program when it is null.
fn given(pointer: *mut u8, bytes: usize) -> *mut u8 {
    if pointer.is_null() {
        end(bytes);
    }
    if bytes >= HUGE_FROM_BYTES {
        on_huge_pages(pointer, bytes);
    }
    pointer
}

/// Asks for huge pages for memory that was allocated. Small ones are as good to a system that has
/// no others.
#[cold]
fn on_huge_pages(begin: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let skipped = begin.align_offset(HUGE_PAGE_BYTES);
        let pages = bytes.saturating_sub(skipped) / HUGE_PAGE_BYTES;
        let begin = begin.wrapping_add(skipped).cast();
        // SAFETY: the pages are within what was allocated, and the advice keeps what is in them.
        let _ = unsafe { madvise(begin, pages * HUGE_PAGE_BYTES, Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (begin, bytes);
}

/// True once a thread has begun to end the program.
static ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// True in the thread that ends the program.
    static ENDED_HERE: Cell<bool> = const { Cell::new(false) };
}

/// Ends the program for want of some bytes.
#[cold]
fn end(bytes: usize) -> ! {
    if !ENDING.swap(true, Ordering::SeqCst) {
        ENDED_HERE.set(true);
        say(bytes);
        file::remove_unfinished_without_waiting();
    } else if !ENDED_HERE.get() {
        // Another thread ends the program, this one with it.
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    std::process::exit(i32::from(EXIT_CODE));
}

/// Says what is wanted, and that it was not given.
fn say(bytes: usize) {
    let mut text = [0; 256];
    let mut rest = &mut text[..];
    let written = write!(
        rest,
        "error: memory: the system gave no more when {bytes} bytes were asked for\n  \
         help: lower the nodes, the messages or what is recorded; \
         crosswave info says what a run takes\n"
    );
    let left = rest.len();
    let text = &text[..text.len() - left];
    // If the message cannot be written, the exit code still tells the reason.
    let _ = written.and_then(|()| std::io::stderr().write_all(text));
}

// SAFETY: All is done by the system's allocator, and what it gives is passed on as it is.
// `end` does not unwind: it does not return.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: The caller keeps to the same contract.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: As above.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: As above.
        given(unsafe { System.realloc(pointer, layout, size) }, size)
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: As above.
        unsafe { System.dealloc(pointer, layout) }
    }
}
