//! Universality (sections 1 and 4): what a network takes to carry one message between all
//! neighbours of another network of the same area ([`guest`](crosswave_frame::guest)).
//!
//! The overhead is the steps of the host over those of the guest, whose messages take the delay of
//! its longest wire. Messages follow the routes of section 4, over the common ancestor or below it
//! along a ring or mesh, and wires hold several behind each other. A delay is 1 step whatever the
//! length, or 1 step for each side of a processor's cell.
//!
//! How an overhead grows is the slope of its logarithm over that of N, from the three largest
//! networks: 0.5 is growth with the side of the area. Growth with log N has an exponent too, which depends on
//! the sizes: 0.15 from 256 to 4,096 processors.

use std::fmt::Write;

use super::print::NETWORKS;
use super::{short, structure};
use crate::effort::Effort;
use crate::page::PageTable;
use crate::paper::Charts;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_frame::climb::lateral_route;
use crosswave_frame::graph::{Graph, GraphHop};
use crosswave_frame::guest::Guest;
use crosswave_frame::layout::{Delay, FrameLayout};
use crosswave_frame::schedule::packets::run_delayed;
use crosswave_frame::shape::Family;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// A step for each side of a processor's cell.
const LINEAR: Delay = Delay::Linear {
    clocks: 1,
    units: 1,
};

/// Seed of the permutation, and of choices among links.
const SEED: u64 = 1;

/// A host that carries a guest.
#[derive(Debug, Clone, Copy)]
pub struct CarriedGuest {
    guest: Guest,
    family: Family,
    delay: Delay,
    levels: u32,
    /// Steps of the host.
    steps: u64,
    /// Steps of the guest.
    guest_steps: u64,
}

impl CarriedGuest {
    fn overhead(&self) -> f64 {
        self.steps as f64 / self.guest_steps as f64
    }

    fn processors(&self) -> f64 {
        4_f64.powi(self.levels as i32)
    }
}

/// All guests on all hosts of 16 processors and more.
///
/// # Errors
/// When someone asks to stop.
pub fn study(effort: Effort, watch: &mut dyn Watch) -> Result<Vec<CarriedGuest>, Error> {
    let most = match effort {
        Effort::Formulas => return Ok(Vec::new()),
        Effort::Quick => 6,
        Effort::All => 8,
    };
    let mut carried = Vec::new();
    for levels in 2..=most {
        for family in NETWORKS {
            let graph = structure::graph(family, levels);
            let layout = FrameLayout::new(&graph);
            for guest in Guest::ALL {
                check_cancelled(watch)?;
                watch.begins(&format!("a {} on a {}", guest.name(), graph.shape()));
                let pairs = guest.pairs(graph.shape(), SEED);
                let routes = routes(&graph, &pairs);
                for delay in [Delay::Unit, LINEAR] {
                    let delays = layout.delays(delay);
                    let routes = routes.iter().map(Vec::as_slice);
                    carried.push(CarriedGuest {
                        guest,
                        family,
                        delay,
                        levels,
                        steps: run_delayed(&graph, routes, &delays).steps,
                        guest_steps: guest_steps(&layout, &pairs, delay),
                    });
                }
            }
        }
    }
    Ok(carried)
}

fn routes(graph: &Graph, pairs: &[(u32, u32)]) -> Vec<Vec<GraphHop>> {
    let route = |&(from, to): &(u32, u32)| lateral_route(graph, from, to, SEED);
    pairs.iter().map(route).collect()
}

/// The delay of a guest's longest wire.
fn guest_steps(layout: &FrameLayout, pairs: &[(u32, u32)], delay: Delay) -> u64 {
    let steps = pairs.iter().map(|&(from, to)| {
        let (a, b) = (layout.place(from), layout.place(to));
        delay.of(a.x.abs_diff(b.x) + a.y.abs_diff(b.y))
    });
    steps.max().unwrap_or(1)
}

/// Those of a guest, a host and a delay, by size.
fn series(
    carried: &[CarriedGuest],
    guest: Guest,
    family: Family,
    delay: Delay,
) -> Vec<CarriedGuest> {
    let is_meant =
        |one: &&CarriedGuest| (one.guest, one.family, one.delay) == (guest, family, delay);
    carried.iter().filter(is_meant).copied().collect()
}

/// The slope of the logarithm of the overhead over that of N, through the three largest by least
/// squares.
fn exponent(series: &[CarriedGuest]) -> f64 {
    let place = |one: &CarriedGuest| (one.processors().ln(), one.overhead().ln());
    slope(&series.iter().map(place).collect::<Vec<_>>())
}

/// Three decimals of a number, which are shown.
fn decimals(number: f64) -> f64 {
    (number * 1_000.0).round() / 1_000.0
}

/// The slope of the straight line with the least squares through the last three of some points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let points = &points[points.len().saturating_sub(3)..];
    let count = points.len() as f64;
    let x = points.iter().map(|point| point.0).sum::<f64>() / count;
    let y = points.iter().map(|point| point.1).sum::<f64>() / count;
    let along = points.iter().map(|point| (point.0 - x) * (point.1 - y));
    let square = points.iter().map(|point| (point.0 - x).powi(2));
    along.sum::<f64>() / square.sum::<f64>()
}

/// The exponent of (log N)^`power` at the sizes of a series, found as that of its overhead is.
fn exponent_of_log(series: &[CarriedGuest], power: f64) -> f64 {
    let places = series.iter().map(|one| {
        let log = one.processors().ln();
        (log, power * log.ln())
    });
    slope(&places.collect::<Vec<_>>())
}

/// Claims of growth. That an overhead grows as log A at most is read as an exponent that is nearer to that of
/// log N, at the sizes at hand, than to that of its square; nor does an overhead fall faster than 1/log N. That
/// it grows with the side of the area is read as 0.5, to a tenth.
pub fn quantities(carried: &[CarriedGuest]) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    if carried.is_empty() {
        return quantities;
    }
    for (delay, delay_name) in [(Delay::Unit, "unit"), (LINEAR, "linear")] {
        for family in NETWORKS {
            for guest in Guest::ALL {
                let fails =
                    family == Family::ButterflyFatTree && guest == Guest::Mesh && delay == LINEAR;
                // Nothing is claimed of the tree under linear delays beside its failure.
                if family == Family::ButterflyFatTree && delay == LINEAR && !fails {
                    continue;
                }
                let source = match (family, delay) {
                    (_, _) if fails => "section 4, after Greenberg",
                    (Family::ButterflyFatTree, _) => "lemma 4.2",
                    (Family::FatPyramid, _) => "lemma 4.3",
                    (_, Delay::Unit) => "theorem 4.1",
                    (_, Delay::Linear { .. }) => "theorem 4.2",
                };
                let series = series(carried, guest, family, delay);
                let found = exponent(&series);
                let name = guest.name().replace(' ', "_");
                let id = format!("growth_{delay_name}_{}_{name}", short(family));
                let range = match fails {
                    true => (0.45, 0.55),
                    false => (
                        decimals(exponent_of_log(&series, -1.0)),
                        decimals(exponent_of_log(&series, 1.5)),
                    ),
                };
                let quantity = Quantity::between(id, source, range)
                    .named(format!(
                        "exponent of N of the overhead of a {} on a {family}, {delay_name} delays",
                        guest.name()
                    ))
                    .simulated(Some(MeasuredValue::exact(found)));
                quantities.push(quantity.judged(why(family, guest, delay)));
            }
        }
    }
    quantities
}

/// The reason why an overhead grows faster than the paper says.
fn why(family: Family, guest: Guest, delay: Delay) -> Option<String> {
    let text = match (family, guest, delay) {
        (Family::AugmentedFatStack, Guest::Mesh, Delay::Linear { .. }) => {
            "nothing but the highest ring and the root joins the two sides of the middle of the frame, as \
             rings of a level are not joined: neighbours there are half the side of the frame of wire \
             apart by any route, as in the tree"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

/// Overheads of the largest networks, and how they grow.
pub fn table(carried: &[CarriedGuest]) -> PageTable {
    let mut table = PageTable::new(
        "Overhead of carrying one message between all neighbours, in the largest network, and its exponent \
         of N",
        [
            "guest",
            "delays",
            "fat tree",
            "grows",
            "augmented stack",
            "grows",
            "pyramid",
            "grows",
        ],
    );
    for guest in Guest::ALL {
        for (delay, delay_name) in [(Delay::Unit, "unit"), (LINEAR, "linear")] {
            let of = |family| series(carried, guest, family, delay);
            let [tree, stack, pyramid] = NETWORKS.map(of);
            let (Some(a), Some(b), Some(c)) = (tree.last(), stack.last(), pyramid.last()) else {
                continue;
            };
            let overhead = |one: &CarriedGuest| format!("{:.2}", one.overhead());
            let grows = |series: &[CarriedGuest]| format!("{:.2}", exponent(series));
            table.row([
                guest.name().to_owned(),
                delay_name.to_owned(),
                overhead(a),
                grows(&tree),
                overhead(b),
                grows(&stack),
                overhead(c),
                grows(&pyramid),
            ]);
        }
    }
    table
}

/// Overheads of the mesh and of a random permutation against N, under both delays.
///
/// # Errors
/// When someone asks to stop.
pub fn draw(effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    Ok(charts(&study(effort, watch)?))
}

/// The same of what was found.
pub fn charts(carried: &[CarriedGuest]) -> Charts {
    let mut csv = String::from("guest,network,delays,processors,steps,guest_steps,overhead\n");
    for one in carried {
        let delay = if one.delay == LINEAR {
            "linear"
        } else {
            "unit"
        };
        let _ = writeln!(
            csv,
            "{},{},{delay},{},{},{},{:.4}",
            one.guest.name(),
            one.family,
            one.processors(),
            one.steps,
            one.guest_steps,
            one.overhead()
        );
    }
    let most = carried
        .iter()
        .map(CarriedGuest::processors)
        .fold(4096.0, f64::max);
    let chart = |delay, delay_name: &str| {
        let mut all = Vec::new();
        let mut highest = 2.0_f64;
        for guest in [Guest::Mesh, Guest::Permutation] {
            for family in NETWORKS {
                let series = series(carried, guest, family, delay);
                let place = |one: &CarriedGuest| (one.processors(), one.overhead());
                let curve: Vec<(f64, f64)> = series.iter().map(place).collect();
                highest = curve.iter().map(|point| point.1).fold(highest, f64::max);
                let grows = match series.is_empty() {
                    true => String::new(),
                    false => format!(", N^{:.2}", exponent(&series)),
                };
                let point = |&(x, y): &(f64, f64)| PlotPoint::with_error(x, y, 0.0);
                all.push(Series {
                    name: format!("{} on {family}{grows}", guest.name()),
                    points: curve.iter().map(point).collect(),
                    curve,
                });
            }
        }
        Chart {
            title: format!("Overhead under {delay_name} wire delays"),
            x: Axis::powers_of_two("processors", 16.0, 1.5 * most),
            y: Axis::powers_of_two("steps over those of the guest", 0.5, 2.0 * highest),
            series: all,
            marks: Vec::new(),
            hollow_name: "",
        }
    };
    let charts = vec![chart(Delay::Unit, "unit"), chart(LINEAR, "linear")];
    Charts { charts, csv }
}
