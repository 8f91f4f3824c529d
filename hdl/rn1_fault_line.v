// SPDX-License-Identifier: MIT OR Apache-2.0
// A wire of RN1 that can be stuck, with one extra clock in both directions. Ports and
// timing: rn1_fault_line.md.
`default_nettype none

module rn1_fault_line (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire  [8:0] word_forward,      // what goes on while the wire is stuck forward
    input  wire  [8:0] word_backward,     // what goes back while the wire is stuck backward
    input  wire        stuck_forward,     // the wire is stuck in the direction of connections
    input  wire        stuck_backward,    // the wire is stuck in the other direction
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
      to_far  <= stuck_forward ? word_forward : near_forward;
      to_near <= stuck_backward ? word_backward : far_backward;
    end
  end
endmodule
`default_nettype wire
