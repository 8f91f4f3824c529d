// SPDX-License-Identifier: MIT OR Apache-2.0
// The stack switch between senders and receivers that do anything the protocol allows:
// every input of this module is free in every clock.
`default_nettype none
`include "stack.vh"
`ifndef DROP
`define DROP 0
`endif
`ifndef PORTS
`define PORTS 4
`endif

module stack_switch_proof (
    input wire                clock,
    input wire                reset,
    input wire [`PORTS-1:0]   mark,
    input wire [`PORTS-1:0]   in_valid,
    input wire [8*`PORTS-1:0] in_data,
    input wire [`PORTS-1:0]   in_last,
    input wire [`PORTS-1:0]   out_credit,
    output wire [7:0]         reached
);
  localparam PORTS = `PORTS;
  wire [PORTS-1:0] lost, in_credit, out_valid, out_last;
  wire [8*PORTS-1:0] out_data;
  wire [2*PORTS-1:0] state;
  wire [PORTS*PORTS-1:0] owner;
  wire [3*PORTS-1:0] fill, credits;
  // Who asks for what, and the registers that no port shows, which `expose` makes visible.
  wire [PORTS*PORTS-1:0] requested, wish, later;
  wire [36*PORTS-1:0] places;
  stack_switch chip (
      .clock(clock), .reset(reset), .lost(lost), .in_valid(in_valid), .in_data(in_data),
      .in_last(in_last), .in_credit(in_credit), .out_valid(out_valid), .out_data(out_data),
      .out_last(out_last), .out_credit(out_credit), .state(state), .owner(owner), .fill(fill),
      .credits(credits), .requested(requested),
      .\inputs[0].unit.places (places[35:0]), .\inputs[1].unit.places (places[71:36]),
      .\inputs[2].unit.places (places[107:72]), .\inputs[3].unit.places (places[143:108]),
      .\inputs[0].unit.wish (wish[0 +: PORTS]), .\inputs[1].unit.wish (wish[PORTS +: PORTS]),
      .\inputs[2].unit.wish (wish[2*PORTS +: PORTS]),
      .\inputs[3].unit.wish (wish[3*PORTS +: PORTS]),
`ifdef EIGHT
      .\inputs[4].unit.places (places[179:144]), .\inputs[5].unit.places (places[215:180]),
      .\inputs[6].unit.places (places[251:216]), .\inputs[7].unit.places (places[287:252]),
      .\inputs[4].unit.wish (wish[4*PORTS +: PORTS]),
      .\inputs[5].unit.wish (wish[5*PORTS +: PORTS]),
      .\inputs[6].unit.wish (wish[6*PORTS +: PORTS]),
      .\inputs[7].unit.wish (wish[7*PORTS +: PORTS]),
      .\outputs[4].unit.later (later[4*PORTS +: PORTS]),
      .\outputs[5].unit.later (later[5*PORTS +: PORTS]),
      .\outputs[6].unit.later (later[6*PORTS +: PORTS]),
      .\outputs[7].unit.later (later[7*PORTS +: PORTS]),
`endif
      .\outputs[0].unit.later (later[0 +: PORTS]), .\outputs[1].unit.later (later[PORTS +: PORTS]),
      .\outputs[2].unit.later (later[2*PORTS +: PORTS]),
      .\outputs[3].unit.later (later[3*PORTS +: PORTS]));

  // The first clock is a reset; later ones may be.
  reg started = 1'b0;
  wire active = started & ~reset;
  always @(posedge clock) started <= 1'b1;
  always @* if (`DROP != 3) assume (started | reset);

  wire [PORTS*PORTS-1:0] holds;  // by input
  wire [PORTS-1:0] ready, left_whole, astray;
  genvar port, other;
  generate
    for (port = 0; port < PORTS; port = port + 1) begin : ports
      assign ready[port] = |credits[3*port +: 3];
      for (other = 0; other < PORTS; other = other + 1) begin : pairs
        assign holds[port*PORTS+other] = owner[other*PORTS+port];
      end
      stack_input_monitor #(.PORTS(PORTS), .DROP(`DROP)) sender (
          .clock(clock), .reset(reset), .active(active), .mark(mark[port]),
          .valid(in_valid[port]), .last(in_last[port]), .data(in_data[8*port +: 8]),
          .credit(in_credit[port]), .lost(lost[port]), .state(state[2*port +: 2]),
          .fill(fill[3*port +: 3]), .holds(holds[PORTS*port +: PORTS]), .ready(ready),
          .out_valid(out_valid), .out_last(out_last), .out_data(out_data),
          .places(places[36*port +: 36]), .wish(wish[PORTS*port +: PORTS]),
          .left_whole(left_whole[port]), .astray(astray[port]));
      stack_output_monitor #(.PORTS(PORTS), .DROP(`DROP)) receiver (
          .clock(clock), .reset(reset), .active(active), .valid(out_valid[port]),
          .last(out_last[port]), .data(out_data[8*port +: 8]), .credit(out_credit[port]),
          .owner(owner[PORTS*port +: PORTS]), .credits(credits[3*port +: 3]), .left(in_credit),
          .requests(requested[PORTS*port +: PORTS]), .later(later[PORTS*port +: PORTS]));
    end
  endgenerate

  // Situations that must be reachable: three inputs ask for output 0, and each of two gets it;
  // a flit that is followed goes on behind three others; one names no output; a packet is lost;
  // a buffer is full; a link is without credits; an owner waits for flits.
  reg three_1, full_1;
  always @(posedge clock) begin
    three_1 <= ~reset & (&requested[3:1]) & ~(|owner[PORTS-1:0]);
    full_1  <= ~reset & fill[2:0] == 3'd4;
  end
  assign reached[0] = active & three_1 & owner[1];
  assign reached[1] = active & three_1 & owner[2];
  assign reached[2] = active & left_whole[1] & out_last[2];
  assign reached[3] = active & astray[3];
  assign reached[4] = active & lost[2];
  assign reached[5] = active & full_1 & in_credit[0];
  assign reached[6] = active & credits[2:0] == 3'd0;
  assign reached[7] = active & owner[PORTS] & fill[2:0] == 3'd0;
endmodule
`default_nettype wire
