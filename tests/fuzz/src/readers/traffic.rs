//! Traces, traffic matrices and schedules.

use crosswave_base::decimal::Decimal;
use crosswave_base::random;
use crosswave_collectives::check;
use crosswave_collectives::ideal;
use crosswave_collectives::text;
use crosswave_collectives::tree::BinaryFatTree;
use crosswave_network::traffic::matrix::WeightMatrix;
use crosswave_network::traffic::{EVERY_NODE, Offer, TraceConfig, WORDS_MAX, trace as traces};

use super::read;

/// Nodes of the network of traces and matrices.
const NODES: u32 = 64;

/// A trace, with the default options and with those that make the largest and the smallest numbers.
pub fn trace(data: &[u8]) {
    let plain = TraceConfig::new("trace");
    let decimal = |text: &str| Decimal::parse(text).expect("a number");
    let large = TraceConfig {
        clock_mhz: decimal("100000"),
        time_scale: decimal("1000000"),
        bytes_scale: decimal("1000000"),
        ..plain.clone()
    };
    let small = TraceConfig {
        clock_mhz: decimal("0.000001"),
        time_scale: decimal("0.000001"),
        bytes_scale: decimal("0.000001"),
        bytes_per_word: 65_536,
        limit: Some(3),
        ..plain.clone()
    };
    for config in [plain, large, small] {
        let Some(workload) = read(traces::read(data, "trace", &config, NODES)) else {
            continue;
        };
        let mut last = 1;
        for message in &workload.messages {
            assert!((1..=WORDS_MAX).contains(&message.words), "words");
            assert!(message.source < NODES, "a source");
            let is_every = message.destination == EVERY_NODE;
            assert!(is_every || message.destination < NODES, "a destination");
            assert_ne!(message.source, message.destination, "no message to itself");
            if let Offer::At(cycle) = message.offered {
                assert!(cycle >= last, "cycles do not fall");
                last = cycle;
            }
        }
        let _ = (workload.by_source(), workload.last_offer());
    }
}

/// A traffic matrix, from which destinations are drawn.
pub fn matrix(data: &[u8]) {
    let Some(matrix) = read(WeightMatrix::read(data, "matrix", NODES)) else {
        return;
    };
    assert_eq!(matrix.nodes(), NODES, "a row for each node");
    let mut generator = random::generator(1, 2);
    for source in (0..NODES).filter(|&source| matrix.sends(source)) {
        for _ in 0..3 {
            let drawn = matrix.draw(source, &mut generator);
            assert!(drawn < NODES && drawn != source, "a destination");
        }
    }
}

/// A schedule, which is written, read again, and checked on a tree.
pub fn schedule(data: &[u8]) {
    let Some(placed) = read(text::read(data, "schedule")) else {
        return;
    };
    let mut written = Vec::new();
    text::write(&placed.schedule, &mut written).expect("memory takes it");
    let again = read(text::read(&written[..], "written")).expect("it is a schedule");
    assert_eq!(again.schedule, placed.schedule, "written and read again");
    for levels in [1, 4, 20] {
        let tree = BinaryFatTree::constant(levels).expect("a tree");
        if let Err(fault) = check::check(&tree, &placed.schedule) {
            let _ = read(Err::<(), _>(fault.error("schedule", &placed.lines)));
        }
    }
    let tree = BinaryFatTree::constant(4).expect("a tree");
    for limit in [None, Some(1)] {
        if let Err(failure) = ideal::run(&tree, &placed.schedule, limit) {
            let _ = read(Err::<(), _>(failure.error("schedule", &placed.lines)));
        }
    }
}
