//! The flip-flop cells of Yosys: their type names and their pins.
//!
//! A type is `$_FAMILY_CODE_`; each letter of the code is a polarity (`N`, `P`)
//! or the value of a reset (`0`, `1`), as the template of its family says.

use crate::model::{Asynchronous, Bit, Control, Edge, Flop, NetId, SyncReset};

/// Families and the meaning of the letters of their codes: clock, reset, value
/// of the reset, enable, set, load.
const FAMILIES: [(&str, &str); 11] = [
    ("DFF", "C"),
    ("DFF", "CRV"),
    ("DFFE", "CE"),
    ("DFFE", "CRVE"),
    ("SDFF", "CRV"),
    ("SDFFE", "CRVE"),
    ("SDFFCE", "CRVE"),
    ("DFFSR", "CSR"),
    ("DFFSRE", "CSRE"),
    ("ALDFF", "CL"),
    ("ALDFFE", "CLE"),
];

/// A flip-flop type, taken apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FlopType {
    /// True when the reset is synchronous.
    synchronous: bool,
    /// True when the enable gates the synchronous reset.
    gated: bool,
    rising: bool,
    /// For each control, whether it is active high.
    reset: Option<bool>,
    enable: Option<bool>,
    set: Option<bool>,
    load: Option<bool>,
    /// The value of the reset.
    value: bool,
}

impl FlopType {
    /// Takes a cell type such as `$_SDFFE_PP0P_` apart.
    pub fn parse(cell_type: &str) -> Option<FlopType> {
        let body = cell_type.strip_prefix("$_")?.strip_suffix('_')?;
        let (family, code) = body.split_once('_')?;
        let (_, template) = FAMILIES
            .into_iter()
            .find(|row| row.0 == family && row.1.len() == code.len())?;
        let mut parsed = FlopType {
            synchronous: family.starts_with('S'),
            gated: family == "SDFFCE",
            ..FlopType::default()
        };
        for (meaning, letter) in template.chars().zip(code.chars()) {
            let high = match (meaning, letter) {
                ('V', '0') | ('C' | 'R' | 'E' | 'S' | 'L', 'N') => false,
                ('V', '1') | ('C' | 'R' | 'E' | 'S' | 'L', 'P') => true,
                _ => return None,
            };
            match meaning {
                'C' => parsed.rising = high,
                'R' => parsed.reset = Some(high),
                'E' => parsed.enable = Some(high),
                'S' => parsed.set = Some(high),
                'L' => parsed.load = Some(high),
                _ => parsed.value = high,
            }
        }
        Some(parsed)
    }

    /// The input pins, in a fixed order.
    pub fn inputs(self) -> impl Iterator<Item = &'static str> {
        [
            ("C", true),
            ("D", true),
            ("E", self.enable.is_some()),
            ("R", self.reset.is_some()),
            ("S", self.set.is_some()),
            ("L", self.load.is_some()),
            ("AD", self.load.is_some()),
        ]
        .into_iter()
        .filter_map(|(pin, present)| present.then_some(pin))
    }

    /// The flip-flop whose pins are connected as `pin` says; it is asked for
    /// those of [`FlopType::inputs`] only.
    pub fn flop(self, pin: impl Fn(&str) -> Bit, q: NetId) -> Flop {
        let control = |name: &str, polarity: Option<bool>| {
            polarity.map(|active_high| Control {
                bit: pin(name),
                active_high,
            })
        };
        let mut flop = Flop::plain(pin("C"), pin("D"), q);
        if !self.rising {
            flop.edge = Edge::Falling;
        }
        flop.enable = control("E", self.enable);
        let value = self.value;
        match (
            control("R", self.reset),
            control("S", self.set),
            control("L", self.load),
        ) {
            (Some(reset), Some(set), _) => {
                flop.asynchronous = Asynchronous::SetReset { set, reset };
            }
            (Some(control), None, _) if self.synchronous => {
                flop.reset = Some(SyncReset {
                    control,
                    value,
                    gated: self.gated,
                });
            }
            (Some(control), None, _) => flop.asynchronous = Asynchronous::Reset { control, value },
            (None, _, Some(control)) => {
                let data = pin("AD");
                flop.asynchronous = Asynchronous::Load { control, data };
            }
            (None, _, None) => {}
        }
        flop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The type of the cell that is this flip-flop, as `$_SDFFE_PP0P_`; `None` when it has
    /// a synchronous reset besides asynchronous controls, as no cell of Yosys does.
    fn flop_type(flop: &Flop) -> Option<String> {
        let letter = |high: bool| if high { 'P' } else { 'N' };
        let level = |control: Control| letter(control.active_high);
        let digit = |value: bool| if value { '1' } else { '0' };
        let (family, gated, code) = match (flop.asynchronous, flop.reset) {
            (Asynchronous::None, None) => ("DFF", false, String::new()),
            (Asynchronous::None, Some(reset)) => {
                let code = [level(reset.control), digit(reset.value)];
                ("SDFF", reset.gated, String::from_iter(code))
            }
            (Asynchronous::Reset { control, value }, None) => (
                "DFF",
                false,
                String::from_iter([level(control), digit(value)]),
            ),
            (Asynchronous::SetReset { set, reset }, None) => (
                "DFFSR",
                false,
                String::from_iter([level(set), level(reset)]),
            ),
            (Asynchronous::Load { control, .. }, None) => ("ALDFF", false, level(control).into()),
            (_, Some(_)) => return None,
        };
        let clock = letter(flop.edge == Edge::Rising);
        Some(match (flop.enable, gated) {
            (None, _) => format!("$_{family}_{clock}{code}_"),
            (Some(enable), false) => format!("$_{family}E_{clock}{code}{}_", level(enable)),
            (Some(enable), true) => format!("$_{family}CE_{clock}{code}{}_", level(enable)),
        })
    }

    #[test]
    fn types_are_those_that_are_read() {
        let mut count = 0;
        for (family, template) in FAMILIES {
            for choice in 0..1u32 << template.len() {
                let letter = |(at, meaning): (usize, char)| match (meaning, choice >> at & 1) {
                    ('V', 0) => '0',
                    ('V', _) => '1',
                    (_, 0) => 'N',
                    _ => 'P',
                };
                let code: String = template.chars().enumerate().map(letter).collect();
                let name = format!("$_{family}_{code}_");
                let parsed = FlopType::parse(&name).expect("a type of Yosys");
                assert_eq!(flop_type(&parsed.flop(|_| Bit::X, NetId(0))), Some(name));
                count += 1;
            }
        }
        assert_eq!(count, 106);
    }
}
