// One extra clock on a link of a fat stack or pyramid, in both directions: flits and
// credits. A link with k extra clocks has k of these in a row. Ports and timing:
// stack_delay_line.md.
`default_nettype none

module stack_delay_line (
`include "stack_delay_line_ports.vh"
);
  // Towards the far side and towards the near side: valid, last, data, credit.
  reg [10:0] to_far, to_near;
  assign {far_out_valid, far_out_last, far_out_data, far_in_credit} = to_far;
  assign {near_out_valid, near_out_last, near_out_data, near_in_credit} = to_near;

  always @(posedge clock) begin
    if (reset) begin
      to_far  <= 11'd0;
      to_near <= 11'd0;
    end else begin
      to_far  <= {near_in_valid, near_in_last, near_in_data, near_out_credit};
      to_near <= {far_in_valid, far_in_last, far_in_data, far_out_credit};
    end
  end
endmodule
`default_nettype wire
