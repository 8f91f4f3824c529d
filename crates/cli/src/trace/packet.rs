//! Packets of a message, as rows of its table.

use super::cycles;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_observe::life::events::RouterNames;
use crosswave_observe::life::story::Story;
use crosswave_observe::life::{AttemptRecord, EndOfAttempt, PacketNumber};
use crosswave_probe::message::NEVER;

/// The rows of a packet: packet, cycle, place, input, output, and what happened.
pub(super) fn rows(
    attempt: &AttemptRecord,
    packet: PacketNumber,
    names: &RouterNames<'_>,
) -> Vec<[String; 6]> {
    let row = |cycle: u64, place: String, ports: [String; 2], what: String| {
        let [from, to] = ports;
        let number = packet.number.to_string();
        [number, cycle.to_string(), place, from, to, what]
    };
    let none = || [String::new(), String::new()];
    let source = format!("node {}", attempt.source);
    let mut rows = vec![row(
        attempt.launched_cycle,
        source,
        none(),
        "launched".into(),
    )];
    for hop in &attempt.hops {
        let port = |link: u8| {
            let name = names.port(hop.router, link);
            name.unwrap_or_default().to_owned()
        };
        let ports = [port(hop.input), port(hop.output)];
        let name = names.known(hop.router).to_owned();
        let Some(waited) = attempt.waited_cycles(hop) else {
            let what = match attempt.end {
                EndOfAttempt::Lost => format!("lost: {}", ahead(attempt, names)),
                EndOfAttempt::Rejected => "rejects it".to_owned(),
                _ => "waits".to_owned(),
            };
            let cycle = match attempt.end {
                EndOfAttempt::Lost => attempt.end_cycle,
                _ => hop.arrived_cycle,
            };
            rows.push(row(cycle, name, ports, what));
            continue;
        };
        let passed = hop.left_cycle - hop.arrived_cycle;
        let passes = format!("passes in {}", cycles(passed - waited));
        let what = match waited {
            0 => passes,
            waited => format!("waits {}, {passes}", cycles(waited)),
        };
        rows.push(row(hop.left_cycle, name, ports, what));
    }
    if attempt.reached_cycle != NEVER {
        let node = format!("node {}", attempt.destination);
        let mut add = |cycle: u64, what: &str| {
            rows.push(row(cycle, node.clone(), none(), what.into()));
        };
        add(attempt.reached_cycle, "the head is there");
        if attempt.end == EndOfAttempt::Delivered {
            add(attempt.end_cycle, "delivered");
        }
    }
    if attempt.end == EndOfAttempt::Rejected {
        let node = format!("node {}", attempt.source);
        rows.push(row(
            attempt.end_cycle,
            node,
            none(),
            "is told of the rejection".into(),
        ));
    }
    rows
}

/// The packets that were in front of one that was lost.
fn ahead(attempt: &AttemptRecord, names: &RouterNames<'_>) -> String {
    let collision = attempt.collision.as_ref();
    let rivals = collision.map_or(&[][..], |collision| &collision.rivals);
    let wanted = collision.and_then(|collision| collision.wanted.first());
    let port = |link: u8| names.port(attempt.hops.last()?.router, link);
    let output = wanted.and_then(|&link| port(link)).unwrap_or("?");
    let messages: Vec<String> = rivals
        .iter()
        .map(|rival| {
            let from = port(rival.input).unwrap_or("?");
            let number = rival.packet.unwrap_or(1);
            format!("message {} (packet {number}, from {from})", rival.id)
        })
        .collect();
    format!("{output} is taken by {}", messages.join(", "))
}

/// The error of a message that cannot come, since packets of it were lost.
pub(super) fn lost(story: &Story) -> Option<Error> {
    let is_lost = |one: &&AttemptRecord| one.end == EndOfAttempt::Lost;
    let lost: Vec<&AttemptRecord> = story.attempts.iter().filter(is_lost).collect();
    let first = lost.first()?;
    let found = match lost.len() {
        1 => format!("a packet of it was lost in cycle {}", first.end_cycle),
        count => format!(
            "{count} packets of it were lost, the first one in cycle {}",
            first.end_cycle
        ),
    };
    let help = "give routers queues, or longer ones, or send less at a time";
    let place = format!("message {}", story.id);
    Some(Error::one(
        Class::Check,
        "trace",
        Diagnostic::new(place, found, help),
    ))
}
