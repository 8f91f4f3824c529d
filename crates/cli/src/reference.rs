//! The reference of the program: keys, fields of results, commands and signals, as text for a
//! terminal and as the pages of the reference in `docs/reference`.
//!
//! | file | holds |
//! |---|---|
//! | `keys` | `crosswave keys`, the page of keys |
//! | `fields` | `crosswave fields`, the page of fields |
//! | `rows` | the table of fields: the meaning of everything that a run writes |
//! | `signals` | the page of signals |
//! | `init` | `crosswave init`: a commented configuration |
//! | `wrap` | lines of a width |

pub(super) mod fields;
pub(super) mod init;
pub(super) mod keys;
mod rows;
mod signals;
mod wrap;

use std::path::PathBuf;

use clap::{Args, CommandFactory};

use super::Cli;
use crosswave_base::diagnostic::Error;
use crosswave_base::file::{Folder, FolderFile};

#[derive(Debug, Args)]
pub(super) struct ReferenceArgs {
    /// Folder to write to; made when missing. Files there that crosswave did not write are
    /// not replaced
    folder: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Folder to write to; made when missing. Files there that crosswave did not write are
    /// not replaced
    folder: PathBuf,
}

/// Begins a page that is made by the program.
const MADE: &str = "<!-- Written by `crosswave reference docs/reference`. -->\n\n";

/// Writes the pages of the reference.
pub(super) fn reference(args: &ReferenceArgs) -> Result<(), Error> {
    let pages = [
        ("commands.md", commands()),
        ("keys.md", keys::page()),
        ("fields.md", fields::page()),
        ("signals.md", signals::page()),
    ];
    let files: Vec<FolderFile> = pages
        .into_iter()
        .map(|(name, text)| FolderFile::new(name, format!("{MADE}{text}").into_bytes()))
        .collect();
    Folder::new("the folder", &args.folder)?.write(&files)
}

/// The page of commands.
fn commands() -> String {
    let options = clap_markdown::MarkdownOptions::new()
        .title("Commands".to_owned())
        .show_footer(false);
    clap_markdown::help_markdown_command_custom(&Cli::command(), &options)
}

/// Writes a manual page for the program and one for each command.
pub(super) fn man(args: &ManArgs) -> Result<(), Error> {
    let mut command = Cli::command();
    command.build();
    let mut files = Vec::new();
    let mut pending = vec![command];
    while let Some(command) = pending.pop() {
        let inner = command.get_subcommands();
        pending.extend(inner.filter(|inner| inner.get_name() != "help").cloned());
        let name = command.get_display_name().unwrap_or(command.get_name());
        let name = format!("{name}.1");
        let mut text = Vec::new();
        let page = clap_mangen::Man::new(command);
        page.render(&mut text)
            .map_err(|error| Error::io(&args.folder, "writing", &error))?;
        files.push(FolderFile::new(name, text));
    }
    files.sort_by(|one, other| one.name.cmp(&other.name));
    Folder::new("the folder", &args.folder)?.write(&files)
}
