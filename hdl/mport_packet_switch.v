// SPDX-License-Identifier: MIT OR Apache-2.0
// Packet switch of an m-port n-tree, with a queue of up to eight packets in front of each output:
// the lowest INDEX bits of a route are the output, and are used up here. PORTS is 2^INDEX; ports are
// the bits of vectors, input by input where there is more than one bit of each.
//
// Source: Yuan, Nienaber, Duan & Melhem, section II (switches of m ports). Ports, fields and
// timing: mport_packet_switch.md.
`default_nettype none
`include "routed_packet.vh"

module mport_packet_switch #(
    parameter PORTS = 4,
    parameter INDEX = 2
) (
    input  wire                                         clock,
    input  wire                                         reset,
    input  wire [3:0]                                   queue_packets,
    input  wire [PORTS-1:0]                             in_valid,
    input  wire [`CROSSWAVE_ROUTED_ROUTE_WIDTH*PORTS-1:0] in_route,
    input  wire [`CROSSWAVE_ROUTED_ID_WIDTH*PORTS-1:0]  in_id,
    output wire [PORTS-1:0]                             out_valid,
    output wire [`CROSSWAVE_ROUTED_ROUTE_WIDTH*PORTS-1:0] out_route,
    output wire [`CROSSWAVE_ROUTED_ID_WIDTH*PORTS-1:0]  out_id,
    output wire [PORTS-1:0]                             lost,
    output wire [4*PORTS-1:0]                           queued,
    output wire [4*PORTS-1:0]                           longest
);
  localparam ID    = `CROSSWAVE_ROUTED_ID_WIDTH;
  localparam ROUTE = `CROSSWAVE_ROUTED_ROUTE_WIDTH;
  // A packet that goes on: what is left of its route, and its number.
  localparam WIDTH = ROUTE + ID;

  wire [WIDTH*PORTS-1:0] packets;
  wire [PORTS*PORTS-1:0] wanted;
  genvar from, to;
  generate
    for (from = 0; from < PORTS; from = from + 1) begin : inputs
      assign packets[WIDTH*from +: WIDTH]
          = {{INDEX{1'b0}}, in_route[ROUTE*from + INDEX +: ROUTE - INDEX], in_id[ID*from +: ID]};
      for (to = 0; to < PORTS; to = to + 1) begin : crossing
        localparam [INDEX-1:0] OUTPUT = to;
        assign wanted[PORTS*to+from]
            = in_valid[from] & (in_route[ROUTE*from +: INDEX] == OUTPUT);
      end
    end
    for (to = 0; to < PORTS; to = to + 1) begin : outputs
      packet_queue #(.INPUTS(PORTS), .WIDTH(WIDTH), .GROUP(9)) queue (
          .clock(clock), .reset(reset), .turn(1'b1), .most(queue_packets),
          .comes(wanted[PORTS*to +: PORTS]), .packets(packets), .valid(out_valid[to]),
          .packet({out_route[ROUTE*to +: ROUTE], out_id[ID*to +: ID]}),
          .lost(lost[to]), .queued(queued[4*to +: 4]), .longest(longest[4*to +: 4]));
    end
  endgenerate
endmodule
`default_nettype wire
