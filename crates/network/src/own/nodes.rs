//! The endpoints of a network of a designer's own routers.

use std::sync::Arc;

use super::endpoints::RETRY_CYCLES;
use super::{At, OwnNetwork};
use crate::{ChipArray, Pin, PinValues};
use crosswave_component::endpoint;
use crosswave_component::file::ProtocolName;

impl OwnNetwork {
    /// Cycles that a new attempt waits at most; `None` where messages are no circuits.
    pub(super) fn retry_cycles(&self) -> Option<u32> {
        let is_circuit = self.first().form.protocol == ProtocolName::Circuit;
        is_circuit.then(|| self.endpoints.retry_cycles.unwrap_or(RETRY_CYCLES))
    }

    /// The array of endpoints.
    pub(super) fn node_array(&self, first_link: u32) -> ChipArray {
        let nodes = 0..self.node_count();
        let mut pins = vec![
            Pin {
                port: endpoint::PORT_STALL,
                values: PinValues::Uniform(self.endpoints.stall.into()),
            },
            Pin {
                port: endpoint::PORT_OWN_HEADER,
                values: PinValues::Wide(nodes.map(|node| self.header(node, node)).collect()),
            },
        ];
        if self.first().form.protocol == ProtocolName::Credit {
            let credits = |&(place, link): &At| {
                let (array, _) = self.routers[place as usize];
                self.arrays[array as usize].component.credits[link]
            };
            pins.push(Pin {
                port: endpoint::PORT_CREDITS,
                values: PinValues::Each(self.nodes.iter().map(credits).collect()),
            });
        }
        let retry_cycles = self.retry_cycles();
        if let Some(cycles) = retry_cycles {
            pins.push(Pin {
                port: endpoint::PORT_RETRY,
                values: PinValues::Uniform(cycles.into()),
            });
        }
        let draws_wait = retry_cycles.is_some_and(|cycles| cycles > 0);
        ChipArray {
            chip: self.first().endpoint.chip,
            instances: self.nodes.len(),
            first_link,
            pins,
            silent: Vec::new(),
            random: self.endpoints.stall > 0 || draws_wait,
            changing: Vec::new(),
            modules: Arc::default(),
            name: Arc::new(|instance| format!("node_{instance}")),
        }
    }
}
