// SPDX-License-Identifier: MIT OR Apache-2.0
// One input port of the m-port switch: that of the four-port router, whose head
// is the number of the output that it wants and is used up here. It can hold any of
// PORTS outputs.
`default_nettype none

(* keep_hierarchy, occurs_often *)
module mport_input #(
    parameter PORTS = 4,
    parameter INDEX = 2
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             early_acknowledge,
    input  wire             in_valid,
    input  wire [7:0]       in_data,
    output wire             in_ack,
    output wire             in_collision,
    output wire [PORTS-1:0] wants,     // the output that its head asks for
    input  wire [PORTS-1:0] grant,
    input  wire [PORTS-1:0] out_ack,
    input  wire [PORTS-1:0] out_collision,
    output wire [PORTS-1:0] select,
    output wire [8:0]       word,      // valid and data, for the output that it selects
    output wire [PORTS:0]   state
);
  wire head;
  wire [7:0] first;
  // A head without a word after it is neither granted nor rejected.
  wire request = head & in_valid;
  // The number of an output; others are wanted of nobody.
  wire legal = ~(|first[7:INDEX]);
  genvar port;
  generate
    for (port = 0; port < PORTS; port = port + 1) begin : target
      assign wants[port] = request & legal & (first[INDEX-1:0] == port);
    end
  endgenerate

  fat_tree_input #(.TARGETS(PORTS)) port_input (
      .clock(clock), .reset(reset), .early_acknowledge(early_acknowledge),
      .in_valid(in_valid), .in_data(in_data),
      .in_ack(in_ack), .in_collision(in_collision),
      .head(head), .word(first), .swallow(1'b1), .request(request), .grant(grant),
      .target_ack(out_ack), .target_collision(out_collision),
      .select(select), .valid(word[8]), .data(word[7:0]), .state(state));
endmodule
`default_nettype wire
