//! The records of a run as a table, a row for each attempt, for notebooks.
//!
//! ```text
//! attempt    replicate, message, attempt, source, destination, launched_cycle, reached_cycle,
//!            end, end_cycle; packet
//! its hops   hop_routers, hop_inputs, hop_outputs, hop_arrived_cycles, hop_left_cycles,
//!            hop_freed_cycles, hop_waited_cycles: lists of one length
//! collision  collision_router, collision_input, collision_cycle; rival_messages,
//!            rival_attempts: lists of one length
//! message    words, attempts, offered_cycle, sent_cycle, delivered_cycle, acknowledged_cycle,
//!            latency_cycles; source_cycles, blocked_cycles, backoff_cycles, header_cycles,
//!            body_cycles, answer_cycles
//! ```
//!
//! Rows stand in the order in which attempts are over. What is known of a message stands in the
//! row of the attempt that was acknowledged, or of the packet that came last. Cells are empty where
//! something did not come, and of circuits those of packets.

use std::io::{self, Write};

use super::events::{RouterNames, cycle, node};
use super::record::{AttemptRecord, LifeSink, MessageLife};
use crosswave_figures::columns::{Cells, Column, ParquetWriter};
use crosswave_network::Fabric;

/// Rows that are written together.
const ROWS: usize = 1 << 16;

/// Columns of counts before the lists of hops, in their order.
const ATTEMPT: [&str; 8] = [
    "replicate",
    "message",
    "attempt",
    "source",
    "destination",
    "launched_cycle",
    "reached_cycle",
    "end_cycle",
];

/// Columns of a message.
const MESSAGE: [&str; 7] = [
    "words",
    "attempts",
    "offered_cycle",
    "sent_cycle",
    "delivered_cycle",
    "acknowledged_cycle",
    "latency_cycles",
];

/// Columns of the parts of a latency, in the order of
/// [`Breakdown::parts`](super::record::Breakdown::parts).
const PARTS: [&str; 6] = [
    "source_cycles",
    "blocked_cycles",
    "backoff_cycles",
    "header_cycles",
    "body_cycles",
    "answer_cycles",
];

type Counts = Vec<Option<u64>>;
type Texts = Vec<Option<String>>;

/// Rows that are in memory.
#[derive(Debug, Default)]
struct Rows {
    attempt: [Counts; ATTEMPT.len()],
    end: Texts,
    hop_routers: Vec<Texts>,
    hop_links: [Vec<Texts>; 2],
    hop_cycles: [Vec<Counts>; 3],
    collision_place: [Texts; 2],
    collision_cycle: Counts,
    rivals: [Vec<Counts>; 2],
    packet: Counts,
    hop_waited_cycles: Vec<Counts>,
    message: [Counts; MESSAGE.len()],
    parts: [Counts; PARTS.len()],
}

impl Rows {
    fn len(&self) -> usize {
        self.end.len()
    }

    fn push(&mut self, names: &mut RouterNames<'_>, replicate: u32, attempt: &AttemptRecord) {
        let counts = [
            Some(replicate.into()),
            Some(attempt.id.into()),
            Some(attempt.attempt.into()),
            Some(attempt.source.into()),
            node(attempt.destination).map(u64::from),
            cycle(attempt.launched_cycle),
            cycle(attempt.reached_cycle),
            cycle(attempt.end_cycle),
        ];
        let column = self.attempt.iter_mut().zip(counts);
        column.for_each(|(column, count)| column.push(count));
        self.end.push(Some(attempt.end.name().to_owned()));
        let hops = attempt.hops.iter();
        let routers = hops
            .clone()
            .map(|hop| Some(names.router(hop.router).to_owned()));
        self.hop_routers.push(routers.collect());
        let text = |name: Option<&'static str>| name.map(str::to_owned);
        let inputs = hops
            .clone()
            .map(|hop| text(names.port(hop.router, hop.input)));
        self.hop_links[0].push(inputs.collect());
        let outputs = hops
            .clone()
            .map(|hop| text(names.port(hop.router, hop.output)));
        self.hop_links[1].push(outputs.collect());
        self.hop_cycles[0].push(hops.clone().map(|hop| cycle(hop.arrived_cycle)).collect());
        self.hop_cycles[1].push(hops.clone().map(|hop| cycle(hop.left_cycle)).collect());
        self.hop_cycles[2].push(hops.clone().map(|hop| cycle(hop.freed_cycle)).collect());
        let packet = attempt.packet.map(|packet| packet.number.into());
        self.packet.push(packet);
        let waited = hops.map(|hop| attempt.waited_cycles(hop));
        self.hop_waited_cycles.push(waited.collect());
        let collision = attempt.collision.as_ref().zip(attempt.hops.last());
        let [routers, inputs] = &mut self.collision_place;
        routers.push(collision.map(|(_, hop)| names.router(hop.router).to_owned()));
        inputs.push(collision.and_then(|(_, hop)| text(names.port(hop.router, hop.input))));
        self.collision_cycle
            .push(collision.and_then(|(collision, _)| cycle(collision.cycle)));
        let rivals = attempt
            .collision
            .iter()
            .flat_map(|collision| &collision.rivals);
        let [messages, attempts] = &mut self.rivals;
        messages.push(rivals.clone().map(|rival| Some(rival.id.into())).collect());
        attempts.push(rivals.map(|rival| Some(rival.attempt.into())).collect());
        // Until the message is known.
        self.message.iter_mut().for_each(|column| column.push(None));
        self.parts.iter_mut().for_each(|column| column.push(None));
    }

    /// Fills in a message at its last attempt, which is the last row.
    fn set_message(&mut self, life: &MessageLife) {
        let last = self.len() - 1;
        assert_eq!(
            self.attempt[1][last],
            Some(life.id.into()),
            "its attempt comes first"
        );
        let message = &life.message;
        let counts = [
            Some(message.words.into()),
            Some(message.attempts.into()),
            cycle(message.offered_cycle),
            cycle(message.sent_cycle),
            cycle(message.delivered_cycle),
            cycle(message.acknowledged_cycle),
            Some(message.latency_cycles()),
        ];
        let columns = self.message.iter_mut().zip(counts);
        columns.for_each(|(column, count)| column[last] = count);
        let parts = life
            .breakdown
            .iter()
            .flat_map(|breakdown| breakdown.parts());
        let columns = self.parts.iter_mut().zip(parts);
        columns.for_each(|(column, (_, cycles))| column[last] = Some(cycles));
    }

    /// The rows by columns.
    fn into_columns(self) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        let counts = |name: &str, counts| Column::new(name, Cells::Counts(counts));
        let [routers, inputs] = self.collision_place;
        let [in_links, out_links] = self.hop_links;
        let [arrived, left, freed] = self.hop_cycles;
        let [messages, attempts] = self.rivals;
        let named = ATTEMPT.into_iter().zip(self.attempt);
        columns.extend(named.map(|(name, column)| counts(name, column)));
        columns.extend([
            Column::new("end", Cells::Texts(self.end)),
            Column::new("hop_routers", Cells::TextLists(self.hop_routers)),
            Column::new("hop_inputs", Cells::TextLists(in_links)),
            Column::new("hop_outputs", Cells::TextLists(out_links)),
            Column::new("hop_arrived_cycles", Cells::CountLists(arrived)),
            Column::new("hop_left_cycles", Cells::CountLists(left)),
            Column::new("hop_freed_cycles", Cells::CountLists(freed)),
            Column::new("collision_router", Cells::Texts(routers)),
            Column::new("collision_input", Cells::Texts(inputs)),
            counts("collision_cycle", self.collision_cycle),
            Column::new("rival_messages", Cells::CountLists(messages)),
            Column::new("rival_attempts", Cells::CountLists(attempts)),
        ]);
        let named = MESSAGE.into_iter().zip(self.message);
        let named = named.chain(PARTS.into_iter().zip(self.parts));
        columns.extend(named.map(|(name, column)| counts(name, column)));
        columns.extend([
            counts("packet", self.packet),
            Column::new(
                "hop_waited_cycles",
                Cells::CountLists(self.hop_waited_cycles),
            ),
        ]);
        columns
    }
}

/// The attempts of replicates in memory.
pub struct AttemptRows<'a> {
    names: RouterNames<'a>,
    replicate: u32,
    rows: Rows,
}

impl<'a> AttemptRows<'a> {
    /// Begins the rows of a network's replicate 0.
    pub fn new(fabric: &'a Fabric) -> Self {
        AttemptRows {
            names: RouterNames::new(fabric),
            replicate: 0,
            rows: Rows::default(),
        }
    }

    /// Begins another replicate: all later rows belong to it.
    pub fn begin(&mut self, replicate: u32) {
        self.replicate = replicate;
    }

    /// The rows by columns.
    pub fn into_columns(self) -> Vec<Column> {
        self.rows.into_columns()
    }

    /// The rows so far by columns, after which there are none.
    fn take_columns(&mut self) -> Vec<Column> {
        std::mem::take(&mut self.rows).into_columns()
    }
}

impl LifeSink for &mut AttemptRows<'_> {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        self.rows.push(&mut self.names, self.replicate, attempt);
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        self.rows.set_message(life);
        Ok(())
    }
}

/// Writes the attempts of replicates as Parquet.
pub struct AttemptTable<'a, W: Write + Send> {
    rows: AttemptRows<'a>,
    out: ParquetWriter<W>,
}

impl<'a, W: Write + Send> AttemptTable<'a, W> {
    /// Begins the table of a network's replicate 0.
    ///
    /// # Errors
    /// When writing fails, or the program does not write Parquet
    /// ([`columns::IS_BUILT`](crosswave_figures::columns::IS_BUILT)).
    pub fn new(fabric: &'a Fabric, out: W) -> io::Result<Self> {
        Ok(AttemptTable {
            rows: AttemptRows::new(fabric),
            out: ParquetWriter::new(&Rows::default().into_columns(), out)?,
        })
    }

    /// Begins another replicate: all later rows belong to it.
    pub fn begin(&mut self, replicate: u32) {
        self.rows.begin(replicate);
    }

    fn write(&mut self) -> io::Result<()> {
        self.out.rows(&self.rows.take_columns())
    }

    /// Ends the table, and gives back what it writes to.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<W> {
        self.write()?;
        self.out.finish()
    }
}

impl<W: Write + Send> LifeSink for &mut AttemptTable<'_, W> {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        if self.rows.rows.len() >= ROWS {
            self.write()?;
        }
        (&mut self.rows).attempt(attempt)
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        (&mut self.rows).message(life)
    }
}
