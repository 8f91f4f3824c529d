//! Links of chips at which the middle of a cycle matters.
//!
//! A chip that changes a link at the falling edge of the clock is late for a chip that takes it there.

use super::{Chip, Role};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::HalfCycles;

/// The links of a chip at which the middle of a cycle matters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HalfCycleLinks {
    /// An output to a link that may change at the falling edge.
    pub changing: Option<String>,
    /// An input from a link that is taken at the falling edge, or by an asynchronous control.
    pub taken: Option<String>,
}

impl HalfCycleLinks {
    /// Those of a chip whose module has these ports.
    pub fn new(chip: &Chip, ports: &HalfCycles) -> HalfCycleLinks {
        let is_of_link = |name: &&String| {
            let mut ports = chip.ports.iter();
            ports.any(|port| port.name == **name && matches!(port.role, Role::Link { .. }))
        };
        HalfCycleLinks {
            changing: ports.changing.iter().find(is_of_link).cloned(),
            taken: ports.taken.iter().find(is_of_link).cloned(),
        }
    }
}

/// Looks at the chips of a network, each with the name of its file.
///
/// # Errors
/// An output that may change at falling edges, in a network in which some chip takes a link there.
pub fn check<'a>(
    chips: impl IntoIterator<Item = (&'a str, &'a HalfCycleLinks)> + Clone,
) -> Result<(), Error> {
    let changing = chips.clone().into_iter();
    let mut changing =
        changing.filter_map(|(origin, chip)| Some((origin, chip.changing.as_ref()?)));
    let mut taken = chips.into_iter();
    let taken = taken.find_map(|(origin, chip)| Some((origin, chip.taken.as_ref()?)));
    let (Some((origin, output)), Some((taker, input))) = (changing.next(), taken) else {
        return Ok(());
    };
    let of_file = match taker == origin {
        true => String::new(),
        false => format!(" of {taker}"),
    };
    let message = format!(
        "it may change at the falling edge of the clock, at which the input `{input}`{of_file} is taken"
    );
    let help = "send from flip-flops of the rising edge, or take links in flip-flops of the rising edge without \
                asynchronous controls";
    let place = format!("port {output}");
    let diagnostic = Diagnostic::new(place, message, help);
    Err(Error::one(Class::Input, origin, diagnostic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_of_two_chips_meet_in_the_middle_of_a_cycle() {
        let port = |name: &str| Some(name.to_owned());
        let sends = HalfCycleLinks {
            changing: port("east_out_valid"),
            taken: None,
        };
        let takes = HalfCycleLinks {
            changing: None,
            taken: port("west_in_data"),
        };
        for alike in [&sends, &takes] {
            check([("a.v", alike), ("b.v", alike)]).expect("they do not meet");
        }
        let error = check([("a.v", &takes), ("b.v", &sends)]).expect_err("they meet");
        let expected = "error: b.v: port east_out_valid: it may change at the falling edge of the clock, at which the input \
                        `west_in_data` of a.v is taken\n";
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
