//! The way back of planes: gathered on the device, copied to memory that can be mapped, and read.

use super::Buffers;
use super::burst::READABLE;
use crate::device::Device;
use crate::mirror::Mirror;
use crate::plan::Plans;
use crate::plan::TILE;
use crate::shader::{GATHER, WORKGROUP};
use wgpu::{Buffer, BufferUsages, CommandEncoder, ComputePipeline};

/// The way back.
pub struct Gathering {
    pipeline: ComputePipeline,
    /// The planes that are asked for.
    list: Buffer,
    /// Their words, a row for each plane.
    found: Buffer,
    /// The same in memory that can be mapped.
    staging: Buffer,
    /// Room for planes, and for words.
    room: (usize, usize),
    /// Words of a row.
    row: usize,
    entries: Vec<[u32; 4]>,
}

impl Gathering {
    /// Without room yet.
    pub fn new(device: &Device) -> Gathering {
        let [pipeline] = device.pipelines(GATHER, ["gather"], None);
        let [list, found, staging] = buffers(device, (1, 1));
        Gathering {
            pipeline,
            list,
            found,
            staging,
            room: (1, 1),
            row: 0,
            entries: Vec::new(),
        }
    }

    /// Gathers planes in what follows the commands of an encoder.
    pub fn gather(
        &mut self,
        planes: &[usize],
        mirror: &Mirror,
        (plans, (buffers, parity)): (&Plans, (&Buffers, usize)),
        (device, encoder): (&Device, &mut CommandEncoder),
    ) {
        if planes.is_empty() {
            return;
        }
        self.entries.clear();
        let mut words = 0;
        for &plane in planes {
            let (array, register) = mirror.register(plane);
            let (is_driven, region, number) = plans.arrays[array].place(register);
            words = words.max(region.words);
            self.entries.push([
                u32::from(is_driven),
                region.address(number, 0) as u32,
                (region.planes * TILE) as u32,
                region.words as u32,
            ]);
        }
        let groups = words.div_ceil(WORKGROUP).max(1);
        self.row = groups * WORKGROUP;
        let needed = (planes.len(), planes.len() * self.row);
        if needed.0 > self.room.0 || needed.1 > self.room.1 {
            self.room = (
                needed.0.max(self.room.0).next_power_of_two(),
                needed.1.max(self.room.1),
            );
            [self.list, self.found, self.staging] = self::buffers(device, self.room);
        }
        device
            .queue
            .write_buffer(&self.list, 0, bytemuck::cast_slice(&self.entries));
        let layout = self.pipeline.get_bind_group_layout(0);
        let bound = [
            &buffers.driven[parity],
            &buffers.state,
            &self.list,
            &self.found,
        ];
        let bound = device.bind(&layout, &bound, None);
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &bound, &[]);
        pass.dispatch_workgroups(groups as u32, planes.len() as u32, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&self.found, 0, &self.staging, 0, 4 * needed.1 as u64);
    }

    /// Reads back what was gathered with the last edge.
    pub fn read_back(&self, mirror: &mut Mirror, plans: &Plans, device: &Device) {
        let planes = std::mem::take(&mut mirror.gathered);
        self.read(&planes, mirror, plans, device);
        // The list's memory is kept.
        mirror.gathered = planes;
        mirror.gathered.clear();
    }

    /// Gathers and reads back what is asked for and not there.
    pub fn read_asked(
        &mut self,
        mirror: &mut Mirror,
        plans: &Plans,
        device: &Device,
        memory: (&Buffers, usize),
    ) {
        let missing: Vec<usize> = mirror.missing().collect();
        for planes in missing.chunks(planes_max(plans)) {
            let mut encoder = device.device.create_command_encoder(&Default::default());
            self.gather(planes, mirror, (plans, memory), (device, &mut encoder));
            device.queue.submit([encoder.finish()]);
            self.read(planes, mirror, plans, device);
        }
    }

    fn read(&self, planes: &[usize], mirror: &mut Mirror, plans: &Plans, device: &Device) {
        if planes.is_empty() {
            return;
        }
        let words = |mirror: &Mirror, plane: usize| {
            let (array, _) = mirror.register(plane);
            plans.arrays[array].driven.words
        };
        device.read(&self.staging, planes.len() * self.row, |halves| {
            for (&plane, row) in planes.iter().zip(halves.chunks_exact(self.row)) {
                let count = words(mirror, plane);
                mirror.take(plane, &row[..count]);
            }
        });
        if device.fault().is_some() {
            for &plane in planes {
                let count = words(mirror, plane) / 2;
                mirror.give_up(plane, count);
            }
        }
    }
}

/// Planes that all adapters take in one call.
const PLANES_MAX: usize = 65_535;

/// Words that are gathered at a time.
const GATHERED_MAX: usize = 1 << 24;

/// Planes that are gathered at a time.
pub fn planes_max(plans: &Plans) -> usize {
    let words = plans.arrays.iter().map(|plan| plan.driven.words);
    let row = words.max().unwrap_or(0).next_multiple_of(WORKGROUP);
    (GATHERED_MAX / row.max(WORKGROUP)).clamp(1, PLANES_MAX)
}

/// Room for so many planes, and words: the list, the words, and the same to be mapped.
fn buffers(device: &Device, (planes, words): (usize, usize)) -> [Buffer; 3] {
    [
        device.buffer(4 * planes, BufferUsages::STORAGE | BufferUsages::COPY_DST),
        device.buffer(words, BufferUsages::STORAGE | BufferUsages::COPY_SRC),
        device.buffer(words, READABLE),
    ]
}
