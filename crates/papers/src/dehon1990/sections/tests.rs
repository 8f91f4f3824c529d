use super::*;
use crate::quantity::{Quantity, Verdict};

fn formulas() -> Vec<Quantity> {
    let made = sections(Effort::Formulas, true, &mut Points::default(), &mut ());
    let sections = made.expect("nobody stops it").into_iter();
    sections.flat_map(|section| section.quantities).collect()
}

/// The quantities that differ for a reason are the known ones, and nothing fails.
#[test]
fn what_differs_is_what_is_known_to_differ() {
    let quantities = formulas();
    let failing: Vec<&Quantity> = quantities.iter().filter(|q| !q.holds()).collect();
    assert_eq!(failing, Vec::<&Quantity>::new());
    let differs = quantities.iter().filter(|q| q.verdict == Verdict::Differs);
    let ids: Vec<&str> = differs
        .map(|q| q.id.as_str())
        .filter(|id| id.starts_with("table-") && !id.ends_with("p_particular"))
        .collect();
    let mut expected = vec!["table-4.2.B192.side-16.mean_wire_clocks".to_owned()];
    for stages in [3, 4] {
        for name in ["connect_worst", "connect_best", "open_worst", "open_best"] {
            expected.push(format!("table-4.9.h{stages}.{name}_ns"));
        }
    }
    for stages in [8, 9, 10] {
        for name in ["connect_worst", "open_worst"] {
            expected.push(format!("table-4.9.h{stages}.{name}_ns"));
        }
    }
    // The tables of locality whose fraction is not the text's.
    for (table, levels) in [
        ("4.11", 6),
        ("4.12", 9),
        ("4.14.B12", 6),
        ("4.14.B48", 6),
        ("4.14.B192", 6),
    ] {
        for level in 1..=levels {
            expected.push(format!("table-{table}.level-{level}.p_any"));
        }
    }
    assert_eq!(ids, expected);
}

/// Every table of chapter 4 has its numbers.
#[test]
fn every_table_is_there() {
    let quantities = formulas();
    let count = |table: &str| {
        let begins = |q: &&Quantity| q.id.starts_with(&format!("table-{table}."));
        quantities.iter().filter(begins).count()
    };
    let tables = [
        ("4.1", 2),
        ("4.2", 6),
        ("4.4", 3 * 4),
        ("4.5", 3 * 4),
        ("4.6", 6 * 4),
        ("4.7", 6 * 4),
        ("4.8", 8 * 3),
        ("4.9", 8 * 4),
        ("4.10", 2 * 3),
        ("4.11", 2 * 6),
        ("4.12", 2 * 9),
        ("4.13", 3 * 2 * 4),
        ("4.14", 3 * 2 * 7),
    ];
    for (table, expected) in tables {
        assert_eq!(count(table), expected, "table {table}");
    }
}
