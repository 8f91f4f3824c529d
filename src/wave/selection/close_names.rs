//! What a pattern that matches nothing was probably meant to be.

use super::Hierarchy;
use super::matcher::Matcher;
use super::pattern::{Part, Pattern};

/// How many names are listed.
const LISTED: usize = 3;

/// How many names are compared.
const COMPARED: usize = 20_000;

/// The help for a pattern that matches nothing in `tree`.
pub(super) fn help(tree: &impl Hierarchy, pattern: &Pattern) -> String {
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
fn deeper(tree: &impl Hierarchy, pattern: &Pattern) -> Vec<String> {
    let mut parts = pattern.parts.clone();
    parts.insert(0, Part::Any);
    let patterns = [Pattern {
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

/// The paths nearest to the pattern at the place where it stops matching:
/// among the names in the first scope that matches most of it.
fn similar(tree: &impl Hierarchy, pattern: &Pattern) -> Vec<String> {
    let patterns = std::slice::from_ref(pattern);
    let positions = Matcher::new(patterns).positions(tree);
    let mut best = (0, None);
    for scope in 0..tree.scope_count() {
        for at in positions.of(Some(scope)) {
            if at.part > best.0 {
                best = (at.part, Some(scope));
            }
        }
    }
    let (part, scope) = best;
    let wanted = match pattern.parts.get(part as usize) {
        Some(Part::Literal(name)) => name.clone(),
        Some(Part::Glob(glob)) => glob.iter().filter(|c| !['*', '?'].contains(c)).collect(),
        Some(Part::Any) | None => String::new(),
    };
    let scopes = (0..tree.scope_count()).map(|index| tree.scope(index));
    let signals = (0..tree.signal_count()).map(|index| tree.signal(index));
    let mut names: Vec<&str> = scopes
        .chain(signals)
        .filter(|&(_, within)| within == scope)
        .map(|(name, _)| name)
        .take(COMPARED)
        .collect();
    names.sort_by_cached_key(|name| (distance(&wanted, name), name.to_string()));
    names.dedup();
    names.truncate(LISTED);
    // One name that is very close is what was meant.
    let nearest = names.first().map(|name| distance(&wanted, name));
    if nearest == Some(1) {
        names.retain(|name| distance(&wanted, name) == 1);
    }
    names
        .into_iter()
        .map(|name| path(tree, scope, name))
        .collect()
}

fn path(tree: &impl Hierarchy, scope: Option<usize>, name: &str) -> String {
    let mut names = vec![name];
    let mut at = scope;
    while let Some(scope) = at {
        let (name, parent) = tree.scope(scope);
        names.push(name);
        at = parent;
    }
    names.reverse();
    names.join(".")
}

/// Levenshtein's distance, in bytes: insertions, deletions and replacements.
fn distance(a: &str, b: &str) -> usize {
    // A name from a foreign file may be long; its head is enough.
    let a = &a.as_bytes()[..a.len().min(64)];
    let b = &b.as_bytes()[..b.len().min(64)];
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, &from) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
