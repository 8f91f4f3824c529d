//! Section 4.5: the locality of traffic that fits fat trees, Tables 4.10 to 4.14.
//!
//! Tables 4.11, 4.12 and 4.14 do not follow from the text's rule. They have one structure: a fraction r of
//! the connections that enter a unit tree leaves it upwards, where the text has a quarter, and the numbers were
//! rounded by hand. Tables 4.11 and 4.14 have r = 1 - 3 · .278, Table 4.12 has r = 1 - 3 · .274. Rows 4 to 6 of Table 4.12
//! print r² where r · .274 is meant, and those of Table 4.14 repeat rows 1 to 3, so that these two do not sum to 1.
//! Nobody knows why r is what it is.

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
         Tables 4.11, 4.12 and 4.14 have another fraction going on up, 1 - 3 · .278 = .166 or \
         1 - 3 · .274 = .178, and were rounded by hand.",
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
        [
            "table",
            "processors",
            "printed",
            "by the text's rule",
            "fraction going on up, by the print",
            "by that fraction",
        ],
    );
    for printed in &TABLES {
        let locality = Locality(printed.tree);
        let print: f64 = printed.levels.iter().map(|level| level.0).sum();
        let rule: f64 = locality.levels().map(|level| locality.p_any(level)).sum();
        let up = up_fraction(printed.tree);
        table.row([
            printed.table.to_owned(),
            printed.tree.processors().to_string(),
            format!("{print:.3}"),
            format!("{rule:.3}"),
            up.map_or("–".to_owned(), |up| format!("{up:.3}")),
            up.map_or("–".to_owned(), |up| {
                let meant = locality.levels().map(|level| locality.p_any_of(level, up));
                format!("{:.3}", meant.sum::<f64>())
            }),
        ]);
    }
    table
}

/// A printed table, level by level.
fn of_table(printed: &Printed) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    let locality = Locality(printed.tree);
    let up = up_fraction(printed.tree);
    for (level, &(any, particular)) in locality.levels().zip(printed.levels) {
        // The second column follows from the first as it is printed.
        let processors = locality.processors_at(level) as f64;
        let of_print = (any / processors - particular).abs() / half_of_the_last_digit(particular);
        let divided = match of_print {
            ..=1.0 => Some(DIVIDED.to_owned()),
            ..=2.0 => Some(format!("{DIVIDED}, cut off and not rounded")),
            _ => None,
        };
        let mut push = |name: &str, print: f64, analytic: f64, explained: Option<String>| {
            let id = format!("table-{}.level-{level}.{name}", printed.table);
            let source = format!("DeHon 1990, section 4.5, table {}", &printed.table[..4]);
            let follows = (analytic - print).abs() <= half_of_the_last_digit(print);
            let is_explained = explained.is_some();
            let explanation = explained.filter(|_| !follows);
            let quantity = Quantity::new(id, source, print)
                .analytic(analytic)
                .within(half_of_the_last_digit(print))
                .judged(explanation);
            quantities.push(match follows || is_explained {
                true => quantity,
                false => quantity.not_expected(),
            });
        };
        let by_hand = up.and_then(|up| reason(locality, level, any, up));
        push("p_any", any, locality.p_any(level), by_hand);
        push(
            "p_particular",
            particular,
            locality.p_particular(level),
            divided,
        );
    }
    quantities
}

/// The fraction of connections that leave a unit tree upwards by the printed tables of a tree, where it is
/// not the text's quarter: what its first three levels leave.
pub fn up_fraction(tree: UnitTrees) -> Option<f64> {
    // The hybrid trees of Table 4.14 have the numbers of Table 4.11 above their clusters.
    let across = match (tree.stack_stages, tree.leaf_stages) {
        (2, None) | (3, Some(_)) => 0.278,
        (3, None) => 0.274,
        _ => return None,
    };
    Some(1.0 - 3.0 * across)
}

/// The reason why a printed P_any differs from the text's rule, where the printed table's own fraction gives it.
fn reason(locality: Locality, level: u32, print: f64, up: f64) -> Option<String> {
    let is_printed = |value: f64| (value - print).abs() <= half_of_the_last_digit(print);
    let meant = locality.p_any_of(level, up);
    let unknown = "why it is that fraction: cause unknown";
    if is_printed(meant) {
        return Some(format!(
            "the table has a fraction of {up:.3} of what enters a unit tree going on up, where the text has 1/4, \
             and is rounded by hand; {unknown}"
        ));
    }
    if is_printed(up * up) {
        return Some(format!(
            "the print is the square of the fraction {up:.3} that goes on up; with {up:.3} · {:.3} = {meant:.4} in \
             its place the table's sum is 1; {unknown}",
            (1.0 - up) / 3.0
        ));
    }
    let below = level
        .checked_sub(3)
        .map(|below| locality.p_any_of(below, up));
    below.filter(|&below| is_printed(below)).map(|_| {
        format!(
            "rows 4 to 6 repeat rows 1 to 3; with {meant:.4} in their place, which follows from the fraction {up:.3} \
             that goes on up, the table's sum is 1; {unknown}"
        )
    })
}

/// Half of the last of three digits, and a little.
fn half_of_the_last_digit(print: f64) -> f64 {
    0.5001 * 10_f64.powf(print.log10().floor() - 2.0)
}
