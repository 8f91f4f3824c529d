//! The routing of an m-port n-tree by name, made once for all copies of a configuration.

use std::sync::{Arc, Mutex, PoisonError};

use crosswave_oblivious::routing::Routing;
use crosswave_oblivious::routing::named::NamedRouting;
use crosswave_oblivious::tree::PortTree;

/// A tree with a routing, its number of paths and its seed.
type NamedTree = (PortTree, NamedRouting, u32, u32);

/// A routing, and of what it was made.
type Made = (NamedTree, Arc<dyn Routing>);

/// The routing of a tree that was asked for last. All copies of a configuration share it, since some
/// routings are tables for which a large tree takes minutes and megabytes.
#[derive(Debug, Clone, Default)]
pub struct MadeRouting(Arc<Mutex<Option<Made>>>);

impl MadeRouting {
    /// A routing, which is made unless it is there.
    ///
    /// # Panics
    /// When the tree has no such routing.
    pub(super) fn of(&self, wanted: NamedTree) -> Arc<dyn Routing> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Some((there, routing)) if *there == wanted => routing.clone(),
            _ => {
                let (tree, name, paths, seed) = wanted;
                let routing = name.routing(tree, paths, seed.into());
                let routing = routing.expect("the tree has such a routing");
                *made = Some((wanted, routing.clone()));
                routing
            }
        }
    }
}

/// Any two are equal, since the rest of a configuration says what it is of.
impl PartialEq for MadeRouting {
    fn eq(&self, _: &MadeRouting) -> bool {
        true
    }
}

impl Eq for MadeRouting {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routing_is_made_once_for_all_copies() {
        let tree = PortTree::new(4, 3).expect("a tree");
        let made = MadeRouting::default();
        let first = made.of((tree, NamedRouting::Wsr, 1, 1));
        let again = made.clone().of((tree, NamedRouting::Wsr, 1, 1));
        assert!(Arc::ptr_eq(&first, &again));
        let other = made.of((tree, NamedRouting::DModK, 1, 1));
        assert_ne!(other.name(), first.name());
    }
}
