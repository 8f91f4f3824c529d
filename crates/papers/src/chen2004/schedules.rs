//! The schedules of section 3 against their bounds. Constants are taken as 1, so that a bound can
//! fail.

use crate::cases::Cases;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_frame::climb::tree_route;
use crosswave_frame::graph::{Graph, GraphHop};
use crosswave_frame::schedule::bounds;
use crosswave_frame::schedule::gather::gather;
use crosswave_frame::schedule::packets::{self, PacketOutcome};
use crosswave_frame::schedule::ring::{Scheme, run};
use crosswave_frame::shape::{Family, FrameShape, Growth, QUADRANTS, ShapeOptions};

/// Nodes of rings, and the most packets of a node, of which every start is tried.
const NODES: std::ops::RangeInclusive<u32> = 3..=7;
const PACKETS: u64 = 2;

/// The starts of rings by their bounds: in steps, and in the longest queue.
fn starts(scheme: Scheme, queue: impl Fn(u32) -> u64) -> (Cases, Cases) {
    let (mut steps, mut queues) = (Cases::default(), Cases::default());
    for nodes in NODES {
        for start in 0..(PACKETS as u32 + 1).pow(nodes) {
            let digit = |node| u64::from(start / (PACKETS as u32 + 1).pow(node)) % (PACKETS + 1);
            let packets: Vec<u64> = (0..nodes).map(digit).collect();
            let most = packets.iter().copied().max().unwrap_or(0);
            if most == 0 {
                continue;
            }
            let outcome = run(scheme, &packets);
            let longest = outcome.longest_queue.max(outcome.longest_sink_queue);
            steps.add(outcome.steps <= bounds::ring(nodes, most));
            queues.add(longest <= most * queue(nodes));
        }
    }
    (steps, queues)
}

/// Rings: lemmas 3.1 and 3.2, corollary 3.1, theorem 3.2.
pub fn rings() -> Vec<Quantity> {
    let all = |id: &str, source: &str, name: &str, found: Cases| {
        found
            .claim(id, source)
            .named(format!("starts of rings of 3 to 7 nodes, {name}"))
            .enumerated(found.kept())
            .judged(None)
    };
    let turns = starts(Scheme::Turns, |_| 1);
    let greedy = starts(Scheme::Greedy, u64::from);
    vec![
        all(
            "turns_steps",
            "lemma 3.1",
            "in turns, of at most nq steps",
            turns.0,
        ),
        all(
            "turns_queue",
            "lemma 3.1",
            "in turns, of queues up to q",
            turns.1,
        ),
        all(
            "greedy_steps",
            "corollary 3.1",
            "greedy, of at most nq steps",
            greedy.0,
        ),
        all(
            "greedy_queue",
            "theorem 3.2",
            "greedy, of queues up to nq",
            greedy.1,
        ),
    ]
}

/// A network with links of one wire.
pub fn of_one_wire(family: Family, levels: u32) -> FrameShape {
    let options = ShapeOptions {
        growth: Growth::Unit,
        ..ShapeOptions::of(family)
    };
    let shape = FrameShape::with_options(family, QUADRANTS, levels, options);
    shape.expect("a network of the frame")
}

/// Every processor sends a packet to processor 0, by links of one wire.
fn all_to_one(family: Family, levels: u32) -> (FrameShape, PacketOutcome) {
    let graph = Graph::new(of_one_wire(family, levels));
    let routes: Vec<Vec<GraphHop>> = graph
        .processors()
        .skip(1)
        .map(|source| tree_route(&graph, source, 0, 1))
        .collect();
    let outcome = packets::run(&graph, routes.iter().map(Vec::as_slice));
    (graph.shape(), outcome)
}

/// The same by the schedule of the theorems' proof.
fn all_to_one_offline(family: Family, levels: u32) -> (FrameShape, PacketOutcome) {
    let graph = Graph::new(of_one_wire(family, levels));
    let outcome = packets::run_started(&graph, &gather(&graph, 0));
    (graph.shape(), outcome)
}

/// A way of sending all to one.
struct Sending {
    /// The part of names.
    id: &'static str,
    words: &'static str,
    run: fn(Family, u32) -> (FrameShape, PacketOutcome),
    /// The reason why its queues grow, if they do.
    grows: Option<&'static str>,
}

const SENDINGS: [Sending; 2] = [
    Sending {
        id: "",
        words: "greedy",
        run: all_to_one,
        grows: Some(
            "queues of O(1) need senders that know when to send, as in the offline schedule; greedy ones fill \
             queues that grow with N",
        ),
    },
    Sending {
        id: "_offline",
        words: "by the offline schedule",
        run: all_to_one_offline,
        grows: None,
    },
];

/// The fewest steps in which links of one wire bring a packet of every other processor to processor 0.
pub fn least_steps(shape: FrameShape) -> f64 {
    let links = Graph::new(shape).arcs(0).len() as f64;
    (f64::from(shape.processors() - 1) / links).ceil()
}

/// Whole networks: theorems 3.3 and 3.5, greedy and by the schedule of their proof.
pub fn networks() -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for (family, source) in [
        (Family::GeneralFatStack, "theorem 3.3"),
        (Family::AugmentedFatStack, "theorem 3.5"),
    ] {
        let name = super::short(family);
        for Sending {
            id,
            words,
            run,
            grows,
        } in SENDINGS
        {
            for levels in 2..=4 {
                let (shape, outcome) = run(family, levels);
                let processors = shape.processors();
                let bound = bounds::network(shape).expect("a bound of a stack");
                let id = format!("all_to_one{id}_steps_{name}_{processors}");
                let steps = Quantity::between(id, source, (least_steps(shape), bound as f64))
                    .named(format!(
                        "steps of all to one in a {family}, {words}, N = {processors}"
                    ))
                    .simulated(Some(MeasuredValue::exact(outcome.steps)));
                quantities.push(steps.judged(None));
            }
            let queue = |levels| run(family, levels).1.longest_queue;
            let growth = queue(4) as f64 / queue(2) as f64;
            let quantity = Quantity::claimed(format!("all_to_one{id}_queue_{name}"), source, 1.0)
                .named(format!(
                    "longest queue of all to one in a {family}, {words}: that of N = 256 over that of 16"
                ))
                .simulated(Some(MeasuredValue::exact(growth)));
            quantities.push(quantity.judged(grows.map(str::to_owned)));
        }
    }
    quantities
}
