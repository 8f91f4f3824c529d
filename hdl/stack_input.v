// SPDX-License-Identifier: MIT OR Apache-2.0
// One input of the stack switch: a buffer of flits, and what becomes of the packet at its
// head. The first flit is the number of an output; it is swallowed, and in the same
// clock that output is asked for.
`default_nettype none
`include "stack.vh"

(* keep_hierarchy, occurs_often *)
module stack_input #(
    parameter PORTS = 8
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             in_valid,
    input  wire             in_last,
    input  wire [7:0]       in_data,
    output reg              in_credit,
    output wire [PORTS-1:0] request,  // the output that it asks for
    input  wire [PORTS-1:0] grant,
    output wire             offers,   // there is a flit for the output that it holds
    output wire [8:0]       flit,     // that flit: last and data
    input  wire [PORTS-1:0] take,     // the output that sends it on
    output reg              lost,
    output reg  [1:0]       state,
    output reg  [2:0]       fill
);
  localparam DEPTH = `CROSSWAVE_STACK_DEPTH;

  // The flits in the order in which they came, the oldest one lowest.
  reg [9*DEPTH-1:0] places;
  assign flit = places[8:0];
  wire present = fill != 3'd0;
  wire ends    = flit[8];

  // ---- The packet at the head ---------------------------------------------

  wire swallows = state == `CROSSWAVE_STACK_IDLE & present;
  wire wanting  = state == `CROSSWAVE_STACK_WANTING;
  wire discards = state == `CROSSWAVE_STACK_DISCARDING & present;
  assign offers = state == `CROSSWAVE_STACK_HOLDING & present;

  // The output whose number the flit is; none when there is no such output.
  wire [PORTS-1:0] named;
  genvar port;
  generate
    for (port = 0; port < PORTS; port = port + 1) begin : target
      assign named[port] = flit[7:0] == port;
    end
  endgenerate
  reg [PORTS-1:0] wish;
  assign request = ({PORTS{swallows & ~ends}} & named) | ({PORTS{wanting}} & wish);

  wire granted = |grant;
  wire passes  = |take;
  wire leaves  = swallows | discards | passes;

  always @(posedge clock) begin
    if (reset) begin
      state     <= `CROSSWAVE_STACK_IDLE;
      wish      <= {PORTS{1'b0}};
      lost      <= 1'b0;
      in_credit <= 1'b0;
    end else begin
      if (swallows & ~ends)
        state <= ~(|named) ? `CROSSWAVE_STACK_DISCARDING
               : granted   ? `CROSSWAVE_STACK_HOLDING
               :             `CROSSWAVE_STACK_WANTING;
      else if (wanting & granted) state <= `CROSSWAVE_STACK_HOLDING;
      else if ((passes | discards) & ends) state <= `CROSSWAVE_STACK_IDLE;
      if (swallows) wish <= named;
      lost      <= (swallows | discards) & ends;
      in_credit <= leaves;
    end
  end

  // ---- The buffer ---------------------------------------------------------

  // A flit for which there is no place is lost: its sender had no credit for it.
  wire [2:0] kept   = fill - {2'd0, leaves};
  wire       enters = in_valid & (kept != DEPTH[2:0]);
  integer place;
  always @(posedge clock) begin
    if (reset) begin
      places <= {9*DEPTH{1'b0}};
      fill   <= 3'd0;
    end else begin
      if (leaves) places <= {9'd0, places[9*DEPTH-1:9]};
      for (place = 0; place < DEPTH; place = place + 1)
        if (enters & (kept == place[2:0])) places[9*place +: 9] <= {in_last, in_data};
      fill <= kept + {2'd0, enters};
    end
  end
endmodule
`default_nettype wire
