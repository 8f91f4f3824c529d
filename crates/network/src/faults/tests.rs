//! Faults change what they name in a fabric, and nothing else.

use super::{FaultEntry, Faulty, Window};
use crate::path::{Path as Way, follow};
use crate::topology::Topology;
use crate::topology::{NODES, ROUTERS as ROUTER_ARRAY};
use crate::traffic::Strategy;
use crate::{Fabric, LinkPort, NetworkConfig, OPEN, PinChange};
use crosswave_chips::{rn1, rn1_fault_line, rn1_interface};

const TREE: &str = "[network]\nkind='transit'\nnodes=64\n";
const LONG: &str = "[network]\nkind='bidelta'\nnodes=64\nlink_delay_cycles=2\n";

/// A network with faults, or what is wrong with these.
fn faulty(network: &str, faults: &str) -> Result<Faulty, String> {
    let read = NetworkConfig::parse(&format!("{network}[faults]\n{faults}\n"));
    let (config, faults) = read.map_err(|mistakes| {
        let told = mistakes.into_iter().map(|mistake| mistake.message);
        told.collect::<Vec<_>>().join("\n")
    })?;
    Faulty::new(config.build(Strategy::Immediate), &faults).map_err(|misplaced| {
        let told = misplaced.into_iter().map(|(_, wrong)| wrong.message);
        told.collect::<Vec<_>>().join("\n")
    })
}

/// The fabric of a network, without its faults and with them.
fn fabrics(network: &str, faults: &str) -> (Fabric, Fabric) {
    let (intact, _) = NetworkConfig::parse(network).expect("legal tables");
    let faulty = faulty(network, faults).expect("faults of what is there");
    (intact.build(Strategy::Immediate).fabric(), faulty.fabric())
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
    let (network, _) = NetworkConfig::parse(LONG).expect("legal tables");
    let network = network.build(Strategy::Immediate);
    // From every node to some others; a few of these ways go by that wire.
    let mut over_it = 0;
    for (source, apart) in (0..64).flat_map(|node| [1, 5, 22, 42, 63].map(|apart| (node, apart))) {
        let destination = source ^ apart;
        for draw in 0..4 {
            let way = |fabric: &Fabric| Way::of(&*network, fabric, source, destination, draw);
            let found = way(&stuck);
            assert_eq!(found, way(&intact), "{source} to {destination}, {draw}");
            let steps = found.steps();
            over_it += u32::from(
                steps
                    .iter()
                    .any(|step| (step.chip, step.leaves) == ("rn1_0_3", Some("o5"))),
            );
        }
    }
    assert!(over_it > 0, "{over_it}");
}

/// The other end of a wire, past its delay lines, by its name.
fn far_end(fabric: &Fabric, router: &str, link: usize) -> String {
    let instance = instance(fabric, ROUTER_ARRAY, router);
    let near = LinkPort {
        array: ROUTER_ARRAY,
        instance,
        link,
    };
    let (_, far) = follow(fabric, near).expect("a wire");
    let chip = fabric.instance_name(far.array, far.instance);
    format!("{chip}.{}", fabric.arrays[far.array].chip.links[far.link])
}

/// The pins of the only chip of a stuck wire: words and whether it is stuck in cycle 0, forward and
/// backward.
fn stuck_pins(fabric: &Fabric) -> [u64; 4] {
    let lines = fabric.arrays.last().expect("there are arrays");
    assert_eq!(lines.chip.name, rn1_fault_line::CHIP.name);
    let ports = [
        rn1_fault_line::PORT_WORD_FORWARD,
        rn1_fault_line::PORT_WORD_BACKWARD,
        rn1_fault_line::PORT_STUCK_FORWARD,
        rn1_fault_line::PORT_STUCK_BACKWARD,
    ];
    ports.map(|port| match lines.pins.iter().any(|pin| pin.port == port) {
        true => lines.pin(port, 0),
        false => 0,
    })
}

/// Either end names a wire: it is cut for both, and stuck in the direction in which the named end
/// drives it.
#[test]
fn a_wire_is_named_by_either_of_its_ends() {
    for (network, router) in [(TREE, "up_0_0_2"), (LONG, "rn1_0_3")] {
        let (intact, _) = fabrics(network, "");
        for output in [0, 3, 5] {
            let near = format!("{router}.o{output}");
            let far = far_end(&intact, router, 8 + output);
            let cut = |name: &str| fabrics(network, &format!("wires=['{name}']")).1.peers;
            assert_eq!(cut(&near), cut(&far), "{near} and {far}");
            assert_ne!(cut(&near), intact.peers);
            let stuck = |list: &str| fabrics(network, &format!("stuck=[{list}]")).1;
            let forward = stuck(&format!("'{near}=0x155'"));
            assert_eq!(stuck_pins(&forward), [0x155, 0, 1, 0]);
            let backward = stuck(&format!("'{far}=0x1ff'"));
            assert_eq!(stuck_pins(&backward), [0, 0x1ff, 0, 1]);
            assert_eq!(forward.peers, backward.peers);
            // Stuck both ways, for ever, and not cut.
            let both = stuck(&format!("'{near}=0x155', '{far}=3'"));
            assert_eq!(stuck_pins(&both), [0x155, 3, 1, 1]);
            assert_eq!(both.peers, forward.peers);
            assert!(both.restless && forward.restless && backward.restless);
        }
    }
}

/// A word that passes the chip of a stuck wire is turned as it was without it.
#[test]
fn stuck_wires_turn_words_as_before() {
    let (mut wires, mut turned) = (0, 0);
    for (network, router) in [(TREE, "up_0_0_2"), (LONG, "rn1_0_3")] {
        let (intact, _) = fabrics(network, "");
        let near = |fabric: &Fabric, link| LinkPort {
            array: ROUTER_ARRAY,
            instance: instance(fabric, ROUTER_ARRAY, router),
            link,
        };
        // The sums of rotations at the ports where a word arrives, on its way over the wire.
        let rotations = |fabric: &Fabric, from: LinkPort| {
            let (mut at, mut sum) = (from, 0);
            loop {
                let to = fabric.peer(at).expect("a wire");
                sum += fabric.rotation(fabric.number(to));
                if [ROUTER_ARRAY, NODES].contains(&to.array) {
                    return (to, sum % 4);
                }
                at = LinkPort {
                    link: 1 - to.link,
                    ..to
                };
            }
        };
        for output in 0..8 {
            if intact.peer(near(&intact, 8 + output)).is_none() {
                continue;
            }
            wires += 1;
            let (_, stuck) = fabrics(network, &format!("stuck=['{router}.o{output}=1']"));
            let ways = [&intact, &stuck].map(|fabric| {
                let forward = rotations(fabric, near(fabric, 8 + output));
                (forward, rotations(fabric, forward.0))
            });
            assert_eq!(ways[0], ways[1], "{router}, o{output}");
            turned += u32::from(ways[0].0.1 != 0);
        }
    }
    // Direction 11 of the tree leads nowhere.
    assert!(
        wires == 6 + 8 && turned > 0,
        "{turned} of {wires} wires turn words"
    );
}

/// Cycle 0 is what pins begin with, later beginnings and ends change them, and windows that overlap or
/// follow one another are one.
#[test]
fn windows_begin_and_end_in_their_cycles() {
    let values = |cycles: &str| {
        let list: Vec<String> = cycles
            .split_whitespace()
            .map(|window| format!("'rn1_0_3.o5=0x0f0@{window}'"))
            .collect();
        let (_, fabric) = fabrics(LONG, &format!("stuck=[{}]", list.join(",")));
        let [word, _, from_start, _] = stuck_pins(&fabric);
        assert_eq!(word, 0x0f0);
        let changes = fabric.changes.iter();
        let changes: Vec<(u64, u64)> = changes.map(|change| (change.cycle, change.value)).collect();
        (from_start, changes)
    };
    assert_eq!(values("0..1"), (1, vec![(1, 0)]));
    assert_eq!(values("1..2"), (0, vec![(1, 1), (2, 0)]));
    assert_eq!(values("0..5 5..9"), (1, vec![(5, 1), (9, 0)]));
    assert_eq!(
        values("10..20 20..30 25.."),
        (0, vec![(10, 1), (20, 1), (25, 1), (30, 1)])
    );
    // Pins that enable ports likewise; a wire that is cut for a while keeps a chip.
    let (_, off) = fabrics(LONG, "ports=['rn1_0_3.o5@0..1', 'rn1_0_3.o5@3..4']");
    let router = instance(&off, ROUTER_ARRAY, "rn1_0_3");
    assert_eq!(enables(&off, router), [0xff, 0xdf]);
    let of_router = off.changes.iter();
    let of_router = of_router.filter(|change| change.instance == router as u32);
    let changes: Vec<(u64, u64)> = of_router
        .filter(|change| change.port == rn1::PORT_OUT_ENABLE)
        .map(|change| (change.cycle, change.value))
        .collect();
    assert_eq!(changes, [(1, 0xff), (3, 0xdf), (4, 0xff)]);
    let (_, cut) = fabrics(LONG, "wires=['rn1_0_3.o5@1..2']");
    assert_eq!(stuck_pins(&cut), [0; 4]);
    assert!(!cut.restless);
}

/// The summary of faults counts ports, each once, and wires of either kind.
#[test]
fn a_summary_counts_faults() {
    let faults = "ports=['rn1_0_3.o5', 'rn1_0_3.i1@4..5']\nmasked=false\n\
                  wires=['rn1_0_4.o0', 'rn1_0_4.o1', 'rn1_0_4.o2']\n\
                  stuck=['rn1_0_5.o3=7', 'rn1_0_5.o4=7']";
    let topology = faulty(LONG, faults).expect("faults of what is there");
    let summary = topology.summary();
    let counts = ["ports_off_sometime", "wires_cut", "wires_stuck"].map(|name| {
        let field = summary.fields.iter().find(|(of, _)| *of == name);
        field.and_then(|(_, value)| value.as_u64())
    });
    assert_eq!(counts, [2, 3, 2].map(Some));
    let lines = topology.chips();
    let lines = lines
        .iter()
        .find(|(chip, _)| chip.name == rn1_fault_line::CHIP.name);
    assert_eq!(lines.map(|(_, count)| *count), Some(2));
}

/// Stacks that are there are switched off, and others told; a wire has one word each way; wires
/// without an extra clock have no windows of any kind.
#[test]
fn faults_that_do_not_fit_are_told() {
    let (_, off) = fabrics(TREE, "stacks=['unit_0_0_0']");
    // The only stack has all 52 routers.
    let routers = off.arrays[ROUTER_ARRAY].instances;
    assert!(routers == 52 && (0..routers).all(|router| enables(&off, router) == [0, 0]));
    let said =
        |network: &str, faults: &str| faulty(network, faults).map(drop).expect_err("a mistake");
    for (network, faults, expected) in [
        (
            TREE,
            "stacks=['unit_0_0_0', 'unit_0_0_1']",
            "\"unit_0_0_1\"; expected the name of a stack",
        ),
        (
            LONG,
            "stuck=['rn1_0_3.o5=1@1..2', 'rn1_0_3.o5=2@5..6']",
            "the wire is stuck at 0x001 as well",
        ),
        (TREE, "stuck=['up_0_0_2.o0=1@5..']", "has no extra clock"),
        (TREE, "stuck=['up_0_0_2.o0=1@0..5']", "has no extra clock"),
        (TREE, "wires=['up_0_0_2.o0@5..9']", "has no extra clock"),
        (
            TREE,
            "ports=['node_7.r0']",
            "a node takes in whatever comes",
        ),
    ] {
        let text = said(network, faults);
        assert!(text.contains(expected), "{faults}: {text}");
    }
}

#[test]
fn entries_end_at_their_limits() {
    let window = |text: &str| FaultEntry::parse(text).map(|entry| entry.window);
    let most = 1_000_000_000_000;
    let whole = Window {
        from: 0,
        to: Some(most),
    };
    assert_eq!(window(&format!("a@0..{most}")), Ok(whole));
    assert!(window(&format!("a@0..{}", most + 1)).is_err());
    assert!(window("a@5..5").is_err() && window("a@5..6").is_ok());
    let word = |text: &str| FaultEntry::parse(text).map(|entry| entry.word);
    assert_eq!(word("a.b=0x1ff"), Ok(Some(0x1ff)));
    assert_eq!(word("a.b=511"), Ok(Some(511)));
    assert!(word("a.b=512").is_err() && word("a.b=0x200").is_err());
    let name = "n".repeat(200);
    assert!(FaultEntry::parse(&name).is_ok() && FaultEntry::parse(&format!("{name}n")).is_err());
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

/// Wires behind routers that lists do not name are drawn, each once: as many as there are, and no more.
#[test]
fn wires_are_drawn_from_those_that_no_list_names() {
    let lists = "wires=['up_0_0_2.o5']\nstuck=['up_0_0_3.o1=0x155']";
    let (intact, listed) = fabrics(TREE, lists);
    let open = |fabric: &Fabric| fabric.peers.iter().filter(|&&peer| peer == OPEN).count();
    assert_eq!(open(&listed), open(&intact) + 2);
    // Outputs of routers that lead somewhere.
    let routers = intact.arrays[ROUTER_ARRAY].instances;
    let outputs = (0..routers).flat_map(|router| (8..16).map(move |link| (router, link)));
    let wires = outputs.filter(|&(instance, link)| {
        let port = LinkPort {
            array: ROUTER_ARRAY,
            instance,
            link,
        };
        intact.peer(port).is_some()
    });
    let left = wires.count() - 2;
    let (_, all) = fabrics(TREE, &format!("{lists}\nrandom_wires={left}"));
    assert_eq!(open(&all), open(&listed) + 2 * left);
    // The stuck wire still has its chip.
    assert_eq!(all.arrays.len(), intact.arrays.len() + 1);
    assert_eq!(all.arrays.last().map(|array| array.instances), Some(1));
    let error = faulty(TREE, &format!("{lists}\nrandom_wires={}", left + 1));
    let error = error.map(drop).expect_err("one too many");
    let said = format!("found {}; the network has {left}", left + 1);
    assert!(error.contains(&said), "{error}");
}
