//! Section 5.3: what the thesis leaves open. Load fed back by retries, steady state, and networks
//! of like size beside each other.

use super::context::{DehonContext, claim};
use crate::dehon1990::figures::steady::{SteadyCurvePoint, charts, simulated};
use crate::dehon1990::steady::{SteadyNetwork, WORDS};
use crate::effort::Effort;
use crate::order::Order;
use crate::page::Section;
use crate::quantity::{MeasuredValue, Quantity, Value};
use crosswave_analytic::feedback::{Holding, feedback};
use crosswave_analytic::locality::Locality;
use crosswave_analytic::routing::{NetworkLoad, bidelta, through};
use crosswave_analytic::unit_trees::UnitTrees;
use crosswave_base::diagnostic::Error;

/// The greatest relative difference of retries from a model. (Attempts are mostly first ones, and
/// would agree to a tenth with a model without retries.)
const RETRIES_TOLERANCE: f64 = 0.1;

/// The section.
pub(super) fn section(context: &mut DehonContext) -> Result<Section, Error> {
    let mut section = Section::new("Section 5.3.1: steady state, and load fed back by retries");
    section.text(format!(
        "The thesis gives the probability of routing for a load, and leaves open what load retries make, \
         and what throughput and latency follow. Here every processor offers requests of {WORDS} words in an \
         open loop, and keeps in a queue those that wait; replies have as many. What is blocked is tried again \
         after a random time of up to 64 cycles. Wires take the clocks of their geometry. Local traffic has a \
         tree's levels as often as section 4.5 has them, and in the bidelta network those of the full tree of \
         its size. There is no other print of these figures."
    ));
    if !context.simulates() {
        return Ok(section);
    }
    let points = simulated(context.effort, context.points.store(), context.watch)?;
    let captions = [
        "Words that arrive, against words that are offered",
        "Mean cycles from offer to acknowledgement, where all messages came through",
    ];
    context.put(
        "dehon1990-steady",
        &charts(&points),
        &captions,
        &mut section,
    );
    retries(&mut section, &points);
    if context.effort == Effort::All {
        local(&mut section, &points);
    }
    Ok(section)
}

/// The probability of routing at the first attempt in a network, by the fraction of processors
/// that send.
fn routed(kind: SteadyNetwork, load_fraction: f64) -> f64 {
    let tree = |leaf_stages| {
        Locality(UnitTrees {
            stack_stages: 2,
            leaf_stages,
        })
    };
    match kind {
        SteadyNetwork::Full => tree(None).routed_normalised(load_fraction, false),
        SteadyNetwork::Hybrid => tree(Some(3)).routed_normalised(load_fraction, false),
        SteadyNetwork::Bidelta => {
            through(&bidelta(6), NetworkLoad::Processors(load_fraction)).probability
        }
    }
}

/// Attempts per message, measured and as the model of feedback has them.
fn retries(section: &mut Section, points: &[SteadyCurvePoint]) {
    // The models know traffic that fits a tree, and uniform traffic in bidelta networks.
    let known = points
        .iter()
        .filter(|point| point.local != (point.kind == SteadyNetwork::Bidelta));
    let mut quantities = Vec::new();
    let mut most: f64 = 0.0;
    let mut count = 0;
    // The clocks of an attempt alone are taken to be those at the least load, of the same traffic.
    let alone = |kind: SteadyNetwork, local: bool| {
        let mut points = points.iter();
        let least = points.find(|point| (point.kind, point.local) == (kind, local));
        least.and_then(|point| point.kept.network_latency_cycles)
    };
    let (mut known_points, mut alike) = (0, 0);
    for point in known {
        let Some(routed_clocks) = alone(point.kind, point.local) else {
            continue;
        };
        let holding = Holding {
            routed_clocks,
            // Its words, and the answers of half of the routers of a way.
            blocked_clocks: f64::from(WORDS) + (routed_clocks - 2.0 * f64::from(WORDS)) / 2.0,
        };
        let messages = point.load.to_f64() / f64::from(WORDS);
        let model = feedback(messages, holding, |load| routed(point.kind, load));
        // One of two that begin together is blocked; in a steady state it is always the later one,
        // as if twice as many began together.
        let twice = |load: f64| routed(point.kind, (2.0 * load).min(1.0));
        let later = feedback(messages, holding, twice);
        known_points += 1;
        alike += u64::from(model.is_some() == point.kept.attempts.is_some());
        let (Some(model), Some(found)) = (model, point.kept.attempts) else {
            continue;
        };
        let retries = (model.attempts - 1.0, found - 1.0);
        most = most.max((retries.0 - retries.1).abs() / retries.1);
        count += 1;
        let id = format!(
            "section-5.3.1.{}.load-{}.retries_per_message",
            point.kind.name(),
            point.load.to_f64()
        );
        let later = later.map_or("saturation".to_owned(), |later| {
            format!("{:.3}", later.attempts - 1.0)
        });
        let quantity = Quantity::unprinted(id, "DeHon 1990, section 5.3.1, left open")
            .analytic(retries.0)
            .simulated(Some(MeasuredValue {
                value: Value::Real(retries.1),
                stderr: None,
            }))
            .within(RETRIES_TOLERANCE * retries.1)
            .approximate(format!(
                "the model is of attempts that all begin in one cycle, where one of two that meet is blocked; in a \
                 steady state the later one always is: as if twice as many began together, which is an upper \
                 estimate, the model gives {later}"
            ))
            .judged(None);
        quantities.push(quantity);
    }
    let saturated = Quantity::claimed(
        "section-5.3.1.loads_at_which_model_and_simulation_agree_on_saturation",
        "DeHon 1990, section 5.3.1, left open",
        known_points,
    )
    .named("loads at which both of model and simulation keep up, or neither")
    .simulated(Some(MeasuredValue::exact(alike)))
    .approximate(
        "the model has a sharp end, where no load satisfies it; in simulation queues grow sooner, since \
         attempts wait between tries, and a run has an end",
    )
    .judged(None);
    quantities.push(saturated);
    let paper = "a message that is not routed is sent again later, which feeds back on the load; to be modelled";
    let found = format!(
        "retries per message and the fixed point of the feedback differ by up to {:.1} % at {count} of \
         {known_points} points; at the others one of the two is saturated, or both are",
        100.0 * most
    );
    claim(
        section,
        "Load fed back by retries",
        paper,
        found,
        quantities,
    );
}

/// That locality is needed.
fn local(section: &mut Section, points: &[SteadyCurvePoint]) {
    let mut order = Order::default();
    let mut words = Vec::new();
    for kind in [SteadyNetwork::Full, SteadyNetwork::Hybrid] {
        let best = |local: bool| {
            let own = points
                .iter()
                .filter(|point| point.kind == kind && point.local == local)
                .map(|point| point.kept.throughput_fraction);
            own.fold(
                (0.0, 0.0),
                |best, found| if found.0 > best.0 { found } else { best },
            )
        };
        let (local, uniform) = (best(true), best(false));
        order.difference(local.0 - uniform.0, local.1.hypot(uniform.1));
        words.push(format!(
            "{:.3} local and {:.3} uniform in the {}",
            local.0,
            uniform.0,
            kind.title()
        ));
    }
    let quantity = order.quantity(
        "section-5.2.4.trees_in_which_local_traffic_has_more_throughput",
        "DeHon 1990, section 5.2.4",
        None,
    );
    let paper = "networks of this size need locality for reasonable performance";
    let found = format!(
        "the most words delivered per node and cycle: {}",
        words.join("; ")
    );
    claim(section, "Locality", paper, found, vec![quantity]);
}
