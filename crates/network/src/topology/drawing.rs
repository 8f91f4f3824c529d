//! Drawings: where routers stand when the network is shown.

/// The places of a network's routers in a drawing.
pub trait NetworkDrawing {
    /// The ranks in which they stand, from the senders on: levels from the nodes up, or stages in
    /// the order in which messages pass them.
    fn ranks(&self) -> Vec<Rank>;

    /// The rank of a router and its place there, from 0 on. Routers of a group follow one another.
    fn standing(&self, router: u32) -> (usize, u32);

    /// The name of the stack that a router is in; `None` where routers are not in stacks.
    fn stack_of(&self, router: u32) -> Option<String> {
        let _ = router;
        None
    }
}

/// Routers that are drawn in a row. All of them are wired alike: a link port leads to the same
/// rank from each of them, or nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rank {
    /// Its name.
    pub name: String,
    /// Number of its routers.
    pub routers: u32,
    /// Groups of routers that belong together, as those of a subtree, all of one size.
    pub groups: u32,
}
