//! Links and switches that have failed, and what becomes of a routing.
//!
//! | file | holds |
//! |---|---|
//! | `failures` | what has failed, and which paths are left |
//! | [`rerouted`] | a routing whose cut paths have moved |
//! | [`optimum`] | the least maximum link load that is left for a traffic |
//!
//! A link fails in both directions, as a cable does; with a switch all its links fail. Failures are
//! named by labels: `switch((0, 1), 2)` for a switch, `switch((0, 1), 2) port 3` for the link at its
//! port 3, `node(3, 0)` for the link of a node.
//!
//! Corollary 1 holds no more where something has failed: traffic of base load 1 may have an optimal
//! load above 1. So a ratio here is one of two, which is said wherever it stands:
//!
//! - over the base load, which is the optimal load of the *intact* tree: the oblivious ratio of
//!   [`rerouted`];
//! - over the optimal load of the *damaged* tree, for one traffic matrix at a time: [`optimum`].

pub mod optimum;
pub mod rerouted;

use super::routing::{Routing, Share};
use super::tree::{LinkDirection, PortTree, TreeLink, Vertex};
use crosswave_base::diagnostic::Diagnostic;

/// Something that has failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeFailure {
    /// A link, by one of its directions.
    Link(TreeLink),
    /// A switch.
    Switch {
        /// Its level, 0 at the root.
        level: u32,
        /// Its number in its level.
        number: u32,
    },
}

impl TreeFailure {
    /// The failure of a name.
    ///
    /// ```
    /// use crosswave_oblivious::{failures::TreeFailure, tree::PortTree};
    /// let tree = PortTree::new(8, 3)?;
    /// let failure = TreeFailure::parse(tree, "switch((0, 1), 2) port 4");
    /// assert!(matches!(failure, Ok(TreeFailure::Link(link)) if link.level == 1));
    /// let error = TreeFailure::parse(tree, "switch((0, 9), 2)").unwrap_err();
    /// assert_eq!(error.message, "found digit 9, expected 0 to 3 in its place");
    /// # Ok::<(), crosswave_oblivious::tree::TreeError>(())
    /// ```
    ///
    /// # Errors
    /// When the name has another form, or the tree has no such switch, port or node.
    pub fn parse(tree: PortTree, name: &str) -> Result<TreeFailure, Diagnostic> {
        let wrong = |message: String| Diagnostic::new(format!("failure `{name}`"), message, HELP);
        let (label, port) = match name.rsplit_once("port") {
            Some((label, port)) => {
                let number = port.trim().parse::<u32>();
                let number = number.map_err(|_| {
                    wrong(format!("found port `{}`, expected a number", port.trim()))
                })?;
                (label.trim(), Some(number))
            }
            None => (name.trim(), None),
        };
        let (kind, digits) = label.split_once('(').unwrap_or((label, ""));
        let numbers = digits.split(|character: char| !character.is_ascii_digit());
        let numbers = numbers.filter(|digits| !digits.is_empty());
        let Ok(mut digits) = numbers.map(str::parse).collect::<Result<Vec<u32>, _>>() else {
            return Err(wrong("found a number above 2^32 - 1".to_owned()));
        };
        let is_label = |vertex| {
            let spaceless = |text: &str| text.replace(char::is_whitespace, "");
            spaceless(&tree.label(vertex).to_string()) == spaceless(label)
        };
        let unlike = || {
            wrong(format!(
                "found `{label}`, expected a label such as {} or {}",
                tree.label(Vertex::Node(0)),
                tree.label(Vertex::Switch {
                    level: tree.levels() - 1,
                    number: 0
                })
            ))
        };
        match (kind.trim(), port) {
            ("node", None) => {
                let node = number(tree, &digits, true, tree.levels()).map_err(wrong)?;
                match is_label(Vertex::Node(node)) {
                    true => Ok(TreeFailure::Link(tree.link_of(
                        node,
                        0,
                        0,
                        LinkDirection::Up,
                    ))),
                    false => Err(unlike()),
                }
            }
            ("node", Some(_)) => Err(wrong(
                "found a port of a node, which has one link; expected its label alone".to_owned(),
            )),
            ("switch", _) => {
                let Some(level) = digits.pop() else {
                    return Err(unlike());
                };
                if level >= tree.levels() {
                    let found = format!("found level {level}, expected 0 to {}", tree.levels() - 1);
                    return Err(wrong(found));
                }
                let number = number(tree, &digits, level > 0, tree.levels() - 1).map_err(wrong)?;
                if !is_label(Vertex::Switch { level, number }) {
                    return Err(unlike());
                }
                let Some(port) = port else {
                    return Ok(TreeFailure::Switch { level, number });
                };
                let link = tree.link_by_port(level, number, port);
                link.map(TreeFailure::Link).ok_or_else(|| {
                    let found = format!("found port {port}, expected 0 to {}", tree.ports() - 1);
                    wrong(found)
                })
            }
            _ => Err(unlike()),
        }
    }
}

/// Advice on naming a failure.
const HELP: &str = "name a switch by its label, a link by that and its port there, or the link of a \
                    node by the label of the node";

/// The number that digits make; the first is below m where `wide`, all others below m/2.
fn number(tree: PortTree, digits: &[u32], wide: bool, expected: u32) -> Result<u32, String> {
    if digits.len() != expected as usize {
        return Err(format!(
            "found {} digits, expected {expected} in {tree}",
            digits.len()
        ));
    }
    let mut number = 0;
    for (place, &digit) in digits.iter().enumerate() {
        let bound = match place {
            0 if wide => tree.ports(),
            _ => tree.half(),
        };
        if digit >= bound {
            return Err(format!(
                "found digit {digit}, expected 0 to {} in its place",
                bound - 1
            ));
        }
        number = number * tree.half() + digit;
    }
    Ok(number)
}

/// The links of a tree that have failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failures {
    tree: PortTree,
    /// By the links' dense numbers.
    failed: Vec<bool>,
}

/// Pairs whose paths are cut, with the routing as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cut {
    /// All ordered pairs of nodes.
    pub pairs: u64,
    /// Those that lose some of their paths, but not all.
    pub some: u64,
    /// Those that lose all of theirs.
    pub all: u64,
    /// Those of which no shortest path is left, by whatever routing.
    pub disconnected: u64,
}

impl Failures {
    /// Failures of a tree that is otherwise whole.
    pub fn new(tree: PortTree, failures: impl IntoIterator<Item = TreeFailure>) -> Self {
        let mut all = Failures {
            tree,
            failed: vec![false; tree.links() as usize],
        };
        for failure in failures {
            match failure {
                TreeFailure::Link(link) => all.fail(link),
                TreeFailure::Switch { level, number } => {
                    let links =
                        (0..tree.ports()).map(|port| tree.link_by_port(level, number, port));
                    links.flatten().for_each(|link| all.fail(link));
                }
            }
        }
        all
    }

    /// Fails both directions of a link.
    fn fail(&mut self, link: TreeLink) {
        for direction in [LinkDirection::Up, LinkDirection::Down] {
            let index = self.tree.index(TreeLink { direction, ..link });
            self.failed[index] = true;
        }
    }

    /// The tree.
    pub fn tree(&self) -> PortTree {
        self.tree
    }

    /// True when a link has failed.
    pub fn has_failed(&self, link: TreeLink) -> bool {
        self.failed[self.tree.index(link)]
    }

    /// True when the shortest path by a top switch is whole.
    pub fn is_whole(&self, source: u32, destination: u32, top: u32) -> bool {
        let tree = self.tree;
        let meeting = tree.meeting_height(source, destination);
        (0..=meeting).all(|height| {
            let port = top / tree.power(meeting - height);
            let up = tree.link_of(source, height, port, LinkDirection::Up);
            let down = tree.link_of(destination, height, port, LinkDirection::Down);
            !self.has_failed(up) && !self.has_failed(down)
        })
    }

    /// The top switches whose paths of a pair are whole, ascending.
    pub fn whole_tops(&self, source: u32, destination: u32) -> impl Iterator<Item = u32> {
        let tops = 0..self.tree.tops(source, destination);
        tops.filter(move |&top| self.is_whole(source, destination, top))
    }

    /// Counts the pairs that lose paths when a routing knows nothing of the failures.
    ///
    /// # Panics
    /// When the routing is of another tree.
    pub fn cut(&self, routing: &dyn Routing) -> Cut {
        assert_eq!(self.tree, routing.tree(), "the tree of the routing");
        let mut cut = Cut::default();
        let mut shares: Vec<Share> = Vec::new();
        for source in 0..self.tree.nodes() {
            for destination in (0..self.tree.nodes()).filter(|&other| other != source) {
                routing.shares(source, destination, &mut shares);
                let whole = |share: &&Share| self.is_whole(source, destination, share.top);
                let left = shares.iter().filter(whole).count();
                cut.pairs += 1;
                cut.some += u64::from(0 < left && left < shares.len());
                if left == 0 {
                    cut.all += 1;
                    let any = self.whole_tops(source, destination).next();
                    cut.disconnected += u64::from(any.is_none());
                }
            }
        }
        cut
    }
}

#[cfg(test)]
mod tests;
