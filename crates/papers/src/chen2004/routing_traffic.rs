//! Section 5 with the traffic of the routers themselves, counted as the packets of flows are.
//!
//! The printed throughputs are not whole numbers of packets of 1,000 bytes, and the printed delays of stack and
//! pyramid are below those of empty networks. Both follow if announcements of the state of links and their
//! acknowledgements, which are short and take one link each, were counted as data. Here every node announces itself
//! once, and what comes at each end of a link is counted.

use super::experiment::{Cell, Setting, cells, measured, megabits, scaled, seconds, seeds};
use super::print::{self, NETWORKS};
use super::short;
use crate::effort::Effort;
use crate::page::PageTable;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;
use crosswave_frame::shape::Family;
use crosswave_observe::flows::flow::FlowTraffic;
use crosswave_observe::flows::run::FlowOutcome;
use crosswave_observe::flows::{ACKNOWLEDGEMENT_BYTES, ANNOUNCEMENT_BYTES, PACKET_BYTES};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;

/// The cells of the three networks; none without simulation. Half of table 1's seeds: the flows of a seed are the
/// same.
///
/// # Errors
/// When someone asks to stop.
pub fn study(effort: Effort, store: &Store, watch: &mut dyn Watch) -> Result<Vec<Cell>, Error> {
    if effort == Effort::Formulas {
        return Ok(Vec::new());
    }
    let settings = NETWORKS.map(Setting::announced);
    cells(&settings, seeds(effort) / 2, store, watch)
}

/// Bytes of routing traffic that came.
fn routing_bytes(outcome: &FlowOutcome) -> u64 {
    let routing = outcome.routing;
    routing.announcements * ANNOUNCEMENT_BYTES + routing.acknowledgements * ACKNOWLEDGEMENT_BYTES
}

/// Bytes of all that came.
fn all_bytes(outcome: &FlowOutcome) -> u64 {
    outcome.delivered * PACKET_BYTES + routing_bytes(outcome)
}

/// The mean delay of all that came, in clocks, rounded.
fn mean_delay(outcome: &FlowOutcome) -> u64 {
    let routing = outcome.routing;
    let clocks = outcome.delay_clocks + routing.clocks;
    let came = outcome.delivered + routing.announcements + routing.acknowledgements;
    clocks / came.max(1)
}

/// Bytes of data, in units of packets.
fn all_megabits(bytes: f64) -> f64 {
    megabits(bytes / PACKET_BYTES as f64)
}

/// The bytes of routing traffic in the tree, and the delays if it is counted.
pub fn quantities(cells: &[Cell]) -> Vec<Quantity> {
    let tree = cells
        .iter()
        .find(|cell| cell.family == Family::ButterflyFatTree);
    let modulo = |bytes: u64| bytes % PACKET_BYTES;
    let printed = print::bytes(Family::ButterflyFatTree, FlowTraffic::Exponential);
    let bytes = Quantity::new(
        "routing_bytes_modulo_tree",
        "table 1; 85 nodes, 84 links",
        modulo(printed),
    )
    .named("bytes modulo 1,000 of the tree's throughput, exponential; routing traffic alone")
    .analytic(modulo(print::ROUTING_BYTES))
    .simulated(tree.map(|cell| {
        let tally = cell.tally(|outcome| modulo(routing_bytes(outcome)));
        MeasuredValue::mean(&tally)
    }))
    .judged(None);
    let mut quantities = vec![bytes];
    for cell in cells {
        let (_, delay) = print::table_1(cell.family, cell.traffic);
        let quantity = Quantity::new(
            format!("delay_with_routing_{}_cbr", short(cell.family)),
            "table 1",
            delay,
        )
        .named(format!(
            "delay of a {}, CBR, seconds, if routing traffic is counted",
            cell.family
        ))
        .within(0.02)
        .simulated(Some(measured(&cell.tally(mean_delay), seconds)));
        quantities.push(quantity.judged(Some(
            "times of flows and other packets of the routers are not known; counted so, the delay comes nearer to the \
             print, and that of the pyramid falls below the one of its empty network"
                .to_owned(),
        )));
    }
    quantities
}

/// Throughput and delay with and without the traffic of the routers, beside the print.
pub fn table(cells: &[Cell]) -> PageTable {
    let mut table = PageTable::new(
        "Constant rates, every node announced once: means over seeds with intervals of 95 %",
        [
            "network",
            "routing traffic, bytes",
            "packets, Mb/s",
            "all, Mb/s",
            "printed",
            "delay of packets, s",
            "of all, s",
            "printed",
        ],
    );
    for cell in cells {
        let (bits, delay) = print::table_1(cell.family, cell.traffic);
        let with = |(mean, half): (f64, f64)| format!("{mean:.3} ± {half:.3}");
        table.row([
            cell.family.to_string(),
            format!("{:.0}", cell.tally(routing_bytes).mean()),
            with(cell.carried_mbps()),
            with(scaled(&cell.tally(all_bytes), all_megabits)),
            format!("{:.3}", bits / 1e6),
            with(cell.delay_seconds()),
            with(scaled(&cell.tally(mean_delay), seconds)),
            format!("{delay:.3}"),
        ]);
    }
    table
}
