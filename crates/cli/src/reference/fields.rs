//! `crosswave fields`: the fields of results, searched; and the page of them.

use clap::Args;
use serde::Serialize;

use super::keys::plain;
use super::rows::{FieldGroup, FieldRow, FieldTable, GROUPS, TABLES};
use super::wrap::{terminal_width, wrapped};
use crate::output::{self, JsonArgs};
use crate::usage;
use crosswave_base::diagnostic::Error;

#[derive(Debug, Args)]
pub(crate) struct FieldsArgs {
    /// Part of a field's path or of the command that writes it; where none has it, a word of its
    /// meaning
    pattern: Option<String>,
    #[command(flatten)]
    json: JsonArgs,
}

/// A field, in JSON.
#[derive(Debug, Serialize)]
struct FieldEntry {
    written_by: &'static str,
    field: String,
    unit: &'static str,
    meaning: &'static str,
}

/// Prints the fields that are looked for.
pub(crate) fn fields(args: &FieldsArgs) -> Result<(), Error> {
    let output = args.json.output();
    let takes_standard = output::check(output.as_slice())?;
    let found = match &args.pattern {
        Some(pattern) => search(&pattern.to_lowercase())?,
        None => entries(),
    };
    args.json.write(&found)?;
    if takes_standard {
        return Ok(());
    }
    let (mut text, mut last) = (String::new(), "");
    for entry in &found {
        if entry.written_by != last {
            let space = if last.is_empty() { "" } else { "\n" };
            text += &format!("{space}{}\n", entry.written_by);
            last = entry.written_by;
        }
        text += &format!("  {} [{}]\n", entry.field, entry.unit);
        text += &wrapped(&plain(entry.meaning), "      ", terminal_width());
    }
    output::print(&text)
}

/// All fields; those of a group stand in the place of the field that has it.
fn entries() -> Vec<FieldEntry> {
    let of_table = |table: &'static FieldTable| {
        table.fields.iter().flat_map(|row| {
            let own = FieldEntry {
                written_by: table.written_by,
                field: row.path.to_owned(),
                unit: row.unit,
                meaning: row.meaning,
            };
            let inner = group(row).into_iter().flatten().map(|inner| FieldEntry {
                written_by: table.written_by,
                field: format!("{}.{}", row.path, inner.path),
                unit: inner.unit,
                meaning: inner.meaning,
            });
            std::iter::once(own).chain(inner).collect::<Vec<_>>()
        })
    };
    TABLES.iter().flat_map(of_table).collect()
}

/// The fields of the group that a field stands for.
fn group(row: &FieldRow) -> Option<&'static [FieldRow]> {
    let group = GROUPS.iter().find(|group| group.unit == row.unit)?;
    Some(group.fields)
}

/// The fields whose path or command has the pattern; without one, those whose meaning has it.
fn search(pattern: &str) -> Result<Vec<FieldEntry>, Error> {
    let by_path = |entry: &FieldEntry| {
        entry.field.to_lowercase().contains(pattern) || entry.written_by.contains(pattern)
    };
    let (found, others): (Vec<_>, Vec<_>) = entries().into_iter().partition(by_path);
    if !found.is_empty() {
        return Ok(found);
    }
    let by_meaning = |entry: &FieldEntry| entry.meaning.to_lowercase().contains(pattern);
    let found: Vec<FieldEntry> = others.into_iter().filter(by_meaning).collect();
    if found.is_empty() {
        let found = format!("found {pattern:?}, which is in no field and in no meaning of one");
        return Err(usage(
            "PATTERN",
            found,
            "`crosswave fields` lists all fields",
        ));
    }
    Ok(found)
}

/// The page of fields.
pub(super) fn page() -> String {
    let mut page = String::from(
        "# Fields of results\n\n\
         The fields of files that crosswave writes, with their units. They are stable: later versions \
         may add fields and columns, and keep those that are here. `crosswave fields` prints this \
         page, and `crosswave fields latency` a part of it. A path has `[]` for each entry of a list, \
         and `…` for any text. [Following messages](../how-to/messages.md) explains the records of \
         attempts and messages by examples.\n",
    );
    for table in TABLES {
        page += &format!("\n## crosswave {}\n\n{}\n\n", table.written_by, table.about);
        page += &rows(table.fields);
    }
    page += "\n## Groups of fields\n";
    for group in GROUPS {
        let FieldGroup { unit, title, .. } = group;
        page += &format!("\n### {title}\n\nA field of the unit “{unit}” has ");
        match group.written_by {
            Some(file) => page += &format!("the fields of “crosswave {file}” above.\n"),
            None => {
                page += "these fields:\n\n";
                page += &rows(group.fields);
            }
        }
    }
    page
}

/// A table of fields.
fn rows(fields: &[FieldRow]) -> String {
    let mut table = String::from("| field | unit | meaning |\n|---|---|---|\n");
    for row in fields {
        let meaning = row.meaning.replace('|', "\\|");
        table += &format!("| `{}` | {} | {meaning} |\n", row.path, row.unit);
    }
    table
}
