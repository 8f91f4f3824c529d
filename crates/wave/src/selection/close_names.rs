//! Names that a pattern that matches nothing was probably meant to have.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use strsim::generic_levenshtein;

use super::matcher::Matcher;
use super::pattern::{PatternPart, SignalPattern};
use crosswave_probe::signal::Hierarchy;

/// Number of names that are listed at most.
const LISTED: usize = 3;

/// Number of different names that are compared at most.
const COMPARED: usize = 100_000;

/// Number of scopes, and of signals, whose names are looked at, at most.
const LOOKED_AT: usize = 1 << 20;

/// Letters in which a name that was meant differs, as a rule.
const CLOSE: usize = 2;

/// The help for a pattern that matches nothing in `tree`.
pub(super) fn help(tree: &impl Hierarchy, pattern: &SignalPattern) -> String {
    if tree.signal_count() == 0 {
        return "there are no signals".into();
    }
    let mut close = deeper(tree, pattern);
    if close.is_empty() {
        close = similar(tree, pattern);
    }
    let quoted: Vec<String> = close.iter().map(|path| format!("`{path}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => format!("did you mean {one}?"),
        [first @ .., last] => format!("did you mean {} or {last}?", first.join(", ")),
    }
}

/// The paths that the pattern matches somewhere below the top.
fn deeper(tree: &impl Hierarchy, pattern: &SignalPattern) -> Vec<String> {
    let mut parts = pattern.parts.clone();
    parts.insert(0, PatternPart::Any);
    let patterns = [SignalPattern {
        text: String::new(),
        parts,
    }];
    let matched = Matcher::new(&patterns).run(tree);
    (0..tree.signal_count())
        .filter(|&signal| matched.kept[signal])
        .take(LISTED)
        .map(|signal| {
            let (name, scope) = tree.signal(signal);
            path(tree, scope, name)
        })
        .collect()
}

/// The paths nearest to the pattern at the place where it stops matching: in all scopes
/// that match most of it, and, when the pattern is taken to lie anywhere below the top,
/// in those that match most of it then.
fn similar(tree: &impl Hierarchy, pattern: &SignalPattern) -> Vec<String> {
    let mut anywhere = pattern.clone();
    anywhere.parts.insert(0, PatternPart::Any);
    let mut close: BTreeSet<Close> = BTreeSet::new();
    for pattern in [pattern, &anywhere] {
        for found in nearest(tree, pattern) {
            close.insert(found);
        }
    }
    // A name that is very close is what was meant.
    let least = close.first().map_or(0, |close| close.distance);
    let limit = if least <= CLOSE { least } else { usize::MAX };
    let close = close.iter().take_while(|close| close.distance <= limit);
    close.take(LISTED).map(|close| close.path.clone()).collect()
}

/// A name that is near to what a pattern has in its place.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Close {
    distance: usize,
    path: String,
}

/// The names nearest to a pattern in the scopes that match most of it. Of scopes or
/// signals with one name in several places the first is given.
fn nearest(tree: &impl Hierarchy, pattern: &SignalPattern) -> Vec<Close> {
    let positions = Matcher::new(std::slice::from_ref(pattern)).positions(tree);
    let reached = |scope: Option<usize>| positions.of(scope).iter().map(|at| at.part).max();
    let scopes = || (0..tree.scope_count()).map(Some).chain([None]);
    let most = scopes().filter_map(reached).max().unwrap_or(0);
    let wanted: String = match pattern.parts.get(most as usize) {
        Some(PatternPart::Literal(name)) => name.clone(),
        Some(PatternPart::Glob(glob)) => glob.iter().filter(|c| !['*', '?'].contains(c)).collect(),
        Some(PatternPart::Any) | None => String::new(),
    };
    let matching: Vec<bool> = (0..tree.scope_count())
        .map(|scope| reached(Some(scope)) == Some(most))
        .collect();
    let top = reached(None) == Some(most);
    let lies_there = |within: Option<usize>| within.map_or(top, |scope| matching[scope]);
    // The first scope of each name.
    let mut names: BTreeMap<Cow<str>, Option<usize>> = BTreeMap::new();
    let scopes = (0..tree.scope_count()).take(LOOKED_AT);
    let scopes = scopes.filter(|&scope| lies_there(tree.parent(scope)));
    let scopes = scopes.map(|scope| (tree.scope_name(scope), tree.parent(scope)));
    let signals = (0..tree.signal_count()).take(LOOKED_AT);
    let signals = signals.map(|signal| tree.signal(signal));
    let signals = signals.filter(|&(_, within)| lies_there(within));
    let signals = signals.map(|(name, within)| (Cow::Borrowed(name), within));
    for (name, within) in scopes.chain(signals) {
        names.entry(name).or_insert(within);
        if names.len() == COMPARED {
            break;
        }
    }
    let mut names: Vec<(usize, Cow<str>, Option<usize>)> = names
        .into_iter()
        .map(|(name, within)| (distance(&wanted, &name), name, within))
        .collect();
    names.sort_unstable();
    names.truncate(LISTED);
    let close = |(distance, name, within): (usize, Cow<str>, Option<usize>)| Close {
        distance,
        path: path(tree, within, &name),
    };
    names.into_iter().map(close).collect()
}

fn path(tree: &impl Hierarchy, scope: Option<usize>, name: &str) -> String {
    let mut names = vec![Cow::Borrowed(name)];
    let mut at = scope;
    while let Some(scope) = at {
        names.push(tree.scope_name(scope));
        at = tree.parent(scope);
    }
    names.reverse();
    names.join(".")
}

/// Insertions, deletions and replacements (Levenshtein), in bytes.
fn distance(a: &str, b: &str) -> usize {
    // A name from a foreign file may be long; its head is enough.
    let head = |name: &str| name.bytes().take(64).collect::<Vec<u8>>();
    generic_levenshtein(&head(a), &head(b))
}
