//! `crosswave signals`.

use std::collections::BTreeMap;

use clap::Args;
use comfy_table::Table;
use comfy_table::presets::UTF8_BORDERS_ONLY;
use serde::Serialize;

use super::ConfigArgs;
use super::output::{self, JsonArgs};
use super::recording::{Console, shown_bytes};
use crosswave_base::diagnostic::Error;
use crosswave_observe::recording::{Size, sizes};
use crosswave_probe::signal::{Signal, SignalSet};
use crosswave_run::simulation::Simulation;

#[derive(Debug, Args)]
pub(super) struct SignalsArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    json: JsonArgs,
}

/// Contents that a waveform would have, as JSON.
#[derive(Debug, Serialize)]
struct Document {
    crosswave: &'static str,
    signals: usize,
    scopes: usize,
    groups: Vec<Group>,
    /// Number of signals that are not ports.
    beside: usize,
    /// About how large files with the ports become.
    bytes: Vec<Size>,
}

/// Scopes with the same signals.
#[derive(Debug, Serialize)]
struct Group {
    scopes: usize,
    /// The path of the first one.
    first: String,
    /// The path of the last one.
    last: String,
    signals: Vec<Shown>,
}

/// A signal of a group.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Shown {
    name: &'static str,
    width: u8,
    /// The names of its values, where they have some.
    values: Vec<&'static str>,
}

/// Most names of values that are told of a signal.
const VALUES_MAX: usize = 16;

impl Shown {
    fn of(signal: &Signal) -> Shown {
        let values = signal.states.iter().map(|state| state.name.trim_end());
        Shown {
            name: signal.name,
            width: signal.width,
            values: values.take(VALUES_MAX).collect(),
        }
    }
}

pub(super) fn signals(args: &SignalsArgs) -> Result<(), Error> {
    let sourced = args.config.read_sourced(&[])?;
    let to_stdout = output::check(args.json.output().as_slice())?;
    let simulation = Simulation::new(&sourced.config)?;
    let selection = sourced.selection(&simulation)?;
    let ports = selection.ports();
    let (set, bytes) = sizes(&simulation, selection, &Console)?;
    let groups = groups(&set);
    let document = Document {
        crosswave: env!("CARGO_PKG_VERSION"),
        signals: set.signals.len(),
        scopes: groups.iter().map(|group| group.scopes).sum(),
        beside: set.signals.len() - ports,
        groups,
        bytes,
    };
    args.json.write(&document)?;
    match to_stdout {
        true => Ok(()),
        false => output::print(&text(&document)),
    }
}

/// The scopes of a set that have signals, those with the same ones together, in the order of
/// their first ones.
fn groups(set: &SignalSet) -> Vec<Group> {
    let mut places: BTreeMap<Vec<Shown>, usize> = BTreeMap::new();
    let mut groups: Vec<(usize, usize, usize)> = Vec::new();
    // The signals of one scope are consecutive.
    for signals in set.signals.chunk_by(|one, other| one.scope == other.scope) {
        let scope = signals[0].scope;
        let next = places.len();
        let place = places.entry(signals.iter().map(Shown::of).collect());
        let place = *place.or_insert(next);
        match groups.get_mut(place) {
            Some((count, _, last)) => (*count, *last) = (*count + 1, scope),
            None => groups.push((1, scope, scope)),
        }
    }
    let mut shown: Vec<(usize, Vec<Shown>)> = places
        .into_iter()
        .map(|(signals, place)| (place, signals))
        .collect();
    shown.sort_unstable_by_key(|(place, _)| *place);
    let groups = groups.into_iter().zip(shown);
    let groups = groups.map(|((scopes, first, last), (_, signals))| Group {
        scopes,
        first: set.scope_path(first),
        last: set.scope_path(last),
        signals,
    });
    groups.collect()
}

fn text(document: &Document) -> String {
    let mut text = String::new();
    for group in &document.groups {
        let scopes = match group.scopes {
            1 => group.first.clone(),
            count => format!("{count} scopes, {} to {}", group.first, group.last),
        };
        let mut table = Table::new();
        table.load_style(UTF8_BORDERS_ONLY);
        table.set_header(["signal", "width", "values"]);
        for signal in &group.signals {
            let mut values = signal.values.join(", ");
            if signal.values.len() == VALUES_MAX {
                values += ", …";
            }
            table.add_row([signal.name.to_owned(), signal.width.to_string(), values]);
        }
        text += &format!("{scopes}\n{table}\n");
    }
    let sizes = document.bytes.iter();
    let sizes: Vec<String> = sizes
        .map(|size| format!(".{} {}", size.format, shown_bytes(size.bytes)))
        .collect();
    let (signals, scopes) = (document.signals, document.scopes);
    let of_ports = match document.beside {
        0 => String::new(),
        beside => format!(" without the {beside} of messages and nets"),
    };
    text + &format!(
        "{signals} signals in {scopes} scope{}; size of replicate 0, about: {}{of_ports}\n",
        if scopes == 1 { "" } else { "s" },
        sizes.join(", ")
    )
}
