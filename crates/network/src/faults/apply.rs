//! Effects of faults on a fabric: pins that enable ports, wires, and pins that change during the
//! run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Window;
use super::place::{Placed, Stuck, Wire, is_long};
use crate::rn1_links::join;
use crate::rn1_nodes::router_port;
use crate::topology::ROUTERS;
use crate::{ChipArray, Fabric, OPEN, Pin, PinChange, PinValues};
use crosswave_chips::rn1::{self, PORTS_A_SIDE};
use crosswave_chips::{delay_line, rn1_fault_line, rn1_interface};

impl Placed {
    /// Puts the faults into the fabric in which they were found.
    pub fn apply(&self, fabric: &mut Fabric) {
        self.switch_off(fabric);
        self.cut_and_stick(fabric);
        fabric.changes.sort();
    }

    /// The pins that enable ports, without those that are off.
    fn switch_off(&self, fabric: &mut Fabric) {
        // The bits of each pin, with the cycles in which they are off.
        let mut pins: BTreeMap<(usize, usize, usize), Vec<(usize, Window)>> = BTreeMap::new();
        for (&(array, instance, link), windows) in &self.off {
            let router_port = |port| router_port(fabric.arrays[ROUTERS].chip, port);
            let (port, bit) = match (array, link) {
                (ROUTERS, 0..PORTS_A_SIDE) => (router_port(rn1::PORT_IN_ENABLE), link),
                (ROUTERS, _) => (router_port(rn1::PORT_OUT_ENABLE), link - PORTS_A_SIDE),
                _ => (rn1_interface::PORT_TX_ENABLE, link - rn1_interface::T0),
            };
            let bits = pins.entry((array, port, instance)).or_default();
            bits.extend(windows.iter().map(|&window| (bit, window)));
        }
        for ((array, port, instance), bits) in pins {
            let pin = each(&mut fabric.arrays[array], port);
            let enabled = pin[instance];
            let at = |cycle: u64| {
                let off = bits.iter().filter(|(_, window)| window.holds(cycle));
                off.fold(enabled, |value, (bit, _)| value & !(1 << bit))
            };
            pin[instance] = at(0);
            let windows = bits.iter().map(|&(_, window)| window);
            for cycle in edges(windows) {
                note(
                    fabric,
                    array,
                    port,
                    PinChange {
                        cycle,
                        array,
                        port,
                        instance: instance as u32,
                        value: u64::from(at(cycle)),
                    },
                );
            }
        }
    }

    /// Takes cut wires out, and puts a chip into each of those that are stuck.
    fn cut_and_stick(&self, fabric: &mut Fabric) {
        let array = fabric.arrays.len();
        let lines = self.fault_lines();
        let mut line = fabric.peers.len() as u32;
        if lines > 0 {
            let chips = self.line_array(fabric, line);
            fabric.peers.resize(fabric.peers.len() + 2 * lines, OPEN);
            fabric.rotations.resize(fabric.peers.len(), 0);
            fabric.arrays.push(chips);
        }
        let mut instance = 0;
        for (&near, wire) in &self.wires {
            if wire.is_cut() {
                let far = std::mem::replace(&mut fabric.peers[near as usize], OPEN);
                fabric.peers[far as usize] = OPEN;
                continue;
            }
            insert(fabric, near, line);
            stick(fabric, array, instance, wire);
            (line, instance) = (line + 2, instance + 1);
        }
    }
}

impl Placed {
    /// The chips of the wires that are stuck, without their pins; they are named after the ports
    /// that drive the wires forward.
    fn line_array(&self, fabric: &Fabric, first_link: u32) -> ChipArray {
        let stuck = self.wires.iter().filter(|(_, wire)| !wire.is_cut());
        let names: Vec<String> = stuck
            .map(|(&near, _)| {
                let at = fabric.link_port(near);
                let port = fabric.arrays[at.array].chip.links[at.link];
                let chip = fabric.instance_name(at.array, at.instance);
                format!("fault_{chip}_{port}")
            })
            .collect();
        ChipArray {
            chip: &rn1_fault_line::CHIP,
            instances: names.len(),
            first_link,
            pins: Vec::new(),
            silent: Vec::new(),
            random: false,
            changing: Vec::new(),
            modules: Arc::default(),
            name: Arc::new(move |instance| {
                // Copies are padded.
                names.get(instance).cloned().unwrap_or_default()
            }),
        }
    }
}

/// The cycles in which something begins or ends, but for those that begin at once.
fn edges(windows: impl Iterator<Item = Window>) -> Vec<u64> {
    let mut cycles: Vec<u64> = windows
        .flat_map(|window| [Some(window.from), window.to])
        .flatten()
        .filter(|&cycle| cycle > 0)
        .collect();
    cycles.sort_unstable();
    cycles.dedup();
    cycles
}

/// The values of a pin of all instances, one for each.
fn each(array: &mut ChipArray, port: usize) -> &mut Vec<u32> {
    let instances = array.instances;
    let at = array.pins.iter().position(|pin| pin.port == port);
    let at = at.unwrap_or_else(|| {
        let values = PinValues::Uniform(0);
        array.pins.push(Pin { port, values });
        array.pins.len() - 1
    });
    let values = &mut array.pins[at].values;
    if let PinValues::Uniform(value) = *values {
        *values = PinValues::Each(vec![value as u32; instances]);
    }
    match values {
        PinValues::Each(values) => values,
        _ => unreachable!("pins of faults have at most 32 bits"),
    }
}

/// Notes a change of a pin.
fn note(fabric: &mut Fabric, array: usize, port: usize, change: PinChange) {
    let array = &mut fabric.arrays[array];
    if !array.changes(port) {
        array.changing.push(port);
    }
    fabric.changes.push(change);
}

/// Puts a chip into a wire, in place of its first delay line where it has one.
fn insert(fabric: &mut Fabric, near: u32, line: u32) {
    let [line_near, line_far] = [delay_line::NEAR, delay_line::FAR].map(|side| line + side as u32);
    let mut far = fabric.peers[near as usize];
    if is_long(fabric, fabric.link_port(near)) {
        let replaced = far;
        let behind = replaced + (delay_line::FAR - delay_line::NEAR) as u32;
        far = fabric.peers[behind as usize];
        for port in [replaced, behind] {
            fabric.peers[port as usize] = OPEN;
        }
    }
    let rotation = fabric.rotation(far);
    join(fabric, near, line_near, 0);
    join(fabric, line_far, far, rotation);
}

/// Sets the pins of a chip in a wire that is stuck.
fn stick(fabric: &mut Fabric, array: usize, instance: usize, wire: &Wire) {
    let ports = [
        (
            rn1_fault_line::PORT_WORD_FORWARD,
            rn1_fault_line::PORT_STUCK_FORWARD,
        ),
        (
            rn1_fault_line::PORT_WORD_BACKWARD,
            rn1_fault_line::PORT_STUCK_BACKWARD,
        ),
    ];
    for ((of_word, of_stuck), way) in ports.into_iter().zip(&wire.ways) {
        let Some(Stuck { word, windows }) = way else {
            continue;
        };
        fabric.restless |= *word != 0;
        each(&mut fabric.arrays[array], of_word)[instance] = u32::from(*word);
        let holds = |cycle: u64| windows.iter().any(|window| window.holds(cycle));
        each(&mut fabric.arrays[array], of_stuck)[instance] = u32::from(holds(0));
        let changes = edges(windows.iter().copied()).into_iter();
        fabric.changes.extend(changes.map(|cycle| PinChange {
            cycle,
            array,
            port: of_stuck,
            instance: instance as u32,
            value: u64::from(holds(cycle)),
        }));
    }
}
