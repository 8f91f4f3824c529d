//! Two tables of messages: rows of the same first column are the same message, where there is a
//! column of replicates those of the same replicate.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::{DiffArgs, PRINTED, differ, more, output, usage};
use crate::diagnostic::{Class, Diagnostic, Error};
use crate::escape;
use crate::file::input;

/// A table: the names of its columns, and its rows by their replicates and their first cells.
struct Table {
    columns: Vec<String>,
    rows: BTreeMap<(Key, Key), Vec<String>>,
}

impl Table {
    /// What a message is called: its first cell, and its replicate if that is not the first one.
    fn name(&self, row: &[String]) -> String {
        match replicate(&self.columns, row) {
            "0" => row[0].clone(),
            other => format!("{} of replicate {other}", row[0]),
        }
    }
}

/// The replicate of a row.
fn replicate<'r>(columns: &[String], row: &'r [String]) -> &'r str {
    let column = columns.iter().position(|column| column == "replicate");
    column.map_or("0", |column| &row[column])
}

/// Numbers come before texts.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Number(u64),
    Text(String),
}

impl Key {
    fn of(cell: &str) -> Key {
        match cell.parse() {
            Ok(number) => Key::Number(number),
            Err(_) => Key::Text(cell.to_owned()),
        }
    }
}

/// What was found, as JSON.
#[derive(Serialize)]
struct Found {
    same: bool,
    /// Messages that both have.
    compared: usize,
    only_left: Vec<String>,
    only_right: Vec<String>,
    differences: Vec<Row>,
}

/// The first cell of a message that differs.
#[derive(Serialize)]
struct Row {
    message: String,
    column: String,
    left: String,
    right: String,
}

pub(super) fn diff(args: &DiffArgs, to_stdout: bool) -> Result<(), Error> {
    if !args.scopes.is_empty() || args.window.is_some() {
        let help = "leave --scope and --window out";
        return Err(usage("diff", "tables have neither scopes nor cycles", help));
    }
    let (left, right) = (read(&args.left)?, read(&args.right)?);
    if left.columns != right.columns {
        let columns = format!("{} and {}", left.columns.join(","), right.columns.join(","));
        return differ(args, false, || format!("the columns are {columns}"));
    }
    let found = Found::new(&left, &right);
    args.json.write(&found)?;
    if !to_stdout {
        output::print(&found.text(args))?;
    }
    differ(args, found.same, || {
        format!(
            "{} of {} messages differ, and {} are in one of them only",
            found.differences.len(),
            found.compared,
            found.only_left.len() + found.only_right.len()
        )
    })
}

impl Found {
    fn new(left: &Table, right: &Table) -> Found {
        let only = |table: &Table, other: &Table| -> Vec<String> {
            let rows = table.rows.iter();
            let rows = rows.filter(|(key, _)| !other.rows.contains_key(key));
            rows.map(|(_, row)| table.name(row)).collect()
        };
        let both = left.rows.iter();
        let both = both.filter_map(|(key, row)| Some((row, right.rows.get(key)?)));
        let first = |(row, other): (&Vec<String>, &Vec<String>)| {
            let mut cells = left.columns.iter().zip(row.iter().zip(other));
            let (column, (one, other)) = cells.find(|(_, (one, other))| one != other)?;
            Some(Row {
                message: left.name(row),
                column: column.clone(),
                left: one.clone(),
                right: other.clone(),
            })
        };
        let compared = both.clone().count();
        let differences: Vec<Row> = both.filter_map(first).collect();
        let (only_left, only_right) = (only(left, right), only(right, left));
        Found {
            same: differences.is_empty() && only_left.is_empty() && only_right.is_empty(),
            compared,
            only_left,
            only_right,
            differences,
        }
    }

    fn text(&self, args: &DiffArgs) -> String {
        let mut text = String::new();
        let sides = [
            (&args.left, &self.only_left),
            (&args.right, &self.only_right),
        ];
        for (file, only) in sides {
            for message in only.iter().take(PRINTED) {
                let message = escape::line(message);
                text += &format!("message {message}: only in {}\n", file.display());
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
            text += &format!("{} messages are the same\n", self.compared);
        }
        text
    }
}

fn read(path: &Path) -> Result<Table, Error> {
    let text = input::read_text(path, input::TRACE_BYTES_MAX, Class::Input)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let bad = |line: Option<u64>, what: String| {
        let place = line.map_or("table".to_owned(), |line| format!("line {line}"));
        let help = "a table has a line of names, and in every line as many cells";
        let diagnostic = Diagnostic::new(place, what, help);
        Error::one(Class::Input, path.display().to_string(), diagnostic)
    };
    let line_of = |error: &csv::Error| error.position().map(csv::Position::line);
    let headers = reader.headers();
    let columns = headers.map_err(|error| bad(line_of(&error), error.to_string()))?;
    let columns: Vec<String> = columns.iter().map(str::to_owned).collect();
    if columns.is_empty() {
        let what = "found nothing, expected a line of names";
        return Err(bad(Some(1), what.into()));
    }
    let mut rows = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| bad(line_of(&error), error.to_string()))?;
        let row: Vec<String> = record.iter().map(str::to_owned).collect();
        let key = (Key::of(replicate(&columns, &row)), Key::of(&row[0]));
        if rows.insert(key, row).is_some() {
            let line = record.position().map(csv::Position::line);
            return Err(bad(line, format!("`{}` for the second time", &record[0])));
        }
    }
    Ok(Table { columns, rows })
}
