//! A module seen as a chip of the program: ports of other names, widths that are the same.

use std::collections::BTreeMap;

use toml::Spanned;

use super::{Mapper, PortBits};
use crate::expression::PortSlice;
use crate::file::{Expressions, ModuleTable, PinRule, ProtocolName};
use crate::links::{CircuitAnswers, LinkForm};
use crate::mistakes::{Mistakes, meant_or};
use crosswave_chips::{Chip, PinDirection, Role};
use crosswave_netlist::{Bit, Function, Module, PortDirection};

/// A module with the ports of a chip.
#[derive(Debug, Clone)]
pub struct FittingModule {
    /// The module.
    pub module: Module,
    /// The cycles in which its reset acts.
    pub reset_cycles: u64,
    /// Outputs, and bits of outputs, that the chip does not have.
    pub left_out: Vec<String>,
}

/// Gives a module the ports of a chip. Ports of the chip that `ports` does not name are those of the
/// same name. The result is of no use if there are mistakes.
pub fn drop_in(
    chip: &Chip,
    table: &ModuleTable,
    ports: &BTreeMap<String, Spanned<Expressions>>,
    module: &Module,
    mistakes: &mut Mistakes<'_>,
) -> FittingModule {
    let no_links = LinkForm {
        protocol: ProtocolName::ValidReady,
        data_bits: 0,
        vcs: 1,
        numbers_credits: false,
        answers: CircuitAnswers::default(),
    };
    let mut mapper = Mapper::new(module, no_links, mistakes);
    mapper.directions = "a port of the chip has the direction of the bits that it is";
    mapper.clock_and_reset(table);
    mapper.constants(table);
    let is_data = |role: Role| !matches!(role, Role::Clock | Role::Reset);
    let names: Vec<&str> = chip.ports.iter().map(|port| port.name).collect();
    for (name, text) in ports {
        let known = chip.ports.iter().find(|port| port.name == name);
        let (message, help) = match known {
            Some(port) if is_data(port.role) => continue,
            Some(port) => (
                format!("found the {} of the chip", port.doc),
                "name it as component.clock or component.reset".to_owned(),
            ),
            None => (
                format!("the chip {} has no port {name}", chip.name),
                meant_or(
                    name,
                    &names,
                    format!("`crosswave signals` lists the ports of {}", chip.name),
                ),
            ),
        };
        mapper
            .mistakes
            .add(format!("ports.{name}"), Some(text.span()), message, help);
    }
    for port in chip.ports.iter().filter(|port| is_data(port.role)) {
        let place = format!("ports.{}", port.name);
        let direction = match port.direction {
            PinDirection::Input => PortDirection::Input,
            PinDirection::Output => PortDirection::Output,
        };
        let own_name = [port.name.to_owned()];
        let (texts, span) = match ports.get(port.name) {
            Some(texts) => (texts.get_ref().list(), texts.span()),
            None => (&own_name[..], table.top.span()),
        };
        let mut bits = PortBits::new();
        let parts = texts.iter().rev().map_while(|text| {
            let slice = PortSlice::parse(text, 0, "");
            mapper.bits(&place, span.clone(), slice, direction)
        });
        let parts: Vec<PortBits> = parts.collect();
        if parts.len() != texts.len() {
            continue;
        }
        parts.into_iter().for_each(|part| bits.extend(part));
        if bits.len() != usize::from(port.width) {
            let message = format!("found {} bits; expected {}", bits.len(), port.width);
            let help = format!("the chip {}: {}", chip.name, port.doc);
            mapper.mistakes.add(place, Some(span), message, help);
            continue;
        }
        mapper.add(&place, span, *port, bits);
    }
    if !mapper.mistakes.are_any() {
        mapper.undriven(
            table.top.span(),
            "name them in [ports], or give them a value in component.pins, such as 0",
        );
    }
    FittingModule {
        left_out: mapper.left_out(),
        module: mapper.result.module,
        reset_cycles: mapper.result.reset_cycles,
    }
}

impl Mapper<'_, '_> {
    /// Ties inputs that the chip does not have to their values.
    fn constants(&mut self, table: &ModuleTable) {
        for (name, rule) in &table.pins {
            let place = format!("component.pins.{name}");
            let slice = PortSlice::parse(name, 0, "");
            let Some(bits) = self.bits(&place, rule.span(), slice, PortDirection::Input) else {
                continue;
            };
            let width = bits.len();
            self.no_opposite(&place, rule.span(), &bits, "give the opposite value");
            let value = match *rule.get_ref() {
                PinRule::Value(value) if width >= 64 || value >> width == 0 => value,
                _ => {
                    let message = format!("expected an integer of {width} bits");
                    let help = "the instances of a chip of crosswave have no values of their own";
                    self.mistakes.add(place, Some(rule.span()), message, help);
                    continue;
                }
            };
            for (at, (bit, _)) in bits.into_iter().enumerate() {
                let Bit::Net(output) = bit else {
                    continue;
                };
                self.taken.insert(output, place.clone());
                let is_one = value.checked_shr(at as u32).unwrap_or(0) & 1 == 1;
                let input = if is_one { Bit::One } else { Bit::Zero };
                let name = format!("{name}$constant_{at}");
                let module = &mut self.result.module;
                module.drive(&name, Function::Buf, &[input], output);
            }
        }
    }
}
