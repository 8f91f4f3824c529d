//! Networks of all five papers side by side, with 64 processors each: what they are made of, counted on
//! their fabrics, and what they carry in steady state, clock by clock on their chips.
//!
//! A word is a byte in all of them. Circuits bring an acknowledgement, RN1's also a reply of one word;
//! packets through wormhole switches bring nothing back. Latencies are from the offer of a message to
//! what its sender learns last, or to its arrival where the sender learns nothing.

use std::fmt::Write;
use std::path::Path;

use crate::effort::Effort;
use crate::paper::Charts;
use crate::steady::steady;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::student_t_95;
use crosswave_chips::{Chip, Role, netlists};
use crosswave_figures::plot::{Axis, Chart, Series};
use crosswave_netlist::Statistics;
use crosswave_network::traffic::SteadyConfig;
use crosswave_network::{Fabric, LinkPort};
use crosswave_observe::points::watch::{Watch, check_cancelled};
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::result::steady::Steady;

/// Processors of each network.
pub const NODES: u32 = 64;
/// Words of a message.
pub const WORDS: u32 = 16;
/// Cycles in which messages are offered; the first fifth of them is not measured.
const CYCLES: u64 = 4_000;
/// Loads, in thousandths of a word per node and cycle; the first one is next to none.
const LOADS: [u32; 10] = [5, 25, 50, 75, 100, 150, 200, 250, 350, 450];

/// A network that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaperNetwork {
    /// The title.
    pub title: &'static str,
    /// The paper that it is from.
    pub paper: &'static str,
    /// Its keys.
    network: &'static str,
    /// The table of its retries; none where nothing is sent again.
    retry: &'static str,
}

const BACKOFF: &str = "[retry]\nstrategy = 'backoff'\n";
const RANDOM: &str = "[retry]\nstrategy = 'random'\nbackoff_limit = 6\n";

/// The butterfly fat tree, the augmented fat stack and the fat pyramid.
pub const FRAME: [PaperNetwork; 3] = [
    PaperNetwork {
        title: "butterfly fat tree",
        paper: "chen2004",
        network: "kind = 'butterfly-fat-tree'\nlevels = 3",
        retry: "",
    },
    PaperNetwork {
        title: "augmented fat stack",
        paper: "chen2004",
        network: "kind = 'fat-stack'\nlevels = 3",
        retry: "",
    },
    PaperNetwork {
        title: "fat pyramid",
        paper: "chen2004",
        network: "kind = 'fat-pyramid'\nlevels = 3",
        retry: "",
    },
];

/// The same with wires as long as the layout of the frame makes them.
pub const FRAME_ON_WIRES: [PaperNetwork; 3] = [
    PaperNetwork {
        title: "butterfly fat tree, long wires",
        network: "kind = 'butterfly-fat-tree'\nlevels = 3\nlink_delay_cycles = 'geometry'",
        ..FRAME[0]
    },
    PaperNetwork {
        title: "augmented fat stack, long wires",
        network: "kind = 'fat-stack'\nlevels = 3\nlink_delay_cycles = 'geometry'",
        ..FRAME[1]
    },
    PaperNetwork {
        title: "fat pyramid, long wires",
        network: "kind = 'fat-pyramid'\nlevels = 3\nlink_delay_cycles = 'geometry'",
        ..FRAME[2]
    },
];

/// All networks.
pub const ALL: [PaperNetwork; 11] = [
    FRAME[0],
    FRAME[1],
    FRAME[2],
    PaperNetwork {
        title: "general fat stack",
        paper: "chen2004",
        network: "kind = 'fat-stack'\nvariant = 'general'\nlevels = 3",
        retry: "",
    },
    PaperNetwork {
        title: "four-port fat tree",
        paper: "strumpen2005",
        network: "kind = 'fat-tree'\nnodes = 64",
        retry: BACKOFF,
    },
    PaperNetwork {
        title: "lean four-port fat tree",
        paper: "strumpen2005",
        network: "kind = 'fat-tree'\nnodes = 64\ncapacities = 'every-second-level'",
        retry: BACKOFF,
    },
    PaperNetwork {
        title: "m-port n-tree FT(4, 5)",
        paper: "yuan2007",
        network: "kind = 'm-port-n-tree'\nports = 4\nlevels = 5",
        retry: BACKOFF,
    },
    PaperNetwork {
        title: "Transit fat tree",
        paper: "dehon1990",
        network: "kind = 'transit'\nnodes = 64",
        retry: RANDOM,
    },
    PaperNetwork {
        title: "bidelta network",
        paper: "dehon1990",
        network: "kind = 'bidelta'\nnodes = 64",
        retry: RANDOM,
    },
    PaperNetwork {
        title: "butterfly",
        paper: "dehon1990",
        network: "kind = 'butterfly'\nnodes = 64",
        retry: RANDOM,
    },
    PaperNetwork {
        title: "binary fat tree of packets",
        paper: "dimakopoulos1994",
        network: "kind = 'binary-fat-tree'\nnodes = 64",
        retry: "",
    },
];

impl PaperNetwork {
    /// True when its words are bytes; the packets of the binary fat tree have none, and get lost.
    fn carries_bytes(self) -> bool {
        self.paper != "dimakopoulos1994"
    }

    /// The configuration of a run at a load in thousandths of a word per node and cycle, as `crosswave
    /// run` takes it.
    fn config(self, load: u32, replicates: u32) -> Config {
        let text = format!(
            "[network]\n{}\n[traffic]\npattern = 'steady'\nload = {}\nwords = {WORDS}\ncycles = {CYCLES}\n\
             warmup_cycles = {}\n{}",
            self.network,
            f64::from(load) / 1000.0,
            SteadyConfig::warmup_default(CYCLES),
            self.retry
        );
        let config = Config::parse(&text, self.title, Path::new("."), &[]);
        let mut config = config.unwrap_or_else(|error| panic!("{error}"));
        config.run.engine = EngineKind::Gate;
        config.run.replicates = replicates;
        // Messages that are still queued then show that the load is too high.
        config.run.cycles_max = Some(2 * CYCLES);
        config
    }

    /// The parts that it is made of.
    ///
    /// # Errors
    /// When a netlist cannot be read.
    pub fn made_of(self) -> Result<MadeOf, Error> {
        let topology = self.config(LOADS[0], 1).topology();
        let fabric = topology.fabric();
        let (mut gates, mut flip_flops) = (0, 0);
        for (chip, instances) in topology.chips() {
            let statistics = Statistics::new(netlists::module(chip.name)?);
            gates += instances * statistics.gate_count() as u64;
            flip_flops += instances * statistics.flops as u64;
        }
        let (links, wires) = count(&fabric);
        Ok(MadeOf {
            switches: fabric.arrays[0].instances as u64,
            links,
            wires,
            gates,
            flip_flops,
            pairs_cut: pairs_cut(&fabric),
        })
    }
}

/// The parts that a network is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MadeOf {
    /// Switches or routers, copies included.
    pub switches: u64,
    /// Links between two chips, delay lines left out.
    pub links: u64,
    /// Wires of all links, a bit each: both directions, where they have wires of their own.
    pub wires: u64,
    /// Gates of all chips, interfaces and delay lines included.
    pub gates: u64,
    /// Flip-flops of all chips.
    pub flip_flops: u64,
    /// Pairs of source and destination that no way joins once the worst switch has failed, whichever
    /// ways routing would find.
    pub pairs_cut: u32,
}

/// True when a chip stands for clocks of a wire.
fn is_wire(chip: &Chip) -> bool {
    chip.name.ends_with("delay_line")
}

/// True when a chip is of RN1's family.
fn is_rn1(chip: &Chip) -> bool {
    chip.name.starts_with("rn1")
}

/// Wires of a chip's link port. RN1's channel has two nets in Verilog, of which only the one of the side
/// that sends is driven: they are the same wires (`hdl/rn1.md`).
fn wires_of(chip: &Chip, link: usize) -> u64 {
    let of_link = |role: Role| matches!(role, Role::Link { link: of, .. } if of == link);
    let ports = chip.ports.iter().filter(|port| of_link(port.role));
    let bits: u64 = ports.map(|port| u64::from(port.width)).sum();
    match is_rn1(chip) {
        true => bits / 2,
        false => bits,
    }
}

/// True when messages can leave a chip at a link port. RN1's connections are opened from outputs
/// of routers and of senders; all other links take messages both ways.
fn sends(chip: &Chip, link: usize) -> bool {
    !is_rn1(chip) || chip.links[link].starts_with(['o', 't'])
}

/// All joined link ports of chips that are no wires.
fn ends(fabric: &Fabric) -> impl Iterator<Item = LinkPort> + '_ {
    let arrays = fabric.arrays.iter().enumerate();
    let ports = arrays
        .filter(|(_, array)| !is_wire(array.chip))
        .flat_map(|(number, array)| {
            (0..array.instances).flat_map(move |instance| {
                (0..array.chip.links.len()).map(move |link| LinkPort {
                    array: number,
                    instance,
                    link,
                })
            })
        });
    ports.filter(|&port| fabric.peer(port).is_some())
}

/// Links and their wires: each has two ends.
fn count(fabric: &Fabric) -> (u64, u64) {
    let (mut both, mut wires) = (0, 0);
    for end in ends(fabric) {
        both += 1;
        wires += wires_of(fabric.arrays[end.array].chip, end.link);
    }
    (both / 2, wires / 2)
}

/// The far end of a link, through its wires.
fn far(fabric: &Fabric, near: LinkPort) -> Option<LinkPort> {
    let mut far = fabric.peer(near)?;
    while is_wire(fabric.arrays[far.array].chip) {
        far = fabric.peer(LinkPort {
            link: 1 - far.link,
            ..far
        })?;
    }
    Some(far)
}

/// Pairs of source and destination that no way joins when one switch fails, at worst.
fn pairs_cut(fabric: &Fabric) -> u32 {
    let mut first = vec![0];
    for array in &fabric.arrays {
        first.push(first[first.len() - 1] + array.instances);
    }
    let chip = |port: LinkPort| first[port.array] + port.instance;
    let chips = first[first.len() - 1];
    let mut next = vec![Vec::new(); chips];
    for end in ends(fabric) {
        if sends(fabric.arrays[end.array].chip, end.link) {
            next[chip(end)].extend(far(fabric, end).map(chip));
        }
    }
    let nodes = first[1]..first[2];
    let cut = (0..fabric.arrays[0].instances).map(|failed| {
        let reached = nodes.clone().map(|source| {
            let mut seen = vec![false; chips];
            (seen[failed], seen[source]) = (true, true);
            let (mut found, mut stack) = (0, vec![source]);
            while let Some(at) = stack.pop() {
                for &to in &next[at] {
                    if std::mem::replace(&mut seen[to], true) {
                        continue;
                    }
                    // A processor passes nothing on.
                    match nodes.contains(&to) {
                        true => found += 1,
                        false => stack.push(to),
                    }
                }
            }
            found
        });
        NODES * (NODES - 1) - reached.sum::<u32>()
    });
    cut.max().unwrap_or(0)
}

/// The traffic that a network carries at a load.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedLoad {
    /// Words per node and cycle that were asked for, in thousandths.
    pub load: u32,
    /// The measured steady state.
    pub steady: Steady,
}

impl CarriedLoad {
    /// Words delivered per node and cycle, and their standard error.
    pub fn throughput_with_error(&self) -> (f64, f64) {
        let steady = &self.steady;
        let stderr = steady
            .spread
            .map_or(f64::INFINITY, |spread| spread.throughput);
        (steady.throughput_fraction, stderr)
    }

    /// Words delivered per node and cycle, and half of its interval of 95 %.
    pub fn throughput(&self) -> (f64, f64) {
        let factor = student_t_95(self.steady.replicates.into());
        let (mean, stderr) = self.throughput_with_error();
        (mean, stderr * factor)
    }

    /// The mean latency in cycles and its standard error, where all messages came through.
    pub fn latency_with_error(&self) -> Option<(f64, f64)> {
        let spread = self.steady.spread.and_then(|spread| spread.latency_mean);
        let stderr = spread.unwrap_or(f64::INFINITY);
        self.latency_cycles().map(|mean| (mean, stderr))
    }

    /// The mean latency in cycles, where all messages came through.
    pub fn latency_cycles(&self) -> Option<f64> {
        let all_came = self.steady.undelivered == 0;
        let latency = self.steady.latency_cycles.as_ref().filter(|_| all_came);
        latency.map(|latency| latency.mean)
    }
}

/// Runs a network at a load.
///
/// # Errors
/// When someone asks to stop.
pub fn carried(
    kind: PaperNetwork,
    load: u32,
    replicates: u32,
    watch: &mut dyn Watch,
) -> Result<CarriedLoad, Error> {
    check_cancelled(watch)?;
    let shown = f64::from(load) / 1000.0;
    watch.begins(&format!("{} at load {shown}", kind.title));
    let steady = steady(&kind.config(load, replicates))?;
    Ok(CarriedLoad { load, steady })
}

/// Those that the charts leave to the table of numbers, so that each has a colour of its own.
const NOT_DRAWN: [&str; 3] = [
    "general fat stack",
    "lean four-port fat tree",
    "m-port n-tree FT(4, 5)",
];

/// A network, what it is made of, and what it carries at each load.
type Row = (PaperNetwork, MadeOf, Vec<CarriedLoad>);

/// Carried load and latency against offered load: of each network, at equal wires and at equal gates.
///
/// # Errors
/// When someone asks to stop.
pub fn draw(effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let (loads, replicates): (&[u32], u32) = match effort {
        Effort::Formulas => (&[], 1),
        Effort::Quick => (&[LOADS[0], LOADS[4], LOADS[9]], 2),
        Effort::All => (&LOADS, 8),
    };
    let mut rows: Vec<Row> = Vec::new();
    for kind in ALL {
        let loads = loads.iter().filter(|_| kind.carries_bytes());
        let found = loads.map(|&load| carried(kind, load, replicates, watch));
        let found = found.collect::<Result<Vec<CarriedLoad>, Error>>()?;
        rows.push((kind, kind.made_of()?, found));
    }
    Ok(Charts {
        charts: charts(&rows),
        csv: csv(&rows),
    })
}

fn charts(rows: &[Row]) -> Vec<Chart> {
    // A scale of a network: what loads are divided by.
    type Scale = fn(&MadeOf) -> f64;
    let series = |scale: Scale, value: fn(&CarriedLoad) -> Option<f64>, height: Option<Scale>| {
        let is_drawn =
            |(kind, _, found): &&Row| !found.is_empty() && !NOT_DRAWN.contains(&kind.title);
        let of = |(kind, made_of, found): &Row| {
            let load = |at: &CarriedLoad| f64::from(at.load) / 1000.0 * scale(made_of);
            let height = height.map_or(1.0, |height| height(made_of));
            let curve = found
                .iter()
                .filter_map(|at| Some((load(at), value(at)? * height)));
            Series {
                name: kind.title.to_owned(),
                curve: curve.collect(),
                points: Vec::new(),
            }
        };
        rows.iter()
            .filter(is_drawn)
            .map(of)
            .collect::<Vec<Series>>()
    };
    let throughput = |at: &CarriedLoad| Some(at.throughput().0);
    let latency = |at: &CarriedLoad| at.latency_cycles().filter(|&mean| mean <= 400.0);
    let per_wires: Scale = |made_of| f64::from(NODES) * 1000.0 / made_of.wires as f64;
    let per_gates: Scale = |made_of| f64::from(NODES) * 100_000.0 / made_of.gates as f64;
    let most = |scale: Scale| {
        let values = rows.iter().flat_map(|(_, made_of, found)| {
            found
                .iter()
                .map(move |at| at.throughput().0 * scale(made_of))
        });
        values.fold(0.01, f64::max) * 1.2
    };
    let chart = |title: &str, [x, y]: [&str; 2], [right, top]: [f64; 2], series| Chart {
        title: title.into(),
        x: Axis::linear(x, 0.0, right),
        y: Axis::linear(y, 0.0, top),
        series,
        marks: Vec::new(),
        hollow_name: "",
    };
    let nothing: Scale = |_| 1.0;
    vec![
        chart(
            "Carried load, 64 processors",
            [
                "offered, bytes per processor and cycle",
                "carried, bytes per processor and cycle",
            ],
            [0.47, most(nothing)],
            series(nothing, throughput, None),
        ),
        chart(
            "Latency of messages of 16 bytes",
            ["offered, bytes per processor and cycle", "cycles"],
            [0.3, 400.0],
            series(nothing, latency, None),
        ),
        chart(
            "At equal wires",
            [
                "offered, bytes per cycle and 1,000 wires",
                "carried, bytes per cycle and 1,000 wires",
            ],
            [2.0 * most(per_wires), most(per_wires)],
            series(per_wires, throughput, Some(per_wires)),
        ),
        chart(
            "At equal gates",
            [
                "offered, bytes per cycle and 100,000 gates",
                "carried, bytes per cycle and 100,000 gates",
            ],
            [2.0 * most(per_gates), most(per_gates)],
            series(per_gates, throughput, Some(per_gates)),
        ),
    ]
}

/// The numbers: a line for each load, and those of what a network is made of in each.
fn csv(rows: &[Row]) -> String {
    let mut csv = String::from(
        "network,paper,switches,links,wires,gates,flip_flops,pairs_cut,\
         offered_bytes_per_node_cycle,carried_bytes_per_node_cycle,carried_95,latency_cycles,\
         most_carried_bytes_per_node_cycle\n",
    );
    for (kind, made_of, found) in rows {
        let most = found.iter().map(|at| at.throughput().0);
        let most = most.reduce(f64::max);
        let most = most.map_or_else(String::new, |most| format!("{most:.4}"));
        let MadeOf {
            switches,
            links,
            wires,
            gates,
            flip_flops,
            pairs_cut,
        } = made_of;
        let about = format!(
            "\"{}\",{},{switches},{links},{wires},{gates},{flip_flops},{pairs_cut}",
            kind.title, kind.paper
        );
        if found.is_empty() {
            let _ = writeln!(csv, "{about},,,,,");
        }
        for at in found {
            let (mean, half) = at.throughput();
            let latency = at.latency_cycles();
            let latency = latency.map_or_else(String::new, |mean| format!("{mean:.2}"));
            let _ = writeln!(
                csv,
                "{about},{:.3},{mean:.4},{half:.4},{latency},{most}",
                f64::from(at.load) / 1000.0
            );
        }
    }
    csv
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wires and chips of networks that can be counted by hand.
    #[test]
    fn what_networks_are_made_of_is_counted() {
        let of = |title: &str| {
            let kind = ALL.iter().find(|kind| kind.title == title);
            kind.expect("a network").made_of().expect("netlists")
        };
        // 64 links of processors, 32 of 16 switches to the second level, 16 of 8 to the third; 11 bits
        // each way.
        let tree = of("butterfly fat tree");
        assert_eq!((tree.switches, tree.links, tree.wires), (28, 112, 112 * 22));
        // A level of the binary tree has 32 routers with 2 links down each, none above the root.
        let fat = of("four-port fat tree");
        assert_eq!((fat.switches, fat.links), (6 * 32, 6 * 64));
        // A channel of RN1 has nine wires: three stages of 128 inputs, and those of processors.
        let bidelta = of("bidelta network");
        assert_eq!((bidelta.links, bidelta.wires), (512, 512 * 9));
        for kind in ALL {
            assert_eq!(
                kind.config(5, 1).topology().nodes(),
                NODES,
                "{}",
                kind.title
            );
        }
    }

    /// Switches that are the only ones of some processors cut off all their pairs; in Transit's trees and in
    /// butterflies both links of a processor lead to one router, in the bidelta network to two.
    #[test]
    fn failed_switches_cut_pairs_off() {
        let of = |title: &str| {
            let kind = ALL.iter().find(|kind| kind.title == title);
            kind.expect("a network")
                .made_of()
                .expect("netlists")
                .pairs_cut
        };
        let alone =
            |processors: u32| 2 * processors * (64 - processors) + processors * (processors - 1);
        assert_eq!(of("butterfly fat tree"), alone(4));
        assert_eq!(of("fat pyramid"), alone(4));
        assert_eq!(of("four-port fat tree"), alone(2));
        assert_eq!(of("m-port n-tree FT(4, 5)"), alone(2));
        assert_eq!(of("binary fat tree of packets"), alone(2));
        // A quarter of the frame hangs on one switch, and in it four processors.
        assert_eq!(of("general fat stack"), 2 * 16 * 48 + 2 * 4 * 12);
        // Four processors can send to nobody, or receive from nobody.
        assert_eq!(of("Transit fat tree"), 4 * 63);
        assert_eq!(of("butterfly"), 4 * 63);
        assert_eq!(of("bidelta network"), 0);
    }
}
