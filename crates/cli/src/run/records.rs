//! The files of records that a run writes replicate by replicate: messages, and their lives.

use std::io::{self, BufWriter};
use std::path::Path;

use crate::output::Format;
use crate::usage;
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{self, PendingFile, SharedFile};
use crosswave_figures::columns::{self, ParquetWriter};
use crosswave_network::{Fabric, Topology};
use crosswave_observe::life::events::{EventsWriter, RouterNames};
use crosswave_observe::life::router_paths::RouterPathCounts;
use crosswave_observe::life::table::AttemptTable;
use crosswave_observe::life::transactions::ftr::FtrWriter;
use crosswave_observe::life::transactions::trace_event::TraceEventWriter;
use crosswave_observe::life::transactions::{self, Transaction, TransactionSink};
use crosswave_observe::life::{AttemptRecord, LifeSink, MessageLife};
use crosswave_observe::tables;
use crosswave_run::host::Outcome;
use crosswave_run::links::LinkCounts;
use crosswave_run::memory::RecordFile;
use crosswave_run::result::MessagesWriter;
use crosswave_run::simulation::Simulation;

/// A format of transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TransactionFormat {
    Ftr,
    TraceEvents,
}

impl TransactionFormat {
    /// The format as other outputs name it.
    pub(super) fn output(self) -> Format {
        match self {
            TransactionFormat::Ftr => Format::Ftr,
            TransactionFormat::TraceEvents => Format::Json,
        }
    }

    /// The format that a name promises.
    pub(super) fn of(path: &Path) -> Result<TransactionFormat, Error> {
        let end = path.extension().and_then(|end| end.to_str());
        match end.map(str::to_ascii_lowercase).as_deref() {
            Some("ftr") => Ok(TransactionFormat::Ftr),
            Some("json") => Ok(TransactionFormat::TraceEvents),
            _ => {
                let found = format!("{} ends in neither .ftr nor .json", path.display());
                let help = ".ftr is for Surfer and SCViewer, .json are trace events for Perfetto";
                Err(usage("--transactions", found, help))
            }
        }
    }
}

/// The files of what becomes of each message, as far as memory depends on them.
///
/// # Errors
/// When a name promises no format of transactions.
pub(super) fn files(
    events: Option<&Path>,
    transactions: Option<&Path>,
) -> Result<Vec<RecordFile>, Error> {
    let events = events.map(|path| match is_table(path) {
        true => RecordFile::Table,
        false => RecordFile::Lines,
    });
    let transactions = transactions.map(TransactionFormat::of).transpose()?;
    let transactions = transactions.map(|format| match format {
        TransactionFormat::Ftr => RecordFile::Ftr,
        TransactionFormat::TraceEvents => RecordFile::TraceEvents,
    });
    Ok(events.into_iter().chain(transactions).collect())
}

/// Bytes that are written at a time.
const BUFFER_BYTES: usize = 1 << 18;

/// Rows of a table of messages that are written together at least.
const MESSAGE_ROWS: usize = 1 << 16;

/// The messages of all replicates.
pub(super) struct Messages<'a> {
    pending: PendingFile,
    network: &'a dyn Topology,
    file: MessageFile,
}

/// A file of messages.
enum MessageFile {
    Csv(Box<MessagesWriter<SharedFile>>),
    Table {
        writer: Box<ParquetWriter<SharedFile>>,
        /// Replicates that are not written yet.
        waiting: Vec<(u32, Outcome)>,
    },
}

impl<'a> Messages<'a> {
    /// Begins the file of the messages of a network; a table where its name ends in .parquet.
    pub(super) fn create(network: &'a dyn Topology, path: &Path) -> Result<Messages<'a>, Error> {
        let pending = PendingFile::create(path)?;
        let file = match is_table(path) {
            false => MessageFile::Csv(Box::new(MessagesWriter::new(network, pending.file()))),
            true => {
                let columns = tables::messages(network, []);
                let writer = ParquetWriter::new(&columns, pending.file());
                let writer = writer.map_err(|error| pending.error(&error))?;
                MessageFile::Table {
                    writer: Box::new(writer),
                    waiting: Vec::new(),
                }
            }
        };
        Ok(Messages {
            pending,
            network,
            file,
        })
    }

    /// Writes a replicate.
    pub(super) fn replicate(&mut self, replicate: u32, outcome: &Outcome) -> Result<(), Error> {
        let network = self.network;
        let written = match &mut self.file {
            MessageFile::Csv(writer) => writer.replicate(replicate, outcome),
            MessageFile::Table { writer, waiting } => {
                waiting.push((replicate, outcome.clone()));
                let rows: usize = waiting.iter().map(|(_, one)| one.messages.len()).sum();
                match rows >= MESSAGE_ROWS {
                    true => write_rows(network, writer, waiting),
                    false => Ok(()),
                }
            }
        };
        written.map_err(|error| self.pending.error(&error))
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> Result<(), Error> {
        let pending = self.pending;
        let finished = match self.file {
            MessageFile::Csv(writer) => writer.finish(),
            MessageFile::Table {
                mut writer,
                mut waiting,
            } => {
                let written = write_rows(self.network, &mut writer, &mut waiting);
                written.and_then(|()| writer.finish()).map(drop)
            }
        };
        finished.map_err(|error| pending.error(&error))?;
        pending.finish()
    }
}

/// Writes the replicates that wait.
fn write_rows(
    network: &dyn Topology,
    writer: &mut ParquetWriter<SharedFile>,
    waiting: &mut Vec<(u32, Outcome)>,
) -> io::Result<()> {
    let replicates = waiting
        .iter()
        .map(|(replicate, outcome)| (*replicate, outcome));
    writer.rows(&tables::messages(network, replicates))?;
    waiting.clear();
    Ok(())
}

/// Outputs of the traces of messages: those of all replicates as events, those of replicate 0 as
/// transactions.
pub(super) struct Lives<'a> {
    replicate: u32,
    events: Option<(PendingFile, Events<'a>)>,
    transactions: Option<(PendingFile, Transactions)>,
    /// Paths through routers, for the coverage.
    paths: Option<RouterPathCounts<'a>>,
    names: RouterNames<'a>,
    /// True when writing transactions has failed, not writing events.
    transactions_failed: bool,
}

/// True when the ending of a name promises a table by columns.
fn is_table(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str());
    end.is_some_and(|end| end.eq_ignore_ascii_case("parquet"))
}

/// The format of a table by columns, or else another one, as the ending of a name promises.
///
/// # Errors
/// When the name promises a table, and this program writes none.
pub(super) fn table_or(other: Format, flag: &str, path: Option<&Path>) -> Result<Format, Error> {
    if !path.is_some_and(is_table) {
        return Ok(other);
    }
    columns::check_built(flag)?;
    Ok(Format::Parquet)
}

/// A file of attempts and messages.
enum Events<'a> {
    Lines(EventsWriter<'a, BufWriter<SharedFile>>),
    Table(Box<AttemptTable<'a, BufWriter<SharedFile>>>),
}

/// A file of transactions.
enum Transactions {
    Ftr(Box<FtrWriter<BufWriter<SharedFile>>>),
    TraceEvents(Box<TraceEventWriter<BufWriter<SharedFile>>>),
}

/// A file, and where to write.
fn begun(path: &Path) -> Result<(PendingFile, BufWriter<SharedFile>), Error> {
    let pending = PendingFile::create(path)?;
    let out = BufWriter::with_capacity(BUFFER_BYTES, pending.file());
    Ok((pending, out))
}

impl<'a> Lives<'a> {
    /// Begins the files; `None` when there are none.
    pub(super) fn create(
        simulation: &'a Simulation,
        events: Option<&Path>,
        transactions: Option<(&Path, TransactionFormat)>,
        counts_paths: bool,
    ) -> Result<Option<Lives<'a>>, Error> {
        if events.is_none() && transactions.is_none() && !counts_paths {
            return Ok(None);
        }
        let (fabric, nodes) = (simulation.fabric(), simulation.network().nodes());
        let are_packets = simulation.network().packets().is_some();
        let events = events.map(|path| {
            let (pending, out) = begun(path)?;
            let events = match is_table(path) {
                true => {
                    let table = AttemptTable::new(fabric, out);
                    let table = table.map_err(|error| pending.error(&error))?;
                    Events::Table(Box::new(table))
                }
                false => Events::Lines(EventsWriter::new(fabric, out)),
            };
            Ok((pending, events))
        });
        let transactions = transactions.map(|(path, format)| {
            let (pending, out) = begun(path)?;
            let writer = match format {
                TransactionFormat::Ftr => {
                    let writer = FtrWriter::new(nodes, out);
                    Transactions::Ftr(Box::new(writer.map_err(|error| pending.error(&error))?))
                }
                TransactionFormat::TraceEvents => Transactions::TraceEvents(Box::new(
                    TraceEventWriter::new(nodes, are_packets, out),
                )),
            };
            Ok((pending, writer))
        });
        Ok(Some(Lives {
            replicate: 0,
            events: events.transpose()?,
            transactions: transactions.transpose()?,
            paths: counts_paths.then(|| RouterPathCounts::new(fabric)),
            names: RouterNames::new(fabric),
            transactions_failed: false,
        }))
    }

    /// Begins a replicate: all later records belong to it.
    pub(super) fn begin(&mut self, replicate: u32) {
        self.replicate = replicate;
        match &mut self.events {
            Some((_, Events::Lines(writer))) => writer.begin(replicate),
            Some((_, Events::Table(table))) => table.begin(replicate),
            None => {}
        }
    }

    /// The error to report when following messages has failed.
    pub(super) fn error(&self, error: &io::Error) -> Error {
        let events = self.events.as_ref().map(|(pending, _)| pending);
        let transactions = self.transactions.as_ref().map(|(pending, _)| pending);
        let events = events.filter(|_| !self.transactions_failed);
        // Paths are counted, which cannot fail.
        let pending = events.or(transactions).expect("one of the files is there");
        pending.error(error)
    }

    /// Gives the files their names. The paths through routers, if they were counted.
    pub(super) fn finish(self) -> Result<Option<RouterPathCounts<'a>>, Error> {
        let mut files = Vec::new();
        if let Some((pending, writer)) = self.events {
            let finished = match writer {
                Events::Lines(writer) => writer.finish().map(drop),
                Events::Table(table) => table
                    .finish()
                    .and_then(|mut out| io::Write::flush(&mut out)),
            };
            finished.map_err(|error| pending.error(&error))?;
            files.push(pending);
        }
        if let Some((pending, writer)) = self.transactions {
            let finished = match writer {
                Transactions::Ftr(writer) => writer.finish(),
                Transactions::TraceEvents(writer) => writer.finish(),
            };
            finished.map_err(|error| pending.error(&error))?;
            files.push(pending);
        }
        PendingFile::finish_all(files)?;
        Ok(self.paths)
    }
}

impl TransactionSink for Transactions {
    fn transaction(&mut self, transaction: &Transaction<'_>) -> io::Result<()> {
        match self {
            Transactions::Ftr(writer) => writer.transaction(transaction),
            Transactions::TraceEvents(writer) => writer.transaction(transaction),
        }
    }
}

impl LifeSink for &mut Lives<'_> {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        match &mut self.events {
            Some((_, Events::Lines(writer))) => (&mut *writer).attempt(attempt)?,
            Some((_, Events::Table(table))) => (&mut **table).attempt(attempt)?,
            None => {}
        }
        if let Some(paths) = &mut self.paths {
            paths.attempt(attempt)?;
        }
        match &mut self.transactions {
            Some((_, writer)) if self.replicate == 0 => {
                let written = transactions::of_attempt(&mut self.names, attempt, writer);
                self.transactions_failed = written.is_err();
                written
            }
            _ => Ok(()),
        }
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        match &mut self.events {
            Some((_, Events::Lines(writer))) => (&mut *writer).message(life)?,
            Some((_, Events::Table(table))) => (&mut **table).message(life)?,
            None => {}
        }
        match &mut self.transactions {
            Some((_, writer)) if self.replicate == 0 => {
                let written = transactions::of_message(life, writer);
                self.transactions_failed = written.is_err();
                written
            }
            _ => Ok(()),
        }
    }
}

/// Writes the use of links, given the cycles of all replicates.
pub(super) fn write_links(
    links: &LinkCounts,
    fabric: &Fabric,
    cycles: u64,
    path: &Path,
) -> Result<(), Error> {
    match is_table(path) {
        false => file::write(path, |out| links.write(fabric, cycles, out)),
        true => {
            let table = columns::parquet(&tables::links(links, fabric, cycles));
            let table = table.expect("the options were checked");
            file::write(path, |out| out.write_all(&table))
        }
    }
}
