//! `run --links`: the use of links, against what is known of the messages. Other protocols, and virtual
//! channels, are in `tests/slow/components.rs`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::program::crosswave;

/// Flits and stalled cycles by router and link, and the result of the run.
type Counted = (BTreeMap<(String, String), (u64, u64)>, Value);

fn run(arguments: &[&str]) -> Counted {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("links.csv");
    let file = file.display().to_string();
    let more = ["-q", "--json", "-", "--links", &file];
    let arguments = [&["run"], arguments, &more].concat();
    let output = crosswave(Path::new(env!("CARGO_MANIFEST_DIR")), &arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let cycles = result["cycles"].as_u64().expect("a number") as f64;
    let mut links = BTreeMap::new();
    let mut reader = csv::Reader::from_path(&file).expect("a table");
    for row in reader.records() {
        let row = row.expect("a row");
        let number = |at: usize| row[at].parse::<u64>().unwrap_or(0);
        let use_share: f64 = row[5].parse().expect("a share");
        assert!(
            (use_share - number(3) as f64 / cycles).abs() < 1e-6,
            "{row:?}"
        );
        let key = (row[0].to_owned(), row[1].to_owned());
        let twice = links.insert(key, (number(3), number(4)));
        assert_eq!(twice, None, "{row:?}");
    }
    (links, result)
}

/// Every flit that comes to a router of a mesh of eight by eight leaves it.
fn check_conservation((links, result): &Counted, words: u64) {
    assert_eq!(links.len(), 4 * 56 + 64 + 64);
    let flits = |router: String, link: &str| {
        let found = links.get(&(router, link.to_owned()));
        found.map_or(0, |counts| counts.0)
    };
    let router = |x: i32, y: i32| format!("router_{x}_{y}");
    let (mut sent, mut received) = (0, 0);
    for (x, y) in (0..64).map(|node| (node % 8, node / 8)) {
        let from_node = flits(format!("node_{}", x + 8 * y), "net");
        let from_west = flits(router(x - 1, y), "east");
        let from_east = flits(router(x + 1, y), "west");
        let from_north = flits(router(x, y - 1), "south");
        let from_south = flits(router(x, y + 1), "north");
        let entering = from_node + from_west + from_east + from_north + from_south;
        let links = ["local", "west", "east", "north", "south"];
        let leaving = links.map(|link| flits(router(x, y), link));
        assert_eq!(entering, leaving.iter().sum::<u64>(), "at {x}, {y}");
        sent += from_node;
        received += leaving[0];
    }
    let delivered = words * result["messages"]["delivered"].as_u64().expect("a number");
    assert_eq!((sent, received), (delivered, delivered));
    let found = &result["links"];
    assert_eq!(found["links"], links.len());
    let cycles = result["cycles"].as_u64().expect("a number") as f64;
    let all = links.values().map(|counts| counts.0).sum::<u64>() as f64;
    let mean = found["use_share_mean"].as_f64().expect("a share");
    assert!((mean - all / links.len() as f64 / cycles).abs() < 1e-9);
    let most = links.values().map(|counts| counts.0).max().unwrap_or(0) as f64;
    let busiest = found["busiest"][0]["use_share"].as_f64().expect("a share");
    assert!((busiest - most / cycles).abs() < 1e-9);
}

const MESH: &str = "examples/routers/mesh64.toml";

#[test]
fn a_message_takes_one_way() {
    let (links, _) = run(&[
        MESH,
        "--unset",
        "traffic.load",
        "--unset",
        "traffic.cycles",
        "--set",
        "traffic.pattern=pair",
        "--set",
        "traffic.source=0",
        "--set",
        "traffic.destination=63",
    ]);
    let used = links.iter().filter(|(_, counts)| counts.0 > 0);
    let used: Vec<_> = used.collect();
    // The node's link, fourteen between routers, and that to the other node.
    assert_eq!(used.len(), 16, "{used:?}");
    assert!(
        used.iter().all(|(_, counts)| **counts == (4, 0)),
        "{used:?}"
    );
}

/// Replicates that share an engine are added, and sinks that refuse flits stall them.
#[test]
fn flits_are_conserved() {
    let cycles = ["--set", "traffic.cycles=200", "--set", "run.replicates=3"];
    let stall = ["--set", "endpoint.stall=0.5"];
    let counted = run(&[&[MESH], &cycles[..], &stall].concat());
    check_conservation(&counted, 4);
    let (links, result) = &counted;
    let stalled = |link: &str| {
        let of = links.iter().filter(|((_, name), _)| name == link);
        of.map(|(_, counts)| counts.1).sum::<u64>() as f64
    };
    let sent: u64 = links
        .iter()
        .filter(|((_, name), _)| name == "local")
        .map(|(_, c)| c.0)
        .sum();
    // Each flit waits for one cycle on average.
    let ratio = stalled("local") / sent as f64;
    assert!((0.9..1.1).contains(&ratio), "{ratio}");
    assert!(result["links"]["stalled_share_mean"].as_f64() > Some(0.0));
}

#[test]
fn other_networks_are_refused() {
    let arguments = ["run", "examples/steady64.toml", "--links", "l.csv"];
    let output = crosswave(Path::new(env!("CARGO_MANIFEST_DIR")), &arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("--links: links are counted in networks of your own routers"),
        "{said}"
    );
}
