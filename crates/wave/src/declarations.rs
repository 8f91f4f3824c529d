//! The order in which a file declares scopes and signals: a scope, its signals, then the
//! scopes that it encloses.

use std::io;

use crosswave_probe::signal::SignalSet;

/// No scope.
const NONE: usize = usize::MAX;

/// Takes declarations in their order.
pub(super) trait Declarations {
    /// A scope begins inside the innermost one that is open.
    fn open(&mut self, scope: &str) -> io::Result<()>;
    /// A signal lies in the innermost scope, given by its index.
    fn signal(&mut self, index: usize) -> io::Result<()>;
    /// The innermost scope ends.
    fn close(&mut self) -> io::Result<()>;
}

/// Declares all scopes and signals of a set.
pub(super) fn declare(set: &SignalSet, to: &mut impl Declarations) -> io::Result<()> {
    let scopes = &set.scopes;
    let order = ByScope::new(set);
    // Linked lists, filled from the back so that they run forwards.
    let mut first_child = vec![NONE; scopes.len()];
    let mut next_sibling = vec![NONE; scopes.len()];
    let mut first_top = NONE;
    for (index, scope) in scopes.iter().enumerate().rev() {
        let head = match scope.parent {
            Some(parent) => {
                assert!(parent < index, "scope {index} comes before its parent");
                &mut first_child[parent]
            }
            None => &mut first_top,
        };
        next_sibling[index] = std::mem::replace(head, index);
    }
    let mut at = first_top;
    while at != NONE {
        to.open(&scopes[at].name)?;
        for &index in order.of(at) {
            to.signal(index as usize)?;
        }
        if first_child[at] != NONE {
            at = first_child[at];
            continue;
        }
        // Close scopes until one has a sibling.
        loop {
            to.close()?;
            if next_sibling[at] != NONE {
                at = next_sibling[at];
                break;
            }
            match scopes[at].parent {
                Some(parent) => at = parent,
                None => return Ok(()),
            }
        }
    }
    Ok(())
}

/// The signals of each scope, in order of their index.
struct ByScope {
    /// Start of the signals of each scope in `signals`; one more at the end.
    start: Vec<u32>,
    signals: Vec<u32>,
}

impl ByScope {
    fn new(set: &SignalSet) -> Self {
        let mut start = vec![0_u32; set.scopes.len() + 1];
        for signal in &set.signals {
            start[signal.scope + 1] += 1;
        }
        for scope in 0..set.scopes.len() {
            start[scope + 1] += start[scope];
        }
        let mut next = start.clone();
        let mut signals = vec![0_u32; set.signals.len()];
        for (index, signal) in set.signals.iter().enumerate() {
            signals[next[signal.scope] as usize] = index as u32;
            next[signal.scope] += 1;
        }
        ByScope { start, signals }
    }

    fn of(&self, scope: usize) -> &[u32] {
        &self.signals[self.start[scope] as usize..self.start[scope + 1] as usize]
    }
}
