//! The scopes of two waveforms under the names of the first one.
//!
//! Tools put scopes of their own around a design: Verilator's dump of `testbench` begins with
//! `TOP.testbench`. A [`Prefix`] says what the scopes of one file are called in the other.
//! [`Prefix::found`] finds one: the scope paths of the two files have their longest common suffixes
//! below it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::super::waveform::Waveform;
use crosswave_probe::signal::Hierarchy;

/// Scopes of the right waveform that are looked at where no name of a scope is in both.
const SCOPES_TRIED_MAX: usize = 64;
/// Places of a common suffix that are looked at.
const PLACES_MAX: usize = 8;
/// Prefixes of which the signals in common are counted.
const PREFIXES_COUNTED_MAX: usize = 8;

/// A scope that the two waveforms call by other paths, with all that lies in it. An empty path
/// stands for what all scopes lie in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prefix {
    /// Dotted path in the left waveform.
    pub left: String,
    /// Dotted path in the right one.
    pub right: String,
}

/// The top, which all scopes lie in.
const TOP: usize = 0;

/// A scope of the common hierarchy: its name, and the scope that it lies in.
struct CommonScope {
    name: String,
    parent: usize,
}

/// The scopes of both waveforms as one hierarchy, by the names that they have in the left one,
/// with the signals of the left waveform and then those of the right one.
pub struct ComparedNames<'w> {
    scopes: Vec<CommonScope>,
    index: BTreeMap<(usize, String), usize>,
    pub(super) left: Side<'w>,
    pub(super) right: Side<'w>,
}

/// A waveform, and the place of each of its scopes in the common hierarchy.
pub(super) struct Side<'w> {
    pub(super) wave: &'w Waveform,
    places: Vec<usize>,
    /// The place of signals that lie in no scope.
    top: usize,
}

impl Side<'_> {
    /// The place of the scope that a signal lies in.
    pub(super) fn place(&self, signal: usize) -> usize {
        let scope = self.wave.signals[signal].scope;
        scope.map_or(self.top, |scope| self.places[scope])
    }
}

impl<'w> ComparedNames<'w> {
    /// The common hierarchy of two waveforms; scopes that no prefix names have the same paths in
    /// both.
    pub fn new(left: &'w Waveform, right: &'w Waveform, prefixes: &[Prefix]) -> ComparedNames<'w> {
        let empty = |wave| Side {
            wave,
            places: Vec::new(),
            top: TOP,
        };
        let mut names = ComparedNames {
            scopes: vec![CommonScope {
                name: String::new(),
                parent: TOP,
            }],
            index: BTreeMap::new(),
            left: empty(left),
            right: empty(right),
        };
        (names.left.places, names.left.top) = names.places(left, &[]);
        (names.right.places, names.right.top) = names.places(right, prefixes);
        names
    }

    /// The places of the scopes of a waveform, and that of what lies in none.
    fn places(&mut self, wave: &Waveform, prefixes: &[Prefix]) -> (Vec<usize>, usize) {
        let renamed = |path: &str| prefixes.iter().find(|prefix| prefix.right == path);
        let top = renamed("").map_or(TOP, |prefix| self.place_of(&prefix.left));
        let mut places = Vec::with_capacity(wave.scopes.len());
        for (index, scope) in wave.scopes.iter().enumerate() {
            let new = match prefixes.is_empty() {
                true => None,
                false => renamed(&wave.scope_path(index)),
            };
            let place = match new {
                Some(prefix) => self.place_of(&prefix.left),
                None => {
                    let parent = scope.parent.map_or(top, |parent| places[parent]);
                    self.within(parent, &scope.name)
                }
            };
            places.push(place);
        }
        (places, top)
    }

    /// The place of a dotted path.
    fn place_of(&mut self, path: &str) -> usize {
        let names = path.split('.').filter(|name| !name.is_empty());
        names.fold(TOP, |place, name| self.within(place, name))
    }

    /// The place of a scope in another one.
    fn within(&mut self, parent: usize, name: &str) -> usize {
        let next = self.scopes.len();
        let place = *self.index.entry((parent, name.to_owned())).or_insert(next);
        if place == next {
            self.scopes.push(CommonScope {
                name: name.to_owned(),
                parent,
            });
        }
        place
    }

    /// The number of signals of the left waveform whose paths the right one has too.
    pub fn in_common(&self) -> usize {
        let paths = |side: &Side<'w>| -> Vec<(usize, &'w str)> {
            let signals = side.wave.signals.iter().enumerate();
            let mut paths: Vec<_> = signals
                .map(|(index, signal)| (side.place(index), signal.name.as_str()))
                .collect();
            paths.sort_unstable();
            paths
        };
        let (left, right) = (paths(&self.left), paths(&self.right));
        let is_there = |path: &&(usize, &str)| right.binary_search(path).is_ok();
        left.iter().filter(is_there).count()
    }
}

impl Hierarchy for ComparedNames<'_> {
    fn scope_count(&self) -> usize {
        self.scopes.len() - 1
    }

    fn scope_name(&self, scope: usize) -> Cow<'_, str> {
        Cow::Borrowed(&self.scopes[scope + 1].name)
    }

    fn parent(&self, scope: usize) -> Option<usize> {
        self.scopes[scope + 1].parent.checked_sub(1)
    }

    fn signal_count(&self) -> usize {
        self.left.wave.signals.len() + self.right.wave.signals.len()
    }

    fn signal(&self, signal: usize) -> (&str, Option<usize>) {
        let (side, signal) = match signal.checked_sub(self.left.wave.signals.len()) {
            None => (&self.left, signal),
            Some(signal) => (&self.right, signal),
        };
        let name = &side.wave.signals[signal].name;
        (name, side.place(signal).checked_sub(1))
    }
}

impl Prefix {
    /// The prefix under which the most signals are in both waveforms, when without one none is;
    /// of several such the shortest. `None` when signals are in common already, or none can be.
    pub fn found(left: &Waveform, right: &Waveform) -> Option<Prefix> {
        if ComparedNames::new(left, right, &[]).in_common() > 0 {
            return None;
        }
        let mut votes: Vec<_> = votes(left, right).into_iter().collect();
        let depth = |wave: &Waveform, scope| ancestors(wave, scope).count();
        votes.sort_by_key(|&((one, other), count)| {
            let depths = depth(left, one) + depth(right, other);
            (std::cmp::Reverse(count), depths)
        });
        let path = |wave: &Waveform, scope: Option<usize>| {
            scope.map_or_else(String::new, |scope| wave.scope_path(scope))
        };
        let counted = votes.iter().take(PREFIXES_COUNTED_MAX);
        let counted = counted.map(|&((one, other), _)| {
            let prefix = Prefix {
                left: path(left, one),
                right: path(right, other),
            };
            let count = ComparedNames::new(left, right, std::slice::from_ref(&prefix)).in_common();
            (count, prefix)
        });
        // The first one of equal counts is taken.
        let best = counted.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        (best.0 > 0).then_some(best.1)
    }
}

/// A scope, and then those that it lies in.
fn ancestors(wave: &Waveform, scope: Option<usize>) -> impl Iterator<Item = usize> {
    std::iter::successors(scope, |&scope| wave.scopes[scope].parent)
}

/// The scopes of the left and of the right waveform whose paths may be left off.
type Rest = (Option<usize>, Option<usize>);

/// For each pair of scopes of which paths have their longest common suffix below them, how many
/// signals of the left waveform lie in such paths.
fn votes(left: &Waveform, right: &Waveform) -> BTreeMap<Rest, usize> {
    let suffixes = Suffixes::new(right);
    let mut signals: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    for signal in &left.signals {
        *signals.entry(signal.scope).or_default() += 1;
    }
    let mut votes = BTreeMap::new();
    for (scope, count) in signals {
        let (matched, rests) = suffixes.longest(left, scope);
        let rest = ancestors(left, scope).nth(matched);
        for &other in rests {
            *votes.entry((rest, other)).or_default() += count;
        }
    }
    votes
}

/// The paths of scopes from their ends, as a tree.
struct Suffixes<'w> {
    next: BTreeMap<(usize, &'w str), usize>,
    /// For each node what may be in front of the suffix.
    rests: Vec<Vec<Option<usize>>>,
}

impl<'w> Suffixes<'w> {
    fn new(wave: &'w Waveform) -> Self {
        let mut found = Suffixes {
            next: BTreeMap::new(),
            rests: vec![Vec::new()],
        };
        let mut scopes: Vec<Option<usize>> = wave.signals.iter().map(|s| s.scope).collect();
        scopes.sort_unstable();
        scopes.dedup();
        for scope in scopes {
            found.put(0, scope, SCOPES_TRIED_MAX);
            let mut node = 0;
            for at in ancestors(wave, scope) {
                let fresh = found.rests.len();
                let name = wave.scopes[at].name.as_str();
                node = *found.next.entry((node, name)).or_insert(fresh);
                if node == fresh {
                    found.rests.push(Vec::new());
                }
                found.put(node, wave.scopes[at].parent, PLACES_MAX);
            }
        }
        found
    }

    fn put(&mut self, node: usize, rest: Option<usize>, most: usize) {
        let rests = &mut self.rests[node];
        if rests.len() < most && !rests.contains(&rest) {
            rests.push(rest);
        }
    }

    /// The number of names of the longest common suffix of a scope's path, and what may be in
    /// front of it.
    fn longest(&self, wave: &Waveform, scope: Option<usize>) -> (usize, &[Option<usize>]) {
        let (mut node, mut matched) = (0, 0);
        for at in ancestors(wave, scope) {
            match self.next.get(&(node, wave.scopes[at].name.as_str())) {
                Some(&next) => node = next,
                None => break,
            }
            matched += 1;
        }
        (matched, &self.rests[node])
    }
}
