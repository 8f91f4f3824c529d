//! Stimuli: the values of a design's inputs, cycle by cycle.
//!
//! A stimulus is a list of changes. What an input was given it keeps until it is
//! given something else; an input that was never given anything is 0, or X where X is
//! computed with. X and Z are 0 where X is not computed with, whatever the file.
//!
//! Cost: a change takes 48 bytes, and a value that is wider than 64 bits or has unknown
//! bits one byte a bit besides, in its shortest form. How many cycles a stimulus lasts,
//! and how wide the inputs are, costs no memory.

pub mod csv;
pub mod vcd;

use std::ops::Range;

use super::run::{ClockCycle, Run, RunPort};
use crosswave_wave::{Bit, WaveValue};

/// Some bits of an input take a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Drive {
    /// The first cycle in which it holds.
    pub cycle: u64,
    /// Index of the input of the run.
    pub input: usize,
    /// Its bits that change, counted from the least significant one.
    pub bits: Range<usize>,
    /// The value of these bits.
    pub value: WaveValue,
}

impl Drive {
    /// The values of the bits, the least significant first.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = Bit> {
        (0..self.bits.len() as u32).map(|bit| self.value.bit(bit).unwrap_or(Bit::X))
    }

    /// True when some bit is neither 0 nor 1.
    pub fn is_unknown(&self) -> bool {
        match &self.value {
            WaveValue::Bits(bits) => bits.iter().any(|bit| matches!(bit, Bit::X | Bit::Z)),
            _ => false,
        }
    }
}

/// A scope of a waveform that was chosen among several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeChoice {
    /// Its dotted path.
    pub path: String,
    /// The paths of the others that have variables with names of inputs.
    pub others: Vec<String>,
}

/// The changes of one run, in order of cycle.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stimulus {
    /// The changes.
    pub drives: Vec<Drive>,
    /// The cycles it lasts.
    pub cycles: u64,
    /// The inputs it knows.
    pub inputs: Vec<usize>,
    /// The scope of a waveform that they were taken from, when others could have been meant.
    pub scope: Option<ScopeChoice>,
    /// The cycles of each clock of the run, and one behind them, where they were asked for.
    pub clocks: Vec<Vec<ClockCycle>>,
    next: usize,
}

impl Stimulus {
    /// Goes back, or on, to a cycle, which is driven next.
    pub fn seek(&mut self, cycle: u64) {
        self.next = self.drives.partition_point(|drive| drive.cycle < cycle);
    }

    /// Drives the inputs of some runs for a cycle; cycles rise from call to call.
    pub fn apply(
        &mut self,
        run: &mut Run,
        replicas: Range<usize>,
        cycle: u64,
        except: Option<usize>,
    ) {
        while let Some(drive) = self.drives.get(self.next)
            && drive.cycle <= cycle
        {
            self.next += 1;
            if Some(drive.input) != except {
                for (bit, value) in drive.bits.clone().zip(drive.values()) {
                    for replica in replicas.clone() {
                        run.drive(drive.input, bit, replica, value);
                    }
                }
            }
        }
    }
}

/// Names inputs, for a message.
fn listed(inputs: &[RunPort]) -> String {
    let mut names: Vec<String> = inputs
        .iter()
        .take(12)
        .map(|port| format!("`{}`", port.name))
        .collect();
    if inputs.len() > names.len() {
        names.push(format!("{} more", inputs.len() - names.len()));
    }
    match names.is_empty() {
        true => "the design has no inputs but the clock".to_owned(),
        false => format!("the inputs are {}", names.join(", ")),
    }
}
