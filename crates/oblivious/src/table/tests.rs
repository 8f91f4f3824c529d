use super::*;
use crate::ratio::oblivious_ratio;
use crate::routing::every_path::EveryPath;
use crate::routing::grouped::Osrm3;
use crate::routing::modulo::{Chooser, Modulo};
use crate::routing::widest::Widest;

fn tree(m: u32, n: u32) -> PortTree {
    PortTree::new(m, n).unwrap()
}

fn text(routing: &dyn Routing) -> String {
    let mut bytes = Vec::new();
    csv::write(routing, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn read(text: &str, tree: PortTree) -> Result<PathTable, String> {
    csv::read(text.as_bytes(), "t.csv", tree).map_err(|error| error.to_string())
}

/// Shares of every pair as parts of 1.
fn parts(routing: &dyn Routing) -> Vec<Vec<(u32, f64)>> {
    let nodes = routing.tree().nodes();
    let mut shares = Vec::new();
    let pairs = (0..nodes).flat_map(|a| (0..nodes).map(move |b| (a, b)));
    pairs
        .filter(|(a, b)| a != b)
        .map(|(source, destination)| {
            routing.shares(source, destination, &mut shares);
            let sum: u32 = shares.iter().map(|share| share.units).sum();
            assert_eq!(sum, routing.units());
            let part = |share: &Share| f64::from(share.units) / f64::from(routing.units());
            shares
                .iter()
                .map(|share| (share.top, part(share)))
                .collect()
        })
        .collect()
}

#[test]
fn what_is_written_is_read_again() {
    for (m, n) in [(2, 2), (4, 1), (4, 2), (6, 2), (4, 3), (6, 3)] {
        let tree = tree(m, n);
        let routings: [&dyn Routing; 4] = [
            &EveryPath::new(tree),
            &Widest::new(tree),
            &Modulo::mlid(tree),
            &Modulo::new(tree, Chooser::Destination, 3),
        ];
        for routing in routings {
            let table = read(&text(routing), tree).unwrap();
            assert_eq!(
                parts(&table),
                parts(routing),
                "{} on {tree}",
                routing.name()
            );
            let ratio = |routing: &dyn Routing| oblivious_ratio(routing, 1).ratio;
            assert_eq!(ratio(&table), ratio(routing));
            assert_eq!(parts(&PathTable::of(routing).unwrap()), parts(routing));
        }
    }
}

#[test]
fn weights_stand_where_paths_differ_in_them() {
    let osrm3 = Osrm3::new(tree(4, 3)).unwrap();
    assert!(text(&osrm3).starts_with("source,destination,ports\n0,1,1\n0,2,2 1 0\n"));
    let mut paths = Vec::new();
    for (source, destination) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
        if source != destination {
            for top in 0..tree(4, 2).tops(source, destination) {
                let weight = 3 - 2 * top;
                paths.push(WeightedPath {
                    source,
                    destination,
                    top,
                    weight,
                });
            }
        }
    }
    let table = PathTable::new(tree(4, 2), "t", paths.clone()).unwrap();
    assert_eq!(table.units(), 4);
    let written = text(&table);
    assert!(
        written.contains("\n0,1,1,1\n0,2,2 1 0,3\n0,2,3 1 0,1\n"),
        "{written}"
    );
    assert_eq!(parts(&read(&written, tree(4, 2)).unwrap()), parts(&table));
    // Weights of a path that comes twice are added up.
    let twice = [paths.clone(), paths].concat();
    assert_eq!(PathTable::new(tree(4, 2), "t", twice).unwrap(), table);
}

/// Weights whose sums have a common multiple above the limit.
#[test]
fn units_have_a_limit() {
    let tree = tree(4, 2);
    let mut paths = Vec::new();
    let weights = [65_521u32, 65_519, 65_497, 65_479];
    let mut next = 0;
    for (source, destination) in (0..8).flat_map(|a| (0..8).map(move |b| (a, b))) {
        for top in 0..tree.tops(source, destination) {
            if source != destination {
                let weight = if top == 1 { weights[next % 4] } else { 1 };
                next += top as usize;
                paths.push(WeightedPath {
                    source,
                    destination,
                    top,
                    weight,
                });
            }
        }
    }
    let error = PathTable::new(tree, "t", paths).unwrap_err();
    assert!(matches!(error, TableError::Units { .. }), "{error}");
}

#[test]
fn mistakes_have_their_places() {
    let table = text(&Modulo::mlid(tree(4, 2)));
    let with = |line: &str| read(&(table.clone() + line + "\n"), tree(4, 2)).unwrap_err();
    for (line, expected) in [
        ("0,1", "line 58, column 1: found 2 fields, expected 3"),
        (
            "0,x,1",
            "column 3: destination: found `x`, expected a whole number below 2^32",
        ),
        (
            "0,9,1",
            "column 3: found node 9, expected 0 to 7, as FT(4, 2) has 8 nodes",
        ),
        ("3,3,1", "column 3: found a path of node 3 to itself"),
        ("0,1,1 -2", "column 7: a port: found `-2`, expected"),
        (
            "0,2,2 9 0",
            "column 7: switch(0, 0) has no port 9; expected 0 to 3",
        ),
        (
            "0,1,2 0 1",
            "column 5: port 2 of switch(0, 1) leads up, though",
        ),
        (
            "0,2,2",
            "column 6: the path has 1 ports and ends in switch(0, 0); expected 3",
        ),
        (
            "0,1,1",
            "line 58, column 1: the path of line 2 stands here again",
        ),
        (
            "# late",
            "found 1 fields, expected 3\n  help: comments stand before",
        ),
    ] {
        let error = with(line);
        assert!(error.contains(expected), "{line}: {error}");
    }
    let weighted = "source,destination,ports,weight\n0,1,1,0\n0,1,1,65537\n";
    let error = read(weighted, tree(4, 2)).unwrap_err();
    assert!(error.contains("line 2, column 7: found weight 0, expected 1 to 65536"));
    assert!(error.contains("line 3, column 7: found weight 65537"));
}

#[test]
fn tables_that_are_not_whole_are_refused() {
    let whole = text(&Modulo::mlid(tree(4, 2)));
    let lines: Vec<&str> = whole.lines().collect();
    let part = [&lines[..5], &lines[7..]].concat().join("\n");
    let error = read(&part, tree(4, 2)).unwrap_err();
    assert!(
        error.contains(
            "table: found no path from node 0 to node 5, and none for 2 pairs in all; expected one"
        ),
        "{error}"
    );
    for (text, expected) in [
        ("", "end of the file: the file ends before the column names"),
        (
            "a,b\n",
            "line 1: found `a,b`, expected the column names source",
        ),
        (
            "# only\nsource,destination,ports\n",
            "none for 56 pairs in all",
        ),
    ] {
        let error = read(text, tree(4, 2)).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    let error = read("", tree(48, 3)).unwrap_err();
    assert!(error.contains("found FT(48, 3) with 27648 nodes, expected at most 8192"));
}

proptest::proptest! {
    #![proptest_config(crosswave_testing::config(256))]

    /// No text makes the reader panic.
    #[test]
    fn any_text_is_read_or_refused(text in "(source,destination,ports(,weight)?\n)?([0-9 ,\n#x-]{0,60})") {
        let _ = read(&text, tree(4, 2));
    }
}
