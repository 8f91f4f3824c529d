use super::sample::Sample;
use super::*;
use crate::oblivious::ratio::oblivious_ratio;
use crate::oblivious::routing::Routing;
use crate::oblivious::routing::modulo::{Chooser, Modulo};
use crate::oblivious::tree::{Link, PortTree, Vertex};

const TREES: [(u32, u32); 7] = [(2, 1), (2, 3), (4, 1), (4, 2), (4, 3), (6, 3), (4, 4)];

fn tree(m: u32, n: u32) -> PortTree {
    PortTree::new(m, n).unwrap()
}

fn read_both(wiring: &str, tables: &str) -> Result<Subnet, String> {
    read((wiring.as_bytes(), "net"), (tables.as_bytes(), "lfts")).map_err(|error| error.to_string())
}

/// Every link of the tree is a wire between the switches that were found for its ends.
#[test]
fn trees_are_recognised_whatever_the_order() {
    for (m, n) in TREES {
        for seed in 0..3 {
            let tree = tree(m, n);
            let text = Sample::new(tree, 0, seed).wiring();
            let wiring = wiring::read(text.as_bytes(), "net").unwrap();
            let found = recognise::recognise(&wiring, "net").unwrap();
            assert_eq!(found.tree, tree);
            let index_of = |vertex| match vertex {
                Vertex::Node(node) => Err(found.nodes[node as usize]),
                Vertex::Switch { level, number } => {
                    let height = tree.opposite(level);
                    let is_it = |place: &recognise::Place| {
                        let subtree = match level {
                            0 => 0,
                            _ => place.node / tree.power(height) / tree.half(),
                        };
                        (place.height, subtree * tree.power(height) + place.top) == (height, number)
                    };
                    Ok(found.places.iter().position(is_it).unwrap())
                }
            };
            let down = (0..tree.links() as usize).map(|index| tree.link(index));
            for link in
                down.filter(|link: &Link| link.direction == crate::oblivious::tree::Direction::Down)
            {
                let (upper, lower) = tree.ends(link);
                let upper = &wiring.switches[index_of(upper).unwrap()];
                let peer = match index_of(lower) {
                    Ok(switch) => wiring::Peer::Switch(switch),
                    Err(end) => wiring::Peer::EndPort(end),
                };
                assert!(upper.peers().any(|(_, found)| found == peer), "{tree}");
            }
            // LIDs ascend with the nodes.
            let nodes: Vec<u32> = found
                .nodes
                .iter()
                .map(|&end| wiring.end_ports[end].lid)
                .collect();
            assert!(nodes.is_sorted());
        }
    }
}

#[test]
fn tables_of_destinations_give_d_mod_k() {
    for (m, n) in TREES {
        let tree = tree(m, n);
        for (by_opensm, lmc) in [(false, 0), (true, 0), (false, 1)] {
            let sample = Sample::new(tree, lmc, 5);
            let subnet = read_both(&sample.wiring(), &sample.tables(by_opensm)).unwrap();
            let paths = 1 << lmc;
            let ratio = oblivious_ratio(&subnet.table, 1).ratio;
            if lmc == 0 {
                let routing = Modulo::new(tree, Chooser::Destination, paths);
                assert_eq!(ratio, oblivious_ratio(&routing, 1).ratio, "{tree}");
            }
            let mut shares = Vec::new();
            for destination in 1..tree.nodes() {
                subnet.table.shares(0, destination, &mut shares);
                let units: u32 = shares.iter().map(|share| share.units).sum();
                assert_eq!(units, subnet.table.units());
            }
            assert_eq!(subnet.end_ports.len(), tree.nodes() as usize);
            assert_eq!(subnet.end_ports[1].lids(), paths);
        }
    }
}

#[test]
fn nodes_are_listed() {
    let sample = Sample::new(tree(2, 2), 1, 1);
    let subnet = read_both(&sample.wiring(), &sample.tables(false)).unwrap();
    let mut text = Vec::new();
    write_nodes(&subnet.end_ports, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(
        text,
        "node,lid,lids,guid,port,name\n\
         0,2,2,0x0000000000001000,1,\"node(0, 0)\"\n\
         1,4,2,0x0000000000001002,1,\"node(1, 0)\"\n"
    );
}

/// The example of the manual of ibnetdiscover, whose switches are no tree of ours.
#[test]
fn the_example_of_the_manual_is_read() {
    let text = "#\n# Topology file: generated on Tue Jun  5 14:15:10 2007\n#\n\nNon-Chassis Nodes\n\n\
        vendid=0x8f1\nswitchguid=0x5442ba00003080(5442ba00003080)\n\
        Switch  24 \"S-005442ba00003080\"   # \"ISR9024 Voltaire\" base port 0 lid 6 lmc 0\n\
        [22]    \"H-0008f10403961354\"[1](8f10403961355)   # \"MT23108 InfiniHost\" lid 4 4xSDR\n\
        [10]    \"S-0008f10400410015\"[1]   # \"SW-6IB4 Voltaire\" lid 3 4xSDR\n\n\
        Switch  8 \"S-0008f10400410015\"   # \"SW-6IB4 Voltaire\" base port 0 lid 3 lmc 0\n\
        [1]     \"S-005442ba00003080\"[10][ext 4]   # \"ISR9024 Voltaire\" lid 6 1xSDR\n\n\
        Ca      2 \"H-0008f10403961354\"   # \"MT23108 InfiniHost\"\n\
        [1](8f10403961355)   \"S-005442ba00003080\"[22]   # lid 4 lmc 1 \"ISR9024\" lid 6 4xSDR\n";
    let wiring = wiring::read(text.as_bytes(), "net").unwrap();
    assert_eq!(wiring.switches[0].name, "ISR9024 Voltaire");
    assert_eq!(wiring.switches[0].peers().count(), 2);
    let end = &wiring.end_ports[0];
    assert_eq!(
        (end.lid, end.lmc, end.port_guid),
        (4, 1, Some(0x8f10403961355))
    );
    let error = recognise::recognise(&wiring, "net")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("found 1 wired ports down and 0 up at height 1, expected 2 and 0"),
        "{error}"
    );
    let alone = text.replace("[1]     \"S-005", "[2]     \"S-005");
    let error = wiring::read(alone.as_bytes(), "net")
        .unwrap_err()
        .to_string();
    assert!(
        error
            .contains("port 10 of S-005442ba00003080 leads to port 1 of S-0008f10400410015, which")
    );
}

/// Wiring in which two cables were exchanged.
#[test]
fn wiring_that_is_no_tree_is_refused() {
    let sample = Sample::new(tree(4, 3), 0, 2);
    let whole = sample.wiring();
    let tables = sample.tables(false);
    assert!(read_both(&whole, &tables).is_ok());
    let (mut refused, mut same) = (0, 0);
    let lines: Vec<&str> = whole.lines().collect();
    let links: Vec<usize> = (0..lines.len())
        .filter(|&at| lines[at].starts_with('[') && lines[at].contains("\"S-"))
        .filter(|&at| !lines[at].contains("]("))
        .collect();
    // Far ends of two links are exchanged, and the links of those ends.
    let far = |line: &str| {
        let (_, rest) = line.split_once('\t').unwrap();
        rest.split('\t').next().unwrap().to_owned()
    };
    let near = |at: usize| {
        let head = (0..at)
            .rev()
            .find(|&at| lines[at].starts_with("Switch"))
            .unwrap();
        let guid = lines[head].split('"').nth(1).unwrap();
        let port = lines[at].split('\t').next().unwrap();
        format!("\"{guid}\"{port}")
    };
    for step in 1..links.len() - 3 {
        let (a, b) = (links[step], links[step + 2]);
        if far(lines[a]) == near(b) {
            continue;
        }
        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_string()).collect();
        changed[a] = lines[a].replace(&far(lines[a]), &far(lines[b]));
        changed[b] = lines[b].replace(&far(lines[b]), &far(lines[a]));
        for &at in &links {
            if far(lines[at]) == near(a) && near(at) == far(lines[a]) {
                changed[at] = lines[at].replace(&near(a), &near(b));
            } else if far(lines[at]) == near(b) && near(at) == far(lines[b]) {
                changed[at] = lines[at].replace(&near(b), &near(a));
            }
        }
        match read_both(&changed.join("\n"), &tables) {
            Ok(_) => same += 1,
            Err(error) => {
                assert!(!error.contains("lead back"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 20, "{refused} refused, {same} not");
}

/// An entry of the tables that is changed.
fn with_entry(tables: &str, from: &str, to: &str) -> String {
    let at = tables
        .find(from)
        .unwrap_or_else(|| panic!("{from} in {tables}"));
    format!("{}{to}{}", &tables[..at], &tables[at + from.len()..])
}

#[test]
fn entries_that_do_not_fit_are_named() {
    let sample = Sample::new(tree(4, 2), 0, 3);
    let (wiring, tables) = (sample.wiring(), sample.tables(false));
    let lid_1: Vec<&str> = tables
        .lines()
        .filter(|line| line.starts_with("0x0001"))
        .collect();
    // Each switch has one; here that of a switch with hosts, which is not node 0's.
    let place = sample
        .switches
        .iter()
        .position(|&switch| matches!(switch, Vertex::Switch { level: 1, number } if number > 0));
    let table = tables
        .match_indices("Unicast")
        .nth(place.unwrap())
        .unwrap()
        .0;
    let at = table + tables[table..].find("0x0001").unwrap();
    let entry = tables[at..].lines().next().unwrap();
    let with_entry = |tables: &str, from: &str, to: &str| match from == entry {
        true => format!("{}{to}{}", &tables[..at], &tables[at + from.len()..]),
        false => with_entry(tables, from, to),
    };
    let port = &entry[7..10];
    let said = |to: &str| read_both(&wiring, &with_entry(&tables, entry, to)).unwrap_err();
    let error = said(&entry.replacen(port, "200", 1));
    assert!(error.contains("LID 0x0001: found port 200, which is not there; expected 1 to 7"));
    assert!(said("").contains("LID 0x0001: found no entry, expected a port"));
    let error = said(&entry.replacen(port, "255", 1));
    assert!(error.contains("found no entry"), "{error}");
    let error = said(&entry.replacen(port, "000", 1));
    assert!(error.contains("found port 0, the switch itself"), "{error}");
    let error = said(&entry.replace("1001", "1003"));
    assert!(error.contains("found destination 0x0000000000001003, expected 0x0000000000001001"));
    let error = said(&format!("{entry}\n{entry}"));
    assert!(error.contains("LID 0x0001 stands in line"), "{error}");
    // All other ports of that switch: each is refused, but for one that leads up as well.
    let mut reasons = std::collections::BTreeSet::new();
    for number in 1..=7 {
        for entry in &lid_1 {
            let port = &entry[7..10];
            let changed = entry.replacen(port, &format!("{number:03}"), 1);
            if let Err(error) = read_both(&wiring, &with_entry(&tables, entry, &changed)) {
                for reason in [
                    "which is not wired",
                    "leads to port 1 of H-",
                    "packets go round",
                    "goes through 5 switches",
                    "climbs here after it came down",
                    "free of deadlock",
                ] {
                    if error.contains(reason) {
                        reasons.insert(reason);
                    }
                }
            }
        }
    }
    assert!(reasons.len() >= 3, "{reasons:?}");
}

#[test]
fn text_of_another_form_is_refused() {
    let sample = Sample::new(tree(4, 1), 0, 1);
    let (wiring, tables) = (sample.wiring(), sample.tables(true));
    for (text, expected) in [
        ("", "end of the file: found no node"),
        (
            "what\n",
            "line 1: found `what`, expected a node, a link or a comment",
        ),
        ("[1] \"S-1\"[1]\n", "line 1: a link before the first node"),
        (
            "Switch 400 \"S-1\" #\n",
            "line 1: S-0000000000000001 has 400 ports, expected 1 to 254",
        ),
        (
            "Switch x \"S-1\" #\n",
            "line 1: found `Switch x \"S-1\" #`, expected a node",
        ),
        (
            "Rt 2 \"R-1\" #\n",
            "line 1: found router R-0000000000000001",
        ),
        (
            "Switch 4 \"S-1\" # \"a\"\n",
            "switch S-0000000000000001 \"a\": found no way to an end port",
        ),
        (
            "Switch 4 \"S-1\" #\n[5] \"S-1\"[5]\n",
            "line 2: S-0000000000000001 has no port 5, expected 1 to 4",
        ),
        (
            "Ca 1 \"H-1\" #\n[1] \"H-2\"[1]\nCa 1 \"H-2\" #\n[1] \"H-1\"[1]\n",
            "line 2: a channel adapter is wired to",
        ),
    ] {
        let error = read_both(text, &tables).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    for (from, to, expected) in [
        (
            "lid 1 lmc 0",
            "lid 0 lmc 0",
            "expected the LID of the port, 1 to 49151",
        ),
        (
            "lid 1 lmc 0",
            "lid 2 lmc 0",
            "LID 2 is that of port 1 of H-",
        ),
    ] {
        let error = read_both(&wiring.replace(from, to), &tables).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    for (text, expected) in [
        ("", "end of the file: found no table"),
        (
            "what\n",
            "line 1: found `what`, expected a table or one of its entries",
        ),
        ("0x0001 001\n", "line 1: an entry before the first table"),
        (
            "Unicast lids [0x0-0x1] of switch 3:\n",
            "line 1: found `Unicast lids",
        ),
        (
            "Unicast lids of switch guid 0x7 (a):\n0x0001 900\n",
            "line 2: found `0x0001 900`, expected a LID",
        ),
        (
            "Unicast lids of switch guid 0x7 (a):\n",
            "switch S-0000000000020000 \"switch(0)\": found no forwarding table",
        ),
    ] {
        let error = read_both(&wiring, text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

proptest::proptest! {
    #![proptest_config(crate::random::cases::config(256))]

    /// Damaged text is read or refused.
    #[test]
    fn no_text_makes_the_readers_panic(at in 0usize..4000, with in "[\\[\\]\"#HS0-9 \n()x-]{0,12}", cut in 0usize..40) {
        let sample = Sample::new(tree(4, 2), 0, 3);
        let damaged = |text: String| {
            let at = at % text.len();
            let end = (at + cut).min(text.len());
            format!("{}{with}{}", &text[..at], &text[end..])
        };
        let _ = read_both(&damaged(sample.wiring()), &sample.tables(false));
        let _ = read_both(&sample.wiring(), &damaged(sample.tables(false)));
    }
}
