// SPDX-License-Identifier: MIT OR Apache-2.0
// The receiver of a network interface at stack switches: it takes a flit in every clock, and
// checks the body. Source: assumed. Protocol and timing: stack_interface.md.
`default_nettype none
`include "stack.vh"

module stack_receiver (
    input  wire        clock,
    input  wire        reset,
    input  wire        in_valid,
    input  wire        in_last,
    input  wire [7:0]  in_data,
    output reg         in_credit,
    output reg         valid,
    output reg  [23:0] id,
    output reg  [19:0] words,
    output reg         wrong,
    output reg  [1:0]  state   // the kind of flit that comes next
);
  reg mismatch;
  wire first = state == `CROSSWAVE_STACK_RX_IDLE;
  wire body  = state == `CROSSWAVE_STACK_RX_BODY;
  wire [19:0] number   = words + 20'd1;  // of the flit of the body that comes next, from 0 on
  wire [7:0]  expected = number[7:0] + id[7:0];
  wire differs = body ? mismatch | (in_data != expected) : in_last;

  always @(posedge clock) begin
    if (reset) begin
      in_credit <= 1'b0;
      valid     <= 1'b0;
      id        <= 24'd0;
      words     <= 20'd0;
      wrong     <= 1'b0;
      mismatch  <= 1'b0;
      state     <= `CROSSWAVE_STACK_RX_IDLE;
    end else begin
      in_credit <= in_valid;
      valid     <= in_valid & in_last;
      wrong     <= in_valid & in_last & differs;
      if (in_valid) begin
        mismatch <= differs;
        // Flits of the body so far minus one: all ones before the first.
        words <= body ? number : 20'hfffff;
        if (first) id <= {16'd0, in_data};
        if (state == `CROSSWAVE_STACK_RX_SECOND) id[15:8] <= in_data;
        if (state == `CROSSWAVE_STACK_RX_THIRD) id[23:16] <= in_data;
        state <= in_last ? `CROSSWAVE_STACK_RX_IDLE : body ? state : state + 2'd1;
      end
    end
  end
endmodule
`default_nettype wire
