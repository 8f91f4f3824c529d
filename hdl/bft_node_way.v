// SPDX-License-Identifier: MIT OR Apache-2.0
// The route of a packet from below through a node of a binary fat tree: up, into the other half, or
// both. Timing: combinational.
`default_nettype none

module bft_node_way (
    input  wire        valid,
    input  wire        broadcast,
    input  wire [19:0] destination,
    input  wire [19:0] address,
    input  wire  [4:0] level,
    output wire        climbs,
    output wire        turns
);
  wire [19:0] from  = broadcast ? 20'd0 : address;
  wire [19:0] above = (destination ^ from) >> level;

  assign climbs = valid & (|above[19:1]);
  assign turns  = valid & (broadcast ? above[0] : ~(|above[19:1]));
endmodule
`default_nettype wire
