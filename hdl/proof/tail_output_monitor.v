// SPDX-License-Identifier: MIT OR Apache-2.0
// What one output port of a router that frees outputs behind the tail must do, the
// four-port one or an m-port switch with four ports, and what its receiver must keep. Sets of input ports are four bits wide,
// {d, c, b, a}.
`default_nettype none

module tail_output_monitor #(
    parameter DROP = 0         // number of a convention that is not assumed
) (
    input wire        clock,
    input wire        reset,
    input wire        active,
    input wire        winner_fixed,
    input wire        one,      // only one answer may be awaited here
    input wire        valid,
    input wire [7:0]  data,
    input wire        ack,
    input wire        collision,
    input wire [3:0]  holders,  // inputs whose circuit holds this output
    input wire        asked,    // heads ask for this output, not for one of two
    input wire [3:0]  wanted,   // inputs whose head wants it in this clock, when asked
    input wire [15:0] from,     // register of the implementation: who waits, by age
    output wire [2:0] due_before,
    output wire       crowded   // more than one answer is awaited
);
  reg valid_1, room_1;
  reg [2:0] due;               // messages that went out and were not answered
  reg [3:0] holders_1, wanted_1;

  // ---- The receiver ----------------------------------------------------

  wire begins = valid & ~valid_1;
  wire [2:0] expected = due + {2'd0, begins};
  assign due_before = due;
  assign crowded = due > 3'd1;
  always @* if (active) begin
    // 3: it answers only messages, and each once.
    if (DROP != 3) assume (expected != 3'd0 | ~(ack | collision));
    // 4: with one of the two answers.
    if (DROP != 4) assume (~(ack & collision));
    // 5: it acknowledges behind the tail.
    if (DROP != 5) assume (~(ack & valid & expected == 3'd1));
  end

  // ---- The router ------------------------------------------------------

  wire one_holder = holders != 4'd0 & (holders & (holders - 4'd1)) == 4'd0;
  wire taken   = holders != 4'd0;
  wire taken_1 = holders_1 != 4'd0;
  wire room = expected < (one ? 3'd1 : 3'd4);

  always @* if (active) begin
    assert (~taken | one_holder);
    if (~taken) assert (~valid & data == 8'd0);
    if (taken_1) assert (~taken | holders == holders_1);
    if (~taken_1 & ~room_1) assert (~taken);
    if (asked & ~taken_1 & room_1) begin
      assert (taken == (wanted_1 != 4'd0));
      assert ((holders & ~wanted_1) == 4'd0);
      if (winner_fixed & wanted_1[2]) assert (holders == 4'b0100);
      else if (winner_fixed & wanted_1[3]) assert (holders == 4'b1000);
      else if (winner_fixed & wanted_1[0]) assert (holders == 4'b0001);
    end
    // The output keeps the sender's convention: at most four messages, or one, are
    // unanswered.
    assert (expected <= (one ? 3'd1 : 3'd4));
  end

`ifndef PORTS_ONLY
  // What makes it inductive: no holes, one input a place, and the circuit's input
  // is the youngest.
  wire [4:0] there = {1'b0, |from[15:12], |from[11:8], |from[7:4], |from[3:0]};
  integer at;
  always @* if (active) begin
    assert ({2'd0, there[0]} + {2'd0, there[1]} + {2'd0, there[2]} + {2'd0, there[3]} == expected);
    assert (taken | ~valid_1 | ~valid);
    for (at = 0; at < 4; at = at + 1) begin
      if (at > 0) assert (~there[at] | there[at-1]);
      assert ((from[at*4 +: 4] & (from[at*4 +: 4] - 4'd1)) == 4'd0);
      if (taken & there[at] & ~there[at+1]) assert (from[at*4 +: 4] == holders);
    end
  end
`endif

  always @(posedge clock) begin
    valid_1   <= ~reset & valid;
    due       <= reset ? 3'd0 : expected - {2'd0, ack | collision};
    room_1    <= reset | room;
    holders_1 <= reset ? 4'd0 : holders;
    wanted_1  <= reset ? 4'd0 : wanted;
  end
endmodule
`default_nettype wire
