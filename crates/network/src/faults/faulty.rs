//! A topology with faults: what its network is without them, but for the fabric.

use serde_json::json;

use super::{Faults, Misplaced, Placed};
use crate::topology::{
    Arrival, CollisionTracing, Footprint, Network, NetworkDrawing, OnPath, PacketRules, PathChoice,
    PathTiming, ROUTERS, Replies, Summary, Topology, Untraced, VerilogHost,
};
use crate::{Fabric, rn1_nodes};
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::routing::{HeaderBytes, Route};
use crosswave_chips::switch::Switch;
use crosswave_chips::{Chip, rn1_fault_line};
use crosswave_component::Component;
use crosswave_probe::message::{RejectedAt, Rejections};

/// A network with faults.
#[derive(Debug)]
pub struct Faulty {
    network: Network,
    placed: Placed,
}

impl Faulty {
    /// A network with faults.
    ///
    /// # Errors
    /// Everything in the faults that does not fit the network.
    pub fn new(network: Network, faults: &Faults) -> Result<Faulty, Vec<Misplaced>> {
        let placed = Placed::new(faults, &*network, &network.fabric())?;
        Ok(Faulty { network, placed })
    }
}

/// The clocks of ways that may be faulty: an attempt may be lost after it was delivered, so that a
/// delivery is known to be that of a message only when its sender is told.
#[derive(Debug)]
struct FaultyTiming(Box<dyn PathTiming>);

impl PathTiming for FaultyTiming {
    fn arrival(&self, _: u32, _: u32, _: u32) -> Option<Arrival> {
        None
    }

    fn arrived(&self, source: u32, destination: u32, words: u32, told: u64) -> Arrival {
        self.0.arrived(source, destination, words, told)
    }

    fn rejected(&self, source: u32, destination: u32, clocks: u64, stage: u32) -> RejectedAt {
        self.0.rejected(source, destination, clocks, stage)
    }
}

impl Topology for Faulty {
    fn nodes(&self) -> u32 {
        self.network.nodes()
    }

    fn fabric(&self) -> Fabric {
        let mut fabric = self.network.fabric();
        self.placed.apply(&mut fabric);
        fabric
    }

    fn node_of_instance(&self, instance: usize) -> u32 {
        self.network.node_of_instance(instance)
    }

    fn endpoint(&self) -> &'static dyn Endpoint {
        self.network.endpoint()
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        self.network.switch()
    }

    fn route(&self, source: u32, destination: u32) -> Route {
        self.network.route(source, destination)
    }

    fn routers_on_path(&self, source: u32, destination: u32) -> u32 {
        self.network.routers_on_path(source, destination)
    }

    fn leaves(&self, at: OnPath) -> usize {
        self.network.leaves(at)
    }

    fn header(&self, source: u32, destination: u32) -> HeaderBytes {
        self.network.header(source, destination)
    }

    fn reads(&self, at: OnPath) -> String {
        self.network.reads(at)
    }

    fn timing(&self) -> Box<dyn PathTiming> {
        Box::new(FaultyTiming(self.network.timing()))
    }

    fn rejections(&self) -> Rejections {
        self.network.rejections()
    }

    fn drawing(&self) -> &dyn NetworkDrawing {
        self.network.drawing()
    }

    fn components(&self) -> &[&'static Component] {
        self.network.components()
    }

    fn packets(&self) -> Option<&dyn PacketRules> {
        self.network.packets()
    }

    fn path_choice(&self) -> Option<&dyn PathChoice> {
        self.network.path_choice()
    }

    fn replies(&self) -> Option<&dyn Replies> {
        self.network.replies()
    }

    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        self.network.collisions()
    }

    fn footprint(&self) -> Footprint {
        self.network.footprint()
    }

    fn chips(&self) -> Vec<(&'static Chip, u64)> {
        let mut chips = self.network.chips();
        if self.placed.fault_lines() > 0 {
            chips.push((&rn1_fault_line::CHIP, self.placed.fault_lines() as u64));
        }
        chips
    }

    fn summary(&self) -> Summary {
        let mut summary = self.network.summary();
        let ports = self.placed.off.len();
        let (cut, stuck) = (self.placed.cut_wires(), self.placed.fault_lines());
        summary.fields.push(("ports_off_sometime", json!(ports)));
        summary.fields.push(("wires_cut", json!(cut)));
        summary.fields.push(("wires_stuck", json!(stuck)));
        summary.rows.push((
            "faults".into(),
            format!("{ports} ports off in some cycles, {cut} wires cut, {stuck} stuck"),
        ));
        summary
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        match self.placed.fault_lines() {
            0 => self.network.chip_family(),
            _ => rn1_nodes::family(self.network.chips()[ROUTERS].0, true),
        }
    }

    fn verilog_host(&self) -> Option<VerilogHost> {
        self.network.verilog_host()
    }
}
