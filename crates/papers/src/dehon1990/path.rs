//! Clocks of a connection through a network of RN1, read off the ports at its two ends.
//!
//! A word enters the network in the cycle in which it is on the source's wire, and has
//! arrived in the cycle in which it is on the destination's, behind the loop back. A register
//! of the destination shows it in the cycle after that: the pulses `rx0_open` and `rx1_open`
//! for the first word that comes through, `rx0_done` and `rx1_done` for the end of a request.
//! The path is otherwise empty, so neither cycle
//! depends on which of the equivalent paths is taken.

use super::bench::{Bench, INTERFACE_OPTIONS};
use crosswave_base::random;
use crosswave_chips::rn1_interface::{self as chip, CHIP};
use crosswave_chips::rn1_protocol::RN1_DATA;
use crosswave_network::bidelta::{Bidelta, LOOP_BACK_CYCLES, ROUTERS, StageWires};
use crosswave_observe::points::watch::Watch;

/// Payload words of a request.
const WORDS: u32 = 4;
/// Clocks after which a connection that has not come through is given up.
const CLOCKS_MAX: u64 = 10_000;
/// Seed of the choices that routers make, and of the pairs.
const SEED: u64 = 1;
/// Stream of the pairs.
const STREAM_PAIRS: u64 = u64::from_be_bytes(*b"pathpair");

/// Clocks of a path, from entering the network to arriving, the loop back included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathClocks {
    /// Clocks of data, on a connection that is open.
    pub connect: u64,
    /// Clocks of the first word that arrives while the connection opens.
    pub open: u64,
}

/// The cycles at which the ports showed the steps of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    /// The first routing byte was on the source's wire.
    launched: u64,
    /// A register of the destination had the first word that came through.
    opened: u64,
    /// The last word of the payload was on the source's wire; the word after it ends the
    /// request.
    last_sent: u64,
    /// It was on the destination's wire.
    last_arrived: u64,
    /// A register of the destination had the end of the request.
    done: u64,
}

impl Seen {
    fn clocks(self) -> PathClocks {
        PathClocks {
            connect: self.done - 1 - (self.last_sent + 1),
            open: self.opened - 1 - self.launched,
        }
    }
}

/// Sends a request from one node to another, and waits until all of it is over.
fn connection(bench: &mut Bench, source: u32, destination: u32) -> Seen {
    let [sender, receiver] = [source, destination].map(|node| bench.instance(node));
    let leaving = ["t0_forward", "t1_forward"].map(|name| CHIP.port(name));
    let arriving = ["r0_forward", "r1_forward"].map(|name| CHIP.port(name));
    let [opened, received] = [chip::OPENED, chip::RECEIVED];
    let has_data = |bench: &Bench, ports: [usize; 2], instance| {
        let words = ports.map(|port| bench.shown(port, instance));
        words.iter().any(|word| word & RN1_DATA != 0)
    };
    let is_raised = |bench: &Bench, ports: &[usize]| {
        let mut ports = ports.iter();
        ports.any(|&port| bench.shown(port, receiver) != 0)
    };
    let mut seen = Seen::default();
    bench.offer(sender, destination, WORDS);
    let offered = bench.cycle();
    while bench.shown(chip::PORT_TX_DONE, sender) == 0 {
        bench.step();
        let cycle = bench.cycle();
        assert!(
            cycle < offered + CLOCKS_MAX,
            "a connection through an empty network"
        );
        if has_data(bench, leaving, sender) {
            if seen.launched == 0 {
                seen.launched = cycle;
            }
            seen.last_sent = cycle;
        }
        if has_data(bench, arriving, receiver) {
            seen.last_arrived = cycle;
        }
        if is_raised(bench, &opened) {
            seen.opened = cycle;
        }
        if is_raised(bench, &received) {
            seen.done = cycle;
        }
    }
    bench.step();
    bench.withdraw(sender);
    // Until the last router is at rest as well.
    for _ in 0..seen.done - seen.launched {
        bench.step();
    }
    seen
}

/// Opens a connection from one node of an empty network to another one.
pub(super) fn between(bench: &mut Bench, source: u32, destination: u32) -> PathClocks {
    connection(bench, source, destination).clocks()
}

/// A bidelta network that was built, and a path of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkClocks {
    /// Routers in it.
    pub chips: u64,
    /// Clocks of the path.
    pub clocks: PathClocks,
}

/// Builds the network of `4^stages` nodes whose wires behind each stage but the last take
/// so many extra clocks, and opens a connection from its first node to its last one. All
/// paths of it are alike.
///
/// # Panics
/// When there is not an entry for each stage but the last, or one is too large.
pub fn through(stages: u32, wire_clocks: &[u32], watch: &mut dyn Watch) -> NetworkClocks {
    let network = Bidelta {
        stages,
        wires: StageWires::Given(wire_clocks.to_vec()),
        loop_back: LOOP_BACK_CYCLES,
        interface: INTERFACE_OPTIONS,
    };
    let extra: u32 = wire_clocks.iter().sum();
    watch.begins(&format!(
        "a path through {} nodes, {extra} extra cycles of wires",
        network.nodes()
    ));
    let fabric = network.fabric();
    let chips = fabric.arrays[ROUTERS].instances as u64;
    let mut bench = Bench::new(&network, fabric, SEED);
    let last = network.nodes() - 1;
    NetworkClocks {
        chips,
        clocks: connection(&mut bench, 0, last).clocks(),
    }
}

/// A path of a network whose wires are as long as the places of its stacks make them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedPath {
    /// Extra clocks of all its wires.
    pub wire_clocks: u64,
    /// Clocks of the path.
    pub clocks: PathClocks,
}

/// Builds the network of `4^stages` nodes with wires as long as they are, and opens
/// connections between `pairs` pairs of nodes, one after the other, which are chosen at
/// random.
///
/// # Panics
/// When there is no network of so many stages.
pub fn of_pairs(stages: u32, pairs: u32, watch: &mut dyn Watch) -> Vec<PlacedPath> {
    let network = Bidelta {
        stages,
        wires: StageWires::Geometry,
        loop_back: LOOP_BACK_CYCLES,
        interface: INTERFACE_OPTIONS,
    };
    watch.begins(&format!(
        "paths between places in {} nodes",
        network.nodes()
    ));
    let mut bench = Bench::new(&network, network.fabric(), SEED);
    let mut generator = random::generator(SEED, STREAM_PAIRS);
    let mut node = |bound: u32| random::below(&mut generator, u64::from(bound)) as u32;
    let nodes = network.nodes();
    let found = (0..pairs).map(|_| {
        let source = node(nodes);
        let destination = (source + 1 + node(nodes - 1)) % nodes;
        let delays = network.path_delays(source, destination);
        PlacedPath {
            wire_clocks: delays.iter().map(|&clocks| u64::from(clocks)).sum(),
            clocks: connection(&mut bench, source, destination).clocks(),
        }
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pulses of the destination tell the same as its wires, and requests one after
    /// the other do not meet.
    #[test]
    fn pulses_tell_the_same_as_wires() {
        for (stages, wires) in [(3, vec![0; 2]), (5, vec![0, 1, 3, 0])] {
            let network = Bidelta {
                stages,
                wires: StageWires::Given(wires),
                loop_back: LOOP_BACK_CYCLES,
                interface: INTERFACE_OPTIONS,
            };
            let mut bench = Bench::new(&network, network.fabric(), SEED);
            let mut all = Vec::new();
            for (source, destination) in [(0, 63), (63, 0), (5, 6), (5, 6)] {
                let seen = connection(&mut bench, source, destination);
                let on_wires = seen.last_arrived - seen.last_sent;
                assert_eq!(seen.clocks().connect, on_wires, "{seen:?}");
                all.push(seen.clocks());
            }
            all.dedup();
            assert_eq!(all.len(), 1, "all paths are alike");
        }
    }

    #[test]
    fn three_stages_of_one_stack() {
        let found = through(3, &[0, 0], &mut ());
        let clocks = PathClocks {
            connect: 4,
            open: 4,
        };
        assert_eq!(found, NetworkClocks { chips: 48, clocks });
    }
}
