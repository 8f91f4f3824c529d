//! The values of signals by their numbers among the names of a design, 64 runs at a time.

use super::super::engine::Probe;
use super::super::record::Twin;
use super::super::scopes::InstanceTree;
use super::{Bit, RecordedBit, Run, RunPort};
use crosswave_probe::signal::Hierarchy;

/// The place of a signal in a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignalPlace {
    /// Its bits.
    pub width: usize,
    /// The number of the clock, or of the first bit among the bits of its kind.
    first: usize,
    kind: SignalKind,
}

#[derive(Debug, Clone, Copy)]
enum SignalKind {
    Clock,
    Input,
    Output,
    Recorded,
}

impl SignalPlace {
    fn of_port(port: &RunPort, kind: SignalKind) -> SignalPlace {
        SignalPlace {
            width: port.width,
            first: port.first,
            kind,
        }
    }

    fn of_clock(number: usize) -> SignalPlace {
        SignalPlace {
            width: 1,
            first: number,
            kind: SignalKind::Clock,
        }
    }
}

impl Run {
    /// The places of signals of a tree of names; all of them are ports of the top, or were selected to be
    /// recorded.
    ///
    /// # Panics
    /// When one is neither.
    pub(crate) fn places(&self, tree: &InstanceTree<'_>, signals: &[usize]) -> Vec<SignalPlace> {
        let place = |&signal: &usize| {
            let found = self
                .recorded
                .binary_search_by_key(&signal, |one| one.signal);
            match found {
                Ok(vector) => self.recorded_place(vector),
                Err(_) => self.port_place(tree.signal(signal).0),
            }
        };
        signals.iter().map(place).collect()
    }

    /// The place of a recorded name.
    fn recorded_place(&self, vector: usize) -> SignalPlace {
        let of_vector = |vector: usize| SignalPlace {
            width: self.recorded[vector].width,
            first: self.recorded[vector].first,
            kind: SignalKind::Recorded,
        };
        match self.recorded[vector].twin {
            None => of_vector(vector),
            Some(Twin::Vector(other)) => of_vector(other),
            Some(Twin::Clock(number)) => SignalPlace::of_clock(number),
            Some(Twin::Input(input)) => {
                SignalPlace::of_port(&self.inputs[input], SignalKind::Input)
            }
            Some(Twin::Output(output)) => {
                SignalPlace::of_port(&self.outputs[output], SignalKind::Output)
            }
        }
    }

    /// The place of a port of the top.
    fn port_place(&self, name: &str) -> SignalPlace {
        let of = |ports: &[RunPort], kind| {
            let port = ports.iter().find(|port| port.name == name)?;
            Some(SignalPlace::of_port(port, kind))
        };
        let clock = || {
            let number = self.clocks.iter().position(|clock| clock.name == name)?;
            Some(SignalPlace::of_clock(number))
        };
        of(&self.inputs, SignalKind::Input)
            .or_else(|| of(&self.outputs, SignalKind::Output))
            .or_else(clock)
            .expect("it is a port, or it was selected")
    }

    /// A bit of a signal in the runs of a group of 64, as it was last settled: the runs in which it may be 1, and those in
    /// which it may be 0. A clock has its level at the beginning of the cycle.
    pub(crate) fn rails(
        &self,
        place: &SignalPlace,
        bit: usize,
        group: usize,
        cycle: u64,
    ) -> [u64; 2] {
        let at = place.first + bit;
        match place.kind {
            SignalKind::Input => self.driven.group(at, group),
            SignalKind::Output => self.probed(self.output_probes[at], group),
            SignalKind::Clock => self.clock_rails(at, group, cycle),
            SignalKind::Recorded => match self.recorded_bits[at] {
                RecordedBit::Fixed(value) => {
                    [Bit::Zero, Bit::One].map(|other| if value == other { 0 } else { u64::MAX })
                }
                RecordedBit::Clock { number, inverted } => {
                    let [one, zero] = self.clock_rails(number as usize, group, cycle);
                    if inverted { [zero, one] } else { [one, zero] }
                }
                RecordedBit::Net { rails, inverted } => {
                    let [one, zero] = self.probed(rails, group);
                    if inverted { [zero, one] } else { [one, zero] }
                }
            },
        }
    }

    fn probed(&self, [one, zero]: [Probe; 2], group: usize) -> [u64; 2] {
        let one = self.engine.value_word(one, group);
        match self.four_state {
            true => [one, self.engine.value_word(zero, group)],
            false => [one, !one],
        }
    }

    fn clock_rails(&self, clock: usize, group: usize, cycle: u64) -> [u64; 2] {
        let runs = (64 * group..self.replicas).take(64).enumerate();
        let one = runs.fold(0, |word, (bit, replica)| {
            word | u64::from(self.levels(clock, cycle, replica)[0]) << bit
        });
        [one, !one]
    }
}
