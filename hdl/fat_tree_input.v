// SPDX-License-Identifier: MIT OR Apache-2.0
// One input port: its register, the circuit it holds, and the answers that go
// back to the sender. TARGETS outputs can be reached from it.
`default_nettype none

module fat_tree_input #(
    parameter TARGETS = 3
) (
    input  wire               clock,
    input  wire               reset,
    input  wire               early_acknowledge,
    input  wire               in_valid,
    input  wire [7:0]         in_data,
    output reg                in_ack,
    output reg                in_collision,
    output wire               head,
    output wire [7:0]         word,
    input  wire               swallow,
    input  wire               request,
    input  wire [TARGETS-1:0] grant,
    input  wire [TARGETS-1:0] target_ack,
    input  wire [TARGETS-1:0] target_collision,
    output wire [TARGETS-1:0] select,
    output wire               valid,
    output wire [7:0]         data,
    output reg  [TARGETS:0]   state
);
  reg       in_valid_q;
  reg [7:0] in_data_q;
  // The circuit takes its words straight from the wire, because the word in
  // the register was used up when the circuit was opened.
  reg       bypass;
  // The acknowledge has passed, the tail has not (release by the tail).
  reg       acknowledged;

  wire [TARGETS-1:0] circuit = state[TARGETS-1:0];
  wire drain = state[TARGETS];

  assign head = in_valid_q & ~(|state);
  assign word = in_data_q;

  wire from_wire = bypass | (swallow & head);
  assign valid = from_wire ? in_valid : in_valid_q;
  assign data  = from_wire ? in_data : in_data_q;

  wire ack       = |(circuit & target_ack);
  wire collision = |(circuit & target_collision);
  wire granted   = |grant;
  wire rejected  = request & ~granted;
  wire settled   = ack | acknowledged;
  wire freed     = collision | (settled & ~(early_acknowledge & valid));

  assign select = (circuit & ~{TARGETS{freed}}) | grant;

  always @(posedge clock) begin
    if (reset) begin
      in_valid_q   <= 1'b0;
      in_data_q    <= 8'd0;
      in_ack       <= 1'b0;
      in_collision <= 1'b0;
      bypass       <= 1'b0;
      acknowledged <= 1'b0;
      state        <= {(TARGETS + 1) {1'b0}};
    end else begin
      in_valid_q   <= in_valid;
      in_data_q    <= in_data;
      in_ack       <= ack;
      in_collision <= collision | rejected;
      bypass       <= (bypass & ~freed) | (granted & swallow);
      acknowledged <= settled & ~freed;
      state        <= {rejected | collision | (drain & in_valid_q), select};
    end
  end
endmodule
`default_nettype wire
