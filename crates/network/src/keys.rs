//! Values of keys that several kinds of networks read alike.

use std::ops::RangeInclusive;

use serde_json::{Value, json};
use toml::de::{DeArray, DeValue};

use crosswave_base::suggest::nearest;
use crosswave_chips::packet_queue;
use crosswave_document::{Wrong, found, integer};

/// Groups of `2^bits` nodes, of as many of those, and so on up to all nodes.
pub fn powers(bits: u32, nodes: u32) -> Vec<u32> {
    let levels = 1..=nodes.ilog2() / bits;
    levels.map(|level| 1 << (bits * level)).collect()
}

/// A legal number of nodes: a power of `2^bits` in a range.
///
/// # Errors
/// What is wrong with it.
pub fn nodes(
    value: &DeValue<'_>,
    bits: u32,
    range: RangeInclusive<u32>,
) -> Result<u32, Vec<Wrong>> {
    let (least, most) = (u64::from(*range.start()), u64::from(*range.end()));
    let what = match bits {
        1 => "two",
        2 => "four",
        _ => unreachable!("powers of two and of four"),
    };
    let number = integer(value, &(0..=u64::MAX)).ok();
    let legal = number.filter(|number| (least..=most).contains(number));
    let nodes = legal.and_then(|number| u32::try_from(number).ok());
    let is_power = |nodes: &u32| nodes.is_power_of_two() && nodes.ilog2().is_multiple_of(bits);
    if let Some(nodes) = nodes.filter(is_power) {
        return Ok(nodes);
    }
    let message = format!(
        "{}; expected a power of {what} from {least} to {most}",
        found(value)
    );
    let help = match (nodes, number) {
        (Some(nodes), _) => {
            let below = 1u64 << (nodes.ilog2() / bits * bits);
            match below << bits {
                above if above <= most => format!("the nearest are {below} and {above}"),
                _ => format!("the nearest is {below}"),
            }
        }
        (None, Some(number)) => format!("such as nodes = {}", number.clamp(least, most)),
        (None, None) => "such as nodes = 64".into(),
    };
    Err(vec![Wrong::new(message, help)])
}

/// The entries that may follow another one in a list of capacities.
pub struct NextCapacity {
    /// True when the second number may follow the first one.
    pub is_legal: fn(u32, u32) -> bool,
    /// Those that may behind a number, in words.
    pub expected: fn(u32) -> String,
    /// The rule.
    pub help: &'static str,
}

/// A list of capacities of a tree of so many levels, where that is known: 1 in front, since a node
/// has one link, and behind that what a rule says.
///
/// # Errors
/// What is wrong with it; what follows an entry that is wrong is not looked at.
pub fn listed_capacities(
    entries: &DeArray<'_>,
    levels: Option<usize>,
    most: u32,
    next: &NextCapacity,
) -> Result<Vec<u32>, Vec<Wrong>> {
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
        let before = capacities.last().copied();
        let number = integer(value, &(1..=u64::from(most))).ok();
        let number = number.and_then(|number| u32::try_from(number).ok());
        let is_legal = |number: &u32| match before {
            None => *number == 1,
            Some(before) => (next.is_legal)(before, *number),
        };
        match number.filter(is_legal) {
            Some(number) => capacities.push(number),
            None => {
                let (expected, help) = match before {
                    None => ("1".to_owned(), "a node has one link"),
                    Some(before) => ((next.expected)(before), next.help),
                };
                wrongs.push(Wrong {
                    entry: Some(entry),
                    message: format!("{}; expected {expected}", found(value)),
                    help: help.into(),
                });
                break;
            }
        }
    }
    match wrongs.is_empty() {
        true => Ok(capacities),
        false => Err(wrongs),
    }
}

/// Limits and messages for extra clocks of links.
pub struct LinkDelayRules {
    /// The most extra clocks.
    pub most: u32,
    /// The subject of an entry of a list.
    pub place: &'static str,
    /// Advice on giving them.
    pub help: &'static str,
    /// Advice on giving a list.
    pub help_list: &'static str,
}

/// The delay of a link, or of all of them.
///
/// # Errors
/// What is wrong with it.
pub fn link_delay(value: &DeValue<'_>, rules: &LinkDelayRules) -> Result<u32, Vec<Wrong>> {
    let range = 0..=u64::from(rules.most);
    let delay = integer(value, &range).map(|delay| u32::try_from(delay).unwrap_or(0));
    delay.map_err(|wrong| {
        vec![Wrong {
            help: rules.help.into(),
            ..wrong
        }]
    })
}

/// One delay for all links, or a list with one for each of `places`.
///
/// # Errors
/// What is wrong with it.
pub fn link_delays(
    value: &DeValue<'_>,
    rules: &LinkDelayRules,
    places: Option<usize>,
) -> Result<Vec<u32>, Vec<Wrong>> {
    let DeValue::Array(entries) = value else {
        let delay = link_delay(value, rules)?;
        return Ok(vec![delay; places.unwrap_or(1)]);
    };
    let mut wrongs = Vec::new();
    if let Some(places) = places
        && entries.len() != places
    {
        let message = format!(
            "found a list of {}; expected {places} entries, one for each {}",
            entries.len(),
            rules.place
        );
        wrongs.push(Wrong::new(message, rules.help_list));
    }
    let mut delays = Vec::new();
    for (entry, value) in entries.iter().enumerate() {
        match link_delay(value.get_ref(), rules) {
            Ok(delay) => delays.push(delay),
            Err(found) => wrongs.extend(found.into_iter().map(|wrong| Wrong {
                entry: Some(entry),
                ..wrong
            })),
        }
    }
    if wrongs.is_empty() {
        Ok(delays)
    } else {
        Err(wrongs)
    }
}

/// The name of queues without a limit.
const UNLIMITED: &str = "unlimited";

/// The length of queues: a number, or without a limit ([`packet_queue::UNLIMITED`]).
///
/// # Errors
/// What is wrong with it.
pub fn queue_packets(value: &DeValue<'_>) -> Result<u32, Vec<Wrong>> {
    if value.as_str() == Some(UNLIMITED) {
        return Ok(packet_queue::UNLIMITED);
    }
    let most = packet_queue::UNLIMITED - 1;
    let number = integer(value, &(0..=u64::from(most))).ok();
    number.map(|number| number as u32).ok_or_else(|| {
        let message = format!("{}; expected 0 to {most} or \"{UNLIMITED}\"", found(value));
        let help = match value.as_str().and_then(|text| nearest(text, &[UNLIMITED])) {
            Some(name) => format!("did you mean {name:?}?"),
            None => "packets that wait for an output of a routing node".into(),
        };
        vec![Wrong::new(message, help)]
    })
}

/// The same as a value of a configuration.
pub fn queue_packets_value(packets: u32) -> Value {
    match packets {
        packet_queue::UNLIMITED => json!(UNLIMITED),
        packets => json!(packets),
    }
}
