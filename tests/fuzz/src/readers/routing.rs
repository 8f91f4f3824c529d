//! Routing tables of m-port n-trees, and InfiniBand subnets.

use crosswave_oblivious::ratio::oblivious_ratio;
use crosswave_oblivious::subnet as subnets;
use crosswave_oblivious::table::{PathTable, csv};
use crosswave_oblivious::tree::PortTree;

use super::{parts, read};

/// Nodes of a tree whose worst permutation is looked for.
const NODES_MAX: u32 = 16;

/// A table is written and read again.
fn round_trip(table: &PathTable, tree: PortTree) {
    let written = |table: &PathTable| {
        let mut text = Vec::new();
        csv::write(table, &mut text).expect("memory takes it");
        text
    };
    let text = written(table);
    let again = read(csv::read(&text[..], "written", tree)).expect("it is a routing table");
    assert_eq!(text, written(&again), "written and read again");
    if tree.nodes() <= NODES_MAX {
        let _ = oblivious_ratio(table, 1);
    }
}

/// A routing table of a tree of four ports, with one, two and three levels.
pub fn table(data: &[u8]) {
    for (ports, levels) in [(4, 1), (4, 2), (4, 3)] {
        let tree = PortTree::new(ports, levels).expect("a tree");
        if let Some(table) = read(csv::read(data, "table", tree)) {
            round_trip(&table, tree);
        }
    }
}

/// The wiring of a subnet, and its forwarding tables.
pub fn subnet(data: &[u8]) {
    let Some([wiring, tables]) = parts(data) else {
        return;
    };
    let found = subnets::read((wiring.as_bytes(), "wiring"), (tables.as_bytes(), "tables"));
    let _ = read(subnets::forwarding::read(tables.as_bytes(), "tables"));
    if let Some(found) = read(found) {
        use crosswave_oblivious::routing::Routing;
        let mut nodes = Vec::new();
        subnets::write_nodes(&found.end_ports, &mut nodes).expect("memory takes it");
        round_trip(&found.table, found.table.tree());
    }
}
