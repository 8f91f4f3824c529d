// SPDX-License-Identifier: MIT OR Apache-2.0
// What one output port of the m-port switch must do, and what its receiver must keep.
// Sets of input ports are PORTS bits wide.
`default_nettype none

module mport_output_monitor #(
    parameter PORTS = 4,
    parameter DROP = 0         // number of a convention that is not assumed
) (
    input wire             clock,
    input wire             reset,
    input wire             active,
    input wire             winner_fixed,
    input wire             early_acknowledge,
    input wire             valid,
    input wire [7:0]       data,
    input wire             ack,
    input wire             collision,
    input wire [PORTS-1:0] holders,  // inputs whose circuit holds this output
    input wire [PORTS-1:0] wanted,   // inputs whose head wants it in this clock
    input wire [PORTS-1:0] owed      // inputs whose circuit waits for its answer
);
  localparam HALF = PORTS / 2;
  reg valid_1, due;
  reg [PORTS-1:0] holders_1, wanted_1;

  // ---- The receiver ----------------------------------------------------

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

  // ---- The switch ------------------------------------------------------

  wire taken   = |holders;
  wire taken_1 = |holders_1;
  wire [HALF-1:0] above_1 = wanted_1[PORTS-1:HALF];
  wire [HALF-1:0] below_1 = wanted_1[HALF-1:0];
  // The lowest one of a set.
  wire [HALF-1:0] first_above_1 = above_1 & (~above_1 + 1'b1);
  wire [HALF-1:0] first_below_1 = below_1 & (~below_1 + 1'b1);

  always @* if (active) begin
    // One holder at most; without one the output is silent.
    assert ((holders & (holders - 1'b1)) == {PORTS{1'b0}});
    if (~taken) assert (~valid & data == 8'd0);
    // A circuit in use is undisturbed until its end, and behind its end the
    // output is silent for a clock.
    if (taken_1) assert (~taken | holders == holders_1);
    // Of the heads that want a free output exactly one passes; of those that
    // want one in use none does.
    if (~taken_1) begin
      assert (taken == (|wanted_1));
      assert ((holders & ~wanted_1) == {PORTS{1'b0}});
      // The fixed order: from above, then from below, the lower port first.
      if (winner_fixed & (|above_1)) assert (holders == {first_above_1, {HALF{1'b0}}});
      else if (winner_fixed) assert (holders == {{HALF{1'b0}}, first_below_1});
    end
    // The output keeps the sender's convention (mport_input_monitor).
    if (begins) assert (~due);
    // The answer that the receiver owes finds its circuit, and a circuit that
    // waits for its answer has a receiver that owes it.
    assert (expected == (taken & (|(holders & owed))));
  end

  always @(posedge clock) begin
    valid_1   <= ~reset & valid;
    due       <= ~reset & expected & ~(ack | collision);
    holders_1 <= reset ? {PORTS{1'b0}} : holders;
    wanted_1  <= reset ? {PORTS{1'b0}} : wanted;
  end
endmodule
`default_nettype wire
