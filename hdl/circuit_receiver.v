// SPDX-License-Identifier: MIT OR Apache-2.0
// The receiver of a network interface at a network of circuits: it checks a message
// and answers it.
//
// Source: Strumpen & Krishnamurthy 2005, sections 3 and 7. Payload: assumed. Protocol
// and timing: network_interface.md.
`default_nettype none
`include "protocol.vh"

module circuit_receiver (
    input  wire        clock,
    input  wire        reset,
    input  wire [19:0] node,
    input  wire        early_acknowledge,
    input  wire        in_valid,
    input  wire [7:0]  in_data,
    output wire        in_ack,
    output wire        in_collision,
    output wire        rx_done,
    output wire        rx_error,
    output wire        rx_state
);
  // Word i of a body is the signature of the destination's address plus i, so
  // that the receiver can tell a word that is lost, doubled, out of order or
  // at the wrong node.
  reg [7:0] expected_next;
  reg       mismatch;
  reg       receiving;
  reg       answer_ack;
  reg       answer_collision;
  reg       received;
  reg       refused;
  assign in_ack       = answer_ack;
  assign in_collision = answer_collision;
  assign rx_done          = received;
  assign rx_error         = refused;
  assign rx_state         = receiving ? `CROSSWAVE_RX_RECEIVING : `CROSSWAVE_RX_IDLE;
  wire [7:0] node_signature = node[7:0] ^ node[15:8] ^ {4'd0, node[19:16]};
  wire [7:0] expected = receiving ? expected_next : node_signature;
  wire wrong = (receiving & mismatch) | (in_valid & (in_data != expected));
  wire first = in_valid & ~receiving;
  wire last  = ~in_valid & receiving;

  always @(posedge clock) begin
    if (reset) begin
      answer_ack       <= 1'b0;
      answer_collision <= 1'b0;
      expected_next    <= 8'd0;
      mismatch         <= 1'b0;
      received         <= 1'b0;
      refused          <= 1'b0;
      receiving        <= 1'b0;
    end else begin
      answer_ack       <= early_acknowledge ? first : (last & ~mismatch);
      answer_collision <= ~early_acknowledge & last & mismatch;
      if (in_valid) expected_next <= expected + 8'd1;
      mismatch         <= wrong;
      received         <= last & ~mismatch;
      refused          <= last & mismatch;
      receiving        <= in_valid;
    end
  end
endmodule
`default_nettype wire
