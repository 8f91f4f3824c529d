//! The router in which faults are placed.

use super::recorded::read_ports;
use crate::config::Config;
use crate::own_chips;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_chips::{Chip, Role, netlists};
use crosswave_gate::own_netlist::fitted;
use crosswave_netlist::faults::{FaultEffect, FaultSite, FaultTarget, GateFault, with_faults};
use crosswave_netlist::{Edge, Module};
use crosswave_network::{Fabric, LinkPort};

/// A router of a network, and its netlist as faults are placed in it.
pub struct RouterUnderTest {
    /// The array of the network that it is of.
    pub array: usize,
    /// The instance.
    pub instance: usize,
    /// Its name in waveforms.
    pub name: String,
    /// The table of the chip.
    pub chip: &'static Chip,
    /// The netlist.
    pub target: FaultTarget,
    /// The file of the netlist, for messages.
    origin: String,
    /// The cycles in which its reset acts.
    reset_cycles: u64,
    /// Input bits that keep their values in this instance.
    still: Vec<(usize, usize, bool)>,
    /// For each port true where it is an output that something outside the chip reads.
    pub(super) read: Vec<bool>,
}

/// Refuses a router of which campaigns would know one half of each cycle only.
fn check_edges(module: &Module, origin: &str) -> Result<(), Error> {
    let mut flops = module.flops();
    let Some((cell, flop)) = flops.find(|(_, flop)| flop.edge == Edge::Falling) else {
        return Ok(());
    };
    let name = module.net_name(flop.q);
    let place = match &*cell.src {
        "" => format!("register {name}"),
        src => format!("register {name} ({src})"),
    };
    let message =
        "it acts on the falling edge of the clock, of which campaigns of faults know nothing";
    let help = "break a version of the router whose registers act on the rising edge";
    Err(Error::one(
        Class::Input,
        origin,
        Diagnostic::new(place, message, help),
    ))
}

impl RouterUnderTest {
    /// An instance of an array of a configuration's network.
    ///
    /// # Errors
    /// When the netlist cannot be had, or its flip-flops have what engines do not run.
    pub fn new(
        config: &Config,
        fabric: &Fabric,
        (array, instance): (usize, usize),
    ) -> Result<RouterUnderTest, Error> {
        let layout = &fabric.arrays[array];
        let chip = layout.chip;
        let own = own_chips::all(config, &mut |_, _| {})?.into_iter();
        let own = own.into_iter().find(|(name, _)| *name == chip.name);
        let (module, reset_cycles) = match own {
            Some((_, loaded)) => (&loaded.read, loaded.reset_cycles),
            None => (netlists::module(chip.name)?, 1),
        };
        check_edges(module, chip.name)?;
        let mut still = Vec::new();
        for (at, port) in chip.ports.iter().enumerate() {
            let value = match port.role {
                Role::Parameter => Some(layout.pin(at, instance)),
                Role::Option if !layout.changes(at) => Some(layout.pin(at, instance)),
                Role::Link { link, .. } => {
                    let port = LinkPort {
                        array,
                        instance,
                        link,
                    };
                    fabric.peer(port).is_none().then_some(0)
                }
                Role::Random { .. } => (!layout.random).then_some(0),
                _ => None,
            };
            for bit in 0..usize::from(port.width) {
                let silent = layout.silent.contains(&(at, bit)).then_some(0);
                if let Some(value) = value.or(silent) {
                    still.push((at, bit, value >> bit & 1 != 0));
                }
            }
        }
        Ok(RouterUnderTest {
            array,
            instance,
            name: fabric.instance_name(array, instance),
            chip,
            target: FaultTarget::new(module, chip.clock_and_reset())?,
            origin: chip.name.to_owned(),
            reset_cycles,
            still,
            read: read_ports(fabric, (array, instance)),
        })
    }

    /// The value of a bit of an input port that keeps it in this instance.
    pub fn still(&self, port: &str, bit: usize) -> Option<bool> {
        let mut still = self.still.iter();
        let found = still.find(|(at, of, _)| self.chip.ports[*at].name == port && *of == bit);
        found.map(|(.., value)| *value)
    }

    /// True for the name of an output that something outside the chip reads.
    pub fn counts(&self, name: &str) -> bool {
        let mut ports = self.chip.ports.iter();
        let found = ports.position(|port| port.name == name);
        found.is_some_and(|port| self.read[port])
    }

    /// The output ports of a link, in the module.
    pub(super) fn outputs_of(&self, link: u32) -> Vec<usize> {
        let of_link = |name: &str| {
            let mut ports = self.chip.ports.iter().enumerate();
            ports.any(|(at, port)| {
                let is_of = matches!(port.role, Role::Link { link: of, .. } if of == link as usize);
                port.name == name && is_of && self.read[at]
            })
        };
        let ports = self.target.module.ports.iter().enumerate();
        let ports = ports.filter(|(_, port)| of_link(&port.name));
        ports.map(|(at, _)| at).collect()
    }

    /// The links as faults that delay them: those that lead somewhere.
    pub fn late_links(&self) -> Vec<GateFault> {
        let links = 0..self.chip.links.len();
        let leads = |link: &usize| !self.outputs_of(*link as u32).is_empty();
        let links = links.filter(leads).map(|link| GateFault {
            site: FaultSite::Link(link as u32),
            effect: FaultEffect::Late,
        });
        links.collect()
    }

    /// The netlist with some faults as engines take it.
    ///
    /// # Errors
    /// When an output depends in the same cycle on an input that is not of a link.
    pub(super) fn broken(&self, faults: &[GateFault]) -> Result<Module, Error> {
        let module = with_faults(&self.target, faults, |link| self.outputs_of(link));
        Ok(fitted(self.chip, &module, &self.origin, self.reset_cycles)?.module)
    }
}
