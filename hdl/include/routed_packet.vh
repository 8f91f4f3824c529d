// SPDX-License-Identifier: MIT OR Apache-2.0
// Written by `crosswave headers hdl` from the tables in crates/chips.
`ifndef CROSSWAVE_ROUTED_PACKET
`define CROSSWAVE_ROUTED_PACKET
// bits of the number that a receiver shows: up to 2^24 packets: assumed
`define CROSSWAVE_ROUTED_ID_WIDTH 24
// bits of a route: output ports of the switches ahead, the next one lowest: assumed
`define CROSSWAVE_ROUTED_ROUTE_WIDTH 39
`endif
