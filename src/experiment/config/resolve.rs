//! From keys and values to a [`Config`]: defaults, ranges, and what must hold
//! between keys.
//!
//! A key that is wrong or missing gets a stand-in so that the other keys can be
//! checked too; whatever follows from a stand-in is not reported.

use std::path::Path;

use toml::de::DeValue;

use super::document::{Document, Key, Wrong, found, integer, two};
use super::traffic;
use super::{
    CYCLES_MAX, Config, EngineKind, LINK_DELAY_CYCLES_MAX, NetworkConfig, NetworkKind,
    REPLICATES_MAX, Release, RetryConfig, RouterConfig, RunConfig, THREADS_MAX, WaveConfig, Winner,
};
use crate::traffic::retry::{BACKOFF_LIMIT_DEFAULT, BACKOFF_LIMIT_MAX};
use crate::traffic::{NODES_MAX, Strategy};

/// The longest glob pattern of a scope, in characters.
const SCOPE_LENGTH_MAX: usize = 256;

/// The configuration in `document`; of use only when that has no mistakes
/// afterwards.
pub(super) fn resolve(document: &mut Document<'_>, folder: &Path) -> Config {
    let (network, nodes) = network(document);
    Config {
        network,
        router: RouterConfig {
            winner: document
                .choice(
                    ("router", "winner"),
                    &[("random", Winner::Random), ("fixed", Winner::Fixed)],
                )
                .unwrap_or(Winner::Random),
            release: document
                .choice(
                    ("router", "release"),
                    &[
                        ("acknowledge", Release::Acknowledge),
                        ("tail", Release::Tail),
                    ],
                )
                .unwrap_or(Release::Acknowledge),
        },
        traffic: traffic::resolve(document, nodes, folder),
        retry: retry(document),
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
            cycles_max: document
                .integer(("run", "cycles_max"), 1..=CYCLES_MAX)
                .unwrap_or(10_000_000),
            threads: document
                .integer32(("run", "threads"), 0..=THREADS_MAX)
                .unwrap_or(0),
        },
        wave: wave(document),
    }
}

/// The network, and its number of nodes when that is known.
fn network(document: &mut Document<'_>) -> (NetworkConfig, Option<u32>) {
    const KIND: Key = ("network", "kind");
    const NODES: Key = ("network", "nodes");
    for (key, example) in [(KIND, "kind = \"fat-tree\""), (NODES, "nodes = 64")] {
        if !document.has(key) {
            let wrong = Wrong::new("missing; it has no default", format!("such as {example}"));
            document.wrong(key, None, wrong);
        }
    }
    let kind = document.choice(KIND, &[("fat-tree", NetworkKind::FatTree)]);
    let nodes = document.value(NODES, |value| {
        let most = u64::from(NODES_MAX);
        let number = integer(value, &(0..=u64::MAX)).ok();
        let legal = number.filter(|number| (2..=most).contains(number));
        let nodes = legal.and_then(|number| u32::try_from(number).ok());
        if let Some(nodes) = nodes.filter(|nodes| nodes.is_power_of_two()) {
            return Ok(nodes);
        }
        let message = format!("{}; expected a power of two in 2..={most}", found(value));
        let help = match (nodes, number) {
            (Some(nodes), _) => {
                let above = nodes.next_power_of_two();
                format!("the nearest are {} and {above}", above / 2)
            }
            (None, Some(number)) => format!("such as nodes = {}", number.clamp(2, most)),
            (None, None) => "such as nodes = 64".into(),
        };
        Err(vec![Wrong::new(message, help)])
    });
    let levels = nodes.map(|nodes| nodes.trailing_zeros() as usize);
    let delays = document.value(("network", "link_delay_cycles"), |value| {
        link_delays(value, levels)
    });
    let network = NetworkConfig {
        kind: kind.unwrap_or(NetworkKind::FatTree),
        nodes: nodes.unwrap_or(2),
        link_delay_cycles: delays.unwrap_or_else(|| vec![0; levels.unwrap_or(1)]),
    };
    (network, nodes)
}

/// One delay for all levels, or a list with one for each.
fn link_delays(value: &DeValue<'_>, levels: Option<usize>) -> Result<Vec<u32>, Vec<Wrong>> {
    let delay = |value: &DeValue<'_>| -> Result<u32, Wrong> {
        let range = 0..=u64::from(LINK_DELAY_CYCLES_MAX);
        integer(value, &range).map(|delay| u32::try_from(delay).unwrap_or(0))
    };
    const HELP: &str = "give one delay for all links, or a list with one entry per level";
    let with_help = |wrong: Wrong| Wrong {
        help: HELP.into(),
        ..wrong
    };
    let DeValue::Array(entries) = value else {
        let delay = delay(value).map_err(|wrong| vec![with_help(wrong)])?;
        return Ok(vec![delay; levels.unwrap_or(1)]);
    };
    let mut wrongs = Vec::new();
    if let Some(levels) = levels
        && entries.len() != levels
    {
        let message = format!(
            "found a list of {}; expected {levels} entries, one for each level",
            entries.len()
        );
        let help = "entry 0 is for the links of the nodes, entry l for those between levels l-1 \
                    and l";
        wrongs.push(Wrong::new(message, help));
    }
    let mut delays = Vec::new();
    for (entry, value) in entries.iter().enumerate() {
        match delay(value.get_ref()) {
            Ok(delay) => delays.push(delay),
            Err(wrong) => wrongs.push(Wrong {
                entry: Some(entry),
                ..with_help(wrong)
            }),
        }
    }
    if wrongs.is_empty() {
        Ok(delays)
    } else {
        Err(wrongs)
    }
}

fn retry(document: &mut Document<'_>) -> RetryConfig {
    const STRATEGY: Key = ("retry", "strategy");
    const LIMIT: Key = ("retry", "backoff_limit");
    let limit = document.integer32(LIMIT, 1..=BACKOFF_LIMIT_MAX);
    let backoff = Strategy::Backoff {
        limit: limit.unwrap_or(BACKOFF_LIMIT_DEFAULT),
    };
    let choices = [
        ("immediate", Strategy::Immediate),
        ("rounds", Strategy::Rounds),
        ("backoff", backoff),
    ];
    let strategy = document
        .choice(STRATEGY, &choices)
        .unwrap_or(Strategy::Immediate);
    let applies = strategy == backoff || document.failed(STRATEGY);
    if document.has(LIMIT) && !applies {
        let message = format!("the strategy {:?} does not take this key", strategy.name());
        let help = "remove it, or set retry.strategy = \"backoff\"";
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
    WaveConfig {
        scopes: scopes.unwrap_or_else(|| vec!["*".into()]),
        window_cycles,
    }
}
