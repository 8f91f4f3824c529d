//! Pictures of figures 11 to 15, and of the oblivious ratio against the number of paths.

use std::fmt::Write;

use num_rational::Ratio;

use super::curves::{self, CurvePoint, RatioCurve};
use super::multipath::{self, PathsRow};
use crate::effort::Effort;
use crate::paper::Charts;
use crosswave_base::diagnostic::Error;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_observe::points::watch::Watch;

/// A figure of the paper and its numbers.
///
/// # Errors
/// When someone asks to stop.
pub fn draw(curve: RatioCurve, effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    Ok(charts(
        curve,
        effort,
        &curves::points(curve, effort, watch)?,
    ))
}

/// The same of points that are there.
pub fn charts(curve: RatioCurve, effort: Effort, points: &[CurvePoint]) -> Charts {
    Charts {
        charts: vec![chart(curve, effort, points)],
        csv: csv(curve, effort, points),
    }
}

fn csv(curve: RatioCurve, effort: Effort, points: &[CurvePoint]) -> String {
    let (ports, levels) = curve.tree(effort);
    let mut csv = String::from(
        "ports,levels,x,routing,mean_of_32,standard_error_of_32,instances,mean,standard_error,largest\n",
    );
    for point in points {
        for found in &point.routings {
            let _ = writeln!(
                csv,
                "{ports},{levels},{},{},{:.4},{:.4},{},{:.4},{:.4},{:.4}",
                point.x,
                found.name,
                found.first.mean,
                found.first.standard_error,
                found.all.instances,
                found.all.mean,
                found.all.standard_error,
                found.most
            );
        }
    }
    csv
}

fn chart(curve: RatioCurve, effort: Effort, points: &[CurvePoint]) -> Chart {
    let (ports, levels) = curve.tree(effort);
    let (what, x) = match curve {
        RatioCurve::Uniform => (
            "Random uniform traffic",
            Axis::linear("probability", 0.0, 1.0),
        ),
        RatioCurve::Clusters2 | RatioCurve::Clusters3 => (
            "Clusters",
            Axis::powers_of_two("nodes of a cluster", 1.5, 160.0),
        ),
        RatioCurve::HotSpots2 | RatioCurve::HotSpots3 => (
            "Four hot spots",
            Axis::powers_of_two("nodes of a hot spot", 3.0, 320.0),
        ),
    };
    let top = match curve {
        RatioCurve::Uniform | RatioCurve::HotSpots2 | RatioCurve::HotSpots3 => 1.34,
        RatioCurve::Clusters2 | RatioCurve::Clusters3 => 5.5,
    };
    let routings = points.first().map_or(0, |point| point.routings.len());
    let series = |place: usize| {
        let of = |point: &CurvePoint| point.routings[place].clone();
        let name = match (place, curve) {
            (0, RatioCurve::Uniform) | (1.., _) => of(&points[0]).name,
            (0, _) => "MLID and WSR".to_owned(),
        };
        Series {
            name,
            curve: points
                .iter()
                .map(|point| (point.x, of(point).all.mean))
                .collect(),
            points: points
                .iter()
                .map(|point| {
                    let first = of(point).first;
                    PlotPoint::with_error(point.x, first.mean, 2.0 * first.standard_error)
                })
                .collect(),
        }
    };
    Chart {
        title: format!(
            "{what} on FT({ports}, {levels}): means of 32 (points) and of all instances"
        ),
        x,
        y: Axis::linear("average performance ratio", 0.9, top),
        series: (0..routings).map(series).collect(),
        marks: Vec::new(),
        hollow_name: "",
    }
}

fn number(ratio: Ratio<u64>) -> f64 {
    *ratio.numer() as f64 / *ratio.denom() as f64
}

/// The oblivious ratio against the number of paths.
///
/// # Errors
/// When someone asks to stop.
pub fn draw_paths(effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    Ok(paths_charts(&multipath::rows(effort, watch)?))
}

/// The same of rows that are there.
pub fn paths_charts(rows: &[PathsRow]) -> Charts {
    let mut csv = String::from("ports,levels,paths,mlid,d_mod_k,random_least,random_largest\n");
    for row in rows {
        let _ = writeln!(
            csv,
            "{},{},{},{},{},{:.4},{:.4}",
            row.tree.0,
            row.tree.1,
            row.paths,
            row.mlid,
            row.d_mod_k,
            number(row.drawn.0),
            number(row.drawn.1)
        );
    }
    let mut series = Vec::new();
    for tree in [(16, 2), (8, 3)] {
        let of = |value: fn(&PathsRow) -> Ratio<u64>| -> Vec<(f64, f64)> {
            let rows = rows.iter().filter(|row| row.tree == tree);
            rows.map(|row| (f64::from(row.paths), number(value(row))))
                .collect()
        };
        for (name, curve) in [
            ("consecutive", of(|row| row.d_mod_k)),
            ("random, worst of four", of(|row| row.drawn.1)),
        ] {
            series.push(Series {
                name: format!("FT({}, {}), {name}", tree.0, tree.1),
                points: curve
                    .iter()
                    .map(|&(x, y)| PlotPoint::with_error(x, y, 0.0))
                    .collect(),
                curve,
            });
        }
    }
    Charts {
        charts: vec![Chart {
            title: "Oblivious ratio against paths of a pair".into(),
            x: Axis::powers_of_two("paths of a pair", 0.9, 18.0),
            y: Axis::linear("oblivious performance ratio", 0.0, 17.0),
            series,
            marks: Vec::new(),
            hollow_name: "",
        }],
        csv,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With all paths every routing is optimal, and with one the exact ratios are those of table I.
    #[test]
    fn paths_bring_ratios_down_to_1() {
        let drawn = draw_paths(Effort::Quick, &mut ()).expect("nobody stops it");
        for line in [
            "8,2,1,4,4,",
            "8,2,2,2,2,",
            "8,2,4,1,1,1.0000,1.0000",
            "8,3,16,1,1,1.0000,1.0000",
        ] {
            assert!(
                drawn.csv.contains(&format!("\n{line}")),
                "{line} in {}",
                drawn.csv
            );
        }
        assert_eq!(drawn.charts[0].series.len(), 4);
    }

    #[test]
    fn figures_have_a_point_for_each_size() {
        let drawn = draw(RatioCurve::Clusters3, Effort::Quick, &mut ()).expect("nobody stops it");
        assert_eq!(drawn.csv.lines().count(), 1 + 7 * 2);
        let series = &drawn.charts[0].series;
        assert_eq!(series[0].name, "MLID and WSR");
        assert_eq!(series[1].points.last().map(|point| point.y), Some(1.0));
        let nothing = draw(RatioCurve::Uniform, Effort::Formulas, &mut ());
        assert_eq!(nothing.expect("nobody stops it").charts[0].series, []);
    }
}
