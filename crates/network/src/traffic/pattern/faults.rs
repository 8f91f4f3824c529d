//! Mistakes in the parameters of a pattern, in a network of some nodes.

use super::super::{Fault, MESSAGES_MAX, REPEAT_MAX, WORDS_MAX};

const NODE: &str = "name a node of the network, or raise network.nodes";
const OTHER: &str = "a node sends only to another node";
const FEWER: &str = "each node is the source of at most one; use `repeat` for more";

/// The message about a node that the network does not have.
fn outside(node: u32, nodes: u32) -> Option<String> {
    let last = nodes.max(1) - 1;
    (node >= nodes).then(|| format!("node {node} of {nodes}; expected 0 to {last}"))
}

/// The mistake in a (source, destination) in a network of `nodes` nodes, and how to fix it.
pub fn pair_fault((source, destination): (u32, u32), nodes: u32) -> Option<(String, &'static str)> {
    let found = outside(source, nodes).or_else(|| outside(destination, nodes));
    match found {
        Some(found) => Some((found, NODE)),
        None if source == destination => {
            Some((format!("node {source} would send to itself"), OTHER))
        }
        None => None,
    }
}

/// The parameters that are out of their range.
pub(super) struct ParameterFaults {
    nodes: u32,
    /// Those that were found.
    pub found: Vec<Fault>,
}

impl ParameterFaults {
    /// Nothing has been found in a network of `nodes` nodes.
    pub(super) fn new(nodes: u32) -> ParameterFaults {
        ParameterFaults {
            nodes,
            found: Vec::new(),
        }
    }

    fn add(&mut self, key: &'static str, message: String, help: impl Into<String>) {
        self.found.push(Fault {
            key,
            entry: None,
            message,
            help: help.into(),
        });
    }

    /// Checks the number of sources, of which there may be 1 to `most`. Whether it is right.
    pub(super) fn sources(&mut self, messages: u32, most: u32) -> bool {
        let right = messages > 0 && messages <= most;
        if !right {
            let nodes = self.nodes;
            let found = format!(
                "{messages} sources of {nodes} nodes; expected 1 to {most} for this pattern"
            );
            self.add("messages", found, FEWER);
        }
        right
    }

    /// Checks that a node is one of the network.
    fn node(&mut self, key: &'static str, node: u32) {
        if let Some(found) = outside(node, self.nodes) {
            self.add(key, found, NODE);
        }
    }

    /// Checks one source and one destination.
    pub(super) fn pair(&mut self, source: u32, destination: u32) {
        self.node("source", source);
        self.node("destination", destination);
        if source == destination && source < self.nodes {
            let found = format!("{destination} is the source as well");
            self.add("destination", found, OTHER);
        }
    }

    /// Checks a list of (source, destination).
    pub(super) fn pairs(&mut self, pairs: &[(u32, u32)]) {
        if pairs.is_empty() {
            let help = "give at least one, such as pairs = [[0, 1]]";
            self.add("pairs", "the list is empty".into(), help);
        }
        for (entry, &pair) in pairs.iter().enumerate() {
            if let Some((message, help)) = pair_fault(pair, self.nodes) {
                self.found.push(Fault {
                    key: "pairs",
                    entry: Some(entry),
                    message,
                    help: help.into(),
                });
            }
        }
    }

    /// Checks the sources of a hot spot, and of what is random beside it.
    pub(super) fn hot_spot(&mut self, messages: u32, destination: u32, random_messages: u32) {
        let nodes = self.nodes;
        let others = nodes.max(1) - 1;
        if self.sources(messages, others) && random_messages > others - messages {
            let left = others - messages;
            let found = format!(
                "{random_messages} sources beside the {messages} of traffic.messages; \
                 {nodes} nodes leave 0 to {left}"
            );
            let help = "lower one of the two; traffic.messages is all nodes by default";
            self.add("random_messages", found, help);
        }
        self.node("destination", destination);
    }

    /// Checks the words of a message, and the messages of each of so many sources.
    pub(super) fn lengths(&mut self, words: u32, repeat: u32, sources: u64) {
        if words == 0 || words > WORDS_MAX {
            let found = format!("{words} words; expected 1 to {WORDS_MAX}");
            self.add("words", found, "");
        }
        if repeat == 0 || repeat > REPEAT_MAX {
            let found = format!("{repeat} repeats; expected 1 to {REPEAT_MAX}");
            self.add("repeat", found, "");
        } else if sources.saturating_mul(u64::from(repeat)) > MESSAGES_MAX {
            let found = format!(
                "{sources} sources with {repeat} messages each; a run has at most {MESSAGES_MAX} \
                 messages"
            );
            let help = format!("expected 1 to {}", (MESSAGES_MAX / sources).max(1));
            self.add("repeat", found, help);
        }
    }
}
