// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `crosswave headers hdl` from the tables in crates/chips.
`ifndef CROSSWAVE_PACKET
`define CROSSWAVE_PACKET
// bits of the number that a receiver shows: up to 2^24 packets: assumed
`define CROSSWAVE_PACKET_ID_WIDTH 24
// bits of a phase: up to lg 2^20 phases and 12 more: assumed
`define CROSSWAVE_PACKET_PHASE_WIDTH 5
// bits of a packet on a link: valid, broadcast, phase, destination, id: assumed
`define CROSSWAVE_PACKET_WIDTH 51
`endif
