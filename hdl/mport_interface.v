// SPDX-License-Identifier: MIT OR Apache-2.0
// Network interface of a node at m-port switches: sender and receiver of the other
// network interface, with a header that names the output port at every switch of the
// way, as the host gives it.
//
// Source: Yuan, Nienaber, Duan & Melhem, section V (a path is the ports that it
// takes); header: assumed. Ports, protocol and timing: mport_interface.md.
`default_nettype none

module mport_interface (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire [19:0] node,              // address of this node
    input  wire  [1:0] strategy,          // retry: 0 immediate, 1 rounds, 2 back-off
    input  wire  [3:0] backoff_limit,     // largest exponent of the back-off, 1 to 12
    input  wire        early_acknowledge, // 1: acknowledge at the head; 0: after the tail
    input  wire [11:0] random_wait,       // the wait of the back-off is drawn from it
    input  wire        round_start,       // starts a round (strategy 1)
    input  wire        tx_request,        // a message is offered; held until tx_done
    input  wire [19:0] tx_destination,    // its destination; not this node
    input  wire [19:0] tx_words,          // its words minus one
    input  wire  [3:0] tx_hops,           // switches of its route minus one
    input  wire [63:0] tx_route_low,      // output ports of the last eight switches of its route, the last in bits 7 to 0
    input  wire [63:0] tx_route_high,     // output ports of the switches before those
    output wire        tx_launch,         // the head of an attempt is on the wire
    output wire        tx_collision,      // an attempt was rejected
    output wire        tx_done,           // the message was acknowledged
    output wire        rx_done,           // a message was received and its payload was right
    output wire        rx_error,          // a message was received and its payload was wrong
    input  wire        net_in_valid,      // a word of a circuit that enters here
    input  wire  [7:0] net_in_data,       // the word; 0 when not valid
    output wire        net_in_ack,        // acknowledges the circuit that entered here
    output wire        net_in_collision,  // rejects the circuit that entered here
    output wire        net_out_valid,     // a word of a circuit that leaves here
    output wire  [7:0] net_out_data,      // the word; 0 when not valid
    input  wire        net_out_ack,       // acknowledges the circuit that left here
    input  wire        net_out_collision, // rejects the circuit that left here
    output wire  [2:0] tx_state,          // state of the sender
    output wire        rx_state           // state of the receiver
);
  // The ports of the way, the last one lowest.
  wire [127:0] route = {tx_route_high, tx_route_low};
  wire [3:0] more_words = tx_hops;
  wire [3:0] header_left;
  wire [7:0] first_word = route[8*more_words +: 8];
  wire [7:0] next_word  = route[8*(header_left-4'd1) +: 8];

  circuit_sender #(.HEADER_BITS(4)) sender (
      .clock(clock), .reset(reset), .strategy(strategy), .backoff_limit(backoff_limit),
      .random_wait(random_wait), .round_start(round_start), .tx_request(tx_request),
      .tx_destination(tx_destination), .tx_words(tx_words), .tx_launch(tx_launch),
      .tx_collision(tx_collision), .tx_done(tx_done),
      .first_word(first_word), .more_words(more_words), .next_word(next_word),
      .header_left(header_left), .out_valid(net_out_valid), .out_data(net_out_data),
      .out_ack(net_out_ack), .out_collision(net_out_collision), .tx_state(tx_state));

  circuit_receiver receiver (
      .clock(clock), .reset(reset), .node(node), .early_acknowledge(early_acknowledge),
      .in_valid(net_in_valid), .in_data(net_in_data), .in_ack(net_in_ack),
      .in_collision(net_in_collision), .rx_done(rx_done), .rx_error(rx_error),
      .rx_state(rx_state));
endmodule
`default_nettype wire
