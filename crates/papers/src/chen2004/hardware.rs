//! The order of the three networks as chips: wormhole switches with buffers and credits, clock by clock.
//!
//! The paper has no such experiment; its order of table 1 is asked of networks that were built of gates,
//! with links that take a clock and with wires as long as the layout makes them.

use crate::effort::Effort;
use crate::networks::{CarriedLoad, FRAME, FRAME_ON_WIRES, PaperNetwork, carried};
use crate::order::Order;
use crate::page::PageTable;
use crate::quantity::Quantity;
use crosswave_base::diagnostic::Error;
use crosswave_observe::points::watch::Watch;

/// A load that all carry, and one that none does, in thousandths of a byte per processor and cycle.
const LOADS: [u32; 2] = [50, 350];

/// Independent runs of a point.
fn replicates(effort: Effort) -> u32 {
    match effort {
        Effort::Formulas => 0,
        Effort::Quick => 6,
        Effort::All => 24,
    }
}

/// Both loads in a network.
#[derive(Debug, Clone)]
pub struct MeasuredNetwork {
    kind: PaperNetwork,
    light: CarriedLoad,
    heavy: CarriedLoad,
}

/// All networks, those with clocks on their wires behind those without; none without simulation.
///
/// # Errors
/// When someone asks to stop.
pub fn measured(effort: Effort, watch: &mut dyn Watch) -> Result<Vec<MeasuredNetwork>, Error> {
    let replicates = replicates(effort);
    let kinds = FRAME.into_iter().chain(FRAME_ON_WIRES);
    let mut at = |kind, load| carried(kind, load, replicates, watch);
    let both = kinds.filter(|_| replicates > 0).map(|kind| {
        Ok(MeasuredNetwork {
            kind,
            light: at(kind, LOADS[0])?,
            heavy: at(kind, LOADS[1])?,
        })
    });
    both.collect()
}

/// The order of the three in throughput under a heavy load, and in latency under a light one.
pub fn order(measured: &[MeasuredNetwork]) -> Vec<Quantity> {
    let (mut throughput, mut latency) = (Order::default(), Order::default());
    for three in measured.chunks(FRAME.len()) {
        for pair in three.windows(2) {
            let [(less, less_error), (more, more_error)] =
                [&pair[0], &pair[1]].map(|network| network.heavy.throughput_with_error());
            throughput.difference(more - less, less_error.hypot(more_error));
            let latencies = [&pair[0], &pair[1]].map(|network| network.light.latency_with_error());
            match latencies {
                [Some((long, long_error)), Some((short, short_error))] => {
                    latency.difference(long - short, long_error.hypot(short_error));
                }
                // Messages were left over: nothing is known.
                _ => latency.difference(0.0, f64::INFINITY),
            }
        }
    }
    if throughput.places() == 0 {
        return Vec::new();
    }
    let named = |quantity: Quantity, what: &str| {
        quantity.named(format!(
            "neighbours in the order tree, stack, pyramid, as chips: {what}"
        ))
    };
    vec![
        named(
            throughput.quantity("order_throughput_chips", "section 5", None),
            "more throughput",
        ),
        named(
            latency.quantity("order_delay_chips", "section 5", None),
            "less delay",
        ),
    ]
}

/// The table of measurements.
pub fn table(measured: &[MeasuredNetwork]) -> PageTable {
    let mut table = PageTable::new(
        "64 processors, packets of 16 bytes to random others; 95 % intervals",
        [
            "network",
            "latency at 0.05 bytes per processor and cycle, cycles",
            "carried of 0.35, bytes per processor and cycle",
        ],
    );
    for MeasuredNetwork { kind, light, heavy } in measured {
        let (throughput, half) = heavy.throughput();
        let latency = light
            .latency_cycles()
            .map_or_else(|| "-".to_owned(), |mean| format!("{mean:.1}"));
        table.row([
            kind.title.to_owned(),
            latency,
            format!("{throughput:.4} ± {half:.4}"),
        ]);
    }
    table
}
