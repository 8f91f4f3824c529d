//! Two tables of messages.
//!
//! Rows with the same id are the same message, where there is a column of replicates those of the
//! same replicate. Tables that a test bench writes (`+outcomes`) have no ids: their rows are in
//! order of source and then of id, so the n-th row of a source is its n-th message. Of tables
//! with other columns those are compared that both have.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use serde::Serialize;

use super::{ALL_IN_JSON, DiffArgs, Opened, PRINTED, different, more, output, usage};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::escape;
use crosswave_base::file::input::{self, Limited};

/// A table as it is read.
struct Table {
    columns: Vec<String>,
    rows: Vec<TableRow>,
}

/// A row, and its line in the file.
struct TableRow {
    line: Option<u64>,
    cells: Vec<String>,
}

/// Key by which the messages of a replicate are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyKind {
    /// The ids, or the first column.
    Id,
    /// The source, and the number of the row among those of the source.
    Source,
}

impl KeyKind {
    /// The best key that both tables have.
    fn of(left: &Table, right: &Table) -> Option<KeyKind> {
        let have = |name: &str| left.column(name).is_some() && right.column(name).is_some();
        let is_first_alike = left.columns[0] == right.columns[0];
        match have(ID) || is_first_alike && left.columns[0] != SOURCE {
            true => Some(KeyKind::Id),
            false if have(SOURCE) => Some(KeyKind::Source),
            false => None,
        }
    }
}

/// The column of ids.
const ID: &str = "id";
/// The column of sources.
const SOURCE: &str = "source";
/// The column of replicates.
const REPLICATE: &str = "replicate";

/// The column that two others determine: the offer and the acknowledgement. A table without it says
/// no less, as those of test benches and of older versions do.
const LATENCY: &str = "latency_cycles";

/// A message: its replicate, its id or source, and its number among those of the source.
type Key = (Cell, Cell, usize);

/// The content of a cell. Numbers come before texts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Number(u64),
    Text(String),
}

impl Cell {
    fn of(text: &str) -> Cell {
        match text.parse() {
            Ok(number) => Cell::Number(number),
            Err(_) => Cell::Text(text.to_owned()),
        }
    }
}

/// The rows of a table by their keys.
struct Keyed<'t> {
    table: &'t Table,
    rows: BTreeMap<Key, &'t TableRow>,
}

/// The result as JSON.
#[derive(Serialize)]
struct TableDiff {
    same: bool,
    /// Messages that both have.
    compared: usize,
    only_left: Vec<String>,
    only_right: Vec<String>,
    /// Columns that one table only has.
    columns_only_left: Vec<String>,
    columns_only_right: Vec<String>,
    differences: Vec<Difference>,
}

/// The first cell of a message that differs.
#[derive(Serialize)]
struct Difference {
    message: String,
    column: String,
    left: String,
    right: String,
}

pub(super) fn diff(args: &DiffArgs, files: [Opened; 2], to_stdout: bool) -> Result<(), Error> {
    if args.waves.are_given() {
        let help =
            "leave --scope, --map, --x-matches, --real-digits, --cycle-ends and --window out";
        return Err(usage("diff", "tables have neither scopes nor cycles", help));
    }
    let [left, right] = files;
    let (left, right) = (read(left)?, read(right)?);
    let Some(kind) = KeyKind::of(&left, &right) else {
        let columns = format!("{} and {}", left.columns.join(","), right.columns.join(","));
        let found = format!("nothing was compared: the columns are {columns}");
        let help = "tables of messages have a column `id` or `source`";
        return Err(different(args, found, help));
    };
    let left = left.keyed(kind, &args.left)?;
    let right = right.keyed(kind, &args.right)?;
    let found = TableDiff::new(&left, &right, kind, args.common);
    args.json.write(&found)?;
    if !to_stdout {
        output::print(&found.text(args))?;
    }
    match found.same {
        true => Ok(()),
        false => Err(found.ended(args)),
    }
}

impl Table {
    /// The place of a column.
    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The columns that another table does not have.
    fn columns_missing_in(&self, other: &Table, kind: KeyKind) -> Vec<String> {
        let is_key = |name: &str| kind == KeyKind::Source && (name == ID || name == REPLICATE);
        let columns = self.columns.iter();
        let columns = columns
            .filter(|&name| other.column(name).is_none() && !is_key(name) && name != LATENCY);
        columns.cloned().collect()
    }

    /// The rows by their keys.
    fn keyed(&self, kind: KeyKind, file: &Path) -> Result<Keyed<'_>, Error> {
        let replicate = self.column(REPLICATE);
        let replicate = |row: &TableRow| match replicate {
            Some(column) => Cell::of(&row.cells[column]),
            None => Cell::Number(0),
        };
        let mut keyed = Keyed {
            table: self,
            rows: BTreeMap::new(),
        };
        let id = self.column(ID);
        match kind {
            KeyKind::Id => {
                for row in &self.rows {
                    let cell = &row.cells[id.unwrap_or(0)];
                    let key = (replicate(row), Cell::of(cell), 0);
                    if keyed.rows.insert(key, row).is_some() {
                        return Err(bad(file, row.line, format!("`{cell}` for the second time")));
                    }
                }
            }
            KeyKind::Source => {
                let mut rows: Vec<&TableRow> = self.rows.iter().collect();
                if let Some(id) = id {
                    rows.sort_by_cached_key(|row| Cell::of(&row.cells[id]));
                }
                let source = self.column(SOURCE).unwrap_or(0);
                let mut numbers = BTreeMap::new();
                for row in rows {
                    let of = (replicate(row), Cell::of(&row.cells[source]));
                    let number = numbers.entry(of.clone()).or_insert(0_usize);
                    keyed.rows.insert((of.0, of.1, *number), row);
                    *number += 1;
                }
            }
        }
        Ok(keyed)
    }
}

impl Keyed<'_> {
    /// The name of a message.
    fn name(&self, kind: KeyKind, (replicate, message, number): &Key) -> String {
        let text = |cell: &Cell| match cell {
            Cell::Number(number) => number.to_string(),
            Cell::Text(text) => text.clone(),
        };
        let name = match kind {
            KeyKind::Id => text(message),
            KeyKind::Source => format!("{number} of source {}", text(message)),
        };
        match replicate {
            Cell::Number(0) => name,
            other => format!("{name} of replicate {}", text(other)),
        }
    }
}

impl TableDiff {
    fn new(left: &Keyed, right: &Keyed, kind: KeyKind, only_common: bool) -> TableDiff {
        let only = |one: &Keyed, other: &Keyed| -> Vec<String> {
            let keys = one.rows.keys();
            let keys = keys.filter(|key| !other.rows.contains_key(*key));
            keys.map(|key| one.name(kind, key)).collect()
        };
        let columns: Vec<(&String, usize, usize)> = {
            let columns = left.table.columns.iter().enumerate();
            let both = columns.filter_map(|(at, name)| Some((name, at, right.table.column(name)?)));
            both.filter(|(name, ..)| *name != REPLICATE).collect()
        };
        let both = left.rows.iter();
        let both = both.filter_map(|(key, row)| Some((key, row, right.rows.get(key)?)));
        let first = |(key, row, other): (&Key, &&TableRow, &&TableRow)| {
            let mut cells = columns.iter();
            let cell =
                |&&(_, at, place): &&(&String, usize, usize)| row.cells[at] != other.cells[place];
            let &(column, at, place) = cells.find(cell)?;
            Some(Difference {
                message: left.name(kind, key),
                column: column.clone(),
                left: row.cells[at].clone(),
                right: other.cells[place].clone(),
            })
        };
        let compared = both.clone().count();
        let differences: Vec<Difference> = both.filter_map(first).collect();
        let (only_left, only_right) = (only(left, right), only(right, left));
        let columns_only_left = left.table.columns_missing_in(right.table, kind);
        let columns_only_right = right.table.columns_missing_in(left.table, kind);
        let only = [
            &only_left,
            &only_right,
            &columns_only_left,
            &columns_only_right,
        ];
        let is_all_common = only.iter().all(|only| only.is_empty());
        // Two tables of one kind without messages are the same.
        let is_comparable = compared > 0 || is_all_common;
        TableDiff {
            same: differences.is_empty() && is_comparable && (only_common || is_all_common),
            compared,
            only_left,
            only_right,
            columns_only_left,
            columns_only_right,
            differences,
        }
    }

    /// Number of messages that are in one file only.
    fn only(&self) -> usize {
        self.only_left.len() + self.only_right.len()
    }

    fn text(&self, args: &DiffArgs) -> String {
        let mut text = String::new();
        let sides = [
            (&args.left, &self.columns_only_left, &self.only_left),
            (&args.right, &self.columns_only_right, &self.only_right),
        ];
        for (file, columns, only) in sides.into_iter().filter(|_| !args.common) {
            for column in columns.iter().take(PRINTED) {
                text += &format!(
                    "column {}: only in {}\n",
                    escape::line(column),
                    file.display()
                );
            }
            text += &more(columns.len(), "columns");
            for message in only.iter().take(PRINTED) {
                text += &format!(
                    "message {}: only in {}\n",
                    escape::line(message),
                    file.display()
                );
            }
            text += &more(only.len(), "messages");
        }
        for row in self.differences.iter().take(PRINTED) {
            let cells = [&row.message, &row.column, &row.left, &row.right];
            let [message, column, left, right] = cells.map(|text| escape::line(text));
            text += &format!("message {message}: {column}: {left} and {right}\n");
        }
        text += &more(self.differences.len(), "messages differ");
        if self.same {
            text += &format!("{} messages are the same", self.compared);
            text += &match self.only() {
                0 => "\n".to_owned(),
                only => format!(", and {only} are in one of the files only\n"),
            };
        }
        text
    }

    fn ended(&self, args: &DiffArgs) -> Error {
        let only = self.only();
        if self.compared == 0 {
            let found = format!(
                "nothing was compared: no message is in both, and {only} are in one of them only"
            );
            return different(args, found, "");
        }
        let mut found = format!(
            "{} of {} messages differ",
            self.differences.len(),
            self.compared
        );
        if only > 0 {
            found += &format!(", and {only} are in one of them only");
        }
        match self.columns_only_left.len() + self.columns_only_right.len() {
            0 => {}
            columns => found += &format!(", as {columns} columns are"),
        }
        different(args, found, ALL_IN_JSON)
    }
}

/// A mistake in a table.
fn bad(path: &Path, line: Option<u64>, what: String) -> Error {
    let place = line.map_or("table".to_owned(), |line| format!("line {line}"));
    let help = "a table has a line of names, and in every line as many cells";
    let diagnostic = Diagnostic::new(place, what, help);
    Error::one(Class::Input, path.display().to_string(), diagnostic)
}

fn read(Opened { path, input, .. }: Opened) -> Result<Table, Error> {
    let mut bytes = Vec::new();
    let read = Limited::new(input, input::MESSAGES.bytes_max).read_to_end(&mut bytes);
    read.map_err(|error| Error::io(path, "reading", &error))?;
    let text = input::text(path, bytes, Class::Input)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let line_of = |error: &csv::Error| error.position().map(csv::Position::line);
    let mistake = |error: csv::Error| bad(path, line_of(&error), error.to_string());
    let columns = reader.headers().map_err(mistake)?;
    let columns: Vec<String> = columns.iter().map(str::to_owned).collect();
    if columns.is_empty() {
        let what = "found nothing, expected a line of names";
        return Err(bad(path, Some(1), what.into()));
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(mistake)?;
        rows.push(TableRow {
            line: record.position().map(csv::Position::line),
            cells: record.iter().map(str::to_owned).collect(),
        });
    }
    Ok(Table { columns, rows })
}
