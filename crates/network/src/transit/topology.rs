//! The tree as a topology: routes, clocks of connections, where attempts are blocked, and what
//! is told of the network.

use serde_json::json;

use super::{Dispersion, RouterPosition, StackWires, Transit, stage_name};
use crate::Fabric;
use crate::rn1_nodes;
use crate::topology::{
    Arrival, CollisionTracing, Footprint, NetworkDrawing, OnPath, PathTiming, ROUTERS, Rank,
    Replies, Summary, Topology, Untraced,
};
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::rn1::PORTS_A_SIDE;
use crosswave_chips::routing::Route;
use crosswave_chips::routing::transit::{Climb, Stage, TransitHop};
use crosswave_chips::switch::Switch;
use crosswave_chips::{Chip, rn1, rn1_delay_line, rn1_height, rn1_interface};
use crosswave_probe::message::{RejectedAt, Rejections};

impl Transit {
    /// The extra clocks of all links that have the same ones in a batch: the stages they lead
    /// from and to, the fewest, the most, and all together.
    fn long_links(&self) -> Vec<LongLinks> {
        let mut found = Vec::new();
        self.each_batch(|batch| {
            let delays = batch.links.iter().map(|link| link.delay);
            let long = LongLinks {
                from: batch.from,
                to: batch.to,
                least: delays.clone().min().unwrap_or(0),
                most: delays.clone().max().unwrap_or(0),
                total: delays.map(u64::from).sum(),
            };
            found.extend((long.most > 0).then_some(long));
        });
        found
    }

    fn name_of(stage: Option<Stage>) -> String {
        stage.map_or("nodes".into(), stage_name)
    }
}

/// Links with extra clocks.
struct LongLinks {
    from: Option<Stage>,
    to: Option<Stage>,
    least: u32,
    most: u32,
    total: u64,
}

impl Topology for Transit {
    fn nodes(&self) -> u32 {
        self.nodes()
    }

    fn fabric(&self) -> Fabric {
        self.fabric()
    }

    fn node_of_instance(&self, instance: usize) -> u32 {
        instance as u32
    }

    fn endpoint(&self) -> &'static dyn Endpoint {
        &rn1_interface::Connection
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        Some(match self.climb {
            Climb::Directions => &rn1::Crossbar,
            Climb::Height => &rn1_height::HeightCrossbar,
        })
    }

    fn route(&self, source: u32, destination: u32) -> Route {
        let [from, to] = [source, destination].map(|node| self.form.address(node));
        match self.climb {
            Climb::Directions => self.form.route(&from, &to),
            Climb::Height => self.form.route_by_height(&from, &to),
        }
    }

    fn routers_on_path(&self, source: u32, destination: u32) -> u32 {
        self.form.routers_on_way(source, destination)
    }

    fn leaves(&self, at: OnPath) -> usize {
        let drawn = usize::from(at.draw);
        if at.chip == 0 {
            return rn1_interface::T0 + drawn;
        }
        let hop = self.form.hops(at.source, at.destination)[at.chip as usize - 1];
        let side = match self.shape().made_of(hop.stage).crossbars {
            true => usize::from(at.arrived >= PORTS_A_SIDE / 2),
            false => drawn,
        };
        PORTS_A_SIDE + 2 * usize::from(hop.direction) + side
    }

    fn reads(&self, at: OnPath) -> String {
        let hops = self.form.hops(at.source, at.destination);
        let before = &hops[..at.chip as usize];
        let byte = before.iter().filter(|hop| hop.swallows).count();
        let TransitHop {
            stage, direction, ..
        } = before[before.len() - 1];
        let read = match stage {
            Stage::Up(_) | Stage::Cap if self.climb == Climb::Height => {
                let height = self.form.height_at(at.source, at.destination, stage);
                format!("height {height} in byte {byte}: {direction:02b}")
            }
            _ => {
                let route = self.route(at.source, at.destination);
                rn1_nodes::reads(&route.bytes, byte, self.turned(stage))
            }
        };
        format!("{}: {read}", stage_name(stage))
    }

    fn timing(&self) -> Box<dyn PathTiming> {
        Box::new(self.clone())
    }

    fn rejections(&self) -> Rejections {
        rn1_nodes::blocked_by_stage(self.form.stages_max())
    }

    fn replies(&self) -> Option<&dyn Replies> {
        Some(&self.interface)
    }

    /// Links that lead anywhere are gathered one by one.
    fn footprint(&self) -> Footprint {
        let of_regular = rn1_nodes::footprint(self.chips()[ROUTERS].1);
        match self.dispersion {
            Dispersion::Random { .. } => Footprint {
                wiring_bytes_per_router: of_regular.wiring_bytes_per_router + 700,
                ..of_regular
            },
            _ => of_regular,
        }
    }

    fn drawing(&self) -> &dyn NetworkDrawing {
        self
    }

    fn chips(&self) -> Vec<(&'static Chip, u64)> {
        let delays = self.long_links();
        vec![
            (self.router_chip(), u64::from(self.shape().routers())),
            (&rn1_interface::CHIP, u64::from(self.nodes())),
            (
                &rn1_delay_line::CHIP,
                delays.iter().map(|links| links.total).sum(),
            ),
        ]
    }

    fn summary(&self) -> Summary {
        let form = self.form;
        let stages = self.stages();
        let stacks = self.stacks();
        let mut rows = vec![
            ("leaves".to_owned(), form.leaves().to_string()),
            ("routers".to_owned(), self.shape().routers().to_string()),
        ];
        let of_layers = stacks[1..].iter().zip(1..);
        rows.extend(of_layers.map(|(count, layer)| {
            let capped = form.capped && layer == form.layers;
            let kind = if capped { "UT64x8c" } else { "UT64x8" };
            (
                format!("stacks of layer {layer}"),
                format!("{count} {kind}"),
            )
        }));
        let long = self.long_links();
        rows.extend(long.iter().map(|links| {
            (
                format!(
                    "wires {} to {}",
                    Transit::name_of(links.from),
                    Transit::name_of(links.to)
                ),
                format!("{} to {} extra cycles", links.least, links.most),
            )
        }));
        let by_stage = |(stage, routers): &(Stage, u32)| json!([stage_name(*stage), routers]);
        let by_links = |links: &LongLinks| {
            json!({
                "from": Transit::name_of(links.from),
                "to": Transit::name_of(links.to),
                "least": links.least,
                "most": links.most,
            })
        };
        Summary {
            fields: vec![
                ("leaves", json!(form.leaves())),
                ("layers", json!(form.layers)),
                ("stacks", json!(stacks)),
                ("routers", json!(self.shape().routers())),
                (
                    "routers_by_stage",
                    stages.iter().map(by_stage).collect::<Vec<_>>().into(),
                ),
                (
                    "link_delay_cycles",
                    long.iter().map(by_links).collect::<Vec<_>>().into(),
                ),
            ],
            rows,
            last_rows: Vec::new(),
        }
    }

    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        Err(Untraced {
            why: "the routers are no four-port routers",
            instead: "blocked attempts of a network of RN1 are in the JSON, by stage",
        })
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        rn1_nodes::family(self.router_chip(), false)
    }
}

impl NetworkDrawing for Transit {
    /// A stage with its stacks as groups.
    fn ranks(&self) -> Vec<Rank> {
        let shape = self.shape();
        let rank = |stage: Stage| Rank {
            name: stage_name(stage),
            routers: shape.routers_of_stage(stage),
            groups: shape.units(stage) * shape.stacks(stage),
        };
        shape.stages().into_iter().map(rank).collect()
    }

    fn standing(&self, router: u32) -> (usize, u32) {
        let mut left = router;
        for (rank, (_, routers)) in self.stages().into_iter().enumerate() {
            if left < routers {
                return (rank, left);
            }
            left -= routers;
        }
        unreachable!("a router of the tree")
    }

    fn stack_of(&self, router: u32) -> Option<String> {
        let RouterPosition {
            stage, unit, stack, ..
        } = self.place(router);
        let layer = match stage {
            Stage::Leaf(_) => return Some(format!("leaf_{unit}")),
            Stage::Up(layer) | Stage::Down(layer, _) => layer,
            Stage::Cap => self.form.layers,
        };
        Some(format!("unit_{layer}_{unit}_{stack}"))
    }
}

/// A word passes a router in a clock, and is taken in by the receiver in another one. The wires
/// of a way differ among those that it may take where they are as long as they are.
impl PathTiming for Transit {
    fn arrival(&self, source: u32, destination: u32, words: u32) -> Option<Arrival> {
        let StackWires::Given(delays) = &self.wires else {
            return None;
        };
        let route = self.route(source, destination);
        let hops = self.form.hops(source, destination);
        let pairs = hops.windows(2).map(|pair| (pair[0].stage, pair[1].stage));
        let of_link = |link: (Stage, Stage)| match link {
            (Stage::Leaf(_), Stage::Up(layer)) => delays[layer as usize - 1],
            (Stage::Up(below), Stage::Up(layer)) if layer > below => delays[below as usize],
            (Stage::Cap, Stage::Down(..)) => delays[self.form.layers as usize],
            (Stage::Down(layer, 1), Stage::Down(_, 3) | Stage::Leaf(_)) => {
                delays[layer as usize - 1]
            }
            _ => 0,
        };
        let of_links: u64 = pairs.map(|link| u64::from(of_link(link))).sum();
        let way = u64::from(route.stages) + of_links;
        Some(arrival(route.bytes.len() as u64, way, words))
    }

    fn arrived(&self, source: u32, destination: u32, words: u32, told: u64) -> Arrival {
        // The turn follows the routing bytes and the words, the answers of all routers follow
        // it, two clocks for each and for each extra clock of its wire, and then the reply
        // (hdl/rn1_interface.md).
        let bytes = self.route(source, destination).bytes.len() as u64;
        let turned = bytes + u64::from(words) + 1;
        let idle = match self.interface.turns {
            0 => 0,
            _ => self.interface.reply_delay,
        };
        // A wire that is stuck may answer sooner.
        let answers = told.saturating_sub(turned + 1 + idle);
        arrival(bytes, answers / 2, words)
    }

    fn rejected(&self, _: u32, _: u32, _: u64, stage: u32) -> RejectedAt {
        rn1_nodes::blocked_in(stage)
    }
}

/// The arrival of a message of so many routing bytes and words over routers and wires that take
/// so many clocks.
fn arrival(bytes: u64, way: u64, words: u32) -> Arrival {
    let opened = bytes + way;
    Arrival {
        opened: Some(opened),
        delivered: opened + u64::from(words) + 1,
    }
}
