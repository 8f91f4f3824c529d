//! Reads one cell: a gate, a flip-flop or an instance.

use std::collections::{BTreeMap, HashMap};

use smallvec::SmallVec;
use smol_str::{SmolStr, format_smolstr};

use super::cell_types::{MEMORY, mux_depth};
use super::file::{Bits, CellBody};
use super::flops::FlopType;
use super::json::{Entries, ExpectedObject, Plain};
use super::module::Reader;
use super::unsupported;
use super::warnings::drives_nothing;
use crate::check::{blackbox_help, missing_module};
use crate::findings::NetlistPlace;
use crate::function::Function;
use crate::model::{Bit, Cell, CellKind, Connection, Gate, Instance, NetId, PortDirection};

/// The data pins and the select pins of `$_MUX16_`; smaller ones have the first
/// of both.
const MUX_DATA: [&str; 16] = [
    "A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P",
];
const MUX_SELECT: [&str; 4] = ["S", "T", "U", "V"];

/// The connections of a gate or a flip-flop, by pin.
type Pins<'v> = BTreeMap<&'v str, Bit>;

impl Reader<'_, '_> {
    /// Reads a cell and adds it to the module.
    pub fn cell(&mut self, name: &str, body: &CellBody<'_>, place: NetlistPlace<'_>) {
        let declared = body.cell_type.as_ref();
        let Some(cell_type) = declared.and_then(Plain::as_str) else {
            let found = declared.map_or("nothing".into(), Plain::shown);
            self.findings
                .add(place, format!("the type is {found}, expected a string"), "");
            return;
        };
        let empty = Entries::default();
        let connections = match &body.connections {
            Some(ExpectedObject::Object(connections)) => connections,
            None => &empty,
            Some(ExpectedObject::Other(other)) => {
                let found = format!("`connections` is {}, expected an object", other.shown());
                self.findings.add(place, found, "");
                return;
            }
        };
        let known = self.declared.ports.contains_key(cell_type);
        if let Some(function) = Function::from_yosys(cell_type) {
            let inputs = function.pins().iter().copied();
            if let Some((pins, output)) = self.pins(connections, cell_type, inputs, "Y", place) {
                let inputs = function.pins().iter().map(|pin| pins[pin]).collect();
                self.gate(name, &body.src, function, inputs, output);
            }
        } else if let Some(depth) = mux_depth(cell_type) {
            let data = &MUX_DATA[..1 << depth];
            let select = &MUX_SELECT[..depth];
            let inputs = data.iter().chain(select).copied();
            if let Some((pins, output)) = self.pins(connections, cell_type, inputs, "Y", place) {
                let data = data.iter().map(|pin| pins[pin]).collect();
                let select: Vec<Bit> = select.iter().map(|pin| pins[pin]).collect();
                self.mux_tree(name, &body.src, data, &select, output);
            }
        } else if let Some(flop) = FlopType::parse(cell_type) {
            let found = self.pins(connections, cell_type, flop.inputs(), "Q", place);
            if let Some((pins, q)) = found {
                // `pin` is asked only for pins that `pins` was asked to have.
                let pin = |pin: &str| pins.get(pin).copied().unwrap_or(Bit::X);
                let kind = CellKind::Flop(Box::new(flop.flop(pin, q)));
                self.add(name, &body.src, kind);
            }
        } else if cell_type == MEMORY && !known {
            self.memory(name, body, connections, place);
        } else if !known && drives_nothing(cell_type) {
            self.warnings.leave_out(cell_type, place);
        } else if let Some(found) = self.declared.blackboxes.get(cell_type) {
            let shown = self.declared.shown(cell_type);
            let times = match found.instances {
                1 => "one instance".to_owned(),
                many => format!("{many} instances"),
            };
            let message = format!(
                "module `{shown}` is a blackbox with {times}: the file has its ports ({}), but not \
                 what is inside",
                found.ports
            );
            self.findings
                .add(place, message, blackbox_help(cell_type, shown));
        } else if !known && cell_type.starts_with('$') && !cell_type.starts_with("$paramod") {
            let (what, help) = unsupported::reason(cell_type);
            let subject = format!("`{cell_type}`");
            let message = format!("{subject} is {what}");
            self.findings
                .add_of_kind(what, &subject, place, message, help);
        } else if !known {
            missing_module(self.declared.shown(cell_type), place, self.findings);
        } else {
            self.instance(name, cell_type, body, connections, place);
        }
    }

    pub(super) fn add(&mut self, name: &str, src: &str, kind: CellKind) {
        self.module.cells.push(Cell {
            name: name.into(),
            src: src.into(),
            kind,
        });
    }

    pub(super) fn gate(
        &mut self,
        name: &str,
        src: &str,
        function: Function,
        inputs: SmallVec<[Bit; 4]>,
        output: NetId,
    ) {
        let gate = Gate {
            function,
            inputs,
            output,
        };
        self.add(name, src, CellKind::Gate(gate));
    }

    /// A tree of MUX: the first select bit chooses between neighbours.
    fn mux_tree(
        &mut self,
        name: &str,
        src: &str,
        mut data: Vec<Bit>,
        select: &[Bit],
        output: NetId,
    ) {
        let mut count = 0;
        for &bit in select {
            let last = data.len() == 2;
            let pairs: Vec<[Bit; 2]> = data.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
            data.clear();
            for [a, b] in pairs {
                let (gate, net) = if last {
                    (SmolStr::from(name), output)
                } else {
                    let gate = format_smolstr!("{name}$mux{count}");
                    count += 1;
                    (gate.clone(), self.fresh(gate))
                };
                let inputs = SmallVec::from_slice(&[a, b, bit]);
                self.gate(&gate, src, Function::Mux, inputs, net);
                data.push(Bit::Net(net));
            }
        }
    }

    /// The one-bit pins of a gate or flip-flop: each of `inputs`, and the net that
    /// `output` drives. An input that is left open is X, and an output drives a net that
    /// nothing reads. `None` when something is wrong.
    fn pins<'v>(
        &mut self,
        connections: &'v Entries<'_, Bits<'_>>,
        cell_type: &str,
        inputs: impl Iterator<Item = &'static str>,
        output: &'static str,
        place: NetlistPlace<'_>,
    ) -> Option<(Pins<'v>, NetId)>
    where
        'static: 'v,
    {
        let mut pins = Pins::new();
        let mut sound = true;
        let expected: Vec<&'static str> = inputs.chain([output]).collect();
        for &pin in &expected {
            let place = place.port(pin);
            let Some(value) = connections.get(pin) else {
                self.findings.add(
                    place,
                    format!("this pin of `{cell_type}` is not connected"),
                    "connect every pin of a gate; Yosys does unless the file was edited",
                );
                sound = false;
                continue;
            };
            let bits = self.bits(Some(value), place);
            match bits.as_deref() {
                Some(&[bit]) => {
                    pins.insert(pin, bit);
                }
                Some([]) if pin == output => {
                    let net =
                        self.fresh(format_smolstr!("{}.{pin}", place.cell.unwrap_or_default()));
                    pins.insert(pin, Bit::Net(net));
                }
                Some([]) => {
                    self.warnings.leave_open(cell_type, place);
                    pins.insert(pin, Bit::X);
                }
                Some(bits) => {
                    let found = format!("{} bits are connected, expected 1", bits.len());
                    self.findings.add(place, found, "");
                    sound = false;
                }
                None => sound = false,
            }
        }
        for (pin, _) in &connections.0 {
            if !expected.contains(&pin.as_ref()) {
                let found = format!("`{cell_type}` has no such pin");
                let help = format!("its pins are {}", expected.join(", "));
                self.findings.add(place.port(pin), found, help);
                sound = false;
            }
        }
        match pins.get(output).copied() {
            Some(Bit::Net(net)) if sound => Some((pins, net)),
            Some(Bit::Net(_)) | None => None,
            Some(_) => {
                self.findings.add(
                    place.port(output),
                    "an output is shorted to a constant",
                    "remove the constant assignment to the net it drives",
                );
                None
            }
        }
    }

    fn instance(
        &mut self,
        name: &str,
        module: &str,
        body: &CellBody<'_>,
        connections: &Entries<'_, Bits<'_>>,
        place: NetlistPlace<'_>,
    ) {
        let declared = self.declared.ports.get(module);
        let module = self.declared.shown(module);
        let mut instance = Instance {
            module: module.to_owned(),
            connections: Vec::with_capacity(connections.0.len()),
        };
        let directions = body.directions.0.iter();
        let own: HashMap<&str, PortDirection> = directions
            .filter_map(|(port, direction)| Some((port.as_ref(), direction.0?)))
            .collect();
        for (port, bits) in &connections.0 {
            let place = place.port(port);
            let found = declared.and_then(|ports| ports.get(port));
            let found = found.or_else(|| own.get(port.as_ref())).copied();
            let Some(direction) = found else {
                let found = format!("module `{module}` has no such input or output");
                self.findings
                    .add(place, found, "connect ports that the module declares");
                continue;
            };
            // A port that is left open is the same as one that is not there.
            let is_open = bits.as_array().is_some_and(<[_]>::is_empty);
            if !(is_open && declared.is_some_and(|ports| ports.contains_key(port)))
                && let Some(bits) = self.bits(Some(bits), place)
            {
                instance.connections.push(Connection {
                    port: port.clone().into_owned(),
                    direction,
                    bits,
                });
            }
        }
        self.add(name, &body.src, CellKind::Instance(instance));
    }
}
