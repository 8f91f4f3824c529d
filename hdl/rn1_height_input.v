// SPDX-License-Identifier: MIT OR Apache-2.0
// One input port of RN1 that can take the first byte of a connection as a height: the
// translation of that byte, and rn1_input, which does all else.
//
// A height h counts down. It leads in direction min(h, 3), and what goes on is that
// direction in the top two bits and h - 3 below it, or 0. It counts in no checksum: of
// rn1_input, whose checksum begins with 0, the byte is 0, which leaves that as it is.
`default_nettype none
`include "rn1_protocol.vh"

(* keep_hierarchy, occurs_often *)
module rn1_height_input (
    input  wire        clock,
    input  wire        reset,
    input  wire        enable,
    input  wire        swallow,
    input  wire        to_height,  // the first byte is a height
    input  wire [4:0]  in_delay,
    // Of all outputs: extra clocks of their wires, and the words that come back.
    input  wire [39:0] out_delay,
    input  wire [71:0] back,
    input  wire [8:0]  in,
    // The first byte asks for a direction, one of four, and is granted an output or not.
    output wire [3:0]  wants,
    input  wire [7:0]  grants,
    // The output it holds, the same as a set, and the word that goes there.
    output wire [2:0]  target,
    output wire [7:0]  held,
    output wire [8:0]  forward,
    output wire [8:0]  backward,
    output wire [2:0]  state
);
  // ---- The first byte -----------------------------------------------------

  wire waits = state == `CROSSWAVE_RN1_STATE_IDLE | state == `CROSSWAVE_RN1_STATE_SWALLOW;
  wire is_height = to_height & waits & in[8];
  wire [5:0] height = in[5:0];
  wire [1:0] least  = height[1:0] | {2{|height[5:2]}};
  wire [5:0] left   = (&least) ? height - 6'd3 : 6'd0;
  wire [7:0] first  = is_height ? {least, left} : in[7:0];
  wire request;
  assign wants = {3'd0, request} << first[7:6];

  // ---- The connection -----------------------------------------------------

  // Only who asks is granted. Said again here it shows three-valued logic that an
  // input at rest stays so whatever the random bits are.
  wire is_granted = request & (|grants);
  wire odd = |(grants & 8'haa);
  wire holds;
  wire [8:0] arrives, passes;
  rn1_gather from_output (.select(held), .words(back), .word(arrives));
  rn1_input port (
      .clock(clock), .reset(reset), .enable(enable), .swallow(swallow),
      .in_delay(in_delay), .out_delay(out_delay[5*target +: 5]),
      .in(is_height ? `CROSSWAVE_RN1_DATA : in), .back(arrives),
      .request(request), .granted(is_granted), .grant({first[7:6], odd}),
      .holds(holds), .target(target), .forward(passes), .backward(backward), .state(state));
  assign held    = {7'd0, holds} << target;
  assign forward = passes | {1'b0, first & {8{is_height & request}}};
endmodule
`default_nettype wire
