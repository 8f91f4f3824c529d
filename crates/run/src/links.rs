//! Use of the links between routers of a designer's own, and between them and their endpoints.
//!
//! In each cycle a link has no flit, a flit that moves, or one that is offered and not taken, which is
//! *stalled*. Only links with ready signals show the last: with credits or on-off signals a flit is not
//! on the wire before there is room for it.
//!
//! A link is named by the router, or endpoint, that sends on it, and its link port. Flits of virtual
//! channels are counted apart. Links at the edges of a mesh lead nowhere and are left out.
//!
//! Cost: a few bits of each output link in each cycle, 64 routers to a word, and some steps for each
//! flit that is offered. Engines do not take bursts.

use std::io::{self, Write};

use crate::observer::Observer;
use crate::result::links::{BusyLink, LinkUse};
use crosswave_base::diagnostic::Diagnostic;
use crosswave_chips::{PinDirection, Role};
use crosswave_network::topology::{FlitPorts, NODES, PacketPorts, TaggedFlits, Topology};
use crosswave_network::{Fabric, LinkPort};
use crosswave_probe::engine::Engine;

/// The columns of the table.
pub const COLUMNS: [&str; 6] = [
    "router",
    "link",
    "vc",
    "flits",
    "stalled_cycles",
    "use_share",
];

/// The use of a link, or of a virtual channel of one.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkTableRow {
    /// The router, or endpoint, that sends.
    pub router: String,
    /// Its link.
    pub link: &'static str,
    /// The virtual channel, where there are several.
    pub channel: Option<u32>,
    /// Flits that moved.
    pub flits: u64,
    /// Cycles in which one was offered and not taken, where links show it.
    pub stalled_cycles: Option<u64>,
    /// Flits by cycles.
    pub use_share: f64,
}

/// Links in the summary.
const BUSIEST: usize = 10;

/// Counts of the flits of one virtual channel at an output link of all instances of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OutputCounts {
    array: usize,
    link: usize,
    /// The virtual channel, where there are several.
    channel: Option<u32>,
    /// Flits that moved, by instance.
    flits: Vec<u64>,
    /// Cycles in which one was offered and not taken; empty where links do not show it.
    stalled: Vec<u64>,
}

/// Counts of all links, over replicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkCounts(Vec<OutputCounts>);

/// The ports of flits in a network of a designer's own routers, and its virtual channels.
fn ports(network: &dyn Topology) -> Option<(TaggedFlits, usize)> {
    let channels = network.components().first()?.form.vcs;
    match network.packets()?.packet_ports() {
        PacketPorts::Tags(flits) => Some((flits, channels)),
        PacketPorts::Words { .. } | PacketPorts::Flits { .. } => None,
    }
}

/// The arrays with links: those of routers, and the endpoints.
fn arrays(fabric: &Fabric) -> impl Iterator<Item = usize> + use<> {
    fabric.router_arrays().chain([NODES])
}

/// The ports of the output links of an array, with the numbers of the links.
fn outputs(flits: &TaggedFlits, array: usize) -> impl Iterator<Item = (usize, &FlitPorts)> {
    let links = flits.outputs[array].iter().enumerate();
    links.filter_map(|(link, ports)| Some((link, ports.as_ref()?)))
}

impl LinkCounts {
    /// No flits yet in a network with such a fabric; `None` where routers are none of a designer's own.
    pub fn new(network: &dyn Topology, fabric: &Fabric) -> Option<LinkCounts> {
        let (flits, channels) = ports(network)?;
        let mut counts = Vec::new();
        for array in arrays(fabric) {
            let instances = fabric.arrays[array].instances;
            for (link, ports) in outputs(&flits, array) {
                for channel in 0..channels as u32 {
                    counts.push(OutputCounts {
                        array,
                        link,
                        channel: (channels > 1).then_some(channel),
                        flits: vec![0; instances],
                        stalled: ports.ready.map_or(Vec::new(), |_| vec![0; instances]),
                    });
                }
            }
        }
        Some(LinkCounts(counts))
    }

    /// Adds the counts of other replicates.
    ///
    /// # Panics
    /// When they are of another network.
    pub fn add(&mut self, other: &LinkCounts) {
        assert_eq!(self.0.len(), other.0.len(), "counts of one network");
        for (all, more) in self.0.iter_mut().zip(&other.0) {
            let stalled = all.stalled.iter_mut().zip(&more.stalled);
            let flits = all.flits.iter_mut().zip(&more.flits);
            flits.chain(stalled).for_each(|(all, more)| *all += more);
        }
    }

    /// Links that lead somewhere, by router and link, with the counts of each of their channels.
    fn rows<'a>(
        &'a self,
        fabric: &'a Fabric,
    ) -> impl Iterator<Item = (LinkPort, &'a OutputCounts)> {
        arrays(fabric).flat_map(move |array| {
            let instances = 0..fabric.arrays[array].instances;
            instances.flat_map(move |instance| {
                let counts = self.0.iter().filter(move |counts| counts.array == array);
                let at = move |counts: &'a OutputCounts| {
                    let link = counts.link;
                    let port = LinkPort {
                        array,
                        instance,
                        link,
                    };
                    (port, counts)
                };
                counts
                    .map(at)
                    .filter(|&(port, _)| fabric.peer(port).is_some())
            })
        })
    }

    /// The rows of the table, by router and link, given the cycles of all replicates.
    pub fn table<'a>(
        &'a self,
        fabric: &'a Fabric,
        cycles: u64,
    ) -> impl Iterator<Item = LinkTableRow> + 'a {
        self.rows(fabric).map(move |(port, counts)| {
            let flits = counts.flits[port.instance];
            LinkTableRow {
                router: fabric.instance_name(port.array, port.instance),
                link: fabric.arrays[port.array].chip.links[port.link],
                channel: counts.channel,
                flits,
                stalled_cycles: counts.stalled.get(port.instance).copied(),
                use_share: share(flits, cycles),
            }
        })
    }

    /// Writes the table as CSV, given the cycles of all replicates. Where links do not show what they
    /// do not take, `stalled_cycles` is empty, and so is `vc` without virtual channels.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, fabric: &Fabric, cycles: u64, out: impl Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(COLUMNS)?;
        for row in self.table(fabric, cycles) {
            let stalled = row.stalled_cycles;
            csv.write_record([
                row.router,
                row.link.to_owned(),
                row.channel.map_or(String::new(), |vc| vc.to_string()),
                row.flits.to_string(),
                stalled.map_or(String::new(), |cycles| cycles.to_string()),
                format!("{:.6}", row.use_share),
            ])?;
        }
        csv.flush()
    }

    /// The summary, given the cycles of all replicates.
    pub fn summary(&self, fabric: &Fabric, cycles: u64) -> LinkUse {
        let mut links: Vec<BusyLink> = Vec::new();
        let mut channels: Vec<u64> = Vec::new();
        // Counts are added as integers, so that the order of routers changes no mean.
        let (mut all_flits, mut all_stalled) = (0, Some(0));
        let mut last = None;
        for (port, counts) in self.rows(fabric) {
            let flits = counts.flits[port.instance];
            let stalled = counts.stalled.get(port.instance);
            if last.replace(port) != Some(port) {
                links.push(BusyLink {
                    router: fabric.instance_name(port.array, port.instance),
                    link: fabric.arrays[port.array].chip.links[port.link],
                    use_share: 0.0,
                    stalled_share: stalled.map(|&stalled| share(stalled, cycles)),
                });
            }
            all_flits += flits;
            all_stalled = all_stalled.zip(stalled).map(|(all, stalled)| all + stalled);
            if let Some(link) = links.last_mut() {
                link.use_share += share(flits, cycles);
            }
            if let Some(channel) = counts.channel {
                channels.resize(channels.len().max(channel as usize + 1), 0);
                channels[channel as usize] += flits;
            }
        }
        let count = links.len() as f64;
        let mean = |flits: u64| share(flits, cycles) / count;
        LinkUse {
            links: links.len(),
            use_share_mean: mean(all_flits),
            stalled_share_mean: all_stalled.map(mean),
            use_share_mean_by_vc: channels.iter().map(|&flits| mean(flits)).collect(),
            busiest: {
                // Links that are used alike stay in the order of the table.
                links.sort_by(|a, b| b.use_share.total_cmp(&a.use_share));
                links.truncate(BUSIEST);
                links
            },
        }
    }
}

/// The share of cycles; 0 without cycles.
fn share(count: u64, cycles: u64) -> f64 {
    count as f64 / cycles.max(1) as f64
}

/// Refuses to count links in a network whose routers are none of a designer's own.
///
/// # Errors
/// What is wrong, and what to do instead.
pub fn check(network: &dyn Topology) -> Result<(), Diagnostic> {
    match ports(network) {
        Some(_) => Ok(()),
        None => Err(Diagnostic::new(
            "links",
            "links are counted in networks of your own routers: mesh, torus, ring, custom",
            "leave it out; --events has the routers and cycles of every message",
        )),
    }
}

/// A bit of a chip that says that flits on a link are taken, over all instances of its array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ReadyBit {
    array: usize,
    port: usize,
    bit: usize,
}

/// The ready signals at the far ends of links: engines show what an instance drives 64 instances to a
/// word, and not what it is driven with.
#[derive(Debug, Default)]
struct ReadySignals {
    bits: Vec<ReadyBit>,
    planes: Vec<Vec<u64>>,
    /// For each array, link port and instance the number of the bit, and the instance that drives it.
    ends: Vec<Vec<Vec<(u32, u32)>>>,
}

impl ReadySignals {
    fn new(fabric: &Fabric, flits: &TaggedFlits) -> ReadySignals {
        let links = fabric.arrays.iter().map(|array| array.chip.links.len());
        let mut signals = ReadySignals {
            ends: links.map(|links| vec![Vec::new(); links]).collect(),
            ..ReadySignals::default()
        };
        for array in arrays(fabric) {
            for (link, ports) in outputs(flits, array) {
                let instances = match ports.ready {
                    Some(_) => fabric.arrays[array].instances,
                    None => 0,
                };
                let end = |instance| {
                    let near = LinkPort {
                        array,
                        instance,
                        link,
                    };
                    signals.end(fabric, near, ports.ready)
                };
                let ends = (0..instances).map(end).collect();
                signals.ends[array][link] = ends;
            }
        }
        let words = |bit: &ReadyBit| fabric.arrays[bit.array].instances.div_ceil(64);
        signals.planes = signals.bits.iter().map(|bit| vec![0; words(bit)]).collect();
        signals
    }

    /// The far end of the ready signal of an output; no bit where the link leads nowhere.
    fn end(&mut self, fabric: &Fabric, near: LinkPort, ready: Option<usize>) -> (u32, u32) {
        let bit = || {
            let Role::Link { lsb, .. } = fabric.arrays[near.array].chip.ports[ready?].role else {
                return None;
            };
            let far = fabric.peer(near)?;
            let ports = fabric.arrays[far.array].chip.ports.iter().enumerate();
            let mut bits = ports.filter_map(|(port, table)| match table.role {
                Role::Link { link, lsb: first }
                    if table.direction == PinDirection::Output
                        && link == far.link
                        && (first..first + u32::from(table.width)).contains(&lsb) =>
                {
                    let bit = (lsb - first) as usize;
                    let array = far.array;
                    Some(ReadyBit { array, port, bit })
                }
                _ => None,
            });
            Some((bits.next()?, far.instance))
        };
        let Some((bit, instance)) = bit() else {
            return (u32::MAX, 0);
        };
        let known = self.bits.iter().position(|known| *known == bit);
        let number = known.unwrap_or_else(|| {
            self.bits.push(bit);
            self.bits.len() - 1
        });
        (number as u32, instance as u32)
    }

    /// Reads them in a cycle.
    fn read(&mut self, fabric: &Fabric, engine: &dyn Engine) {
        for (bit, plane) in self.bits.iter().zip(&mut self.planes) {
            let instances = fabric.arrays[bit.array].instances;
            engine.plane(bit.array, bit.port, bit.bit, instances, plane);
        }
    }

    /// True when a flit at an output of an instance is taken.
    fn takes(&self, array: usize, link: usize, instance: usize) -> bool {
        let ends = &self.ends[array][link];
        let Some(&(number, far)) = ends.get(instance) else {
            return true;
        };
        let plane = self.planes.get(number as usize);
        plane.is_some_and(|plane| plane[far as usize / 64] >> (far % 64) & 1 == 1)
    }
}

/// Counts the flits on links while a run goes on.
#[derive(Debug)]
pub struct LinkObserver<'a> {
    fabric: &'a Fabric,
    flits: TaggedFlits,
    channels: usize,
    counts: LinkCounts,
    /// Planes of a link: its valid signal, and the bits of the channel.
    planes: Vec<Vec<u64>>,
    ready: ReadySignals,
}

impl<'a> LinkObserver<'a> {
    /// Begins to count in `counts`. The fabric is theirs or copies of it, whose flits are added.
    ///
    /// # Panics
    /// When routers are none of a designer's own.
    pub fn new(network: &dyn Topology, fabric: &'a Fabric, counts: LinkCounts) -> Self {
        let (flits, channels) = ports(network).expect("a network whose links are counted");
        let words = arrays(fabric).map(|array| fabric.arrays[array].instances.div_ceil(64));
        let words = words.max().unwrap_or(0);
        let bits = flits.vc.as_ref().filter(|_| channels > 1);
        let bits = bits.map_or(0, std::ops::Range::len);
        LinkObserver {
            fabric,
            channels,
            planes: vec![vec![0; words]; 1 + bits],
            ready: ReadySignals::new(fabric, &flits),
            flits,
            counts,
        }
    }

    /// The counts of all that was seen.
    pub fn finish(self) -> LinkCounts {
        self.counts
    }

    /// Counts the flits at the outputs of an array, whose counts begin at `first`. The number of the
    /// first counts after them.
    fn outputs(&mut self, engine: &dyn Engine, array: usize, first: usize) -> usize {
        let instances = self.fabric.arrays[array].instances;
        let mut first = first;
        for (link, ports) in outputs(&self.flits, array) {
            let channel_bits = self.flits.vc.clone().into_iter().flatten();
            let data = channel_bits.map(|at| (ports.data[at / 64], at % 64));
            let read = std::iter::once((ports.valid, 0)).chain(data);
            for (plane, (port, bit)) in self.planes.iter_mut().zip(read) {
                engine.plane(array, port, bit, instances, plane);
            }
            let (valid, bits) = self.planes.split_first().expect("the valid signal");
            for (word, lanes) in valid.iter().enumerate().take(instances.div_ceil(64)) {
                let mut lanes = *lanes;
                while lanes != 0 {
                    let lane = lanes.trailing_zeros();
                    lanes &= lanes - 1;
                    let instance = 64 * word + lane as usize;
                    // Bits after the last instance may be anything.
                    if instance >= instances {
                        break;
                    }
                    let (_, own) = self.fabric.copies.split(instance);
                    let bit = |plane: &Vec<u64>| (plane[word] >> lane & 1) as usize;
                    let bits = bits.iter().enumerate();
                    let channel = bits.map(|(at, plane)| bit(plane) << at).sum::<usize>();
                    // A channel that there is not belongs to no count.
                    if channel >= self.channels {
                        continue;
                    }
                    let counts = &mut self.counts.0[first + channel];
                    let counts = match self.ready.takes(array, link, instance) {
                        true => &mut counts.flits,
                        false => &mut counts.stalled,
                    };
                    // Padding beside copies has no count.
                    if let Some(count) = counts.get_mut(own) {
                        *count += 1;
                    }
                }
            }
            first += self.channels;
        }
        first
    }
}

impl Observer for LinkObserver<'_> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        if clocked {
            self.ready.read(self.fabric, engine);
            let mut first = 0;
            for array in arrays(self.fabric) {
                first = self.outputs(engine, array, first);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_network::NetworkConfig;
    use crosswave_network::fat_tree::config::FatTreeConfig;
    use crosswave_network::traffic::Strategy;

    #[test]
    fn networks_of_other_routers_are_refused() {
        let network = NetworkConfig::FatTree(FatTreeConfig::new(16)).build(Strategy::Immediate);
        let found = check(&*network).unwrap_err();
        assert!(found.message.contains("your own routers"));
        assert!(LinkCounts::new(&*network, &network.fabric()).is_none());
    }
}
