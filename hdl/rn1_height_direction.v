// SPDX-License-Identifier: MIT OR Apache-2.0
// Who gets the two outputs of one direction of RN1 with heights: rn1_direction, as a module
// that stays one in the netlist. Combinational.
`default_nettype none

(* keep_hierarchy, occurs_often *)
module rn1_height_direction (
    input  wire        two_crossbars,
    input  wire [7:0]  request,
    input  wire [1:0]  enable,    // odd output, even output
    input  wire [15:0] held,      // by inputs: the odd output, the even one
    input  wire [11:0] order,
    input  wire        prefer,
    output wire [7:0]  even_grant,
    output wire [7:0]  odd_grant
);
  rn1_direction choice (
      .two_crossbars(two_crossbars), .request(request),
      .free(enable & ~{|held[15:8], |held[7:0]}), .order(order), .prefer(prefer),
      .even_grant(even_grant), .odd_grant(odd_grant));
endmodule
`default_nettype wire
