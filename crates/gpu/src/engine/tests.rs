use super::*;
use crate::device::{ALONE, lock};
use crosswave_chips::netlists;
use crosswave_network::fat_tree::{FatTree, Release};
use crosswave_probe::engine::FaultKind;

fn engine() -> GpuEngine {
    let tree = FatTree {
        nodes: 16,
        capacities: FatTree::doubling(4),
        link_delay_cycles: vec![0; 4],
        winner_fixed: false,
        release: Release::Acknowledge,
        strategy: 0,
        backoff_limit: 0,
    };
    GpuEngine::new(tree.fabric(), netlists::plain, &[1]).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn long_bursts_are_submitted_in_parts() {
    let of = |invocations| parts(0..64, invocations).collect::<Vec<_>>();
    let whole = std::iter::once(0..64).collect::<Vec<_>>();
    assert_eq!(of(0), whole);
    assert_eq!(of(SUBMITTED_MAX / 64), whole);
    assert_eq!(of(SUBMITTED_MAX / 40), [0..40, 40..64]);
    let single = of(2 * SUBMITTED_MAX);
    assert_eq!(single.len(), 64);
    assert_eq!((single[0].clone(), single[63].clone()), (0..1, 63..64));
}

/// A device may be lost at any time, as by a driver's watchdog.
#[test]
fn a_lost_device_is_a_fault_and_no_panic() {
    let _alone = lock(&ALONE);
    let mut engine = engine();
    let outputs: Vec<usize> = engine.fabric.arrays[NODES].chip.host_flags().collect();
    let look = |engine: &GpuEngine| {
        let shown = outputs.iter().map(|&port| engine.value(NODES, port, 3));
        shown.sum::<u64>()
    };
    for _ in 0..3 {
        engine.step();
        look(&engine);
        assert_eq!(engine.fault(), None);
    }
    engine.device.device.destroy();
    for _ in 0..3 {
        engine.drive_all(NODES, outputs[0], 1);
        engine.step();
        assert_eq!(look(&engine), 0);
    }
    let fault = engine.fault().expect("it is lost");
    assert_eq!(fault.kind, FaultKind::Device, "{fault:?}");
}
