// SPDX-License-Identifier: MIT OR Apache-2.0
// Random bits for the pins of routers in hardware: a linear feedback shift register of maximal
// length that takes BITS steps in each clock. Table, periods and limits: lfsr_random.md.
`default_nettype none

module lfsr_random #(
    parameter WIDTH = 61,  // bits of the register, 3 to 64
    parameter BITS = 4     // new bits in each clock, 1 to WIDTH
) (
    input  wire             clock,  // rising edge
    input  wire             reset,  // synchronous, active high; takes the seed
    input  wire [WIDTH-1:0] seed,   // where the sequence begins; 0 counts as 1
    output wire [BITS-1:0]  bits    // the latest bits of the sequence, bit 0 the last of them
);
  // Bit j - 1 says that the next bit depends on the one j steps before it: the recurrence of a
  // primitive polynomial, with taps as far back as there are.
  function [63:0] taps(input integer width);
    case (width)
      3: taps = 64'h6;
      4: taps = 64'hc;
      5: taps = 64'h14;
      6: taps = 64'h30;
      7: taps = 64'h60;
      8: taps = 64'hb8;
      9: taps = 64'h110;
      10: taps = 64'h240;
      11: taps = 64'h500;
      12: taps = 64'h960;
      13: taps = 64'h1b00;
      14: taps = 64'h2700;
      15: taps = 64'h6000;
      16: taps = 64'h9c00;
      17: taps = 64'h12000;
      18: taps = 64'h20400;
      19: taps = 64'h72000;
      20: taps = 64'h90000;
      21: taps = 64'h140000;
      22: taps = 64'h300000;
      23: taps = 64'h420000;
      24: taps = 64'hd80000;
      25: taps = 64'h1200000;
      26: taps = 64'h2c80000;
      27: taps = 64'h7200000;
      28: taps = 64'h9000000;
      29: taps = 64'h14000000;
      30: taps = 64'h32800000;
      31: taps = 64'h48000000;
      32: taps = 64'ha3000000;
      33: taps = 64'h100080000;
      34: taps = 64'h262000000;
      35: taps = 64'h500000000;
      36: taps = 64'h801000000;
      37: taps = 64'h11c0000000;
      38: taps = 64'h3180000000;
      39: taps = 64'h4400000000;
      40: taps = 64'h9c00000000;
      41: taps = 64'h12000000000;
      42: taps = 64'h24c00000000;
      43: taps = 64'h47000000000;
      44: taps = 64'h96000000000;
      45: taps = 64'h1b0000000000;
      46: taps = 64'h20e000000000;
      47: taps = 64'h420000000000;
      48: taps = 64'h82c000000000;
      49: taps = 64'h1008000000000;
      50: taps = 64'h2e00000000000;
      51: taps = 64'h4b00000000000;
      52: taps = 64'h9000000000000;
      53: taps = 64'h11c00000000000;
      54: taps = 64'h24a00000000000;
      55: taps = 64'h40000040000000;
      56: taps = 64'ha9000000000000;
      57: taps = 64'h102000000000000;
      58: taps = 64'h200004000000000;
      59: taps = 64'h518000000000000;
      60: taps = 64'hc00000000000000;
      61: taps = 64'h1c80000000000000;
      62: taps = 64'h2580000000000000;
      63: taps = 64'h6000000000000000;
      64: taps = 64'hb800000000000000;
      default: taps = 64'd0;
    endcase
  endfunction

  localparam [63:0] ALL_TAPS = taps(WIDTH);
  localparam [WIDTH-1:0] TAPS = ALL_TAPS[WIDTH-1:0];

  // The register after BITS steps.
  function [WIDTH-1:0] leap(input [WIDTH-1:0] from);
    integer step;
    begin
      leap = from;
      for (step = 0; step < BITS; step = step + 1) leap = {leap[WIDTH-2:0], ^(leap & TAPS)};
    end
  endfunction

  reg [WIDTH-1:0] state;
  always @(posedge clock) begin
    if (reset) state <= seed == {WIDTH{1'b0}} ? {{WIDTH-1{1'b0}}, 1'b1} : seed;
    else state <= leap(state);
  end
  assign bits = state[BITS-1:0];

  // A width or a number of bits that is not possible ends the elaboration here.
  generate
    if (WIDTH < 3 || WIDTH > 64 || BITS < 1 || BITS > WIDTH) begin : bad_parameters
      lfsr_random_takes_3_to_64_of_width_and_1_to_width_bits mistake ();
    end
  endgenerate
endmodule
`default_nettype wire
