//! Figures 11 to 15: average performance ratios against how much is sent.
//!
//! The paper prints no numbers of them, so that what it says in words is read as quantities. It has 32
//! instances a point; more of them, up to [`INSTANCES_MAX`], show how sure that is. A routing is held
//! against another by the mean of the quotients of their ratios, instance by instance.
//!
//! Assumed: probabilities and sizes of hot spots, which are on the axes of pictures that the text at
//! hand does not have.

use super::PAPER;
use super::averages::{SEED, grouped, measured, tree};
use crate::effort::Effort;
use crate::order::Order;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;
use crosswave_oblivious::average::{Average, INSTANCES, average, ratios_together};
use crosswave_oblivious::routing::Routing;
use crosswave_oblivious::routing::modulo::Modulo;
use crosswave_oblivious::routing::widest::Widest;
use crosswave_oblivious::traffic::TrafficPattern;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// The most instances of a point.
pub const INSTANCES_MAX: u32 = 1024;

/// Entries of the traffic matrices of a point, beyond the first 32 of which no more are made.
const ENTRIES_MAX: u64 = 20_000_000;

/// A figure of section VI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RatioCurve {
    /// Figure 11: random uniform traffic.
    Uniform,
    /// Figure 12: clusters on FT(32, 2).
    Clusters2,
    /// Figure 13: clusters on FT(8, 3).
    Clusters3,
    /// Figure 14: four hot spots on FT(32, 2).
    HotSpots2,
    /// Figure 15: four hot spots on FT(16, 3).
    HotSpots3,
}

/// A point of all routings of a figure.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePoint {
    /// Probability, or size.
    pub x: f64,
    /// MLID, then OSRM2 or OSRM3, then WSR where it differs from MLID.
    pub routings: Vec<Averages>,
    /// OSRM2 or OSRM3 over MLID.
    pub quotient: Average,
}

/// The averages of a routing.
#[derive(Debug, Clone, PartialEq)]
pub struct Averages {
    /// The routing.
    pub name: String,
    /// The average over as many instances as the paper has.
    pub first: Average,
    /// The average over all instances.
    pub all: Average,
    /// The largest ratio of an instance.
    pub most: f64,
}

impl RatioCurve {
    /// All, in the order of their numbers.
    pub const ALL: [RatioCurve; 5] = [
        RatioCurve::Uniform,
        RatioCurve::Clusters2,
        RatioCurve::Clusters3,
        RatioCurve::HotSpots2,
        RatioCurve::HotSpots3,
    ];

    /// Its number in the paper.
    pub fn number(self) -> u32 {
        11 + self as u32
    }

    /// Ports and levels. Figure 11 is quickly drawn on FT(8, 3), of which the paper says the same.
    pub fn tree(self, effort: Effort) -> (u32, u32) {
        match self {
            RatioCurve::Uniform if effort == Effort::All => (16, 3),
            RatioCurve::Uniform | RatioCurve::Clusters3 => (8, 3),
            RatioCurve::Clusters2 | RatioCurve::HotSpots2 => (32, 2),
            RatioCurve::HotSpots3 => (16, 3),
        }
    }

    /// The patterns that are sent, and their places on the axis.
    fn patterns(self, effort: Effort) -> Vec<(f64, TrafficPattern)> {
        let is_quick = effort != Effort::All;
        let sizes = |from: u32, to: u32| (from..=to).map(|bits| 1 << bits);
        let clusters = |size: u32| (f64::from(size), TrafficPattern::Clusters { size });
        let hot_spots = |size: u32| (f64::from(size), TrafficPattern::HotSpots { count: 4, size });
        match self {
            RatioCurve::Uniform => {
                let probabilities = [0.02, 0.05, 0.1, 0.25, 0.5, 0.8];
                let pairs = |probability| (probability, TrafficPattern::Pairs { probability });
                probabilities.map(pairs).to_vec()
            }
            RatioCurve::Clusters2 => sizes(1, if is_quick { 6 } else { 7 })
                .map(clusters)
                .collect(),
            RatioCurve::Clusters3 => sizes(1, 7).map(clusters).collect(),
            RatioCurve::HotSpots2 => sizes(2, 7).map(hot_spots).collect(),
            RatioCurve::HotSpots3 => sizes(2, if is_quick { 6 } else { 8 })
                .map(hot_spots)
                .collect(),
        }
    }
}

/// Instances beside the first 32.
fn more_instances(pattern: TrafficPattern, nodes: u32, effort: Effort) -> u32 {
    let nodes = f64::from(nodes);
    let entries = match pattern {
        TrafficPattern::Pairs { probability } => nodes * nodes * probability.max(0.2),
        TrafficPattern::Clusters { size } => nodes * f64::from(size),
        TrafficPattern::HotSpots { count, size } => f64::from(count) * f64::from(size).powi(2),
        _ => nodes,
    };
    let affordable = ENTRIES_MAX as f64 / entries.max(1.0);
    match effort {
        Effort::All => (affordable as u32).clamp(INSTANCES, INSTANCES_MAX),
        Effort::Quick | Effort::Formulas => INSTANCES,
    }
}

/// The points of a figure.
///
/// # Errors
/// When someone asks to stop.
pub fn points(
    curve: RatioCurve,
    effort: Effort,
    watch: &mut dyn Watch,
) -> Result<Vec<CurvePoint>, Error> {
    if effort == Effort::Formulas {
        return Ok(Vec::new());
    }
    let tree = tree(curve.tree(effort));
    let (mlid, grouped) = (Modulo::mlid(tree), grouped(tree));
    let mut routings: Vec<&dyn Routing> = vec![&mlid, &*grouped];
    let widest;
    if curve == RatioCurve::Uniform {
        widest = Widest::new(tree);
        routings.push(&widest);
    }
    let mut points = Vec::new();
    for (x, pattern) in curve.patterns(effort) {
        let instances = more_instances(pattern, tree.nodes(), effort);
        let mut ratios = vec![Vec::new(); routings.len()];
        // Someone may ask to stop between these.
        for first in (0..instances).step_by(INSTANCES as usize) {
            check_cancelled(watch)?;
            watch.begins(&format!("{pattern} on {tree}, instance {first}"));
            let some = first..instances.min(first + INSTANCES);
            let some = ratios_together(&routings, pattern, SEED, some);
            let some = some.expect("the paper's patterns fit its trees");
            ratios
                .iter_mut()
                .zip(some)
                .for_each(|(all, some)| all.extend(some));
        }
        let quotients: Vec<f64> = ratios[1]
            .iter()
            .zip(&ratios[0])
            .map(|(a, b)| a / b)
            .collect();
        let averages = routings
            .iter()
            .zip(&ratios)
            .map(|(routing, ratios)| Averages {
                name: routing.name(),
                first: average(&ratios[..ratios.len().min(INSTANCES as usize)]),
                all: average(ratios),
                most: ratios.iter().copied().fold(0.0, f64::max),
            });
        points.push(CurvePoint {
            x,
            routings: averages.collect(),
            quotient: average(&quotients),
        });
    }
    Ok(points)
}

/// The mean of the quotients of all points, with its standard error.
fn mean_quotient(points: &[CurvePoint]) -> MeasuredValue {
    let sum: f64 = points.iter().map(|point| point.quotient.mean).sum();
    MeasuredValue {
        value: (sum / points.len() as f64).into(),
        stderr: Some(error_of_mean(points, |quotient| quotient.standard_error)),
    }
}

/// The standard error of a mean over points.
fn error_of_mean(points: &[CurvePoint], of: impl Fn(&Average) -> f64) -> f64 {
    let squares = points.iter().map(|point| of(&point.quotient).powi(2));
    squares.sum::<f64>().sqrt() / points.len() as f64
}

/// The greatest difference of the paper's mean quotient from ours, beside the errors of ours: half
/// a digit of what it says, and the error of its 32 instances.
fn slack(points: &[CurvePoint]) -> f64 {
    let ours = error_of_mean(points, |quotient| quotient.standard_error);
    let its = error_of_mean(points, |quotient| {
        let more = f64::from(quotient.instances) / f64::from(INSTANCES);
        quotient.standard_error * more.sqrt()
    });
    0.005 + 3.0 * (its.hypot(ours) - ours)
}

const KNOWN_OF_HOT_SPOTS: &str = "the paper does not say how large its hot spots are; from 64 nodes on the four are half \
     of the tree and more, and their traffic is that of clusters";

/// The most that is "close to 1": a mean that is 1 when it is rounded to one decimal (assumed).
const CLOSE: f64 = 1.05;

/// The points at which every routing's average is close to 1; `known` says why others are not.
fn close(id: &str, source: &str, points: &[CurvePoint], known: Option<&str>) -> Quantity {
    let mut order = Order::default();
    for point in points {
        let averages = point.routings.iter().map(|found| found.all);
        let worst = averages.max_by(|a, b| a.mean.total_cmp(&b.mean));
        let worst = worst.expect("a point has routings");
        order.difference(CLOSE - worst.mean, worst.standard_error);
    }
    order.quantity(id, source, known)
}

/// The largest average of any routing at some points.
fn worst<'a>(points: impl Iterator<Item = &'a CurvePoint>) -> MeasuredValue {
    let averages = points
        .flat_map(|point| &point.routings)
        .map(|found| found.all);
    let worst = averages.max_by(|a, b| a.mean.total_cmp(&b.mean));
    measured(worst.expect("a figure has points"))
}

/// The paper's claims about a figure; nothing without points.
pub fn quantities(curve: RatioCurve, points: &[CurvePoint]) -> Vec<Quantity> {
    if points.is_empty() {
        return Vec::new();
    }
    let source = format!("{PAPER}, figure {}", curve.number());
    match curve {
        RatioCurve::Uniform => vec![
            close("random_probabilities_close_to_1", &source, points, None)
                .named("probabilities of random uniform traffic at which all routings are close to 1 (below 1.05)"),
            Quantity::claimed("random_dense_worst_mean_ratio", &source, 1.0)
                .named("random uniform traffic, probabilities above 0.75: 1")
                .simulated(Some(worst(points.iter().filter(|point| point.x > 0.75))))
                .within(0.005)
                .judged(None),
        ],
        RatioCurve::Clusters2 => {
            let mut order = Order::default();
            for point in points {
                order.difference(1.0 - point.quotient.mean, point.quotient.standard_error);
            }
            let of_2 = &points[0].routings[1];
            vec![
                order
                    .quantity("clusters_osrm2_below_mlid_sizes", &source, None)
                    .named("sizes of clusters on FT(32, 2) at which OSRM2 is better than MLID"),
                Quantity::between("clusters_of_2_osrm2_ft_32_2_max_ratio", &source, (1.0, 4.0))
                    .named("clusters of 2, OSRM2 on FT(32, 2): no instance above 4")
                    .simulated(Some(MeasuredValue::exact(of_2.most)))
                    .judged(None),
            ]
        }
        RatioCurve::Clusters3 => vec![
            Quantity::between("clusters_osrm3_over_mlid", &source, (0.95, 1.0))
                .named("clusters on FT(8, 3), OSRM3 over MLID: only slightly better")
                .simulated(Some(mean_quotient(points)))
                .judged(None),
        ],
        RatioCurve::HotSpots2 => vec![
            Quantity::new("hot_spots_osrm2_over_mlid", &source, 1.03)
                .named("four hot spots on FT(32, 2), OSRM2 over MLID")
                .simulated(Some(mean_quotient(points)))
                .within(slack(points))
                .judged(None),
            close("hot_spots_sizes_close_to_1", &source, points, Some(KNOWN_OF_HOT_SPOTS))
                .named("sizes of four hot spots on FT(32, 2) at which all routings are close to 1 (below 1.05)"),
        ],
        RatioCurve::HotSpots3 => vec![
            Quantity::between("hot_spots_osrm3_over_mlid", &source, (0.97, 1.03))
                .named("four hot spots on FT(16, 3), OSRM3 over MLID: similar")
                .simulated(Some(mean_quotient(points)))
                .judged(None),
        ],
    }
}
