//! The notation for chips: each port once, as a row of [`chip!`]. The rows give the table of the
//! chip, the indices of its ports and the pins of its model.
//!
//! A row is one port, from one of the functions [`option`], [`host_input`], [`host_output`],
//! [`state`], [`random`] and [`random_third`]; or it is all ports of a link port, from the macro of
//! that kind of link, which is written with [`link_ports!`].

use super::{PinDirection, Port, RandomKind, Role};
use crosswave_probe::signal::StateName;

/// Writes a chip: its table `CHIP`, the indices of its ports and the pins of its model.
///
/// ```text
/// chip! {
///     name: fat_tree_router,               the module in Verilog
///     links: ["a", "b", "c", "d"],         the link ports
///     words: &[],                          names of the words at them (`Chip::words`)
///     sources: ["fat_tree_router.v"],      files in hdl/, the top module first; [] for a model
///     ports {                              in the order of the table; clock and reset come first
///         option("level", 5, "level of this router") => pub PORT_LEVEL, level: u8;
///         random("random_up", 1, STREAM_UP, "prefers c or d");
///         circuit_link!(A, "a");
///         state("a_state", 4, STATES, "circuit that entered at a") => pub PORT_STATE;
///     }
///     /// Configuration pins of one router.
///     pub struct Pins;
/// }
/// ```
///
/// A row is a constant `[Port; N]`, in which all of this module is in scope. Behind `=>` is the
/// constant that gets the index of its first port. A field behind that makes the port a pin of the
/// model, of this name and type. A chip whose model has no pins has no `struct Pins`.
///
/// Checkpoints hold the fields of `Pins` in the order of the rows. `pub struct Pins saved as
/// [FIELD, ...];` gives them another order, and names each field once.
///
/// It is an error at compile time when a file or the pin of a `saved as` is missing, when a pin is
/// not driven by a host, and when its type is too narrow.
macro_rules! chip {
    (
        name: $name:ident,
        links: [$($link:expr),* $(,)?],
        words: $words:expr,
        sources: [$($source:literal),* $(,)?],
        ports {
            $($row:expr $(=> $index_vis:vis $index:ident $(, $field:ident: $type:ty)?)?;)*
        }
        $($pins:tt)*
    ) => {
        const PARTS: &[&[$crate::Port]] = {
            use $crate::ports::*;
            &[&CLOCK_AND_RESET, $(&$row),*]
        };

        const PORTS: [$crate::Port; $crate::ports::total(PARTS)] = $crate::ports::join(PARTS);

        #[doc = concat!("The table of `", stringify!($name), "`.")]
        pub static CHIP: $crate::Chip = $crate::Chip {
            name: stringify!($name),
            ports: &PORTS,
            links: &[$($link),*],
            words: $words,
            sources: &[$(($source, include_str!(concat!("../hdl/", $source)))),*],
        };

        $($(
            #[doc = concat!("Index of `", stringify!($row), "`.")]
            $index_vis const $index: usize = {
                use $crate::ports::*;
                index(&PORTS, (&$row)[0].name)
            };
        )?)*

        $crate::ports::pins! { { $($pins)* } $($($(($index $field $type))?)?)* }
    };
}

/// Writes the pins of a chip, from the end of [`chip!`] and the rows that have fields.
macro_rules! pins {
    ({}) => {};
    (
        { $(#[$doc:meta])* $vis:vis struct $pins:ident; }
        $(($index:ident $field:ident $type:ty))*
    ) => {
        $crate::ports::pins! {
            { $(#[$doc])* $vis struct $pins saved as [$($field),*]; }
            $(($index $field $type))*
        }
    };
    (
        { $(#[$doc:meta])* $vis:vis struct $pins:ident saved as [$($saved:ident),* $(,)?]; }
        $(($index:ident $field:ident $type:ty))*
    ) => {
        const _: () = {
            $($crate::ports::check_pin(&PORTS[$index], <$type as $crate::ports::PinField>::BITS);)*
        };

        macro_rules! type_of_pin {
            $(($field) => { $type };)*
        }

        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        $vis struct $pins {
            $($saved: type_of_pin!($saved),)*
        }

        impl $crate::ChipPins for $pins {
            fn set(&mut self, port: usize, value: u64) {
                match port {
                    $($index => self.$field = $crate::ports::PinField::of(value),)*
                    _ => {}
                }
            }

            fn get(&self, port: usize) -> u64 {
                match port {
                    $($index => $crate::ports::PinField::value(self.$field),)*
                    _ => 0,
                }
            }
        }
    };
}

/// Writes the types of a model and the table of its chip: registers, pins, and what it drives at
/// its link ports.
macro_rules! model_types {
    ($state:ty, $pins:ty, [$word:ty; $links:expr]) => {
        type State = $state;
        type Pins = $pins;
        type Word = $word;
        type Words = [$word; $links];
        const CHIP: &'static $crate::Chip = &CHIP;
    };
}

/// Writes the ports of one link port of a chip: of each its direction, the end of its name, its
/// width, the lowest bit of the word that it holds, and a line for the reader.
macro_rules! link_ports {
    (
        $link:expr, $name:literal:
        $($direction:ident($suffix:literal, $width:literal, $lsb:literal, $doc:literal);)*
    ) => {
        [$($crate::Port {
            name: concat!($name, $suffix),
            direction: $crate::PinDirection::$direction,
            width: $width,
            role: $crate::Role::Link { link: $link, lsb: $lsb },
            doc: $doc,
        }),*]
    };
}

/// Writes the ports of one link port of a network of circuits: the eleven signals that the chip
/// drives and the eleven that it reads.
macro_rules! circuit_link {
    ($link:expr, $name:literal) => {
        $crate::ports::link_ports! { $link, $name:
            Input("_in_valid", 1, 8, "a word of a circuit that enters here");
            Input("_in_data", 8, 0, "the word; 0 when not valid");
            Output("_in_ack", 1, 9, "acknowledges the circuit that entered here");
            Output("_in_collision", 1, 10, "rejects the circuit that entered here");
            Output("_out_valid", 1, 8, "a word of a circuit that leaves here");
            Output("_out_data", 8, 0, "the word; 0 when not valid");
            Input("_out_ack", 1, 9, "acknowledges the circuit that left here");
            Input("_out_collision", 1, 10, "rejects the circuit that left here");
        }
    };
}

pub(crate) use {chip, circuit_link, link_ports, model_types, pins};

type Text = &'static str;

const fn port(name: Text, width: u8, direction: PinDirection, role: Role, doc: Text) -> [Port; 1] {
    [Port {
        name,
        direction,
        width,
        role,
        doc,
    }]
}

/// The first ports of every chip.
pub(crate) const CLOCK_AND_RESET: [Port; 2] = {
    let clock = port("clock", 1, PinDirection::Input, Role::Clock, "rising edge");
    let doc = "synchronous, active high";
    let reset = port("reset", 1, PinDirection::Input, Role::Reset, doc);
    join(&[&clock, &reset])
};

/// A configuration pin.
pub(crate) const fn option(name: Text, width: u8, doc: Text) -> [Port; 1] {
    port(name, width, PinDirection::Input, Role::Option, doc)
}

/// A port that a host drives.
pub(crate) const fn host_input(name: Text, width: u8, doc: Text) -> [Port; 1] {
    port(name, width, PinDirection::Input, Role::Host, doc)
}

/// A port that a host reads.
pub(crate) const fn host_output(name: Text, width: u8, doc: Text) -> [Port; 1] {
    port(name, width, PinDirection::Output, Role::Host, doc)
}

/// The state of a state machine, with the names of its values, or a number without.
pub(crate) const fn state(
    name: Text,
    width: u8,
    names: &'static [StateName],
    doc: Text,
) -> [Port; 1] {
    port(name, width, PinDirection::Output, Role::State(names), doc)
}

/// Fair random bits, from a stream on.
pub(crate) const fn random(name: Text, width: u8, stream: u64, doc: Text) -> [Port; 1] {
    let kind = RandomKind::Fair;
    let role = Role::Random { stream, kind };
    port(name, width, PinDirection::Input, role, doc)
}

/// Random bits that are 1 in one case of three, from a stream on.
pub(crate) const fn random_third(name: Text, width: u8, stream: u64, doc: Text) -> [Port; 1] {
    let kind = RandomKind::Third;
    let role = Role::Random { stream, kind };
    port(name, width, PinDirection::Input, role, doc)
}

/// Number of ports in all parts of a table.
pub(crate) const fn total(parts: &[&[Port]]) -> usize {
    let (mut part, mut count) = (0, 0);
    while part < parts.len() {
        count += parts[part].len();
        part += 1;
    }
    count
}

/// Joins parts of a port table at compile time.
///
/// # Panics
/// At compile time, when `N` is not the sum of the lengths.
pub(crate) const fn join<const N: usize>(parts: &[&[Port]]) -> [Port; N] {
    let mut all = [parts[0][0]; N];
    let (mut part, mut count) = (0, 0);
    while part < parts.len() {
        let mut at = 0;
        while at < parts[part].len() {
            all[count] = parts[part][at];
            at += 1;
            count += 1;
        }
        part += 1;
    }
    assert!(count == N, "the port table has another length");
    all
}

/// A field that holds the value of a pin.
pub(crate) trait PinField {
    /// Bits of a value that fits.
    const BITS: u8;
    /// The value, as far as it fits.
    fn of(value: u64) -> Self;
    /// The value.
    fn value(self) -> u64;
}

impl PinField for bool {
    const BITS: u8 = 1;

    fn of(value: u64) -> bool {
        value != 0
    }

    fn value(self) -> u64 {
        u64::from(self)
    }
}

/// The same for whole numbers.
macro_rules! pin_fields {
    ($($type:ty),*) => {
        $(impl PinField for $type {
            const BITS: u8 = <$type>::BITS as u8;

            fn of(value: u64) -> $type {
                value as $type
            }

            fn value(self) -> u64 {
                self.into()
            }
        })*
    };
}

pin_fields!(u8, u16, u32, u64);

/// Checks that a port is a pin of a model, and that a field of so many bits holds it.
///
/// # Panics
/// At compile time, when it is not so.
pub(crate) const fn check_pin(port: &Port, bits: u8) {
    let is_input = matches!(port.direction, PinDirection::Input);
    let is_pin = matches!(port.role, Role::Option | Role::Host);
    assert!(is_input && is_pin, "only what a host drives is a pin");
    assert!(port.width <= bits, "the field is too narrow for the pin");
}

/// The index of the port of a name.
///
/// # Panics
/// At compile time, when the table has none.
pub(crate) const fn index(ports: &[Port], name: &str) -> usize {
    let mut at = 0;
    while at < ports.len() {
        if is_same(ports[at].name.as_bytes(), name.as_bytes()) {
            return at;
        }
        at += 1;
    }
    panic!("the table has no port of that name")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::{ChipPins, PinDirection, Role};

    chip! {
        name: lamp,
        links: ["a"],
        words: &[],
        sources: [],
        ports {
            option("colour", 12, "which light") => PORT_COLOUR, colour: u16;
            host_input("on", 1, "whether it shines") => PORT_ON, on: bool;
            circuit_link!(0, "a");
            state("heat", 3, &[], "how hot it is") => PORT_HEAT;
        }
        /// Its pins.
        struct Pins saved as [on, colour];
    }

    #[test]
    fn rows_are_table_and_indices() {
        let names = CHIP.ports.iter().map(|port| port.name);
        let [first, last] = [
            ["clock", "reset", "colour", "on"],
            ["a_out_data", "a_out_ack", "a_out_collision", "heat"],
        ];
        let names: Vec<_> = names.collect();
        assert!(
            names.starts_with(&first) && names.ends_with(&last),
            "{names:?}"
        );
        assert_eq!([PORT_COLOUR, PORT_ON, PORT_HEAT], [2, 3, names.len() - 1]);
        let heat = &CHIP.ports[PORT_HEAT];
        assert_eq!((heat.direction, heat.width), (PinDirection::Output, 3));
        assert!(matches!(heat.role, Role::State([])));
    }

    #[test]
    fn pins_take_values_of_their_ports_and_keep_their_order() {
        let mut pins = Pins::default();
        for port in 0..CHIP.ports.len() {
            pins.set(port, 7);
        }
        assert_eq!(format!("{pins:?}"), "Pins { on: true, colour: 7 }");
        assert_eq!(
            (
                pins.get(PORT_COLOUR),
                pins.get(PORT_ON),
                pins.get(PORT_HEAT)
            ),
            (7, 1, 0)
        );
    }
}
