//! The tables `[network]`, `[router]` and `[interface]`: which keys go with a kind of
//! network, and their values.

use toml::de::{DeArray, DeValue};

use super::document::{Document, Key, Wrong, found, integer};
use super::{
    Close, InterfaceConfig, LINK_DELAY_CYCLES_MAX, LinkDelays, NetworkConfig, NetworkKind,
    REPLY_DELAY_CYCLES_MAX, REPLY_WORDS_MAX, Release, RouterConfig, TURNS_MAX, Winner,
};
use crate::network::bidelta;
use crate::network::fat_tree::FatTree;
use crate::suggest::nearest;
use crate::traffic::NODES_MAX;

const KIND: Key = ("network", "kind");
const CAPACITIES: Key = ("network", "capacities");
const WINNER: Key = ("router", "winner");
const RELEASE: Key = ("router", "release");
const TURNS: Key = ("interface", "turns");
const REPLY_WORDS: Key = ("interface", "reply_words");
const REPLY_DELAY: Key = ("interface", "reply_delay_cycles");
const CLOSE: Key = ("interface", "close");

/// The largest capacity: that below the root of the largest tree.
const CAPACITY_MAX: u32 = NODES_MAX / 2;

/// The network, and its number of nodes when that is known.
pub(super) fn resolve(document: &mut Document<'_>) -> (NetworkConfig, Option<u32>) {
    const NODES: Key = ("network", "nodes");
    for (key, example) in [(KIND, "kind = \"fat-tree\""), (NODES, "nodes = 64")] {
        if !document.has(key) {
            let wrong = Wrong::new("missing; it has no default", format!("such as {example}"));
            document.wrong(key, None, wrong);
        }
    }
    let kinds = [
        ("fat-tree", NetworkKind::FatTree),
        ("bidelta", NetworkKind::Bidelta),
    ];
    let kind = document
        .choice(KIND, &kinds)
        .unwrap_or(NetworkKind::FatTree);
    let nodes = document.value(NODES, |value| nodes(value, kind));
    let places = nodes.map(|nodes| match kind {
        NetworkKind::FatTree => nodes.ilog2() as usize,
        NetworkKind::Bidelta => nodes.ilog2() as usize / 2 - 1,
    });
    let capacities = match kind {
        NetworkKind::FatTree => document.value(CAPACITIES, |value| capacities(value, places)),
        NetworkKind::Bidelta => {
            refuse(document, &[CAPACITIES], kind);
            None
        }
    };
    let full = places.map(|levels| FatTree::doubling(levels as u32));
    let delays = document.value(("network", "link_delay_cycles"), |value| {
        link_delays(value, kind, places)
    });
    let default = || match kind {
        NetworkKind::FatTree => LinkDelays::Given(vec![0; places.unwrap_or(1)]),
        NetworkKind::Bidelta => LinkDelays::Geometry,
    };
    let network = NetworkConfig {
        kind,
        nodes: nodes.unwrap_or(match kind {
            NetworkKind::FatTree => 2,
            NetworkKind::Bidelta => bidelta::NODES_MIN,
        }),
        capacities: capacities.filter(|given| Some(given) != full.as_ref()),
        link_delay_cycles: delays.unwrap_or_else(default),
    };
    (network, nodes)
}

/// A legal number of nodes.
fn nodes(value: &DeValue<'_>, kind: NetworkKind) -> Result<u32, Vec<Wrong>> {
    let most = u64::from(NODES_MAX);
    // A power of two, of an exponent divisible by `step`.
    let (least, step, what) = match kind {
        NetworkKind::FatTree => (2, 1, "two"),
        NetworkKind::Bidelta => (u64::from(bidelta::NODES_MIN), 2, "four"),
    };
    let number = integer(value, &(0..=u64::MAX)).ok();
    let legal = number.filter(|number| (least..=most).contains(number));
    let nodes = legal.and_then(|number| u32::try_from(number).ok());
    let is_power = |nodes: &u32| nodes.is_power_of_two() && nodes.ilog2().is_multiple_of(step);
    if let Some(nodes) = nodes.filter(is_power) {
        return Ok(nodes);
    }
    let message = format!(
        "{}; expected a power of {what} in {least}..={most}",
        found(value)
    );
    let help = match (nodes, number) {
        (Some(nodes), _) => {
            let below = 1u64 << (nodes.ilog2() / step * step);
            format!("the nearest are {below} and {}", below << step)
        }
        (None, Some(number)) => format!("such as nodes = {}", number.clamp(least, most)),
        (None, None) => "such as nodes = 64".into(),
    };
    Err(vec![Wrong::new(message, help)])
}

/// The capacities of a tree of so many levels: by name, by the largest one, or each.
/// Without levels only what can be seen without them is looked at.
fn capacities(value: &DeValue<'_>, levels: Option<usize>) -> Result<Vec<u32>, Vec<Wrong>> {
    const NAMES: [&str; 2] = ["doubling", "every-second-level"];
    let count = levels.unwrap_or(1) as u32;
    if let DeValue::Array(entries) = value {
        return listed_capacities(entries, levels);
    }
    if let Some(most) = power(value) {
        return Ok((0..count).map(|level| most.min(1 << level)).collect());
    }
    match value.as_str() {
        Some(name) if name == NAMES[0] => Ok(FatTree::doubling(count)),
        Some(name) if name == NAMES[1] => {
            Ok((0..count).map(|level| 1 << level.div_ceil(2)).collect())
        }
        text => {
            let message = format!(
                "{}; expected \"doubling\", \"every-second-level\", a power of two in \
                 1..={CAPACITY_MAX}, or a list",
                found(value)
            );
            let near = text.and_then(|text| nearest(text, &NAMES));
            let help = match near {
                Some(name) => format!("did you mean {name:?}?"),
                None => "give a name, the largest number of links of a channel, or a list with \
                         one entry per level"
                    .into(),
            };
            Err(vec![Wrong::new(message, help)])
        }
    }
}

/// A capacity: a power of two.
fn power(value: &DeValue<'_>) -> Option<u32> {
    let number = integer(value, &(1..=u64::from(CAPACITY_MAX))).ok()?;
    let number = u32::try_from(number).ok()?;
    number.is_power_of_two().then_some(number)
}

/// A list of capacities.
fn listed_capacities(entries: &DeArray<'_>, levels: Option<usize>) -> Result<Vec<u32>, Vec<Wrong>> {
    let mut wrongs = Vec::new();
    if let Some(levels) = levels
        && entries.len() != levels
    {
        let message = format!(
            "found a list of {}; expected {levels} entries, one for each level",
            entries.len()
        );
        let help = "entry 0 is for the links of the nodes and is 1, entry l for those between \
                    levels l-1 and l";
        wrongs.push(Wrong::new(message, help));
    }
    let mut capacities: Vec<u32> = Vec::new();
    for (entry, value) in entries.iter().enumerate() {
        let value = value.get_ref();
        // What may follow an entry that is wrong is not known.
        let (expected, help, legal) = match (entry, capacities.last()) {
            (0, _) => ("1".to_owned(), "a node has one link", vec![1]),
            (_, Some(&before)) => (
                format!("{before} or {}", 2 * before),
                "each entry is the one before it or twice that",
                vec![before, 2 * before],
            ),
            (_, None) => break,
        };
        match power(value).filter(|number| legal.contains(number)) {
            Some(number) => capacities.push(number),
            None => {
                wrongs.push(Wrong {
                    entry: Some(entry),
                    message: format!("{}; expected {expected}", found(value)),
                    help: help.into(),
                });
                break;
            }
        }
    }
    if wrongs.is_empty() {
        Ok(capacities)
    } else {
        Err(wrongs)
    }
}

/// One delay for all links, or a list with one for each of `places`.
fn link_delays(
    value: &DeValue<'_>,
    kind: NetworkKind,
    places: Option<usize>,
) -> Result<LinkDelays, Vec<Wrong>> {
    let (most, place) = match kind {
        NetworkKind::FatTree => (LINK_DELAY_CYCLES_MAX, "level"),
        NetworkKind::Bidelta => (bidelta::LINK_DELAY_CYCLES_MAX, "stage but the last"),
    };
    if kind == NetworkKind::Bidelta && value.as_str() == Some("geometry") {
        return Ok(LinkDelays::Geometry);
    }
    let delay = |value: &DeValue<'_>| -> Result<u32, Wrong> {
        let range = 0..=u64::from(most);
        integer(value, &range).map(|delay| u32::try_from(delay).unwrap_or(0))
    };
    let help = match kind {
        NetworkKind::FatTree => "give one delay for all links, or a list with one entry per level",
        NetworkKind::Bidelta => {
            "give \"geometry\", one delay for all links between stages, or a list with one entry \
             per stage but the last"
        }
    };
    let with_help = |wrong: Wrong| Wrong {
        help: help.into(),
        ..wrong
    };
    let DeValue::Array(entries) = value else {
        let delay = delay(value).map_err(|wrong| vec![with_help(wrong)])?;
        return Ok(LinkDelays::Given(vec![delay; places.unwrap_or(1)]));
    };
    let mut wrongs = Vec::new();
    if let Some(places) = places
        && entries.len() != places
    {
        let message = format!(
            "found a list of {}; expected {places} entries, one for each {place}",
            entries.len()
        );
        let help = match kind {
            NetworkKind::FatTree => {
                "entry 0 is for the links of the nodes, entry l for those between levels l-1 and l"
            }
            NetworkKind::Bidelta => "entry s is for the links from stage s to stage s+1",
        };
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
        Ok(LinkDelays::Given(delays))
    } else {
        Err(wrongs)
    }
}

/// Refuses keys that do not belong to a kind of network.
fn refuse(document: &mut Document<'_>, keys: &[Key], kind: NetworkKind) {
    if document.failed(KIND) {
        return;
    }
    let (name, other) = match kind {
        NetworkKind::FatTree => ("fat-tree", "bidelta"),
        NetworkKind::Bidelta => ("bidelta", "fat-tree"),
    };
    for &key in keys {
        if document.has(key) {
            let message = format!("a network of kind {name:?} does not take this key");
            let help = format!("remove it, or set network.kind = {other:?}");
            document.wrong(key, None, Wrong::new(message, help));
        }
    }
}

/// The router of fat trees.
pub(super) fn router(document: &mut Document<'_>, kind: NetworkKind) -> Option<RouterConfig> {
    if kind != NetworkKind::FatTree {
        refuse(document, &[WINNER, RELEASE], kind);
        return None;
    }
    let winners = [("random", Winner::Random), ("fixed", Winner::Fixed)];
    let (winner, release) = (
        document.choice(WINNER, &winners),
        document.choice(RELEASE, &Release::ALL),
    );
    Some(RouterConfig {
        winner: winner.unwrap_or(Winner::Random),
        release: release.unwrap_or(Release::Acknowledge),
    })
}

/// The network interface of RN1.
pub(super) fn interface(document: &mut Document<'_>, kind: NetworkKind) -> Option<InterfaceConfig> {
    if kind != NetworkKind::Bidelta {
        refuse(document, &[TURNS, REPLY_WORDS, REPLY_DELAY, CLOSE], kind);
        return None;
    }
    let closes = [("drop", Close::Drop), ("end", Close::End)];
    Some(InterfaceConfig {
        turns: document.integer32(TURNS, 0..=TURNS_MAX).unwrap_or(1),
        reply_words: document
            .integer32(REPLY_WORDS, 1..=REPLY_WORDS_MAX)
            .unwrap_or(1),
        reply_delay_cycles: document
            .integer32(REPLY_DELAY, 0..=REPLY_DELAY_CYCLES_MAX)
            .unwrap_or(0),
        close: document.choice(CLOSE, &closes).unwrap_or(Close::Drop),
    })
}
