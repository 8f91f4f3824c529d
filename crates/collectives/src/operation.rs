//! The operations by their names: how each is made, what it takes, and what none takes less
//! than.

use std::fmt;

use crate::bounds;
use crate::generate::{self, Discipline};
use crate::quartered::quartered;
use crate::schedule::Schedule;
use crate::total_exchange::{self, Phases, TotalExchangeError};
use crate::tree::BinaryFatTree;

/// The schedule of a multinode broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multinode {
    /// All send in step 1, and packets wait in queues.
    Flooding,
    /// Level after level, without queues.
    Phases,
    /// Levels within each other, without queues.
    Nested,
}

/// The schedule of a total exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// Phases one after the other.
    Serial,
    /// Phases two steps behind each other.
    Pipelined,
    /// The optimum where capacities double.
    Interleaved,
    /// The optimum where all capacities are 1.
    Quartered,
}

/// A collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// One message from one processor to all others.
    Broadcast {
        /// The processor that has it.
        root: u32,
    },
    /// A message from one processor to each other one.
    Scatter {
        /// The processor that has them.
        root: u32,
        /// The messages that come first.
        order: Discipline,
    },
    /// A message from each other processor to one.
    Gather {
        /// The processor that gets them.
        root: u32,
    },
    /// A broadcast from every processor.
    MultinodeBroadcast(Multinode),
    /// A scatter from every processor.
    TotalExchange(Exchange),
}

/// The reason why an operation is not made on a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationError {
    /// The root is no processor.
    Root {
        /// The processor that was asked for.
        root: u32,
        /// Processors of the tree.
        processors: u32,
    },
    /// The tree has too many levels.
    TooLarge {
        /// The levels that are possible.
        levels_max: u32,
    },
    /// The total exchange is not for this tree.
    TotalExchange(TotalExchangeError),
}

impl fmt::Display for OperationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperationError::Root { root, processors } => {
                write!(f, "found {root}, expected 0 to {}", processors - 1)
            }
            OperationError::TooLarge { levels_max } => write!(
                f,
                "the tree is larger than the {} processors of which this is made",
                1u32 << levels_max
            ),
            OperationError::TotalExchange(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for OperationError {}

impl Operation {
    /// Its name, as the command has it.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Broadcast { .. } => "broadcast",
            Operation::Scatter { .. } => "scatter",
            Operation::Gather { .. } => "gather",
            Operation::MultinodeBroadcast(_) => "multinode-broadcast",
            Operation::TotalExchange(_) => "total-exchange",
        }
    }

    /// The name of the way in which it is made; `None` when there is one way.
    pub fn way(self) -> Option<&'static str> {
        match self {
            Operation::Broadcast { .. } | Operation::Gather { .. } => None,
            Operation::Scatter { order, .. } => Some(match order {
                Discipline::FurthestFirst => "furthest-first",
                Discipline::NearestFirst => "nearest-first",
            }),
            Operation::MultinodeBroadcast(way) => Some(match way {
                Multinode::Flooding => "flooding",
                Multinode::Phases => "phases",
                Multinode::Nested => "nested",
            }),
            Operation::TotalExchange(way) => Some(match way {
                Exchange::Serial => "serial",
                Exchange::Pipelined => "pipelined",
                Exchange::Interleaved => "interleaved",
                Exchange::Quartered => "quartered",
            }),
        }
    }

    /// The processor that has or gets all messages, when there is one.
    pub fn root(self) -> Option<u32> {
        match self {
            Operation::Broadcast { root }
            | Operation::Scatter { root, .. }
            | Operation::Gather { root } => Some(root),
            Operation::MultinodeBroadcast(_) | Operation::TotalExchange(_) => None,
        }
    }

    /// True when its packets wait in queues.
    pub fn needs_queues(self) -> bool {
        self == Operation::MultinodeBroadcast(Multinode::Flooding)
    }

    /// Its schedule.
    ///
    /// # Errors
    /// When the tree has no such root, or is none on which it is made.
    pub fn schedule(self, tree: &BinaryFatTree) -> Result<Schedule, OperationError> {
        let processors = tree.processors();
        if let Some(root) = self.root().filter(|&root| root >= processors) {
            return Err(OperationError::Root { root, processors });
        }
        let levels_max = generate::LEVELS_MAX;
        if matches!(self, Operation::MultinodeBroadcast(_)) && tree.levels() > levels_max {
            return Err(OperationError::TooLarge { levels_max });
        }
        let exchanged = match self {
            Operation::Broadcast { root } => return Ok(generate::broadcast(tree, root)),
            Operation::Scatter { root, order } => return Ok(generate::scatter(tree, root, order)),
            Operation::Gather { root } => return Ok(generate::gather(tree, root)),
            Operation::MultinodeBroadcast(way) => {
                return Ok(match way {
                    Multinode::Flooding => generate::flooding(tree),
                    Multinode::Phases => generate::multinode_in_phases(tree),
                    Multinode::Nested => generate::multinode_nested(tree),
                });
            }
            Operation::TotalExchange(way) => match way {
                Exchange::Serial => total_exchange::in_phases(tree, Phases::Serial),
                Exchange::Pipelined => total_exchange::in_phases(tree, Phases::Pipelined),
                Exchange::Interleaved => total_exchange::interleaved(tree),
                Exchange::Quartered => quartered(tree),
            },
        };
        exchanged.map_err(|error| match error {
            TotalExchangeError::TooLarge { .. } => OperationError::TooLarge {
                levels_max: total_exchange::LEVELS_MAX,
            },
            other => OperationError::TotalExchange(other),
        })
    }

    /// The steps that its closed form gives, on trees on which it is made.
    pub fn steps(self, tree: &BinaryFatTree) -> u64 {
        let levels = tree.levels();
        match self {
            Operation::Broadcast { .. } => bounds::broadcast_steps(levels),
            Operation::Scatter {
                order: Discipline::NearestFirst,
                ..
            }
            | Operation::MultinodeBroadcast(Multinode::Phases) => {
                bounds::multinode_in_phases_steps(levels)
            }
            Operation::Scatter { .. }
            | Operation::Gather { .. }
            | Operation::MultinodeBroadcast(_) => bounds::scatter_steps(levels),
            Operation::TotalExchange(way) => match way {
                Exchange::Serial => bounds::total_exchange_serial(tree),
                Exchange::Pipelined => bounds::total_exchange_pipelined(tree),
                Exchange::Interleaved => bounds::total_exchange_ebft_optimum(levels),
                Exchange::Quartered => bounds::total_exchange_cbft_optimum(levels),
            },
        }
    }

    /// Steps below which no schedule of the operation is possible on the tree, however it is
    /// made; `None` where none is known but the diameter, as leaves have several links.
    pub fn steps_least(self, tree: &BinaryFatTree) -> Option<u64> {
        let levels = tree.levels();
        let single = tree.capacity(1) == 1;
        match self {
            Operation::Broadcast { .. } => Some(bounds::broadcast_steps(levels)),
            Operation::TotalExchange(_) => {
                let channels = bounds::total_exchange_channel_bound(tree);
                let latency = bounds::total_exchange_latency_bound(levels);
                Some(if single {
                    channels.max(latency)
                } else {
                    channels
                })
            }
            _ => single.then(|| bounds::scatter_steps(levels)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{check, ideal};

    fn operations(root: u32) -> Vec<Operation> {
        use Exchange::{Interleaved, Pipelined, Quartered, Serial};
        let orders = [Discipline::FurthestFirst, Discipline::NearestFirst];
        let mut all = vec![Operation::Broadcast { root }, Operation::Gather { root }];
        all.extend(orders.map(|order| Operation::Scatter { root, order }));
        let multinode = [Multinode::Flooding, Multinode::Phases, Multinode::Nested];
        all.extend(multinode.map(Operation::MultinodeBroadcast));
        let exchange = [Serial, Pipelined, Interleaved, Quartered];
        all.extend(exchange.map(Operation::TotalExchange));
        all
    }

    #[test]
    fn every_operation_takes_its_closed_form_and_no_less_than_its_bound() {
        let mut refused = 0;
        for levels in 1..=6 {
            let mixed = [1, 1, 3, 4, 4, 9];
            let mixed = mixed[..levels as usize].to_vec();
            for tree in [
                BinaryFatTree::constant(levels),
                BinaryFatTree::exponential(levels),
                BinaryFatTree::with_capacities(mixed),
            ] {
                let tree = tree.expect("legal capacities");
                for operation in operations(1) {
                    let Ok(schedule) = operation.schedule(&tree) else {
                        assert_eq!(operation.way(), Some("interleaved"));
                        refused += 1;
                        continue;
                    };
                    let steps = match operation.needs_queues() {
                        true => {
                            ideal::run(&tree, &schedule, None)
                                .expect("it runs")
                                .finish_step
                        }
                        false => {
                            check::check(&tree, &schedule)
                                .expect("no fault")
                                .finish_step
                        }
                    };
                    assert_eq!(steps, operation.steps(&tree), "{operation:?} {tree:?}");
                    let least = operation.steps_least(&tree).expect("leaves have one link");
                    assert!(least <= steps, "{operation:?} {tree:?}");
                }
            }
        }
        assert_eq!(refused, 2 * 3 + 4 * 2);
    }

    #[test]
    fn what_is_not_made_is_said() {
        let tree = BinaryFatTree::constant(13).expect("levels");
        let root = 1 << 13;
        let said = |operation: Operation| operation.schedule(&tree).expect_err("no").to_string();
        assert_eq!(
            said(Operation::Broadcast { root }),
            "found 8192, expected 0 to 8191"
        );
        for operation in operations(0).into_iter().skip(4) {
            let found = said(operation);
            assert_eq!(
                found,
                "the tree is larger than the 4096 processors of which this is made"
            );
        }
    }
}
