// Generated from the port tables of the chips by `crosswave headers hdl/include`.
`ifndef CROSSWAVE_ROUTED_PACKET
`define CROSSWAVE_ROUTED_PACKET
// bits of the number that a receiver shows: up to 2^24 packets: assumed
`define CROSSWAVE_ROUTED_ID_WIDTH 24
// bits of a route: output ports of the switches ahead, the next one lowest: assumed
`define CROSSWAVE_ROUTED_ROUTE_WIDTH 39
`endif
