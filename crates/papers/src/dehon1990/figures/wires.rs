//! DeHon's Figures 4.1 to 4.4, 4.6 and 4.7: wires by length and by clocks, by the equations and in
//! placed networks.

use std::fmt::Write;

use crate::dehon1990::placed_wires::{PlacedWires, cubes, fractions, squares};
use crate::effort::Effort;
use crate::paper::Charts;
use crosswave_analytic::wires::{Geometry, LengthDistribution};
use crosswave_base::diagnostic::Error;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_observe::points::watch::Watch;

/// Legend of the curve of the equations.
const EQUATIONS: &str = "equations";

/// The wires and the measure that a figure shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Lengths in hollow cubes of all trees.
    CubeLengths,
    /// Clocks in hollow cubes of trees with these leaves, whose sides are the same.
    CubeClocks(&'static [&'static str]),
    /// Lengths in squares of convergence.
    SquareLengths,
    /// Clocks in squares of convergence.
    SquareClocks,
}

/// Figures by their numbers in chapter 4. Figure 4.5 is a drawing of a topology.
pub const FIGURES: [(u32, Of); 6] = [
    (1, Of::CubeLengths),
    (2, Of::CubeClocks(&["B192"])),
    (3, Of::CubeClocks(&["B48", "UT64x2"])),
    (4, Of::CubeClocks(&["B12"])),
    (6, Of::SquareLengths),
    (7, Of::SquareClocks),
];

/// The side of a leaf stack, in tenths of an inch: of 8, 4 and 2 chips in a row.
///
/// # Panics
/// When there is no such leaf.
pub fn geometry(leaf: &str) -> Geometry {
    let tenths = match leaf {
        "B192" => 224,
        "B48" | "UT64x2" => 112,
        "B12" => 56,
        _ => panic!("a leaf stack, not {leaf}"),
    };
    Geometry {
        stack_side_micrometres: tenths * 2_540,
        ..Geometry::DEHON
    }
}

/// The distribution that the equations give for a side.
pub fn formula(of: Of, side_stacks: u64) -> Vec<f64> {
    let cube = || LengthDistribution::of_hollow_cube(side_stacks);
    let square = || LengthDistribution::of_square(side_stacks);
    fractions(&match of {
        Of::CubeLengths => cube().counts().to_vec(),
        Of::CubeClocks(leaves) => cube().cycles(&geometry(leaves[0])),
        Of::SquareLengths => square().counts().to_vec(),
        Of::SquareClocks => square().cycles(&Geometry::DEHON),
    })
}

/// The sides of a figure's two charts, in stacks.
pub fn sides(of: Of) -> [u64; 2] {
    match of {
        Of::CubeLengths | Of::CubeClocks(_) => [4, 16],
        Of::SquareLengths | Of::SquareClocks => [8, 64],
    }
}

/// The distributions counted for a figure's chart: a name, and shares by length or clocks.
pub fn counted(of: Of, side_stacks: u64, placed: &[PlacedWires]) -> Vec<(&'static str, Vec<f64>)> {
    let of_side = placed
        .iter()
        .filter(|wires| wires.side_stacks == side_stacks);
    let shown = of_side.filter(|wires| match of {
        Of::CubeLengths => !wires.leaf.is_empty(),
        Of::CubeClocks(leaves) => leaves.contains(&wires.leaf),
        Of::SquareLengths | Of::SquareClocks => wires.leaf.is_empty(),
    });
    let counts = shown.map(|wires| {
        let counts = match of {
            Of::CubeLengths | Of::SquareLengths => &wires.lengths,
            Of::CubeClocks(_) | Of::SquareClocks => &wires.clocks,
        };
        (wires.leaf, fractions(counts))
    });
    counts.collect()
}

/// A figure by its number, as one of the registry. It is counted, so nothing is left out in its
/// quick form.
///
/// # Errors
/// None.
///
/// # Panics
/// When there is no such figure.
pub fn draw(number: u32, _: Effort, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let mut figures = FIGURES.into_iter();
    let (_, of) = figures
        .find(|figure| figure.0 == number)
        .expect("a figure of wires");
    let placed = match of {
        Of::CubeLengths | Of::CubeClocks(_) => cubes(watch),
        Of::SquareLengths | Of::SquareClocks => squares(watch),
    };
    Ok(charts(of, &placed))
}

/// Both charts of a figure, and its numbers.
pub fn charts(of: Of, placed: &[PlacedWires]) -> Charts {
    let unit = match of {
        Of::CubeLengths | Of::SquareLengths => "length_stacks",
        Of::CubeClocks(_) | Of::SquareClocks => "clocks",
    };
    let mut csv = format!("side_stacks,{unit},network,wires_fraction\n");
    let of_side = |side| chart(of, side, placed, &mut csv);
    let charts = sides(of).map(of_side).into();
    Charts { charts, csv }
}

fn chart(of: Of, side: u64, placed: &[PlacedWires], csv: &mut String) -> Chart {
    let formula = formula(of, side);
    let mut most = 0.0_f64;
    let mut all = vec![(EQUATIONS.to_owned(), formula)];
    for (leaf, shares) in counted(of, side, placed) {
        let name = match leaf {
            "" => "placed".to_owned(),
            leaf => format!("placed, {leaf}"),
        };
        all.push((name, shares));
    }
    let longest = all
        .iter()
        .map(|(_, shares)| shares.len())
        .max()
        .unwrap_or(1);
    let mut series = Vec::new();
    for (name, shares) in all {
        for (at, share) in shares.iter().enumerate() {
            let _ = writeln!(csv, "{side},{at},{name},{share:.6}");
            most = most.max(*share);
        }
        let places = || {
            shares
                .iter()
                .enumerate()
                .map(|(at, &share)| (at as f64, share))
        };
        let is_formula = name == EQUATIONS;
        series.push(Series {
            name,
            curve: if is_formula {
                places().collect()
            } else {
                Vec::new()
            },
            points: match is_formula {
                true => Vec::new(),
                false => places()
                    .map(|(x, y)| PlotPoint::with_error(x, y, 0.0))
                    .collect(),
            },
        });
    }
    let (what, axis) = match of {
        Of::CubeLengths | Of::SquareLengths => ("length", "length (sides of a stack, rounded up)"),
        Of::CubeClocks(_) | Of::SquareClocks => ("cycles", "cycles of 10 ns"),
    };
    Chart {
        title: format!("Wires by {what}, Ns = {side}: equations and placed networks"),
        x: Axis::linear(axis, -0.5, longest as f64 - 0.5),
        y: Axis::linear("fraction of wires", 0.0, (most * 110.0).ceil() / 100.0),
        series,
        marks: Vec::new(),
        hollow_name: "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_give_shares_of_all_wires() {
        for (number, of) in FIGURES {
            for side in sides(of) {
                let sum: f64 = formula(of, side).iter().sum();
                assert!((sum - 1.0).abs() < 1e-12, "figure 4.{number}, side {side}");
            }
            let drawn = charts(of, &[]);
            assert_eq!(drawn.charts.len(), 2);
        }
    }
}
