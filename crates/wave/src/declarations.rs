//! The order in which a file declares scopes and signals: a scope, its signals, then the
//! scopes that it encloses.

use std::io;

use crosswave_probe::signal::Scope;

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

/// Declares all scopes, and the signals in them; `within` has the scope of each signal.
pub(super) fn declare(
    scopes: &[Scope],
    within: impl Iterator<Item = usize> + Clone,
    to: &mut impl Declarations,
) -> io::Result<()> {
    let order = ByScope::new(scopes.len(), within);
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
    fn new(scopes: usize, within: impl Iterator<Item = usize> + Clone) -> Self {
        let mut start = vec![0_u32; scopes + 1];
        for scope in within.clone() {
            start[scope + 1] += 1;
        }
        for scope in 0..scopes {
            start[scope + 1] += start[scope];
        }
        let mut next = start.clone();
        let mut signals = vec![0_u32; start[scopes] as usize];
        for (index, scope) in (0..).zip(within) {
            signals[next[scope] as usize] = index;
            next[scope] += 1;
        }
        ByScope { start, signals }
    }

    fn of(&self, scope: usize) -> &[u32] {
        &self.signals[self.start[scope] as usize..self.start[scope + 1] as usize]
    }
}
