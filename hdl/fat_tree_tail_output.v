// SPDX-License-Identifier: MIT OR Apache-2.0
// One output port of the router that frees outputs after the tail: the inputs
// whose attempts went out here and wait for their answers, oldest first. An
// answer is for the oldest. SOURCES inputs can reach the output.
`default_nettype none
`include "protocol.vh"

module fat_tree_tail_output #(
    parameter SOURCES = 3
) (
    input  wire               clock,
    input  wire               reset,
    input  wire [SOURCES-1:0] granted,
    input  wire               ack,
    input  wire               collision,
    input  wire               one,     // 1: room for one answer; 0: for DEPTH
    output wire               room,
    output wire [SOURCES-1:0] oldest
);
  localparam DEPTH = `CROSSWAVE_ANSWERS_MAX;

  reg [DEPTH*SOURCES-1:0] from;
  assign oldest = from[0 +: SOURCES];
  assign room   = ~(one ? |from[0 +: SOURCES] : |from[(DEPTH-1)*SOURCES +: SOURCES]);

  // With the input that was granted the output after the others.
  reg [(DEPTH+1)*SOURCES-1:0] from_now;
  reg                         place;
  integer at;
  always @* begin
    from_now = {{SOURCES{1'b0}}, from};
    place = 1'b1;
    for (at = 0; at < DEPTH; at = at + 1) begin
      if (place & ~(|from[at*SOURCES +: SOURCES])) from_now[at*SOURCES +: SOURCES] = granted;
      place = place & (|from[at*SOURCES +: SOURCES]);
    end
  end

  always @(posedge clock)
    if (reset) from <= {(DEPTH * SOURCES) {1'b0}};
    else if (ack | collision) from <= from_now[SOURCES +: DEPTH*SOURCES];
    else from <= from_now[0 +: DEPTH*SOURCES];
endmodule
`default_nettype wire
