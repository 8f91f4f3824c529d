//! Footprints: what the chips of a network take of memory.
//!
//! The constants are measured, as `run::memory` says, which adds them up.

use crosswave_chips::packet_queue;

/// Bytes of the model of a router of up to four ports; of routers with more ports in proportion.
const MODEL_BYTES_OF_FOUR_PORTS: u64 = 82;
/// Bytes of a gate or flip-flop of a netlist that is compiled.
const NETLIST_BYTES_PER_CELL: u64 = 900;
/// Bytes of the wiring of a delay line.
const WIRING_BYTES_PER_DELAY: u64 = 4;
/// Bytes of Verilog for a link port.
const VERILOG_BYTES_PER_LINK: u64 = 1_180;

/// Memory that the chips of a network take, beside what is known from their tables and netlists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes of the register-level model of a router, its pins, what is on its links and where
    /// they lead to.
    pub model_bytes_per_router: u64,
    /// Bytes of the model of a router more at most, where messages have passed.
    pub queue_bytes_per_router: u64,
    /// Bytes of a gate or flip-flop of the netlist of a chip, while it is compiled.
    pub netlist_bytes_per_cell: u64,
    /// Bytes of the wiring between the gates of a router and its neighbours, beside its bits.
    pub wiring_bytes_per_router: u64,
    /// Bytes of the wiring of a delay line likewise.
    pub wiring_bytes_per_delay: u64,
    /// Bytes of exported Verilog for a link port: its part of the chip's pins in network and test
    /// bench.
    pub verilog_bytes_per_link: u64,
    /// Bytes of the tables of the routing.
    pub routing_bytes: u64,
}

impl Footprint {
    /// That of circuit switches of so many ports.
    pub fn of_routers(ports: usize) -> Footprint {
        Footprint {
            model_bytes_per_router: MODEL_BYTES_OF_FOUR_PORTS * fours(ports),
            queue_bytes_per_router: 0,
            netlist_bytes_per_cell: NETLIST_BYTES_PER_CELL,
            wiring_bytes_per_router: 0,
            wiring_bytes_per_delay: WIRING_BYTES_PER_DELAY,
            verilog_bytes_per_link: VERILOG_BYTES_PER_LINK,
            routing_bytes: 0,
        }
    }

    /// That of packet switches of so many ports without queues.
    pub fn of_packets(ports: usize) -> Footprint {
        /// Bytes of the model for four ports.
        const MODEL_BYTES: u64 = 205;
        Footprint {
            model_bytes_per_router: MODEL_BYTES * fours(ports),
            ..Footprint::of_routers(ports)
        }
    }

    /// That of packet switches of so many ports, with queues of so many packets at most.
    pub fn of_queues(ports: usize, packets: u32) -> Footprint {
        /// Bytes of the model for four ports, with queues that have always been empty, and more at most of
        /// others.
        const MODEL_BYTES: [u64; 2] = [340, 245];
        /// Bytes of a cell, and for each packet of the queues: netlists have room for all, and gates for
        /// those that a network does not use are left out before the others are compiled.
        const BYTES_PER_CELL: [u64; 2] = [465, 36];
        let places = u64::from(packets.min(packet_queue::PLACES));
        Footprint {
            model_bytes_per_router: MODEL_BYTES[0] * fours(ports),
            queue_bytes_per_router: MODEL_BYTES[1] * fours(ports),
            netlist_bytes_per_cell: BYTES_PER_CELL[0] + BYTES_PER_CELL[1] * places,
            ..Footprint::of_routers(ports)
        }
    }
}

/// Ports by four, and what is left over.
fn fours(ports: usize) -> u64 {
    (ports as u64).div_ceil(4)
}
