//! Paths of small networks as a reviewer sees them, all paths of them against closed forms, and
//! texts that nobody should write.

use super::*;
use crate::NetworkConfig;
use crate::faults::Faulty;
use crate::registry::KINDS;
use crate::topology::Network;
use crate::traffic::Strategy;

fn network(text: &str) -> (Network, Fabric) {
    let read = NetworkConfig::parse(&format!("[network]\n{text}\n"));
    let (config, faults) = read.unwrap_or_else(|mistakes| panic!("{text}: {mistakes:?}"));
    let mut network = config.build(match config.kind().packets {
        true => Strategy::None,
        false => Strategy::Immediate,
    });
    if !faults.is_empty() {
        network = Box::new(Faulty::new(network, &faults).expect("faults of what is there"));
    }
    let fabric = network.fabric();
    (network, fabric)
}

const NETWORKS: [&str; 6] = [
    "kind='fat-tree'\nnodes=16",
    "kind='fat-tree'\nnodes=16\ncapacities='every-second-level'\nlink_delay_cycles=[0,1,2,3]",
    "kind='fat-tree'\nnodes=8\ncapacities=1",
    "kind='bidelta'\nnodes=64\nlink_delay_cycles=[2,1]",
    "kind='bidelta'\nnodes=1024",
    "kind='butterfly'\nnodes=64",
];

#[test]
fn paths_of_each_kind() {
    let mut text = String::new();
    for of in NETWORKS {
        let (topology, fabric) = network(of);
        let last = topology.nodes() - 1;
        text.push_str(&format!("{}\n", of.replace('\n', ", ")));
        for draw in [0, u64::MAX] {
            let path = Path::of(&*topology, &fabric, 1, last, draw);
            text.push_str(&format!("  {path}\n"));
        }
    }
    insta::assert_snapshot!(text);
}

/// A head takes its clocks: 2 for each router of a fat tree and the clocks of links, or 1 for
/// each RN1 and what swallows cost. Whatever is drawn, the path ends at the destination, which
/// [`Path::of`] asserts.
#[test]
fn every_path_takes_the_clocks_of_the_closed_form() {
    for of in NETWORKS {
        let (topology, fabric) = network(of);
        let timing = topology.timing();
        let nodes = topology.nodes();
        let step = (nodes / 64).max(1) as usize;
        for source in (0..nodes).step_by(step) {
            for destination in (0..nodes).step_by(step).filter(|&node| node != source) {
                let draw = crosswave_base::random::word(u64::from(source), u64::from(destination));
                let path = Path::of(&*topology, &fabric, source, destination, draw);
                let arrival = timing.arrival(source, destination, 1).expect("known");
                let of_links = path.link_clocks();
                let expected = match arrival.opened {
                    None => 2 * path.routers() as u64 + of_links + 2,
                    Some(_) => {
                        let swallowed = topology.route(source, destination).bytes.len() as u64 - 1;
                        path.routers() as u64 + of_links + 1 + swallowed + 2
                    }
                };
                assert_eq!(arrival.delivered, expected, "{path}");
                let read = Path::parse(&path.to_string(), "test");
                assert_eq!(read.unwrap_or_else(|error| panic!("{error}")), path);
            }
        }
    }
}

/// Networks of other options than those of the samples of their kinds.
const ODD_NETWORKS: [&str; 34] = [
    "kind='fat-tree'\nnodes=2",
    "kind='fat-tree'\nnodes=32\ncapacities='every-second-level'\nlink_delay_cycles=[0,1,2,3,4]",
    "kind='fat-tree'\nnodes=64\ncapacities=1",
    "kind='bidelta'\nnodes=64\nlink_delay_cycles=[2,1]\nloop_back_cycles=3",
    "kind='bidelta'\nnodes=1024",
    "kind='butterfly'\nnodes=64",
    "kind='transit'\nnodes=64\nup_stage='two-crossbars'\ndispersion='random'",
    "kind='transit'\nnodes=64\n[faults]\nrouters=['up_0_0_2']",
    "kind='transit'\nnodes=4096\ndispersion='none'",
    "kind='transit'\nnodes=16384",
    "kind='transit'\nnodes=768\nleaf='B12'",
    "kind='transit'\nnodes=3072\nleaf='B12'",
    "kind='transit'\nnodes=3072\nleaf='B48'",
    "kind='binary-fat-tree'\nnodes=32\ncapacities='constant'",
    "kind='binary-fat-tree'\nnodes=64\ncapacities=[1,1,2,3,7,20]",
    "kind='binary-fat-tree'\nnodes=16\n[router]\nqueue_packets=2",
    "kind='m-port-n-tree'\nports=2\nlevels=3",
    "kind='m-port-n-tree'\nports=6\nlevels=2\nrouting='mlid'\npaths=2",
    "kind='m-port-n-tree'\nports=8\nlevels=1",
    "kind='m-port-n-tree'\nports=4\nlevels=4\nrouting='random'\npaths=3",
    "kind='m-port-n-tree'\nports=8\nlevels=2\nrouting='omrmn'\nfailed=['switch(1, 1) port 5']",
    "kind='m-port-n-tree-packets'\nports=4\nlevels=3\nrouting='wsr'",
    "kind='m-port-n-tree-packets'\nports=10\nlevels=2\nrouting='omrmn'",
    "kind='butterfly-fat-tree'\nlevels=3\ncapacities='constant'",
    "kind='butterfly-fat-tree'\nlevels=1",
    "kind='fat-stack'\nlevels=3",
    "kind='fat-stack'\nlevels=3\nprocessors='linked'\nring_capacity='upward'",
    "kind='fat-stack'\nlevels=3\nring=3\nlink_delay_cycles='geometry'\ncells_per_cycle=1",
    "kind='fat-stack'\nlevels=1",
    "kind='fat-stack'\nlevels=2\nring=3\nvariant='general'\nprocessors='linked'",
    "kind='fat-stack'\nlevels=3\nring=3\nvariant='general'\nprocessors='linked'",
    "kind='fat-pyramid'\nlevels=3\nrouting_seed=7",
    "kind='fat-pyramid'\nlevels=3\nprocessors='linked'\ncapacities='constant'",
    "kind='fat-pyramid'\nlevels=1",
];

/// The number that a topology tells is that of the path through its fabric, by all ways and
/// whatever is drawn: of all pairs of networks of up to 64 nodes, and in larger ones of some that
/// are near and some that are far.
#[test]
fn routers_are_as_many_as_the_topology_tells() {
    let samples = KINDS.iter().flat_map(|kind| kind.samples).map(|sample| {
        let tables = sample.strip_prefix("[network]\n").expect("it comes first");
        tables.split("\n[").next().expect("a table")
    });
    for of in samples.chain(ODD_NETWORKS) {
        let (topology, fabric) = network(of);
        let nodes = topology.nodes();
        let step = (nodes / 64) | 1;
        for source in (0..nodes).step_by(step as usize) {
            let is_asked = |&to: &u32| to != source && (to % step == 0 || to.abs_diff(source) < 16);
            for destination in (0..nodes).filter(is_asked) {
                let told = topology.routers_on_path(source, destination);
                let ways = topology.ways(source, destination);
                for draw in (0..u64::from(ways)).chain([0b1010_0110, u64::MAX]) {
                    let path = Path::of(&*topology, &fabric, source, destination, draw);
                    assert_eq!(told as usize, path.routers(), "{of}: {path}");
                }
            }
        }
    }
}

/// The bits that a router reads are those of its output.
#[test]
fn what_is_read_says_where_to_leave() {
    for of in NETWORKS {
        let (topology, fabric) = network(of);
        for destination in (1..topology.nodes()).step_by(7) {
            let path = Path::of(&*topology, &fabric, 0, destination, 0);
            for (chip, step) in (0..).zip(path.steps()).skip(1) {
                let Some(leaves) = step.leaves else { continue };
                let at = OnPath {
                    source: 0,
                    destination,
                    chip,
                    arrived: 0,
                    draw: false,
                    way: 0,
                };
                let reads = topology.reads(at);
                let bits = reads.rsplit(": ").next().expect("something is read");
                let port = match bits {
                    _ if reads.contains("turn") => continue,
                    "0" => "a",
                    "1" => "b",
                    "00" => "o0 o1",
                    "01" => "o2 o3",
                    "10" => "o4 o5",
                    "11" => "o6 o7",
                    other => panic!("{other}"),
                };
                assert!(port.contains(leaves), "{reads}: {leaves} of {path}");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let refused = |text: &str| {
        let error = Path::parse(text, "text").expect_err("a mistake");
        error.to_string()
    };
    let texts = [
        "",
        "node_0",
        "node_0.net",
        "node_0.net => net.node_1",
        "node_0.net -0-> net.node_1",
        "node_0.net ->",
        "node_0.net -> a.r.b",
        "node_0.net -> a.r -> net.node_1",
        "node_0.net -> net.node_1 -> net.node_1",
    ];
    insta::assert_snapshot!(texts.map(refused).join("\n"));
}
