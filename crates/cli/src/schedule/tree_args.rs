//! The tree of a schedule, by its nodes and capacities, and a root in it.

use clap::Args;

use super::super::usage;
use crosswave_base::diagnostic::Error;
use crosswave_collectives::tree::{BinaryFatTree, LEVELS_MAX, TreeError};

#[derive(Debug, Args)]
pub(super) struct TreeArgs {
    /// Processors: a power of two from 2 to 1,048,576
    #[arg(long, value_name = "N")]
    nodes: u32,
    /// Links between a node and its parent, level by level from the leaves: `doubling` (1, 2, 4
    /// and so on), a number for all levels, or a list such as 1,1,2,4
    #[arg(long, value_name = "C", default_value = "doubling")]
    capacities: String,
}

#[derive(Debug, Args)]
pub(super) struct RootArgs {
    /// The processor that has or gets all messages
    #[arg(long, value_name = "NODE", default_value_t = 0)]
    pub(super) root: u32,
}

/// Legal values of `--capacities`.
const CAPACITIES: &str =
    "expected doubling, a whole number from 1, or a list with one for each level";

impl TreeArgs {
    /// The tree.
    ///
    /// # Errors
    /// A usage error at the option that is wrong.
    pub(super) fn tree(&self) -> Result<BinaryFatTree, Error> {
        let nodes = self.nodes;
        if !nodes.is_power_of_two() || !(2..=1 << LEVELS_MAX).contains(&nodes) {
            let expected = "expected a power of two from 2 to 1048576";
            let found = format!("found {nodes}, {expected}");
            return Err(usage("--nodes", found, "such as --nodes 64"));
        }
        let levels = nodes.ilog2();
        let capacities = &self.capacities;
        let wrong = |found: String, help: &str| usage("--capacities", found, help);
        let such = "such as --capacities 1";
        let tree = if capacities == "doubling" {
            BinaryFatTree::exponential(levels)
        } else {
            let numbers = capacities.split(',').map(|number| number.trim().parse());
            let list: Result<Vec<u32>, _> = numbers.collect();
            let mut list =
                list.map_err(|_| wrong(format!("found `{capacities}`, {CAPACITIES}"), such))?;
            if let [all] = list[..] {
                list = vec![all; levels as usize];
            }
            if list.len() != levels as usize {
                let found = list.len();
                let found =
                    format!("found {found} capacities, expected {levels}, one for each level");
                return Err(wrong(found, "a tree of n nodes has lg n levels"));
            }
            BinaryFatTree::with_capacities(list)
        };
        tree.map_err(|error| {
            let help = match error {
                TreeError::Decreasing { .. } => "capacities do not fall towards the root",
                _ => such,
            };
            wrong(error.to_string(), help)
        })
    }
}
