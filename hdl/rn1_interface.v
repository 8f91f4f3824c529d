// Network interface of a processor at a network of RN1: one message out at a time,
// by one of two inputs into the network, and connections in at two outputs from it.
//
// Source: DeHon 1990, section 1.2. Payload, routing bytes and the law of the waits:
// assumed. Ports, protocol and timing: rn1_interface.md.
`default_nettype none

module rn1_interface (
`include "rn1_interface_ports.vh"
);
  // Payload byte i of a segment is the signature of its destination plus i, so that
  // the receiver can tell a byte that is lost, doubled, out of order or at the wrong
  // node.
  wire [7:0] node_signature = node[7:0] ^ node[15:8] ^ {4'd0, node[19:16]};
  wire [7:0] destination_signature =
      tx_destination[7:0] ^ tx_destination[15:8] ^ {4'd0, tx_destination[19:16]};

  rn1_interface_sender sender (
      .clock(clock), .reset(reset), .strategy(strategy), .backoff_limit(backoff_limit),
      .tx_enable(tx_enable), .turns(turns),
      .reply_words(reply_words), .close_drop(close_drop), .random_wait(random_wait),
      .random_port(random_port), .request(tx_request), .signature(destination_signature),
      .words(tx_words), .route(tx_route), .route_bytes(tx_route_bytes),
      .stages(tx_stages), .swallows(tx_swallows),
      .launched(tx_launch), .blocked(tx_blocked), .replied(tx_reply), .done(tx_done),
      .failed(tx_error), .connected(tx_stage), .state(tx_state),
      .t0_forward(t0_forward), .t0_backward(t0_backward),
      .t1_forward(t1_forward), .t1_backward(t1_backward));

  rn1_interface_receiver receiver_0 (
      .clock(clock), .reset(reset), .signature(node_signature), .rotation(rotation),
      .turns(turns), .reply_words(reply_words), .reply_delay(reply_delay),
      .close_drop(close_drop), .wire_delay(rx_delay), .opened(rx0_open), .done(rx0_done), .failed(rx0_error),
      .state(r0_state), .forward(r0_forward), .backward(r0_backward));

  rn1_interface_receiver receiver_1 (
      .clock(clock), .reset(reset), .signature(node_signature), .rotation(rotation),
      .turns(turns), .reply_words(reply_words), .reply_delay(reply_delay),
      .close_drop(close_drop), .wire_delay(rx_delay), .opened(rx1_open), .done(rx1_done), .failed(rx1_error),
      .state(r1_state), .forward(r1_forward), .backward(r1_backward));
endmodule
`default_nettype wire
