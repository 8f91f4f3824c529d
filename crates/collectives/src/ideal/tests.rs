use super::*;
use crate::generate::{flooding, multinode_nested};
use crate::schedule::ScheduledPacket;
use crate::total_exchange::{Phases, in_phases, interleaved};
use crate::{bounds, check};

#[test]
fn flooding_takes_theorem_2_with_the_queues_of_section_4() {
    for levels in 1..=9 {
        let tree = BinaryFatTree::constant(levels).unwrap();
        let n = u64::from(tree.processors());
        let outcome = run(&tree, &flooding(&tree), None).unwrap();
        assert_eq!(
            outcome.finish_step,
            bounds::scatter_steps(levels),
            "{levels}"
        );
        assert_eq!(outcome.deliveries, n * (n - 1));
        for level in 1..levels {
            let longest = outcome.queues()[level as usize - 1];
            assert_eq!(longest, 1 << (level - 1), "n = {n}, level {level}");
        }
        // Both children of the root fill its down channels at the rate they pass.
        assert_eq!(outcome.queues()[levels as usize - 1], 0);
    }
}

#[test]
fn without_contention_the_simulator_agrees_with_the_check() {
    for levels in 3..=6 {
        let tree = BinaryFatTree::exponential(levels).unwrap();
        for schedule in [
            multinode_nested(&tree),
            interleaved(&tree).unwrap(),
            in_phases(&tree, Phases::Serial).unwrap(),
        ] {
            let outcome = run(&tree, &schedule, Some(0)).unwrap();
            let checked = check::check(&tree, &schedule).unwrap();
            assert_eq!(outcome.finish_step, checked.finish_step);
            assert_eq!(outcome.deliveries, checked.deliveries);
            assert!(
                outcome
                    .up_queues
                    .iter()
                    .chain(&outcome.down_queues)
                    .all(|&q| q == 0)
            );
        }
    }
}

#[test]
fn a_packet_waits_for_a_busy_channel() {
    let tree = BinaryFatTree::constant(2).unwrap();
    let schedule = Schedule {
        packets: vec![ScheduledPacket::to(1, 0, 2), ScheduledPacket::to(1, 1, 3)],
    };
    let outcome = run(&tree, &schedule, None).unwrap();
    assert_eq!((outcome.finish_step, outcome.queues()), (5, vec![1, 0]));
    assert_eq!(
        run(&tree, &schedule, Some(0)).unwrap_err().to_string(),
        "step 2: more than 0 packets wait for the up channel of level 2 above processors 0-1"
    );
    // A relay that the check would let pass finds that its message has waited.
    let relayed = |step| ScheduledPacket {
        relayed: Some(Message::Personal {
            origin: 1,
            target: 2,
        }),
        ..ScheduledPacket::to(step, 3, 2)
    };
    let mut packets = schedule.packets.clone();
    packets[1].relayed = relayed(1).relayed;
    packets.push(relayed(6));
    let run_relayed = |packets: &[ScheduledPacket]| {
        let schedule = Schedule {
            packets: packets.to_vec(),
        };
        run(&tree, &schedule, None)
    };
    assert_eq!(run_relayed(&packets).map(|o| o.finish_step), Ok(7));
    packets[2] = relayed(5);
    let said = run_relayed(&packets).expect_err("too early").to_string();
    assert!(
        said.contains("receives the message in step 5 only"),
        "{said}"
    );
    let late = Schedule {
        packets: vec![ScheduledPacket::to(9, 0, 1), ScheduledPacket::to(9, 0, 2)],
    };
    let outcome = run(&tree, &late, Some(0)).unwrap();
    assert_eq!(
        (outcome.finish_step, outcome.up_queues),
        (13, vec![1, 0, 0])
    );
}

/// A limit is the longest queue that may be. In the CBFT of four processors 1 and 2 packets wait where
/// two and three come in one step.
#[test]
fn a_queue_may_be_as_long_as_the_limit() {
    let tree = BinaryFatTree::constant(2).unwrap();
    let run_limited = |packets: &[ScheduledPacket], limit| {
        let schedule = Schedule {
            packets: packets.to_vec(),
        };
        run(&tree, &schedule, Some(limit)).map_err(|failure| failure.to_string())
    };
    let up = [ScheduledPacket::to(1, 0, 2), ScheduledPacket::to(1, 1, 3)];
    assert_eq!(run_limited(&up, 1).map(|found| found.finish_step), Ok(5));
    // One comes from the other child in two steps, the other one from the root in four.
    let down = [ScheduledPacket::to(3, 0, 1), ScheduledPacket::to(1, 2, 1)];
    let found = run_limited(&down, 1).expect("one waits");
    assert_eq!((found.finish_step, found.deliveries), (5, 2));
    assert_eq!(
        (found.up_queues, found.down_queues),
        (vec![0; 3], vec![0, 1, 0])
    );
    let said = run_limited(&down, 0).expect_err("one waits");
    assert_eq!(
        said,
        "step 4: more than 0 packets wait for the down channel of level 1 above processor 1"
    );
    // Three for the channel down from the root: those of one side wait for each other on their way
    // up, and so come one by one.
    let tree = BinaryFatTree::with_capacities(vec![1, 3, 3]).unwrap();
    let packets: Vec<ScheduledPacket> = (0..3)
        .map(|source| ScheduledPacket::to(1, source, 4))
        .collect();
    let schedule = Schedule { packets };
    // Those of 0, 1 and 2 come down to the parent of 4 in step 5, where c_1 = 1 passes.
    let found = run(&tree, &schedule, Some(2)).unwrap();
    assert_eq!((found.finish_step, found.queues()), (8, vec![2, 0, 0]));
    let said = run(&tree, &schedule, Some(1)).unwrap_err().to_string();
    assert_eq!(
        said,
        "step 6: more than 1 packets wait for the down channel of level 1 above processor 4"
    );
}
