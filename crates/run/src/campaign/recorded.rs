//! All that one router takes and shows in a run, change by change.

use crate::host::Outcome;
use crate::observer::Observer;
use crate::replicate::Replicate;
use crosswave_chips::{PinDirection, Port, Role};
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::Engine;

/// The most changes that are kept: 24 bytes each.
pub const CHANGES_MAX: usize = 1 << 26;

/// A value that a port has from a cycle on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortChange {
    /// The cycle.
    pub cycle: u64,
    /// The port in the table of the chip.
    pub port: usize,
    /// The value.
    pub value: u64,
}

/// A run of a network as one router takes part in it. All ports are 0 before their first changes.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The seed and the messages.
    pub replicate: Replicate,
    /// The results of the run.
    pub outcome: Outcome,
    /// The inputs but clock and reset.
    pub inputs: Vec<PortChange>,
    /// The outputs that others read: those of links and to a host.
    pub outputs: Vec<PortChange>,
    /// The last cycle.
    pub last_cycle: u64,
}

/// For each port of a chip true where it is an output of an instance that something else reads: states are
/// shown in waveforms only, and some links lead nowhere.
pub fn read_ports(fabric: &Fabric, (array, instance): (usize, usize)) -> Vec<bool> {
    let ports = fabric.arrays[array].chip.ports.iter();
    let is_read = |port: &Port| match port.role {
        Role::Host => true,
        Role::Link { link, .. } => {
            let port = LinkPort {
                array,
                instance,
                link,
            };
            fabric.peer(port).is_some()
        }
        _ => false,
    };
    ports
        .map(|port| port.direction == PinDirection::Output && is_read(port))
        .collect()
}

/// Records the ports of one router.
pub struct PortRecorder {
    array: usize,
    instance: usize,
    /// Ports, whether each is an input, and the value recorded last.
    ports: Vec<(usize, bool, u64)>,
    inputs: Vec<PortChange>,
    outputs: Vec<PortChange>,
    last_cycle: u64,
}

impl PortRecorder {
    /// A recorder of an instance of an array.
    pub fn new(fabric: &Fabric, (array, instance): (usize, usize)) -> PortRecorder {
        let read = read_ports(fabric, (array, instance));
        let chip = fabric.arrays[array].chip;
        let ports = chip.ports.iter().enumerate().filter_map(|(at, port)| {
            let is_input = port.direction == PinDirection::Input;
            let still = matches!(port.role, Role::Clock | Role::Reset);
            let kept = is_input && !still || read[at];
            kept.then_some((at, is_input, 0))
        });
        PortRecorder {
            array,
            instance,
            ports: ports.collect(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            last_cycle: 0,
        }
    }

    /// All that was recorded of a run; `None` when there were more than [`CHANGES_MAX`] changes.
    pub fn recorded(self, replicate: Replicate, outcome: Outcome) -> Option<Recorded> {
        let changes = self.inputs.len() + self.outputs.len();
        (changes <= CHANGES_MAX).then_some(Recorded {
            replicate,
            outcome,
            inputs: self.inputs,
            outputs: self.outputs,
            last_cycle: self.last_cycle,
        })
    }
}

impl Observer for PortRecorder {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        let cycle = engine.cycle();
        self.last_cycle = cycle;
        for (port, is_input, before) in &mut self.ports {
            let value = engine.value(self.array, *port, self.instance);
            if value != *before {
                *before = value;
                let changes = match is_input {
                    true => &mut self.inputs,
                    false => &mut self.outputs,
                };
                changes.push(PortChange {
                    cycle,
                    port: *port,
                    value,
                });
            }
        }
    }

    fn interrupted(&mut self) -> bool {
        self.inputs.len() + self.outputs.len() > CHANGES_MAX
    }
}
