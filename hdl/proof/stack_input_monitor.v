// SPDX-License-Identifier: MIT OR Apache-2.0
// What one input of the stack switch must do, and what its sender must keep. Sets of
// outputs are PORTS bits wide. Any flit that comes in may be followed through the
// buffer (`mark`), so that what is said of it is said of all.
//
// A name that ends in _1 is a value of a clock ago.
`default_nettype none
`include "stack.vh"

module stack_input_monitor #(
    parameter PORTS = 4,
    parameter DROP = 0          // number of a convention that is not assumed
) (
    input wire               clock,
    input wire               reset,
    input wire               active,
    input wire               mark,
    input wire               valid,
    input wire               last,
    input wire [7:0]         data,
    input wire               credit,
    input wire               lost,
    input wire [1:0]         state,
    input wire [2:0]         fill,
    input wire [PORTS-1:0]   holds,      // outputs that this input owns
    input wire [PORTS-1:0]   ready,      // outputs with credits
    input wire [PORTS-1:0]   out_valid,
    input wire [PORTS-1:0]   out_last,
    input wire [8*PORTS-1:0] out_data,
    input wire [35:0]        places,     // register of the implementation
    input wire [PORTS-1:0]   wish,       // register of the implementation
    output wire              left_whole, // the flit that is followed has gone on
    output wire              astray      // it was swallowed, and names no output
);
  wire idle       = state == `CROSSWAVE_STACK_IDLE;
  wire wanting    = state == `CROSSWAVE_STACK_WANTING;
  wire holding    = state == `CROSSWAVE_STACK_HOLDING;
  wire discarding = state == `CROSSWAVE_STACK_DISCARDING;
  reg active_1;
  reg [1:0] state_1;
  reg [PORTS-1:0] holds_1;
  wire idle_1       = state_1 == `CROSSWAVE_STACK_IDLE;
  wire wanting_1    = state_1 == `CROSSWAVE_STACK_WANTING;
  wire holding_1    = state_1 == `CROSSWAVE_STACK_HOLDING;
  wire discarding_1 = state_1 == `CROSSWAVE_STACK_DISCARDING;

  // ---- The sender ------------------------------------------------------

  // Flits that it may still have on the wire, that in this clock included.
  reg [2:0] room;
  always @* if (active)
    // 1: a flit takes a credit.
    if (DROP != 1) assume (~valid | room != 3'd0);

  // ---- Credits and places ----------------------------------------------

  wire leaves = fill != 3'd0 & (idle | discarding | (holding & |(holds & ready)));
  reg leaves_1;
  always @* if (active) begin
    // Every place is free and known to be, taken, or on its way back.
    assert ({1'b0, room} + {1'b0, fill} + {3'd0, credit} == `CROSSWAVE_STACK_DEPTH);
    // A flit that can leave the buffer does, and a credit says so in the next clock.
    assert (credit == leaves_1);
  end

  // ---- The packet at the head ------------------------------------------

  always @* if (active) begin
    assert ((holds & (holds - 1'b1)) == {PORTS{1'b0}});
    assert (holding == (|holds));
    if (lost) assert (credit & idle & (idle_1 | discarding_1));
    // While no flit leaves, nothing happens but that an output is got, and kept.
    if (active_1 & ~credit & wanting_1) assert (wanting | holding);
    if (active_1 & ~credit & ~wanting_1) assert (state == state_1 & holds == holds_1);
  end

  // ---- The flit that is followed ---------------------------------------

  reg follows, left, wants_goal, flit_last;
  reg [2:0] ahead;           // flits in front of it
  reg [7:0] flit_data, goal;
  wire enters = valid & mark & ~follows;
  wire goes   = follows & leaves & ahead == 3'd0;
  integer port;
  always @* if (active) begin
    if (left) assert (credit);
    if (left & idle_1) begin
      // Swallowed: the packet gets the output that it names, or waits for it, or is lost.
      assert (lost == flit_last);
      if (flit_last) assert (idle);
      else if (flit_data >= PORTS) assert (discarding);
      else begin
        assert (wanting | holding);
        for (port = 0; port < PORTS; port = port + 1)
          assert (holds[port] == (holding & flit_data == port));
      end
    end
    if (left & discarding_1) begin
      assert (lost == flit_last);
      assert (flit_last ? idle : discarding);
    end
    if (left & holding_1) begin
      // On the output's wire as it came, and the output is held until it is the final one.
      for (port = 0; port < PORTS; port = port + 1)
        if (holds_1[port]) begin
          assert (out_valid[port] & out_last[port] == flit_last);
          assert (out_data[8*port +: 8] == flit_data);
        end
      assert (flit_last ? idle : holding & holds == holds_1);
    end
    // The output that was named is the one that is got in the end.
    if (wants_goal & holding)
      for (port = 0; port < PORTS; port = port + 1) assert (holds[port] == (goal == port));

`ifndef PORTS_ONLY
    // What makes the above inductive: where the flit is, and what is wanted.
    if (follows) begin
      assert (ahead < fill);
      assert (places[9*ahead +: 9] == {flit_last, flit_data});
    end
    if (wanting) assert (wish != {PORTS{1'b0}} & (wish & (wish - 1'b1)) == {PORTS{1'b0}});
    if (wants_goal & wanting)
      for (port = 0; port < PORTS; port = port + 1) assert (wish[port] == (goal == port));
    assert (~wants_goal | wanting | holding);
    assert (room <= `CROSSWAVE_STACK_DEPTH);
    assert (active_1 | idle);
    assert (holding_1 == (|holds_1));
`endif
  end
  assign left_whole = left & holding_1;
  assign astray = left & discarding & idle_1;

  always @(posedge clock) begin
    active_1 <= ~reset;
    room     <= reset ? `CROSSWAVE_STACK_DEPTH : room - {2'd0, valid} + {2'd0, credit};
    leaves_1 <= ~reset & leaves;
    state_1  <= reset ? `CROSSWAVE_STACK_IDLE : state;
    holds_1  <= reset ? {PORTS{1'b0}} : holds;
    follows  <= ~reset & (follows | enters) & ~goes;
    left     <= ~reset & goes;
    if (enters) begin
      ahead <= fill - {2'd0, leaves};
      {flit_last, flit_data} <= {last, data};
    end else if (leaves) ahead <= ahead - 3'd1;
    wants_goal <= ~reset & ((goes & idle & ~flit_last & flit_data < PORTS)
                         | (wants_goal & wanting));
    if (goes & idle) goal <= flit_data;
  end
endmodule
`default_nettype wire
