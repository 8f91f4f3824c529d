//! The route unit of Transit's fat trees: its netlist gives the routes that
//! `routing::transit` gives, for all pairs of nodes of small trees and drawn ones of large
//! trees; and its Verilog in Icarus for drawn ones.

use crosswave_base::random;
use crosswave_chips::route_unit::{CHIP, RouteUnit};
use crosswave_chips::routing::transit::{Address, TransitForm};

use crate::support::chips::{Lanes, Row, Unit, icarus};

/// Chips that the netlist is evaluated for at a time.
const LANES: usize = 64;

fn form(leaf_stages: u32, layers: u32, capped: bool) -> TransitForm {
    TransitForm {
        leaf_stages,
        layers,
        capped,
    }
}

/// The address bytes of a tree, the lowest layer's in the lowest bits.
fn tree(address: &Address) -> u64 {
    let bytes = address.tree.iter();
    bytes.fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The inputs for a pair of nodes, and the outputs that `routing::transit` asks for.
fn case(form: TransitForm, source: u32, destination: u32) -> (Row, Row) {
    let (from, to) = (form.address(source), form.address(destination));
    let route = form.route(&from, &to);
    let inputs = vec![
        0,
        u64::from(form.leaf_stages),
        from.tree.len() as u64,
        u64::from(from.root),
        tree(&from),
        u64::from(to.root),
        tree(&to),
        u64::from(to.leaf.unwrap_or(0)),
    ];
    let bytes = route.bytes.iter().rev();
    let outputs = vec![
        bytes.fold(0, |value, &byte| value << 8 | u64::from(byte)),
        route.bytes.len() as u64 - 1,
        u64::from(route.stages),
        u64::from(route.swallows),
    ];
    (inputs, outputs)
}

/// Asks the netlist about pairs of nodes.
fn compare(form: TransitForm, pairs: impl Iterator<Item = (u32, u32)>) {
    let mut lanes = Lanes::new(&CHIP);
    let mut pairs = pairs.peekable();
    while pairs.peek().is_some() {
        let pairs: Vec<(u32, u32)> = pairs.by_ref().take(LANES).collect();
        let cases: Vec<(Row, Row)> = pairs.iter().map(|&(a, b)| case(form, a, b)).collect();
        let rows: Vec<&Row> = cases.iter().map(|(inputs, _)| inputs).collect();
        lanes.step(&rows);
        for (lane, (_, expected)) in cases.iter().enumerate() {
            assert_eq!(&lanes.shown(lane), expected, "{form:?} {:?}", pairs[lane]);
        }
    }
}

/// Pairs of nodes, near ones and far ones.
fn drawn(form: TransitForm, count: u64) -> impl Iterator<Item = (u32, u32)> {
    let nodes = form.nodes();
    (0..count).map(move |pair| {
        let drawn = random::word(random::key(1, 0, 0), pair);
        let span = (nodes >> (pair % u64::from(nodes.ilog2()))).max(1);
        let source = (drawn >> 32) as u32 % nodes;
        (source, (source + drawn as u32 % span) % nodes)
    })
}

#[test]
fn all_pairs_of_small_trees() {
    for form in [form(0, 0, false), form(2, 1, false)] {
        let nodes = form.nodes();
        // A node of a full tree has a way to itself as well, which nobody takes.
        compare(
            form,
            (0..nodes).flat_map(|source| (0..nodes).map(move |to| (source, to))),
        );
    }
}

#[test]
fn drawn_pairs_of_large_trees() {
    for form in [
        form(0, 1, true),
        form(0, 2, false),
        form(0, 2, true),
        form(2, 2, true),
        form(3, 1, true),
        form(4, 2, false),
    ] {
        compare(form, drawn(form, 40_000));
    }
}

#[test]
fn the_verilog_and_the_model_give_the_same() {
    let forms = [form(0, 2, true), form(4, 2, false), form(2, 1, true)];
    let mut rows = vec![vec![1, 0, 0, 0, 0, 0, 0, 0]];
    let mut expected = Vec::new();
    for form in forms {
        for (source, destination) in drawn(form, 1000) {
            let (inputs, outputs) = case(form, source, destination);
            rows.push(inputs);
            expected.push(outputs);
        }
    }
    rows.push(rows[1].clone());
    let place = tempfile::tempdir().expect("a temporary folder");
    let verilog = icarus(&CHIP, &["route_unit"], &rows, place.path());
    let mut unit = Unit::<RouteUnit>::new();
    for (at, row) in rows.iter().enumerate() {
        if at > 1 {
            assert_eq!(verilog[at].as_ref(), Some(&expected[at - 2]), "{at}");
            assert_eq!(unit.shown(), expected[at - 2], "{at}");
        }
        unit.step(row);
    }
}
