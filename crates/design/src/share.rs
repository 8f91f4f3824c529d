//! One module for a family, with inputs in place of the constants that differ.
//!
//! The modules of a [family](super::family) are flattened and held against the first.
//! Where their constants differ, the first gets an input, a bit of the port
//! [`Shared::port`]; places with the same constants in every module have one bit
//! together. An instance has that port connected to the constants of its own module.
//! Constants that are the same in all modules stay, and are folded.

use std::collections::{BTreeMap, BTreeSet};

use super::family::{ConstantPlace, ModuleForm, NameNumbers};
use crosswave_base::diagnostic::Error;
use crosswave_netlist::{
    Bit, BitRange, CellKind, Connection, DesignHierarchy, FLAT_CELLS_MAX, FlatMap, Module, Net,
    NetId, Port, PortDirection, flatten_mapped,
};

#[cfg(test)]
mod tests;

/// A module that shares.
#[derive(Debug)]
pub(super) struct Member {
    /// Its index in the design.
    pub module: usize,
    /// Its bits of the port of constants.
    ties: Vec<Bit>,
    /// The names of its flip-flops' nets, in the order of those of the shared module; none
    /// unless they are asked for.
    pub flops: Vec<String>,
    /// The places of its nets in the shared module, where they are asked for.
    pub nets: Option<MemberNets>,
}

/// The nets of the instances in a module that shares.
#[derive(Debug)]
pub(super) struct MemberNets {
    /// The instances in the module, and their nets in the module when it is flat.
    pub map: FlatMap,
    /// The net of the shared module for each net of the flat module; `None` for one at no port and
    /// no cell.
    shared: Vec<Option<NetId>>,
}

impl MemberNets {
    /// The bit of the shared module for a bit of the module of an instance; `None` when nothing
    /// drives it.
    pub fn bit(&self, instance: usize, bit: Bit) -> Option<Bit> {
        match self.map.bit(instance, bit) {
            Bit::Net(net) => self.shared[net.index()].map(Bit::Net),
            constant => Some(constant),
        }
    }
}

/// Names and places in members that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MemberDetails {
    /// The names of flip-flops.
    pub flops: bool,
    /// The places of nets.
    pub nets: bool,
}

/// One flat module for a family.
#[derive(Debug)]
pub(super) struct Shared {
    /// The first module, with inputs for constants.
    pub module: Module,
    /// The port of these inputs, unless there are none.
    port: Option<String>,
    /// The modules that share.
    pub members: Vec<Member>,
}

impl Shared {
    /// One module for these, of which there is at least one, with the details that are asked
    /// for. A module that turns out to be another netlist is left out, and so is one
    /// by which all together would have more than [`FLAT_CELLS_MAX`] cells.
    ///
    /// # Errors
    /// What [`flatten_mapped`] refuses.
    pub(super) fn new(
        hierarchy: &DesignHierarchy<'_>,
        modules: &[usize],
        details: MemberDetails,
    ) -> Result<Shared, Error> {
        let (mut module, map) = flatten_mapped(hierarchy, modules[0], &BTreeSet::new())?;
        let most = FLAT_CELLS_MAX / (module.cells.len() as u64 + 1);
        let mut members = vec![Member {
            module: modules[0],
            ties: Vec::new(),
            flops: match details.flops {
                true => flop_names(&module),
                false => Vec::new(),
            },
            nets: details.nets.then(|| MemberNets {
                map,
                shared: (0..module.nets.len() as u32)
                    .map(|net| Some(NetId(net)))
                    .collect(),
            }),
        }];
        if modules.len() == 1 {
            return Ok(Shared {
                module,
                port: None,
                members,
            });
        }
        let mut names = NameNumbers::default();
        let form = ModuleForm::new(&module, &mut names, |_| 0);
        let mut constants = vec![values(&form)];
        for &other in modules[1..].iter().take(most as usize) {
            let (copy, map) = flatten_mapped(hierarchy, other, &BTreeSet::new())?;
            let found = ModuleForm::new(&copy, &mut names, |_| 0);
            if found.words == form.words {
                constants.push(values(&found));
                members.push(Member {
                    module: other,
                    ties: Vec::new(),
                    flops: match details.flops {
                        true => flops(&copy, &found, &module, &form),
                        false => Vec::new(),
                    },
                    nets: details.nets.then(|| MemberNets {
                        map,
                        shared: shared_nets(&found, &form),
                    }),
                });
            }
        }
        let mut bits: BTreeMap<Vec<Bit>, u32> = BTreeMap::new();
        let mut tied = Vec::new();
        for (at, &(place, _)) in form.constants.iter().enumerate() {
            let column: Vec<Bit> = constants.iter().map(|values| values[at]).collect();
            if column.iter().all(|bit| *bit == column[0]) {
                continue;
            }
            let next = bits.len() as u32;
            let bit = *bits.entry(column).or_insert(next);
            tied.push((place, NetId(module.nets.len() as u32 + bit)));
        }
        let mut columns: Vec<(u32, Vec<Bit>)> = bits.into_iter().map(|(c, bit)| (bit, c)).collect();
        columns.sort_unstable_by_key(|&(bit, _)| bit);
        for (number, member) in members.iter_mut().enumerate() {
            member.ties = columns.iter().map(|(_, column)| column[number]).collect();
        }
        let port = add_port(&mut module, columns.len());
        connect(&mut module, tied);
        Ok(Shared {
            module,
            port,
            members,
        })
    }

    /// Connects the inputs for constants of an instance of a member.
    pub(super) fn tie(&self, member: &Member, connections: &mut Vec<Connection>) {
        if let Some(port) = &self.port {
            connections.push(Connection {
                port: port.clone(),
                direction: PortDirection::Input,
                bits: member.ties.clone(),
            });
        }
    }
}

/// The names of the nets that the flip-flops of a module drive.
pub(super) fn flop_names(module: &Module) -> Vec<String> {
    let flops = module.flops();
    flops
        .map(|(_, flop)| module.net_name(flop.q).to_owned())
        .collect()
}

fn values(form: &ModuleForm) -> Vec<Bit> {
    form.constants.iter().map(|&(_, bit)| bit).collect()
}

/// The names of the flip-flops' nets of a copy, in the order of those of a module.
fn flops(copy: &Module, form: &ModuleForm, module: &Module, first: &ModuleForm) -> Vec<String> {
    let mut names: Vec<(u32, String)> = first
        .cells
        .iter()
        .zip(&form.cells)
        .filter_map(
            |(&cell, &of_copy)| match &copy.cells[of_copy as usize].kind {
                CellKind::Flop(flop) => Some((cell, copy.net_name(flop.q).to_owned())),
                _ => None,
            },
        )
        .collect();
    debug_assert_eq!(names.len(), module.flops().count());
    names.sort_unstable();
    names.into_iter().map(|(_, name)| name).collect()
}

/// The net of the first module for each net of a copy.
fn shared_nets(copy: &ModuleForm, first: &ModuleForm) -> Vec<Option<NetId>> {
    let most = first.numbers.iter().max().map_or(0, |&most| most as usize);
    let mut numbered = vec![None; most + 1];
    for (net, &number) in (0..).zip(&first.numbers) {
        if number > 0 {
            numbered[number as usize] = Some(NetId(net));
        }
    }
    let numbers = copy.numbers.iter();
    numbers.map(|&number| numbered[number as usize]).collect()
}

/// Adds an input of so many bits, with new nets, under a name that is free.
fn add_port(module: &mut Module, width: usize) -> Option<String> {
    if width == 0 {
        return None;
    }
    let mut name = "$tied".to_owned();
    while module.port(&name).is_some() {
        name.push('\'');
    }
    let first = module.nets.len() as u32;
    module.nets.extend((0..width).map(|bit| Net {
        name: format!("{name}[{bit}]").into(),
        src: "".into(),
    }));
    module.ports.push(Port {
        name: name.clone(),
        direction: PortDirection::Input,
        bits: (first..first + width as u32)
            .map(|net| Bit::Net(NetId(net)))
            .collect(),
        range: BitRange::default(),
        signed: false,
    });
    Some(name)
}

/// Connects places of a module to nets.
fn connect(module: &mut Module, mut tied: Vec<(ConstantPlace, NetId)>) {
    tied.sort_unstable();
    let mut rest = tied.as_slice();
    while let Some(&(place, net)) = rest.first() {
        let cell = match place {
            ConstantPlace::Port(port, bit) => {
                module.ports[port as usize].bits[bit as usize] = Bit::Net(net);
                rest = &rest[1..];
                continue;
            }
            ConstantPlace::Cell(cell, _) => cell,
        };
        let mut pin = 0;
        module.cells[cell as usize].kind.map_inputs(|bit| {
            let here = rest
                .first()
                .filter(|(place, _)| *place == ConstantPlace::Cell(cell, pin));
            pin += 1;
            let Some(&(_, net)) = here else { return bit };
            rest = &rest[1..];
            Bit::Net(net)
        });
    }
}
