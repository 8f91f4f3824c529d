// Four-port circuit-switched fat-tree router.
//
// Upstream circuits enter at the downstream ports a and b and leave at c or d,
// chosen at random; downstream circuits leave at a or b, and of those that
// want the same output at once one passes and the others are rejected. With
// upstream_single only c leads up, and the same holds for it.
// A head takes two clocks, an acknowledge or collision signal one.
//
// Source: Strumpen & Krishnamurthy 2005, section 3 and section 7 (clocks).
// Ports, protocol and timing: fat_tree_router.md.
`default_nettype none

module fat_tree_router (
`include "fat_tree_router_ports.vh"
);
  // Decoded heads. An upstream head names the level where it turns; a
  // downstream head holds the address bit that this level decides on.
  wire a_head, b_head, c_head, d_head;
  wire [7:0] a_turn_level, b_turn_level, c_path, d_path;
  wire a_turns = a_turn_level == {3'd0, level};
  wire b_turns = b_turn_level == {3'd0, level};
  wire path_ends = level[2:0] == 3'd0;
  wire c_bit = c_path[level[2:0]];
  wire d_bit = d_path[level[2:0]];

  // A word that is used up here needs a word behind it to take its place.
  wire a_request = a_head & (~a_turns | a_in_valid);
  wire b_request = b_head & (~b_turns | b_in_valid);
  wire c_request = c_head & (~path_ends | c_in_valid);
  wire d_request = d_head & (~path_ends | d_in_valid);

  // Outputs in use.
  wire a_free = ~(b_state[0] | c_state[0] | d_state[0]);
  wire b_free = ~(a_state[0] | c_state[1] | d_state[1]);
  wire c_free = ~(a_state[1] | b_state[1]);
  wire d_free = ~(a_state[2] | b_state[2] | upstream_single);

  // Upstream: c or d at random, the free one when the other is taken. When a
  // and b arrive together, a has the choice and b takes the other. A single port
  // goes to b when a prefers the port that is not there, unless a always wins.
  wire a_up = a_request & ~a_turns;
  wire b_up = b_request & ~b_turns;
  wire b_may_win = b_up & upstream_single & ~winner_fixed;
  wire a_leaves_c = random_up & (d_free | b_may_win);
  wire a_to_c = a_up & c_free & ~a_leaves_c;
  wire a_to_d = a_up & d_free & ~a_to_c;
  wire b_takes_d = random_up ^ a_up;
  wire b_to_c = b_up & c_free & ~a_to_c & (~(d_free & ~a_to_d) | ~b_takes_d);
  wire b_to_d = b_up & d_free & ~a_to_d & ~b_to_c;

  // Downstream: one winner for each of a and b.
  wire third = random_third & ~winner_fixed;
  wire b_to_a, c_to_a, d_to_a, a_to_b, c_to_b, d_to_b;
  fat_tree_arbiter arbiter_a (
      .free(a_free), .pair(random_pair_a & ~winner_fixed), .third(third),
      .side_request(b_request & b_turns), .c_request(c_request & ~c_bit),
      .d_request(d_request & ~d_bit),
      .side_grant(b_to_a), .c_grant(c_to_a), .d_grant(d_to_a));
  fat_tree_arbiter arbiter_b (
      .free(b_free), .pair(random_pair_b & ~winner_fixed), .third(third),
      .side_request(a_request & a_turns), .c_request(c_request & c_bit),
      .d_request(d_request & d_bit),
      .side_grant(a_to_b), .c_grant(c_to_b), .d_grant(d_to_b));

  // Input units. The select lines say which output takes their word next.
  wire [2:0] a_select, b_select;
  wire [1:0] c_select, d_select;
  wire a_valid, b_valid, c_valid, d_valid;
  wire [7:0] a_data, b_data, c_data, d_data;

  fat_tree_input #(.TARGETS(3)) input_a (
      .clock(clock), .reset(reset), .release_tail(release_tail),
      .in_valid(a_in_valid), .in_data(a_in_data),
      .in_ack(a_in_ack), .in_collision(a_in_collision),
      .head(a_head), .word(a_turn_level), .swallow(a_turns), .request(a_request),
      .grant({a_to_d, a_to_c, a_to_b}),
      .target_ack({d_out_ack, c_out_ack, b_out_ack}),
      .target_collision({d_out_collision, c_out_collision, b_out_collision}),
      .select(a_select), .valid(a_valid), .data(a_data), .state(a_state));
  fat_tree_input #(.TARGETS(3)) input_b (
      .clock(clock), .reset(reset), .release_tail(release_tail),
      .in_valid(b_in_valid), .in_data(b_in_data),
      .in_ack(b_in_ack), .in_collision(b_in_collision),
      .head(b_head), .word(b_turn_level), .swallow(b_turns), .request(b_request),
      .grant({b_to_d, b_to_c, b_to_a}),
      .target_ack({d_out_ack, c_out_ack, a_out_ack}),
      .target_collision({d_out_collision, c_out_collision, a_out_collision}),
      .select(b_select), .valid(b_valid), .data(b_data), .state(b_state));
  fat_tree_input #(.TARGETS(2)) input_c (
      .clock(clock), .reset(reset), .release_tail(release_tail),
      .in_valid(c_in_valid), .in_data(c_in_data),
      .in_ack(c_in_ack), .in_collision(c_in_collision),
      .head(c_head), .word(c_path), .swallow(path_ends), .request(c_request),
      .grant({c_to_b, c_to_a}),
      .target_ack({b_out_ack, a_out_ack}),
      .target_collision({b_out_collision, a_out_collision}),
      .select(c_select), .valid(c_valid), .data(c_data), .state(c_state));
  fat_tree_input #(.TARGETS(2)) input_d (
      .clock(clock), .reset(reset), .release_tail(release_tail),
      .in_valid(d_in_valid), .in_data(d_in_data),
      .in_ack(d_in_ack), .in_collision(d_in_collision),
      .head(d_head), .word(d_path), .swallow(path_ends), .request(d_request),
      .grant({d_to_b, d_to_a}),
      .target_ack({b_out_ack, a_out_ack}),
      .target_collision({b_out_collision, a_out_collision}),
      .select(d_select), .valid(d_valid), .data(d_data), .state(d_state));

  // Crossbar and output registers.
  reg [8:0] a_out, b_out, c_out, d_out;
  assign {a_out_valid, a_out_data} = a_out;
  assign {b_out_valid, b_out_data} = b_out;
  assign {c_out_valid, c_out_data} = c_out;
  assign {d_out_valid, d_out_data} = d_out;
  always @(posedge clock) begin
    if (reset) begin
      a_out <= 9'd0;
      b_out <= 9'd0;
      c_out <= 9'd0;
      d_out <= 9'd0;
    end else begin
      a_out <= ({9{b_select[0]}} & {b_valid, b_data})
             | ({9{c_select[0]}} & {c_valid, c_data})
             | ({9{d_select[0]}} & {d_valid, d_data});
      b_out <= ({9{a_select[0]}} & {a_valid, a_data})
             | ({9{c_select[1]}} & {c_valid, c_data})
             | ({9{d_select[1]}} & {d_valid, d_data});
      c_out <= ({9{a_select[1]}} & {a_valid, a_data})
             | ({9{b_select[1]}} & {b_valid, b_data});
      d_out <= ({9{a_select[2]}} & {a_valid, a_data})
             | ({9{b_select[2]}} & {b_valid, b_data});
    end
  end
endmodule
`default_nettype wire
