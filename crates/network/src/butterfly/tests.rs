//! The wiring of butterflies: on which ways destinations are reached.

use super::*;
use crate::text::Structure;
use crate::topology::Topology;

fn butterfly(stages: u32) -> Butterfly {
    Butterfly {
        stages,
        interface: Interface {
            strategy: 0,
            backoff_limit: 0,
            turns: 0,
            reply_words: 1,
            reply_delay: 0,
            close_drop: false,
        },
    }
}

#[test]
fn sixteen_nodes() {
    insta::assert_snapshot!(Structure::of(&butterfly(2).fabric()));
}

#[test]
fn every_port_is_joined_once() {
    for stages in STAGES_MIN..=STAGES_MAX {
        let fabric = butterfly(stages).fabric();
        for (number, &peer) in (0u32..).zip(&fabric.peers) {
            assert_ne!(peer, OPEN, "port {number}");
            assert_eq!(fabric.peers[peer as usize], number);
        }
    }
}

/// From every port of every source, whichever of the two outputs of a direction is taken,
/// routers that read the two highest bits lead to the destination, and the byte has been
/// rotated in time.
#[test]
fn every_way_leads_to_its_destination() {
    for stages in STAGES_MIN..=STAGES_MAX {
        let butterfly = butterfly(stages);
        let fabric = butterfly.fabric();
        for source in 0..butterfly.nodes() {
            for destination in 0..butterfly.nodes() {
                for ways in 0..1u32 << (stages + 1) {
                    let mut byte = butterfly.route(source, destination).bytes[0];
                    let mut at = LinkPort {
                        array: NODES,
                        instance: source as usize,
                        link: rn1_interface::T0 + (ways & 1) as usize,
                    };
                    for stage in 0..=stages {
                        let next = fabric.peers[fabric.number(at) as usize];
                        byte = byte.rotate_left(2 * u32::from(fabric.rotation(next)));
                        at = fabric.link_port(next);
                        if stage < stages {
                            assert_eq!(at.array, ROUTERS);
                            let side = (ways >> (stage + 1) & 1) as usize;
                            at.link = PORTS_A_SIDE + 2 * usize::from(byte >> 6) + side;
                        }
                    }
                    assert_eq!((at.array, at.instance), (NODES, destination as usize));
                    assert!(at.link >= rn1_interface::R0);
                }
            }
        }
    }
}
