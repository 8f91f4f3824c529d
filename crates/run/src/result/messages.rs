//! The messages of a run as CSV (`crosswave run --messages`).

use std::io::{self, Write};

use crate::host::Outcome;
use crosswave_network::Topology;
use crosswave_network::traffic::EVERY_NODE;
use crosswave_network::traffic::trace::EVERY;
use crosswave_probe::message::NEVER;

/// Writes the messages of replicates as CSV, in order of id. A cycle that did not come is an
/// empty field, and so is the latency of a message that was not acknowledged. Messages of a network in which they go by connections have more columns, which
/// are there whether or not a replicate has messages.
pub struct MessagesWriter<W: Write> {
    csv: csv::Writer<W>,
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
            self.names()?;
        }
        let cycle = |cycle: u64| match cycle {
            NEVER => String::new(),
            cycle => cycle.to_string(),
        };
        for (id, m) in outcome.messages.iter().enumerate() {
            let mut fields = vec![
                id.to_string(),
                m.source.to_string(),
                match m.destination {
                    EVERY_NODE => EVERY.into(),
                    node => node.to_string(),
                },
                cycle(m.offered_cycle),
                cycle(m.sent_cycle),
                m.attempts.to_string(),
                cycle(m.delivered_cycle),
                cycle(m.acknowledged_cycle),
            ];
            if self.has_connections {
                let connection = &outcome.connections[id];
                fields.extend([
                    cycle(connection.launched_cycle),
                    cycle(connection.opened_cycle),
                    cycle(connection.reply_cycle),
                    connection.stages.to_string(),
                    u8::from(connection.wrong).to_string(),
                ]);
            }
            fields.push(replicate.to_string());
            fields.push(match m.acknowledged_cycle {
                NEVER => String::new(),
                _ => m.latency_cycles().to_string(),
            });
            self.csv.write_record(fields)?;
        }
        Ok(())
    }

    fn names(&mut self) -> io::Result<()> {
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
        if self.has_connections {
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
        Ok(self.csv.write_record(names)?)
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.csv.flush()
    }
}
