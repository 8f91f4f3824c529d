//! Values of all registers after a clock edge under reset.
//!
//! The reset input is 1, everything else is unknown; unknowns go through the
//! gates as three-valued logic. A register whose next value is still unknown
//! would start at X in hardware.

use std::collections::BTreeMap;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{Bit, Gate, Module, fold, levelise, lower_flops};

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
) -> Result<BTreeMap<String, bool>, Error> {
    let lowered = lower_flops(&fold(module, ties), clock)?;
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
    let levels = levelise(lowered).map_err(|loops| Error {
        class: Class::Input,
        origin: lowered.name.clone(),
        source: None,
        diagnostics: loops
            .iter()
            .map(|found| found.diagnostic(lowered))
            .collect(),
    })?;
    let mut known: Vec<Option<bool>> = vec![None; lowered.nets.len()];
    if let Some(port) = lowered.port(reset) {
        for bit in &port.bits {
            if let Bit::Net(net) = bit {
                known[net.index()] = Some(true);
            }
        }
    }
    let value = |known: &[Option<bool>], bit: Bit| match bit {
        Bit::Net(net) => known[net.index()],
        constant => constant.constant(),
    };
    let mut values: Vec<Option<bool>> = lowered.flops().map(|_| None).collect();
    for _ in 0..cycles {
        for ((_, flop), value) in lowered.flops().zip(&values) {
            known[flop.q.index()] = *value;
        }
        for &cell in &levels.order {
            if let crosswave_netlist::CellKind::Gate(gate) = &lowered.cells[cell].kind {
                known[gate.output.index()] = evaluate(gate, |bit| value(&known, bit));
            }
        }
        let flops = lowered.flops().map(|(_, flop)| value(&known, flop.data));
        values = flops.collect();
    }
    Ok(values)
}

/// Three-valued evaluation: known when all completions of the unknown inputs agree.
fn evaluate(gate: &Gate, value: impl Fn(Bit) -> Option<bool>) -> Option<bool> {
    let inputs: smallvec::SmallVec<[Option<bool>; 4]> =
        gate.inputs.iter().map(|&bit| value(bit)).collect();
    let mut result = None;
    for combination in 0..1u16 << inputs.len() {
        let agrees = inputs
            .iter()
            .enumerate()
            .all(|(index, input)| input.is_none_or(|bit| bit == (combination >> index & 1 != 0)));
        if agrees {
            let output = gate.function.table() >> combination & 1 != 0;
            if result.is_some_and(|earlier| earlier != output) {
                return None;
            }
            result = Some(output);
        }
    }
    result
}
