// One extra clock on a full-duplex link, in both directions: forward valid and
// data, backward acknowledge and collision. A link with k extra clocks has k
// of these in a row. Ports and timing: delay_line.md.
`default_nettype none

module delay_line (
`include "delay_line_ports.vh"
);
  // Towards the far side and towards the near side: valid, data, ack, collision.
  reg [10:0] to_far, to_near;
  assign {far_out_valid, far_out_data, far_in_ack, far_in_collision} = to_far;
  assign {near_out_valid, near_out_data, near_in_ack, near_in_collision} = to_near;

  always @(posedge clock) begin
    if (reset) begin
      to_far  <= 11'd0;
      to_near <= 11'd0;
    end else begin
      to_far  <= {near_in_valid, near_in_data, near_out_ack, near_out_collision};
      to_near <= {far_in_valid, far_in_data, far_out_ack, far_out_collision};
    end
  end
endmodule
`default_nettype wire
