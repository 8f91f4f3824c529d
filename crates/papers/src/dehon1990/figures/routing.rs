//! DeHon's Figure 4.19, by the recursion and by simulation.

use std::fmt::Write;

use crate::dehon1990::loads;
use crate::dehon1990::routing::{RoutedPoint, points};
use crate::effort::Effort;
use crate::paper::Charts;
use crosswave_analytic::routing::{NetworkLoad, bidelta, through};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::NORMAL_95;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;

/// Routing stages of the curves of DeHon's Figure 4.19.
pub const STAGES: std::ops::RangeInclusive<u32> = 3..=10;
/// Most stages of networks that are simulated in the quick form.
const QUICK_STAGES: u32 = 7;

/// The figure and its numbers, with as many points simulated as is asked for.
///
/// # Errors
/// Those of [`points`].
pub fn draw(effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let points = simulated(effort, &mut Store::in_memory(), watch)?;
    Ok(chart_and_numbers(&points))
}

/// The points that are simulated: up to 7 stages with broader intervals, or all.
///
/// # Errors
/// Those of [`points`].
pub fn simulated(
    effort: Effort,
    store: &mut Store,
    watch: &mut dyn Watch,
) -> Result<Vec<RoutedPoint>, Error> {
    let (stages, quick) = match effort {
        Effort::Formulas => return Ok(Vec::new()),
        Effort::Quick => (*STAGES.start()..=QUICK_STAGES, true),
        Effort::All => (STAGES, false),
    };
    points(stages, quick, store, watch)
}

/// The figure and its numbers, given what was simulated.
pub fn chart_and_numbers(points: &[RoutedPoint]) -> Charts {
    let mut csv = String::from(
        "stages,nodes,load_fraction,model_fraction,simulated_fraction,stderr,half_width_95,\
         replicates,connections\n",
    );
    for stages in STAGES {
        let network = bidelta(stages);
        for load in loads::simulated() {
            let model = through(&network, NetworkLoad::Processors(load)).probability;
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
                    NORMAL_95 * point.stderr,
                    point.replicates,
                    point.connections
                ),
                None => writeln!(csv, ",,,,"),
            };
        }
    }
    Charts {
        charts: vec![routing_of_bidelta(points)],
        csv,
    }
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
        let points = simulated.iter().filter(|point| point.stages == stages);
        Series {
            name: format!("{stages} stages"),
            curve: loads::of_curve()
                .map(|load| {
                    (
                        load,
                        through(&network, NetworkLoad::Processors(load)).probability,
                    )
                })
                .collect(),
            points: points
                .map(|point| {
                    let (load, routed) = (point.load_fraction, point.routed_fraction);
                    PlotPoint::with_error(load, routed, NORMAL_95 * point.stderr)
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
        marks: Vec::new(),
        hollow_name: "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_figures::plot;

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
