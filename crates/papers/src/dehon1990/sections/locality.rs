//! Section 4.5: the locality of traffic that fits fat trees, Tables 4.10 to 4.14.
//!
//! Tables 4.11 to 4.14 do not follow from the text's rule where there are two layers of unit trees
//! or more. What was tried: a factor of four between layers, in the whole and in each level; that
//! of five which .278 and .0553 have. Table 4.12 sums to 0.949, and Table 4.14 to 1.167, as its
//! rows 4 to 6 repeat rows 1 to 3.

use super::context::{DehonContext, came_out, claim};
use crate::page::{PagePart, PageTable, Section};
use crate::quantity::Quantity;
use crosswave_analytic::locality::Locality;
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_base::diagnostic::Error;

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

/// The reason why entries of the second column differ.
const DIVIDED: &str = "the print is the P_any that is printed beside it, divided by the number of \
                       processors at that distance";

/// The section.
pub(super) fn section(_: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 4.5: traffic that fits a fat tree");
    section.text(
        "Traffic fits a tree when every direction of every router is equally likely. In a unit tree that \
         is not the root a quarter of what comes crosses over at each of three levels and a quarter goes \
         on up; at the root a third crosses at each; of a hybrid tree three quarters stay in the leaf \
         cluster. P_any is the probability of a level, P_particular that of one of the processors there. \
         Where the printed numbers do not follow from this rule, factors of four and of five between \
         layers, in all and level by level, were tried, and do not give them either.",
    );
    section.parts.push(PagePart::Table(sums()));
    let (mut any, mut particular) = (Vec::new(), Vec::new());
    for printed in &TABLES {
        for quantity in of_table(printed) {
            match quantity.id.ends_with("p_any") {
                true => any.push(quantity),
                false => particular.push(quantity),
            }
        }
    }
    let found = came_out(&any);
    let paper = "probabilities of each level (P_any of Tables 4.10 to 4.14)";
    claim(&mut section, "Locality by level", paper, found, any);
    let found = came_out(&particular);
    let paper = "the same by the number of processors there (P_particular)";
    claim(
        &mut section,
        "Locality by processor",
        paper,
        found,
        particular,
    );
    Ok(section)
}

/// The sum of each table.
fn sums() -> PageTable {
    let mut table = PageTable::new(
        "Sums of P_any, which are 1 when nothing is left out",
        ["table", "processors", "printed", "by the text's rule"],
    );
    for printed in &TABLES {
        let locality = Locality(printed.tree);
        let print: f64 = printed.levels.iter().map(|level| level.0).sum();
        let rule: f64 = locality.levels().map(|level| locality.p_any(level)).sum();
        table.row([
            printed.table.to_owned(),
            printed.tree.processors().to_string(),
            format!("{print:.3}"),
            format!("{rule:.3}"),
        ]);
    }
    table
}

/// A printed table, level by level.
fn of_table(printed: &Printed) -> Vec<Quantity> {
    let mut quantities = Vec::new();
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
    quantities
}

/// Half of the last of three digits, and a little.
fn half_of_the_last_digit(print: f64) -> f64 {
    0.5001 * 10_f64.powf(print.log10().floor() - 2.0)
}
