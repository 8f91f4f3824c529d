// SPDX-License-Identifier: MIT OR Apache-2.0
// Which heads get an output: the decisions of a four-port router, without
// registers. Sets of ports are four bits wide, {d, c, b, a}; words likewise.
//
// A head asks when it is in the register and, if its word is used up here,
// another word follows it. An output may be granted when it is open.
//
// Source: Strumpen & Krishnamurthy 2005, section 3. Header: fat_tree_router.md.
`default_nettype none

module fat_tree_grants (
    input  wire [4:0]  level,
    input  wire        winner_fixed,
    input  wire        upstream_single,
    input  wire        random_up,
    input  wire        random_pair_a,
    input  wire        random_pair_b,
    input  wire        random_third,
    input  wire [3:0]  head,
    input  wire [31:0] word,
    input  wire [3:0]  in_valid,
    input  wire [3:0]  open,
    output wire [3:0]  swallow,
    output wire [3:0]  request,
    // By input, in the order of its outputs: d, c, the other one of a and b; or b, a.
    output wire [2:0]  a_grant,
    output wire [2:0]  b_grant,
    output wire [1:0]  c_grant,
    output wire [1:0]  d_grant
);
  // An upstream head names the level where it turns; a downstream head holds
  // the address bit that this level decides on.
  wire [7:0] a_turn_level = word[7:0];
  wire [7:0] b_turn_level = word[15:8];
  wire [7:0] c_path = word[23:16];
  wire [7:0] d_path = word[31:24];
  wire a_turns = a_turn_level == {3'd0, level};
  wire b_turns = b_turn_level == {3'd0, level};
  wire path_ends = level[2:0] == 3'd0;
  wire c_bit = c_path[level[2:0]];
  wire d_bit = d_path[level[2:0]];
  assign swallow = {path_ends, path_ends, b_turns, a_turns};
  assign request = head & (~swallow | in_valid);
  wire a_request = request[0];
  wire b_request = request[1];
  wire c_request = request[2];
  wire d_request = request[3];
  wire c_free = open[2];
  wire d_free = open[3] & ~upstream_single;

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
      .free(open[0]), .pair(random_pair_a & ~winner_fixed), .third(third),
      .side_request(b_request & b_turns), .c_request(c_request & ~c_bit),
      .d_request(d_request & ~d_bit),
      .side_grant(b_to_a), .c_grant(c_to_a), .d_grant(d_to_a));
  fat_tree_arbiter arbiter_b (
      .free(open[1]), .pair(random_pair_b & ~winner_fixed), .third(third),
      .side_request(a_request & a_turns), .c_request(c_request & c_bit),
      .d_request(d_request & d_bit),
      .side_grant(a_to_b), .c_grant(c_to_b), .d_grant(d_to_b));

  assign a_grant = {a_to_d, a_to_c, a_to_b};
  assign b_grant = {b_to_d, b_to_c, b_to_a};
  assign c_grant = {c_to_b, c_to_a};
  assign d_grant = {d_to_b, d_to_a};
endmodule
`default_nettype wire
