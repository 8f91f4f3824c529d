//! Faults of engines: what such an engine gave does not count.

use super::gpu;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_probe::engine::{Engine, FaultKind};

/// Refuses what an engine gave that had a fault.
///
/// # Errors
/// When it had one.
pub fn check(engine: &dyn Engine) -> Result<(), Error> {
    let Some(fault) = engine.fault() else {
        return Ok(());
    };
    if fault.kind != FaultKind::Design {
        return Err(gpu::fault_error(fault));
    }
    let wrong = Diagnostic::new(fault.place, fault.message, fault.help);
    Err(Error::one(Class::Input, "run", wrong))
}
