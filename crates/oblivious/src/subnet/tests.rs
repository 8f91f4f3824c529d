use super::sample::Sample;
use super::*;
use crate::ratio::oblivious_ratio;
use crate::routing::Routing;
use crate::routing::modulo::{Chooser, Modulo};
use crate::tree::{PortTree, TreeLink, Vertex};

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
                    let is_it = |place: &recognise::SwitchPlace| {
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
                down.filter(|link: &TreeLink| link.direction == crate::tree::LinkDirection::Down)
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
        for (by_opensm, lmc, lids) in [(false, 0, 1), (true, 0, 1), (false, 1, 2)] {
            let sample = Sample::new(tree, lmc, 5);
            let subnet = read_both(&sample.wiring(), &sample.tables(by_opensm)).unwrap();
            let paths = lids;
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

/// Each LID of a node is a path; every one of them counts.
#[test]
fn all_lids_of_an_lmc_are_paths() {
    let lids_of = [4, 8, 16, 32, 64, 128];
    for (lmc, lids) in (2..=7).zip(lids_of) {
        let sample = Sample::new(tree(4, 2), lmc, 5);
        let (wiring, tables) = (sample.wiring(), sample.tables(lmc % 2 == 0));
        let subnet = read_both(&wiring, &tables).unwrap();
        let ends = &subnet.end_ports;
        assert!(ends.iter().all(|end| end.lids() == lids));
        // With d-mod-k shifted by the number of the path, half of them climb to each root.
        let mut shares = Vec::new();
        subnet.table.shares(0, 7, &mut shares);
        let units: Vec<u32> = shares.iter().map(|share| share.units).collect();
        assert_eq!(units, [subnet.table.units() / 2; 2], "lmc {lmc}");
        // The last LID needs an entry as the first one does.
        let last = ends[7].lid + lids - 1;
        let line = format!("\n0x{last:04x} ");
        assert_eq!(tables.matches(&line).count(), 6);
        let missing = tables.replacen(&line, "\n0xbfff ", 1);
        match read_both(&wiring, &missing) {
            Err(error) => assert!(
                error.contains(&format!("LID {last:#06x}: found no entry")),
                "{error}"
            ),
            // The first switch of the text may be a root that this path does not take.
            Ok(_) => assert!(matches!(
                sample.switches[0],
                Vertex::Switch { level: 0, .. }
            )),
        }
    }
    let wiring = Sample::new(tree(4, 1), 7, 1).wiring();
    let beyond = wiring.replacen("lmc 7", "lmc 8", 1);
    let error = read_both(&beyond, "").unwrap_err();
    assert!(error.contains("its LMC, 0 to 7"), "{error}");
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
}

/// The lines of the entries of LID 1, by switch of the sample.
fn entries_of_lid_1(tables: &str) -> Vec<usize> {
    let lines = tables.lines().enumerate();
    lines
        .filter(|(_, line)| line.starts_with("0x0001"))
        .map(|(number, _)| number)
        .collect()
}

/// The tables with these ports in these lines.
fn with_ports(tables: &str, ports: &[(usize, u32)]) -> String {
    let mut lines: Vec<String> = tables.lines().map(str::to_owned).collect();
    for &(line, port) in ports {
        lines[line].replace_range(7..10, &format!("{port:03}"));
    }
    lines.join("\n")
}

/// Each port of each switch for LID 1. In FT(4, 2) all paths to a node go through one of the two
/// roots, counted by hand:
///
/// | switch | not wired | to another host | round | read |
/// |---|---|---|---|---|
/// | of node 0 | 3 | 1 | up: 2 | 1 |
/// | each of the 3 others of height 0 | 3 | 2 | | up: 2 |
/// | the root that the paths take | 3 | | to the 3 others: 3 | 1 |
/// | the other root, which no path takes | | | | 7 |
#[test]
fn every_port_of_an_entry_is_told_for_what_it_is() {
    let sample = Sample::new(tree(4, 2), 0, 3);
    let (wiring, tables) = (sample.wiring(), sample.tables(false));
    let lines = entries_of_lid_1(&tables);
    assert_eq!(lines.len(), 6);
    let reasons = [
        "which is not wired",
        "leads to port 1 of H-",
        "packets go round",
    ];
    let (mut counts, mut read) = ([0; 3], 0);
    for line in lines {
        for port in 1..=7 {
            match read_both(&wiring, &with_ports(&tables, &[(line, port)])) {
                Ok(_) => read += 1,
                Err(error) => {
                    let found = reasons.iter().position(|reason| error.contains(reason));
                    counts[found.unwrap_or_else(|| panic!("{error}"))] += 1;
                }
            }
        }
    }
    assert_eq!((counts, read), ([15, 7, 5], 15));
}

/// A root sends down to a wrong switch, which sends up to the other root.
#[test]
fn paths_that_climb_again_are_told_with_what_they_wait_for() {
    let sample = Sample::new(tree(4, 2), 0, 3);
    let (wiring, tables) = (sample.wiring(), sample.tables(false));
    let lines = entries_of_lid_1(&tables);
    let switches: Vec<(u32, u32)> = sample
        .switches
        .iter()
        .map(|&switch| match switch {
            Vertex::Switch { level, number } => (level, number),
            Vertex::Node(_) => panic!("{switch:?}"),
        })
        .collect();
    let line_of =
        |switch: (u32, u32)| lines[switches.iter().position(|&other| other == switch).unwrap()];
    let leads_to = |from: (u32, u32), to: (u32, u32)| {
        let port = (0..4).find(|&port| {
            let link = sample.tree.link_by_port(from.0, from.1, port).unwrap();
            let (level, number) = to;
            sample.tree.ends(link).1 == Vertex::Switch { level, number }
        });
        sample.port_of[&from][port.unwrap() as usize]
    };
    // The root that the paths take: the one whose entry can be made to go round.
    let other = (1, 2);
    let taken = (0..2).find(|&root| {
        let change = (line_of((0, root)), leads_to((0, root), other));
        read_both(&wiring, &with_ports(&tables, &[change])).is_err()
    });
    let (root, spare) = ((0, taken.unwrap()), (0, 1 - taken.unwrap()));
    let changed = with_ports(
        &tables,
        &[
            (line_of(root), leads_to(root, other)),
            (line_of(other), leads_to(other, spare)),
        ],
    );
    let error = read_both(&wiring, &changed).unwrap_err();
    for expected in [
        "goes through 5 switches, and climbs here after it came down",
        "expected 3, up, then down",
        "free of deadlock",
    ] {
        assert!(error.contains(expected), "{error}");
    }
    assert!(!error.contains("packets go round"), "{error}");
}

/// One switch of five ports, the last four of which are wired.
#[test]
fn ports_are_counted_up_to_the_last() {
    let mut wiring = String::from("Switch 5 \"S-1\" # \"s\" lid 9 lmc 0\n");
    let mut tables = String::from("Unicast lids of switch guid 0x1 (s):\n");
    for node in 1..=4 {
        wiring += &format!("[{}] \"H-{node}\"[1]\n", node + 1);
        tables += &format!("0x000{node} 00{}\n", node + 1);
    }
    for node in 1..=4 {
        wiring += &format!(
            "Ca 1 \"H-{node}\" #\n[1] \"S-1\"[{}] # lid {node} lmc 0\n",
            node + 1
        );
    }
    read_both(&wiring, &tables).unwrap();
    let said = |port: &str| {
        let tables = tables.replace("0x0004 005", &format!("0x0004 {port}"));
        read_both(&wiring, &tables).unwrap_err()
    };
    assert!(said("006").contains("found port 6, which is not there; expected 1 to 5"));
    assert!(said("001").contains("found port 1, which is not wired"));
    assert!(said("000").contains("found port 0, the switch itself"));
    assert!(said("002").contains("port 2 leads to port 1 of H-0000000000000001"));
}

/// Aggregation nodes stand on a port of their own, with a LID of their own.
#[test]
fn aggregation_nodes_are_no_hosts() {
    let sample = Sample::new(tree(4, 2), 0, 3);
    let (plain, tables) = (sample.wiring(), sample.tables(false));
    let expected = read_both(&plain, &tables).unwrap();
    for (device, name) in [
        ("0xcf09", "Mellanox Technologies Aggregation Node"),
        ("0xcf09", "sharp"),
        ("0x101b", "Quantum Aggregation Node"),
    ] {
        let mut wiring = plain.clone();
        let mut adapters = String::new();
        for place in 0..sample.switches.len() {
            let (switch, adapter) = (0x2_0000 + place, 0x3_0000 + place);
            let heading = format!("\"S-{switch:016x}\"\t\t#");
            let at = wiring.find(&format!("Switch\t7 {heading}")).unwrap();
            let end = at + wiring[at..].find('\n').unwrap() + 1;
            let free = (1..=7).rev().find(|port| {
                let links = wiring[end..].split("\n\n").next().unwrap();
                !links
                    .lines()
                    .any(|line| line.starts_with(&format!("[{port}]")))
            });
            let port = free.unwrap();
            let link = format!(
                "[{port}]\t\"H-{adapter:016x}\"[1]({adapter:x})\t# \"{name}\" lid 99 4xHDR\n"
            );
            wiring.insert_str(end, &link);
            adapters += &format!(
                "vendid=0x2c9\ndevid={device}\ncaguid=0x{adapter:x}\nCa\t1 \"H-{adapter:016x}\"\t# \"{name}\"\n\
                 [1]({adapter:x})\t\"S-{switch:016x}\"[{port}]\t# lid {} lmc 0 \"s\" lid 3 4xHDR\n\n",
                100 + place
            );
        }
        let found = read_both(&format!("{wiring}{adapters}"), &tables).unwrap();
        assert_eq!(found.aggregation_nodes.len(), 6, "{device} {name}");
        assert_eq!(found.end_ports, expected.end_ports);
        let ratio = |subnet: &Subnet| oblivious_ratio(&subnet.table, 1).ratio;
        assert_eq!(ratio(&found), ratio(&expected));
    }
    // An adapter that is a host stays one, whatever stands before the others.
    assert!(expected.aggregation_nodes.is_empty());
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
            "switch S-0000000000000001 \"a\": found no route to an end port",
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
    #![proptest_config(crosswave_testing::config(256))]

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
