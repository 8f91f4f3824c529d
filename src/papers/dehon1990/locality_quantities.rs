//! Quantities of section 4.5 for fat trees: the locality of traffic that fits them, Tables 4.10 to
//! 4.14, and how much of it is routed.
//!
//! Tables 4.11 to 4.14 do not follow from the text's rule where there are two layers of unit trees
//! or more. What was tried: a factor of four between layers, in the whole and in each level; that
//! of five which .278 and .0553 have. Table 4.12 sums to 0.949, and Table 4.14 to 1.167, as its
//! rows 4 to 6 repeat rows 1 to 3.

use super::local_routing::LocalPoint;
use crate::analytic::locality::Locality;
use crate::analytic::unit_trees::UnitTrees;
use crate::papers::quantity::{Measured, Quantity, Value};
use crate::papers::watch::Effort;

/// A printed table: its number, the tree, and for each level P_any and P_particular.
struct Printed {
    table: &'static str,
    tree: UnitTrees,
    levels: &'static [(f64, f64)],
}

const fn tree(stack_stages: u32, leaf_stages: Option<u32>) -> UnitTrees {
    UnitTrees {
        stack_stages,
        leaf_stages,
    }
}

const TABLES: [Printed; 9] = [
    Printed {
        table: "4.10",
        tree: tree(1, None),
        levels: &[(0.333, 0.111), (0.333, 2.78e-2), (0.333, 6.94e-3)],
    },
    Printed {
        table: "4.11",
        tree: tree(2, None),
        levels: &[
            (0.278, 9.27e-2),
            (0.278, 2.32e-2),
            (0.278, 5.79e-3),
            (5.53e-2, 2.88e-4),
            (5.53e-2, 7.20e-5),
            (5.53e-2, 1.80e-5),
        ],
    },
    Printed {
        table: "4.12",
        tree: tree(3, None),
        levels: &[
            (0.274, 9.13e-2),
            (0.274, 2.28e-2),
            (0.274, 5.71e-3),
            (3.17e-2, 1.65e-4),
            (3.17e-2, 4.13e-5),
            (3.17e-2, 1.03e-5),
            (1.06e-2, 8.62e-7),
            (1.06e-2, 2.16e-7),
            (1.06e-2, 5.39e-8),
        ],
    },
    Printed {
        table: "4.13.B12",
        tree: tree(2, Some(2)),
        levels: &[
            (0.75, 6.82e-2),
            (8.33e-2, 2.31e-3),
            (8.33e-2, 5.78e-4),
            (8.33e-2, 1.45e-4),
        ],
    },
    Printed {
        table: "4.13.B48",
        tree: tree(2, Some(3)),
        levels: &[
            (0.75, 1.60e-2),
            (8.33e-2, 5.78e-4),
            (8.33e-2, 1.45e-4),
            (8.33e-2, 3.62e-5),
        ],
    },
    Printed {
        table: "4.13.B192",
        tree: tree(2, Some(4)),
        levels: &[
            (0.75, 3.93e-3),
            (8.33e-2, 1.45e-4),
            (8.33e-2, 3.62e-5),
            (8.33e-2, 9.04e-6),
        ],
    },
    Printed {
        table: "4.14.B12",
        tree: tree(3, Some(2)),
        levels: &[
            (0.75, 6.82e-2),
            (6.95e-2, 1.93e-3),
            (6.95e-2, 4.83e-4),
            (6.95e-2, 1.21e-4),
            (6.95e-2, 3.02e-5),
            (6.95e-2, 7.54e-6),
            (6.95e-2, 1.89e-6),
        ],
    },
    Printed {
        table: "4.14.B48",
        tree: tree(3, Some(3)),
        levels: &[
            (0.75, 1.60e-2),
            (6.95e-2, 4.83e-4),
            (6.95e-2, 1.21e-4),
            (6.95e-2, 3.02e-5),
            (6.95e-2, 7.54e-6),
            (6.95e-2, 1.89e-6),
            (6.95e-2, 4.71e-7),
        ],
    },
    Printed {
        table: "4.14.B192",
        tree: tree(3, Some(4)),
        levels: &[
            (0.75, 3.93e-3),
            (6.95e-2, 1.21e-4),
            (6.95e-2, 3.02e-5),
            (6.95e-2, 7.54e-6),
            (6.95e-2, 1.89e-6),
            (6.95e-2, 4.71e-7),
            (6.95e-2, 1.18e-7),
        ],
    },
];

/// The trees whose routing statistics are simulated, and the configuration of UT64x2's stage up.
pub(super) fn routed_trees(effort: Effort) -> Vec<(UnitTrees, bool)> {
    let mut trees = vec![
        (tree(1, None), false),
        (tree(1, None), true),
        (tree(2, None), false),
        (tree(2, Some(2)), false),
        (tree(2, Some(3)), false),
    ];
    if effort == Effort::All {
        trees.extend([(tree(2, Some(4)), false), (tree(3, Some(2)), false)]);
    }
    trees
}

/// Why entries of the second column differ.
const DIVIDED: &str = "the print is the P_any that is printed beside it, divided by the number of \
                       processors at that distance";

/// How far simulation may be from the recursion, which takes wires as independent.
const ROUTED_TOLERANCE: f64 = 0.01;

/// All of them, judged.
pub(super) fn quantities(points: &[LocalPoint]) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for printed in &TABLES {
        let locality = Locality(printed.tree);
        for (level, &(any, particular)) in locality.levels().zip(printed.levels) {
            // The second column follows from the first as it is printed.
            let processors = locality.processors_at(level) as f64;
            let of_print = (any / processors - particular).abs();
            let divided = of_print <= half_of_the_last_digit(particular);
            let mut push = |name: &str, print: f64, analytic: f64, explained: bool| {
                let id = format!("table-{}.level-{level}.{name}", printed.table);
                let source = format!("DeHon 1990, section 4.5, table {}", &printed.table[..4]);
                let follows = (analytic - print).abs() <= half_of_the_last_digit(print);
                let explanation = (!follows && explained).then(|| DIVIDED.to_owned());
                let quantity = Quantity::new(id, source, print)
                    .analytic(analytic)
                    .within(half_of_the_last_digit(print))
                    .judged(explanation);
                quantities.push(match follows || explained {
                    true => quantity,
                    false => quantity.not_expected(),
                });
            };
            push("p_any", any, locality.p_any(level), false);
            push(
                "p_particular",
                particular,
                locality.p_particular(level),
                divided,
            );
        }
    }
    quantities.extend(points.iter().flat_map(routed));
    quantities
}

/// Half of the last of three digits, and a little.
fn half_of_the_last_digit(print: f64) -> f64 {
    0.5001 * 10_f64.powf(print.log10().floor() - 2.0)
}

/// A fraction and its standard error.
fn measured((fraction, stderr): (f64, f64)) -> Measured {
    Measured {
        value: Value::Real(fraction),
        stderr: Some(stderr),
    }
}

/// What was simulated at a load: all together, and by level.
fn routed(point: &LocalPoint) -> Vec<Quantity> {
    let locality = Locality(point.tree);
    let stage = if point.two_crossbars {
        ".two-crossbars"
    } else {
        ""
    };
    let id = format!(
        "section-4.5.n{}{stage}.load-{:.1}",
        point.tree.processors(),
        point.load_fraction
    );
    let (analytic, by_level) = (
        locality.routed_normalised(point.load_fraction, point.two_crossbars),
        locality.routed(point.load_fraction, point.two_crossbars),
    );
    let mut quantities = vec![
        Quantity::unprinted(
            format!("{id}.routed_fraction"),
            "DeHon 1990, sections 4.5.1 and 4.5.2, equation 4.43, figures 4.11 and 4.18",
        )
        .analytic(analytic)
        .simulated(Some(measured(point.routed)))
        .within(ROUTED_TOLERANCE)
        .judged(None),
    ];
    let levels = locality.levels().zip(&point.levels).zip(by_level);
    for ((level, &found), analytic) in levels {
        quantities.push(
            Quantity::unprinted(
                format!("{id}.level-{level}.routed_fraction"),
                "DeHon 1990, sections 4.5.1 and 4.5.2, figures 4.8 to 4.17",
            )
            .analytic(analytic)
            .simulated(Some(measured(found)))
            .within(ROUTED_TOLERANCE)
            .judged(None),
        );
    }
    quantities
}
