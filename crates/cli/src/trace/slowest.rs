//! `crosswave trace --slowest`.

use serde::Serialize;

use super::{TraceArgs, blockers};
use crate::interrupt;
use crate::output;
use crosswave_base::diagnostic::Error;
use crosswave_observe::life::Follower;
use crosswave_observe::life::blocked::BlockedLine;
use crosswave_observe::life::events::{MessageLine, RouterNames};
use crosswave_observe::life::slowest::{OutputHold, RejectingOutput, SlowMessage, Slowest};
use crosswave_probe::message::NEVER;
use crosswave_run::host::{End, Outcome};
use crosswave_run::result::Span;

/// Outputs that are listed.
const OUTPUTS_MAX: usize = 10;

/// The slowest messages, as JSON.
#[derive(Debug, Serialize)]
struct SlowestDocument {
    crosswave: &'static str,
    replicate: u32,
    latency: Span,
    messages_acknowledged: u64,
    /// Messages that were offered and not acknowledged when the run ended.
    messages_under_way: u64,
    oldest_under_way: Option<OldMessage>,
    /// Slowest first.
    slowest: Vec<SlowLine>,
    /// Those with most rejected attempts first.
    outputs: Vec<OutputLine>,
    /// Attempts that receivers refused.
    attempts_refused: u64,
}

/// A message that was not acknowledged.
#[derive(Debug, Clone, Copy, Serialize)]
struct OldMessage {
    message: u32,
    offered_cycle: u64,
    /// Cycles from the offer to the end of the run.
    age_cycles: u64,
}

#[derive(Debug, Serialize)]
struct SlowLine {
    #[serde(flatten)]
    message: MessageLine,
    /// The part of the latency with most cycles.
    most_cycles_in: Option<LongestPart>,
    blocked_by: Vec<BlockedLine>,
}

#[derive(Debug, Serialize)]
struct LongestPart {
    part: &'static str,
    cycles: u64,
}

#[derive(Debug, Serialize)]
struct OutputLine {
    router: String,
    output: Option<&'static str>,
    attempts_rejected: u64,
    cycles_lost: u64,
    held_longest_by: Vec<HoldLine>,
}

#[derive(Debug, Serialize)]
struct HoldLine {
    message: u32,
    attempt: u32,
    from_cycle: u64,
    freed_cycle: Option<u64>,
    held_cycles: u64,
}

pub(super) fn trace(args: &TraceArgs, most: u32) -> Result<(), Error> {
    let config = args.config.read_sourced(&[])?.config;
    let outputs: Vec<_> = args.json.output().into_iter().collect();
    let to_stdout = output::check(&outputs)?;
    let (simulation, replicate) = super::simulation(args, &config)?;
    let mut found = Slowest::new(most as usize);
    let mut follower = Follower::new(simulation.network(), simulation.fabric(), &mut found);
    let outcome = super::run(args, &simulation, &replicate, &mut follower)?;
    follower
        .finish()
        .expect("the slowest messages take all records");
    let span = Span::message(config.network.kind().packets);
    let mut names = RouterNames::new(simulation.fabric());
    let under_way = under_way(&outcome);
    let outputs = found.outputs(OUTPUTS_MAX, outcome.last_cycle);
    let (messages, refused) = (found.messages(), found.refused());
    let slowest = found.slowest();
    args.json.write(&SlowestDocument {
        crosswave: env!("CARGO_PKG_VERSION"),
        replicate: args.replicate,
        latency: span,
        messages_acknowledged: messages,
        messages_under_way: under_way.0,
        oldest_under_way: under_way.1,
        slowest: slowest
            .iter()
            .map(|slow| line(args.replicate, slow, &mut names))
            .collect(),
        outputs: outputs
            .iter()
            .map(|output| output_line(output, outcome.last_cycle, &mut names))
            .collect(),
        attempts_refused: refused,
    })?;
    if !to_stdout {
        let mut text = messages_text(slowest, messages, span, &mut names);
        if let (count, Some(oldest)) = under_way {
            text += &format!(
                "not acknowledged by cycle {}, in which the run ended: {count}; \
                 message {} was offered first, in cycle {}\n",
                outcome.last_cycle, oldest.message, oldest.offered_cycle
            );
        }
        text += &outputs_text(&outputs, outcome.last_cycle, &mut names);
        if refused > 0 {
            text += &format!("attempts that receivers refused: {refused}\n");
        }
        output::print(&text)?;
    }
    match outcome.end {
        End::Interrupted => Err(interrupt::interruption()),
        _ => Ok(()),
    }
}

/// Messages that were offered and not acknowledged: how many, and the one that was offered first.
fn under_way(outcome: &Outcome) -> (u64, Option<OldMessage>) {
    let messages = outcome.messages.iter().zip(0..);
    let left = messages.filter(|(message, _)| {
        message.acknowledged_cycle == NEVER && message.offered_cycle <= outcome.last_cycle
    });
    let (mut count, mut oldest) = (0, None);
    for (message, id) in left {
        count += 1;
        let old = OldMessage {
            message: id,
            offered_cycle: message.offered_cycle,
            age_cycles: outcome.last_cycle - message.offered_cycle,
        };
        let is_older = |before: OldMessage| old.offered_cycle < before.offered_cycle;
        if oldest.is_none_or(is_older) {
            oldest = Some(old);
        }
    }
    (count, oldest)
}

/// The part of a message's latency with most cycles, the earlier one of two.
fn longest_part(slow: &SlowMessage) -> Option<LongestPart> {
    let parts = slow.life.breakdown?.parts().into_iter().rev();
    let (part, cycles) = parts.max_by_key(|(_, cycles)| *cycles)?;
    Some(LongestPart { part, cycles })
}

fn line(replicate: u32, slow: &SlowMessage, names: &mut RouterNames<'_>) -> SlowLine {
    let blocked_by = slow.blocked_by.iter();
    SlowLine {
        message: MessageLine::of(replicate, &slow.life),
        most_cycles_in: longest_part(slow),
        blocked_by: blocked_by
            .map(|blocked| BlockedLine::of(names, blocked))
            .collect(),
    }
}

fn output_line(
    output: &RejectingOutput,
    last_cycle: u64,
    names: &mut RouterNames<'_>,
) -> OutputLine {
    let hold = |hold: &OutputHold| HoldLine {
        message: hold.message,
        attempt: hold.attempt,
        from_cycle: hold.from_cycle,
        freed_cycle: (hold.freed_cycle != NEVER).then_some(hold.freed_cycle),
        held_cycles: hold.cycles(last_cycle),
    };
    OutputLine {
        router: names.router(output.at.router).to_owned(),
        output: names.port(output.at.router, output.at.output),
        attempts_rejected: output.attempts,
        cycles_lost: output.cycles,
        held_longest_by: output.longest.iter().map(hold).collect(),
    }
}

/// The table of the slowest messages.
fn messages_text(
    slowest: &[SlowMessage],
    messages: u64,
    span: Span,
    names: &mut RouterNames<'_>,
) -> String {
    let Span { from, to } = span;
    let mut text = format!(
        "slowest messages: {} of {messages}; latency is counted from {from} to {to}\n",
        slowest.len()
    );
    if slowest.is_empty() {
        return text;
    }
    let header = [
        "message",
        "source",
        "destination",
        "latency (cycles)",
        "attempts",
        "most cycles in",
        "blocked longest by",
    ];
    let mut table = super::table(header, &[0, 1, 2, 3, 4]);
    for slow in slowest {
        let message = &slow.life.message;
        let latency = message.latency_cycles();
        let most = longest_part(slow).map_or(String::new(), |LongestPart { part, cycles }| {
            let share = 100.0 * cycles as f64 / latency.max(1) as f64;
            format!("{part}: {cycles} ({share:.1} %)")
        });
        let blocker = slow.blocked_by.first().map_or(String::new(), |blocked| {
            let [router, output] = blockers::place(blocked, names);
            let place = match router.is_empty() {
                true => String::new(),
                false => format!(" at {}", format!("{router} {output}").trim_end()),
            };
            format!(
                "{}{place}: {} cycles",
                blockers::name(blocked),
                blocked.cycles
            )
        });
        table.add_row([
            slow.life.id.to_string(),
            message.source.to_string(),
            message.destination.to_string(),
            latency.to_string(),
            message.attempts.to_string(),
            most,
            blocker,
        ]);
    }
    text += &format!("{table}\n");
    text
}

/// The table of the outputs at which the most attempts were rejected.
fn outputs_text(
    outputs: &[RejectingOutput],
    last_cycle: u64,
    names: &mut RouterNames<'_>,
) -> String {
    if outputs.is_empty() {
        return "no router rejected an attempt or lost a packet\n".to_owned();
    }
    let header = [
        "router",
        "output",
        "attempts rejected",
        "cycles lost",
        "held longest by message (cycles)",
    ];
    let rows = outputs.iter().map(|output| {
        let line = output_line(output, last_cycle, names);
        let holds = line.held_longest_by.iter();
        let holds = holds.map(|hold| format!("{} ({})", hold.message, hold.held_cycles));
        [
            line.router,
            line.output.unwrap_or_default().to_owned(),
            line.attempts_rejected.to_string(),
            line.cycles_lost.to_string(),
            holds.collect::<Vec<String>>().join(", "),
        ]
    });
    let rows: Vec<[String; 5]> = rows.collect();
    let table = super::filled_table(header, &[2, 3], &rows);
    let what = match rows.iter().all(|[_, output, ..]| output.is_empty()) {
        true => "routers",
        false => "outputs",
    };
    format!("{what} at which the most attempts were rejected\n{table}\n")
}
