// SPDX-License-Identifier: MIT OR Apache-2.0
// One input port of the router that frees outputs after the tail: its
// register, the circuit whose words it passes on, and the attempts that came in
// here and wait for their answers, oldest first. Answers leave in that order.
// TARGETS outputs can be reached from it.
`default_nettype none
`include "protocol.vh"

module fat_tree_tail_input #(
    parameter TARGETS = 3
) (
    input  wire               clock,
    input  wire               reset,
    input  wire               in_valid,
    input  wire [7:0]         in_data,
    output reg                in_ack,
    output reg                in_collision,
    output wire               head,
    output wire [7:0]         word,
    input  wire               swallow,
    input  wire               request,
    input  wire [TARGETS-1:0] grant,
    // Answers at the outputs that are for this input.
    input  wire [TARGETS-1:0] target_ack,
    input  wire [TARGETS-1:0] target_collision,
    output wire [TARGETS-1:0] select,
    output wire               valid,
    output wire [7:0]         data,
    output reg  [TARGETS:0]   state
);
  localparam DEPTH = `CROSSWAVE_ANSWERS_MAX;

  reg       in_valid_q;
  reg [7:0] in_data_q;
  // The circuit takes its words straight from the wire, because the word in
  // the register was used up when the circuit was opened.
  reg       bypass;

  wire [TARGETS-1:0] circuit = state[TARGETS-1:0];
  wire drain = state[TARGETS];

  assign head = in_valid_q & ~(|state);
  assign word = in_data_q;

  wire from_wire = bypass | (swallow & head);
  assign valid = from_wire ? in_valid : in_valid_q;
  assign data  = from_wire ? in_data : in_data_q;

  wire granted  = |grant;
  wire rejected = request & ~granted;

  // The attempts, oldest first. One that waits has the output from which its
  // answer will come; one that was answered has the answer.
  reg [DEPTH*TARGETS-1:0] to;
  reg [DEPTH-1:0]         acked, collided;

  // What they are after this clock, before the oldest one leaves.
  reg [(DEPTH+1)*TARGETS-1:0] to_now;
  reg [DEPTH:0]               acked_now, collided_now, there;
  reg [TARGETS-1:0]           answered, seen, hit;
  reg                         stopped, place;
  integer at;
  always @* begin
    answered = target_ack | target_collision;
    seen = {TARGETS{1'b0}};
    stopped = 1'b0;
    to_now = {((DEPTH + 1) * TARGETS) {1'b0}};
    acked_now = {1'b0, acked};
    collided_now = {1'b0, collided};
    there = {(DEPTH + 1) {1'b0}};
    for (at = 0; at < DEPTH; at = at + 1)
      there[at] = (|to[at*TARGETS +: TARGETS]) | acked[at] | collided[at];
    place = request;
    for (at = 0; at < DEPTH; at = at + 1) begin
      // An output answers the oldest attempt that went there.
      hit = to[at*TARGETS +: TARGETS] & ~seen & answered;
      seen = seen | to[at*TARGETS +: TARGETS];
      // A collision of the youngest attempt ends the circuit, if it still stands.
      stopped = stopped | ((|(hit & target_collision & circuit)) & ~there[at+1]);
      acked_now[at] = acked[at] | (|(hit & target_ack));
      collided_now[at] = collided[at] | (|(hit & target_collision))
                       | (place & ~there[at] & rejected);
      to_now[at*TARGETS +: TARGETS] = (to[at*TARGETS +: TARGETS] & ~hit)
                                    | ({TARGETS{place & ~there[at]}} & grant);
      // A new attempt has its place after the others.
      place = place & there[at];
    end
  end
  wire leaves = acked_now[0] | collided_now[0];

  // Behind the tail the circuit is free.
  assign select = (circuit & {TARGETS{valid & ~stopped}}) | grant;

  always @(posedge clock) begin
    if (reset) begin
      in_valid_q   <= 1'b0;
      in_data_q    <= 8'd0;
      in_ack       <= 1'b0;
      in_collision <= 1'b0;
      bypass       <= 1'b0;
      state        <= {(TARGETS + 1) {1'b0}};
      to           <= {(DEPTH * TARGETS) {1'b0}};
      acked        <= {DEPTH{1'b0}};
      collided     <= {DEPTH{1'b0}};
    end else begin
      in_valid_q   <= in_valid;
      in_data_q    <= in_data;
      in_ack       <= acked_now[0];
      in_collision <= collided_now[0];
      bypass       <= (bypass & valid & ~stopped) | (granted & swallow);
      state        <= {rejected | (stopped & valid) | (drain & in_valid_q), select};
      to           <= leaves ? to_now[TARGETS +: DEPTH*TARGETS] : to_now[0 +: DEPTH*TARGETS];
      acked        <= leaves ? acked_now[1 +: DEPTH] : acked_now[0 +: DEPTH];
      collided     <= leaves ? collided_now[1 +: DEPTH] : collided_now[0 +: DEPTH];
    end
  end
endmodule
`default_nettype wire
