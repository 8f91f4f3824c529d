//! Ports of a module of which the chip has a part: inputs that are driven twice or not at all, and outputs
//! that nothing takes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Mapper, PortBits};
use crate::mistakes::some;
use crosswave_netlist::{Bit, Port, PortDirection};

/// The parts of a port with bits at some positions, as its source names them: the port itself if they are all.
fn parts(port: &Port, positions: &BTreeSet<usize>) -> Vec<String> {
    let width = port.bits.len();
    if positions.len() == width {
        return vec![port.name.clone()];
    }
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &at in positions.iter().rev() {
        match runs.last_mut() {
            Some((_, low)) if *low == at + 1 => *low = at,
            _ => runs.push((at, at)),
        }
    }
    let index = |at: usize| port.range.index(at, width);
    let part = |(high, low): (usize, usize)| match high == low {
        true => format!("{}[{}]", port.name, index(high)),
        false => format!("{}[{}:{}]", port.name, index(high), index(low)),
    };
    runs.into_iter().map(part).collect()
}

impl Mapper<'_, '_> {
    /// Takes in that a port of the chip drives bits of inputs, and complains of those that another one drives.
    pub(super) fn drive(&mut self, place: &str, span: &Range<usize>, by: &str, bits: &PortBits) {
        let mut twice: BTreeMap<(&str, String), BTreeSet<usize>> = BTreeMap::new();
        for (bit, of_module) in bits {
            let Bit::Net(net) = bit else {
                continue;
            };
            if let Some(other) = self.taken.insert(*net, format!("{by} ({place})")) {
                let key = (&*of_module.port, other);
                twice.entry(key).or_default().insert(of_module.at);
            }
        }
        for ((port, other), positions) in twice {
            let Some(port) = self.module.port(port) else {
                continue;
            };
            let parts = parts(port, &positions).join(", ");
            let message = format!("{parts} is driven twice: by {other} as well");
            let help = "each input bit of the module is in one link or pin";
            self.mistakes.add(place, Some(span.clone()), message, help);
        }
    }

    /// Complains of inputs that nothing drives, where a file names the module.
    pub(super) fn undriven(&mut self, span: Range<usize>, help: &str) {
        let is_open = |bit: &Bit| bit.net().is_some_and(|net| !self.taken.contains_key(&net));
        let ports = self.module.ports_of(PortDirection::Input);
        let open = ports.flat_map(|port| {
            let positions = (0..port.bits.len()).filter(|&at| is_open(&port.bits[at]));
            let positions: BTreeSet<usize> = positions.collect();
            match positions.is_empty() {
                true => Vec::new(),
                false => parts(port, &positions),
            }
        });
        let open: Vec<String> = open.collect();
        if !open.is_empty() {
            let names: Vec<&str> = open.iter().map(String::as_str).collect();
            let message = format!("nothing drives the inputs {} of the module", some(&names));
            self.mistakes
                .add("component.pins", Some(span), message, help);
        }
    }

    /// The outputs, and parts of outputs, that the chip does not have.
    pub(super) fn left_out(&self) -> Vec<String> {
        let mapped = self.result.mapped.iter().flat_map(|port| &port.bits);
        let taken: BTreeSet<(&str, usize)> = mapped.map(|bit| (&*bit.port, bit.at)).collect();
        let ports = self.module.ports_of(PortDirection::Output);
        let left = ports.flat_map(|port| {
            let positions = 0..port.bits.len();
            let positions = positions.filter(|&at| !taken.contains(&(&*port.name, at)));
            let positions: BTreeSet<usize> = positions.collect();
            match positions.is_empty() {
                true => Vec::new(),
                false => parts(port, &positions),
            }
        });
        left.collect()
    }
}
