// SPDX-License-Identifier: MIT OR Apache-2.0
// Chooses one of up to three circuits that want one downstream output: the one
// that turns here (side) and the two that come from above (c, d). Uniform when
// `pair` is a fair bit and `third` is 1 in one case of three; with both held
// at 0 the order is c, d, side.
`default_nettype none

module fat_tree_arbiter (
    input  wire free,
    input  wire pair,
    input  wire third,
    input  wire side_request,
    input  wire c_request,
    input  wire d_request,
    output wire side_grant,
    output wire c_grant,
    output wire d_grant
);
  wire side_beats_c = d_request ? third : pair;
  wire side_beats_d = c_request ? third : pair;
  wire side_loses = (c_request & ~side_beats_c) | (d_request & ~side_beats_d);
  wire side_wins = side_request & ~side_loses;
  wire d_beats_c = d_request & (~c_request | pair);
  assign side_grant = free & side_wins;
  assign c_grant = free & c_request & ~side_wins & ~d_beats_c;
  assign d_grant = free & ~side_wins & d_beats_c;
endmodule
`default_nettype wire
