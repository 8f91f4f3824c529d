//! DeHon's Figures 4.8 to 4.18: the probability that fat trees route a connection at the first
//! attempt, by level and over all levels, by the recursion and by simulation.

use std::fmt::Write;

use crate::dehon1990::loads;
use crate::dehon1990::local_routing::{LocalPoint, points};
use crate::effort::Effort;
use crate::paper::Charts;
use crosswave_analytic::locality::Locality;
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::NORMAL_95;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;

/// A figure of one tree: its number behind "4.", and the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfTree {
    /// The figure's number in chapter 4.
    pub number: u32,
    /// The tree.
    pub tree: UnitTrees,
}

const fn of_tree(number: u32, stack_stages: u32, leaf_stages: Option<u32>) -> OfTree {
    OfTree {
        number,
        tree: UnitTrees {
            stack_stages,
            leaf_stages,
        },
    }
}

/// Figures 4.8 to 4.10: full fat trees.
pub const FULL: [OfTree; 3] = [
    of_tree(8, 1, None),
    of_tree(9, 2, None),
    of_tree(10, 3, None),
];
/// Figures 4.12 to 4.17: hybrid fat trees.
pub const HYBRID: [OfTree; 6] = [
    of_tree(12, 2, Some(2)),
    of_tree(13, 2, Some(3)),
    of_tree(14, 2, Some(4)),
    of_tree(15, 3, Some(2)),
    of_tree(16, 3, Some(3)),
    of_tree(17, 3, Some(4)),
];
/// The most processors of trees that are simulated in the quick form, and in the full one.
const PROCESSORS: [u64; 2] = [5_000, 50_000];
/// Label of the horizontal axis.
const LOAD: &str = "load (fraction of processors that send)";

/// The points of a tree at all loads, when it is small enough.
///
/// # Errors
/// Those of [`points`].
pub fn simulated(
    tree: UnitTrees,
    effort: Effort,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Vec<LocalPoint>, Error> {
    let most = match effort {
        Effort::Formulas => 0,
        Effort::Quick => PROCESSORS[0],
        Effort::All => PROCESSORS[1],
    };
    match tree.processors() <= most {
        true => points(tree, false, effort != Effort::All, store, watch),
        false => Ok(Vec::new()),
    }
}

/// A figure by its number, 8 to 18, as one of the registry.
///
/// # Errors
/// Those of [`points`].
///
/// # Panics
/// When there is no such figure.
pub fn draw(number: u32, effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let store = &mut Store::in_memory();
    let mut of = |figures: &[OfTree]| -> Result<Vec<(OfTree, Vec<LocalPoint>)>, Error> {
        let with_points = |&figure: &OfTree| {
            let points = simulated(figure.tree, effort, store, watch)?;
            Ok((figure, points))
        };
        figures.iter().map(with_points).collect()
    };
    match number {
        11 => Ok(normalised("full", &of(&FULL)?)),
        18 => Ok(normalised("hybrid", &of(&HYBRID)?)),
        _ => {
            let mut all = FULL.iter().chain(&HYBRID);
            let figure = all.find(|figure| figure.number == number);
            let figure = *figure.expect("a figure of section 4.5");
            let (_, points) = of(&[figure])?.remove(0);
            Ok(by_level(figure.tree, &points))
        }
    }
}

/// A curve of a model, with what was simulated at some loads.
fn series_of(
    name: String,
    model: impl Fn(f64) -> f64,
    found: impl Iterator<Item = (f64, (f64, f64))>,
) -> Series {
    let point = |(load, (routed, stderr)): (f64, (f64, f64))| {
        PlotPoint::with_error(load, routed, NORMAL_95 * stderr)
    };
    Series {
        name,
        curve: loads::of_curve().map(|load| (load, model(load))).collect(),
        points: found.map(point).collect(),
    }
}

/// A chart whose title says whether anything was simulated.
fn chart(of: &str, series: Vec<Series>) -> Chart {
    let simulated = series.iter().any(|series| !series.points.is_empty());
    Chart {
        title: match simulated {
            true => format!("{of}: model (lines), simulation (points)"),
            false => format!("{of}: model"),
        },
        x: Axis::linear(LOAD, 0.0, 1.0),
        y: Axis::linear("probability of routing", 0.0, 1.0),
        series,
        marks: Vec::new(),
        hollow_name: "",
    }
}

/// The name of a level.
fn level_name(level: u32) -> String {
    match level {
        0 => "cluster".into(),
        level => format!("level {level}"),
    }
}

/// Figures 4.8 to 4.10 and 4.12 to 4.17: a curve for each level, the lowest on top.
pub fn by_level(tree: UnitTrees, found: &[LocalPoint]) -> Charts {
    let locality = Locality(tree);
    let mut csv = header();
    let levels = locality.levels().enumerate().map(|(at, level)| {
        for load in loads::simulated() {
            let model = locality.routed(load, false)[at];
            let point = found.iter().find(|point| point.load_fraction == load);
            let point = point.map(|point| point.levels[at]);
            let simple = locality.routed_simply(load)[at];
            row(
                &mut csv,
                tree,
                &level.to_string(),
                load,
                (model, simple),
                point,
            );
        }
        let points = found
            .iter()
            .map(|point| (point.load_fraction, point.levels[at]));
        let model = |load: f64| locality.routed(load, false)[at];
        series_of(level_name(level), model, points)
    });
    let series = levels.collect();
    let simple = locality.levels().enumerate().map(|(at, level)| {
        let name = level_name(level);
        let points = found
            .iter()
            .map(|point| (point.load_fraction, point.levels[at]));
        series_of(name, |load| locality.routed_simply(load)[at], points)
    });
    let simple: Vec<Series> = simple.collect();
    let kind = if tree.leaf_stages.is_none() {
        "Full"
    } else {
        "Hybrid"
    };
    Charts {
        charts: vec![
            chart(&format!("{kind} fat tree of {}", tree.processors()), series),
            chart(
                &format!("{kind} fat tree of {}, simple", tree.processors()),
                simple,
            ),
        ],
        csv,
    }
}

/// Figures 4.11 and 4.18: a curve for each tree, over all levels (equation 4.43).
pub fn normalised(kind: &str, trees: &[(OfTree, Vec<LocalPoint>)]) -> Charts {
    let mut csv = header();
    let of_trees = trees.iter().map(|(figure, found)| {
        let tree = figure.tree;
        let locality = Locality(tree);
        for load in loads::simulated() {
            let model = locality.routed_normalised(load, false);
            let point = found.iter().find(|point| point.load_fraction == load);
            let simple = locality.levels().zip(locality.routed_simply(load));
            let simple = simple.map(|(level, routed)| locality.p_any(level) * routed);
            row(
                &mut csv,
                tree,
                "all",
                load,
                (model, simple.sum()),
                point.map(|point| point.routed),
            );
        }
        let points = found
            .iter()
            .map(|point| (point.load_fraction, point.routed));
        let model = |load: f64| locality.routed_normalised(load, false);
        series_of(format!("{}", tree.processors()), model, points)
    });
    let series = of_trees.collect();
    Charts {
        charts: vec![chart(&format!("All levels of {kind} fat trees"), series)],
        csv,
    }
}

fn header() -> String {
    "processors,level,load_fraction,model_fraction,simple_model_fraction,simulated_fraction,stderr,half_width_95\n".into()
}

fn row(
    csv: &mut String,
    tree: UnitTrees,
    level: &str,
    load: f64,
    (model, simple): (f64, f64),
    found: Option<(f64, f64)>,
) {
    let _ = write!(
        csv,
        "{},{level},{load:.1},{model:.6},{simple:.6},",
        tree.processors()
    );
    let _ = match found {
        Some((routed, stderr)) => {
            let half = NORMAL_95 * stderr;
            writeln!(csv, "{routed:.6},{stderr:.6},{half:.6}")
        }
        None => writeln!(csv, ",,"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_curve_for_each_level_or_tree() {
        let counts = (8..=18).map(|number| {
            let drawn = draw(number, Effort::Formulas, &mut ()).expect("nobody stops it");
            let rows = drawn.csv.lines().count() - 1;
            let series = drawn.charts[0].series.len();
            assert_eq!(rows, 10 * series, "figure 4.{number}");
            series
        });
        assert_eq!(
            counts.collect::<Vec<_>>(),
            [3, 6, 9, 3, 4, 4, 4, 7, 7, 7, 6]
        );
    }

    #[test]
    fn points_stand_at_their_loads() {
        let tree = FULL[0].tree;
        let found = LocalPoint {
            tree,
            two_crossbars: false,
            load_fraction: 0.5,
            routed: (0.8, 0.01),
            levels: vec![(0.9, 0.01), (0.8, 0.01), (0.7, 0.01)],
        };
        let drawn = by_level(tree, &[found]);
        assert!(
            drawn.charts[0]
                .series
                .iter()
                .all(|series| series.points.len() == 1)
        );
        assert!(drawn.csv.contains("64,1,0.5,"));
        assert!(drawn.csv.contains(",0.900000,0.010000,0.019600\n"));
    }
}
