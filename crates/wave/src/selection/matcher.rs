//! The automaton that follows all patterns through all scopes at once.

use std::ops::Range;

use super::pattern::{PatternPart, SignalPattern};
use crosswave_probe::signal::Hierarchy;

/// A position: the first `part` names of pattern `pattern` are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub pattern: u32,
    pub part: u32,
}

/// The result of [`Matcher::run`].
#[derive(Debug)]
pub(super) struct Matched {
    /// For every signal, whether a pattern keeps it.
    pub kept: Vec<bool>,
    /// For every pattern, whether it keeps a signal or matches a scope.
    pub found: Vec<bool>,
}

/// The automaton of some patterns.
pub(super) struct Matcher<'a> {
    patterns: &'a [SignalPattern],
}

/// The positions of every scope.
pub(super) struct Positions {
    all: Vec<Position>,
    of_scope: Vec<Range<usize>>,
    /// Those outside of all scopes.
    top: Range<usize>,
}

impl Positions {
    /// The positions reached by the path of a scope; `None` for the empty path.
    pub(super) fn of(&self, scope: Option<usize>) -> &[Position] {
        &self.all[scope
            .map_or(&self.top, |scope| &self.of_scope[scope])
            .clone()]
    }
}

impl<'a> Matcher<'a> {
    pub(super) fn new(patterns: &'a [SignalPattern]) -> Self {
        Matcher { patterns }
    }

    fn part(&self, at: Position) -> Option<&PatternPart> {
        self.patterns[at.pattern as usize]
            .parts
            .get(at.part as usize)
    }

    /// Adds a position, and those that follow it because `**` may stand for no name.
    fn add(&self, mut at: Position, to: &mut Vec<Position>) {
        loop {
            if to.contains(&at) {
                return;
            }
            to.push(at);
            if self.part(at) != Some(&PatternPart::Any) {
                return;
            }
            at.part += 1;
        }
    }

    /// Adds the positions that `name` leads to from `at`.
    fn advance(&self, at: Position, name: &str, to: &mut Vec<Position>) {
        match self.part(at) {
            Some(PatternPart::Any) => self.add(at, to),
            Some(part) if part.matches(name) => {
                let part = at.part + 1;
                self.add(Position { part, ..at }, to);
            }
            _ => {}
        }
    }

    /// The positions that the path of every scope reaches.
    pub(super) fn positions(&self, tree: &impl Hierarchy) -> Positions {
        let mut all = Vec::new();
        for pattern in 0..self.patterns.len() as u32 {
            self.add(Position { pattern, part: 0 }, &mut all);
        }
        let mut positions = Positions {
            top: 0..all.len(),
            all,
            of_scope: Vec::with_capacity(tree.scope_count()),
        };
        let mut next = Vec::new();
        for scope in 0..tree.scope_count() {
            next.clear();
            let before = positions.of(tree.parent(scope));
            if !before.is_empty() {
                let name = tree.scope_name(scope);
                for &at in before {
                    self.advance(at, &name, &mut next);
                }
            }
            let start = positions.all.len();
            positions.all.extend_from_slice(&next);
            positions.of_scope.push(start..positions.all.len());
        }
        positions
    }

    /// True when all names of a pattern are matched there.
    fn is_end(&self, at: Position) -> bool {
        self.part(at).is_none()
    }

    /// Compares every scope and every signal with every pattern.
    pub(super) fn run(&self, tree: &impl Hierarchy) -> Matched {
        let positions = self.positions(tree);
        let mut matched = Matched {
            kept: vec![false; tree.signal_count()],
            found: vec![false; self.patterns.len()],
        };
        // For each scope, true when it or one around it is kept as a whole.
        let mut whole = vec![false; tree.scope_count()];
        for scope in 0..whole.len() {
            whole[scope] = tree.parent(scope).is_some_and(|parent| whole[parent]);
            for &at in positions.of(Some(scope)) {
                if self.is_end(at) {
                    whole[scope] = true;
                    matched.found[at.pattern as usize] = true;
                }
            }
        }
        for signal in 0..matched.kept.len() {
            let (name, scope) = tree.signal(signal);
            let mut kept = scope.is_some_and(|scope| whole[scope]);
            for &at in positions.of(scope) {
                if self.takes(at, name) {
                    kept = true;
                    matched.found[at.pattern as usize] = true;
                }
            }
            matched.kept[signal] = kept;
        }
        matched
    }

    /// True when a signal of this name, in a scope with position `at`, ends the pattern.
    fn takes(&self, at: Position, name: &str) -> bool {
        let parts = &self.patterns[at.pattern as usize].parts[at.part as usize..];
        match parts {
            [] => false,
            // The positions behind a `**` are in the list as well.
            [part] => part.matches(name),
            [part, rest @ ..] => {
                *part != PatternPart::Any
                    && rest.iter().all(|part| *part == PatternPart::Any)
                    && part.matches(name)
            }
        }
    }
}
