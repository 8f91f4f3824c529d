//! One lane for each node of a network whose interfaces have them ([`Lane`]): what becomes of its
//! messages.

use serde::{Deserialize, Serialize};

use crosswave_chips::lane::Lane;
use crosswave_network::Fabric;
use crosswave_network::topology::NODES;
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::{Net, Signal};

/// State of a lane before anything has happened.
const NONE: u64 = 0;

/// Number of lanes of a fabric: none when its interfaces have none.
pub(super) fn count(fabric: &Fabric) -> usize {
    fabric.lane.map_or(0, |_| fabric.arrays[NODES].instances)
}

/// The signal of a lane in a scope.
pub(super) fn signal(lane: &Lane, scope: usize) -> Signal {
    Signal {
        scope,
        name: lane.name,
        width: lane.width,
        states: lane.states,
        net: Net::Own,
    }
}

/// States of a run's lanes in a cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneStates {
    /// The state of each lane, by instance.
    phases: Vec<u64>,
    /// Instances whose lanes may take the step ([`Lane::step`]).
    opening: Vec<u32>,
}

impl LaneStates {
    /// True when they can be the states of a run in a fabric.
    pub(crate) fn are_of(&self, fabric: &Fabric) -> bool {
        let lanes = count(fabric);
        let states = fabric.lane.map_or(&[][..], |lane| lane.states);
        let is_known = |phase: &u64| states.iter().any(|known| known.value == *phase);
        self.phases.len() == lanes
            && self.phases.iter().all(is_known)
            && self.opening.len() <= lanes
            && self
                .opening
                .iter()
                .all(|&instance| (instance as usize) < lanes)
    }
}

/// The lanes of a run.
#[derive(Debug, Clone)]
pub struct RunLanes {
    lane: &'static Lane,
    states: LaneStates,
    raised: Vec<u32>,
}

impl RunLanes {
    /// The lanes of a fabric before its run; `None` when it has none.
    pub fn new(fabric: &Fabric) -> Option<RunLanes> {
        let states = LaneStates {
            phases: vec![NONE; count(fabric)],
            opening: Vec::new(),
        };
        fabric.lane.map(|lane| RunLanes {
            lane,
            states,
            raised: Vec::new(),
        })
    }

    /// Their states.
    pub fn states(&self) -> &LaneStates {
        &self.states
    }

    /// Takes over what they show in a cycle of another run.
    pub(super) fn resume(&mut self, states: LaneStates) {
        self.states = states;
    }

    /// The state of each lane.
    pub(super) fn phases(&self) -> impl Iterator<Item = (usize, u64)> {
        self.states.phases.iter().copied().enumerate()
    }

    /// The state of the lane of an instance.
    pub fn phase(&self, instance: usize) -> u64 {
        self.states.phases[instance]
    }

    /// Takes in a cycle, and calls with the lanes that change and what they show.
    pub fn update(&mut self, engine: &dyn Engine, mut changed: impl FnMut(usize, u64)) {
        let LaneStates { phases, opening } = &mut self.states;
        let step = &self.lane.step;
        opening.retain(|&instance| {
            let value = |port| engine.value(NODES, port, instance as usize);
            let waits = phases[instance as usize] == step.from;
            let [one, other] = step.ports;
            let is_due = waits && value(one) == value(other);
            if is_due {
                phases[instance as usize] = step.to;
                changed(instance as usize, step.to);
            }
            waits && !is_due
        });
        for &(port, phase) in self.lane.events {
            self.raised.clear();
            engine.raised(NODES, port, &mut self.raised);
            for &instance in &self.raised {
                phases[instance as usize] = phase;
                changed(instance as usize, phase);
                if phase == step.from {
                    opening.push(instance);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const OPENING: u64 = 1;
    const OPEN: u64 = 2;
    const REPLY: u64 = 3;
    const BLOCKED: u64 = 4;

    use crate::config::Config;
    use crate::recorder::{PortSelection, Recorder, Signals};
    use crate::simulation::Simulation;
    use crosswave_event::EventEngine;
    use crosswave_probe::signal::{SignalSelection, Value, WaveSink};

    /// The changes of the signals from `first` on: time, signal from there, value.
    struct Changes {
        first: usize,
        time: u64,
        seen: Vec<(u64, usize, u64)>,
    }

    impl WaveSink for Changes {
        fn begin(&mut self, time: u64, values: &[Value]) -> std::io::Result<()> {
            self.time = time;
            assert!(
                values[self.first..]
                    .iter()
                    .all(|&value| value == Value::Known(NONE))
            );
            Ok(())
        }
        fn time(&mut self, time: u64) -> std::io::Result<()> {
            self.time = time;
            Ok(())
        }
        fn change(&mut self, index: usize, value: u64) -> std::io::Result<()> {
            if index >= self.first {
                self.seen.push((self.time, index - self.first, value));
            }
            Ok(())
        }
        fn end(&mut self, _: u64) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_lane_tells_the_life_of_a_connection() {
        let text = "[network]\nkind='bidelta'\nnodes=16\n\
                    [traffic]\npattern='pairs'\npairs=[[0,15],[1,15],[2,15]]\n[run]\ncycles_max=1000\n";
        let config = Config::parse(text, "test", Path::new("."), &[]).unwrap();
        let simulation = Simulation::new(&config).unwrap();
        let fabric = simulation.fabric();
        let signals = Signals::new(fabric, PortSelection::All);
        let kept = SignalSelection::all(signals.signal_count());
        let set = signals.set(&kept);
        let first = set.signals.len() - 16;
        assert_eq!(set.path(first), "testbench.connections.node_0.connection");
        assert_eq!(
            set.path(first + 15),
            "testbench.connections.node_15.connection"
        );
        let changes = Changes {
            first,
            time: 0,
            seen: Vec::new(),
        };
        let mut recorder = Recorder::new(fabric, 1, PortSelection::All, kept, (0, 1000), changes);
        let workload = simulation.replicate(0).unwrap().workload;
        let mut engine = EventEngine::new(fabric.clone(), 1, 1);
        let outcome = simulation.run_on(&mut engine, &workload, &mut recorder);
        let seen = recorder.finish(outcome.last_cycle).unwrap().seen;
        for (node, (message, connection)) in outcome
            .messages
            .iter()
            .zip(&outcome.connections)
            .enumerate()
        {
            let lane: Vec<(u64, u64)> = seen
                .iter()
                .filter(|(_, lane, _)| *lane == node)
                .map(|&(time, _, value)| (time / 10, value))
                .collect();
            // Attempts that were blocked, and then one that was not.
            let mut phases = lane.iter().map(|&(_, phase)| phase);
            for _ in 1..message.attempts {
                assert_eq!(phases.next(), Some(OPENING));
                assert_eq!(phases.next(), Some(BLOCKED));
            }
            assert_eq!(phases.collect::<Vec<_>>(), [OPENING, OPEN, REPLY, NONE]);
            let at = |phase| lane.iter().rev().find(|&&(_, p)| p == phase).unwrap().0;
            assert_eq!(at(OPENING), connection.launched_cycle);
            assert_eq!(at(REPLY), connection.reply_cycle);
            assert_eq!(at(NONE), message.acknowledged_cycle);
        }
        let attempts: u32 = outcome
            .messages
            .iter()
            .map(|message| message.attempts)
            .sum();
        assert!(attempts > 3, "one of three has to wait for the outputs");
    }

    /// The values of the signals from `first` on when the waveform begins.
    struct Beginning {
        first: usize,
        values: Vec<Value>,
    }

    impl WaveSink for Beginning {
        fn begin(&mut self, _: u64, values: &[Value]) -> std::io::Result<()> {
            self.values = values[self.first..].to_vec();
            Ok(())
        }
        fn time(&mut self, _: u64) -> std::io::Result<()> {
            Ok(())
        }
        fn change(&mut self, _: usize, _: u64) -> std::io::Result<()> {
            Ok(())
        }
        fn end(&mut self, _: u64) -> std::io::Result<()> {
            Ok(())
        }
    }

    /// Connections that opened before a window are open when it begins. The one of node 0
    /// across the network is launched in cycle 2, open in 8, replied to in 12 and over in 13;
    /// other nodes have none.
    #[test]
    fn a_window_begins_with_what_came_before_it() {
        let text = "[network]\nkind='bidelta'\nnodes=16\n\
                    [traffic]\npattern='pair'\nsource=0\ndestination=15\n\
                    [run]\ncycles_max=1000\n";
        let config = Config::parse(text, "test", Path::new("."), &[]).unwrap();
        let simulation = Simulation::new(&config).unwrap();
        let fabric = simulation.fabric();
        let signals = Signals::new(fabric, PortSelection::NotRandom);
        let first = signals.signal_count() - 16;
        let workload = simulation.replicate(0).unwrap().workload;
        let begins_with = |from: u64| {
            let sink = Beginning {
                first,
                values: Vec::new(),
            };
            let kept = SignalSelection::all(signals.signal_count());
            let mut recorder = Recorder::new(
                fabric,
                1,
                PortSelection::NotRandom,
                kept,
                (from, 1000),
                sink,
            );
            let mut engine = EventEngine::new(fabric.clone(), 1, 1);
            let outcome = simulation.run_on(&mut engine, &workload, &mut recorder);
            recorder.finish(outcome.last_cycle).unwrap().values
        };
        for (from, phase) in [
            (1, NONE),
            (2, OPENING),
            (3, OPENING),
            (7, OPENING),
            (8, OPEN),
            (9, OPEN),
            (11, OPEN),
            (12, REPLY),
            (13, NONE),
        ] {
            let mut expected = vec![Value::Known(NONE); 16];
            expected[0] = Value::Known(phase);
            assert_eq!(begins_with(from), expected, "{from}");
        }
    }
}
