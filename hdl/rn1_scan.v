// SPDX-License-Identifier: MIT OR Apache-2.0
// The options of an RN1 in a scan chain, for packages without a pin for each. Their
// order is that of RN1's ports, the first option in the first bit shifted in.
//
// Source: the UV cells of DeHon 1990, section 3.6.2, which are programmed through a
// few pins; the chain itself is assumed. Use: rn1.md.
`default_nettype none

module rn1_scan (
    input  wire        clock,          // rising edge
    input  wire        reset,          // synchronous, active high
    input  wire        scan_shift,     // 1: the chain moves by one bit
    input  wire        scan_in,        // bit that enters
    output wire        scan_out,       // bit that leaves, for the next chain
    output wire        two_crossbars,  // the options, as at `rn1`
    output wire  [7:0] swallow,
    output wire  [7:0] in_enable,
    output wire  [7:0] out_enable,
    output wire [39:0] in_delay,
    output wire [39:0] out_delay
);
  reg [104:0] chain;

  assign {out_delay, in_delay, out_enable, in_enable, swallow, two_crossbars} = chain;
  assign scan_out = chain[0];

  always @(posedge clock)
    if (reset) chain <= 105'd0;
    else if (scan_shift) chain <= {scan_in, chain[104:1]};
endmodule

`default_nettype wire
