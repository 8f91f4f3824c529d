//! Sections 4.2.3 and 4.2.4: wires between the planes of large bidelta networks.

use super::context::{DehonContext, came_out, claim};
use super::distributions::{NOT_INDEPENDENT, curve, mean_length};
use crate::dehon1990::figures::wires::{FIGURES, Of, charts, sides};
use crate::dehon1990::placed_wires::{mean, squares};
use crate::page::Section;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_analytic::wires::{Geometry, LengthDistribution};
use crosswave_base::diagnostic::Error;

/// Side of a square of convergence, in stacks, and the averages printed for it: length in
/// sides of a stack (section 4.2.3), clocks (section 4.2.4).
const AVERAGES: [(u64, f64, f64); 2] = [(8, 4.6, 1.3), (64, 33.9, 6.9)];
/// Half of the last digit of an average.
const AVERAGE_TOLERANCE: f64 = 0.05;

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 4.2: wires between the planes of bidelta networks");
    section.text(
        "Large bidelta networks are planes of stacks, wired from plane to plane in squares of convergence. \
         Both offsets of a wire are differences of two uniform ones (equation 4.11); the distance of the \
         planes is neglected.",
    );
    let placed = match context.simulates() {
        true => squares(context.watch),
        false => Vec::new(),
    };
    let mut means = averages();
    for (wires, (_, length, clocks)) in placed.iter().zip(AVERAGES) {
        means.push(mean_length("4.2.3", wires, length));
        let id = format!(
            "section-4.2.4.side-{}.placed_mean_wire_clocks",
            wires.side_stacks
        );
        let source = "DeHon 1990, section 4.2.4, in a placed network";
        let formula = LengthDistribution::of_square(wires.side_stacks);
        means.push(
            Quantity::new(id, source, clocks)
                .analytic(formula.mean_cycles(&Geometry::DEHON))
                .simulated(Some(MeasuredValue::exact(mean(&wires.clocks))))
                .within(2.0 * AVERAGE_TOLERANCE)
                .approximate(NOT_INDEPENDENT)
                .judged(None),
        );
    }
    let mut curves = Vec::new();
    for (number, of) in FIGURES {
        if !matches!(of, Of::SquareLengths | Of::SquareClocks) {
            continue;
        }
        let [narrow, wide] = sides(of).map(|side| format!("Figure 4.{number}, Ns = {side}"));
        let name = format!("dehon1990-4.{number}");
        context.put(&name, &charts(of, &placed), &[&narrow, &wide], &mut section);
        for side in sides(of) {
            curves.extend(curve(number, of, side, &placed));
        }
    }
    let found = came_out(&means);
    let paper = "4.6 and 33.9 sides, 1.3 and 6.9 cycles on average with 8 and 64 stacks a side";
    claim(
        &mut section,
        "Wires of bidelta networks",
        paper,
        found,
        means,
    );
    let found = came_out(&curves);
    let paper = "distributions of lengths and cycles for squares of 8 and 64 stacks a side (Figures 4.6 and 4.7)";
    claim(
        &mut section,
        "Distributions of wires in squares",
        paper,
        found,
        curves,
    );
    Ok(section)
}

fn averages() -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for (side, length, _) in AVERAGES {
        quantities.push(
            Quantity::new(
                format!("section-4.2.3.side-{side}.mean_wire_length_stacks"),
                "DeHon 1990, section 4.2.3, equations 4.11 to 4.13",
                length,
            )
            .analytic(LengthDistribution::of_square(side).mean())
            .within(AVERAGE_TOLERANCE)
            .judged(None),
        );
    }
    for (side, _, cycles) in AVERAGES {
        let distribution = LengthDistribution::of_square(side);
        quantities.push(
            Quantity::new(
                format!("section-4.2.4.side-{side}.mean_wire_clocks"),
                "DeHon 1990, section 4.2.4, equations 4.6 to 4.9",
                cycles,
            )
            .analytic(distribution.mean_cycles(&Geometry::DEHON))
            .within(AVERAGE_TOLERANCE)
            .judged(None),
        );
    }
    quantities
}
