//! The device: an adapter that is open, and its faults.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::adapters;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_probe::engine::{EngineFault, FaultKind};
use wgpu::util::DeviceExt;
use wgpu::{
    BindGroup, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry,
    BindingResource, BindingType, Buffer, BufferBinding, BufferBindingType, BufferSize,
    BufferUsages, ComputePipeline, DeviceDescriptor, Features, Limits, MemoryHints, PollType,
    Queue, ShaderSource, ShaderStages,
};

/// An open adapter, with no other engine on it. When it is dropped it is kept for the next engine, with
/// the code that was compiled for it, unless it has a fault.
pub struct Device {
    opened: Option<Opened>,
}

/// Devices that no engine has.
static IDLE: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// Shaders that are kept compiled for a device.
const COMPILED_MAX: usize = 256;

/// An adapter that was opened.
pub struct Opened {
    /// The device.
    pub device: wgpu::Device,
    /// Its queue of commands.
    pub queue: Queue,
    /// The name of the adapter.
    pub name: String,
    buffer_bytes_max: u64,
    workgroups_max: u32,
    /// True when the processor does its work.
    is_simulated: bool,
    fault: Arc<Mutex<Option<EngineFault>>>,
    /// The entry points that were compiled, by their names and code.
    compiled: Mutex<BTreeMap<String, Vec<ComputePipeline>>>,
}

impl Deref for Device {
    type Target = Opened;

    fn deref(&self) -> &Opened {
        self.opened
            .as_ref()
            .expect("it is there until it is dropped")
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if let Some(opened) = self.opened.take()
            && opened.fault().is_none()
        {
            lock(&IDLE).push(opened);
        }
    }
}

/// The value behind a lock, even if a thread panicked with it.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A buffer that is bound to a shader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// It is read.
    Read,
    /// It is read and written.
    Write,
    /// One of its slots is read, which is chosen for each call.
    Slot,
}

/// Bytes of a slot.
const SLOT_BYTES: u64 = 16;

/// Help where no adapter is found.
const DRIVER_HELP: &str = "install the Vulkan driver of your GPU; without a GPU, mesa-vulkan-drivers (a package \
     of Debian and Ubuntu) has one that runs on the processor; or set run.engine = \"gate\"";

/// Gates of a chip up to which a driver that runs on the processor compiles it. It takes about a minute for
/// 5,000.
const SIMULATED_GATES_MAX: usize = 10_000;

/// Help where a network does not fit.
const SMALLER: &str = "take fewer nodes or messages, or set run.engine = \"gate\"";

/// Help where a device failed.
const AGAIN: &str = "run it again, or set run.engine = \"gate\"";

/// The origin of errors.
const ORIGIN: &str = "run.engine = \"gpu\"";

fn error(class: Class, place: &str, message: String, help: &str) -> Error {
    Error::one(class, ORIGIN, Diagnostic::new(place, message, help))
}

impl Device {
    /// The first adapter, opened or as the last engine left it, for buffers of up to so many bytes and calls of so many workgroups.
    ///
    /// # Errors
    /// When there is none, when it does not take so many, and when its driver refuses.
    pub fn open(buffer_bytes: u64, workgroups: usize) -> Result<Device, Error> {
        let opened = match Opened::idle() {
            Some(opened) => opened,
            None => Opened::first()?,
        };
        let device = Device {
            opened: Some(opened),
        };
        let most = device.buffer_bytes_max;
        if buffer_bytes > most {
            return Err(error(
                Class::Usage,
                &device.name,
                format!(
                    "the network takes a buffer of {buffer_bytes} bytes, and this adapter has buffers of \
                     {most} bytes at most"
                ),
                SMALLER,
            ));
        }
        let most = device.workgroups_max;
        if workgroups > most as usize {
            return Err(error(
                Class::Usage,
                &device.name,
                format!(
                    "the network takes {workgroups} workgroups for one kind of chip, and this adapter takes \
                     {most} at most"
                ),
                SMALLER,
            ));
        }
        Ok(device)
    }
}

impl Opened {
    /// A device that no engine has and that has no fault, as far as its driver says.
    fn idle() -> Option<Opened> {
        loop {
            let opened = lock(&IDLE).pop()?;
            // A loss is told when a device is asked.
            if opened.device.poll(PollType::Poll).is_ok() && opened.fault().is_none() {
                return Some(opened);
            }
        }
    }

    /// Opens the first adapter.
    fn first() -> Result<Opened, Error> {
        let Some(adapter) = adapters::found().into_iter().next() else {
            let message = "there is no adapter: no Vulkan driver was found".to_owned();
            return Err(error(Class::Usage, "adapters", message, DRIVER_HELP));
        };
        let described = adapters::describe(&adapter);
        let limits = adapter.limits();
        let workgroups_max = limits.max_compute_workgroups_per_dimension;
        let descriptor = DeviceDescriptor {
            label: None,
            required_features: Features::empty(),
            required_limits: Limits {
                max_buffer_size: limits.max_buffer_size,
                max_compute_workgroups_per_dimension: workgroups_max,
                max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
                ..Limits::default()
            },
            memory_hints: MemoryHints::Performance,
            ..DeviceDescriptor::default()
        };
        let opened = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) = opened.map_err(|refused| {
            let message = format!("the driver does not open it: {refused}");
            error(Class::Usage, &described.name, message, DRIVER_HELP)
        })?;
        let fault = Arc::new(Mutex::new(None));
        let (noted, of_errors) = (fault.clone(), described.name.clone());
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let too_large = matches!(error, wgpu::Error::OutOfMemory { .. });
            let help = match too_large {
                true => SMALLER,
                false => "set run.engine = \"gate\"; a newer driver may help",
            };
            let kind = match too_large {
                true => FaultKind::TooLarge,
                false => FaultKind::Device,
            };
            note(&noted, (&of_errors, error.to_string(), help), kind);
        }));
        let (noted, of_losses) = (fault.clone(), described.name.clone());
        device.set_device_lost_callback(move |_, message| {
            let message = format!("the device was lost: {message}");
            let help = "run it again; a driver's watchdog ends what takes too long";
            note(&noted, (&of_losses, message, help), FaultKind::Device);
        });
        Ok(Opened {
            device,
            queue,
            name: described.name,
            buffer_bytes_max: described.buffer_bytes_max,
            workgroups_max,
            is_simulated: adapter.get_info().device_type == wgpu::DeviceType::Cpu,
            fault,
            compiled: Mutex::default(),
        })
    }

    /// Refuses a chip whose code takes minutes to compile, in which nothing can be interrupted.
    ///
    /// # Errors
    /// When the driver runs on the processor, and the chip has many gates.
    pub fn check_gates(&self, chip: &str, gates: usize) -> Result<(), Error> {
        if !self.is_simulated || gates <= SIMULATED_GATES_MAX {
            return Ok(());
        }
        let message = format!(
            "the chip {chip} has {gates} gates, and a driver that runs on the processor takes minutes to compile \
             more than {SIMULATED_GATES_MAX}"
        );
        let help = "take a machine with a GPU, or set run.engine = \"gate\"";
        Err(error(Class::Usage, &self.name, message, help))
    }

    /// The first thing that failed.
    pub fn fault(&self) -> Option<EngineFault> {
        lock(&self.fault).clone()
    }

    /// A buffer of so many words, which are 0. It is a fault when the device has none of that size.
    pub fn buffer(&self, words: usize, usage: BufferUsages) -> Buffer {
        let words = self.granted(words);
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4 * words.max(4) as u64,
            usage,
            mapped_at_creation: false,
        })
    }

    /// The words of a buffer: a few, and a fault, where the device has none of that size.
    fn granted(&self, words: usize) -> usize {
        let (bytes, most) = (4 * words as u64, self.buffer_bytes_max);
        if bytes <= most {
            return words;
        }
        let message = format!(
            "the run takes a buffer of {bytes} bytes, and this adapter has buffers of {most} bytes at most"
        );
        note(
            &self.fault,
            (&self.name, message, SMALLER),
            FaultKind::TooLarge,
        );
        4
    }

    /// A buffer that holds some words; a fault as [`Opened::buffer`].
    pub fn filled(&self, words: &[u32], usage: BufferUsages) -> Buffer {
        let words = &words[..self.granted(words.len()).min(words.len())];
        self.device
            .create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: None,
                contents: bytemuck::cast_slice(words),
                usage,
            })
    }

    /// The entry points of a shader, compiled, or as they were compiled before. Their bindings have a layout, or
    /// follow from the code; the same code always has the same layout.
    pub fn pipelines<const N: usize>(
        &self,
        code: &str,
        entries: [&str; N],
        bindings: Option<&BindGroupLayout>,
    ) -> [ComputePipeline; N] {
        let mut compiled = lock(&self.compiled);
        let key = format!("{}\n{code}", entries.join(" "));
        if let Some(known) = compiled.get(&key) {
            return std::array::from_fn(|entry| known[entry].clone());
        }
        let pipelines = self.compile(code, entries, bindings);
        if compiled.len() >= COMPILED_MAX {
            compiled.clear();
        }
        compiled.insert(key, pipelines.to_vec());
        pipelines
    }

    fn compile<const N: usize>(
        &self,
        code: &str,
        entries: [&str; N],
        bindings: Option<&BindGroupLayout>,
    ) -> [ComputePipeline; N] {
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: ShaderSource::Wgsl(code.into()),
            });
        let layout = bindings.map(|bindings| {
            self.device
                .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: None,
                    bind_group_layouts: &[Some(bindings)],
                    immediate_size: 0,
                })
        });
        entries.map(|entry| {
            self.device
                .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(entry),
                    layout: layout.as_ref(),
                    module: &module,
                    entry_point: Some(entry),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                })
        })
    }

    /// The layout of what is bound to a shader, numbered from 0 on.
    pub fn layout(&self, bindings: &[Binding]) -> BindGroupLayout {
        let entry = |(binding, kind): (u32, &Binding)| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer {
                ty: match kind {
                    Binding::Read => BufferBindingType::Storage { read_only: true },
                    Binding::Write => BufferBindingType::Storage { read_only: false },
                    Binding::Slot => BufferBindingType::Uniform,
                },
                has_dynamic_offset: *kind == Binding::Slot,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<BindGroupLayoutEntry> = (0..).zip(bindings).map(entry).collect();
        let descriptor = BindGroupLayoutDescriptor {
            label: None,
            entries: &entries,
        };
        self.device.create_bind_group_layout(&descriptor)
    }

    /// Binds buffers, numbered from 0 on, and behind them a slot of one.
    pub fn bind(
        &self,
        layout: &BindGroupLayout,
        buffers: &[&Buffer],
        slots: Option<&Buffer>,
    ) -> BindGroup {
        let whole = buffers.iter().map(|buffer| buffer.as_entire_binding());
        let slot = slots.map(|buffer| {
            BindingResource::Buffer(BufferBinding {
                buffer,
                offset: 0,
                size: BufferSize::new(SLOT_BYTES),
            })
        });
        let resources = (0..).zip(whole.chain(slot));
        let entries: Vec<BindGroupEntry<'_>> = resources
            .map(|(binding, resource)| BindGroupEntry { binding, resource })
            .collect();
        self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        })
    }

    /// Waits for a buffer that may be mapped, and hands on its first words; or does nothing where the
    /// device has a fault.
    pub fn read(&self, buffer: &Buffer, words: usize, take: impl FnOnce(&[u32])) {
        let range = buffer.slice(..4 * words as u64);
        range.map_async(wgpu::MapMode::Read, |_| {});
        if let Err(failed) = self.device.poll(PollType::wait_indefinitely()) {
            let message = format!("waiting for it failed: {failed}");
            note(&self.fault, (&self.name, message, AGAIN), FaultKind::Device);
            return;
        }
        match range.get_mapped_range() {
            Ok(view) => {
                take(bytemuck::cast_slice(&view));
                drop(view);
                buffer.unmap();
            }
            Err(failed) => {
                let message = format!("what it computed cannot be read: {failed}");
                note(&self.fault, (&self.name, message, AGAIN), FaultKind::Device);
            }
        }
    }
}

/// Keeps the first fault: the device, what happened, and advice.
fn note(
    faults: &Mutex<Option<EngineFault>>,
    (place, message, help): (&str, String, &'static str),
    kind: FaultKind,
) {
    let mut first = lock(faults);
    first.get_or_insert(EngineFault {
        place: place.to_owned(),
        message,
        help,
        kind,
    });
}

/// The error of a fault: too much was asked for, or the device failed.
pub fn fault_error(fault: EngineFault) -> Error {
    let class = match fault.kind {
        FaultKind::TooLarge => Class::Usage,
        FaultKind::Device | FaultKind::Design => Class::Io,
    };
    error(class, &fault.place, fault.message, fault.help)
}

/// Tests that open devices take turns, as devices are handed on.
#[cfg(test)]
pub static ALONE: Mutex<()> = Mutex::new(());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_that_does_not_fit_is_refused_with_both_numbers() {
        let _alone = lock(&ALONE);
        let bytes = 1 << 60;
        let refused = Device::open(bytes, 1)
            .err()
            .expect("no adapter has so much");
        assert_eq!(refused.class, Class::Usage);
        let message = &refused.diagnostics[0].message;
        assert!(message.contains(&bytes.to_string()), "{message}");
        let most = adapters::adapters()
            .next()
            .expect("an adapter")
            .buffer_bytes_max;
        assert!(message.contains(&most.to_string()), "{message}");
        let refused = Device::open(16, 1 << 40)
            .err()
            .expect("nor so many workgroups");
        let message = &refused.diagnostics[0].message;
        assert!(message.contains("1099511627776 workgroups"), "{message}");
    }

    /// An engine takes a device as another one left it, and no device that failed.
    #[test]
    fn devices_and_code_are_used_again() {
        let code = "@compute @workgroup_size(1) fn edge() { }";
        let open = || Device::open(16, 1).unwrap_or_else(|error| panic!("{error}"));
        let _alone = lock(&ALONE);
        let device = open();
        let [first] = device.pipelines(code, ["edge"], None);
        let [again] = device.pipelines(code, ["edge"], None);
        assert_eq!(first, again);
        let opened = device.device.clone();
        drop(device);
        let idle = lock(&IDLE).len();
        let taken: Vec<Device> = (0..idle).map(|_| open()).collect();
        let found = taken.iter().find(|one| one.device == opened);
        let found = found.expect("it was kept");
        let [kept] = found.pipelines(code, ["edge"], None);
        assert_eq!(kept, first);
        found.device.destroy();
        // It is told of the loss when it is asked for something.
        let _ = found.device.poll(PollType::wait_indefinitely());
        assert!(found.fault().is_some());
        drop(taken);
        assert!(lock(&IDLE).iter().all(|one| one.device != opened));
    }

    #[test]
    fn code_that_does_not_compile_is_a_fault() {
        let _alone = lock(&ALONE);
        let device = Device::open(16, 1).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(device.fault(), None);
        assert!(device.check_gates("router", SIMULATED_GATES_MAX).is_ok());
        let refused = device.check_gates("router", SIMULATED_GATES_MAX + 1);
        assert_eq!(refused.is_err(), device.is_simulated);
        let _ = device.pipelines(
            "@compute @workgroup_size(1) fn edge() { 1 }",
            ["edge"],
            None,
        );
        let fault = device.fault().expect("it is no code");
        assert_eq!(fault.kind, FaultKind::Device);
        let refused = fault_error(fault);
        assert_eq!(refused.class, Class::Io);
        assert!(
            refused.to_string().contains("run.engine = \"gate\""),
            "{refused}"
        );
    }
}
