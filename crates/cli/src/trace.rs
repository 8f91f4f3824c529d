//! `crosswave trace`.

use std::path::PathBuf;

use clap::Args;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};
use serde::Serialize;

use super::output::{self, Format, JsonArgs, Output};
use super::progress::{Display, Progress, RunPart};
use super::{ConfigArgs, interrupt};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file;
use crosswave_observe::life::events::{AttemptLine, MessageLine, RouterNames};
use crosswave_observe::life::story::Story;
use crosswave_observe::life::{AttemptRecord, Breakdown, EndOfAttempt, Follower, ladder};
use crosswave_probe::message::NEVER;
use crosswave_run::host::{End, Outcome};
use crosswave_run::simulation::Simulation;

#[derive(Debug, Args)]
pub(super) struct TraceArgs {
    #[command(flatten)]
    config: ConfigArgs,
    /// Message, by its id: the first column of --messages
    message: u32,
    /// Replicate
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    replicate: u32,
    /// Draw the message as a ladder diagram; - is standard output
    #[arg(long, value_name = "FILE|-")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    json: JsonArgs,
}

/// The life of a message, as JSON.
#[derive(Debug, Serialize)]
struct Document<'n> {
    crosswave: &'static str,
    /// `None` when it was not acknowledged.
    message: Option<MessageLine>,
    attempts: Vec<AttemptLine<'n>>,
}

pub(super) fn trace(args: &TraceArgs) -> Result<(), Error> {
    let config = args.config.read_sourced(&[])?.config;
    let svg = Output::new("--svg", Format::Svg, args.svg.as_deref());
    let outputs: Vec<Output<'_>> = svg.into_iter().chain(args.json.output()).collect();
    let to_stdout = output::check(&outputs)?;
    super::check_replicate(&config, args.replicate)?;
    super::check_followed(&config, "trace")?;
    let simulation = Simulation::new(&config)?;
    let replicate = simulation.replicate(args.replicate)?;
    let messages = replicate.workload.messages.len();
    if args.message as usize >= messages {
        let found = match messages {
            0 => format!("found {}; there are no messages", args.message),
            _ => format!(
                "found {}; expected one of 0..={}",
                args.message,
                messages - 1
            ),
        };
        let help = "the first column of crosswave run --messages has the messages";
        return Err(super::usage("message", found, help));
    }
    let mut story = Story::of(args.message);
    let mut follower = Follower::new(simulation.network(), simulation.fabric(), &mut story);
    let part = RunPart {
        first: args.replicate,
        count: 1,
        all: config.run.replicates,
        cycles_max: simulation.cycles_max(&replicate.workload),
    };
    let (mut display, mut nothing) = (Display::new(), ());
    let progress = Progress::new(&mut display, part, &mut nothing);
    let outcome = simulation.run_one(&replicate, &mut (progress, &mut follower))?;
    follower.finish().expect("a story takes all records");
    let fabric = simulation.fabric();
    if let Some(path) = &args.svg {
        let picture = ladder::draw(&story, &mut RouterNames::new(fabric));
        file::write(path, |out| out.write_all(picture.as_bytes()))?;
    }
    let mut names = RouterNames::new(fabric);
    story
        .attempts
        .iter()
        .for_each(|attempt| names.find(&attempt.hops));
    args.json.write(&Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        message: story
            .life
            .as_ref()
            .map(|life| MessageLine::of(args.replicate, life)),
        attempts: story
            .attempts
            .iter()
            .map(|attempt| AttemptLine::of(&names, args.replicate, attempt))
            .collect(),
    })?;
    if !to_stdout {
        output::print(&text(&story, &names))?;
    }
    not_acknowledged(&story, &outcome)
}

/// Fails when the message was not acknowledged.
fn not_acknowledged(story: &Story, outcome: &Outcome) -> Result<(), Error> {
    if story.life.is_some() {
        return Ok(());
    }
    if outcome.end == End::Interrupted {
        return Err(interrupt::interruption());
    }
    let found = format!(
        "it was not acknowledged by cycle {}, in which the run ended",
        outcome.last_cycle
    );
    let help = "raise run.cycles_max, or look at what it waits for";
    let place = format!("message {}", story.id);
    Err(Error::one(
        Class::Check,
        "trace",
        Diagnostic::new(place, found, help),
    ))
}

fn text(story: &Story, names: &RouterNames<'_>) -> String {
    let mut text = String::new();
    if let Some(first) = story.attempts.first() {
        let ends = format!("node {} to node {}", first.source, first.destination);
        text += &format!("message {}: {ends}\n", story.id);
    }
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header(["attempt", "cycle", "where", "in", "out", "what"]);
    for column in [0, 1] {
        let column = table.column_mut(column).expect("six columns");
        column.set_cell_alignment(CellAlignment::Right);
    }
    for attempt in &story.attempts {
        let acknowledged = attempt.end == EndOfAttempt::Acknowledged;
        let life = story.life.as_ref().filter(|_| acknowledged);
        let delivered = life.map_or(NEVER, |life| life.message.delivered_cycle);
        for row in rows(attempt, delivered, names) {
            table.add_row(row);
        }
    }
    text += &format!("{table}\n");
    if let Some(life) = &story.life {
        text += &latency(life.message.latency_cycles(), life.breakdown.as_ref());
    }
    text
}

/// A latency, split into its parts if these are known.
fn latency(cycles: u64, breakdown: Option<&Breakdown>) -> String {
    let Some(breakdown) = breakdown else {
        return format!("latency: {cycles} cycles\n");
    };
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header(["latency", "cycles", "%"]);
    for column in [1, 2] {
        let column = table.column_mut(column).expect("three columns");
        column.set_cell_alignment(CellAlignment::Right);
    }
    let parts = breakdown.parts().into_iter().chain([("all", cycles)]);
    for (name, part) in parts {
        let share = 100.0 * part as f64 / cycles.max(1) as f64;
        table.add_row([name.to_owned(), part.to_string(), format!("{share:.1}")]);
    }
    format!("{table}\n")
}

/// The rows of an attempt, which was delivered in a cycle or [`NEVER`].
fn rows(attempt: &AttemptRecord, delivered: u64, names: &RouterNames<'_>) -> Vec<[String; 6]> {
    let port = |link: u8| names.port(link).unwrap_or_default().to_owned();
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
        let ports = [port(hop.input), port(hop.output)];
        let name = names.known(hop.router);
        if hop.left_cycle != NEVER {
            let clocks = hop.left_cycle - hop.arrived_cycle;
            let what = match clocks {
                1 => "passes in 1 clock".to_owned(),
                clocks => format!("passes in {clocks} clocks"),
            };
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
