//! `crosswave route`.

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use serde::Serialize;

use super::ConfigArgs;
use super::output::{self, JsonArgs};
use crosswave_base::diagnostic::Error;
use crosswave_network::Topology;
use crosswave_network::path::{Path, PathStep, way};
use crosswave_network::topology::OnPath;

#[derive(Debug, Args)]
pub(super) struct RouteArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Node that sends
    source: u32,
    /// Node that receives
    destination: u32,
    /// The choice among several links that serve: bit i, from 0, chooses at chip i of the path
    #[arg(long, value_name = "BITS", default_value_t = 0)]
    draw: u64,
    #[command(flatten)]
    json: JsonArgs,
}

/// A route, as JSON.
#[derive(Debug, Serialize)]
struct Route<'p> {
    source: u32,
    destination: u32,
    header: &'p [u8],
    routers: usize,
    link_delay_cycles: u64,
    /// As [`Path`] prints it.
    path: String,
    chips: Vec<RouteRow<'p>>,
}

/// A chip of a route.
#[derive(Debug, Serialize)]
struct RouteRow<'p> {
    #[serde(flatten)]
    step: PathStep<'p>,
    /// The part of the header that it reads; `None` of interfaces.
    reads: Option<String>,
}

pub(super) fn route(args: &RouteArgs) -> Result<(), Error> {
    let config = args.config.read_sourced(&[])?.config;
    let to_stdout = output::check(args.json.output().as_slice())?;
    // Ways are those of the network as it was meant.
    let network = config.intact_topology();
    let (source, destination) = (args.source, args.destination);
    let last = network.nodes() - 1;
    if source == destination || source.max(destination) > last {
        let found = format!(
            "found {source} and {destination}; expected two different nodes from 0 to {last}"
        );
        return Err(super::usage(
            "route",
            found,
            "such as crosswave route FILE.toml 0 1",
        ));
    }
    if let Some(component) = network.components().first() {
        let found = format!(
            "{} decides on routes itself, and nothing is known of its inside",
            component.top
        );
        let help = format!(
            "send a message and look: crosswave trace FILE.toml 0 --set traffic.pattern=pair --set \
             traffic.source={source} --set traffic.destination={destination}"
        );
        return Err(super::usage("route", found, &help));
    }
    let path = Path::of(&*network, &network.fabric(), source, destination, args.draw);
    let header = match network.path_choice() {
        Some(choice) => {
            let way = way(&*network, source, destination, args.draw);
            choice.route_by(source, destination, way).bytes
        }
        None => network.header(source, destination),
    };
    let route = Route {
        source,
        destination,
        header: &header,
        routers: path.routers(),
        link_delay_cycles: path.link_clocks(),
        path: path.to_string(),
        chips: rows(&*network, args, &path),
    };
    args.json.write(&route)?;
    match to_stdout {
        true => Ok(()),
        false => output::print(&text(&route)),
    }
}

/// The chips of a path, with what they read.
fn rows<'p>(network: &dyn Topology, args: &RouteArgs, path: &'p Path) -> Vec<RouteRow<'p>> {
    let steps = path.steps();
    let last = steps.len() - 1;
    let rows = (0..).zip(steps).map(|(chip, step)| {
        let is_router = (1..last).contains(&(chip as usize));
        let at = OnPath {
            source: args.source,
            destination: args.destination,
            chip,
            // The part that is read does not depend on these two.
            arrived: 0,
            draw: false,
            way: way(network, args.source, args.destination, args.draw),
        };
        let reads = is_router.then(|| network.reads(at));
        RouteRow { step, reads }
    });
    rows.collect()
}

fn text(route: &Route<'_>) -> String {
    let bytes = route.header.iter().map(|byte| format!("{byte:02x}"));
    let header = bytes.collect::<Vec<_>>().join(" ");
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header(["chip", "arrives", "leaves", "link delay, cycles", "reads"]);
    for RouteRow { step, reads } in &route.chips {
        let shown = |port: Option<&str>| port.unwrap_or("-").to_owned();
        table.add_row([
            step.chip.to_owned(),
            shown(step.arrives),
            shown(step.leaves),
            step.clocks.to_string(),
            shown(reads.as_deref()),
        ]);
    }
    format!("header: {header}\n{table}\n{}\n", route.path)
}
