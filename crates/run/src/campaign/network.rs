//! The effects on a network's messages of faults in one of its routers: a copy of the network for each
//! fault, all on one engine.

use serde::Serialize;

use super::alone::{TimedFault, cycles};
use super::recorded::Recorded;
use super::target::RouterUnderTest;
use crate::host::{End, Outcome};
use crate::observer::Observer;
use crate::simulation::Simulation;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::guard::guarded_with_threads;
use crosswave_gate::engine::PlannedValue;
use crosswave_gate::{Backend, GateEngine};
use crosswave_netlist::Module;
use crosswave_netlist::faults::{GateFault, mask};
use crosswave_network::copies::Copies;
use crosswave_probe::engine::Engine;
use crosswave_probe::message::{MessageRecord, NEVER};

/// The effect of a fault on the messages of a run: the worst that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessageEffect {
    /// All is as without it.
    None,
    /// All messages are delivered, some in other cycles.
    Delayed,
    /// All messages are delivered, and nodes made other attempts than without it.
    Retried,
    /// A node received a flit that is wrong, doubled, for another node or of no message, or a wrong answer.
    Wrong,
    /// A message never came, though all left their senders.
    Lost,
    /// A sender was told that a message was delivered that was not.
    Deceived,
    /// The network takes no more messages, or messages are tried again without end.
    Hang,
    /// Outputs that depend on each other in the same cycle do not settle.
    Unsettled,
}

impl MessageEffect {
    /// All of them, in the order of reports.
    pub const ALL: [MessageEffect; 8] = [
        MessageEffect::None,
        MessageEffect::Delayed,
        MessageEffect::Retried,
        MessageEffect::Wrong,
        MessageEffect::Lost,
        MessageEffect::Deceived,
        MessageEffect::Hang,
        MessageEffect::Unsettled,
    ];

    /// The effect of a fault with which a run came out so, and without which it came out as `good`.
    pub fn of(good: &Outcome, faulty: &Outcome) -> MessageEffect {
        let wrong = |outcome: &Outcome| {
            let answers = outcome.connections.iter().filter(|one| one.wrong).count();
            outcome.faulty.len() + answers
        };
        let told = |message: &&MessageRecord| {
            message.acknowledged_cycle != NEVER && message.delivered_cycle == NEVER
        };
        let deceived = |outcome: &Outcome| outcome.messages.iter().filter(told).count();
        if deceived(faulty) > deceived(good) {
            return MessageEffect::Deceived;
        }
        if wrong(faulty) > wrong(good) {
            return MessageEffect::Wrong;
        }
        let waits = |message: &MessageRecord| message.sent_cycle == NEVER;
        match faulty.end {
            End::Finished => {}
            End::Stalled if !faulty.messages.iter().any(waits) => return MessageEffect::Lost,
            End::Lost => return MessageEffect::Lost,
            End::OutOfCycles | End::Stalled | End::Interrupted => return MessageEffect::Hang,
        }
        let mut messages = good.messages.iter().zip(&faulty.messages);
        let is_alike = good.rejections.rows == faulty.rejections.rows;
        if !is_alike || messages.any(|(good, faulty)| good.attempts != faulty.attempts) {
            return MessageEffect::Retried;
        }
        match good.messages == faulty.messages && good.connections == faulty.connections {
            true => MessageEffect::None,
            false => MessageEffect::Delayed,
        }
    }
}

/// Lanes up to which copies of a network share an engine.
const LANES_TOGETHER: usize = 1 << 15;

/// The same where each lane word is of one chip.
const LANES_OF_ONE_CHIP: usize = 1 << 18;

/// The most copies of a network: as many as a lane word has lanes.
pub const COPIES_MAX: usize = 512;

/// Copies of a network, with a fault in each, that share an engine. Where no pin is random a lane word holds
/// all copies of one chip.
pub fn copies(simulation: &Simulation) -> Copies {
    let instances = simulation.instances();
    let mut arrays = simulation.fabric().arrays.iter();
    let random = arrays.any(|array| array.random);
    if !random && instances.iter().sum::<usize>() * COPIES_MAX <= LANES_OF_ONE_CHIP {
        return Copies::by_lanes(COPIES_MAX);
    }
    let groups = instances.iter().map(|count| count.next_multiple_of(64));
    let count = LANES_TOGETHER / groups.sum::<usize>().max(1);
    Copies::new(1 << count.clamp(1, COPIES_MAX).ilog2())
}

/// Faults up to which the copies of a network stand group by group, and are no more than needed.
const FEW: usize = 8;

/// Stops a run when nobody waits for it.
struct Until<'a>(&'a dyn Fn() -> bool);

impl Observer for Until<'_> {
    fn cycle(&mut self, _: &dyn Engine, _: bool) {}

    fn interrupted(&mut self) -> bool {
        (self.0)()
    }
}

impl RouterUnderTest {
    /// The effect of each of some faults on the messages of a run, which is given up after a cycle. The
    /// simulation is one that never skips cycles.
    ///
    /// # Errors
    /// When the netlist with faults is none that engines run, and when a run fails.
    pub fn effects(
        &self,
        simulation: &Simulation,
        faults: &[TimedFault],
        run: (&Recorded, u64),
        stop: &dyn Fn() -> bool,
    ) -> Result<Vec<MessageEffect>, Error> {
        let found = guarded_with_threads(|| self.run_together(simulation, faults, run, stop));
        match (found, faults) {
            (Ok(Ok(Some(effects))), _) => Ok(effects),
            (Ok(Err(error)), _) => Err(error),
            // Outputs do not settle, or something failed: who is it?
            (Err(assertion), [fault]) => {
                let found = format!("a run with the fault {:?} failed: {assertion}", fault.fault);
                let help = "this is a mistake of the program: report it with the configuration";
                let wrong = Diagnostic::new("run", found, help);
                Err(Error::one(Class::Check, "faults", wrong))
            }
            (Ok(Ok(None)), [_]) => Ok(vec![MessageEffect::Unsettled]),
            _ => {
                let (first, second) = faults.split_at(faults.len() / 2);
                let mut effects = self.effects(simulation, first, run, stop)?;
                effects.extend(self.effects(simulation, second, run, stop)?);
                Ok(effects)
            }
        }
    }

    /// The same, or `None` when outputs of some copy do not settle.
    fn run_together(
        &self,
        simulation: &Simulation,
        faults: &[TimedFault],
        (recorded, cycles_max): (&Recorded, u64),
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<MessageEffect>>, Error> {
        let placed: Vec<GateFault> = faults.iter().map(|timed| timed.fault).collect();
        // Engines keep plans by the addresses of netlists, which therefore stay to the end.
        let broken: &'static Module = Box::leak(Box::new(self.broken(&placed)?));
        let netlist = |name: &str| match name == self.chip.name {
            true => Ok(broken),
            false => simulation.netlists().plain(name),
        };
        let copies = match faults.len() {
            few @ ..=FEW => Copies::new(few.next_power_of_two()),
            _ => copies(simulation),
        };
        let fabric = simulation.fabric().in_copies(copies);
        let seeds = vec![recorded.replicate.seed; copies.count()];
        let mut engine = GateEngine::of_copies(fabric, netlist, &seeds, 1, Backend::best())?;
        let mut values = Vec::new();
        for (copy, fault) in faults.iter().enumerate() {
            for (cycle, value) in cycles(fault) {
                values.push(PlannedValue {
                    cycle,
                    array: self.array,
                    register: mask(copy).to_string(),
                    instance: copies.instance(copy, self.instance),
                    value,
                });
            }
        }
        engine.plan(&values);
        let workloads = vec![&recorded.replicate.workload; faults.len()];
        let mut until = Until(stop);
        let engine: &mut dyn Engine = &mut engine;
        let outcomes =
            simulation.run_workloads_on(engine, copies, &workloads, cycles_max, &mut until);
        if engine.fault().is_some() {
            return Ok(None);
        }
        let effects = outcomes.iter();
        let effects = effects.map(|outcome| MessageEffect::of(&recorded.outcome, outcome));
        Ok(Some(effects.collect()))
    }
}
