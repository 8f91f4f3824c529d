// SPDX-License-Identifier: MIT OR Apache-2.0
// One output of RN1 with heights: the word of the input that holds it or is granted it, a
// clock later.
`default_nettype none

(* keep_hierarchy, occurs_often *)
module rn1_height_output (
    input  wire        clock,
    input  wire        reset,
    input  wire [7:0]  held,     // by at most one input
    input  wire [7:0]  granted,  // to at most one, where none holds it
    input  wire [71:0] words,    // of all inputs
    output reg  [8:0]  forward
);
  wire [8:0] word;
  rn1_gather from_input (.select(held | granted), .words(words), .word(word));
  always @(posedge clock) forward <= reset ? 9'd0 : word;
endmodule
`default_nettype wire
