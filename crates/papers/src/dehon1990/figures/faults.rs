//! Figures of the traffic that fat trees carry with random routers off.

use std::fmt::Write;

use crate::dehon1990::faults::{Off, Survived, Tree, survived};
use crate::effort::Effort;
use crate::paper::Charts;
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::student_t_95;
use crosswave_chips::routing::transit::TransitForm;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_network::transit::{Dispersion, UpStage};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;

/// A full fat tree of some layers of UT64x8.
const fn full(layers: u32) -> TransitForm {
    TransitForm {
        leaf_stages: 0,
        layers,
        capped: false,
    }
}

/// One UT64x2.
pub const FULL_64: Tree = Tree {
    name: "full-64",
    form: full(0),
    up_stage: UpStage::Standard,
    dispersion: Dispersion::Full,
};
/// One UT64x2 whose stage up is of two crossbars.
pub const HALVES_64: Tree = Tree {
    name: "full-64-two-crossbars",
    up_stage: UpStage::TwoCrossbars,
    ..FULL_64
};
/// Clusters of 12 below one UT64x8.
pub const HYBRID_768: Tree = Tree {
    name: "hybrid-768",
    form: TransitForm {
        leaf_stages: 2,
        ..full(1)
    },
    ..FULL_64
};
/// UT64x2 below UT64x8.
pub const FULL_4096: Tree = Tree {
    name: "full-4096",
    form: full(1),
    ..FULL_64
};
/// One UT64x2, as models have it.
pub const UNIT_TREE: UnitTrees = UnitTrees {
    stack_stages: 1,
    leaf_stages: None,
};

/// Replicates of a point.
const REPLICATES: u32 = 8;

/// A curve: what it is called, its tree, and whether those that lead to what is off know.
type Curve = (&'static str, Tree, bool);

/// The curves of a tree.
fn curves(tree: Tree) -> [Curve; 4] {
    let none = Dispersion::None;
    let random = Dispersion::Random { seed: 1 };
    let wired = |dispersion| Tree { dispersion, ..tree };
    [
        ("full dispersion, masked", tree, true),
        ("full dispersion, not masked", tree, false),
        ("no dispersion, masked", wired(none), true),
        ("random dispersion, masked", wired(random), true),
    ]
}

/// The tree, and how many of its routers are off.
fn places(effort: Effort) -> (Tree, &'static [u32]) {
    match effort {
        Effort::All => (FULL_4096, &[0, 16, 32, 64, 128, 256]),
        _ => (FULL_64, &[0, 1, 2, 4]),
    }
}

/// The figure and its numbers.
///
/// # Errors
/// When someone asks to stop.
pub fn draw(effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    simulated(effort, &mut Store::in_memory(), watch)
}

/// The same, with what was kept.
///
/// # Errors
/// Those of [`survived`].
pub fn simulated(
    effort: Effort,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Charts, Error> {
    let (tree, counts) = places(effort);
    let all: Vec<(Curve, Off)> = curves(tree)
        .into_iter()
        .flat_map(|curve| {
            let (_, tree, masked) = curve;
            let off = move |&routers| {
                (
                    curve,
                    Off {
                        tree,
                        routers,
                        masked,
                    },
                )
            };
            counts.iter().map(off)
        })
        .collect();
    let jobs: Vec<Off> = all.iter().map(|(_, off)| *off).collect();
    let found = survived(&jobs, REPLICATES, store, watch)?;
    let points: Vec<(Curve, Off, Survived)> = all
        .into_iter()
        .zip(found)
        .map(|((curve, off), survived)| (curve, off, survived))
        .collect();
    Ok(charts(tree, counts, &points))
}

fn charts(tree: Tree, counts: &[u32], points: &[(Curve, Off, Survived)]) -> Charts {
    let most = f64::from(counts.last().copied().unwrap_or(1));
    let t = student_t_95(u64::from(REPLICATES));
    let chart = |title: &str, axis: &str, of: fn(&Survived) -> (f64, f64), from: f64| {
        let series = curves(tree).map(|curve| {
            let own = points.iter().filter(|(other, ..)| *other == curve);
            let own = own.map(|(_, off, found)| (f64::from(off.routers), of(found)));
            let own: Vec<(f64, (f64, f64))> = own.collect();
            Series {
                name: curve.0.into(),
                curve: own.iter().map(|&(x, (y, _))| (x, y)).collect(),
                points: own
                    .iter()
                    .map(|&(x, (y, error))| PlotPoint::with_error(x, y, t * error))
                    .collect(),
            }
        });
        let values = points.iter().map(|(.., found)| of(found));
        let top = values
            .map(|(mean, error)| mean + t * error)
            .fold(from, f64::max);
        Chart {
            title: format!("{title}, {} processors", tree.nodes()),
            x: Axis::linear("routers that are off", 0.0, most),
            y: Axis::linear(axis, from, 1.05 * top),
            series: series.to_vec(),
            marks: Vec::new(),
            hollow_name: "",
        }
    };
    let mut csv = String::from(
        "wiring,routers_off,delivered_fraction,delivered_stderr,attempts,attempts_stderr,\
         latency_cycles,latency_stderr\n",
    );
    for ((name, ..), off, found) in points {
        let Survived {
            delivered_fraction,
            attempts,
            latency_cycles,
        } = found;
        let _ = writeln!(
            csv,
            "\"{name}\",{},{:.6},{:.6},{:.4},{:.4},{:.3},{:.3}",
            off.routers,
            delivered_fraction.0,
            delivered_fraction.1,
            attempts.0,
            attempts.1,
            latency_cycles.0,
            latency_cycles.1
        );
    }
    let delivered = |found: &Survived| found.delivered_fraction;
    Charts {
        charts: vec![
            chart(
                "Messages that come through",
                "fraction delivered",
                delivered,
                0.0,
            ),
            chart(
                "Attempts",
                "attempts per message",
                |found| found.attempts,
                0.0,
            ),
            chart("Latency", "cycles", |found| found.latency_cycles, 0.0),
        ],
        csv,
    }
}
