//! Section 5: throughput and delay of flows in three networks of 64 processors.
//!
//! The networks of a seed carry the same flows, packet by packet, so that they are compared in
//! pairs.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::json;

use super::print::{self, NETWORKS};
use super::{short, structure};
use crate::effort::Effort;
use crate::order::Order;
use crate::page::PageTable;
use crate::quantity::{MeasuredValue, Quantity};
use crosswave_base::diagnostic::Error;
use crosswave_base::statistics::{Tally, half_width_95};
use crosswave_base::threads::{on_each, processors};
use crosswave_frame::graph::Graph;
use crosswave_frame::route::Towards;
use crosswave_frame::shape::Family;
use crosswave_observe::flows::flow::{FlowTraffic, Population, draw};
use crosswave_observe::flows::run::{
    Announcements, Discipline, FlowLoad, FlowOutcome, LinkParameters, run,
};
use crosswave_observe::flows::tables::{FlowRouting, idle_costs};
use crosswave_observe::flows::{
    ACKNOWLEDGEMENT_BYTES, ANNOUNCEMENT_BYTES, CLOCKS_PER_SECOND, DELAY_CLOCKS, EXPERIMENT_CLOCKS,
    PACKET_BYTES,
};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// Routers learn what waits for links once a second: assumed.
pub const ADAPTIVE: FlowRouting = FlowRouting::Adaptive {
    update_clocks: CLOCKS_PER_SECOND,
};

/// Every node announces itself once, one after the other, 10 ms apart: assumed.
const ANNOUNCED_ONCE: Announcements = Announcements {
    bytes: ANNOUNCEMENT_BYTES,
    acknowledgement_bytes: ACKNOWLEDGEMENT_BYTES,
    apart_clocks: DELAY_CLOCKS,
    round_clocks: None,
};

/// Bits of a packet.
const PACKET_BITS: f64 = (8 * PACKET_BYTES) as f64;

/// Seeds of a cell, for as much as is simulated.
pub fn seeds(effort: Effort) -> u64 {
    match effort {
        Effort::Formulas => 0,
        Effort::Quick => 12,
        Effort::All => 100,
    }
}

/// The results of a network, a traffic and a routing.
#[derive(Debug, Clone)]
pub struct Cell {
    pub family: Family,
    pub traffic: FlowTraffic,
    pub routing: FlowRouting,
    /// The results, in the order of the seeds.
    outcomes: Vec<FlowOutcome>,
}

/// A number of bits each second as one of packets in the whole.
pub fn megabits(packets: f64) -> f64 {
    let seconds = (EXPERIMENT_CLOCKS / CLOCKS_PER_SECOND) as f64;
    packets * PACKET_BITS / seconds / 1e6
}

/// Clocks in seconds.
pub fn seconds(clocks: f64) -> f64 {
    clocks / CLOCKS_PER_SECOND as f64
}

impl Cell {
    /// A number of each run.
    pub fn tally(&self, value: impl Fn(&FlowOutcome) -> u64) -> Tally {
        self.outcomes.iter().map(value).collect()
    }

    /// Packets that came.
    fn delivered(&self) -> Tally {
        self.tally(|outcome| outcome.delivered)
    }

    /// Packets that were sent.
    fn offered(&self) -> Tally {
        self.tally(|outcome| outcome.offered)
    }

    /// Clocks of a packet, the mean of a seed as a whole number.
    fn delays(&self) -> Tally {
        self.tally(mean_delay)
    }

    /// Mb/s that came.
    pub fn carried_mbps(&self) -> (f64, f64) {
        scaled(&self.delivered(), megabits)
    }

    /// Mb/s that were sent.
    pub fn offered_mbps(&self) -> (f64, f64) {
        scaled(&self.offered(), megabits)
    }

    /// Seconds of a packet.
    pub fn delay_seconds(&self) -> (f64, f64) {
        scaled(&self.delays(), seconds)
    }
}

/// The mean delay of a run in clocks, rounded.
fn mean_delay(outcome: &FlowOutcome) -> u64 {
    outcome.delay_clocks / outcome.delivered.max(1)
}

/// A mean, and half of its interval of 95 %, in other units.
pub fn scaled(tally: &Tally, unit: fn(f64) -> f64) -> (f64, f64) {
    (unit(tally.mean()), unit(half_width_95(tally)))
}

/// A cell: a network, what it carries, and how.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    pub family: Family,
    pub traffic: FlowTraffic,
    pub routing: FlowRouting,
    /// Clocks between the packets of a flow, on average.
    pub interval_clocks: u64,
    /// Traffic of the routers themselves.
    pub announcements: Option<Announcements>,
}

impl Setting {
    /// The load of section 5, of packets alone.
    pub fn of(family: Family, traffic: FlowTraffic, routing: FlowRouting) -> Setting {
        Setting {
            family,
            traffic,
            routing,
            interval_clocks: print::INTERVAL_CLOCKS,
            announcements: None,
        }
    }

    /// Constant rates, by what waits, while every node announces itself once.
    pub fn announced(family: Family) -> Setting {
        Setting {
            announcements: Some(ANNOUNCED_ONCE),
            ..Setting::of(family, FlowTraffic::Constant, ADAPTIVE)
        }
    }
}

/// One run of so many clocks.
fn one(graph: &Graph, setting: Setting, clocks: u64, seed: u64) -> FlowOutcome {
    let population = Population {
        processors: graph.shape().processors(),
        sources: print::SOURCES,
        flows: print::FLOWS,
        clocks,
    };
    let links = LinkParameters {
        packet_bytes: PACKET_BYTES,
        delay_clocks: DELAY_CLOCKS,
        discipline: Discipline::StochasticFair {
            buckets: print::BUCKETS,
        },
        queue_packets: print::QUEUE_PACKETS,
        routing: setting.routing,
        announcements: setting.announcements,
    };
    let load = FlowLoad {
        flows: &draw(population, seed),
        traffic: setting.traffic,
        interval_clocks: setting.interval_clocks,
        clocks,
    };
    run(graph, links, load, seed)
}

/// All cells, on all threads, which does not change them; asked between cells whether to stop. Those
/// that are kept are not run.
///
/// # Errors
/// When someone asks to stop, and those of the store.
pub fn cells(
    settings: &[Setting],
    seeds: u64,
    store: &Store,
    watch: &mut dyn Watch,
) -> Result<Vec<Cell>, Error> {
    let mut cells = Vec::new();
    for &setting in settings {
        let (family, traffic) = (setting.family, setting.traffic);
        check_cancelled(watch)?;
        watch.begins(&format!("{family}, {} traffic", traffic.name()));
        // A tree has one path for each pair, whatever the routing.
        let taken = match family {
            Family::ButterflyFatTree => FlowRouting::Hops,
            _ => setting.routing,
        };
        let key = json!({
            "flows": family.to_string(), "traffic": traffic.name(), "interval_clocks": setting.interval_clocks,
            "seeds": seeds, "clocks": EXPERIMENT_CLOCKS, "sources": print::SOURCES, "flow_count": print::FLOWS,
            "update_clocks": match taken {
                FlowRouting::Hops => None,
                FlowRouting::Adaptive { update_clocks } => Some(update_clocks),
            },
            "announcements": setting.announcements.map(|own| json!({
                "bytes": own.bytes, "acknowledgement_bytes": own.acknowledgement_bytes,
                "apart_clocks": own.apart_clocks, "round_clocks": own.round_clocks,
            })),
        });
        let run = Setting {
            routing: taken,
            ..setting
        };
        cells.push(Cell {
            family,
            traffic,
            routing: setting.routing,
            outcomes: store.kept(&key, || Ok(outcomes(run, seeds)))?,
        });
    }
    Ok(cells)
}

/// The outcomes of all seeds of a setting, in their order.
fn outcomes(setting: Setting, seeds: u64) -> Vec<FlowOutcome> {
    let graph = structure::linked(setting.family, print::LEVELS);
    let next = AtomicU64::new(0);
    let work = || {
        let mut found = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds {
                return found;
            }
            found.push((seed, one(&graph, setting, EXPERIMENT_CLOCKS, seed + 1)));
        }
    };
    let parts = on_each(processors(), work);
    let mut found: Vec<(u64, FlowOutcome)> = parts.into_iter().flatten().collect();
    found.sort_unstable_by_key(|(seed, _)| *seed);
    found.into_iter().map(|(_, outcome)| outcome).collect()
}

/// A few seconds of flows, which tell whether kept cells are those of this program.
pub fn sample() -> Vec<FlowOutcome> {
    let mut outcomes = Vec::new();
    for family in NETWORKS {
        let graph = structure::linked(family, print::LEVELS);
        for routing in [ADAPTIVE, FlowRouting::Hops] {
            let sample = |traffic| {
                let setting = Setting::of(family, traffic, routing);
                one(&graph, setting, 2 * CLOCKS_PER_SECOND, 1)
            };
            outcomes.extend(FlowTraffic::ALL.map(sample));
        }
        let setting = Setting::announced(family);
        outcomes.push(one(&graph, setting, 2 * CLOCKS_PER_SECOND, 1));
    }
    outcomes
}

/// The cells of table 1, by what waits and by hops; none without simulation.
///
/// # Errors
/// When someone asks to stop.
pub fn table_1(effort: Effort, store: &Store, watch: &mut dyn Watch) -> Result<Vec<Cell>, Error> {
    if effort == Effort::Formulas {
        return Ok(Vec::new());
    }
    let mut settings = Vec::new();
    for routing in [ADAPTIVE, FlowRouting::Hops] {
        for family in NETWORKS {
            let traffics = FlowTraffic::ALL.into_iter();
            settings.extend(traffics.map(|traffic| Setting::of(family, traffic, routing)));
        }
    }
    cells(&settings, seeds(effort), store, watch)
}

/// A mean with its standard error, in other units.
pub fn measured(tally: &Tally, unit: fn(f64) -> f64) -> MeasuredValue {
    MeasuredValue {
        value: unit(tally.mean()).into(),
        stderr: Some(unit(tally.standard_error())),
    }
}

/// Table 1, cell by cell. The pyramid carries what is offered, and what is offered is assumed: that its
/// throughput is near the print says nothing, and is no quantity.
pub fn printed(cells: &[Cell]) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for family in NETWORKS {
        for traffic in FlowTraffic::ALL {
            let (bits, delay) = print::table_1(family, traffic);
            let cell = cells.iter().find(|cell| {
                (cell.family, cell.traffic, cell.routing) == (family, traffic, ADAPTIVE)
            });
            let id =
                |what: &str| format!("{what}_{}_{}", short(family), traffic.name().to_lowercase());
            let why = |what: &str| {
                Some(format!(
                    "times of flows, lengths of bursts and how routers respond to load are not given; {what}"
                ))
            };
            let throughput = Quantity::new(id("throughput"), "table 1", bits / 1e6)
                .named(format!(
                    "throughput of a {family}, {}, Mb/s",
                    traffic.name()
                ))
                .within(0.02)
                .simulated(cell.map(|cell| measured(&cell.delivered(), megabits)));
            if family != Family::FatPyramid {
                quantities.push(throughput.judged(why(
                    "what is offered is about 1.6 Mb/s, and the print counts more than packets of 1,000 bytes",
                )));
            }
            let seconds_delay = Quantity::new(id("delay"), "table 1", delay)
                .named(format!("delay of a {family}, {}, seconds", traffic.name()))
                .within(0.02)
                .simulated(cell.map(|cell| measured(&cell.delays(), seconds)));
            quantities.push(seconds_delay.judged(why(
                "the print of stack and pyramid is below the delay of empty networks",
            )));
        }
    }
    quantities
}

/// The mean of differences that belong together, and its standard error.
fn paired(less: &[u64], more: &[u64]) -> (f64, f64) {
    let differences = less.iter().zip(more).map(|(&a, &b)| b as f64 - a as f64);
    let differences: Vec<f64> = differences.collect();
    let count = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / count;
    let squares = differences
        .iter()
        .map(|difference| (difference - mean).powi(2));
    (mean, (squares.sum::<f64>() / (count - 1.0) / count).sqrt())
}

/// The order of the three networks, in throughput and in delay.
pub fn order(cells: &[Cell]) -> Vec<Quantity> {
    let mut quantities = Vec::new();
    for (routing, name, words) in [
        (ADAPTIVE, "adaptive", "adaptive routing"),
        (FlowRouting::Hops, "hops", "the fewest hops"),
    ] {
        let mut throughput = Order::default();
        let mut delay = Order::default();
        for traffic in FlowTraffic::ALL {
            let of = |family: Family| {
                let setting = (family, traffic, routing);
                let is_meant = |cell: &&Cell| (cell.family, cell.traffic, cell.routing) == setting;
                cells.iter().find(is_meant)
            };
            for pair in NETWORKS.windows(2) {
                let (Some(a), Some(b)) = (of(pair[0]), of(pair[1])) else {
                    continue;
                };
                let values = |cell: &Cell, value: fn(&FlowOutcome) -> u64| -> Vec<u64> {
                    cell.outcomes.iter().map(value).collect()
                };
                let delivered: fn(&FlowOutcome) -> u64 = |outcome| outcome.delivered;
                let (difference, error) = paired(&values(a, delivered), &values(b, delivered));
                throughput.difference(difference, error);
                let (difference, error) = paired(&values(b, mean_delay), &values(a, mean_delay));
                delay.difference(difference, error);
            }
        }
        if throughput.places() == 0 {
            continue;
        }
        let named = |quantity: Quantity, what: &str| {
            quantity.named(format!(
                "neighbours in the order tree, stack, pyramid, {words}: {what}"
            ))
        };
        quantities.push(named(
            throughput.quantity(format!("order_throughput_{name}"), "section 5", None),
            "more throughput",
        ));
        quantities.push(named(
            delay.quantity(format!("order_delay_{name}"), "section 5", None),
            "less delay",
        ));
    }
    quantities
}

/// The mean delay over all pairs of processors of an empty network, by its fastest paths.
pub fn empty_seconds(family: Family) -> f64 {
    let graph = structure::linked(family, print::LEVELS);
    let costs = idle_costs(&graph, PACKET_BYTES, DELAY_CLOCKS);
    let mut clocks = 0;
    for destination in graph.processors() {
        let towards = Towards::by_costs(&graph, destination, &costs);
        clocks += graph
            .processors()
            .map(|source| towards.left(source))
            .sum::<u64>();
    }
    let processors = f64::from(graph.shape().processors());
    seconds(clocks as f64 / (processors * (processors - 1.0)))
}

/// The greatest number of bytes that divides all printed throughputs.
pub fn common_divisor() -> Quantity {
    let found = printed_bytes()
        .map(|(_, _, bytes)| bytes)
        .fold(0, num_integer::gcd);
    Quantity::claimed(
        "bytes_that_divide_all_throughputs",
        "table 1; packets of 1,000 bytes",
        PACKET_BYTES,
    )
    .named("bytes that divide the printed throughputs of 120 seconds")
    .analytic(found)
    .judged(Some(
        "more than packets of 1,000 bytes was counted; the routing traffic of ns-2, with packets of 100, 200 and 20 \
         bytes, gives this divisor, and the bytes modulo 1,000 of two of the tree's three rows"
            .to_owned(),
    ))
}

/// The printed throughputs of 120 seconds in bytes.
fn printed_bytes() -> impl Iterator<Item = (Family, FlowTraffic, u64)> {
    let families = NETWORKS.into_iter();
    families.flat_map(|family| {
        let rows = FlowTraffic::ALL.into_iter();
        rows.map(move |traffic| (family, traffic, print::bytes(family, traffic)))
    })
}

/// The printed throughputs as bytes, and as bytes modulo a packet.
pub fn bytes_table() -> PageTable {
    let mut table = PageTable::new(
        format!(
            "Printed throughputs of 120 seconds in bytes; link-state routing of the tree takes {} bytes, which is {} \
             modulo 1,000",
            print::ROUTING_BYTES,
            print::ROUTING_BYTES % PACKET_BYTES
        ),
        ["network", "traffic", "bytes", "modulo 1,000"],
    );
    for (family, traffic, bytes) in printed_bytes() {
        table.row([
            family.to_string(),
            traffic.name().to_owned(),
            bytes.to_string(),
            (bytes % PACKET_BYTES).to_string(),
        ]);
    }
    table
}

/// Printed delays against those of empty networks.
pub fn empty() -> Quantity {
    let below = NETWORKS.iter().map(|&family| {
        let least = empty_seconds(family);
        let delays = FlowTraffic::ALL.map(|traffic| print::table_1(family, traffic).1);
        delays.iter().filter(|&&delay| delay < least).count() as u64
    });
    Quantity::claimed("delays_below_empty", "table 1", 0_u64)
        .named("delays of table 1 below the mean delay of an empty network")
        .analytic(below.sum::<u64>())
        .judged(Some(
            "a packet of 1,000 bytes takes 80 ms over a link of 0.1 Mb/s, and 10 ms more: the printed \
             delays of stack and pyramid cannot be those of such packets between random processors"
                .to_owned(),
        ))
}

/// Table 1 beside what came out.
pub fn table(cells: &[Cell]) -> PageTable {
    let mut table = PageTable::new(
        "Table 1: means over seeds with intervals of 95 %, beside the print",
        [
            "network",
            "traffic",
            "routing",
            "offered, Mb/s",
            "carried, Mb/s",
            "printed",
            "delay, s",
            "printed",
            "empty, s",
        ],
    );
    for cell in cells {
        let (bits, delay) = print::table_1(cell.family, cell.traffic);
        let with = |(mean, half): (f64, f64)| format!("{mean:.3} ± {half:.3}");
        table.row([
            cell.family.to_string(),
            cell.traffic.name().to_owned(),
            match cell.routing {
                FlowRouting::Hops => "fewest hops".to_owned(),
                FlowRouting::Adaptive { .. } => "adaptive".to_owned(),
            },
            with(cell.offered_mbps()),
            with(cell.carried_mbps()),
            format!("{:.3}", bits / 1e6),
            with(cell.delay_seconds()),
            format!("{delay:.3}"),
            format!("{:.3}", empty_seconds(cell.family)),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree's flows are run once for both routings.
    #[test]
    fn a_tree_has_one_path_for_each_pair_whatever_the_routing() {
        let graph = structure::linked(Family::ButterflyFatTree, print::LEVELS);
        for traffic in FlowTraffic::ALL {
            let outcome = |routing| {
                let setting = Setting::of(Family::ButterflyFatTree, traffic, routing);
                one(&graph, setting, 20 * CLOCKS_PER_SECOND, 1)
            };
            assert_eq!(outcome(ADAPTIVE), outcome(FlowRouting::Hops));
        }
    }
}
