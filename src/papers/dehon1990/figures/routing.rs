//! DeHon's Figure 4.19, by the recursion and by simulation.

use std::fmt::Write;

use crate::analytic::routing::{Load, bidelta, through};
use crate::diagnostic::Error;
use crate::papers::dehon1990::routing::{RoutedPoint, Routing, SIGMAS_95};
use crate::papers::paper::Charts;
use crate::papers::watch::{Effort, Watch, go_on};
use crate::plot::{Axis, Chart, Point, Series};

/// Routing stages of the curves of DeHon's Figure 4.19.
const STAGES: std::ops::RangeInclusive<u32> = 3..=10;
/// Straight pieces of a curve.
const PIECES: u32 = 50;
/// Loads that are simulated: tenths.
const LOADS: u32 = 10;

/// The figure and its numbers, with as many points simulated as is asked for: up to 6
/// stages, or all.
pub fn draw(effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let loads = || (1..=LOADS).map(|load| f64::from(load) / f64::from(LOADS));
    let simulated = match effort {
        Effort::Formulas => 0,
        Effort::Quick => 6,
        Effort::All => 10,
    };
    let mut points = Vec::new();
    for stages in 3..=simulated {
        let mut routing = Routing::new(stages);
        for load in loads() {
            go_on(watch)?;
            points.push(routing.point(load, watch));
        }
    }
    let mut csv = String::from(
        "stages,nodes,load_fraction,model_fraction,simulated_fraction,stderr,half_width_95,\
         replicates,connections\n",
    );
    for stages in STAGES {
        let network = bidelta(stages);
        for load in loads() {
            let model = through(&network, Load::Processors(load)).probability;
            let nodes = 1u64 << (2 * stages);
            let _ = write!(csv, "{stages},{nodes},{load:.1},{model:.6},");
            let found = points
                .iter()
                .find(|point| point.stages == stages && point.load_fraction == load);
            let _ = match found {
                Some(point) => writeln!(
                    csv,
                    "{:.6},{:.6},{:.6},{},{}",
                    point.routed_fraction,
                    point.stderr,
                    SIGMAS_95 * point.stderr,
                    point.replicates,
                    point.connections
                ),
                None => writeln!(csv, ",,,,"),
            };
        }
    }
    Ok(Charts {
        charts: vec![routing_of_bidelta(&points)],
        csv,
    })
}

/// A. DeHon, "Fat-Tree Routing for Transit" (1990), Figure 4.19: the probability that a
/// connection is routed through bidelta networks of 3 to 10 stages, against the load, with
/// bars of 95 % on what was simulated.
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
                .map(|point| {
                    let (load, routed) = (point.load_fraction, point.routed_fraction);
                    Point::with_error(load, routed, SIGMAS_95 * point.stderr)
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
        x: Axis::linear("load (fraction of processors that send)", 0.0, 1.0),
        y: Axis::linear("probability of routing", 0.0, 1.0),
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
            replicates: 8,
            connections: 1000,
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
