// SPDX-License-Identifier: MIT OR Apache-2.0
// Network interface of a processor at a network of RN1: one message out at a time,
// by one of two inputs into the network, and connections in at two outputs from it.
//
// Source: DeHon 1990, section 1.2. Payload, routing bytes and the law of the waits:
// assumed. Ports, protocol and timing: rn1_interface.md.
`default_nettype none

module rn1_interface (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire [19:0] node,              // address of this node
    input  wire  [1:0] strategy,          // retry: 0 immediate, 1 random wait, 2 back-off
    input  wire  [3:0] backoff_limit,     // largest exponent of a wait, 0 to 12
    input  wire  [1:0] tx_enable,         // which of t0 and t1 are used; both: one at random
    input  wire  [1:0] rotation,          // of what comes at r0 and r1, in steps of two bits to the left
    input  wire  [4:0] rx_delay,          // extra cycles of the wires to r0 and r1
    input  wire  [3:0] turns,             // how often a connection is turned; 0: ended
    input  wire [15:0] reply_words,       // words of a reply minus one
    input  wire  [7:0] reply_delay,       // idle words in front of a reply
    input  wire        close_drop,        // 1: a connection that was turned is closed by a drop
    input  wire [11:0] random_wait,       // the waits are drawn from it
    input  wire        random_port,       // chooses t0 or t1
    input  wire        tx_request,        // a message is offered; held until tx_done
    input  wire [19:0] tx_destination,    // its destination
    input  wire [19:0] tx_words,          // data words of a request minus one
    input  wire [31:0] tx_route,          // the routing bytes, the first in bits 7 to 0
    input  wire  [1:0] tx_route_bytes,    // their number minus one
    input  wire  [3:0] tx_stages,         // routers on the route, 1 to 15
    input  wire [15:0] tx_swallows,       // bit s: router s of the route, from 0, swallows a byte; at most 3
    output wire        tx_launch,         // the first byte of an attempt is on the wire
    output wire        tx_blocked,        // an attempt was blocked, the path is free again
    output wire        tx_reply,          // the first word of the first reply came
    output wire        tx_done,           // the message is over
    output wire        tx_error,          // with tx_done: a checksum, status or reply was wrong
    output wire  [3:0] tx_stage,          // routers that said connected in the latest attempt
    output wire        rx0_open,          // the first word of a connection came at r0
    output wire        rx1_open,          // the first word of a connection came at r1
    output wire        rx0_done,          // a request came at r0 and was right
    output wire        rx1_done,          // a request came at r1 and was right
    output wire        rx0_error,         // a request came at r0 and was wrong
    output wire        rx1_error,         // a request came at r1 and was wrong
    output wire  [8:0] t0_forward,        // control bit and byte that go on
    input  wire  [8:0] t0_backward,       // control bit and byte that come back
    output wire  [8:0] t1_forward,        // control bit and byte that go on
    input  wire  [8:0] t1_backward,       // control bit and byte that come back
    input  wire  [8:0] r0_forward,        // control bit and byte that arrive
    output wire  [8:0] r0_backward,       // control bit and byte that go back
    input  wire  [8:0] r1_forward,        // control bit and byte that arrive
    output wire  [8:0] r1_backward,       // control bit and byte that go back
    output wire  [3:0] tx_state,          // state of the sender
    output wire  [2:0] r0_state,          // state of the receiver at r0
    output wire  [2:0] r1_state           // state of the receiver at r1
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
