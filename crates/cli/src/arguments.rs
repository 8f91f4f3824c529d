//! Diagnostics for arguments that the command does not know.
//!
//! Clap finds the mistake and words it, and repeats the argument whole, raw, and up to three
//! times. Here the argument is shown as a diagnostic shows foreign text, and the command that
//! may have been meant is named also where the word is short or another program's.

use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, Error};

use crosswave_base::diagnostic::{self, PIECE_MAX, brief_piece};
use crosswave_base::escape;
use crosswave_base::suggest::nearest;

/// Words that are tried for commands of another name.
const SYNONYMS: [(&str, &str); 8] = [
    ("simulate", "run"),
    ("wave", "show"),
    ("waveform", "show"),
    ("draw", "show"),
    ("compare", "diff"),
    ("verilog", "export"),
    ("path", "route"),
    ("plot", "figure"),
];

/// Prints help or the version to standard output, or to standard error what is wrong with the
/// arguments of a command.
pub(super) fn print(mut error: Error, command: &Command, arguments: &[String]) -> io::Result<()> {
    if error.use_stderr() {
        suggest(&mut error, command, arguments);
        let is_long = |argument: &String| argument.chars().count() > PIECE_MAX;
        let is_harmful = |argument: &String| escape::line(argument) != argument.as_str();
        if arguments.iter().any(|one| is_long(one) || is_harmful(one)) {
            return io::stderr().write_all(harmless(&mut error).as_bytes());
        }
    }
    error.print().and_then(|()| io::stdout().flush())
}

/// Names the command that may have been meant, where clap finds none.
fn suggest(error: &mut Error, mut command: &Command, arguments: &[String]) {
    let is_unknown = error.kind() == ErrorKind::InvalidSubcommand;
    if !is_unknown || error.get(ContextKind::SuggestedSubcommand).is_some() {
        return;
    }
    for argument in arguments {
        if let Some(next) = command.find_subcommand(argument) {
            command = next;
            continue;
        }
        let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        let synonyms: Vec<&str> = SYNONYMS.iter().map(|(word, _)| *word).collect();
        let meant = nearest(argument, &names).or_else(|| {
            let near = nearest(argument, &synonyms)?;
            let (_, meant) = SYNONYMS.iter().find(|(word, _)| *word == near)?;
            names.contains(meant).then_some(*meant)
        });
        if let Some(meant) = meant {
            let meant = ContextValue::Strings(vec![meant.to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, meant);
        }
        return;
    }
}

/// The text of an error without colours, its arguments escaped and shortened.
fn harmless(error: &mut Error) -> String {
    let shown = |argument: &String| brief_piece(&escape::line(argument)).into_owned();
    let context: Vec<(ContextKind, ContextValue)> = error
        .context()
        .map(|(kind, value)| (kind, value.clone()))
        .collect();
    let mut foreign: Vec<String> = Vec::new();
    for (kind, value) in context {
        let harmless = match value {
            ContextValue::String(one) => {
                let harmless = ContextValue::String(shown(&one));
                foreign.push(one);
                harmless
            }
            ContextValue::Strings(some) => {
                let harmless = ContextValue::Strings(some.iter().map(shown).collect());
                foreign.extend(some);
                harmless
            }
            _ => continue,
        };
        error.insert(kind, harmless);
    }
    // Tips repeat the argument; clap leaves escape sequences out of text without colours.
    let mut text = error.render().to_string();
    for argument in &foreign {
        if argument.chars().count() > PIECE_MAX {
            text = text.replace(argument.as_str(), &shown(argument));
        }
    }
    let lines = text.split('\n').map(diagnostic::shown);
    lines.collect::<Vec<_>>().join("\n")
}
