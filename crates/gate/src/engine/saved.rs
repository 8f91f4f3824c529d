//! The gate engine between two clock edges, as bytes.
//!
//! Registers are saved one after another as planes over the instances, and pins likewise, so
//! that the bytes are the same whatever the number of threads, the width of a lane word and the
//! places of planes. Lanes without an instance are as after reset when it is loaded, and no
//! group is known to rest: the next edge finds out.

use super::GateEngine;
use crate::layout::PlaneLayout;
use crate::plan::Plan;
use crate::step::{POISON, Shared, ThreadOutputs};
use crosswave_chips::registers::Storage;
use crosswave_probe::engine::Engine;
use crosswave_probe::save::{Loader, Saver, Unlike};

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
}

pub(super) fn load(engine: &mut GateEngine, loader: &mut Loader<'_>) -> Result<(), Unlike> {
    let (cycle, held) = loader.value()?;
    let shared = engine.shared.clone();
    for (array, plan) in shared.plans.iter().enumerate() {
        let instances = shared.fabric.arrays[array].instances;
        let mut words = vec![0; instances.div_ceil(64)];
        for register in registers(plan) {
            loader.words(&mut words)?;
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
        for plane in 0..plan.pins.len() {
            loader.words(&mut words)?;
            for (thread, chunk) in engine.chunks(array) {
                let pins = &mut shared.parts[thread].own.write().expect(POISON).pins;
                set(pins[array].planes.words_mut(), &chunk.pins, plane, |word| {
                    words.get(word).copied().unwrap_or(0)
                });
                pins[array].zero.fill(false);
            }
        }
    }
    for part in &shared.parts {
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
