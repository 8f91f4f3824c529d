//! Pictures of the networks, and carried against offered load.

use std::fmt::Write;

use super::experiment::{ADAPTIVE, Cell, Setting, cells};
use super::print::{self, NETWORKS};
use super::structure;
use crate::effort::Effort;
use crate::paper::{Charts, Drawn};
use crosswave_base::diagnostic::Error;
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};
use crosswave_frame::graph::LinkKind;
use crosswave_frame::picture::picture;
use crosswave_frame::shape::Family;
use crosswave_observe::flows::flow::FlowTraffic;
use crosswave_observe::flows::tables::FlowRouting;
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::Watch;

/// Loads that are offered, as quarters of that of section 5.
const QUARTERS: [u64; 7] = [1, 2, 3, 4, 6, 8, 12];

/// Seeds of a point.
fn seeds(effort: Effort) -> u64 {
    match effort {
        Effort::Formulas => 0,
        Effort::Quick => 4,
        Effort::All => 40,
    }
}

/// The four networks of 64 processors in their frame.
pub fn networks() -> Drawn {
    let mut csv = String::from("network,from,to,kind,level,wires\n");
    let graphs = Family::ALL.map(|family| structure::graph(family, print::LEVELS));
    for graph in &graphs {
        let family = graph.shape().family();
        for link in graph.links() {
            let (from, to) = (graph.address(link.from), graph.address(link.to));
            let kind = match link.kind {
                LinkKind::Up => "up",
                LinkKind::Ring => "ring",
                LinkKind::Mesh => "mesh",
            };
            let _ = writeln!(
                csv,
                "{family},\"{from}\",\"{to}\",{kind},{},{}",
                link.level, link.capacity
            );
        }
    }
    Drawn {
        svgs: graphs.iter().map(|graph| picture(&graph.shape())).collect(),
        csv,
    }
}

/// Carried load and delay against offered load, of constant rates.
///
/// # Errors
/// When someone asks to stop.
pub fn loads(effort: Effort, store: &Store, watch: &mut dyn Watch) -> Result<Charts, Error> {
    let mut found: Vec<(u64, Cell)> = Vec::new();
    if effort != Effort::Formulas {
        for quarters in QUARTERS {
            let interval = print::INTERVAL_CLOCKS * 4 / quarters;
            let mut settings = Vec::new();
            for routing in [ADAPTIVE, FlowRouting::Hops] {
                let families = NETWORKS.into_iter();
                settings.extend(families.map(|family| Setting {
                    interval_clocks: interval,
                    ..Setting::of(family, FlowTraffic::Constant, routing)
                }));
            }
            let all = cells(&settings, seeds(effort), store, watch)?;
            found.extend(all.into_iter().map(|cell| (quarters, cell)));
        }
    }
    Ok(charts(&found))
}

fn charts(found: &[(u64, Cell)]) -> Charts {
    let mut csv = String::from(
        "network,routing,rate_kbps,offered_mbps,carried_mbps,carried_95_mbps,delay_seconds,delay_95_seconds\n",
    );
    let [mut carried, mut delays] = [(); 2].map(|()| Vec::<Series>::new());
    for (routing, name) in [(ADAPTIVE, "adaptive"), (FlowRouting::Hops, "fewest hops")] {
        // A tree has one path for each pair, whatever the routing.
        let has_ways = |family: &Family| routing == ADAPTIVE || *family != Family::ButterflyFatTree;
        for family in NETWORKS.into_iter().filter(has_ways) {
            let is_meant = |cell: &Cell| (cell.family, cell.routing) == (family, routing);
            let cells = found.iter().filter(|(_, cell)| is_meant(cell));
            let series = || Series {
                name: format!("{family}, {name}"),
                ..Series::default()
            };
            let (mut of_load, mut of_delay) = (series(), series());
            for (quarters, cell) in cells {
                let offered = cell.offered_mbps().0;
                let (mean, half) = cell.carried_mbps();
                let (delay, delay_half) = cell.delay_seconds();
                of_load
                    .points
                    .push(PlotPoint::with_error(offered, mean, half));
                of_load.curve.push((offered, mean));
                of_delay
                    .points
                    .push(PlotPoint::with_error(offered, delay, delay_half));
                of_delay.curve.push((offered, delay));
                let _ = writeln!(
                    csv,
                    "{family},{name},{},{offered:.4},{mean:.4},{half:.4},{delay:.4},{delay_half:.4}",
                    20 * quarters
                );
            }
            carried.push(of_load);
            delays.push(of_delay);
        }
    }
    let x = || Axis::linear("offered, Mb/s", 0.0, 5.2);
    let chart = |title: &str, y: Axis, series: Vec<Series>| Chart {
        title: title.into(),
        x: x(),
        y,
        series,
        marks: Vec::new(),
        hollow_name: "",
    };
    let charts = vec![
        chart(
            "Carried load of 60 flows at constant rates",
            Axis::linear("carried, Mb/s", 0.0, 3.5),
            carried,
        ),
        chart(
            "Their delay",
            Axis::linear("delay, seconds", 0.0, 5.0),
            delays,
        ),
    ];
    Charts { charts, csv }
}
