//! The GPU engine, in programs that are built with it.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crosswave_base::diagnostic::Error;
#[cfg(feature = "gpu")]
use crosswave_base::diagnostic::{Class, Diagnostic};
use crosswave_chips::netlists::NetlistSet;
#[cfg(feature = "gpu")]
use crosswave_gate::settling::settling;
use crosswave_network::Fabric;
use crosswave_probe::engine::{Engine, EngineFault};

/// True when the program is built with it.
pub const BUILT: bool = cfg!(feature = "gpu");

/// The message about it in a program without it, and advice.
pub const WITHOUT: [&str; 2] = [
    "this program was built without the GPU engine",
    "build it with `cargo build --release --features gpu`, or set run.engine = \"gate\"",
];

/// An adapter: a processor on which the engine can run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Adapter {
    /// Its name.
    pub name: String,
    /// Its kind, such as `discrete GPU`, or `processor` where a driver simulates one.
    pub kind: &'static str,
    /// Its driver, with the driver's version.
    pub driver: String,
    /// The most bytes of a buffer.
    pub buffer_bytes_max: u64,
}

impl fmt::Display for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Adapter {
            name, kind, driver, ..
        } = self;
        let mib = self.buffer_bytes_max >> 20;
        write!(f, "{name} ({kind}; {driver}; buffers of up to {mib} MiB)")
    }
}

/// The adapters, the one that an engine takes first; `None` in a program without the engine.
pub fn adapters() -> Option<Vec<Adapter>> {
    #[cfg(feature = "gpu")]
    let found = Some(crosswave_gpu::adapters::adapters().map(|found| Adapter {
        name: found.name,
        kind: found.kind,
        driver: found.driver,
        buffer_bytes_max: found.buffer_bytes_max,
    }));
    #[cfg(not(feature = "gpu"))]
    let found: Option<std::iter::Empty<Adapter>> = None;
    found.map(Iterator::collect)
}

/// An engine of a fabric and its copies, each with its seed, in cycle 0.
///
/// # Errors
/// When a netlist cannot be compiled, when outputs depend on inputs in the same cycle, when there is no
/// adapter, when the network does not fit it, and when its driver refuses.
#[cfg(feature = "gpu")]
pub fn engine(
    fabric: Arc<Fabric>,
    netlists: &NetlistSet,
    seeds: &[u64],
) -> Result<Box<dyn Engine>, Error> {
    let netlist = |name: &str| netlists.plain(name);
    if settling(&fabric, netlist)?.passes > 0 {
        let message =
            "found \"gpu\" for routers with outputs that depend on inputs in the same cycle";
        let help = "set run.engine = \"gate\": the GPU engine takes outputs that are functions of registers";
        let wrong = Diagnostic::new("run.engine", message, help);
        return Err(Error::one(Class::Usage, "run.engine = \"gpu\"", wrong));
    }
    let engine = crosswave_gpu::GpuEngine::new(fabric, netlist, seeds)?;
    Ok(Box::new(engine))
}

/// There is no such engine.
///
/// # Errors
/// Always.
#[cfg(not(feature = "gpu"))]
pub fn engine(_: Arc<Fabric>, _: &NetlistSet, _: &[u64]) -> Result<Box<dyn Engine>, Error> {
    use crosswave_base::diagnostic::{Class, Diagnostic};
    let [message, help] = WITHOUT;
    let wrong = Diagnostic::new("run.engine", message, help);
    Err(Error::one(Class::Usage, "run.engine = \"gpu\"", wrong))
}

/// The error of a fault of a device.
#[cfg(feature = "gpu")]
pub fn fault_error(fault: EngineFault) -> Error {
    crosswave_gpu::fault_error(fault)
}

/// There is no device that could have a fault.
#[cfg(not(feature = "gpu"))]
pub fn fault_error(fault: EngineFault) -> Error {
    unreachable!("there is no device: {}", fault.message)
}
