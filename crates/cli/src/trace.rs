//! `crosswave trace`.

mod packet;

use std::path::PathBuf;

use clap::Args;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, ColumnConstraint, Table};
use serde::Serialize;

use super::output::{self, Format, JsonArgs, Output};
use super::progress::{Display, Progress, RunPart};
use super::{ConfigArgs, interrupt};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file;
use crosswave_observe::life::blocked::{self, BlockedLine};
use crosswave_observe::life::events::{AttemptLine, MessageLine, RouterNames};
use crosswave_observe::life::fold::{FoldedAttempts, TracePart, fold, unfolded};
use crosswave_observe::life::story::Story;
use crosswave_observe::life::{AttemptRecord, Breakdown, EndOfAttempt, Follower, ladder};
use crosswave_probe::message::NEVER;
use crosswave_run::config::Config;
use crosswave_run::host::{End, Outcome};
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::result::Span;
use crosswave_run::simulation::Simulation;

mod blockers;
mod slowest;

/// Rows of a table of attempts above which repeated ones are folded.
const ROWS_MAX: usize = 44;

#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Message, by its id: the first column of --messages
    #[arg(conflicts_with = "slowest")]
    message: Option<u32>,
    /// List the N slowest messages, and the outputs at which the most attempts were rejected
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        default_missing_value = "10",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    slowest: Option<u32>,
    /// Replicate
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    replicate: u32,
    /// Draw the message as a ladder diagram; - is standard output
    #[arg(long, value_name = "FILE|-", conflicts_with = "slowest")]
    svg: Option<PathBuf>,
    /// Show every attempt: repeated ones are folded otherwise
    #[arg(long, conflicts_with = "slowest")]
    all_attempts: bool,
    #[command(flatten)]
    json: JsonArgs,
}

/// The trace of a message, as JSON.
#[derive(Debug, Serialize)]
struct Document<'n> {
    crosswave: &'static str,
    /// `None` when it was not acknowledged.
    message: Option<MessageLine>,
    latency: Span,
    attempts: Vec<AttemptLine<'n>>,
    blocked_by: Vec<BlockedLine>,
}

pub(super) fn trace(args: &TraceArgs) -> Result<(), Error> {
    let Some(message) = args.message else {
        return match args.slowest {
            Some(most) => slowest::trace(args, most),
            None => Err(super::usage(
                "message",
                "found neither a message nor --slowest; expected one of them",
                "--slowest lists the slowest messages, each with its id",
            )),
        };
    };
    let config = args.config.read_sourced(&[])?.config;
    let svg = Output::new("--svg", Format::Svg, args.svg.as_deref());
    let outputs: Vec<Output<'_>> = svg.into_iter().chain(args.json.output()).collect();
    let to_stdout = output::check(&outputs)?;
    let (simulation, replicate) = simulation(args, &config)?;
    let messages = replicate.workload.messages.len();
    if message as usize >= messages {
        let found = match messages {
            0 => format!("found {message}; there are no messages"),
            _ => format!("found {message}; expected 0 to {}", messages - 1),
        };
        let help = "the first column of crosswave run --messages has the messages";
        return Err(super::usage("message", found, help));
    }
    let mut story = Story::of(message);
    let mut follower = Follower::new(simulation.network(), simulation.fabric(), &mut story);
    let outcome = run(args, &simulation, &replicate, &mut follower)?;
    follower.finish().expect("a story takes all records");
    let fabric = simulation.fabric();
    if let Some(path) = &args.svg {
        let picture = ladder::draw(&story, args.all_attempts, &mut RouterNames::new(fabric));
        file::write(path, |out| out.write_all(picture.as_bytes()))?;
    }
    let span = Span::message(config.network.kind().packets);
    let mut names = RouterNames::new(fabric);
    story
        .attempts
        .iter()
        .for_each(|attempt| names.find(&attempt.hops));
    args.json.write(&document(args, &story, span, &mut names))?;
    if !to_stdout {
        let text = text(&story, args.all_attempts, span, &mut names);
        output::print(&text)?;
    }
    not_acknowledged(&story, &outcome)
}

/// The simulation of a replicate whose messages can be followed.
fn simulation(args: &TraceArgs, config: &Config) -> Result<(Simulation, Replicate), Error> {
    super::check_replicate(config, args.replicate)?;
    let simulation = Simulation::new(config)?;
    let replicate = simulation.replicate(args.replicate)?;
    Ok((simulation, replicate))
}

/// Runs a replicate before an observer, and shows the progress.
fn run(
    args: &TraceArgs,
    simulation: &Simulation,
    replicate: &Replicate,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let part = RunPart {
        first: args.replicate,
        count: 1,
        all: simulation.config().run.replicates,
        cycles_max: simulation.cycles_max(&replicate.workload),
    };
    let (mut display, mut nothing) = (Display::new(), ());
    let progress = Progress::new(&mut display, part, &mut nothing);
    simulation.run_one(replicate, &mut (progress, observer))
}

fn document<'n>(
    args: &TraceArgs,
    story: &Story,
    latency: Span,
    names: &'n mut RouterNames<'_>,
) -> Document<'n> {
    let blocked_by = blocked::blocked_by(&story.attempts);
    let blocked_by = blocked_by
        .iter()
        .map(|blocked| BlockedLine::of(names, blocked));
    let blocked_by = blocked_by.collect();
    let names = &*names;
    let message = story.life.as_ref();
    let attempts = story.attempts.iter();
    Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        message: message.map(|life| MessageLine::of(args.replicate, life)),
        latency,
        attempts: attempts
            .map(|attempt| AttemptLine::of(names, args.replicate, attempt))
            .collect(),
        blocked_by,
    }
}

/// Fails when the message was not acknowledged.
fn not_acknowledged(story: &Story, outcome: &Outcome) -> Result<(), Error> {
    if story.life.is_some() {
        return Ok(());
    }
    if let Some(error) = packet::lost(story) {
        return Err(error);
    }
    if outcome.end == End::Interrupted {
        return Err(interrupt::interruption());
    }
    let found = format!(
        "it was not acknowledged by cycle {}, in which the run ended",
        outcome.last_cycle
    );
    let help = match outcome.end {
        End::Stalled => {
            "nothing happened at any node for long: `crosswave run` says which links wait"
        }
        _ => "raise run.cycles_max, or look at what it waits for",
    };
    let place = format!("message {}", story.id);
    Err(Error::one(
        Class::Check,
        "trace",
        Diagnostic::new(place, found, help),
    ))
}

fn text(story: &Story, all_attempts: bool, span: Span, names: &mut RouterNames<'_>) -> String {
    let mut text = String::new();
    if let Some(ends) = story.ends() {
        text += &format!("message {}: {ends}\n", story.id);
    }
    let are_packets = story.attempts.iter().any(|one| one.packet.is_some());
    let number = if are_packets { "packet" } else { "attempt" };
    let mut table = table([number, "cycle", "where", "in", "out", "what"], &[0, 1]);
    let part_rows = |part: &TracePart<'_>, names: &mut RouterNames<'_>| match part {
        TracePart::Whole(attempt) => {
            let acknowledged = attempt.end == EndOfAttempt::Acknowledged;
            let life = story.life.as_ref().filter(|_| acknowledged);
            let delivered = life.map_or(NEVER, |life| life.message.delivered_cycle);
            match attempt.packet {
                None => rows(attempt, delivered, names),
                Some(packet) => packet::rows(attempt, packet, names),
            }
        }
        TracePart::Folded(folded) => vec![folded_row(*folded, names)],
    };
    let parts = match all_attempts {
        true => unfolded(&story.attempts),
        false => fold(&story.attempts, |parts| {
            let rows = parts.iter().map(|part| match part {
                TracePart::Whole(attempt) => attempt.hops.len() + 3,
                TracePart::Folded(_) => 1,
            });
            rows.sum::<usize>() <= ROWS_MAX
        }),
    };
    let mut before = Vec::new();
    for part in &parts {
        let rows = part_rows(part, names);
        // Copies of a packet have the first part of their route in common.
        let pairs = rows.iter().zip(&before);
        let in_common = pairs.take_while(|(row, other)| row == other).count();
        for row in &rows[in_common..] {
            table.add_row(row);
        }
        before = rows;
    }
    text += &format!("{table}\n");
    if parts.len() < story.attempts.len() {
        text += "repeated attempts are folded, and (3) means three times; --all-attempts shows \
                 every one\n";
    }
    if let Some(life) = &story.life {
        let Span { from, to } = span;
        let cycles = life.message.latency_cycles();
        text += &format!("latency, from {from} to {to}: {cycles} cycles\n");
        text += &latency(cycles, life.breakdown.as_ref());
    }
    let blocked_by = blocked::blocked_by(&story.attempts);
    text += &blockers::table(&blocked_by, all_attempts, names);
    text
}

/// A number of cycles in words.
fn cycles(cycles: u64) -> String {
    match cycles {
        1 => "1 cycle".to_owned(),
        cycles => format!("{cycles} cycles"),
    }
}

/// A table with columns of numbers.
fn table<const N: usize>(header: [&str; N], numbers: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header(header);
    for &column in numbers {
        let column = table.column_mut(column).expect("a column of the header");
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// The same of rows, without the columns in which no row has anything.
fn filled_table<const N: usize>(
    header: [&str; N],
    numbers: &[usize],
    rows: &[[String; N]],
) -> Table {
    let mut table = table(header, numbers);
    table.add_rows(rows);
    for column in 0..N {
        if rows.iter().all(|row| row[column].is_empty()) {
            let column = table.column_mut(column).expect("a column of the header");
            column.set_constraint(ColumnConstraint::Hidden);
        }
    }
    table
}

/// The row of attempts that are folded.
fn folded_row(folded: FoldedAttempts<'_>, names: &mut RouterNames<'_>) -> [String; 6] {
    let told = format!(
        "rejected {} until cycle {}: {}",
        folded.times(),
        folded.to_cycle(),
        folded.causes(names)
    );
    [
        folded.numbers(),
        folded.from_cycle().to_string(),
        folded.places(names),
        String::new(),
        String::new(),
        told,
    ]
}

/// A latency, split into its parts if these are known.
fn latency(cycles: u64, breakdown: Option<&Breakdown>) -> String {
    let Some(breakdown) = breakdown else {
        return String::new();
    };
    let mut table = table(["latency", "cycles", "%"], &[1, 2]);
    let parts = breakdown.parts().into_iter().chain([("all", cycles)]);
    for (name, part) in parts {
        let share = 100.0 * part as f64 / cycles.max(1) as f64;
        table.add_row([name.to_owned(), part.to_string(), format!("{share:.1}")]);
    }
    format!("{table}\n")
}

/// The rows of an attempt, which was delivered in a cycle or [`NEVER`].
fn rows(attempt: &AttemptRecord, delivered: u64, names: &RouterNames<'_>) -> Vec<[String; 6]> {
    let source = format!("node {}", attempt.source);
    let row = |cycle: u64, place: &str, ports: [String; 2], what: String| {
        let [from, to] = ports;
        let number = attempt.attempt.to_string();
        [number, cycle.to_string(), place.to_owned(), from, to, what]
    };
    let none = || [String::new(), String::new()];
    let mut rows = vec![row(
        attempt.launched_cycle,
        &source,
        none(),
        "launched".into(),
    )];
    for hop in &attempt.hops {
        let port = |link: u8| {
            let name = names.port(hop.router, link);
            name.unwrap_or_default().to_owned()
        };
        let ports = [port(hop.input), port(hop.output)];
        let name = names.known(hop.router);
        if hop.left_cycle != NEVER {
            let what = format!("passes in {}", cycles(hop.left_cycle - hop.arrived_cycle));
            rows.push(row(hop.left_cycle, name, ports, what));
        } else if let Some(collision) = &attempt.collision {
            let rivals = collision.rivals.iter().map(|rival| {
                let does = match rival.freed_cycle {
                    NEVER => "is held by",
                    _ => "awaits the answer to",
                };
                format!(
                    "{} {does} message {} (attempt {}, from {}) since cycle {}",
                    port(rival.output),
                    rival.id,
                    rival.attempt,
                    port(rival.input),
                    match rival.freed_cycle {
                        NEVER => rival.since_cycle,
                        freed => freed,
                    }
                )
            });
            let rivals: Vec<String> = rivals.collect();
            let what = match rivals.is_empty() {
                true => "rejected: what it wants is off".to_owned(),
                false => format!("rejected: {}", rivals.join("; ")),
            };
            rows.push(row(collision.cycle, name, ports, what));
        }
    }
    let node = format!("node {}", attempt.destination);
    let mut last = [
        (attempt.reached_cycle, &node, "the head is there"),
        (delivered, &node, "delivered"),
        (attempt.end_cycle, &source, attempt.end.name()),
    ];
    // An early acknowledgement comes before the delivery.
    last.sort_by_key(|(cycle, ..)| *cycle);
    let last = last.into_iter().filter(|(cycle, ..)| *cycle != NEVER);
    rows.extend(last.map(|(cycle, place, what)| row(cycle, place, none(), what.into())));
    rows
}
