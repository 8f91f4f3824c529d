//! Watches a run for a condition.

use std::rc::Rc;

use super::collided::{CollisionLog, RouterCollision};
use super::condition::{Condition, Happened, Happening, TracedEvent};
use super::history::CheckpointHistory;
use super::signal_source::{CycleView, ExtraSignals};
use super::under_way::UnderWay;
use crate::life::CircuitFollower;
use crosswave_network::Fabric;
use crosswave_network::topology::Topology;
use crosswave_probe::engine::Engine;
use crosswave_probe::message::{CountForm, MessageEvent};
use crosswave_run::checkpoint::Checkpoint;
use crosswave_run::observer::Observer;
use crosswave_run::snapshot::RunState;
use crosswave_trigger::{Moments, Plan};

/// A cycle in which the condition is true.
#[derive(Debug)]
pub struct Moment {
    /// The cycle.
    pub cycle: u64,
    /// The first and the last cycle around it.
    pub window: (u64, u64),
    /// From where the window can be run again; `None` where that is from the beginning.
    pub checkpoint: Option<Rc<Checkpoint>>,
    /// The collisions in the cycle that the condition asks for.
    pub collisions: Vec<RouterCollision>,
}

/// Watches a replicate that runs alone for a condition. A moment is the first cycle in which it
/// holds; the next one, the first behind the window.
pub struct Trigger<'a> {
    topology: &'a dyn Topology,
    condition: Condition,
    history: CheckpointHistory,
    extra: Option<ExtraSignals>,
    follows_messages: bool,
    happened: Happened,
    /// Messages that are under way, where the condition asks how old they are.
    under_way: Option<UnderWay>,
    /// Follows messages through routers, where the condition asks for collisions.
    follower: Option<CircuitFollower<'a, CollisionLog>>,
    /// Rows of rejections that have levels.
    has_levels: Vec<bool>,
    moments: Moments<Moment>,
}

impl<'a> Trigger<'a> {
    /// Watches for a condition in a network, whose fabric is given.
    ///
    /// # Panics
    /// When it asks for collisions, and the messages of the network are packets.
    pub fn new(
        topology: &'a dyn Topology,
        fabric: &'a Fabric,
        condition: Condition,
        plan: Plan,
    ) -> Trigger<'a> {
        let rows = topology.rejections().rows;
        let asks_for_collisions = condition.collisions().next().is_some();
        Trigger {
            follows_messages: condition.follows_messages(),
            topology,
            history: CheckpointHistory::new(fabric, plan.before_cycles),
            extra: None,
            happened: Happened::default(),
            follower: asks_for_collisions
                .then(|| CircuitFollower::new(topology, fabric, CollisionLog::default())),
            under_way: condition.asks_for_latency().then(UnderWay::default),
            has_levels: rows
                .iter()
                .map(|row| row.shown == CountForm::List)
                .collect(),
            moments: Moments::new(plan),
            condition,
        }
    }

    /// Gives it the extra signals that the condition may name.
    pub fn set_extra(&mut self, extra: ExtraSignals) {
        self.extra = Some(extra);
    }

    /// The moments that were found.
    pub fn moments(self) -> Vec<Moment> {
        self.moments.found()
    }

    /// True when the condition holds in a cycle, in which the engine shows its present values.
    fn holds(&mut self, engine: &dyn Engine) -> bool {
        let view = CycleView {
            engine,
            lanes: self.history.lanes(),
            extra: self.extra.as_ref().map_or(&[], ExtraSignals::values),
        };
        self.condition.holds(&view, &self.happened)
    }

    fn found(&mut self, cycle: u64) {
        let window = self.moments.window(cycle);
        let collisions = match &mut self.follower {
            Some(follower) => follower.sink().matching(self.topology, &self.condition),
            None => Vec::new(),
        };
        let moment = Moment {
            cycle,
            window,
            checkpoint: self.history.before(window.0),
            collisions,
        };
        self.moments.add(cycle, moment);
    }
}

impl Observer for Trigger<'_> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.history.cycle(engine, clocked);
        if let Some(extra) = &mut self.extra {
            extra.advance(engine.cycle());
        }
        self.happened.events.clear();
        (self.happened.attempts, self.happened.latency_cycles) = (0, 0);
        if let Some(offered) = self.under_way.as_mut().and_then(UnderWay::oldest) {
            self.happened.latency_cycles = engine.cycle() - offered;
        }
        if let Some(follower) = &mut self.follower {
            follower.sink().begin();
            follower.cycle(engine, clocked);
            self.happened
                .events
                .extend(follower.sink().events(self.topology));
        }
    }

    /// While the network rests signals stay as they are, nothing happens to messages, and those
    /// that will never come grow older.
    fn rests(&mut self, engine: &dyn Engine, next_cycle: u64) {
        self.happened.events.clear();
        if let Some(follower) = &mut self.follower {
            follower.sink().begin();
        }
        self.happened.attempts = 0;
        let offered = self.under_way.as_mut().and_then(UnderWay::oldest);
        let mut cycle = engine.cycle() + 1;
        while let Some(at) = self.moments.armed_from(cycle).filter(|&at| at < next_cycle) {
            let age = offered.map_or(0, |offered| at - offered);
            self.happened.latency_cycles = age;
            cycle = match self.holds(engine) {
                true => {
                    self.found(at);
                    at + 1
                }
                false => match (offered, self.condition.next_age(age)) {
                    (Some(offered), Some(next)) => offered.saturating_add(next),
                    _ => return,
                },
            };
        }
    }

    fn follows_messages(&self) -> bool {
        self.follows_messages
    }

    fn message(&mut self, engine: &dyn Engine, replicate: usize, event: MessageEvent) {
        if let Some(follower) = &mut self.follower {
            follower.message(engine, replicate, event);
        }
        let happened = &mut self.happened;
        let node = |instance: u32| self.topology.node_of_instance(instance as usize);
        let (what, id, instance, level) = match event {
            MessageEvent::Launched {
                instance,
                id,
                attempt,
                offered_cycle,
                ..
            } => {
                happened.attempts = happened.attempts.max(u64::from(attempt));
                let latency = engine.cycle() - offered_cycle;
                happened.latency_cycles = happened.latency_cycles.max(latency);
                if let Some(under_way) = &mut self.under_way
                    && attempt == 1
                {
                    under_way.launch(offered_cycle, id);
                }
                (Happening::Launched, id, instance, None)
            }
            MessageEvent::Rejected { instance, id, at } => {
                let level = self.has_levels[at.row].then_some(at.place);
                (Happening::Rejected, id, instance, level)
            }
            MessageEvent::Acknowledged { instance, id, .. } => {
                if let Some(under_way) = &mut self.under_way {
                    under_way.acknowledge(id);
                }
                (Happening::Acknowledged, id, instance, None)
            }
            MessageEvent::Delivered { .. } => return,
        };
        happened.events.push(TracedEvent {
            what,
            message: id,
            node: node(instance),
            level,
            router: None,
        });
    }

    fn between_edges(&mut self, state: &RunState<'_, '_>) {
        let cycle = state.engine.cycle();
        if self.moments.is_complete() {
            return;
        }
        // The outputs of chips are not known in cycle 0.
        let holds = self.holds(state.engine) && cycle > 0;
        if holds && self.moments.is_armed(cycle) {
            self.found(cycle);
        }
        self.history.between_edges(state);
    }
}
