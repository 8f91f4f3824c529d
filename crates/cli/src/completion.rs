//! Completions in a shell: commands and options by clap, and values that follow from the keys of a
//! configuration, from a waveform, or from the registry of papers.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Command, ValueEnum};
use clap_complete::engine::CompletionCandidate;
use clap_complete::env::{CompleteEnv, EnvCompleter, Shells};

use super::output;
use crosswave_base::diagnostic::Error;
use crosswave_chips::CHIPS;
use crosswave_papers::registry::{PAPERS, figures, with_report};
use crosswave_run::config::keys::table;
use crosswave_wave::{open, rows};

/// The variable of the environment by which a shell asks for completions.
const VARIABLE: &str = "CROSSWAVE_COMPLETE";

/// The most candidates that a shell is given.
const CANDIDATES_MAX: usize = 200;

/// A shell that takes completions.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum ShellName {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

/// Answers a shell that asks for completions; returns false when none does.
pub(super) fn answer(command: fn() -> Command) -> bool {
    let environment = CompleteEnv::with_factory(command).var(VARIABLE);
    match environment.try_complete(std::env::args_os(), None) {
        Ok(answered) => answered,
        Err(error) => error.exit(),
    }
}

/// Prints what a shell has to source.
pub(super) fn print(shell: ShellName) -> Result<(), Error> {
    let value = shell.to_possible_value().expect("a value that is shown");
    let shells = Shells::builtins();
    let completer = shells.completer(value.get_name());
    let completer: &dyn EnvCompleter = completer.expect("a shell of the list");
    let mut text = Vec::new();
    let program = "crosswave";
    completer
        .write_registration(VARIABLE, program, program, program, &mut text)
        .and_then(|()| text.flush())
        .map_err(|error| Error::io(Path::new("standard output"), "writing", &error))?;
    let mut text = String::from_utf8_lossy(&text).into_owned();
    if matches!(shell, ShellName::Bash) {
        // Bash splits words at `=`, which keys of `--set` have, and completes no files where a program
        // completes.
        text = text.replace(
            "complete -o nospace -o bashdefault",
            "complete -o nospace -o bashdefault -o default",
        );
        text += "COMP_WORDBREAKS=${COMP_WORDBREAKS//=/}\n";
    }
    output::print(&text)
}

/// The candidates among some texts, each with a help.
fn candidates<'a>(
    texts: impl IntoIterator<Item = (String, &'a str)>,
    current: &OsStr,
) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let fitting = texts
        .into_iter()
        .filter(|(text, _)| text.starts_with(&*current));
    let candidate = |(text, help): (String, &'a str)| {
        let help = (!help.is_empty()).then(|| help.to_owned().into());
        CompletionCandidate::new(text).help(help)
    };
    fitting.take(CANDIDATES_MAX).map(candidate).collect()
}

/// Keys of `--set`, and after the `=` the values that a key lists.
pub(super) fn settings(current: &OsStr) -> Vec<CompletionCandidate> {
    let text = current.to_string_lossy();
    let Some((key, _)) = text.split_once('=') else {
        let texts = table()
            .iter()
            .map(|entry| (format!("{}=", entry.name()), entry.forms[0].meaning));
        return candidates(texts, current);
    };
    let entry = table().iter().find(|entry| entry.name() == key);
    let mut values: Vec<String> = Vec::new();
    for form in entry.iter().flat_map(|entry| &entry.forms) {
        // Names are in backticks and quotes, which the command line can do without.
        let is_name = |value: &&str| match form.value {
            "boolean" => matches!(*value, "true" | "false"),
            kind => !kind.starts_with("list") && value.starts_with('"'),
        };
        for value in form.legal.split('`').skip(1).step_by(2).filter(is_name) {
            let value = format!("{key}={}", value.trim_matches('"'));
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    candidates(values.into_iter().map(|value| (value, "")), current)
}

/// Keys of `--unset`.
pub(super) fn key_names(current: &OsStr) -> Vec<CompletionCandidate> {
    let names = table()
        .iter()
        .map(|entry| (entry.name(), entry.forms[0].meaning));
    candidates(names, current)
}

/// Chips of `--chip`, with the sign after which their files stand.
pub(super) fn chips(current: &OsStr) -> Vec<CompletionCandidate> {
    let chips = CHIPS
        .iter()
        .map(|chip| (format!("{}=", chip.name), chip.name));
    candidates(chips, current)
}

/// Scopes of the waveform that the command line names.
pub(super) fn scopes(current: &OsStr) -> Vec<CompletionCandidate> {
    let is_waveform = |path: &PathBuf| {
        let name = path.to_string_lossy().to_lowercase();
        [".vcd", ".vcd.gz", ".fst"]
            .iter()
            .any(|end| name.ends_with(end))
            && path.is_file()
    };
    let file = std::env::args_os().map(PathBuf::from).find(is_waveform);
    let Some(Ok(reader)) = file.map(|file| open(&file)) else {
        return Vec::new();
    };
    let kept = vec![true; reader.declared().signals.len()];
    let mut groups: Vec<String> = rows(reader.declared(), &kept)
        .into_iter()
        .map(|row| row.group)
        .collect();
    groups.dedup();
    candidates(groups.into_iter().map(|group| (group, "")), current)
}

/// The names of papers.
pub(super) fn papers(current: &OsStr) -> Vec<CompletionCandidate> {
    let names = PAPERS
        .iter()
        .map(|paper| (paper.name.to_owned(), paper.title));
    candidates(names, current)
}

/// The names of papers that have a report.
pub(super) fn reports(current: &OsStr) -> Vec<CompletionCandidate> {
    let names = with_report().map(|paper| (paper.name.to_owned(), paper.title));
    candidates(names, current)
}

/// The names of figures.
pub(super) fn figure_names(current: &OsStr) -> Vec<CompletionCandidate> {
    let names = figures().map(|figure| (figure.name.to_owned(), figure.title));
    candidates(names, current)
}
