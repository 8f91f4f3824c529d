// SPDX-License-Identifier: MIT OR Apache-2.0
// A slice of a routing node of a binary fat tree with a queue of up to eight packets in front of
// each output. Ports, routes and timing: packet_switch_q8.md.
`default_nettype none
`include "packet.vh"

module packet_switch_q8 (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [4:0] level,             // level of the node: 0 above the leaves
    input  wire [19:0] address,           // first node of its subtree; its bits up to the level are 0
    input  wire        upstream_single,   // only up_0 leads up, and packets from both sides take it
    input  wire  [3:0] queue_packets,     // packets that wait for an output at most; 8, if it is more
    input  wire        half_duplex,       // links have one direction at a time
    output wire  [3:0] lost,              // queues that were full when packets came for them: left, right, up_0, up_1
    output wire  [3:0] left_queued,       // packets that wait for left
    output wire  [3:0] right_queued,      // packets that wait for right
    output wire  [3:0] up_0_queued,       // packets that wait for up_0
    output wire  [3:0] up_1_queued,       // packets that wait for up_1
    output wire  [3:0] left_longest,      // the most that waited for left
    output wire  [3:0] right_longest,     // the most that waited for right
    output wire  [3:0] up_0_longest,      // the most that waited for up_0
    output wire  [3:0] up_1_longest,      // the most that waited for up_1
    input  wire        left_in_valid,     // a packet comes in
    input  wire        left_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] left_in_phase,     // its phase
    input  wire [19:0] left_in_destination, // its destination
    input  wire [23:0] left_in_id,        // its number
    output wire        left_out_valid,    // a packet goes out
    output wire        left_out_broadcast, // its destination is a set of levels
    output wire  [4:0] left_out_phase,    // its phase
    output wire [19:0] left_out_destination, // its destination
    output wire [23:0] left_out_id,       // its number
    input  wire        right_in_valid,    // a packet comes in
    input  wire        right_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] right_in_phase,    // its phase
    input  wire [19:0] right_in_destination, // its destination
    input  wire [23:0] right_in_id,       // its number
    output wire        right_out_valid,   // a packet goes out
    output wire        right_out_broadcast, // its destination is a set of levels
    output wire  [4:0] right_out_phase,   // its phase
    output wire [19:0] right_out_destination, // its destination
    output wire [23:0] right_out_id,      // its number
    input  wire        up_0_in_valid,     // a packet comes in
    input  wire        up_0_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] up_0_in_phase,     // its phase
    input  wire [19:0] up_0_in_destination, // its destination
    input  wire [23:0] up_0_in_id,        // its number
    output wire        up_0_out_valid,    // a packet goes out
    output wire        up_0_out_broadcast, // its destination is a set of levels
    output wire  [4:0] up_0_out_phase,    // its phase
    output wire [19:0] up_0_out_destination, // its destination
    output wire [23:0] up_0_out_id,       // its number
    input  wire        up_1_in_valid,     // a packet comes in
    input  wire        up_1_in_broadcast, // its destination is a set of levels
    input  wire  [4:0] up_1_in_phase,     // its phase
    input  wire [19:0] up_1_in_destination, // its destination
    input  wire [23:0] up_1_in_id,        // its number
    output wire        up_1_out_valid,    // a packet goes out
    output wire        up_1_out_broadcast, // its destination is a set of levels
    output wire  [4:0] up_1_out_phase,    // its phase
    output wire [19:0] up_1_out_destination, // its destination
    output wire [23:0] up_1_out_id        // its number
);
  // A packet: broadcast, phase, destination, id.
  localparam WIDTH = `CROSSWAVE_PACKET_WIDTH - 1;

  wire [WIDTH-1:0] left  = {left_in_broadcast, left_in_phase, left_in_destination, left_in_id};
  wire [WIDTH-1:0] right = {right_in_broadcast, right_in_phase, right_in_destination, right_in_id};
  wire [WIDTH-1:0] up_0  = {up_0_in_broadcast, up_0_in_phase, up_0_in_destination, up_0_in_id};
  wire [WIDTH-1:0] up_1  = {up_1_in_broadcast, up_1_in_phase, up_1_in_destination, up_1_in_id};

  // ---- Ways ---------------------------------------------------------------

  wire left_climbs, left_turns, right_climbs, right_turns;

  bft_node_way way_left (
      .valid(left_in_valid), .broadcast(left_in_broadcast), .destination(left_in_destination),
      .address(address), .level(level), .climbs(left_climbs), .turns(left_turns)
  );
  bft_node_way way_right (
      .valid(right_in_valid), .broadcast(right_in_broadcast), .destination(right_in_destination),
      .address(address), .level(level), .climbs(right_climbs), .turns(right_turns)
  );

  wire [19:0] below_0 = up_0_in_destination >> level;
  wire [19:0] below_1 = up_1_in_destination >> level;
  wire to_left_0  = up_0_in_valid & (up_0_in_broadcast | ~below_0[0]);
  wire to_right_0 = up_0_in_valid & (up_0_in_broadcast | below_0[0]);
  wire to_left_1  = up_1_in_valid & (up_1_in_broadcast | ~below_1[0]);
  wire to_right_1 = up_1_in_valid & (up_1_in_broadcast | below_1[0]);

  // ---- Outputs ------------------------------------------------------------

  // The queue of an output takes whom a node without queues lets pass first.
  wire turn_up, turn_down;
  packet_turns turns (
      .clock(clock), .reset(reset), .half_duplex(half_duplex), .up(turn_up), .down(turn_down));

  packet_queue #(.WIDTH(WIDTH)) queue_left (
      .clock(clock), .reset(reset), .turn(turn_down), .most(queue_packets),
      .comes({right_turns, to_left_1, to_left_0}), .packets({right, up_1, up_0}),
      .valid(left_out_valid),
      .packet({left_out_broadcast, left_out_phase, left_out_destination, left_out_id}),
      .lost(lost[0]), .queued(left_queued), .longest(left_longest));
  packet_queue #(.WIDTH(WIDTH)) queue_right (
      .clock(clock), .reset(reset), .turn(turn_down), .most(queue_packets),
      .comes({left_turns, to_right_1, to_right_0}), .packets({left, up_1, up_0}),
      .valid(right_out_valid),
      .packet({right_out_broadcast, right_out_phase, right_out_destination, right_out_id}),
      .lost(lost[1]), .queued(right_queued), .longest(right_longest));
  packet_queue #(.WIDTH(WIDTH)) queue_up_0 (
      .clock(clock), .reset(reset), .turn(turn_up), .most(queue_packets),
      .comes({1'b0, right_climbs & upstream_single, left_climbs}),
      .packets({{WIDTH{1'b0}}, right, left}),
      .valid(up_0_out_valid),
      .packet({up_0_out_broadcast, up_0_out_phase, up_0_out_destination, up_0_out_id}),
      .lost(lost[2]), .queued(up_0_queued), .longest(up_0_longest));
  packet_queue #(.WIDTH(WIDTH)) queue_up_1 (
      .clock(clock), .reset(reset), .turn(turn_up), .most(queue_packets),
      .comes({2'b00, right_climbs & ~upstream_single}), .packets({{2 * WIDTH{1'b0}}, right}),
      .valid(up_1_out_valid),
      .packet({up_1_out_broadcast, up_1_out_phase, up_1_out_destination, up_1_out_id}),
      .lost(lost[3]), .queued(up_1_queued), .longest(up_1_longest));

  wire unused = &{1'b0, below_0[19:1], below_1[19:1]};
endmodule
`default_nettype wire
