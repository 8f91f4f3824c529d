// SPDX-License-Identifier: MIT OR Apache-2.0
// Wormhole switch of fat stacks and pyramids: the first flit of a packet is the number of
// the output that the others leave by. Every input has a buffer, whose places the other
// end of the link knows by credits. Ports are the bits of vectors, input by input
// where there is more than one bit of each.
//
// Source: Chen & Sha fix the links; flits, buffers and credits are assumed. Ports,
// protocol and timing: stack_switch.md.
`default_nettype none

module stack_switch #(
    parameter PORTS = 8
) (
    input  wire                   clock,
    input  wire                   reset,
    output wire [PORTS-1:0]       lost,
    input  wire [PORTS-1:0]       in_valid,
    input  wire [8*PORTS-1:0]     in_data,
    input  wire [PORTS-1:0]       in_last,
    output wire [PORTS-1:0]       in_credit,
    output wire [PORTS-1:0]       out_valid,
    output wire [8*PORTS-1:0]     out_data,
    output wire [PORTS-1:0]       out_last,
    input  wire [PORTS-1:0]       out_credit,
    output wire [2*PORTS-1:0]     state,
    output wire [PORTS*PORTS-1:0] owner,
    output wire [3*PORTS-1:0]     fill,
    output wire [3*PORTS-1:0]     credits
);
  // Rows of PORTS bits, by input (requests, grants, takes) and by output.
  wire [PORTS*PORTS-1:0] requests, grants, takes, requested, granted, taken;
  wire [PORTS-1:0] offers;
  wire [9*PORTS-1:0] flits;
  genvar from, to;
  generate
    for (from = 0; from < PORTS; from = from + 1) begin : inputs
      stack_input #(.PORTS(PORTS)) unit (
          .clock(clock), .reset(reset), .in_valid(in_valid[from]), .in_last(in_last[from]),
          .in_data(in_data[8*from +: 8]), .in_credit(in_credit[from]),
          .request(requests[PORTS*from +: PORTS]), .grant(grants[PORTS*from +: PORTS]),
          .offers(offers[from]), .flit(flits[9*from +: 9]), .take(takes[PORTS*from +: PORTS]),
          .lost(lost[from]), .state(state[2*from +: 2]), .fill(fill[3*from +: 3]));
    end
    for (to = 0; to < PORTS; to = to + 1) begin : outputs
      for (from = 0; from < PORTS; from = from + 1) begin : crossing
        assign requested[PORTS*to+from] = requests[PORTS*from+to];
        assign grants[PORTS*from+to]    = granted[PORTS*to+from];
        assign takes[PORTS*from+to]     = taken[PORTS*to+from];
      end
      stack_output #(.PORTS(PORTS)) unit (
          .clock(clock), .reset(reset), .request(requested[PORTS*to +: PORTS]),
          .grant(granted[PORTS*to +: PORTS]), .offers(offers), .flits(flits),
          .take(taken[PORTS*to +: PORTS]), .out_credit(out_credit[to]),
          .out_valid(out_valid[to]), .out_last(out_last[to]), .out_data(out_data[8*to +: 8]),
          .owner(owner[PORTS*to +: PORTS]), .credits(credits[3*to +: 3]));
    end
  endgenerate
endmodule
`default_nettype wire
