//! Several cycles at a time: the device drives the pins of interfaces itself, and what their ports showed
//! is handed to the host afterwards.

use super::{Buffers, MEMORY, SLOT};
use crate::device::{Binding, Device};
use crate::plan::{ArrayPlan, LANES};
use crate::senders::{FLAGS, SEND, SenderPlan};
use crate::shader::WORKGROUP;
use crosswave_base::threads;
use crosswave_probe::engine::{LocalHost, SendQueues};
use wgpu::{BindGroup, Buffer, BufferUsages, CommandEncoder, ComputePass, ComputePipeline};

/// Interfaces that a thread answers for at a time, a multiple of 64.
pub const ANSWERED_TOGETHER: usize = 1 << 14;

/// The senders on the device.
pub struct Senders {
    plan: SenderPlan,
    pipeline: ComputePipeline,
    /// The bindings, for each buffer of outputs.
    bound: [BindGroup; 2],
    /// The first message of each interface in the list.
    starts: Vec<u32>,
    queues: Buffer,
    flags: Buffer,
    seen: Buffer,
    staging: Buffer,
    /// Words of a plane.
    words: usize,
    instances: usize,
    /// Cycles that are taken at a time.
    cycles: u64,
    /// True when the device has not the state that the host has.
    pub stale: bool,
    /// Queues and flags as they are handed on.
    written: (Vec<[u32; 2]>, Vec<u32>),
    /// The ports as they were noted: for each cycle and port, words of 64 interfaces.
    history: Vec<u64>,
}

impl Senders {
    /// The senders of a host, whose messages are handed to the device; for so many instances, and bursts of
    /// so many cycles.
    pub fn new(
        (device, buffers): (&Device, &Buffers),
        plan: &ArrayPlan,
        (instances, cycles): (usize, u64),
        (host, queues): (&dyn LocalHost, &dyn SendQueues),
    ) -> Senders {
        let mut driven = Vec::new();
        let mut starts = Vec::with_capacity(instances);
        let mut count = 0;
        for instance in 0..instances {
            starts.push(count);
            count += queues.count(instance);
            if driven.is_empty() {
                queues.each_message(instance, &mut |_, pins| {
                    driven = pins.iter().map(|&(port, _)| port).collect();
                });
            }
        }
        let of_host = SenderPlan::new(plan, &driven, queues.over(), host.ports());
        let mut messages = Vec::with_capacity(count as usize * of_host.stride() + 1);
        for instance in 0..instances {
            queues.each_message(instance, &mut |from, pins| {
                messages.push(u32::try_from(from).unwrap_or(u32::MAX));
                of_host.pack(plan, pins, &mut messages);
            });
        }
        // A buffer is never empty.
        messages.push(0);
        let words = plan.driven.words;
        let seen_words = cycles as usize * of_host.noted.len() * words;
        let messages = device.filled(&messages, MEMORY);
        let queues = device.buffer(2 * LANES * words, MEMORY);
        let flags = device.buffer(FLAGS * words, MEMORY);
        let seen = device.buffer(seen_words, MEMORY);
        let layout = device.layout(&[
            Binding::Read,
            Binding::Read,
            Binding::Write,
            Binding::Read,
            Binding::Write,
            Binding::Write,
            Binding::Write,
            Binding::Slot,
        ]);
        let bound = [0, 1].map(|parity: usize| {
            let bound = [
                &buffers.driven[parity],
                &buffers.state,
                &buffers.pins,
                &messages,
                &queues,
                &flags,
                &seen,
            ];
            device.bind(&layout, &bound, Some(&buffers.now))
        });
        let [pipeline] = device.pipelines(&of_host.code(plan), [SEND], Some(&layout));
        Senders {
            plan: of_host,
            pipeline,
            bound,
            starts,
            queues,
            flags,
            seen,
            staging: device.buffer(seen_words, READABLE),
            words,
            instances,
            cycles,
            stale: true,
            written: (vec![[0; 2]; LANES * words], vec![0; FLAGS * words]),
            history: Vec::new(),
        }
    }

    /// Gives the device the state that the host has.
    pub fn write_state(&mut self, device: &Device, host: &dyn SendQueues) {
        if !std::mem::replace(&mut self.stale, false) {
            return;
        }
        let (queues, flags) = &mut self.written;
        flags.fill(0);
        for (instance, &start) in self.starts.iter().enumerate() {
            let state = host.state(instance);
            let end = start + host.count(instance);
            let position = start + state.position;
            queues[instance] = [position, end];
            let is = [state.offered, state.shown, position < end];
            for (plane, is) in is.into_iter().enumerate() {
                let word = &mut flags[plane * self.words + instance / LANES];
                *word |= u32::from(is) << (instance % LANES);
            }
        }
        device
            .queue
            .write_buffer(&self.queues, 0, bytemuck::cast_slice(queues));
        device
            .queue
            .write_buffer(&self.flags, 0, bytemuck::cast_slice(flags));
    }

    /// Drives and notes, in the cycle that an edge began.
    pub fn send(&self, pass: &mut ComputePass<'_>, parity: usize, slot: usize) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bound[parity], &[slot as u32 * SLOT]);
        pass.dispatch_workgroups(self.words.div_ceil(WORKGROUP) as u32, 1, 1);
    }

    /// Words of all that is noted in a burst.
    fn seen_words(&self) -> usize {
        self.cycles as usize * self.plan.noted.len() * self.words
    }

    /// Copies what was noted to where it can be read.
    pub fn copy(&self, encoder: &mut CommandEncoder) {
        let bytes = 4 * self.seen_words() as u64;
        encoder.copy_buffer_to_buffer(&self.seen, 0, &self.staging, 0, bytes);
    }

    /// Tells the host what was noted in the cycles after `cycle`.
    pub fn tell(&mut self, device: &Device, host: &dyn LocalHost, cycle: u64) {
        let words = self.seen_words();
        let history = &mut self.history;
        history.clear();
        device.read(&self.staging, words, |halves| {
            let pairs = halves.chunks_exact(2);
            history.extend(pairs.map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32));
        });
        history.resize(words / 2, 0);
        let of_plane = self.words / 2;
        if !self.instances.is_multiple_of(64) {
            let lanes = (1 << (self.instances % 64)) - 1;
            history
                .chunks_exact_mut(of_plane)
                .for_each(|plane| plane[of_plane - 1] &= lanes);
        }
        let history = &self.history[..];
        let noted = self.plan.noted.len();
        threads::each(self.instances.div_ceil(ANSWERED_TOGETHER), |group| {
            let first = group * ANSWERED_TOGETHER;
            let end = self.instances.min(first + ANSWERED_TOGETHER);
            let of_group = first / 64..end.div_ceil(64);
            let mut shown: Vec<&[u64]> = Vec::with_capacity(noted);
            for (edge, of_cycle) in history.chunks_exact(noted * of_plane).enumerate() {
                shown.clear();
                let planes = of_cycle.chunks_exact(of_plane);
                shown.extend(planes.map(|plane| &plane[of_group.clone()]));
                // The device has driven what follows from it.
                host.answer(first, cycle + 1 + edge as u64, &shown, &mut |_, _, _| {});
            }
        });
    }
}

/// Buffers that are copied to and mapped.
pub const READABLE: BufferUsages = BufferUsages::MAP_READ.union(BufferUsages::COPY_DST);
