//! `crosswave schedule messages`: operations as traces of messages that wait for each other.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use serde::Serialize;

use super::tree_args::RootArgs;
use crate::output::{self, Format, JsonArgs, Output};
use crate::usage;
use crosswave_base::diagnostic::Error;
use crosswave_base::file;
use crosswave_collectives::messages::{Algorithm, GraphError, MESSAGES_MAX, MessageGraph};
use crosswave_network::traffic;
use crosswave_network::traffic::trace::{AFTER, COLUMNS};

/// Every graph is a trace that can be read.
const _: () = assert!(MESSAGES_MAX <= traffic::MESSAGES_MAX);

#[derive(Debug, Args)]
pub(super) struct MessagesArgs {
    #[command(subcommand)]
    operation: Of,
}

#[derive(Debug, Subcommand)]
enum Of {
    /// A message from one processor to all others, along a binomial tree
    Broadcast {
        #[command(flatten)]
        root: RootArgs,
        #[command(flatten)]
        made: MadeArgs,
    },
    /// A message from one processor to each other one
    Scatter {
        #[command(flatten)]
        root: RootArgs,
        /// The algorithm that makes it
        #[arg(long, value_enum, default_value_t = RootedBy::Direct)]
        by: RootedBy,
        #[command(flatten)]
        made: MadeArgs,
    },
    /// A message from each other processor to one
    Gather {
        #[command(flatten)]
        root: RootArgs,
        /// The algorithm that makes it
        #[arg(long, value_enum, default_value_t = RootedBy::Direct)]
        by: RootedBy,
        #[command(flatten)]
        made: MadeArgs,
    },
    /// A message from every processor to all others
    MultinodeBroadcast {
        /// The algorithm that makes it
        #[arg(long, value_enum, default_value_t = MultinodeBy::Doubling)]
        by: MultinodeBy,
        #[command(flatten)]
        made: MadeArgs,
    },
    /// A message from every processor to each other one
    TotalExchange {
        /// The algorithm that makes it
        #[arg(long, value_enum, default_value_t = ExchangeBy::Xor)]
        by: ExchangeBy,
        #[command(flatten)]
        made: MadeArgs,
    },
    /// Nobody goes on before all have come, by dissemination
    Barrier {
        #[command(flatten)]
        made: MadeArgs,
    },
    /// A sum over all processors, of which all get the result, by exchanges
    Allreduce {
        #[command(flatten)]
        made: MadeArgs,
    },
}

#[derive(Debug, Args)]
struct MadeArgs {
    /// Processors: 2 to 1,048,576, and but for a barrier, a ring and shifts a power of two
    #[arg(long, value_name = "N")]
    nodes: u32,
    /// Bytes of the message of one processor; of several that are sent as one they add up
    #[arg(long, value_name = "B", default_value_t = 1)]
    bytes: u32,
    /// Write the messages as a trace (CSV); - is standard output, with nothing else
    #[arg(long, value_name = "FILE|-")]
    out: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RootedBy {
    /// Between the root and each other processor, the furthest first
    Direct,
    /// Along a binomial tree, several in one
    Binomial,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MultinodeBy {
    /// In exchanges whose sizes double
    Doubling,
    /// Round a ring
    Ring,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ExchangeBy {
    /// To source XOR k in step k
    Xor,
    /// The same, each step waiting for what was sent in the one before
    XorStepwise,
    /// To source + k in step k
    Shifted,
    /// The same, each step waiting for what was sent in the one before
    ShiftedStepwise,
}

/// The messages that were made, as JSON.
#[derive(Debug, Serialize)]
struct Document {
    crosswave: &'static str,
    operation: &'static str,
    by: Option<&'static str>,
    root: Option<u32>,
    nodes: u32,
    messages: usize,
    /// Bytes of all messages.
    bytes: u64,
    /// Messages of the longest chain in which each comes after the one before.
    longest_chain: u32,
}

/// Makes the messages of an operation, and writes them.
pub(super) fn make(args: &MessagesArgs) -> Result<(), Error> {
    let mut at = 0;
    let (algorithm, made) = match &args.operation {
        Of::Broadcast { root, made } => {
            at = root.root;
            (Algorithm::Broadcast, made)
        }
        Of::Scatter { root, by, made } => {
            at = root.root;
            match by {
                RootedBy::Direct => (Algorithm::ScatterDirect, made),
                RootedBy::Binomial => (Algorithm::ScatterBinomial, made),
            }
        }
        Of::Gather { root, by, made } => {
            at = root.root;
            match by {
                RootedBy::Direct => (Algorithm::GatherDirect, made),
                RootedBy::Binomial => (Algorithm::GatherBinomial, made),
            }
        }
        Of::MultinodeBroadcast { by, made } => match by {
            MultinodeBy::Doubling => (Algorithm::MultinodeDoubling, made),
            MultinodeBy::Ring => (Algorithm::MultinodeRing, made),
        },
        Of::TotalExchange { by, made } => match by {
            ExchangeBy::Xor => (Algorithm::ExchangeXor, made),
            ExchangeBy::XorStepwise => (Algorithm::ExchangeXorStepwise, made),
            ExchangeBy::Shifted => (Algorithm::ExchangeShifted, made),
            ExchangeBy::ShiftedStepwise => (Algorithm::ExchangeShiftedStepwise, made),
        },
        Of::Barrier { made } => (Algorithm::Barrier, made),
        Of::Allreduce { made } => (Algorithm::Allreduce, made),
    };
    let out = Output::new("--out", Format::Csv, made.out.as_deref());
    let outputs: Vec<Output<'_>> = out.into_iter().chain(made.json.output()).collect();
    let to_stdout = output::check(&outputs)?;
    let graph = algorithm.graph(made.nodes, at);
    let graph = graph.map_err(|error| not_made(&error))?;
    let root = algorithm.has_root().then_some(at);
    if let Some(path) = &made.out {
        file::write(path, |out| write(out, &graph, algorithm, root, made))?;
    }
    let blocks = graph.messages().iter().map(|message| message.blocks);
    let document = Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        operation: algorithm.operation(),
        by: algorithm.way(),
        root,
        nodes: made.nodes,
        messages: graph.messages().len(),
        bytes: blocks.map(u64::from).sum::<u64>() * u64::from(made.bytes),
        longest_chain: graph.longest_chain(),
    };
    made.json.write(&document)?;
    match to_stdout {
        true => Ok(()),
        false => output::print(&format!("{}\n", table(&document))),
    }
}

/// The error for messages that cannot be made.
fn not_made(error: &GraphError) -> Error {
    let (place, help) = match error {
        GraphError::Root { .. } => ("--root", ""),
        GraphError::Processors(_) => ("--nodes", "such as --nodes 64"),
        GraphError::PowerOfTwo(_) => (
            "--nodes",
            "a barrier, a ring and shifts are made of any number",
        ),
        GraphError::TooMany(_) => ("--nodes", "take fewer nodes"),
    };
    usage(place, error.to_string(), help)
}

/// Writes a graph as a trace, all of it at time 0, under the command that makes it.
fn write(
    out: &mut dyn Write,
    graph: &MessageGraph,
    algorithm: Algorithm,
    root: Option<u32>,
    made: &MadeArgs,
) -> io::Result<()> {
    let way = algorithm.way().map(|way| format!(" --by {way}"));
    let root = root.map(|root| format!(" --root {root}"));
    let (way, root) = (way.unwrap_or_default(), root.unwrap_or_default());
    let MadeArgs { nodes, bytes, .. } = made;
    let operation = algorithm.operation();
    writeln!(
        out,
        "# crosswave schedule messages {operation}{way}{root} --nodes {nodes} --bytes {bytes}"
    )?;
    writeln!(out, "{},{AFTER}", COLUMNS.join(","))?;
    for (id, message) in graph.messages().iter().enumerate() {
        let bytes = u64::from(message.blocks) * u64::from(*bytes);
        write!(out, "0,{},{},{bytes},", message.source, message.destination)?;
        for (place, before) in graph.after(id).iter().enumerate() {
            let space = if place == 0 { "" } else { " " };
            write!(out, "{space}{before}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn table(document: &Document) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let way = document.by.map(|way| format!(", {way}"));
    let root = document.root.map(|root| format!(", root {root}"));
    let name = document.operation.replace('-', " ");
    let parts = [way, root].map(Option::unwrap_or_default).concat();
    table.add_row(["operation".to_owned(), name + &parts]);
    table.add_row(["nodes".to_owned(), document.nodes.to_string()]);
    table.add_row(["messages".to_owned(), document.messages.to_string()]);
    table.add_row(["bytes".to_owned(), document.bytes.to_string()]);
    let chain = format!("{} messages", document.longest_chain);
    table.add_row(["longest chain".to_owned(), chain]);
    table
}
