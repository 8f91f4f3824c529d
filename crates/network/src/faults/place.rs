//! Entries of a table of faults, found in a network by the names of its chips.

use std::collections::BTreeMap;

use super::{FaultEntry, Faults, Window};
use super::{PORTS, RANDOM_ROUTERS, RANDOM_WIRES, ROUTERS, STACKS, STUCK, WIRES};
use crate::path::follow;
use crate::topology::{self, NODES, Topology};
use crate::{Fabric, LinkPort, OPEN};
use crosswave_base::random;
use crosswave_chips::rn1::PORTS_A_SIDE;
use crosswave_chips::{rn1_delay_line, rn1_interface};
use crosswave_document::{Key, Wrong};

/// The random stream that draws routers.
const STREAM_ROUTERS: u64 = u64::from_be_bytes(*b"flt-rout");
/// The random stream that draws wires.
const STREAM_WIRES: u64 = u64::from_be_bytes(*b"flt-wire");

/// A key whose entry, or value, does not fit the network.
pub type Misplaced = (Key, Wrong);

/// Faults by the places where they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placed {
    /// Ports of routers and of nodes that are off, by array, instance and link port.
    pub(super) off: BTreeMap<(usize, usize, usize), Vec<Window>>,
    /// Wires that are wrong, by the link port that drives them forward.
    pub(super) wires: BTreeMap<u32, Wire>,
}

/// The faults of a wire, forward and backward.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wire {
    pub(super) ways: [Option<Stuck>; 2],
}

/// A direction of a wire that is stuck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stuck {
    pub(super) word: u16,
    pub(super) windows: Vec<Window>,
}

impl Wire {
    /// True when both ends see rest in all cycles, so that there is no wire.
    pub(super) fn is_cut(&self) -> bool {
        let gone = |way: &Option<Stuck>| {
            let stuck = way.as_ref();
            stuck.is_some_and(|stuck| stuck.word == 0 && stuck.is_permanent())
        };
        self.ways.iter().all(gone)
    }
}

impl Stuck {
    fn is_permanent(&self) -> bool {
        self.windows.contains(&Window::ALWAYS)
    }
}

impl Placed {
    /// Wires that take a chip to be stuck.
    pub fn fault_lines(&self) -> usize {
        let stuck = self.wires.values().filter(|wire| !wire.is_cut());
        stuck.count()
    }

    /// Wires that are cut in all cycles.
    pub fn cut_wires(&self) -> usize {
        self.wires.len() - self.fault_lines()
    }

    /// Finds faults in a network, whose fabric has none.
    ///
    /// # Errors
    /// Everything that does not fit it.
    pub fn new(
        faults: &Faults,
        network: &dyn Topology,
        fabric: &Fabric,
    ) -> Result<Placed, Vec<Misplaced>> {
        let mut finder = Finder {
            faults,
            fabric,
            instances: instances(faults, fabric),
            placed: Placed::default(),
            misplaced: Vec::new(),
        };
        finder.each(&faults.routers, ROUTERS, Finder::router);
        finder.stacks(network);
        finder.each(&faults.ports, PORTS, Finder::port);
        finder.each(&faults.wires, WIRES, Finder::wire);
        finder.each(&faults.stuck, STUCK, Finder::stuck);
        finder.draw();
        match finder.misplaced.is_empty() {
            true => Ok(finder.placed),
            false => Err(finder.misplaced),
        }
    }
}

/// The routers and nodes that entries name.
fn instances<'f>(faults: &'f Faults, fabric: &Fabric) -> BTreeMap<&'f str, (usize, usize)> {
    let of_ports = [&faults.ports, &faults.wires, &faults.stuck];
    let of_ports = of_ports.into_iter().flatten();
    let of_ports = of_ports.filter_map(|entry| Some(entry.name.rsplit_once('.')?.0));
    let routers = faults.routers.iter().map(|entry| entry.name.as_str());
    let wanted: Vec<&str> = routers.chain(of_ports).collect();
    let mut found = BTreeMap::new();
    if wanted.is_empty() {
        return found;
    }
    let wanted: BTreeMap<&str, &'f str> = wanted.into_iter().map(|name| (name, name)).collect();
    for array in [topology::ROUTERS, NODES] {
        for instance in 0..fabric.arrays[array].instances {
            let name = fabric.instance_name(array, instance);
            if let Some(name) = wanted.get(name.as_str()) {
                found.insert(*name, (array, instance));
            }
        }
    }
    found
}

/// The result of an entry: found, or else what it names instead and how to fix it.
type Found = Result<(), (String, String)>;

struct Finder<'f> {
    faults: &'f Faults,
    fabric: &'f Fabric,
    instances: BTreeMap<&'f str, (usize, usize)>,
    placed: Placed,
    misplaced: Vec<Misplaced>,
}

impl<'f> Finder<'f> {
    fn each(
        &mut self,
        entries: &[FaultEntry],
        key: Key,
        find: fn(&mut Self, &FaultEntry) -> Found,
    ) {
        for (at, entry) in entries.iter().enumerate() {
            if let Err((message, help)) = find(self, entry) {
                let wrong = Wrong {
                    entry: Some(at),
                    message,
                    help,
                };
                self.misplaced.push((key, wrong));
            }
        }
    }

    /// An example of a router's name.
    fn example(&self) -> String {
        self.fabric.instance_name(topology::ROUTERS, 0)
    }

    fn router(&mut self, entry: &FaultEntry) -> Found {
        match self.instances.get(entry.name.as_str()) {
            Some(&(topology::ROUTERS, instance)) => {
                self.router_off(instance, entry.window);
                Ok(())
            }
            _ => Err((
                format!("{:?}; expected the name of a router", entry.name),
                format!("such as {:?}", self.example()),
            )),
        }
    }

    fn router_off(&mut self, instance: usize, window: Window) {
        for link in 0..2 * PORTS_A_SIDE {
            self.port_off(topology::ROUTERS, instance, link, window);
        }
    }

    /// Switches a port off, and with masking the one at the other end of its wire.
    fn port_off(&mut self, array: usize, instance: usize, link: usize, window: Window) {
        let mut off = |at: LinkPort| {
            let windows = self.placed.off.entry((at.array, at.instance, at.link));
            windows.or_default().push(window);
        };
        let at = LinkPort {
            array,
            instance,
            link,
        };
        off(at);
        if self.faults.masked
            && let Some((_, other)) = follow(self.fabric, at)
            && has_enable(other)
        {
            off(other);
        }
    }

    fn stacks(&mut self, network: &dyn Topology) {
        let faults = self.faults;
        if faults.stacks.is_empty() {
            return;
        }
        let mut found = vec![false; faults.stacks.len()];
        for router in 0..self.fabric.arrays[topology::ROUTERS].instances {
            let Some(stack) = network.drawing().stack_of(router as u32) else {
                continue;
            };
            for (entry, found) in faults.stacks.iter().zip(&mut found) {
                if entry.name == stack {
                    *found = true;
                    self.router_off(router, entry.window);
                }
            }
        }
        let example = network.drawing().stack_of(0);
        let missing = faults.stacks.iter().zip(found).enumerate();
        let missing = missing.filter(|(_, (_, found))| !found);
        self.misplaced.extend(missing.map(|(at, (entry, _))| {
            let help = match &example {
                Some(stack) => format!("such as {stack:?}"),
                None => "stacks of this kind of network have no names: name routers".into(),
            };
            let wrong = Wrong {
                entry: Some(at),
                message: format!("{:?}; expected the name of a stack", entry.name),
                help,
            };
            (STACKS, wrong)
        }));
    }

    /// The link port that an entry names.
    fn link_port(&self, entry: &FaultEntry) -> Result<LinkPort, (String, String)> {
        let named = entry.name.rsplit_once('.').and_then(|(name, port)| {
            let &(array, instance) = self.instances.get(name)?;
            let links = self.fabric.arrays[array].chip.links;
            let link = links.iter().position(|link| *link == port)?;
            Some(LinkPort {
                array,
                instance,
                link,
            })
        });
        named.ok_or_else(|| {
            (
                format!("{:?}; expected a port of a router or a node", entry.name),
                format!("such as \"{}.o5\" or \"node_0.t1\"", self.example()),
            )
        })
    }

    fn port(&mut self, entry: &FaultEntry) -> Found {
        let at = self.link_port(entry)?;
        if !has_enable(at) {
            return Err((
                format!("{:?}; a node takes in whatever comes", entry.name),
                "name the port of the router at the other end, or a wire".into(),
            ));
        }
        self.port_off(at.array, at.instance, at.link, entry.window);
        Ok(())
    }

    fn wire(&mut self, entry: &FaultEntry) -> Found {
        for way in 0..2 {
            self.stick(entry, way, 0)?;
        }
        Ok(())
    }

    fn stuck(&mut self, entry: &FaultEntry) -> Found {
        let at = self.link_port(entry)?;
        let word = entry.word.expect("entries of this list have one");
        self.stick(entry, usize::from(!drives_forward(at)), word)
    }

    /// Notes that a wire is stuck one way, 0 forward and 1 backward.
    fn stick(&mut self, entry: &FaultEntry, way: usize, word: u16) -> Found {
        let at = self.link_port(entry)?;
        if self.fabric.peer(at).is_none() {
            return Err((
                format!("{:?}; the port leads nowhere", entry.name),
                "name a port with a wire".into(),
            ));
        }
        let near = match drives_forward(at) {
            true => at,
            false => follow(self.fabric, at).expect("it leads somewhere").1,
        };
        if entry.window != Window::ALWAYS && !is_long(self.fabric, near) {
            return Err((
                format!("{:?}; the wire has no extra clock", entry.name),
                "leave the cycles out: wires within stacks, of processors and of butterflies have \
                 none; network.link_delay_cycles and loop_back_cycles give some to others"
                    .into(),
            ));
        }
        let wire = self.placed.wires.entry(self.fabric.number(near));
        let stuck = wire.or_default().ways[way].get_or_insert(Stuck {
            word,
            windows: Vec::new(),
        });
        if stuck.word != word {
            return Err((
                format!(
                    "{:?}; the wire is stuck at {:#05x} as well",
                    entry.name, stuck.word
                ),
                "give a wire one word in each direction".into(),
            ));
        }
        stuck.windows.push(entry.window);
        Ok(())
    }

    /// Draws the random faults.
    fn draw(&mut self) {
        let Faults {
            random_routers,
            random_wires,
            seed,
            ..
        } = *self.faults;
        let routers = self.fabric.arrays[topology::ROUTERS].instances;
        if random_routers > 0 && self.enough(RANDOM_ROUTERS, random_routers, routers) {
            let all = (0..routers as u32).collect();
            for router in random::choose(all, random_routers, seed, STREAM_ROUTERS) {
                self.router_off(router as usize, Window::ALWAYS);
            }
        }
        if random_wires == 0 {
            return;
        }
        let all = self.wires_behind(routers);
        if self.enough(RANDOM_WIRES, random_wires, all.len()) {
            for near in random::choose(all, random_wires, seed, STREAM_WIRES) {
                let gone = Some(Stuck {
                    word: 0,
                    windows: vec![Window::ALWAYS],
                });
                let ways = [gone.clone(), gone];
                self.placed.wires.insert(near, Wire { ways });
            }
        }
    }

    /// The wires behind routers that no list names.
    fn wires_behind(&self, routers: usize) -> Vec<u32> {
        let of_routers = 0..(2 * PORTS_A_SIDE * routers) as u32;
        let drives = |&port: &u32| {
            let output = port as usize % (2 * PORTS_A_SIDE) >= PORTS_A_SIDE;
            let listed = self.placed.wires.contains_key(&port);
            output && !listed && self.fabric.peers[port as usize] != OPEN
        };
        of_routers.filter(drives).collect()
    }

    /// True when there are as many to draw from.
    fn enough(&mut self, key: Key, count: u32, all: usize) -> bool {
        let enough = count as usize <= all;
        if !enough {
            let message = format!("found {count}; the network has {all}");
            let wrong = Wrong::new(message, format!("expected 0 to {all}"));
            self.misplaced.push((key, wrong));
        }
        enough
    }
}

/// True when a port can be switched off by a pin: those of routers, and those by which nodes send.
fn has_enable(at: LinkPort) -> bool {
    at.array == topology::ROUTERS || drives_forward(at)
}

/// True when a port of a router or a node drives its wire forward.
fn drives_forward(at: LinkPort) -> bool {
    match at.array {
        topology::ROUTERS => at.link >= PORTS_A_SIDE,
        _ => at.link < rn1_interface::R0,
    }
}

/// True when the wire that a port drives forward has extra clocks.
pub(super) fn is_long(fabric: &Fabric, near: LinkPort) -> bool {
    let next = fabric.peer(near);
    next.is_some_and(|next| fabric.arrays[next.array].chip.name == rn1_delay_line::CHIP.name)
}
