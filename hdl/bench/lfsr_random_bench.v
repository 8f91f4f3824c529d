// SPDX-License-Identifier: MIT OR Apache-2.0
// Bench of lfsr_random that checks itself: periods and balance of small widths in full, leaps
// against single steps, the seed 0, and the share of ones of the pins of a router.
`default_nettype none

// One width, once round with single steps and once with leaps of BITS.
module lfsr_random_round #(
    parameter WIDTH = 3,
    parameter BITS = 2
) (
    output reg done,
    output reg [31:0] wrong
);
  localparam [31:0] STATES = (1 << WIDTH) - 1;
  reg clock = 1'b0, reset = 1'b1;
  reg [WIDTH-1:0] seed = {WIDTH{1'b1}};
  wire one;
  wire [BITS-1:0] some;
  lfsr_random #(.WIDTH(WIDTH), .BITS(1)) single (
      .clock(clock), .reset(reset), .seed(seed), .bits(one));
  // It takes its edges when it is enabled only, so that it waits for the single steps.
  reg leap_clock = 1'b0;
  lfsr_random #(.WIDTH(WIDTH), .BITS(BITS)) leaping (
      .clock(leap_clock), .reset(reset), .seed(seed), .bits(some));

  // Greatest common divisor of the leap and the number of states.
  function [31:0] common(input [31:0] left, input [31:0] right);
    reg [31:0] rest;
    begin
      common = left;
      rest = right;
      while (rest != 0) begin
        {common, rest} = {rest, common % rest};
      end
    end
  endfunction

  task expect_value(input [31:0] found, input [31:0] expected);
    if (found !== expected) begin
      $display("width %0d, leap %0d: found %0d, expected %0d", WIDTH, BITS, found, expected);
      wrong = wrong + 1;
    end
  endtask

  reg [WIDTH-1:0] first;
  reg [BITS-1:0] sequence_bits;
  integer clocks, ones, step;
  initial begin
    done = 1'b0;
    wrong = 0;
    // The seed 0 counts as 1.
    seed = {WIDTH{1'b0}};
    #1 clock = 1'b1; leap_clock = 1'b1;
    #1 clock = 1'b0; leap_clock = 1'b0;
    expect_value(single.state, 1);
    expect_value(leaping.state, 1);
    seed = {1'b1, {WIDTH-1{1'b0}}};
    #1 clock = 1'b1; leap_clock = 1'b1;
    #1 clock = 1'b0; leap_clock = 1'b0;
    reset = 1'b0;
    first = single.state;
    expect_value(first, seed);

    // Single steps meet every state but 0, so that one bit more of two is 1 than 0.
    clocks = 0;
    ones = 0;
    while (clocks == 0 || (single.state !== first && clocks <= STATES)) begin
      #1 clock = 1'b1;
      #1 clock = 1'b0;
      clocks = clocks + 1;
      ones = ones + one;
    end
    expect_value(clocks, STATES);
    expect_value(ones, 1 << (WIDTH - 1));

    // Leaps show the same sequence, every bit of it once.
    clocks = 0;
    while (clocks == 0 || (leaping.state !== first && clocks <= STATES)) begin
      for (step = 0; step < BITS; step = step + 1) begin
        #1 clock = 1'b1;
        #1 clock = 1'b0;
        sequence_bits = {sequence_bits, one};
      end
      #1 leap_clock = 1'b1;
      #1 leap_clock = 1'b0;
      clocks = clocks + 1;
      if (some !== sequence_bits) expect_value(some, sequence_bits);
    end
    expect_value(clocks, STATES / common(STATES, BITS));
    done = 1'b1;
  end
endmodule

module lfsr_random_bench;
  localparam WIDEST = 14;
  wire [2*WIDEST+1:0] done;
  wire [32*(2*WIDEST+2)-1:0] wrong;
  genvar width;
  generate
    for (width = 3; width <= WIDEST; width = width + 1) begin : widths
      lfsr_random_round #(.WIDTH(width), .BITS(2)) pairs (
          .done(done[2*width]), .wrong(wrong[64*width +: 32]));
      lfsr_random_round #(.WIDTH(width), .BITS(width)) whole (
          .done(done[2*width+1]), .wrong(wrong[64*width+32 +: 32]));
    end
  endgenerate

  // The pins of a router: three fair bits, and one that is 1 in one case of three.
  localparam CLOCKS = 30000;
  reg clock = 1'b0, reset = 1'b1;
  wire [18:0] bits;
  lfsr_random #(.BITS(19)) pins (.clock(clock), .reset(reset), .seed(61'd2026), .bits(bits));
  wire third = bits[15:0] < 16'd21845;

  integer all, at, thirds;
  integer ones[0:18];
  // Limits of five standard deviations, 433 for fair bits and 408 for thirds.
  task expect_about(input integer found, input integer expected, input integer limit);
    if (found < expected - limit || found > expected + limit) begin
      $display("found %0d ones, expected about %0d", found, expected);
      all = all + 1;
    end
  endtask

  initial begin
    all = 0;
    thirds = 0;
    for (at = 0; at < 19; at = at + 1) ones[at] = 0;
    #1 clock = 1'b1;
    #1 clock = 1'b0;
    reset = 1'b0;
    // After the seed's own bits.
    repeat (8) begin
      #1 clock = 1'b1;
      #1 clock = 1'b0;
    end
    repeat (CLOCKS) begin
      #1 clock = 1'b1;
      #1 clock = 1'b0;
      thirds = thirds + third;
      for (at = 0; at < 19; at = at + 1) ones[at] = ones[at] + bits[at];
    end
    for (at = 0; at < 19; at = at + 1) expect_about(ones[at], CLOCKS / 2, 433);
    expect_about(thirds, CLOCKS / 3, 408);
    wait (&done[2*WIDEST+1:6]);
    for (at = 6; at <= 2 * WIDEST + 1; at = at + 1) all = all + wrong[32*at +: 32];
    if (all != 0) $finish_and_return(1);
    else $display("periods, balance, leaps and seeds are right");
    $finish;
  end
endmodule
`default_nettype wire
