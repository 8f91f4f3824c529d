//! Passes after an edge, in which outputs settle that depend on inputs in the same cycle.

use super::GateEngine;
use crate::settling::{NAMED_MAX, bit_name};
use crate::step::POISON;
use crosswave_chips::{PinDirection, Role};
use crosswave_probe::engine::Engine;

impl GateEngine {
    /// Passes in which outputs settle after an edge.
    pub(super) fn settle(&mut self) {
        if self.settling.passes == 0 {
            return;
        }
        self.hold(true);
        // Chains are mostly shorter than they can be. A single pass is the last one in any case.
        let settles = (1..=self.settling.passes).any(|_| {
            self.edge();
            self.settling.passes > 1 && self.is_unchanged()
        });
        if !settles && self.settling.circle.is_some() && self.unsettled.is_none() {
            let fault = self.settling.fault(self.cycle, self.changing());
            self.unsettled = Some(fault);
        }
        self.hold(false);
    }

    /// The outputs of links that the last pass has changed, by their names: as many as are told, and one
    /// more.
    fn changing(&self) -> Vec<String> {
        let fabric = &self.shared.fabric;
        let mut names = Vec::new();
        for (array, layout) in fabric.arrays.iter().enumerate() {
            for port in layout.chip.ports {
                let (PinDirection::Output, Role::Link { link, lsb }) = (port.direction, port.role)
                else {
                    continue;
                };
                for bit in 0..usize::from(port.width) {
                    let plane = link * self.shared.link_bits + lsb as usize + bit;
                    for instance in 0..layout.instances {
                        let [before, now] = [1 - self.parity, self.parity]
                            .map(|buffer| self.bit_in(buffer, array, plane, instance));
                        if before != now {
                            let name = fabric.instance_name(array, instance);
                            let bit = bit_name(port.name, bit, port.width.into());
                            names.push(format!("{name}.{bit}"));
                            if names.len() > NAMED_MAX {
                                return names;
                            }
                        }
                    }
                }
            }
        }
        names
    }

    /// True when the last edge or pass has changed no output.
    fn is_unchanged(&self) -> bool {
        self.shared.parts.iter().all(|part| {
            let [a, b] = [0, 1].map(|buffer| part.driven[buffer].read().expect(POISON));
            let mut arrays = a.outputs.iter().zip(&b.outputs);
            arrays.all(|(a, b)| a.planes.words() == b.planes.words())
        })
    }

    /// Has all registers hold but those that settle, or has none hold.
    fn hold(&mut self, holds: bool) {
        for array in 0..self.shared.plans.len() {
            let settle = self.shared.fabric.arrays[array].chip.ports.len();
            self.drive_all(array, settle, u64::from(holds));
        }
    }
}
