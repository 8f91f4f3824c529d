//! Failed links and switches: what is cut, and the oblivious ratio after rerouting.
//!
//! The denominator is the base load, the optimal load of the tree when it was whole. What the damaged
//! tree could do at best is found for one random permutation, by a linear program.

use num_rational::Ratio;

use super::averages::{SEED, grouped, tree};
use crate::effort::Effort;
use crosswave_base::diagnostic::Error;
use crosswave_oblivious::failures::optimum::{RoutingFreedom, optimum};
use crosswave_oblivious::failures::rerouted::{Rerouted, ShareMove};
use crosswave_oblivious::failures::{Cut, Failures, TreeFailure};
use crosswave_oblivious::load::LinkLoads;
use crosswave_oblivious::ratio::oblivious_ratio;
use crosswave_oblivious::routing::Routing;
use crosswave_oblivious::routing::every_path::EveryPath;
use crosswave_oblivious::routing::modulo::{Chooser, Modulo};
use crosswave_oblivious::traffic::TrafficPattern;
use crosswave_observe::points::watch::{Watch, check_cancelled};

/// The tree.
pub const TREE: (u32, u32) = (8, 2);

/// The failures of each case.
const CASES: [&[&str]; 4] = [
    &["switch(0, 1) port 4"],
    &["switch(0, 0)"],
    &["switch(0, 0)", "switch(1, 0)"],
    &["switch(0, 0)", "switch(0, 1) port 5"],
];

/// A routing on a damaged tree.
#[derive(Debug, Clone, PartialEq)]
pub struct DamageRow {
    /// The links and switches that have failed.
    pub failed: String,
    /// The routing.
    pub routing: String,
    /// The pairs that lose paths before rerouting.
    pub cut: Cut,
    /// Its oblivious ratio where nothing has failed.
    pub before: Ratio<u64>,
    /// After paths have moved evenly, over the base load.
    pub evenly: Ratio<u64>,
    /// After they have moved round robin, over the base load.
    pub round_robin: Ratio<u64>,
    /// The maximum link load of a random permutation, moved evenly.
    pub load: Ratio<u64>,
    /// The least maximum link load of that permutation by any paths.
    pub optimum: f64,
}

/// All routings on all damaged trees.
///
/// # Errors
/// When someone asks to stop.
pub fn rows(effort: Effort, watch: &mut dyn Watch) -> Result<Vec<DamageRow>, Error> {
    let mut rows = Vec::new();
    if effort == Effort::Formulas {
        return Ok(rows);
    }
    let tree = tree(TREE);
    let grouped = grouped(tree);
    let (mlid, two) = (
        Modulo::mlid(tree),
        Modulo::new(tree, Chooser::Destination, 2),
    );
    let every = EveryPath::new(tree);
    let routings: [&dyn Routing; 4] = [&every, &*grouped, &mlid, &two];
    let traffic = TrafficPattern::Permutation.matrix(tree.nodes(), SEED, 0);
    let traffic = traffic.expect("permutations fit every tree");
    for names in CASES {
        check_cancelled(watch)?;
        watch.begins(&format!("{} of {tree} failed", names.join(", ")));
        let named = names.iter().map(|name| TreeFailure::parse(tree, name));
        let failures = Failures::new(tree, named.map(|found| found.expect("labels of the tree")));
        let optimum = optimum(&failures, &traffic, RoutingFreedom::Any).expect("a small program");
        for routing in routings {
            let moved = |to| Rerouted::new(routing, &failures, to).expect("few units");
            let ratio = |routing: &dyn Routing| oblivious_ratio(routing, 0).ratio;
            let evenly = moved(ShareMove::Evenly);
            rows.push(DamageRow {
                failed: names.join(", "),
                routing: routing.name(),
                cut: failures.cut(routing),
                before: ratio(routing),
                evenly: ratio(&evenly),
                round_robin: ratio(&moved(ShareMove::RoundRobin)),
                load: LinkLoads::new(&evenly, &traffic).max().0,
                optimum: optimum.load,
            });
        }
    }
    Ok(rows)
}
