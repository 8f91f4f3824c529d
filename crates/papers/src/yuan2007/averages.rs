//! Average performance ratios over random instances: tables II and III, and claims of section VI.

use super::PAPER;
use super::print::{ROUNDING, ROWS, Row, SQUARE};
use crate::cases::Cases;
use crate::effort::Effort;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;
use crosswave_oblivious::average::{
    Average, INSTANCES, average, performance_ratios, ratios_together,
};
use crosswave_oblivious::routing::Routing;
use crosswave_oblivious::routing::grouped::{Osrm2, Osrm2Index, Osrm3};
use crosswave_oblivious::routing::modulo::Modulo;
use crosswave_oblivious::routing::widest::Widest;
use crosswave_oblivious::traffic::TrafficPattern;
use crosswave_oblivious::tree::PortTree;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// The seed of all instances.
pub(super) const SEED: u64 = 1;

/// Instances of a difference of two routings.
pub(super) const DIFFERENCE_INSTANCES: u32 = 256;

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

/// True for the first reading of a row that comes out by another.
fn is_replaced(row: &Row) -> bool {
    is_known_to_differ(row) && row.pattern != SQUARE
}

/// The quantities of a row: its two printed averages, themselves of so many instances, beside ones of
/// other instances. On trees of two levels also the difference of the two, which is surer than they are: both
/// routings carry the same instances, as they are taken to do in the paper. On three levels the printed
/// differences are within the error of the print's own instances, and tell nothing.
fn of_row(row: &Row) -> Vec<Quantity> {
    let tree = tree(row.tree);
    let (mlid, grouped) = (Modulo::mlid(tree), grouped(tree));
    let instances = match tree.levels() {
        2 => DIFFERENCE_INSTANCES,
        _ => INSTANCES,
    };
    let both = ratios_together(&[&mlid, &*grouped], row.pattern, SEED, 0..instances);
    let both = both.expect("the paper's patterns fit its trees");
    let alone = |routing: &dyn Routing, ratios: &[f64], printed| {
        let found = average(&ratios[..INSTANCES as usize]);
        let words = (routing.name().to_lowercase(), routing.name().to_owned());
        compared(row, words, (printed, found), ROUNDING + of_print(found))
    };
    let mut quantities = vec![
        alone(&mlid, &both[0], row.mlid),
        alone(&*grouped, &both[1], row.osrm),
    ];
    if instances > INSTANCES && !is_replaced(row) {
        let differences = both[0].iter().zip(&both[1]).map(|(a, b)| a - b);
        let found = average(&differences.collect::<Vec<f64>>());
        let words = (
            format!("mlid_less_{}", grouped.name().to_lowercase()),
            format!("MLID less {}", grouped.name()),
        );
        // Two rounded numbers are compared.
        let slack = 2.0 * ROUNDING + of_print(found);
        let printed = row.mlid - row.osrm;
        let difference = compared(row, words, (printed, found), slack);
        quantities.push(difference.sharp_to(printed - slack));
    }
    let judged = quantities.into_iter().map(|quantity| quantity.judged(None));
    judged.collect()
}

/// The part that the error of the print's own instances adds to three standard errors of ours.
fn of_print(found: Average) -> f64 {
    let more = f64::from(found.instances) / f64::from(INSTANCES);
    3.0 * ((1.0 + more).sqrt() - 1.0) * found.standard_error
}

/// A printed value of a row beside the value that is found, of a routing or two that have a name for
/// programs and one in words.
fn compared(
    row: &Row,
    (name, words): (String, String),
    (printed, found): (f64, Average),
    slack: f64,
) -> Quantity {
    let (ports, levels) = row.tree;
    let table = if levels == 2 { "II" } else { "III" };
    let quantity = Quantity::new(
        format!(
            "{}_{name}_ft_{ports}_{levels}{}_mean_ratio",
            row.name,
            reading(row)
        ),
        format!("{PAPER}, table {table}"),
        (printed * 100.0).round() / 100.0,
    )
    .named(format!("{}, {words} on FT({ports}, {levels})", row.pattern))
    .simulated(Some(measured(found)))
    .within(slack);
    match is_replaced(row) {
        true => quantity.approximate(
            "a grid whose sides are most alike does not come out; one of ⌊√N⌋ columns, found by search, does",
        ),
        false => quantity,
    }
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
        watch.begins(&format!("{} on {}", row.pattern, tree(row.tree)));
        all.extend(of_row(row));
    }
    check_cancelled(watch)?;
    watch.begins("MLID and WSR");
    all.push(twins());
    all.push(clusters());
    Ok(all)
}

/// Instances of symmetric traffic in which MLID and WSR have the same ratio.
fn twins() -> Quantity {
    let mut instances = Cases::default();
    for row in ROWS.iter().filter(|row| row.tree != (16, 3)) {
        let tree = tree(row.tree);
        let mlid = ratios(&Modulo::mlid(tree), row.pattern);
        let widest = ratios(&Widest::new(tree), row.pattern);
        for (a, b) in mlid.iter().zip(&widest) {
            instances.add(a == b);
        }
    }
    instances
        .claim(
            "mlid_and_wsr_alike_instances",
            format!("{PAPER}, section VI"),
        )
        .named("instances of regular traffic on FT(32, 2) and FT(8, 3) in which MLID and WSR have the same ratio")
        .simulated(Some(MeasuredValue::exact(instances.kept())))
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
