//! Packets of flows on links of limited rates, clock by clock: the experiment of section 5 of
//! Chen and Sha on the graph of a network.
//!
//! | file | holds |
//! |---|---|
//! | [`flow`] | who sends to whom, from when to when, and the clocks of its packets |
//! | [`tables`] | the next hop to every destination, by hops or by what waits |
//! | [`run`] | the flows on the event engine, in a network of [`rated_switch`](crosswave_chips::rated_switch)es |
//! | `reference` | the same without chips and engine, event by event, for tests |
//!
//! A packet is whole before it goes on. On a link it takes the clocks of its bytes, and those of
//! the link's delay behind them; each direction of a link has a queue and a rate of its own.
//! Routing traffic shares links and queues with packets where it is asked for.
//!
//! A clock is 20 µs, in which a link of 0.4 Mb/s carries a byte, one of 0.2 Mb/s half of one.
//!
//! Assumed, since the paper says nothing: flows start and end at two uniform times; the first
//! flows have a source each, the others one of these; bursts and pauses last half a second on
//! average, with twice the mean rate in a burst, and the shape of Pareto's distribution is 1.5;
//! a table is by hops unless another is asked for. Tables by what waits are known at a clock, and in force when
//! they have been written, an entry a clock.

pub mod flow;
#[cfg(test)]
mod reference;
pub mod run;
pub mod tables;

/// Clocks of a second.
pub const CLOCKS_PER_SECOND: u64 = 50_000;

/// Clocks of a byte on a link of one wire: 0.1 Mb/s.
pub const BYTE_CLOCKS: u64 = 4;

/// The delay of every link in the experiment: 10 ms.
pub const DELAY_CLOCKS: u64 = 500;

/// The length of the experiment: 120 s.
pub const EXPERIMENT_CLOCKS: u64 = 120 * CLOCKS_PER_SECOND;

/// Bytes of a packet of the experiment.
pub const PACKET_BYTES: u64 = 1000;

/// Bytes of an announcement of the state of links, and of its acknowledgement, in the simulator
/// that the paper used.
pub const ANNOUNCEMENT_BYTES: u64 = 100;
/// See [`ANNOUNCEMENT_BYTES`].
pub const ACKNOWLEDGEMENT_BYTES: u64 = 20;

/// Clocks that a packet takes over a link of so many wires, without its delay.
pub fn packet_clocks(bytes: u64, wires: u32) -> u64 {
    (bytes * BYTE_CLOCKS).div_ceil(u64::from(wires))
}

#[cfg(test)]
mod tests;
