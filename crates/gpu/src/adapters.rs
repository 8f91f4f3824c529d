//! The adapters: processors on which compute shaders can run.

use wgpu::{Adapter, Backends, DeviceType, Instance, InstanceDescriptor};

/// An adapter, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdapterDescription {
    /// Its name.
    pub name: String,
    /// Its kind: `discrete GPU`, `integrated GPU`, `virtual GPU`, `processor` or `other`.
    pub kind: &'static str,
    /// Its driver, with the driver's version.
    pub driver: String,
    /// The most bytes of a buffer.
    pub buffer_bytes_max: u64,
}

/// The adapters, the one that an engine takes first.
pub fn adapters() -> impl Iterator<Item = AdapterDescription> {
    found().into_iter().map(|adapter| describe(&adapter))
}

/// The description of an adapter.
pub(crate) fn describe(adapter: &Adapter) -> AdapterDescription {
    let info = adapter.get_info();
    AdapterDescription {
        name: info.name,
        kind: match info.device_type {
            DeviceType::DiscreteGpu => "discrete GPU",
            DeviceType::IntegratedGpu => "integrated GPU",
            DeviceType::VirtualGpu => "virtual GPU",
            DeviceType::Cpu => "processor",
            DeviceType::Other => "other",
        },
        driver: format!("{} {}", info.driver, info.driver_info)
            .trim()
            .to_owned(),
        buffer_bytes_max: buffer_bytes_max(adapter),
    }
}

/// The most bytes of a buffer that shaders read and write.
pub(crate) fn buffer_bytes_max(adapter: &Adapter) -> u64 {
    let limits = adapter.limits();
    limits
        .max_buffer_size
        .min(limits.max_storage_buffer_binding_size)
}

/// The adapters of this machine's Vulkan drivers, GPUs of their own memory first, and such as are
/// simulated by the processor last.
pub(crate) fn found() -> Vec<Adapter> {
    let instance = Instance::new(InstanceDescriptor {
        backends: Backends::VULKAN,
        ..InstanceDescriptor::new_without_display_handle()
    });
    let mut adapters = pollster::block_on(instance.enumerate_adapters(Backends::VULKAN));
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        DeviceType::DiscreteGpu => 0,
        DeviceType::VirtualGpu => 1,
        DeviceType::IntegratedGpu => 2,
        DeviceType::Other => 3,
        DeviceType::Cpu => 4,
    });
    adapters
}
