// Network interface of a node of a fat stack or pyramid: a sender and a receiver of
// packets that know nothing of each other.
//
// Source: assumed. Ports, protocol and timing: stack_interface.md.
`default_nettype none

module stack_interface (
`include "stack_interface_ports.vh"
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
