// SPDX-License-Identifier: MIT OR Apache-2.0
// One of eight words of nine bits, or 0: one side of RN1's crossbar.
// Combinational.
`default_nettype none

(* keep_hierarchy *)
module rn1_gather (
    input  wire [7:0]  select,  // at most one
    input  wire [71:0] words,   // word i in bits 9 * i on
    output reg  [8:0]  word
);
  always @* begin : all
    integer at;
    word = 9'd0;
    for (at = 0; at < 8; at = at + 1)
      word = word | (words[9*at +: 9] & {9{select[at]}});
  end
endmodule
`default_nettype wire
