//! The GPU engine: networks of the chips' netlists, written as compute shaders (WGSL) that
//! [`wgpu`] hands to a Vulkan driver.
//!
//! | file | holds |
//! |---|---|
//! | `plan` | the parts of an array's netlist, and the places of its planes |
//! | `links` | the words of neighbours that arrive at each link port |
//! | `shader` | the code of an array's clock edge |
//! | `random` | random bits in that code |
//! | `senders` | the code of a host for interfaces that send one message after another |
//! | `device` | the adapter, its buffers, pipelines and faults |
//! | `mirror` | planes that were read back in a cycle |
//! | `engine` | the engine |
//!
//! One invocation evaluates 32 instances, one bit of a 32-bit word each. Memory is cut into tiles of
//! 32 words of each plane, so that neighbouring invocations read neighbouring words.
//! Outputs have two buffers, as neighbours read them; other registers are replaced in place. The code
//! loads all that it reads, evaluates, and stores: compilers of drivers order it better than a processor's
//! order of registers would.
//!
//! The engine gives what the gate engine gives, in every cycle, as it evaluates the same netlists with the
//! same random bits.

pub mod adapters;
mod device;
mod engine;
mod links;
mod mirror;
mod plan;
mod random;
mod senders;
mod shader;

pub use device::fault_error;
pub use engine::GpuEngine;
