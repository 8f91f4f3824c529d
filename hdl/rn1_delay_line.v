// SPDX-License-Identifier: MIT OR Apache-2.0
// One extra clock on a link of RN1, in both directions. A link with k extra clocks
// has k of these in a row. Ports and timing: rn1_delay_line.md.
`default_nettype none

module rn1_delay_line (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [8:0] near_forward,      // control bit and byte that arrive
    output wire  [8:0] near_backward,     // control bit and byte that go back
    output wire  [8:0] far_forward,       // control bit and byte that go on
    input  wire  [8:0] far_backward       // control bit and byte that come back
);
  reg [8:0] to_far, to_near;
  assign far_forward   = to_far;
  assign near_backward = to_near;

  always @(posedge clock) begin
    if (reset) begin
      to_far  <= 9'd0;
      to_near <= 9'd0;
    end else begin
      to_far  <= near_forward;
      to_near <= far_backward;
    end
  end
endmodule
`default_nettype wire
