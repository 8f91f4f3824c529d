// SPDX-License-Identifier: MIT OR Apache-2.0
// The choice among the inputs of RN1 that ask for one direction. Combinational:
// what is asserted holds for all inputs.
`default_nettype none

module rn1_direction_proof (
    input wire        clock,
    input wire        two_crossbars,
    input wire [7:0]  request,
    input wire [1:0]  free,
    input wire [11:0] order,
    input wire        prefer,
    output reg  [2:0] reached
);
  wire [7:0] even, odd;
  rn1_direction choice (
      .two_crossbars(two_crossbars), .request(request), .free(free), .order(order),
      .prefer(prefer), .even_grant(even), .odd_grant(odd));

  wire [7:0] left = request & ~even & ~odd;
  always @* begin
    // Each output goes to one input at most, and no input gets both; only who asks
    // is granted, and only what is free.
    assert ((even & (even - 8'd1)) == 8'd0);
    assert ((odd & (odd - 8'd1)) == 8'd0);
    assert ((even & odd) == 8'd0);
    assert (((even | odd) & ~request) == 8'd0);
    if (~free[0]) assert (even == 8'd0);
    if (~free[1]) assert (odd == 8'd0);
    // The two crossbars stay apart.
    if (two_crossbars) assert (even[7:4] == 4'd0 & odd[3:0] == 4'd0);
    // Nobody goes without while an output that it can reach is free and not given.
    if (free[0] & even == 8'd0) assert ((left & (two_crossbars ? 8'h0f : 8'hff)) == 8'd0);
    if (free[1] & odd == 8'd0) assert ((left & (two_crossbars ? 8'hf0 : 8'hff)) == 8'd0);
    // A single request that may have either output gets the preferred one.
    if (~two_crossbars & (&free) & request != 8'd0 & (request & (request - 8'd1)) == 8'd0)
      assert (prefer ? odd == request : even == request);
  end
  // Runs that reach them have clocks.
  always @(posedge clock)
    reached <= {two_crossbars & even == 8'h08 & odd == 8'h10 & (&request),
                even == 8'h01 & odd == 8'h02 & (&request),
                even == 8'h80 & odd == 8'h01 & (&request)};
endmodule
`default_nettype wire
