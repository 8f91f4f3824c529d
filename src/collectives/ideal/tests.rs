use super::*;
use crate::collectives::generate::{flooding, multinode_nested};
use crate::collectives::schedule::Packet;
use crate::collectives::total_exchange::{Phases, in_phases, interleaved};
use crate::collectives::{bounds, check};

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
        packets: vec![Packet::to(1, 0, 2), Packet::to(1, 1, 3)],
    };
    let outcome = run(&tree, &schedule, None).unwrap();
    assert_eq!((outcome.finish_step, outcome.queues()), (5, vec![1, 0]));
    assert_eq!(
        run(&tree, &schedule, Some(0)).unwrap_err().to_string(),
        "step 2: more than 0 packets wait for the up channel of level 2 above processors 0-1"
    );
    // A relay that the check would let pass finds that its message has waited.
    let relayed = |step| Packet {
        relayed: Some(Message::Personal {
            origin: 1,
            target: 2,
        }),
        ..Packet::to(step, 3, 2)
    };
    let mut packets = schedule.packets.clone();
    packets[1].relayed = relayed(1).relayed;
    packets.push(relayed(6));
    let run_relayed = |packets: &[Packet]| {
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
        packets: vec![Packet::to(9, 0, 1), Packet::to(9, 0, 2)],
    };
    let outcome = run(&tree, &late, Some(0)).unwrap();
    assert_eq!(
        (outcome.finish_step, outcome.up_queues),
        (13, vec![1, 0, 0])
    );
}
