//! `crosswave oblivious`.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Args, ValueEnum};
use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use num_rational::Ratio;
use serde::Serialize;

use super::output::{self, Format, JsonArgs, Output};
use super::progress::Display;
use super::{ConfigArgs, usage, warn};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::escape;
use crosswave_base::file::{self, input, text_input};
use crosswave_network::description::TreeRouting;
use crosswave_network::traffic::trace::COLUMNS;
use crosswave_network::traffic::{MESSAGES_MAX, WORDS_MAX};
use crosswave_oblivious::failures::rerouted::{Rerouted, ShareMove};
use crosswave_oblivious::failures::{Cut, Failures, TreeFailure};
use crosswave_oblivious::ratio::{self, ObliviousRatio, oblivious_ratio_watched};
use crosswave_oblivious::routing::Routing;
use crosswave_oblivious::subnet;
use crosswave_oblivious::subnet::wiring::EndPort;
use crosswave_oblivious::table::{self, csv};
use crosswave_oblivious::tree::{LinkDirection, PortTree};

/// The most memory that the pairs of a sub-fat-tree may take, on all threads.
const BYTES_MAX: u64 = 8 << 30;

#[derive(Debug, Args)]
pub(super) struct ObliviousArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Take the routing from a table: CSV with the ports of every path, or with --wiring the
    /// forwarding tables of an InfiniBand subnet
    #[arg(long, value_name = "FILE")]
    tables: Option<PathBuf>,
    /// The wiring of the switches of those forwarding tables, as ibnetdiscover prints it
    #[arg(long, value_name = "FILE", requires = "tables")]
    wiring: Option<PathBuf>,
    /// A switch or link that has failed, such as 'switch((0, 1), 2) port 3'; may be given again
    #[arg(long, value_name = "LABEL")]
    failed: Vec<String>,
    /// The rule by which paths over failed links move; network.reroute, unless it is given
    #[arg(long, value_enum)]
    reroute: Option<Reroute>,
    /// Write the worst permutation as a trace that `run` replays; - is standard output, with
    /// nothing else
    #[arg(long, value_name = "FILE|-")]
    witness: Option<PathBuf>,
    /// Messages of each pair in that trace
    #[arg(long, value_name = "COUNT", default_value_t = 1, requires = "witness",
          value_parser = clap::value_parser!(u32).range(1..))]
    messages: u32,
    /// Bytes of each message in that trace
    #[arg(long, value_name = "BYTES", default_value_t = 1, requires = "witness",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(WORDS_MAX)))]
    bytes: u32,
    /// Write the routing as CSV, with the ports of every path
    #[arg(long, value_name = "FILE|-")]
    write_tables: Option<PathBuf>,
    /// Write which end port of a subnet is which node, as CSV
    #[arg(long, value_name = "FILE|-", requires = "wiring")]
    write_nodes: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Reroute {
    /// To all whole shortest paths of the pair
    Evenly,
    /// To one of them, in turn
    RoundRobin,
}

/// The result as JSON.
#[derive(Debug, Serialize)]
struct Document {
    crosswave: &'static str,
    tree: String,
    nodes: u32,
    routing: String,
    /// As a fraction, and as a number.
    oblivious_ratio: String,
    oblivious_ratio_value: f64,
    /// The quantity by which the load of the worst traffic is divided.
    over: &'static str,
    link: LinkDocument,
    /// The pairs of the worst permutation.
    witness: Vec<(u32, u32)>,
    /// From the root on.
    levels: Vec<LevelDocument>,
    failures: Option<FailuresDocument>,
}

/// The worst link.
#[derive(Debug, Serialize)]
struct LinkDocument {
    level: u32,
    direction: &'static str,
    from: String,
    to: String,
}

#[derive(Debug, Serialize)]
struct LevelDocument {
    level: u32,
    up: String,
    down: String,
}

#[derive(Debug, Serialize)]
struct FailuresDocument {
    failed: Vec<String>,
    pairs: u64,
    /// Pairs that lose all paths of the routing as it was, and some of them.
    cut_pairs: u64,
    partly_cut_pairs: u64,
    /// Pairs without any shortest path.
    disconnected_pairs: u64,
}

pub(super) fn oblivious(args: &ObliviousArgs) -> Result<(), Error> {
    let outputs = [
        Output::new("--witness", Format::Csv, args.witness.as_deref()),
        Output::new("--write-tables", Format::Csv, args.write_tables.as_deref()),
        Output::new("--write-nodes", Format::Csv, args.write_nodes.as_deref()),
        args.json.output(),
    ];
    let outputs: Vec<Output<'_>> = outputs.into_iter().flatten().collect();
    let to_stdout = output::check(&outputs)?;
    let network = args.config.read_network()?;
    let Some(routing) = network.routing() else {
        let origin = args.config.origin();
        let kind = network.kind().name;
        let diagnostic = Diagnostic::new(
            "network.kind",
            format!("found {kind:?}, expected a tree with an oblivious routing"),
            "such as kind = \"m-port-n-tree\"",
        );
        return Err(Error::one(Class::Usage, origin, diagnostic));
    };
    let TreeRouting {
        intact,
        failed: names,
        reroute,
        ..
    } = routing;
    let (routing, end_ports) = read_tables(args, intact)?;
    let tree = routing.tree();
    check_size(args, &*routing)?;
    let names: Vec<String> = names
        .into_iter()
        .chain(args.failed.iter().cloned())
        .collect();
    let failed = names.iter().map(|name| TreeFailure::parse(tree, name));
    let failed = failed.collect::<Result<Vec<TreeFailure>, Diagnostic>>();
    let failed = failed.map_err(|diagnostic| Error::one(Class::Usage, "--failed", diagnostic))?;
    if failed.is_empty() && args.reroute.is_some() {
        let found = "found without anything that has failed";
        return Err(usage(
            "--reroute",
            found,
            "name it, such as --failed 'switch(0, 0)'",
        ));
    }
    let failures = Failures::new(tree, failed.iter().copied());
    let to = match args.reroute {
        None => reroute,
        Some(Reroute::Evenly) => ShareMove::Evenly,
        Some(Reroute::RoundRobin) => ShareMove::RoundRobin,
    };
    let mut rerouted = None;
    if !failed.is_empty() {
        let moved = Rerouted::new(&*routing, &failures, to).map_err(|error| {
            let help = "such as --reroute round-robin";
            usage("--reroute", error.to_string(), help)
        });
        rerouted = Some(moved?);
    }
    let cut = rerouted.as_ref().map(|_| failures.cut(&*routing));
    let judged: &dyn Routing = match &rerouted {
        None => &*routing,
        Some(rerouted) => rerouted,
    };
    if let (Some(cut), true) = (&cut, args.write_tables.is_some())
        && cut.disconnected > 0
    {
        let found = format!(
            "{} of {} pairs of nodes have no shortest path, and a table has one for each",
            cut.disconnected, cut.pairs
        );
        return Err(usage("--write-tables", found, "leave it out"));
    }
    let found = ratio_with_progress(judged);

    if let Some(path) = &args.witness {
        file::write(path, |out| write_witness(out, args, judged, &found))?;
    }
    if let Some(path) = &args.write_tables {
        file::write(path, |out| csv::write(judged, out))?;
    }
    if let (Some(path), Some(end_ports)) = (&args.write_nodes, &end_ports) {
        file::write(path, |out| subnet::write_nodes(end_ports, out))?;
    }
    let document = document(names, judged, &found, cut);
    args.json.write(&document)?;
    match to_stdout {
        true => Ok(()),
        false => output::print(&format!("{}\n", table(&document))),
    }
}

/// Fails for what takes more than there is room for, before the work.
fn check_size(args: &ObliviousArgs, routing: &dyn Routing) -> Result<(), Error> {
    let tree = routing.tree();
    if args.write_tables.is_some() && tree.nodes() > table::NODES_MAX {
        let (found, most) = (tree.nodes(), table::NODES_MAX);
        let found = format!("found a tree of {found} nodes, expected at most {most}");
        return Err(usage("--write-tables", found, "leave it out"));
    }
    let messages = u64::from(args.messages) * u64::from(tree.nodes());
    if args.witness.is_some() && messages > MESSAGES_MAX {
        let found =
            format!("found up to {messages} messages in all, expected at most {MESSAGES_MAX}");
        let help = "send fewer messages between each pair";
        return Err(usage("--messages", found, help));
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let bytes = ratio::bytes_at_least(tree, threads);
    if bytes > BYTES_MAX {
        let found = format!(
            "{tree} has {} nodes, whose pairs take at least {} GiB of memory; expected at most {}",
            tree.nodes(),
            bytes >> 30,
            BYTES_MAX >> 30
        );
        let origin = args.config.origin();
        let help = "ask for a smaller tree: set network.ports or network.levels lower";
        let diagnostic = Diagnostic::new("network", found, help);
        return Err(Error::one(Class::Usage, origin, diagnostic));
    }
    Ok(())
}

/// The ratio; how far it is is shown meanwhile.
fn ratio_with_progress(routing: &dyn Routing) -> ObliviousRatio {
    let display = Mutex::new(Display::new());
    oblivious_ratio_watched(routing, 0, &|done, all| {
        let mut display = display.lock().unwrap_or_else(PoisonError::into_inner);
        display.part("sub-fat-tree", done as u64, all as u64);
    })
}

type Tables = (Arc<dyn Routing>, Option<Vec<EndPort>>);

/// The routing of the tables, where there are any, and the end ports of its nodes where it is that of
/// a subnet.
fn read_tables(args: &ObliviousArgs, routing: Arc<dyn Routing>) -> Result<Tables, Error> {
    let Some(path) = &args.tables else {
        return Ok((routing, None));
    };
    let origin = path.display().to_string();
    let Some(wiring) = &args.wiring else {
        let mut tables = text_input::open(path, input::ROUTING_TABLE, "a routing table (CSV)")?;
        refuse_subnet(&mut tables, &origin)?;
        let table = csv::read(tables, &origin, routing.tree())?;
        return Ok((Arc::new(table), None));
    };
    let wiring_origin = wiring.display().to_string();
    let wires = text_input::open(wiring, input::WIRING, "the output of ibnetdiscover")?;
    let written = "the output of dump_lfts.sh or opensm-lfts.dump";
    let tables = text_input::open(path, input::ROUTING_TABLE, written)?;
    let found = subnet::read((wires, &wiring_origin), (tables, &origin))?;
    if let Some(first) = found.aggregation_nodes.first() {
        let count = found.aggregation_nodes.len();
        let message = match count {
            1 => "it is an aggregation node of a switch and no host, so it is left out".to_owned(),
            _ => format!(
                "it and {} more are aggregation nodes of switches and no hosts, so they are left out",
                count - 1
            ),
        };
        warn(&wiring_origin, &Diagnostic::new(first, message, ""));
    }
    let (tree, expected): (PortTree, PortTree) = (found.table.tree(), routing.tree());
    if tree != expected {
        let diagnostic = Diagnostic::new(
            "wiring",
            format!("found {tree}, expected {expected}, the tree of the configuration"),
            format!(
                "set network.ports = {} and network.levels = {}",
                tree.ports(),
                tree.levels()
            ),
        );
        return Err(Error::one(Class::Input, wiring_origin, diagnostic));
    }
    Ok((Arc::new(found.table), Some(found.end_ports)))
}

/// Refuses forwarding tables where a table with the ports of every path is expected.
fn refuse_subnet(tables: &mut impl BufRead, origin: &str) -> Result<(), Error> {
    let fail = |error| Error::io(origin.as_ref(), "reading", &error);
    let beginning = String::from_utf8_lossy(tables.fill_buf().map_err(fail)?);
    let mut lines = beginning.lines();
    if !lines.any(|line| line.starts_with("Unicast lids")) {
        return Ok(());
    }
    let found = "found forwarding tables of an InfiniBand subnet, expected a routing table (CSV)";
    let help = "give the output of ibnetdiscover as well, with --wiring FILE";
    Err(Error::one(
        Class::Input,
        origin,
        Diagnostic::new("content", found, help),
    ))
}

/// Writes the worst permutation as a trace, all of it at time 0.
fn write_witness(
    out: &mut dyn Write,
    args: &ObliviousArgs,
    routing: &dyn Routing,
    found: &ObliviousRatio,
) -> io::Result<()> {
    let (tree, name) = (routing.tree(), routing.name());
    writeln!(
        out,
        "# the worst permutation of {} on {tree}: oblivious ratio {}",
        escape::line(&name),
        found.ratio
    )?;
    writeln!(out, "{}", COLUMNS.join(","))?;
    for _ in 0..args.messages {
        for (source, destination) in &found.witness {
            writeln!(out, "0,{source},{destination},{}", args.bytes)?;
        }
    }
    Ok(())
}

fn document(
    failed: Vec<String>,
    routing: &dyn Routing,
    found: &ObliviousRatio,
    cut: Option<Cut>,
) -> Document {
    let tree = routing.tree();
    let (from, to) = tree.ends(found.link);
    let levels = (0..)
        .zip(&found.levels)
        .map(|(level, ratios)| LevelDocument {
            level,
            up: ratios.up.to_string(),
            down: ratios.down.to_string(),
        });
    Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        tree: tree.to_string(),
        nodes: tree.nodes(),
        routing: routing.name(),
        oblivious_ratio: found.ratio.to_string(),
        oblivious_ratio_value: number(found.ratio),
        over: match cut {
            None => "optimal load",
            Some(_) => "optimal load of the tree without failures",
        },
        link: LinkDocument {
            level: found.link.level,
            direction: match found.link.direction {
                LinkDirection::Up => "up",
                LinkDirection::Down => "down",
            },
            from: tree.label(from).to_string(),
            to: tree.label(to).to_string(),
        },
        witness: found.witness.clone(),
        levels: levels.collect(),
        failures: cut.map(|cut| FailuresDocument {
            failed,
            pairs: cut.pairs,
            cut_pairs: cut.all,
            partly_cut_pairs: cut.some,
            disconnected_pairs: cut.disconnected,
        }),
    }
}

fn number(ratio: Ratio<u64>) -> f64 {
    *ratio.numer() as f64 / *ratio.denom() as f64
}

fn table(document: &Document) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let mut row = |name: &str, text: String| {
        table.add_row([name, &*escape::line(&text)]);
    };
    row(
        "tree",
        format!("{}, {} nodes", document.tree, document.nodes),
    );
    row("routing", document.routing.clone());
    if let Some(failures) = &document.failures {
        row("failed", failures.failed.join(", "));
        row(
            "pairs cut before rerouting",
            format!(
                "{} of {}, and {} in part",
                failures.cut_pairs, failures.pairs, failures.partly_cut_pairs
            ),
        );
        row(
            "pairs disconnected",
            failures.disconnected_pairs.to_string(),
        );
    }
    let mut ratio = document.oblivious_ratio.clone();
    if ratio.contains('/') {
        let _ = write!(ratio, " = {:.3}", document.oblivious_ratio_value);
    }
    row("oblivious ratio", ratio);
    row("over", document.over.to_owned());
    let link = &document.link;
    row("worst link", format!("{} to {}", link.from, link.to));
    row(
        "pairs of the worst permutation",
        document.witness.len().to_string(),
    );
    for level in &document.levels {
        row(
            &format!("level {}", level.level),
            format!("{} up, {} down", level.up, level.down),
        );
    }
    table
}
