//! What faults change in a fabric, and nothing else.

use std::path::Path;

use crate::chip::{rn1, rn1_interface};
use crate::config::Config;
use crate::network::path::Path as Way;
use crate::network::topology::{NODES, ROUTERS as ROUTER_ARRAY};
use crate::network::{Fabric, LinkPort, OPEN, PinChange};

const TREE: &str = "[network]\nkind='transit'\nnodes=64\n";
const LONG: &str = "[network]\nkind='bidelta'\nnodes=64\nlink_delay_cycles=2\n";

/// The fabric of a network, without its faults and with them.
fn fabrics(network: &str, faults: &str) -> (Fabric, Fabric) {
    let text = format!("{network}[faults]\n{faults}\n[traffic]\npattern='random'\n");
    let config = Config::parse(&text, "test", Path::new("."), &[]);
    let config = config.unwrap_or_else(|error| panic!("{error}"));
    (
        config.intact_topology().fabric(),
        config.topology().fabric(),
    )
}

/// The instance of a name.
fn instance(fabric: &Fabric, array: usize, name: &str) -> usize {
    let mut all = 0..fabric.arrays[array].instances;
    let found = all.find(|&instance| fabric.instance_name(array, instance) == name);
    found.expect("the network has it")
}

/// The enables of a router's inputs and outputs.
fn enables(fabric: &Fabric, router: usize) -> [u64; 2] {
    let pin = |port| fabric.arrays[ROUTER_ARRAY].pin(port, router);
    [rn1::PORT_IN_ENABLE, rn1::PORT_OUT_ENABLE].map(pin)
}

#[test]
fn what_leads_to_a_router_that_is_off_is_off() {
    let (intact, masked) = fabrics(TREE, "routers=['up_0_0_2']");
    let (_, bare) = fabrics(TREE, "routers=['up_0_0_2']\nmasked=false");
    let off = instance(&intact, ROUTER_ARRAY, "up_0_0_2");
    for fabric in [&masked, &bare] {
        assert_eq!(enables(fabric, off), [0, 0]);
        assert_eq!(
            (&fabric.peers, &fabric.changes),
            (&intact.peers, &Vec::new())
        );
    }
    // Every other enable is off where a wire leads to the router, and as it was elsewhere.
    for router in (0..intact.arrays[ROUTER_ARRAY].instances).filter(|&router| router != off) {
        assert_eq!(enables(&bare, router), enables(&intact, router));
        let leads_there = |link: usize| {
            let port = LinkPort {
                array: ROUTER_ARRAY,
                instance: router,
                link,
            };
            let peer = intact.peer(port);
            peer.is_some_and(|peer| (peer.array, peer.instance) == (ROUTER_ARRAY, off))
        };
        let led: [u64; 2] = [0, 8].map(|first| {
            (0..8).fold(0, |bits, bit| {
                bits | u64::from(leads_there(first + bit)) << bit
            })
        });
        let before = enables(&intact, router);
        let expected = [0, 1].map(|side| before[side] & !led[side]);
        assert_eq!(enables(&masked, router), expected);
    }
    let sends =
        |fabric: &Fabric, node| fabric.arrays[NODES].pin(rn1_interface::PORT_TX_ENABLE, node);
    for node in 0..64 {
        let expected = if (8..12).contains(&node) { 0 } else { 3 };
        assert_eq!(sends(&masked, node), expected, "node {node}");
        assert_eq!(sends(&bare, node), 3);
    }
}

#[test]
fn a_router_is_off_for_some_cycles() {
    let (intact, fabric) = fabrics(
        LONG,
        "routers=['rn1_0_3@0..7', 'rn1_0_3@20..']\nmasked=false",
    );
    let off = instance(&intact, ROUTER_ARRAY, "rn1_0_3") as u32;
    assert_eq!(enables(&fabric, off as usize), [0, 0]);
    let change = |cycle, port, value| PinChange {
        cycle,
        array: ROUTER_ARRAY,
        port,
        instance: off,
        value,
    };
    let (inputs, outputs) = (rn1::PORT_IN_ENABLE, rn1::PORT_OUT_ENABLE);
    let expected = [
        change(7, inputs, 0xff),
        change(7, outputs, 0xff),
        change(20, inputs, 0),
        change(20, outputs, 0),
    ];
    assert_eq!(fabric.changes, expected);
    assert!(fabric.arrays[ROUTER_ARRAY].changes(inputs));
    // In copies, every copy has them.
    let copies = fabric.replicated(4);
    assert_eq!(copies.changes.len(), 4 * expected.len());
    assert!(copies.changes.is_sorted_by_key(|change| change.cycle));
}

/// A wire that is cut leads nowhere from both ends, and one that is stuck for a while takes the
/// clocks that it took.
#[test]
fn wires_are_cut_or_get_a_chip() {
    let wire = |fabric: &Fabric| {
        let instance = instance(fabric, ROUTER_ARRAY, "rn1_0_3");
        fabric.number(LinkPort {
            array: ROUTER_ARRAY,
            instance,
            link: 8 + 5,
        })
    };
    let (intact, cut) = fabrics(LONG, "wires=['rn1_0_3.o5']");
    let far = intact.peers[wire(&intact) as usize];
    assert_eq!(
        [wire(&cut), far].map(|port| cut.peers[port as usize]),
        [OPEN; 2]
    );
    assert!(!cut.restless);

    let (_, stuck) = fabrics(LONG, "stuck=['rn1_0_3.o5=0x1ff@10..20']");
    assert!(stuck.restless);
    assert_eq!(stuck.changes.len(), 2);
    assert_eq!(stuck.arrays.len(), intact.arrays.len() + 1);
    let network = Config::parse(
        &format!("{LONG}[traffic]\npattern='random'\n"),
        "test",
        Path::new("."),
        &[],
    );
    let network = network.unwrap_or_else(|error| panic!("{error}")).topology();
    for (source, destination) in [(12, 50), (3, 41), (14, 63), (0, 1)] {
        for draw in 0..4 {
            let way = |fabric: &Fabric| Way::of(&*network, fabric, source, destination, draw);
            assert_eq!(
                way(&stuck),
                way(&intact),
                "{source} to {destination}, {draw}"
            );
        }
    }
}

#[test]
fn draws_are_as_many_and_the_same_every_time() {
    let (_, one) = fabrics(TREE, "random_routers=5\nrandom_wires=7\nmasked=false");
    let (_, same) = fabrics(TREE, "random_routers=5\nrandom_wires=7\nmasked=false");
    let (_, other) = fabrics(
        TREE,
        "random_routers=5\nrandom_wires=7\nfault_seed=2\nmasked=false",
    );
    let off = |fabric: &Fabric| {
        let routers = 0..fabric.arrays[ROUTER_ARRAY].instances;
        routers
            .filter(|&router| enables(fabric, router)[0] == 0)
            .collect::<Vec<_>>()
    };
    assert_eq!((off(&one).len(), off(&same)), (5, off(&one)));
    assert_ne!(off(&other), off(&one));
    let open = |fabric: &Fabric| fabric.peers.iter().filter(|&&peer| peer == OPEN).count();
    let (intact, _) = fabrics(TREE, "");
    assert_eq!(open(&one), open(&intact) + 14);
}
