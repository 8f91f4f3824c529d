//! Distributions of wires as quantities: by the equations, by trying every pair of places, and as
//! counted in placed networks.

use crate::dehon1990::figures::wires::{Of, counted, formula};
use crate::dehon1990::placed_wires::{PlacedWires, mean};
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_analytic::wires::LengthDistribution;

/// The greatest difference of shares of wires. The figures are printed without numbers, some
/// tenths high, and a hundredth can just be seen in them.
const SHARE_TOLERANCE: f64 = 0.01;
/// Half of the last digit of an average.
const AVERAGE_TOLERANCE: f64 = 0.05;
/// Lengths of which each is a quantity; of longer distributions, how many are put together.
const LENGTHS_MAX: usize = 32;
/// So many lengths together.
const TOGETHER: usize = 8;
/// The reason why counted shares differ from the equations.
pub const NOT_INDEPENDENT: &str = "the equations take the ends of a wire as independent; in the placed \
                               network a stack is joined to some of the stacks of the next stage \
                               only, at places that depend on its own";

/// The mean length of a placed network's wires, beside the print.
pub fn mean_length(place: &str, wires: &PlacedWires, printed: f64) -> Quantity {
    let side = wires.side_stacks;
    let (id, formula) = match wires.leaf {
        "" => (
            format!("section-{place}.side-{side}.placed_mean_wire_length_stacks"),
            LengthDistribution::of_square(side),
        ),
        leaf => (
            format!("table-{place}.{leaf}.side-{side}.placed_mean_wire_length_stacks"),
            LengthDistribution::of_hollow_cube(side),
        ),
    };
    let source = format!("DeHon 1990, {place}, in a placed network");
    Quantity::new(id, source, printed)
        .analytic(formula.mean())
        .simulated(Some(MeasuredValue::exact(mean(&wires.lengths))))
        .within(AVERAGE_TOLERANCE)
        .approximate(NOT_INDEPENDENT)
        .judged(None)
}

/// The most that a counted distribution is apart from a formula, at any value.
pub fn apart(id: String, source: &str, formula: &[f64], counted: &[f64]) -> Quantity {
    let share = |shares: &[f64], at: usize| shares.get(at).copied().unwrap_or(0.0);
    let values = 0..formula.len().max(counted.len());
    let differences = values.map(|at| (share(formula, at) - share(counted, at)).abs());
    let most = differences.fold(0.0, f64::max);
    Quantity::claimed(id, source, 0.0)
        .simulated(Some(MeasuredValue::exact(most)))
        .within(SHARE_TOLERANCE)
        .approximate(NOT_INDEPENDENT)
        .judged(None)
}

/// One curve of a figure: the share of wires of each length or of each number of clocks, and of
/// long distributions that up to every eighth length.
pub fn curve(number: u32, of: Of, side: u64, placed: &[PlacedWires]) -> Vec<Quantity> {
    let formula = formula(of, side);
    let unit = match of {
        Of::CubeLengths | Of::SquareLengths => "length",
        Of::CubeClocks(_) | Of::SquareClocks => "clocks",
    };
    let source = format!("DeHon 1990, section 4.1 or 4.2, figure 4.{number}");
    let mut quantities = Vec::new();
    for (leaf, shares) in counted(of, side, placed) {
        let place = match leaf {
            "" => format!("figure-4.{number}.side-{side}"),
            leaf => format!("figure-4.{number}.{leaf}.side-{side}"),
        };
        let values = formula.len().max(shares.len());
        let together = if values > LENGTHS_MAX { TOGETHER } else { 1 };
        for first in (0..values).step_by(together) {
            let sum = |shares: &[f64]| -> f64 { shares.iter().skip(first).take(together).sum() };
            let id = match together {
                1 => format!("{place}.{unit}-{first}.wires_fraction"),
                _ => format!(
                    "{place}.{unit}-{first}-to-{}.wires_fraction",
                    first + together - 1
                ),
            };
            quantities.push(
                Quantity::unprinted(id, source.clone())
                    .analytic(sum(&formula))
                    .simulated(Some(MeasuredValue::exact(sum(&shares))))
                    .within(SHARE_TOLERANCE)
                    .approximate(NOT_INDEPENDENT)
                    .judged(None),
            );
        }
    }
    quantities
}
