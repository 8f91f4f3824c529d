//! The paths that forwarding tables give, from every end port to every LID of the others.
//!
//! From a switch on, the path to a LID is the same for all end ports of that switch, so that it is
//! followed once for them. Cost: for each LID and each switch with end ports, 2n - 1 entries.

use std::collections::BTreeSet;

use super::forwarding::ForwardingTable;
use super::recognise::Recognised;
use super::wiring::{EndPort, Peer, Wiring};
use crate::deadlock::Dependencies;
use crate::table::{PATHS_MAX, PathTable, TableError, WeightedPath};
use crosswave_base::diagnostic::Error;
use crosswave_base::text::Mistakes;

/// Reads the table of the tree off forwarding tables; `origin` names them.
///
/// # Errors
/// Of [`Class::Input`](crosswave_base::diagnostic::Class::Input) with the switches and entries that are missing,
/// that name a port which is not there or not wired, or that lead elsewhere, in a circle, or on a
/// longer path than the shortest.
pub fn table(
    wiring: &Wiring,
    found: &Recognised,
    forwarding: &[ForwardingTable],
    origin: &str,
) -> Result<PathTable, Error> {
    let mut follower = Follower::new(wiring, found, forwarding, origin)?;
    let mut paths = Vec::new();
    for (destination, &end) in (0..).zip(&found.nodes) {
        let end_port = &wiring.end_ports[end];
        for lid in end_port.lid..end_port.lid + end_port.lids() {
            follower.check_entries(lid, end_port);
            for leaf in &follower.leaves.clone() {
                let Some(top) = follower.top(leaf, lid, end) else {
                    continue;
                };
                let sources = leaf.nodes.iter().filter(|&&source| source != destination);
                paths.extend(sources.map(|&source| WeightedPath {
                    source,
                    destination,
                    top,
                    weight: 1,
                }));
            }
        }
    }
    follower.say_of_deadlock();
    follower.mistakes.finish()?;
    PathTable::new(found.tree, origin, paths).map_err(|error| refused(error, origin))
}

fn refused(error: TableError, origin: &str) -> Error {
    let mut mistakes = Mistakes::new(origin);
    mistakes.add("table", error.to_string(), "");
    mistakes.finish().expect_err("there is a mistake")
}

/// A switch with end ports, and their nodes.
#[derive(Debug, Clone)]
struct Leaf {
    switch: usize,
    nodes: Vec<u32>,
}

/// A step of a path: a switch, and the port by which it is left.
type Step = (usize, u32);

/// The end of a path.
enum End {
    At(usize),
    /// A switch at which the path began to go round.
    Circle(usize),
    /// It was said why.
    Nowhere,
}

struct Follower<'a> {
    wiring: &'a Wiring,
    found: &'a Recognised,
    /// By switch.
    tables: Vec<&'a ForwardingTable>,
    leaves: Vec<Leaf>,
    mistakes: Mistakes<'a>,
    /// Switches and LIDs of which something was said.
    said: BTreeSet<(usize, u32)>,
    /// True when a path reaches its end, but is no shortest one.
    has_detours: bool,
}

impl<'a> Follower<'a> {
    fn new(
        wiring: &'a Wiring,
        found: &'a Recognised,
        forwarding: &'a [ForwardingTable],
        origin: &'a str,
    ) -> Result<Self, Error> {
        let (tree, nodes) = (found.tree, found.nodes.len());
        PathTable::check(tree).map_err(|error| refused(error, origin))?;
        let lids: usize = wiring.end_ports.iter().map(|end| end.lids() as usize).sum();
        if lids.saturating_mul(nodes) > PATHS_MAX {
            return Err(refused(TableError::Paths, origin));
        }
        let mut mistakes = Mistakes::new(origin);
        let mut tables = Vec::new();
        for switch in &wiring.switches {
            match forwarding.binary_search_by_key(&switch.guid, |table| table.guid) {
                Ok(place) => tables.push(&forwarding[place]),
                Err(_) => mistakes.add(
                    switch.title(),
                    "found no forwarding table, expected one for each switch of the wiring",
                    "dump wiring and tables at one time",
                ),
            }
        }
        mistakes.finish()?;
        let mut leaves: Vec<Leaf> = Vec::new();
        for (node, &end) in (0..).zip(&found.nodes) {
            let switch = wiring.end_ports[end].switch;
            match leaves.last_mut().filter(|leaf| leaf.switch == switch) {
                Some(leaf) => leaf.nodes.push(node),
                None => leaves.push(Leaf {
                    switch,
                    nodes: vec![node],
                }),
            }
        }
        Ok(Follower {
            wiring,
            found,
            tables,
            leaves,
            mistakes: Mistakes::new(origin),
            said: BTreeSet::new(),
            has_detours: false,
        })
    }

    fn title(&self, switch: usize) -> String {
        self.wiring.switches[switch].title()
    }

    /// Says something of an entry, once.
    fn say(&mut self, (switch, lid): (usize, u32), message: String, help: &str) {
        if self.said.insert((switch, lid)) {
            let line = self.tables[switch].entry(lid).map(|entry| entry.line);
            let line = line.map_or(String::new(), |line| format!("line {line}, "));
            let place = format!("{line}{}, LID {lid:#06x}", self.title(switch));
            self.mistakes.add(place, message, help);
        }
    }

    /// Finds entries, used or not, that name ports which are not there, and such as were made for
    /// another port of that LID.
    fn check_entries(&mut self, lid: u32, end: &EndPort) {
        for switch in 0..self.tables.len() {
            let Some(&entry) = self.tables[switch].entry(lid) else {
                continue;
            };
            let ports = self.wiring.switches[switch].ports.len();
            if entry.port as usize > ports {
                let message = format!(
                    "found port {}, which is not there; expected 1 to {ports}",
                    entry.port
                );
                self.say((switch, lid), message, "");
            }
            if let (Some(found), Some(expected)) = (entry.port_guid, end.port_guid)
                && found != expected
            {
                let message = format!(
                    "found destination 0x{found:016x}, expected 0x{expected:016x}, which has this LID in the \
                     wiring"
                );
                self.say((switch, lid), message, "dump wiring and tables at one time");
            }
        }
    }

    /// The steps from a switch to a LID.
    fn steps(&mut self, leaf: usize, lid: u32) -> (Vec<Step>, End) {
        let mut steps: Vec<Step> = Vec::new();
        let mut switch = leaf;
        loop {
            if steps.len() > 2 * self.found.tree.levels() as usize
                && let Some(begin) = steps.iter().position(|step| step.0 == switch)
            {
                return (steps, End::Circle(begin));
            }
            let Some(entry) = self.tables[switch].entry(lid) else {
                let message =
                    "found no entry, expected a port that leads to this end port".to_owned();
                self.say((switch, lid), message, "");
                return (steps, End::Nowhere);
            };
            let port = entry.port;
            let Some(peer) = self.wiring.switches[switch].peer(port) else {
                // Those that are not there have been found before.
                let what = match port {
                    0 => "the switch itself",
                    _ => "which is not wired",
                };
                let message =
                    format!("found port {port}, {what}; expected one that leads to this end port");
                self.say((switch, lid), message, "");
                return (steps, End::Nowhere);
            };
            steps.push((switch, port));
            match peer {
                Peer::EndPort(end) => return (steps, End::At(end)),
                Peer::Switch(next) => switch = next,
            }
        }
    }

    /// The top switch of the path from a switch to a LID of an end port; `None` where it is no
    /// shortest path, which is said.
    fn top(&mut self, leaf: &Leaf, lid: u32, end: usize) -> Option<u32> {
        let (steps, ending) = self.steps(leaf.switch, lid);
        let destination = self.found.node_of[end];
        let meeting = self.found.tree.meeting_height(leaf.nodes[0], destination);
        let expected = 2 * meeting as usize + 1;
        let last = steps.last().copied();
        match ending {
            End::Nowhere => None,
            End::At(found) if found != end => {
                let (switch, port) = last.expect("a path ends after a step");
                let message = format!(
                    "port {port} leads to {}, expected {}",
                    self.wiring.end_ports[found].title(),
                    self.wiring.end_ports[end].title()
                );
                self.say((switch, lid), message, "");
                None
            }
            End::Circle(begin) => {
                let circle = self.shown(&steps[begin..]);
                let message = format!("packets go round: {circle}; expected a shortest path");
                self.say((steps[begin].0, lid), message, "");
                None
            }
            End::At(_) if steps.len() != expected => {
                self.has_detours = true;
                let climbs = self.climb_after_descent(&steps);
                let at = climbs.unwrap_or(leaf.switch);
                let why = match climbs {
                    Some(_) => ", and climbs here after it came down",
                    None => "",
                };
                let message = format!(
                    "the path from {} goes through {} switches{why}: {}; expected {expected}, up, then down",
                    self.title(leaf.switch),
                    steps.len(),
                    self.shown(&steps)
                );
                self.say((at, lid), message, "");
                None
            }
            End::At(_) => Some(self.found.places[steps[meeting as usize].0].top),
        }
    }

    /// The first switch that sends up what came from above.
    fn climb_after_descent(&self, steps: &[Step]) -> Option<usize> {
        let height = |step: &Step| self.found.places[step.0].height;
        let turns = steps
            .windows(3)
            .find(|at| height(&at[1]) < height(&at[0]) && height(&at[2]) > height(&at[1]));
        turns.map(|at| at[1].0)
    }

    fn shown(&self, steps: &[Step]) -> String {
        let steps: Vec<String> = steps
            .iter()
            .map(|&(switch, port)| format!("S-{:016x}[{port}]", self.wiring.switches[switch].guid))
            .collect();
        steps.join(" -> ")
    }

    /// Reports paths that can wait for each other in a circle, where paths are longer than need be.
    fn say_of_deadlock(&mut self) {
        if !self.has_detours {
            return;
        }
        let mut dependencies = Dependencies::default();
        // No switch has more ports.
        let ports = super::wiring::PORT_MAX + 1;
        for lid in self
            .wiring
            .end_ports
            .iter()
            .flat_map(|end| end.lid..end.lid + end.lids())
        {
            for leaf in 0..self.leaves.len() {
                let (steps, _) = self.steps(self.leaves[leaf].switch, lid);
                let channels = steps
                    .iter()
                    .map(|&(switch, port)| switch as u32 * ports + port);
                dependencies.add(&channels.collect::<Vec<u32>>());
            }
        }
        let message = match dependencies.circle() {
            None => {
                "no paths wait for each other in a circle, so that these are free of deadlock, but \
                     expected are shortest paths"
                    .to_owned()
            }
            Some(circle) => {
                let steps: Vec<Step> = circle
                    .iter()
                    .map(|&channel| ((channel / ports) as usize, channel % ports))
                    .collect();
                let circle = self.shown(&steps);
                format!("paths can wait for each other in a circle, which is a deadlock: {circle}")
            }
        };
        self.mistakes.first("tables", message, "");
    }
}
