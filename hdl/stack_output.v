// SPDX-License-Identifier: MIT OR Apache-2.0
// One output of the stack switch: who gets it, what it sends, and how many flits it may
// still send before places come free at the other end of its link.
`default_nettype none
`include "stack.vh"

(* keep_hierarchy, occurs_often *)
module stack_output #(
    parameter PORTS = 8
) (
    input  wire               clock,
    input  wire               reset,
    input  wire [PORTS-1:0]   request,  // inputs that ask for it
    output wire [PORTS-1:0]   grant,
    input  wire [PORTS-1:0]   offers,   // inputs that have a flit for the output that they hold
    input  wire [9*PORTS-1:0] flits,    // of all inputs
    output wire [PORTS-1:0]   take,     // the input whose flit it sends
    input  wire               out_credit,
    output reg                out_valid,
    output reg                out_last,
    output reg  [7:0]         out_data,
    output reg  [PORTS-1:0]   owner,
    output reg  [2:0]         credits
);
  localparam DEPTH = `CROSSWAVE_STACK_DEPTH;

  // ---- Who gets it: the next one after the one that got it last ----------

  reg  [PORTS-1:0] later;  // the inputs after that one
  wire [PORTS-1:0] behind     = request & later;
  wire [PORTS-1:0] candidates = (|behind) ? behind : request;
  wire             free       = ~(|owner);
  // The lowest of them.
  assign grant = {PORTS{free}} & candidates & (~candidates + 1'b1);

  // ---- What it sends ------------------------------------------------------

  assign take = owner & offers & {PORTS{credits != 3'd0}};
  wire sends = |take;
  reg [8:0] flit;
  integer port;
  always @* begin
    flit = 9'd0;
    for (port = 0; port < PORTS; port = port + 1)
      flit = flit | ({9{take[port]}} & flits[9*port +: 9]);
  end

  // A credit for a place that nobody took is ignored.
  wire [2:0] kept   = credits - {2'd0, sends};
  wire       regain = out_credit & (kept != DEPTH[2:0]);

  always @(posedge clock) begin
    if (reset) begin
      {out_valid, out_last, out_data} <= 10'd0;
      owner   <= {PORTS{1'b0}};
      later   <= {PORTS{1'b0}};
      credits <= DEPTH[2:0];
    end else begin
      {out_valid, out_last, out_data} <= {sends, flit};
      if (free) owner <= grant;
      else if (flit[8]) owner <= {PORTS{1'b0}};
      if (|grant) later <= ~(grant | (grant - 1'b1));
      credits <= kept + {2'd0, regain};
    end
  end
endmodule
`default_nettype wire
