//! The signals of a fabric, and where those of each chip lie.

use crate::chip::{Port, Role};
use crate::network::{ChipArray, Fabric};
use crate::probe::signal::{Net, Scope, Signal, SignalSet};

/// Which ports of the chips have signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pins {
    /// All.
    All,
    /// All but those with random bits.
    NotRandom,
}

impl Pins {
    fn takes(self, port: &Port) -> bool {
        self == Pins::All || !matches!(port.role, Role::Random { .. })
    }
}

/// The ports of all chips of a fabric that `pins` takes, scope by scope.
pub fn signals(fabric: &Fabric, pins: Pins) -> SignalSet {
    let mut set = SignalSet::default();
    set.scopes.push(Scope {
        name: "testbench".to_owned(),
        parent: None,
    });
    set.scopes.push(Scope {
        name: "network".to_owned(),
        parent: Some(0),
    });
    for (array, layout) in fabric.arrays.iter().enumerate() {
        for instance in 0..layout.instances {
            let scope = set.scopes.len();
            set.scopes.push(Scope {
                name: fabric.instance_name(array, instance),
                parent: Some(1),
            });
            for port in layout.chip.ports.iter().filter(|port| pins.takes(port)) {
                set.signals.push(Signal {
                    scope,
                    name: port.name,
                    width: port.width,
                    states: match port.role {
                        Role::State(states) => states,
                        Role::Link { .. } => layout.chip.words,
                        _ => &[],
                    },
                    net: match port.role {
                        Role::Clock => Net::Clock,
                        Role::Reset => Net::Reset,
                        _ => Net::Own,
                    },
                });
            }
        }
    }
    set
}

/// Where the signals of an array lie.
pub(super) struct Place {
    /// The first one.
    first: usize,
    /// How many each instance has.
    pub(super) per_instance: usize,
    /// Which of an instance's each port has, if it has one.
    of_port: Vec<Option<usize>>,
}

impl Place {
    pub(super) fn new(layout: &ChipArray, pins: Pins, first: usize) -> Place {
        let mut per_instance = 0;
        let of_port = layout.chip.ports.iter().map(|port| {
            pins.takes(port).then(|| {
                per_instance += 1;
                per_instance - 1
            })
        });
        Place {
            first,
            of_port: of_port.collect(),
            per_instance,
        }
    }

    /// The signal of a port that has one.
    pub(super) fn signal(&self, instance: usize, port: usize) -> Option<usize> {
        Some(self.first + instance * self.per_instance + self.of_port[port]?)
    }
}
