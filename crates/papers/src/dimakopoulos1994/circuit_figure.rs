//! Clocks of the operations on circuit-switched networks, and on packet-switched ones, beside the steps of the packet-switched
//! ideal, against nodes.
//!
//! The charts are those of the four-port trees, with capacities that double and with 1; the numbers
//! are those of all [`NETWORKS`].

use std::fmt::Write;

use super::circuits::{Cost, DOUBLING, Machine, NETWORKS, SIMPLE, ideal_steps};
use super::study::{Study, TreeKind};
use crate::effort::Effort;
use crate::paper::Charts;
use crosswave_base::diagnostic::Error;
use crosswave_collectives::messages::{ALGORITHMS, Algorithm};
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};

/// Levels of the largest network, quickly and with everything.
const LEVELS: [u32; 2] = [6, 8];
/// The algorithms that are drawn.
const DRAWN: [Algorithm; 6] = [
    Algorithm::Broadcast,
    Algorithm::Barrier,
    Algorithm::ScatterDirect,
    Algorithm::GatherDirect,
    Algorithm::MultinodeDoubling,
    Algorithm::ExchangeXor,
];

/// An operation on a network of one size.
struct Row {
    network: Machine,
    levels: u32,
    algorithm: Algorithm,
    cost: Cost,
}

impl Row {
    fn nodes(&self) -> u32 {
        1 << self.levels
    }
}

/// The figure and its numbers.
///
/// # Errors
/// As [`Study::kept`].
pub fn draw(study: &mut Study<'_>) -> Result<Charts, Error> {
    let most = match study.effort() {
        Effort::Formulas => 0,
        Effort::Quick => LEVELS[0],
        Effort::All => LEVELS[1],
    };
    rows(most, study).map(|rows| charts(&rows))
}

/// All operations on all networks of up to so many levels.
fn rows(most: u32, study: &mut Study<'_>) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    for network in NETWORKS {
        for levels in (0..=most).filter(|&levels| network.has(levels)) {
            for algorithm in ALGORITHMS {
                let cost = network.cost(algorithm, levels, study)?;
                rows.push(Row {
                    network,
                    levels,
                    algorithm,
                    cost,
                });
            }
        }
    }
    Ok(rows)
}

fn charts(rows: &[Row]) -> Charts {
    Charts {
        charts: vec![
            chart(rows, DOUBLING, TreeKind::Exponential, 14),
            chart(rows, SIMPLE, TreeKind::Constant, 20),
        ],
        csv: csv(rows),
    }
}

fn csv(rows: &[Row]) -> String {
    let mut csv = String::from(
        "network,nodes,operation,by,replicates,messages,cycles,half_width_95,\
         attempts_per_message,collisions,ebft_steps,cbft_steps\n",
    );
    for row in rows {
        let (cycles, half) = row.cost.cycles();
        let steps = [TreeKind::Exponential, TreeKind::Constant].map(|kind| {
            let steps = ideal_steps(row.algorithm, kind, row.levels);
            steps.map_or_else(String::new, |steps| steps.to_string())
        });
        let _ = writeln!(
            csv,
            "\"{}\",{},{},{},{},{},{cycles:.1},{half:.1},{:.2},{:.1},{}",
            row.network.name,
            row.nodes(),
            row.algorithm.operation(),
            row.algorithm.way().unwrap_or_default(),
            row.cost.cycles.len(),
            row.cost.messages,
            row.cost.attempts_per_message(),
            row.cost.collisions(),
            steps.join(",")
        );
    }
    csv
}

/// Clocks on a tree as points, and the steps of the ideal one of the same capacities as curves.
fn chart(rows: &[Row], network: Machine, kind: TreeKind, most: u32) -> Chart {
    let series = |algorithm: Algorithm| {
        let of = |row: &&Row| row.network == network && row.algorithm == algorithm;
        let place = |row: &Row| f64::from(row.nodes());
        let points = rows.iter().filter(of).map(|row| {
            let (cycles, half) = row.cost.cycles();
            PlotPoint::with_error(place(row), cycles, half)
        });
        let curve = rows.iter().filter(of).filter_map(|row| {
            let steps = ideal_steps(algorithm, kind, row.levels)?;
            Some((place(row), steps as f64))
        });
        Series {
            name: algorithm.operation().replace('-', " "),
            curve: curve.collect(),
            points: points.collect(),
        }
    };
    Chart {
        title: format!(
            "Circuits (points) and ideal packets (lines), {}",
            kind.name()
        ),
        x: Axis::powers_of_two("nodes n", 6.0, 330.0),
        y: Axis::powers_of_two("cycles, steps", 4.0, f64::from(1u32 << most)),
        series: DRAWN.map(series).into(),
        marks: Vec::new(),
        hollow_name: "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_observe::points::Store;

    #[test]
    fn every_operation_is_on_every_tree() {
        let (mut store, mut watch) = (Store::in_memory(), ());
        let mut study = Study::new(Effort::All, &mut store, &mut watch);
        let drawn = charts(&rows(4, &mut study).expect("nobody stops it"));
        let lines: Vec<&str> = drawn.csv.lines().collect();
        // Four trees have 8 and 16 nodes; the bidelta network and the butterfly have 16.
        assert_eq!(lines.len(), 1 + ALGORITHMS.len() * (4 * 2 + 2));
        let exchange =
            "\"four-port tree, doubling\",8,total-exchange,xor,20,56,116.0,0.0,1.00,0.0,11,21";
        assert!(lines.contains(&exchange), "{lines:#?}");
        for chart in &drawn.charts {
            for series in &chart.series {
                assert_eq!(series.points.len(), 2, "{}", series.name);
                let in_chart = |point: &PlotPoint| (chart.y.from..=chart.y.to).contains(&point.y);
                assert!(series.points.iter().all(in_chart), "{}", series.name);
            }
        }
    }
}
