// SPDX-License-Identifier: MIT OR Apache-2.0
// The packet switch of an m-port n-tree with 4 ports, each by its name.
`default_nettype none

module mport_packet_switch_4_q8 (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [3:0] queue_packets,     // packets that wait for an output at most; 8, if it is more
    output wire  [3:0] lost,              // a bit for each output whose queue was full when packets came for it
    input  wire        p0_in_valid,       // a packet comes in
    input  wire [38:0] p0_in_route,       // output ports ahead of it
    input  wire [23:0] p0_in_id,          // its number
    output wire        p0_out_valid,      // a packet goes out
    output wire [38:0] p0_out_route,      // output ports ahead of it
    output wire [23:0] p0_out_id,         // its number
    input  wire        p1_in_valid,       // a packet comes in
    input  wire [38:0] p1_in_route,       // output ports ahead of it
    input  wire [23:0] p1_in_id,          // its number
    output wire        p1_out_valid,      // a packet goes out
    output wire [38:0] p1_out_route,      // output ports ahead of it
    output wire [23:0] p1_out_id,         // its number
    input  wire        p2_in_valid,       // a packet comes in
    input  wire [38:0] p2_in_route,       // output ports ahead of it
    input  wire [23:0] p2_in_id,          // its number
    output wire        p2_out_valid,      // a packet goes out
    output wire [38:0] p2_out_route,      // output ports ahead of it
    output wire [23:0] p2_out_id,         // its number
    input  wire        p3_in_valid,       // a packet comes in
    input  wire [38:0] p3_in_route,       // output ports ahead of it
    input  wire [23:0] p3_in_id,          // its number
    output wire        p3_out_valid,      // a packet goes out
    output wire [38:0] p3_out_route,      // output ports ahead of it
    output wire [23:0] p3_out_id,         // its number
    output wire  [3:0] p0_queued,         // packets that wait for this output
    output wire  [3:0] p1_queued,         // packets that wait for this output
    output wire  [3:0] p2_queued,         // packets that wait for this output
    output wire  [3:0] p3_queued,         // packets that wait for this output
    output wire  [3:0] p0_longest,        // the most that waited for this output
    output wire  [3:0] p1_longest,        // the most that waited for this output
    output wire  [3:0] p2_longest,        // the most that waited for this output
    output wire  [3:0] p3_longest         // the most that waited for this output
);
  mport_packet_switch #(.PORTS(4), .INDEX(2)) switch (
      .clock(clock), .reset(reset), .queue_packets(queue_packets), .lost(lost),
      .in_valid({
          p3_in_valid, p2_in_valid, p1_in_valid, p0_in_valid}),
      .in_route({
          p3_in_route, p2_in_route, p1_in_route, p0_in_route}),
      .in_id({
          p3_in_id, p2_in_id, p1_in_id, p0_in_id}),
      .out_valid({
          p3_out_valid, p2_out_valid, p1_out_valid, p0_out_valid}),
      .out_route({
          p3_out_route, p2_out_route, p1_out_route, p0_out_route}),
      .out_id({
          p3_out_id, p2_out_id, p1_out_id, p0_out_id}),
      .queued({
          p3_queued, p2_queued, p1_queued, p0_queued}),
      .longest({
          p3_longest, p2_longest, p1_longest, p0_longest}));
endmodule
`default_nettype wire
