//! Observation of the gate engine: registers of many instances, read off their planes.

use super::GateEngine;
use crate::layout::PlaneLayout;
use crate::step::POISON;
use crosswave_chips::registers::{Output, Storage};
use crosswave_probe::engine::InstanceList;

impl GateEngine {
    /// Adds the values of an output at some instances to theirs, which are 0.
    pub(super) fn outputs(
        &self,
        array: usize,
        port: usize,
        mut instances: &[u32],
        mut values: &mut [u64],
    ) {
        let plan = &self.shared.plans[array];
        while let [first, ..] = instances {
            let (thread, chunk) = self.chunk(array, *first as usize / 64);
            let is_here =
                |instance: &&u32| chunk.outputs.words.contains(&(**instance as usize / 64));
            let count = instances.iter().take_while(is_here).count();
            let (here, others) = instances.split_at(count);
            let (values_here, values_of_others) = values.split_at_mut(count);
            (instances, values) = (others, values_of_others);
            let part = &self.shared.parts[thread];
            let outputs = &part.driven[self.parity].read().expect(POISON).outputs;
            let state = &part.own.read().expect(POISON).state;
            for (index, output) in plan.outputs[port].iter().enumerate() {
                let register = match *output {
                    Output::Constant(bit) => {
                        let bit = u64::from(bit) << index;
                        values_here.iter_mut().for_each(|value| *value |= bit);
                        continue;
                    }
                    Output::Register(register) => register,
                };
                let (words, layout, plane) = match plan.places[register] {
                    Storage::Outputs(plane) => {
                        (outputs[array].planes.words(), &chunk.outputs, plane)
                    }
                    Storage::State(plane) => (state[array].words(), &chunk.state, plane),
                };
                for (value, &instance) in values_here.iter_mut().zip(here) {
                    let word = instance as usize / 64 - layout.words.start;
                    let bit = words[layout.address(plane, word)] >> (instance % 64) & 1;
                    *value |= bit << index;
                }
            }
        }
    }

    /// Goes over the words of a register, tile by tile, chunk by chunk: the
    /// number of the first word, and the words.
    pub(super) fn register_words(
        &self,
        array: usize,
        register: usize,
        mut visit: impl FnMut(usize, &[u64]),
    ) {
        let place = self.shared.plans[array].places[register];
        for (thread, chunk) in self.chunks(array) {
            let part = &self.shared.parts[thread];
            let mut each = |layout: &PlaneLayout, plane: usize, words: &[u64]| {
                for start in (0..layout.words.len()).step_by(layout.tile.max(1)) {
                    let at = layout.address(plane, start);
                    visit(layout.words.start + start, &words[at..at + layout.tile]);
                }
            };
            match place {
                Storage::Outputs(plane) => {
                    let driven = part.driven[self.parity].read().expect(POISON);
                    each(&chunk.outputs, plane, driven.outputs[array].planes.words());
                }
                Storage::State(plane) => {
                    let own = part.own.read().expect(POISON);
                    each(&chunk.state, plane, own.state[array].words());
                }
            }
        }
    }

    /// Appends the instances of which an output is not 0, in rising order.
    pub(super) fn raised_bits(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        let bits = &self.shared.plans[array].outputs[port];
        let mut found = InstanceList::default();
        for bit in bits {
            let Output::Register(register) = *bit else {
                continue;
            };
            self.register_words(array, register, |first, words| {
                found.append_lanes(64 * first as u32, words);
            });
        }
        let before = instances.len();
        instances.extend_from_slice(&found);
        if bits.len() > 1 {
            instances[before..].sort_unstable();
            let mut kept = before;
            for at in before..instances.len() {
                if kept == before || instances[kept - 1] != instances[at] {
                    instances[kept] = instances[at];
                    kept += 1;
                }
            }
            instances.truncate(kept);
        }
    }
}

/// The search for the instances that raise some ports, as something that [`pulp::Arch`] compiles
/// for each level of vector instructions: words of lanes are taken apart by instructions that not
/// every processor has.
pub(super) struct Scan<'a> {
    pub engine: &'a GateEngine,
    pub array: usize,
    /// Ports of one bit.
    pub ports: &'a [usize],
    /// The instances that raise each.
    pub found: &'a mut [InstanceList],
}

impl pulp::NullaryFnOnce for Scan<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Scan { engine, array, .. } = self;
        let plan = &engine.shared.plans[array];
        self.found.iter_mut().for_each(InstanceList::clear);
        for (thread, chunk) in engine.chunks(array) {
            let part = &engine.shared.parts[thread];
            let outputs = &part.driven[engine.parity].read().expect(POISON).outputs;
            let state = &part.own.read().expect(POISON).state;
            for (&port, found) in self.ports.iter().zip(&mut *self.found) {
                let [Output::Register(register)] = plan.outputs[port][..] else {
                    // An output that never changes is never raised.
                    assert_eq!(plan.outputs[port].len(), 1, "a port of one bit");
                    continue;
                };
                let (planes, layout, plane) = match plan.places[register] {
                    Storage::Outputs(plane) => (&outputs[array].planes, &chunk.outputs, plane),
                    Storage::State(plane) => (&state[array], &chunk.state, plane),
                };
                for start in (0..layout.words.len()).step_by(layout.tile.max(1)) {
                    let at = layout.address(plane, start);
                    let first = 64 * (layout.words.start + start) as u32;
                    found.append_lanes(first, &planes.words()[at..at + layout.tile]);
                }
            }
        }
    }
}
