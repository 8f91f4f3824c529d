//! Ends of runs in studies that need all messages.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_run::host::End;

/// Refuses a run that ended before all messages were delivered: your own chips may do that.
///
/// # Errors
/// The end of the run, with `run`, the name of it.
pub(crate) fn finished(end: End, run: impl FnOnce() -> String) -> Result<(), Error> {
    let found = match end {
        End::Finished => return Ok(()),
        End::Lost => "lost a message",
        End::Stalled => "came to a standstill",
        End::OutOfCycles => "did not deliver all messages by run.cycles_max",
        End::Interrupted => "was interrupted",
    };
    let help = "a chip of --chip does not let all messages through: use it with crosswave compare in a small \
                network, which tells the first cycle that differs";
    let mistake = Diagnostic::new(run(), format!("the run {found}"), help);
    Err(Error::one(Class::Check, "check", mistake))
}
