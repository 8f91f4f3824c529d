// SPDX-License-Identifier: MIT OR Apache-2.0
// One extra clock on a full-duplex link, in both directions: forward valid and
// data, backward acknowledge and collision. A link with k extra clocks has k
// of these in a row. Ports and timing: delay_line.md.
`default_nettype none

module delay_line (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        near_in_valid,     // a word of a circuit that enters here
    input  wire  [7:0] near_in_data,      // the word; 0 when not valid
    output wire        near_in_ack,       // acknowledges the circuit that entered here
    output wire        near_in_collision, // rejects the circuit that entered here
    output wire        near_out_valid,    // a word of a circuit that leaves here
    output wire  [7:0] near_out_data,     // the word; 0 when not valid
    input  wire        near_out_ack,      // acknowledges the circuit that left here
    input  wire        near_out_collision, // rejects the circuit that left here
    input  wire        far_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] far_in_data,       // the word; 0 when not valid
    output wire        far_in_ack,        // acknowledges the circuit that entered here
    output wire        far_in_collision,  // rejects the circuit that entered here
    output wire        far_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] far_out_data,      // the word; 0 when not valid
    input  wire        far_out_ack,       // acknowledges the circuit that left here
    input  wire        far_out_collision  // rejects the circuit that left here
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
