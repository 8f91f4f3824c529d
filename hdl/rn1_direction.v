// SPDX-License-Identifier: MIT OR Apache-2.0
// Who gets the two outputs of one direction of RN1, of the inputs that ask for
// it in one clock. Combinational.
//
// The requests pass an exchange network with a random bit at every switch and
// are then served in order of their places; the grants go back the same way.
// With two crossbars inputs 0 to 3 compete for the even output and 4 to 7 for
// the odd one, so the last rank, which is between these halves, stands straight.
`default_nettype none

(* keep_hierarchy *)
module rn1_direction (
    input  wire        two_crossbars,
    input  wire [7:0]  request,
    input  wire [1:0]  free,    // odd output, even output
    input  wire [11:0] order,   // the switches: ranks of four
    input  wire        prefer,  // of two free outputs the first in order gets this one
    output wire [7:0]  even_grant,
    output wire [7:0]  odd_grant
);
  wire [3:0] last_rank = order[11:8] & ~{4{two_crossbars}};

  // The ranks exchange places 1, 2 and 4 apart.
  function [7:0] rank_1(input [7:0] x, input [3:0] s);
    rank_1 = {s[3] ? {x[6], x[7]} : x[7:6], s[2] ? {x[4], x[5]} : x[5:4],
              s[1] ? {x[2], x[3]} : x[3:2], s[0] ? {x[0], x[1]} : x[1:0]};
  endfunction
  function [7:0] rank_2(input [7:0] x, input [3:0] s);
    rank_2 = {s[3] ? x[5] : x[7], s[2] ? x[4] : x[6], s[3] ? x[7] : x[5], s[2] ? x[6] : x[4],
              s[1] ? x[1] : x[3], s[0] ? x[0] : x[2], s[1] ? x[3] : x[1], s[0] ? x[2] : x[0]};
  endfunction
  function [7:0] rank_4(input [7:0] x, input [3:0] s);
    rank_4 = {(x[7:4] & ~s) | (x[3:0] & s), (x[3:0] & ~s) | (x[7:4] & s)};
  endfunction
  function [7:0] undo(input [7:0] x, input [11:0] s);
    undo = rank_1(rank_2(rank_4(x, s[11:8]), s[7:4]), s[3:0]);
  endfunction

  // The first of four places that asks.
  function [3:0] first(input [3:0] x);
    first = x & {~|x[2:0], ~|x[1:0], ~x[0], 1'b1};
  endfunction

  wire [7:0] asks = rank_4(rank_2(rank_1(request, order[3:0]), order[7:4]), last_rank);
  wire [3:0] first_low  = first(asks[3:0]);
  wire [3:0] first_high = first(asks[7:4]);
  wire [7:0] winner = {first_high & {4{~|asks[3:0]}}, first_low};
  wire [7:0] others = asks & ~winner;
  wire [7:0] second = {first(others[7:4]) & {4{~|others[3:0]}}, first(others[3:0])};

  wire both = &free;
  wire [7:0] even = two_crossbars ? {4'd0, first_low} : (both & prefer) ? second : winner;
  wire [7:0] odd  = two_crossbars ? {first_high, 4'd0} : (both & ~prefer) ? second : winner;
  assign even_grant = undo(even & {8{free[0]}}, {last_rank, order[7:0]});
  assign odd_grant  = undo(odd & {8{free[1]}}, {last_rank, order[7:0]});
endmodule
`default_nettype wire
