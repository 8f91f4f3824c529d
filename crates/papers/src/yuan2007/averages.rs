//! Average performance ratios over random instances: tables II and III, and claims of section VI.

use super::PAPER;
use super::print::{ROUNDING, ROWS, Row, SQUARE};
use crate::effort::Effort;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;
use crosswave_oblivious::average::{Average, INSTANCES, average, performance_ratios};
use crosswave_oblivious::routing::Routing;
use crosswave_oblivious::routing::grouped::{Osrm2, Osrm2Index, Osrm3};
use crosswave_oblivious::routing::modulo::Modulo;
use crosswave_oblivious::routing::widest::Widest;
use crosswave_oblivious::traffic::TrafficPattern;
use crosswave_oblivious::tree::PortTree;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// The seed of all instances.
pub(super) const SEED: u64 = 1;

/// The standard errors of a difference of two means over one of them.
const OF_DIFFERENCE: f64 = std::f64::consts::SQRT_2;

/// FT(m, n).
pub(super) fn tree((ports, levels): (u32, u32)) -> PortTree {
    PortTree::new(ports, levels).expect("trees of the paper are within the limits")
}

/// OSRM2 or OSRM3, whichever the tree has.
pub(super) fn grouped(tree: PortTree) -> Box<dyn Routing> {
    match Osrm3::new(tree) {
        Ok(routing) => Box::new(routing),
        Err(_) => {
            let routing = Osrm2::new(tree, Osrm2Index::Printed);
            Box::new(routing.expect("16 is a square"))
        }
    }
}

fn ratios(routing: &dyn Routing, pattern: TrafficPattern) -> Vec<f64> {
    performance_ratios(routing, pattern, SEED, INSTANCES)
        .expect("the paper's patterns fit its trees")
}

pub(super) fn measured(average: Average) -> MeasuredValue {
    MeasuredValue {
        value: average.mean.into(),
        stderr: Some(average.standard_error),
    }
}

/// True when a row is known not to come out as a torus with the sides that are most alike. It does not as a mesh
/// either; it does as [`SQUARE`].
fn is_known_to_differ(row: &Row) -> bool {
    row.name == "mesh_2d" && matches!(row.tree, (32, 2) | (8, 3))
}

/// A printed average, itself of so many instances, beside one of other instances.
fn compared(row: &Row, routing: &dyn Routing, printed: f64) -> Quantity {
    let (ports, levels) = row.tree;
    let name = routing.name().to_lowercase();
    let found = average(&ratios(routing, row.pattern));
    let table = if levels == 2 { "II" } else { "III" };
    let quantity = Quantity::new(
        format!(
            "{}_{name}_ft_{ports}_{levels}{}_mean_ratio",
            row.name,
            reading(row)
        ),
        format!("{PAPER}, table {table}"),
        printed,
    )
    .named(format!(
        "{}, {} on FT({ports}, {levels})",
        row.pattern,
        routing.name()
    ))
    .simulated(Some(measured(found)))
    .within(ROUNDING + 3.0 * (OF_DIFFERENCE - 1.0) * found.standard_error);
    let quantity = match is_known_to_differ(row) && row.pattern != SQUARE {
        true => quantity.approximate(
            "a grid whose sides are most alike does not come out; one of ⌊√N⌋ columns, found by search, does",
        ),
        false => quantity,
    };
    quantity.judged(None)
}

/// A part of a name: the reading of a pattern that is not the first one.
fn reading(row: &Row) -> &'static str {
    match row.pattern == SQUARE {
        true => "_whole_root",
        false => "",
    }
}

/// All quantities of this file; none where nothing is simulated.
///
/// # Errors
/// When someone asks to stop.
pub fn quantities(effort: Effort, watch: &mut dyn Watch) -> Result<Vec<Quantity>, Error> {
    if effort == Effort::Formulas {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    // Both readings are one if the nodes are a square.
    let squares = ROWS.iter().filter(|row| is_known_to_differ(row));
    let squares = squares.map(|row| Row {
        pattern: SQUARE,
        ..*row
    });
    for row in &ROWS.iter().copied().chain(squares).collect::<Vec<Row>>() {
        check_cancelled(watch)?;
        let tree = tree(row.tree);
        watch.begins(&format!("{} on {tree}", row.pattern));
        all.push(compared(row, &Modulo::mlid(tree), row.mlid));
        all.push(compared(row, &*grouped(tree), row.osrm));
    }
    check_cancelled(watch)?;
    watch.begins("MLID and WSR");
    all.push(twins());
    all.push(clusters());
    Ok(all)
}

/// Instances of symmetric traffic in which MLID and WSR differ.
fn twins() -> Quantity {
    let rows = ROWS.iter().filter(|row| row.tree != (16, 3));
    let differences: usize = rows
        .map(|row| {
            let tree = tree(row.tree);
            let mlid = ratios(&Modulo::mlid(tree), row.pattern);
            let widest = ratios(&Widest::new(tree), row.pattern);
            mlid.iter().zip(&widest).filter(|(a, b)| a != b).count()
        })
        .sum();
    Quantity::claimed(
        "mlid_and_wsr_differences",
        format!("{PAPER}, section VI"),
        0u64,
    )
    .named("instances of regular traffic on FT(32, 2) and FT(8, 3) in which MLID and WSR differ")
    .simulated(Some(MeasuredValue::exact(differences as u64)))
    .judged(None)
}

/// Clusters of two nodes on FT(32, 2) under MLID: more than 4, which OSRM2 never exceeds.
fn clusters() -> Quantity {
    let found = ratios(
        &Modulo::mlid(tree((32, 2))),
        TrafficPattern::Clusters { size: 2 },
    );
    Quantity::between(
        "clusters_of_2_mlid_ft_32_2_mean_ratio",
        format!("{PAPER}, figure 12"),
        (4.0, 16.0),
    )
    .simulated(Some(measured(average(&found))))
    .judged(None)
}
