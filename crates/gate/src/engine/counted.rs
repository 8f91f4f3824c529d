//! Counting of what changes ([`coverage`](crate::coverage)): the watchers of an engine, and the windows of
//! cycles in which it has an alarm in their place.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::GateEngine;
use super::saved::{self, Following};
use crate::coverage::{Coverage, Modules};
use crosswave_base::diagnostic::Error;
use crosswave_lanes::Backend;
use crosswave_netlist::Module;
use crosswave_netlist::watch::{ALARM, Noted, Watch};
use crosswave_network::Fabric;
use crosswave_probe::engine::Engine;

/// The cycles in which an engine watches everything.
const FIRST_CYCLES: u64 = 64;

/// The most cycles of a window.
const WINDOW_MAX: u64 = 1 << 10;

/// The most values that are written down in a window.
const LOGGED_MAX: usize = 1 << 20;

/// A change of a chip's net, or the value before it.
type Seen = BTreeSet<(&'static str, Watch, Noted)>;

/// An engine's part in counting.
pub(super) struct Counting {
    coverage: Arc<Coverage>,
    /// The registers of the engine that note something.
    watchers: Vec<Watcher>,
    /// The engine that watches everything, once this one does not, and how it follows.
    other: Option<(Box<GateEngine>, Following)>,
    /// All that was done since the other one stands where it does.
    log: Log,
    /// True when it has watched everything for long enough.
    has_begun: bool,
    /// Changes that had not been seen when the engine was made.
    open: usize,
    /// The cycle in which the window ends.
    next_cycle: u64,
}

/// A register that notes something; an alarm, where it is of no net.
struct Watcher {
    array: usize,
    register: usize,
    of: Option<(Watch, Noted)>,
}

/// Something that was done to an engine.
enum Done {
    /// Values of a port were driven: the next ones of the log, so many.
    Drive(usize, usize, usize),
    DriveAll(usize, usize, u64),
    HoldRandom(bool),
    Step,
    SkipTo(u64),
}

/// All that was done to an engine.
#[derive(Default)]
pub(super) struct Log {
    done: Vec<Done>,
    values: Vec<(u32, u64)>,
}

impl Log {
    fn clear(&mut self) {
        self.done.clear();
        self.values.clear();
    }

    /// Does the same to another engine.
    fn repeat(&self, engine: &mut GateEngine) {
        let mut values = &self.values[..];
        for done in &self.done {
            match *done {
                Done::Drive(array, port, count) => {
                    let (these, others) = values.split_at(count);
                    engine.drive(array, port, these);
                    values = others;
                }
                Done::DriveAll(array, port, value) => engine.drive_all(array, port, value),
                Done::HoldRandom(hold) => engine.hold_random(hold),
                Done::Step => engine.step(),
                Done::SkipTo(cycle) => engine.skip_to(cycle),
            }
        }
    }

    /// Drives another engine as at the end, at some ports only.
    fn drive(&self, engine: &mut GateEngine, is_driven: impl Fn(usize, usize) -> bool) {
        let mut values = &self.values[..];
        for done in &self.done {
            match *done {
                Done::Drive(array, port, count) => {
                    let (these, others) = values.split_at(count);
                    if is_driven(array, port) {
                        engine.drive(array, port, these);
                    }
                    values = others;
                }
                Done::DriveAll(array, port, value) if is_driven(array, port) => {
                    engine.drive_all(array, port, value);
                }
                _ => {}
            }
        }
    }
}

impl Counting {
    /// The log, where another engine may have to do the same.
    fn log(&mut self) -> Option<&mut Log> {
        self.other.is_some().then_some(&mut self.log)
    }

    pub(super) fn drives(&mut self, array: usize, port: usize, values: &[(u32, u64)]) {
        if let Some(log) = self.log() {
            log.done.push(Done::Drive(array, port, values.len()));
            log.values.extend_from_slice(values);
        }
    }

    pub(super) fn drives_all(&mut self, array: usize, port: usize, value: u64) {
        if let Some(log) = self.log() {
            log.done.push(Done::DriveAll(array, port, value));
        }
    }

    pub(super) fn holds(&mut self, hold: bool) {
        if let Some(log) = self.log() {
            log.done.push(Done::HoldRandom(hold));
        }
    }

    pub(super) fn steps(&mut self) {
        if let Some(log) = self.log() {
            log.done.push(Done::Step);
        }
    }

    pub(super) fn skips_to(&mut self, cycle: u64) {
        if let Some(log) = self.log() {
            log.done.push(Done::SkipTo(cycle));
        }
    }
}

/// The netlist of a chip among those that are watched.
fn of_chip(modules: &Modules, name: &str) -> Result<&'static Module, Error> {
    let found = modules.iter().find(|(chip, _)| *chip == name);
    Ok(found.expect("all chips of a network are covered").1)
}

impl GateEngine {
    /// An engine at cycle 0 that counts what changes. Its chips are those that the coverage was made of.
    ///
    /// # Errors
    /// As [`GateEngine::new`].
    pub fn counting(
        fabric: impl Into<Arc<Fabric>>,
        coverage: Arc<Coverage>,
        seed: u64,
        threads: usize,
        backend: Backend,
    ) -> Result<Self, Error> {
        let open = coverage.open();
        let modules = coverage.watched();
        let netlist = |name: &str| of_chip(&modules, name);
        let mut engine = GateEngine::new(fabric, netlist, seed, threads, backend)?;
        engine.counting = Some(Counting {
            coverage,
            watchers: engine.watchers(),
            other: None,
            log: Log::default(),
            has_begun: false,
            open,
            next_cycle: FIRST_CYCLES,
        });
        Ok(engine)
    }

    /// Takes all that has changed into the coverage, where the engine counts, the cycle in which it stands
    /// among it: to be called at the end of a run. It takes one edge more, after which registers note
    /// what the last cycle shows.
    pub fn note_coverage(&mut self) {
        if self.counting.is_some() {
            self.step();
            self.end_window();
        }
    }

    /// The registers that note something.
    fn watchers(&self) -> Vec<Watcher> {
        let mut watchers = Vec::new();
        for (array, plan) in self.shared.plans.iter().enumerate() {
            for (register, name) in plan.names.iter().enumerate() {
                let of = Watch::of_register(name);
                if of.is_some() || name == ALARM {
                    watchers.push(Watcher {
                        array,
                        register,
                        of,
                    });
                }
            }
        }
        watchers
    }

    /// All that the watchers of the engine have noted, and whether there was an alarm.
    fn noted(&self, watchers: &[Watcher]) -> (Seen, bool) {
        let (mut seen, mut alarm) = (Seen::new(), false);
        for watcher in watchers {
            let layout = &self.shared.fabric.arrays[watcher.array];
            let instances = layout.instances;
            let mut happened = 0;
            self.register_words(watcher.array, watcher.register, |first, words| {
                for (word, &lanes) in (first..).zip(words) {
                    happened |= match instances.saturating_sub(64 * word) {
                        64.. => lanes,
                        count => lanes & ((1 << count) - 1),
                    };
                }
            });
            match watcher.of {
                _ if happened == 0 => {}
                Some((watch, noted)) => {
                    seen.insert((layout.chip.name, watch, noted));
                }
                None => alarm = true,
            }
        }
        (seen, alarm)
    }

    /// Takes in what has changed, and has the other engine stand where this one does. True when there was an
    /// alarm.
    fn end_window(&mut self) -> bool {
        let Some(mut counting) = self.counting.take() else {
            return false;
        };
        let (mut seen, alarm) = self.noted(&counting.watchers);
        if let Some((other, following)) = &mut counting.other {
            match alarm {
                true => {
                    counting.log.repeat(other);
                    seen.extend(other.noted(&other.watchers()).0);
                }
                false => {
                    let is_driven = |array, port| following.is_driven(array, port);
                    counting.log.drive(other, is_driven);
                    following.follow(self, other);
                }
            }
            assert_eq!(other.cycle, self.cycle, "both have taken the same edges");
            counting.log.clear();
        }
        counting.coverage.add(&seen);
        self.counting = Some(counting);
        alarm
    }

    /// Begins to count from cycle 0 again, with the watchers that there are.
    pub(super) fn count_again(&mut self, seeds: &[u64]) {
        if let Some(counting) = &mut self.counting {
            counting.log.clear();
            counting.next_cycle = FIRST_CYCLES;
            if let Some((other, _)) = &mut counting.other {
                other.restart(seeds);
            }
        }
    }

    /// Ends a window of cycles where it is time.
    pub(super) fn count(&mut self) {
        let Some(counting) = &self.counting else {
            return;
        };
        if self.cycle < counting.next_cycle && counting.log.values.len() < LOGGED_MAX {
            return;
        }
        let alarm = self.end_window();
        let cycle = self.cycle;
        let Some(counting) = &mut self.counting else {
            return;
        };
        counting.next_cycle = cycle + cycle.min(WINDOW_MAX);
        let open = counting.coverage.open();
        if !counting.has_begun || alarm || 4 * open <= 3 * counting.open {
            self.watch_less();
        }
    }

    /// Makes the engine again in the state that it has, with an alarm for the nets that have not changed.
    fn watch_less(&mut self) {
        let counting = self.counting.take().expect("it counts");
        let open = counting.coverage.open();
        let made = counting.coverage.alarmed().and_then(|(modules, quiet)| {
            let netlist = |name: &str| of_chip(&modules, name);
            let (fabric, backend) = (self.shared.fabric.clone(), self.backend());
            let [seed] = self.seeds[..] else {
                unreachable!("replicates that are counted have an engine each");
            };
            let engine = GateEngine::new(fabric, netlist, seed, self.threads(), backend)?;
            Ok((engine, quiet))
        });
        let (mut engine, quiet) = made.expect("netlists that were compiled with more watchers");
        let (other, _) = counting.other.unzip();
        saved::hand_over(self, other.as_deref(), &mut engine);
        engine.unsettled = self.unsettled.take();
        let before = std::mem::replace(self, engine);
        let has_alarm = quiet.values().any(|nets| !nets.is_empty());
        let other = other.unwrap_or_else(|| Box::new(before));
        let following = Following::new(self, &other, &quiet);
        self.counting = Some(Counting {
            watchers: self.watchers(),
            other: has_alarm.then_some((other, following)),
            has_begun: true,
            open,
            ..counting
        });
    }
}
