//! Counterexamples as waveforms.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_chips::Role;
use crosswave_component::Component;
use crosswave_component::links::kept;
use crosswave_component::proof::{Counterexample, Proofs};
use crosswave_component::properties::Rule;
use crosswave_probe::signal::{Net, Scope, Signal, SignalSet, Value, WaveSink};
use crosswave_wave::{Timescale, VcdWriter, vcd_reader};

/// Nanoseconds of a cycle.
const CYCLE: u64 = 10;

/// The name of the file of a counterexample.
pub(super) fn name(rule: &Rule) -> String {
    let title = rule.title().replace(['.', ' '], "_");
    format!("{title}.vcd")
}

/// The number that bits are, the lowest first.
fn number(bits: &[bool]) -> u64 {
    let bits = bits.iter().enumerate();
    bits.fold(0, |sum, (at, bit)| sum | u64::from(*bit) << at)
}

/// The waveform: the ports of the router, and a signal that is 1 when the property is broken.
pub(super) fn vcd(
    component: &Component,
    proofs: &Proofs,
    rule: &Rule,
    found: &Counterexample,
) -> Result<Vec<u8>, Error> {
    let signal = |name, width| Signal {
        scope: 0,
        name,
        width,
        states: &[],
        net: Net::Own,
    };
    let breach = kept(format!("broken_{}", rule.name.replace('-', "_")));
    let mut signals = vec![signal("clock", 1)];
    // The clock is shown at both its edges.
    let ports: Vec<usize> = proofs
        .ports()
        .enumerate()
        .filter(|(_, port)| port.name != "clock")
        .map(|(at, port)| {
            signals.push(signal(kept(port.name.clone()), port.bits.len() as u8));
            at
        })
        .collect();
    signals.push(signal(breach, 1));
    let set = SignalSet {
        scopes: vec![Scope {
            name: component.top.clone(),
            parent: None,
        }],
        signals,
    };
    let fail = |error: std::io::Error| {
        let diagnostic = Diagnostic::new("waveform", error.to_string(), "");
        Error::one(Class::Io, "component prove", diagnostic)
    };
    let last = set.signals.len() - 1;
    let values = |cycle: usize| {
        let of_ports = ports
            .iter()
            .map(move |&port| number(&found.cycles[cycle][port]));
        let broken = u64::from(cycle == found.cycle());
        [1].into_iter().chain(of_ports).chain([broken])
    };
    let mut writer = VcdWriter::new(&set, Timescale::NANOSECOND, Vec::new()).map_err(fail)?;
    let first: Vec<Value> = values(0).map(Value::Known).collect();
    writer.begin(0, &first).map_err(fail)?;
    let mut before: Vec<u64> = values(0).collect();
    for cycle in 0..found.cycles.len() {
        let time = cycle as u64 * CYCLE;
        let now: Vec<u64> = values(cycle).collect();
        if cycle > 0 {
            writer.time(time).map_err(fail)?;
            for (at, (now, before)) in now.iter().zip(&before).enumerate() {
                if now != before || at == 0 {
                    writer.change(at, *now).map_err(fail)?;
                }
            }
        }
        writer.time(time + CYCLE / 2).map_err(fail)?;
        writer.change(0, 0).map_err(fail)?;
        before = now;
    }
    writer
        .end(found.cycles.len() as u64 * CYCLE)
        .map_err(fail)?;
    let bytes = writer.into_inner();
    // The file is read as any reader does.
    let read = vcd_reader::read("the waveform", &bytes)?;
    debug_assert_eq!(read.signals.len(), last + 1);
    Ok(bytes)
}

/// The values of the ports of the rule's link in the cycle in which it is broken.
pub(super) fn values(
    component: &Component,
    proofs: &Proofs,
    rule: &Rule,
    found: &Counterexample,
) -> Vec<(String, String)> {
    let chip = component.router.chip;
    let last = &found.cycles[found.cycle()];
    let shown = proofs.ports().zip(last).filter(|(port, _)| {
        let of_chip = chip.ports.iter().find(|known| known.name == port.name);
        let of_rule = match rule.link {
            None => !port.name.ends_with("data"),
            Some((link, is_out)) => {
                let side = if is_out { "out" } else { "in" };
                port.name.starts_with(&format!("{link}_{side}_"))
            }
        };
        of_rule && of_chip.is_some_and(|found| matches!(found.role, Role::Link { .. }))
    });
    let shown = shown.map(|(port, bits)| {
        let digits = bits.iter().rev().map(|&bit| if bit { '1' } else { '0' });
        (port.name.clone(), digits.collect())
    });
    shown.collect()
}
