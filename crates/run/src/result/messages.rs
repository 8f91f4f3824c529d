//! The messages of a run as rows of numbers, and as CSV (`crosswave run --messages`).

use std::io::{self, Write};

use crate::host::Outcome;
use crosswave_network::Topology;
use crosswave_network::traffic::EVERY_NODE;
use crosswave_network::traffic::trace::EVERY;
use crosswave_probe::message::NEVER;

/// The place of the destination in a row.
const DESTINATION: usize = 2;

/// The columns of the messages of a network. Where they go by connections there are more.
pub fn message_columns(network: &dyn Topology) -> Vec<&'static str> {
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
    if network.endpoint().has_connections() {
        names.extend([
            "launched_cycle",
            "opened_cycle",
            "reply_cycle",
            "stages",
            "wrong",
        ]);
    }
    // The latest column comes last, so that scripts find the others at their places.
    names.extend(["replicate", "latency_cycles"]);
    names
}

/// The messages of a replicate, in order of id: a number for each column of [`message_columns`]. There is
/// none for a cycle that did not come, nor for a destination that is every other node.
///
/// # Panics
/// When `has_connections`, and a message has none.
pub fn message_rows(
    replicate: u32,
    outcome: &Outcome,
    has_connections: bool,
) -> impl Iterator<Item = Vec<Option<u64>>> {
    let came = |cycle: u64| (cycle != NEVER).then_some(cycle);
    let messages = outcome.messages.iter().enumerate();
    messages.map(move |(id, message)| {
        let destination = message.destination;
        let mut row = vec![
            Some(id as u64),
            Some(message.source.into()),
            (destination != EVERY_NODE).then_some(destination.into()),
            came(message.offered_cycle),
            came(message.sent_cycle),
            Some(message.attempts.into()),
            came(message.delivered_cycle),
            came(message.acknowledged_cycle),
        ];
        if has_connections {
            let connection = &outcome.connections[id];
            row.extend([
                came(connection.launched_cycle),
                came(connection.opened_cycle),
                came(connection.reply_cycle),
                Some(connection.stages.into()),
                Some(connection.wrong.into()),
            ]);
        }
        let latency = came(message.acknowledged_cycle).map(|_| message.latency_cycles());
        row.extend([Some(replicate.into()), latency]);
        row
    })
}

/// Writes the messages of replicates as CSV, in order of id. A cycle that did not come is an
/// empty field, and so is the latency of a message that was not acknowledged. The columns are there
/// whether or not a replicate has messages.
pub struct MessagesWriter<W: Write> {
    csv: csv::Writer<W>,
    columns: Vec<&'static str>,
    /// True when messages of the network go by connections.
    has_connections: bool,
    /// True when the names of the columns are written.
    begun: bool,
}

impl<W: Write> MessagesWriter<W> {
    /// Writes messages of a network to `out`, which gets its first line with the first replicate.
    pub fn new(network: &dyn Topology, out: W) -> Self {
        MessagesWriter {
            csv: csv::Writer::from_writer(out),
            columns: message_columns(network),
            has_connections: network.endpoint().has_connections(),
            begun: false,
        }
    }

    /// Writes the messages of a replicate, of the same network as those before.
    ///
    /// # Errors
    /// When writing fails.
    ///
    /// # Panics
    /// When a message of a network with connections has none.
    pub fn replicate(&mut self, replicate: u32, outcome: &Outcome) -> io::Result<()> {
        if !self.begun {
            self.begun = true;
            self.csv.write_record(&self.columns)?;
        }
        for row in message_rows(replicate, outcome, self.has_connections) {
            let cells = row.into_iter().enumerate();
            let fields = cells.map(|(column, cell)| match cell {
                Some(number) => number.to_string(),
                None if column == DESTINATION => EVERY.to_owned(),
                None => String::new(),
            });
            self.csv.write_record(fields.collect::<Vec<String>>())?;
        }
        Ok(())
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.csv.flush()
    }
}
