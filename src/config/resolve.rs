//! From keys and values to a [`Config`]: defaults, ranges, and what must hold
//! between keys.
//!
//! A key that is wrong or missing gets a stand-in so that the other keys can be
//! checked too; whatever follows from a stand-in is not reported.

use std::path::Path;

use toml::de::DeValue;

use super::{
    CYCLES_MAX, Config, EngineKind, REPLICATES_MAX, RetryConfig, RunConfig, THREADS_MAX, WaveConfig,
};
use super::{keys, traffic};
use crate::document::{Document, Key, Wrong, found, integer, two};
use crate::network::NetworkConfig;
use crate::network::description::Kind;
use crate::network::registry::KINDS;
use crate::traffic::retry::{BACKOFF_LIMIT_DEFAULT, BACKOFF_LIMIT_MAX, RANDOM_LIMIT_DEFAULT};
use crate::traffic::{Strategy, TrafficConfig};

/// The longest glob pattern of a scope, in characters.
const SCOPE_LENGTH_MAX: usize = 256;

/// The configuration in `document`; of use only when that has no mistakes
/// afterwards.
pub(super) fn resolve(document: &mut Document<'_>, folder: &Path) -> Config {
    let (kind, network, nodes) = network(document);
    let config = Config {
        network,
        traffic: traffic::resolve(document, nodes, folder),
        retry: retry(document, kind),
        run: RunConfig {
            seed: document
                .integer(("run", "seed"), 0..=i64::MAX.unsigned_abs())
                .unwrap_or(1),
            engine: document
                .choice(
                    ("run", "engine"),
                    &[("gate", EngineKind::Gate), ("event", EngineKind::Event)],
                )
                .unwrap_or(EngineKind::Gate),
            replicates: document
                .integer32(("run", "replicates"), 1..=REPLICATES_MAX)
                .unwrap_or(1),
            cycles_max: document.integer(("run", "cycles_max"), 1..=CYCLES_MAX),
            threads: document
                .integer32(("run", "threads"), 0..=THREADS_MAX)
                .unwrap_or(0),
        },
        wave: wave(document),
    };
    if let (TrafficConfig::Steady(steady), Some(most)) = (&config.traffic, config.run.cycles_max) {
        offered_in_time(document, steady.cycles, most);
    }
    config
}

/// The network, its kind, and its number of nodes when that is known.
fn network(document: &mut Document<'_>) -> (&'static Kind, NetworkConfig, Option<u32>) {
    const KIND: Key = ("network", "kind");
    const NODES: Key = ("network", "nodes");
    for (key, example) in [(KIND, "kind = \"fat-tree\""), (NODES, "nodes = 64")] {
        if !document.has(key) {
            let wrong = Wrong::new("missing; it has no default", format!("such as {example}"));
            document.wrong(key, None, wrong);
        }
    }
    let kinds: Vec<(&str, &Kind)> = KINDS.iter().map(|kind| (kind.name, *kind)).collect();
    let kind = document.choice(KIND, &kinds).unwrap_or(KINDS[0]);
    let nodes = document.value(NODES, kind.nodes);
    let network = NetworkConfig::read(kind, document, nodes);
    if !document.failed(KIND) {
        refuse(document, kind);
    }
    (kind, network, nodes)
}

/// Refuses keys that other kinds of networks take.
fn refuse(document: &mut Document<'_>, kind: &Kind) {
    let takes = |kind: &Kind, key| kind.keys.iter().any(|row| row.key == key);
    for entry in keys::table() {
        let takers = KINDS.iter().filter(|other| takes(other, entry.key));
        let takers: Vec<String> = takers.map(|kind| format!("{:?}", kind.name)).collect();
        if !takers.is_empty() && !takes(kind, entry.key) && document.has(entry.key) {
            let message = format!("a network of kind {:?} does not take this key", kind.name);
            let help = format!("remove it, or set network.kind = {}", takers.join(" or "));
            document.wrong(entry.key, None, Wrong::new(message, help));
        }
    }
}

/// Refuses to give up a run while messages are still offered.
fn offered_in_time(document: &mut Document<'_>, cycles: u64, cycles_max: u64) {
    const MOST: Key = ("run", "cycles_max");
    if document.failed(traffic::CYCLES) || cycles <= cycles_max {
        return;
    }
    let message = format!("found {cycles_max}, but messages are offered in {cycles} cycles");
    let help = format!("leave it out, or such as cycles_max = {}", 10 * cycles);
    document.wrong(MOST, Some(traffic::CYCLES), Wrong::new(message, help));
}

fn retry(document: &mut Document<'_>, kind: &Kind) -> RetryConfig {
    const STRATEGY: Key = ("retry", "strategy");
    const LIMIT: Key = ("retry", "backoff_limit");
    let limit = document.integer32(LIMIT, 1..=BACKOFF_LIMIT_MAX);
    let backoff = Strategy::Backoff {
        limit: limit.unwrap_or(BACKOFF_LIMIT_DEFAULT),
    };
    let random = Strategy::Random {
        limit: limit.unwrap_or(RANDOM_LIMIT_DEFAULT),
    };
    let all = [Strategy::Immediate, Strategy::Rounds, random, backoff];
    let choices: Vec<(&str, Strategy)> = kind
        .strategies
        .iter()
        .filter_map(|&name| Some((name, *all.iter().find(|strategy| strategy.name() == name)?)))
        .collect();
    let strategy = document
        .choice(STRATEGY, &choices)
        .unwrap_or(Strategy::Immediate);
    let applies = strategy == backoff || strategy == random || document.failed(STRATEGY);
    if document.has(LIMIT) && !applies {
        let message = format!("the strategy {:?} does not take this key", strategy.name());
        let limited = [backoff, random].map(Strategy::name);
        let limited = limited.iter().filter(|name| kind.strategies.contains(name));
        let limited: Vec<String> = limited.map(|name| format!("{name:?}")).collect();
        let help = format!(
            "remove it, or set retry.strategy = {}",
            limited.join(" or ")
        );
        document.wrong(LIMIT, None, Wrong::new(message, help));
    }
    RetryConfig { strategy }
}

fn wave(document: &mut Document<'_>) -> WaveConfig {
    let scopes = document.value(("wave", "scopes"), |value| {
        const HELP: &str = "such as scopes = [\"*\"]";
        let expected = "expected a list of glob patterns on dotted instance paths";
        let entries = value
            .as_array()
            .filter(|entries| !entries.is_empty())
            .ok_or_else(|| vec![Wrong::new(format!("{}; {expected}", found(value)), HELP)])?;
        let mut scopes = Vec::new();
        let mut wrongs = Vec::new();
        for (entry, value) in entries.iter().enumerate() {
            let plain = |text: &&str| {
                let visible = |c: char| !c.is_whitespace() && !c.is_control();
                (1..=SCOPE_LENGTH_MAX).contains(&text.chars().count()) && text.chars().all(visible)
            };
            match value.get_ref().as_str().filter(plain) {
                Some(text) => scopes.push(text.to_string()),
                None => wrongs.push(Wrong {
                    entry: Some(entry),
                    message: format!(
                        "{}; expected a pattern of 1..={SCOPE_LENGTH_MAX} characters without space",
                        found(value.get_ref())
                    ),
                    help: HELP.into(),
                }),
            }
        }
        if wrongs.is_empty() {
            Ok(scopes)
        } else {
            Err(wrongs)
        }
    });
    let window_cycles = document.value(("wave", "window_cycles"), |value| {
        const HELP: &str = "such as window_cycles = [1, 100]";
        let cycle = |value: &DeValue<'_>| integer(value, &(0..=CYCLES_MAX)).ok();
        let window = two(value).and_then(|[from, to]| cycle(from).zip(cycle(to)));
        match window {
            Some((from, to)) if from <= to => Ok((from, to)),
            Some((from, to)) => {
                let message = format!("from {from} to {to}; expected from <= to");
                let help = format!("write window_cycles = [{to}, {from}]");
                Err(vec![Wrong::new(message, help)])
            }
            None => {
                let message = format!(
                    "{}; expected [from, to], two cycles in 0..={CYCLES_MAX}",
                    found(value)
                );
                Err(vec![Wrong::new(message, HELP)])
            }
        }
    });
    let random_pins = document.value(("wave", "random_pins"), |value| {
        value.as_bool().ok_or_else(|| {
            let message = format!("{}; expected true or false", found(value));
            vec![Wrong::new(message, "write random_pins = true")]
        })
    });
    WaveConfig {
        scopes: scopes.unwrap_or_else(|| vec!["*".into()]),
        window_cycles,
        random_pins: random_pins.unwrap_or(false),
    }
}
