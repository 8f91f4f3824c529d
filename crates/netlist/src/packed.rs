//! Netlists packed for a program that carries them: read and made ready for engines before the
//! program is compiled.
//!
//! A packed netlist is a module without instances and with plain flip-flops, simplified
//! ([`flatten()`], [`lower_flops`], [`fold()`]). Ports, registers and the nets that these drive have
//! their names; other cells and nets have none, and there are no places in the sources: the file
//! that Yosys wrote has them. The bytes are those of `postcard`: [`CellCounts`], then the module.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use super::flatten::{DesignHierarchy, flatten};
use super::fold::fold;
use super::lower::lower_flops;
use super::model::{Bit, CellKind, Module};
use super::yosys::{self, Netlist};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// Cells of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellCounts {
    /// Gates.
    pub gates: usize,
    /// Flip-flops.
    pub flops: usize,
}

impl CellCounts {
    /// The cells of a module.
    pub fn of(module: &Module) -> CellCounts {
        CellCounts {
            gates: module.gates().count(),
            flops: module.flops().count(),
        }
    }
}

/// Packs the module of a name of what Yosys wrote. Its flip-flops have one clock.
///
/// # Errors
/// When the text is no netlist, has no such module or one that is too large to be flattened, or its
/// flip-flops cannot be lowered.
pub fn pack(text: &str, name: &str, origin: &str) -> Result<Vec<u8>, Error> {
    let Netlist { design, .. } = yosys::read_netlist(text, origin)?;
    let root = design.modules.iter().position(|found| found.name == name);
    let root = root.ok_or_else(|| {
        let message = "there is no module of the name of the file";
        fault(origin, &format!("module {name}"), message)
    })?;
    let flat = flatten(&DesignHierarchy::new(&design, root), root, &BTreeSet::new())?;
    // Folding takes buffers off the clock.
    let flat = fold(flat, &[]);
    let clock = match flat.flops().next() {
        Some((_, flop)) => port_of(&flat, flop.clock),
        None => String::new(),
    };
    let mut plain = fold(lower_flops(flat, &clock)?, &[]);
    strip(&mut plain);
    let packed = (CellCounts::of(&plain), plain);
    Ok(postcard::to_stdvec(&packed).expect("memory takes all bytes"))
}

/// The name of the input port of a clock, or nothing.
fn port_of(module: &Module, clock: Bit) -> String {
    let mut ports = module.ports.iter();
    let port = ports.find(|port| port.bits == [clock]);
    port.map_or_else(String::new, |port| port.name.clone())
}

/// Takes away the names that are not kept, and the places.
fn strip(module: &mut Module) {
    let mut is_named = vec![false; module.nets.len()];
    let of_ports = module.ports.iter().flat_map(|port| &port.bits);
    let of_registers = module.flops().map(|(_, flop)| Bit::Net(flop.q));
    for bit in of_ports.copied().chain(of_registers) {
        if let Bit::Net(net) = bit {
            is_named[net.index()] = true;
        }
    }
    module.src.clear();
    for (net, is_named) in module.nets.iter_mut().zip(is_named) {
        net.src = SmolStr::default();
        if !is_named {
            net.name = SmolStr::default();
        }
    }
    for cell in &mut module.cells {
        cell.src = SmolStr::default();
        if !matches!(cell.kind, CellKind::Flop(_)) {
            cell.name = SmolStr::default();
        }
    }
}

/// Unpacks a module; `origin` is said in the error.
///
/// # Errors
/// When these bytes are no packed netlist of this version of the program.
pub fn unpack(bytes: &[u8], origin: &str) -> Result<Module, Error> {
    let broken = |message: &str| fault(origin, "packed netlist", message);
    let unpacked = postcard::take_from_bytes(bytes);
    let unpacked: Result<((CellCounts, Module), &[u8]), _> = unpacked;
    match unpacked {
        Ok(((_, module), [])) => Ok(module),
        Ok(_) => Err(broken("bytes follow its end")),
        Err(error) => Err(broken(&error.to_string())),
    }
}

/// The cells of a packed module, which is not unpacked for it.
///
/// # Errors
/// As [`unpack`].
pub fn counts(bytes: &[u8], origin: &str) -> Result<CellCounts, Error> {
    let broken = |error: postcard::Error| fault(origin, "packed netlist", &error.to_string());
    let counts = postcard::take_from_bytes(bytes);
    counts.map(|(counts, _)| counts).map_err(broken)
}

fn fault(origin: &str, place: &str, message: &str) -> Error {
    let help = "synthesise the chip again with hdl/synthesise.sh";
    Error::one(
        Class::Input,
        origin.to_owned(),
        Diagnostic::new(place, message, help),
    )
}
