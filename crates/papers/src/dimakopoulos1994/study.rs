//! Schedules of all sizes, checked or simulated.

use std::ops::RangeInclusive;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::effort::Effort;
use crate::quantity::MeasuredValue;
use crosswave_base::diagnostic::Error;
use crosswave_chips::packet_queue;
use crosswave_collectives::operation::Operation;
use crosswave_collectives::schedule::{Destination, Schedule};
use crosswave_collectives::tree::BinaryFatTree;
use crosswave_collectives::{check, ideal};
use crosswave_event::EventEngine;
use crosswave_network::binary_fat_tree::{BinaryFatTree as SliceTree, NodeQueues};
use crosswave_network::traffic::{DeliverySets, EVERY_NODE, Message, Offer, Replay, Workload};
use crosswave_observe::points::Store;
use crosswave_observe::points::watch::{Watch, check_cancelled};
use crosswave_probe::message::NEVER;
use crosswave_run::cycle_loop::run_alone;
use crosswave_run::host::packets::{PacketHost, sent};
use crosswave_run::host::{End, Host};
use crosswave_run::packets::run;

/// Levels of the largest tree whose packets go through chips as well.
const HARDWARE_LEVELS_MAX: u32 = 8;

/// The capacities of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeKind {
    /// All 1: the paper's CBFT.
    Constant,
    /// 2^(i-1) at level i: the paper's EBFT.
    Exponential,
}

impl TreeKind {
    /// The tree of so many levels.
    ///
    /// # Panics
    /// Unless the levels are from 1 to 20.
    pub fn tree(self, levels: u32) -> BinaryFatTree {
        let tree = match self {
            TreeKind::Constant => BinaryFatTree::constant(levels),
            TreeKind::Exponential => BinaryFatTree::exponential(levels),
        };
        tree.expect("studies have 1 to 20 levels")
    }

    /// The paper's name of it.
    pub fn name(self) -> &'static str {
        match self {
            TreeKind::Constant => "CBFT",
            TreeKind::Exponential => "EBFT",
        }
    }
}

/// The amount of simulation, the store of results, and the watch on progress.
pub struct Study<'a> {
    effort: Effort,
    store: &'a mut Store,
    watch: &'a mut dyn Watch,
    /// Quantities measured under a name of their own.
    measured: Vec<String>,
}

/// Steps of a schedule, or what is wrong with it. Where nothing waits in a small tree of which
/// there are chips, they are those of the chips.
pub fn steps(tree: &BinaryFatTree, schedule: &Schedule, queues: bool) -> Result<u64, String> {
    match queues {
        true => {
            let ideal = ideal::run(tree, schedule, None).map_err(|failure| failure.to_string())?;
            if tree.levels() <= HARDWARE_LEVELS_MAX
                && let Some(found) = through_queues(tree, schedule)
                && found.steps != ideal.finish_step
            {
                let (ideal, found) = (ideal.finish_step, found.steps);
                return Err(format!(
                    "{ideal} steps in the ideal tree, {found} in switches"
                ));
            }
            Ok(ideal.finish_step)
        }
        false => {
            let checked = check::check(tree, schedule).map_err(|fault| fault.to_string())?;
            let capacities = (1..=tree.levels()).map(|i| tree.capacity(i)).collect();
            match SliceTree::of(capacities) {
                Some(chips) if tree.levels() <= HARDWARE_LEVELS_MAX => {
                    through_chips(&chips, schedule, &checked)
                }
                _ => Ok(checked.finish_step),
            }
        }
    }
}

/// The cost of a schedule in routing nodes with queues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InQueues {
    /// Steps.
    pub steps: u64,
    /// The longest queue of each level, that of the nodes above the leaves first.
    pub longest: Vec<u64>,
}

/// Sends a schedule through the model of routing nodes with queues without a limit; `None` where
/// there is no such tree, or a packet goes to some levels and not to others.
///
/// # Panics
/// When a packet is lost.
pub fn through_queues(tree: &BinaryFatTree, schedule: &Schedule) -> Option<InQueues> {
    let capacities: Vec<u32> = (1..=tree.levels()).map(|i| tree.capacity(i)).collect();
    let chips = SliceTree::of(capacities)?.with_queues(NodeQueues {
        packets: packet_queue::UNLIMITED,
        half_duplex: false,
    });
    let messages = schedule.packets.iter().map(|packet| {
        let destination = match packet.destination {
            Destination::Processor(node) => Some(node),
            Destination::Levels(set) => {
                let all = set.up_to(tree.levels()).count() == tree.levels() as usize;
                all.then_some(EVERY_NODE)
            }
        };
        Some(Message {
            source: packet.source,
            destination: destination?,
            words: 1,
            offered: Offer::At(packet.step),
        })
    });
    let mut messages = messages.collect::<Option<Vec<Message>>>()?;
    messages.sort_by_key(|message| message.offered.earliest());
    let workload = Workload {
        nodes: chips.nodes(),
        order: Replay::Timed,
        messages,
        sets: DeliverySets::default(),
    };
    let fabric = chips.fabric();
    let host = Host::new(&chips, &workload, fabric.rest_cycles, false);
    let mut engine = EventEngine::new(fabric, 0, 1);
    let outcome = run_alone(host, &mut engine, &[], NEVER, &mut ());
    assert_eq!(outcome.end, End::Finished, "nothing is lost");
    let rows = &outcome.longest_queues;
    let most = |level| rows.iter().map(|row| row.longest[level]).max();
    Some(InQueues {
        // A packet of step t is on its first link in cycle t + 1, and shows a cycle behind its
        // last one.
        steps: outcome.last_cycle - 2,
        longest: (0..tree.levels() as usize).filter_map(most).collect(),
    })
}

/// Steps of a schedule whose packets go through the chips of its tree, by their register-level
/// models; or what is not as it was found without them.
fn through_chips(
    chips: &SliceTree,
    schedule: &Schedule,
    checked: &check::ScheduleOutcome,
) -> Result<u64, String> {
    let packets = sent(schedule, chips.levels());
    let mut engine = EventEngine::new(chips.fabric(), 0, 1);
    let outcome = run(&mut engine, PacketHost::new(chips, &packets), &mut ());
    let found = (outcome.finish_step, outcome.deliveries.len() as u64);
    let is_clean = outcome.conflicts.is_empty() && outcome.wrong.is_empty();
    match is_clean && found == (checked.finish_step, checked.deliveries) {
        true => Ok(outcome.finish_step),
        false => Err(format!(
            "{} steps in the ideal tree, {} in hardware",
            checked.finish_step, outcome.finish_step
        )),
    }
}

/// Steps of an operation, or why there are none.
pub fn operation_steps(tree: &BinaryFatTree, operation: Operation) -> Result<u64, String> {
    let schedule = operation.schedule(tree);
    let schedule = schedule.map_err(|error| error.to_string())?;
    steps(tree, &schedule, operation.needs_queues())
}

/// A number, or what was wrong.
pub fn shown(found: Result<u64, String>) -> String {
    found.map_or_else(|wrong| wrong, |number| number.to_string())
}

/// The values found for several levels, as one text.
pub fn list<T: ToString>(levels: RangeInclusive<u32>, find: impl FnMut(u32) -> T) -> String {
    let found: Vec<String> = levels.map(find).map(|found| found.to_string()).collect();
    found.join(", ")
}

impl<'a> Study<'a> {
    /// A study of so much, whose results are kept in `store`, told to `watch`.
    pub fn new(effort: Effort, store: &'a mut Store, watch: &'a mut dyn Watch) -> Self {
        Study {
            effort,
            store,
            watch,
            measured: Vec::new(),
        }
    }

    /// The amount of simulation.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Levels of the largest tree: 256 processors, or 4,096 where everything is simulated.
    pub fn levels_max(&self) -> u32 {
        match self.effort {
            Effort::Formulas | Effort::Quick => 8,
            Effort::All => 12,
        }
    }

    /// True when anything is simulated.
    pub fn simulates(&self) -> bool {
        self.effort != Effort::Formulas
    }

    /// The stored answer to a question, or else what `make` finds, which is stored. `what` names it.
    ///
    /// # Errors
    /// When someone asks to stop, as of reading and writing, and those of `make`.
    pub fn kept<T: Serialize + DeserializeOwned>(
        &mut self,
        question: Value,
        what: &str,
        make: impl FnOnce(&mut dyn Watch) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let watch = &mut *self.watch;
        let key = json!({ "paper": "dimakopoulos1994", "question": question });
        self.store.kept(&key, || {
            watch.begins(what);
            check_cancelled(watch)?;
            make(watch)
        })
    }

    /// Finds something by simulation, if anything is simulated.
    ///
    /// # Errors
    /// As [`Study::kept`].
    ///
    /// # Panics
    /// When something else had the name.
    pub fn measure<T: ToString>(
        &mut self,
        what: &str,
        find: impl FnOnce() -> T,
    ) -> Result<Option<MeasuredValue>, Error> {
        if !self.simulates() {
            return Ok(None);
        }
        let is_new = self.measured.iter().all(|measured| measured != what);
        assert!(is_new, "{what} is measured twice");
        self.measured.push(what.to_owned());
        let found = self.kept(
            json!({ "measured": what }),
            what,
            |_| Ok(find().to_string()),
        )?;
        Ok(Some(MeasuredValue::exact(found)))
    }

    /// The steps of an operation on a tree, or why there are none.
    ///
    /// # Errors
    /// As [`Study::kept`].
    pub fn operation_steps(
        &mut self,
        kind: TreeKind,
        levels: u32,
        operation: Operation,
    ) -> Result<Result<u64, String>, Error> {
        let tree = format!("{} of {}", kind.name(), 1u32 << levels);
        let what = format!("{}, {tree}", operation.name());
        let question = json!({ "steps": format!("{operation:?}"), "tree": tree });
        self.kept(question, &what, |_| {
            Ok(operation_steps(&kind.tree(levels), operation))
        })
    }

    /// The steps of an operation on trees of several sizes.
    ///
    /// # Errors
    /// As [`Study::kept`].
    pub fn steps(
        &mut self,
        levels: RangeInclusive<u32>,
        kind: TreeKind,
        operation: Operation,
    ) -> Result<Option<MeasuredValue>, Error> {
        if !self.simulates() {
            return Ok(None);
        }
        let mut found = Vec::new();
        for levels in levels {
            found.push(shown(self.operation_steps(kind, levels, operation)?));
        }
        Ok(Some(MeasuredValue::exact(found.join(", "))))
    }
}

#[cfg(test)]
mod tests;
