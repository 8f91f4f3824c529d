// SPDX-License-Identifier: MIT OR Apache-2.0
// Network interface of a node of a fat stack or pyramid: a sender and a receiver of
// packets that know nothing of each other.
//
// Source: assumed. Ports, protocol and timing: stack_interface.md.
`default_nettype none

module stack_interface (
    // Ports: written by `crosswave headers hdl` from the tables in crates/chips.
    input  wire        clock,             // rising edge
    input  wire        reset,             // synchronous, active high
    input  wire        tx_request,        // a packet is offered; held until tx_done
    input  wire [23:0] tx_id,             // the number of its message
    input  wire [19:0] tx_words,          // flits of its body minus one
    input  wire  [3:0] tx_hops,           // switches of its route minus one
    input  wire [63:0] tx_route_low,      // output ports of the last eight switches of its route, the last in bits 7 to 0
    input  wire [63:0] tx_route_high,     // output ports of the switches before those
    output wire        tx_launch,         // its first flit is on the wire
    output wire        tx_done,           // its final flit is on the wire
    output wire        rx_valid,          // a whole packet has come
    output wire [23:0] rx_id,             // the number of its message
    output wire [19:0] rx_words,          // flits of its body minus one
    output wire        rx_wrong,          // its body was not as it was sent, or was missing
    input  wire        net_in_valid,      // a flit comes in
    input  wire  [7:0] net_in_data,       // the flit; 0 when not valid
    input  wire        net_in_last,       // it is the final one of its packet
    output wire        net_in_credit,     // a place came free for flits that come in
    output wire        net_out_valid,     // a flit goes out
    output wire  [7:0] net_out_data,      // the flit; 0 when not valid
    output wire        net_out_last,      // it is the final one of its packet
    input  wire        net_out_credit,    // a place came free for flits that go out
    output wire  [2:0] tx_state,          // state of the sender
    output wire  [2:0] tx_credits,        // flits that may go out before a credit comes
    output wire  [1:0] rx_state           // state of the receiver
);
  stack_sender sender (
      .clock(clock), .reset(reset), .request(tx_request), .hops(tx_hops),
      .route({tx_route_high, tx_route_low}), .id(tx_id), .words(tx_words), .launch(tx_launch),
      .done(tx_done), .out_valid(net_out_valid), .out_last(net_out_last),
      .out_data(net_out_data), .out_credit(net_out_credit), .state(tx_state),
      .credits(tx_credits));

  stack_receiver receiver (
      .clock(clock), .reset(reset), .in_valid(net_in_valid), .in_last(net_in_last),
      .in_data(net_in_data), .in_credit(net_in_credit), .valid(rx_valid), .id(rx_id),
      .words(rx_words), .wrong(rx_wrong), .state(rx_state));
endmodule
`default_nettype wire
