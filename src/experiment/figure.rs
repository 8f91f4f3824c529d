//! Figures of the papers, drawn from models and from what was simulated.

use crate::analytic::routing::{Load, bidelta, through};
use crate::plot::{Axis, Chart, Point, Series};

/// Routing stages of the curves of DeHon's Figure 4.19.
const STAGES: std::ops::RangeInclusive<u32> = 3..=10;
/// Straight pieces of a curve.
const PIECES: u32 = 50;

/// A simulated point of [`routing_of_bidelta`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoutedPoint {
    /// Routing stages of the network, 3 to 10.
    pub stages: u32,
    /// Fraction of processors that send.
    pub load_fraction: f64,
    /// Fraction of connections that were routed.
    pub routed_fraction: f64,
    /// Standard error of that fraction.
    pub stderr: f64,
}

/// A. DeHon, "Fat-Tree Routing for Transit" (1990), Figure 4.19: the probability that a
/// connection is routed through bidelta networks of 3 to 10 stages, against the load, with
/// bars of one standard error on what was simulated.
///
/// The load is the fraction of processors that send; of the network's input wires half of
/// that is loaded.
///
/// # Panics
/// When a point is not of a network of 3 to 10 stages.
pub fn routing_of_bidelta(simulated: &[RoutedPoint]) -> Chart {
    for point in simulated {
        let stages = point.stages;
        assert!(STAGES.contains(&stages), "{stages} stages, not 3 to 10");
    }
    let series = STAGES.map(|stages| {
        let network = bidelta(stages);
        let loads = (0..=PIECES).map(|piece| f64::from(piece) / f64::from(PIECES));
        let points = simulated.iter().filter(|point| point.stages == stages);
        Series {
            name: format!("{stages} stages"),
            curve: loads
                .map(|load| (load, through(&network, Load::Processors(load)).probability))
                .collect(),
            points: points
                .map(|point| Point {
                    x: point.load_fraction,
                    y: point.routed_fraction,
                    error: point.stderr,
                })
                .collect(),
        }
    });
    Chart {
        title: if simulated.is_empty() {
            "Bidelta networks of RN1: model".into()
        } else {
            "Bidelta networks of RN1: model (lines) and simulation (points)".into()
        },
        x: Axis {
            title: "load (fraction of processors that send)".into(),
            from: 0.0,
            to: 1.0,
        },
        y: Axis {
            title: "probability of routing".into(),
            from: 0.0,
            to: 1.0,
        },
        series: series.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot;

    #[test]
    fn curves_stand_below_each_other_and_points_on_theirs() {
        let chart = routing_of_bidelta(&[RoutedPoint {
            stages: 5,
            load_fraction: 0.5,
            routed_fraction: 0.8,
            stderr: 0.01,
        }]);
        assert_eq!(chart.series.len(), 8);
        for pair in chart.series.windows(2) {
            let curves = pair[0].curve.iter().zip(&pair[1].curve);
            // At no load all begin at 1.
            assert!(curves.skip(1).all(|(shorter, longer)| shorter.1 > longer.1));
        }
        let points: Vec<usize> = chart.series.iter().map(|s| s.points.len()).collect();
        assert_eq!(points, [0, 0, 1, 0, 0, 0, 0, 0]);
        assert_eq!(plot::svg(&chart).matches(" stages\n").count(), 8);
    }
}
