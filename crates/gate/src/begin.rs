//! The memory of an engine in cycle 0 and after the reset.
//!
//! Each thread's part is written tile by tile, in a large network by a thread of its own: most
//! of the time goes into pages that are touched for the first time, and the system clears them
//! for several threads at once.

use std::thread::Builder;

use super::code_draw::counter;
use super::layout::PlaneLayout;
use super::step::{ChunkPins, POISON, Shared, ThreadPart};
use crosswave_network::PinValues;

/// Drives the configuration pins, and the host pins that are driven from the beginning, and
/// numbers the groups of those that draw.
pub(super) fn configure(shared: &Shared) {
    each_part(shared, |thread, part| {
        let arrays = shared.plans.len();
        let pins = &mut part.own.write().expect(POISON).pins;
        for (array, layout) in shared.fabric.arrays.iter().enumerate() {
            let plan = &shared.plans[array];
            let chunk = &shared.chunks[thread * arrays + array].pins;
            if plan.code_draw.is_some() {
                let words = pins[array].planes.words_mut();
                for (word, of_array) in chunk.words.clone().enumerate() {
                    let counter = counter(shared.fabric.copies, of_array);
                    words[chunk.address(plan.pins.len(), word)] = counter;
                }
            }
            for pin in &layout.pins {
                let planes = plan.pins_of[pin.port].clone();
                let planes = planes.map(|plane| (plane, plan.pins[plane].1));
                let driven = drive(
                    &mut pins[array],
                    chunk,
                    planes,
                    &pin.values,
                    layout.instances,
                );
                pins[array].zero[..driven.div_ceil(plan.width)].fill(false);
            }
        }
    });
}

/// Drives the pins of a chunk, each a plane with a bit of the values. Gives how many of the
/// chunk's words hold an instance that is driven.
fn drive(
    pins: &mut ChunkPins,
    chunk: &PlaneLayout,
    planes: impl Iterator<Item = (usize, usize)> + Clone,
    values: &PinValues,
    instances: usize,
) -> usize {
    let words = pins.planes.words_mut();
    let mut driven = 0;
    for word in 0..chunk.words.len() {
        let first = 64 * (chunk.words.start + word);
        let count = match values {
            PinValues::Uniform(_) => 64,
            _ => instances.saturating_sub(first).min(64),
        };
        if count == 0 {
            break;
        }
        driven = word + 1;
        let mut lanes = [0; 64];
        for (lane, value) in lanes[..count].iter_mut().enumerate() {
            *value = values.at(first + lane);
        }
        let alike = lanes.iter().all(|&value| value == lanes[0]);
        for (plane, bit) in planes.clone() {
            words[chunk.address(plane, word)] = match alike {
                true => (lanes[0] >> bit & 1).wrapping_neg(),
                false => lanes
                    .iter()
                    .rev()
                    .fold(0, |all, value| all << 1 | value >> bit & 1),
            };
        }
    }
    driven
}

/// The clock edge under reset, whose outputs go to a buffer.
pub(super) fn reset(shared: &Shared, buffer: usize) {
    each_part(shared, |thread, part| {
        let arrays = shared.plans.len();
        let outputs = &mut part.driven[buffer].write().expect(POISON).outputs;
        let state = &mut part.own.write().expect(POISON).state;
        for (array, plan) in shared.plans.iter().enumerate() {
            let chunk = &shared.chunks[thread * arrays + array];
            let of_state = plan.kept.iter().enumerate();
            let of_state = of_state.map(|(plane, &register)| (plane, plan.reset[register]));
            fill(state[array].words_mut(), &chunk.state, of_state);
            let of_outputs = plan.drivers.iter().flat_map(|driver| {
                let value = plan.reset[driver.register];
                driver.planes.iter().map(move |&plane| (plane, value))
            });
            let words = outputs[array].planes.words_mut();
            fill(words, &chunk.outputs, of_outputs);
        }
    });
}

/// Fills planes of a chunk with a value each.
fn fill(
    words: &mut [u64],
    layout: &PlaneLayout,
    planes: impl Iterator<Item = (usize, bool)> + Clone,
) {
    for word in (0..layout.words.len()).step_by(layout.tile.max(1)) {
        for (plane, value) in planes.clone() {
            let at = layout.address(plane, word);
            words[at..at + layout.tile].fill(u64::from(value).wrapping_neg());
        }
    }
}

/// Words of outputs from which parts are worth a thread each.
const LARGE_FROM_WORDS: usize = 1 << 19;

/// Calls with each part and its thread's number, in a large network each on a thread; one that
/// the system does not give is done without.
fn each_part(shared: &Shared, write: impl Fn(usize, &ThreadPart) + Sync) {
    let words: usize = shared.chunks.iter().map(|chunk| chunk.outputs.size()).sum();
    let is_large = words >= LARGE_FROM_WORDS;
    let write = &write;
    std::thread::scope(|scope| {
        let mut parts = shared.parts.iter().enumerate();
        let own = parts.next();
        for (thread, part) in parts {
            let task = move || write(thread, part);
            if !is_large || Builder::new().spawn_scoped(scope, task).is_err() {
                write(thread, part);
            }
        }
        if let Some((thread, part)) = own {
            write(thread, part);
        }
    });
}
