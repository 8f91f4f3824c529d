//! Section 4.1: wires in hollow cubes, Tables 4.1 and 4.2.

use super::context::{DehonContext, came_out, claim};
use super::distributions::{apart, curve, mean_length};
use crate::dehon1990::figures::placed::drawing;
use crate::dehon1990::figures::wires::{FIGURES, Of, charts, geometry, sides};
use crate::dehon1990::placed_wires::{PlacedWires, cubes, fractions, mean};
use crate::page::{PagePart, Picture, Section};
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_analytic::wires::{Geometry, LengthDistribution};
use crosswave_base::diagnostic::Error;

/// The side of a hollow cube in stacks, and the mean length of its wires (Table 4.1).
const CUBES: [(u64, f64); 2] = [(4, 3.4), (16, 13.9)];
/// Leaf stacks, and the mean clocks of wires in hollow cubes of 4 and 16 stacks a side (Table
/// 4.2). The print rounds the sides to 2 feet, 1 foot and 6 inches: the averages follow from 16, 8
/// and 4 chips of 1.4 inches.
const LEAVES: [(&str, [f64; 2]); 3] = [
    ("B192", [1.0, 3.2]),
    ("B48", [1.0, 1.8]),
    ("B12", [1.0, 1.0]),
];
/// Half of the last digit of an average.
const AVERAGE_TOLERANCE: f64 = 0.05;
/// The reason why an average of Table 4.2 differs.
const ROUNDED_TWICE: &str = "the mean is a little below 3.15; the print is that rounded to two \
                             digits behind the point, and then to one";

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 4.1: wires in hollow cubes");
    section.text(
        "Fat trees are built as cubes whose sides are squares of stacks, wired to the stacks on the top. \
         With Ns stacks along a side, a wire runs z down from the top, y into the room, and dx along the \
         edge: z and y are uniform offsets from 0 to Ns - 1 (equation 4.1 prints 1 to Ns, of which the \
         averages do not follow), dx is the difference of two (equation 4.2). Lengths are rounded up to \
         whole sides of a stack (4.5), and the delay at the speed of light to whole clocks (4.6).",
    );
    let placed = match context.simulates() {
        true => cubes(context.watch),
        false => Vec::new(),
    };
    if context.draws {
        pictures(&mut section);
        section.parts.push(context.command("dehon1990-placed"));
    }
    if !placed.is_empty() {
        section.text(
            "Placed networks are counted wire by wire: trees of two layers of UT64x8 above each leaf, in \
             which a stack's channels are dealt over the sides and the top as its links are. The equations \
             take the offsets of a wire as independent; in a placed tree a child's stack is joined to some \
             of its parent's stacks only.",
        );
    }
    for (number, of) in FIGURES {
        if !matches!(of, Of::CubeLengths | Of::CubeClocks(_)) {
            continue;
        }
        let [narrow, wide] = [4, 16].map(|side| format!("Figure 4.{number}, Ns = {side}"));
        let name = format!("dehon1990-4.{number}");
        context.put(&name, &charts(of, &placed), &[&narrow, &wide], &mut section);
    }
    averages(&mut section, &placed);
    distributions(&mut section, &placed);
    Ok(section)
}

/// Pictures of placed trees.
fn pictures(section: &mut Section) {
    let captions = [
        "A hollow cube, placed: 64 leaf stacks on four sides, the UT64x8 of their parent on the top, and the \
         wires of one leaf stack to each of them",
        "Two layers: 64 such cubes, whose tops are the sides of a larger one",
    ];
    for ((layers, letter), caption) in [(1, 'a'), (2, 'b')].into_iter().zip(captions) {
        section.parts.push(PagePart::Picture(Picture {
            name: format!("dehon1990-placed{letter}"),
            svg: drawing(layers),
            caption: caption.into(),
        }));
    }
}

/// Claims on Tables 4.1 and 4.2.
fn averages(section: &mut Section, placed: &[PlacedWires]) {
    let (mut lengths, mut clocks) = (mean_lengths(), mean_clocks());
    for wires in placed {
        lengths.push(mean_length("4.1", wires, mean_of_table(wires.side_stacks)));
        clocks.push(placed_clocks(wires));
    }
    let found = came_out(&lengths);
    let paper = "3.4 sides of a stack on average with 4 stacks a side, 13.9 with 16 (Table 4.1)";
    claim(section, "Mean length of wires", paper, found, lengths);
    let found = came_out(&clocks);
    let paper = "1.0 to 3.2 cycles on average (Table 4.2)";
    claim(section, "Mean cycles of wires", paper, found, clocks);
}

/// The mean length of Table 4.1 for a side.
fn mean_of_table(side_stacks: u64) -> f64 {
    let mut rows = CUBES.into_iter();
    rows.find(|row| row.0 == side_stacks)
        .expect("a side of the table")
        .1
}

/// The mean clocks of a placed cube, beside Table 4.2.
fn placed_clocks(wires: &PlacedWires) -> Quantity {
    let id = format!(
        "table-4.2.{}.side-{}.placed_mean_wire_clocks",
        wires.leaf, wires.side_stacks
    );
    let formula = LengthDistribution::of_hollow_cube(wires.side_stacks);
    let side = CUBES
        .into_iter()
        .position(|(side, _)| side == wires.side_stacks);
    // UT64x2 has the side of a B48 (section 4.1.3).
    let row = LEAVES
        .iter()
        .find(|row| row.0 == wires.leaf)
        .unwrap_or(&LEAVES[1]);
    let printed = row.1[side.expect("a side of the table")];
    Quantity::new(
        id,
        "DeHon 1990, section 4.1.3, table 4.2, in a placed tree",
        printed,
    )
    .analytic(formula.mean_cycles(&geometry(wires.leaf)))
    .simulated(Some(MeasuredValue::exact(mean(&wires.clocks))))
    .within(2.0 * AVERAGE_TOLERANCE)
    .judged(None)
}

/// Claims on equations 4.1 to 4.9 and Figures 4.1 to 4.4.
fn distributions(section: &mut Section, placed: &[PlacedWires]) {
    let offsets: Vec<Quantity> = placed.iter().flat_map(of_offsets).collect();
    let found = format!("{} in placed trees", came_out(&offsets));
    let paper = "offsets down and into the room are uniform (4.1), those along the edge differences of two uniform ones (4.2)";
    claim(section, "Offsets of wires", paper, found, offsets);
    let mut curves = Vec::new();
    for (number, of) in FIGURES
        .into_iter()
        .filter(|(_, of)| matches!(of, Of::CubeLengths | Of::CubeClocks(_)))
    {
        for side in sides(of) {
            curves.extend(curve(number, of, side, placed));
        }
    }
    let found = came_out(&curves);
    let paper = "distributions of lengths and cycles for cubes of 4 and 16 stacks a side (Figures 4.1 to 4.4)";
    claim(
        section,
        "Distributions of wires in cubes",
        paper,
        found,
        curves,
    );
}

/// Differences between the offsets of a placed cube and equations 4.1 and 4.2, at any offset.
fn of_offsets(wires: &PlacedWires) -> Vec<Quantity> {
    let side = wires.side_stacks;
    let uniform = vec![1.0 / side as f64; side as usize];
    let difference = |offset: u64| match offset {
        0 => 1.0 / side as f64,
        _ => 2.0 * (side - offset) as f64 / (side * side) as f64,
    };
    let difference: Vec<f64> = (0..side).map(difference).collect();
    let axes = [
        ("equation-4.2", "dx", &difference),
        ("equation-4.1", "y", &uniform),
        ("equation-4.1", "z", &uniform),
    ];
    let axes = axes.into_iter().zip(&wires.offsets);
    axes.map(|((equation, axis, formula), counts)| {
        let id = format!(
            "{equation}.{}.side-{side}.{axis}.most_apart_fraction",
            wires.leaf
        );
        apart(id, "DeHon 1990, section 4.1.2", formula, &fractions(counts))
    })
    .collect()
}

/// The mean of something over all wires of a hollow cube, one by one: given the squares of
/// their lengths, in sides of a stack.
fn mean_over_wires(side_stacks: u64, of: impl Fn(u64) -> u64) -> f64 {
    let offsets = || 0..side_stacks;
    let mut sum = 0;
    for source in offsets() {
        for destination in offsets() {
            for (y, z) in offsets().flat_map(|y| offsets().map(move |z| (y, z))) {
                sum += of(source.abs_diff(destination).pow(2) + y * y + z * z);
            }
        }
    }
    sum as f64 / side_stacks.pow(4) as f64
}

/// The least whole number whose square is at least so much.
fn rounded_up_root(square: u64) -> u64 {
    (0..)
        .find(|root| root * root >= square)
        .expect("roots grow")
}

/// Table 4.1.
fn mean_lengths() -> Vec<Quantity> {
    let of_cube = |(side, length): (u64, f64)| {
        Quantity::new(
            format!("table-4.1.side-{side}.mean_wire_length_stacks"),
            "DeHon 1990, section 4.1.2, table 4.1, equations 4.1 to 4.5",
            length,
        )
        .analytic(LengthDistribution::of_hollow_cube(side).mean())
        .enumerated(mean_over_wires(side, rounded_up_root))
        .within(AVERAGE_TOLERANCE)
        .judged(None)
    };
    CUBES.into_iter().map(of_cube).collect()
}

/// Table 4.2.
fn mean_clocks() -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for (leaf, cycles) in LEAVES {
        let geometry: Geometry = geometry(leaf);
        for ((side, _), cycles) in CUBES.into_iter().zip(cycles) {
            let mean = LengthDistribution::of_hollow_cube(side).mean_cycles(&geometry);
            let of_wire = |square| geometry.cycles(rounded_up_root(square));
            let hundredths = (mean * 100.0).round();
            let twice = (hundredths / 10.0).round() / 10.0;
            let differs = (mean - cycles).abs() > AVERAGE_TOLERANCE;
            let explanation = (differs && twice == cycles).then(|| ROUNDED_TWICE.to_owned());
            quantities.push(
                Quantity::new(
                    format!("table-4.2.{leaf}.side-{side}.mean_wire_clocks"),
                    "DeHon 1990, section 4.1.3, table 4.2, equations 4.6 to 4.9",
                    cycles,
                )
                .analytic(mean)
                .enumerated(mean_over_wires(side, of_wire))
                .within(AVERAGE_TOLERANCE)
                .judged(explanation),
            );
        }
    }
    quantities
}
