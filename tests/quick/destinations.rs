//! Destinations of steady traffic, as the messages of runs show them.

use std::path::Path;

use crate::program::crosswave;

/// The pairs of sources and destinations of the messages of a run of an example.
fn pairs(example: &str, settings: &[&str]) -> Vec<(u32, u32)> {
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    let arguments = ["run", example, "-q", "--messages", "-"];
    let arguments: Vec<&str> = arguments.into_iter().chain(settings).collect();
    let output = crosswave(Path::new(env!("CARGO_MANIFEST_DIR")), &arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    let mut reader = csv::Reader::from_reader(&output.stdout[..]);
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        let number = |at: usize| row[at].parse().expect("a node");
        (number(1), number(2))
    });
    rows.collect()
}

/// A rule for all destinations of a source, of which there may be several.
type Rule = fn(u32) -> Vec<u32>;

/// Runs an example with each rule, and looks at all its messages.
fn check(example: &str, common: &[&str], rules: &[(&str, Rule)]) {
    for (name, rule) in rules {
        let destinations = format!("traffic.destinations={name}");
        let settings = [common, &[destinations.as_str()]].concat();
        let found = pairs(example, &settings);
        assert!(found.len() > 10, "{name}: {found:?}");
        for (source, destination) in found {
            assert_ne!(source, destination, "{name}");
            let legal = rule(source);
            assert!(
                legal.contains(&destination),
                "{name}: {source} to {destination}"
            );
        }
    }
}

#[test]
fn fat_trees_send_where_the_rule_says() {
    let rules: [(&str, Rule); 7] = [
        ("transpose", |s| vec![s >> 2 | (s & 3) << 2]),
        ("bit-reversal", |s| {
            vec![(s as u8).reverse_bits() as u32 >> 4]
        }),
        ("bit-complement", |s| vec![15 - s]),
        ("shuffle", |s| vec![if s < 8 { 2 * s } else { 2 * s - 15 }]),
        ("tornado", |s| vec![(s + 7) % 16]),
        ("neighbour", |s| vec![(s + 1) % 16]),
        ("hot-spot", |s| match s {
            3 => (0..16).collect(),
            _ => vec![3],
        }),
    ];
    let common = [
        "network.nodes=16",
        "run.replicates=1",
        "run.engine=event",
        "traffic.load=0.05",
        "traffic.cycles=1000",
        "traffic.words=4",
    ];
    check("examples/steady64.toml", &common, &rules[..6]);
    let hot = ["traffic.destination=3", "traffic.hot_share=1"];
    check(
        "examples/steady64.toml",
        &[&common[..], &hot].concat(),
        &rules[6..],
    );
}

/// Eight by eight routers.
#[test]
fn meshes_send_by_coordinates() {
    let rules: [(&str, Rule); 4] = [
        ("transpose", |s| vec![s % 8 * 8 + s / 8]),
        ("tornado", |s| vec![(s % 8 + 3) % 8 + (s / 8 + 3) % 8 * 8]),
        ("neighbour", |s| vec![(s % 8 + 1) % 8 + (s / 8 + 1) % 8 * 8]),
        ("bit-complement", |s| vec![63 - s]),
    ];
    let common = ["traffic.load=0.05", "traffic.cycles=100"];
    check("examples/routers/mesh64.toml", &common, &rules);
}

#[test]
fn matrices_name_all_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("m.csv");
    let text = "source,destination,weight\n0,1,3\n0,2,0.5\n5,0,1\n";
    std::fs::write(&file, text).expect("a file");
    let matrix = format!("traffic.matrix={}", file.display());
    let settings = [
        "network.nodes=16",
        "run.replicates=1",
        "run.engine=event",
        "traffic.destinations=matrix",
        "traffic.load=0.2",
        "traffic.cycles=8000",
        &matrix,
    ];
    let found = pairs("examples/steady64.toml", &settings);
    let count = |pair| found.iter().filter(|&&found| found == pair).count() as f64;
    let (one, two, five) = (count((0, 1)), count((0, 2)), count((5, 0)));
    assert_eq!(one + two + five, found.len() as f64);
    // 200 messages of each source: 171 and 29 of the first, with four standard deviations.
    assert!(
        (one / (one + two) - 6.0 / 7.0).abs() < 0.1,
        "{one} and {two}"
    );
    assert!(
        (five - 200.0).abs() < 60.0 && (one + two - 200.0).abs() < 60.0,
        "{five}"
    );
}
