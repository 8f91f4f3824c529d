// SPDX-License-Identifier: MIT OR Apache-2.0
// One extra clock on a link of a fat stack or pyramid, in both directions: flits and
// credits. A link with k extra clocks has k of these in a row. Ports and timing:
// stack_delay_line.md.
`default_nettype none

module stack_delay_line (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        near_in_valid,     // a flit comes in
    input  wire  [7:0] near_in_data,      // the flit; 0 when not valid
    input  wire        near_in_last,      // it is the final one of its packet
    output wire        near_in_credit,    // a place came free for flits that come in
    output wire        near_out_valid,    // a flit goes out
    output wire  [7:0] near_out_data,     // the flit; 0 when not valid
    output wire        near_out_last,     // it is the final one of its packet
    input  wire        near_out_credit,   // a place came free for flits that go out
    input  wire        far_in_valid,      // a flit comes in
    input  wire  [7:0] far_in_data,       // the flit; 0 when not valid
    input  wire        far_in_last,       // it is the final one of its packet
    output wire        far_in_credit,     // a place came free for flits that come in
    output wire        far_out_valid,     // a flit goes out
    output wire  [7:0] far_out_data,      // the flit; 0 when not valid
    output wire        far_out_last,      // it is the final one of its packet
    input  wire        far_out_credit     // a place came free for flits that go out
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
