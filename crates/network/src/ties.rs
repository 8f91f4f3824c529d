//! The input bits of a chip's array that are constant while a network runs.

use super::{ChipArray, Fabric, PinValues};
use crosswave_chips::Role;

/// The bits of a configuration pin that are alike in all instances.
fn alike(values: &PinValues, width: u8) -> Vec<(usize, bool)> {
    let (ones, zeros) = match values {
        PinValues::Uniform(value) => (*value, !*value),
        PinValues::Each(values) => common(values.iter().map(|&value| u64::from(value))),
        PinValues::Wide(values) => common(values.iter().copied()),
    };
    (0..width as usize)
        .filter(|&bit| (ones | zeros) >> bit & 1 != 0)
        .map(|bit| (bit, ones >> bit & 1 != 0))
        .collect()
}

/// The bits that are 1 in all values, and those that are 0.
fn common(values: impl Iterator<Item = u64>) -> (u64, u64) {
    values.fold((u64::MAX, u64::MAX), |(ones, zeros), value| {
        (ones & value, zeros & !value)
    })
}

impl ChipArray {
    /// The input bits of the chip that are constant while the array runs: name of the port, bit, value.
    pub fn ties(&self) -> Vec<(String, usize, bool)> {
        let mut ties = Vec::new();
        for (index, port) in self.chip.ports.iter().enumerate() {
            match port.role {
                Role::Reset => ties.push((port.name.to_owned(), 0, false)),
                Role::Option | Role::Parameter if !self.changes(index) => {
                    let pin = self.pins.iter().find(|pin| pin.port == index);
                    let values = pin.map_or(&PinValues::Uniform(0), |pin| &pin.values);
                    for (bit, value) in alike(values, port.width) {
                        ties.push((port.name.to_owned(), bit, value));
                    }
                }
                Role::Random { .. } if !self.random => {
                    for bit in 0..port.width as usize {
                        ties.push((port.name.to_owned(), bit, false));
                    }
                }
                _ => {}
            }
        }
        for &(port, bit) in &self.silent {
            ties.push((self.chip.ports[port].name.to_owned(), bit, false));
        }
        ties
    }

    /// Those of its options: a pin that is the same at all instances may decide what an output shows
    /// after reset.
    pub fn tied_options(&self) -> Vec<(String, usize, bool)> {
        let mut ties = self.ties();
        let chip = self.chip;
        ties.retain(|(name, ..)| matches!(chip.ports[chip.port(name)].role, Role::Option));
        ties
    }
}

impl Fabric {
    /// Bits of the widest word of a link.
    pub fn link_bits(&self) -> usize {
        let bits = self.arrays.iter().map(|array| array.chip.link_bits());
        bits.max().unwrap_or(0) as usize
    }
}
