//! The router by itself, with another fault in each lane, taking what it took in the run of a network.
//!
//! As long as its outputs are those of the run, so is everything else in the network: a fault that never
//! changes an output changes nothing at all. So this is exact for faults that are not seen, and says of
//! the others where and when they show first.

use std::collections::BTreeMap;
use std::ops::Range;

use smol_str::SmolStr;

use super::recorded::{PortChange, Recorded};
use super::target::RouterUnderTest;
use crosswave_base::diagnostic::Error;
use crosswave_base::random;
use crosswave_lanes::single::{LANES, Plane, SingleModule, WORDS};
use crosswave_lanes::{Backend, reset};
use crosswave_netlist::faults::{FaultEffect, GateFault, of_mask, with_faults};
use crosswave_netlist::{Evaluation, Leaf};

/// Faults of a batch: the last lane has none, and has to show what was recorded.
pub const FAULTS_TOGETHER: usize = LANES - 1;

/// A fault with the cycle of its effect, where it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedFault {
    /// The fault.
    pub fault: GateFault,
    /// The cycle in which a flip-flop shows the inverted value; others act from cycle 1 on.
    pub cycle: u64,
}

/// A place and time at which a fault showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// The first cycle in which an output differs.
    pub cycle: u64,
    /// The first such output, in the table of the chip.
    pub port: usize,
}

/// The state and the inputs with which it is tried whether faults show.
#[derive(Debug, Clone, Copy)]
enum Pattern {
    /// All is drawn.
    Any,
    /// The inputs are drawn, and the state is the one that follows from those before.
    Drawn { first: bool },
    /// The inputs are those of a cycle of the run, but for some bits, and the state follows likewise.
    OfRun { cycle: u64 },
}

impl Pattern {
    /// All that are tried, with a run that ends in a cycle.
    fn all(last_cycle: u64) -> impl Iterator<Item = Pattern> {
        let any = std::iter::repeat_n(Pattern::Any, PATTERNS);
        let drawn = (0..PATTERNS).map(|at| Pattern::Drawn { first: at == 0 });
        let of_run = (FIRST_CYCLE..=last_cycle).cycle();
        let of_run = of_run.map(|cycle| Pattern::OfRun { cycle });
        any.chain(drawn).chain(of_run.take(2 * PATTERNS))
    }
}

/// Patterns of a kind.
const PATTERNS: usize = 1024;

/// One of so many bits of a run is another one.
const OTHERS_ONE_OF: u64 = 16;

/// Stream from which they are drawn.
const STREAM_PATTERN: u64 = 0x7061_7474;

/// The cycle in which all registers have their values after the reset.
const FIRST_CYCLE: u64 = 1;

/// The lanes in which a mask is set or cleared, from a cycle on.
struct MaskChange {
    cycle: u64,
    register: usize,
    lane: usize,
    value: bool,
}

/// The changes of ports, in the order of cycles.
struct Changes<'a> {
    left: &'a [PortChange],
}

impl Changes<'_> {
    /// Calls with each change up to a cycle.
    fn up_to(&mut self, cycle: u64, mut change: impl FnMut(usize, u64)) {
        while let Some((first, others)) = self.left.split_first()
            && first.cycle <= cycle
        {
            change(first.port, first.value);
            self.left = others;
        }
    }
}

impl RouterUnderTest {
    /// The place at which each fault of a batch shows first in a run; `None` where it does not.
    ///
    /// # Errors
    /// When the netlist with faults cannot be compiled.
    ///
    /// # Panics
    /// When there are more than [`FAULTS_TOGETHER`], and when the router without a fault shows something
    /// else than it did in the network.
    pub fn seen_alone(
        &self,
        faults: &[TimedFault],
        recorded: &Recorded,
        backend: Backend,
    ) -> Result<Vec<Option<Seen>>, Error> {
        assert!(faults.len() <= FAULTS_TOGETHER, "a lane for each");
        let placed: Vec<GateFault> = faults.iter().map(|timed| timed.fault).collect();
        let mut single = self.in_lanes(&placed, backend)?;
        let values = self.after_reset()?;
        for register in 0..single.registers.len() {
            let one = values.get(&single.registers[register]) == Some(&true);
            single.set(register, all_lanes(one));
        }
        let mut masks = mask_changes(faults, &single.registers);
        masks.sort_by_key(|change| change.cycle);
        let mut masks = masks.into_iter().peekable();
        // The planes of each port, bit by bit.
        let ports = self.chip.ports;
        let mut inputs: Vec<Vec<(usize, usize)>> = vec![Vec::new(); ports.len()];
        for (plane, (name, bit)) in single.inputs.iter().enumerate() {
            if let Some(port) = ports.iter().position(|port| port.name == *name) {
                inputs[port].push((plane, *bit));
            }
        }
        let read = self.read_outputs(&single).into_iter();
        let mut expected: Vec<_> = read.map(|(port, planes)| (port, planes, 0_u64)).collect();
        let mut taken = Changes {
            left: &recorded.inputs,
        };
        let mut shown = Changes {
            left: &recorded.outputs,
        };
        let mut seen = vec![None; faults.len()];
        let mut open: Plane = std::array::from_fn(|word| {
            let lanes = (0..64).filter(|lane| 64 * word + lane < faults.len());
            lanes.fold(0, |all, lane| all | 1 << lane)
        });
        for cycle in FIRST_CYCLE..=recorded.last_cycle {
            while let Some(change) = masks.next_if(|change| change.cycle <= cycle) {
                let mut plane = single.register(change.register);
                let lane = 1 << (change.lane % 64);
                match change.value {
                    true => plane[change.lane / 64] |= lane,
                    false => plane[change.lane / 64] &= !lane,
                }
                single.set(change.register, plane);
            }
            taken.up_to(cycle, |port, value| {
                for &(plane, bit) in &inputs[port] {
                    single.drive(plane, value >> bit & 1 != 0);
                }
            });
            shown.up_to(cycle, |port, value| {
                let mut ports = expected.iter_mut();
                if let Some((.., now)) = ports.find(|(of, ..)| *of == port) {
                    *now = value;
                }
            });
            single.step();
            // Outputs of the first cycle have the values after the reset, whatever the faults are.
            if cycle == FIRST_CYCLE {
                continue;
            }
            for (port, planes, value) in &expected {
                let mut differs: Plane = [0; WORDS];
                for (bit, plane) in planes.clone().enumerate() {
                    let good = (value >> bit & 1).wrapping_neg();
                    let shown = single.shown(plane);
                    for (differs, shown) in differs.iter_mut().zip(shown) {
                        *differs |= shown ^ good;
                    }
                }
                assert!(
                    differs[WORDS - 1] >> 63 == 0,
                    "{} by itself shows something else at {} in cycle {cycle} than in the network",
                    self.chip.name,
                    ports[*port].name
                );
                for (word, differs) in differs.into_iter().enumerate() {
                    let mut first = differs & open[word];
                    open[word] &= !first;
                    while first != 0 {
                        let lane = 64 * word + first.trailing_zeros() as usize;
                        seen[lane] = Some(Seen { cycle, port: *port });
                        first &= first - 1;
                    }
                }
            }
            if open == [0; WORDS] {
                break;
            }
        }
        Ok(seen)
    }

    /// The router with a fault in each lane.
    fn in_lanes(&self, faults: &[GateFault], backend: Backend) -> Result<SingleModule, Error> {
        let [clock, reset] = self.chip.clock_and_reset();
        let module = with_faults(&self.target, faults, |link| self.outputs_of(link));
        let leaf = Leaf::new(&module, clock, &[(reset.to_owned(), 0, false)])?;
        Ok(SingleModule::new(&leaf, backend))
    }

    /// The outputs that others read, in the table of the chip, and their planes.
    fn read_outputs(&self, single: &SingleModule) -> Vec<(usize, Range<usize>)> {
        let mut read = Vec::new();
        for (name, planes) in &single.outputs {
            let port = self.chip.ports.iter().position(|port| port.name == *name);
            if let Some(port) = port.filter(|port| self.read[*port]) {
                read.push((port, planes.clone()));
            }
        }
        read
    }

    /// True for each stuck-at fault that changes an output or what a flip-flop takes, with some values of
    /// inputs and flip-flops: any, those to which the router comes from the reset with inputs that are drawn,
    /// and with those of a run of which some are others. Inputs that keep their values in this instance do
    /// where that `holds`. `known` has the values of nets that keep one.
    ///
    /// # Errors
    /// As [`RouterUnderTest::seen_alone`].
    ///
    /// # Panics
    /// When there are more than [`FAULTS_TOGETHER`].
    pub fn may_show(
        &self,
        faults: &[GateFault],
        (holds, known): (bool, &[Option<bool>]),
        recorded: &Recorded,
        backend: Backend,
    ) -> Result<Vec<bool>, Error> {
        assert!(faults.len() <= FAULTS_TOGETHER, "a lane for each");
        let mut single = self.in_lanes(faults, backend)?;
        let values = self.after_reset()?;
        let flops = self.target.module.flops();
        let flops = flops.map(|(cell, flop)| (cell.name.clone(), known[flop.q.index()]));
        let flops: BTreeMap<SmolStr, Option<bool>> = flops.collect();
        // Masks stay as they are, for each pattern anew.
        let registers = single.registers.iter().map(|name| match of_mask(name) {
            Some(lane) => Err(one_lane(lane)),
            None => Ok((
                flops.get(name).copied().flatten(),
                values.get(name) == Some(&true),
            )),
        });
        let registers: Vec<Result<(Option<bool>, bool), Plane>> = registers.collect();
        let ports = self.chip.ports;
        let inputs = single.inputs.iter().map(|(name, bit)| {
            let port = ports.iter().position(|port| port.name == *name);
            let still = holds.then(|| self.still(name, *bit)).flatten();
            (port.unwrap_or(ports.len()), *bit, still)
        });
        let inputs: Vec<(usize, usize, Option<bool>)> = inputs.collect();
        let read = self.read_outputs(&single).into_iter();
        let read: Vec<usize> = read.flat_map(|(_, planes)| planes).collect();
        let mut taken = Changes {
            left: &recorded.inputs,
        };
        let mut of_run = vec![0; ports.len() + 1];
        let mut differs: Plane = [0; WORDS];
        let mut generator = random::generator(0, STREAM_PATTERN);
        for pattern in Pattern::all(recorded.last_cycle) {
            for (register, &of) in registers.iter().enumerate() {
                let good = single.register(register)[WORDS - 1] >> 63 != 0;
                let plane = of.map(|(known, reset)| match pattern {
                    Pattern::Any => known.unwrap_or_else(|| random::below(&mut generator, 2) != 0),
                    Pattern::Drawn { first: true } | Pattern::OfRun { cycle: FIRST_CYCLE } => reset,
                    Pattern::Drawn { .. } | Pattern::OfRun { .. } => good,
                });
                single.set(register, plane.map_or_else(|mask| mask, all_lanes));
            }
            if let Pattern::OfRun { cycle } = pattern {
                if cycle == FIRST_CYCLE {
                    taken.left = &recorded.inputs;
                    of_run.fill(0);
                }
                taken.up_to(cycle, |port, value| of_run[port] = value);
            }
            for (input, &(port, bit, still)) in inputs.iter().enumerate() {
                let value = still.unwrap_or_else(|| match pattern {
                    Pattern::OfRun { .. } => {
                        let other = random::below(&mut generator, OTHERS_ONE_OF) == 0;
                        (of_run[port] >> bit & 1 != 0) != other
                    }
                    _ => random::below(&mut generator, 2) != 0,
                });
                single.drive(input, value);
            }
            single.step();
            let shown = read.iter().map(|&plane| single.shown(plane));
            let next = registers.iter().enumerate();
            let next = next.filter(|(_, of)| of.is_ok());
            let next = next.map(|(at, _)| single.register(at));
            for plane in shown.chain(next) {
                let good = (plane[WORDS - 1] >> 63).wrapping_neg();
                for (differs, shown) in differs.iter_mut().zip(plane) {
                    *differs |= shown ^ good;
                }
            }
        }
        let differs = (0..faults.len()).map(|lane| differs[lane / 64] >> (lane % 64) & 1 != 0);
        Ok(differs.collect())
    }

    /// The registers with their values after the reset; those that it leaves open begin at 0.
    fn after_reset(&self) -> Result<BTreeMap<SmolStr, bool>, Error> {
        let [_, reset] = self.chip.clock_and_reset();
        let values = reset::after_reset(&self.target.module, reset, 1)?;
        let names = self.target.module.flops().map(|(cell, _)| &cell.name);
        let values = values.into_iter().map(|value| value.unwrap_or(false));
        Ok(names.cloned().zip(values).collect())
    }

    /// For each net of the router whether it has been 0, and whether it has been 1, in a run, from the
    /// first cycle after the reset on.
    ///
    /// # Errors
    /// When the netlist cannot be evaluated.
    pub fn values_of_nets(&self, recorded: &Recorded) -> Result<Vec<[bool; 2]>, Error> {
        let module = &self.target.module;
        let evaluation = Evaluation::new(module)?;
        let values = self.after_reset()?;
        let mut nets = vec![false; module.nets.len()];
        for (cell, flop) in module.flops() {
            nets[flop.q.index()] = values[&cell.name];
        }
        let ports = self.chip.ports.iter();
        let ports: Vec<_> = ports.map(|port| module.port(port.name)).collect();
        let mut taken = Changes {
            left: &recorded.inputs,
        };
        let mut has_been = vec![[false; 2]; module.nets.len()];
        for cycle in FIRST_CYCLE..=recorded.last_cycle {
            taken.up_to(cycle, |port, value| {
                if let Some(port) = ports[port] {
                    Evaluation::drive(port, &mut nets, value);
                }
            });
            evaluation.settle(&mut nets);
            for (has_been, &value) in has_been.iter_mut().zip(&nets) {
                has_been[usize::from(value)] = true;
            }
            evaluation.edge(&mut nets);
        }
        Ok(has_been)
    }
}

/// A value in all lanes.
fn all_lanes(value: bool) -> Plane {
    [u64::from(value).wrapping_neg(); WORDS]
}

/// 1 in a lane.
fn one_lane(lane: usize) -> Plane {
    let mut plane = [0; WORDS];
    plane[lane / 64] = 1 << (lane % 64);
    plane
}

/// The changes of the masks of a batch, whose registers have these names.
fn mask_changes(faults: &[TimedFault], registers: &[SmolStr]) -> Vec<MaskChange> {
    let mut changes = Vec::new();
    for (register, name) in registers.iter().enumerate() {
        let Some(lane) = of_mask(name) else {
            continue;
        };
        for (cycle, value) in cycles(&faults[lane]) {
            changes.push(MaskChange {
                cycle,
                register,
                lane,
                value,
            });
        }
    }
    changes
}

/// The cycles from which on the mask of a fault has values.
pub(super) fn cycles(timed: &TimedFault) -> Vec<(u64, bool)> {
    match timed.fault.effect {
        FaultEffect::Flip => vec![(timed.cycle - 1, true), (timed.cycle, false)],
        FaultEffect::StuckAt(_) | FaultEffect::Late => vec![(FIRST_CYCLE, true)],
    }
}
