//! Finds the driver of each input of each instance, past every port that only passes something on.

use std::collections::BTreeMap;

use super::{Array, Driver, Joint, Source, nets_used};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{Bit, Module, NetId, PortDirection};

/// Driver of an input net of an array, before ports that pass on are followed.
#[derive(Clone, Copy)]
enum Entry {
    User,
    /// A bit of the leaf of an array, for an instance.
    Bit(u32, u32, Bit),
}

/// Finds the source of every input.
pub(super) fn link(arrays: &mut [Array], joints: &[Joint]) -> Result<(), Error> {
    let mut entries: Vec<Vec<Vec<Entry>>> = arrays
        .iter()
        .map(|array| vec![Vec::new(); array.leaf.nets()])
        .collect();
    for joint in joints {
        let outer = &arrays[0].leaf.module.ports[joint.outer];
        let inner = &arrays[joint.array].leaf.module.ports[joint.port];
        for (&outside, &inside) in outer.bits.iter().zip(&inner.bits) {
            if inner.direction == PortDirection::Input {
                if let Bit::Net(net) = inside {
                    let count = arrays[joint.array].instances.len();
                    let list = &mut entries[joint.array][net.index()];
                    list.resize(count, Entry::User);
                    list[joint.instance] = Entry::Bit(0, 0, outside);
                }
            } else if let Bit::Net(net) = outside {
                let entry = Entry::Bit(joint.array as u32, joint.instance as u32, inside);
                entries[0][net.index()] = vec![entry];
            }
        }
    }
    let bits: usize = entries.iter().flatten().map(Vec::len).sum();
    let mut all = Vec::new();
    for (number, array) in arrays.iter().enumerate() {
        let mut sources = array.sources.clone();
        for (input, &net) in array.inputs.iter().enumerate() {
            for (instance, source) in sources[input].iter_mut().enumerate() {
                let start = (number, instance, net);
                let mut at = start;
                let mut hops = 0;
                *source = loop {
                    let entry = entries[at.0][at.2.index()].get(at.1);
                    let Some(&Entry::Bit(array, instance, bit)) = entry else {
                        break match at == start {
                            true => Source::User,
                            false => Source::Net {
                                array: at.0 as u32,
                                instance: at.1 as u32,
                                net: at.2,
                            },
                        };
                    };
                    let Bit::Net(net) = bit else {
                        break Source::Constant(bit == Bit::One);
                    };
                    if arrays[array as usize].drivers[net.index()] != Driver::Input {
                        break Source::Net {
                            array,
                            instance,
                            net,
                        };
                    }
                    at = (array as usize, instance as usize, net);
                    hops += 1;
                    if hops > bits {
                        return Err(looped(&arrays[0].leaf.module));
                    }
                };
            }
        }
        all.push(sources);
    }
    for (array, sources) in arrays.iter_mut().zip(all) {
        array.sources = sources;
    }
    Ok(())
}

/// The error for a loop whose nets are not known; see `build`.
pub(crate) fn looped(module: &Module) -> Error {
    Error::one(
        Class::Input,
        module.name.clone(),
        Diagnostic::new(
            format!("module {}", module.name),
            "combinational loop through instances or memories",
            "put a flip-flop into the loop, such as one at the address or the word of a memory, or break it",
        ),
    )
}

/// Takes the inputs from the top that come from instances and that it does not use itself, and says what
/// drives them. Bits of
/// `shown` stay.
pub(super) fn take_passed(
    top: &mut Array,
    shown: impl Iterator<Item = Bit>,
) -> BTreeMap<NetId, (u32, u32, NetId)> {
    let mut used = nets_used(&top.leaf);
    let of_memories = top.memories.iter().flat_map(|memory| memory.asked());
    for net in shown.chain(of_memories).filter_map(|bit| bit.net()) {
        used[net.index()] = true;
    }
    let inputs = std::mem::take(&mut top.inputs).into_iter();
    let mut passed = BTreeMap::new();
    for (input, sources) in inputs.zip(std::mem::take(&mut top.sources)) {
        match sources[..] {
            [
                Source::Net {
                    array,
                    instance,
                    net,
                },
            ] if !used[input.index()] => {
                passed.insert(input, (array, instance, net));
            }
            _ => {
                top.inputs.push(input);
                top.sources.push(sources);
            }
        }
    }
    passed
}
