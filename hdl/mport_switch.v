// SPDX-License-Identifier: MIT OR Apache-2.0
// Circuit switch of an m-port n-tree: a head is the number of the output port
// that its message leaves by, and is used up here. Of the heads that want one output
// at once one passes and the others are rejected. PORTS is 2^INDEX; ports are the
// bits of vectors, input by input where there is more than one bit of each.
//
// Source: Yuan, Nienaber, Duan & Melhem, section II (switches of m ports); circuits,
// answers and clocks as in the four-port router. Ports, protocol and timing:
// mport_switch.md.
`default_nettype none

module mport_switch #(
    parameter PORTS = 4,
    parameter INDEX = 2
) (
    input  wire                       clock,
    input  wire                       reset,
    input  wire                       winner_fixed,
    input  wire                       early_acknowledge,
    input  wire [INDEX-1:0]           random_order,
    input  wire [PORTS-1:0]           in_valid,
    input  wire [8*PORTS-1:0]         in_data,
    output wire [PORTS-1:0]           in_ack,
    output wire [PORTS-1:0]           in_collision,
    output wire [PORTS-1:0]           out_valid,
    output wire [8*PORTS-1:0]         out_data,
    input  wire [PORTS-1:0]           out_ack,
    input  wire [PORTS-1:0]           out_collision,
    output wire [PORTS*(PORTS+1)-1:0] state
);
  // The fixed order: the upper half of the ports, which lead up, then the lower one.
  localparam [INDEX-1:0] UPPER_FIRST = 1 << (INDEX - 1);
  wire [INDEX-1:0] order = winner_fixed ? UPPER_FIRST : random_order;

  // Rows of PORTS bits, by input and by output. A message does not go back.
  wire [PORTS*PORTS-1:0] wants, grants, selects, wanted, granted, selected, holders;
  wire [9*PORTS-1:0] words;
  genvar from, to;
  generate
    for (from = 0; from < PORTS; from = from + 1) begin : inputs
      wire [PORTS-1:0] asks;
      assign wants[PORTS*from +: PORTS] = asks & ~({{(PORTS - 1) {1'b0}}, 1'b1} << from);
      mport_input #(.PORTS(PORTS), .INDEX(INDEX)) unit (
          .clock(clock), .reset(reset), .early_acknowledge(early_acknowledge),
          .in_valid(in_valid[from]), .in_data(in_data[8*from +: 8]),
          .in_ack(in_ack[from]), .in_collision(in_collision[from]),
          .wants(asks), .grant(grants[PORTS*from +: PORTS]),
          .out_ack(out_ack), .out_collision(out_collision),
          .select(selects[PORTS*from +: PORTS]), .word(words[9*from +: 9]),
          .state(state[(PORTS+1)*from +: PORTS+1]));
    end
    for (to = 0; to < PORTS; to = to + 1) begin : outputs
      for (from = 0; from < PORTS; from = from + 1) begin : crossing
        assign wanted[PORTS*to+from]   = wants[PORTS*from+to];
        assign selected[PORTS*to+from] = selects[PORTS*from+to];
        assign holders[PORTS*to+from]  = state[(PORTS+1)*from+to];
        assign grants[PORTS*from+to]   = granted[PORTS*to+from];
      end
      mport_output #(.PORTS(PORTS), .INDEX(INDEX)) unit (
          .clock(clock), .reset(reset), .order(order),
          .wanted(wanted[PORTS*to +: PORTS]), .holders(holders[PORTS*to +: PORTS]),
          .grant(granted[PORTS*to +: PORTS]), .select(selected[PORTS*to +: PORTS]),
          .words(words), .valid(out_valid[to]), .data(out_data[8*to +: 8]));
    end
  endgenerate
endmodule
`default_nettype wire
