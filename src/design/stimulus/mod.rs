//! What drives the inputs of a design, cycle by cycle.
//!
//! A stimulus is a list of changes. What an input was given it keeps until it is
//! given something else; an input that was never given anything is 0, or X where X is
//! computed with.

pub mod csv;
pub mod vcd;

use super::run::{Run, RunPort};
use crate::wave::Bit;

/// An input takes a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drive {
    /// From this cycle on.
    pub cycle: u64,
    /// Which input of the run.
    pub input: usize,
    /// The value, the least significant bit first; as wide as the input.
    pub bits: Vec<Bit>,
}

/// The changes of one run, in order of cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stimulus {
    /// The changes.
    pub drives: Vec<Drive>,
    /// The cycles it lasts.
    pub cycles: u64,
    /// The inputs it knows.
    pub inputs: Vec<usize>,
    next: usize,
}

impl Stimulus {
    /// Drives the inputs of a run for a cycle; cycles rise from call to call.
    pub fn apply(&mut self, run: &mut Run, replica: usize, cycle: u64, except: Option<usize>) {
        while let Some(drive) = self.drives.get(self.next)
            && drive.cycle <= cycle
        {
            self.next += 1;
            if Some(drive.input) != except {
                for (bit, &value) in drive.bits.iter().enumerate() {
                    run.drive(drive.input, bit, replica, value);
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
