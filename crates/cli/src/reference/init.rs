//! `crosswave init`: a configuration that runs, with every key of its kind of network.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;

use super::keys::{kind_names, plain};
use super::wrap::{FILE_WIDTH, wrapped};
use crate::{output, usage};
use crosswave_base::diagnostic::Error;
use crosswave_base::file;
use crosswave_network::description::NetworkKind;
use crosswave_network::registry::KINDS;
use crosswave_run::config::keys::{KeyForm, table};

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Kind of network
    #[arg(value_parser = kind_names())]
    kind: String,
    /// File to write to; without it, or with -, standard output
    #[arg(long, short, value_name = "FILE|-")]
    out: Option<PathBuf>,
}

/// Keys that are set, in all kinds of networks that take them.
const START: [(&str, &str); 8] = [
    ("network.nodes", "64"),
    ("network.ports", "4"),
    ("network.levels", "3"),
    ("traffic.pattern", "\"steady\""),
    ("traffic.words", "8"),
    ("traffic.load", "0.02"),
    ("traffic.cycles", "20000"),
    ("run.seed", "1"),
];

/// The links of a router in two dimensions.
const AXES: &str = "[[\"west\", \"east\"], [\"north\", \"south\"]]";

/// Keys that are set in one kind of network.
const START_OF_KIND: [(&str, &str, &str); 16] = [
    ("mesh", "network.component", "\"mesh_router.toml\""),
    ("mesh", "network.size", "[8, 8]"),
    ("mesh", "network.axes", AXES),
    ("torus", "network.component", "\"mesh_router.toml\""),
    ("torus", "network.size", "[8, 8]"),
    ("torus", "network.axes", AXES),
    ("ring", "network.component", "\"ring_router.toml\""),
    ("ring", "network.size", "[16]"),
    ("ring", "network.axes", "[[\"west\", \"east\"]]"),
    ("custom", "network.component", "\"my_router.toml\""),
    ("custom", "network.routers", "\"routers.csv\""),
    ("custom", "network.links", "\"links.csv\""),
    ("custom", "network.local", "\"local\""),
    ("binary-fat-tree", "router.queue_packets", "\"unlimited\""),
    ("binary-fat-tree", "run.engine", "\"event\""),
    ("m-port-n-tree-packets", "run.engine", "\"event\""),
];

/// Writes the configuration.
pub(crate) fn init(args: &InitArgs) -> Result<(), Error> {
    let kind = KINDS.iter().find(|kind| kind.name == args.kind);
    let text = configuration(kind.expect("clap takes known kinds only"));
    match args.out.as_deref() {
        Some(path) if path.as_os_str() != "-" => {
            if path.exists() && !file::is_special(path) {
                let found = format!("{} exists already", path.display());
                return Err(usage(
                    "--out",
                    found,
                    "choose another name, or remove the file",
                ));
            }
            file::write(path, |out| out.write_all(text.as_bytes()))
        }
        _ => output::print(&text),
    }
}

/// The text of a configuration of a kind.
fn configuration(kind: &NetworkKind) -> String {
    let mut set: BTreeMap<&str, String> = START
        .iter()
        .map(|(key, value)| (*key, (*value).to_owned()))
        .collect();
    set.insert("network.kind", format!("{:?}", kind.name));
    for (of, key, value) in START_OF_KIND {
        if of == kind.name {
            set.insert(key, value.to_owned());
        }
    }
    let mut text = format!(
        "# A {} {}. `crosswave run FILE` runs it.\n\
         # Keys that are commented out have their defaults. `crosswave keys KEY` explains a key.\n",
        kind.title, kind.of
    );
    let mut last = "";
    for entry in table() {
        let Some(form) = entry.form(kind.name) else {
            continue;
        };
        let (of, name) = entry.key;
        if of != last {
            text += &format!("\n[{of}]\n");
            last = of;
        }
        text += &comment(form);
        text += &match (set.get(&*entry.name()), default(form)) {
            (Some(value), _) => format!("{name} = {value}\n"),
            (None, Some(value)) => format!("# {name} = {value}\n"),
            (None, None) => format!("# {name} =\n"),
        };
    }
    text
}

/// The meaning and the values of a key, as a comment.
fn comment(form: &KeyForm) -> String {
    let mut text = format!("{} Values: {}.", form.meaning, form.legal);
    if !form.only.is_empty() {
        text += &format!(" Only where {}.", form.only);
    }
    wrapped(&plain(&text), "# ", FILE_WIDTH)
}

/// The default of a key where it can be written.
fn default(form: &KeyForm) -> Option<&str> {
    form.default.strip_prefix('`')?.split('`').next()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crosswave_run::config::Config;

    #[test]
    fn the_configuration_of_each_kind_is_valid() {
        // Those of a designer's own routers need files.
        for kind in KINDS.iter().filter(|kind| !kind.samples.is_empty()) {
            let text = configuration(kind);
            let config = Config::parse(&text, kind.name, Path::new("."), &[]);
            let config = config.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(config.network.kind().name, kind.name);
        }
    }

    /// Setting a key to the default that it is said to have changes nothing, in some traffic in
    /// which it may be given.
    #[test]
    fn defaults_are_those_of_the_program() {
        let traffics = [
            "pattern='steady'\nload=0.1\ncycles=100\n",
            "pattern='steady'\nload=0.1\ncycles=100\ndestinations='hot-spot'\n",
            "pattern='random'\n",
            "trace='t.csv'\n",
            "pattern='random'\n[retry]\nstrategy='backoff'\n",
            "pattern='random'\n[retry]\nstrategy='random'\n",
        ];
        let networks = [
            "",
            "dispersion='random'\n",
            "routing='mlid'\n",
            "link_delay_cycles='geometry'\n",
        ];
        let mut unchecked = Vec::new();
        for kind in KINDS.iter().filter(|kind| !kind.samples.is_empty()) {
            let set = |key: &str| START.iter().find(|(name, _)| *name == key);
            let sizes = ["nodes", "ports", "levels"].map(|name| {
                let key = format!("network.{name}");
                let taken = kind.rows().any(|row| row.key == ("network", name));
                let value = set(&key).filter(|_| taken);
                value.map_or(String::new(), |(_, value)| format!("{name}={value}\n"))
            });
            let starts = networks.iter().flat_map(|network| {
                let head = format!(
                    "[network]\nkind='{}'\n{}{network}",
                    kind.name,
                    sizes.concat()
                );
                let text = move |traffic| format!("{head}[traffic]\n{traffic}");
                traffics.iter().map(text).collect::<Vec<_>>()
            });
            let starts: Vec<String> = starts.collect();
            let engine = "run.engine=\"event\"".to_owned();
            let parse = |text: &str, setting: Option<String>| {
                let settings: Vec<String> = [engine.clone()].into_iter().chain(setting).collect();
                Config::parse(text, kind.name, Path::new("."), &settings).ok()
            };
            for entry in table() {
                let Some(value) = entry.form(kind.name).and_then(default) else {
                    continue;
                };
                let setting = format!("{}={value}", entry.name());
                if entry.name() == "run.engine" {
                    continue;
                }
                let mut accepted = 0;
                let is_set = format!("\n{}=", entry.key.1);
                for text in starts.iter().filter(|text| !text.contains(&is_set)) {
                    // With random waits this key has the other default that its text names.
                    let is_other = text.contains("strategy='random'");
                    if is_other && entry.name() == "retry.backoff_limit" {
                        continue;
                    }
                    let (plain, other) = (parse(text, None), parse(text, Some(setting.clone())));
                    if let (Some(plain), Some(other)) = (plain, other) {
                        assert_eq!(plain, other, "{setting} in\n{text}");
                        accepted += 1;
                    }
                }
                if accepted == 0 {
                    unchecked.push(format!("{} {setting}", kind.name));
                }
            }
        }
        assert_eq!(unchecked, Vec::<String>::new());
    }
}
