// SPDX-License-Identifier: MIT OR Apache-2.0
// In place of rn1_direction in the proof of the whole RN1: any grants that keep
// what rn1_direction_proof proves of the real one.
`default_nettype none

module rn1_direction (
    input  wire        two_crossbars,
    input  wire [7:0]  request,
    input  wire [1:0]  free,
    input  wire [11:0] order,   // any
    input  wire        prefer,  // any
    output wire [7:0]  even_grant,
    output wire [7:0]  odd_grant
);
  assign even_grant = $anyseq;
  assign odd_grant = $anyseq;
  wire [7:0] left = request & ~even_grant & ~odd_grant;
  always @* begin
    assume ((even_grant & (even_grant - 8'd1)) == 8'd0);
    assume ((odd_grant & (odd_grant - 8'd1)) == 8'd0);
    assume ((even_grant & odd_grant) == 8'd0);
    assume (((even_grant | odd_grant) & ~request) == 8'd0);
    if (~free[0]) assume (even_grant == 8'd0);
    if (~free[1]) assume (odd_grant == 8'd0);
    if (two_crossbars) assume (even_grant[7:4] == 4'd0 & odd_grant[3:0] == 4'd0);
    if (free[0] & even_grant == 8'd0)
      assume ((left & (two_crossbars ? 8'h0f : 8'hff)) == 8'd0);
    if (free[1] & odd_grant == 8'd0)
      assume ((left & (two_crossbars ? 8'hf0 : 8'hff)) == 8'd0);
  end
endmodule
`default_nettype wire
