//! Clocks of a turn, wire by wire, in fat trees whose wires between stacks take extra clocks.
//!
//! Source: DeHon 1990, section 3.6.2: a turn takes two clocks between successive routers, and
//! 2 (k + 1) when the wire between them takes k extra clocks. The paper counts from the reception of
//! the turn at a router to the reception of the first word in the new direction there; so does
//! this study, at every router on a way, by the words on its ports. The whole turn counts from the
//! turn on the source's wire to the first word of the reply on the same wire, less one clock in
//! which that word itself is driven: the sum of 2 (k + 1) over all wires behind routers.

use super::bench::{Bench, INTERFACE_OPTIONS};
use super::trees::{form, last_of_level, tree};
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_chips::rn1::{self, PORTS_A_SIDE};
use crosswave_chips::rn1_interface;
use crosswave_chips::rn1_protocol::{RN1_DATA, RN1_REST, RN1_TURN};
use crosswave_chips::routing::transit::Stage;
use crosswave_network::rn1_nodes::Interface;
use crosswave_network::transit::{ROUTERS, Transit};
use crosswave_observe::points::watch::Watch;
use crosswave_probe::engine::Engine;

/// Payload words of a request.
const WORDS: u32 = 4;
/// Clocks after which a connection that has not come through is given up.
const CLOCKS_MAX: u64 = 10_000;
/// Seed of the choices that routers make.
const SEED: u64 = 1;

/// A turn at one router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireTurn {
    /// The router's stage.
    pub stage: Stage,
    /// Extra clocks of the wire behind it.
    pub extra_clocks: u32,
    /// Clocks from the turn at its input to the first word back at its output.
    pub clocks: u64,
}

/// A turn of a connection through a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turned {
    /// The level; 0 is the leaf cluster.
    pub level: u32,
    /// The turn at each router on the way, from the source on.
    pub wires: Vec<WireTurn>,
    /// Clocks of the whole turn, as the source sees them.
    pub clocks: u64,
}

impl Turned {
    /// Extra clocks of all wires on the way.
    pub fn extra_clocks(&self) -> u64 {
        self.wires
            .iter()
            .map(|wire| u64::from(wire.extra_clocks))
            .sum()
    }
}

/// Builds a tree whose wires below each layer of UT64x8 take so many extra clocks, and turns a
/// connection through each level, one after the other.
///
/// # Panics
/// When there is not an entry for each layer of UT64x8.
pub fn turns(of: UnitTrees, delays: &[u32], watch: &mut dyn Watch) -> Vec<Turned> {
    let form = form(of);
    watch.begins(&format!(
        "turns in a tree of {} nodes, {delays:?} extra cycles",
        form.nodes()
    ));
    let network = Transit {
        interface: Interface {
            turns: 1,
            ..INTERFACE_OPTIONS
        },
        ..tree(form, delays.to_vec())
    };
    let mut bench = Bench::new(&network, network.fabric(), SEED);
    let lowest = u32::from(of.leaf_stages.is_none());
    let levels = lowest..=of.levels();
    levels
        .map(|level| {
            let seen = Seen::of_connection(&mut bench, last_of_level(of, level));
            Turned {
                level,
                clocks: seen.clocks(),
                wires: seen.wires(&network, delays),
            }
        })
        .collect()
}

/// A router that passes a turn on.
#[derive(Debug, Clone, Copy)]
struct Passing {
    router: u32,
    /// The cycle in which the turn was at its input.
    turned: u64,
    /// The output that it went on by.
    output: Option<usize>,
    /// The cycle in which the first word was back there.
    back: Option<u64>,
}

/// The cycles of a turn, as the ports showed them.
struct Seen {
    /// The cycle in which the turn was on the source's wire.
    turned: u64,
    /// The cycle in which the reply came to the source.
    replied: u64,
    passing: Vec<Passing>,
}

impl Seen {
    /// Sends a request from the first node of an empty network, and waits until it is over.
    fn of_connection(bench: &mut Bench, destination: u32) -> Seen {
        let sender = bench.instance(0);
        let port = |name: String| rn1_interface::CHIP.port(&name);
        let sent = [0, 1].map(|side| port(format!("t{side}_forward")));
        let answered = [0, 1].map(|side| port(format!("t{side}_backward")));
        let mut seen = Seen {
            turned: 0,
            replied: 0,
            passing: Vec::new(),
        };
        let ports = Ports::new();
        bench.offer(sender, destination, WORDS);
        let offered = bench.cycle();
        while bench.shown(rn1_interface::PORT_TX_DONE, sender) == 0 {
            bench.step();
            let cycle = bench.cycle();
            assert!(
                cycle < offered + CLOCKS_MAX,
                "a connection through an empty network"
            );
            if sent
                .iter()
                .any(|&port| bench.shown(port, sender) == RN1_TURN)
            {
                seen.turned = cycle;
            }
            // Data comes with statuses too, as checksums: the last such word before the end is
            // the reply, of one word.
            let has_data = |&port: &usize| bench.shown(port, sender) & RN1_DATA != 0;
            if answered.iter().any(has_data) {
                seen.replied = cycle;
            }
            seen.look(bench, &ports, cycle);
        }
        bench.step();
        bench.withdraw(sender);
        // Until the last router is at rest as well.
        for _ in offered..bench.cycle() {
            bench.step();
        }
        seen
    }

    /// Looks at the ports of all routers.
    fn look(&mut self, bench: &Bench, ports: &Ports, cycle: u64) {
        let shown = |port, router: u32| bench.engine.value(ROUTERS, port, router as usize);
        for passing in &mut self.passing {
            match passing.output {
                None => {
                    let mut outputs = 0..PORTS_A_SIDE;
                    let turned = |&at: &usize| shown(ports.sent[at], passing.router) == RN1_TURN;
                    passing.output = outputs.find(turned);
                }
                Some(output) if passing.back.is_none() => {
                    let back = shown(ports.answered[output], passing.router);
                    passing.back = (back != RN1_REST).then_some(cycle);
                }
                Some(_) => {}
            }
        }
        if self.turned == 0 {
            return;
        }
        let routers = bench.engine.fabric().arrays[ROUTERS].instances as u32;
        for router in 0..routers {
            let has_turn = |&port: &usize| shown(port, router) == RN1_TURN;
            if ports.arriving.iter().any(has_turn) {
                self.passing.push(Passing {
                    router,
                    turned: cycle,
                    output: None,
                    back: None,
                });
            }
        }
    }

    /// Clocks of the whole turn.
    fn clocks(&self) -> u64 {
        self.replied - self.turned - 1
    }

    /// Clocks at each router.
    fn wires(&self, network: &Transit, delays: &[u32]) -> Vec<WireTurn> {
        let stage = |passing: &Passing| network.place(passing.router).stage;
        let stages: Vec<Stage> = self.passing.iter().map(stage).collect();
        let wires = self
            .passing
            .iter()
            .enumerate()
            .map(|(at, passing)| WireTurn {
                stage: stages[at],
                extra_clocks: match stages.get(at + 1) {
                    Some(&next) => extra_clocks(stages[at], next, delays),
                    None => 0,
                },
                clocks: passing.back.expect("every router is answered") - passing.turned,
            });
        wires.collect()
    }
}

/// Extra clocks of a wire between two stages: those below a layer, when it leads into it or from
/// it.
fn extra_clocks(from: Stage, to: Stage, delays: &[u32]) -> u32 {
    match (from, to) {
        (Stage::Leaf(_), Stage::Up(layer)) => delays[layer as usize - 1],
        (Stage::Up(below), Stage::Up(_)) => delays[below as usize],
        (Stage::Down(layer, 1), Stage::Down(_, 3) | Stage::Leaf(_)) => delays[layer as usize - 1],
        _ => 0,
    }
}

/// Numbers of a router's ports.
struct Ports {
    /// Ports of its incoming words.
    arriving: Vec<usize>,
    /// Ports of its outgoing words.
    sent: Vec<usize>,
    /// Ports of the answers to its outgoing words.
    answered: Vec<usize>,
}

impl Ports {
    fn new() -> Ports {
        let all = |side: &str, way: &str| {
            let port = |at| rn1::CHIP.port(&format!("{side}{at}_{way}"));
            (0..PORTS_A_SIDE).map(port).collect()
        };
        Ports {
            arriving: all("i", "forward"),
            sent: all("o", "forward"),
            answered: all("o", "backward"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every wire turns in 2 (k + 1) clocks, and a way in the sum of them.
    #[test]
    fn wires_turn_one_by_one() {
        let hybrid = UnitTrees {
            stack_stages: 2,
            leaf_stages: Some(2),
        };
        for delay in [0, 3] {
            for turned in turns(hybrid, &[delay], &mut ()) {
                let long = turned.wires.iter().filter(|wire| wire.extra_clocks > 0);
                let expected = if turned.level > 0 && delay > 0 { 2 } else { 0 };
                assert_eq!(long.count(), expected, "{turned:?}");
                let clocks = |wire: &WireTurn| 2 * (u64::from(wire.extra_clocks) + 1);
                assert!(
                    turned.wires.iter().all(|wire| wire.clocks == clocks(wire)),
                    "{turned:?}"
                );
                assert_eq!(turned.clocks, turned.wires.iter().map(clocks).sum::<u64>());
            }
        }
    }
}
