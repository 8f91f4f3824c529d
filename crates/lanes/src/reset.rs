//! Values of all registers after a clock edge under reset.
//!
//! The reset input is 1, registers and words of memories with an initial value have it
//! before the first edge, and everything else is unknown; unknowns go through the gates as
//! three-valued logic. A register whose next value is still unknown would start
//! at X in hardware.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::known::{Known, evaluate};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{
    Bit, CellKind, CutMemory, Memory, Module, PortDirection, fold, levelise, lower_flops,
};

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

/// The same after one clock edge, before which all other inputs are 0.
///
/// # Errors
/// When the module has a combinational loop.
pub fn after_reset_at_rest(lowered: &Module, reset: &str) -> Result<Vec<Option<bool>>, Error> {
    let inputs = lowered.ports_of(PortDirection::Input);
    let others = inputs.filter(|port| port.name != reset);
    let ties =
        others.flat_map(|port| (0..port.bits.len()).map(|bit| (port.name.clone(), bit, false)));
    clocked(lowered, &ties.collect::<Vec<_>>(), reset, 1)
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
    let mut words = vec![true; module.beside.len()];
    for cycle in 0..cycles {
        for ((_, flop), &value) in module.flops().zip(&values) {
            nets[flop.q.index()] = value;
        }
        let reads = module.beside.iter().flat_map(|cut| &cut.reads);
        for bit in reads.flat_map(|read| port(module, &read.data)) {
            if let Bit::Net(net) = bit {
                nets[net.index()] = Known::NOTHING;
            }
        }
        // A word may be the address of another one.
        loop {
            for &cell in &levels.order {
                if let CellKind::Gate(gate) = &module.cells[cell].kind {
                    nets[gate.output.index()] = evaluate(gate, &nets);
                }
            }
            let mut changed = false;
            for (cut, known) in module.beside.iter().zip(&mut words) {
                // Nothing has been taken over an edge before the first one.
                *known &= (cut.delayed && cycle == 0) || !may_be_written(module, cut, &nets);
                changed |= *known && read(module, cut, &mut nets);
            }
            if !changed {
                break;
            }
        }
        let flops = module.flops().map(|(_, flop)| Known::of(&nets, flop.data));
        values = flops.collect();
    }
    Ok(values.into_iter().map(Known::first).collect())
}

/// The bits of a port.
fn port<'m>(module: &'m Module, name: &str) -> &'m [Bit] {
    module.port(name).map_or(&[], |port| &port.bits)
}

/// True when a memory beside a module may be written.
fn may_be_written(module: &Module, cut: &CutMemory, nets: &[Known]) -> bool {
    let mut enables = cut
        .writes
        .iter()
        .flat_map(|write| port(module, &write.enable));
    enables.any(|&bit| Known::of(nets, bit).first() != Some(false))
}

/// Gives the nets of what a memory shows their values where the address is known; true when one is new.
fn read(module: &Module, cut: &CutMemory, nets: &mut [Known]) -> bool {
    let Memory {
        first,
        words,
        beyond,
        ..
    } = cut.memory;
    let mut changed = false;
    for read in &cut.reads {
        let mut bits = port(module, &read.address).iter().rev();
        let address = bits.try_fold(0, |address: u64, &bit| {
            let bit = Known::of(nets, bit).first()?;
            Some(address << 1 | u64::from(bit))
        });
        let Some(address) = address else {
            continue;
        };
        let word = address
            .checked_sub(first)
            .filter(|&word| word < words as u64);
        for (at, bit) in port(module, &read.data).iter().enumerate() {
            let value = match word {
                Some(word) => cut.memory.initial(word as usize, at),
                None => Some(beyond),
            };
            if let (Bit::Net(net), Some(value)) = (bit, value)
                && nets[net.index()] == Known::NOTHING
            {
                nets[net.index()] = Known::all(value);
                changed = true;
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_netlist::{cut_memories, delay_writes, text};

    /// The values after so many edges under reset of what a word is loaded into, of what follows it, and of what
    /// keeps its initial value.
    fn values(write: &str, cycles: u64, delayed: bool) -> [Option<bool>; 3] {
        let text = format!(
            "module m\n input clk\n input rst\n input a\n output q\n output h\n output r\n \
             memory rom words 2 width 1 init 10 in R0_ADDR = rst out R0_DATA = w{write}\n \
             flop f w -> q posedge clk\n flop g q -> r posedge clk\n flop h h -> h posedge clk init 1\nend\n"
        );
        let design = text::parse(&text, "test").unwrap_or_else(|error| panic!("{error}"));
        let mut module = cut_memories(design.modules[0].clone(), |_| true);
        if delayed {
            let clock = module.port("clk").expect("a port").bits[0];
            delay_writes(&mut module, clock);
        }
        let values = after_reset(&module, "rst", cycles).expect("no loop");
        [values[0], values[1], values[2]]
    }

    #[test]
    fn words_are_known_until_they_may_be_written() {
        let one = Some(true);
        assert_eq!(values("", 1, false), [one, None, one]);
        assert_eq!(values("", 2, false), [one, one, one]);
        let write = |enable: &str| {
            format!(" in W0_CLK = clk in W0_ADDR = a in W0_DATA = a in W0_EN = {enable}")
        };
        assert_eq!(values(&write("0"), 2, true), [one, one, one]);
        assert_eq!(values(&write("a"), 1, false), [None, None, one]);
        // A word that is written at the first edge is read at the second one.
        assert_eq!(values(&write("a"), 1, true), [one, None, one]);
        assert_eq!(values(&write("a"), 2, true), [None, one, one]);
    }
}
