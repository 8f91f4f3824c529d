// One extra clock on a link of RN1, in both directions. A link with k extra clocks
// has k of these in a row. Ports and timing: rn1_delay_line.md.
`default_nettype none

module rn1_delay_line (
`include "rn1_delay_line_ports.vh"
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
