// A wire of RN1 that can be stuck, with one extra clock in both directions. Ports and
// timing: rn1_fault_line.md.
`default_nettype none

module rn1_fault_line (
`include "rn1_fault_line_ports.vh"
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
