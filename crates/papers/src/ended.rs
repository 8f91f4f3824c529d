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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_did_not_end_is_no_study() {
        assert!(finished(End::Finished, || unreachable!("it has no name")).is_ok());
        for (end, expected) in [
            (End::Lost, "lost a message"),
            (End::Stalled, "came to a standstill"),
            (End::OutOfCycles, "did not deliver all messages"),
        ] {
            let error = finished(end, || "m = 3".to_owned()).unwrap_err();
            assert_eq!(error.class, Class::Check);
            let said = error.to_string();
            assert!(
                said.contains("m = 3: the run") && said.contains(expected),
                "{said}"
            );
        }
    }
}
