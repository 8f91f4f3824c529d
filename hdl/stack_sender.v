// SPDX-License-Identifier: MIT OR Apache-2.0
// The sender of a network interface at stack switches: the ports of the way, the number of
// the message and a body, as fast as credits allow. Source: assumed. Protocol and timing:
// stack_interface.md.
`default_nettype none
`include "stack.vh"

module stack_sender (
    input  wire         clock,
    input  wire         reset,
    input  wire         request,
    input  wire [3:0]   hops,     // switches of the route minus one
    input  wire [127:0] route,    // their output ports, the last one lowest
    input  wire [23:0]  id,
    input  wire [19:0]  words,    // flits of the body minus one
    output reg          launch,
    output reg          done,
    output reg          out_valid,
    output reg          out_last,
    output reg  [7:0]   out_data,
    input  wire         out_credit,
    output reg  [2:0]   state,    // the kind of flit that goes next
    output reg  [2:0]   credits
);
  localparam DEPTH = `CROSSWAVE_STACK_DEPTH;

  reg [3:0]  left;        // ports of the route, or bytes of the number, after the next one
  reg [19:0] words_left;  // flits of the body after the next one
  reg [7:0]  payload;

  wire ready  = credits != 3'd0;
  wire idle   = state == `CROSSWAVE_STACK_TX_IDLE;
  wire starts = idle & request & ready;
  wire send_port   = starts | (state == `CROSSWAVE_STACK_TX_ROUTE & ready);
  wire send_number = state == `CROSSWAVE_STACK_TX_NUMBER & ready;
  wire send_body   = state == `CROSSWAVE_STACK_TX_BODY & ready;
  wire sends       = send_port | send_number | send_body;

  wire [3:0] place  = idle ? hops : left;
  wire       nearby = place == 4'd0;  // the last switch of the way
  wire [7:0] port   = route[8*place +: 8];
  wire [7:0] number = left == 4'd2 ? id[7:0] : left == 4'd1 ? id[15:8] : id[23:16];
  wire       ends   = send_body & words_left == 20'd0;

  // A credit for a place that nobody took is ignored.
  wire [2:0] kept   = credits - {2'd0, sends};
  wire       regain = out_credit & (kept != DEPTH[2:0]);

  always @(posedge clock) begin
    if (reset) begin
      {out_valid, out_last, out_data} <= 10'd0;
      launch     <= 1'b0;
      done       <= 1'b0;
      state      <= `CROSSWAVE_STACK_TX_IDLE;
      credits    <= DEPTH[2:0];
      left       <= 4'd0;
      words_left <= 20'd0;
      payload    <= 8'd0;
    end else begin
      out_valid <= sends;
      out_last  <= ends;
      out_data  <= ({8{send_port}} & port) | ({8{send_number}} & number)
                 | ({8{send_body}} & payload);
      launch  <= starts;
      done    <= ends;
      credits <= kept + {2'd0, regain};
      if (send_port) left <= nearby ? 4'd2 : place - 4'd1;
      else if (send_number) left <= left - 4'd1;
      if (send_number) words_left <= words;
      else if (send_body) words_left <= words_left - 20'd1;
      if (send_number) payload <= id[7:0];
      else if (send_body) payload <= payload + 8'd1;
      state <= send_port ? (nearby ? `CROSSWAVE_STACK_TX_NUMBER : `CROSSWAVE_STACK_TX_ROUTE)
             : send_number & left == 4'd0 ? `CROSSWAVE_STACK_TX_BODY
             : ends ? `CROSSWAVE_STACK_TX_DONE
             : state == `CROSSWAVE_STACK_TX_DONE ? `CROSSWAVE_STACK_TX_IDLE
             : state;
    end
  end
endmodule
`default_nettype wire
