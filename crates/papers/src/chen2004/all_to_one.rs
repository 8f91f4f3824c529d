//! All to one through chips: theorems 3.3 and 3.5 asked of switches whose queues are bounded.
//!
//! The theorems promise O(N) steps with queues of O(1). Greedy packets on the graphs keep to the steps
//! and fill queues that grow with N (`schedules`). In chips a queue cannot grow: buffers hold four
//! bytes and credits hold senders back. What is asked is whether the steps are still kept to.
//!
//! Every processor sends one packet to processor 0 by links of one wire: all from cycle 1 on, or each in its step of
//! the offline schedule (`frame::schedule::gather`). A step is what a packet takes through a switch
//! ([`STEP_CYCLES`]).

use std::path::Path;

use super::schedules;
use crate::effort::Effort;
use crate::ended::finished;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;
use crosswave_frame::graph::Graph;
use crosswave_frame::schedule::bounds;
use crosswave_frame::schedule::gather::gather;
use crosswave_frame::schedule::packets::StartedPacket;
use crosswave_frame::shape::Family;
use crosswave_network::traffic::{DeliverySets, Message, Offer, Replay, Workload};
use crosswave_observe::points::watch::{Watch, check_cancelled};
use crosswave_run::config::Config;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

/// Bytes of a packet, those of section 5.
const PACKET_BYTES: u32 = 1_000;
/// A packet through a switch: its bytes, the one of its number, and the 3 cycles of its head.
const STEP_CYCLES: u32 = PACKET_BYTES + 1 + 3;
/// Networks: family, its theorem, the variant in a configuration, and levels. Ways through four levels of the
/// general stack pass more switches than a header has room for.
const NETWORKS: [(Family, &str, &str, &[u32]); 2] = [
    (Family::GeneralFatStack, "theorem 3.3", "general", &[2, 3]),
    (
        Family::AugmentedFatStack,
        "theorem 3.5",
        "augmented",
        &[2, 3, 4],
    ),
];

/// The steps of all networks against their bounds; none without simulation.
///
/// # Errors
/// When someone asks to stop.
pub fn quantities(effort: Effort, watch: &mut dyn Watch) -> Result<Vec<Quantity>, Error> {
    let mut quantities = Vec::new();
    if effort == Effort::Formulas {
        return Ok(quantities);
    }
    for (family, source, variant, levels) in NETWORKS {
        for &levels in levels {
            let shape = schedules::of_one_wire(family, levels);
            let processors = shape.processors();
            watch.begins(&format!("All to one through chips, N = {processors}"));
            check_cancelled(watch)?;
            let bound = bounds::network(shape).expect("a bound of a stack");
            let offline = gather(&Graph::new(shape), 0);
            let started = |packet: &StartedPacket| (packet.source, packet.start);
            let at_once = |packet: &StartedPacket| (packet.source, 1);
            let sendings = [
                (
                    "",
                    "greedy",
                    offline.iter().map(at_once).collect::<Vec<_>>(),
                ),
                (
                    "_offline",
                    "by the offline schedule",
                    offline.iter().map(started).collect(),
                ),
            ];
            for (name, words, starts) in sendings {
                let steps =
                    cycles(variant, levels, processors, &starts)? as f64 / f64::from(STEP_CYCLES);
                let id = format!(
                    "all_to_one_chips{name}_steps_{}_{processors}",
                    super::short(family)
                );
                let range = (schedules::least_steps(shape), bound as f64);
                let quantity = Quantity::between(id, source, range)
                    .named(format!(
                        "steps of {STEP_CYCLES} cycles of all to one through the chips of a {family}, {words}, \
                         N = {processors}"
                    ))
                    .simulated(Some(MeasuredValue::exact(steps)));
                quantities.push(quantity.judged(None));
            }
        }
    }
    Ok(quantities)
}

/// Cycles until the last packet is acknowledged; of each source, the step from which on it is sent.
fn cycles(
    variant: &str,
    levels: u32,
    processors: u32,
    starts: &[(u32, u64)],
) -> Result<u64, Error> {
    // The workload's messages replace those of the pair.
    let text = format!(
        "[network]\nkind = 'fat-stack'\nvariant = '{variant}'\nlevels = {levels}\ncapacities = 'constant'\n\
         [traffic]\npattern = 'pair'\nsource = 0\ndestination = 1\n[run]\nengine = 'event'\n"
    );
    let config = Config::parse(&text, "all to one", Path::new("."), &[])?;
    let message = |&(source, start): &(u32, u64)| Message {
        source,
        destination: 0,
        words: PACKET_BYTES,
        offered: Offer::At(1 + (start - 1) * u64::from(STEP_CYCLES)),
    };
    let workload = Workload {
        nodes: processors,
        order: Replay::InOrder,
        messages: starts.iter().map(message).collect(),
        sets: DeliverySets::default(),
    };
    let replicate = Replicate {
        seed: config.run.seed,
        workload,
    };
    let outcomes = Simulation::new(&config)?.run(&[replicate], &mut ())?;
    finished(outcomes[0].end, || format!("all to one, {variant}"))?;
    Ok(outcomes[0].last_cycle)
}
