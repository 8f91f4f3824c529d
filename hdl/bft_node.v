// SPDX-License-Identifier: MIT OR Apache-2.0
// A slice of a routing node of a binary fat tree: what comes in goes out a clock later, and
// nothing waits. Ports, routes and timing: bft_node.md.
`default_nettype none
`include "packet.vh"

module bft_node (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [4:0] level,             // level of the node: 0 above the leaves
    input  wire [19:0] address,           // first node of its subtree; its bits up to the level are 0
    input  wire        upstream_single,   // only up_0 leads up, and packets from both sides take it
    output wire  [2:0] conflict,          // outputs for which several packets came: left, right, up_0; all but one are lost
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

  wire right_to_0 = right_climbs & upstream_single;
  wire right_to_1 = right_climbs & ~upstream_single;

  // ---- Outputs ------------------------------------------------------------

  reg [WIDTH:0] to_left, to_right, to_up_0, to_up_1;
  reg [2:0] lost;
  assign {left_out_valid, left_out_broadcast, left_out_phase, left_out_destination, left_out_id}
      = to_left;
  assign {right_out_valid, right_out_broadcast, right_out_phase, right_out_destination,
      right_out_id} = to_right;
  assign {up_0_out_valid, up_0_out_broadcast, up_0_out_phase, up_0_out_destination, up_0_out_id}
      = to_up_0;
  assign {up_1_out_valid, up_1_out_broadcast, up_1_out_phase, up_1_out_destination, up_1_out_id}
      = to_up_1;
  assign conflict = lost;

  always @(posedge clock) begin
    if (reset) begin
      to_left  <= {WIDTH + 1{1'b0}};
      to_right <= {WIDTH + 1{1'b0}};
      to_up_0  <= {WIDTH + 1{1'b0}};
      to_up_1  <= {WIDTH + 1{1'b0}};
      lost     <= 3'd0;
    end else begin
      to_left <= to_left_0   ? {1'b1, up_0}
               : to_left_1   ? {1'b1, up_1}
               : right_turns ? {1'b1, right}
               :               {WIDTH + 1{1'b0}};
      to_right <= to_right_0 ? {1'b1, up_0}
                : to_right_1 ? {1'b1, up_1}
                : left_turns ? {1'b1, left}
                :              {WIDTH + 1{1'b0}};
      to_up_0 <= left_climbs ? {1'b1, left}
               : right_to_0  ? {1'b1, right}
               :               {WIDTH + 1{1'b0}};
      to_up_1 <= right_to_1 ? {1'b1, right} : {WIDTH + 1{1'b0}};
      lost <= {left_climbs & right_to_0,
               (to_right_0 & to_right_1) | ((to_right_0 | to_right_1) & left_turns),
               (to_left_0 & to_left_1) | ((to_left_0 | to_left_1) & right_turns)};
    end
  end

  wire unused = &{1'b0, below_0[19:1], below_1[19:1]};
endmodule
`default_nettype wire
