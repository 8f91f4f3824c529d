//! The pins of all chips, as they are driven: here, and on the device from the next edge on.

use super::burst::READABLE;
use crate::device::Device;
use crate::plan::{ArrayPlan, LANES, Plans};
use crate::shader::{SCATTER, WORKGROUP};
use crosswave_network::Fabric;
use wgpu::{Buffer, BufferUsages, CommandEncoder, ComputePipeline};

/// The pins.
pub struct Pins {
    /// All planes, as they lie on the device.
    words: Vec<u32>,
    /// Places that have changed, each once.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
    /// True when all of it has to be written.
    whole: bool,
    /// True when the device has driven some of them since.
    pub stale: bool,
    staging: Option<Buffer>,
    /// Places and words as they are handed on.
    written: Vec<[u32; 2]>,
    scatter: Option<Scatter>,
}

/// The pass that writes words to their places on the device.
struct Scatter {
    pipeline: ComputePipeline,
    list: Buffer,
    count: Buffer,
    room: usize,
}

/// The share of all words from which all are written.
const FEW: usize = 8;

impl Pins {
    /// The pins in cycle 0: those of the configuration, and what is driven from the beginning.
    pub fn new(fabric: &Fabric, plans: &Plans) -> Pins {
        let words = plans.words(|plan| plan.pin_words);
        let mut pins = Pins {
            words: vec![0; words],
            changed: Vec::new(),
            is_changed: vec![false; words],
            whole: true,
            stale: false,
            staging: None,
            written: Vec::new(),
            scatter: None,
        };
        for (layout, plan) in fabric.arrays.iter().zip(&plans.arrays) {
            for pin in &layout.pins {
                for plane in plan.pins_of[pin.port].clone() {
                    let bit = plan.pins[plane].1;
                    for instance in 0..layout.instances {
                        let at = plan.pin_words.address(plane, instance / LANES);
                        let value = (pin.values.at(instance) >> bit & 1) as u32;
                        pins.words[at] |= value << (instance % LANES);
                    }
                }
            }
        }
        pins
    }

    /// Takes in what the device has driven.
    pub fn refresh(&mut self, device: &Device, buffer: &Buffer) {
        if !std::mem::replace(&mut self.stale, false) || self.words.is_empty() {
            return;
        }
        let count = self.words.len();
        let staging = self
            .staging
            .get_or_insert_with(|| device.buffer(count, READABLE));
        let mut encoder = device.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, staging, 0, 4 * count as u64);
        device.queue.submit([encoder.finish()]);
        let words = &mut self.words;
        device.read(staging, count, |read| words.copy_from_slice(read));
    }

    /// Drives a pin of an instance.
    #[inline]
    pub fn drive(&mut self, plan: &ArrayPlan, port: usize, instance: usize, value: u64) {
        let lane = 1u32 << (instance % LANES);
        for plane in plan.pins_of[port].clone() {
            let at = plan.pin_words.address(plane, instance / LANES);
            let bit = ((value >> plan.pins[plane].1 & 1) as u32).wrapping_neg();
            let word = self.words[at] & !lane | lane & bit;
            if word != self.words[at] {
                self.words[at] = word;
                self.note(at);
            }
        }
    }

    /// Drives a pin of all instances of an array.
    pub fn drive_all(&mut self, plan: &ArrayPlan, port: usize, value: u64) {
        for plane in plan.pins_of[port].clone() {
            let word = ((value >> plan.pins[plane].1 & 1) as u32).wrapping_neg();
            for of_plane in 0..plan.pin_words.words {
                let at = plan.pin_words.address(plane, of_plane);
                self.words[at] = word;
            }
        }
        self.whole = true;
    }

    /// Gives a plane its words; those it lacks are 0.
    pub fn set(&mut self, plan: &ArrayPlan, plane: usize, words: &[u32]) {
        for of_plane in 0..plan.pin_words.words {
            let at = plan.pin_words.address(plane, of_plane);
            self.words[at] = words.get(of_plane).copied().unwrap_or(0);
        }
        self.whole = true;
    }

    fn note(&mut self, at: usize) {
        if !std::mem::replace(&mut self.is_changed[at], true) {
            self.changed.push(at as u32);
        }
    }

    /// The value of a pin at an instance, as far as the netlist reads it.
    pub fn value(&self, plan: &ArrayPlan, port: usize, instance: usize) -> u64 {
        let planes = plan.pins_of[port].clone();
        let bits = planes.map(|plane| {
            let word = self.words[plan.pin_words.address(plane, instance / LANES)];
            u64::from(word >> (instance % LANES) & 1) << plan.pins[plane].1
        });
        bits.sum()
    }

    /// One bit of a port over instances, as far as the netlist reads it.
    pub fn plane(
        &self,
        plan: &ArrayPlan,
        pin: (usize, usize),
        instances: usize,
        words: &mut [u64],
    ) {
        let Some(plane) = plan.pins.iter().position(|&of| of == pin) else {
            return words.fill(0);
        };
        let half = |at: usize| u64::from(self.words[plan.pin_words.address(plane, at)]);
        for (at, word) in words[..instances.div_ceil(64)].iter_mut().enumerate() {
            *word = half(2 * at) | half(2 * at + 1) << 32;
        }
    }

    /// Has the device take in what has changed: at once, or in a pass before the edge.
    pub fn upload(&mut self, device: &Device, buffer: &Buffer, encoder: &mut CommandEncoder) {
        if self.whole || FEW * self.changed.len() > self.words.len() {
            if !self.words.is_empty() {
                device
                    .queue
                    .write_buffer(buffer, 0, bytemuck::cast_slice(&self.words));
            }
        } else if !self.changed.is_empty() {
            self.scatter(device, buffer, encoder);
        }
        self.whole = false;
        for at in self.changed.drain(..) {
            self.is_changed[at as usize] = false;
        }
    }

    fn scatter(&mut self, device: &Device, buffer: &Buffer, encoder: &mut CommandEncoder) {
        let words = &self.words;
        self.written.clear();
        let changed = self.changed.iter();
        self.written
            .extend(changed.map(|&at| [at, words[at as usize]]));
        let count = self.written.len();
        let room = count.next_power_of_two().max(64);
        let pipeline = match self.scatter.take() {
            Some(scatter) if scatter.room >= count => {
                self.scatter = Some(scatter);
                None
            }
            Some(scatter) => Some(scatter.pipeline),
            None => {
                let [pipeline] = device.pipelines(SCATTER, ["scatter"], None);
                Some(pipeline)
            }
        };
        if let Some(pipeline) = pipeline {
            let usage = BufferUsages::COPY_DST;
            self.scatter = Some(Scatter {
                pipeline,
                list: device.buffer(2 * room, usage | BufferUsages::STORAGE),
                count: device.buffer(4, usage | BufferUsages::UNIFORM),
                room,
            });
        }
        let Some(scatter) = &self.scatter else {
            return;
        };
        device
            .queue
            .write_buffer(&scatter.list, 0, bytemuck::cast_slice(&self.written));
        let counted = [count as u32, 0, 0, 0];
        device
            .queue
            .write_buffer(&scatter.count, 0, bytemuck::cast_slice(&counted));
        let layout = scatter.pipeline.get_bind_group_layout(0);
        let bound = [&scatter.list, buffer, &scatter.count];
        let bound = device.bind(&layout, &bound, None);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&scatter.pipeline);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups(count.div_ceil(WORKGROUP) as u32, 1, 1);
    }
}
