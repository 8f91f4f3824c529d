//! Layout of a network's drawing: the chips, and the wires that join them.
//!
//! Nodes are the lowest row and the ranks of routers the rows above it. Where nodes receive at
//! other ports than they send, the receivers are a row of their own at the top. What is drawn is
//! a *block*: a chip, or where the network has more chips than can be told apart, those of
//! some groups that follow one another in a row, up to [`BLOCKS_MAX`] of which a row has. Blocks
//! are numbered row by row. Wires that lead from one block to the same other one are one line.

use std::collections::BTreeMap;

use serde::Serialize;

use crosswave_network::path::follow;
use crosswave_network::topology::{NODES, OnPath, Topology};
use crosswave_network::{Fabric, LinkPort};

/// Chips up to which each is drawn, unless a page is told another number.
pub const CHIPS_MAX: usize = 600;
/// Blocks of a row that stand for more than one chip each.
pub const BLOCKS_MAX: u32 = 64;

/// Width of the drawing, in the unit of places across.
const WIDTH: f64 = 10_000.0;
/// The part of its place that a group takes up.
const FILLED: f64 = 0.9;

/// A row of blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The name of the row.
    pub name: String,
    /// Its chips: chip `i` of `c` is in block `i * b / c` of `b`.
    pub chips: u32,
    /// The place of each block, in parts of 10,000 of the width.
    pub x: Vec<u32>,
}

/// Wires from a block to another one, or one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line {
    /// The block that sends heads.
    pub from: u32,
    /// The block that they come to.
    pub to: u32,
    /// The link port where the wire begins and the one where it ends; `None` where a line is
    /// wires of several chips.
    pub ports: Option<(u8, u8)>,
}

/// The drawing of a network.
#[derive(Debug, Clone)]
pub struct PageLayout {
    /// Rows from the senders on.
    pub rows: Vec<Row>,
    /// True when every chip is a block.
    pub is_single: bool,
    /// True when receivers have a row of their own, the last one.
    pub has_receivers: bool,
    /// Lines with the number of their wires.
    pub lines: BTreeMap<Line, u32>,
    /// For each rank, and each link port of its routers, the row that it leads to.
    pub leads: Vec<Vec<Option<usize>>>,
    /// The number of each row's first block, and that of all blocks.
    first_block: Vec<u32>,
}

impl PageLayout {
    /// The drawing of a network, whose fabric is given; every chip where there are so many at
    /// most.
    pub fn new(topology: &dyn Topology, fabric: &Fabric, chips_max: usize) -> PageLayout {
        let nodes = topology.nodes();
        let sends = sending_links(topology);
        let has_receivers = fabric.arrays[NODES].chip.links.len() > sends.len();
        let ranks = topology.drawing().ranks();
        let chips = nodes as usize + fabric.routers();
        let is_single = chips <= chips_max;
        let row = |name: &str, chips: u32, groups: u32| Row {
            name: name.to_owned(),
            chips,
            x: match is_single {
                true => places(chips, groups),
                false => {
                    let most = groups.min(BLOCKS_MAX);
                    let fits = |blocks: &u32| groups.is_multiple_of(*blocks);
                    let blocks = (1..=most).rev().find(fits).unwrap_or(1);
                    places(blocks, blocks)
                }
            },
        };
        let ends = if has_receivers { "senders" } else { "nodes" };
        let mut rows = vec![row(ends, nodes, nodes)];
        rows.extend(ranks.iter().map(|r| row(&r.name, r.routers, r.groups)));
        if has_receivers {
            rows.push(row("receivers", nodes, nodes));
        }
        let mut first_block = vec![0];
        for row in &rows {
            let last = first_block[first_block.len() - 1];
            first_block.push(last + row.x.len() as u32);
        }
        let links = (0..fabric.routers()).map(|router| fabric.router_links(router).len());
        let links = links.max().unwrap_or(0);
        let mut layout = PageLayout {
            leads: vec![vec![None; links]; ranks.len()],
            rows,
            is_single,
            has_receivers,
            lines: BTreeMap::new(),
            first_block,
        };
        layout.join(topology, fabric, &sends);
        layout
    }

    /// The block of a chip, which has a place in a row.
    pub(crate) fn block(&self, row: usize, place: u32) -> u32 {
        let Row { chips, x, .. } = &self.rows[row];
        let block = u64::from(place) * x.len() as u64 / u64::from(*chips);
        self.first_block[row] + block as u32
    }

    /// Finds all lines.
    fn join(&mut self, topology: &dyn Topology, fabric: &Fabric, sends: &[usize]) {
        let inputs = topology.inputs();
        let drawing = topology.drawing();
        let standings: Vec<(usize, u32)> = (0..fabric.routers())
            .map(|router| drawing.standing(router as u32))
            .collect();
        let receivers = self.rows.len() - 1;
        // Destination of a head that is put on the wire at a port; none from a port that takes
        // heads in.
        let comes_to = |from: LinkPort| {
            let (_, to) = follow(fabric, from)?;
            if let Some(router) = fabric.router_number(to.array, to.instance) {
                let (rank, place) = standings[router];
                return (to.link < inputs).then_some((rank + 1, place, to.link));
            }
            match to.array {
                NODES if !self.has_receivers => {
                    Some((0, topology.node_of_instance(to.instance), to.link))
                }
                NODES if !sends.contains(&to.link) => {
                    Some((receivers, topology.node_of_instance(to.instance), to.link))
                }
                _ => None,
            }
        };
        let mut lines = BTreeMap::new();
        let mut leads = self.leads.clone();
        let mut join = |from: u32, output: usize, (row, place, input): (usize, u32, usize)| {
            let line = Line {
                from,
                to: self.block(row, place),
                ports: self.is_single.then_some((output as u8, input as u8)),
            };
            *lines.entry(line).or_insert(0) += 1;
        };
        for instance in 0..fabric.nodes {
            let from = self.block(0, topology.node_of_instance(instance));
            for &link in sends {
                let port = LinkPort {
                    array: NODES,
                    instance,
                    link,
                };
                if let Some(to) = comes_to(port) {
                    join(from, link, to);
                }
            }
        }
        for (router, &(rank, place)) in standings.iter().enumerate() {
            let from = self.block(rank + 1, place);
            let (array, instance) = fabric.router_place(router);
            let links = fabric.router_links(router).len();
            for (link, led) in leads[rank][..links].iter_mut().enumerate() {
                let port = LinkPort {
                    array,
                    instance,
                    link,
                };
                if let Some(to) = comes_to(port) {
                    led.get_or_insert(to.0);
                    join(from, link, to);
                }
            }
        }
        self.lines = lines;
        self.leads = leads;
    }
}

/// The link ports of interfaces at which messages leave.
fn sending_links(topology: &dyn Topology) -> Vec<usize> {
    let leaves = |draw: bool| {
        topology.leaves(OnPath {
            source: 0,
            destination: 1,
            chip: 0,
            arrived: 0,
            draw,
            way: 0,
        })
    };
    let mut sends = vec![leaves(false), leaves(true)];
    sends.dedup();
    sends
}

/// Places of so many chips, of which some make a group each time, in parts of the width.
fn places(chips: u32, groups: u32) -> Vec<u32> {
    let of_group = chips / groups;
    let place = |chip: u32| {
        let (group, inside) = (chip / of_group, chip % of_group);
        let inside = (f64::from(inside) + 0.5) / f64::from(of_group) - 0.5;
        let at = f64::from(group) + 0.5 + inside * FILLED;
        (at / f64::from(groups) * WIDTH).round() as u32
    };
    (0..chips).map(place).collect()
}
