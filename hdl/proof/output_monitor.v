// SPDX-License-Identifier: MIT OR Apache-2.0
// What one output port of the router must do, and what its receiver must keep.
// Sets of input ports are four bits wide, {d, c, b, a}.
`default_nettype none

module output_monitor #(
    parameter DROP = 0         // number of a convention that is not assumed
) (
    input wire       clock,
    input wire       reset,
    input wire       active,
    input wire       winner_fixed,
    input wire       early_acknowledge,
    input wire       valid,
    input wire [7:0] data,
    input wire       ack,
    input wire       collision,
    input wire [3:0] holders,  // inputs whose circuit holds this output
    input wire       asked,    // heads ask for this output, not for one of two
    input wire [3:0] wanted,   // inputs whose head wants it in this clock, when asked
    input wire [3:0] owed      // inputs whose circuit waits for its answer
);
  reg valid_1, due;
  reg [3:0] holders_1, wanted_1;

  // ---- The receiver ----------------------------------------------------

  // It sees a circuit begin when the wire leaves its silence.
  wire begins   = valid & ~valid_1;
  wire expected = due | begins;
  always @* if (active) begin
    // 3: it answers only circuits, and each once.
    if (DROP != 3) assume (expected | ~(ack | collision));
    // 4: with one of the two answers.
    if (DROP != 4) assume (~(ack & collision));
    // 5: unless the tail releases, it acknowledges behind the tail.
    if (DROP != 5) assume (~(ack & valid & ~early_acknowledge));
  end

  // ---- The router ------------------------------------------------------

  wire one_holder = holders != 4'd0 & (holders & (holders - 4'd1)) == 4'd0;
  wire taken   = holders != 4'd0;
  wire taken_1 = holders_1 != 4'd0;

  always @* if (active) begin
    // One holder at most; without one the output is silent.
    assert (~taken | one_holder);
    if (~taken) assert (~valid & data == 8'd0);
    // A circuit in use is undisturbed until its end, and behind its end the
    // output is silent for a clock.
    if (taken_1) assert (~taken | holders == holders_1);
    // Of the heads that want a free output exactly one passes; of those that
    // want one in use none does. Of two upstream outputs none is asked for by
    // name: input_monitor demands that every upstream head gets one of them.
    if (asked & ~taken_1) begin
      assert (taken == (wanted_1 != 4'd0));
      assert ((holders & ~wanted_1) == 4'd0);
      // The fixed order: c, d, the other downstream port; upstream a, b.
      if (winner_fixed & wanted_1[2]) assert (holders == 4'b0100);
      else if (winner_fixed & wanted_1[3]) assert (holders == 4'b1000);
      else if (winner_fixed & wanted_1[0]) assert (holders == 4'b0001);
    end
    // The output keeps the sender's convention (input_monitor): a circuit
    // begins when the one before it was answered.
    if (begins) assert (~due);
    // The answer that the receiver owes finds its circuit, and a circuit that
    // waits for its answer has a receiver that owes it.
    assert (expected == (taken & (holders & owed) != 4'd0));
  end

  always @(posedge clock) begin
    valid_1   <= ~reset & valid;
    due       <= ~reset & expected & ~(ack | collision);
    holders_1 <= reset ? 4'd0 : holders;
    wanted_1  <= reset ? 4'd0 : wanted;
  end
endmodule
`default_nettype wire
