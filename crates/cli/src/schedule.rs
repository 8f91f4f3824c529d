//! `crosswave schedule`.

mod hardware;
mod messages;
mod tree_args;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use self::hardware::{Hardware, HardwareArgs};
use self::messages::MessagesArgs;
use self::tree_args::{RootArgs, TreeArgs};
use super::output::{self, Format, JsonArgs, Output};
use super::usage;
use crosswave_base::diagnostic::Error;
use crosswave_base::escape::ShownPath;
use crosswave_base::file::{self, input};
use crosswave_collectives::generate::Discipline;
use crosswave_collectives::operation::{Exchange, Multinode, Operation, OperationError};
use crosswave_collectives::schedule::Schedule;
use crosswave_collectives::tree::BinaryFatTree;
use crosswave_collectives::{check, ideal, text};

#[derive(Debug, Args)]
pub(super) struct ScheduleArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// A message from one processor to all others
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
        /// The order in which messages are sent
        #[arg(long, value_enum, default_value_t = Order::FurthestFirst)]
        order: Order,
        #[command(flatten)]
        made: MadeArgs,
    },
    /// A message from each other processor to one
    Gather {
        #[command(flatten)]
        root: RootArgs,
        #[command(flatten)]
        made: MadeArgs,
    },
    /// A message from every processor to all others
    MultinodeBroadcast {
        /// The algorithm that makes it
        #[arg(long, value_enum, default_value_t = MultinodeBy::Nested)]
        by: MultinodeBy,
        #[command(flatten)]
        made: MadeArgs,
    },
    /// A message from every processor to each other one
    TotalExchange {
        /// The algorithm that makes it
        #[arg(long, value_enum, default_value_t = ExchangeBy::Pipelined)]
        by: ExchangeBy,
        #[command(flatten)]
        made: MadeArgs,
    },
    /// Check a schedule step by step
    #[command(
        after_help = "Exit code 1: it does not run; 3: it is none, or not of the tree.\n\nExample:\n  \
                            crosswave schedule check exchange.csv --nodes 64\n  \
                            crosswave schedule check flooding.csv --nodes 64 --capacities 1 --queues 16\n  \
                            crosswave schedule check exchange.csv --nodes 64 --engine gate --wave exchange.fst"
    )]
    Check(CheckArgs),
    /// Make an operation of messages to one processor each, as a trace for networks that do not
    /// replicate
    #[command(after_help = "Examples:\n  \
                      crosswave schedule messages barrier --nodes 64 --bytes 0 --out barrier.csv\n  \
                      crosswave schedule messages total-exchange --nodes 64 --by xor --out xor.csv")]
    Messages(MessagesArgs),
}

#[derive(Debug, Args)]
struct MadeArgs {
    #[command(flatten)]
    tree: TreeArgs,
    /// Write the schedule as CSV; - is standard output, with nothing else
    #[arg(long, value_name = "FILE|-")]
    out: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// Schedule (CSV)
    file: PathBuf,
    #[command(flatten)]
    tree: TreeArgs,
    /// Let packets wait in queues, and tell the longest; with a limit no more packets than that
    /// may wait for a link inside the network
    #[arg(long, value_name = "LIMIT", conflicts_with = "engine")]
    queues: Option<Option<u32>>,
    #[command(flatten)]
    hardware: HardwareArgs,
    #[command(flatten)]
    json: JsonArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Order {
    FurthestFirst,
    NearestFirst,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MultinodeBy {
    /// All at once, waiting in queues
    Flooding,
    /// Level after level, without queues
    Phases,
    /// Levels within each other, without queues
    Nested,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ExchangeBy {
    /// Phases one after the other, for any capacities
    Serial,
    /// Phases two steps behind each other, for any capacities
    Pipelined,
    /// In the fewest steps where capacities double
    Interleaved,
    /// In the fewest steps where capacities are 1
    Quartered,
}

/// The longest queues, as JSON.
#[derive(Debug, Serialize)]
struct Queues {
    /// Longest queues of links up, from level 0 (the processors) to the root.
    up_by_level: Vec<u32>,
    /// Longest queues of links down.
    down_by_level: Vec<u32>,
}

/// Effect of a schedule, as JSON.
#[derive(Debug, Serialize)]
struct Document {
    crosswave: &'static str,
    /// `None` when a file was checked.
    operation: Option<&'static str>,
    by: Option<&'static str>,
    root: Option<u32>,
    /// The file that was checked.
    schedule: Option<ShownPath>,
    nodes: u32,
    capacities: Vec<u32>,
    packets: usize,
    deliveries: u64,
    steps: u64,
    /// By the closed form.
    formula_steps: Option<u64>,
    /// The lower bound of the operation, when one is known.
    least_steps: Option<u64>,
    /// `None` when nothing may wait.
    queues: Option<Queues>,
    /// `None` when no chips were asked for.
    hardware: Option<Hardware>,
}

impl Document {
    /// Document of a schedule, with the result of its check or, with queues, of its simulation.
    fn new(tree: &BinaryFatTree, schedule: &Schedule, outcome: ScheduleOutcome) -> Self {
        Document {
            crosswave: env!("CARGO_PKG_VERSION"),
            operation: None,
            by: None,
            root: None,
            schedule: None,
            nodes: tree.processors(),
            capacities: (1..=tree.levels()).map(|i| tree.capacity(i)).collect(),
            packets: schedule.packets.len(),
            deliveries: outcome.deliveries,
            steps: outcome.steps,
            formula_steps: None,
            least_steps: None,
            queues: outcome.queues,
            hardware: None,
        }
    }
}

/// Result of checking or simulating a schedule.
struct ScheduleOutcome {
    steps: u64,
    deliveries: u64,
    queues: Option<Queues>,
}

impl From<check::ScheduleOutcome> for ScheduleOutcome {
    fn from(outcome: check::ScheduleOutcome) -> Self {
        ScheduleOutcome {
            steps: outcome.finish_step,
            deliveries: outcome.deliveries,
            queues: None,
        }
    }
}

impl From<ideal::QueuedOutcome> for ScheduleOutcome {
    fn from(outcome: ideal::QueuedOutcome) -> Self {
        ScheduleOutcome {
            steps: outcome.finish_step,
            deliveries: outcome.deliveries,
            queues: Some(Queues {
                up_by_level: outcome.up_queues,
                down_by_level: outcome.down_queues,
            }),
        }
    }
}

pub(super) fn schedule(args: &ScheduleArgs) -> Result<(), Error> {
    let (operation, made) = match &args.what {
        What::Check(args) => return check_file(args),
        What::Messages(args) => return messages::make(args),
        What::Broadcast { root, made } => (Operation::Broadcast { root: root.root }, made),
        What::Gather { root, made } => (Operation::Gather { root: root.root }, made),
        What::Scatter { root, order, made } => {
            let root = root.root;
            let order = match order {
                Order::FurthestFirst => Discipline::FurthestFirst,
                Order::NearestFirst => Discipline::NearestFirst,
            };
            (Operation::Scatter { root, order }, made)
        }
        What::MultinodeBroadcast { by, made } => {
            let way = match by {
                MultinodeBy::Flooding => Multinode::Flooding,
                MultinodeBy::Phases => Multinode::Phases,
                MultinodeBy::Nested => Multinode::Nested,
            };
            (Operation::MultinodeBroadcast(way), made)
        }
        What::TotalExchange { by, made } => {
            let way = match by {
                ExchangeBy::Serial => Exchange::Serial,
                ExchangeBy::Pipelined => Exchange::Pipelined,
                ExchangeBy::Interleaved => Exchange::Interleaved,
                ExchangeBy::Quartered => Exchange::Quartered,
            };
            (Operation::TotalExchange(way), made)
        }
    };
    make(operation, made)
}

/// Makes a schedule, and checks it before it is written.
fn make(operation: Operation, args: &MadeArgs) -> Result<(), Error> {
    let out = Output::new("--out", Format::Csv, args.out.as_deref());
    let outputs: Vec<Output<'_>> = out.into_iter().chain(args.json.output()).collect();
    let to_stdout = output::check(&outputs)?;
    let tree = args.tree.tree()?;
    let made = operation.schedule(&tree);
    let schedule = made.map_err(|error| not_made(&error))?;
    // A schedule that is made here has no lines, and no faults.
    let outcome = match operation.needs_queues() {
        true => ideal::run(&tree, &schedule, None)
            .map(ScheduleOutcome::from)
            .map_err(|failure| failure.error(operation.name(), &[]))?,
        false => check::check(&tree, &schedule)
            .map(ScheduleOutcome::from)
            .map_err(|fault| fault.error(operation.name(), &[]))?,
    };
    if let Some(path) = &args.out {
        file::write(path, |out| text::write(&schedule, out))?;
    }
    let document = Document {
        operation: Some(operation.name()),
        by: operation.way(),
        root: operation.root(),
        formula_steps: Some(operation.steps(&tree)),
        least_steps: operation.steps_least(&tree),
        ..Document::new(&tree, &schedule, outcome)
    };
    finish(&document, &args.json, to_stdout)
}

/// The error for an operation that cannot be made on a tree.
fn not_made(error: &OperationError) -> Error {
    let (place, help) = match error {
        OperationError::Root { .. } => ("--root", ""),
        OperationError::TooLarge { .. } => ("--nodes", "take fewer nodes"),
        OperationError::TotalExchange(_) => (
            "--by interleaved",
            "take a tree of 8 nodes or more whose capacities double, or --by pipelined",
        ),
    };
    usage(place, error.to_string(), help)
}

/// Checks a schedule that is read from a file.
fn check_file(args: &CheckArgs) -> Result<(), Error> {
    let waveform = args.hardware.output()?;
    let outputs: Vec<Output<'_>> = waveform.into_iter().chain(args.json.output()).collect();
    let to_stdout = output::check(&outputs)?;
    let tree = args.tree.tree()?;
    let origin = args.file.display().to_string();
    let opened = input::open(&args.file, input::SCHEDULE)?;
    let text::Placed { schedule, lines } = text::read(opened, &origin)?;
    let outcome = match args.queues {
        Some(limit) => ideal::run(&tree, &schedule, limit)
            .map(ScheduleOutcome::from)
            .map_err(|failure| failure.error(&origin, &lines))?,
        None => check::check(&tree, &schedule)
            .map(ScheduleOutcome::from)
            .map_err(|fault| fault.error(&origin, &lines))?,
    };
    let hardware = args.hardware.send(&tree, &schedule, &origin)?;
    let document = Document {
        schedule: Some(args.file.as_path().into()),
        hardware,
        ..Document::new(&tree, &schedule, outcome)
    };
    finish(&document, &args.json, to_stdout)
}

/// Writes the JSON, and unless something else is on standard output the tables.
fn finish(document: &Document, json: &JsonArgs, to_stdout: bool) -> Result<(), Error> {
    json.write(document)?;
    match to_stdout {
        true => Ok(()),
        false => output::print(&tables(document)),
    }
}

fn tables(document: &Document) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    if let Some(name) = document.operation {
        let way = document.by.map(|way| format!(", {way}"));
        let name = name.replace('-', " ");
        let root = document.root.map(|root| format!(", root {root}"));
        let parts = [way, root].map(Option::unwrap_or_default).concat();
        table.add_row(["operation".to_owned(), name + &parts]);
    }
    let capacities: Vec<String> = document.capacities.iter().map(u32::to_string).collect();
    let tree = format!(
        "{} nodes, capacities {}",
        document.nodes,
        capacities.join(", ")
    );
    table.add_row(["tree".to_owned(), tree]);
    table.add_row(["packets".to_owned(), document.packets.to_string()]);
    table.add_row(["deliveries".to_owned(), document.deliveries.to_string()]);
    let known = [
        ("formula", document.formula_steps),
        ("lower bound", document.least_steps),
    ];
    let known = known
        .into_iter()
        .filter_map(|(name, steps)| Some(format!(", {name} {}", steps?)));
    let steps = document.steps.to_string() + &known.collect::<String>();
    table.add_row(["steps".to_owned(), steps]);
    if let Some(hardware) = &document.hardware {
        table.add_row([
            format!("on the {} engine", hardware.engine),
            hardware.told(),
        ]);
    }
    if document.queues.is_none() {
        table.add_row(["queues", "none needed"]);
    }
    let mut text = format!("{table}\n");
    if let Some(queues) = &document.queues {
        text += &format!("{}\n", queue_table(queues));
    }
    text
}

/// The longest queues by level.
fn queue_table(queues: &Queues) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header(["longest queue at level", "up", "down"]);
    let levels = queues.up_by_level.iter().zip(&queues.down_by_level);
    for (level, (up, down)) in levels.enumerate().rev() {
        let level = match level {
            0 => "0, the nodes".to_owned(),
            level => level.to_string(),
        };
        table.add_row([level, up.to_string(), down.to_string()]);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}
