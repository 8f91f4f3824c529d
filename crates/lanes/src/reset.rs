//! Values of all registers after a clock edge under reset.
//!
//! The reset input is 1, registers with an initial value have it before the first
//! edge, and everything else is unknown; unknowns go through the gates as
//! three-valued logic. A register whose next value is still unknown would start
//! at X in hardware.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::known::{Known, evaluate};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{Bit, CellKind, Module, fold, levelise, lower_flops};

/// The registers of a module and their values after reset, by name. Input bits may be tied, as for
/// [`fold`].
///
/// # Errors
/// When a register is not reset.
pub fn values(
    module: &Module,
    ties: &[(String, usize, bool)],
    clock: &str,
    reset: &str,
) -> Result<BTreeMap<SmolStr, bool>, Error> {
    // Most modules with plain flip-flops show it as they are.
    if module.flops().all(|(_, flop)| flop.is_plain()) {
        let values = clocked(module, ties, reset, 1);
        if let Ok(values) = values
            && values.iter().all(Option::is_some)
        {
            let names = module.flops().map(|(cell, _)| cell.name.clone());
            return Ok(names.zip(values.into_iter().flatten()).collect());
        }
    }
    // Folding sees more, such as that what is selected is the same either way.
    let lowered = lower_flops(fold(module.clone(), ties), clock)?;
    let mut values = BTreeMap::new();
    let mut faults = Vec::new();
    for ((cell, flop), value) in lowered.flops().zip(after_reset(&lowered, reset, 1)?) {
        match value {
            Some(bit) => {
                values.insert(cell.name.clone(), bit);
            }
            None => faults.push(Diagnostic::new(
                format!("module {}, cell {} ({})", module.name, cell.name, cell.src),
                format!(
                    "the register {} is not reset by {reset}",
                    lowered.net_name(flop.q)
                ),
                "give it a synchronous reset value in the source of the module, whatever its pins are",
            )),
        }
    }
    if faults.is_empty() {
        Ok(values)
    } else {
        Err(Error {
            class: Class::Input,
            origin: module.name.clone(),
            source: None,
            diagnostics: faults,
        })
    }
}

/// The value of each flip-flop of a module after so many clock edges under reset, in their order;
/// `None` where the reset does not say. The flip-flops are plain ([`lower_flops`]).
///
/// # Errors
/// When the module has a combinational loop.
pub fn after_reset(lowered: &Module, reset: &str, cycles: u64) -> Result<Vec<Option<bool>>, Error> {
    clocked(lowered, &[], reset, cycles)
}

/// The same with input bits that are tied.
fn clocked(
    module: &Module,
    ties: &[(String, usize, bool)],
    reset: &str,
    cycles: u64,
) -> Result<Vec<Option<bool>>, Error> {
    let levels = levelise(module).map_err(|loops| Error {
        class: Class::Input,
        origin: module.name.clone(),
        source: None,
        diagnostics: loops.iter().map(|found| found.diagnostic(module)).collect(),
    })?;
    let mut nets = vec![Known::NOTHING; module.nets.len()];
    let mut hold = |bit: Bit, value: bool| {
        if let Bit::Net(net) = bit {
            nets[net.index()] = Known::all(value);
        }
    };
    for (port, bit, value) in ties {
        let found = module.port(port).and_then(|port| port.bits.get(*bit));
        found.into_iter().for_each(|&bit| hold(bit, *value));
    }
    let under_reset = module.port(reset).into_iter().flat_map(|port| &port.bits);
    under_reset.for_each(|&bit| hold(bit, true));
    // A register that keeps its value under reset has its initial one.
    let initial = module.flops().map(|(_, flop)| match flop.init {
        Some(value) => Known::all(value),
        None => Known::NOTHING,
    });
    let mut values: Vec<Known> = initial.collect();
    for _ in 0..cycles {
        for ((_, flop), &value) in module.flops().zip(&values) {
            nets[flop.q.index()] = value;
        }
        for &cell in &levels.order {
            if let CellKind::Gate(gate) = &module.cells[cell].kind {
                nets[gate.output.index()] = evaluate(gate, &nets);
            }
        }
        let flops = module.flops().map(|(_, flop)| Known::of(&nets, flop.data));
        values = flops.collect();
    }
    Ok(values.into_iter().map(Known::first).collect())
}
