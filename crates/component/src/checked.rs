//! Components with the rules of their links beside them: for other tools, for proofs, and in a run.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::endpoint::declared;
use super::links::kept;
use super::properties::{Form, Properties, Subject, is_read};
use super::{Component, OwnNetlist, hash, proof};
use crosswave_base::diagnostic::Error;
use crosswave_chips::netlists::{ChipNetlist, flattened};
use crosswave_chips::{Chip, PinDirection, Port, Role};
use crosswave_netlist::{Module, yosys};
use crosswave_synthesis::{Design, ReadOptions};

/// A property that a router looks at in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Monitor {
    /// The output of the router, and its bit: 1 from the cycle after the first breach on.
    pub port: usize,
    /// The bit.
    pub bit: usize,
    /// The link and the direction, or `router`.
    pub place: String,
    /// The name of the property.
    pub property: &'static str,
    /// The sentence that it stands for.
    pub sentence: &'static str,
}

/// Components with monitors, by the components.
static MONITORED: Mutex<BTreeMap<usize, &'static Component>> = Mutex::new(BTreeMap::new());

impl Component {
    /// The rules of its links.
    pub fn properties(&self) -> Properties {
        let flops = self.router.netlist.module.flops().count();
        Properties::of(&Subject {
            ports: self.router.chip.ports,
            links: self.router.chip.links,
            form: self.form,
            ends: &self.ends,
            credits: &self.credits,
            packet: &self.packet,
            reset_cycles: self.reset_cycles,
            // A flit that is held takes as many flip-flops as it has bits.
            capacity: (flops / self.form.data_bits) as u64,
        })
    }

    /// Its rules as SystemVerilog assertions beside the module, for other tools: a module with the ports of the
    /// chip, the chip in it, and the rules.
    pub fn assertions(&self) -> String {
        let (_, wrapper) = self.router.chip.sources[0];
        let rules = format!("{}_rules", self.top);
        let text = self.properties().verilog(&rules, Form::Assertions);
        let name = format!("{}_checked", self.top);
        let around = checked(&name, self.router.chip, &rules, &[]);
        format!("{wrapper}\n{text}\n{around}")
    }

    /// The netlist of a form of its rules.
    pub(crate) fn rules(&self, properties: &Properties, form: Form) -> Result<Module, Error> {
        let name = format!("{}_rules", self.top);
        let design = Design {
            top: &name,
            files: &[],
            includes: &[],
            texts: &[(format!("{name}.v"), properties.verilog(&name, form))],
            options: &ReadOptions::default(),
            library: &[],
        };
        let json = crosswave_synthesis::netlist(&design, |_| {})?.json;
        Ok(flattened(yosys::read_netlist(&json, &name)?, 0)?.module)
    }

    /// The component with monitors: a bit for each property, in the router's netlist.
    ///
    /// # Errors
    /// When Yosys is missing.
    pub fn monitored(&'static self) -> Result<&'static Component, Error> {
        let mut known = MONITORED.lock().unwrap_or_else(PoisonError::into_inner);
        let key = std::ptr::from_ref(self) as usize;
        if let Some(found) = known.get(&key) {
            return Ok(found);
        }
        let properties = self.properties();
        let netlist = &self.router.netlist;
        let module = proof::joined(&netlist.module, &self.rules(&properties, Form::Monitor)?);
        let base = self.router.chip;
        let outputs = properties.outputs(Form::Monitor);
        let mut ports = base.ports.to_vec();
        ports.extend(outputs.iter().map(|(name, width)| Port {
            name: kept(name.clone()),
            direction: PinDirection::Output,
            width: *width as u8,
            role: Role::Host,
            doc: "properties that were broken",
        }));
        let rules = format!("{}_rules", self.top);
        let name = kept(format!("{}_checked", base.name));
        let rules_text = properties.verilog(&rules, Form::Monitor);
        let around = checked(name, base, &rules, &ports[base.ports.len()..]);
        let mut sources = base.sources.to_vec();
        for (name, text) in [(rules.as_str(), rules_text), (name, around)] {
            sources.push((kept(format!("{name}.v")), kept(text)));
        }
        let mut monitors = Vec::new();
        let mut rules = properties.monitored();
        for (at, (_, width)) in outputs.iter().enumerate() {
            monitors.extend(
                rules
                    .by_ref()
                    .take(*width)
                    .enumerate()
                    .map(|(bit, rule)| Monitor {
                        port: base.ports.len() + at,
                        bit,
                        place: rule.place(),
                        property: rule.name,
                        sentence: rule.sentence,
                    }),
            );
        }
        let chip: &'static Chip = Box::leak(Box::new(Chip {
            name,
            ports: Box::leak(ports.into_boxed_slice()),
            links: base.links,
            words: &[],
            sources: Box::leak(sources.into_boxed_slice()),
        }));
        let text = properties.verilog("rules", Form::Monitor);
        let component = Component {
            top: self.top.clone(),
            router: OwnNetlist {
                chip,
                netlist: ChipNetlist {
                    module,
                    vectors: netlist.vectors.clone(),
                },
                hash: hash(&[&self.router.hash, &text]),
                origin: self.router.origin.clone(),
                reset_cycles: self.router.reset_cycles,
                folders: self.router.folders.clone(),
            },
            monitors,
            endpoint: self.endpoint,
            form: self.form,
            ends: self.ends.clone(),
            credits: self.credits.clone(),
            reset_cycles: self.reset_cycles,
            instance_parameters: self.instance_parameters.clone(),
            parameters_as: self.parameters_as,
            path: self.path.clone(),
            chips: [chip, self.endpoint.chip],
            packet: self.packet.clone(),
            pins: self.pins.clone(),
            hop_cycles: self.hop_cycles,
            files: self.files.clone(),
            defines: self.defines.clone(),
            text: self.text.clone(),
        };
        let component: &'static Component = Box::leak(Box::new(component));
        known.insert(key, component);
        Ok(component)
    }
}

/// A module with the ports of a chip, and more outputs, that has the chip and its rules in it.
fn checked(name: &str, chip: &Chip, rules: &str, outputs: &[Port]) -> String {
    let is_there = |port: &&Port| !matches!(port.role, Role::Parameter);
    let all = chip.ports.iter().filter(is_there).chain(outputs);
    let lines: Vec<String> = all.map(declared).collect();
    let connected = |ports: &mut dyn Iterator<Item = &Port>| {
        let names = ports.map(|port| format!(".{0}({0})", port.name));
        names.collect::<Vec<_>>().join(", ")
    };
    format!(
        "// {} and the rules of its links. Written by crosswave for the component file.\n\
         `default_nettype none\n\nmodule {name} (\n{}\n);\n  {0} router ({});\n  {rules} rules ({});\n\
         endmodule\n`default_nettype wire\n",
        chip.name,
        lines.join(",\n"),
        connected(&mut chip.ports.iter().filter(is_there)),
        connected(
            &mut chip
                .ports
                .iter()
                .filter(|port| is_read(port))
                .chain(outputs)
        ),
    )
}
