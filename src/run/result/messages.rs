//! The messages of a run as CSV (`crosswave run --messages`).

use std::io::{self, Write};

use crate::host::Outcome;
use crate::probe::message::NEVER;

/// Writes the messages of one replicate as CSV, in order of id. A cycle that
/// did not come is an empty field. Messages that went by connections have more columns.
pub fn write_messages(out: impl Write, outcome: &Outcome) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    let mut names = vec![
        "id",
        "source",
        "destination",
        "offered_cycle",
        "sent_cycle",
        "attempts",
        "delivered_cycle",
        "acknowledged_cycle",
    ];
    if !outcome.connections.is_empty() {
        names.extend([
            "launched_cycle",
            "opened_cycle",
            "reply_cycle",
            "stages",
            "wrong",
        ]);
    }
    csv.write_record(names)?;
    let cycle = |cycle: u64| {
        if cycle == NEVER {
            String::new()
        } else {
            cycle.to_string()
        }
    };
    for (id, m) in outcome.messages.iter().enumerate() {
        let mut fields = vec![
            id.to_string(),
            m.source.to_string(),
            m.destination.to_string(),
            cycle(m.offered_cycle),
            cycle(m.sent_cycle),
            m.attempts.to_string(),
            cycle(m.delivered_cycle),
            cycle(m.acknowledged_cycle),
        ];
        if let Some(connection) = outcome.connections.get(id) {
            fields.extend([
                cycle(connection.launched_cycle),
                cycle(connection.opened_cycle),
                cycle(connection.reply_cycle),
                connection.stages.to_string(),
                u8::from(connection.wrong).to_string(),
            ]);
        }
        csv.write_record(fields)?;
    }
    csv.flush()
}
