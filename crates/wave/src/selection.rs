//! Selection of the signals that are kept, and of the cycles.
//!
//! # Patterns
//!
//! A pattern is names separated by dots. In a name `*` stands for any
//! characters and `?` for one; a name `**` stands for any number of names, also
//! none. No wildcard stands for a dot otherwise. The backslash of an escaped name
//! (`\down[3]`) and the range of a vector (`held[11:4]`) may be left out. A pattern that matches
//!
//! - the path of a signal (`top.node3.valid`) keeps it;
//! - the path of a scope (`top.level2_*`) keeps all signals in it and below.
//!
//! | pattern | keeps |
//! |---|---|
//! | `top.node?.valid` | `valid` in `node0` … `node9` |
//! | `**.state` | every `state` |
//! | `*` | everything |
//!
//! # Cost
//!
//! Paths are never built. The names of the patterns are positions of an
//! automaton; each scope carries the positions reached by its path, found from
//! those of its parent, and a signal is compared only with the names that
//! are still possible there. Two million signals take about a tenth of a
//! second with ten patterns.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_probe::signal::{Hierarchy, Scope, Signal, SignalSelection, SignalSet};

use matcher::Matcher;

mod close_names;
mod matcher;
mod pattern;
#[cfg(test)]
mod tests;

/// For every signal of `tree`, whether a pattern keeps it. No patterns keep
/// everything. `origin` says where the patterns come from, for diagnostics.
///
/// # Errors
/// An error of [`Class::Usage`] with one diagnostic for each pattern that is empty
/// somewhere between its dots, or matches nothing; the latter lists the names
/// that come closest.
///
/// ```
/// use crosswave_probe::signal::{Net, Scope, Signal, SignalSet};
/// let set = SignalSet {
///     scopes: vec![
///         Scope { name: "top".into(), parent: None },
///         Scope { name: "node0".into(), parent: Some(0) },
///     ],
///     signals: vec![
///         Signal { scope: 0, name: "clk", width: 1, states: &[], net: Net::Own },
///         Signal { scope: 1, name: "valid", width: 1, states: &[], net: Net::Own },
///     ],
/// };
/// let kept = crosswave_wave::select("command line", &set, &["top.node*"]).unwrap();
/// assert_eq!(kept, [false, true]);
/// let error = crosswave_wave::select("command line", &set, &["top.nod0"]).unwrap_err();
/// assert_eq!(error.diagnostics[0].help, "did you mean `top.node0`?");
/// ```
pub fn select(
    origin: &str,
    tree: &impl Hierarchy,
    patterns: &[impl AsRef<str>],
) -> Result<Vec<bool>, Error> {
    select_entries(tree, patterns).map_err(|mistakes| Error {
        class: Class::Usage,
        origin: origin.into(),
        source: None,
        diagnostics: mistakes.into_iter().map(|(_, mistake)| mistake).collect(),
    })
}

/// [`select`] for who knows where each pattern stands.
///
/// # Errors
/// The mistakes that [`select`] reports, each with the index of its pattern.
pub fn select_entries(
    tree: &impl Hierarchy,
    patterns: &[impl AsRef<str>],
) -> Result<Vec<bool>, Vec<(usize, Diagnostic)>> {
    if patterns.is_empty() {
        return Ok(vec![true; tree.signal_count()]);
    }
    let mut mistakes = Vec::new();
    let mut entries = Vec::new();
    let mut parsed = Vec::new();
    for (entry, text) in patterns.iter().map(AsRef::as_ref).enumerate() {
        if let Some(pattern) = pattern::parse(text) {
            entries.push(entry);
            parsed.push(pattern);
        } else {
            let mistake = Diagnostic::new(
                format!("pattern `{text}`"),
                "a name between its dots is empty",
                "patterns look like `top.node3.valid`, `top.level2_*` or `**.state`",
            );
            mistakes.push((entry, mistake));
        }
    }
    let matched = Matcher::new(&parsed).run(tree);
    for ((entry, pattern), found) in entries.into_iter().zip(&parsed).zip(&matched.found) {
        if !found {
            let mistake = Diagnostic::new(
                format!("pattern `{}`", pattern.text),
                "matches no scope and no signal",
                close_names::help(tree, pattern),
            );
            mistakes.push((entry, mistake));
        }
    }
    if mistakes.is_empty() {
        Ok(matched.kept)
    } else {
        Err(mistakes)
    }
}

/// The part of `set` that is kept: the signals in their old order, and the scopes that
/// lead to them. Scopes without a kept signal in them or below are dropped.
///
/// # Panics
/// When `kept` is of another number of signals.
pub fn reduce(set: &SignalSet, kept: &SignalSelection) -> SignalSet {
    assert_eq!(set.signals.len(), kept.signals(), "one for each signal");
    let mut needed = vec![false; set.scopes.len()];
    for signal in kept.iter() {
        needed[set.signals[signal].scope] = true;
    }
    for scope in (0..set.scopes.len()).rev() {
        if let (true, Some(parent)) = (needed[scope], set.scopes[scope].parent) {
            needed[parent] = true;
        }
    }
    let mut scope_index = vec![0; set.scopes.len()];
    let mut reduced = SignalSet::default();
    for (old, scope) in set
        .scopes
        .iter()
        .enumerate()
        .filter(|&(old, _)| needed[old])
    {
        scope_index[old] = reduced.scopes.len();
        reduced.scopes.push(Scope {
            name: scope.name.clone(),
            parent: scope.parent.map(|parent| scope_index[parent]),
        });
    }
    for signal in kept.iter().map(|signal| &set.signals[signal]) {
        reduced.signals.push(Signal {
            scope: scope_index[signal.scope],
            ..signal.clone()
        });
    }
    reduced
}

/// A range of cycles, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CycleWindow {
    /// The first cycle in it.
    pub first: u64,
    /// The last cycle in it; `u64::MAX` when it has no end.
    pub last: u64,
}

impl CycleWindow {
    /// Every cycle.
    pub const ALL: CycleWindow = CycleWindow {
        first: 0,
        last: u64::MAX,
    };

    /// The first and the last time in it, of cycles of `period` of which the first starts at the time `phase`.
    pub fn times(self, period: u64, phase: u64) -> (u64, u64) {
        let start = |cycle: u64| cycle.saturating_mul(period).saturating_add(phase);
        let end = match self.last.checked_add(1) {
            None => u64::MAX,
            Some(next) => start(next).saturating_sub(1),
        };
        (start(self.first), end)
    }

    /// Reads `100..200` (both are in the window), `100..`, `..200` or `..`. `place`
    /// is the key or option it comes from.
    ///
    /// # Errors
    /// A diagnostic when it has another form or is empty.
    ///
    /// ```
    /// use crosswave_wave::CycleWindow;
    /// let window = CycleWindow { first: 5, last: 8 };
    /// assert_eq!(CycleWindow::parse("--window", "5..8").unwrap(), window);
    /// assert!(CycleWindow::parse("--window", "8..5").is_err());
    /// ```
    pub fn parse(place: &str, text: &str) -> Result<CycleWindow, Diagnostic> {
        let number = |text: &str, default| match text.trim() {
            "" => Some(default),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse().ok(),
            _ => None,
        };
        let window = text.split_once("..").and_then(|(first, last)| {
            Some(CycleWindow {
                first: number(first, 0)?,
                last: number(last, u64::MAX)?,
            })
        });
        match window {
            None => Err(Diagnostic::new(
                place,
                format!("`{text}` is not a window of cycles"),
                "write it as `100..200`, `100..` or `..200`; both ends are in it",
            )),
            Some(CycleWindow { first, last }) if first > last => Err(Diagnostic::new(
                place,
                format!("the window `{text}` ends before it begins"),
                format!("write it as `{last}..{first}`"),
            )),
            Some(window) => Ok(window),
        }
    }
}
