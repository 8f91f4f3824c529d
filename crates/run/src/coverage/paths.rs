//! Paths through the routers of a chip that messages took: from which input to which output.

use serde::{Deserialize, Serialize};

/// The heads of messages, or of packets, that took a path through a router of a chip, in all instances.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouterPath {
    /// The link port by which they came in.
    pub input: String,
    /// The link port by which they left, or would have; none where routers do not show which one they wanted.
    pub output: Option<String>,
    /// Those that left by it.
    pub passed: u64,
    /// Those of them that waited in the router.
    pub waited: u64,
    /// Those that the router rejected, or lost.
    pub rejected: u64,
}

impl RouterPath {
    /// True when some passed, or were rejected.
    pub fn is_wanted(&self) -> bool {
        self.passed > 0 || self.rejected > 0
    }
}

/// Adds the paths of other runs of the chip.
pub(super) fn add(all: &mut Vec<RouterPath>, more: Vec<RouterPath>) {
    for path in more {
        let is_same =
            |known: &&mut RouterPath| (&known.input, &known.output) == (&path.input, &path.output);
        match all.iter_mut().find(is_same) {
            Some(known) => {
                known.passed = known.passed.saturating_add(path.passed);
                known.waited = known.waited.saturating_add(path.waited);
                known.rejected = known.rejected.saturating_add(path.rejected);
            }
            None => all.push(path),
        }
    }
}
