//! The gate engine between two clock edges, as bytes.
//!
//! Registers are saved one after another as planes over the instances, pins likewise, and the words of
//! memories instance by instance, so that the bytes are the same whatever the number of threads, the width
//! of a lane word and the places of planes. Lanes without an instance are as after reset when it is loaded, and no
//! group is known to rest: the next edge finds out.

use std::collections::BTreeMap;
use std::convert::Infallible;

use super::GateEngine;
use crate::coverage::QuietNets;
use crate::layout::PlaneLayout;
use crate::plan::Plan;
use crate::step::{POISON, Shared, ThreadOutputs};
use crosswave_chips::registers::Storage;
use crosswave_netlist::watch::{ALARM, Change, Noted, Watch};
use crosswave_probe::engine::Engine;
use crosswave_probe::save::{Loader, Saver, Unlike};
use smol_str::SmolStr;

pub(super) fn save(engine: &GateEngine, saver: &mut Saver) {
    saver.value(&(engine.cycle, engine.held));
    for (array, plan) in engine.shared.plans.iter().enumerate() {
        let instances = engine.shared.fabric.arrays[array].instances;
        let mut words = vec![0; instances.div_ceil(64)];
        for register in registers(plan) {
            engine.register_words(array, register, |first, from| {
                let end = words.len().min(first + from.len());
                if first < end {
                    words[first..end].copy_from_slice(&from[..end - first]);
                }
            });
            saver.words(&words);
        }
        for &(port, bit) in &plan.pins {
            engine.plane(array, port, bit, instances, &mut words);
            saver.words(&words);
        }
    }
    let Ok(()) = each_memory(engine, |held| {
        let words = held.chunks(4).map(|held| {
            let numbers = held.iter().rev();
            numbers.fold(0, |all, &number| all << 16 | u64::from(number))
        });
        saver.words(&words.collect::<Vec<u64>>());
        Ok::<(), Infallible>(())
    });
}

pub(super) fn load(engine: &mut GateEngine, loader: &mut Loader<'_>) -> Result<(), Unlike> {
    let at = loader.value()?;
    fill(engine, at, |_, _, words| loader.words(words).map(|()| true))?;
    each_memory(engine, |held| {
        let mut words = vec![0; held.len().div_ceil(4)];
        loader.words(&mut words)?;
        for (number, held) in held.iter_mut().enumerate() {
            *held = (words[number / 4] >> (16 * (number % 4))) as u16;
        }
        Ok(())
    })?;
    // The planes of what memories show are not saved.
    engine.shared.serve_memories(engine.parity);
    Ok(())
}

/// Calls with the words of each memory of each instance, array by array.
fn each_memory<E>(
    engine: &GateEngine,
    mut act: impl FnMut(&mut [u16]) -> Result<(), E>,
) -> Result<(), E> {
    for (array, plan) in engine.shared.plans.iter().enumerate() {
        let instances = engine.shared.fabric.arrays[array].instances;
        for memory in 0..plan.memories.len() {
            for (thread, chunk) in engine.chunks(array) {
                let own = &mut engine.shared.parts[thread].own.write().expect(POISON);
                let first = 64 * chunk.state.words.start;
                let count = instances.saturating_sub(first);
                let lanes = count.min(64 * chunk.state.words.len());
                for lane in 0..lanes {
                    act(own.memories[array][memory].lane_mut(lane))?;
                }
            }
        }
    }
    Ok(())
}

/// The registers of the arrays of an engine, by their names.
fn by_names(engine: &GateEngine) -> Vec<BTreeMap<&str, usize>> {
    let by_names = engine.shared.plans.iter().map(|plan| {
        let names = plan.names.iter().map(SmolStr::as_str);
        names.zip(0..).collect()
    });
    by_names.collect()
}

/// The words of a register of an engine.
fn copy(engine: &GateEngine, array: usize, register: usize, words: &mut [u64]) {
    engine.register_words(array, register, |first, from| {
        let end = words.len().min(first + from.len());
        if first < end {
            words[first..end].copy_from_slice(&from[..end - first]);
        }
    });
}

/// Hands the state of an engine, which counts, to one that is to go on in its place, with fewer watchers;
/// those that it does not have itself another one has, which stands in the same cycle. There is no alarm.
pub(super) fn hand_over(from: &GateEngine, other: Option<&GateEngine>, to: &mut GateEngine) {
    let all = [Some(from), other].into_iter().flatten();
    let sources: Vec<_> = all.map(|engine| (engine, by_names(engine))).collect();
    // The engine that watches more has more pins.
    let with_pins = other.unwrap_or(from);
    let filled = fill(to, (from.cycle, from.held), |array, plane, words| {
        match plane {
            Plane::Register(_, ALARM) => words.fill(0),
            Plane::Register(_, name) => {
                let mut sources = sources.iter();
                let found = sources.find_map(|(engine, names)| {
                    let register = names[array].get(name)?;
                    Some((engine, *register))
                });
                let (engine, register) = found.expect("one of them has the register");
                copy(engine, array, register, words);
            }
            Plane::Pin(_, port, bit) => {
                let instances = from.shared.fabric.arrays[array].instances;
                with_pins.plane(array, port, bit, instances, words);
            }
        }
        Ok::<bool, Infallible>(true)
    });
    let Ok(()) = filled;
    copy_memories(from, to);
}

/// Copies the words of all memories.
fn copy_memories(from: &GateEngine, to: &GateEngine) {
    let mut all = Vec::new();
    let Ok(()) = each_memory(from, |held| {
        all.extend_from_slice(held);
        Ok::<(), Infallible>(())
    });
    let mut rest = all.as_slice();
    let Ok(()) = each_memory(to, |held| {
        let (words, behind) = rest.split_at(held.len());
        held.copy_from_slice(words);
        rest = behind;
        Ok::<(), Infallible>(())
    });
    to.shared.serve_memories(to.parity);
}

/// The origin of a register or pin of an engine that watches everything, when it comes to stand where
/// another one does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// A register of the other one.
    Register(usize),
    /// The pin of the other one.
    Pin,
    /// It is 1 everywhere: a quiet net has had its value.
    Ones,
    /// Itself.
    Own,
}

/// The way in which an engine that watches everything comes to stand where another one does, which had no
/// alarm for quiet nets: they have had their values since the reset.
pub(super) struct Following {
    /// The origins of the registers of each array.
    registers: Vec<Vec<Origin>>,
    /// Those of its pins.
    pins: Vec<Vec<Origin>>,
    /// The ports, by array, with pins that the other one does not have: they are driven.
    driven: Vec<Vec<bool>>,
}

impl Following {
    /// That of `to` by `from`.
    pub(super) fn new(from: &GateEngine, to: &GateEngine, quiet: &QuietNets) -> Following {
        let by_names = by_names(from);
        let mut following = Following {
            registers: Vec::new(),
            pins: Vec::new(),
            driven: Vec::new(),
        };
        for (array, plan) in to.shared.plans.iter().enumerate() {
            let chip = to.shared.fabric.arrays[array].chip;
            let nets = quiet.get(chip.name);
            let origin = |name: &SmolStr| match Watch::of_register(name) {
                Some((watch, noted)) => {
                    let value = nets.and_then(|nets| nets.get(&watch.net));
                    let before = watch.change == Change::Fall;
                    match noted == Noted::Before && value == Some(&before) {
                        true => Origin::Ones,
                        false => Origin::Own,
                    }
                }
                None => {
                    let register = by_names[array].get(name.as_str());
                    register.map_or(Origin::Own, |&register| Origin::Register(register))
                }
            };
            following
                .registers
                .push(plan.names.iter().map(origin).collect());
            let known = &from.shared.plans[array].pins;
            let mut driven = vec![false; chip.ports.len() + 1];
            let pins = plan.pins.iter().map(|pin| match known.contains(pin) {
                true => Origin::Pin,
                false => {
                    driven[pin.0] = true;
                    Origin::Own
                }
            });
            following.pins.push(pins.collect());
            following.driven.push(driven);
        }
        following
    }

    /// True when what is driven at a port has to be driven at the engine that follows as well.
    pub(super) fn is_driven(&self, array: usize, port: usize) -> bool {
        self.driven[array][port]
    }

    /// Has `to` stand where `from` does.
    pub(super) fn follow(&self, from: &GateEngine, to: &mut GateEngine) {
        let filled = fill(to, (from.cycle, from.held), |array, plane, words| {
            let origin = match plane {
                Plane::Register(register, _) => self.registers[array][register],
                Plane::Pin(pin, ..) => self.pins[array][pin],
            };
            match (origin, plane) {
                (Origin::Register(register), _) => copy(from, array, register, words),
                (Origin::Pin, Plane::Pin(_, port, bit)) => {
                    let instances = from.shared.fabric.arrays[array].instances;
                    from.plane(array, port, bit, instances, words);
                }
                (Origin::Ones, _) => words.fill(u64::MAX),
                (Origin::Own | Origin::Pin, _) => return Ok::<bool, Infallible>(false),
            }
            Ok(true)
        });
        let Ok(()) = filled;
        copy_memories(from, to);
    }
}

/// A plane of an array.
enum Plane<'a> {
    /// A register, with its name.
    Register(usize, &'a str),
    /// A pin: a port and a bit of it.
    Pin(usize, usize, usize),
}

/// Gives an engine a state: the cycle, whether random bits are held, and planes of each array, unless they
/// are to stay as they are.
fn fill<E>(
    engine: &mut GateEngine,
    (cycle, held): (u64, bool),
    mut plane: impl FnMut(usize, Plane<'_>, &mut [u64]) -> Result<bool, E>,
) -> Result<(), E> {
    let shared = engine.shared.clone();
    for (array, plan) in shared.plans.iter().enumerate() {
        let instances = shared.fabric.arrays[array].instances;
        let mut words = vec![0; instances.div_ceil(64)];
        for register in registers(plan) {
            if !plane(
                array,
                Plane::Register(register, &plan.names[register]),
                &mut words,
            )? {
                continue;
            }
            let reset = u64::from(plan.reset[register]).wrapping_neg();
            set_register(engine, (array, register), |word| {
                let lanes = match instances.saturating_sub(64 * word) {
                    64.. => u64::MAX,
                    lanes => (1 << lanes) - 1,
                };
                let saved = words.get(word).copied().unwrap_or(0);
                saved & lanes | reset & !lanes
            });
        }
        for (pin, &(port, bit)) in plan.pins.iter().enumerate() {
            if !plane(array, Plane::Pin(pin, port, bit), &mut words)? {
                continue;
            }
            for (thread, chunk) in engine.chunks(array) {
                let pins = &mut shared.parts[thread].own.write().expect(POISON).pins;
                set(pins[array].planes.words_mut(), &chunk.pins, pin, |word| {
                    words.get(word).copied().unwrap_or(0)
                });
                pins[array].zero.fill(false);
            }
        }
    }
    for part in &shared.parts {
        for pins in &mut part.own.write().expect(POISON).pins {
            pins.noted.fill(false);
        }
        for buffer in &part.driven {
            for outputs in &mut buffer.write().expect(POISON).outputs {
                outputs.rest.fill(false);
            }
        }
    }
    spread_words(&shared);
    (engine.parity, engine.cycle, engine.held) = (0, cycle, held);
    let mut random_bits = shared.random_bits.write().expect(POISON);
    random_bits.begin(cycle);
    random_bits.hold(held);
    Ok(())
}

/// The registers of an array, in rising order: those that drive something, then the others.
fn registers(plan: &Plan) -> impl Iterator<Item = usize> {
    let driving = plan.drivers.iter().map(|driver| driver.register);
    driving.chain(plan.kept.iter().copied())
}

/// Gives a register its values, by the word of the array, wherever it is kept.
fn set_register(
    engine: &GateEngine,
    (array, register): (usize, usize),
    value: impl Fn(usize) -> u64,
) {
    let plan = &engine.shared.plans[array];
    for (thread, chunk) in engine.chunks(array) {
        let part = &engine.shared.parts[thread];
        if let Storage::State(plane) = plan.places[register] {
            let state = &mut part.own.write().expect(POISON).state;
            set(state[array].words_mut(), &chunk.state, plane, &value);
        }
        let mut drivers = plan.drivers.iter();
        let Some(driver) = drivers.find(|driver| driver.register == register) else {
            continue;
        };
        for buffer in &part.driven {
            let outputs = &mut buffer.write().expect(POISON).outputs;
            for &plane in &driver.planes {
                set(
                    outputs[array].planes.words_mut(),
                    &chunk.outputs,
                    plane,
                    &value,
                );
            }
        }
    }
}

/// Gives a plane of a chunk its values, by the word of the array.
fn set(words: &mut [u64], layout: &PlaneLayout, plane: usize, value: impl Fn(usize) -> u64) {
    for (word, of_array) in layout.words.clone().enumerate() {
        words[layout.address(plane, word)] = value(of_array);
    }
}

/// Brings the links as words, where there are any, up to the outputs, in both buffers.
fn spread_words(shared: &Shared) {
    let random_bits = shared.random_bits.read().expect(POISON);
    let arrays = shared.plans.len();
    for (chunk, blocks) in shared.wiring.words.blocks.iter().enumerate() {
        let (thread, array) = (chunk / arrays, chunk % arrays);
        if blocks.is_empty() {
            continue;
        }
        let work = shared.work(chunk, &random_bits);
        let width = shared.plans[array].width;
        let part = &shared.parts[thread];
        for buffer in &part.driven {
            let ThreadOutputs { outputs, words } = &mut *buffer.write().expect(POISON);
            let outputs = outputs[array].planes.words();
            for group in 0..shared.chunks[chunk].state.words.len() / width {
                match width {
                    1 => work.spread::<1>(group, outputs, words),
                    2 => work.spread::<2>(group, outputs, words),
                    4 => work.spread::<4>(group, outputs, words),
                    _ => work.spread::<8>(group, outputs, words),
                }
            }
        }
    }
}
