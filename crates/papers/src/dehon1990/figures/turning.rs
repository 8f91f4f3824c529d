//! Clocks to a reply over a turned connection and over a second one, against the load.

use std::fmt::Write;

use crate::dehon1990::turning::{ReplyPoint, Way, point};
use crate::effort::Effort;
use crate::paper::Charts;
use crosswave_base::diagnostic::Error;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// Loads that are simulated: tenths.
const LOADS: u32 = 10;

/// Stages of the networks, and replicates of each.
const NETWORKS: [(u32, u32); 2] = [(3, 8), (4, 4)];

/// The figure and its numbers. Nothing is simulated without effort; more than a little
/// makes four times as many replicates.
pub fn draw(effort: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let times = match effort {
        Effort::Formulas => 0,
        Effort::Quick => 1,
        Effort::All => 4,
    };
    let mut points = Vec::new();
    for (stages, replicates) in NETWORKS.into_iter().filter(|_| times > 0) {
        for way in Way::ALL {
            for load in 1..=LOADS {
                check_cancelled(watch)?;
                let senders = (1 << (2 * stages)) * load / LOADS;
                points.push(point(stages, way, senders, times * replicates, watch));
            }
        }
    }
    Ok(Charts {
        charts: vec![chart(&points)],
        csv: csv(&points),
    })
}

/// Fraction of processors that send.
fn load_fraction(point: &ReplyPoint) -> f64 {
    f64::from(point.senders) / f64::from(1u32 << (2 * point.stages))
}

fn csv(points: &[ReplyPoint]) -> String {
    let mut csv = String::from(
        "stages,nodes,way,senders,load_fraction,mean_clocks,stderr,replicates,requests\n",
    );
    for point in points {
        let _ = writeln!(
            csv,
            "{},{},{},{},{:.3},{:.3},{:.3},{},{}",
            point.stages,
            1u32 << (2 * point.stages),
            point.way.name(),
            point.senders,
            load_fraction(point),
            point.clocks,
            point.stderr,
            point.replicates,
            point.requests
        );
    }
    csv
}

/// The short name of a way beside the picture, where there is little room.
fn short(way: Way) -> &'static str {
    match way {
        Way::Turned => "turned",
        Way::TwoConnections => "two",
    }
}

fn chart(points: &[ReplyPoint]) -> Chart {
    let series = NETWORKS.into_iter().flat_map(|(stages, _)| {
        Way::ALL.map(|way| {
            let own = points.iter().filter(|p| p.stages == stages && p.way == way);
            let own: Vec<&ReplyPoint> = own.collect();
            Series {
                name: format!("{}, {}", 1u32 << (2 * stages), short(way)),
                curve: own.iter().map(|p| (load_fraction(p), p.clocks)).collect(),
                points: own
                    .iter()
                    .map(|p| PlotPoint::with_error(load_fraction(p), p.clocks, p.stderr))
                    .collect(),
            }
        })
    });
    let most = points.iter().map(|point| point.clocks).fold(1.0, f64::max);
    Chart {
        title: "Replies over one turned or over two connections, by nodes: simulation".into(),
        x: Axis::linear("load (fraction of processors that send)", 0.0, 1.0),
        y: Axis::linear(
            "cycles from the offer to the end of the reply",
            0.0,
            (most * 1.1 / 10.0).ceil() * 10.0,
        ),
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
    fn points_stand_in_chart_and_table() {
        let points = Way::ALL.map(|way| ReplyPoint {
            stages: 3,
            way,
            senders: 32,
            clocks: 40.0,
            stderr: 1.0,
            replicates: 8,
            requests: 4096,
        });
        let text = csv(&points);
        assert!(text.ends_with("3,64,two connections,32,0.500,40.000,1.000,8,4096\n"));
        let chart = chart(&points);
        let counts: Vec<usize> = chart.series.iter().map(|s| s.points.len()).collect();
        assert_eq!(counts, [1, 1, 0, 0]);
        assert!(plot::svg(&chart).contains("64, turned"));
    }
}
