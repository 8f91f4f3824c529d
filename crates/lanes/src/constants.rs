//! Nets that cannot change after the reset, as three-valued logic sees it.
//!
//! Registers begin with their values after the reset, inputs with the values that they are known to have in
//! all cycles, and everything else is unknown. A register whose next value may be another one is unknown
//! from there on. What is known when nothing changes any more is so in every cycle: this is a proof,
//! while nothing is proved of a net that is left unknown.

use super::known::{Known, evaluate};
use super::reset::after_reset;
use crosswave_base::diagnostic::Error;
use crosswave_netlist::{Bit, CellKind, Module, NetId, PortDirection, levelise, lower_flops};

/// For each net of a module its value in all cycles after the reset, where it is known. `inputs` says of a
/// bit of an input port, and `registers` of the net that a flip-flop drives, that it has one value in all
/// cycles.
///
/// # Errors
/// When the module has a combinational loop or flip-flops that [`lower_flops`] refuses.
pub fn constants(
    module: &Module,
    [clock, reset]: [&str; 2],
    inputs: impl Fn(&str, usize) -> Option<bool>,
    registers: impl Fn(NetId) -> Option<bool>,
) -> Result<Vec<Option<bool>>, Error> {
    let lowered = lower_flops(module.clone(), clock)?;
    let mut values: Vec<Known> = after_reset(&lowered, reset, 1)?
        .into_iter()
        .map(|value| value.map_or(Known::NOTHING, Known::all))
        .collect();
    // A loop would have been reported.
    let order = levelise(&lowered).map_or(Vec::new(), |levels| levels.order);
    let mut nets = vec![Known::NOTHING; lowered.nets.len()];
    for port in lowered.ports_of(PortDirection::Input) {
        for (bit, net) in port.bits.iter().enumerate() {
            let value = match port.name == reset {
                true => Some(false),
                false => inputs(&port.name, bit),
            };
            if let Bit::Net(net) = net {
                nets[net.index()] = value.map_or(Known::NOTHING, Known::all);
            }
        }
    }
    loop {
        for ((_, flop), &value) in lowered.flops().zip(&values) {
            nets[flop.q.index()] = value;
        }
        for &cell in &order {
            if let CellKind::Gate(gate) = &lowered.cells[cell].kind {
                nets[gate.output.index()] = evaluate(gate, &nets);
            }
        }
        let mut changes = false;
        for ((_, flop), value) in lowered.flops().zip(&mut values) {
            if let Some(known) = registers(flop.q) {
                changes |= *value != Known::all(known);
                *value = Known::all(known);
                continue;
            }
            if *value != Known::NOTHING && Known::of(&nets, flop.data) != *value {
                *value = Known::NOTHING;
                changes = true;
            }
        }
        if !changes {
            let known = nets.into_iter().take(module.nets.len());
            return Ok(known.map(Known::first).collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_netlist::text;

    /// A flip-flop that an input sets for good, one that is set by a gate that is always 0, and one behind
    /// it.
    const TEXT: &str = "module m\n input clk\n input rst\n input a\n input b\n output x\n output y\n \
        output z\n gate g1 OR x a -> x1\n gate g2 ANDNOT x1 rst -> x2\n flop f1 x2 -> x posedge clk\n \
        gate g3 AND b n -> y0\n gate g4 NOT b -> n\n gate g5 ANDNOT y0 rst -> y1\n \
        flop f2 y1 -> y posedge clk\n gate g6 AND b y -> z0\n gate g7 ANDNOT z0 rst -> z1\n \
        flop f3 z1 -> z posedge clk\nend\n";

    fn known(
        input: impl Fn(&str, usize) -> Option<bool>,
        register: Option<&str>,
    ) -> Vec<(String, bool)> {
        let design = text::parse(TEXT, "test").expect("sound");
        let module = &design.modules[0];
        let held = |net: NetId| {
            let name = &*module.nets[net.index()].name;
            (Some(name) == register).then_some(false)
        };
        let found = constants(module, ["clk", "rst"], input, held).expect("no loop");
        let nets = module.nets.iter().zip(found);
        let known = nets.filter_map(|(net, value)| Some((net.name.to_string(), value?)));
        known.filter(|(name, _)| name.len() == 1).collect()
    }

    #[test]
    fn what_inputs_hold_does_not_change() {
        let named = |names: &[&str]| -> Vec<(String, bool)> {
            names
                .iter()
                .map(|name| ((*name).to_owned(), false))
                .collect()
        };
        // That b and its inverse are never 1 together is not seen.
        assert_eq!(known(|_, _| None, None), []);
        // A register that keeps its value holds others.
        let y = known(|_, _| None, Some("y"));
        assert_eq!(y, named(&["y", "z"]));
        let a = known(|name, _| (name == "a").then_some(false), None);
        assert_eq!(a, named(&["a", "x"]));
        let b = known(|name, _| (name == "b").then_some(false), None);
        assert!(
            b.contains(&("y".to_owned(), false)) && b.contains(&("z".to_owned(), false)),
            "{b:?}"
        );
        assert!(b.contains(&("n".to_owned(), true)));
    }
}
