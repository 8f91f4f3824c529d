// Network interface of a node at m-port switches: sender and receiver of the other
// network interface, with a header that names the output port at every switch of the
// way, as the host gives it.
//
// Source: Yuan, Nienaber, Duan & Melhem, section V (a path is the ports that it
// takes); header: assumed. Ports, protocol and timing: mport_interface.md.
`default_nettype none

module mport_interface (
`include "mport_interface_ports.vh"
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
