//! The signals of a waveform in groups, in the order in which a viewer lists them.

use std::collections::BTreeMap;

use super::{Activity, LISTED_MAX};
use crosswave_probe::signal::{Net, SignalSet};

/// Rows of a window, which groups that are open fill.
const WINDOW_ROWS: usize = 40;

/// Scopes side by side, from which on they are grouped by family.
const MANY_SCOPES: usize = 16;

/// The groups that are listed.
#[derive(Debug)]
pub(super) struct Groups {
    /// The clock and the reset, where they are among the signals.
    pub(super) shared: Vec<usize>,
    pub(super) groups: Vec<SignalGroup>,
    /// Number of signals beyond [`LISTED_MAX`].
    pub(super) left_out: usize,
}

/// Signals of a scope, or scopes of a family.
#[derive(Debug)]
pub(super) struct SignalGroup {
    pub(super) name: String,
    standing: Standing,
    /// Signals that change.
    pub(super) live: Vec<usize>,
    /// Signals that never do.
    pub(super) still: Vec<usize>,
    pub(super) groups: Vec<SignalGroup>,
}

/// The rank of a group among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// It is open, since a named value changes in it at the moment.
    NameMoved,
    /// It is open, since something else does.
    Moved,
    /// It is open, since there is room.
    Open,
    Closed,
}

impl SignalGroup {
    /// True when its rows are in view.
    pub(super) fn is_open(&self) -> bool {
        self.standing != Standing::Closed
    }

    /// Leaves as many signals as are left.
    fn prune(&mut self, left: &mut usize) {
        for signals in [&mut self.live, &mut self.still] {
            signals.truncate(*left);
            *left -= signals.len();
        }
        prune(&mut self.groups, left);
    }

    fn is_empty(&self) -> bool {
        self.live.is_empty() && self.still.is_empty() && self.groups.is_empty()
    }
}

fn prune(groups: &mut Vec<SignalGroup>, left: &mut usize) {
    groups.iter_mut().for_each(|group| group.prune(left));
    groups.retain(|group| !group.is_empty());
}

impl Groups {
    /// The groups of a set. `family` gives that of a scope by its name.
    pub(super) fn new(
        set: &SignalSet,
        activity: &Activity,
        family: &dyn Fn(&str) -> Option<String>,
    ) -> Groups {
        let tree = Tree::new(set, activity);
        let mut groups = tree.inside(None, family);
        // A group that holds everything says nothing.
        while let [only] = &mut groups[..]
            && only.live.is_empty()
            && only.still.is_empty()
        {
            groups = std::mem::take(&mut only.groups);
        }
        let of_net = |net: Net| set.signals.iter().position(|signal| signal.net == net);
        let shared: Vec<usize> = [Net::Clock, Net::Reset]
            .into_iter()
            .filter_map(of_net)
            .collect();
        let own = set.signals.iter().filter(|signal| signal.net == Net::Own);
        let mut left = LISTED_MAX;
        prune(&mut groups, &mut left);
        Groups {
            shared,
            groups,
            left_out: own.count().saturating_sub(LISTED_MAX),
        }
    }
}

/// The scopes of a set.
struct Tree<'a> {
    set: &'a SignalSet,
    activity: &'a Activity,
    /// The scopes in each scope.
    scopes: BTreeMap<Option<usize>, Vec<usize>>,
    /// The signals of each scope that change, and those that do not.
    live: Vec<Vec<usize>>,
    still: Vec<Vec<usize>>,
    standing: Vec<Standing>,
}

impl<'a> Tree<'a> {
    fn new(set: &'a SignalSet, activity: &'a Activity) -> Tree<'a> {
        let mut tree = Tree {
            set,
            activity,
            scopes: BTreeMap::new(),
            live: vec![Vec::new(); set.scopes.len()],
            still: vec![Vec::new(); set.scopes.len()],
            standing: vec![Standing::Closed; set.scopes.len()],
        };
        for (number, scope) in set.scopes.iter().enumerate() {
            tree.scopes.entry(scope.parent).or_default().push(number);
        }
        for (number, signal) in set.signals.iter().enumerate() {
            if signal.net == Net::Own {
                let signals = match activity.is_live(number) {
                    true => &mut tree.live,
                    false => &mut tree.still,
                };
                signals[signal.scope].push(number);
            }
        }
        let named = |&signal: &usize| set.signals[signal].states.is_empty();
        tree.live
            .iter_mut()
            .for_each(|live| live.sort_by_key(named));
        tree.open();
        tree
    }

    /// Opens scopes in which something changes at the moment, then others, until a window is
    /// full; the first one in any case.
    fn open(&mut self) {
        let mut wanted = vec![Standing::Open; self.set.scopes.len()];
        for &signal in self.activity.moved() {
            let signal = &self.set.signals[signal];
            let standing = match signal.states.is_empty() {
                true => Standing::Moved,
                false => Standing::NameMoved,
            };
            wanted[signal.scope] = wanted[signal.scope].min(standing);
        }
        let mut used = 0;
        for standing in [Standing::NameMoved, Standing::Moved, Standing::Open] {
            let alike = wanted.iter().enumerate();
            for (scope, _) in alike.filter(|(_, wanted)| **wanted == standing) {
                let (live, still) = (self.live[scope].len(), &self.still[scope]);
                if live == 0 {
                    continue;
                }
                // Its two ends, and what never changes.
                let rows = live + 2 + usize::from(!still.is_empty());
                if used > 0 && used + rows > WINDOW_ROWS {
                    break;
                }
                used += rows;
                self.standing[scope] = standing;
            }
        }
    }

    /// The groups in a scope, those that are open first.
    fn inside(
        &self,
        scope: Option<usize>,
        family: &dyn Fn(&str) -> Option<String>,
    ) -> Vec<SignalGroup> {
        let scopes = self.scopes.get(&scope).map_or(&[][..], Vec::as_slice);
        let is_many = scopes.len() >= MANY_SCOPES;
        let mut groups: Vec<SignalGroup> = Vec::new();
        // Index of each family in `groups`.
        let mut families: BTreeMap<String, usize> = BTreeMap::new();
        for &scope in scopes {
            let group = self.group(scope, family);
            let Some(name) = is_many.then(|| family(&group.name)).flatten() else {
                groups.push(group);
                continue;
            };
            let place = *families.entry(name.clone()).or_insert_with(|| {
                groups.push(SignalGroup {
                    name,
                    standing: Standing::Closed,
                    live: Vec::new(),
                    still: Vec::new(),
                    groups: Vec::new(),
                });
                groups.len() - 1
            });
            let of_family = &mut groups[place];
            of_family.standing = of_family.standing.min(group.standing);
            of_family.groups.push(group);
        }
        for group in &mut groups {
            // A family of one says nothing.
            if families.contains_key(&group.name) && group.groups.len() == 1 {
                *group = group.groups.remove(0);
            }
            group.groups.sort_by_key(|group| group.standing);
        }
        groups.sort_by_key(|group| group.standing);
        groups
    }

    fn group(&self, scope: usize, family: &dyn Fn(&str) -> Option<String>) -> SignalGroup {
        let groups = self.inside(Some(scope), family);
        let inner = groups.iter().map(|group| group.standing).min();
        let own = self.standing[scope];
        SignalGroup {
            name: self.set.scopes[scope].name.clone(),
            standing: own.min(inner.unwrap_or(own)),
            live: self.live[scope].clone(),
            still: self.still[scope].clone(),
            groups,
        }
    }
}
