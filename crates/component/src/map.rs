//! A module seen as a chip: its ports as links, pins, clock and reset.

pub mod drop_in;
mod form;
mod gates;
mod parts;

use std::collections::BTreeMap;
use std::ops::Range;

use toml::Spanned;

use super::expression::PortSlice;
use super::file::{ActiveLevel, ComponentFile, LinkTable, ModuleTable, PinRule, ProtocolName};
use super::links::{ACK, LinkEnds, LinkForm, LinkSignal, PORT_BITS_MAX, kept};
use super::mistakes::{Mistakes, meant_or, some};
use crosswave_chips::{PinDirection, Port, Role};
use crosswave_netlist::{Bit, BitRange, Module, NetId, PortDirection};

/// Bits of a flit at most.
pub const DATA_BITS_MAX: usize = 1024;
/// Links of a component at most.
pub const LINKS_MAX: usize = 64;
/// The signal with the virtual channel of a credit.
const CREDIT_CHANNEL: &str = "credit_vc";
/// Virtual channels of a link at most.
pub const VCS_MAX: u64 = 16;
/// Credits of a link at most.
pub const CREDITS_MAX: u64 = 255;
/// Cycles in which a rejection of a circuit may come, at most.
pub const ANSWER_CYCLES_MAX: u64 = 1023;
/// Cycles of a reset at most.
pub const RESET_CYCLES_MAX: u64 = 64;

/// The value of a pin of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PinSource {
    /// The same for all.
    Value(u64),
    /// Its coordinate along an axis: 0 is x, 1 is y, 2 is z.
    Coordinate(usize),
    /// Its number.
    Id,
}

/// The names of values of pins in a file.
const PIN_SOURCES: [(&str, PinSource); 4] = [
    ("instance.x", PinSource::Coordinate(0)),
    ("instance.y", PinSource::Coordinate(1)),
    ("instance.z", PinSource::Coordinate(2)),
    ("instance.id", PinSource::Id),
];

/// A bit of a port of the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleBit {
    /// The name of the port.
    pub port: String,
    /// The position of the bit in the port, from the least significant on.
    pub at: usize,
    /// True when the chip has the opposite of it.
    pub is_inverted: bool,
}

/// A signal of a chip, and the module's bits that it is, for the Verilog around the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedPort {
    /// The name of the port of the chip.
    pub chip_port: &'static str,
    /// The bits, the least significant first.
    pub bits: Vec<ModuleBit>,
}

/// A module as a chip.
#[derive(Debug, Clone)]
pub struct MappedModule {
    /// The ports of the chip.
    pub ports: Vec<Port>,
    /// The names of its links.
    pub links: Vec<&'static str>,
    /// The form of its links.
    pub form: LinkForm,
    /// The directions of its links.
    pub ends: Vec<LinkEnds>,
    /// Flits that may be on the way into it before a credit comes back, by link; 0 of protocols without
    /// credits.
    pub credits: Vec<u32>,
    /// The cycles in which its reset acts.
    pub reset_cycles: u64,
    /// The module with the ports of the chip.
    pub module: Module,
    /// Pins and their values.
    pub pins: Vec<(usize, PinSource)>,
    /// The connections of the module's ports.
    pub mapped: Vec<MappedPort>,
}

/// Bits of a netlist that are bits of the module's ports.
type PortBits = Vec<(Bit, ModuleBit)>;

struct Mapper<'a, 'm> {
    module: &'a Module,
    mistakes: &'a mut Mistakes<'m>,
    /// Bits of inputs that something drives, and what does.
    taken: BTreeMap<NetId, String>,
    /// Help for bits of the wrong direction.
    directions: &'static str,
    result: MappedModule,
}

/// Maps the ports of a module as a file says. `result` is of no use if there are mistakes.
pub fn map(
    file: &ComponentFile,
    module: &Module,
    mistakes: &mut Mistakes<'_>,
) -> Option<MappedModule> {
    let form = form::form(file, module, mistakes)?;
    let mut mapper = Mapper::new(module, form, mistakes);
    mapper.clock_and_reset(&file.component);
    mapper.pins(file);
    for table in &file.links {
        mapper.links(table);
    }
    // Nothing drives a link that has a mistake.
    if !mapper.mistakes.are_any() {
        let span = file.component.top.span();
        mapper.undriven(
            span,
            "put them in a link, or give them a value in component.pins, such as 0",
        );
    }
    Some(mapper.result)
}

impl PinSource {
    /// The value that a file names, such as `instance.x`.
    pub fn named(text: &str) -> Option<PinSource> {
        let known = PIN_SOURCES.iter().find(|(known, _)| *known == text);
        known.map(|(_, source)| *source)
    }

    /// Advice on a text that names no value.
    pub(crate) fn advice(text: &str) -> String {
        const SUCH: &str =
            "such as \"instance.x\", \"instance.y\", \"instance.z\" or \"instance.id\"";
        let names = PIN_SOURCES.map(|(name, _)| name);
        // One letter of another axis may stand for any.
        match text.starts_with("instance.") {
            true => SUCH.to_owned(),
            false => meant_or(text, &names, SUCH),
        }
    }

    /// The name in a file, or the value.
    pub fn text(self) -> String {
        let known = PIN_SOURCES.iter().find(|(_, source)| *source == self);
        match (known, self) {
            (Some((name, _)), _) => (*name).to_owned(),
            (None, PinSource::Value(value)) => value.to_string(),
            (None, _) => String::new(),
        }
    }
}

impl<'a, 'm> Mapper<'a, 'm> {
    /// A mapper without ports so far.
    fn new(module: &'a Module, form: LinkForm, mistakes: &'a mut Mistakes<'m>) -> Mapper<'a, 'm> {
        Mapper {
            module,
            mistakes,
            taken: BTreeMap::new(),
            directions: "under `out` the module drives data and valid, under `in` it reads them; what comes back \
                         runs against them",
            result: MappedModule {
                ports: Vec::new(),
                links: Vec::new(),
                form,
                ends: Vec::new(),
                credits: Vec::new(),
                reset_cycles: 1,
                module: Module {
                    ports: Vec::new(),
                    ..module.clone()
                },
                pins: Vec::new(),
                mapped: Vec::new(),
            },
        }
    }
}

impl Mapper<'_, '_> {
    /// The bits of an expression; none if it has a mistake.
    fn bits(
        &mut self,
        place: &str,
        span: Range<usize>,
        slice: Result<PortSlice, String>,
        direction: PortDirection,
    ) -> Option<PortBits> {
        let help = "name ports of the module and their bits as its source does";
        let slice = match slice {
            Ok(slice) => slice,
            Err(message) => {
                self.mistakes.add(place, Some(span), message, help);
                return None;
            }
        };
        let Some(port) = self.module.port(&slice.port) else {
            let names: Vec<&str> = self.module.ports.iter().map(|port| &*port.name).collect();
            let help = format!("its ports are {}", some(&names));
            let help = meant_or(&slice.port, &names, help);
            let message = format!("the module {} has no port {}", self.module.name, slice.port);
            self.mistakes.add(place, Some(span), message, help);
            return None;
        };
        if port.direction != direction {
            let word = |direction| match direction {
                PortDirection::Input => "an input",
                PortDirection::Output => "an output",
            };
            let message = format!(
                "{} is {} of the module; expected {}",
                port.name,
                word(port.direction),
                word(direction)
            );
            self.mistakes
                .add(place, Some(span), message, self.directions);
            return None;
        }
        let bits = match slice.bits(port) {
            Ok(bits) => bits,
            Err(message) => {
                let message = format!("{}: {message}", port.name);
                self.mistakes.add(place, Some(span), message, help);
                return None;
            }
        };
        // Positions: the slice is one run of the port's bits.
        let first = match slice.ends {
            None => 0,
            Some((_, right)) => port.range.position(right, port.bits.len()).unwrap_or(0),
        };
        let bits = bits.into_iter().zip(first..);
        let bits = bits.map(|(bit, at)| {
            let of_module = ModuleBit {
                port: slice.port.clone(),
                at,
                is_inverted: slice.is_inverted,
            };
            (bit, of_module)
        });
        Some(bits.collect())
    }

    /// Refuses the opposite of bits where a key has another way to say it.
    fn no_opposite(&mut self, place: &str, span: Range<usize>, bits: &PortBits, help: &str) {
        if bits.iter().any(|(_, bit)| bit.is_inverted) {
            let message = "found `~`; expected bits as they are";
            self.mistakes.add(place, Some(span), message, help);
        }
    }

    /// Adds a port of the chip that is so many bits of the module.
    fn add(&mut self, place: &str, span: Range<usize>, port: Port, bits: PortBits) {
        let direction = match port.direction {
            PinDirection::Input => PortDirection::Input,
            PinDirection::Output => PortDirection::Output,
        };
        if direction == PortDirection::Input {
            self.drive(place, &span, port.name, &bits);
        }
        if self
            .result
            .ports
            .iter()
            .any(|other| other.name == port.name)
        {
            let message = format!(
                "two ports of the component would have the name {}",
                port.name
            );
            let help = "give the link another name; ports of pins have their names in the module";
            self.mistakes.add(place, Some(span), message, help);
        }
        self.result.mapped.push(MappedPort {
            chip_port: port.name,
            bits: bits.iter().map(|(_, bit)| bit.clone()).collect(),
        });
        let bits = bits.into_iter().map(|(bit, of_module)| {
            let is_inverted = of_module.is_inverted;
            match is_inverted {
                true => gates::opposite(&mut self.result.module, bit, direction),
                false => bit,
            }
        });
        let bits: Vec<Bit> = bits.collect();
        let bits = match port.role {
            Role::Reset if self.result.reset_cycles > 1 => {
                let clock = self.result.module.ports.first().map(|port| port.bits[0]);
                let cycles = self.result.reset_cycles;
                let module = &mut self.result.module;
                vec![gates::held(module, clock, bits[0], cycles)]
            }
            _ => bits,
        };
        self.result.module.ports.push(crosswave_netlist::Port {
            name: port.name.to_owned(),
            direction,
            bits,
            range: BitRange::default(),
            signed: false,
        });
        self.result.ports.push(port);
    }

    /// One bit of an input that a key names.
    fn one_bit(&mut self, place: &str, text: &Spanned<String>) -> Option<PortBits> {
        let slice = PortSlice::parse(text.get_ref(), 0, "");
        let bits = self.bits(place, text.span(), slice, PortDirection::Input)?;
        if bits.len() != 1 {
            let message = format!("found {} bits; expected one", bits.len());
            self.mistakes
                .add(place, Some(text.span()), message, "name one bit of it");
            return None;
        }
        Some(bits)
    }

    fn clock_and_reset(&mut self, table: &ModuleTable) {
        let port = |name, role, doc| Port {
            name,
            direction: PinDirection::Input,
            width: 1,
            role,
            doc,
        };
        if let Some(bits) = self.one_bit("component.clock", &table.clock) {
            let clock = port("clock", Role::Clock, "the clock");
            let (place, help) = (
                "component.clock",
                "the module acts at the rising edge of its clock: give it a module around it that inverts the clock",
            );
            self.no_opposite(place, table.clock.span(), &bits, help);
            self.add(place, table.clock.span(), clock, bits);
        }
        if let Some(mut bits) = self.one_bit("component.reset.port", &table.reset.port) {
            let (place, help) = (
                "component.reset.port",
                "active = \"low\" is for a reset that acts at 0",
            );
            self.no_opposite(place, table.reset.port.span(), &bits, help);
            let reset = port("reset", Role::Reset, "the reset, active at 1");
            let is_low = table.reset.active == ActiveLevel::Low;
            if let Some(found) = &table.reset.cycles {
                self.result.reset_cycles = *found.get_ref();
                if !(1..=RESET_CYCLES_MAX).contains(found.get_ref()) {
                    let message = format!(
                        "found {}; expected 1 to {RESET_CYCLES_MAX}",
                        found.get_ref()
                    );
                    let (place, help) = ("component.reset.cycles", "such as cycles = 3");
                    self.mistakes.add(place, Some(found.span()), message, help);
                    self.result.reset_cycles = 1;
                }
            }
            bits[0].1.is_inverted = is_low;
            self.add(place, table.reset.port.span(), reset, bits);
        }
    }

    fn pins(&mut self, file: &ComponentFile) {
        for (name, rule) in &file.component.pins {
            let place = format!("component.pins.{name}");
            let slice = PortSlice::parse(name, 0, "");
            let Some(bits) = self.bits(&place, rule.span(), slice, PortDirection::Input) else {
                continue;
            };
            let width = bits.len();
            self.no_opposite(&place, rule.span(), &bits, "give the opposite value");
            let mut wrong = |message: String, help: &str| {
                self.mistakes.add(&*place, Some(rule.span()), message, help);
            };
            if width > PORT_BITS_MAX {
                wrong(
                    format!("found {width} bits; expected up to {PORT_BITS_MAX}"),
                    "name parts of it apart, such as \"table[63:0]\"",
                );
                continue;
            }
            let source = match rule.get_ref() {
                PinRule::Value(value) if width < 64 && value >> width != 0 => {
                    wrong(
                        format!("found {value}; the pin has {width} bits"),
                        "give a value that it can hold",
                    );
                    continue;
                }
                PinRule::Value(value) => PinSource::Value(*value),
                PinRule::Place(text) => {
                    let Some(source) = PinSource::named(text) else {
                        wrong(
                            format!("found {text:?}; expected an integer or the name of a value"),
                            &PinSource::advice(text),
                        );
                        continue;
                    };
                    source
                }
            };
            self.result.pins.push((self.result.ports.len(), source));
            // A part of a port gets a name of its own.
            let name: String = name
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
                .collect();
            let port = Port {
                name: kept(name.trim_end_matches('_').to_owned()),
                direction: PinDirection::Input,
                width: width as u8,
                role: Role::Option,
                doc: "a pin that keeps its value",
            };
            self.add(&place, rule.span(), port, bits);
        }
    }

    fn links(&mut self, table: &LinkTable) {
        let form = self.result.form;
        let directions = [("in", &table.into), ("out", &table.out)];
        let back = form.protocol.back();
        if table.into.is_empty() && table.out.is_empty() {
            let span = table.names.first().map(Spanned::span);
            let message = "found neither `in` nor `out`";
            let help = "name the signals of a direction, or of both";
            self.mistakes.add("link.in", span, message, help);
        }
        for (direction, signals) in directions {
            if signals.is_empty() {
                continue;
            }
            let mut known = vec!["data", "valid", back];
            known.extend(form.numbers_credits.then_some(CREDIT_CHANNEL));
            known.extend(form.answers.has_ack.then_some(ACK));
            for (key, text) in signals {
                if !known.contains(&&**key) {
                    let place = format!("link.{direction}.{key}");
                    let message =
                        format!("the protocol {} has no such signal", form.protocol.name());
                    let help = match form.protocol {
                        ProtocolName::Circuit => {
                            "its signals are data, valid, nack and ack".to_owned()
                        }
                        _ => format!("its signals are data, valid and {back}"),
                    };
                    let help = meant_or(key, &known, help);
                    self.mistakes.add(place, Some(text.span()), message, help);
                }
            }
            let channel = form.numbers_credits.then_some(CREDIT_CHANNEL);
            let back = Some(back).filter(|_| !form.protocol.back_is_optional());
            let ack = form.answers.has_ack.then_some(ACK);
            let more = back.into_iter().chain(channel).chain(ack);
            for key in ["data", "valid"].into_iter().chain(more) {
                if !signals.contains_key(key) {
                    let place = format!("link.{direction}.{key}");
                    let message = match key {
                        ACK if form.answers.at_end => {
                            "release = \"acknowledge\" needs this signal".to_owned()
                        }
                        ACK => "the other direction, or another link, has this signal".to_owned(),
                        _ => format!("the protocol {} needs this signal", form.protocol.name()),
                    };
                    let span = signals.values().next().map(Spanned::span);
                    let help = "name the bits of the module that it is";
                    self.mistakes.add(place, span, message, help);
                }
            }
        }
        let form = self.result.form;
        let credits = form::credits(table, form, self.mistakes);
        for (number, name) in table.names.iter().enumerate() {
            self.result.credits.push(credits(name.get_ref()));
            self.mistakes.at_link(Some(name.get_ref()));
            self.link(table, number, name);
        }
        self.mistakes.at_link(None);
    }

    fn link(&mut self, table: &LinkTable, number: usize, name: &Spanned<String>) {
        let form = self.result.form;
        let link = self.result.links.len();
        let text = name.get_ref();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
        if !begins || !text.chars().all(is_name) || self.result.links.contains(&&**text) {
            let message = format!("found {text:?}; expected a new name of letters, digits and _");
            self.mistakes
                .add("link.names", Some(name.span()), message, "such as \"W\"");
            return;
        }
        if link == LINKS_MAX {
            let message = format!("found more than {LINKS_MAX} links");
            self.mistakes.add(
                "link.names",
                Some(name.span()),
                message,
                "a component has fewer",
            );
        }
        if link >= LINKS_MAX {
            return;
        }
        self.result.links.push(kept(text.clone()));
        let back = form.protocol.back();
        let ends = LinkEnds {
            takes: !table.into.is_empty(),
            sends: !table.out.is_empty(),
            takes_answer: table.into.contains_key(back),
            sends_answer: table.out.contains_key(back),
        };
        self.result.ends.push(ends);
        // The bits of each signal, the least significant first.
        let mut signals: BTreeMap<(bool, &str), (Range<usize>, PortBits)> = BTreeMap::new();
        for (is_out, texts) in [(false, &table.into), (true, &table.out)] {
            for (key, texts) in texts {
                let is_back = !["data", "valid"].contains(&&**key);
                let direction = match is_out ^ is_back {
                    true => PortDirection::Output,
                    false => PortDirection::Input,
                };
                let word = if is_out { "out" } else { "in" };
                let place = format!("link {text}, {word}.{key}");
                let mut bits = PortBits::new();
                for one in texts.get_ref().list().iter().rev() {
                    let slice = PortSlice::parse(one, number, text);
                    let Some(part) = self.bits(&place, texts.span(), slice, direction) else {
                        return;
                    };
                    bits.extend(part);
                }
                let expected = match &**key {
                    "data" => form.data_bits,
                    "valid" => 1,
                    CREDIT_CHANNEL => form.channel_bits(),
                    _ => form.back_bits(),
                };
                if bits.len() != expected {
                    let message = format!("found {} bits; expected {expected}", bits.len());
                    let help = match &**key {
                        "data" => "all flits have as many bits, in both directions of all links",
                        "valid" => "name one bit",
                        _ => "one bit, or one for each virtual channel",
                    };
                    self.mistakes
                        .add(&*place, Some(texts.span()), message, help);
                    return;
                }
                signals.insert((is_out, key), (texts.span(), bits));
            }
        }
        for found in form.ports(link, text, ends) {
            let (key, first) = match found.signal {
                LinkSignal::Data(first) => ("data", first),
                LinkSignal::Valid => ("valid", 0),
                LinkSignal::Back => (back, 0),
                LinkSignal::BackChannel => (CREDIT_CHANNEL, 0),
                LinkSignal::Ack => (ACK, 0),
            };
            let Some((span, bits)) = signals.get(&(found.is_out, key)) else {
                return;
            };
            let bits = bits[first..][..usize::from(found.port.width)].to_vec();
            let place = format!("link {text}");
            self.add(&place, span.clone(), found.port, bits);
        }
    }
}
