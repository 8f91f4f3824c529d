use serde_json::json;

use super::*;

fn replicate(finished: bool, numbers: &[(&str, f64)]) -> Replicate {
    let numbers = numbers.iter().map(|&(name, number)| (name.into(), number));
    Replicate {
        slices: None,
        finished,
        numbers: numbers.collect(),
    }
}

/// Replicates that have different numbers, in another order.
fn replicates() -> [Replicate; 4] {
    [
        replicate(true, &[("a", 1.0), ("b", 10.0)]),
        replicate(false, &[("c", 100.0), ("a", 3.0)]),
        replicate(true, &[("b", 30.0)]),
        replicate(false, &[("d", 7.0), ("c", 300.0)]),
    ]
}

fn measured(count: usize) -> Measured {
    let mut measured = Measured::new(["a", "b", "c", "d"].map(String::from).to_vec());
    measured.extend(replicates().into_iter().take(count));
    measured
}

#[test]
fn means_are_of_the_first_replicates_that_have_a_number() {
    let all = measured(4);
    assert_eq!(all.names(), ["a", "b", "c", "d"]);
    assert_eq!((all.len(), all.unfinished()), (4, 2));
    let mean = |name, count| all.mean(name, count).map(|(mean, _)| mean);
    let expected = [
        ("a", [None, Some(1.0), Some(2.0), Some(2.0), Some(2.0)]),
        ("b", [None, Some(10.0), Some(10.0), Some(20.0), Some(20.0)]),
        ("c", [None, None, Some(100.0), Some(100.0), Some(200.0)]),
        ("d", [None, None, None, None, Some(7.0)]),
    ];
    for (name, means) in expected {
        let found = [0, 1, 2, 3, 4].map(|count| mean(name, count));
        assert_eq!(found, means, "{name}");
    }
    assert_eq!(mean("e", 4), None);
    // One value has no interval.
    assert_eq!(all.mean("d", 4), Some((7.0, None)));
}

/// Cutting off replicates leaves the result of fewer, names included, so that files and tables are
/// the same whatever was kept before.
#[test]
fn the_first_of_more_replicates_are_those_alone() {
    let mut left = measured(4);
    for count in (0..=4).rev() {
        left.truncate(count);
        assert_eq!(left, measured(count), "{count}");
        assert_eq!(left.is_empty(), count == 0);
    }
    // And more can be added again.
    left.extend(replicates());
    assert_eq!(left, measured(4));
}

#[test]
fn numbers_have_the_paths_of_the_json() {
    let result = json!({
        "config": { "run": { "seed": 1 } },
        "rounds": { "mean": 2.5, "stderr": 0.5 },
        "cycles_to_finish": { "mean": 40, "max": 50 },
        "latency_cycles": { "mean": 20.5, "p99": 31, "histogram": [1, 2] },
        "collisions": { "by_level": [3, 0, 4], "text": "none", "stderr": 1 },
        "load_stderr": 0.25,
        "steady": { "window_cycles": [10, 20], "is_steady": true, "nothing": null },
        "replicates": 3,
        "replicates_run": 3,
        "replicates_finished": 2,
        "performance": { "seconds": 1.5 },
        "messages": 16,
    });
    let mut numbers = Vec::new();
    collect(&result, &mut String::new(), &mut numbers);
    let expected = [
        ("rounds", 2.5),
        ("cycles_to_finish", 40.0),
        ("latency_cycles.mean", 20.5),
        ("latency_cycles.p99", 31.0),
        ("collisions.by_level.0", 3.0),
        ("collisions.by_level.1", 0.0),
        ("collisions.by_level.2", 4.0),
        ("messages", 16.0),
    ];
    assert_eq!(
        numbers,
        expected.map(|(name, number)| (name.into(), number))
    );
}
