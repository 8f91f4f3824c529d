//! Predictions of the theory, against clocks of the hardware.
//!
//! The largest link load of a permutation, each pair of which sends one unit, is what the paper
//! computes. Here each pair sends L one-word messages, one after the other, through the switches of the
//! tree. Packets with queues without a limit should take L times the load, and the clocks of a way: the
//! most loaded link is busy without a break. Circuits are another matter: an output is held from the
//! head to the acknowledgement, and who finds it held tries again, which is no load of a link in the
//! paper's sense.

use num_rational::Ratio;

use super::PAPER;
use crate::cases::Cases;
use crate::effort::Effort;
use crate::ended::finished;
use crate::page::PageTable;
use crate::paper::Charts;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;
use crosswave_chips::packet_queue::UNLIMITED;
use crosswave_figures::plot::{self, Axis, Chart, Series};
use crosswave_network::NetworkConfig;
use crosswave_network::fat_tree::Release;
use crosswave_network::mport_tree::config::{MportPacketTreeConfig, MportTreeConfig, TreeConfig};
use crosswave_network::traffic::{Pattern, PatternConfig, TrafficConfig};
use crosswave_oblivious::load::{LinkLoads, TrafficMatrix};
use crosswave_oblivious::ratio::oblivious_ratio;
use crosswave_oblivious::routing::Routing;
use crosswave_oblivious::routing::named::NamedRouting;
use crosswave_oblivious::traffic::TrafficPattern as Instance;
use crosswave_oblivious::tree::PortTree;
use crosswave_observe::points::watch::{Watch, check_cancelled};
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::simulation::Simulation;

/// The seed of random permutations.
const SEED: u64 = 1;
/// Random permutations of a routing.
const PERMUTATIONS: u32 = 4;
/// Messages of a pair.
const MESSAGES: u32 = 100;

/// Trees, with the routings that they have.
const TREES: [(u32, u32); 5] = [(4, 2), (4, 3), (8, 2), (8, 3), (16, 2)];
/// Those of quick studies.
const QUICK: usize = 3;

/// The pairs that send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermutationTraffic {
    /// The permutation that brings the most onto a link.
    Worst,
    /// Random ones.
    Random,
}

impl PermutationTraffic {
    fn name(self) -> &'static str {
        match self {
            PermutationTraffic::Worst => "worst",
            PermutationTraffic::Random => "random",
        }
    }
}

/// A permutation through the hardware.
#[derive(Debug, Clone, PartialEq)]
pub struct PermutationPoint {
    /// The tree.
    pub tree: PortTree,
    /// The routing.
    pub routing: NamedRouting,
    /// Paths of a pair, where the routing takes that.
    pub paths: u32,
    /// True when all messages of a pair take one path.
    pub is_single: bool,
    /// The permutation.
    pub traffic: PermutationTraffic,
    /// Messages of a pair.
    pub messages: u32,
    /// The largest link load.
    pub load: Ratio<u64>,
    /// Clocks of packets: from the first on a node's wire to the last at its destination.
    pub packet_cycles: u64,
    /// Clocks of circuits: from the first head to the last acknowledgement.
    pub circuit_cycles: u64,
    /// Attempts of circuits for each message.
    pub attempts_per_message: f64,
    /// Clocks from one message of a pair to its next, when nobody is in the way: the longest way.
    pub alone_cycles: u64,
}

impl PermutationPoint {
    /// L times the load.
    pub fn predicted(&self) -> f64 {
        f64::from(self.messages) * load(self.load)
    }

    /// Clocks of packets over the prediction.
    pub fn packets(&self) -> f64 {
        self.packet_cycles as f64 / self.predicted()
    }

    /// Clocks of circuits over the prediction, times those of a message alone.
    pub fn circuits(&self) -> f64 {
        self.circuit_cycles as f64 / (self.predicted() * self.alone_cycles as f64)
    }
}

/// A load as a number.
fn load(load: Ratio<u64>) -> f64 {
    *load.numer() as f64 / *load.denom() as f64
}

/// A permutation of a tree, and how it is routed.
struct Job<'a> {
    config: &'a TreeConfig,
    routing: &'a dyn Routing,
    traffic: PermutationTraffic,
    pairs: Vec<(u32, u32)>,
    messages: u32,
}

impl Job<'_> {
    fn run(&self, watch: &mut dyn Watch) -> Result<PermutationPoint, Error> {
        let tree = self.config.tree;
        watch.begins(&format!("{} on {tree}", self.routing.name()));
        check_cancelled(watch)?;
        let matrix = TrafficMatrix::of_pairs(tree.nodes(), self.pairs.iter().copied());
        let (load, _) = LinkLoads::new(self.routing, &matrix).max();
        let traffic = TrafficConfig::Pattern(PatternConfig {
            pattern: Pattern::Pairs {
                pairs: self.pairs.clone(),
            },
            words: 1,
            repeat: self.messages,
        });
        let packets = NetworkConfig::MportPacketTree(MportPacketTreeConfig {
            tree: self.config.clone(),
            queue_packets: UNLIMITED,
        });
        let circuits = NetworkConfig::MportTree(MportTreeConfig {
            tree: self.config.clone(),
            winner_fixed: false,
            release: Release::Acknowledge,
        });
        let [packets, circuits] = [packets, circuits].map(|network| {
            let mut config = Config::new(network, traffic.clone());
            config.run.engine = EngineKind::Event;
            config.run.seed = SEED;
            let outcome = Simulation::new(&config)?.run_all()?.pop();
            Ok::<_, Error>(outcome.expect("one replicate"))
        });
        let (packets, circuits) = (packets?, circuits?);
        for outcome in [&packets, &circuits] {
            finished(outcome.end, || format!("{} on {tree}", self.routing.name()))?;
        }
        // The first packet, and the first head, is on the wire in cycle 2.
        let attempts = circuits.messages.iter().map(|m| u64::from(m.attempts));
        let attempts: u64 = attempts.sum();
        let far = self.pairs.iter().map(|&(a, b)| tree.meeting_height(a, b));
        let switches = 2 * u64::from(far.max().unwrap_or(0)) + 1;
        Ok(PermutationPoint {
            tree,
            routing: self.config.routing,
            paths: self.config.paths,
            is_single: self.routing.units() == 1,
            traffic: self.traffic,
            messages: self.messages,
            load,
            packet_cycles: packets.last_cycle - 1,
            circuit_cycles: circuits.last_cycle - 1,
            attempts_per_message: attempts as f64 / circuits.messages.len() as f64,
            // A head takes two clocks a switch, an answer one; the word, the silence behind it, the
            // end, and the next head on the wire.
            alone_cycles: 3 * switches + 5,
        })
    }
}

/// The routings that are tried on a tree, with their paths.
fn routings(tree: PortTree) -> Vec<(NamedRouting, u32)> {
    let all = NamedRouting::ALL.map(|(_, routing)| (routing, 1));
    let mut all: Vec<(NamedRouting, u32)> = all.to_vec();
    all.push((NamedRouting::DModK, tree.half().min(2)));
    all.retain(|(routing, _)| routing.check(tree).is_ok());
    all
}

/// Every tree, routing and permutation.
///
/// # Errors
/// When someone asks to stop.
pub fn study(effort: Effort, watch: &mut dyn Watch) -> Result<Vec<PermutationPoint>, Error> {
    let trees = match effort {
        Effort::All => &TREES[..],
        _ => &TREES[..QUICK],
    };
    let mut points = Vec::new();
    for &(ports, levels) in trees {
        let tree = PortTree::new(ports, levels).expect("a tree");
        for (routing, paths) in routings(tree) {
            let config = TreeConfig {
                routing,
                paths,
                ..TreeConfig::new(tree)
            };
            let ways = config.routing();
            let mut job = Job {
                config: &config,
                routing: &*ways,
                traffic: PermutationTraffic::Worst,
                pairs: oblivious_ratio(&*ways, 0).witness,
                messages: MESSAGES,
            };
            // A routing without a worst case has nothing to show there.
            if job.pairs.len() > 1 {
                points.push(job.run(watch)?);
            }
            job.traffic = PermutationTraffic::Random;
            for instance in 0..PERMUTATIONS {
                let matrix = Instance::Permutation.matrix(tree.nodes(), SEED, instance);
                let matrix = matrix.expect("permutations fit all trees");
                let demands = matrix.demands().iter();
                let pairs = demands.map(|demand| (demand.source, demand.destination));
                job.pairs = pairs
                    .filter(|(source, destination)| source != destination)
                    .collect();
                points.push(job.run(watch)?);
            }
        }
    }
    Ok(points)
}

/// The worst permutation of MLID on FT(8, 2) with ever more messages of a pair.
///
/// # Errors
/// When someone asks to stop.
pub fn growing(watch: &mut dyn Watch) -> Result<Vec<PermutationPoint>, Error> {
    let config = TreeConfig {
        routing: NamedRouting::Mlid,
        ..TreeConfig::new(PortTree::new(8, 2).expect("a tree"))
    };
    let routing = config.routing();
    let pairs = oblivious_ratio(&*routing, 0).witness;
    let messages = [1, 4, 16, 64, 256, 1024];
    let points = messages.map(|messages| {
        let job = Job {
            config: &config,
            routing: &*routing,
            traffic: PermutationTraffic::Worst,
            pairs: pairs.clone(),
            messages,
        };
        job.run(watch)
    });
    points.into_iter().collect()
}

/// True when the packets of a permutation took the clocks that were predicted: no less, and no
/// more than the clocks of a way behind it.
fn is_as_predicted(point: &PermutationPoint) -> bool {
    let behind = point.packet_cycles as f64 - point.predicted();
    (0.0..=2.0 * f64::from(point.tree.levels()) + 1.0).contains(&behind)
}

/// That packets take the clocks that loads predict, and that circuits do not.
pub fn quantities(points: &[PermutationPoint]) -> Vec<Quantity> {
    let source = format!("{PAPER}, section II");
    let worst = points
        .iter()
        .filter(|point| point.traffic == PermutationTraffic::Worst);
    let single = worst.filter(|point| point.is_single);
    let single: Cases = single.map(is_as_predicted).collect();
    let witnesses = single
        .claim("worst_permutations_as_predicted", source.clone())
        .named(
            "worst permutations of single paths whose packets take L times the load and at most the \
             clocks of a way",
        )
        .simulated(Some(MeasuredValue::exact(single.kept())));
    let slower: Cases = points.iter().map(|point| point.packets() >= 1.0).collect();
    let bound = slower
        .claim("packets_no_faster_than_load", source)
        .named("permutations whose packets take no fewer cycles than L times the load")
        .simulated(Some(MeasuredValue::exact(slower.kept())));
    vec![witnesses.judged(None), bound.judged(None)]
}

/// All of it.
pub fn table(points: &[PermutationPoint]) -> PageTable {
    let mut table = PageTable::new(
        "What the theory predicts, and what switches take",
        [
            "tree",
            "routing",
            "permutation",
            "largest load",
            "packets, cycles",
            "packets over prediction",
            "a circuit alone, cycles",
            "circuits, cycles",
            "circuits over prediction",
            "attempts per message",
        ],
    );
    for point in points {
        table.row(row(point));
    }
    table
}

fn row(point: &PermutationPoint) -> [String; 10] {
    let routing = match point.paths {
        1 => point.routing.name().to_owned(),
        paths => format!("{}, {paths} paths", point.routing.name()),
    };
    [
        point.tree.to_string(),
        routing,
        point.traffic.name().to_owned(),
        point.load.to_string(),
        point.packet_cycles.to_string(),
        format!("{:.3}", point.packets()),
        point.alone_cycles.to_string(),
        point.circuit_cycles.to_string(),
        format!("{:.2}", point.circuits()),
        format!("{:.2}", point.attempts_per_message),
    ]
}

/// The same as CSV.
pub fn csv<'p>(points: impl Iterator<Item = &'p PermutationPoint>) -> String {
    let mut text = String::from(
        "tree,routing,permutation,load,messages,packet_cycles,packets_over_prediction,alone_cycles,circuit_cycles,\
         circuits_over_prediction,attempts_per_message\n",
    );
    for point in points {
        let mut cells = row(point).to_vec();
        cells.insert(4, point.messages.to_string());
        let quoted = cells.iter().map(|cell| match cell.contains(',') {
            true => format!("\"{cell}\""),
            false => cell.clone(),
        });
        text += &quoted.collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    text
}

/// Pictures: clocks over the prediction against the number of messages, and against the load.
///
/// # Errors
/// When someone asks to stop.
pub fn draw(effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    if effort == Effort::Formulas {
        return Ok(charts(&[], &[]));
    }
    Ok(charts(&growing(watch)?, &study(effort, watch)?))
}

/// The same of points that are there.
pub fn charts(growing: &[PermutationPoint], points: &[PermutationPoint]) -> Charts {
    /// A measure of a point that is drawn.
    type Value = fn(&PermutationPoint) -> f64;
    const SWITCHING: [(&str, Value); 2] = [
        ("packets", PermutationPoint::packets),
        ("circuits", PermutationPoint::circuits),
    ];
    let drawn = |points: &[&PermutationPoint], x: Value, y: Value| -> Vec<plot::PlotPoint> {
        let point =
            |point: &&PermutationPoint| plot::PlotPoint::with_error(x(point), y(point), 0.0);
        points.iter().map(point).collect()
    };
    let all: Vec<&PermutationPoint> = growing.iter().collect();
    let messages: Value = |point| f64::from(point.messages);
    let of_messages = SWITCHING.map(|(name, value)| Series {
        name: name.to_owned(),
        curve: all
            .iter()
            .map(|point| (messages(point), value(point)))
            .collect(),
        points: drawn(&all, messages, value),
    });
    let mut of_load = Vec::new();
    for traffic in [PermutationTraffic::Worst, PermutationTraffic::Random] {
        let those: Vec<&PermutationPoint> = points
            .iter()
            .filter(|point| point.traffic == traffic)
            .collect();
        for (name, value) in SWITCHING {
            of_load.push(Series {
                name: format!("{name}, {}", traffic.name()),
                curve: Vec::new(),
                points: drawn(&those, |point| load(point.load), value),
            });
        }
    }
    let y = || Axis::linear("cycles over L × largest load (× a circuit alone)", 0.0, 2.2);
    Charts {
        charts: vec![
            Chart {
                title: "The worst permutation of MLID on FT(8, 2)".into(),
                x: Axis::powers_of_two("one-word messages of a pair, L", 0.8, 1300.0),
                y: y(),
                series: of_messages.to_vec(),
                marks: Vec::new(),
                hollow_name: "",
            },
            Chart {
                title: format!("Trees and routings of this run, L = {MESSAGES}"),
                x: Axis::linear("largest load of a link", 0.0, 9.0),
                y: y(),
                series: of_load,
                marks: Vec::new(),
                hollow_name: "",
            },
        ],
        csv: csv(growing.iter().chain(points)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_take_what_loads_predict_and_circuits_do_not() {
        let points = study(Effort::Quick, &mut ()).expect("nobody stops it");
        assert!(quantities(&points).iter().all(Quantity::holds));
        let circuits: Vec<f64> = points.iter().map(PermutationPoint::circuits).collect();
        assert!(circuits.iter().any(|&over| over < 0.6));
        assert!(circuits.iter().any(|&over| over > 1.2));
    }

    #[test]
    fn the_more_messages_the_closer_to_the_prediction() {
        let points = growing(&mut ()).expect("nobody stops it");
        let over: Vec<f64> = points.iter().map(PermutationPoint::packets).collect();
        assert!(
            over.is_sorted_by(|a, b| a > b) && over.iter().all(|&over| over > 1.0),
            "{over:?}"
        );
        assert!(over.last().is_some_and(|&over| over < 1.002), "{over:?}");
        let drawn = charts(&points, &[]);
        assert_eq!(drawn.csv.lines().count(), 1 + points.len());
    }
}
