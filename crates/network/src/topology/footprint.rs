//! Footprints: what the chips of a network take of memory.
//!
//! The constants are measured, as `run::memory` says, which adds them up.

/// Bytes of the model of a router of up to four ports; of routers with more ports in proportion.
const MODEL_BYTES_OF_FOUR_PORTS: u64 = 82;
/// Bytes of the program, its library and the netlists of small routers.
const NETLISTS_BYTES: u64 = 10_000_000;
/// Bytes of Verilog for a link port.
const VERILOG_BYTES_PER_LINK: u64 = 1_180;

/// Memory that the chips of a network take, beside what is known from their tables and netlists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes of the register-level model of a router, its pins, what is on its links and where
    /// they lead to.
    pub model_bytes_per_router: u64,
    /// Bytes of the program and of its library with the netlists of the chips, while these are
    /// compiled, before there is a network.
    pub netlists_bytes: u64,
    /// Bytes of the wiring between the gates of a router and its neighbours, beside its bits.
    pub wiring_bytes_per_router: u64,
    /// Bytes of exported Verilog for a link port: its part of the chip's pins in network and test
    /// bench.
    pub verilog_bytes_per_link: u64,
    /// Bytes of the tables of the routing.
    pub routing_bytes: u64,
}

impl Footprint {
    /// That of circuit switches of so many ports, with netlists of a few hundred gates.
    pub fn of_routers(ports: usize) -> Footprint {
        Footprint {
            model_bytes_per_router: MODEL_BYTES_OF_FOUR_PORTS * fours(ports),
            netlists_bytes: NETLISTS_BYTES,
            wiring_bytes_per_router: 0,
            verilog_bytes_per_link: VERILOG_BYTES_PER_LINK,
            routing_bytes: 0,
        }
    }

    /// That of packet switches of so many ports, with queues of packets or without.
    pub fn of_packets(ports: usize, has_queues: bool) -> Footprint {
        /// Bytes of the model for four ports, without queues and with empty ones.
        const MODEL_BYTES: [u64; 2] = [250, 560];
        Footprint {
            model_bytes_per_router: MODEL_BYTES[usize::from(has_queues)] * fours(ports),
            ..Footprint::of_routers(ports)
        }
    }
}

/// Ports by four, and what is left over.
fn fours(ports: usize) -> u64 {
    (ports as u64).div_ceil(4)
}
