//! The fat tree as a topology: clocks of messages' ways, where attempts are rejected, and
//! what is told of the tree.

use std::cmp::Ordering;

use serde_json::json;

use super::{FatTree, Release};
use crate::Fabric;
use crate::path_clocks::{PathClocks, RejectedBy};
use crate::topology::{
    Arrival, CollisionTracing, Footprint, NetworkDrawing, OnPath, PathTiming, Rank, RoundTiming,
    Summary, Topology, Untraced, VerilogHost,
};
use crosswave_chips::endpoint::Endpoint;
use crosswave_chips::fat_tree_grants::{A, B, C, D};
use crosswave_chips::routing::{self, HeaderBytes, Route};
use crosswave_chips::switch::Switch;
use crosswave_chips::{Chip, delay_line, fat_tree_router, fat_tree_tail_router, network_interface};
use crosswave_probe::message::{CountForm, RejectedAt, RejectionRow, Rejections};

/// Rows of rejected attempts.
const TURNING: usize = 0;
const UPWARD: usize = 1;
const DOWNWARD: usize = 2;
const REFUSED: usize = 3;
const UNPLACED: usize = 4;

impl Topology for FatTree {
    fn nodes(&self) -> u32 {
        self.nodes
    }

    fn fabric(&self) -> Fabric {
        self.fabric()
    }

    fn node_of_instance(&self, instance: usize) -> u32 {
        self.node_of_instance(instance)
    }

    fn endpoint(&self) -> &'static dyn Endpoint {
        &network_interface::Circuit
    }

    fn switch(&self) -> Option<&'static dyn Switch> {
        Some(match self.release {
            Release::Tail => &fat_tree_tail_router::SWITCH,
            _ => &fat_tree_router::SWITCH,
        })
    }

    fn route(&self, _: u32, _: u32) -> Route {
        Route::default()
    }

    fn routers_on_path(&self, source: u32, destination: u32) -> u32 {
        routing::path_routers(source, destination)
    }

    fn leaves(&self, at: OnPath) -> usize {
        let turn = routing::turn_level(at.source, at.destination);
        match at.chip.checked_sub(1) {
            None => 0,
            Some(level) if level < turn => match at.draw && !self.upstream_single(level) {
                true => D,
                false => C,
            },
            Some(hop) => match at.destination >> routing::hop_level(turn, hop) & 1 {
                0 => A,
                _ => B,
            },
        }
    }

    fn header(&self, source: u32, destination: u32) -> HeaderBytes {
        routing::header(source, destination)
    }

    fn reads(&self, at: OnPath) -> String {
        let turn = routing::turn_level(at.source, at.destination);
        let hop = at.chip - 1;
        match hop.cmp(&turn) {
            Ordering::Less => format!("byte 0: turn at level {turn}, not {hop}"),
            Ordering::Equal => format!("byte 0: turn at level {turn}"),
            Ordering::Greater => {
                let level = routing::hop_level(turn, hop);
                let byte = self.header(at.source, at.destination).len() as u32 - 1 - level / 8;
                let bit = at.destination >> level & 1;
                format!("bit {} of byte {byte}: {bit}", level % 8)
            }
        }
    }

    fn timing(&self) -> Box<dyn PathTiming> {
        let clocks = self.clocks();
        Box::new(Timing {
            rejected: rejected(&clocks, self.levels()),
            clocks,
            early_acknowledge: self.release == Release::EarlyAcknowledge,
        })
    }

    /// Attempts rejected while turning into the other downstream port of a level, on their
    /// way up (in a full tree there are none) and on their way down; refused by the receiver,
    /// whose check of the payload failed; and those whose sender cannot tell the place.
    fn rejections(&self) -> Rejections {
        let levels = self.levels() as usize;
        let placed = self.release != Release::Tail;
        let known = |shown| if placed { shown } else { CountForm::Unknown };
        let upward = match placed && !self.is_full() {
            true => CountForm::List,
            false => CountForm::Hidden,
        };
        Rejections {
            title: "collisions",
            places: "collisions at level",
            descending: true,
            rows: vec![
                RejectionRow::new(
                    "turning_by_level",
                    "turning",
                    known(CountForm::List),
                    levels,
                ),
                RejectionRow::new("upward_by_level", "upward", upward, levels),
                RejectionRow::new(
                    "downward_by_level",
                    "downward",
                    known(CountForm::List),
                    levels,
                ),
                RejectionRow::new(
                    "refused_by_receiver",
                    "refused",
                    known(CountForm::Number),
                    1,
                ),
                RejectionRow::new("unplaced", "unplaced", CountForm::Hidden, 1),
            ],
        }
    }

    fn drawing(&self) -> &dyn NetworkDrawing {
        self
    }

    /// A router that the tail frees keeps the answers that are awaited.
    fn footprint(&self) -> Footprint {
        const AWAITED_BYTES: u64 = 63;
        let of_circuit = Footprint::of_routers(self.router_chip().links.len());
        match self.release {
            Release::Tail => Footprint {
                model_bytes_per_router: of_circuit.model_bytes_per_router + AWAITED_BYTES,
                ..of_circuit
            },
            _ => of_circuit,
        }
    }

    fn chips(&self) -> Vec<(&'static Chip, u64)> {
        vec![
            (self.router_chip(), self.routers() as u64),
            (&network_interface::CHIP, u64::from(self.nodes)),
            (&delay_line::CHIP, self.delay_lines() as u64),
        ]
    }

    fn summary(&self) -> Summary {
        let levels = self.levels();
        let links: usize = (0..levels).map(|level| self.links_below(level)).sum();
        let open = 2 * self.capacities.last().copied().unwrap_or(1);
        let (far, clocks) = (self.nodes - 1, self.clocks());
        let (head, answer) = (clocks.forward(0, far), clocks.backward(0, far));
        let routers = routing::path_routers(0, far);
        let mut fields = vec![("levels", json!(levels))];
        let mut rows = vec![("levels".to_owned(), levels.to_string())];
        if !self.is_full() {
            fields.push(("capacities", json!(self.capacities)));
            let capacities: Vec<String> = self.capacities.iter().map(u32::to_string).collect();
            rows.push(("capacities".to_owned(), capacities.join(", ")));
        }
        fields.extend([
            ("routers", json!(self.routers())),
            ("links", json!(links)),
            ("diameter_routers", json!(routers)),
            ("diameter_head_cycles", json!(head)),
            ("diameter_answer_cycles", json!(answer)),
        ]);
        rows.extend([
            ("routers".to_owned(), self.routers().to_string()),
            (
                "links".to_owned(),
                format!("{links} (and {open} open at the root)"),
            ),
        ]);
        let diameter = format!("{routers} routers: head {head} cycles, answer {answer} cycles");
        Summary {
            fields,
            rows,
            last_rows: vec![("diameter".to_owned(), diameter)],
        }
    }

    fn collisions(&self) -> Result<&dyn CollisionTracing, Untraced> {
        if self.release == Release::Tail {
            return Err(Untraced {
                why: "with router.release = \"tail\" no circuit stands that a collision could be traced along",
                instead: "set another release; the JSON has how many collisions there were",
            });
        }
        Ok(self)
    }

    fn chip_family(&self) -> &'static [&'static Chip] {
        static FAMILY: [&Chip; 4] = [
            &fat_tree_router::CHIP,
            &fat_tree_tail_router::CHIP,
            &network_interface::CHIP,
            &delay_line::CHIP,
        ];
        &FAMILY
    }

    fn verilog_host(&self) -> Option<VerilogHost> {
        let clocks = self.clocks();
        Some(VerilogHost {
            climb_cycles: (0..self.levels())
                .map(|level| clocks.climb(level))
                .collect(),
            options: format!(
                "+strategy={}\n+backoff_limit={}\n+winner_fixed={}\n+early_acknowledge={}\n",
                self.strategy,
                self.backoff_limit,
                u8::from(self.winner_fixed),
                u8::from(self.release == Release::EarlyAcknowledge),
            ),
            instance_bits: (0..self.levels())
                .map(|bit| self.node_instance(1 << bit).ilog2())
                .collect(),
            // Interfaces draw for the back-off only.
            nodes_draw: "!held && backoff_limit != 4'd0",
        })
    }
}

impl NetworkDrawing for FatTree {
    /// A level with the nodes of the tree as groups.
    fn ranks(&self) -> Vec<Rank> {
        let rank = |level: u32| Rank {
            name: format!("level {level}"),
            routers: self.routers_of(level) as u32,
            groups: self.nodes >> (level + 1),
        };
        (0..self.levels()).map(rank).collect()
    }

    fn standing(&self, router: u32) -> (usize, u32) {
        let (level, number) = self.numbering().level(router as usize);
        let (node, inside) = self.numbering().place(level, number);
        let place = node * self.capacities[level as usize] + inside;
        (level as usize, place)
    }
}

/// Clocks of messages' ways through a tree.
#[derive(Debug)]
struct Timing {
    clocks: PathClocks,
    /// For each level at which a path turns, where an attempt was rejected whose sender is told
    /// after so many clocks: row and place. After more of them it was refused.
    rejected: Vec<Vec<(u8, u8)>>,
    /// True when receivers acknowledge after the head.
    early_acknowledge: bool,
}

/// The table of [`Timing::rejected`] for a tree of so many levels.
fn rejected(clocks: &PathClocks, levels: u32) -> Vec<Vec<(u8, u8)>> {
    let rejections = clocks.rejections();
    let at = |turn, clocks| match rejections.by(turn, clocks) {
        RejectedBy::Hop(hop) => {
            let row = match hop.cmp(&turn) {
                Ordering::Less => UPWARD,
                Ordering::Equal => TURNING,
                Ordering::Greater => DOWNWARD,
            };
            (row, routing::hop_level(turn, hop))
        }
        RejectedBy::Receiver => (REFUSED, 0),
        RejectedBy::Someone => (UNPLACED, 0),
    };
    let byte = |number: usize| u8::try_from(number).expect("a tree has fewer rows and levels");
    let of_turn = |turn: u32| {
        let last = clocks.rejection(turn, 2 * turn);
        let places = (0..=last + 1).map(|clocks| {
            let (row, level) = at(turn, clocks);
            (byte(row), byte(level as usize))
        });
        places.collect()
    };
    (0..levels).map(of_turn).collect()
}

impl PathTiming for Timing {
    fn arrival(&self, source: u32, destination: u32, words: u32) -> Option<Arrival> {
        let way = self.clocks.forward(source, destination);
        Some(Arrival {
            opened: None,
            delivered: way + u64::from(words) + 1,
        })
    }

    /// An attempt that router `h` of its path rejects is reported 3h + 3 cycles (and the
    /// links' extra clocks) after its head left.
    fn rejected(&self, source: u32, destination: u32, clocks: u64, _: u32) -> RejectedAt {
        let rejected = &self.rejected[routing::turn_level(source, destination) as usize];
        let last = rejected.len() - 1;
        let (row, place) = rejected[last.min(clocks as usize)];
        RejectedAt {
            row: usize::from(row),
            place: usize::from(place),
        }
    }

    fn rounds(&self) -> Option<&dyn RoundTiming> {
        Some(self)
    }
}

/// Paths that turn at one level are alike.
impl RoundTiming for Timing {
    fn class(&self, source: u32, destination: u32) -> u32 {
        routing::turn_level(source, destination)
    }

    fn acknowledge(&self, turn: u32, words: u32) -> u64 {
        let path_words = turn.div_ceil(8);
        self.clocks
            .acknowledge(turn, path_words, words, self.early_acknowledge)
    }

    fn next_rejection(&self, turn: u32, after: u64) -> Option<u64> {
        self.clocks.next_rejection(turn, after)
    }
}
