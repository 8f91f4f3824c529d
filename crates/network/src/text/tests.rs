//! Small networks of each kind, as a reviewer sees them; and texts that nobody should write.

use super::*;
use crate::NetworkConfig;
use crate::bidelta::StageWires;
use crate::bidelta::config::BideltaConfig;
use crate::fat_tree::config::FatTreeConfig;
use crate::rn1_nodes::{Close, InterfaceConfig};
use crate::shuffle::shuffled;
use crate::topology::ROUTERS;
use crate::traffic::Strategy;

fn tree(capacities: Option<Vec<u32>>, delay: u32) -> Fabric {
    let mut tree = FatTreeConfig::new(8);
    tree.capacities = capacities;
    tree.link_delay_cycles = vec![0, delay, 0];
    NetworkConfig::FatTree(tree)
        .build(Strategy::Rounds)
        .fabric()
}

fn bidelta(delay: u32) -> Fabric {
    let network = BideltaConfig {
        nodes: 16,
        link_delay_cycles: StageWires::Given(vec![delay]),
        loop_back_cycles: 0,
        interface: InterfaceConfig {
            turns: 1,
            reply_words: 1,
            reply_delay_cycles: 0,
            close: Close::Drop,
        },
    };
    NetworkConfig::Bidelta(network)
        .build(Strategy::Immediate)
        .fabric()
}

#[test]
fn a_full_tree() {
    insta::assert_snapshot!(Structure::of(&tree(None, 0)));
}

#[test]
fn a_lean_tree_with_long_wires() {
    insta::assert_snapshot!(Structure::of(&tree(Some(vec![1, 1, 2]), 3)));
}

#[test]
fn a_bidelta_network() {
    insta::assert_snapshot!(Structure::of(&bidelta(1)));
}

#[test]
fn what_is_printed_is_read_back() {
    for fabric in [
        tree(None, 0),
        tree(Some(vec![1, 2, 2]), 2),
        bidelta(0),
        bidelta(2),
    ] {
        let structure = Structure::of(&fabric);
        let text = structure.to_string();
        let again = Structure::parse(&text, "again").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again, structure);
        assert_eq!(again.to_string(), text);
        let mut lines: Vec<&str> = text.lines().collect();
        let links = lines.iter().position(|line| line.starts_with("  link"));
        let links = links.expect("it has links");
        let end = lines.len() - 1;
        lines[links..end].reverse();
        let reversed = Structure::parse(&(lines.join("\n") + "\n"), "reversed");
        assert_eq!(
            reversed.unwrap_or_else(|error| panic!("{error}")),
            structure
        );
    }
    assert_ne!(Structure::of(&tree(None, 0)), Structure::of(&tree(None, 1)));
    assert_ne!(Structure::of(&bidelta(1)), Structure::of(&bidelta(2)));
}

/// Instances that only change their numbers leave other names at the links.
#[test]
fn another_wiring_is_another_structure() {
    let fabric = tree(None, 0);
    assert_ne!(
        Structure::of(&shuffled(&fabric, ROUTERS)),
        Structure::of(&fabric)
    );
}

#[test]
fn mistakes_have_a_line_and_a_help() {
    let head = "network x nodes 2\n chip r fat_tree_router\n chip n network_interface\n";
    let texts = [
        "chip r fat_tree_router".to_owned(),
        "network x nodes many".to_owned(),
        format!("{head} chip r network_interface"),
        format!("{head} chip s fat_tree_ruoter"),
        format!("{head} chip s fat_tree_router level=32"),
        format!("{head} chip s fat_tree_router lvel=3"),
        format!("{head} chip s fat_tree_router clock=1"),
        format!("{head} chip s fat_tree_router level=1 level=2"),
        format!("{head} all fat_tree_router level=1\n all fat_tree_router level=2"),
        format!("{head} link n.net r.e"),
        format!("{head} link n.net q.a"),
        format!("{head} link n.net r.a\n link n.net r.b"),
        format!("{head} link n.net r.a rotate 4"),
        format!("{head} link n.net r.a clock 4"),
        format!("{head} wire n.net r.a"),
        format!("{head} end\n chip s fat_tree_router"),
        head.to_owned(),
    ];
    let said = texts.iter().map(|text| {
        let error = Structure::parse(text, "x").expect_err("it is wrong");
        assert!(
            error
                .diagnostics
                .iter()
                .all(|mistake| !mistake.help.is_empty())
        );
        error.to_string()
    });
    insta::assert_snapshot!(said.collect::<String>());
}
