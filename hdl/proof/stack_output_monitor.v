// SPDX-License-Identifier: MIT OR Apache-2.0
// What one output of the stack switch must do, and what its receiver must keep. Sets of
// inputs are PORTS bits wide; a name that ends in _1 is a value of a clock ago.
`default_nettype none
`include "stack.vh"

module stack_output_monitor #(
    parameter PORTS = 4,
    parameter DROP = 0         // number of a convention that is not assumed
) (
    input wire             clock,
    input wire             reset,
    input wire             active,
    input wire             valid,
    input wire             last,
    input wire [7:0]       data,
    input wire             credit,
    input wire [PORTS-1:0] owner,    // the input that holds it
    input wire [2:0]       credits,
    input wire [PORTS-1:0] left,     // inputs whose buffers a flit has left in the clock before
    input wire [PORTS-1:0] requests, // inputs that ask for it
    input wire [PORTS-1:0] later     // register of the implementation
);
  // ---- The receiver ----------------------------------------------------

  // Flits that it has, and credits that are on their way back.
  reg [2:0] taken;
  always @* if (active)
    // 2: a credit is for a flit, and each once.
    if (DROP != 2) assume (~credit | taken != 3'd0);

  // ---- Credits ---------------------------------------------------------

  // Every place is free and known to be, on the way, taken, or on its way back: the receiver is
  // never overrun.
  always @* if (active)
    assert ({1'b0, credits} + {3'd0, valid} + {1'b0, taken} == `CROSSWAVE_STACK_DEPTH);

  // ---- Who holds it, and what it carries -------------------------------

  reg active_1;
  reg [PORTS-1:0] owner_1, requests_1;
  wire asked_1 = active_1 & ~(|owner_1) & (|requests_1);
  // The one that asked next behind the one that got it last.
  reg [7:0] served, next;
  integer from, step;
  always @* begin
    next = served;
    for (from = 0; from < PORTS; from = from + 1)
      if (served == from)
        for (step = PORTS; step > 0; step = step - 1)
          if (requests_1[(from + step) % PORTS]) next = (from + step) % PORTS;
  end
  wire [7:0] served_now = asked_1 ? next : served;

  always @* if (active) begin
    assert ((owner & (owner - 1'b1)) == {PORTS{1'b0}});
    // A flit for every one that has left its owner's buffer, and no other.
    assert (valid == (|(owner_1 & left)));
    if (~valid) assert (data == 8'd0 & ~last);
    // Held by one input until the final flit; then free for a clock; then the next one's.
    if (|owner_1) assert (owner == ((valid & last) ? {PORTS{1'b0}} : owner_1));
    else assert (owner == (asked_1 ? {{(PORTS - 1) {1'b0}}, 1'b1} << next : {PORTS{1'b0}}));
`ifndef PORTS_ONLY
    for (from = 0; from < PORTS; from = from + 1) assert (later[from] == (served_now < from));
    assert (served < PORTS);
    assert (taken <= `CROSSWAVE_STACK_DEPTH);
`endif
  end

  always @(posedge clock) begin
    active_1   <= ~reset;
    taken      <= reset ? 3'd0 : taken + {2'd0, valid} - {2'd0, credit};
    owner_1    <= reset ? {PORTS{1'b0}} : owner;
    requests_1 <= reset ? {PORTS{1'b0}} : requests;
    served     <= reset ? PORTS - 1 : served_now;
  end
endmodule
`default_nettype wire
