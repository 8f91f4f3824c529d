//! Signals: what they end, and what is said of it.
//!
//! | signal | does |
//! |---|---|
//! | SIGINT, SIGTERM, SIGHUP, SIGXCPU | ends a run in order, once its cycles have begun: what was simulated is written. A command without such a run, and a network that is still being built, end at once |
//! | one of them within [`SAME`] of the first | nothing: `timeout` sends two, to the process and to its group |
//! | one of them later | ends at once |
//! | SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM | ends at once |
//! | SIGXFSZ | nothing; the write that was too much fails |
//!
//! A command that ends at once removes its unfinished files, says so, and exits with code 1.
//! A signal that was ignored when the program started (`nohup`) stays ignored. Where there
//! are no such signals (Windows) nothing is caught.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file;

/// Signals closer together than this are one.
const SAME: Duration = Duration::from_secs(1);

/// True when a run has to end in order.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

static STATE: Mutex<State> = Mutex::new(State {
    heeded: false,
    first: None,
    command: "crosswave",
    kept: None,
});

/// State from which the handler decides what the next signal does.
struct State {
    /// True when the command looks at [`INTERRUPTED`] often enough to end in order.
    heeded: bool,
    /// Time of the first signal.
    first: Option<Instant>,
    /// The command, for messages.
    command: &'static str,
    /// Results that are kept when the command ends at once, and the advice on using them.
    kept: Option<(String, &'static str)>,
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Catches signals from now on, for a command of that name.
pub(super) fn catch(command: &'static str) {
    state().command = command;
    #[cfg(unix)]
    if let Err(error) = unix::catch() {
        super::say(&format!("warning: signals are not caught: {error}"));
    }
}

/// The command looks at [`interrupted`] from now on, and ends in order.
pub(super) fn heed() {
    state().heeded = true;
}

/// True when the user has interrupted.
pub(super) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Names the results that are kept when the command ends at once, and the advice on using them.
pub(super) fn keep(kept: String, help: &'static str) {
    state().kept = Some((kept, help));
}

/// The error for a run that the user has interrupted, and that ended in order.
pub(super) fn interruption() -> Error {
    Error::one(
        Class::Check,
        state().command,
        Diagnostic::new(
            "interrupted",
            "what was simulated so far has been written",
            "",
        ),
    )
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Arc;

    use signal_hook::consts::signal::{
        SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::signal_name;

    use super::*;

    /// Signals that end a run in order.
    const IN_ORDER: [i32; 4] = [SIGINT, SIGTERM, SIGHUP, SIGXCPU];
    /// Signals that end the command at once.
    const AT_ONCE: [i32; 4] = [SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM];

    pub(super) fn catch() -> io::Result<()> {
        // A signal that is caught does not end the program, so the write fails instead.
        signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
        let ignored = ignored();
        let caught = IN_ORDER.into_iter().chain(AT_ONCE);
        let caught = caught.filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(caught)?;
        let thread = std::thread::Builder::new().name("signals".into());
        thread.spawn(move || {
            loop {
                for signal in signals.wait() {
                    take(signal, Instant::now());
                }
            }
        })?;
        Ok(())
    }

    /// The signals that whoever started the program wants to be ignored: bit `s - 1` for
    /// signal `s`. None where the system does not tell.
    fn ignored() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(0)
    }

    fn take(signal: i32, now: Instant) {
        let mut state = state();
        let in_order = IN_ORDER.contains(&signal);
        match state.first {
            None if in_order && state.heeded => {
                state.first = Some(now);
                INTERRUPTED.store(true, Ordering::Relaxed);
            }
            // The system repeats it every second.
            Some(_) if signal == SIGXCPU => {}
            Some(first) if in_order && now.duration_since(first) < SAME => {}
            _ => end(&state, signal),
        }
    }

    /// Ends the program. The state stays locked, so that nothing more is said.
    fn end(state: &State, signal: i32) -> ! {
        let removed = file::remove_unfinished();
        let name = signal_name(signal).unwrap_or("a signal");
        let (kept, help) = match &state.kept {
            Some((kept, help)) => (kept.as_str(), *help),
            None => ("what had no result yet is lost", ""),
        };
        let mut message = format!("{name} ended the command at once; {kept}");
        if !removed.is_empty() {
            let names: Vec<String> = removed.iter().map(|p| p.display().to_string()).collect();
            message.push_str("; unfinished files were removed: ");
            message.push_str(&names.join(", "));
        }
        let diagnostic = Diagnostic::new("interrupted", message, help);
        let error = Error::one(Class::Check, state.command, diagnostic);
        super::super::say(error.to_string().trim_end());
        std::process::exit(i32::from(error.class.exit_code()))
    }
}
